#include "experiments/engine/report/claims.h"

#include <algorithm>
#include <cmath>

#include "dialog/text/format.h"
#include "experiments/probes/report.h"

namespace heed {
namespace {

using Number = std::optional<double>;
using probed::kBilstmAttention, probed::kTransformer;

std::string percent(double share, int digits = 1) {
  return decimal(100 * share, digits);
}

std::string name_of(size_t variant) {
  return probed_names()[variant].name;
}

// How often a statement is true, and out of how many; and the figure, part by part.
struct Count {
  size_t yes = 0, of = 0;
  std::string figure = {};

  void add(bool is_so) { yes += is_so, ++of; }
  void add(const Count& more) { yes += more.yes, of += more.of; }
  void say(const std::string& part, const char* between = "; ") {
    figure += (figure.empty() ? "" : between) + part;
  }
  std::string text() const { return std::to_string(yes) + " of " + std::to_string(of); }
  // Undecided where nothing could be counted.
  ClaimResult holds(bool is_so) const {
    return of == 0 ? ClaimResult() : ClaimResult{is_so, figure};
  }
  ClaimResult holds_always() const { return holds(yes == of); }
};

Number f1(const VariantNumbers& t, size_t variant, const std::string& corpus,
          const std::string& checkpoint, const std::string& task,
          const std::string& probe = "logistic") {
  return t.get(variant, paper_key(probe, corpus, checkpoint, task));
}

// The number of a corpus's tasks on which a model is better at one checkpoint than at another.
Count rises(const VariantNumbers& t, size_t variant, const std::string& corpus,
            const std::string& from, const std::string& to) {
  Count count;
  for (const std::string& task : tasks_of(corpus)) {
    const Number before = f1(t, variant, corpus, from, task),
                 after = f1(t, variant, corpus, to, task);
    if (before && after) count.add(*after > *before);
  }
  return count;
}

// The models of the paper sorted by a number, the highest first; empty if one lacks it.
std::vector<size_t> ranked(const VariantNumbers& t, const std::string& key) {
  std::vector<size_t> models;
  for (size_t v = 0; v < kPaperModels; ++v) {
    if (!t.get(v, key)) return {};
    models.push_back(v);
  }
  std::stable_sort(models.begin(), models.end(),
                   [&](size_t a, size_t b) { return *t.get(a, key) > *t.get(b, key); });
  return models;
}

// "transformer 29.40"
std::string with_number(const VariantNumbers& t, size_t variant, const std::string& key) {
  return name_of(variant) + " " + percent(*t.get(variant, key), 2);
}

ClaimResult bleu(const VariantNumbers& t) {
  Count count;
  for (const char* corpus : kCorpora) {
    const auto models = ranked(t, bleu_key(corpus));
    if (models.empty()) continue;
    count.add(models[0] == kTransformer);
    count.say(with_number(t, models[0], bleu_key(corpus)));
  }
  return count.holds_always();
}

// The number of tasks on which at least three RNN models are better than the Transformer.
Count better_than_transformer(const VariantNumbers& t, const std::string& checkpoint) {
  Count count;
  for (const std::string& task : tasks_of("MultiWOZ")) {
    const Number its = f1(t, kTransformer, "MultiWOZ", checkpoint, task);
    Count rnns;
    for (size_t rnn = 0; rnn < kRnnModels; ++rnn) {
      const Number number = f1(t, rnn, "MultiWOZ", checkpoint, task);
      if (its && number) rnns.add(*number > *its);
    }
    if (rnns.of == kRnnModels) count.add(rnns.yes >= 3);
  }
  return count;
}

ClaimResult rnns_are_better(const VariantNumbers& t) {
  Count best = better_than_transformer(t, "best");
  best.say(best.text() + " tasks at the best epoch");
  best.say(better_than_transformer(t, "last").text() + " at the last one", ", ");
  return best.holds(2 * best.yes > best.of);
}

ClaimResult transformer_falls(const VariantNumbers& t) {
  Count all;
  for (const std::string corpus : kCorpora) {
    const Count falls = rises(t, kTransformer, corpus, "last", "untrained");
    all.add(falls);
    if (falls.of > 0) all.say(falls.text() + " " + corpus + " tasks", ", ");
  }
  return all.holds_always();
}

ClaimResult rnns_rise(const VariantNumbers& t) {
  Count models;
  for (size_t rnn = 0; rnn < kRnnModels; ++rnn) {
    const Count count = rises(t, rnn, "MultiWOZ", "untrained", "last");
    if (count.of == 0) return {};
    models.add(2 * count.yes > count.of);
    models.say(name_of(rnn) + " " + count.text(), ", ");
  }
  return models.holds_always();
}

ClaimResult personachat_location(const VariantNumbers& t) {
  Count count;
  for (const std::string checkpoint : {"best", "last"}) {
    const auto models = ranked(t, paper_key("logistic", "PersonaChat", checkpoint, "UtteranceLoc"));
    if (models.empty()) return {};
    const auto place = std::find(models.begin(), models.end(), kTransformer) - models.begin() + 1;
    count.add(models[0] == kBilstmAttention && place > 3);
    count.say(checkpoint + ": " + name_of(models[0]) + " first, transformer in place " +
              std::to_string(place));
  }
  return count.holds_always();
}

ClaimResult personachat_words(const VariantNumbers& t) {
  Count count;
  for (const std::string checkpoint : {"best", "last"}) {
    const std::string key = paper_key("logistic", "PersonaChat", checkpoint, "WordCont");
    const auto models = ranked(t, key);
    if (models.empty()) return {};
    count.add(models[0] == kTransformer);
    count.say(checkpoint + ": " + with_number(t, models[0], key) + ", " +
              with_number(t, kTransformer, key));
  }
  return count.holds_always();
}

ClaimResult personal_information(const VariantNumbers& t) {
  Number highest;
  std::string who;
  for (size_t v = 0; v < kPaperModels; ++v) {
    for (const char* checkpoint : kCheckpoints) {
      const Number number = f1(t, v, "PersonaChat", checkpoint, "PersonalInfo");
      if (!number || (highest && *number <= *highest)) continue;
      highest = number;
      who = name_of(v) + ", " + checkpoint;
    }
  }
  if (!highest) return {};
  return {*highest < 0.1, "at most " + percent(*highest, 2) + " (" + who + ")"};
}

ClaimResult equal_on_easy(const VariantNumbers& t) {
  std::vector<double> means;
  for (size_t v = 0; v < kPaperModels; ++v) {
    const auto level = level_of(t, v, "best", "easy");
    if (!level) return {};
    means.push_back(level->mean);
  }
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  return {*high - *low <= 0.1, percent(*low) + " to " + percent(*high)};
}

ClaimResult better_on_harder(const VariantNumbers& t) {
  Count count;
  for (const std::string level : {"medium", "hard"}) {
    const auto its = level_of(t, kTransformer, "best", level);
    if (!its) continue;
    count.say(level + ": transformer " + percent(its->mean) + ", RNN models");
    for (size_t rnn = 0; rnn < kRnnModels; ++rnn) {
      const auto its_own = level_of(t, rnn, "best", level);
      if (!its_own) return {};
      count.add(its_own->mean > its->mean);
      count.say(percent(its_own->mean), " ");
    }
  }
  return count.holds_always();
}

// Mean distance between the F1 of another metric's choice and that of BLEU's.
ClaimResult any_selection(const VariantNumbers& t) {
  Count count;
  for (const auto& [choice, metric] : choices()) {
    Number largest;
    for (size_t v = 0; v < kPaperModels; ++v) {
      std::vector<double> distances;
      for (const std::string& task : tasks_of("MultiWOZ")) {
        const Number by_bleu = f1(t, v, "MultiWOZ", "best-bleu", task, "selection"),
                     other = f1(t, v, "MultiWOZ", choice, task, "selection");
        if (by_bleu && other) distances.push_back(std::abs(*other - *by_bleu));
      }
      if (const auto mean = spread(distances)) largest = std::max(largest.value_or(0), mean->mean);
    }
    if (!largest || metric == "BLEU") continue;
    count.add(*largest <= 0.05);
    count.say((count.of == 1 ? "largest mean difference of a model: " : "") + metric + " " +
                  percent(*largest),
              ", ");
  }
  return count.holds_always();
}

ClaimResult same_with_mlp(const VariantNumbers& t) {
  Count count;
  for (const char* corpus : kCorpora) {
    for (const std::string& task : tasks_of(corpus)) {
      for (size_t v = 0; v < kPaperModels; ++v) {
        if (v == probed::kHred) continue;
        const auto change = [&](const char* probe) -> Number {
          const Number before = f1(t, v, corpus, "untrained", task, probe),
                       after = f1(t, v, corpus, "last", task, probe);
          return before && after ? Number(*after - *before) : std::nullopt;
        };
        const Number logistic = change("logistic"), mlp = change("mlp");
        if (logistic && mlp) count.add((*logistic > 0) == (*mlp > 0));
      }
    }
  }
  count.say(count.text() + " changes have the same sign");
  return count.holds(5 * count.yes >= 4 * count.of);
}

ClaimResult ties(const VariantNumbers& t) {
  const Number mean = t.get(kBilstmAttention, "ties.mean"),
               highest = t.get(kBilstmAttention, "ties.highest");
  if (!mean || !highest) return {};
  return {std::abs(*mean - 0.35) <= 0.05 && *highest <= 0.5,
          "about " + percent(*mean, 0) + " %, below " + percent(*highest, 0) +
              " %; drawing 200 of 2,000 pairs alone makes a deviation of 3.2"};
}

ClaimResult smallest_spread(const VariantNumbers& t) {
  Count count;
  for (const char* corpus : kCorpora) {
    const std::string key = bleu_key(corpus) + kPlusMinus;
    const auto models = ranked(t, key);
    if (models.empty()) continue;
    count.add(models.back() == kBilstmAttention);
    count.say(name_of(models.back()) + " has " + percent(*t.get(models.back(), key), 2));
  }
  return count.holds_always();
}

ClaimResult wider(const VariantNumbers& t) {
  const Number before = t.get(kTransformer, "width.untrained"),
               after = t.get(kTransformer, "width.last");
  if (!before || !after) return {};
  return {*before >= 10 && *after >= 10, decimal(*before, 1) + " times as wide untrained, " +
                                             decimal(*after, 1) + " times after training"};
}

ClaimResult untrained_wins(const VariantNumbers& t) {
  Count count;
  std::string names;
  for (const char* corpus : kCorpora) {
    for (const std::string& task : tasks_of(corpus)) {
      const Number untrained = f1(t, kTransformer, corpus, "untrained", task);
      Number best;
      for (size_t rnn = 0; rnn < kRnnModels; ++rnn) {
        for (const char* checkpoint : {"last", "best"}) {
          const Number number = f1(t, rnn, corpus, checkpoint, task);
          if (number && (!best || *number > *best)) best = number;
        }
      }
      if (!untrained || !best) continue;
      count.add(*untrained > *best);
      if (*untrained > *best) names += (names.empty() ? ": " : ", ") + task;
    }
  }
  count.say(count.text() + " tasks" + names);
  return count.holds(count.yes > 0);
}

}  // namespace
const std::vector<ClaimRule>& probe_claim_rules() {
  static const std::vector<ClaimRule> kRules = {
      {"The Transformer has the highest BLEU on both corpora.", "The highest of the five models.",
       bleu},
      {"On most tasks RNN models are better than the Transformer.",
       "More than half of the MultiWOZ tasks: at least 3 of 4 RNN models beat it at the best "
       "epoch.",
       rnns_are_better},
      {"Training lowers the Transformer's F1 on all tasks.",
       "Last epoch below untrained, on all tasks.", transformer_falls},
      {"Training raises the RNN models' F1.",
       "Last epoch above untrained on more than half of the MultiWOZ tasks, for each of the four.",
       rnns_rise},
      {"PersonaChat, UtteranceLoc: BiLSTM with attention is best, the Transformer not among the "
       "first three.",
       "Ranks at the best and at the last epoch.", personachat_location},
      {"PersonaChat, WordCont: the Transformer is best.",
       "Ranks at the best and at the last epoch.", personachat_words},
      {"No model gets a reasonable F1 on PersonalInfo.", "All below 10.", personal_information},
      {"All models are equally good on easy tasks.",
       "Means over the easy tasks at the best epoch within 10 points.", equal_on_easy},
      {"RNN models are better on medium and hard tasks.",
       "Means over these tasks at the best epoch: each RNN model above the Transformer.",
       better_on_harder},
      {"Results do not depend on the metric by which the epoch is chosen.",
       "Mean difference from the choice by BLEU, over the MultiWOZ tasks: at most 5 points, for "
       "every model and metric.",
       any_selection},
      {"An MLP shows the same trends.",
       "Sign of last epoch minus untrained, all tasks and models but HRED: the same in at least "
       "four of five.",
       same_with_mlp},
      {"People call two runs of one model a tie in about 35 % of pairs, always below 50 %.",
       "Mean within 5 of 35 %, highest at most 50 %.", ties},
      {"BiLSTM with attention has the smallest spread of BLEU.", "On both corpora, over seeds.",
       smallest_spread},
      {"An untrained Transformer's representations are about 100 times as wide as an RNN "
       "model's, about 40 times after training.",
       "Range along the first principal component over the RNN models' mean: at least 10 times, "
       "untrained and trained.",
       wider},
      {"(Not in the paper) The untrained Transformer beats every trained RNN model.",
       "On one task at least, at the best and at the last epoch.", untrained_wins},
  };
  return kRules;
}

Claims check_probe_claims(const ProbesResults& results) {
  std::vector<ClaimNumbers> kinds;
  for (const std::string& reading : results.readings_by("logistic")) {
    kinds.push_back({reading, claim_numbers(results, reading)});
  }
  return check_claims(probe_claim_rules(), probe_paper().numbers.numbers, kinds);
}

}  // namespace heed
