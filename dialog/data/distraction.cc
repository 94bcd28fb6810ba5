#include "dialog/data/distraction.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/list.h"
#include "base/number.h"

namespace heed {
namespace {

constexpr int kRandomUtterances = 2;
constexpr int kMaxDraws = 10000;
// In the order of TestSet::Place.
constexpr std::string_view kPlaces[] = {"begin", "middle", "end"};

void insert_phrases(Example& example, TestSet::Place place, const std::vector<Utterance>& phrases) {
  const size_t history = example.context.size() - 1;
  size_t at = place == TestSet::Place::kBegin    ? 0
              : place == TestSet::Place::kMiddle ? history / 2
                                                 : history;
  for (const Utterance& phrase : phrases) insert_utterance(example, at++, phrase);
}

// The shortest text with a point: "0.5", "1.0".
std::string probability_text(double p) {
  char text[400];
  const auto end = std::to_chars(text, std::end(text), std::fabs(p), std::chars_format::fixed).ptr;
  const std::string shortest(text, end);
  return shortest + (shortest.find('.') == shortest.npos ? ".0" : "");
}

}  // namespace

Pool make_pool(const std::vector<Dialogue>& dialogues, const Vocabulary& vocabulary,
               int max_tokens) {
  Pool pool;
  for (const Dialogue& dialogue : dialogues) {
    for (const Turn& turn : dialogue.turns) {
      Utterance said = read_utterance(turn.text, vocabulary, max_tokens);
      if (!is_wordless(said)) pool.push_back({dialogue.id, std::move(said)});
    }
  }
  return pool;
}

PoolUtterance draw_foreign(const Pool& pool, const std::string& own_dialogue, Rng& rng) {
  for (int i = 0; i < kMaxDraws && !pool.empty(); ++i) {
    PoolUtterance utterance = pool[rng.below(pool.size())];
    if (utterance.dialogue_id != own_dialogue) return utterance;
  }
  throw DataError(
      "distractions: no utterance of another dialogue than " + own_dialogue + " among the " +
      std::to_string(pool.size()) +
      " to draw from; give more dialogues to draw from, or test sets without random ones");
}

static void check_probability(double p) {
  if (p >= 0 && p <= 1) return;  // of a nan neither is true
  throw UsageError("distractions: the probability must be 0 to 1, got " + std::to_string(p));
}

Example insert_random(Example example, const Pool& pool, double p, Rng& rng) {
  check_probability(p);
  for (int i = 0; i < kRandomUtterances; ++i) {
    if (rng.uniform() >= p) continue;
    const PoolUtterance utterance = draw_foreign(pool, example.dialogue_id, rng);
    insert_utterance(example, rng.below(example.context.size()), utterance.said);
  }
  return example;
}

Example flag_own(Example example, double p, Rng& rng) {
  check_probability(p);
  std::vector<size_t> places;
  for (size_t k = 0; k + 1 < example.context.size(); ++k) {  // the query is none
    if (!example.distraction[k]) places.push_back(k);
  }
  for (int i = 0; i < kRandomUtterances && !places.empty(); ++i) {
    const auto place = places.begin() + static_cast<ptrdiff_t>(rng.below(places.size()));
    if (rng.uniform() < p) {
      example.distraction[*place] = 1;
      places.erase(place);
    }
  }
  return example;
}

Phrases encode_phrases(const PhraseText& text, const Vocabulary& vocabulary, int max_tokens) {
  Phrases phrases;
  for (const std::string& phrase : text.frequent) {
    phrases.frequent.push_back(read_utterance(phrase, vocabulary, max_tokens));
  }
  for (const std::string& phrase : text.rare) {
    phrases.rare.push_back(read_utterance(phrase, vocabulary, max_tokens));
  }
  return phrases;
}

TestSet parse_test_set(std::string_view name) {
  if (name == "none") return {};
  const size_t end = std::min(name.find(':'), name.size());
  const std::string_view kind = name.substr(0, end),
                         detail = name.substr(std::min(end + 1, name.size()));
  const auto place = std::find(std::begin(kPlaces), std::end(kPlaces), detail);
  if ((kind == "frequent" || kind == "rare") && place != std::end(kPlaces)) {
    return {.kind = kind == "rare" ? TestSet::Kind::kRare : TestSet::Kind::kFrequent,
            .place = static_cast<TestSet::Place>(place - std::begin(kPlaces)),
            .name = std::string(name)};
  }
  const auto p = number_in<double>(detail);
  if (kind == "random" && p && *p >= 0 && *p <= 1) {
    return {.kind = TestSet::Kind::kRandom, .p = *p, .name = "random:" + probability_text(*p)};
  }
  throw UsageError("unknown test set \"" + std::string(name) + "\"; there are none, " +
                   joined(kTestSets) + " and random:P for any P from 0 to 1");
}

Example apply(const TestSet& set, Example example, const Pool& pool, const Phrases& phrases,
              Rng& rng) {
  switch (set.kind) {
    case TestSet::Kind::kNone: break;
    case TestSet::Kind::kRandom: return insert_random(std::move(example), pool, set.p, rng);
    case TestSet::Kind::kFrequent: insert_phrases(example, set.place, phrases.frequent); break;
    case TestSet::Kind::kRare: insert_phrases(example, set.place, phrases.rare); break;
  }
  return example;
}

}  // namespace heed
