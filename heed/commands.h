// The sub-commands of the program, one file each. add_X() declares its options and what runs when
// it is called; errors are thrown and become one line and an exit code in main().
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "tensor/device.h"

namespace heed {

// What several sub-commands have.
struct Common {
  std::string device = "cpu", matmul;  // empty: see matmul_of()
  int threads = 0;
  uint64_t seed = 1;
};
using CommonPtr = std::shared_ptr<Common>;

// What the options of every sub-command have.
struct CommandOptions {
  CommonPtr common;
  const CLI::App* command = nullptr;  // knows which options were given
};

// What of them a sub-command has: an option that would do nothing is not there.
struct Uses {
  bool device = true;  // it computes with tensors: --device, --matmul, --threads
  const char* seed = "Seed of all random numbers";  // what --seed is of; empty: nothing is random
};
// Declares them, and lets --config stand behind the command.
CommonPtr add_common(CLI::App& command, const Uses& uses = {});
// --matmul, or what a device does without: tf32 on CUDA, f32 on the CPU.
std::string matmul_of(const Common& common);
// Sets the number of threads and the precision of products, and returns the device; at the start of
// every sub-command.
Device start(const Common& common);

// The sub-commands in the order of `heed help`, DEMO(name) where a build for the demo alone
// (HEED_ALL_COMMANDS=OFF) has it, MORE(name) where it says how to get it.
// clang-format off
#define HEED_COMMANDS(DEMO, MORE) \
  DEMO(train) DEMO(evaluate) DEMO(score) DEMO(show) DEMO(chat) DEMO(respond) MORE(generate) \
  DEMO(compare) MORE(distract) MORE(features) MORE(probe) MORE(import) MORE(encode) MORE(export) \
  MORE(rank) MORE(ask) MORE(rewrite) MORE(carry) MORE(track) \
  MORE(judge) MORE(discriminate) MORE(adversary) MORE(info) MORE(log) MORE(plot) MORE(watch) MORE(diff) \
  DEMO(prepare) MORE(reproduce) MORE(report) MORE(sweep) MORE(verify) MORE(bench)
// clang-format on
#define HEED_DECLARE(name) void add_##name(CLI::App& app);
HEED_COMMANDS(HEED_DECLARE, HEED_DECLARE)
#undef HEED_DECLARE
void add_prepare_split(CLI::App& prepare);           // a command of prepare
void add_discriminate_test(CLI::App& discriminate);  // of discriminate

}  // namespace heed
