#include "dialog/respond/evaluate.h"

#include "dialog/data/conversations.h"
#include "dialog/respond/after_integration.h"
#include "dialog/respond/relevance.h"
#include "dialog/respond/run.h"
#include "dialog/text/format.h"
#include "dialog/text/text_table.h"
#include "experiments/engine/report/estimate_json.h"
#include "heed/bundled.h"
#include "heed/command.h"
#include "heed/inputs.h"
#include "heed/left_out.h"
#include "heed/progress.h"
#include "heed/rank_team.h"
#include "heed/response_rows.h"

namespace heed {
namespace {

struct EvaluateOptions : CommandOptions {
  std::string model, test = "all", json, pmi;
  int64_t batch = 32;
  int ranks = 0;
  bool per_example = false, accuracy = false, responses = false;
  InputFlags input;
};

Json number(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json set_json(const TestSetResult& result, size_t dialogues, bool per_example) {
  Json json = to_json(result.summary, dialogues);
  for (const ExampleResult& e : result.examples) {
    if (!per_example) break;
    json["per_example"].push_back({{"id", e.id},
                                   {"nll", e.nll},
                                   {"tokens", e.tokens},
                                   {"characters", e.characters.all},
                                   {"as_distraction", number(e.means.distraction)},
                                   {"as_history", number(e.means.history)},
                                   {"das_ratio", number(e.das_ratio)}});
    if (e.right) json["per_example"].back()["right"] = *e.right;
  }
  return json;
}

// Of a test set, with the mean agreement over the examples that have one.
struct Relevance : RelevanceSummary {
  std::optional<Estimate> agreement;
};

Json relevance_json(const Relevance& r) {
  return {{"das_ratio", number(r.scores.das_ratio)},
          {"as_distraction", number(r.scores.as_distraction)},
          {"as_history", number(r.scores.as_history)},
          {"as_first", number(r.scores.as_first)},
          {"as_last", number(r.scores.as_last)},
          {"agreement", to_json(r.agreement)}};
}

std::string relevance_table(const std::vector<Relevance>& all) {
  const auto text = [](const std::optional<double>& value, double factor, int digits) {
    return value ? decimal(factor * *value, digits) + (factor > 1 ? "%" : "") : "-";
  };
  ColumnsOf<Relevance> table(all);
  table.add("by relevance", [](const Relevance& r) { return r.set; });
  table.add("DAS ratio", [&](const Relevance& r) { return text(r.scores.das_ratio, 1, 3); });
  table.add("AS distr.", [&](const Relevance& r) { return text(r.scores.as_distraction, 100, 1); });
  table.add("AS history", [&](const Relevance& r) { return text(r.scores.as_history, 100, 1); });
  table.add("agreement", [](const Relevance& r) { return interval_text(r.agreement, 3); });
  return table.text(results_width());
}

// The measures of the model's greedy responses to the original examples, and of the human ones.
std::vector<ResponseRow> measure_greedy(LoadedModel& loaded, const std::vector<Example>& examples,
                                        int64_t batch) {
  const std::vector<Tokens> texts = respond(*loaded.model, examples, loaded.vocabulary, {}, batch),
                            human = human_responses(examples, loaded.vocabulary);
  const std::vector<ExtraMeasure> extras = {extrema_of(*loaded.model, loaded.vocabulary, human)};
  return {measure_row("greedy", texts, human, extras),
          measure_row("human", human, human, extras, /*human=*/true)};
}

// By the words of --pmi, in the order of the results.
std::vector<Relevance> relevance_of(const EvaluateOptions& o, const LoadedModel& loaded,
                                    const Inputs& inputs, const EncodedInputs& in,
                                    const std::vector<TestSet>& sets,
                                    const std::vector<TestSetResult>& results) {
  std::vector<Relevance> all;
  if (o.pmi.empty()) return all;
  const CountedWords counted(read_dialogues(find_dialogues(o.pmi, "train")));
  const std::vector<int> clusters = conversations(inputs.dialogues, in.examples);
  for (size_t i = 0; i < sets.size(); ++i) {
    const auto inserted = distracted(in.examples, sets[i], in.pool, in.phrases, o.common->seed);
    all.push_back({measure_relevance(counted, inserted, loaded.vocabulary, results[i]), {}});
    all.back().agreement = estimate(bootstrap({mean_quotient(all.back().agreements, clusters)})[0]);
  }
  return all;
}

// Writes the table and the file.
void tell(const EvaluateOptions& o, const Inputs& inputs, const LeftOut& left_out,
          const std::vector<TestSetResult>& results, const std::vector<Relevance>& relevance,
          const std::vector<ResponseRow>& responses, size_t examples, bool integrated,
          const JsonOutput& output) {
  say(left_out, inputs);
  if (!output.to_stdout()) {
    print_text(results_table(results, inputs.unit(2), results_width()));
    if (integrated) std::printf("%s\n", kAfterIntegration);
    if (!relevance.empty()) {
      std::printf("\n%sIn brackets: 95 %% intervals over conversations.\n",
                  relevance_table(relevance).c_str());
    }
    if (!responses.empty()) {
      const std::string counted = std::to_string(examples) + " " + inputs.unit(examples);
      std::printf("\n%s", rows_table(responses, counted).c_str());
    }
  }
  if (!output.wanted()) return;
  Json json = {{"inputs", inputs_json(inputs, {o.model}, o.common->seed)},
               {"left_out", to_json(left_out)},
               {"after_integration", integrated}};
  for (const TestSetResult& r : results) {
    json["test_sets"][r.name] = set_json(r, left_out.dialogues_read, o.per_example);
  }
  for (const Relevance& r : relevance) {
    json["test_sets"][r.set]["relevance"] = relevance_json(r);
  }
  if (!responses.empty()) {
    json["responses"] = to_json(responses[0], examples);
    json["human"] = to_json(responses[1], examples);
  }
  output.write(o, json);
}

void run(EvaluateOptions& o) {
  take_bundled(o.model);
  if (o.per_example && o.json.empty()) throw UsageError("--per-example: needs --json");
  const RankTeam team(o.ranks, *o.common);
  team.start();
  const JsonOutput output(team.first() ? o.json : "");
  const std::vector<TestSet> sets = select_test_sets(o.test);
  o.input.check(sets);
  if (!o.pmi.empty()) check_dialogues(o.pmi, "train");  // complains before the long work
  LoadedModel loaded = load_responder(o.model);
  const Inputs inputs = read_inputs(o.input, {o.model}, sets, team.reads());
  if (team.first()) note_unknown_phrases(inputs, loaded.vocabulary);
  EncodedInputs encoded(inputs, loaded.vocabulary);
  team.check_alike(given_inputs(inputs, o.model, *loaded.model, o.common->seed));
  team.share(encoded);
  const LeftOut left_out = find_left_out(inputs, encoded.examples);

  const auto work = [&](Ranks& ranks, Device device) {
    move(*loaded.model, device);
    PassProgress progress(sets.size(), encoded.examples, inputs.unit(encoded.examples.size()));
    const auto show = [&](const std::string& set, const ScoreProgress& done) {
      if (ranks.first()) progress.show(set, done.examples, done.tokens);
    };
    const auto results =
        evaluate(*loaded.model, encoded.examples, sets, encoded.pool, encoded.phrases,
                 o.common->seed, o.batch, show, ranks, o.accuracy);
    progress.done();
    if (!ranks.first()) return;
    std::vector<ResponseRow> responses;
    if (o.responses) responses = measure_greedy(loaded, encoded.examples, o.batch);
    tell(o, inputs, left_out, results, relevance_of(o, loaded, inputs, encoded, sets, results),
         responses, encoded.examples.size(),
         attends_after_integration(loaded.model->config().structure), output);
  };
  team.run(work, std::atomic<bool>(false));
}

}  // namespace

void add_evaluate(CLI::App& app) {
  const auto [c, o] = declare<EvaluateOptions>(
      app, "evaluate", "Perplexity, attention scores and DAS ratio on the distracting test sets",

      "AS: attention on an utterance; 100% is what uniform attention would give. DAS ratio: mean "
      "AS of the distractions (D) divided by mean AS of the history (H). A lower ratio means a "
      "less distracted model. \"2+\": of the dialogues with two or more utterances of history, "
      "because with one the middle is the beginning. \"D > H\": the share of dialogues where D is "
      "greater. \"D / (D + H)\": its mean; 0.5 is even. \"mean of ratios\" and \"median\" are "
      "taken over the ratios of single dialogues. \"first\" and \"last\" are utterances of the "
      "original history.\n"
      "Examples:\n"
      "  heed evaluate --model runs/first --data data/ubuntu-sample --json results.json\n"
      "  heed evaluate --model runs/first --data my.jsonl --test none,frequent,rare\n"
      "  heed evaluate --model runs/first --data my.jsonl --pool data/ubuntu-sample --test random",
      {.seed = "Seed of the distractions"}, run);
  add_model_or_bundled(c, o.model);
  o.input.declare(c);
  o.input.declare_tokens(c);
  option(c, "--test", o.test,
         "Test sets separated by commas: all, none, random:P, frequent: or rare: with begin, "
         "middle or end; random, frequent and rare alone: three sets each");
  add_json(c, o.json);
  c.add_flag("--per-example", o.per_example, "Add the numbers of every example to the JSON");
  add_accuracy(c, o.accuracy);
  add_responses(c, o.responses);
  c.add_option(
      "--pmi", o.pmi,
      "Also measure how relevant distractions and history are to the query, by the "
      "pointwise mutual information of words in these dialogues, and how far the attention "
      "agrees: a data directory (its train part), or a file");
  add_batch(c, o.batch);
  add_ranks(c, o.ranks);
  o.input.declare_insertion(c);
}

}  // namespace heed
