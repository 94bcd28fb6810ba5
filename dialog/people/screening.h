// Whose judgements count: people are asked test questions whose answers are obvious
// (KeyItem::check).
#pragma once

#include <cstdint>

#include "dialog/people/judgements.h"

namespace heed::people {

// Each rule can be switched off.
struct Screening {
  double pass = 0;       // least share of right answers to the test questions; 0: any
  int64_t failures = 0;  // wrong answers to test questions that are too many; 0: any number is fine
  int64_t least = 0;     // least judgements of an annotator, test questions not counted
  int64_t most = 0;      // of his first so many are used; 0: all
};

struct Screened {
  std::vector<Judgement> list;  // test questions are not among them
  int64_t annotators = 0;       // who are left
  int64_t failed = 0;           // annotators who failed the test questions
  int64_t too_few = 0;  // annotators with fewer than `least` judgements, of those who passed
  int64_t checks = 0;   // judgements of test questions
  int64_t dropped = 0;  // judgements of annotators who are not left
  int64_t cut = 0;      // judgements of others beyond `most`
};
// An annotator without test questions passes.
Screened screen(const Judgements& judgements, const Key& key, const Screening& rules);

}  // namespace heed::people
