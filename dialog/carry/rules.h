// Decisions without a model, and the quality of decisions.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "dialog/carry/items.h"
#include "dialog/stats/metrics.h"

namespace heed::carry {

// everything: all candidates apply. latest: those with the last mentioned value of their key.
// latest-user: the last value that the speaker of the last turn mentioned. A key belongs to a
// service: candidates of two services never replace one another.
constexpr std::array<const char*, 3> kRules = {"everything", "latest", "latest-user"};
// Throws UsageError for an unknown name.
std::vector<char> decide_by_rule(const std::string& rule, const Item& item);

// Candidates, of which those that apply are right, by "SET/GROUP": same, cross, both; and all, 0 to
// 5, >=6, >=1 (distances), seen and new (services), "final F carry C": F keys of the item apply, 1,
// 2, >=3, of which C are not mentioned in the last turn, 0, 1, 2, >=3 (S_final and S_carry of the
// paper).
using Tallies = std::map<std::string, Tally>;
// Counts the decisions on a labelled item.
void count(const Item& item, const std::vector<char>& decided, Tallies& tallies);
// "0" to "5", ">=6"
std::string distance_group(int32_t distance);
constexpr std::array<const char*, 7> kDistances = {"0", "1", "2", "3", "4", "5", ">=6"};

}  // namespace heed::carry
