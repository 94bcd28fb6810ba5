#include "heed/app.h"

#include <charconv>

#include "heed/commands.h"
#include "tensor/error.h"
#include "tensor/kernels/isa.h"
#include "tensor/parallel.h"

namespace heed {

CommonPtr add_common(CLI::App& command) {
  auto common = std::make_shared<Common>();
  command.add_option("--device", common->device, "cpu or cuda[:k]")->capture_default_str();
  command
      .add_option("--matmul", common->matmul,
                  "How a GPU multiplies: f32, or faster and less exactly tf32 or bf16")
      ->check(CLI::IsMember({"f32", "tf32", "bf16"}))
      ->capture_default_str();
  command.add_option("--threads", common->threads, "Threads; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_option("--seed", common->seed, "Seed of all random numbers")->capture_default_str();
  command.fallthrough();  // --config may stand behind the command
  return common;
}

Device start(const Common& common) {
  set_num_threads(common.threads);
  const Device device = Device::parse(common.device);
  if (common.matmul == "f32") return device;
  if (!device.is_cuda()) {
    throw UsageError("--matmul " + common.matmul +
                     " is for --device cuda: the CPU multiplies in f32");
  }
  set_matmul(common.matmul == "tf32" ? Matmul::tf32 : Matmul::bf16);
  return device;
}

namespace {

template <class Integer>
std::string check_whole_number(const std::string& text, const char* expected) {
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stopped == end) return "";
  return std::string("expected ") + expected + ", got '" + text + "'";
}

// CLI11 reads -1 as a large unsigned number, and cuts a number that is too large.
void check_whole_numbers(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options([](CLI::Option*) { return true; })) {
      const std::string type = option->get_type_name();
      if (type.rfind("UINT", 0) == 0) {
        option->check([](const std::string& text) {
          return check_whole_number<uint64_t>(text, "a whole number from 0");
        });
      } else if (type.rfind("INT", 0) == 0) {
        option->check([](const std::string& text) {
          return check_whole_number<int64_t>(text, "a whole number");
        });
      }
    }
    check_whole_numbers(*command);
  }
}

}  // namespace

std::unique_ptr<CLI::App> make_app() {
  auto owned = std::make_unique<CLI::App>(
      "heed trains LSTM sequence-to-sequence models on multi-turn dialogues and measures\n"
      "how much of their attention distracting utterances steal (the DAS ratio).",
      "heed");
  CLI::App& app = *owned;
  app.footer(
      "Start here:\n"
      "  heed train    --data data/ubuntu-sample --out runs/first --preset smoke\n"
      "  heed evaluate --model runs/first --data data/ubuntu-sample/test.jsonl.gz\n"
      "  heed show     --model runs/first --data data/ubuntu-sample/test.jsonl.gz\n"
      "`heed COMMAND --help` explains a command. Every option can also stand in a file:\n"
      "  heed train --config my.toml       with   [train]  preset=\"smoke\"  out=\"runs/first\"");
  app.set_version_flag("--version",
                       std::string("heed ") + HEED_VERSION + ", kernels for " + cpu::isa());
  app.set_config("--config", "", "Read options from a TOML file, one [section] a command");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.require_subcommand(1);
  add_train(app);
  add_evaluate(app);
  add_score(app);
  add_show(app);
  add_chat(app);
  add_prepare(app);
  add_reproduce(app);
  add_report(app);
  add_verify(app);
  add_bench(app);
  check_whole_numbers(app);
  return owned;
}

}  // namespace heed
