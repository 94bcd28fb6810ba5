#include <cstdio>

#include "dialog/respond/responses.h"
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
  InputFlags input;
  DecodeFlags decode;
};

// The human responses in all their words, where the model has <unk>.
std::vector<Tokens> references_of(const Inputs& inputs) {
  const Vocabulary words =
      Vocabulary::build(count_tokens(inputs.dialogues), {.max_size = 10000000, .min_count = 1});
  std::vector<Tokens> references;
  for (const Example& e : inputs.examples(words)) {
    references.emplace_back();
    for (int32_t token : e.response) references.back().push_back(words.token(token));
  }
  return references;
}

std::string lines(const std::vector<Example>& examples, const std::vector<Tokens>& responses) {
  std::string text;
  for (size_t i = 0; i < examples.size(); ++i) {
    text += Json({{"id", examples[i].id}, {"response", detokenize(responses[i])}}).dump() + "\n";
  }
  return text;
}

Json to_json(const ResponseQuality& q) {
  return {{"bleu", q.bleu ? Json(*q.bleu) : Json()},
          {"distinct_1", q.distinct_1},
          {"distinct_2", q.distinct_2},
          {"mean_length", q.mean_length},
          {"examples", q.dialogues}};
}

void print_row(const std::string& name, const ResponseQuality& q) {
  char bleu[16] = "-";
  if (q.bleu) std::snprintf(bleu, sizeof bleu, "%.2f", 100 * *q.bleu);
  std::printf("%-8s %6s %10.4f %10.4f %6.1f %9ld\n", name.c_str(), bleu, q.distinct_1, q.distinct_2,
              q.mean_length, static_cast<long>(q.dialogues));
}

void run(const Options& o) {
  const Device device = start(*o.common);
  const DecodeOptions options = o.decode.get(o.common->seed);
  if (o.out == "-" && o.json == "-") throw UsageError("respond: --out and --json cannot both be -");
  JsonOutput responses_file(o.out), output(o.json);
  LoadedModel loaded = load_model(o.model);
  move(*loaded.model, device);
  const Inputs inputs = read_inputs(o.input, load_example_options(o.model));
  const std::vector<Example> examples = inputs.examples(loaded.vocabulary);
  const LeftOut left_out = find_left_out(inputs.dialogues, examples);

  PassProgress progress(1, examples, inputs.unit(examples.size()));
  const auto responses =
      respond(*loaded.model, examples, loaded.vocabulary, options, o.batch,
              [&](const RespondProgress& done) { progress.show("", done.examples, done.tokens); });
  progress.done();
  say(left_out, inputs);
  responses_file.write_text(lines(examples, responses));
  const std::vector<Tokens> references = references_of(inputs);
  const ResponseQuality model = measure_responses(responses, references);
  ResponseQuality human = measure_responses(references, references);
  human.bleu.reset();
  if (!output.to_stdout() && !responses_file.to_stdout()) {
    std::printf("%-8s %6s %10s %10s %6s %9s\n", "", "BLEU", "distinct-1", "distinct-2", "words",
                inputs.unit(2).c_str());
    print_row(o.decode.method, model);
    print_row("human", human);
  }
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("respond", *o.common)},
               {"inputs", inputs_json(inputs, {o.model}, o.common->seed)},
               {"decode", o.decode.to_json()},
               {"left_out", to_json(left_out)},
               {"responses", to_json(model)},
               {"human", to_json(human)}};
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
      "different n-grams per word.\n"
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
  o->decode.declare(*c);
  c->callback([o] { run(*o); });
}

}  // namespace heed
