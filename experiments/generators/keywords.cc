// Keywords by mutual information: Takayama & Arase 2019.
#include "experiments/generators/paper.h"

namespace heed::generators {
namespace {

template <int Percent> void keyword_weight(TrainSettings& t) {
  t.model.keyword_weight = Percent / 100.0;
}
enum : size_t { kWithoutKeywords, kWeight0, kWeight10, kWeight50 };

Paper describe_keywords() {
  Paper p{.name = "keywords",
          .what = "Train models with keywords by mutual information, and one without",
          .more = "After Takayama & Arase (2019), docs/generators.md#keywords.",
          .only = "seq2seq, \"weight-*\"",
          .title = "Keywords by mutual information",
          .footer =
              "After Takayama & Arase, <cite>Relevant and Informative Response Generation "
              "using Pointwise Mutual Information</cite>, 2019.",
          .claims_note =
              "\"Paper\" are its numbers of OpenSubtitles (2 million pairs), Seq2Seq and "
              "Proposed; the weights of its loss and of MMI are not printed.",
          .variants = {{.name = {"seq2seq", "baseline", "Seq2Seq"},
                        .structure = "hred-gru",
                        .has_mmi = true},
                       {{"weight-0", "keywords", "weight 0"}, "keywords", keyword_weight<0>},
                       {.name = {"weight-0.1", "keywords", "weight 0.1"},
                        .structure = "keywords",
                        .edit = keyword_weight<10>,
                        .has_mmi = true},
                       {{"weight-0.5", "keywords", "weight 0.5"}, "keywords", keyword_weight<50>}},
          .prepare = [](TrainSettings& t) { bounds(t, 1, 2); },
          .decode = {.method = DecodeOptions::Method::kBeam, .max_length = 25},
          .has_mmi = true,
          .tables = {table("answers", "Answers", "Test part, beams of five.", answers()),
                     table("more", "As in the paper", "Test part, beams of five.",
                           {percent("overlap", "BLEU %", "own.bleu", 2),
                            highest("overlap", "NIST", "own.nist"),
                            highest("diversity", "ent-4", "own.ent_4", 2),
                            lowest("", "repetition", "own.repetition", 3),
                            plain("", "NASL", "own.nasl")}),
                     table("mmi", "Re-ranked by MMI",
                           "Test part, the best of beams of ten by ln P(R|C) + ln P(Q|R).",
                           {percent("overlap", "BLEU %", "mmi.bleu", 2),
                            highest("overlap", "NIST", "mmi.nist"),
                            highest("diversity", "distinct-1", "mmi.distinct_1", 4),
                            highest("diversity", "distinct-2", "mmi.distinct_2", 4),
                            highest("diversity", "ent-4", "mmi.ent_4", 2),
                            lowest("", "repetition", "mmi.repetition", 3),
                            plain("", "words", "mmi.mean_length", 1)})},
          .compared = {"perplexity", "own.bleu_2", "own.rouge_2", "own.mean_length",
                       "own.pmi_coherence"}};
  const auto better = [](const char* key) { return Above{kWeight10, key, kWithoutKeywords}; };
  // In overlap and diversity: an answer of weight 0.1 above another.
  const auto all_better = [](const std::string& way, size_t than, const std::string& than_way) {
    std::vector<Above> parts;
    for (const char* key : {"bleu", "nist", "distinct_1", "distinct_2", "ent_4"}) {
      parts.push_back({kWeight10, way + key, than, than_way + key});
    }
    return parts;
  };
  std::vector<Above> best = all_better("mmi.", kWeight10, "own.");
  for (const char* way : {"own.", "mmi."}) {
    const auto parts = all_better("mmi.", kWithoutKeywords, way);
    best.insert(best.end(), parts.begin(), parts.end());
  }
  p.claims = {
      {"Keywords overlap more with what was said.",
       "BLEU and NIST, weight 0.1 > Seq2Seq.",
       {better("own.bleu"), better("own.nist")}},
      {"They are more diverse.",
       "distinct-1, distinct-2 and ent-4, weight 0.1 > Seq2Seq.",
       {better("own.distinct_1"), better("own.distinct_2"), better("own.ent_4")}},
      {"They are longer.", "Words, weight 0.1 > Seq2Seq.", {better("own.mean_length")}},
      {"They repeat themselves more.",
       "Repetition, weight 0.1 > Seq2Seq.",
       {better("own.repetition")}},
      {"They are better than Seq2Seq with MMI.",
       "BLEU, NIST, distinct-1, distinct-2 and ent-4, weight 0.1 > Seq2Seq with MMI.",
       all_better("own.", kWithoutKeywords, "mmi.")},
      {"With MMI they are the best.",
       "The same five, weight 0.1 with MMI > weight 0.1, Seq2Seq, and Seq2Seq with MMI.", best},
      {"Ours: their words go with those of the query.",
       "Coherence, weight 0.1 > Seq2Seq.",
       {better("own.pmi_coherence")}},
      {"Ours: the loss on drawn words does it, not the mixture alone.",
       "Coherence, weights 0.1 and 0.5 > weight 0.",
       {{kWeight10, "own.pmi_coherence", kWeight0}, {kWeight50, "own.pmi_coherence", kWeight0}}}};
  return p;
}

}  // namespace

const Paper& keywords() {
  static const Paper kPaper = describe_keywords();
  return kPaper;
}

}  // namespace heed::generators
