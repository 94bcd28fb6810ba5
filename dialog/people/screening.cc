#include "dialog/people/screening.h"

namespace heed::people {
namespace {

struct Annotator {
  int64_t checks = 0, right = 0, ordinary = 0;
  int64_t used = 0;  // so far
};

bool passes(const Annotator& a, const Screening& rules) {
  if (rules.failures > 0 && a.checks - a.right >= rules.failures) return false;
  // A share such as 9 of 10 is not below 0.9.
  return static_cast<double>(a.right) >= rules.pass * static_cast<double>(a.checks) - 1e-9;
}

}  // namespace

Screened screen(const Judgements& judgements, const Key& key, const Screening& rules) {
  std::vector<Annotator> annotators(judgements.annotators.size());
  for (const Judgement& j : judgements.list) {
    Annotator& a = annotators[j.annotator];
    const KeyItem& item = key.items[j.item];
    ++(item.check ? a.checks : a.ordinary);
    if (item.check) a.right += j.choice == item.truth;
  }
  Screened result;
  for (const Annotator& a : annotators) {
    if (!passes(a, rules)) {
      ++result.failed;
    } else {
      ++(a.ordinary < rules.least ? result.too_few : result.annotators);
    }
  }
  for (const Judgement& j : judgements.list) {
    Annotator& a = annotators[j.annotator];
    if (key.items[j.item].check) {
      ++result.checks;
    } else if (!passes(a, rules) || a.ordinary < rules.least) {
      ++result.dropped;
    } else if (rules.most > 0 && a.used == rules.most) {
      ++result.cut;
    } else {
      ++a.used;
      result.list.push_back(j);
    }
  }
  return result;
}

}  // namespace heed::people
