// Lab 1: memory and the product. Views are judged by the memory that they share, products by plain
// loops, by what they leave alone, and by the cache misses that a model of a cache counts.
#include <algorithm>
#include <cmath>

#include "labs/01-memory/counted.h"
#include "labs/01-memory/products.h"
#include "tensor/allocator.h"

namespace heed::lab {
namespace {

Shape draw_shape(Draw& draw) {  // more rows than columns: one is not taken for the other
  return {draw.between(5, 7), draw.between(2, 5), draw.between(2, 4)};
}

std::vector<Tensor> of_each_type(Draw& draw, Shape shape) {
  return {draw.normal(shape, DType::f32), draw.normal(shape),
          Tensor::from(draw.ids(shape.numel(), 100), shape)};
}

// Where a view begins in the memory of a tensor, in bytes.
int64_t offset_of(const Tensor& view, const Tensor& x) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(view.raw()) -
                              reinterpret_cast<uintptr_t>(x.raw()));
}

// ---- task: reshape

LAB_CHECK(ReshapeKeepsTheElements) {
  Draw draw;
  const Shape shape = draw_shape(draw);
  const int64_t a = shape[0], b = shape[1], c = shape[2], all = shape.numel();
  for (const Tensor& x : of_each_type(draw, shape)) {
    for (const Shape& other : {Shape{a * b, c}, Shape{c, 1, b * a}, Shape{all}, shape}) {
      expect_close(text(shape, " reshaped to ", other), x.reshape(other),
                   range_of(x, 0, all, other),
                   {.tolerance = kExact,
                    .law = "the elements stay where they are, in the order of memory. Only the "
                           "shape is another one"});
    }
    expect(x.shape() == shape, "the tensor itself got another shape; only the view may have it.");
  }
  expect_close("(1, 1) reshaped to ()", Tensor::full({1, 1}, 4).reshape({}), Tensor::full({}, 4));
}

LAB_CHECK(ReshapeSharesTheMemory) {
  Draw draw;
  const Tensor x = draw.normal(draw_shape(draw));
  const Tensor flat = x.reshape({x.numel()});
  expect(flat.raw() == x.raw(),
         "the elements lie elsewhere: it is a copy. What is written to one must be seen in the "
         "other, and a copy of a large tensor costs its memory twice.");
  flat.data<double>()[x.numel() - 1] = 11;
  expect(x.to_vector().back() == 11, "what is written to the view is not seen in the tensor.");
  expect(!x.shares_memory_uniquely(), "the view does not hold the memory that it shows.");
}

// ---- task: rows

LAB_CHECK(RowsAreARange) {
  Draw draw;
  const Shape shape = draw_shape(draw);
  const int64_t begin = draw.between(1, shape[0] - 1), end = draw.between(begin + 1, shape[0]);
  for (const Shape& some : {shape, Shape{shape[0]}}) {
    for (const Tensor& x : of_each_type(draw, some)) {
      const int64_t width = some.numel() / some[0], want = begin * width * size_of(x.dtype());
      const Tensor view = x.rows(begin, end);
      const std::string rows =
          text("rows [", begin, ", ", end, ") of ", name_of(x.dtype()), " ", some);
      if (offset_of(view, x) != want) {
        return expect(false, text(rows, " begin at byte ", want, " of its memory, yours at byte ",
                                  offset_of(view, x), ": a row has ", width, " elements of ",
                                  size_of(x.dtype()), " bytes."));
      }
      expect_close(rows, view, range_of(x, begin * width, end * width, some.with(0, end - begin)),
                   {.tolerance = kExact, .law = "the leading axis has end - begin rows"});
    }
  }
  const Tensor x = draw.normal(shape);
  expect_close("all rows", x.rows(0, shape[0]), x, {.tolerance = kExact});
  expect_close("no rows", x.rows(begin, begin), range_of(x, 0, 0, shape.with(0, 0)));
}

