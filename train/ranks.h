// Processes that do one piece of work together, on one machine or on several. Each has a rank: 0, 1
// ... size - 1. All of them call the functions below in the same order; a call returns when the
// others have called it too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/bytes.h"

namespace heed {

class Ranks {
 public:
  Ranks(int rank, int size) : rank_(rank), size_(size) {}
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool first() const { return rank_ == 0; }  // who reads and writes files for all
  // Whether any thread may call the functions below, one at a time, while others compute.
  virtual bool any_thread() const { return true; }

  // blocks[r] is for rank r; result[r] is what rank r had for this one.
  std::vector<Bytes> exchange(const std::vector<std::string_view>& blocks);
  std::vector<std::string> gather(std::string_view block);  // result[r]: that of rank r
  std::string of_first(std::string_view block);  // that of rank 0; the others' is ignored
  unsigned any(unsigned bits);                   // those that are set on some rank

  // Ends what the ranks do together, where this one cannot go on: the others' call, the one that
  // they wait in or come to next, throws OtherGaveUp, unless they give up too. Then all can go on
  // with something else.
  void give_up();

  // Ends this process, from any thread and whatever it waits for, and with it the others. `why` is
  // what is said, behind the name of this rank.
  [[noreturn]] virtual void fail(const std::string& why);

  // So far: bytes to other ranks, and the time of all calls, waiting for the others included, less
  // that in which another thread went on with the work.
  int64_t bytes_sent() const { return bytes_sent_; }
  double seconds() const { return seconds_; }
  void count_beside(double seconds) { seconds_ -= seconds; }
  // Of the bytes those that a carrier (train/carrier.h) has sent from GPU to GPU, which is in no
  // second of the host.
  int64_t bytes_from_gpu() const { return bytes_from_gpu_; }
  void count_from_gpu(int64_t bytes) {
    bytes_sent_ += bytes;
    bytes_from_gpu_ += bytes;
  }

 private:
  // No blocks: this rank gives up. No result: one has.
  virtual std::vector<Bytes> deliver(const std::vector<std::string_view>& blocks) = 0;

  const int rank_, size_;
  int64_t bytes_sent_ = 0, bytes_from_gpu_ = 0;
  double seconds_ = 0;
};

struct OtherGaveUp : Error {
  OtherGaveUp() : Error("ranks: another one gave up") {}
};

// This process by itself: rank 0 of 1.
Ranks& alone();

// "rank 3 of 8 on HOST"
std::string name_of_rank(int rank, int size);

}  // namespace heed
