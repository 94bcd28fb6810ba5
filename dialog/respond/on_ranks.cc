#include "dialog/respond/on_ranks.h"

#include <algorithm>

#include "dialog/respond/taught_choices.h"

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

}  // namespace

// What share_out() finds by the kinds of its arguments. Scores go without `attention`, which is for
// looking at single dialogues.
static void put(BytesOut& out, const DialogueScore& s) {
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

static void get(BytesIn& in, DialogueScore& s) {
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
}

static void put(BytesOut& out, const Tokens& words) {
  out.put(words.size());
  for (const std::string& word : words) out.put_text(word);
}

static void get(BytesIn& in, Tokens& words) {
  words.resize(in.get<size_t>());
  for (std::string& word : words) word = in.get_text();
}

static void put(BytesOut& out, int64_t value) {
  out.put(value);
}

static void get(BytesIn& in, int64_t& value) {
  value = in.get<int64_t>();
}

// Of a part as if it were the whole.
template <class Progress>
static auto scaled(const std::function<void(const Progress&)>& progress, const Ranks& ranks,
                   size_t count) {
  return [&progress, &ranks, count](const Progress& done) {
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
