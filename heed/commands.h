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

void add_adversary(CLI::App& app);
void add_bench(CLI::App& app);
void add_chat(CLI::App& app);
void add_compare(CLI::App& app);
void add_diff(CLI::App& app);
void add_discriminate(CLI::App& app);
void add_distract(CLI::App& app);
void add_encode(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_export(CLI::App& app);
void add_features(CLI::App& app);
void add_generate(CLI::App& app);
void add_import(CLI::App& app);
void add_info(CLI::App& app);
void add_judge(CLI::App& app);
void add_log(CLI::App& app);
void add_plot(CLI::App& app);
void add_prepare(CLI::App& app);
void add_prepare_split(CLI::App& prepare);  // a command of prepare
void add_probe(CLI::App& app);
void add_rank(CLI::App& app);
void add_report(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_respond(CLI::App& app);
void add_score(CLI::App& app);
void add_show(CLI::App& app);
void add_sweep(CLI::App& app);
void add_train(CLI::App& app);
void add_verify(CLI::App& app);
void add_watch(CLI::App& app);

}  // namespace heed
