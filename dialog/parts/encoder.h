// Encoders and rankers: the interfaces that commands request from a model, whatever it was trained
// for (dialog/system.h).
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
  int layer = -1;      // of an encoder with layers(): 0 is their input, -1 the last one's output
  int64_t batch = 32;  // examples; it changes no result
  // Called after each batch: examples and tokens done so far.
  std::function<void(int64_t examples, int64_t tokens)> progress = {};
};

class ContextEncoder {
 public:
  virtual ~ContextEncoder() = default;
  virtual int64_t width() const = 0;  // d
  // Whether there is a choice how its states become a vector (EncodeOptions::pooling).
  virtual bool pools() const { return false; }
  virtual int layers() const { return 0; }  // whose states can be the vector; 0: no choice
  // The encoder's ids of an utterance; for an encoder with a Vocabulary those of
  // encode_utterance().
  virtual std::vector<int32_t> numbers(const std::string& utterance) const = 0;
  // f32 (n, d) on the CPU: a vector for each context, whose utterances have these ids. The other
  // members of an example are not used.
  virtual Tensor encode(const std::vector<Example>& examples,
                        const EncodeOptions& options = {}) const = 0;

  // A single text: its ids as the model reads them, at most `longest` (0: as many as the model
  // reads; UsageError for more), and how many are left out. And the vectors of several texts.
  struct Text {
    std::vector<int32_t> ids;
    size_t left_out = 0;
  };
  virtual Text read(const std::string& text, int64_t longest = 0) const;
  virtual Tensor encode_texts(std::vector<Text> texts, const EncodeOptions& options) const;

 protected:
  // `longest`, or if it is 0 the `most` units of a text that the model reads. Throws UsageError for
  // more than it reads.
  static int64_t checked_length(int64_t longest, int64_t most, const char* units);
};

// For all encoders: encodes the examples in batches of similar length, without gradients. `vectors`
// returns a row for each example of a batch, in order. Undefined for no examples.
Tensor encode_in_batches(const std::vector<Example>& examples, const EncodeOptions& options,
                         const std::function<Var(const ExamplePointers& batch)>& vectors);

// An encoder made from functions, which own what they need.
std::shared_ptr<const ContextEncoder> make_encoder(
    int64_t width, std::function<std::vector<int32_t>(const std::string&)> numbers,
    std::function<Var(const ExamplePointers& batch)> vectors);

// A context, oldest utterance first, and its candidates: indices in a list of texts that many
// contexts share.
struct RankQuery {
  std::vector<std::string> context;
  std::vector<int32_t> candidates;
};

class Ranker {
 public:
  virtual ~Ranker() = default;
  // For each query the scores of its candidates: the higher, the better the text answers it; and an
  // optional remark for people, such as "3 texts cut". `progress` gets the number of texts and
  // contexts read so far, and their total.
  struct Scores {
    std::vector<std::vector<double>> of_queries;
    std::string remark = {};
  };
  virtual Scores score(const std::vector<std::string>& texts, const std::vector<RankQuery>& queries,
                       int64_t batch,
                       const std::function<void(size_t done, size_t of)>& progress = {}) const = 0;
};

}  // namespace heed
