#include <iostream>

#include "tensor/parallel.h"
#include "tensor/tensor.h"

int main() {
  heed::set_num_threads(1);
  const heed::Tensor x = heed::Tensor::full({2, 2}, 0.5);
  std::cout << "heed on " << heed::num_threads() << " thread: " << x.str() << "\n";
}
