// Lab 1, tasks part and product: judged by plain loops, and by what they leave alone.
// check_cache.cc has the order in which memory is read.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/error.h"
#include "labs/01-memory/counted.h"
#include "labs/01-memory/products.h"

namespace heed::lab {
namespace {

// ---- task: part

const std::string kNear =
    " read as if its rows were as far apart as it has columns: they are ld apart, as a matrix may "
    "be some columns of a wider one";
const std::string kPlain =
    " as it lies in memory: there lies the transpose, element (i, j) is at j ld + i";

// How many elements were written from a place on.
int64_t behind(const Tensor& x, int64_t from) {
  const std::vector<double> values = x.to_vector();
  return std::count_if(values.begin() + from, values.end(),
                       [](double value) { return value != kUnwritten; });
}

// pack_matrix() copies block after block, and of each one element after the other. There is room
// for blocks that are too large.
LAB_CHECK(ElementsOfAMatrix) {
  Draw draw;
  const int64_t rows = draw.between(4, 9), cols = rows + draw.between(1, 3);
  for (const bool transposed : {false, true}) {
    const Stored x = store(draw, rows, cols, transposed, draw.between(cols, 9 + cols));
    const Tensor all = unwritten({3 * rows, 3 * cols});
    if_stopped("A block has the rows and columns that are asked for.");
    cpu::pack_matrix<double>(all.data<double>(), x.mat());
    if_stopped("");
    const Tensor got = range_of(all, 0, rows * cols, {rows, cols});
    expect_close(text(transposed ? "the transpose of a" : "a", " matrix whose rows are ", x.ld(),
                      " apart in memory, by blocks"),
                 got, x.values(),
                 {.tolerance = kExact,
                  .suspects = {{"the matrix" + kNear, x.read(transposed ? rows : cols, transposed)},
                               {"the matrix" + kPlain, x.read(x.ld(), false)}},
                  .law = "a block has the rows and columns that are asked for, and lies in memory "
                         "as its matrix does: so a block of it can be taken, too"});
    const int64_t more = behind(all, rows * cols);
    expect(more == 0, text("blocks of (", rows, ", ", cols, "), at most (2, 3), have ", more,
                           " elements more than the matrix: a block has the rows and columns that "
                           "are asked for."));
    if (testing::Test::HasFailure()) return;
  }
}

// ---- task: product

const char* const kOverwrites =
    "C held NaN before, and 0 times NaN is NaN: Write::assign overwrites all that is there, "
    "whatever it is.";

void check_small_product(Draw& draw, const Sizes& sizes, const std::string& not_finite = {}) {
  const Problem p = draw_problem(draw, sizes);
  const Tensor want = p.want();
  const int64_t last = p.a.cols - 1;
  const Stored a = {p.a.memory, p.a.rows, p.a.cols, false};
  const Tensor column = Tensor::zeros({a.rows, 1}, DType::f64);
  for (int64_t i = 0; i < a.rows; ++i) {
    column.data<double>()[i] = a.memory.data<double>()[i * a.cols + last];
  }
  const Tensor row = range_of(p.b.memory, last * p.b.cols, p.b.memory.numel(), {1, p.b.cols});
  expect_close(
      p.str(), p.run(Write::assign), want,
      {.tolerance = kRounding,
       .suspects = {{"the product added to what was in C: Write::assign overwrites",
                     sum(want, p.c.values())},
                    {"the last product of the sum alone: assigned where it has to be added",
                     product(column, row)}},
       .law = kProduct,
       .not_finite = not_finite});
}

LAB_CHECK(ProductOfMatrices) {
  Draw draw;
  for (const bool odd : {true, false}) {  // the inner axis
    Sizes sizes = draw_sizes(draw, 2, 9);
    sizes.k = sizes.k / 2 * 2 + odd;
    check_small_product(draw, sizes);
  }
  if (testing::Test::HasFailure()) return;
  for (const auto& [low, high] : {std::pair{17, 40}, {130, 200}}) {
    const Problem p = draw_problem(draw, draw_sizes(draw, low, high), false, false, 1);
    expect_close(p.str() + ", of f32", p.run<float>(Write::assign), p.want(),
                 {.tolerance = {.relative = 1e-4, .absolute = 1e-3}, .law = kProduct});
    if (testing::Test::HasFailure()) return;
  }
  for (const int64_t rows : {draw.between(2, 9), draw.between(300, 400)}) {
    Problem rubbish =
        draw_problem(draw, {rows, draw.between(2, 9), draw.between(2, 9)}, false, false, 1);
    rubbish.c.memory = Tensor::full(rubbish.c.memory.shape(), NAN, DType::f64);
    expect_close(rubbish.str() + ", over a C of NaN", rubbish.run(Write::assign), rubbish.want(),
                 {.tolerance = kRounding, .law = kProduct, .not_finite = kOverwrites});
    if (testing::Test::HasFailure()) return;
  }
  Problem before = draw_problem(draw, {9, 9, 40});
  before.b.memory = Tensor::full(before.b.memory.shape(), INFINITY, DType::f64);
  static_cast<void>(before.run(Write::assign));
  check_small_product(draw, {draw.between(2, 9), draw.between(2, 9), 2 * draw.between(1, 4) + 1},
                      "the product before this one was of infinite numbers, and such a number is "
                      "still in memory that you read: 0 times infinity is no 0.");
  if (testing::Test::HasFailure()) return;
  expect_nan_stays(draw);
  if (testing::Test::HasFailure()) return;
  const Problem again = draw_problem(draw, draw_sizes(draw, 2, 9));
  const Tensor once = again.run(Write::assign);
  for (int64_t i = 0; i < again.b.memory.numel(); ++i) again.b.memory.data<double>()[i] *= 2;
  expect_close(
      again.str() + ", once more, after B was doubled where it lies", again.run(Write::assign),
      again.want(),
      {.tolerance = kRounding,
       .suspects = {{"the product before: other numbers may lie in the same memory", once}},
       .law = "what is kept of a product must not serve the next one"});
}

const char* const kBlocks =
    "each block of C is the sum over all blocks of k. Sizes need not be a multiple of a block: the "
    "last one is smaller";

void check_both(const Problem& p, const std::string& law, const std::string& how = "") {
  const Tensor want = p.want();
  const Expected expected = {
      .tolerance = kRounding,
      .suspects = {{"the product alone: what was there is lost", want},
                   {"the product added to what was there", sum(p.c.values(), want)}},
      .law = law};
  expect_close(p.str() + how, p.run(Write::assign), want, expected);
  expect_close(p.str() + how + ", added", p.run(Write::add), sum(p.c.values(), want), expected);
}

// The first two numbers of each sum, 10^18 and -10^18, cancel, if they come before the last ones.
void check_order(Draw& draw) {
  constexpr int kSmall = 8;  // numbers, so that each of some sums beside each other has one
  const int64_t k = draw.between(200, 300);
  const Problem p = draw_problem(draw, {3, 3, k});
  for (const Tensor& x : {p.a.memory, p.b.memory}) x.fill(0);
  const Tensor want = Tensor::zeros({3, 3}, DType::f64);
  for (int i = 0; i < 3; ++i) {
    double *const row = p.a.memory.data<double>() + i * k, *const b = p.b.memory.data<double>();
    row[0] = 1e18, row[1] = -1e18, row[2] = 5 + i;
    b[i] = b[3 + i] = b[6 + i] = 1;
    for (int64_t l = k - kSmall; l < k; ++l) row[l] = 1 + i, b[3 * l + i] = 1 + i;
    for (int j = 0; j < 3; ++j) {
      want.data<double>()[3 * i + j] = 5 + i + kSmall * (1 + i) * (1 + j);
    }
  }
  expect_close("C, where each row of A begins with 10^18 and -10^18, and ends with small numbers",
               p.run(Write::assign), want,
               {.tolerance = kRounding,
                .law = "every element is summed in the order of k: the large numbers cancel before "
                       "the last ones come, which are lost beside one of them"});
}

LAB_CHECK(ManyBlocks) {
  Draw draw;
  set_num_threads(1);
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Problem p = draw_problem(draw, draw_sizes(draw, 130, 200), ta, tb, draw.between(1, 4));
      check_both(p, kBlocks);
      if (testing::Test::HasFailure()) return;
    }
  }
  const int64_t some = draw.between(2, 5), wide = draw.between(530, 560);
  const int64_t large = draw.between(20000, 20100);
  for (const Sizes& sizes : {Sizes{some, some, large},
                             {some, large, some},
                             {large, some, some},
                             {some, wide, wide},  // more than fits into a place of some fixed size
                             {wide, some, wide},
                             {wide, wide, some},
                             {128, 128, 128},
                             {129, 129, 129},
                             {127, 127, 127},
                             {64, 65, 256}}) {
    check_both(draw_problem(draw, sizes, false, false, draw.between(1, 2)), kBlocks);
    if (testing::Test::HasFailure()) return;
  }
  check_order(draw);
  if (testing::Test::HasFailure()) return;
  set_num_threads(3);
  for (int i = 0; i < 5; ++i) {
    check_both(draw_problem(draw, {draw.between(300, 400), 130, 70}),
               "right by one thread, and not by three: which memory does one write to while "
               "another one uses it?",
               ", by three threads");
    if (testing::Test::HasFailure()) return;
  }
}

