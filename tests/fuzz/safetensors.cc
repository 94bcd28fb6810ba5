// A safetensors file; the tensors are at most four times as large as it.
#include "nn/safetensors.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    int64_t bytes = 0;
    for (const auto& [name, tensor] : heed::load_tensors(file.path())) bytes += tensor.bytes();
    heed::fuzz::must(bytes <= 4 * static_cast<int64_t>(size));
  });
  return 0;
}
