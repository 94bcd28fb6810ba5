// A BERT inside of a model that is trained here: it goes on learning, or stays as it is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dialog/pretrained/bert.h"

namespace heed::pretrained {

// Last states of texts, of a frozen encoder. Many models of one encoder may share them.
struct StateCache {
  std::map<Pieces, Tensor> states;
  double bytes = 0;
};

// The last states of texts. Equal texts are computed once; of an encoder that is frozen their
// states are kept, as long as a quarter of the memory holds them all.
class StateReader : public Module {
 public:
  StateReader(Bert bert, bool frozen);

  // Those of text i stand in the rows from begin[i] on, a row a piece; equal texts share them.
  struct States {
    Var rows;  // (N, hidden_size)
    std::vector<int32_t> begin;
  };
  // Throws ShapeError as Bert.
  States operator()(const std::vector<Pieces>& texts) const;
  // Of a frozen encoder: computes what is not kept yet; false if there is no room to keep it all.
  bool keep(const std::vector<Pieces>& texts) const;
  void visit(Visitor& v) override { bert_.visit(v); }  // the encoder's own names
  StateReader like() const { return {bert_.like(), frozen_}; }
  void share(std::shared_ptr<StateCache> cache) { kept_ = std::move(cache); }

  int64_t width() const { return bert_.config().hidden_size; }
  int64_t longest() const { return bert_.config().max_position_embeddings; }  // text
  bool reads_pairs() const { return bert_.config().type_vocab_size >= 2; }
  Device device() const { return bert_.device(); }
  DType dtype() const { return bert_.words.weight.dtype(); }

 private:
  // Of each text, (its pieces, hidden_size).
  std::vector<Tensor> frozen_states(const std::vector<Pieces>& texts) const;

  Bert bert_;
  bool frozen_;
  std::shared_ptr<StateCache> kept_ = std::make_shared<StateCache>();
};

}  // namespace heed::pretrained
