// Ranks of one machine, which have in memory once what all of them read.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "train/ranks.h"

namespace heed {

// Lists of elements that say how they are put into bytes and got out of them.
template <class T> void put(BytesOut& out, const std::vector<T>& list) {
  out.put(list.size());
  for (const T& value : list) put(out, value);
}
template <class T> void get(BytesIn& in, std::vector<T>& list) {
  list = std::vector<T>(in.get<size_t>());
  for (T& value : list) get(in, value);
}

// One of the ranks of a machine, the first, reads for the others. They are on one machine where
// they see each other's processes; one that may not look into the files of the first reads by
// itself.
class Neighbours {
 public:
  explicit Neighbours(Ranks& ranks);  // to be made, and used, by all ranks together

  bool reads() const {
    return reader_ == ranks_.rank();
  }                                      // for itself and the others of its machine
  bool alone() const { return alone_; }  // there are no others

  // What the reader has, in memory of the system that all of the machine see and nobody changes. It
  // has no name, so nothing is left behind, however a rank ends. None where the rank is alone, and
  // has it already. Throws Error where there is no memory for it.
  Bytes share(std::string_view bytes) const;
  // The same of a list of bytes (dialog/data/packed_list.h), which lies there then.
  template <class List> void share_list(List& list) const {
    Bytes ends = share(list.packed().ends()), rows = share(list.packed().rows());
    if (!alone_) list.set_packed({std::move(ends), std::move(rows)});
  }
  // The same of a value that put() writes into bytes and get() reads, which each has then in memory
  // of its own: for what is small, or needed in another form.
  template <class T> void share_copy(T& value) const {
    BytesOut out;
    if (reads() && !alone_) put(out, value);
    const Bytes bytes = share(out.bytes());
    if (reads()) return;
    BytesIn in(bytes.view());
    get(in, value);
  }

 private:
  Ranks& ranks_;
  int reader_ = 0;
  int reader_process_ = 0;
  bool alone_ = false;
};

}  // namespace heed
