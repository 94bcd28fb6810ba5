// The order of dependency, read from the #include lines of all sources. The table of rules is
// below.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/paths.h"

namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;    // relative to the root
  std::string target;  // what stands between the quotes or brackets
  std::string where;   // file:line
};

// The files and folders of the project that those of a folder may include, besides its own. The
// longest prefix decides, of a file's name as of what it includes: what a task needs of another
// folder can be allowed a header at a time. A folder is what stands on the left; one that has no
// row is an error.
const std::set<std::string> kCore = {"base", "tensor", "autograd", "nn", "optim"};  // heed_core
const std::map<std::string, std::set<std::string>> kRows = {
    {"base", {}},
    {"emulator", {}},
    {"tensor/cuda", {"emulator", "tensor", "base"}},
    {"tensor", {"tensor/cuda", "base"}},
    {"autograd", {"tensor", "base"}},
    {"nn", {"autograd", "tensor", "base"}},
    {"optim", {"nn", "autograd", "tensor", "base"}},
    {"train", {"optim", "nn", "autograd", "tensor", "base"}},
    {"dialog/text", {"tensor", "base"}},
    {"dialog/data", {"train/strict_json.h", "dialog/text", "tensor", "base"}},
    {"dialog/parts", {"dialog/data", "dialog/text", "nn", "autograd", "tensor", "base"}},
    {"dialog/system.h",
     {"dialog/parts", "dialog/data", "dialog/text", "train", "optim", "nn", "autograd", "tensor",
      "base"}},
    {"dialog/system.cc", {"dialog/system.h", "dialog/runs_of.h", "dialog/text", "train", "base"}},
    {"dialog/systems.cc", {"dialog", "train", "nn", "tensor", "base"}},  // the only list
    {"dialog/runs_of.h", {"dialog/system.h", "dialog/text", "train"}},
    {"dialog/system_runs.h", {"dialog/runs_of.h", "train", "nn", "base"}},
    {"dialog/system_runs.cc", {"dialog/system_runs.h", "train", "base"}},
    {"dialog/training_of.h", {"dialog/runs_of.h", "dialog/system.h", "train"}},
    {"dialog/open_run.h", {"dialog/system.h", "train"}},
    {"dialog/open_run.cc", {"dialog/open_run.h", "train", "base"}},
    {"dialog/stats", {"tensor", "base"}},
    {"dialog/probe",
     {"dialog/respond/encoder.h", "dialog/respond/responder.h", "dialog/stats", "dialog/parts",
      "dialog/data", "dialog/text", "train", "optim", "nn", "autograd", "tensor", "base"}},
    {"dialog/people", {"train/strict_json.h", "dialog/text", "tensor", "base"}},
    {"dialog/describe", {"dialog", "train", "nn", "tensor", "base"}},
    {"dialog/view", {"dialog/respond/das.h", "dialog/text", "tensor", "base"}},
    {"experiments", {"experiments/engine", "train", "nn", "autograd", "tensor", "base"}},
    {"experiments/making_json.h",
     {"experiments/experiment.h", "experiments/engine", "dialog/text", "train", "base"}},
    {"experiments/responders.h", {"experiments/experiment.h", "dialog/respond", "dialog/text"}},
    {"experiments/responders.cc",
     {"experiments/responders.h", "dialog/respond", "dialog/runs_of.h", "dialog/text"}},
    {"experiments/responders_json.h",
     {"experiments/responders.h", "experiments/making_json.h", "dialog/respond", "dialog/text"}},
    {"experiments/described.cc", {"experiments/experiment.h", "experiments/engine", "dialog/text"}},
    {"experiments/frozen_encoder.cc", {"experiments/frozen_encoder_json.h", "train", "base"}},
    {"experiments/frozen_encoder_json.h", {}},
    {"experiments/all.cc", {"experiments"}},  // the only list
    {"experiments/engine/stats", {"autograd", "tensor", "base"}},
    {"experiments/engine/runs",
     {"experiments/engine/stats", "train", "dialog/text", "optim", "nn", "autograd", "tensor",
      "base"}},
    {"experiments/engine/report",
     {"experiments/engine/runs", "experiments/engine/stats", "train", "dialog/text", "tensor",
      "base"}},
    {"experiments/compare", {"experiments/engine", "dialog", "tensor", "base"}},
    {"experiments/measure",
     {"experiments/engine", "dialog", "train/number_json.h", "tensor", "base"}},
    {"heed", {"experiments", "dialog", "train", "optim", "nn", "autograd", "tensor", "base"}},
    {"labs", {"emulator", "dialog", "train", "optim", "nn", "autograd", "tensor", "base"}},
    {"examples",
     {"heed/program.h", "dialog", "train", "optim", "nn", "autograd", "tensor", "base"}},
};

