// Two vocabularies and a gate: Chikai, Takayama & Arase 2019.
#include "experiments/generators/paper.h"

namespace heed::generators {
namespace {

enum : size_t { kGate, kGateWeight0, kOneSoftmax };

Paper describe_expressive() {
  Paper p{
      .name = "expressive",
      .what = "Train models of two vocabularies, and ask them for sentiments",
      .more =
          "After Chikai, Takayama & Arase (2019), "
          "docs/generators.md#two-vocabularies-and-a-gate; the data need labels of "
          "emotions, as DailyDialog's.",
      .only = "gate, one-softmax",
      .title = "Two vocabularies and a gate",
      .footer =
          "After Chikai, Takayama & Arase, <cite>Responsive and Self-Expressive Dialogue "
          "Generation</cite>, 2019.",
      .claims_note =
          "Each test context is asked for each of three sentiments. Which one an answer has is "
          "read off the lexicon, more positive or more negative words, as the paper labels its "
          "training data; and what a classifier of words says that learned from the labels of the "
          "training part. \"Paper\": intended and perceived sentiment agree, by people.",
      .variants = {{{"gate", "two vocabularies", "as printed"}, "two-vocabulary"},
                   {{"gate-weight-0", "two vocabularies", "gate weight 0"},
                    "two-vocabulary",
                    [](TrainSettings& t) { t.model.gate_weight = 0; }},
                   {{"one-softmax", "one vocabulary", "no gate"},
                    "two-vocabulary",
                    [](TrainSettings& t) { t.lexicon.clear(); }}},
      .prepare =
          [](TrainSettings& t) {
            bounds(t, 1, 2);
            t.loop.schedule.rate = 0.003;
          },
      .decode = {.method = DecodeOptions::Method::kSample, .max_length = 25},
      .has_labels = true,
      .tables = {table("answers", "Answers", "Test part, drawn; wanted is what was said.",
                       answers()),
                 table("control", "What is asked for",
                       "Share of sentiment words, and of answers that have the wanted sentiment by "
                       "the lexicon.",
                       {plain("sentiment words", "negative", "sentiment_words.negative", 3),
                        plain("sentiment words", "neutral", "sentiment_words.neutral", 3),
                        plain("sentiment words", "positive", "sentiment_words.positive", 3),
                        highest("got", "negative", "got.negative"),
                        highest("got", "neutral", "got.neutral"),
                        highest("got", "positive", "got.positive"),
                        highest("got", "all three", "control")})},
      .compared = {"perplexity", "own.bleu_2", "own.rouge_2"}};
  Table told = table(
      "told", "What a classifier says",
      "Shares of the answers that were asked for a sentiment, and of all answers the share that "
      "it takes for what was asked for; the same of domains. Of people's responses: the "
      "mean over the values of the share that it tells right.",
      {});
  for (const std::string wanted : {"negative", "neutral", "positive"}) {
    for (const std::string as : {"negative", "neutral", "positive"}) {
      told.columns.push_back(plain(("wanted " + wanted).c_str(), as.c_str(),
                                   "told.sentiment." + wanted + "." + as, 3));
    }
  }
  for (const std::string kind : {"sentiment", "domain"}) {
    told.columns.push_back(highest(kind.c_str(), "as asked", "told." + kind + ".all"));
    told.columns.push_back(plain(kind.c_str(), "of people's", "told." + kind + ".people", 3));
  }
  p.tables.push_back(told);
  p.claims = {
      {"A sentiment can be asked for.",
       "Share of answers that have it > 1/3, which is chance.",
       {{.variant = kGate, .key = "control", .by = 1 / 3.0}}},
      {"By a classifier, too.",
       "Share of answers that it takes for what was asked for > 1/3.",
       {{.variant = kGate, .key = "told.sentiment.all", .by = 1 / 3.0}}},
      {"A domain can be asked for.",
       "Share of answers that the classifier takes for it, less chance, which is one of all "
       "domains, > 0.",
       {{.variant = kGate, .key = "told.domain.above_chance"}}},
      {"Ours: the gate's own loss raises the share of sentiment words.",
       "Asked for neutral, as printed > gate weight 0.",
       {{kGate, "sentiment_words.neutral", kGateWeight0}}},
      {"Ours: two vocabularies are asked with more success than one.",
       "Share of answers that have the sentiment, as printed > no gate.",
       {{kGate, "control", kOneSoftmax}}},
      {"Ours: they cost perplexity.",
       "Perplexity, as printed > no gate.",
       {{kGate, "perplexity", kOneSoftmax}}}};
  return p;
}

}  // namespace

const Paper& expressive() {
  static const Paper kPaper = describe_expressive();
  return kPaper;
}

}  // namespace heed::generators
