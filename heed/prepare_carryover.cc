// `heed prepare carryover`: items of slot carryover from Schema-Guided Dialogue and WOZ 2.0.
#include <filesystem>
#include <list>

#include "dialog/carry/rules.h"
#include "dialog/carry/schema_guided_items.h"
#include "dialog/carry/woz_items.h"
#include "dialog/text/text_file.h"
#include "heed/command.h"
#include "heed/prepare.h"
#include "heed/progress.h"

namespace heed {
namespace {

struct PrepareCarryoverOptions : CommandOptions {
  std::string in, out;
};

void show_counts(const char* part, const char* set, carry::Tallies& tallies) {
  std::string line;
  for (const char* distance : carry::kDistances) {
    const Tally& t = tallies[std::string(set) + "/" + distance];
    char cell[80];
    std::snprintf(cell, sizeof cell, " %7lld/%-7lld", static_cast<long long>(t.right),
                  static_cast<long long>(t.decided));
    line += cell;
  }
  std::printf("%-6s %-6s%s\n", part, set, line.c_str());
}

constexpr const char* kParts[] = {"train", "valid", "test"};

using TakeItem = std::function<void(const carry::Item&)>;
struct Corpus {
  std::function<void(const std::string& part, const TakeItem&)> read;
  std::vector<const char*> sets;  // of candidates
  std::string remark = {};
};

Corpus woz(const std::string& folder) {
  for (const char* part : kParts) carry::find_woz(folder, part);  // throws if it is missing
  return {[=](const std::string& part, const TakeItem& take) {
            carry::for_each_woz_item(carry::find_woz(folder, part), take);
          },
          {"same"}};
}

Corpus schema_guided(const std::string& folder, Progress& progress) {
  for (const char* part : kParts) carry::find_schema_guided(folder, part);
  const carry::SchemaGuidedPart train = carry::find_schema_guided(folder, "train");
  progress.show("reading " + train.dialogues + ": which slots correspond");
  const carry::SlotPairs pairs = carry::find_slot_pairs(train);
  const std::set<std::string> services = carry::find_services(train);
  size_t names = 0;
  for (const auto& [slot, others] : pairs) names += others.size();
  return {[=](const std::string& part, const TakeItem& take) {
            carry::for_each_item(carry::find_schema_guided(folder, part), pairs, services, take);
          },
          {"same", "cross"},
          "; " + counted(names, "pair") + " of corresponding slots"};
}

using Counts = std::vector<std::pair<const char*, carry::Tallies>>;

// Writes the items of all parts, counts their candidates, and returns the number of items.
size_t write_items(const Corpus& corpus, const std::string& out, Progress& progress,
                   Counts& counts) {
  std::list<TextWriter> files;
  size_t items = 0;
  for (const char* part : kParts) {
    TextWriter& file =
        files.emplace_back((std::filesystem::path(out) / part).string() + ".jsonl.gz");
    carry::Tallies& tallies = counts.emplace_back(part, carry::Tallies()).second;
    corpus.read(part, [&](const carry::Item& item) {
      file.write(carry::item_line(item));
      carry::count(item, carry::decide_by_rule("everything", item), tallies);
      if (++items % 1000 == 0) progress.show(std::string(part) + ": " + counted(items, "item"));
    });
  }
  commit_all(files);
  return items;
}

void run(const PrepareCarryoverOptions& o) {
  require_no_parts(o.out);
  Progress progress;
  const Corpus corpus = carry::is_woz(o.in) ? woz(o.in) : schema_guided(o.in, progress);
  const bool made = std::filesystem::create_directories(o.out);
  Counts counts;
  size_t items = 0;
  try {
    items = write_items(corpus, o.out, progress, counts);
  } catch (...) {
    std::error_code ignored;
    if (made) std::filesystem::remove(o.out, ignored);  // only if nothing is in it
    throw;
  }
  progress.done();
  print_text("wrote " + counted(items, "item") + " to " + o.out + corpus.remark +
             "\ncandidates that hold / all, by distance in turns: 0, 1, 2, 3, 4, 5, >=6\n");
  for (auto& [part, tallies] : counts) {
    for (const char* set : corpus.sets) show_counts(part, set, tallies);
  }
}

}  // namespace

void add_prepare_carryover(CLI::App& prepare) {
  const auto [c, o] = declare<PrepareCarryoverOptions>(
      prepare, "carryover", "Write items of slot carryover from Schema-Guided Dialogue or WOZ 2.0",
      "--in has train, dev (or valid) and test of Schema-Guided Dialogue: folders as published, "
      "with schema.json, or files train.jsonl and train_schema.json; or the three files of "
      "WOZ 2.0, woz_train_en.json and so on, plain or gzip. An item is a dialogue up to a user "
      "turn, the values "
      "mentioned so far, and the mark of those that are in the state after it. docs/carryover.md "
      "explains the rules.\n"
      "Example:\n"
      "  heed prepare carryover --in dstc8-schema-guided-dialogue --out data/sgd-items",
      {.device = false, .seed = ""}, run);
  c.add_option("--in", o.in, "The folder of the corpus")->required();
  c.add_option("--out", o.out, "The folder to write train, valid and test to")->required();
}

}  // namespace heed
