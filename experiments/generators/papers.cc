// What is particular to each paper; its report is NAME.json.
#include "experiments/generators/paper.h"

namespace heed::generators {
namespace {

constexpr char kHredgan[] =
#include "hredgan_report.inc"
    ;
constexpr char kThred[] =
#include "thred_report.inc"
    ;
constexpr char kKeywords[] =
#include "keywords_report.inc"
    ;
constexpr char kExpressive[] =
#include "expressive_report.inc"
    ;

template <int Turns, int Least = 3> void bounds(TrainSettings& t) {
  t.examples.max_turns = Turns;
  t.examples.min_turns = Least;
  t.examples.max_utterance_tokens = t.examples.max_response_tokens = 25;
}
template <Noise N> void noise(TrainSettings& t) {
  t.model.noise = N;
}
template <int Percent> void keyword_weight(TrainSettings& t) {
  t.model.keyword_weight = Percent / 100.0;
}
void twenty_topics(TrainSettings& t) {
  t.model.topics = 20;
}
const words::Settings kRanker{.mode = words::kRanker}, kSoft{.mode = words::kSoft};
const char* const kCurrent = "hred-attention-current";

}  // namespace

const std::vector<Paper>& papers() {
  using Method = DecodeOptions::Method;
  static const std::vector<Paper> kPapers = {
      {.name = "hredgan",
       .what = "Train HRED, with attention, noise and a discriminator of words",
       .more = "After Olabiyi et al. (2019), docs/generators.md#a-discriminator-of-words.",
       .only = "\"hred,ranker-*\"",
       .report = kHredgan,
       .variants =
           {{{"hred", "HRED", "HRED"}, "hred-gru"},
            {{"attention", "HRED", "attention"}, kCurrent},
            {{"ranker-u", "ranker", "noise of answers"},
             kCurrent,
             noise<Noise::kUtterance>,
             kRanker},
            {{"ranker-w", "ranker", "noise of words"}, kCurrent, noise<Noise::kWord>, kRanker},
            {{"gan", "adversary", "no noise"}, kCurrent, noise<Noise::kNone>, kSoft},
            {{"gan-u", "adversary", "noise of answers"}, kCurrent, noise<Noise::kUtterance>, kSoft},
            {{"gan-w", "adversary", "noise of words"}, kCurrent, noise<Noise::kWord>, kSoft}},
       .prepare = bounds<4>,
       .decode = {.max_length = 25},
       .has_noise = true},
      {.name = "thred",
       .what = "Train THRED, with topics and without, and what it is compared with",
       .more = "After Dziri et al. (2019), docs/generators.md#thred.",
       .only = "\"seq2seq,thred*\"",
       .report = kThred,
       .variants = {{{"seq2seq-gru", "baselines", "Seq2Seq"}, "seq2seq-gru"},
                    {{"seq2seq", "baselines", "Seq2Seq of LSTMs"}, "lstm-attention"},
                    {{"ta-seq2seq", "baselines", "TA-Seq2Seq"}, "ta-seq2seq", twenty_topics},
                    {{"hred", "baselines", "HRED"}, "hred-gru"},
                    {{"dynamic-ui", "baselines", "dynamic-ui"}, "dynamic-ui"},
                    {{"thred", "THRED", "messages by attention"}, "thred"},
                    {{"thred-once", "THRED", "last states, once"},
                     "thred",
                     [](TrainSettings& t) { t.model.message_attention = false; }},
                    {{"thred-topics", "THRED", "and topics"}, "thred-topics", twenty_topics}},
       .prepare = bounds<2>,
       .decode = {.method = Method::kBeam, .max_length = 25, .length_penalty = 1},
       .exchanges = true,
       .has_distances = true},
      {.name = "keywords",
       .what = "Train models with keywords by mutual information, and one without",
       .more = "After Takayama & Arase (2019), docs/generators.md#keywords.",
       .only = "\"seq2seq,weight-*\"",
       .report = kKeywords,
       .variants = {{.name = {"seq2seq", "baseline", "Seq2Seq"},
                     .structure = "hred-gru",
                     .has_mmi = true},
                    {{"weight-0", "keywords", "weight 0"}, "keywords", keyword_weight<0>},
                    {.name = {"weight-0.1", "keywords", "weight 0.1"},
                     .structure = "keywords",
                     .edit = keyword_weight<10>,
                     .has_mmi = true},
                    {{"weight-0.5", "keywords", "weight 0.5"}, "keywords", keyword_weight<50>}},
       .prepare = bounds<1, 2>,
       .decode = {.method = Method::kBeam, .max_length = 25},
       .has_mmi = true},
      {.name = "expressive",
       .what = "Train models of two vocabularies, and ask them for sentiments",
       .more =
           "After Chikai, Takayama & Arase (2019), docs/generators.md#two-vocabularies-and-a-gate; "
           "the data need labels of emotions, as DailyDialog's.",
       .only = "\"gate,one-softmax\"",
       .report = kExpressive,
       .variants = {{{"gate", "two vocabularies", "as printed"}, "two-vocabulary"},
                    {{"gate-weight-0", "two vocabularies", "gate weight 0"},
                     "two-vocabulary",
                     [](TrainSettings& t) { t.model.gate_weight = 0; }},
                    {{"one-softmax", "one vocabulary", "no gate"},
                     "two-vocabulary",
                     [](TrainSettings& t) { t.lexicon.clear(); }}},
       .prepare =
           [](TrainSettings& t) {
             bounds<1, 2>(t);
             t.loop.schedule.rate = 0.003;
           },
       .decode = {.method = Method::kSample, .max_length = 25},
       .has_labels = true}};
  return kPapers;
}

}  // namespace heed::generators
