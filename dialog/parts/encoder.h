// What encodes, and what ranks: the interfaces that commands ask a model for, whatever it was
// trained for (dialog/system.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dialog/parts/context_batch.h"
#include "dialog/parts/pooling.h"

namespace heed {

struct EncodeOptions {
  Pooling pooling = Pooling::kSum;  // of an encoder that has a choice
  int layer = -1;      // of an encoder of layers(): 0 is what they read, -1 what the last one makes
  int64_t batch = 32;  // examples; changes no result
  // Called after each batch: examples and tokens done so far.
  std::function<void(int64_t examples, int64_t tokens)> progress = {};
};

class ContextEncoder {
 public:
  virtual ~ContextEncoder() = default;
  virtual int64_t width() const = 0;  // d
  // Whether there are several ways from its states to a vector (EncodeOptions::pooling).
  virtual bool pools() const { return false; }
  virtual int layers() const { return 0; }  // whose states can be the vector, 0: no choice
  // An utterance in the encoder's numbers; of an encoder with a Vocabulary those of
  // encode_utterance().
  virtual std::vector<int32_t> numbers(const std::string& utterance) const = 0;
  // f32 (n, d) on the CPU: a vector of each context, whose utterances have these numbers. The other
  // members of an example have no part in it.
  virtual Tensor encode(const std::vector<Example>& examples,
                        const EncodeOptions& options = {}) const = 0;

  // A text by itself: its numbers as the model reads them, the first `longest` (0: as many as it
  // reads; UsageError for more), and how many are left out. And the vectors of several.
  struct Text {
    std::vector<int32_t> ids;
    size_t left_out = 0;
  };
  virtual Text read(const std::string& text, int64_t longest = 0) const;
  virtual Tensor encode_texts(std::vector<Text> texts, const EncodeOptions& options) const;
};

// What encoders share: the examples in batches of similar length, without gradients. `vectors`
// gives a row for each example of a batch, in their order. Undefined of no examples.
Tensor encode_in_batches(const std::vector<Example>& examples, const EncodeOptions& options,
                         const std::function<Var(const ExamplePointers& batch)>& vectors);

// An encoder of functions, which keep what they need.
std::shared_ptr<const ContextEncoder> make_encoder(
    int64_t width, std::function<std::vector<int32_t>(const std::string&)> numbers,
    std::function<Var(const ExamplePointers& batch)> vectors);

// A context, oldest utterance first, and the candidates that it is asked for: places in a list of
// texts that many contexts share.
struct RankQuery {
  std::vector<std::string> context;
  std::vector<int32_t> candidates;
};

class Ranker {
 public:
  virtual ~Ranker() = default;
  // Of each query the scores of its candidates: the higher, the better the text answers it; and a
  // remark for people, or nothing, as "3 texts cut". `progress`: texts and contexts that are read,
  // and of how many.
  struct Scores {
    std::vector<std::vector<double>> of_queries;
    std::string remark = {};
  };
  virtual Scores score(const std::vector<std::string>& texts, const std::vector<RankQuery>& queries,
                       int64_t batch,
                       const std::function<void(size_t done, size_t of)>& progress = {}) const = 0;
};

}  // namespace heed
