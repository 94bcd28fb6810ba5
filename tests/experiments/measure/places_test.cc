// What an utterance does at every place of a history, against scores of contexts that are written
// out by hand.
#include "experiments/measure/places.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "dialog/respond/das.h"
#include "dialog/respond/structures.h"
#include "tests/dialog/respond/model_helpers.h"

namespace heed {
namespace {

using Context = std::vector<std::vector<int32_t>>;
constexpr size_t kOwn = 0, kDuplicate = 1, kNearest = 2, kMatched = 3, kForeign = 4;

Example example_of(const std::string& dialogue, Context context) {
  Example e;
  e.id = e.dialogue_id = dialogue;
  e.distraction.resize(context.size());
  e.context = std::move(context);
  e.response = {6, 9, 7};
  return e;
}

DialogueScore score_of(Responder& model, Context context, size_t distraction) {
  Example e = example_of("", std::move(context));
  if (distraction < e.context.size()) e.distraction[distraction] = 1;
  return score(model, {e}, 1)[0];
}

double nll_of(const DialogueScore& score) {
  return std::accumulate(score.nll.begin(), score.nll.end(), 0.0);
}

// Of histories of 2, 1 (too short), 3 and 4 utterances, the first of which is the own one.
const std::vector<Example> kExamples = {example_of("a", {{5, 1, 1}, {7, 8}, {9, 10}, {11}}),
                                        example_of("b", {{5}, {7, 8}, {9}}),
                                        example_of("c", {{12}, {7, 8}, {9, 10, 11}, {5, 5}, {6}}),
                                        example_of("d", {{13, 14}, {10}, {9}, {8}, {7}, {6}})};
// The nearest one to "a" has its rare words, 7 and 8, and not its frequent ones; the one matched
// with its own utterance is a word longer, but has as many <unk>.
const std::vector<int32_t> kOwnWords = {5, 1, 1}, kNearestWords = {7, 8},
                           kMatchedWords = {1, 1, 13, 14}, kFrequentWords = {9, 10, 11},
                           kOtherWords = {9, 10, 11, 13, 13, 13, 13};
const Pool kPool = std::vector<PoolUtterance>{{"a", {{7, 8, 9, 10}, {}}}, {"x", kNearestWords},
                                              {"y", kMatchedWords},       {"z", kFrequentWords},
                                              {"w", kOtherWords},         {"w", kOtherWords}};

TEST(Places, AreWhatEachInsertionChanges) {
  for (const char* structure : {"static-ui", "non-hier"}) {
    const auto model = drawn_model(structure);
    const auto found = insert_everywhere(*model, kExamples, kPool, 3, 50);
    const auto together = insert_everywhere(*model, kExamples, kPool, 64, 50);
    for (size_t s = 0; s < kSources.size(); ++s) {
      ASSERT_EQ(found[s].size(), 3u);  // "b" has too short a history
      for (size_t b = 0; b < 3; ++b) {
        const size_t i = std::array<size_t, 3>{0, 2, 3}[b];
        EXPECT_EQ(found[s][b].example, i);
        ASSERT_EQ(found[s][b].added.size(), kExamples[i].context.size() - 1) << s;
        for (size_t place = 0; place < found[s][b].added.size(); ++place) {
          EXPECT_NEAR(found[s][b].added[place], together[s][b].added[place], 1e-12);
        }
      }
    }
    // What is inserted into "a" is known but for the duplicate and the foreign one.
    const Context rest = {{7, 8}, {9, 10}, {11}};
    const double before = nll_of(score_of(*model, rest, 9));
    const std::vector<std::pair<size_t, std::vector<int32_t>>> known = {
        {kOwn, kOwnWords}, {kNearest, kNearestWords}, {kMatched, kMatchedWords}};
    for (const auto& [source, utterance] : known) {
      for (size_t place = 0; place < 3; ++place) {
        Context context = rest;
        context.insert(context.begin() + static_cast<ptrdiff_t>(place), utterance);
        const DialogueScore after = score_of(*model, context, place);
        const AtPlaces& at = found[source][0];
        EXPECT_NEAR(at.added[place], nll_of(after) - before, 1e-12) << structure << source << place;
        EXPECT_NEAR(at.looks[place], after.as_scores[place], 1e-12);
        const double history = after.as_scores[place == 0 ? 1 : 0] +
                               after.as_scores[place == 2 ? 1 : 2];  // of the two others
        EXPECT_NEAR(at.history_looks[place], history / 2, 1e-12);
        EXPECT_NE(at.added[place], 0);
      }
    }
  }
}

// An own utterance at its own place restores the dialogue.
TEST(Places, TheOwnUtteranceFirstIsTheDialogueAsItWas) {
  const auto model = drawn_model("dynamic");
  const auto found = insert_everywhere(*model, kExamples, kPool, 8, 50);
  for (const AtPlaces& at : found[kOwn]) {
    const Context& whole = kExamples[at.example].context;
    const Context rest(whole.begin() + 1, whole.end());
    EXPECT_NEAR(at.added[0], nll_of(score_of(*model, whole, 0)) - nll_of(score_of(*model, rest, 9)),
                1e-12);
  }
}

// A duplicate is one of the history's, never the query or the own one; a foreign one is another
// dialogue's.
TEST(Places, DrawsAreOfTheirSource) {
  const auto model = drawn_model("dynamic");
  const Context rest = {{7, 8}, {9, 10}, {11}};
  const auto at_first = [&](const std::vector<int32_t>& utterance) {
    Context context = rest;
    context.insert(context.begin(), utterance);
    return score_of(*model, context, 0).as_scores[0];
  };
  std::set<size_t> duplicates, foreign;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const auto found = insert_everywhere(*model, kExamples, kPool, 8, 50, seed);
    const auto add = [](double look, std::vector<double> known, std::set<size_t>& which) {
      size_t matches = 0;
      for (size_t k = 0; k < known.size(); ++k) {
        if (std::abs(look - known[k]) < 1e-12) which.insert(k), ++matches;
      }
      EXPECT_EQ(matches, 1u);
    };
    add(found[kDuplicate][0].looks[0], {at_first({7, 8}), at_first({9, 10})}, duplicates);
    add(found[kForeign][0].looks[0],
        {at_first(kNearestWords), at_first(kMatchedWords), at_first(kFrequentWords),
         at_first(kOtherWords)},
        foreign);
  }
  EXPECT_EQ(duplicates.size(), 2u);
  EXPECT_GE(foreign.size(), 3u);
}

// A mark in the dialogue as it was is none: only the inserted utterance is the distraction.
TEST(Places, OnlyWhatIsInsertedIsADistraction) {
  const auto model = drawn_model("dynamic");
  std::vector<Example> marked = kExamples;
  for (Example& e : marked) e.distraction[1] = 1;
  const auto with = insert_everywhere(*model, marked, kPool, 8, 50),
             without = insert_everywhere(*model, kExamples, kPool, 8, 50);
  for (size_t s = 0; s < kSources.size(); ++s) {
    for (size_t b = 0; b < without[s].size(); ++b) {
      EXPECT_EQ(with[s][b].looks, without[s][b].looks) << s;
      EXPECT_EQ(with[s][b].history_looks, without[s][b].history_looks) << s;
    }
  }
}

// The draws are an example's, by its index, whatever other examples have too short a history.
TEST(Places, DrawsDependOnTheIndexAlone) {
  const auto model = drawn_model("dynamic");
  std::vector<Example> longer = kExamples;
  longer[1] = kExamples[0];  // in place of the one with too short a history
  const auto all = insert_everywhere(*model, longer, kPool, 8, 50),
             some = insert_everywhere(*model, kExamples, kPool, 8, 50);
  for (size_t s = 0; s < kSources.size(); ++s) {
    ASSERT_EQ(all[s].size(), 4u);
    for (size_t b = 1; b < 3; ++b) {
      ASSERT_EQ(all[s][b + 1].example, some[s][b].example);
      for (size_t place = 0; place < some[s][b].looks.size(); ++place) {
        EXPECT_NEAR(all[s][b + 1].looks[place], some[s][b].looks[place], 1e-12) << s << b;
      }
    }
  }
}

// The nearest one is like the rest of the context: neither like the own utterance, which is not in
// it any more, nor in having <unk>.
TEST(Places, TheNearestIsLikeTheRestOfTheContext) {
  const auto model = drawn_model("static-ui");
  const Example example = example_of("a", {{5, 6}, {7, 1}, {9, 10}, {11}});
  const auto look_of = [&](const std::vector<int32_t>& utterance) {
    return score_of(*model, {utterance, {7, 1}, {9, 10}, {11}}, 0).as_scores[0];
  };
  const auto look = [&](const std::vector<PoolUtterance>& pool, size_t candidates = 50) {
    return insert_everywhere(*model, {example}, pool, 8, candidates)[kNearest][0].looks[0];
  };
  const std::vector<int32_t> own = {5, 6, 6, 5}, unknown = {1, 1, 1}, near = {7, 9, 12, 12};
  EXPECT_NEAR(look({{"x", own}, {"y", near}}), look_of(near), 1e-12);
  EXPECT_NEAR(look({{"x", unknown}, {"y", near}}), look_of(near), 1e-12);
  EXPECT_GT(std::abs(look_of(near) - look_of(own)), 1e-9);
  // Among so many draws only, of the seed.
  std::vector<PoolUtterance> many = {{"y", near}};
  for (int i = 0; i < 30; ++i) many.push_back({"x", own});
  std::set<bool> found;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const double of_seed =
        insert_everywhere(*model, {example}, many, 8, 20, seed)[kNearest][0].looks[0];
    found.insert(std::abs(of_seed - look_of(near)) < 1e-12);
  }
  EXPECT_EQ(found.size(), 2u);
}

TEST(Places, NeedAttentionAndOtherDialogues) {
  EXPECT_THROW(insert_everywhere(*drawn_model("lstm"), kExamples, kPool, 8), UsageError);
  const Pool own = std::vector<PoolUtterance>{{"a", {{5, 6}, {}}}};
  EXPECT_THROW(insert_everywhere(*drawn_model("dynamic"), kExamples, own, 8), DataError);
}

}  // namespace
}  // namespace heed
