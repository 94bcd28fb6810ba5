// What the checks of lab 9 are made of: device memory under a Watch, and what its findings mean.
#pragma once

#include <execinfo.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "emulator/watched_memory.h"
#include "labs/09-a-kernel/kernels.h"
#include "labs/support/check.h"

namespace heed::lab {

using Values = std::vector<float>;

inline Values draw_values(Draw& draw, int64_t n, double low = -2, double high = 2) {
  Values x(n);
  for (float& v : x) v = static_cast<float>(draw.uniform(low, high));
  return x;
}

// Memory of the device that nothing has written is full of ones.
inline Tensor tensor(const Values& x, Shape shape) {
  std::vector<double> values(x.begin(), x.end());
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::bit_cast<uint32_t>(x[i]) == ~0u) values[i] = kUnwritten;
  }
  return Tensor::from(values, shape);
}
inline Tensor tensor(const Values& x) {
  return tensor(x, {std::ssize(x)});
}

// What it means that the emulation stopped a kernel: the first phrase that the message has.
inline const std::vector<std::pair<std::string, std::string>> kMeanings = {
    {"reads shared memory that nothing has written",
     "no thread has written this element so far. Either one is to, and has not come to it: between "
     "writing and reading shared memory stands a barrier. Or none ever does: who is to?"},
    {"reads device memory that nothing has written",
     "this element has no value: is it a result that is not there yet, or one that this thread has "
     "nothing to do with?"},
    {"nothing orders blocks",
     "blocks run in any order and at the same time, and no barrier orders them: in one launch, no "
     "block may use what another one writes."},
    {"(a race)",
     "both do it between the same two barriers, and nothing says who is first: a barrier has to "
     "stand between a write and what others do with the element before or after it; a function "
     "that is called twice meets itself."},
    {"of shared memory with", "an index into shared memory goes beyond the array."},
    {"the barrier at",
     "all threads of a block have to come to a barrier, also those that have no element."},
    {"another barrier", "all threads of a block have to come to the same barrier."},
    {"in the mask of the shuffle",
     "a lane can ask those only that its mask names: here all 32 take part, kAllLanes."},
    {"leaves out its own lane",
     "who calls a warp operation has to be in its mask: here all 32 are, kAllLanes."},
    {"the warp operation", "all lanes of the mask have to come to a warp operation."},
};

// Of an index outside of an array, as far as the message tells more of it.
inline std::string meaning_of_index(const std::string& says) {
  static const std::regex parts(
      R"(block (\d+) of (\d+), thread \((\d+), (\d+), .*\[(-?\d+)\], which has)");
  std::smatch found;
  const auto part = [&](size_t i) { return std::stol(found[i]); };
  if (!std::regex_search(says, found, parts)) return "an index is outside of the array.";
  const long index = part(5), of_thread = part(1) * 64 + part(3);
  if (index < 0)
    return "the index is below 0: whose element is the first, and what comes before it?";
  if (part(1) + 1 == part(2) && part(4) == 0 && index == of_thread)
    return "the last block has more threads than elements are left: the others do nothing.";
  return "the index goes past the end of the array. Has the block more threads than its part has "
         "elements, or is the index made with a wrong length?";
}

inline std::string meaning(const std::string& says) {
  if (says.find("which has") != std::string::npos) return meaning_of_index(says);
  static const std::regex both_write("writes .* wrote between the same two barriers"),
      both_blocks("writes .* wrote in the same launch");
  if (std::regex_search(says, both_blocks)) {
    return "two blocks write it, in any order or at the same time: in one launch, an element is "
           "one block's. Which part of the array is that of block blockIdx.x?";
  }
  if (std::regex_search(says, both_write)) {
    return "both write it between the same two barriers, and nothing says who is first: either it "
           "is one thread's to write, or a barrier has to stand between the two.";
  }
  const auto found = std::find_if(kMeanings.begin(), kMeanings.end(), [&](const auto& entry) {
    return says.find(entry.first) != std::string::npos;
  });
  return found == kMeanings.end() ? "an error of the emulation." : found->second;
}

// "1 barrier", of so many in so many blocks.
inline std::string counted(int64_t all, int64_t of, const std::string& what) {
  const int64_t each = (all + of - 1) / of;
  return std::to_string(each) + " " + what + (each == 1 ? "" : "s");
}
// A place in the code, of which the tool makes a line (labs/heed_lab/running.py).
inline std::string code_at(const void* place) {
  if (!place) return "";
  void* before = const_cast<char*>(static_cast<const char*>(place) - 1);  // the call, not behind it
  const std::unique_ptr<char*, decltype(&std::free)> text(::backtrace_symbols(&before, 1),
                                                          std::free);
  return text ? std::string("\ncode ") + *text.get() : "";
}

