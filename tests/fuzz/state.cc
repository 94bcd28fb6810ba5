// state.json of a run, and the checkpoint that it names.
#include "dialog/respond/models/lstm.h"
#include "optim/optim.h"
#include "tests/fuzz/fuzz.h"
#include "train/checkpoint.h"

namespace {

heed::LstmResponder small_model() {
  heed::ModelConfig config;
  config.structure = heed::Structure::parse("static");
  config.vocab_size = 6;
  config.embedding_size = config.hidden_size = 2;
  config.num_layers = 1;
  return {config, 1};
}

// A folder with the checkpoint that good states name.
const std::string& run_folder(heed::LstmResponder& model, const heed::Optimizer& optimizer) {
  static const heed::fuzz::Folder folder;
  heed::TrainState state;
  state.step = 1;
  heed::save_checkpoint(folder.path(), state, heed::checkpoint_tensors(model, optimizer));
  return folder.path();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static heed::LstmResponder model = small_model();
  static const heed::Adam optimizer(model);
  static const std::string folder = run_folder(model, optimizer);
  heed::fuzz::write(folder + "/state.json", data, size);
  heed::fuzz::tolerate([&] {
    const auto state = heed::load_checkpoint(folder, heed::checkpoint_tensors(model, optimizer));
    heed::fuzz::must(state && state->epoch >= 0 && state->step >= 0 && state->schedule.rate > 0);
  });
  return 0;
}