LAB_CHECK(RowsOfRows) {
  Draw draw;
  const Tensor x = draw.normal({draw.between(8, 12), draw.between(2, 4)});
  const int64_t width = x.shape()[1], first = draw.between(1, 3), second = draw.between(1, 2);
  const Tensor inner = x.rows(first, first + 5).rows(second, second + 2);
  const int64_t at = first + second;
  expect_close(text("rows from ", second, " on of rows from ", first, " on"), inner,
               range_of(x, at * width, (at + 2) * width, {2, width}),
               {.tolerance = kExact,
                .suspects = {{"rows of the whole tensor: a view begins where it begins, not where "
                              "the block of memory does",
                              range_of(x, second * width, (second + 2) * width, {2, width})}}});
}

LAB_CHECK(RowsKeepTheMemoryAlive) {
  Draw draw;
  const Shape shape = {draw.between(40, 60), draw.between(20, 30)};
  const int64_t before = memory_stats().bytes_in_use, begin = draw.between(1, 9), end = begin + 3;
  {
    Tensor x = draw.normal(shape);
    const Tensor want = range_of(x, begin * shape[1], end * shape[1], {3, shape[1]});
    const Tensor view = x.rows(begin, end);
    expect(!x.shares_memory_uniquely(), "the tensor does not know that a view shares its memory.");
    x = Tensor();
    const Tensor other = Tensor::full(shape, 5, DType::f64);  // gets what was given back
    expect_close("rows of a tensor that is gone", view, want,
                 {.tolerance = kExact,
                  .suspects = {{"what the next tensor wrote: nobody keeps the memory of the first "
                                "one alive. A view has to own the whole block, and to point into "
                                "its middle",
                                Tensor::full(want.shape(), 5, DType::f64)}}});
  }
  expect(memory_stats().bytes_in_use == before, "when all views are gone, memory is still in use.");
}

LAB_CHECK(ViewsCostNothing) {
  Draw draw;
  const Tensor x = draw.normal({draw.between(1000, 2000), 64});
  reset_peak();
  const int64_t before = memory_stats().peak_bytes;
  for (int64_t i = 0; i < 100; ++i) {
    const Tensor flat = x.rows(i, i + 500).reshape({500 * x.shape()[1]});
    expect(flat.numel() == 500 * x.shape()[1], "the view has the wrong number of elements.");
  }
  const int64_t more = memory_stats().peak_bytes - before;
  expect(more == 0,
         text("a view asked for ", more, " bytes: it is a pointer and a shape, no copy."));
}

// ---- task: row

LAB_CHECK(RowHasOneAxisLess) {
  Draw draw;
  const Shape shape = draw_shape(draw);
  const int64_t i = draw.between(1, shape[0] - 1), j = draw.between(1, shape[1] - 1);
  const int64_t k = draw.between(1, shape[2] - 1), size = shape[1] * shape[2];
  for (const Tensor& x : of_each_type(draw, shape)) {
    if (x[i].shape().rank() != 2) {
      return expect(false, text("one row of ", shape, " has the shape ", x[i].shape(),
                                ": it has one axis less than the tensor."));
    }
    expect_close(text("row ", i), x[i], range_of(x, i * size, (i + 1) * size, {shape[1], shape[2]}),
                 {.tolerance = kExact});
    const int64_t at = i * size + j * shape[2] + k;
    expect_close(text("element (", i, ", ", j, ", ", k, ")"), x[i][j][k],
                 range_of(x, at, at + 1, {}), {.tolerance = kExact});
  }
}

LAB_CHECK(RowFromTheEnd) {
  Draw draw;
  const Tensor x = draw.normal(draw_shape(draw));
  const int64_t n = x.shape()[0], size = x.numel() / n;
  const auto row_of = [&](int64_t r) {
    return range_of(x, r * size, (r + 1) * size, x.shape().without(0));
  };
  for (const int64_t i : {int64_t{1}, draw.between(2, n - 1), n}) {
    const std::string row = i == 1 ? "the last row, -1" : text("row ", -i);
    try {
      expect_close(row, x[-i], row_of(n - i),
                   {.tolerance = kExact,
                    .suspects = {{"row 0 of it, whatever was asked for", row_of(0)},
                                 {"the row with this number from the beginning", row_of(i % n)},
                                 {"the row behind it", row_of((n - i + 1) % n)},
                                 {"the row before it", row_of((2 * n - i - 1) % n)}},
                    .law = "-1 is the last row, -2 the one before it"});
    } catch (const ShapeError& error) {
      expect(false, text(row, " of ", x.shape(), " is refused (", error.what(),
                         "): where does the range of the last row end?"));
    }
  }
}

