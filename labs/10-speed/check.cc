// Lab 10, first part: the parts of a product are judged alone; check_product.cc has the product.
#include <algorithm>

#include "labs/01-memory/products.h"
#include "labs/10-speed/kernels/parts.h"

namespace heed::lab {
namespace {

using parts::constants;

// ---- task: pack

// What panels of B are: [panel][k][column], with `filling` behind the last column.
Tensor panels_of(const Tensor& b, double filling) {
  const int64_t depth = b.shape()[0], n = b.shape()[1], width = constants().width;
  const int64_t count = (n + width - 1) / width;
  const Tensor panels = Tensor::full({count * depth, width}, filling, DType::f64);
  for (int64_t at = 0; at < depth * n; ++at) {
    const int64_t k = at / n, j = at % n;
    panels.data<double>()[(j / width * depth + k) * width + j % width] = b.data<double>()[at];
  }
  return panels;
}

// The same, but the last panel is left out: there is what was there before.
Tensor without_the_last(const Stored& b, double before) {
  const Tensor panels = panels_of(b.values(), 0);
  const int64_t size = b.rows * constants().width;
  std::fill_n(panels.data<double>() + panels.numel() - size, size, before);
  return panels;
}

// The same, but the last panel is as wide as the columns that are left.
Tensor with_a_narrow_one(const Stored& b) {
  const Tensor panels = panels_of(b.values(), 0), narrow = without_the_last(b, 0);
  const int64_t width = constants().width, left = b.cols - (b.cols - 1) / width * width;
  const int64_t begin = panels.numel() - b.rows * width;
  for (int64_t at = 0; at < b.rows * left; ++at) {
    narrow.data<double>()[begin + at] =
        panels.data<double>()[begin + at / left * width + at % left];
  }
  return narrow;
}

Tensor packed(const Stored& b, double before) {
  const Tensor panels = Tensor::full(panels_of(b.values(), 0).shape(), before, DType::f64);
  parts::pack(panels.data<double>(), b.mat());
  return panels;
}

std::string of_panels(const Stored& b) {
  return text("panels of B", b.transposed ? "^T (" : " (", b.rows, ", ", b.cols, "), ",
              constants().width, " columns each");
}

LAB_CHECK(PanelsHoldColumns) {
  Draw draw;
  const int64_t n = constants().width * draw.between(2, 4);
  const Stored b = store(draw, 2 * draw.between(1, 10) + 1, n, false, draw.between(1, 5));
  const Tensor rows = range_of(b.values(), 0, b.rows * n, panels_of(b.values(), 0).shape());
  expect_close(of_panels(b), packed(b, kUnwritten), panels_of(b.values(), 0),
               {.tolerance = kExact,
                .suspects = {{"B row after row: a panel has its columns of all rows, then the next "
                              "panel begins",
                              rows}},
                .law = "element (k, j) of B is at [panel j / width][k][j % width]"});
  if (testing::Test::HasFailure()) return;
  const int64_t size = parts::padded_length(b.rows) * constants().width,
                count = n / constants().width;
  const Tensor padded = Tensor::full({count, size}, kUnwritten, DType::f64);
  parts::pack_padded(padded.data<double>(), b.mat());
  const int64_t used = b.rows * constants().width;
  std::vector<double> got;
  for (int64_t panel = 0; panel < count; ++panel) {
    const double* const first = padded.data<double>() + panel * size;
    got.insert(got.end(), first, first + used);
  }
  const Tensor want = panels_of(b.values(), 0);
  expect_close(
      of_panels(b) +
          text(", in a format whose length(", b.rows, ") is ", parts::padded_length(b.rows)),
      Tensor::from(got, want.shape()), want,
      {.tolerance = kExact,
       .law = "a panel has F::length(depth) kWidth elements, which is what the format says "
              "and not always depth kWidth: the next panel begins behind them"});
}

LAB_CHECK(TransposedPanels) {
  Draw draw;
  const int64_t n = constants().width * draw.between(2, 3);
  const int64_t depth = 2 * draw.between(2, 20) + 1, ld = std::max(depth, n) + 3;
  const Stored b = {draw.normal({2 * ld, ld}), depth, n, true};  // also to be read the wrong way
  expect_close(of_panels(b), packed(b, kUnwritten), panels_of(b.values(), 0),
               {.tolerance = kExact,
                .suspects = {{"made of B as it lies in memory: there lies the transpose",
                              panels_of(b.read(b.ld(), false), 0)}},
                .law = "the panels are those of B, however B lies in memory: also where the depth "
                       "is no multiple of a square"});
}

LAB_CHECK(TheLastPanelIsFilledUp) {
  Draw draw;
  const int64_t width = constants().width;
  for (int i = 0; i < 6; ++i) {
    const bool transposed = i % 2 == 1;
    // Odd: no multiple of a vector, either. At first less than half a panel, then more, then one.
    const int64_t half = width / 2, quarter = half / 2;
    const int64_t more =
        i < 4 ? 2 * draw.between(0, quarter - 1) + 1 + (i < 2 ? 0 : half) : int64_t{1};
    const int64_t n = width * draw.between(0, 2) + more;
    const Stored b = store(draw, draw.between(40, 60), n, transposed, draw.between(1, 5));
    expect_close(of_panels(b), packed(b, 5), panels_of(b.values(), 0),
                 {.tolerance = kExact,
                  .suspects = {{"right but for what was in the memory before, behind the last "
                                "column of B: the last panel has to be filled up with zeros, or "
                                "the tile multiplies rubbish, which may be NaN",
                                panels_of(b.values(), 5)},
                               {"right but for the last panel, which was never written: columns "
                                "that fill no panel need one, too",
                                without_the_last(b, 5)},
                               {"right but for the last panel, in which all is 0: the columns that "
                                "are left did not arrive there, or zeros were written over them",
                                without_the_last(b, 0)},
                               {"right but for the last panel, which is only as wide as the "
                                "columns that are left: its row k begins at k kWidth, too",
                                with_a_narrow_one(b)}},
                  .law = "the last panel is as wide as all others: its row k begins at k kWidth, "
                         "all columns of B that are left come first, at every k, then zeros"});
  }
}

// ---- task: tiles

// Where element (i, k) of a tile of `height` rows lies in it.
int64_t place_in_tile(int64_t i, int64_t k, int64_t height, bool transposed) {
  return transposed ? k * height + i : i * constants().row_step + k;
}

// The rows of A that tiles [first, last) hold, read from their places.
Tensor read_tiles(const Tensor& tiles, const Stored& a, int64_t first, int64_t last) {
  const int64_t rows = parts::tile_begin(a.rows, first), count = parts::tile_begin(a.rows, last);
  std::vector<double> x;
  for (int64_t t = first; t < last; ++t) {
    const int64_t height = parts::tile_begin(a.rows, t + 1) - parts::tile_begin(a.rows, t);
    const double* tile = tiles.data<double>() + (t - first) * constants().tile_size;
    for (int64_t at = 0; at < height * a.cols; ++at) {
      x.push_back(tile[place_in_tile(at / a.cols, at % a.cols, height, a.transposed)]);
    }
  }
  return Tensor::from(x, {count - rows, a.cols});
}

// Memory for all tiles, so that a copy to the wrong place stays inside.
Tensor memory_of_tiles(const Stored& a) {
  return Tensor::full({parts::tile_count(a.rows) + 1, constants().tile_size}, 5, DType::f64);
}

// All tiles of A as if each had `height` rows in memory (its own if 0): for mistakes.
Tensor mistaken_tiles(const Stored& a, int64_t height, bool transposed) {
  const Tensor tiles = memory_of_tiles(a), values = a.values();
  const int64_t all = parts::tile_count(a.rows);
  for (int64_t t = 0; t < all; ++t) {
    const int64_t begin = parts::tile_begin(a.rows, t), end = parts::tile_begin(a.rows, t + 1);
    for (int64_t at = begin * a.cols; at < end * a.cols; ++at) {
      const int64_t place = place_in_tile(at / a.cols - begin, at % a.cols,
                                          height > 0 ? height : end - begin, transposed);
      tiles.data<double>()[t * constants().tile_size + place] = values.data<double>()[at];
    }
  }
  return read_tiles(tiles, a, 0, all);
}

void expect_tiles(const Stored& a, int64_t first, int64_t last, Expected expected) {
  const Tensor tiles = memory_of_tiles(a);
  expected.suspects.emplace_back(
      "what was in the memory before: nothing was copied to where these "
      "tiles are",
      read_tiles(tiles, a, first, last));
  const int64_t asked = parts::copy_tiles(tiles.data<double>(), a.mat(), first, last);
  if (asked != 0 && asked != last - first) {
    return expect(false, text("copy_columns() was asked for ", asked, " tiles, and [", first, ", ",
                              last, ") are ", last - first,
                              ": begin[] holds the first rows of these, and of no others."));
  }
  const int64_t begin = parts::tile_begin(a.rows, first), end = parts::tile_begin(a.rows, last);
  expect_close(text("rows of A", a.transposed ? "^T (" : " (", a.rows, ", ", a.cols,
                    ") in the tiles [", first, ", ", last, ") of ", parts::tile_count(a.rows)),
               read_tiles(tiles, a, first, last),
               range_of(a.values(), begin * a.cols, end * a.cols, {end - begin, a.cols}), expected);
  const std::vector<double> all = tiles.to_vector();
  for (int64_t at = (last - first) * constants().tile_size; at < std::ssize(all); ++at) {
    if (all[at] == 5) continue;
    return expect(false, text("a tile was written to behind these ", last - first,
                              ": what stands there belongs to others."));
  }
}

Stored draw_left(Draw& draw, int64_t tiles, bool transposed) {
  const int64_t most = constants().tile_rows, all = most * tiles - draw.between(1, most / 2);
  const int64_t m = all % tiles == 0 ? all - 1 : all;  // tiles of two heights
  return store(draw, m, draw.between(3, 30), transposed, draw.between(1, 5));
}

LAB_CHECK(TilesHoldRows) {
  Draw draw;
  const Stored a = draw_left(draw, draw.between(2, 4), false);
  expect_tiles(a, 0, parts::tile_count(a.rows),
               {.tolerance = kExact,
                .law = "row i of A is row i - tile_begin(t) of its tile t, and rows of a tile are "
                       "kRowStep apart: not as far as rows of A, and not one behind the other"});
  const Stored column = store(draw, a.rows, 1, false, 0);
  expect_tiles(
      column, 0, parts::tile_count(a.rows),
      {.tolerance = kExact,
       .law = "rows of an A of one column lie one number apart, as columns do: an A lies in "
              "rows wherever col_step is 1"});
}

LAB_CHECK(TransposedTiles) {
  Draw draw;
  const Stored a = draw_left(draw, draw.between(2, 4), true);
  expect_tiles(a, 0, parts::tile_count(a.rows),
               {.tolerance = kExact,
                .suspects = {{"what comes of tiles that have their rows one after the other: of a "
                              "transposed A a tile has its columns so, as they lie in memory",
                              mistaken_tiles(a, 0, false)},
                             {"what comes of columns kTileRows apart: rows are shared out evenly, "
                              "so a tile may have fewer, and its columns are as far apart",
                              mistaken_tiles(a, constants().tile_rows, true)}},
                .law = "column k of a tile begins at k times the rows that this tile has"});
  if (testing::Test::HasFailure()) return;
  const Stored column = store(draw, a.rows, 1, true, draw.between(1, 5));
  expect_tiles(column, 0, parts::tile_count(a.rows),
               {.tolerance = kExact, .law = "an A of one column is transposed like any other"});
  // One tile, which is not as high as it may be, and nothing behind it; and as many as a group has.
  if_stopped(
      "Tile t has the rows from begin[t] to begin[t + 1] - 1 of A, and A ends with the last of "
      "them: is more read, or a tile copied that is none of these?");
  const int64_t few = draw.between(1, constants().tile_rows - 1);
  const int64_t depth = 8 * draw.between(1, 3);
  for (const int64_t tiles : {int64_t{1}, constants().group}) {
    if (testing::Test::HasFailure()) return;
    const int64_t rows = (tiles - 1) * constants().tile_rows + few;
    expect_tiles(store(draw, rows, depth, true, 0), 0, tiles,
                 {.tolerance = kExact,
                  .law = "`count` tiles are copied, each with its own rows: up to kGroup"});
  }
}

LAB_CHECK(SomeOfTheTiles) {
  if_stopped(
      "Rows of A count from its first row, also in begin[]: begin[0] is the first row of tile "
      "`first`, and its place in the memory is the first.");
  Draw draw;
  for (const bool transposed : {false, true}) {
    const Stored a = draw_left(draw, 5, transposed);
    const int64_t first = draw.between(1, 3);
    expect_tiles(
        a, first, first + 1,
        {.tolerance = kExact, .law = "rows of A count from its first, whichever tile is `first`"});
    if (!testing::Test::HasFailure()) continue;
    return expect(
        false,
        "the memory begins with tile `first`; row i of A is row i, whichever tile is the first.");
  }
  const int64_t most = constants().tile_rows;  // of five tiles each is less high, or the next one
  const Stored a = store(draw, 5 * most - most / 2, draw.between(3, 30), false, draw.between(1, 5));
  expect_tiles(a, 1, 3, {.tolerance = kExact});
  for (int64_t begin = a.rows - 1; begin > 0; --begin) {
    const Tensor tiles = memory_of_tiles(a);
    parts::copy_rows(tiles.data<double>(), a.mat(), 0, begin, a.rows);
    expect_close(
        text("rows [", begin, ", ", a.rows, ") of A in their tiles, by copy_rows() alone"),
        read_tiles(tiles, a, 0, parts::tile_count(a.rows)).rows(begin, a.rows),
        a.values().rows(begin, a.rows),
        {.tolerance = kExact,
         .suspects = {{"what was in the memory before: nothing was copied to where these rows are, "
                       "which may begin in the middle of a tile, and that need not be tile `first`",
                       Tensor::full({a.rows - begin, a.cols}, 5, DType::f64)}},
         .law = "rows may begin in the middle of a tile, which need not be tile `first`: it "
                "is the one with tile_begin(t) <= i < tile_begin(t + 1)"});
    if (testing::Test::HasFailure()) return;
  }
}

// ---- task: tile

const std::vector<std::string> kVectors = {"the first vector", "the second vector"};  // of a row

// A tile by itself: C (rows, width) in the middle of a wider matrix.
struct OneTile {
  Stored a;
  Tensor tile, panel, before;  // the copies of A and B; C and what is around it
  Tensor product_alone;