const std::set<std::string> kBelow = {"train", "optim", "nn", "autograd", "tensor", "base"};
// What a system may include, never another one; but for these.
const std::set<std::string> kOfSystems = {
    "dialog/runs_of.h", "dialog/system_runs.h", "dialog/training_of.h", "dialog/system.h",
    "dialog/stats",     "dialog/parts",         "dialog/data",          "dialog/text"};
const std::map<std::string, std::set<std::string>> kOtherSystems = {
    {"dialog/discriminate", {"dialog/pretrained"}},  // whose encoder may be a pretrained one
    {"dialog/retrieve", {"dialog/pretrained"}},
    {"dialog/comprehend", {"dialog/pretrained"}},
    {"dialog/carry", {"dialog/pretrained"}},
    {"dialog/rewrite", {"dialog/pretrained"}},
    {"dialog/track", {"dialog/pretrained"}},
    {"dialog/discriminate/gan", {"dialog/discriminate", "dialog/respond"}},  // two players
    {"dialog/discriminate/words", {"dialog/respond"}},
};
const std::set<std::string> kOfExperiments = {
    "experiments/experiment.h",      "experiments/frozen_encoder_json.h",
    "experiments/making_json.h",     "experiments/responders.h",
    "experiments/responders_json.h", "experiments/engine",
    "experiments/measure",           "dialog"};

// The rows, those of the systems, which are the folders below dialog/ with a system.cc, and those
// of the experiments, which are the other folders below experiments/.
const std::map<std::string, std::set<std::string>>& may_include() {
  static const std::map<std::string, std::set<std::string>> all = [] {
    std::map<std::string, std::set<std::string>> rows = kRows;
    const fs::path root = heed::source_dir();
    for (const auto& entry : fs::recursive_directory_iterator(root / "dialog")) {
      if (entry.path().filename() != "system.cc" || entry.path().parent_path() == root / "dialog")
        continue;
      const std::string folder = entry.path().parent_path().lexically_relative(root);
      std::set<std::string>& row = rows[folder] = kOfSystems;
      row.insert(kBelow.begin(), kBelow.end());
      const auto more = kOtherSystems.find(folder);
      if (more != kOtherSystems.end()) row.insert(more->second.begin(), more->second.end());
    }
    for (const auto& entry : fs::directory_iterator(root / "experiments")) {
      const std::string folder = entry.path().lexically_relative(root);
      if (!entry.is_directory() || folder == "experiments/engine" || rows.contains(folder))
        continue;
      rows[folder] = kOfExperiments;
      rows[folder].insert(kBelow.begin(), kBelow.end());
    }
    return rows;
  }();
  return all;
}

std::string top_folder(const std::string& path) {
  return path.substr(0, path.find('/'));
}

