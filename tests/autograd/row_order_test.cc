// Rows of ragged sequences stand step by step (Packing) or one sequence after the other (Segments):
// what packs them, what brings them into the other order, and ops that are given the wrong one.
#include <gtest/gtest.h>

#include "autograd/attention_pairs.h"
#include "autograd/composed.h"
#include "autograd/ops.h"
#include "nn/gru.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/lstm.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Vec = std::vector<double>;

TEST(Pack, SortsAndPacksWhatAUserHas) {
  const Packed p = pack(std::vector<std::vector<int32_t>>{{1}, {2, 3, 4}, {5, 6}, {7, 8, 9}});
  EXPECT_EQ(p.order, (std::vector<int32_t>{1, 3, 2, 0}));  // equally long ones as they came
  EXPECT_EQ(p.place, (std::vector<int32_t>{3, 0, 2, 1}));
  EXPECT_EQ(p.packing.lengths(), (std::vector<int32_t>{3, 3, 2, 1}));
  EXPECT_EQ(p.rows.value().to_ints(), (std::vector<int32_t>{2, 7, 5, 1, 3, 8, 6, 4, 9}));
  EXPECT_EQ(p.sorted(std::vector<std::string>{"a", "b", "c", "d"}),
            (std::vector<std::string>{"b", "d", "c", "a"}));
  EXPECT_EQ(p.restored(Tensor::of({{1}, {2}, {3}, {4}})).value().to_vector(), (Vec{4, 1, 3, 2}));
  EXPECT_THROW((void)p.sorted(std::vector<int>{1, 2}), ShapeError);
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)p.restored(Tensor::zeros({9, 1}));
            }),
            "restored: (9, 1) has not one row for each of 4 sequences");
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)pack(std::vector<std::vector<int32_t>>{{1}, {}});
            }),
            "packing: sequence 1 has length 0, expected at least 1");
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)pack(std::vector<std::vector<int32_t>>{{1}, {}, {2, 3}});
            }),
            "packing: sequence 1 has length 0, expected at least 1");  // of the given ones
}

// A bag of words: the mean of embedded rows that stand step by step would mix the sentences.
TEST(Pack, MarksItsRowsAndWhatAnEmbeddingMakesOfThem) {
  const Packed p = pack(std::vector<std::vector<int32_t>>{{0, 1}, {2}});
  Embedding embedding(3, 2);
  embedding.weight.set_value(Tensor::of({{1, 2}, {3, 4}, {5, 6}}));
  const Var words = embedding(p.rows);
  EXPECT_EQ(words.row_order(), RowOrder::by_step);
  EXPECT_EQ(segment_mean(words, p.packing).value().to_vector(), (Vec{2, 3, 5, 6}));
  EXPECT_THROW((void)segment_mean(words, p.packing.segments()), ShapeError);
  EXPECT_EQ(error_of<ShapeError>(
                [&] { (void)segment_max(words.in_order(RowOrder::by_sequence), p.packing); }),
            "segment_max: expected rows step by step, got rows sequence by sequence; use "
            "by_step(x, packing)");
}

TEST(RowOrder, ASoftmaxOfSegmentsNeedsThemOneAfterTheOther) {
  const Packing p({2, 1});
  const Var scores = Var(Tensor::of({1, 2, 3})).in_order(RowOrder::by_step);
  EXPECT_THROW((void)segment_softmax(scores, p.segments()), ShapeError);
  EXPECT_EQ(segment_softmax(scores.in_order(RowOrder::by_sequence), p.segments()).shape(),
            Shape{3});
}

TEST(Pack, TakesRowsToo) {
  const Packed p = pack(std::vector<Tensor>{Tensor::of({{1, 2}}), Tensor::of({{3, 4}, {5, 6}})});
  EXPECT_EQ(p.rows.value().to_vector(), (Vec{3, 4, 1, 2, 5, 6}));
  EXPECT_EQ(p.order, (std::vector<int32_t>{1, 0}));
  EXPECT_THROW((void)pack(std::vector<Tensor>{Tensor::of({{1, 2}}), Tensor::of({{3}})}),
               ShapeError);
  EXPECT_THROW((void)pack(std::vector<Tensor>{Tensor()}), ShapeError);
  EXPECT_EQ(error_of<ShapeError>([] { (void)pack(std::vector<Tensor>{}); }),
            "pack: needs at least one sequence, for the shape of the rows");
  EXPECT_EQ(pack(std::vector<std::vector<int32_t>>{}).rows.shape(), Shape{0});
}

