#include <filesystem>
#include <optional>

#include "base/path.h"
#include "dialog/data/corpus.h"
#include "dialog/probe/feature_file.h"
#include "heed/command.h"
#include "heed/encode.h"
#include "heed/rank_team.h"
#include "train/lock.h"

namespace heed {
namespace {

struct FeaturesOptions : CommandOptions {
  EncodeFlags encode;
  std::string out;
  int ranks = 0;
};

constexpr const char* kParts[] = {"train", "test", "valid"};

std::vector<std::string> parts_of(const std::string& directory) {
  std::vector<std::string> parts = {"train", "test"};
  if (has_part(directory, "valid")) parts.push_back("valid");
  return parts;
}

// A model, whose folder is read as a whole, and a data directory, which has files of these names.
void refuse_others(const std::string& out) {
  if (has_file(out, "config.json")) throw UsageError(out + ": holds a model; take another --out");
  for (const std::string part : kParts) {
    for (const std::string& file : {part + ".jsonl", part + ".jsonl.gz"}) {
      if (!has_file(out, file) || has_file(out, part + ".safetensors")) continue;
      throw UsageError(out + ": holds " + file + " but no " + part +
                       ".safetensors, so these may be dialogues, which features would replace; "
                       "take another --out");
    }
  }
}

// What an earlier encoder left would be read beside the new parts.
void remove_earlier(const std::string& out) {
  for (const std::string part : kParts) {
    for (const char* ending : {".safetensors", ".jsonl", ".jsonl.gz"}) {
      std::filesystem::remove(std::filesystem::path(out) / (part + ending));
    }
  }
  std::filesystem::remove(std::filesystem::path(out) / "features.json");
}

// Writes the features if `first`.
void write_features(const FeaturesOptions& o, Encoding& encoding, Ranks& ranks) {
  for (const EncodeInput& input : encoding.parts()) {
    const probe::Part part = encoding.encode(input, ranks);
    if (!ranks.first()) continue;
    probe::write_part(o.out, input.name, part);
    print_text(input.name + ": " + counted(input.examples.size(), "example") + " of " +
               std::to_string(part.x.shape()[1]) + " numbers\n");
  }
  if (!ranks.first()) return;
  JsonOutput(o.out + "/features.json").write(o, {{"inputs", encoding.to_json()}});
}

void run(const FeaturesOptions& o) {
  const RankTeam team(o.ranks, *o.common);
  const Device device = team.start();
  refuse_others(o.out);
  Encoding encoding(o.encode, parts_of(o.encode.data), device, team);
  make_directory(o.out);
  std::optional<RunLock> lock;  // two models' files in one folder would look like one's
  if (team.first()) lock.emplace(o.out);
  check_writable(o.out + "/features.json");
  if (team.first()) remove_earlier(o.out);
  team.run([&](Ranks& ranks, Device) { write_features(o, encoding, ranks); },
           std::atomic<bool>(false));
}

}  // namespace

void add_features(CLI::App& app) {
  const auto [c, o] = declare<FeaturesOptions>(
      app, "features",
      "Write the vectors that a model's encoder computes for dialogues, with labels for probes",
      "For train, test and valid, --out holds PART.safetensors with a tensor x "
      "(examples, dimensions) and PART.jsonl with the labels of each row "
      "(docs/probes.md). Every turn from the third on is an example, or from the "
      "second on if the run was trained with --min-turns 2.\n"
      "Example:\n  heed features --model runs/first --data data/ubuntu-sample --out "
      "features\n  heed probe --features features",
      {.seed = ""}, run);
  o.encode.declare(c, /*required=*/true);
  c.add_option("--out", o.out, "Directory of the features, made if missing")->required();
  add_ranks(c, o.ranks);
}

}  // namespace heed
