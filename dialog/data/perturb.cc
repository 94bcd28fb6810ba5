#include "dialog/data/perturb.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/error.h"
#include "base/list.h"
#include "dialog/text/tokenizer.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

constexpr double kDropProbability = 0.3;

void keep_last(Texts& context, size_t turns) {
  if (context.size() <= turns) return;
  context.erase(context.begin(), context.end() - static_cast<ptrdiff_t>(turns));
}

// Leaves out each of the first `among` with the probability; where nothing would be left, the
// first stays.
template <class T> void drop(std::vector<T>& of, size_t among, Rng& rng) {
  std::vector<T> kept;
  for (size_t i = 0; i < of.size(); ++i) {
    if (i >= among || rng.uniform() >= kDropProbability) kept.push_back(of[i]);
  }
  if (kept.empty() && !of.empty()) kept.push_back(of[0]);
  of = std::move(kept);
}

template <class Change> void change_words(Texts& context, const Change& change) {
  for (std::string& utterance : context) {
    Texts words = tokenize(utterance);
    change(words);
    utterance = joined(words, " ");
  }
}

// Of contexts that have an utterance. N is the number `turns`.
const std::pair<std::string_view, void (*)(Texts&, size_t turns, Rng&)> kChanges[] = {
    {"turns:N", [](Texts& context, size_t turns, Rng&) { keep_last(context, turns); }},
    {"turns:N-shuffled",
     [](Texts& context, size_t turns, Rng& rng) {
       keep_last(context, turns);
       std::span before_query(context.begin(), context.end() - 1);
       rng.shuffle(before_query);
     }},
    {"whole", [](Texts&, size_t, Rng&) {}},
    {"turns-shuffled", [](Texts& context, size_t, Rng& rng) { rng.shuffle(context); }},
    {"turns-reversed",
     [](Texts& context, size_t, Rng&) { std::reverse(context.begin(), context.end()); }},
    {"turns-dropped",
     [](Texts& context, size_t, Rng& rng) { drop(context, context.size() - 1, rng); }},
    {"first-dropped",
     [](Texts& context, size_t, Rng&) {
       if (context.size() > 1) context.erase(context.begin());
     }},
    {"last-dropped",
     [](Texts& context, size_t, Rng&) {
       if (context.size() > 1) context.pop_back();
     }},
    {"words-shuffled",
     [](Texts& context, size_t, Rng& rng) {
       change_words(context, [&](Texts& words) { rng.shuffle(words); });
     }},
    {"words-reversed",
     [](Texts& context, size_t, Rng&) {
       change_words(context, [](Texts& words) { std::reverse(words.begin(), words.end()); });
     }},
    {"words-dropped", [](Texts& context, size_t, Rng& rng) {
       change_words(context, [&](Texts& words) { drop(words, words.size(), rng); });
     }}};

}  // namespace

Perturbation parse_perturbation(std::string_view name) {
  constexpr std::string_view kTurns = "turns:";
  std::string form(name);  // with N for the number
  size_t turns = 0;
  if (name.starts_with(kTurns)) {
    const char* const number = name.data() + kTurns.size();
    const char* const end = std::from_chars(number, name.data() + name.size(), turns).ptr;
    if (turns > 0) form.replace(kTurns.size(), static_cast<size_t>(end - number), "N");
  }
  for (const auto& [known, change] : kChanges) {
    const bool has_number = known.starts_with(kTurns);
    if (form == known && has_number == (turns > 0)) return {std::string(name), turns, change};
  }
  throw UsageError("expected one of " +
                   joined(kChanges, ", ", [](const auto& known) { return known.first; }) +
                   ", got '" + std::string(name) + "'");
}

void cut(Texts& context, int turns, int words) {
  if (turns > 0) keep_last(context, static_cast<size_t>(turns));
  for (std::string& text : context) {
    Texts tokens = tokenize(text);
    if (words == 0 || std::ssize(tokens) <= words) continue;
    tokens.resize(static_cast<size_t>(words));
    text = joined(tokens, " ");
  }
}

Texts perturb(Texts context, const Perturbation& how, Rng& rng) {
  if (!context.empty()) how.change(context, how.turns, rng);
  return context;
}

}  // namespace heed
