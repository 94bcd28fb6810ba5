// What `heed discriminate test` says of passages: a row for each corpus and control, and where the
// attention goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/discriminate/analysis.h"
#include "dialog/discriminate/task.h"
#include "dialog/view/passages.h"
#include "experiments/engine/stats/auc.h"
#include "experiments/measure/judged_rows.h"

namespace heed {

// A part of a corpus, every passage real and fake, and what a discriminator says of it.
struct TestedPart {
  std::string corpus;
  discriminate::Part part = {};
  std::vector<discriminate::Passage> items = {};
  std::vector<discriminate::Verdict> verdicts = {};
  std::vector<std::optional<double>> cosines = {};  // of context and response, if it reads both

  std::vector<double> p_real() const { return p_real_of(verdicts); }
};

// One row: what some judge says of these items.
struct TestNumbers {
  JudgedRow row;
  std::optional<RankSum> ranks = {};       // of p_real; nothing where one class is missing
  std::optional<Estimate> auc = {};        // over conversations; nothing of fewer than two
  double threshold = 0.5;                  // the best one of the validation part
  std::optional<double> accuracy_at = {};  // the accuracy there; nothing without that part
};
// Intervals are over conversations.
TestNumbers test_numbers(const std::string& name, const std::vector<discriminate::Passage>& items,
                         const std::vector<double>& p_real, uint64_t seed);
// Chooses the threshold of `numbers`, which are of `test`, on another part.
void choose_threshold(TestNumbers& numbers, const TestedPart& valid, const TestedPart& test);

std::string test_table(const std::vector<TestNumbers>& rows, int width);

// Of each kind, real or fake and judged real or fake, the three that the model is surest of.
std::vector<PassageView> views_of(const TestedPart& tested,
                                  const discriminate::Discriminator& model,
                                  const Vocabulary& vocabulary);

}  // namespace heed
