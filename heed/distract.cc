#include "base/file.h"
#include "dialog/respond/distracted_dialogues.h"
#include "heed/command.h"
#include "heed/inputs.h"
#include "heed/left_out.h"

namespace heed {
namespace {

struct DistractOptions : CommandOptions {
  std::string model, out, test = "random:1.0", json;
  InputFlags input;
};

void run(const DistractOptions& o) {
  check_writable(o.out);
  JsonOutput output(o.json);
  const TestSet set = parse_test_set(o.test);
  const std::vector<std::string> models =
      o.model.empty() ? std::vector<std::string>{} : std::vector{o.model};
  const Inputs inputs = read_inputs(o.input, models, {set});
  const std::vector<Example> examples = inputs.examples(Vocabulary());
  LeftOut left_out;  // the rest of a dialogue is written whatever the bounds
  left_out.dialogues = find_left_out(inputs, {}).dialogues;

  const auto dialogues = distracted_dialogues(inputs.dialogues, examples, inputs.bounds, set,
                                              inputs.pool, inputs.phrases, o.common->seed);
  write_dialogues(o.out, dialogues);
  say(left_out, inputs);
  size_t turns = 0, distractions = 0;
  for (const Dialogue& d : dialogues) {
    turns += d.turns.size();
    for (const Turn& turn : d.turns) distractions += turn.distraction;
  }
  if (!output.to_stdout()) {
    std::printf("wrote %s with %s, %zu of them marked as distractions, to %s\n",
                counted(dialogues.size(), "dialogue").c_str(), counted(turns, "turn").c_str(),
                distractions, printable(o.out).c_str());
  }
  if (!output.wanted()) return;
  output.write(o, {{"inputs", inputs_json(inputs, models, o.common->seed)},
                   {"left_out", {{"dialogues", left_out.dialogues}}},
                   {"out", o.out},
                   {"dialogues", dialogues.size()},
                   {"turns", turns},
                   {"distractions", distractions}});
}

}  // namespace

void add_distract(CLI::App& app) {
  const auto [c, o] = declare<DistractOptions>(
      app, "distract", "Write dialogues with the marked distractions of a test set, as JSON Lines",
      "The distractions are those of heed evaluate with the same data, pool, seed and length "
      "limits. heed score gives the same numbers for them, unless --max-context (or the bound of "
      "the training) cuts contexts: heed evaluate cuts before it inserts, heed score also cuts "
      "inserted utterances. The dialogues are written whole. With --examples all each line is one "
      "example: score them with --examples last.\n"
      "Examples:\n"
      "  heed distract --model runs/first --data data/ubuntu-sample --test random:0.7 \\\n"
      "    --out distracted.jsonl\n"
      "  heed score --model runs/first --data distracted.jsonl --examples last",
      {.device = false, .seed = "Seed of the distractions"}, run);
  o.input.labels = true;
  o.input.declare(c);
  c.add_option("--out", o.out, "File to write, gzip if its name ends in .gz")->required();
  option(c, "--test", o.test,
         "Test sets: one, none, random:P, or frequent: or rare: with begin, middle or end");
  c.add_option("--model", o.model,
               "Directory of a run or a model: take its length limits (default: those of heed "
               "train)");
  add_json(c, o.json);
  o.input.declare_insertion(c);
}

}  // namespace heed
