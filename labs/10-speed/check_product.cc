// Lab 10, second part: the product on all shapes. What is fast is measured by the figure only: a
// check counts nothing that a busy machine changes.
#include <algorithm>
#include <functional>

#include "labs/01-memory/products.h"
#include "labs/10-speed/kernels/parts.h"
#include "labs/10-speed/loops.h"
#include "tensor/parallel.h"

namespace heed::lab {
namespace {

using parts::constants;

// ---- task: multiply

const Tolerance kRoundingOfFloats = {.relative = 1e-4, .absolute = 1e-4};

void expect_product(Problem p, Write write, const char* law = kProduct) {
  const Tensor alone = p.want();
  if (write == Write::assign) {
    p.c.memory = Tensor::full(p.c.memory.shape(), kUnwritten, DType::f64);
  }
  const Tensor want = write == Write::add ? sum(alone, p.c.values()) : alone, lost = want.clone(),
               kept = want.clone();
  for (int64_t at = 0; at < want.numel(); ++at) {
    const bool edge = at % p.c.cols >= p.c.cols / constants().width * constants().width;
    if (edge) lost.data<double>()[at] = alone.data<double>()[at];
    if (edge && write == Write::assign) kept.data<double>()[at] += kUnwritten;
  }
  expect_close(p.str(), p.run(write), want,
               {.tolerance = kRounding,
                .suspects = {{"right but in the last panel: what C held there is lost", lost},
                             {"right but in the last panel: added to what C held there, where it "
                              "is to be assigned",
                              kept}},
                .law = law});
  expect_close(p.str() + " in f32", p.run<float>(write), want,
               {.tolerance = kRoundingOfFloats, .law = law});
}

LAB_CHECK(ProductsOfAllShapes) {
  if_stopped(
      "Where does a piece end? The last one has fewer tiles or panels than others, the last panel "
      "fewer columns, and a tile need not have kTileRows rows. If it does not end: a block of k is "
      "never empty.");
  set_num_threads(1);  // what threads do to each other is for RowsAndThreadsDoNotMatter to say
  Draw draw;
  std::vector<Sizes> shapes = {{1, 1, 1}, {1, 70, 9}, {70, 1, 9}, {70, 9, 1}};
  for (int64_t rows = 1; rows <= constants().tile_rows; ++rows) shapes.push_back({rows, 9, 6});
  for (int i = 0; i < 4; ++i) shapes.push_back(draw_sizes(draw, 2, 70));
  // More than one piece each way, of tiles that do not share out evenly; and so few columns that
  // each tile of A is copied on its own.
  shapes.push_back({25 * constants().tile_rows - draw.between(1, 5), draw.between(500, 560),
                    draw.between(2, 5)});
  shapes.push_back({draw.between(400, 450), draw.between(3, 30), draw.between(2, 9)});
  // Panels that do not share out evenly, whatever the number that goes together.
  for (int64_t more = 1; more <= 8; ++more) {
    shapes.push_back({280, (32 + more) * constants().width - 3, draw.between(2, 5)});
  }
  for (const Sizes& shape : shapes) {
    for (const bool transposed : {false, true}) {
      expect_product(draw_problem(draw, shape, transposed, !transposed, 1), Write::assign);
      expect_product(draw_problem(draw, shape, transposed, transposed, 0), Write::add);
      if (testing::Test::HasFailure()) return;
    }
  }
  expect_nan_stays(draw);
}

LAB_CHECK(EdgesStayInside) {
  Draw draw;
  for (int i = 0; i < 5; ++i) {
    const int64_t width = constants().width;
    // At first an edge alone, then one that lacks one column, then one of one column, in f64 and
    // in f32.
    const int64_t n = i == 1   ? 4 * width - 1
                      : i == 2 ? 4 * width + 1
                               : draw.between(1, i == 0 ? width - 1 : 3 * width);
    const Sizes sizes = {draw.between(1, 40), n, draw.between(1, 9)};
    const Problem p = draw_problem(draw, sizes, false, false, width);
    expect_product(p, Write::add);
    expect_product(p, Write::assign);  // what a panel is filled up with adds nothing
    if (testing::Test::HasFailure()) return;
  }
}

// The loops that a call shares out, and the pieces of the last one.
struct Loops {
  int64_t shared, pieces;
};
Loops loops_of(const std::function<void()>& call, int threads) {
  set_num_threads(threads);
  const int64_t before = shared_loops;
  call();
  return {shared_loops - before, last_pieces};
}

void expect_pieces(const Loops& loops, int64_t tiles, int64_t panels) {
  const int64_t least = (panels + constants().panels - 1) / constants().panels;
  expect(loops.pieces >= least,
         text("C has ", tiles, " by ", panels, " tiles, which were shared out in ", loops.pieces,
              loops.pieces == 1 ? " piece" : " pieces", ": a piece has up to kPanels panels, so ",
              least, " are the least."));
}

// A product of so many tiles and panels, of which nothing else is so large that threads share it.
void check_is_shared(Draw& draw, int64_t tiles, int64_t panels) {
  const Problem p =
      draw_problem(draw, {tiles * constants().tile_rows, panels * constants().width, 2});
  int64_t size = 0;
  cpu::packed_size<double>(&size, p.b.rows, p.b.cols);
  const Tensor memory = unwritten({size});
  cpu::pack_matrix<double>(memory.data<double>(), p.b.mat());
  const Stored out = {p.c.memory.clone(), p.c.rows, p.c.cols, false};
  const auto multiply = [&] {
    cpu::gemm_packed<double>(out.mat(), p.a.mat(), memory.data<double>(), Write::assign);
  };
  const Loops by_two = loops_of(multiply, 2), by_three = loops_of(multiply, 3);
  if (by_three.shared == 0) {
    return expect(false, text("C has ", tiles, " by ", panels,
                              " tiles, and one thread computes all of them: multiply() never calls "
                              "parallel_for() with more than one piece."));
  }
  expect_pieces(by_three, tiles, panels);
  expect(by_two.pieces == by_three.pieces,
         text("C of ", tiles, " by ", panels, " tiles is cut into ", by_two.pieces,
              " pieces for two threads and into ", by_three.pieces,
              " for three: the cut must not depend on the number of threads."));
}

LAB_CHECK(RowsAndThreadsDoNotMatter) {
  LAB_AFTER(ProductsOfAllShapes);
  Draw draw;
  expect_same_bits(draw, {draw.between(300, 400), draw.between(200, 300), draw.between(20, 90)});
  for (int i = 0; i < 5; ++i) {  // edge tiles alone, in all threads at once
    expect_same_bits(draw, {draw.between(1500, 2000), constants().width - 1, draw.between(5, 20)});
    if (testing::Test::HasFailure()) return;
  }
  check_is_shared(draw, draw.between(25, 30), draw.between(40, 50));
  check_is_shared(draw, 1, draw.between(40, 50));  // columns alone can be shared out, then rows
  check_is_shared(draw, draw.between(90, 110), 1);
}

// ---- task: blocks

// The product over the last numbers of k alone, which the last block has if there are `blocks`.
Tensor last_part(const Problem& p, int64_t begin) {
  const Tensor a = p.a.values(), b = p.b.values();
  const int64_t k = p.a.cols, n = p.b.cols;
  const Tensor left = Tensor::zeros({p.a.rows, k - begin}, DType::f64);
  for (int64_t at = 0; at < left.numel(); ++at) {
    left.data<double>()[at] = a.data<double>()[at / (k - begin) * k + begin + at % (k - begin)];
  }
  return product(left, range_of(b, begin * n, k * n, {k - begin, n}));
}

Tensor without(const Tensor& a, const Tensor& b) {
  const Tensor rest = a.clone();
  for (int64_t at = 0; at < a.numel(); ++at) rest.data<double>()[at] -= b.data<double>()[at];
  return rest;
}

// What the product of a part of k after the other gives, the first of them assigned.
Tensor part_by_part(const Problem& p, int64_t part) {
  const Stored out = {p.c.memory.clone(), p.c.rows, p.c.cols, false};
  for (int64_t k0 = 0; k0 < p.a.cols; k0 += part) {
    Mat<double> a = p.a.mat(), b = p.b.mat();
    a.at += k0 * (a.transposed ? a.ld : 1);
    b.at += k0 * (b.transposed ? 1 : b.ld);
    a.cols = b.rows = std::min(part, p.a.cols - k0);
    cpu::gemm<double>(out.mat(), a, b, k0 > 0 ? Write::add : Write::assign);
  }
  return out.values();
}

// Other parts give the same sums but for their last bits.
void expect_even_parts(const Problem& p, int64_t blocks) {
  if (testing::Test::HasFailure()) return;
  const int64_t even = (p.a.cols + blocks - 1) / blocks, depth = (even + 15) / 16 * 16;
  expect_close(
      p.str(), p.run(Write::assign), part_by_part(p, depth),
      {.tolerance = kExact,
       .suspects = {{"made of parts of kDepth and a rest: parts are to be even",
                     part_by_part(p, constants().depth)},
                    {"made of even parts, but none is rounded up to a multiple of F::kBlock",
                     part_by_part(p, even)}},
       .law = text("k is cut into ", blocks,
                   " even parts, each but the last a multiple of "
                   "F::kBlock: here of ",
                   depth, ". Other parts give other last bits"),
       .want = "yours, part by part",
       .got = "yours, of all k"});
}

LAB_CHECK(DeepProducts) {
  if_stopped(
      "A block of k has columns k0 on of A, from(i, k0), and rows k0 on of B, from(k0, j). The "
      "last may have fewer. Of no k there is no block, and nothing to divide by.");
  Draw draw;
  for (const int64_t blocks : {2, 3}) {
    const int64_t k = constants().depth * (blocks - 1) + 16 * draw.between(2, 16) * (blocks - 1) +
                      draw.between(1, 7);  // the last block is shorter
    const Problem p =
        draw_problem(draw, {draw.between(2, 20), draw.between(2, 40), k}, blocks == 2, true, 1);
    const int64_t depth = ((k + blocks - 1) / blocks + 15) / 16 * 16;
    expect_close(
        p.str(), p.run(Write::assign), p.want(),
        {.tolerance = kRounding,
         .suspects = {{"what the last block of k gives, alone: assigned where it has to be "
                       "added",
                       last_part(p, depth * (blocks - 1))},
                      {"the sum without the last block of k, which may be shorter",
                       without(p.want(), last_part(p, depth * (blocks - 1)))}},
         .law = "the sum over k is the sum over its blocks"});
    expect_close(p.str() + ", added", p.run(Write::add), sum(p.want(), p.c.values()),
                 {.tolerance = kRounding, .law = "the first block of k does what `write` says"});
    expect_even_parts(p, blocks);
  }
  // As deep as a block may be, and many of them.
  for (const int64_t k : {constants().depth, 6 * constants().depth + draw.between(1, 7)}) {
    expect_product(draw_problem(draw, {draw.between(2, 20), draw.between(2, 40), k}), Write::assign,
                   "k has as many blocks as it needs, of up to kDepth");
    if (testing::Test::HasFailure()) return;
  }
  // So many tiles, and so few columns, that each tile meets all panels right after it was copied.
  const Sizes narrow = {constants().tile_rows * draw.between(33, 36), draw.between(2, 9),
                        constants().depth + draw.between(20, 90)};
  for (const bool transposed : {false, true}) {
    const Problem tall = draw_problem(draw, narrow, transposed, false, 1);
    expect_close(tall.str(), tall.run(Write::assign), tall.want(),
                 {.tolerance = kRounding,
                  .law = "a block of k has columns k0 on of A, also where C is narrow"});
  }
  if (testing::Test::HasFailure()) return;  // a mistake above may divide by 0 here
  const Problem none = draw_problem(draw, {draw.between(2, 5), draw.between(2, 5), 0});
  expect_close(none.str(), none.run(Write::assign), none.want(),
               {.tolerance = kExact, .law = "a sum over no k is 0"});
  expect_close(none.str() + ", added", none.run(Write::add), none.c.values(),
               {.tolerance = kExact, .law = "a sum over no k adds nothing: C stays as it was"});
}

// What is read often is copied by all threads, and what is narrow while it is in the cache.
void check_loops(Draw& draw) {
  const auto loops = [&](int64_t rows, int64_t cols, int64_t depth) {
    const Problem p = draw_problem(draw, {rows, cols, depth});
    return loops_of([&] { cpu::gemm<double>(p.c.mat(), p.a.mat(), p.b.mat(), Write::assign); }, 3);
  };
  const int64_t panels = draw.between(49, 60), most = constants().tile_rows;
  const Loops wide = loops(most, panels * constants().width, 2);
  expect_pieces(wide, 1, panels);
  expect(wide.shared > 1, text("B has ", panels,
                               " panels, and one thread copies all of them: pack_all() shares "
                               "them out."));
  const int64_t tiles = draw.between(33, 40);
  expect_pieces(loops(tiles * most, panels * constants().width, 2), tiles, panels);
  const Loops narrow = loops(tiles * most, constants().width - 1, 40);
  expect(narrow.shared < 2,
         text("A has ", tiles,
              " tiles, and B one panel: all of A is copied before the first tile "
              "is multiplied. multiply_narrow() copies each tile right before it is read."));
}

LAB_CHECK(WideAndTall) {
  if_stopped(
      "Rows i on of A begin at from(i, k0), columns j on of B at from(k0, j). The copies have room "
      "for kSpan of them: the last block has fewer, and m and n are those of the block.");
  const char* const rows =
      "kSpan rows of A at a time: rows i on of A give rows i on of C, and the last block has fewer";
  const char* const columns =
      "kSpan columns of B at a time: columns j on of B give columns j on of C, the last block has "
      "fewer, and each begins with what `write` says";
  Draw draw;
  const int64_t large = constants().span + draw.between(1, 40), small = draw.between(2, 9);
  expect_product(draw_problem(draw, {large, small, 7}, true, false, 1), Write::assign, rows);
  const Problem wide = draw_problem(draw, {small, large, 7}, false, true, 1);
  expect_product(wide, Write::assign, columns);
  expect_product(wide, Write::add, columns);
  // Three blocks of rows, and of columns.
  const int64_t larger = 2 * constants().span + draw.between(1, 40);
  expect_product(draw_problem(draw, {larger, small, 3}, false, false, 1), Write::add, rows);
  expect_product(draw_problem(draw, {small, larger, 3}, false, false, 1), Write::add, columns);
  // Of the second block of rows, too, each tile is copied on its own.
  const int64_t taller = constants().span + 33 * constants().tile_rows;
  expect_product(draw_problem(draw, {taller, small, 3}, false, false, 1), Write::assign, rows);
  // Neither is narrow: tiles are copied first, then shared out with the panels.
  const int64_t several = 17 * constants().width + draw.between(1, 40);
  expect_product(draw_problem(draw, {large, several, small}, false, false, 1), Write::add, rows);
  if (testing::Test::HasFailure()) return;
  // Blocks of k for each block of columns, and of rows; and both.
  const int64_t deep = constants().depth + draw.between(1, 40);
  expect_product(draw_problem(draw, {small, large, deep}, false, false, 1), Write::assign,
                 "every block of columns begins anew with the first block of k: B's rows k0 on and "
                 "columns j on, A's copied again, and `write` as for the first columns");
  expect_product(draw_problem(draw, {large, small, deep}, false, false, 1), Write::assign,
                 "every block of rows has all blocks of k: the first does what `write` says, the "
                 "others add");
  const Problem both = draw_problem(draw, {large, large, 2});
  expect_close(
      both.str(), both.run(Write::assign), both.want(),
      {.tolerance = kRounding,
       .law = "every block of columns meets all blocks of rows, whose tiles are copied for "
              "it again"});
  if (!testing::Test::HasFailure()) check_loops(draw);
}

// gemm_packed() for a B that was packed before, beside gemm().
void expect_packed(const Problem& p, Write write, const char* law) {
  const Tensor product = p.want(), alone = p.run(write);
  const Tensor all = sum(product, p.c.values());
  const bool adds = write == Write::add;
  expect_close(p.str() + ", B packed for the call", alone, adds ? all : product,
               {.tolerance = kRounding, .law = "the sum over k is the sum over its blocks"});
  if (testing::Test::HasFailure()) return;
  int64_t size = 0;
  cpu::packed_size<double>(&size, p.b.rows, p.b.cols);
  const Tensor memory = unwritten({size});
  cpu::pack_matrix<double>(memory.data<double>(), p.b.mat());
  const Stored out = {p.c.memory.clone(), p.c.rows, p.c.cols, false};
  cpu::gemm_packed<double>(out.mat(), p.a.mat(), memory.data<double>(), write);
  expect_close(p.str() + ", B packed before", out.values(), alone,
               {.tolerance = kExact,
                .suspects = {{adds ? "the product alone: what C held is lost"
                                   : "the product added to what C held: it is to be assigned",
                              adds ? product : all}},
                .law = law,
                .not_finite = "Something was read behind the panels of B. " + std::string(law),
                .want = "yours, packed for the call",
                .got = "yours, packed before"});
}

LAB_CHECK(PackedOnce) {
  LAB_AFTER(DeepProducts);
  if_stopped(
      "A block has kSpan rows of A at most: m is the number of rows of the block. The panels of B "
      "end where its columns do.");
  Draw draw;
  // Of several blocks of k, of one, of none, of three blocks of rows and two of k, of two blocks of
  // columns; each also as it is transposed.
  const int64_t deep = constants().depth + draw.between(1, 99);
  const int64_t few = draw.between(2, 9), span = constants().span;
  const int64_t depths[] = {deep + 2 * constants().depth, few, 0, deep, few};
  for (int64_t i = 0; i < 10; ++i) {
    const int64_t rows = draw.between(2, 40) + (i / 2 == 3 ? 2 * span : 0);
    const int64_t width = constants().width;  // first fewer columns than a panel has, then more
    const int64_t cols = i == 0   ? draw.between(2, width - 1)
                         : i == 1 ? draw.between(width + 1, 90)
                                  : draw.between(2, i < 6 ? 90 : 9) + (i < 8 ? 0 : span);
    const Problem p = draw_problem(draw, {rows, cols, depths[i / 2]}, false, i % 2 == 1, 2);
    for (const Write write : {Write::assign, Write::add}) {
      expect_packed(
          p, write,
          i / 2 != 3
              ? "the same numbers as without: the panels of a block begin length(k0) times "
                "the width behind those of the whole, the stride by which piece() goes from "
                "panel to panel is that of the whole, all columns of C are in one product, and "
                "only the first block of k does what `write` says"
              : "the same numbers as without: rows i on of A give rows i on of C, kSpan "
                "of them at a time, and the first block of k of each does what `write` "
                "says");
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace heed::lab