inline std::string rounded(double x) {
  std::string digits(16, '\0');
  digits.resize(std::snprintf(digits.data(), digits.size(), "%.1f", x));
  return digits;
}

// Device memory under a Watch, and kernels that the emulation may stop.
struct Bench : emulator::Watch, emulator::WatchedMemory {
  Bench() : emulator::WatchedMemory(static_cast<emulator::Watch&>(*this)) {
    judges_leaks = false;  // threads that are stopped leave what stands on their stacks
  }

  // Runs what launches kernels. A failure, and false, if the emulation finds a mistake.
  bool run(const std::function<void()>& launches) const {
    emulator::accessed_from = nullptr;
    try {
      launches();
      return true;
    } catch (const emulator::Fault& error) {
      // Without the folder of the tree, which stands before names of files.
      const std::string says =
          std::regex_replace(error.what(), std::regex(R"(/\S*/(labs/\d|tensor/|emulator/))"), "$1");
      const size_t place = says.find(", block ");  // behind the name of the kernel
      static const std::regex of_access(": (reads|writes|updates|uses) ");
      ADD_FAILURE() << "the emulation stopped it: "
                    << says.substr(place == std::string::npos ? 0 : place + 2)
                    << (std::regex_search(says, of_access) ? code_at(emulator::accessed_from) : "")
                    << "\nWhat it means: " << meaning(says);
      return false;
    }
  }

  // A failure unless neighbouring lanes use neighbouring elements of the array.
  void expect_coalesced(const std::string& name) const {
    const emulator::Traffic traffic = of(name);
    expect(traffic.scattered == 0,
           std::to_string(traffic.scattered) + " of " + std::to_string(traffic.accesses) +
               " accesses of warps to " + name + " are scattered: they move " +
               std::to_string(traffic.sectors) + " sectors of 32 bytes where " +
               std::to_string(traffic.coalesced) +
               " would do. Neighbouring lanes have to use neighbouring elements.");
  }
  void expect_no_conflicts() const {
    expect(bank_conflicts == 0,
           std::to_string(bank_conflicts) + " conflicts of banks in " +
               std::to_string(shared_accesses) +
               " accesses to shared memory: lanes want different words of one of its 32 banks. "
               "Which bank has element i?");
  }
  void expect_barriers(int64_t most, const std::string& of = "each block") const {
    const std::string enough =
        most > 0 ? std::to_string(most) + (most == 1 ? " does" : " do") : "it needs none";
    expect(barriers <= most * blocks, counted(barriers, blocks, "barrier") + " in " + of +
                                          ", where " + enough +
                                          ": all warps wait at each of them.");
  }
  void expect_exchanges(int64_t most, int64_t warps) const {
    expect(warp_operations <= most * warps, counted(warp_operations, warps, "exchange") +
                                                " in each warp, where " + std::to_string(most) +
                                                " do.");
  }
  // A failure unless shared memory was used, or unless it was not.
  void expect_shared_memory(bool used, const std::string& what) const {
    expect((shared_accesses > 0) == used,
           used ? what +
                      " is to go through shared memory, which is declared by HEED_SHARED: "
                      "nothing was written or read there."
                : what + text(" uses shared memory, ", shared_accesses,
                              " accesses of warps: it needs none."));
  }
  // A failure unless the elements of each row are shared out among the lanes of a warp: three
  // passes take three accesses for each 32 elements of a row, and twice as many go. (Lanes say
  // less: one that still has its element from the pass before asks for nothing.) And among the
  // warps, of which there are 4 for more than 256 elements and 8 for more than 512: the first may
  // have twice its share.
  void expect_shared_out(const std::string& name, int64_t rows, int64_t cols) const {
    const emulator::Traffic traffic = of(name);
    const int64_t stretches = (cols + 31) / 32;
    const double most = static_cast<double>(cols) / static_cast<double>(stretches),
                 lanes = static_cast<double>(traffic.lanes) / static_cast<double>(traffic.accesses);
    const char* const law = ": the elements are for all threads of the block.";
    const double times = static_cast<double>(traffic.lanes) / static_cast<double>(rows * cols);
    expect(traffic.accesses <= 2 * 3 * rows * stretches,
           lanes < most ? "an access of a warp to " + name + " has " + rounded(lanes) +
                              " lanes on average, where it could have " + rounded(most) + law
                        : "each element of " + name + " is used " + rounded(times) +
                              " times: every thread goes over what others have, too" + law);
    const int64_t warps = cols > 512 ? 8 : 4;
    const int64_t its = std::count_if(first_warp.begin(), first_warp.end(),
                                      [&](const auto& seen) { return seen.array == name; });
    expect(cols <= 256 ||
               2 * traffic.accesses * ((stretches + warps - 1) / warps) >= its * rows * stretches,
           text("the first warp of a block makes ", its, " accesses or more to ", name, ", of ",
                traffic.accesses / rows, " of its block", law));
  }
};