bool is_inside(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

// The row of the table for a file; empty if there is none.
std::string folder_of(const std::string& path) {
  std::string longest;
  for (const auto& [folder, below] : may_include()) {
    if (is_inside(path, folder) && folder.size() > longest.size()) longest = folder;
  }
  return longest;
}

bool is_allowed(const std::string& from, const std::string& target) {
  const std::string own = folder_of(from);
  if (folder_of(target) == own) return true;
  const std::set<std::string>& allowed = may_include().at(own);
  return std::any_of(allowed.begin(), allowed.end(),
                     [&](const std::string& prefix) { return is_inside(target, prefix); });
}

bool is_header(const std::string& file) {
  return file.ends_with(".h") || file.ends_with(".cuh") || file.ends_with(".hpp");
}

bool is_source(const std::string& file) {
  return is_header(file) || file.ends_with(".cc") || file.ends_with(".cu");
}

// What the line includes, empty if it includes nothing.
std::string include_target(std::string line) {
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  const std::string begin = "#include";
  if (!line.starts_with(begin) || line.size() < begin.size() + 2) return "";
  const char open = line[begin.size()], close = open == '<' ? '>' : '"';
  const size_t first = begin.size() + 1, last = line.find(close, first);
  if ((open != '<' && open != '"') || last == std::string::npos) return "";
  return line.substr(first, last - first);
}

std::vector<Include> includes_of(const fs::path& path, const std::string& name) {
  std::vector<Include> found;
  std::ifstream in(path);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string target = include_target(line);
    if (!target.empty()) found.push_back({name, target, name + ":" + std::to_string(number)});
  }
  return found;
}

const std::vector<Include>& all_includes() {
  static const std::vector<Include> includes = [] {
    std::vector<Include> all;
    const fs::path root = heed::source_dir();
    std::set<std::string> tops;
    for (const auto& [folder, below] : may_include()) tops.insert(top_folder(folder));
    for (const std::string& folder : tops) {
      if (!fs::exists(root / folder)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const std::string name = entry.path().lexically_relative(root).generic_string();
        if (!entry.is_regular_file() || !is_source(name)) continue;
        const std::vector<Include> found = includes_of(entry.path(), name);
        all.insert(all.end(), found.begin(), found.end());
      }
    }
    return all;
  }();
  return includes;
}

bool is_eigen(const std::string& target) {
  return target.starts_with("Eigen/") || target.starts_with("unsupported/Eigen/") ||
         target.starts_with("eigen3/");
}

TEST(Layering, FindsTheSources) {
  EXPECT_GT(all_includes().size(), 10u) << heed::source_dir();
}

TEST(Layering, EveryFolderHasARow) {
  for (const Include& include : all_includes())
    EXPECT_NE(folder_of(include.file), "") << include.file;
}

TEST(Layering, TheLongestPrefixDecides) {
  EXPECT_EQ(folder_of("dialog/view/render.cc"), "dialog/view");
  EXPECT_EQ(folder_of("dialog/viewer/render.cc"), "");
  EXPECT_TRUE(is_allowed("dialog/view/render.cc", "dialog/respond/das.h"));
  EXPECT_FALSE(is_allowed("dialog/view/render.cc", "dialog/respond/models/lstm.h"));
  EXPECT_FALSE(is_allowed("dialog/data/example.h", "dialog/parts/batch.h"));
}

TEST(Layering, DependenciesPointDown) {
  for (const Include& include : all_includes()) {
    if (folder_of(include.target).empty() || folder_of(include.file).empty()) continue;
    EXPECT_TRUE(is_allowed(include.file, include.target))
        << include.where << ": " << folder_of(include.file) << "/ must not include \""
        << include.target << "\"";
  }
}

TEST(Layering, PathsStartAtTheRoot) {
  for (const Include& include : all_includes()) {
    const fs::path sibling = fs::path(include.file).parent_path() / include.target;
    const bool relative =
        include.target.starts_with(".") || fs::exists(fs::path(heed::source_dir()) / sibling);
    EXPECT_FALSE(relative) << include.where << ": write \"" << sibling.lexically_normal().string()
                           << "\", not \"" << include.target << "\"";
  }
}

// A program that uses heed does not write into its namespace.
TEST(Layering, ExamplesStandOutsideOfTheNamespace) {
  for (const auto& entry : fs::directory_iterator(fs::path(heed::source_dir()) / "examples")) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);)
      EXPECT_FALSE(line.starts_with("namespace heed")) << entry.path();
  }
}

