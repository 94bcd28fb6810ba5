// What a setting's line permits is checked wherever its value comes from.
#include "train/setting_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "tests/file_helpers.h"
#include "train/settings.h"

namespace heed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Some {
  int whole = 3;
  double share = 0.5, rate = 1, any = 0;
  std::optional<int64_t> perhaps = {};
  std::string word = "a";
  bool flag = true;
};
constexpr auto kVisit = [](auto& s, auto& v) {
  v({.key = "whole", .least = 1, .most = 4}, s.whole);
  v({.option = "the-share", .key = "of/share", .least = 0, .most = 1, .above = true, .below = true},
    s.share);
  v({.option = "rate", .least = 0, .above = true}, s.rate);
  v({.key = "any"}, s.any);
  v({.key = "perhaps", .least = 2, .most = 9}, s.perhaps);
  v({.key = "word", .words = {"a", "b"}}, s.word);
  v({.key = "flag"}, s.flag);
};

std::string refusal(const Some& s, const std::string& who = "") {
  return error_of<UsageError>([&] { check_values(who, s, kVisit); });
}

TEST(SettingRules, BothEndsOfARange) {
  for (const int good : {1, 2, 4}) EXPECT_NO_THROW(check_values("", Some{.whole = good}, kVisit));
  EXPECT_EQ(refusal({.whole = 0}), "whole: expected a whole number from 1 to 4, got 0");
  EXPECT_EQ(refusal({.whole = 5}, "track"),
            "track: whole: expected a whole number from 1 to 4, got 5");
  EXPECT_EQ(refusal({.share = 0}), "of/share: expected a number above 0 to below 1, got 0");
  EXPECT_EQ(refusal({.share = 1}), "of/share: expected a number above 0 to below 1, got 1");
  EXPECT_NO_THROW(check_values("", Some{.share = 0.999}, kVisit));
}

TEST(SettingRules, NoUpperEnd) {
  EXPECT_NO_THROW(check_values("", Some{.rate = 1e300}, kVisit));
  EXPECT_EQ(refusal({.rate = 0}), "rate: expected a number above 0, got 0");
  EXPECT_EQ(refusal({.rate = NAN}), "rate: expected a number above 0, got nan");
  EXPECT_EQ(refusal({.rate = kInfinity}), "rate: expected a number above 0, got inf");
  EXPECT_NO_THROW(check_values("", Some{.any = kInfinity}, kVisit));
}

TEST(SettingRules, ValuesThatMayBeMissingAndWords) {
  EXPECT_NO_THROW(check_values("", Some{.perhaps = 9}, kVisit));
  EXPECT_EQ(refusal({.perhaps = 10}), "perhaps: expected a whole number from 2 to 9, got 10");
  EXPECT_NO_THROW(check_values("", Some{.word = "b"}, kVisit));
  EXPECT_EQ(refusal({.word = "c"}), "word: expected one of a, b, got 'c'");
}

TEST(SettingRules, OfTheLoop) {
  const auto refused = [](auto change) {
    LoopSettings loop;
    loop.schedule.rate = 1;
    change(loop);
    return error_of<UsageError>([&] { loop.check(); });
  };
  EXPECT_EQ(refused([](LoopSettings& s) { s.batch_size = 0; }),
            "batch_size: expected a whole number from 1 to 1000000, got 0");
  EXPECT_EQ(refused([](LoopSettings& s) { s.pieces = 6; }),
            "pieces: expected a power of two, 1 to 1024, got 6");
  EXPECT_EQ(refused([](LoopSettings& s) { s.pieces = 2048; }),
            "pieces: expected a whole number from 1 to 1024, got 2048");
  EXPECT_EQ(refused([](LoopSettings& s) { s.optimizer.weight_decay = -1; }),
            "optimizer/weight_decay: expected a number from 0 on, got -1");
  EXPECT_EQ(refused([](LoopSettings& s) { s.optimizer.rate_decay = "cosine"; }),
            "optimizer/rate_decay: expected one of none, inverse-sqrt, got 'cosine'");
}

}  // namespace
}  // namespace heed
