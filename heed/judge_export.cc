// `heed judge export`: items for people to judge, and the key, which they do not see.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "experiments/measure/items_to_judge_json.h"
#include "heed/command.h"
#include "heed/decode_flags.h"
#include "heed/inputs.h"
#include "heed/judge.h"
#include "heed/left_out.h"
#include "heed/progress.h"

namespace heed {
namespace {

struct JudgeExportOptions : CommandOptions {
  std::string a, b, model, out, key, json;
  int64_t pairs = 0, items = 0, batch = 32;
  double checks = 0.1;
  InputFlags input;
  DecodeFlags decode;

  bool is_pairs() const { return model.empty(); }
  int64_t wanted() const { return is_pairs() ? pairs : items; }
  size_t wanted_checks() const {
    return static_cast<size_t>(std::lround(checks * static_cast<double>(wanted())));
  }
};

// ---- the work

void check_options(const JudgeExportOptions& o) {
  const bool real_or_fake = !o.model.empty() || o.items > 0;
  const bool pairs = !o.a.empty() || !o.b.empty() || o.pairs > 0;
  if (real_or_fake == pairs) {
    throw UsageError(
        "judge export: give --model and --items (real or generated), or --a, --b and --pairs");
  }
  if (real_or_fake && (o.model.empty() || o.items == 0)) {
    throw UsageError(o.model.empty() ? "--model is required with --items"
                                     : "--items is required with --model");
  }
  for (const char* option : {"--a", "--b", "--pairs"}) {
    if (pairs && o.command->count(option) == 0)
      throw UsageError(std::string(option) + " is required for pairs");
  }
  if (o.key == "-") throw UsageError("--key: must be a separate file that judges do not see");
}

int64_t count_of(const std::vector<ItemToJudge>& items, const char* key) {
  return std::count_if(items.begin(), items.end(),
                       [&](const ItemToJudge& item) { return item.hidden.value(key, false); });
}

void say_what_is_written(const JudgeExportOptions& o, const std::vector<ItemToJudge>& items,
                         const ResponseSieve::Counts& unfit) {
  const auto checks = static_cast<size_t>(count_of(items, "check"));
  print_text("wrote " + counted(items.size() - checks, o.is_pairs() ? "pair" : "item") + " and " +
             counted(checks, "test question") + " to " + o.out + ", the key to " + o.key + "\n");
  print_text((o.is_pairs() ? "identical responses: " + std::to_string(count_of(items, "identical"))
                           : "generated responses " + unfit.text()) +
             "\n");
}

[[noreturn]] void fail_too_few(const JudgeExportOptions& o, const Inputs& inputs, size_t found) {
  throw DataError(inputs.data_path + ": gives only " + std::to_string(found) + " of " +
                  std::to_string(o.wanted()) + (o.is_pairs() ? " pairs" : " items") + " and " +
                  std::to_string(o.wanted_checks()) +
                  " test questions; ask for fewer or give more dialogues");
}

// The responses of a run to the examples at some places.
Passages::Respond responder(const JudgeExportOptions& o, Inputs& inputs, Device device) {
  return [&o, &inputs, device](const std::vector<size_t>& places, const std::string& run) {
    LoadedModel loaded = load_responder(run);
    move(*loaded.model, device);
    inputs.bounds.conditions = loaded.model->config().conditions();
    const std::vector<Example> all = inputs.examples(loaded.vocabulary);
    std::vector<Example> chosen;
    for (const size_t place : places) chosen.push_back(all[place]);
    PassProgress progress(1, chosen, inputs.unit(chosen.size()));
    return respond(
        *loaded.model, chosen, loaded.vocabulary, o.decode.get(o.common->seed), o.batch,
        [&](const RespondProgress& done) { progress.show(run, done.examples, done.tokens); });
  };
}

void run(const JudgeExportOptions& o) {
  const Device device = start(*o.common);
  check_options(o);
  JsonOutput items_file(o.out), key_file(o.key), output(o.json);
  const std::vector<std::string> models =
      o.is_pairs() ? std::vector<std::string>{o.a, o.b} : std::vector<std::string>{o.model};
  Inputs inputs = read_inputs(o.input, models);
  Passages passages(inputs.examples(Vocabulary()), responder(o, inputs, device), o.common->seed);
  const WantedItems wanted{static_cast<size_t>(o.wanted()), o.wanted_checks(), o.common->seed};
  const size_t all = wanted.items + wanted.checks;
  if (passages.left() < all) fail_too_few(o, inputs, passages.left());
  ResponseSieve sieve({.unknown = true, .repeated = true, .as_people = true});
  const std::vector<ItemToJudge> items =
      o.is_pairs()
          ? pair_items(passages, wanted, o.a, o.b)
          : real_or_fake_items(passages, wanted, o.model, static_cast<size_t>(o.batch), sieve);
  if (items.size() < all) fail_too_few(o, inputs, items.size());
  say(find_left_out(inputs, passages.examples()), inputs);

  const auto [shown, hidden] = numbered(items, o.common->seed);
  key_file.write_text(json_lines(hidden));
  try {
    items_file.write_text(json_lines(shown));
  } catch (...) {  // the disk is full: a key without items would remain
    std::filesystem::remove(o.key);
    throw;
  }
  if (!output.to_stdout() && !items_file.to_stdout())
    say_what_is_written(o, items, sieve.left_out());
  if (!output.wanted()) return;
  Json json = {{"inputs", inputs_json(inputs, models, o.common->seed)},
               {"decode", o.decode.to_json()},
               {"items", o.wanted()},
               {"checks", o.wanted_checks()}};
  json["inputs"]["seed"] = o.common->seed;
  if (o.is_pairs()) {
    json["identical"] = count_of(items, "identical");
  } else {
    json["left_out"] = to_json(sieve.left_out());
  }
  output.write(o, json);
}

}  // namespace

void add_judge_export(CLI::App& judge) {
  const auto [c, o] = declare<JudgeExportOptions>(
      judge, "export", "Write responses for people to judge, and a key with the right answers",

      "With --model people judge whether a response is real or generated. A line of --out is "
      "{\"item\": ..., \"context\": [...], \"response\": ...}. With --a and --b they judge which "
      "response is better: {\"item\": ..., \"context\": [...], \"a\": ..., \"b\": ...}, in random "
      "order. Test questions show the words of a human response in random order.\n"
      "Examples:\n"
      "  heed judge export --model runs/first --data data/ubuntu-sample --items 100 --out "
      "items.jsonl --key key.jsonl\n"
      "  heed judge export --a runs/one --b runs/two --data data/ubuntu-sample --pairs 100 --out "
      "pairs.jsonl --key key.jsonl",
      {.seed = "Seed of the choice of items and of drawn responses (--decode sample)"}, run);
  c.add_option("--model", o.model,
               "Directory of a run or a model; its responses are mixed with real ones");
  add_items(c, o.items);
  c.add_option("--a", o.a,
               "Directory of the run or model that gives the first response of each pair");
  c.add_option("--b", o.b,
               "Directory of the run or model that gives the second response of each pair");
  c.add_option("--pairs", o.pairs, "Pairs of responses")->check(whole_number(1, 20000));
  o.input.declare(c);
  o.input.declare_tokens(c);
  c.add_option("--out", o.out, "File of the items for people, - for standard output")->required();
  add_key(c, o.key, "the truth about each item, which people do not see")->required();
  option(c, "--checks", o.checks, "Test questions for each item or pair", number(0, 1));
  add_json(c, o.json);
  add_batch(c, o.batch);
  o.decode.declare(c);
}

}  // namespace heed
