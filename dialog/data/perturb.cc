#include "dialog/data/perturb.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/error.h"
#include "base/list.h"
#include "dialog/text/tokenizer.h"

namespace heed {
namespace {

using Kind = Perturbation::Kind;

constexpr std::pair<const char*, Kind> kNames[] = {{"whole", Kind::kWhole},
                                                   {"turns-shuffled", Kind::kShuffled},
                                                   {"turns-reversed", Kind::kReversed},
                                                   {"turns-dropped", Kind::kDropped},
                                                   {"first-dropped", Kind::kFirst},
                                                   {"last-dropped", Kind::kLast},
                                                   {"words-shuffled", Kind::kWordsShuffled},
                                                   {"words-reversed", Kind::kWordsReversed},
                                                   {"words-dropped", Kind::kWordsDropped}};

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

std::string with_words(const std::string& text, Kind kind, Rng& rng) {
  std::vector<std::string> words = tokenize(text);
  if (kind == Kind::kWordsShuffled) rng.shuffle(words);
  if (kind == Kind::kWordsReversed) std::reverse(words.begin(), words.end());
  if (kind == Kind::kWordsDropped) drop(words, words.size(), rng);
  return joined(words, " ");
}

}  // namespace

Perturbation parse_perturbation(std::string_view name) {
  for (const auto& [known, kind] : kNames) {
    if (name == known) return {kind, 0, std::string(name)};
  }
  if (name.starts_with("turns:")) {
    size_t turns = 0;
    const char* const end = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data() + 6, end, turns);
    const std::string_view rest(at, static_cast<size_t>(end - at));
    if (error == std::errc() && turns > 0 && (rest.empty() || rest == "-shuffled")) {
      return {rest.empty() ? Kind::kTurns : Kind::kTurnsShuffled, turns, std::string(name)};
    }
  }
  std::string names = "turns:N, turns:N-shuffled";
  for (const auto& [known, kind] : kNames) names += std::string(", ") + known;
  throw UsageError("expected one of " + names + ", got '" + std::string(name) + "'");
}

void cut(std::vector<std::string>& context, int turns, int words) {
  const auto most = static_cast<ptrdiff_t>(turns);
  if (most > 0 && std::ssize(context) > most) context.erase(context.begin(), context.end() - most);
  for (std::string& text : context) {
    std::vector<std::string> tokens = tokenize(text);
    if (words == 0 || std::ssize(tokens) <= words) continue;
    tokens.resize(static_cast<size_t>(words));
    text = joined(tokens, " ");
  }
}

std::vector<std::string> perturb(std::vector<std::string> context, const Perturbation& how,
                                 Rng& rng) {
  if (context.empty()) return context;
  switch (how.kind) {
    case Kind::kWhole: break;
    case Kind::kTurns:
    case Kind::kTurnsShuffled:
      if (context.size() > how.turns) {
        context.erase(context.begin(), context.end() - static_cast<std::ptrdiff_t>(how.turns));
      }
      if (how.kind == Kind::kTurnsShuffled) {
        std::span before_query(context.begin(), context.end() - 1);
        rng.shuffle(before_query);
      }
      break;
    case Kind::kShuffled: rng.shuffle(context); break;
    case Kind::kReversed: std::reverse(context.begin(), context.end()); break;
    case Kind::kDropped: drop(context, context.size() - 1, rng); break;
    case Kind::kFirst:
      if (context.size() > 1) context.erase(context.begin());
      break;
    case Kind::kLast:
      if (context.size() > 1) context.pop_back();
      break;
    case Kind::kWordsShuffled:
    case Kind::kWordsReversed:
    case Kind::kWordsDropped:
      for (std::string& utterance : context) utterance = with_words(utterance, how.kind, rng);
      break;
  }
  return context;
}

}  // namespace heed
