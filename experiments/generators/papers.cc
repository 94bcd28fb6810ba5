// What each paper has of its own: variants, tables, claims, printed numbers.
#include <array>
#include <cmath>

#include "dialog/text/format.h"
#include "experiments/generators/paper.h"

namespace heed::generators {
namespace {

using Best = Column::Best;
using Numbers = std::vector<std::pair<size_t, std::string>>;

// ---- claims

std::string shown(double x) {
  return decimal(x, std::abs(x) < 0.1 ? 4 : std::abs(x) < 10 ? 3 : 1);
}

// One number is below another, for each of several pairs: all of them; or it is above in all (it
// does not hold); else it is undecided, as where they differ by less than half a percent.
struct Below {
  size_t variant;
  std::string key;
  size_t than;
  std::string than_key = "";  // empty: the same
};
ClaimResult all_below(const VariantNumbers& n, const std::vector<Below>& pairs) {
  constexpr double kNearly = 1.005;
  size_t holds = 0, fails = 0;
  std::string figure;
  for (const Below& p : pairs) {
    const auto a = n.get(p.variant, p.key);
    const auto b = n.get(p.than, p.than_key.empty() ? p.key : p.than_key);
    if (!a || !b) return {};
    holds += kNearly * *a < *b;
    fails += *a > kNearly * *b;
    figure += (figure.empty() ? "" : "; ") + shown(*a) + (*a < *b ? " < " : " > ") + shown(*b);
  }
  ClaimResult result{.figure = figure};
  if (holds == pairs.size() || fails == pairs.size()) result.holds = holds > 0;
  return result;
}
std::function<ClaimResult(const VariantNumbers&)> below(std::vector<Below> pairs) {
  return [pairs](const VariantNumbers& n) { return all_below(n, pairs); };
}

// ---- columns

Column lowest(const char* group, const char* name, const std::string& key, int digits = 1) {
  return {group, name, key, digits, false, Best::kLowest};
}
Column highest(const char* group, const char* name, const std::string& key, int digits = 3) {
  return {group, name, key, digits, false, Best::kHighest};
}
Column plain(const char* group, const char* name, const std::string& key, int digits = 2) {
  return {group, name, key, digits};
}
Column percent(const char* group, const char* name, const std::string& key, int digits = 2) {
  return {group, name, key, digits, true, Best::kHighest};
}

// The measures that all papers have.
std::vector<Column> answers() {
  return {lowest("", "perplexity", "perplexity"),
          percent("overlap, %", "BLEU-2", "own.bleu_2"),
          percent("overlap, %", "ROUGE-2", "own.rouge_2"),
          highest("diversity", "distinct-1", "own.distinct_1", 4),
          highest("diversity", "distinct-2", "own.distinct_2", 4),
          plain("", "words", "own.mean_length", 1),
          highest("", "coherence", "own.pmi_coherence")};
}

void bounds(TrainSettings& t, int64_t turns, int64_t least = 3) {
  t.examples.max_turns = turns;
  t.examples.min_turns = least;
  t.examples.max_utterance_tokens = t.examples.max_response_tokens = 25;
}

// ---- Olabiyi et al.

template <Noise N> void noise(TrainSettings& t) {
  t.model.noise = N;
}
const words::Settings kRanker{.mode = words::Mode::kRanker}, kSoft{.mode = words::Mode::kSoft};
enum : size_t { kHred, kAttention, kRankerU, kRankerW, kPlainGan, kGanU, kGanW };

Paper hredgan() {
  const char* current = "hred-attention-current";
  Paper p{
      .name = "hredgan",
      .what = "Train HRED, with attention, noise and a discriminator of words",
      .more = "After Olabiyi et al. (2019), docs/generators.md#a-discriminator-of-words.",
      .only = "hred, \"ranker-*\"",
      .title = "HRED and a discriminator of words",
      .footer =
          "After Olabiyi et al., <cite>Multi-turn Dialogue Response Generation in an "
          "Adversarial Learning Framework</cite>, 2019.",
      .claims_note =
          "\"Paper\" are its numbers of Ubuntu (1.85 million conversations, 3 layers of 512; "
          "of the last two rows the best of 64 answers by D). How the discriminator reaches "
          "the generator the paper does not say: here by the mean of the words' embeddings.",
      .variants =
          {{{"hred", "HRED", "HRED"}, "hred-gru"},
           {{"attention", "HRED", "attention"}, current},
           {{"ranker-u", "ranker", "noise of answers"}, current, noise<Noise::kUtterance>, kRanker},
           {{"ranker-w", "ranker", "noise of words"}, current, noise<Noise::kWord>, kRanker},
           {{"gan", "adversary", "no noise"}, current, noise<Noise::kNone>, kSoft},
           {{"gan-u", "adversary", "noise of answers"}, current, noise<Noise::kUtterance>, kSoft},
           {{"gan-w", "adversary", "noise of words"}, current, noise<Noise::kWord>, kSoft}},
      .prepare = [](TrainSettings& t) { bounds(t, 4); },
      .decode = {.max_length = 25},
      .tables = {{"answers", "Greedy answers without noise", "Test part.", answers()}},
      .compared = {"perplexity", "own.bleu_2", "own.rouge_2"}};
  p.tables[0].columns.push_back(plain("", "NASL", "own.nasl"));
  PaperTable best{"best",
                  "The best of several answers with noise",
                  "Chosen by D, by log p, and one of them.",
                  {}};
  for (const auto& [way, title] :
       {std::pair("best_d", "by D"), {"best_logp", "by log p"}, {"random", "one of them"}}) {
    const std::string key = way;
    best.columns.push_back(percent(title, "BLEU-2 %", key + ".bleu_2"));
    best.columns.push_back(percent(title, "ROUGE-2 %", key + ".rouge_2"));
    best.columns.push_back(highest(title, "distinct-2", key + ".distinct_2", 4));
    best.columns.push_back(plain(title, "NASL", key + ".nasl"));
  }
  p.tables.push_back(best);
  p.tables.push_back(
      {"words",
       "What the discriminator tells",
       "D of what was said against words drawn behind it (taught), and against an "
       "answer of the model with noise (free).",
       {highest("taught", "told right", "words.told"), highest("taught", "AUC", "words.auc_taught"),
        highest("free", "AUC", "words.auc_free"), plain("free", "-ln D", "words.minus_log_d")}});
  p.claims = {
      {"Attention lowers the perplexity of HRED.", "Perplexity, attention < HRED.",
       below({{kAttention, "perplexity", kHred}})},
      {"Adversarial training with noise has a lower perplexity than HRED.",
       "Perplexity with either noise < HRED.",
       below({{kGanU, "perplexity", kHred}, {kGanW, "perplexity", kHred}})},
      {"Without noise the adversary changes little.",
       "Perplexity, no noise and attention, differs by less than 2 %.",
       [](const VariantNumbers& n) -> ClaimResult {
         const auto a = n.get(kPlainGan, "perplexity"), b = n.get(kAttention, "perplexity");
         if (!a || !b) return {};
         return {std::abs(*a / *b - 1) < 0.02, shown(*a) + " and " + shown(*b)};
       }},
      {"Noise of words is better than noise of answers.",
       "BLEU-2, ROUGE-2 and distinct-2 of the best by D.",
       below({{kGanU, "best_d.bleu_2", kGanW},
              {kGanU, "best_d.rouge_2", kGanW},
              {kGanU, "best_d.distinct_2", kGanW}})},
      {"Ours: noise and adversary raise the perplexity.",
       "Perplexity with either noise > attention.",
       below({{kAttention, "perplexity", kGanU}, {kAttention, "perplexity", kGanW}})},
      {"Ours: D chooses better than chance.", "BLEU-2 of the best by D > of one of them, rankers.",
       below({{kRankerU, "random.bleu_2", kRankerU, "best_d.bleu_2"},
              {kRankerW, "random.bleu_2", kRankerW, "best_d.bleu_2"}})},
      {"Ours: D chooses better than log p.", "The same against the most probable one.",
       below({{kRankerU, "best_logp.bleu_2", kRankerU, "best_d.bleu_2"},
              {kRankerW, "best_logp.bleu_2", kRankerW, "best_d.bleu_2"}})},
      {"Ours: D tells the model's own answers worse than drawn words.",
       "AUC, free < taught, rankers.",
       below({{kRankerU, "words.auc_free", kRankerU, "words.auc_taught"},
              {kRankerW, "words.auc_free", kRankerW, "words.auc_taught"}})}};
  const std::pair<size_t, std::array<double, 6>> printed[] = {
      {kHred, {86.4, 0.0177, 0.0483, 0.0203, 0.0466, 0.892}},
      {kAttention, {43.92, 0.014, 0.072, 0.0473, 0.1262, 0.76}},
      {kPlainGan, {44.04, 0.0123, 0.0827, 0.0398, 0.1147, 0.908}},
      {kGanU, {57.32, 0.0137, 0.0716, 0.026, 0.0847, 1.379}},
      {kGanW, {48.18, 0.0216, 0.1168, 0.0516, 0.1821, 1.098}}};
  for (const auto& [v, numbers] : printed) {
    const std::string way = v >= kGanU ? "best_d" : "own";
    size_t i = 0;
    for (const char* key : {"", ".bleu_2", ".rouge_2", ".distinct_1", ".distinct_2", ".nasl"}) {
      p.numbers.set(v, i == 0 ? "perplexity" : way + key, numbers[i]);
      ++i;
    }
  }
  return p;
}

// ---- Dziri et al.

enum : size_t { kSeq2Seq, kHredOfTwo, kDynamic, kThredAlone, kThredOnce, kThredTopics };

Paper thred() {
  Paper p{.name = "thred",
          .what = "Train THRED, with topics and without, and what it is compared with",
          .more = "After Dziri et al. (2019), docs/generators.md#thred.",
          .only = "seq2seq, \"thred*\"",
          .title = "THRED and its attention after integration",
          .footer =
              "After Dziri et al., <cite>Augmenting Neural Response Generation with "
              "Context-Aware Topical Attention</cite>, 2019.",
          .claims_note =
              "\"Paper\" are its numbers of Reddit (6 million conversations of three turns). No "
              "row for SS and REI, which need an encoder of sentences, and for TA-Seq2Seq.",
          .variants = {{{"seq2seq", "baselines", "Seq2Seq with attention"}, "lstm-attention"},
                       {{"hred", "baselines", "HRED"}, "hred-gru"},
                       {{"dynamic-ui", "baselines", "dynamic-ui"}, "dynamic-ui"},
                       {{"thred", "THRED", "messages by attention"}, "thred"},
                       {{"thred-once", "THRED", "last states, once"},
                        "thred",
                        [](TrainSettings& t) { t.model.message_attention = false; }},
                       {{"thred-topics", "THRED", "and topics"},
                        "thred-topics",
                        [](TrainSettings& t) { t.model.topics = 20; }}},
          .prepare = [](TrainSettings& t) { bounds(t, 2); },
          .decode = {.method = DecodeOptions::Method::kBeam, .max_length = 25, .length_penalty = 1},
          .exchanges = true,
          .tables = {{"answers", "Answers", "Test part, beams of five.", answers()},
                     {"exchange",
                      "What an exchanged utterance does",
                      "Nats that -log p of the response gains where the last utterance (query) or "
                      "the one before it (history) is one of another dialogue; and attention "
                      "scores of the two, of THRED after integration.",
                      {highest("added to -log p", "query", "exchange.query", 2),
                       highest("added to -log p", "history", "exchange.history", 2),
                       plain("attention score", "query", "looks.query"),
                       plain("attention score", "history", "looks.history")}}},
          .compared = {"perplexity", "own.bleu_2", "own.rouge_2"}};
  p.claims = {
      {"THRED has the lowest perplexity.", "Perplexity, topics < Seq2Seq and HRED.",
       below({{kThredTopics, "perplexity", kSeq2Seq}, {kThredTopics, "perplexity", kHredOfTwo}})},
      {"THRED is the most diverse.", "distinct-1 and distinct-2, topics > Seq2Seq and HRED.",
       below({{kSeq2Seq, "own.distinct_1", kThredTopics},
              {kHredOfTwo, "own.distinct_1", kThredTopics},
              {kSeq2Seq, "own.distinct_2", kThredTopics},
              {kHredOfTwo, "own.distinct_2", kThredTopics}})},
      {"Ours: hierarchy alone does not help.",
       "HRED has a higher perplexity and a lower distinct-2 than Seq2Seq.",
       below({{kSeq2Seq, "perplexity", kHredOfTwo}, {kHredOfTwo, "own.distinct_2", kSeq2Seq}})},
      {"Ours: messages by attention are better than last states.",
       "Perplexity, messages < last states.", below({{kThredAlone, "perplexity", kThredOnce}})},
      {"Ours: with integration before attention the score hides what the history does.",
       "Of both exchanges the history has a larger share in THRED than in dynamic-ui, its "
       "attention score is the smaller one.",
       [](const VariantNumbers& n) -> ClaimResult {
         std::vector<double> share, looks;
         for (const size_t v : {kThredAlone, kDynamic}) {
           const auto history = n.get(v, "exchange.history"), query = n.get(v, "exchange.query"),
                      score = n.get(v, "looks.history");
           if (!history || !query || !score) return {};
           share.push_back(*history / (*history + *query)), looks.push_back(*score);
         }
         const bool more = share[0] > share[1], less = looks[0] < looks[1];
         return {more == less ? std::optional(more) : std::nullopt,
                 "shares " + shown(share[0]) + " and " + shown(share[1]) + "; scores " +
                     shown(looks[0]) + " and " + shown(looks[1])};
       }}};
  const std::pair<size_t, std::array<double, 3>> printed[] = {
      {kSeq2Seq, {62.12, 0.0082, 0.0222}},
      {kHredOfTwo, {63.0, 0.0083, 0.0182}},
      {kThredTopics, {61.73, 0.0103, 0.0347}}};
  for (const auto& [v, numbers] : printed) {
    p.numbers.set(v, "perplexity", numbers[0]);
    p.numbers.set(v, "own.distinct_1", numbers[1]);
    p.numbers.set(v, "own.distinct_2", numbers[2]);
  }
  return p;
}

// ---- Takayama & Arase

template <int Percent> void keyword_weight(TrainSettings& t) {
  t.model.keyword_weight = Percent / 100.0;
}
enum : size_t { kWithoutKeywords, kWeight0, kWeight10, kWeight50 };

Paper keywords() {
  Paper p{
      .name = "keywords",
      .what = "Train models with keywords by mutual information, and one without",
      .more = "After Takayama & Arase (2019), docs/generators.md#keywords.",
      .only = "seq2seq, \"weight-*\"",
      .title = "Keywords by mutual information",
      .footer =
          "After Takayama & Arase, <cite>Relevant and Informative Response Generation "
          "using Pointwise Mutual Information</cite>, 2019.",
      .claims_note =
          "\"Paper\" are its numbers of OpenSubtitles (2 million pairs), Seq2Seq and "
          "Proposed, both without MMI; the weight of its loss is not printed.",
      .variants = {{{"seq2seq", "baseline", "Seq2Seq"}, "hred-gru"},
                   {{"weight-0", "keywords", "weight 0"}, "keywords", keyword_weight<0>},
                   {{"weight-0.1", "keywords", "weight 0.1"}, "keywords", keyword_weight<10>},
                   {{"weight-0.5", "keywords", "weight 0.5"}, "keywords", keyword_weight<50>}},
      .prepare = [](TrainSettings& t) { bounds(t, 1, 2); },
      .decode = {.method = DecodeOptions::Method::kBeam, .max_length = 25},
      .tables = {{"answers", "Answers", "Test part, beams of five.", answers()},
                 {"more",
                  "As in the paper",
                  "Test part, beams of five.",
                  {percent("overlap", "BLEU %", "own.bleu"), highest("overlap", "NIST", "own.nist"),
                   highest("diversity", "ent-4", "own.ent_4", 2),
                   lowest("", "repetition", "own.repetition", 3), plain("", "NASL", "own.nasl")}}},
      .compared = {"perplexity", "own.bleu_2", "own.rouge_2", "own.mean_length",
                   "own.pmi_coherence"}};
  const auto better = [](const char* key) { return Below{kWithoutKeywords, key, kWeight10}; };
  p.claims = {
      {"Keywords overlap more with what was said.", "BLEU and NIST, weight 0.1 > Seq2Seq.",
       below({better("own.bleu"), better("own.nist")})},
      {"They are more diverse.", "distinct-1, distinct-2 and ent-4, weight 0.1 > Seq2Seq.",
       below({better("own.distinct_1"), better("own.distinct_2"), better("own.ent_4")})},
      {"They are longer.", "Words, weight 0.1 > Seq2Seq.", below({better("own.mean_length")})},
      {"They repeat themselves more.", "Repetition, weight 0.1 > Seq2Seq.",
       below({better("own.repetition")})},
      {"Ours: their words go with those of the query.", "Coherence, weight 0.1 > Seq2Seq.",
       below({better("own.pmi_coherence")})},
      {"Ours: the loss on drawn words does it, not the mixture alone.",
       "Coherence, weights 0.1 and 0.5 > weight 0.",
       below({{kWeight0, "own.pmi_coherence", kWeight10},
              {kWeight0, "own.pmi_coherence", kWeight50}})}};
  const std::pair<size_t, std::array<double, 7>> printed[] = {
      {kWithoutKeywords, {0.01374, 0.687, 0.005, 0.015, 4.07, 8.025, 1.095}},
      {kWeight10, {0.01569, 0.837, 0.044, 0.148, 7.327, 7.52, 1.377}}};
  for (const auto& [v, numbers] : printed) {
    size_t i = 0;
    for (const char* key :
         {"bleu", "nist", "distinct_1", "distinct_2", "ent_4", "mean_length", "repetition"}) {
      p.numbers.set(v, std::string("own.") + key, numbers[i++]);
    }
  }
  return p;
}

// ---- Chikai, Takayama & Arase

enum : size_t { kGate, kGateWeight0, kOneSoftmax };

Paper expressive() {
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
          "training data. \"Paper\": intended and perceived sentiment agree, by people.",
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
      .tables = {{"answers", "Answers", "Test part, drawn; wanted is what was said.", answers()},
                 {"control",
                  "What is asked for",
                  "Share of sentiment words, and of answers that have the wanted sentiment by "
                  "the lexicon.",
                  {plain("sentiment words", "negative", "sentiment_words.negative", 3),
                   plain("sentiment words", "neutral", "sentiment_words.neutral", 3),
                   plain("sentiment words", "positive", "sentiment_words.positive", 3),
                   highest("got", "negative", "got.negative"),
                   highest("got", "neutral", "got.neutral"),
                   highest("got", "positive", "got.positive"),
                   highest("got", "all three", "control")}}},
      .compared = {"perplexity", "own.bleu_2", "own.rouge_2"}};
  p.claims = {
      {"A sentiment can be asked for.", "Share of answers that have it > 1/3, which is chance.",
       [](const VariantNumbers& n) -> ClaimResult {
         const auto got = n.get(kGate, "control");
         if (!got) return {};
         if (std::abs(*got - 1 / 3.0) < 0.01) return {std::nullopt, shown(*got)};
         return {*got > 1 / 3.0, shown(*got)};
       }},
      {"Ours: the gate's own loss raises the share of sentiment words.",
       "Asked for neutral, as printed > gate weight 0.",
       below({{kGateWeight0, "sentiment_words.neutral", kGate}})},
      {"Ours: two vocabularies are asked with more success than one.",
       "Share of answers that have the sentiment, as printed > no gate.",
       below({{kOneSoftmax, "control", kGate}})},
      {"Ours: they cost perplexity.", "Perplexity, as printed > no gate.",
       below({{kOneSoftmax, "perplexity", kGate}})}};
  p.numbers.set(kGate, "control", 0.645);
  return p;
}

}  // namespace

const Paper& paper(size_t number) {
  static const std::array<Paper, kPapers> kAll = {hredgan(), thred(), keywords(), expressive()};
  return kAll.at(number);
}

}  // namespace heed::generators
