// The points of a grid and their names.
#include "experiments/sweep/grid.h"

#include <set>

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

std::vector<std::string> names(const std::vector<GridOption>& options) {
  std::vector<std::string> result;
  for (const GridPoint& point : grid_points(options)) result.push_back(point.name);
  return result;
}

TEST(Grid, EveryCombinationTheLastOptionFastest) {
  const std::vector<GridOption> options = {
      {"structure", {"static", "hred"}}, {"batch", {"8"}}, {"rate", {"0.01", "1e-3"}}};
  EXPECT_EQ(names(options), (std::vector<std::string>{"static-rate0.01", "static-rate1e-3",
                                                      "hred-rate0.01", "hred-rate1e-3"}));
  const auto points = grid_points(options);
  using Settings = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(points[1].settings,
            (Settings{{"structure", "static"}, {"batch", "8"}, {"rate", "1e-3"}}));
}

TEST(Grid, WithoutSeveralValuesThereIsOneRun) {
  EXPECT_EQ(names({}), std::vector<std::string>{"run"});
  EXPECT_EQ(names({{"rate", {"1"}}}), std::vector<std::string>{"run"});
}

// Names are those of directories, whatever the values are, and no two are the same.
TEST(Grid, NamesAreThoseOfDirectories) {
  EXPECT_EQ(names({{"group", {"lstm:0.5:0.2", "../x y"}}}),
            (std::vector<std::string>{"grouplstm_0.5_0.2", "group.._x_y"}));
  EXPECT_EQ(names({{"tokens", {"words+pieces", "a-b"}}}),
            (std::vector<std::string>{"tokenswords+pieces", "tokensa-b"}));
  EXPECT_EQ(names({{"group", {"a:b", "a;b"}}}),
            (std::vector<std::string>{"groupa_b", "point-f8b1bf365df08fcf"}));
  const std::string longest(85, 'x');  // a name of 90 characters
  EXPECT_EQ(names({{"group", {longest, longest + "x"}}}),
            (std::vector<std::string>{"group" + longest, "point-28dda106c0577233"}));
}

// Whatever other values are added.
TEST(Grid, PointsKeepTheirNames) {
  const std::string one(200, 'x'), two(200, 'y');
  const auto few = names({{"group", {one, two}}, {"rate", {"1", "2"}}}),
             more = names({{"group", {two, "z", one}}, {"rate", {"3", "1", "2"}}});
  EXPECT_EQ(few, (std::vector<std::string>{more[7], more[8], more[1], more[2]}));
  EXPECT_EQ(std::set<std::string>(more.begin(), more.end()).size(), 9u);
}

TEST(Grid, Refuses) {
  const auto error = [](const std::vector<GridOption>& options) {
    return error_of<UsageError>([&] { grid_points(options); });
  };
  EXPECT_EQ(error({{"rate", {}}}), "grid: rate has no value");
  EXPECT_EQ(error({{"rate", {"1", "2", "1"}}}), "grid: rate has a value twice");
  std::vector<std::string> hundred;
  for (int i = 0; i < 101; ++i) hundred.push_back(std::to_string(i));
  EXPECT_EQ(error({{"a", hundred}, {"b", hundred}}), "grid: more than 10000 combinations");
  hundred.pop_back();
  EXPECT_EQ(grid_points({{"a", hundred}, {"b", hundred}}).size(), 10000u);
}

}  // namespace
}  // namespace heed
