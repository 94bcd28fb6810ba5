// Lab 1, tasks reshape, rows and row: views are judged by the memory that they share. The product:
// check_product.cc.
#include <algorithm>

#include "labs/01-memory/products.h"
#include "tensor/allocator.h"
#include "tensor/shapes_only.h"

namespace heed::lab {
namespace {

const char* const kCount =
    "the tensor does not notice that it was written to: the count lies with the memory, which the "
    "view has to share.";
const char* const kStillInUse = "when all views are gone, memory is still in use.";
const char* const kNobodyWrote =
    "the tensor counts as written to, though only a view of it was made.";

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

// Whether what should be a view shows memory that is not the tensor's.
bool is_elsewhere(const Tensor& view, const Tensor& x) {
  const int64_t offset = offset_of(view, x);
  return x.shares_memory_uniquely() && (offset < 0 || offset > x.bytes());
}

// The members of a view of a tensor that has no memory, on a device that need not be there.
template <class F> void check_members(const std::string& what, const F& view_of) {
  const ShapesOnly only;
  const Tensor x = Tensor::empty({4, 6}, DType::i32, {.kind = Device::Kind::cuda, .index = 1});
  const Tensor view = view_of(x);
  const std::string law = ": a view has all that its tensor has, but for what you change.";
  expect(view.dtype() == x.dtype(),
         text(what, " of an i32 tensor is said to be of ", name_of(view.dtype()), law));
  expect(view.device() == x.device(), text(what, " of a tensor on ", x.device().str(),
                                           " is said to be on ", view.device().str(), law));
  try {
    static_cast<void>(view.raw());
    expect(false, text(what, " of a tensor that has a shape only is said to have memory", law));
  } catch (const InternalError&) {
  }
}

// ---- task: reshape

LAB_CHECK(ReshapeKeepsTheElements) {
  Draw draw;
  const Shape shape = draw_shape(draw);
  const int64_t a = shape[0], b = shape[1], c = shape[2], all = shape.numel();
  for (const Tensor& x : of_each_type(draw, shape)) {
    for (const Shape& other :
         {Shape{a * b, c}, Shape{c, 1, b * a}, Shape{all}, Shape{b, 1, c, 1, a}, shape}) {
      expect_close(text(shape, " reshaped to ", other), x.reshape(other),
                   range_of(x, 0, all, other),
                   {.tolerance = kExact,
                    .law = "the elements stay where they are, in the order of memory. Only the "
                           "shape is another one"});
      expect(x.shape() == shape, "the tensor itself got another shape; only the view may have it.");
      if (testing::Test::HasFailure()) return;
    }
  }
  for (const Tensor& x : of_each_type(draw, {0, 3})) {
    expect_close(text(name_of(x.dtype()), " (0, 3) reshaped to (3, 0, 2)"), x.reshape({3, 0, 2}),
                 Tensor::zeros({3, 0, 2}, x.dtype()));
  }
  expect_close("(1, 1) reshaped to ()", Tensor::full({1, 1}, 4).reshape({}), Tensor::full({}, 4));
}

void check_shared(const Tensor& x, const Shape& other) {
  const std::string what = text(name_of(x.dtype()), " ", x.shape(), " reshaped to ", other);
  const uint32_t before = x.version();
  const Tensor view = x.reshape(other);
  if (!view.defined()) return expect(false, "the view of " + what + " has no memory.");
  if (is_elsewhere(view, x)) {
    const bool same = view.to_vector() == x.to_vector();
    return expect(false, text("the elements, of ", what, ", lie elsewhere",
                              same ? ": it is a copy. What is written to one must be seen in the "
                                     "other, and a copy of a large tensor costs its memory twice."
                                   : ", and are others: whose memory does the view show?"));
  }
  expect(view.raw() == x.raw(), text("the elements, of ", what, ", begin at byte ",
                                     offset_of(view, x), " of the memory of the tensor."));
  expect(!x.shares_memory_uniquely(), "the view does not hold the memory that it shows.");
  expect(x.version() == before, kNobodyWrote);
  if (testing::Test::HasFailure()) return;
  view.fill(11);
  expect(x.to_vector().back() == 11, "what is written to the view is not seen in the tensor.");
  expect(x.version() > before, kCount);
  expect(x.reshape(other).raw() == x.raw(),
         text("the elements, of ", what, " once more, lie elsewhere, while a view is there."));
}

LAB_CHECK(ReshapeSharesTheMemory) {
  Draw draw;
  const int64_t before = memory_stats().bytes_in_use;
  const Shape shape = draw_shape(draw);
  for (const Shape& other : {Shape{shape.numel()}, shape, shape.insert(0, 1), shape.insert(3, 1)}) {
    for (const Tensor& x : of_each_type(draw, shape)) {
      check_shared(x, other);
      if (testing::Test::HasFailure()) return;
    }
  }
  check_shared(Tensor::full({1, 1}, 4), {});
  if (testing::Test::HasFailure()) return;
  expect(memory_stats().bytes_in_use == before, kStillInUse);
  check_members("a reshape", [](const Tensor& x) { return x.reshape({24}); });
}

// ---- task: rows

// Rows [begin, end) of x, which are asked for as [from, to).
void check_rows(const Tensor& x, int64_t begin, int64_t end, int64_t from, int64_t to) {
  if (testing::Test::HasFailure()) return;
  const Shape shape = x.shape();
  const int64_t width = x.numel() / shape[0], bytes = x.bytes() / shape[0];
  const Tensor right = range_of(x, begin * width, end * width, shape.with(0, end - begin));
  const std::string asked = text("rows(", from, ", ", to == kEnd ? "kEnd" : text(to), ") of ",
                                 name_of(x.dtype()), " ", shape);
  const std::string counted =
      from < 0 || to < 0 || to == kEnd
          ? ": negative numbers count from the end, and kEnd is the end; Shape makes numbers from "
            "the beginning of them"
          : "";
  try {
    const Tensor view = x.rows(from, to);
    if (is_elsewhere(view, x)) {
      return expect(false,
                    asked + " are not in the memory of the tensor: rows are a view, no copy.");
    }
    if (offset_of(view, x) != bytes * begin) {
      return expect(false,
                    text(asked, " begin at byte ", bytes * begin, " of its memory, yours at byte ",
                         offset_of(view, x), ": a row has ", width, " elements of ",
                         size_of(x.dtype()), " bytes", counted, "."));
    }
    if (view.shape() != right.shape()) {
      return expect(false,
                    text(asked, " have the shape ", right.shape(), ", yours have ", view.shape(),
                         ": the leading axis has end - begin rows", counted, "."));
    }
    expect_close(asked, view, right,
                 {.tolerance = kExact, .law = "the leading axis has end - begin rows" + counted});
  } catch (const ShapeError& error) {
    expect(false, asked + " is refused (" + error.what() + ")" + counted + ".");
  }
}

// The end of a block of so many bytes and some more, of which there are addresses only.
void check_far_rows(int64_t rows, int64_t bytes) {
  const Tensor x = Tensor::empty({rows, bytes / (4 * rows) + 1});
  const Tensor view = x.rows(rows, rows);
  const int64_t got = offset_of(view, x);
  if (got != x.bytes() && x.shares_memory_uniquely()) {
    return expect(false, text("no rows at the end of f32 ", x.shape(),
                              " are not in the memory of the tensor: rows are a view, no copy."));
  }
  expect(
      got == x.bytes(),
      text("the rows of f32 ", x.shape(), " end at byte ", x.bytes(), ", yours at byte ", got,
           ": 32 bits do not count so far, with a sign or without, and a float not each number."));
}

void check_refused(const Tensor& x, int64_t from, int64_t to) {
  try {
    static_cast<void>(x.rows(from, to));
    expect(false, text("rows(", from, ", ", to == kEnd ? "kEnd" : text(to), ") of ", x.shape(),
                       " are none of its rows, and nothing is said: range() of the shape refuses "
                       "them, with a ShapeError."));
  } catch (const ShapeError&) {
  }
}

LAB_CHECK(RowsAreARange) {
  Draw draw;
  const Shape shape = draw_shape(draw);
  const int64_t n = shape[0], begin = draw.between(1, n - 2), end = draw.between(begin + 1, n - 1);
  for (const Shape& some : {shape, Shape{n}, Shape{n, 2, shape[1], 3}, Shape{n, 2, 1, 3, 2}}) {
    for (const Tensor& x : of_each_type(draw, some)) {
      check_rows(x, begin, end, begin, end);
      for (int64_t i = 1; i < n; ++i) check_rows(x, i, i + 1, i, i + 1);
      check_rows(x, 0, end, 0, end);
      check_rows(x, begin, end, begin - n, end - n);
      check_rows(x, begin, end, begin, end - n);
      check_rows(x, begin, end, begin - n, end);
      check_rows(x, begin, n, begin, kEnd);
      check_rows(x, n - 1, n, -1, kEnd);
      check_rows(x, 0, n, -n, kEnd);
      if (testing::Test::HasFailure()) return;
    }
  }
  const Tensor x = draw.normal(shape);
  expect_close("all rows", x.rows(0, n), x, {.tolerance = kExact});
  expect_close("no rows", x.rows(begin, begin), range_of(x, 0, 0, shape.with(0, 0)));
  if_stopped("Rows at the end of a block of some GiB are looked for, and not looked at.");
  for (const int64_t bits : {31, 32, 40}) {
    for (const int64_t rows : {1, 64}) check_far_rows(rows, int64_t{1} << bits);
  }
  for (const auto& [from, to] : {std::pair<int64_t, int64_t>{0, n + 1}, {-n - 1, kEnd}, {2, 1}}) {
    check_refused(x, from, to);
  }
  if (testing::Test::HasFailure()) return;
  if_stopped("A tensor without rows: (0, 3) has the rows [0, 0), and each would have 3 elements.");
  expect_close("no rows of a tensor that has none", Tensor::zeros({0, 3}).rows(0, 0),
               Tensor::zeros({0, 3}));
}

LAB_CHECK(RowsOfRows) {
  Draw draw;
  // So that rows that are too short do not begin where those of the whole tensor do.
  const Tensor x = draw.normal({draw.between(9, 12), draw.between(6, 8)});
  const int64_t width = x.shape()[1], first = draw.between(3, 4), second = draw.between(1, 2);
  const Tensor inner = x.rows(first, first + 5).rows(second, second + 2);
  const int64_t at = first + second;
  expect_close(text("rows from ", second, " on of rows from ", first, " on"), inner,
               range_of(x, at * width, (at + 2) * width, {2, width}),
               {.tolerance = kExact,
                .suspects = {{"rows of the whole tensor: a view begins where it begins, not where "
                              "the block of memory does",
                              range_of(x, second * width, (second + 2) * width, {2, width})}}});
  const uint32_t before = x.version();
  inner.fill(3);
  expect(x.version() > before, kCount);
}

LAB_CHECK(RowsKeepTheMemoryAlive) {
  Draw draw;
  const Shape shape = {draw.between(40, 60), draw.between(20, 30)};
  const int64_t before = memory_stats().bytes_in_use, begin = draw.between(1, 9), end = begin + 3;
  {
    Tensor x = draw.normal(shape);
    const Tensor want = range_of(x, begin * shape[1], end * shape[1], {3, shape[1]});
    const Tensor view = x.rows(begin, end);
    expect(!x.shares_memory_uniquely(),
           "nobody but the tensor owns its memory: the view is a copy, or it does not hold what it "
           "shows.");
    x = Tensor();
    const Tensor other = Tensor::full(shape, 5, DType::f64);  // gets what was given back
    expect_close("rows of a tensor that is gone", view, want,
                 {.tolerance = kExact,
                  .suspects = {{"what the next tensor wrote: nobody keeps the memory of the first "
                                "one alive. A view has to own the whole block, and to point into "
                                "its middle",
                                Tensor::full(want.shape(), 5, DType::f64)}}});
  }
  expect(memory_stats().bytes_in_use == before, kStillInUse);
}

LAB_CHECK(ViewsCostNothing) {
  Draw draw;
  const Tensor x = draw.normal({draw.between(1000, 2000), 64});
  const uint32_t version = x.version();
  reset_peak();
  const int64_t before = memory_stats().peak_bytes;
  for (int64_t i = 0; i < 100; ++i) {
    const Tensor flat = x.rows(i, i + 500).reshape({500 * x.shape()[1]});
    expect(flat.numel() == 500 * x.shape()[1], "the view has the wrong number of elements.");
  }
  const int64_t more = memory_stats().peak_bytes - before;
  expect(more == 0,
         text("a view asked for ", more, " bytes: it is a pointer and a shape, no copy."));
  expect(x.version() == version, kNobodyWrote);
  check_members("a range of rows", [](const Tensor& some) { return some.rows(1, 3); });
}

// ---- task: row

LAB_CHECK(RowHasOneAxisLess) {
  Draw draw;
  const Shape shape = draw_shape(draw);
  const int64_t i = draw.between(1, shape[0] - 1), j = draw.between(1, shape[1] - 1);
  const int64_t k = draw.between(1, shape[2] - 1), size = shape[1] * shape[2];
  const Tensor flat = draw.normal({shape[0], 1, shape[2]});  // an axis of one element is one, too
  expect_close(text("row ", i), flat[i],
               range_of(flat, i * shape[2], (i + 1) * shape[2], {1, shape[2]}),
               {.tolerance = kExact});
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
      expect(false, text(row, " of ", x.shape(), " is refused (", error.what(), "): ",
                         i == 1 ? "where does the range of the last row end?"
                                : "-1 is the last row, -2 the one before it."));
    }
  }
  const Tensor one = draw.normal({1, 3}), none = Tensor::zeros({0, 3});
  const Tensor thin = Tensor::zeros({3, 0});
  for (const auto& [some, i] : {std::pair{x, n},
                                {x, int64_t{256}},
                                {x, int64_t{1} << 32},
                                {x, -n - 1},
                                {x, -n - 2},
                                {x, -2 * n},
                                {Tensor::full({}, 1), int64_t{0}},
                                {one, int64_t{1}},
                                {one, int64_t{-2}},
                                {none, int64_t{0}},
                                {none, int64_t{-1}},
                                {thin, int64_t{3}},
                                {thin, int64_t{-4}}}) {
    if (testing::Test::HasFailure()) return;
    try {
      (void)some[i];
      expect(false, text("x[", i, "] of a tensor ", some.shape(),
                         " is none of its rows, and nothing is said: rows() refuses it, with a "
                         "ShapeError."));
    } catch (const ShapeError&) {
    } catch (const std::exception& error) {
      expect(false, text("x[", i, "] of a tensor ", some.shape(), " is refused (", error.what(),
                         "), as it should be, but not with a ShapeError."));
    }
  }
}

void check_writes(const Tensor& x, int64_t i) {
  const int64_t rows = x.shape()[0], size = x.numel() / rows;
  std::vector<double> want = x.to_vector();
  std::fill_n(want.begin() + (i + rows) % rows * size, size, 3);
  const uint32_t version = x.version();
  x[i].fill(3);
  expect_close(text("a tensor ", x.shape(), " after row ", i, " was filled"), x,
               Tensor::from(want, x.shape()).to(x.dtype()),
               {.tolerance = kExact,
                .suspects = {},
                .law = "a row is a view: what is written there is written to the tensor, there and "
                       "nowhere else"});
  expect(x.version() > version, kCount);
}

LAB_CHECK(WritesReachTheTensor) {
  Draw draw;
  const int64_t before = memory_stats().bytes_in_use;
  const Shape shape = draw_shape(draw);
  for (const Shape& some : {shape, Shape{shape[0]}}) {
    for (const int64_t first : {int64_t{0}, -shape[0]}) {
      for (const Tensor& x : of_each_type(draw, some)) {
        for (int64_t i = 0; i < shape[0]; ++i) {
          check_writes(x, first + i);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
  expect(memory_stats().bytes_in_use == before, kStillInUse);
}

}  // namespace
}  // namespace heed::lab
