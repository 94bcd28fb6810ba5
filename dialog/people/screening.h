// Decides whose judgements count: people are asked test questions with obvious answers
// (KeyItem::check).
#pragma once

#include <cstdint>

#include "dialog/people/judgements.h"

namespace heed::people {

// Each rule can be switched off.
struct Screening {
  double pass = 0;       // least share of right answers to the test questions; 0: any
  int64_t failures = 0;  // this many wrong answers to test questions are too many; 0: no limit
  int64_t least = 0;     // least judgements of an annotator, without test questions
  int64_t most = 0;      // only the first `most` judgements of an annotator are used; 0: all
};

struct Screened {
  std::vector<Judgement> list;  // without test questions
  int64_t annotators = 0;       // who remain
  int64_t failed = 0;           // annotators who failed the test questions
  int64_t too_few = 0;          // annotators who passed, but have fewer than `least` judgements
  int64_t checks = 0;           // judgements of test questions
  int64_t dropped = 0;          // judgements of annotators who do not remain
  int64_t cut = 0;              // judgements of others beyond `most`
};
// An annotator without test questions passes.
Screened screen(const Judgements& judgements, const Key& key, const Screening& rules);

}  // namespace heed::people
