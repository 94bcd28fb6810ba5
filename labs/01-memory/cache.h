// A cache as a model, to count misses where a machine's counters cannot be read. Memory comes in
// lines; a line can lie in the ways of one set only, and the one that was used longest ago makes
// room (LRU).
//
//   Cache cache(32 << 10);                      // an L1: 32 KiB, lines of 64 bytes, 8 ways
//   cache.touch(&x[i], sizeof(x[i]));           // for every read and write
//   cache.misses();
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heed::lab {

class Cache {
 public:
  // bytes is a multiple of line * ways; ways = bytes / line is a fully associative cache.
  explicit Cache(int64_t bytes, int64_t line = 64, int64_t ways = 8)
      : line_(line), sets_(static_cast<size_t>(bytes / (line * ways))) {
    for (std::vector<Way>& set : sets_) set.resize(static_cast<size_t>(ways));
  }

  // Reads or writes [at, at + bytes).
  void touch(const void* at, int64_t bytes) {
    const int64_t address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(at));
    for (int64_t line = address / line_; line <= (address + bytes - 1) / line_; ++line) use(line);
  }

  int64_t touched() const { return now_; }  // lines, one touch after the other
  int64_t misses() const { return misses_; }

 private:
  struct Way {
    int64_t line = -1, used = 0;
  };

  void use(int64_t line) {
    std::vector<Way>& set = sets_[static_cast<size_t>(line) % sets_.size()];
    ++now_;
    auto way = std::find_if(set.begin(), set.end(), [&](const Way& w) { return w.line == line; });
    if (way == set.end()) {
      ++misses_;
      way = std::min_element(set.begin(), set.end(),
                             [](const Way& a, const Way& b) { return a.used < b.used; });
    }
    *way = {line, now_};
  }

  int64_t line_, now_ = 0, misses_ = 0;
  std::vector<std::vector<Way>> sets_;
};

}  // namespace heed::lab