// Of which one axis, or all of them, has a single element.
std::vector<Sizes> draw_thin(Draw& draw) {
  const Sizes s = draw_sizes(draw, 3, 9);
  return {s, {1, s.n, s.k}, {s.m, 1, s.k}, {s.m, s.n, 1}, {1, 1, s.k}, {1, 1, 1}};
}

LAB_CHECK(LeadingDimensions) {
  Draw draw;
  for (const Sizes& sizes : draw_thin(draw)) {
    const Problem p = draw_problem(draw, sizes, false, false, draw.between(1, 4));
    const Tensor a = p.a.values(), b = p.b.values();
    const Tensor near_a = p.a.read(p.a.cols, false), near_b = p.b.read(p.b.cols, false);
    expect_close(p.str() + ", rows longer than they need to be", p.run(Write::assign),
                 product(a, b),
                 {.tolerance = kRounding,
                  .suspects = {{"made with A" + kNear, product(near_a, b)},
                               {"made with B" + kNear, product(a, near_b)},
                               {"made with each factor" + kNear, product(near_a, near_b)}},
                  .law = "element (i, j) lies at i ld + j"});
    if (testing::Test::HasFailure()) return;
  }
}

LAB_CHECK(Transposes) {
  Draw draw;
  const int64_t n = draw.between(3, 9);
  for (const auto& [ta, tb] : {std::pair{true, false}, {false, true}, {true, true}}) {
    const Problem p = draw_problem(draw, {n, n, n}, ta, tb, 2);
    const Tensor a = p.a.values(), b = p.b.values();
    const Tensor plain_a = p.a.read(p.a.ld(), false), plain_b = p.b.read(p.b.ld(), false);
    expect_close(p.str(), p.run(Write::assign), product(a, b),
                 {.tolerance = kRounding,
                  .suspects = {{"made with A" + kPlain, product(plain_a, b)},
                               {"made with B" + kPlain, product(a, plain_b)},
                               {"made with each factor" + kPlain, product(plain_a, plain_b)}},
                  .law = kProduct});
    if (testing::Test::HasFailure()) return;  // what follows would read outside of the memory
    for (const Sizes& sizes : draw_thin(draw)) {
      const Problem q = draw_problem(draw, sizes, ta, tb, 1);
      expect_close(q.str(), q.run(Write::assign), q.want(),
                   {.tolerance = kRounding, .law = kProduct});
      expect_close(q.str() + ", added to what C holds", q.run(Write::add),
                   sum(q.c.values(), q.want()),
                   {.tolerance = kRounding,
                    .suspects = {{"the product alone: what was there is lost", q.want()}},
                    .law = kProduct});
      if (testing::Test::HasFailure()) return;
    }
  }
}

