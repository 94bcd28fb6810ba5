#include "dialog/respond/on_ranks.h"

#include <algorithm>

#include "dialog/respond/taught_choices.h"

namespace heed {
// What share_out() finds by the kinds of its arguments. Scores go without `attention`, which is for
// looking at single dialogues.
static void each_member(auto& bytes, HeadMeans& head) {
  bytes(head.layer, head.head, head.means.distraction, head.means.history);
}
static void each_member(auto& bytes, DialogueScore& s) {
  bytes(s.id, s.nll, s.attention_loss, s.as_scores, s.distraction, s.das_ratio, s.characters,
        s.heads);
}

// Of a part as if it were the whole.
static auto scaled(const std::function<void(const ScoreProgress&)>& progress, const Ranks& ranks,
                   size_t count) {
  return [&progress, &ranks, count](const ScoreProgress& done) {
    if (!progress) return;
    progress({std::min(done.examples * ranks.size(), static_cast<int64_t>(count)),
              done.tokens * ranks.size()});
  };
}

std::vector<DialogueScore> score_on_ranks(
    Ranks& ranks, Responder& model, const std::vector<Example>& part, size_t count,
    int64_t batch_size, const std::function<void(const ScoreProgress&)>& progress) {
  return share_out<DialogueScore>(
      ranks, count, [&] { return score(model, part, batch_size, scaled(progress, ranks, count)); });
}

std::vector<int64_t> taught_right_on_ranks(Ranks& ranks, Responder& model,
                                           const std::vector<Example>& part, size_t count,
                                           int64_t batch_size) {
  return share_out<int64_t>(ranks, count, [&] { return taught_right(model, part, batch_size); });
}

std::vector<Tokens> respond_on_ranks(Ranks& ranks, Responder& model,
                                     const std::vector<Example>& part, size_t count,
                                     const Vocabulary& vocabulary, const DecodeOptions& options,
                                     int64_t batch_size,
                                     const std::function<void(const RespondProgress&)>& progress) {
  return share_out<Tokens>(ranks, count, [&] {
    return respond(model, part, vocabulary, options, batch_size, scaled(progress, ranks, count));
  });
}

}  // namespace heed
