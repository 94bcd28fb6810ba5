// Processes that work together, on one machine or on several. Each has a rank: 0, 1 ... size - 1.
// All of them call the functions below in the same order; a call returns when the others have
// called it too.
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
  bool first() const { return rank_ == 0; }  // it reads and writes files for all
  // Whether any thread may call the functions below, one at a time, while others compute.
  virtual bool any_thread() const { return true; }

  // blocks[r] is for rank r; result[r] is the block from rank r for this one.
  std::vector<Bytes> exchange(const std::vector<std::string_view>& blocks);
  std::vector<std::string> gather(std::string_view block);        // result[r]: the block of rank r
  template <class T> std::vector<T> gather_values(const T& own);  // what a BytesOut writes
  std::string of_first(std::string_view block);  // the block of rank 0; the others' are ignored
  unsigned any(unsigned bits);                   // the bits that are set on at least one rank

  // Abandons the collective operation when this rank cannot continue. On every other rank the
  // current or next collective call throws OtherGaveUp, unless that rank gives up as well.
  // Afterwards all ranks are in step again.
  void give_up();

  // Ends this process and all others, from any thread and whatever this one is waiting for. Prints
  // `why` after the name of this rank.
  [[noreturn]] virtual void fail(const std::string& why);

  // So far: bytes sent to other ranks, and the time of all calls, including the time of waiting for
  // the others, less the time in which another thread continued to work.
  int64_t bytes_sent() const { return bytes_sent_; }
  double seconds() const { return seconds_; }
  void count_beside(double seconds) { seconds_ -= seconds; }
  // Of these bytes, those that a carrier (train/carrier.h) sent from GPU to GPU. Their time is not
  // in seconds().
  int64_t bytes_from_gpu() const { return bytes_from_gpu_; }
  void count_from_gpu(int64_t bytes) {
    bytes_sent_ += bytes;
    bytes_from_gpu_ += bytes;
  }

 private:
  // No blocks: this rank gives up. No result: one of the ranks has given up.
  virtual std::vector<Bytes> deliver(const std::vector<std::string_view>& blocks) = 0;

  const int rank_, size_;
  int64_t bytes_sent_ = 0, bytes_from_gpu_ = 0;
  double seconds_ = 0;
};

template <class T> std::vector<T> Ranks::gather_values(const T& own) {
  BytesOut out;
  out(own);
  std::vector<T> all;
  for (const std::string& of_rank : gather(out.bytes())) {
    BytesIn in(of_rank);
    in(all.emplace_back());
  }
  return all;
}

struct OtherGaveUp : Error {
  OtherGaveUp() : Error("ranks: another one gave up") {}
};

// This process by itself: rank 0 of 1.
Ranks& alone();

// "rank 3 of 8 on HOST"
std::string name_of_rank(int rank, int size);

}  // namespace heed
