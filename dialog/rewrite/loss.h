// The loss of a model of gaps: where they are, and what fills them, together or one by one.
#pragma once

#include <optional>
#include <string>

#include "dialog/rewrite/model.h"

namespace heed::rewrite {

struct LossSettings {
  std::string learn = "both";  // or detect: the labels alone, or rank: the candidates alone
  double label_weight = 20;    // lambda
  double size_weight = 0.01;   // mu
  double margin = 1;           // delta
  int64_t hardest = 10;        // negatives per gap, with the currently highest scores; 0: all

  bool detects() const { return learn != "rank"; }
  bool ranks() const { return learn != "detect"; }
  void check() const;  // throws UsageError
};

// For one batch; total = mean over its B examples of (rank + lambda labels), + mu |W|.
struct JointLoss {
  Var total = {};
  // Sums over the examples, without weights, of
  //   labels   the mean over a turn's labels of -ln p
  //   rank     the sum over a turn's gaps, with their answer m+, their negatives m- and null 0, of
  //              mean over m- of max(0, delta + F(m-) - F(m+)) + max(0, delta + F(0) - F(m+))
  //            + mean over m- of max(0, delta + F(m-) - F(0))
  //            if nothing in the context fills a gap, the last row alone
  double labels = 0, rank = 0;
  // For measuring: those of label_logits(), and the scores of all gaps, example after example.
  Var logits = {};
  std::vector<Asked> asked = {};
  std::optional<GapModel::Scores> scores = {};
};
// |W| is the Euclidean norm of all parameters except the word vectors, or the encoder that reads
// words.
JointLoss joint_loss(const GapModel& model, const GapBatch& batch, const LossSettings& settings,
                     const DropoutMode& drop = {});

}  // namespace heed::rewrite
