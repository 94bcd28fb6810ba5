// THRED, with topics and attention after integration: Dziri et al. 2019.
#include "experiments/generators/paper.h"

namespace heed::generators {
namespace {

void twenty_topics(TrainSettings& t) {
  t.model.topics = 20;
}
enum : size_t {
  kSeq2Seq,
  kOfLstms,
  kTopicAware,
  kHredOfTwo,
  kDynamic,
  kThredAlone,
  kThredOnce,
  kThredTopics
};

Paper describe_thred() {
  Paper p{
      .name = "thred",
      .what = "Train THRED, with topics and without, and what it is compared with",
      .more = "After Dziri et al. (2019), docs/generators.md#thred.",
      .only = "seq2seq, \"thred*\"",
      .title = "THRED and its attention after integration",
      .footer =
          "After Dziri et al., <cite>Augmenting Neural Response Generation with "
          "Context-Aware Topical Attention</cite>, 2019.",
      .claims_note =
          "\"Paper\" are its numbers of Reddit (6 million conversations of three turns).",
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
      .prepare = [](TrainSettings& t) { bounds(t, 2); },
      .decode = {.method = DecodeOptions::Method::kBeam, .max_length = 25, .length_penalty = 1},
      .exchanges = true,
      .has_distances = true,
      .tables = {table("answers", "Answers", "Test part, beams of five.", answers()),
                 table("exchange", "What an exchanged utterance does",
                       "Nats that -log p of the response gains where the last utterance (query) or "
                       "the one before it (history) is one of another dialogue; and attention "
                       "scores of the two, of THRED after integration.",
                       {highest("added to -log p", "query", "exchange.query", 2),
                        highest("added to -log p", "history", "exchange.history", 2),
                        plain("attention score", "query", "looks.query"),
                        plain("attention score", "history", "looks.history")}),
                 table("distance", "Near to the context, and to what others said",
                       "SS of an answer and the last utterance, and the one before, by vectors of "
                       "the model of --distance; REI, the largest share of words in common with "
                       "one utterance of the training part.",
                       {lowest("SS", "last", "distances.ss_last", 3),
                        lowest("SS", "before", "distances.ss_before", 3),
                        lowest("", "REI", "distances.rei", 3)})},
      .compared = {"perplexity", "own.bleu_2", "own.rouge_2"}};
  // Of the models that the paper compares with, those that THRED is above or below.
  constexpr size_t kOthers[] = {kSeq2Seq, kTopicAware, kHredOfTwo};
  std::vector<Above> lowest, diverse, closest;
  for (const size_t other : kOthers) {
    lowest.push_back({other, "perplexity", kThredTopics});
    closest.push_back({other, "distances.ss_last", kThredTopics});
    for (const char* key : {"own.distinct_1", "own.distinct_2"}) {
      diverse.push_back({kThredTopics, key, other});
    }
  }
  p.claims = {
      {"THRED has the lowest perplexity of the four.",
       "Perplexity, topics < Seq2Seq, TA-Seq2Seq and HRED.", lowest},
      {"THRED is the most diverse.",
       "distinct-1 and distinct-2, topics > Seq2Seq, TA-Seq2Seq and HRED.", diverse},
      {"Its answers are more diverse than those of TA-Seq2Seq, by 5 and 37 %.",
       "distinct-1 and distinct-2, topics > TA-Seq2Seq.",
       {{kThredTopics, "own.distinct_1", kTopicAware},
        {kThredTopics, "own.distinct_2", kTopicAware}}},
      {"THRED is closest to the last utterance.",
       "SS of the last utterance, topics < Seq2Seq, TA-Seq2Seq and HRED.", closest},
      {"Ours: hierarchy alone does not help.",
       "HRED has a higher perplexity and a lower distinct-2 than Seq2Seq.",
       {{kHredOfTwo, "perplexity", kSeq2Seq}, {kSeq2Seq, "own.distinct_2", kHredOfTwo}}},
      {"Ours: messages by attention are better than last states.",
       "Perplexity, messages < last states.",
       {{kThredOnce, "perplexity", kThredAlone}}},
      {"Ours: with integration before attention the score hides what the history does.",
       "The exchange of the history costs THRED more than dynamic-ui, its attention score is the "
       "smaller one.",
       {{kThredAlone, "exchange.history", kDynamic}, {kDynamic, "looks.history", kThredAlone}}}};
  return p;
}

}  // namespace

const Paper& thred() {
  static const Paper kPaper = describe_thred();
  return kPaper;
}

}  // namespace heed::generators
