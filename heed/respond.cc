#include <numeric>

#include "dialog/respond/relevance.h"
#include "dialog/respond/responses.h"
#include "dialog/system.h"
#include "dialog/text/lexicon.h"
#include "dialog/text/measures.h"
#include "heed/command.h"
#include "heed/decode_flags.h"
#include "heed/measured.h"
#include "heed/response_rows.h"

namespace heed {
namespace {

struct RespondOptions : CommandOptions {
  std::string model, out, json, pmi, lexicon, distance, dull, echo;
  int64_t batch = 32;
  bool taught = false;
  InputFlags input;
  DecodeFlags decode;
};

using Texts = std::vector<Tokens>;

// The mean of a function of an example's number and its response.
template <class F> double mean_over(const Texts& texts, const F& f) {
  double sum = 0;
  for (size_t i = 0; i < texts.size(); ++i) sum += f(i, texts[i]);
  return sum / static_cast<double>(texts.size());
}

std::vector<ExtraMeasure> extras_of(const RespondOptions& o, const Measured& m,
                                    const Texts& references, Device device) {
  const Vocabulary& vocabulary = m.loaded.vocabulary;
  std::vector<ExtraMeasure> extras = {extrema_of(*m.loaded.model, vocabulary, references)};
  if (!o.pmi.empty()) {
    const TextCoherence coherence(read_dialogues(find_dialogues(o.pmi, "train")),
                                  m.inputs.dialogues, m.inputs.bounds);
    extras.push_back({"pmi_coherence", "coherence", [coherence](const Texts& texts, bool) {
                        return mean_over(texts, coherence);
                      }});
  }
  if (!o.lexicon.empty()) {
    extras.push_back({"sentiment_words", "sentiment words",
                      [lexicon = read_lexicon(o.lexicon)](const Texts& texts, bool) {
                        return share_of_sentiment_words(lexicon, texts);
                      }});
  }
  if (!o.distance.empty()) {
    const auto encoder =
        std::make_shared<const LoadedSystem>(open_model(o.distance, Capability::kEncode, device));
    for (const std::string name : {"last", "before"}) {
      const size_t back = name == "last" ? 0 : 1;
      extras.push_back({"ss_" + name, "SS " + name,
                        [&m, encoder, back, dull = read_dull(o.dull)](const Texts& texts, bool) {
                          const auto all = distances(*encoder->encoder, m.examples, texts,
                                                     m.loaded.vocabulary, back, dull);
                          return std::accumulate(all.begin(), all.end(), 0.0) /
                                 std::max(static_cast<double>(all.size()), 1.0);
                        }});
    }
  }
  if (!o.echo.empty()) {
    const Echoes echoes = echoes_of(read_dialogues(find_dialogues(o.echo, "train")));
    extras.push_back({"rei_words", "REI", [echoes](const Texts& texts, bool) {
                        return mean_over(
                            texts, [&](size_t, const Tokens& text) { return echoes.of(text); });
                      }});
  }
  return extras;
}

void run(const RespondOptions& o) {
  const Device device = start(*o.common);
  DecodeOptions options = o.decode.get(o.common->seed);
  JsonOutput responses_file(o.out), output(o.json);
  const Measured m(o.model, o.input);
  move(*m.loaded.model, device);
  options.judge = o.decode.judge(o.model, *m.loaded.model);
  const Texts references = human_responses(m.examples, m.loaded.vocabulary);
  const std::vector<ExtraMeasure> extras = extras_of(o, m, references, device);

  const auto responses = m.with_progress([&](const auto& show) {
    return respond(*m.loaded.model, m.examples, m.loaded.vocabulary, options, o.batch, show);
  });
  responses_file.write_text(responses_text(m.examples, responses));
  const auto measured = [&](const std::string& name, const Texts& texts, bool human = false) {
    return measure_row(name, texts, references, extras, human);
  };
  std::vector<ResponseRow> rows = {
      measured(options.best_of > 0 ? "best-of" : o.decode.method, responses)};
  if (o.taught) {
    rows.push_back(
        measured("taught", respond_taught(*m.loaded.model, m.examples, m.loaded.vocabulary,
                                          options.allow_unk, o.batch)));
  }
  rows.push_back(measured("human", references, /*human=*/true));
  const size_t count = references.size();
  if (!output.to_stdout() && !responses_file.to_stdout()) {
    print_text(rows_table(rows, std::to_string(count) + " " + m.inputs.unit(count)));
  }
  if (!output.wanted()) return;
  Json json = {{"inputs", inputs_json(m.inputs, {o.model}, o.common->seed)},
               {"decode", o.decode.to_json()},
               {"left_out", to_json(m.left_out)},
               {"responses", to_json(rows[0], count)},
               {"human", to_json(rows.back(), count)}};
  if (o.taught) json["taught"] = to_json(rows[1], count);
  json["decode"]["seed"] = o.common->seed;
  output.write(o, json);
}

}  // namespace

void add_respond(CLI::App& app) {
  const auto [c, o] = declare<RespondOptions>(
      app, "respond", "Write a model's responses to a file and measure them",

      "A line of the file is {\"id\": ..., \"response\": ...}. BLEU: corpus BLEU-4 against the "
      "human responses (cut to --max-response tokens), from 0 to 100 (in the JSON 0 to 1). "
      "distinct-n: different n-grams per word. BLEU-2 (without smoothing), ROUGE-n, ROUGE-L (F1) "
      "and METEOR (equal words and stems): means of the values of single responses. "
      "docs/generators.md explains all of them.\n"
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
             "response rather than after its own");
  c.add_option("--pmi", o.pmi,
               "Also measure the coherence of a response with its context, by the pointwise mutual "
               "information of their words in these dialogues: a data directory (its train part), "
               "or a file");
  c.add_option(
       "--sentiment-words", o.lexicon,
       "Also measure the share of sentiment words, whose score in this file is at least 1 or at "
       "most -1; in the format of VADER")
      ->option_text("FILE");
  c.add_option(
       "--distance", o.distance,
       "Also measure the distance of a response from the last utterance and from the one before "
       "(SS), by vectors of this model, preferably one that heed import made")
      ->option_text("DIR");
  c.add_option(
       "--dull", o.dull,
       "Dull responses, one a line, in which * stands for any words: --distance counts a response "
       "that matches one as far from everything")
      ->option_text("FILE")
      ->needs("--distance");
  c.add_option("--echo", o.echo,
               "Also measure how much a response repeats one utterance of these dialogues (REI): a "
               "data directory (its train part), or a file");
  o.decode.declare_best_of(c);
}

}  // namespace heed
