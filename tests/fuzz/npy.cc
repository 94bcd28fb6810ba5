// A .npy file; the tensor is at most four times as large as it, and is read back as it was written.
#include "tensor/npy.h"
#include "tensor/compare.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const heed::fuzz::Folder folder;
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    const heed::Tensor tensor = heed::load_npy(file.path());
    heed::fuzz::must(tensor.bytes() <= 4 * static_cast<int64_t>(size));
    const std::string again = folder.path() + "/again.npy";
    heed::save_npy(again, tensor);
    const heed::Tolerance exact{.relative = 0, .absolute = 0, .nan_equal = true};
    heed::fuzz::must(heed::allclose(heed::load_npy(again), tensor, exact));
  });
  return 0;
}
