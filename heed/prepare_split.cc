#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <list>
#include <map>

#include "dialog/data/split.h"
#include "dialog/text/format.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/progress.h"
#include "tensor/error.h"
#include "tensor/file.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct Options {
  CommonPtr common;
  std::string in, out, by = "conversation";
  double valid = 0.1, test = 0.1;
};

const std::map<std::string, SplitBy> kWays = {{"conversation", SplitBy::kConversation},
                                              {"day", SplitBy::kDay},
                                              {"folder", SplitBy::kFolder},
                                              {"dialogue", SplitBy::kDialogue}};

void require_no_parts(const std::string& folder) {
  for (const char* part : {"train", "valid", "test"}) {
    for (const char* end : {".jsonl", ".jsonl.gz"}) {
      const fs::path path = fs::path(folder) / (std::string(part) + end);
      if (fs::exists(path)) throw DataError(path.string() + ": exists; give --out a new folder");
    }
  }
}

size_t largest(const std::vector<size_t>& groups) {
  std::vector<size_t> sizes(groups.size());
  for (size_t group : groups) ++sizes[group];
  return *std::max_element(sizes.begin(), sizes.end());
}

size_t count_groups(const std::vector<size_t>& groups) {
  return *std::max_element(groups.begin(), groups.end()) + 1;
}

void require_all_parts(const Options& o, const Parts& parts, const std::string& what) {
  const auto require = [&](const std::vector<size_t>& part, double share, const char* name) {
    if (!part.empty() || share == 0) return;
    throw DataError(o.in + ": nothing for the " + name + " part: " + what +
                    "; take other shares or another --by");
  };
  require(parts.train, 1, "train");
  require(parts.valid, o.valid, "valid");
  require(parts.test, o.test, "test");
}

// Writes all parts or, if one cannot be written, none; and says what they hold.
void write_parts(const Options& o, const std::vector<Dialogue>& dialogues, const Parts& parts) {
  const std::string end = o.in.ends_with(".gz") ? ".jsonl.gz" : ".jsonl";
  const std::pair<const char*, const std::vector<size_t>*> named[] = {
      {"train", &parts.train}, {"valid", &parts.valid}, {"test", &parts.test}};
  std::list<DialogueWriter> writers;
  std::string report;
  for (const auto& [name, part] : named) {
    if (part->empty()) continue;
    const std::string path = (fs::path(o.out) / (name + end)).string();
    DialogueWriter& writer = writers.emplace_back(path);
    size_t turns = 0;
    for (size_t i : *part) {
      writer.write(dialogues[i]);
      turns += dialogues[i].turns.size();
    }
    report +=
        path + ": " + counted(part->size(), "dialogue") + " with " + counted(turns, "turn") + "\n";
  }
  for (DialogueWriter& writer : writers) writer.commit();
  std::fputs(report.c_str(), stdout);
}

void run(const Options& o) {
  if (o.valid == 0) throw UsageError("--valid 0: the best epoch is chosen with the valid part");
  if (o.valid + o.test >= 1) throw UsageError("--valid and --test leave nothing to train with");
  require_no_parts(o.out);
  Progress progress;
  const std::vector<Dialogue> dialogues =
      read_dialogues(o.in, {.progress = [&](size_t read) {
                       progress.show("reading " + o.in + ": " + counted(read, "dialogue"));
                     }});
  progress.done();
  const std::vector<size_t> groups = group_dialogues(dialogues, kWays.at(o.by));
  const Parts parts = split(groups, o.valid, o.test, o.common->seed);
  std::string what = counted(dialogues.size(), "dialogue");
  if (o.by != "dialogue") {
    what += " in " + counted(count_groups(groups), o.by) + ", the largest with " +
            std::to_string(largest(groups));
  }
  require_all_parts(o, parts, what);
  make_directory(o.out);
  std::printf("%s: %s\n", o.in.c_str(), what.c_str());
  write_parts(o, dialogues, parts);
  const size_t shared = count_shared(dialogues, parts);
  std::printf("%s of %zu or more characters in more than one part%s\n",
              counted(shared, "utterance").c_str(), kLongUtterance,
              shared > 0 ? " (--by conversation leaves none)" : "");
  std::printf("next: heed train --data %s --out runs/first --preset smoke\n", o.out.c_str());
}

}  // namespace

void add_prepare_split(CLI::App& prepare) {
  auto o = std::make_shared<Options>();
  CLI::App* c = prepare.add_subcommand(
      "split", "Divide dialogues into train, valid and test, the parts of a data directory");
  c->footer(
      "What belongs together stays together (--by), so that the test part holds nothing that was "
      "trained on:\n"
      "  conversation  dialogues that share an utterance of 40 or more characters\n"
      "  day           dialogues with the same date (2024-12-31) in their ids\n"
      "  folder        dialogues whose ids are equal up to the last '/'\n"
      "  dialogue      nothing: each dialogue goes its own way\n"
      "The same file, shares and --seed give the same parts.\n"
      "Example:\n"
      "  heed prepare split --in all.jsonl.gz --out data/mine --valid 0.1 --test 0.1");
  o->common = add_common(*c, {.device = false, .seed = "Seed of the division"});
  c->add_option("--in", o->in, "Dialogues (JSON Lines, plain or gzip)")->required();
  c->add_option("--out", o->out, "The folder to make; gzip if the name of --in ends in .gz")
      ->required();
  const auto share = number(0, 0.9);
  c->add_option("--valid", o->valid, "Share of the dialogues to choose the best epoch with")
      ->check(share)
      ->capture_default_str();
  c->add_option("--test", o->test, "Share of the dialogues to measure with; 0: no test part")
      ->check(share)
      ->capture_default_str();
  c->add_option("--by", o->by, "What stays together")
      ->check(CLI::IsMember({"conversation", "day", "folder", "dialogue"}))
      ->capture_default_str();
  c->callback([o] { run(*o); });
}

}  // namespace heed
