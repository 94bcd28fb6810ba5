#include "dialog/data/perturb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Context = std::vector<std::string>;

Context done(const Context& context, const std::string& name, uint64_t seed = 1) {
  Rng rng(seed);
  return perturb(context, parse_perturbation(name), rng);
}

const Context kFive = {"a b c", "d", "e f", "g h", "query ?"};

TEST(Perturb, Cuts) {
  EXPECT_EQ(done(kFive, "whole"), kFive);
  EXPECT_EQ(done(kFive, "turns:1"), Context({"query ?"}));
  EXPECT_EQ(done(kFive, "turns:3"), Context({"e f", "g h", "query ?"}));
  EXPECT_EQ(done(kFive, "turns:5"), kFive);
  EXPECT_EQ(done(kFive, "turns:99"), kFive);
  EXPECT_EQ(done(kFive, "first-dropped"), Context({"d", "e f", "g h", "query ?"}));
  EXPECT_EQ(done(kFive, "last-dropped"), Context({"a b c", "d", "e f", "g h"}));
  EXPECT_EQ(done(kFive, "turns-reversed"), Context({"query ?", "g h", "e f", "d", "a b c"}));
  EXPECT_EQ(done(kFive, "words-reversed"), Context({"c b a", "d", "f e", "h g", "? query"}));
  for (const char* name :
       {"first-dropped", "last-dropped", "turns-dropped", "turns-shuffled", "turns:3-shuffled"}) {
    EXPECT_EQ(done({"query"}, name), Context({"query"})) << name;
    EXPECT_EQ(done({}, name), Context()) << name;
  }
}

TEST(Perturb, CutsToWhatAModelReads) {
  const auto read = [](int turns, int words) {
    Context context = kFive;
    cut(context, turns, words);
    return context;
  };
  EXPECT_EQ(read(0, 0), kFive);
  EXPECT_EQ(read(5, 3), kFive);
  EXPECT_EQ(read(2, 0), Context({"g h", "query ?"}));
  EXPECT_EQ(read(0, 1), Context({"a", "d", "e", "g", "query"}));
  EXPECT_EQ(read(4, 1), Context({"d", "e", "g", "query"}));
}

TEST(Perturb, Shuffles) {
  std::set<Context> all, cut, words;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Context context = done(kFive, "turns-shuffled", seed);
    all.insert(context);
    EXPECT_EQ(done(kFive, "turns-shuffled", seed), context);  // the same of the same seed
    std::sort(context.begin(), context.end());
    EXPECT_EQ(context, kFive);  // which is in order
    context = done(kFive, "turns:4-shuffled", seed);
    cut.insert(context);
    EXPECT_EQ(context.back(), "query ?");  // stays
    words.insert(done({"a b c"}, "words-shuffled", seed));
  }
  EXPECT_GT(all.size(), 80u);   // of 120
  EXPECT_EQ(cut.size(), 6u);    // orders of d, e f, g h
  EXPECT_EQ(words.size(), 6u);  // and of three words
}

TEST(Perturb, Drops) {
  const Context ten = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  double turns = 0, words = 0;
  const int repetitions = 2000;
  for (uint64_t seed = 1; seed <= repetitions; ++seed) {
    const Context kept = done(ten, "turns-dropped", seed);
    EXPECT_EQ(kept.back(), "9");
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    turns += static_cast<double>(kept.size() - 1) / 9;
    const Context text = done({"0 1 2 3 4 5 6 7 8 9"}, "words-dropped", seed);
    words += static_cast<double>(text.at(0).size() + 1) / 2 / 10;
    EXPECT_EQ(done({"word"}, "words-dropped", seed), Context({"word"}));  // one stays
  }
  EXPECT_NEAR(turns / repetitions, 0.7, 0.02);
  EXPECT_NEAR(words / repetitions, 0.7, 0.02);
}

TEST(Perturb, NamesAreChecked) {
  for (const char* wrong : {"", "turns", "turns:", "turns:0", "turns:-1", "turns:2x",
                            "turns:3-reversed", "Whole", "words"}) {
    EXPECT_EQ(error_of<UsageError>([&] { parse_perturbation(wrong); }),
              "expected one of turns:N, turns:N-shuffled, whole, turns-shuffled, turns-reversed, "
              "turns-dropped, first-dropped, last-dropped, words-shuffled, words-reversed, "
              "words-dropped, got '" +
                  std::string(wrong) + "'");
  }
  EXPECT_EQ(parse_perturbation("turns:12-shuffled").turns, 12u);
}

}  // namespace
}  // namespace heed
