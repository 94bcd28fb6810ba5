// Lab 1, task product: judged by the cache misses that a model of a cache counts.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "labs/01-memory/cache.h"
#include "labs/01-memory/counted.h"
#include "labs/01-memory/products.h"

namespace heed::lab {
namespace {

// The misses of a product in a cache, and in which memory. With 8 ways every fifth row of some
// widths falls into the same sets (820 bytes; 4100 = 4096 + 4): that is not what is judged here, so
// there are 64.
class Misses : public Watcher {
 public:
  explicit Misses(int64_t bytes) : cache_(bytes, 64, 64) {}
  void of(char name, const std::vector<Counted>& memory) {
    parts_.push_back({name, memory.data(), memory.data() + memory.size()});
  }
  void touch(const void* at, int64_t bytes) override {
    const int64_t before = cache_.misses();
    cache_.touch(at, bytes);
    if (cache_.misses() == before) return;
    for (Part& part : parts_) {
      if (at >= part.first && at < part.last) return void(++part.misses);
    }
    ++elsewhere_;
  }
  const Cache& cache() const { return cache_; }

  // How often each line of A, B and C came into the cache.
  std::string str() const {
    std::string lines;
    for (const Part& part : parts_) {
      const auto count = static_cast<double>(part.last - part.first) / 16;
      char times[32];
      std::snprintf(times, sizeof times, "%.1f", static_cast<double>(part.misses) / count);
      lines += text(lines.empty() ? "a line of " : ", one of ", std::string(1, part.name),
                    " came into the cache ", times, " times");
    }
    return lines + (elsewhere_ > 0 ? text(", and ", elsewhere_, " misses were elsewhere") : "");
  }
  char most() const {
    const auto part =
        std::max_element(parts_.begin(), parts_.end(),
                         [](const Part& a, const Part& b) { return a.misses < b.misses; });
    return part->misses > elsewhere_ ? part->name : ' ';
  }

 private:
  struct Part {
    char name;
    const Counted *first, *last;
    int64_t misses = 0;
  };

  Cache cache_;
  std::vector<Part> parts_;
  int64_t elsewhere_ = 0;
};

// Cache misses for each multiplication. Nothing but the product is counted.
double misses(Draw& draw, Sizes x, bool tb, Misses& found) {
  // Rows of B begin with a line, so that blocks take the lines that one would think, and are an odd
  // number of lines apart: else they would fall into few sets.
  constexpr int64_t kLine = 16;
  const int64_t lines = (tb ? x.k : x.n) / kLine + 1, ldb = (lines + 1 - lines % 2) * kLine;
  std::vector<Counted> a(x.m * x.k, 1), b((tb ? x.n : x.k) * ldb + kLine, draw.uniform(-1, 1)),
      c(x.m * x.n, 0);
  const auto past = reinterpret_cast<uintptr_t>(b.data()) / sizeof(Counted) % kLine;
  const Counted* const first = b.data() + (kLine - past) % kLine;
  found.of('A', a);
  found.of('B', b);
  found.of('C', c);
  set_num_threads(1);
  {
    const Watch watch(&found);
    cpu::gemm<Counted>({c.data(), x.m, x.n, x.n}, {a.data(), x.m, x.k, x.k},
                       {first, x.k, x.n, ldb, tb}, Write::assign);
  }
  // A tile that stays in registers reads less than two numbers for each multiplication.
  expect(
      found.cache().touched() >= x.m * x.n * x.k / 8,
      text("for ", x.m * x.n * x.k, " multiplications ", found.cache().touched(),
           " numbers of type T were read and written: either something is left out, or it is "
           "done with numbers of another type, which nobody counts. With T, auto is one: T times "
           "T is a float."));
  return static_cast<double>(found.cache().misses()) / static_cast<double>(x.m * x.n * x.k);
}

// Few rows of A, and then few columns of B, beside columns that do not fit into the cache: so what
// is copied first is used often, and each of the six orders has a matrix that it walks down.
LAB_CHECK(WalksAlongRows) {
  Draw draw;
  const int64_t few = draw.between(18, 24), many = draw.between(150, 180);
  for (const Sizes& sizes : {Sizes{few, many, many}, Sizes{many, few, many}}) {
    for (const bool transposed : {false, true}) {
      Misses found(8 << 10);
      const double share = misses(draw, sizes, transposed, found);
      expect(
          share < 0.2,
          text(share, " cache misses for each multiplication of A (", sizes.m, ", ", sizes.k,
               ") with B", transposed ? "^T" : "", " (", sizes.k, ", ", sizes.n, "): ", found.str(),
               ". A line has 16 numbers that are neighbours in memory, and most were gone before "
               "they were used. Which index does your innermost loop count, and where are the "
               "next elements?"));
    }
  }
}

// Without blocks there is a miss for every 16, with two rows of A at a time for every 32.
LAB_CHECK(BlocksAreUsedAgain) {
  constexpr int kLeast = 40;
  Draw draw;
  const Sizes sizes = {draw.between(48, 60), draw.between(190, 210), draw.between(190, 210)};
  for (const bool transposed : {false, true}) {
    Misses found(32 << 10);
    const double share = misses(draw, sizes, transposed, found);
    const std::string advice =
        found.most() == 'B'   ? "use a block of B for many rows of A while it is there."
        : found.most() == 'C' ? "use a part of C for many rows of B while it is there."
        : found.most() == 'A' ? "use a part of A for many columns of B while it is there."
                              : "is memory of your own larger than that?";
    expect(share < 1.0 / kLeast,
           text("one cache miss for every ", share > 0 ? static_cast<int>(1 / share) : 0,
                " multiplications with B", transposed ? "^T" : "", " (", sizes.k, ", ", sizes.n,
                "); at most one for every ", kLeast, ". Of ", sizes.m, " rows of A: ", found.str(),
                ". The cache holds 8192 numbers: ", advice));
  }
}

}  // namespace
}  // namespace heed::lab
