#include "tests/torture/training.h"

#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace torture {

const std::vector<std::string> kStructures = {"non-hier", "static", "static-ui", "dynamic",
                                              "dynamic-ui"};
const Arguments kTiny = {"--vocab", "80", "--hidden", "6"};
const Arguments kLarger = {"--vocab", "1500", "--hidden", "96"};

namespace {

// All that a run must end with; the last two epochs have checkpoints.
const std::vector<std::string> kFiles = {"config.json",         "vocab.txt",
                                         "settings.json",       "log.jsonl",
                                         "state.json",          "checkpoint-2-0.safetensors",
                                         "state.previous.json", "model.safetensors"};

}  // namespace

Training::Training(const Settings& settings, const std::string& structure, int threads,
                   const Arguments& sizes)
    : settings_(settings),
      structure_(structure),
      name_(structure + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads")),
      threads_(threads),
      sizes_(sizes) {
  const Folder folder;
  const std::string out = folder / "run", count = folder / "count";
  Conditions conditions;
  if (!settings.fault_library.empty()) {
    conditions = with_fault(out, "none:0:none");
    conditions.environment["HEED_FAULT_COUNT"] = count;
  }
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run(command(out), conditions);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (outcome.code != 0) throw std::runtime_error(name_ + ": " + outcome.text());
  seconds_ = took.count();
  calls_ = static_cast<int>(std::strtol(read_file(count).c_str(), nullptr, 10));
  expected_ = result(out);
  for (const std::string& file : expected_) bytes_ += static_cast<long>(file.size());
}

Arguments Training::command(const std::string& out) const {
  const Arguments what = {settings_.heed,
                          "train",
                          "--resume",
                          "--data",
                          settings_.data,
                          "--out",
                          out,
                          "--structure",
                          structure_,
                          "--threads",
                          std::to_string(threads_)};
  return what + sizes_ + Arguments{"--preset",
                                   "smoke",
                                   "--limit",
                                   "24",
                                   "--batch",
                                   "8",
                                   "--epochs",
                                   "2",
                                   "--insert-prob",
                                   "0.7",
                                   "--max-turns",
                                   "4",
                                   "--max-utterance",
                                   "8",
                                   "--checkpoint-every",
                                   "0"};
}

Conditions Training::with_fault(const std::string& out, const std::string& fault) const {
  return {.environment = {{"LD_PRELOAD", settings_.fault_library},
                          {"HEED_FAULT", fault},
                          {"HEED_FAULT_BELOW", out}}};
}

std::string Training::resume(const std::string& out) const {
  const Outcome outcome = run(command(out));
  return outcome.code == 0 ? "" : "resumed, " + outcome.text();
}

std::string Training::difference(const std::string& out) const {
  const std::vector<std::string> got = result(out);
  for (size_t i = 0; i < kFiles.size(); ++i) {
    if (got[i] != expected_[i]) return kFiles[i] + " is another one";
  }
  return "";
}

// The bytes of these files. settings.json says when the run began, too, which is another time.
std::vector<std::string> Training::result(const std::string& out) const {
  std::vector<std::string> bytes;
  for (const std::string& file : kFiles) {
    std::string text = read_file(out + "/" + file);
    const size_t begin = text.find("  \"heed\": {"), end = text.find("\n  }", begin);
    if (file == "settings.json" && end != text.npos) text.erase(begin, end - begin);
    bytes.push_back(text);
  }
  return bytes;
}

}  // namespace torture