TEST(Layering, EigenAsAComparisonAndForLinearAlgebra) {
  const std::set<std::string> kUsers = {
      "tensor/kernels/gemm_eigen.h",          // HEED_GEMM=eigen
      "labs/10-speed/kernels/by_eigen.cc",    // the figure of lab 10
      "dialog/stats/cholesky.cc",             // a factor of a matrix
      "dialog/stats/principal_components.cc"  // eigenvectors
  };
  for (const Include& include : all_includes()) {
    if (!is_eigen(include.target) || kUsers.contains(include.file)) continue;
    EXPECT_TRUE(include.file.starts_with("tests/") || include.file.starts_with("bench/"))
        << include.where << ": Eigen belongs in tests/ and bench/ only";
  }
}

// The headers of docs/headers.md: of its first table, or of all.
std::set<std::string> public_headers(bool for_programs = false) {
  std::ifstream in(fs::path(heed::source_dir()) / "docs/headers.md");
  std::set<std::string> found;
  for (std::string line; std::getline(in, line);) {
    if (for_programs && line.starts_with("## For those")) break;
    const size_t end = line.find("` |");
    if (line.starts_with("| `") && end != line.npos) found.insert(line.substr(3, end - 3));
  }
  return found;
}

bool is_public(const std::string& file) {
  static const std::set<std::string> of_the_core = public_headers();
  if (!is_header(file) || file.ends_with("_json.h")) return false;
  const std::string top = top_folder(file);
  return of_the_core.contains(file) || top == "train" || top == "dialog" || top == "experiments";
}

// They show neither JSON nor zlib, and nothing that is not installed.
TEST(Layering, PublicHeadersIncludePublicHeaders) {
  for (const std::string& header : public_headers())
    EXPECT_TRUE(fs::exists(fs::path(heed::source_dir()) / header)) << "docs/headers.md: " << header;
  for (const Include& include : all_includes()) {
    if (!is_public(include.file)) continue;
    const std::string& target = include.target;
    EXPECT_FALSE(
        target.starts_with("nlohmann/") || target == "zlib.h" ||
        (target.find('/') != target.npos && !folder_of(target).empty() && !is_public(target)))
        << include.where << ": a public header (docs/headers.md) must not include " << target;
  }
}

// The core configures and builds where there is nothing but a C++ compiler and CMake.
TEST(Layering, TheCoreNeedsNoOtherLibrary) {
  for (const Include& include : all_includes()) {
    if (!kCore.contains(top_folder(include.file))) continue;
    EXPECT_FALSE(include.target == "zlib.h" || include.target.starts_with("nlohmann/"))
        << include.where << ": heed_core must not need " << include.target;
  }
}

// heed.h is the first table of docs/headers.md. A new header of the core has a row there, or is
// named here.
TEST(Layering, TheUmbrellaHeaderIsComplete) {
  const std::set<std::string> internal = {"tensor/stored.h", "autograd/keep_packed.h",
                                          "autograd/row_groups.h"};
  const fs::path root = heed::source_dir();
  std::set<std::string> named = {"heed.h"};
  for (const Include& include : includes_of(root / "heed.h", "heed.h"))
    named.insert(include.target);
  EXPECT_EQ(named, public_headers(/*for_programs=*/true));
  for (const char* folder : {"tensor", "autograd", "nn", "optim"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const std::string name = folder + ("/" + entry.path().filename().string());
      EXPECT_TRUE(!is_header(name) || is_public(name) || internal.contains(name))
          << name << ": needs a row in docs/headers.md, or is internal";
    }
  }
  for (const Include& include : all_includes()) {
    EXPECT_TRUE(include.target != "heed.h" || include.file.starts_with("examples/"))
        << include.where << ": include what is needed, so that a change rebuilds no more";
  }
}

}  // namespace