LAB_CHECK(AddsWhereItIsTold) {
  Draw draw;
  std::vector<Sizes> all = draw_thin(draw);
  all.push_back(draw_sizes(draw, 100, 150));
  for (const Sizes& sizes : all) {
    const Problem p = draw_problem(draw, sizes, false, false, 1);
    const Tensor alone = p.want();
    expect_close(p.str() + ", added to what C holds", p.run(Write::add), sum(p.c.values(), alone),
                 {.tolerance = kRounding,
                  .suspects = {{"the product alone: what was there is lost", alone},
                               {"what was there: nothing was added", p.c.values()}},
                  .law = "every element of C gets its sum over k on top of what it holds"});
    if (testing::Test::HasFailure()) return;
  }
}

LAB_CHECK(NoInnerAxis) {
  Draw draw;
  const Sizes sizes = {draw.between(2, 5), draw.between(2, 5), 0};
  Problem p = draw_problem(draw, sizes, false, false, 1);
  const Tensor before = p.c.values();
  expect_close(p.str() + ", assigned", p.run(Write::assign), zeros_like(before),
               {.tolerance = kExact,
                .suspects = {{"what was there before. A sum of nothing is 0, and has to be written "
                              "too",
                              before}},
                .law = "a sum of nothing is 0, in all of C"});
  const Tensor added = p.run(Write::add);
  const std::vector<double> values = added.to_vector();
  if (std::all_of(values.begin(), values.end(), [](double value) { return value == 0; })) {
    return expect(false,
                  p.str() + ", added: what was there is lost. A sum of nothing adds nothing.");
  }
  expect_close(p.str() + ", added", added, before, {.tolerance = kExact});
  p.c.memory = Tensor::full(p.c.memory.shape(), NAN, DType::f64);
  expect_close(p.str() + ", over a C of NaN", p.run(Write::assign), zeros_like(before),
               {.tolerance = kExact, .not_finite = kOverwrites});
  if (testing::Test::HasFailure()) return;
  if_stopped("A C without rows, or without columns: nothing is read or written.");
  for (const Sizes& none : {Sizes{0, sizes.n, 3}, {sizes.m, 0, 3}, {0, sizes.n, 0}}) {
    const Problem empty = draw_problem(draw, none, false, false, 1);
    for (const Write write : {Write::assign, Write::add}) static_cast<void>(empty.run(write));
  }
}

