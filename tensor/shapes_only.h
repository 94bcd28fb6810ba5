#pragma once

#include "base/scoped_value.h"

namespace heed {

// While one exists, new tensors of this thread have a shape and no memory. The parameters of a
// model made meanwhile can be counted and named, whatever its sizes.
//
// Such a tensor and its views never get memory: reading or writing their numbers throws
// InternalError. The values given to a new tensor (full(), from(), of()) are dropped. Tensors made
// before are read and filled as usual, but an op that makes a new tensor of their numbers, such as
// clone(), throws InternalError.
class ShapesOnly {
 public:
  ShapesOnly();

 private:
  const ScopedValue<bool> active_;
};

}  // namespace heed
