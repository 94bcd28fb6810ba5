// Which way a distraction does its harm: five readings of one dialogue.
#include "dialog/respond/mediation.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "dialog/respond/das.h"
#include "dialog/respond/evaluate.h"
#include "tests/dialog/respond/model_helpers.h"

namespace heed {
namespace {

const Pool kPoolOfMediation = {
    {"elsewhere", {20}}, {"elsewhere", {21, 22}}, {"other", {19, 18, 17}}};

struct Pair {
  std::vector<Example> clean, distracted;
};
Pair pair(const std::string& set, int count) {
  Pair made{random_examples(count, 2, /*distractions=*/false), {}};
  made.distracted =
      distracted(made.clean, parse_test_set(set), kPoolOfMediation, {{{15}, {16}}, {{17}}}, 1);
  return made;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

class Mediation : public testing::TestWithParam<const char*> {
 protected:
  LstmResponder model = small_model(Structure::parse(GetParam()), DType::f64);
};

TEST_P(Mediation, TheFirstAndTheLastReadingAreThoseOfScore) {
  const Pair p = pair("random:1.0", 11);
  const auto mediated = mediate(model, p.distracted, p.clean, 4);
  const auto with = score(model, p.distracted, 3), without = score(model, p.clean, 5);
  for (size_t i = 0; i < mediated.size(); ++i) {
    EXPECT_NEAR(mediated[i].nll[0], sum(with[i].nll), 1e-10) << i;
    EXPECT_NEAR(mediated[i].nll[4], sum(without[i].nll), 1e-10) << i;
  }
}

TEST_P(Mediation, WithoutDistractionsAllReadingsAreTheSame) {
  const Pair p = pair("none", 6);
  for (const MediatedScore& s : mediate(model, p.distracted, p.clean, 4)) {
    for (const double nll : s.nll) EXPECT_NEAR(nll, s.nll[0], 1e-10);
  }
}

TEST_P(Mediation, EachReadingIsADifferentOne) {
  const Pair p = pair("random:1.0", 8);
  const auto mediated = mediate(model, p.distracted, p.clean, 8);
  for (size_t a = 0; a < kReadings.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      double largest = 0;
      for (const MediatedScore& s : mediated) {
        largest = std::max(largest, std::abs(s.nll[a] - s.nll[b]));
      }
      EXPECT_GT(largest, 1e-4) << kReadings[a] << " and " << kReadings[b];
    }
  }
}

TEST_P(Mediation, BatchesDoNotCount) {
  const Pair p = pair("random:0.5", 13);
  const auto one = mediate(model, p.distracted, p.clean, 1),
             many = mediate(model, p.distracted, p.clean, 5);
  for (size_t i = 0; i < one.size(); ++i) {
    for (size_t r = 0; r < kReadings.size(); ++r) {
      EXPECT_NEAR(one[i].nll[r], many[i].nll[r], 1e-10) << i << " " << kReadings[r];
    }
  }
}

// Unseen is what the attention gives to other rows, each by the same factor.
TEST_P(Mediation, AttentionWithoutDistractionsIsTheOldOneInOtherUnits) {
  const Pair p = pair("frequent:middle", 5);
  const Batch batch = make_batch(pointers(p.distracted), model.parts());
  const auto context = model.read_context(batch),
             unseen = without_distractions(context, batch.memory);
  const std::vector<double> all = model.start(context).start.weights.value().to_vector(),
                            left = model.start(unseen).start.weights.value().to_vector();
  size_t at = 0;
  for (int64_t b = 0; b < batch.size; ++b) {
    double kept = 0;
    for (int64_t j = context.segments.begin(b); j < context.segments.end(b); ++j) {
      if (batch.memory.distraction[j] == 0) kept += all[j];
    }
    EXPECT_LT(kept, 0.999) << b;
    for (int64_t j = context.segments.begin(b); j < context.segments.end(b); ++j) {
      if (batch.memory.distraction[j] != 0) continue;
      EXPECT_NEAR(left[at++], all[j] / kept, 1e-12);
    }
  }
  EXPECT_EQ(at, left.size());
}

// Data may flag a query, too: it is what is answered, and is seen in every reading.
TEST_P(Mediation, AFlaggedQueryIsSeen) {
  Pair p = pair("random:1.0", 5);
  const auto unflagged = mediate(model, p.distracted, p.clean, 3);
  for (Example& e : p.distracted) e.distraction.back() = 1;
  for (Example& e : p.clean) e.distraction.back() = 1;
  const auto flagged = mediate(model, p.distracted, p.clean, 3);
  for (size_t i = 0; i < flagged.size(); ++i) EXPECT_EQ(flagged[i].nll, unflagged[i].nll) << i;
}

TEST_P(Mediation, OtherDialoguesAreRefused) {
  Pair p = pair("random:1.0", 3);
  p.clean[1].response.push_back(6);
  EXPECT_THROW((void)mediate(model, p.distracted, p.clean, 2), UsageError);
  p.clean.pop_back();
  EXPECT_THROW((void)mediate(model, p.distracted, p.clean, 2), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Structures, Mediation,
                         testing::Values("non-hier", "static", "static-ui", "dynamic",
                                         "dynamic-ui"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace heed
