#include "dialog/parts/encoder.h"

#include "dialog/parts/batch.h"

namespace heed {

Tensor encode_in_batches(const std::vector<Example>& examples, const EncodeOptions& options,
                         const std::function<Var(const ExamplePointers& batch)>& vectors) {
  const NoGrad guard;
  Tensor all;
  int64_t done = 0, tokens = 0;
  for (const auto& [places, batch] : batches_by_length(examples, options.batch)) {
    for (const Example* e : batch) tokens += example_tokens(*e);
    const Tensor x = vectors(batch).value().to(Device()).to(DType::f32);
    if (!all.defined()) {
      all = Tensor::empty({static_cast<int64_t>(examples.size()), x.shape()[1]});
    }
    for (size_t b = 0; b < places.size(); ++b) {
      all[places[b]].copy_from(x[static_cast<int64_t>(b)]);
    }
    done += static_cast<int64_t>(places.size());
    if (options.progress) options.progress(done, tokens);
  }
  return all;
}

ContextEncoder::Text ContextEncoder::read(const std::string& text, int64_t longest) const {
  Text read{numbers(text)};
  const auto most = static_cast<size_t>(longest);
  if (longest > 0 && read.ids.size() > most) {
    read.left_out = read.ids.size() - most;
    read.ids.resize(most);
  }
  return read;
}

int64_t ContextEncoder::checked_length(int64_t longest, int64_t most, const char* units) {
  if (longest <= most) return longest > 0 ? longest : most;
  throw UsageError("--max-pieces: the model reads texts of up to " + std::to_string(most) + " " +
                   units);
}

Tensor ContextEncoder::encode_texts(std::vector<Text> texts, const EncodeOptions& options) const {
  std::vector<Example> examples(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    examples[i].context = {std::move(texts[i].ids)};
    examples[i].distraction = {0};
  }
  return encode(examples, options);
}

namespace {

class EncoderOfFunctions : public ContextEncoder {
 public:
  std::function<std::vector<int32_t>(const std::string&)> numbers_of;
  std::function<Var(const ExamplePointers&)> vectors;
  int64_t d = 0;

  int64_t width() const override { return d; }
  std::vector<int32_t> numbers(const std::string& utterance) const override {
    return numbers_of(utterance);
  }
  Tensor encode(const std::vector<Example>& examples, const EncodeOptions& options) const override {
    return encode_in_batches(examples, options, vectors);
  }
};

}  // namespace

std::shared_ptr<const ContextEncoder> make_encoder(
    int64_t width, std::function<std::vector<int32_t>(const std::string&)> numbers,
    std::function<Var(const ExamplePointers&)> vectors) {
  const auto encoder = std::make_shared<EncoderOfFunctions>();
  encoder->numbers_of = std::move(numbers);
  encoder->vectors = std::move(vectors);
  encoder->d = width;
  return encoder;
}

}  // namespace heed