  OneTile(Draw& draw, int64_t rows, bool transposed)
      : a(store(draw, rows, draw.between(2, 30), transposed, 0)),
        tile(Tensor::zeros({constants().tile_size}, DType::f64)),
        before(draw.normal({rows + 1, constants().width + 3})) {
    const Tensor b = draw.normal({a.cols, constants().width});
    panel = b;
    product_alone = product(a.values(), b);
    const Tensor values = a.values();
    for (int64_t at = 0; at < rows * a.cols; ++at) {
      const int64_t place = place_in_tile(at / a.cols, at % a.cols, rows, transposed);
      tile.data<double>()[place] = values.data<double>()[at];
    }
  }
  std::string str() const {
    return text("a tile of ", a.rows, " rows of ", a.transposed ? "A^T" : "A", ", depth ", a.cols);
  }
  Stored c(const Tensor& memory) const { return {memory, a.rows, constants().width, false}; }
  Stored run(Write write) const {
    const Stored out = c(before.clone());
    parts::tile(a.rows, out.memory.data<double>(), out.ld(), tile.data<double>(), a.transposed,
                panel.data<double>(), a.cols, write);
    return out;
  }
};

LAB_CHECK(TileOfEveryHeight) {
  if_stopped(
      "A tile reads R rows of A and writes R rows of C, ldc apart, and no others. Its vectors lie "
      "anywhere: U is the type for that.");
  Draw draw;
  for (int64_t rows = 1; rows <= constants().tile_rows; ++rows) {
    for (const bool transposed : {false, true}) {
      const OneTile x(draw, rows, transposed);
      expect_close(x.str(), x.run(Write::assign).values(), x.product_alone,
                   {.tolerance = kRounding,
                    .suspects = {{"the product added to what was in C: Write::assign overwrites",
                                  sum(x.product_alone, x.c(x.before).values())}},
                    .blocks = kVectors,
                    .law = "C_ij = sum_k a_ik panel[k][j], with a_ik at i kRow + k kCol"});
      if (testing::Test::HasFailure()) return;
    }
  }
}

LAB_CHECK(TileAdds) {
  Draw draw;
  for (const bool transposed : {false, true}) {
    const OneTile x(draw, draw.between(2, constants().tile_rows), transposed);
    expect_close(x.str() + ", added to what C holds", x.run(Write::add).values(),
                 sum(x.product_alone, x.c(x.before).values()),
                 {.tolerance = kRounding,
                  .suspects = {{"the product alone: what was there is lost", x.product_alone}},
                  .blocks = kVectors,
                  .law = "every element is what C holds there, and the product on top"});
  }
}

LAB_CHECK(TileStaysInside) {
  LAB_AFTER(TileOfEveryHeight);
  Draw draw;
  for (const Write write : {Write::assign, Write::add}) {
    const OneTile x(draw, draw.between(1, constants().tile_rows), write == Write::add);
    const Stored out = x.run(write);
    for (int64_t at = 0; at < out.memory.numel(); ++at) {
      const int64_t i = at / out.ld(), j = at % out.ld();
      if (i < out.rows && j < out.cols) continue;
      if (out.memory.data<double>()[at] == x.before.data<double>()[at]) continue;
      return expect(false, text("a tile of ", out.rows, " rows and ", out.cols,
                                " columns wrote to (", i, ", ", j,
                                "): rows of C are ldc apart, and "
                                "memory beside the tile belongs to others."));
    }
  }
}

}  // namespace
}  // namespace heed::lab
