// The system "pretrained/bert": pretrained encoders (heed import).
#include "dialog/system.h"
#include "base/error.h"
#include "dialog/parts/vector_ranker.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/text/format.h"

namespace heed::pretrained {
namespace {

using Keep = WordPiece::Keep;

// The mean of a layer's states, as a rule the last one's, of the length 1; of a long context the
// last pieces are read.
class BertReader : public ContextEncoder {
 public:
  explicit BertReader(std::shared_ptr<const Encoder> bert) : bert_(std::move(bert)) {}

  int layers() const override { return static_cast<int>(bert_->model.layers.size()); }
  int64_t width() const override { return bert_->model.config().hidden_size; }
  std::vector<int32_t> numbers(const std::string& utterance) const override {
    return bert_->pieces.encode(utterance);
  }
  Tensor encode(const std::vector<Example>& examples, const EncodeOptions& options) const override {
    return encode_in_batches(examples, options, [&](const ExamplePointers& batch) {
      std::vector<Pieces> texts;
      for (const Example* e : batch) {
        std::vector<int32_t> ids;
        for (const auto& u : e->context) ids.insert(ids.end(), u.begin(), u.end());
        texts.push_back(bert_->pieces.read(std::move(ids), bert_->max_length, Keep::kLast));
      }
      return mean_vectors(bert_->model(texts, options.layer), options.layer);
    });
  }

  Text read(const std::string& text, int64_t longest) const override {
    Pieces pieces = bert_->pieces.read(text, checked_length(longest, bert_->max_length, "pieces"));
    return {std::move(pieces.ids), pieces.left_out};
  }
  Tensor encode_texts(std::vector<Text> texts, const EncodeOptions& options) const override {
    std::vector<Pieces> pieces;
    for (Text& text : texts) {
      const size_t length = text.ids.size();
      pieces.push_back({std::move(text.ids), std::vector<int32_t>(length, 0)});
    }
    return pretrained::encode_texts(*bert_, pieces, static_cast<size_t>(options.batch),
                                    [&](size_t done, size_t) {
                                      if (options.progress)
                                        options.progress(static_cast<int64_t>(done), 0);
                                    });
  }

 private:
  std::shared_ptr<const Encoder> bert_;
};

LoadedSystem load_bert_system(const std::string& directory, const std::string& epoch) {
  if (epoch != "best") {
    throw UsageError(directory + ": was not trained here, and has no epoch but the best one");
  }
  const auto bert = std::make_shared<Encoder>(load_encoder(directory));
  const auto reader = std::make_shared<BertReader>(bert);
  // A text needs no history: a context may be one turn.
  const ExampleOptions all{
      .max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0, .min_turns = 2};
  const int64_t longest = bert->max_length - 2;  // beside [CLS] and [SEP]
  return {.module = {bert, &bert->model},
          .bounds = all,
          .encoder = reader,
          .ranker = std::make_shared<CosineRanker>(reader, all, nullptr, longest)};
}

}  // namespace

System bert_system() {
  return {.name = kBertSystem,
          .what = "a pretrained encoder",
          .can = {Capability::kRank, Capability::kEncode},
          .load = load_bert_system};
}

}  // namespace heed::pretrained
