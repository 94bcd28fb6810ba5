#include "train/alike.h"

#include <algorithm>

#include "base/error.h"
#include "tensor/bytes.h"

namespace heed {

static void each_member(auto& bytes, Given& one) {
  bytes(one.name, one.value, one.of_what);
}

namespace {

struct OfRank {
  std::string rank;
  std::vector<Given> given;

  // What it has under a name; one that has nothing there says so.
  Given find(const std::string& name) const {
    const auto at = std::find_if(given.begin(), given.end(),
                                 [&](const Given& one) { return one.name == name; });
    return at == given.end() ? Given{name, "nothing"} : *at;
  }
};

void each_member(auto& bytes, OfRank& of_rank) {
  bytes(of_rank.rank, of_rank.given);
}

std::string shown(const Given& one, const std::string& rank) {
  const std::string value = one.of_what.empty() ? one.value : one.of_what + " (" + one.value + ")";
  return value + " on " + rank;
}

void compare(const OfRank& first, const OfRank& other) {
  for (const std::vector<Given>* list : {&first.given, &other.given}) {
    for (const Given& one : *list) {
      const Given a = first.find(one.name), b = other.find(one.name);
      if (a.value == b.value || a.value.empty() || b.value.empty()) continue;
      throw DataError("ranks differ in " + one.name + ": " + shown(b, other.rank) + ", " +
                      shown(a, first.rank) + "; give all of them the same");
    }
  }
}

}  // namespace

void check_alike(Ranks& ranks, const std::vector<Given>& given) {
  if (ranks.size() == 1) return;
  const auto all = ranks.gather_values(OfRank{name_of_rank(ranks.rank(), ranks.size()), given});
  for (const OfRank& other : all) compare(all[0], other);
}

}  // namespace heed
