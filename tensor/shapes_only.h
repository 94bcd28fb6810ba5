#pragma once

namespace heed {

// While one lives, new tensors of this thread have a shape and no memory. A model that is made then
// can be counted and its parameters can be named, whatever its sizes; its numbers cannot be
// touched.
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
