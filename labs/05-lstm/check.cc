// Lab 5, first part: which rows of a packed batch belong to which step, and to which sequence.
#include "labs/05-lstm/batches.h"

namespace heed::lab {
namespace {

// ---- task: packing

void check_steps(const std::vector<int32_t>& lengths, const std::string& name) {
  const Packing packing(lengths);
  expect(packing.steps() == lengths[0], "there are " + std::to_string(packing.steps()) +
                                            " steps; the longest sequence has " +
                                            std::to_string(lengths[0]) + ".");
  if (packing.steps() != lengths[0]) return;
  std::vector<int64_t> sizes, offsets, ends;
  for (int64_t t = 0; t < packing.steps(); ++t) {
    sizes.push_back(packing.batch_size(t));
    offsets.push_back(packing.offset(t));
    ends.push_back(t == 0 ? 0 : ends.back() + sizes[t - 1]);
  }
  expect_close("batch_size(t) of " + name, of_ints(sizes), still_running(lengths, 0),
               {.suspects = {{"that of sequences that go on one step too long: one of length n has "
                              "the steps 0 to n - 1",
                              still_running(lengths, 1)},
                             {"one less at most in each step: several sequences may end at once",
                              one_less_at_most(lengths)}},
                .law = "step t has a row for each sequence that is longer than t"});
  expect_close("offset(t)", of_ints(offsets), of_ints(ends),
               {.law = "a step begins where the one before it ends"});
  const int64_t words = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  expect(packing.rows() == words, "rows() is " + std::to_string(packing.rows()) +
                                      ", and the sequences have " + std::to_string(words) +
                                      " steps together.");
}

LAB_CHECK(RowsOfSteps) {
  Draw draw;
  const auto same = static_cast<int32_t>(draw.between(1, 4));
  for (const std::vector<int32_t>& lengths : {draw_lengths(draw), {same, same, same}, {same}}) {
    check_steps(lengths, "lengths " + of_ints(lengths).str());
    if (testing::Test::HasFailure()) return;
  }
  check_steps(draw_hundreds(draw), "some hundreds of sequences");
  if (testing::Test::HasFailure()) return;
  if_stopped("a batch may be empty: no lengths[0] is there then.");
  const Packing empty(std::vector<int32_t>{});
  expect(empty.steps() == 0 && empty.rows() == 0 && empty.batch() == 0,
         text("a batch may be empty: it has 0 steps and 0 rows, yours ", empty.steps(), " and ",
              empty.rows(), "."));
}

LAB_CHECK(NoRowIsPadding) {
  LAB_AFTER(RowsOfSteps);
  Draw draw;
  const std::vector<int32_t> lengths = draw_lengths(draw);
  const Packing packing(lengths);
  std::vector<int64_t> taken, all(packing.rows());
  for (int64_t b = 0; b < std::ssize(lengths); ++b) {
    expect(packing.length(b) == lengths[b], "length() is not what was given.");
    for (int64_t t = 0; t < std::min<int64_t>(lengths[b], packing.steps()); ++t) {
      taken.push_back(packing.row(t, b));
    }
  }
  std::sort(taken.begin(), taken.end());
  std::iota(all.begin(), all.end(), 0);
  expect(taken == all, "each of the " + std::to_string(all.size()) +
                           " rows belongs to one step of one sequence: here some belong to none "
                           "(padding), or to two, or are not there.");
}

// ---- task: reversed

void check_mirror(const std::vector<int32_t>& lengths) {
  const auto rows = rows_of(lengths);
  const Packing packing(lengths);
  const std::vector<int32_t> mirror = packing.reversed();
  std::vector<int64_t> want(rows.back().back() + 1), about_the_longest = want;
  for (int32_t t = 0; t < lengths[0]; ++t) {
    for (size_t b = 0; b < rows[t].size(); ++b) {
      want[rows[t][b]] = rows[lengths[b] - 1 - t][b];
      about_the_longest[rows[t][b]] = rows[lengths[0] - 1 - t][0] + static_cast<int64_t>(b);
    }
  }
  expect_close("reversed() of lengths " + of_ints(lengths).str(), of_ints(mirror), of_ints(want),
               {.suspects = {{"mirrored about the middle of the longest sequence, also where a "
                              "sequence is shorter",
                              of_ints(about_the_longest)}},
                .law = "the first step of a sequence and its last one change places; the mirror "
                       "image of the mirror image is what was there"});
}

LAB_CHECK(MirrorImage) {
  Draw draw;
  check_mirror(draw_lengths(draw));
  if (!testing::Test::HasFailure()) check_mirror(draw_many(draw));
  if (!testing::Test::HasFailure()) check_mirror(draw_hundreds(draw));
  if_stopped("a batch may be empty: no length(0) is there then.");
  expect(Packing(std::vector<int32_t>{}).reversed().empty(), "an empty batch has no rows.");
}

}  // namespace
}  // namespace heed::lab
