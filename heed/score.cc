#include <cstdio>

#include "dialog/config.h"
#include "dialog/das.h"
#include "dialog/run.h"
#include "heed/commands.h"
#include "heed/progress.h"
#include "heed/results.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  std::string model, data, json;
  int64_t batch = 32;
  bool double_precision = false;
};

void run(const Options& o) {
  const Device device = start(*o.common);
  JsonOutput output(o.json);
  LoadedModel loaded = load_model(o.model);
  if (o.double_precision) convert(*loaded.model, DType::f64);
  move(*loaded.model, device);
  const auto examples =
      make_examples(read_dialogues(o.data), loaded.vocabulary, load_example_options(o.model));
  if (examples.empty()) throw DataError(o.data + ": no dialogue with two utterances of context");
  Progress progress;
  const auto scores = score(*loaded.model, examples, o.batch, [&](const ScoreProgress& done) {
    progress.show(std::to_string(done.examples) + " of " + std::to_string(examples.size()) +
                  " dialogues");
  });
  progress.done();
  const ScoreSummary summary = summarize(scores);
  if (!output.to_stdout()) std::fputs(results_table({{"as given", summary}}).c_str(), stdout);
  if (!output.wanted()) return;
  nlohmann::ordered_json json = to_json(summary);
  json["dialogs"] = nlohmann::ordered_json::array();
  for (const DialogueScore& s : scores) json["dialogs"].push_back(to_json(s));
  output.write(json);
}

}  // namespace

void add_score(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "score", "Score dialogues as they are, with the distractions that they name themselves");
  c->footer(
      "Writes, for each dialogue, the negative log-likelihood of every token of the response, the\n"
      "attention score of every utterance, the attention loss of every step, and the DAS ratio.\n"
      "Example: heed score --model runs/first --data dialogs.jsonl --json scores.json");
  o->common = add_common(*c);
  c->add_option("--model", o->model, "Directory of a run or a model")->required();
  c->add_option("--data", o->data, "Dialogues (JSON Lines, plain or gzip)")->required();
  c->add_option("--json", o->json, "Write the scores to this file, - for standard output");
  c->add_option("--batch", o->batch, "Dialogues in a batch; changes no result")
      ->capture_default_str();
  c->add_flag("--f64", o->double_precision, "Compute in double precision");
  c->callback([o] { run(*o); });
}

}  // namespace heed
