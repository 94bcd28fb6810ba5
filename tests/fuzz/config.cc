// config.json of a model directory.
#include "dialog/respond/config.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const heed::fuzz::Folder folder;
  folder.write("config.json", data, size);
  heed::fuzz::tolerate([&] { heed::load_config(folder.path()).check(); });
  // A whole model: nothing may be allocated for sizes that the other files do not have.
  heed::fuzz::tolerate([&] {
    static const std::string words = "<pad>\n<unk>\n<sos>\n<eos>\n<eou>\nword\n";
    folder.write("vocab.txt", reinterpret_cast<const uint8_t*>(words.data()), words.size());
    folder.write("model.safetensors", data, size);
    heed::load_model(folder.path());
  });
  return 0;
}
