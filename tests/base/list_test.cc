#include "base/list.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"

namespace heed {
namespace {

using Texts = std::vector<std::string>;

TEST(List, IsJoined) {
  EXPECT_EQ(joined(Texts{"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(joined(std::set<std::string>{"y", "x"}, " or "), "x or y");
  EXPECT_EQ(joined(Texts{}), "");
  EXPECT_EQ(joined(Texts{"", "a", "", "b"}, "-"), "a--b");  // none at its beginning
  const auto squared = [](int n) { return std::to_string(n * n); };
  EXPECT_EQ(joined(std::vector<int>{1, 2, 3}, "; ", squared), "1; 4; 9");
}

TEST(List, IsSplit) {
  EXPECT_EQ(split("a,b,c", ','), (Texts{"a", "b", "c"}));
  EXPECT_EQ(split("a,,b,", ','), (Texts{"a", "", "b"}));
  EXPECT_EQ(split("", ','), Texts{});
}

TEST(List, FieldsAreOneMoreThanSigns) {
  EXPECT_EQ(fields_of("a\t\tb\t", '\t'), (Texts{"a", "", "b", ""}));
  EXPECT_EQ(fields_of("", '|'), Texts{""});
}

TEST(Text, NumbersHaveTheDigitsThatTellThemApart) {
  EXPECT_EQ(text("got ", 1.0, ", ", -0.25f, " and ", 7), "got 1, -0.25 and 7");
  EXPECT_EQ(text(1e-8, " is not ", 1.000000001, " or ", 4e9),
            "1e-08 is not 1.000000001 or 4000000000");
}

}  // namespace
}  // namespace heed
