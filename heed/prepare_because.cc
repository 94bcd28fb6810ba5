// `heed prepare because`: explanations given by people.
#include "base/file.h"
#include "dialog/data/because.h"
#include "heed/command.h"
#include "heed/prepare.h"

namespace heed {
namespace {

struct PrepareBecauseOptions : CommandOptions {
  std::string in, out, of = "because";
  size_t before = 5;
};

void run(const PrepareBecauseOptions& o) {
  check_can_be_made(o.out);
  const std::vector<Dialogue> dialogues = read_dialogues(o.in);
  const std::vector<Dialogue> found =
      o.of == "because" ? explanations(dialogues, o.before) : answers_to_why(dialogues, o.before);
  if (found.empty()) {
    throw DataError(o.in + ": no turn " +
                    (o.of == "because" ? "with \"because\" between texts of 3 to 50 tokens"
                                       : "after one that begins with \"why\""));
  }
  make_directory_of(o.out);
  write_dialogues(o.out, found);
  print_text(o.out + ": " + counted(found.size(), o.of == "because" ? "explanation" : "answer") +
             " of " + counted(dialogues.size(), "dialogue") + "\n");
}

}  // namespace

void add_prepare_because(CLI::App& prepare) {
  const auto [c, o] = declare<PrepareBecauseOptions>(
      prepare, "because",
      "Extract explanations from dialogues: the clauses before and after \"because\"",
      "After Nie, Bennett & Goodman (2019). At the first \"because\" of a turn, unless \"of\" "
      "follows, the text before it in the sentence becomes the last turn of a context, and the "
      "text after it the response; each has 3 to 50 tokens. Such contexts may have one turn: "
      "--min-turns 2 reads them. heed rank test measures how well a response model tells an "
      "explanation from 99 others.\n"
      "Example:\n"
      "  heed prepare because --in data/ubuntu-sample/test.jsonl.gz --out because.jsonl\n"
      "  heed rank test --model data/models/baseline --data because.jsonl --min-turns 2",
      {.device = false, .seed = ""}, run);
  c.add_option("--in", o.in, "Dialogues (JSON Lines, plain or gzip)")->required();
  c.add_option("--out", o.out, "The file to write, gzip if its name ends in .gz")->required();
  option(c, "--of", o.of,
         "because: explanations; why: answers to turns that begin with the "
         "word why",
         one_of({"because", "why"}));
  option(c, "--before", o.before, "Keep at most this many turns of context before it",
         whole_number(0, 1000));
}

}  // namespace heed
