#include "dialog/discriminate/pretrained_words.h"

#include <algorithm>

#include "autograd/ops.h"
#include "base/error.h"

namespace heed::discriminate {

PretrainedWords::States PretrainedWords::operator()(const std::vector<int32_t>& tokens,
                                                    const Segments& segments) const {
  std::vector<pretrained::Pieces> texts;
  std::vector<int32_t> rows, begins, lengths;  // lengths: of each word in pieces
  int32_t row = 0;
  for (int64_t s = 0; s < segments.count(); ++s) {
    pretrained::Pieces text{{begin}, {0}};
    begins.push_back(row++);
    int32_t type = 0;
    for (int64_t t = segments.begin(s); t < segments.end(s); ++t) {
      type |= tokens[t] == kSos;
      for (const int32_t piece : pieces[tokens[t]]) {
        text.ids.push_back(piece);
        text.types.push_back(type);
        rows.push_back(row++);
      }
      lengths.push_back(static_cast<int32_t>(pieces[tokens[t]].size()));
    }
    texts.push_back(std::move(text));
  }
  const Device device = bert.device();
  const Var states = bert(texts).layers.back();
  return {
      segment_mean(gather_rows(states, Tensor::from(rows).to(device)), Segments(lengths, device)),
      gather_rows(states, Tensor::from(begins).to(device))};
}

PretrainedWords pretrained_words(pretrained::Encoder encoder, const Vocabulary& words,
                                 int64_t longest) {
  const pretrained::WordPiece& cutter = encoder.pieces;
  const int64_t room = (encoder.model.config().max_position_embeddings - 1) / longest;
  if (room < 1) {
    throw UsageError("the encoder has " +
                     std::to_string(encoder.model.config().max_position_embeddings) +
                     " positions, passages have up to " + std::to_string(longest) + " words");
  }
  const auto piece = [&](const char* name) { return cutter.encode(name); };
  PretrainedWords result{std::move(encoder.model), {}, piece("[CLS]").at(0)};
  for (int32_t id = 0; id < words.size(); ++id) {
    std::vector<int32_t> pieces = id == kEou            ? piece("[SEP]")
                                  : id == kSos          ? piece("[CLS]")
                                  : id < kSpecialTokens ? piece("[UNK]")
                                                        : cutter.encode(words.token(id));
    if (pieces.empty()) pieces = piece("[UNK]");
    pieces.resize(std::min<size_t>(pieces.size(), room));
    result.pieces.push_back(std::move(pieces));
  }
  return result;
}

}  // namespace heed::discriminate
