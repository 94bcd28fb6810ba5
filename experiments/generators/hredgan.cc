// HRED with attention and a discriminator of words: Olabiyi et al. 2019.
#include "experiments/generators/paper.h"

namespace heed::generators {
namespace {

template <Noise N> void noise(TrainSettings& t) {
  t.model.noise = N;
}
const words::Settings kRanker{.mode = words::Mode::kRanker}, kSoft{.mode = words::Mode::kSoft};
enum : size_t { kHred, kAttention, kRankerU, kRankerW, kPlainGan, kGanU, kGanW };

Paper describe_hredgan() {
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
      .has_noise = true,
      .tables = {table("answers", "Greedy answers without noise", "Test part.", answers())},
      .compared = {"perplexity", "own.bleu_2", "own.rouge_2"}};
  std::vector<Column>& columns = p.tables[0].columns;
  for (Column& c : columns) {
    if (c.key == "own.distinct_2") c.key = "own.distinct_2_of_pairs";  // as the paper has it
  }
  columns.insert(columns.begin() + 2,
                 percent("overlap, %", "BLEU-2 of all", "own.corpus_bleu_2", 2));
  columns.push_back(plain("", "NASL", "own.nasl"));
  Table best = table("best", "The best of several answers with noise",
                     "Chosen by D, by log p, and one of them.", {});
  for (const auto& [way, title] :
       {std::pair("best_d", "by D"), {"best_logp", "by log p"}, {"random", "one of them"}}) {
    const std::string key = way;
    best.columns.push_back(percent(title, "BLEU-2 %", key + ".bleu_2", 2));
    best.columns.push_back(percent(title, "of all, %", key + ".corpus_bleu_2", 2));
    best.columns.push_back(percent(title, "ROUGE-2 %", key + ".rouge_2", 2));
    best.columns.push_back(highest(title, "distinct-2", key + ".distinct_2_of_pairs", 4));
    best.columns.push_back(plain(title, "NASL", key + ".nasl"));
  }
  p.tables.push_back(best);
  p.tables.push_back(table(
      "words", "What the discriminator tells",
      "D of what was said against words drawn behind it (taught), and against an "
      "answer of the model with noise (free).",
      {highest("taught", "told right", "words.told"), highest("taught", "AUC", "words.auc_taught"),
       highest("free", "AUC", "words.auc_free"), plain("free", "-ln D", "words.minus_log_d")}));
  const auto chosen = [](const char* key) { return Above{kGanW, key, kGanU}; };
  const auto by_d = [](size_t ranker, const char* other) {
    return Above{ranker, "best_d.bleu_2", ranker, other};
  };
  p.claims = {
      {"Attention lowers the perplexity of HRED.",
       "Perplexity, attention < HRED.",
       {{kHred, "perplexity", kAttention}}},
      {"Adversarial training with noise has a lower perplexity than HRED.",
       "Perplexity with either noise < HRED.",
       {{kHred, "perplexity", kGanU}, {kHred, "perplexity", kGanW}}},
      {"Without noise the adversary changes little.",
       "Perplexity, of no noise and attention either is more than 0.98 times the other.",
       {{kPlainGan, "perplexity", kAttention, "", 0.98},
        {kAttention, "perplexity", kPlainGan, "", 0.98}}},
      {"Noise of words is better than noise of answers.",
       "BLEU-2 (here the mean of the answers'), ROUGE-2 and distinct-2 of the best by D.",
       {chosen("best_d.bleu_2"), chosen("best_d.rouge_2"), chosen("best_d.distinct_2_of_pairs")}},
      {"Ours: noise and adversary raise the perplexity.",
       "Perplexity with either noise > attention.",
       {{kGanU, "perplexity", kAttention}, {kGanW, "perplexity", kAttention}}},
      {"Ours: D chooses better than chance.",
       "BLEU-2 of the best by D > of one of them, rankers.",
       {by_d(kRankerU, "random.bleu_2"), by_d(kRankerW, "random.bleu_2")}},
      {"Ours: D chooses better than log p.",
       "The same against the most probable one.",
       {by_d(kRankerU, "best_logp.bleu_2"), by_d(kRankerW, "best_logp.bleu_2")}},
      {"Ours: D tells the model's own answers worse than drawn words.",
       "AUC, free < taught, rankers.",
       {{kRankerU, "words.auc_taught", kRankerU, "words.auc_free"},
        {kRankerW, "words.auc_taught", kRankerW, "words.auc_free"}}}};
  return p;
}

}  // namespace

const Paper& hredgan() {
  static const Paper kPaper = describe_hredgan();
  return kPaper;
}

}  // namespace heed::generators
