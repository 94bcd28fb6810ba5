#pragma once

namespace heed {

// While one lives, new tensors of this thread have a shape and no memory. A model that is made then
// can be counted and its parameters can be named, whatever its sizes.
//
// Such a tensor stays one, as do its views: whatever reads or writes its numbers throws
// InternalError. Values that a new tensor is given (full(), from(), of()) are dropped. Tensors that
// were there before are read and filled as ever; an op that makes a new tensor of their numbers,
// such as clone(), throws InternalError.
class ShapesOnly {
 public:
  ShapesOnly();
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
  ShapesOnly& operator=(const ShapesOnly&) = delete;

 private:
  bool before_;
};

}  // namespace heed
