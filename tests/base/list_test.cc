#include "base/list.h"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace heed
