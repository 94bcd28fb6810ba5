#include <cstdio>

#include "dialog/respond/responses.h"
#include "dialog/text/format.h"
#include "dialog/text/measures.h"
#include "dialog/text/tokenizer.h"
#include "heed/commands.h"
#include "heed/decode_flags.h"
#include "heed/inputs.h"
#include "heed/left_out.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"
#include "heed/text_table.h"

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
  std::vector<std::optional<double>> values;  // of text_measures()
  std::optional<double> extrema_own;
};

Json to_json(const Row& row, size_t examples) {
  Json json;
  for (size_t i = 0; i < row.values.size(); ++i) {
    json[text_measures()[i].key] = row.values[i] ? Json(*row.values[i]) : Json();
  }
  json["extrema_own"] = row.extrema_own ? Json(*row.extrema_own) : Json();
  json["examples"] = examples;
  return json;
}

void print_table(const std::vector<Row>& rows, const std::string& counted) {
  std::vector<std::vector<std::string>> columns = {{""}};
  for (const Row& row : rows) columns[0].push_back(row.name);
  const auto add = [&](const std::string& title, auto text) {
    std::vector<std::string>& column = columns.emplace_back(1, title);
    for (const Row& row : rows) column.push_back(text(row));
  };
  const auto shown = [](const std::optional<double>& value, double factor, int digits) {
    return value ? decimal(factor * *value, digits) : "-";
  };
  for (size_t i = 0; i < text_measures().size(); ++i) {
    const TextMeasure& m = text_measures()[i];
    add(m.title, [&](const Row& row) { return shown(row.values[i], m.factor, m.digits); });
  }
  add("extrema-own", [&](const Row& row) { return shown(row.extrema_own, 1, 3); });
  std::printf("%s%s\n", text_table(columns, results_width()).c_str(), counted.c_str());
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
  const auto measured = [&](const std::string& name, const std::vector<Tokens>& texts) {
    return Row{name, measure_texts(texts, references),
               extrema_own(*loaded.model, loaded.vocabulary, texts, references)};
  };
  std::vector<Row> rows = {measured(o.decode.method, responses)};
  if (o.taught) {
    rows.push_back(measured("taught", respond_taught(*loaded.model, examples, loaded.vocabulary,
                                                     options.allow_unk, o.batch)));
  }
  rows.push_back({"human", measure_texts(references, references, /*human=*/true), {}});
  const size_t count = references.size();
  if (!output.to_stdout() && !responses_file.to_stdout()) {
    print_table(rows, std::to_string(count) + " " + inputs.unit(count));
  }
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("respond", *o.common)},
               {"inputs", inputs_json(inputs, {o.model}, o.common->seed)},
               {"decode", o.decode.to_json()},
               {"left_out", to_json(left_out)},
               {"responses", to_json(rows[0], count)},
               {"human", to_json(rows.back(), count)}};
  if (o.taught) json["taught"] = to_json(rows[1], count);
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
      "different n-grams per word. BLEU-2 (without smoothing), ROUGE-n and ROUGE-L (F1) and METEOR "
      "(equal words and stems): means over the responses of their values one by one. "
      "docs/generators.md "
      "docs/generators.md.\n"
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
