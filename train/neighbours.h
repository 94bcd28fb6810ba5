// Ranks of one machine, which have in memory once what all of them read.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "train/ranks.h"

namespace heed {

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

 private:
  Ranks& ranks_;
  int reader_ = 0;
  int reader_process_ = 0;
  bool alone_ = false;
};

}  // namespace heed
