#include "dialog/parts/vector_ranker.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "dialog/text/format.h"

namespace heed {

// 0 to n - 1, all of them.
static bool in_order(const std::vector<int32_t>& ids, int64_t n) {
  int32_t next = 0;
  return std::ssize(ids) == n &&
         std::all_of(ids.begin(), ids.end(), [&](int32_t id) { return id == next++; });
}

VectorRanker::Scores VectorRanker::score(const std::vector<std::string>& texts,
                                         const std::vector<RankQuery>& queries, int64_t batch,
                                         const OnTexts& progress) const {
  Contexts asked;
  for (const RankQuery& query : queries) asked.push_back(query.context);
  const size_t of = texts.size() + queries.size();
  const auto from = [&](size_t before) -> OnTexts {
    if (!progress) return {};
    return [&progress, before, of](size_t done, size_t) { progress(before + done, of); };
  };
  if (texts != texts_.asked) {
    size_t cut = 0;
    const Tensor vectors = responses(texts, batch, from(0), &cut);
    texts_ = {texts, vectors, cut};
  }
  if (asked != contexts_.asked) {
    size_t cut = 0;
    const Tensor vectors = contexts(asked, batch, from(texts.size()), &cut);
    contexts_ = {std::move(asked), vectors, cut};
  }
  const size_t cut = texts_.cut + contexts_.cut;
  const Tensor pool = texts_.vectors, rows = contexts_.vectors;
  const NoGrad guard;
  Scores scores{std::vector<std::vector<double>>(queries.size())};
  for (size_t i = 0; i < queries.size(); ++i) {
    const std::vector<int32_t>& candidates = queries[i].candidates;
    if (candidates.empty()) continue;
    const auto row = static_cast<int64_t>(i);
    const Var query(rows.rows(row, row + 1)), all(pool);
    const Var memory = in_order(candidates, pool.shape()[0])
                           ? all  // not copied: there may be a million
                           : gather_rows(all, Tensor::from(candidates));
    const Segments segments({static_cast<int32_t>(candidates.size())});
    scores.of_queries[i] = segment_scores(query, memory, segments).value().to_vector();
  }
  if (cut > 0) {
    scores.remark = counted(cut, "text") +
                    " cut: of a context the last words or pieces are kept, of a response the first";
  }
  return scores;
}

std::vector<VectorRanker::Look> looks_of(const Ranker& ranker,
                                         const VectorRanker::Contexts& contexts) {
  const auto* of_vectors = dynamic_cast<const VectorRanker*>(&ranker);
  return of_vectors ? of_vectors->looks(contexts) : std::vector<VectorRanker::Look>();
}

// Rows of the length 1; one of zeros stays.
static Tensor unit_rows(const Tensor& x) {
  const int64_t width = x.shape()[1];
  for (int64_t i = 0; i < x.shape()[0]; ++i) {
    float* row = x.data<float>() + i * width;
    const double length = std::sqrt(std::inner_product(row, row + width, row, 0.0));
    if (length == 0) continue;
    for (int64_t k = 0; k < width; ++k) row[k] = static_cast<float>(row[k] / length);
  }
  return x;
}

static EncodeOptions options_of(int64_t batch, size_t of, const VectorRanker::OnTexts& progress) {
  EncodeOptions options{.batch = batch};
  if (progress) {
    options.progress = [=](int64_t done, int64_t) { progress(static_cast<size_t>(done), of); };
  }
  return options;
}

Tensor CosineRanker::contexts(const Contexts& contexts, int64_t batch, const OnTexts& progress,
                              size_t* cut) const {
  std::vector<Example> examples;
  for (const std::vector<std::string>& utterances : contexts) {
    Example& example = examples.emplace_back();
    const auto all = utterances.size(), most = static_cast<size_t>(bounds_.max_turns);
    size_t tokens = 0;
    for (size_t i = most > 0 && all > most ? all - most : 0; i < all; ++i) {
      std::vector<int32_t>& ids = example.context.emplace_back(encoder_->numbers(utterances[i]));
      const int bound = bounds_.max_utterance_tokens;
      if (bound > 0) ids.resize(words_->end_of_word(ids, bound));
      tokens += ids.size();
    }
    keep_last_words(example.context, bounds_.max_context_tokens, *words_);
    example.distraction.assign(example.context.size(), 0);
    size_t left = 0;
    for (const std::vector<int32_t>& ids : example.context) left += ids.size();
    const bool too_many = longest_ > 0 && static_cast<int64_t>(left) > longest_;
    if (cut) *cut += too_many || left < tokens || example.context.size() < all;
  }
  return unit_rows(encoder_->encode(examples, options_of(batch, examples.size(), progress)));
}

Tensor CosineRanker::responses(const std::vector<std::string>& texts, int64_t batch,
                               const OnTexts& progress, size_t* cut) const {
  std::vector<ContextEncoder::Text> read;
  for (const std::string& text : texts) {
    ContextEncoder::Text& response = read.emplace_back(encoder_->read(text));
    const size_t all = response.ids.size();
    const int bound = bounds_.max_response_tokens;
    if (bound > 0) response.ids.resize(words_->end_of_word(response.ids, bound));
    if (cut) *cut += response.left_out > 0 || response.ids.size() < all;
  }
  return unit_rows(
      encoder_->encode_texts(std::move(read), options_of(batch, texts.size(), progress)));
}

std::vector<double> attention_scores(const VectorRanker::Look& look) {
  size_t rows = 0;
  for (const std::vector<double>& utterance : look) rows += utterance.size();
  std::vector<double> scores;
  for (const std::vector<double>& utterance : look) {
    const double sum = std::accumulate(utterance.begin(), utterance.end(), 0.0);
    scores.push_back(static_cast<double>(rows) * sum / static_cast<double>(utterance.size()));
  }
  return scores;
}

}  // namespace heed
