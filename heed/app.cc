#include "heed/app.h"

#include <CLI/CLI.hpp>

#include "heed/command.h"
#include "heed/help.h"
#include "heed/messages.h"
#include "heed/option_file.h"
#include "tensor/kernels/matmul.h"
#include "tensor/parallel.h"

namespace heed {

CommonPtr add_common(CLI::App& command, const Uses& uses) {
  auto common = std::make_shared<Common>();
  const InGroup group(command, kGeneral);
  if (*uses.seed) option(command, "--seed", common->seed, uses.seed);
  if (uses.device) {
    option(command, "--threads", common->threads, "Threads; 0: one per core",
           whole_number(0, 1024));
    option(command, "--device", common->device, "cpu or cuda[:k]");
    option(command, "--matmul", common->matmul,
           "Precision of matrix products: f32; bf16, less exact, and faster where the processor "
           "has instructions for it; on a GPU also tf32, the default there except for `heed "
           "verify`",
           one_of({"f32", "tf32", "bf16"}));
  }
  command.fallthrough();  // --config may follow the command
  return common;
}

std::string matmul_of(const Common& common) {
  if (!common.matmul.empty()) return common.matmul;
  return common.device == "cpu" ? "f32" : "tf32";
}

Device start(const Common& common) {
  set_num_threads(common.threads);
  const Device device = Device::parse(common.device);
  const std::string matmul = matmul_of(common);
  if (matmul == "f32") return device;
  if (matmul == "tf32" && !device.is_cuda()) {
    throw UsageError(
        "--matmul tf32 only applies with --device cuda: the CPU multiplies in f32 or bf16");
  }
  set_matmul(matmul == "tf32" ? Matmul::tf32 : Matmul::bf16);
  if (!device.is_cuda() && cpu::bf16_tile() == cpu::Bf16Tile::plain) {
    note("--matmul bf16: this processor has no instructions for it, and is faster in f32");
  }
  return device;
}

static const char* const kStartHere =
    "Start here:\n  heed train --data data/ubuntu-sample --out runs/first --preset "
    "smoke\n  heed evaluate --model runs/first --data data/ubuntu-sample\n"
    "  heed show --model runs/first --data data/ubuntu-sample\n"
    "`heed help COMMAND` explains a command. Options can also be read from a file, "
    "under the name of their command:\n"
    "  [train]\n  preset = \"smoke\"\n"
    "  out = \"runs/first\"\n"
    "This command reads that file:\n"
    "  heed train --config my.toml --data data/ubuntu-sample";

std::unique_ptr<CLI::App> make_app() {
  auto owned = std::make_unique<CLI::App>(
      "heed trains models that respond in multi-turn dialogues, and measures how much attention "
      "distracting utterances draw (the DAS ratio) and how much their encoders know (probe tasks).",
      "heed");
  CLI::App& app = *owned;
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(kStartHere);
  app.set_version_flag("-v,--version",
                       "heed " + version() + " (commit " + commit() + "), " + capabilities());
  app.set_config("--config", "", "Read options from a TOML file with one [section] per command");
  app.config_formatter(std::make_shared<OptionFile>(app));
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.require_subcommand(1);
#define HEED_ADD(name) add_##name(app);
  HEED_COMMANDS(HEED_ADD, HEED_ADD)
#undef HEED_ADD
  add_help(app);
  check_numbers(app);
  protect_files(app);
  return owned;
}

}  // namespace heed
