// A safetensors file; the tensors are no larger than it.
#include "nn/safetensors.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    int64_t bytes = 0;
    for (const auto& [name, tensor] : heed::load_tensors(file.path())) bytes += tensor.bytes();
    heed::fuzz::must(bytes <= static_cast<int64_t>(size));
  });
  return 0;
}
