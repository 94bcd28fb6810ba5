#include "dialog/respond/responses.h"
#include "dialog/text/lexicon.h"
#include "dialog/text/measures.h"
#include "dialog/text/text_table.h"
#include "dialog/text/tokenizer.h"
#include "heed/command.h"
#include "heed/decode_flags.h"
#include "heed/measured.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  std::string model, out, json, pmi, lexicon;
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
  std::optional<double> extrema_own, coherence, sentiment_words;
};

// The mean over the examples.
double mean_coherence(const Ppmi& ppmi, const std::vector<Example>& examples,
                      const std::vector<Tokens>& responses, const Vocabulary& vocabulary) {
  double sum = 0;
  for (size_t i = 0; i < examples.size(); ++i) {
    sum += coherence(ppmi, examples[i], responses[i], vocabulary);
  }
  return sum / static_cast<double>(examples.size());
}

// The share of all words of the responses.
double share_of_sentiment_words(const Lexicon& lexicon, const std::vector<Tokens>& responses) {
  double words = 0, found = 0;
  for (const Tokens& response : responses) {
    words += static_cast<double>(response.size());
    for (const std::string& word : response) found += has_sentiment(lexicon, word);
  }
  return found / std::max(words, 1.0);
}

Json to_json(const Row& row, size_t examples) {
  Json json;
  for (size_t i = 0; i < row.values.size(); ++i) {
    json[text_measures()[i].key] = row.values[i] ? Json(*row.values[i]) : Json();
  }
  json["extrema_own"] = row.extrema_own ? Json(*row.extrema_own) : Json();
  if (row.coherence) json["pmi_coherence"] = *row.coherence;
  if (row.sentiment_words) json["sentiment_words"] = *row.sentiment_words;
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
  if (rows[0].coherence) {
    add("coherence", [&](const Row& row) { return shown(row.coherence, 1, 3); });
  }
  if (rows[0].sentiment_words) {
    add("sentiment words", [&](const Row& row) { return shown(row.sentiment_words, 1, 3); });
  }
  std::printf("%s%s\n", text_table(columns, results_width()).c_str(), counted.c_str());
}

void run(const Options& o) {
  const Device device = start(*o.common);
  DecodeOptions options = o.decode.get(o.common->seed);
  JsonOutput responses_file(o.out), output(o.json);
  const Measured m(o.model, o.input);
  move(*m.loaded.model, device);
  options.judge = o.decode.judge(o.model, *m.loaded.model);
  std::optional<Ppmi> ppmi;
  if (!o.pmi.empty()) {
    ppmi = count_ppmi(read_dialogues(find_part(o.pmi, "train")), m.loaded.vocabulary);
  }
  const Lexicon lexicon = o.lexicon.empty() ? Lexicon() : read_lexicon(o.lexicon);

  const auto responses = m.with_progress([&](const auto& show) {
    return respond(*m.loaded.model, m.examples, m.loaded.vocabulary, options, o.batch, show);
  });
  responses_file.write_text(lines(m.examples, responses));
  const std::vector<Tokens> references = human_responses(m.examples, m.loaded.vocabulary);
  const auto measured = [&](const std::string& name, const std::vector<Tokens>& texts,
                            bool human = false) {
    Row row{name, measure_texts(texts, references, human), {}, {}, {}};
    if (!human)
      row.extrema_own = extrema_own(*m.loaded.model, m.loaded.vocabulary, texts, references);
    if (ppmi) row.coherence = mean_coherence(*ppmi, m.examples, texts, m.loaded.vocabulary);
    if (!lexicon.empty()) row.sentiment_words = share_of_sentiment_words(lexicon, texts);
    return row;
  };
  std::vector<Row> rows = {measured(options.best_of > 0 ? "best-of" : o.decode.method, responses)};
  if (o.taught) {
    rows.push_back(
        measured("taught", respond_taught(*m.loaded.model, m.examples, m.loaded.vocabulary,
                                          options.allow_unk, o.batch)));
  }
  rows.push_back(measured("human", references, /*human=*/true));
  const size_t count = references.size();
  if (!output.to_stdout() && !responses_file.to_stdout()) {
    print_table(rows, std::to_string(count) + " " + m.inputs.unit(count));
  }
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("respond", *o.common)},
               {"inputs", inputs_json(m.inputs, {o.model}, o.common->seed)},
               {"decode", o.decode.to_json()},
               {"left_out", to_json(m.left_out)},
               {"responses", to_json(rows[0], count)},
               {"human", to_json(rows.back(), count)}};
  if (o.taught) json["taught"] = to_json(rows[1], count);
  json["decode"]["seed"] = o.common->seed;
  output.write(json);
}

}  // namespace

void add_respond(CLI::App& app) {
  const auto [c, o] = declare<Options>(
      app, "respond", "Write a model's own responses to a file and measure them",

      "A line of the file is {\"id\": ..., \"response\": ...}. BLEU: corpus BLEU-4 against the "
      "human responses (cut to --max-response tokens), 0 to 100, in the JSON 0 to 1. distinct-n: "
      "different n-grams per word. BLEU-2 (without smoothing), ROUGE-n and ROUGE-L (F1) and METEOR "
      "(equal words and stems): means over the responses of their values one by one. All of them: "
      "docs/generators.md.\n"
      "Examples:\n"
      "  heed respond --model runs/first --data data/ubuntu-sample --out responses.jsonl\n"
      "  heed respond --model runs/first --data my.jsonl --decode beam --out responses.jsonl "
      "--json quality.json\n"
      "  heed respond --model runs/hredgan --data data/ubuntu-sample --best-of 64 --rank D --out "
      "best.jsonl",
      {.seed = "Seed of drawn responses (--decode sample)"}, run);
  add_model(c, o.model);
  o.input.declare(c);
  o.input.declare_tokens(c);
  c.add_option("--out", o.out, "File of the responses, - for standard output")->required();
  add_json(c, o.json);
  add_batch(c, o.batch);
  c.add_flag("--taught", o.taught,
             "Also measure the model's most probable next words after the words of the human "
             "response, instead of after its own words");
  c.add_option("--pmi", o.pmi,
               "Also measure how the words of a response go with those of its context (coherence), "
               "by the pointwise mutual information of words in these dialogues: a data directory "
               "(its train part), or a file");
  c.add_option(
       "--sentiment-words", o.lexicon,
       "Also measure the share of sentiment words, those with a score of 1 or more, or -1 or "
       "less, in this file, as VADER has them")
      ->option_text("FILE");
  o.decode.declare_best_of(c);
}

}  // namespace heed
