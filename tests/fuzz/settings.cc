// settings.json and log.jsonl of a run.
#include "dialog/respond/run.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const heed::fuzz::Folder folder;
  static const std::string config =
      R"({"structure": "static", "vocab_size": 6, "embedding_size": 2, "hidden_size": 2,
          "num_layers": 1, "lstm_bias": false, "dropout": 0.2})";
  folder.write("config.json", reinterpret_cast<const uint8_t*>(config.data()), config.size());
  folder.write("settings.json", data, size);
  heed::fuzz::tolerate([&] { heed::load_settings(folder.path()).check(); });
  heed::fuzz::tolerate([&] { heed::load_example_options(folder.path()); });
  return 0;
}
