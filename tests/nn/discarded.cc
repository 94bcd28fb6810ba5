// Compiled by a test, which expects each of these lines to be refused (cmake/HeedTests.cmake): an
// op changes none of its inputs, so a discarded result is a mistake.
#include "heed.h"

void discard(heed::Module& model, const heed::Var& x, const heed::Packing& packing) {
#if DISCARD == 1
  heed::relu(x);
#elif DISCARD == 2
  x.value().to(heed::DType::f64);
#elif DISCARD == 3
  heed::lstm(packing, x, x);
#elif DISCARD == 4
  heed::top_k(x, 1);
#elif DISCARD == 5
  heed::parameters(model);
#elif DISCARD == 6
  x + x;
#elif DISCARD == 7
  heed::split(x, {1, 1}, 0);
#elif DISCARD == 8
  packing.segments().first(1);
#elif DISCARD == 9
  packing.segments().select({0});
#elif DISCARD == 10
  heed::attend(x, x, packing.segments());
#elif DISCARD == 11
  heed::Lstm(1, 1)(packing, x);
#elif DISCARD == 12
  heed::TransformerEncoderLayer(8)(x, {packing.segments(), packing.segments()});
#elif DISCARD == 13
  heed::allclose(x.value(), x.value());
#elif DISCARD == 14
  heed::mismatch(x.value(), x.value());
#elif DISCARD == 15
  heed::DetectAnomaly();
#else
  (void)heed::relu(x), (void)heed::lstm(packing, x, x), (void)heed::parameters(model);
#endif
}