LAB_CHECK(WritesReachTheTensor) {
  Draw draw;
  const Tensor x = draw.normal(draw_shape(draw));
  const int64_t i = draw.between(0, x.shape()[0] - 1), size = x.numel() / x.shape()[0];
  std::vector<double> want = x.to_vector();
  std::fill_n(want.begin() + i * size, size, 3);
  const uint32_t version = x.version();
  x[i].fill(3);
  expect_close("a tensor after one row was filled", x, Tensor::from(want, x.shape()),
               {.tolerance = kExact,
                .suspects = {},
                .law = "a row is a view: what is written there is written to the tensor"});
  expect(x.version() > version,
         "the tensor does not notice that it was written to: the count lies with the memory, "
         "which the view has to share.");
}

// ---- task: part

const std::string kNear =
    " read as if its rows were as far apart as it has columns: they are ld apart, as a matrix may "
    "be some columns of a wider one";
const std::string kPlain =
    " as it lies in memory: there lies the transpose, element (i, j) is at j ld + i";

// pack_matrix() copies element after element, each of them a part of the matrix.
LAB_CHECK(ElementsOfAMatrix) {
  Draw draw;
  const int64_t rows = draw.between(2, 7), cols = rows + draw.between(1, 3);
  for (const bool transposed : {false, true}) {
    const Stored x = store(draw, rows, cols, transposed, draw.between(cols, 9 + cols));
    const Tensor got = unwritten({rows, cols});
    cpu::pack_matrix<double>(got.data<double>(), x.mat());
    expect_close(text(transposed ? "the transpose of a" : "a", " matrix whose rows are ", x.ld(),
                      " apart in memory"),
                 got, x.values(),
                 {.tolerance = kExact,
                  .suspects = {{"the matrix" + kNear, x.read(transposed ? rows : cols, transposed)},
                               {"the matrix" + kPlain, x.read(x.ld(), false)}}});
    if (testing::Test::HasFailure()) return;
  }
}

// ---- task: product

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
  Problem rubbish = draw_problem(draw, draw_sizes(draw, 2, 9));
  rubbish.c.memory = Tensor::full(rubbish.c.memory.shape(), NAN, DType::f64);
  expect_close(rubbish.str() + ", over a C of NaN", rubbish.run(Write::assign), rubbish.want(),
               {.tolerance = kRounding,
                .law = kProduct,
                .not_finite = "C held NaN before, and 0 times NaN is NaN: Write::assign overwrites "
                              "what is there, whatever it is."});
  if (testing::Test::HasFailure()) return;
  Problem before = draw_problem(draw, {9, 9, 40});
  before.b.memory = Tensor::full(before.b.memory.shape(), INFINITY, DType::f64);
  static_cast<void>(before.run(Write::assign));
  check_small_product(draw, {draw.between(2, 9), draw.between(2, 9), 2 * draw.between(1, 4) + 1},
                      "the product before this one was of infinite numbers, and such a number is "
                      "still in memory that you read: 0 times infinity is no 0.");
}

LAB_CHECK(ManyBlocks) {
  Draw draw;
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Problem p =
          draw_problem(draw, draw_sizes(draw, 130, 200), ta, tb, ta || tb ? draw.between(1, 4) : 0);
      const Tensor want = p.want();
      const Expected expected = {
          .tolerance = kRounding,
          .suspects = {{"the product alone: what was there is lost", want},
                       {"the product added to what was there", sum(p.c.values(), want)}},
          .law =
              "each block of C is the sum over all blocks of k. Sizes need not be a multiple of "
              "a block: the last one is smaller"};
      expect_close(p.str(), p.run(Write::assign), want, expected);
      expect_close(p.str() + ", added", p.run(Write::add), sum(p.c.values(), want), expected);
      if (testing::Test::HasFailure()) return;
    }
  }
}