// How many of the numbers are read and written inside of a loop that threads share, or by threads
// other than this one, and whether such a thread comes: this one waits for it there, once.
class Shares : public Watcher {
 public:
  void touch(const void*, int64_t) override {
    constexpr int64_t kEvery = 1009;
    const bool caller = std::this_thread::get_id() == caller_;
    if (!caller) others_ = true;
    if (++touched_ % kEvery != 0) return;
    ++asked_;
    if (caller && !in_a_loop()) return;
    ++shared_;
    for (; caller && !others_ && waited_ < 5000; ++waited_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  bool shared() const { return others_ && 2 * shared_ > asked_; }

  static constexpr int kThreads = 3;

 private:
  static bool in_a_loop() {
    try {
      set_num_threads(kThreads);  // as it is
      return false;
    } catch (const UsageError&) {
      return true;
    }
  }

  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> others_ = false;
  std::atomic<int64_t> touched_ = 0, asked_ = 0, shared_ = 0, waited_ = 0;
};

void expect_shared_out(const Sizes& x) {
  std::vector<Counted> a(x.m * x.k, 1), b(x.k * x.n, 1), c(x.m * x.n, 0);
  set_num_threads(Shares::kThreads);
  Shares shares;
  {
    const Watch watch(&shares);
    cpu::gemm<Counted>({c.data(), x.m, x.n, x.n}, {a.data(), x.m, x.k, x.k},
                       {b.data(), x.k, x.n, x.n}, Write::assign);
  }
  expect(shares.shared(),
         "one thread does it, or most of it, whatever their number: parallel_ranges() shares out "
         "the rows of C, in pieces of which there are several.");
}

LAB_CHECK(RowsAndThreadsDoNotMatter) {
  LAB_AFTER(ProductOfMatrices);
  Draw draw;
  const Sizes sizes = {draw.between(300, 400), draw.between(60, 90), draw.between(60, 90)};
  expect_same_bits(draw, sizes);
  // More rows, as a piece may be large.
  if (!testing::Test::HasFailure()) expect_shared_out({4 * sizes.m, sizes.n / 2, sizes.k / 2});
}

}  // namespace
}  // namespace heed::lab
