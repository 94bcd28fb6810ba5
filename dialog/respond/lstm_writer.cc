// How the LSTM structures write: one step() of the model for all hypotheses side by side.
#include <algorithm>
#include <numeric>

#include "autograd/ops.h"
#include "dialog/respond/lstm.h"

namespace heed {
namespace {

class LstmWriter : public Writer {
 public:
  LstmWriter(const LstmResponder& model, const Batch& batch)
      : model_(model),
        all_(model.encode(batch)),
        selected_(all_),
        dialogues_(batch.size),
        context_(all_.start.context),
        state_(all_.state) {
    std::iota(dialogues_.begin(), dialogues_.end(), 0);
  }

  Written step(const std::vector<int32_t>& dialogues, const std::vector<int32_t>& parents,
               const std::vector<int32_t>& tokens) override;

 private:
  void select(const std::vector<int32_t>& dialogues);
  Var input_gates(const std::vector<int32_t>& tokens) const;
  Tensor ids(const std::vector<int32_t>& values) const {
    return Tensor::from(values, context_.device());
  }

  const LstmResponder& model_;
  const LstmResponder::Encoded all_;
  LstmResponder::Encoded selected_;  // of all_, a part for each row
  std::vector<int32_t> dialogues_;   // of these dialogues
  Var context_;
  LstmState state_;
};

// What step() looks at. Hypotheses of one dialogue share what was encoded.
void LstmWriter::select(const std::vector<int32_t>& dialogues) {
  selected_ = {all_.memory, all_.segments.select(dialogues), {}, {}, {}};
  dialogues_ = dialogues;
  if (!all_.context_gates.defined()) return;  // dynamic: every step has its own context
  std::vector<int32_t> weight_rows;
  for (int32_t b : dialogues) {
    for (int64_t j = all_.segments.begin(b); j < all_.segments.end(b); ++j) {
      weight_rows.push_back(static_cast<int32_t>(j));
    }
  }
  selected_.start = {gather_rows(all_.start.context, ids(dialogues)),
                     gather_rows(all_.start.weights, ids(weight_rows))};
  selected_.context_gates = gather_rows(all_.context_gates, ids(dialogues));
}

// The inputs' part of the gates. Many hypotheses end with the same token: it is multiplied once.
Var LstmWriter::input_gates(const std::vector<int32_t>& tokens) const {
  std::vector<int32_t> different = tokens, place;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  for (int32_t token : tokens) {
    const auto at = std::lower_bound(different.begin(), different.end(), token);
    place.push_back(static_cast<int32_t>(at - different.begin()));
  }
  return gather_rows(model_.token_gates(ids(different)), ids(place));
}

Written LstmWriter::step(const std::vector<int32_t>& dialogues, const std::vector<int32_t>& parents,
                         const std::vector<int32_t>& tokens) {
  if (dialogues != dialogues_) select(dialogues);
  std::vector<int32_t> same(context_.shape()[0]);
  std::iota(same.begin(), same.end(), 0);
  if (parents != same) {
    context_ = gather_rows(context_, ids(parents));
    state_ = state_.gather(ids(parents));
  }
  LstmResponder::Step out = model_.step(selected_, input_gates(tokens), context_, state_);
  context_ = out.attended.context;
  state_ = std::move(out.state);
  Written written{
      model_.logits(out.hidden, context_).value(), out.attended.weights.value().to_vector(), {0}};
  for (int64_t r = 0; r < selected_.segments.count(); ++r) {
    written.begin.push_back(written.begin.back() + selected_.segments.length(r));
  }
  return written;
}

}  // namespace

std::unique_ptr<Writer> LstmResponder::read(const Batch& batch) const {
  return std::make_unique<LstmWriter>(*this, batch);
}

}  // namespace heed
