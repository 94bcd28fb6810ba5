// A kernel is declared once (x.h) and defined twice: cpu:: in x.cc and gpu:: in x.cu, the same
// functions in the same order; or once for both, in an x.cc that x.cu includes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths.h"

namespace {

namespace fs = std::filesystem;

const fs::path kKernels = fs::path(heed::source_dir()) / "tensor/kernels";

// Headers that declare nothing for a GPU: what this CPU is, and helpers.
const std::set<std::string> kCpuOnly = {"matmul", "peak"};
const std::set<std::string> kNoKernels = {"each",      "kernel",          "math",       "row_math",
                                          "columns",   "elementwise_ops", "gemm_pack",  "gemm_full",
                                          "gemm_bf16", "gemm_bf16_tiles", "gemm_eigen", "cells",
                                          "sums",      "attention_parts"};

// Without comments, and without what the preprocessor reads.
std::string code_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const std::string code = std::regex_replace(text.str(), std::regex("//[^\n]*"), "");
  return std::regex_replace(code, std::regex(R"(#(\\\n|[^\n])*)"), "");
}

std::vector<std::string> matches(const std::string& code, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(code.begin(), code.end(), pattern), end; it != end; ++it) {
    found.push_back((*it)[1]);
  }
  return found;
}

std::vector<std::string> declared(const std::string& stem) {
  return matches(code_of(kKernels / (stem + ".h")),
                 std::regex(R"(HEED_KERNEL\((?:template <[^>]*>\s*)?void\s+(\w+)\()"));
}

// The functions that a .cc or .cu defines for use elsewhere, out of those that the header declares.
std::vector<std::string> defined(const fs::path& path, const std::vector<std::string>& wanted) {
  const std::set<std::string> names(wanted.begin(), wanted.end());
  std::vector<std::string> found;
  for (const std::string& name :
       matches(code_of(path), std::regex(R"((?:^|\n)(?:template <[^>]*>\s*)?void\s+(\w+)\()"))) {
    if (names.contains(name)) found.push_back(name);
  }
  return found;
}

// Whether x.cu is x.cc with the loops of a GPU.
bool is_shared(const std::string& stem) {
  std::ifstream file(kKernels / (stem + ".cu"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str() ==
         "#include \"tensor/cuda/each.h\"\n#include \"tensor/kernels/" + stem + ".cc\"\n";
}

TEST(KernelPairs, EveryKernelIsDefinedForBothBackendsInTheSameOrder) {
  int checked = 0;
  for (const auto& entry : fs::directory_iterator(kKernels)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != ".h" || kCpuOnly.contains(stem) || kNoKernels.contains(stem)) {
      continue;
    }
    const std::vector<std::string> names = declared(stem);
    EXPECT_FALSE(names.empty()) << entry.path() << " declares no kernel with HEED_KERNEL";
    EXPECT_EQ(defined(kKernels / (stem + ".cc"), names), names) << stem << ".cc";
    if (is_shared(stem)) {
      EXPECT_NE(code_of(kKernels / (stem + ".cc")).find("namespace heed::HEED_BACKEND"),
                std::string::npos)
          << stem << ".cc";
    } else {
      EXPECT_EQ(defined(kKernels / (stem + ".cu"), names), names) << stem << ".cu";
    }
    ++checked;
  }
  EXPECT_GE(checked, 12);
}

TEST(KernelPairs, NoSourceWithoutItsHeader) {
  for (const auto& entry : fs::directory_iterator(kKernels)) {
    EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".h"))) << entry.path();
  }
}

}  // namespace
