#include <cstdio>

#include "dialog/respond/config.h"
#include "dialog/respond/das.h"
#include "dialog/respond/run.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/declare.h"
#include "heed/inputs.h"
#include "heed/left_out.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  CommonPtr common;
  std::string model, json, dtype = "f32";
  int64_t batch = 32;
  bool attention = false;
  InputFlags input;
};

// What the model reads or predicts, with the token that ends it.
Json token_list(const std::vector<int32_t>& ids, int end, const Vocabulary& vocabulary) {
  Json tokens = Json::array();
  for (int32_t id : ids) tokens.push_back(vocabulary.token(id));
  tokens.push_back(vocabulary.token(end));
  return tokens;
}

Json dialogue_json(const DialogueScore& score, const Example& example,
                   const Vocabulary& vocabulary) {
  Json json = to_json(score);
  json["tokens"] = token_list(example.response, kEos, vocabulary);
  json["first_utterance"] = example.cut.turns;
  json["utterances"] = Json::array();
  for (const auto& utterance : example.context) {
    json["utterances"].push_back(token_list(utterance, kEou, vocabulary));
  }
  json["distraction"] = Json::array();
  for (const char mark : example.distraction) json["distraction"].push_back(mark != 0);
  json["cut"] = {{"distractions", example.cut.distractions},
                 {"utterances", example.cut.utterances},
                 {"response", example.cut.response}};
  if (!score.attention.empty()) json["attention"] = score.attention;
  return json;
}

void run(const Options& o) {
  const Device device = start(*o.common);
  JsonOutput output(o.json);
  if (o.attention && !output.wanted()) throw UsageError("--attention: goes into --json FILE");
  LoadedModel loaded = load_responder(o.model);
  if (o.dtype == "f64") convert(*loaded.model, DType::f64);
  move(*loaded.model, device);
  const Inputs inputs = read_inputs(o.input, load_example_options(o.model));
  const std::vector<Example> examples = inputs.examples(loaded.vocabulary);
  const LeftOut left_out = find_left_out(inputs, examples);

  PassProgress progress(1, examples, inputs.unit(examples.size()));
  const auto on_batch = [&](const ScoreProgress& done) {
    progress.show("", done.examples, done.tokens);
  };
  const auto scores = score(*loaded.model, examples, o.batch, on_batch, o.attention);
  progress.done();
  say(left_out, inputs);
  const ScoreSummary summary = summarize(scores);
  if (!output.to_stdout()) {
    std::fputs(results_table({{"as given", summary, {}}}, inputs.unit(2), results_width()).c_str(),
               stdout);
  }
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("score", *o.common, o.dtype)},
               {"inputs", inputs_json(inputs, {o.model}, o.common->seed)},
               {"left_out", to_json(left_out)}};
  json.update(to_json(summary, left_out.dialogues_read));
  json["per_example"] = Json::array();
  for (size_t i = 0; i < scores.size(); ++i) {
    json["per_example"].push_back(dialogue_json(scores[i], examples[i], loaded.vocabulary));
  }
  output.write(json);
}

}  // namespace

void add_score(CLI::App& app) {
  const auto [c, o] = declare<Options>(
      app, "score", "Score dialogues as they are, with the distractions that they name themselves",
      "Writes, for each dialogue, the negative log-likelihood of every token of the response, the "
      "attention score of every utterance, the attention loss of every step, and the DAS ratio; "
      "with --attention also where the model looks at every step.\n"
      "Example:\n"
      "  heed score --model runs/first --data dialogues.jsonl --json scores.json",
      {.seed = ""}, run);
  add_model(c, o.model);
  o.input.declare(c);
  o.input.declare_tokens(c);
  add_json(c, o.json);
  c.add_flag("--attention", o.attention,
             "The attention of every step into the JSON as well, for each utterance (non-hier: for "
             "each token)");
  add_batch(c, o.batch);
  option(c, "--dtype", o.dtype, "Element type of the arithmetic", one_of({"f32", "f64"}));
}

}  // namespace heed
