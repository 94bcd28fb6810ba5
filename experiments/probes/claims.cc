#include "experiments/engine/report/claims.h"

#include <algorithm>
#include <cmath>

#include "base/list.h"
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

// Whether a number is above another one; nothing where one is missing.
std::optional<bool> above(Number one, Number other) {
  return one && other ? std::optional(*one > *other) : std::nullopt;
}

// How often a statement is true, and out of how many; and the figure, part by part.
struct Count {
  size_t yes = 0, of = 0;
  std::string figure = {};

  void add(std::optional<bool> is_so) {
    if (is_so) yes += *is_so, ++of;
  }
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

// The number of a corpus's tasks on which a model is better at one checkpoint than at another.
Count rises(const VariantNumbers& t, size_t variant, const std::string& corpus,
            const std::string& from, const std::string& to) {
  Count count;
  for (const std::string& task : tasks_of(corpus)) {
    count.add(above(f1_of(t, variant, corpus, to, task), f1_of(t, variant, corpus, from, task)));
  }
  return count;
}

// ---- who comes first

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

// ---- tasks on which

// At least three RNN models are better than the Transformer.
Count better_than_transformer(const VariantNumbers& t, const std::string& checkpoint) {
  Count count;
  for (const std::string& task : tasks_of("MultiWOZ")) {
    Count rnns;
    for (size_t rnn = 0; rnn < kRnnModels; ++rnn) {
      rnns.add(above(f1_of(t, rnn, "MultiWOZ", checkpoint, task),
                     f1_of(t, kTransformer, "MultiWOZ", checkpoint, task)));
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
    all.yes += falls.yes;
    all.of += falls.of;
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

ClaimResult same_with_mlp(const VariantNumbers& t) {
  Count count;
  for (const char* corpus : kCorpora) {
    for (const std::string& task : tasks_of(corpus)) {
      for (size_t v = 0; v < kPaperModels; ++v) {
        if (v == probed::kHred) continue;
        const auto rises = [&](const char* probe) {
          return above(f1_of(t, v, corpus, "last", task, probe),
                       f1_of(t, v, corpus, "untrained", task, probe));
        };
        const auto logistic = rises("logistic"), mlp = rises("mlp");
        if (logistic && mlp) count.add(*logistic == *mlp);
      }
    }
  }
  count.say(count.text() + " changes have the same sign");
  return count.holds(5 * count.yes >= 4 * count.of);
}

ClaimResult untrained_wins(const VariantNumbers& t) {
  Count count;
  std::vector<std::string> names;
  for (const char* corpus : kCorpora) {
    for (const std::string& task : tasks_of(corpus)) {
      Number best;
      for (size_t rnn = 0; rnn < kRnnModels; ++rnn) {
        for (const char* checkpoint : {"last", "best"}) {
          best = std::max(best, f1_of(t, rnn, corpus, checkpoint, task));
        }
      }
      const auto wins = above(f1_of(t, kTransformer, corpus, "untrained", task), best);
      count.add(wins);
      if (wins == true) names.push_back(task);
    }
  }
  count.say(count.text() + " tasks" + (names.empty() ? "" : ": ") + joined(names));
  return count.holds(count.yes > 0);
}

// ---- means and bounds

ClaimResult personal_information(const VariantNumbers& t) {
  Number highest;
  std::string who;
  for (size_t v = 0; v < kPaperModels; ++v) {
    for (const std::string checkpoint : kCheckpoints) {
      const Number number = f1_of(t, v, "PersonaChat", checkpoint, "PersonalInfo");
      if (number <= highest) continue;
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
  const auto [low, high] = std::ranges::minmax(means);
  return {high - low <= 0.1, percent(low) + " to " + percent(high)};
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
    for (size_t v = 0; v < kPaperModels && metric != "BLEU"; ++v) {
      std::vector<double> distances;
      for (const std::string& task : tasks_of("MultiWOZ")) {
        const Number by_bleu = f1_of(t, v, "MultiWOZ", "best-bleu", task, "selection"),
                     other = f1_of(t, v, "MultiWOZ", choice, task, "selection");
        if (by_bleu && other) distances.push_back(std::abs(*other - *by_bleu));
      }
      if (const auto mean = spread(distances)) largest = std::max(largest, Number(mean->mean));
    }
    if (!largest) continue;
    count.add(*largest <= 0.05);
    count.say((count.of == 1 ? "largest mean difference of a model: " : "") + metric + " " +
                  percent(*largest),
              ", ");
  }
  return count.holds_always();
}

ClaimResult ties(const VariantNumbers& t) {
  const Number mean = t.get(kBilstmAttention, "ties.mean"),
               highest = t.get(kBilstmAttention, "ties.highest");
  if (!mean || !highest) return {};
  return {std::abs(*mean - 0.35) <= 0.05 && *highest <= 0.5,
          "about " + percent(*mean, 0) + " %, below " + percent(*highest, 0) +
              " %; drawing 200 of 2,000 pairs alone makes a deviation of 3.2"};
}

ClaimResult wider(const VariantNumbers& t) {
  const Number before = t.get(kTransformer, "width.untrained"),
               after = t.get(kTransformer, "width.last");
  if (!before || !after) return {};
  return {*before >= 10 && *after >= 10, decimal(*before, 1) + " times as wide untrained, " +
                                             decimal(*after, 1) + " times after training"};
}

}  // namespace

const ClaimChecks& probe_claim_checks() {
  static const ClaimChecks kChecks = {{"bleu", bleu},
                                      {"rnns_are_better", rnns_are_better},
                                      {"transformer_falls", transformer_falls},
                                      {"rnns_rise", rnns_rise},
                                      {"personachat_location", personachat_location},
                                      {"personachat_words", personachat_words},
                                      {"personal_information", personal_information},
                                      {"equal_on_easy", equal_on_easy},
                                      {"better_on_harder", better_on_harder},
                                      {"any_selection", any_selection},
                                      {"same_with_mlp", same_with_mlp},
                                      {"ties", ties},
                                      {"smallest_spread", smallest_spread},
                                      {"wider", wider},
                                      {"untrained_wins", untrained_wins}};
  return kChecks;
}

}  // namespace heed