TEST(RowOrder, ThereAndBack) {
  const Packing p({3, 2, 1});
  const Tensor by_steps = Tensor::of({{1}, {10}, {100}, {2}, {20}, {3}});
  const Var sequences = by_sequence(by_steps, p);
  EXPECT_EQ(sequences.value().to_vector(), (Vec{1, 2, 3, 10, 20, 100}));
  EXPECT_EQ(by_step(sequences, p).value().to_vector(), by_steps.to_vector());
  EXPECT_EQ(sequences.row_order(), RowOrder::by_sequence);
  EXPECT_THROW((void)by_sequence(sequences, p), ShapeError);
  EXPECT_THROW((void)by_sequence(Tensor::zeros({5, 1}), p), ShapeError);
  const Var x = Var::parameter(by_steps.to(DType::f64));
  sum(by_sequence(x, p) * Tensor::of({{1}, {2}, {3}, {4}, {5}, {6}}, DType::f64)).backward();
  EXPECT_EQ(x.grad().to_vector(), (Vec{1, 4, 6, 2, 5, 3}));
  const Packed labels = pack(std::vector<std::vector<int32_t>>{{7}, {2'000'000'011, 5}});
  const Var of_words = by_sequence(labels.rows, labels.packing);
  EXPECT_EQ(of_words.dtype(), DType::i32);
  EXPECT_EQ(of_words.value().to_ints(), (std::vector<int32_t>{2'000'000'011, 5, 7}));
  EXPECT_EQ(labels.restored(Tensor::of({1, 2}, DType::i32)).value().to_ints(),
            (std::vector<int32_t>{2, 1}));
}

// The first thing that a student builds: each sentence's mean of an LSTM's states.
TEST(RowOrder, TheMeanOfEachSequenceIsThatOfItsOwnSteps) {
  const Packing p({3, 2, 1});
  const Var x = Tensor::of({{1}, {10}, {100}, {1}, {10}, {1}});  // a: 1, b: 10, c: 100
  EXPECT_EQ(segment_mean(x, p).value().to_vector(), (Vec{1, 10, 100}));
  EXPECT_EQ(segment_max(x, p).value().to_vector(), (Vec{1, 10, 100}));
}

template <class Layer> class Recurrent : public testing::Test {};
using Layers = testing::Types<Lstm, Gru>;
TYPED_TEST_SUITE(Recurrent, Layers);

TYPED_TEST(Recurrent, StatesStandStepByStepAndOpsOnSegmentsSaySo) {
  for (const bool both : {false, true}) {
    TypeParam layer(2, 4, {.layers = 2, .bidirectional = both});
    init(layer, 1);
    const Packing p({3, 2, 1});
    const Segments s({3, 2, 1});
    const Var y = layer(p, Tensor::full({6, 2}, 1)).y;
    EXPECT_EQ(y.row_order(), RowOrder::by_step);
    const std::string rule =
        ": expected rows sequence by sequence, got rows step by step, as lstm() and gru() return "
        "them; use by_sequence(x, packing)";
    EXPECT_EQ(error_of<ShapeError>([&] { (void)segment_mean(y, s); }), "segment_mean" + rule);
    // What is made of it row by row has its order.
    const Var z = relu(affine(dropout(y, 0.1, {1, 2}), Tensor::full({3, y.shape()[1]}, 1)) + 1);
    EXPECT_EQ(error_of<ShapeError>([&] { (void)segment_max(z, s); }), "segment_max" + rule);
    const Var query = Tensor::zeros({3, 3});
    EXPECT_EQ(error_of<ShapeError>([&] { (void)segment_scores(query, z, s); }),
              "segment_scores" + rule);
    const AttentionPairs pairs(s, s);
    EXPECT_EQ(error_of<ShapeError>([&] { (void)attention_weights(z, z, pairs, 1); }),
              "attention_weights" + rule);
    EXPECT_EQ(segment_mean(by_sequence(z, p), s).value().to_vector(),
              segment_mean(z, p).value().to_vector());
    // An op that moves rows does not know their order.
    EXPECT_EQ(gather_rows(z, Tensor::of({0, 1, 2, 3, 4, 5}, DType::i32)).row_order(),
              RowOrder::unknown);
    const Var sequences = by_sequence(Var(Tensor::full({6, 2}, 1)), p);
    EXPECT_EQ(error_of<ShapeError>([&] { (void)layer(p, sequences); }),
              std::string(std::is_same_v<TypeParam, Lstm> ? "lstm" : "gru") +
                  ": expected rows step by step, got rows sequence by sequence; use by_step(x, "
                  "packing)");
    EXPECT_EQ(error_of<ShapeError>([&] { (void)(by_sequence(z, p) + z); }),
              "add: one input has its rows step by step, another one sequence by sequence; convert "
              "one with by_sequence() or by_step()");
  }
}

// One step of several sequences, or one sequence, has one order only: a decoder's rows are queries.
TYPED_TEST(Recurrent, OneStepOrOneSequenceIsNoOrder) {
  TypeParam layer(2, 4);
  init(layer, 1);
  EXPECT_EQ(layer(Packing::single_step(3), Tensor::zeros({3, 2})).y.row_order(), RowOrder::unknown);
  EXPECT_EQ(layer(Packing({3}), Tensor::zeros({3, 2})).y.row_order(), RowOrder::unknown);
}

TYPED_TEST(Recurrent, TheTopOfTwoDirectionsIsBoth) {
  TypeParam layer(2, 4, {.layers = 2, .bidirectional = true});
  init(layer, 1);
  const Packing p({2, 1});
  const auto out = layer(p, Tensor::of({{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(out.state.top().shape().str(), "(2, 8)");
  const Vec y = out.y.value().to_vector(), top = out.state.top().value().to_vector();
  EXPECT_EQ((Vec{top.begin() + 8, top.end()}),
            (Vec{y.begin() + 8, y.begin() + 16}));  // of one step: its y
  EXPECT_EQ(Vec(top.begin(), top.begin() + 4),
            Vec(y.begin() + 16, y.begin() + 20));  // forward, its last
  EXPECT_EQ(Vec(top.begin() + 4, top.begin() + 8),
            Vec(y.begin() + 4, y.begin() + 8));  // backward, its first
  EXPECT_EQ(out.state.first(1).top().shape().str(), "(1, 8)");
  EXPECT_EQ(out.state.gather(Tensor::of({1, 0, 1}, DType::i32)).top().shape().str(), "(3, 8)");
}

// As many rows as an input has are not its rows: those of a product are its left side's, and a sum
// over the rows has none of them. Batches of as many steps as there are columns came out wrong.
TEST(RowOrder, OfASquareResultIsNotThatOfTheWrongInput) {
  const Packing p({3, 2, 1});
  const Var x = Var(Tensor::full({6, 6}, 1)).in_order(RowOrder::by_step);
  const Var other = Var(Tensor::full({6, 6}, 2)).in_order(RowOrder::by_sequence);
  EXPECT_EQ(matmul(Tensor::full({6, 6}, 1), x).row_order(), RowOrder::unknown);
  EXPECT_EQ(matmul(x, Tensor::full({6, 6}, 1)).row_order(), RowOrder::by_step);
  EXPECT_EQ(matmul(x, other).row_order(), RowOrder::by_step);
  EXPECT_EQ(affine(other, x).row_order(), RowOrder::by_sequence);
  EXPECT_EQ(sum(x, 1).row_order(), RowOrder::by_step);
  EXPECT_EQ(mean(x, -1).row_order(), RowOrder::by_step);
  EXPECT_EQ(max(x, 1).row_order(), RowOrder::by_step);
  EXPECT_EQ(sum(x, 0).row_order(), RowOrder::unknown);
  EXPECT_EQ(mean(x, 0).row_order(), RowOrder::unknown);
  EXPECT_EQ(max(x, 0).row_order(), RowOrder::unknown);
  EXPECT_EQ(max(x, -2).row_order(), RowOrder::unknown);
  EXPECT_EQ((other + sum(x, 0)).row_order(), RowOrder::by_sequence);
  EXPECT_EQ(top_k(x, 6).values.row_order(), RowOrder::by_step);
  const Tensor ids = Tensor::zeros({6, 6}, DType::i32);
  EXPECT_EQ(gather_along(x, ids, 1).row_order(), RowOrder::by_step);
  EXPECT_EQ(gather_along(x, ids, 0).row_order(), RowOrder::unknown);
  EXPECT_EQ(scatter_along(x, ids, 6, -1).row_order(), RowOrder::by_step);
  EXPECT_EQ(scatter_along(x, ids, 6, 0).row_order(), RowOrder::unknown);
  const Var cube = Var(Tensor::full({6, 6, 6}, 1)).in_order(RowOrder::by_step);
  EXPECT_EQ(permute(cube, {0, 2, 1}).row_order(), RowOrder::by_step);
  EXPECT_EQ(transpose(cube, 0, 2).row_order(), RowOrder::unknown);
  EXPECT_EQ(permute(cube, {1, 0, 2}).row_order(), RowOrder::unknown);
}

// A query a segment may be a step of a decoder, whatever the order of the memory.
TEST(RowOrder, QueriesMayStandStepByStep) {
  const Packing p({3, 2, 1});
  const Var query = Var(Tensor::full({6, 2}, 1)).in_order(RowOrder::by_step);
  const Var memory = by_sequence(Var(Tensor::full({6, 2}, 2)), p);
  const Var scores = segment_scores(query, memory, Segments({1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(scores.value().to_vector(), Vec(6, 4));
  EXPECT_EQ(scores.row_order(), RowOrder::unknown);
}

// As those of an empty list.
TEST(DefaultSegments, AreNone) {
  const Segments none;
  const Var rows = Tensor::zeros({0, 2}), numbers = Tensor::zeros({0});
  const AttentionPairs pairs;
  const Shape empty{0, 2};
  EXPECT_EQ(segment_mean(rows, none).shape(), empty);
  EXPECT_EQ(segment_max(rows, none).shape(), empty);
  EXPECT_EQ(segment_scores(rows, rows, none).shape(), Shape{0});
  EXPECT_EQ(segment_softmax(numbers, none).shape(), Shape{0});
  EXPECT_EQ(segment_context(numbers, rows, none).shape(), empty);
  EXPECT_EQ(AttentionPairs(none, none).total(), 0);
  EXPECT_EQ(attention_weights(rows, rows, pairs, 1).shape(), Shape({1, 0}));
  EXPECT_EQ(attention_context(Tensor::zeros({1, 0}), rows, pairs).shape(), empty);
  EXPECT_EQ(attention(rows, rows, rows, pairs, 1).shape(), empty);
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)segment_mean(Tensor::zeros({1, 2}), none);
            }),
            "segment_mean: x (1, 2) does not fit segments of 0 rows, expected (0, H)");
}

TEST(Bounds, AreNamed) {
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)Packing({2, 1}).length(2);
            }),
            "packing: sequence 2 of 2");
  EXPECT_EQ(error_of<ShapeError>([] { (void)Segments().begin(0); }), "segments: number 0 of 0");
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)Segments({1, 2}).length(-1);
            }),
            "segments: number -1 of 2");
  const Segments first = Segments({1, 2, 3}).first(1);
  EXPECT_EQ(first.end(0), 1);
  EXPECT_EQ(error_of<ShapeError>([&] { (void)first.begin(2); }), "segments: number 2 of 1");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)first.end(1); }), "segments: number 1 of 1");
  EXPECT_EQ(error_of<ShapeError>([] { (void)Packing::single_step(-1); }),
            "packing: negative number of sequences -1");
  const Lstm two(2, 3, {.layers = 2, .bidirectional = true});
  EXPECT_EQ(two.weight_ih(1).shape().str(), "(12, 6)");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)two.weight_ih(2); }), "Lstm: layer 2 of 2");
  LstmState state;
  state.c = {Tensor::zeros({1, 3})};
  Lstm layer(2, 3, {.layers = 2});
  init(layer, 1);
  EXPECT_THROW((void)layer(Packing({1}), Tensor::zeros({1, 2}), state), ShapeError);
}

}  // namespace
}  // namespace heed
