// `heed prepare pairs`: adjacent turns as dialogues of two.
#include "base/path.h"
#include "dialog/data/pairs.h"

#include <list>

#include "base/file.h"
#include "heed/command.h"
#include "heed/inputs.h"
#include "heed/prepare.h"

namespace heed {
namespace {

struct PreparePairsOptions : CommandOptions {
  std::string in, out, characters = "9:128";
};

std::string remark(const std::string& path, size_t pairs, size_t dialogues) {
  return path + ": " + counted(pairs, "pair") + " of " + counted(dialogues, "dialogue");
}

std::vector<Dialogue> pairs_in(const std::string& path, const Characters& characters,
                               size_t* dialogues) {
  const std::vector<Dialogue> all = read_dialogues(path);
  *dialogues = all.size();
  std::vector<Dialogue> pairs = adjacent_pairs(all, characters);
  if (!pairs.empty()) return pairs;
  throw DataError(path + ": no adjacent turns of " + std::to_string(characters.least) + " to " +
                  std::to_string(characters.most) + " characters");
}

void run(const PreparePairsOptions& o) {
  const Characters characters = parse_characters(o.characters);
  std::vector<std::pair<std::string, std::string>> files = {{o.in, o.out}};
  if (is_folder(o.in)) {
    files.clear();
    require_no_parts(o.out);
    for (const std::string part : {"train", "valid", "test"}) {
      if (!has_part(o.in, part)) continue;
      files.emplace_back(find_part(o.in, part), o.out + "/" + part + ".jsonl.gz");
    }
    if (files.empty()) throw DataError(o.in + ": holds no train, valid or test part");
  } else {
    check_can_be_made(o.out);
  }
  std::list<DialogueWriter> writers;  // all parts or none
  std::string report;
  for (const auto& [in, out] : files) {
    size_t dialogues = 0;
    const std::vector<Dialogue> pairs = pairs_in(in, characters, &dialogues);
    make_directory_of(out);
    DialogueWriter& writer = writers.emplace_back(out);
    for (const Dialogue& pair : pairs) writer.write(pair);
    report += remark(out, pairs.size(), dialogues) + "\n";
  }
  commit_all(writers);
  print_text(report);
}

}  // namespace

void add_prepare_pairs(CLI::App& prepare) {
  const auto [c, o] = declare<PreparePairsOptions>(
      prepare, "pairs", "Cut dialogues into pairs of a message and its response",
      "As Henderson et al. (2019) have them: each two adjacent turns whose lengths are in bounds "
      "become a dialogue of their own. --min-turns 2 reads such dialogues. The parts of a data "
      "directory stay apart; the pairs of one file of dialogues should not be split again, since "
      "a turn is the response of one pair and the message of the next.\n"
      "Example:\n"
      "  heed prepare pairs --in data/ubuntu-sample --out data/pairs\n"
      "  heed train retrieval --data data/pairs --min-turns 2 --preset smoke --out runs/pairs\n"
      "  heed rank test --model runs/pairs --data data/pairs --min-turns 2",
      {.device = false, .seed = ""}, run);
  c.add_option("--in", o.in, "Dialogues: a data directory, or a file (JSON Lines, plain or gzip)")
      ->required();
  c.add_option("--out", o.out,
               "The folder to make, with the same parts; for a file the file to write, gzip if its "
               "name ends in .gz")
      ->required();
  option(c, "--characters", o.characters,
         "Keep pairs of which both texts have at least and at most so many characters")
      ->option_text("LEAST:MOST");
}

}  // namespace heed
