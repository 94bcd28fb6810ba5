// Choices from sets of rows that change from step to step.
#include "nn/pointer.h"

#include <cmath>

#include "base/error.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

// Two steps over a memory of four rows: the second one may not choose rows 1 and 3.
Choices two_steps() {
  Choices choices;
  choices.add({0, 1, 2, 3});
  choices.add({0, 2});
  return choices;
}

TEST(Pointer, ScoresAreProductsWithTheRowsThatAreLeft) {
  const Var query = random({2, 3}, 1), memory = random({4, 3}, 2);
  const Vec scores = choice_scores(query, memory, two_steps()).value().to_vector();
  const auto q = matrix(query), m = matrix(memory);
  expect_near(scores, {dot(q[0], m[0]), dot(q[0], m[1]), dot(q[0], m[2]), dot(q[0], m[3]),
                       dot(q[1], m[0]), dot(q[1], m[2])});
}

TEST(Pointer, RowsAreNotNegative) {
  EXPECT_EQ(error_of<ShapeError>([] { Choices().add({0, -1}); }), "choices: negative row -1");
}

TEST(Pointer, CrossedOutRowsGetNoGradient) {
  const Var query = random({2, 3}, 1), memory = Var::parameter(random({4, 3}, 2).value());
  const Choices choices = two_steps();
  const Var loss =
      segment_cross_entropy(choice_scores(query, memory, choices), choices.segments(), {1, 0});
  loss[1].backward();  // the second step alone
  const auto gradient = matrix(memory.grad());
  for (const size_t crossed : {1, 3}) {
    EXPECT_EQ(gradient[crossed], (Vec{0, 0, 0})) << crossed;
  }
  EXPECT_NE(gradient[0][0], 0);
  EXPECT_NE(gradient[2][0], 0);
}

TEST(Pointer, LossIsTheNegativeLogarithmOfTheSoftmax) {
  const Segments segments({3, 1, 2});
  const Var scores = random({6}, 3);
  const Vec p = segment_softmax(scores, segments).value().to_vector();
  expect_near(segment_cross_entropy(scores, segments, {2, 0, 1}).value().to_vector(),
              {-std::log(p[2]), 0, -std::log(p[5])});
}

TEST(Pointer, LossOfSomeSegments) {
  const Segments segments({3, 1, 2});
  const Var scores = random({6}, 3), some = concat({slice(scores, 0, 4, 6), rows(scores, 0, 3)}, 0);
  const Vec all = segment_cross_entropy(scores, segments, {2, 0, 1}).value().to_vector();
  expect_near(
      segment_cross_entropy(rows(scores, 0, 4), segments.first(2), {2, 0}).value().to_vector(),
      {all[0], all[1]});
  expect_near(segment_cross_entropy(some, segments.select({2, 0}), {1, 2}).value().to_vector(),
              {all[2], all[0]});
}

TEST(Pointer, LossIsFiniteWhereTheSoftmaxIsZero) {
  const Var scores = Var::parameter(Tensor::from({-2000.0f, 3000.0f, 3000.0f}, {3}));
  const Var loss = segment_cross_entropy(scores, Segments({3}), {0});
  EXPECT_NEAR(loss.value().to_vector()[0], 5000 + std::log(2.0), 1e-2);
  sum(loss).backward();
  expect_near(scores.grad().to_vector(), {-1, 0.5, 0.5}, 1e-6);
}

TEST(Pointer, GradientsAgreeWithDifferences) {
  struct Both : Module {
    Var query = Var::parameter(random({2, 3}, 1).value()),
        memory = Var::parameter(random({4, 3}, 2).value());
    void visit(Visitor& v) override {
      v("query", query);
      v("memory", memory);
    }
  } both;
  const Choices choices = two_steps();
  const GradCheck result = check_gradient(both, [&] {
    return segment_cross_entropy(choice_scores(both.query, both.memory, choices),
                                 choices.segments(), {3, 1});
  });
  EXPECT_LT(result.max_error, 1e-6) << result.worst;
}

TEST(Pointer, RefusesWhatIsNotThere) {
  Choices choices;
  EXPECT_EQ(error_of<ShapeError>([&] { choices.add({}); }),
            "choices: step 0 has nothing to choose from");
  const Var scores = random({3}, 1);
  EXPECT_EQ(error_of<ShapeError>([&] {
              std::ignore = segment_cross_entropy(scores, Segments({1, 2}), {0, 2});
            }),
            "segment_cross_entropy: target 2 of 2 scores");
  EXPECT_EQ(error_of<ShapeError>([&] {
              std::ignore = segment_cross_entropy(scores, Segments({1, 2}), {0});
            }),
            "segment_cross_entropy: 1 targets for 2 segments");
  EXPECT_EQ(error_of<ShapeError>([&] {
              std::ignore = segment_cross_entropy(scores, Segments({1, 1}), {0, 0});
            }),
            "segment_cross_entropy: scores (3) do not fit segments of 2 rows");
  EXPECT_EQ(error_of<ShapeError>([&] {
              std::ignore =
                  segment_cross_entropy(Tensor::zeros({3}, DType::i32), Segments({3}), {0});
            }),
            "segment_cross_entropy: element type i32: expected f32 or f64");
}

}  // namespace
}  // namespace heed
