#include "dialog/evaluate.h"

#include <cstdio>
#include <filesystem>

#include "dialog/run.h"
#include "heed/commands.h"
#include "heed/progress.h"
#include "heed/results.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  std::string model, data, pool, test = "all", json;
  int64_t batch = 32;
  size_t limit = 0;
  PhraseText phrases;
};

void run(const Options& o) {
  const Device device = start(*o.common);
  JsonOutput output(o.json);
  const std::vector<TestSet> sets = select_test_sets(o.test);
  LoadedModel loaded = load_model(o.model);
  move(*loaded.model, device);
  const ExampleOptions bounds = load_example_options(o.model);
  const auto dialogues = read_dialogues(o.data, o.limit);
  int64_t left_out = 0;
  const auto examples = make_examples(dialogues, loaded.vocabulary, bounds, &left_out);
  if (examples.empty()) throw DataError(o.data + ": no dialogue with two utterances of context");
  const auto pool_dialogues = o.pool.empty() ? dialogues : read_dialogues(o.pool);
  const Pool pool = make_pool(pool_dialogues, loaded.vocabulary, bounds.max_utterance_tokens);

  Progress progress;
  const auto report = [&](const std::string& set, const ScoreProgress& done) {
    char line[120];
    std::snprintf(line, sizeof line, "%s: %ld of %zu dialogues", set.c_str(),
                  static_cast<long>(done.examples), examples.size());
    progress.show(line);
  };
  const auto results =
      evaluate(*loaded.model, examples, sets, pool, encode_phrases(o.phrases, loaded.vocabulary),
               o.common->seed, o.batch, report);
  progress.done();
  if (!output.to_stdout()) {
    std::fputs(results_table(results).c_str(), stdout);
    if (left_out) std::printf("%ld dialogues left out (too short)\n", static_cast<long>(left_out));
  }
  if (!output.wanted()) return;
  nlohmann::ordered_json json = {{"model", o.model}, {"data", o.data}, {"seed", o.common->seed}};
  for (const TestSetResult& r : results) json["test_sets"][r.name] = to_json(r.summary);
  output.write(json);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "evaluate", "Perplexity, attention scores and DAS ratio on the distracting test sets");
  c->footer(
      "AS: attention on an utterance, 100% is an average one. DAS ratio: mean AS of the "
      "distractions\n"
      "over mean AS of the history; the lower, the less the model is distracted. mean and median "
      "are\n"
      "those of the ratios of single dialogues. first, last: utterances of the original history.\n"
      "Example: heed evaluate --model runs/first --data data/ubuntu-sample/test.jsonl.gz \\\n"
      "           --pool data/ubuntu-sample/train.jsonl.gz --json results.json");
  o->common = add_common(*c);
  c->add_option("--model", o->model, "Directory of a run or a model")->required();
  c->add_option("--data", o->data, "Dialogues (JSON Lines, plain or gzip)")->required();
  c->add_option("--pool", o->pool,
                "Dialogues that random distractions are drawn from; the test data if not given");
  c->add_option("--test", o->test,
                "all, none, random:P, or frequent: or rare: with begin, middle or end")
      ->capture_default_str();
  c->add_option("--json", o->json, "Write the results to this file, - for standard output");
  c->add_option("--batch", o->batch, "Dialogues in a batch; changes no result")
      ->capture_default_str();
  c->add_option("--limit", o->limit, "Only the first dialogues, 0: all")->capture_default_str();
  c->add_option("--frequent", o->phrases.frequent, "Utterances of the frequent: sets")
      ->capture_default_str();
  c->add_option("--rare", o->phrases.rare, "Utterances of the rare: sets")->capture_default_str();
  c->callback([o] { run(*o); });
}

}  // namespace heed
