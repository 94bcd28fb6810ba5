#include "dialog/respond/share_scores.h"

#include <algorithm>
#include <utility>

#include "train/bytes.h"
#include "train/task.h"

namespace heed {
namespace {

void put_optional(BytesOut& out, const std::optional<double>& value) {
  out.put(value.has_value());
  out.put(value.value_or(0));
}

std::optional<double> get_optional(BytesIn& in) {
  const bool has_value = in.get<bool>();
  const auto value = in.get<double>();
  return has_value ? std::optional(value) : std::nullopt;
}

// Without `attention`, which is for looking at single dialogues.
void put_score(BytesOut& out, const DialogueScore& s) {
  out.put_text(s.id);
  out.put_list(s.nll);
  out.put_list(s.attention_loss);
  out.put_list(s.as_scores);
  out.put_list(s.distraction);
  put_optional(out, s.das_ratio);
  out.put(s.characters);
  out.put(s.heads.size());
  for (const HeadMeans& head : s.heads) {
    out.put(head.layer);
    out.put(head.head);
    put_optional(out, head.means.distraction);
    put_optional(out, head.means.history);
  }
}

DialogueScore get_score(BytesIn& in) {
  DialogueScore s;
  s.id = in.get_text();
  s.nll = in.get_list<double>();
  s.attention_loss = in.get_list<double>();
  s.as_scores = in.get_list<double>();
  s.distraction = in.get_list<char>();
  s.das_ratio = get_optional(in);
  s.characters = in.get<Example::Characters>();
  for (auto left = in.get<size_t>(); left > 0; --left) {
    HeadMeans& head = s.heads.emplace_back();
    head.layer = in.get<int>();
    head.head = in.get<int>();
    head.means.distraction = get_optional(in);
    head.means.history = get_optional(in);
  }
  return s;
}

// This rank's scores; nothing where the progress wants to stop.
std::optional<std::string> score_own(const Ranks& ranks, Responder& model,
                                     const std::vector<Example>& examples, int64_t batch_size,
                                     const std::function<void(const ScoreProgress&)>& progress) {
  std::vector<Example> own;
  const auto size = static_cast<size_t>(ranks.size());
  for (auto i = static_cast<size_t>(ranks.rank()); i < examples.size(); i += size) {
    own.push_back(examples[i]);
  }
  const auto scaled = [&](const ScoreProgress& done) {
    if (!progress) return;
    progress(
        {std::min(done.examples * ranks.size(), std::ssize(examples)), done.tokens * ranks.size()});
  };
  BytesOut out;
  try {
    for (const DialogueScore& s : score(model, own, batch_size, scaled)) put_score(out, s);
  } catch (const StopValidation&) {
    return std::nullopt;
  }
  return std::string(out.bytes());
}

}  // namespace

std::vector<DialogueScore> score_on_ranks(
    Ranks& ranks, Responder& model, const std::vector<Example>& examples, int64_t batch_size,
    const std::function<void(const ScoreProgress&)>& progress) {
  if (ranks.size() == 1) return score(model, examples, batch_size, progress);
  const std::optional<std::string> own = score_own(ranks, model, examples, batch_size, progress);
  if (ranks.any(!own) != 0) throw StopValidation{};
  const std::vector<std::string> blocks = ranks.gather(*own);
  std::vector<BytesIn> scores(blocks.begin(), blocks.end());
  std::vector<DialogueScore> all;
  for (size_t i = 0; i < examples.size(); ++i) all.push_back(get_score(scores[i % scores.size()]));
  return all;
}

}  // namespace heed
