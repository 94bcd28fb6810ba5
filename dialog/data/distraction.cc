#include "dialog/data/distraction.h"

#include <charconv>

#include "base/error.h"

namespace heed {
namespace {

constexpr int kRandomUtterances = 2;
constexpr int kMaxDraws = 10000;
constexpr std::string_view kPlaces[] = {"begin", "middle",
                                        "end"};  // in the order of TestSet::Place

void insert_phrases(Example& example, TestSet::Place place, const std::vector<Utterance>& phrases) {
  const size_t history = example.context.size() - 1;
  size_t at = place == TestSet::Place::kBegin    ? 0
              : place == TestSet::Place::kMiddle ? history / 2
                                                 : history;
  for (const Utterance& phrase : phrases) insert_utterance(example, at++, phrase);
}

[[noreturn]] void fail_test_set(std::string_view name) {
  std::string valid = "none";
  for (std::string_view known : kTestSets) valid += ", " + std::string(known);
  throw UsageError("unknown test set \"" + std::string(name) + "\"; there are " + valid +
                   " and random:P for any P from 0 to 1");
}

double parse_probability(std::string_view text, std::string_view name) {
  double p = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), p);
  // not (p >= 0 && p <= 1) is also true of a nan
  if (error != std::errc() || end != text.data() + text.size() || !(p >= 0 && p <= 1)) {
    fail_test_set(name);
  }
  return p;
}

TestSet::Place parse_place(std::string_view text, std::string_view name) {
  for (int i = 0; i < 3; ++i) {
    if (text == kPlaces[i]) return static_cast<TestSet::Place>(i);
  }
  fail_test_set(name);
}

}  // namespace

void put(BytesOut& out, const PoolUtterance& utterance) {
  out.put_text(utterance.dialogue_id);
  out.put_list(utterance.said.tokens);
  put_words(out, utterance.said.unknown);
}

void get(BytesIn& in, PoolUtterance& utterance) {
  utterance.dialogue_id = in.get_text();
  utterance.said.tokens = in.get_list<int32_t>();
  utterance.said.unknown = get_words(in);
}

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
  TestSet set;
  set.name = name;
  if (name == "none") return set;
  const size_t colon = name.find(':');
  if (colon == name.npos) fail_test_set(name);
  const std::string_view kind = name.substr(0, colon), detail = name.substr(colon + 1);
  if (kind == "random") {
    set.kind = TestSet::Kind::kRandom;
    set.p = parse_probability(detail, name);
  } else if (kind == "frequent" || kind == "rare") {
    set.kind = kind == "rare" ? TestSet::Kind::kRare : TestSet::Kind::kFrequent;
    set.place = parse_place(detail, name);
  } else {
    fail_test_set(name);
  }
  return set;
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
