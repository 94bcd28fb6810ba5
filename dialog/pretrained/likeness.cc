#include "dialog/pretrained/likeness.h"

namespace heed::pretrained {
namespace {

// The sum of the embeddings of a text's pieces: (hidden_size).
std::vector<double> summed_embeddings(const WordPiece& pieces, const Tensor& table,
                                      const std::string& text) {
  const int64_t width = table.shape()[1];
  std::vector<double> sum(static_cast<size_t>(width));
  for (const int32_t id : pieces.encode(text)) {
    const float* row = table.data<float>() + id * width;
    for (size_t d = 0; d < sum.size(); ++d) sum[d] += row[d];
  }
  return sum;
}

}  // namespace

double embedding_likeness(const Encoder& encoder, const std::vector<std::string>& texts,
                          const std::vector<std::string>& references) {
  if (texts.empty() || texts.size() != references.size()) {
    throw UsageError("likeness: expected as many texts as references, got " +
                     std::to_string(texts.size()) + " and " + std::to_string(references.size()));
  }
  const Tensor table = encoder.model.words.weight.value().to(Device{}).to(DType::f32);
  double squares = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto a = summed_embeddings(encoder.pieces, table, texts[i]),
               b = summed_embeddings(encoder.pieces, table, references[i]);
    for (size_t d = 0; d < a.size(); ++d) squares += (a[d] - b[d]) * (a[d] - b[d]);
  }
  return -squares / static_cast<double>(texts.size()) / static_cast<double>(table.shape()[1]);
}

}  // namespace heed::pretrained