LAB_CHECK(LeadingDimensions) {
  Draw draw;
  const Problem p = draw_problem(draw, draw_sizes(draw, 3, 9), false, false, draw.between(1, 4));
  const Tensor a = p.a.values(), b = p.b.values();
  const Tensor near_a = p.a.read(p.a.cols, false), near_b = p.b.read(p.b.cols, false);
  expect_close(p.str() + ", rows longer than they need to be", p.run(Write::assign), product(a, b),
               {.tolerance = kRounding,
                .suspects = {{"made with A" + kNear, product(near_a, b)},
                             {"made with B" + kNear, product(a, near_b)},
                             {"made with each factor" + kNear, product(near_a, near_b)}},
                .law = "element (i, j) lies at i ld + j"});
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
    const Problem q = draw_problem(draw, draw_sizes(draw, 2, 9), ta, tb, 1);
    expect_close(q.str(), q.run(Write::assign), q.want(),
                 {.tolerance = kRounding, .law = kProduct});
  }
}

LAB_CHECK(AddsWhereItIsTold) {
  Draw draw;
  for (const Sizes& sizes : {draw_sizes(draw, 2, 9), draw_sizes(draw, 100, 150)}) {
    const Problem p = draw_problem(draw, sizes, false, false, 1);
    const Tensor alone = p.want();
    expect_close(p.str() + ", added to what C holds", p.run(Write::add), sum(p.c.values(), alone),
                 {.tolerance = kRounding,
                  .suspects = {{"the product alone: what was there is lost", alone}}});
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
                              before}}});
  expect_close(p.str() + ", added", p.run(Write::add), before, {.tolerance = kExact});
}

LAB_CHECK(RowsAndThreadsDoNotMatter) {
  LAB_AFTER(ProductOfMatrices);
  Draw draw;
  expect_same_bits(draw, {draw.between(300, 400), draw.between(60, 90), draw.between(60, 90)});
}

// Cache misses for each multiplication, with an L1 of 32 KiB, 64 ways. Nothing but the product is
// counted.
double misses(Draw& draw, Sizes x, bool tb) {
  const int64_t slack = 3, ldb = (tb ? x.k : x.n) + slack;
  std::vector<Counted> a(x.m * x.k, 1), b((tb ? x.n : x.k) * ldb, draw.uniform(-1, 1)),
      c(x.m * x.n, 0);
  set_num_threads(1);
  struct Watch {
    explicit Watch(Cache* cache) { watching = cache; }
    ~Watch() { watching = nullptr; }
  };
  // With 8 ways every fifth row of some widths falls into the same sets (820 bytes; 4100 = 4096 +
  // 4): that is not what is judged here.
  Cache cache(32 << 10, 64, 64);
  {
    const Watch watch(&cache);
    cpu::gemm<Counted>({c.data(), x.m, x.n, x.n}, {a.data(), x.m, x.k, x.k},
                       {b.data(), x.k, x.n, ldb, tb}, Write::assign);
  }
  expect(cache.touched() >= x.m * x.n * x.k, "fewer numbers were read than a product needs.");
  return static_cast<double>(cache.misses()) / static_cast<double>(x.m * x.n * x.k);
}

LAB_CHECK(WalksAlongRows) {
  Draw draw;
  const Sizes sizes = {draw.between(2, 4), draw.between(560, 620), draw.between(560, 620)};
  for (const bool transposed : {false, true}) {
    const double share = misses(draw, sizes, transposed);
    expect(share < 0.2,
           text(share, " cache misses for each multiplication with B", transposed ? "^T" : "", " (",
                sizes.k, ", ", sizes.n,
                "): a line of the cache brings 16 numbers that are neighbours in "
                "memory, and most were gone before they were used. Which index does your "
                "innermost loop count, and where are the next elements?"));
  }
}

LAB_CHECK(BlocksAreUsedAgain) {
  Draw draw;
  const Sizes sizes = {draw.between(48, 60), draw.between(190, 210), draw.between(190, 210)};
  for (const bool transposed : {false, true}) {
    const double share = misses(draw, sizes, transposed);
    expect(share < 1.0 / 64,
           text("one cache miss for every ", static_cast<int>(1 / share), " multiplications with B",
                transposed ? "^T" : "", " (", sizes.k, ", ", sizes.n,
                "); at most one for every 64. For each row of A "
                "all of B comes through the cache again, which holds 8192 numbers: use a block of "
                "B for many rows while it is there."));
  }
}

}  // namespace
}  // namespace heed::lab