// What each thread is to get: the fold of every `group` elements of x, or of the first `use` of
// them.
inline Tensor folded(const Values& x, Fold fold, int64_t group, int64_t use) {
  const int64_t rows = std::ssize(x) / group;
  std::vector<double> y;
  for (int64_t r = 0; r < rows; ++r) {
    double total = fold == Fold::sum ? 0 : -INFINITY;
    for (int64_t i = r * group; i < r * group + use; ++i) {
      total = fold == Fold::sum ? total + double{x[i]} : std::max(total, double{x[i]});
    }
    y.insert(y.end(), group, total);
  }
  return Tensor::from(y, {rows, group});
}
inline Tensor folded(const Values& x, Fold fold, int64_t group) {
  return folded(x, fold, group, group);
}

inline Values squares_of(const Values& x) {
  Values y = x;
  for (float& v : y) v *= v;
  return y;
}

inline constexpr Tolerance kFloat = {.relative = 1e-5, .absolute = 1e-6};

// All numbers of a group of rows * cols results, of which those `apart` from each other are to be
// the same: a failure unless they are, to the last bit.
inline void expect_same_bits(const std::string& what, const Values& y, int64_t group,
                             int64_t apart) {
  for (int64_t i = 0; i < std::ssize(y); ++i) {
    const int64_t first = i / group * group + i % apart;
    if (std::bit_cast<uint32_t>(y[i]) == std::bit_cast<uint32_t>(y[first])) continue;
    return expect(false, text("thread ", i % group, " and thread ", first % group, " have ", what,
                              " with other last bits: all of them have to add in one and the same "
                              "order, or what they decide by it differs."));
  }
}

// The numbers of elements that blocks of 64 threads meet: a part of a block, whole blocks, one more
// and one less.
inline std::vector<int> draw_counts(Draw& draw) {
  const auto blocks = static_cast<int>(64 * draw.between(5, 7));
  const auto some = static_cast<int>(draw.between(2, 62));
  return {blocks + some, some, blocks, blocks + 1, blocks - 1, 1, 64};
}

// Rows of fewer elements than a warp has lanes, and of more than a block has threads; of one
// element, and of as many as fill each round of the block's threads.
struct Size {
  int64_t rows, cols;
  Shape shape() const { return {rows, cols}; }
  int64_t count() const { return rows * cols; }
};
inline std::vector<Size> draw_sizes(Draw& draw) {
  return {{draw.between(2, 4), draw.between(2, 31)},
          {draw.between(2, 4), draw.between(33, 200)},
          {2, 32 * draw.between(1, 4)},
          {2, draw.between(1030, 1100)},
          {3, 1}};
}

// As many rows as columns: the largest number of row r stands in column r, 150 above most of the
// others, and one is 150 below these. Each row lies 500 above the one before.
struct FarApart {
  Size size;
  Values x;
};
inline FarApart far_apart(Draw& draw) {
  const int64_t cols = draw.between(33, 40);
  Values x = draw_values(draw, cols * cols);
  for (int64_t r = 0; r < cols; ++r) {
    x[r * cols + r] += 150;
    x[r * cols + (r + 1) % cols] -= 150;
    for (int64_t i = 0; i < cols; ++i) x[r * cols + i] += 500 * static_cast<float>(r - 2);
  }
  return {{cols, cols}, x};
}
inline const char* const kLargest =
    "exp(150) is infinite in f32, and exp(-150) is 0. Is the largest number of its own row taken "
    "from each exponent, wherever it stands, and does it count in the sum?";

// softmax of each row, or its logarithm, in f64.
inline Tensor by_loops(const Tensor& x, bool log) {
  std::vector<double> y = x.to_vector();
  const int64_t cols = x.shape().back();
  for (auto row = y.begin(); row != y.end(); row += cols) {
    const double max = *std::max_element(row, row + cols);
    const double log_sum = std::log(std::accumulate(
        row, row + cols, 0.0, [&](double sum, double v) { return sum + std::exp(v - max); }));
    std::for_each(row, row + cols, [&](double& v) {
      v -= max + log_sum;
      if (!log) v = std::exp(v);
    });
  }
  return Tensor::from(y, x.shape());
}

inline double dot(const Values& a, const Tensor& b) {
  const std::vector<double> y = b.to_vector();
  double sum = 0;
  for (size_t i = 0; i < y.size(); ++i) sum += double{a[i]} * y[i];
  return sum;
}

inline Values floats(const Tensor& x) {
  const std::vector<double> values = x.to_vector();
  return {values.begin(), values.end()};
}

}  // namespace heed::lab
