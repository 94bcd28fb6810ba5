// The program on a CUDA device or its emulation.
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/devices.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// The same words at the same places, and fractions that differ by less than their last digit and a
// half: two devices add in different orders, and what is printed is rounded. The emulation does
// not.
void expect_same_table(const std::string& got, const std::string& expected) {
#ifdef HEED_CUDA_EMULATED
  EXPECT_EQ(got, expected);
#endif
  std::istringstream a(got), b(expected);
  for (std::string x, y; b >> y;) {
    ASSERT_TRUE(a >> x) << got;
    std::smatch parts;
    if (!std::regex_match(y, parts, std::regex("(-?[0-9]+)\\.([0-9]+)(%?)"))) {
      EXPECT_EQ(x, y);
      continue;
    }
    EXPECT_EQ(x.size(), y.size()) << x << " for " << y;
    const double digit = std::pow(10.0, -double(parts[2].length()));
    EXPECT_NEAR(std::strtod(x.c_str(), nullptr), std::strtod(y.c_str(), nullptr), 1.5 * digit)
        << got;
  }
  std::string more;
  EXPECT_FALSE(a >> more) << got;
}

class ProgramOnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_cuda()) GTEST_SKIP() << kNoCuda;
  }
  // The standard output of a command that succeeds, on cuda.
  static std::string on_cuda(const Arguments& command, const std::string& matmul = "f32") {
    const Result r = heed_program(command + Arguments{"--device", "cuda", "--matmul", matmul});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  }

  const TempDir dir;
};

TEST_F(ProgramOnCuda, EveryCommandGivesTheNumbersOfTheCpu) {
  EXPECT_TRUE(has(on_cuda(tiny_training(dir.path("run"))), "done: "));
  const Arguments score = {"score", "--model", kReference + "dynamic", "--data",
                           kReference + "dynamic/dialogs.jsonl"};
  expect_same_table(on_cuda(score), heed_program(score).out);
  const Arguments evaluate = {
      "evaluate", "--model", kReference + "static", "--data", kReference + "static/dialogs.jsonl",
      "--pool",   kDialogs};
  expect_same_table(on_cuda(evaluate), heed_program(evaluate).out);
  EXPECT_FALSE(has(on_cuda({"verify", kReference + "static-ui", "--dtype", "f32"}), "WRONG"));
  const Json bench = Json::parse(on_cuda({"bench", "--batch", "2", "--embed", "8", "--hidden", "8",
                                          "--layers", "1", "--vocab", "50", "--steps", "1"},
                                         "tf32"));
  EXPECT_EQ(bench.at("heed").at("matmul"), "tf32");
  EXPECT_GT(bench.at("tokens_per_s"), 0.0);
}

// What a training step of 4 layers and 101 time steps asks of the device: no more than this. With
// the batch, 4 of the time step's launches (two products, two kernels) make up 1600.
TEST_F(ProgramOnCuda, AStepAsksForNoMoreThanItDid) {
  struct Row {
    const char* structure;
    int64_t launches, host_waits, copies;
  };
  for (const auto& [structure, launches, host_waits, copies] :
       {Row{"static-ui", 1824, 1, 32}, Row{"dynamic", 2117, 1, 69}}) {
    SCOPED_TRACE(structure);
    const Json line = Json::parse(
        on_cuda({"bench", "--count", "--structure", structure, "--batch", "2", "--embed", "8",
                 "--hidden", "8", "--layers", "4", "--vocab", "50", "--steps", "1"}));
    EXPECT_LE(line.at("launches"), launches);
    EXPECT_GT(line.at("launches"), 1000);
    EXPECT_LE(line.at("host_waits"), host_waits);
    EXPECT_LE(line.at("copies"), copies);
    EXPECT_GT(line.at("copied_bytes"), 0);
  }
}

TEST_F(ProgramOnCuda, ADeviceThatFailsLeavesARunThatGoesOn) {
#ifdef HEED_CUDA_EMULATED
  const Arguments training = tiny_training(dir.path("run"));
  {
    const Environment little("HEED_EMULATED_BYTES", "20000");
    expect_failure(heed_program(training + Arguments{"--device", "cuda"}), 1,
                   "out of memory on cuda:0: asked for", "memory");
  }
  for (const char* copies : {"50", "200"}) {
    const Environment fault("HEED_EMULATED_FAULT", copies);
    expect_failure(heed_program(training + Arguments{"--device", "cuda", "--resume"}), 1,
                   "begin again (a run with --resume)", copies);
  }
  EXPECT_TRUE(has(on_cuda(training + Arguments{"--resume"}), "done: "));
#else
  GTEST_SKIP() << "a GPU is not broken for a test";
#endif
}

}  // namespace
}  // namespace heed
