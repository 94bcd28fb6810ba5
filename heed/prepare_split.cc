#include <algorithm>
#include <filesystem>
#include <list>
#include <map>

#include "base/file.h"
#include "dialog/data/split.h"
#include "heed/command.h"
#include "heed/prepare.h"
#include "heed/progress.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPublished = "published";

constexpr const char* kSplitHelp =
    "Dialogues that belong together stay in one part, so that the test part holds no training "
    "text:\n"
    "  conversation  dialogues that share an utterance of 40 or more characters\n"
    "  day           dialogues with the same date (2024-12-31) in their ids\n"
    "  folder        dialogues whose ids are equal up to the last '/'\n"
    "  film          dialogues of one text file (a film or a book): ids are equal up to the last "
    "':'\n"
    "  dialogue      nothing: each dialogue is assigned on its own\n"
    "  published     the parts of the corpus itself, without shares and seed\n"
    "The same file, shares and --seed give the same parts.\n";

const std::map<std::string, SplitBy> kWays = {{"conversation", SplitBy::kConversation},
                                              {"day", SplitBy::kDay},
                                              {"folder", SplitBy::kFolder},
                                              {"film", SplitBy::kFilm},
                                              {"dialogue", SplitBy::kDialogue}};

size_t largest(const std::vector<size_t>& groups) {
  std::vector<size_t> sizes(groups.size());
  for (size_t group : groups) ++sizes[group];
  return *std::max_element(sizes.begin(), sizes.end());
}

size_t count_groups(const std::vector<size_t>& groups) {
  return *std::max_element(groups.begin(), groups.end()) + 1;
}

void require_all_parts(const SplitOptions& o, const Parts& parts, const std::string& in,
                       const std::string& what) {
  const size_t dialogues = parts.train.size() + parts.valid.size() + parts.test.size();
  std::string advice = "; change the shares or the way to split";
  if (o.by == kPublished) {
    advice.clear();
  } else if (dialogues < (o.test > 0 ? 3 : 2)) {
    advice = "; every part needs a dialogue";
  }
  const auto require = [&](const std::vector<size_t>& part, bool wanted, const char* name) {
    if (!part.empty() || !wanted) return;
    throw DataError(in + ": nothing for the " + name + " part: " + what + advice);
  };
  require(parts.train, true, "train");
  require(parts.valid, true, "valid");
  require(parts.test, o.test > 0 && o.by != kPublished, "test");
}

// Writes either all parts or, if one cannot be written, none; reports their contents.
void write_parts(const std::vector<Dialogue>& dialogues, const Parts& parts, const std::string& in,
                 const std::string& folder) {
  const std::string end = in.ends_with(".gz") ? ".jsonl.gz" : ".jsonl";
  const std::pair<const char*, const std::vector<size_t>*> named[] = {
      {"train", &parts.train}, {"valid", &parts.valid}, {"test", &parts.test}};
  std::list<DialogueWriter> writers;
  std::string report;
  for (const auto& [name, part] : named) {
    if (part->empty()) continue;
    const std::string path = (fs::path(folder) / (name + end)).string();
    DialogueWriter& writer = writers.emplace_back(path);
    size_t turns = 0;
    for (size_t i : *part) {
      writer.write(dialogues[i]);
      turns += dialogues[i].turns.size();
    }
    report +=
        path + ": " + counted(part->size(), "dialogue") + " with " + counted(turns, "turn") + "\n";
  }
  commit_all(writers);
  print_text(report);
}

// The parts, and the numbers of dialogues and groups.
std::pair<Parts, std::string> divide(const SplitOptions& o,
                                     const std::vector<Dialogue>& dialogues) {
  std::string what = counted(dialogues.size(), "dialogue");
  if (o.by == kPublished) return {published_parts(dialogues), what};
  const std::vector<size_t> groups = group_dialogues(dialogues, kWays.at(o.by));
  if (o.by != "dialogue") {
    what += " in " + counted(count_groups(groups), o.by) + ", the largest with " +
            std::to_string(largest(groups));
  }
  return {split(groups, o.valid, o.test, o.common->seed), what};
}

