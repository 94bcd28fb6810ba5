#include "dialog/respond/config.h"
#include "dialog/respond/das.h"
#include "heed/command.h"
#include "heed/measured.h"

namespace heed {
namespace {

struct ScoreOptions : CommandOptions {
  std::string model, json, dtype = "f32";
  int64_t batch = 32;
  bool attention = false;
  InputFlags input;
};

// The tokens that the model reads or predicts, each text with the token that ends it.
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
  if (!example.conditions.empty()) json["conditions"] = example.conditions;
  json["cut"] = {{"distractions", example.cut.distractions},
                 {"utterances", example.cut.utterances},
                 {"response", example.cut.response}};
  if (!score.attention.empty()) json["attention"] = score.attention;
  return json;
}

void run(const ScoreOptions& o) {
  if (o.dtype == "f64") refuse_given(*o.command, "--matmul", "with --dtype f32");
  const Device device = start(*o.common);
  JsonOutput output(o.json);
  if (o.attention && !output.wanted())
    throw UsageError("--attention: only applies with --json FILE");
  const Measured m(o.model, o.input);
  if (o.dtype == "f64") convert(*m.loaded.model, DType::f64);
  move(*m.loaded.model, device);
  const auto scores = m.with_progress([&](const auto& show) {
    return score(*m.loaded.model, m.examples, o.batch, show, o.attention);
  });
  const ScoreSummary summary = summarize(scores);
  if (!output.to_stdout()) {
    print_text(results_table({{"as given", summary, {}}}, m.inputs.unit(2), results_width()));
  }
  if (!output.wanted()) return;
  Json json = {{"inputs", inputs_json(m.inputs, {o.model}, o.common->seed)},
               {"left_out", to_json(m.left_out)}};
  json.update(to_json(summary, m.left_out.dialogues_read));
  json["per_example"] = Json::array();
  for (size_t i = 0; i < scores.size(); ++i) {
    json["per_example"].push_back(dialogue_json(scores[i], m.examples[i], m.loaded.vocabulary));
  }
  output.write(o, json, o.dtype);
}

}  // namespace

void add_score(CLI::App& app) {
  const auto [c, o] = declare<ScoreOptions>(
      app, "score", "Score dialogues as given, with the distractions marked in them",
      "For each dialogue, writes the negative log-likelihood of every token of the response, the "
      "attention score of every utterance, the attention loss of every step and the DAS ratio. "
      "--attention adds the attention of every step.\n"
      "Example:\n"
      "  heed score --model runs/first --data dialogues.jsonl --json scores.json",
      {.seed = ""}, run);
  add_model(c, o.model);
  o.input.declare(c);
  o.input.declare_tokens(c);
  add_json(c, o.json);
  c.add_flag(
      "--attention", o.attention,
      "Add the attention of every step to the JSON: on each utterance (non-hier: on each token)");
  add_batch(c, o.batch);
  option(c, "--dtype", o.dtype, "Element type of the arithmetic", one_of({"f32", "f64"}));
}

}  // namespace heed
