#include <cstdio>

#include "base/file.h"
#include "dialog/respond/evaluate.h"
#include "dialog/text/format.h"
#include "dialog/text/terminal.h"
#include "dialog/text/tokenizer.h"
#include "heed/commands.h"
#include "heed/declare.h"
#include "heed/inputs.h"
#include "heed/left_out.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  CommonPtr common;
  std::string model, out, test = "random:1.0", json;
  InputFlags input;
};

// Texts by their numbers. To see which one is inserted where, pool and phrases hold these numbers
// in place of words, and the dialogues' own words are all unknown.
class Texts {
 public:
  std::vector<int32_t> add(const std::string& text) {
    texts_.push_back(text);
    return {static_cast<int32_t>(kSpecialTokens + texts_.size() - 1)};
  }
  // Nothing for an utterance of the dialogue itself.
  const std::string* inserted(const std::vector<int32_t>& utterance) const {
    return utterance[0] < kSpecialTokens ? nullptr : &texts_[utterance[0] - kSpecialTokens];
  }

 private:
  std::vector<std::string> texts_;
};

// The utterances that make_pool() takes.
Pool pool_of(const std::vector<Dialogue>& dialogues, Texts& texts) {
  Pool pool;
  for (const Dialogue& d : dialogues) {
    for (const Turn& turn : d.turns) {
      if (!tokenize(turn.text).empty()) pool.push_back({d.id, texts.add(turn.text)});
    }
  }
  return pool;
}

Phrases phrases_of(const PhraseText& text, Texts& texts) {
  Phrases phrases;
  for (const std::string& phrase : text.frequent) phrases.frequent.push_back(texts.add(phrase));
  for (const std::string& phrase : text.rare) phrases.rare.push_back(texts.add(phrase));
  return phrases;
}

// The dialogue up to the response of the example, with what was inserted into the example.
Dialogue insert(const Dialogue& dialogue, size_t response, const Example& example,
                const Texts& texts) {
  const auto first = dialogue.turns.begin();
  Dialogue result{example.id, {first, first + example.cut.turns}};
  auto own = first + example.cut.turns;
  for (const auto& utterance : example.context) {
    const std::string* text = texts.inserted(utterance);
    result.turns.push_back(text ? Turn{"", *text, true} : *own++);
  }
  result.turns.push_back(dialogue.turns[response]);
  return result;
}

// The same insertions as those of heed evaluate, as texts.
std::vector<Dialogue> distracted_dialogues(const Inputs& inputs,
                                           const std::vector<Example>& examples, uint64_t seed) {
  Texts texts;
  const Pool pool = pool_of(inputs.pool, texts);
  const auto inserted =
      distracted(examples, inputs.sets[0], pool, phrases_of(inputs.phrases, texts), seed);
  std::vector<Dialogue> result;
  for (const Dialogue& d : inputs.dialogues) {
    for (size_t i : responses_of(d, inputs.bounds))
      result.push_back(insert(d, i, inserted[result.size()], texts));
  }
  return result;
}

void run(const Options& o) {
  check_writable(o.out);
  JsonOutput output(o.json);
  const TestSet set = parse_test_set(o.test);
  const ExampleOptions bounds = o.model.empty() ? ExampleOptions() : load_example_options(o.model);
  const Inputs inputs = read_inputs(o.input, bounds, {set});
  const std::vector<Example> examples = inputs.examples(Vocabulary());
  LeftOut left_out;  // the rest of the dialogues is written, whatever the bounds
  left_out.dialogues = find_left_out(inputs, {}).dialogues;

  const auto dialogues = distracted_dialogues(inputs, examples, o.common->seed);
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
  const std::vector<std::string> models =
      o.model.empty() ? std::vector<std::string>{} : std::vector{o.model};
  output.write({{"heed", provenance("distract", *o.common)},
                {"inputs", inputs_json(inputs, models, o.common->seed)},
                {"left_out", {{"dialogues", left_out.dialogues}}},
                {"out", o.out},
                {"dialogues", dialogues.size()},
                {"turns", turns},
                {"distractions", distractions}});
}

}  // namespace

void add_distract(CLI::App& app) {
  const auto [c, o] = declare<Options>(
      app, "distract", "Write dialogues with the distractions of a test set, marked, as JSON Lines",
      "The distractions are those of heed evaluate with the same data, pool, seed and bounds, and "
      "heed score gives the same numbers for them, unless --max-context (or that of the training) "
      "cuts contexts: heed evaluate cuts before it inserts, heed score what was inserted, too. The "
      "dialogues are written whole. With --examples all each line is an example: score them with "
      "--examples last.\n"
      "Examples:\n"
      "  heed distract --model runs/first --data data/ubuntu-sample --test random:0.7 \\\n"
      "    --out distracted.jsonl\n"
      "  heed score --model runs/first --data distracted.jsonl --examples last",
      {.device = false, .seed = "Seed of the distractions"}, run);
  o.input.declare(c);
  c.add_option("--out", o.out, "File to write, gzip if its name ends in .gz")->required();
  option(c, "--test", o.test,
         "Test sets: one, none, random:P, or frequent: or rare: with begin, middle or end");
  c.add_option("--model", o.model,
               "Directory of a run or a model, whose bounds are taken; otherwise those that heed "
               "train has by itself");
  add_json(c, o.json);
  o.input.declare_insertion(c);
}

}  // namespace heed
