#include "train/ranks.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "train/lock.h"

namespace heed {
namespace {

class Alone : public Ranks {
 public:
  Alone() : Ranks(0, 1) {}

 private:
  std::vector<Bytes> deliver(const std::vector<std::string_view>& blocks) override {
    if (blocks.empty()) return {};
    Bytes own(blocks[0].size());
    if (own.size() > 0) std::memcpy(own.data(), blocks[0].data(), own.size());
    return {own};
  }
};

}  // namespace

std::vector<Bytes> Ranks::exchange(const std::vector<std::string_view>& blocks) {
  check_internal(std::ssize(blocks) == size_, "a block for each rank");
  for (int r = 0; r < size_; ++r) {
    if (r != rank_) bytes_sent_ += std::ssize(blocks[static_cast<size_t>(r)]);
  }
  const double begin = now();
  std::vector<Bytes> got = deliver(blocks);
  seconds_ += now() - begin;
  if (got.empty()) throw OtherGaveUp();
  return got;
}

void Ranks::give_up() {
  deliver({});
}

std::vector<std::string> Ranks::gather(std::string_view block) {
  std::vector<std::string> texts;
  for (const Bytes& of_rank :
       exchange(std::vector<std::string_view>(static_cast<size_t>(size_), block))) {
    texts.emplace_back(of_rank.view());
  }
  return texts;
}

// Who has it hands it on: after k rounds 2^k ranks have it.
std::string Ranks::of_first(std::string_view block) {
  std::string mine(first() ? block : std::string_view());
  for (int have = 1; have < size_; have *= 2) {
    std::vector<std::string_view> blocks(static_cast<size_t>(size_));
    if (rank_ < have && rank_ + have < size_) blocks[rank_ + have] = mine;
    const std::vector<Bytes> got = exchange(blocks);
    if (rank_ >= have && rank_ < 2 * have) mine = got[rank_ - have].view();
  }
  return mine;
}

unsigned Ranks::any(unsigned bits) {
  if (size_ == 1) return bits;
  for (const unsigned of_rank : gather_values(bits)) bits |= of_rank;
  return bits;
}

void Ranks::fail(const std::string& why) {
  std::fprintf(stderr, "heed: %s: %s\n", name_of_rank(rank_, size_).c_str(), why.c_str());
  ::_exit(1);
}

Ranks& alone() {
  static Alone one;
  return one;
}

std::string name_of_rank(int rank, int size) {
  return "rank " + std::to_string(rank) + " of " + std::to_string(size) + " on " + host_name();
}

}  // namespace heed
