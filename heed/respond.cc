#include <cstdio>

#include "dialog/respond/responses.h"
#include "dialog/text/format.h"
#include "dialog/text/tokenizer.h"
#include "heed/commands.h"
#include "heed/decode_flags.h"
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
  std::string model, out, json;
  int64_t batch = 32;
  bool taught = false;
  InputFlags input;
  DecodeFlags decode;
};

std::string lines(const std::vector<Example>& examples, const std::vector<Tokens>& responses) {
  std::string text;
  for (size_t i = 0; i < examples.size(); ++i) {
    text += Json({{"id", examples[i].id}, {"response", detokenize(responses[i])}}).dump() + "\n";
  }
  return text;
}

// A row of the table; the human responses are not measured against themselves.
struct Row {
  std::string name;
  ResponseQuality quality;
  std::optional<OverlapMeans> overlap;
};

Row measured(const std::string& name, const std::vector<Tokens>& responses,
             const std::vector<Tokens>& references) {
  return {name, measure_responses(responses, references), mean_overlap(responses, references)};
}

Json to_json(const Row& row) {
  const ResponseQuality& q = row.quality;
  const auto overlap = [&](double OverlapMeans::*mean) {
    return row.overlap ? Json((*row.overlap).*mean) : Json();
  };
  return {{"bleu", q.bleu ? Json(*q.bleu) : Json()},
          {"distinct_1", q.distinct_1},
          {"distinct_2", q.distinct_2},
          {"bleu_2", overlap(&OverlapMeans::bleu_2)},
          {"rouge_l", overlap(&OverlapMeans::rouge_l)},
          {"meteor_exact_stem", overlap(&OverlapMeans::meteor)},
          {"mean_length", q.mean_length},
          {"examples", q.dialogues}};
}

void print_table(const std::vector<Row>& rows, const std::string& unit) {
  std::printf("%-8s %6s %7s %8s %7s %10s %10s %6s %9s\n", "", "BLEU", "BLEU-2", "ROUGE-L", "METEOR",
              "distinct-1", "distinct-2", "words", unit.c_str());
  for (const Row& row : rows) {
    const ResponseQuality& q = row.quality;
    const auto percent = [](const std::optional<double>& share) {
      return share ? decimal(100 * *share, 2) : "-";
    };
    const auto overlap = [&](double OverlapMeans::*mean) {
      return percent(row.overlap ? std::optional((*row.overlap).*mean) : std::nullopt);
    };
    std::printf("%-8s %6s %7s %8s %7s %10.4f %10.4f %6.1f %9ld\n", row.name.c_str(),
                percent(q.bleu).c_str(), overlap(&OverlapMeans::bleu_2).c_str(),
                overlap(&OverlapMeans::rouge_l).c_str(), overlap(&OverlapMeans::meteor).c_str(),
                q.distinct_1, q.distinct_2, q.mean_length, static_cast<long>(q.dialogues));
  }
}

void run(const Options& o) {
  const Device device = start(*o.common);
  const DecodeOptions options = o.decode.get(o.common->seed);
  JsonOutput responses_file(o.out), output(o.json);
  LoadedModel loaded = load_responder(o.model);
  move(*loaded.model, device);
  const Inputs inputs = read_inputs(o.input, load_example_options(o.model));
  const std::vector<Example> examples = inputs.examples(loaded.vocabulary);
  const LeftOut left_out = find_left_out(inputs, examples);

  PassProgress progress(1, examples, inputs.unit(examples.size()));
  const auto responses =
      respond(*loaded.model, examples, loaded.vocabulary, options, o.batch,
              [&](const RespondProgress& done) { progress.show("", done.examples, done.tokens); });
  progress.done();
  say(left_out, inputs);
  responses_file.write_text(lines(examples, responses));
  const std::vector<Tokens> references = human_responses(examples, loaded.vocabulary);
  std::vector<Row> rows = {measured(o.decode.method, responses, references)};
  if (o.taught) {
    rows.push_back(measured(
        "taught",
        respond_taught(*loaded.model, examples, loaded.vocabulary, options.allow_unk, o.batch),
        references));
  }
  Row human{"human", measure_responses(references, references), {}};
  human.quality.bleu.reset();
  rows.push_back(human);
  if (!output.to_stdout() && !responses_file.to_stdout()) print_table(rows, inputs.unit(2));
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("respond", *o.common)},
               {"inputs", inputs_json(inputs, {o.model}, o.common->seed)},
               {"decode", o.decode.to_json()},
               {"left_out", to_json(left_out)},
               {"responses", to_json(rows[0])},
               {"human", to_json(human)}};
  if (o.taught) json["taught"] = to_json(rows[1]);
  json["decode"]["seed"] = o.common->seed;
  output.write(json);
}

}  // namespace

void add_respond(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "respond", "Write a model's own responses to a file, and how good they are");
  c->footer(
      "A line of the file is {\"id\": ..., \"response\": ...}. BLEU: corpus BLEU-4 against the "
      "human responses (cut to --max-response tokens), 0 to 100, in the JSON 0 to 1. distinct-n: "
      "different n-grams per word. BLEU-2 (without smoothing), ROUGE-L (F1) and METEOR (equal "
      "words "
      "and stems): means over the responses of their values one by one.\n"
      "Examples:\n"
      "  heed respond --model runs/first --data data/ubuntu-sample --out responses.jsonl\n"
      "  heed respond --model runs/first --data my.jsonl --decode beam --out responses.jsonl "
      "--json "
      "quality.json");
  o->common = add_common(*c, {.seed = "Seed of drawn responses (--decode sample)"});
  add_model(*c, o->model);
  o->input.declare(*c);
  o->input.declare_tokens(*c);
  c->add_option("--out", o->out, "File of the responses, - for standard output")->required();
  add_json(*c, o->json);
  add_batch(*c, o->batch);
  c->add_flag("--taught", o->taught,
              "Also measure what the model finds most probable behind the words of the human "
              "response, not behind its own");
  o->decode.declare(*c);
  c->callback([o] { run(*o); });
}

}  // namespace heed
