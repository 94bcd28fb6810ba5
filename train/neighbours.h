// Lets the ranks of one machine share a single in-memory copy of the data that all of them read.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "train/ranks.h"

namespace heed {

// The first rank of a machine reads for the others. Ranks are on one machine if they see each
// other's processes. A rank without permission to open the first one's files reads for itself.
class Neighbours {
 public:
  explicit Neighbours(Ranks& ranks);  // made and used by all ranks together

  bool reads() const {
    return reader_ == ranks_.rank();
  }                                      // for itself and the others of its machine
  bool alone() const { return alone_; }  // there are no others

  // The reader's bytes, in read-only shared memory of the machine. The memory has no name, so
  // nothing is left behind, however a rank ends. Empty if the rank is alone: it has the bytes
  // already. Throws Error if there is no memory for them.
  Bytes share(std::string_view bytes) const;
  // The same for a packed list (dialog/data/packed_list.h), which is in shared memory afterwards.
  template <class List> void share_list(List& list) const {
    Bytes ends = share(list.packed().ends()), rows = share(list.packed().rows());
    if (!alone_) list.set_packed({std::move(ends), std::move(rows)});
  }
  // The same for a value that BytesOut writes and BytesIn reads. Each rank has its own copy
  // afterwards: for small values, and for those needed in another form.
  template <class T> void share_copy(T& value) const {
    BytesOut out;
    if (reads() && !alone_) out(value);
    const Bytes bytes = share(out.bytes());
    if (reads()) return;
    BytesIn in(bytes.view());
    in(value);
  }

 private:
  Ranks& ranks_;
  int reader_ = 0;
  int reader_process_ = 0;
  bool alone_ = false;
};

}  // namespace heed