// The command that learns from the dialogues; none if all are too short for its usual settings.
std::string trained_by(const std::vector<Dialogue>& dialogues) {
  if (dialogues[0].turns.back().notes->labels.contains("rewritten")) return "train gaps";
  const bool some = std::any_of(dialogues.begin(), dialogues.end(),
                                [](const Dialogue& d) { return std::ssize(d.turns) >= kMinTurns; });
  return some ? "train" : "";
}

struct PrepareSplitOptions : SplitOptions {
  std::string in, out;
};

void run(const PrepareSplitOptions& o) {
  check_split(o, o.out);
  Progress progress;
  const std::vector<Dialogue> dialogues =
      read_dialogues(o.in, {.progress = show_reading(progress, o.in), .notes = true});
  progress.done();
  note_long_dialogue(dialogues);
  write_split(o, dialogues, o.in, o.out);
}

}  // namespace

CLI::Option* add_split_options(CLI::App& c, const char* name, SplitOptions& o) {
  const auto share = number(0, 0.9);
  CLI::Option* by = c.add_option(
      name, o.by,
      "Which dialogues stay together: conversation, day, folder, film, dialogue, or published "
      "(heed prepare split --help)");
  by->option_text("WAY")->check(
      one_of({"conversation", "day", "folder", "film", "dialogue", kPublished}));
  o.valid_given =
      option(c, "--valid", o.valid, "Share of the dialogues for choosing the best epoch", share);
  o.test_given =
      option(c, "--test", o.test, "Share of the dialogues for testing; 0: no test part", share);
  return by;
}

void require_no_parts(const std::string& folder) {
  for (const char* part : {"train", "valid", "test"}) {
    for (const char* end : {".jsonl", ".jsonl.gz"}) {
      const fs::path path = fs::path(folder) / (std::string(part) + end);
      if (fs::exists(path)) throw DataError(path.string() + ": exists; give --out a new folder");
    }
  }
}

void check_split(const SplitOptions& o, const std::string& folder) {
  if (o.by == kPublished && (!o.valid_given->empty() || !o.test_given->empty())) {
    throw UsageError("--valid and --test are shares; published parts keep their sizes");
  }
  if (o.valid == 0)
    throw UsageError("--valid 0: the valid part is needed to choose the best epoch");
  if (o.valid + o.test >= 1) throw UsageError("--valid and --test leave nothing to train with");
  require_no_parts(folder);
}

void write_split(const SplitOptions& o, const std::vector<Dialogue>& dialogues,
                 const std::string& in, const std::string& folder) {
  const auto [parts, what] = divide(o, dialogues);
  require_all_parts(o, parts, in, what);
  make_directory(folder);
  std::printf("%s: %s\n", in.c_str(), what.c_str());
  write_parts(dialogues, parts, in, folder);
  const size_t shared = count_shared(dialogues, parts);
  std::printf("%s of %zu or more characters in more than one part%s\n",
              counted(shared, "utterance").c_str(), kLongUtterance,
              shared > 0 ? " (a split by conversation leaves none)" : "");
  const std::string next = trained_by(dialogues);
  if (next.empty()) return;
  std::printf("next: heed %s --data %s --out runs/first --preset smoke\n", next.c_str(),
              folder.c_str());
}

void add_prepare_split(CLI::App& prepare) {
  const auto [c, o] = declare<PrepareSplitOptions>(
      prepare, "split",
      "Divide dialogues into the parts of a data directory: train, valid and test",
      std::string(kSplitHelp) +
          "Example:\n"
          "  heed prepare split --in all.jsonl.gz --out data/mine --valid 0.1 --test 0.1",
      {.device = false, .seed = "Seed of the division"}, run);
  c.add_option("--in", o.in, "Dialogues (JSON Lines, plain or gzip)")->required();
  c.add_option("--out", o.out, "The folder to make; gzip if the name of --in ends in .gz")
      ->required();
  o.by = "conversation";
  add_split_options(c, "--by", o)->capture_default_str();
}

}  // namespace heed
