#include "train/ranks.h"

#include <chrono>

#include "tensor/error.h"
#include "train/lock.h"

namespace heed {
namespace {

class Alone : public Ranks {
 public:
  Alone() : Ranks(0, 1) {}

 private:
  std::vector<std::string> deliver(const std::vector<std::string_view>& blocks) override {
    return {std::string(blocks[0])};
  }
};

}  // namespace

std::vector<std::string> Ranks::exchange(const std::vector<std::string_view>& blocks) {
  check_internal(std::ssize(blocks) == size_, "a block for each rank");
  for (int r = 0; r < size_; ++r) {
    if (r != rank_) bytes_sent_ += std::ssize(blocks[static_cast<size_t>(r)]);
  }
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::string> got = deliver(blocks);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  seconds_ += took.count();
  return got;
}

std::vector<std::string> Ranks::gather(std::string_view block) {
  return exchange(std::vector<std::string_view>(static_cast<size_t>(size_), block));
}

std::string Ranks::of_first(std::string_view block) {
  return gather(first() ? block : std::string_view())[0];
}

bool Ranks::any(bool mine) {
  if (size_ == 1) return mine;
  const char byte = mine ? 1 : 0;
  for (const std::string& theirs : gather({&byte, 1})) {
    if (theirs[0] != 0) return true;
  }
  return false;
}

Ranks& alone() {
  static Alone one;
  return one;
}

std::string name_of_rank(int rank, int size) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(size) + " on " + host_name();
}

}  // namespace heed
