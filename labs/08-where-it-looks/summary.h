// Scores of a test set, and what summarize() has to make of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "labs/08-where-it-looks/output.h"

namespace heed::lab {

// Scores with every kind of dialogue among them: some without distractions, some without a history
// of their own, one whose history gets nothing, one that has none.
inline std::vector<DialogueScore> draw_scores(Draw& draw, bool distractions) {
  std::vector<DialogueScore> scores(draw.between(9, 12));
  int64_t above = 0, below = 0;  // dialogues in which distractions get more, or less
  for (size_t i = 0; i < scores.size(); ++i) {
    DialogueScore& s = scores[i];
    const int64_t q = draw.between(i == 0 || i == 3 || i == 7 ? 4 : 3, 6);
    for (int64_t k = 0; k < q; ++k) s.as_scores.push_back(draw.uniform(0.1, 2));
    for (int64_t k = 0; k < q; ++k) {
      s.distraction.push_back(static_cast<char>(distractions && draw.between(0, 1)));
    }
    s.distraction[0] = distractions && i % 4 < 2;
    s.distraction[1] = 0;
    if (i == 0) s.distraction[q - 2] = distractions;              // the first one and the last
    if (i == 1 || i == 7) s.distraction.assign(q, distractions);  // no history of its own, or
    if (i == 7) s.distraction[0] = 0;                             // a single utterance
    if (i == 1) s.distraction.back() = 0;                         // the query is no history
    if (i % 4 == 2) s.distraction.assign(q, 0);
    if (i == 2) s.distraction.back() = distractions;  // nor a distraction
    if (i == 3) {                                     // just two original utterances
      s.distraction.assign(q, distractions);
      s.distraction[1] = s.distraction[2] = 0;
    }
    if (i == 4 && distractions) {
      s.distraction.assign(q, 0);
      s.distraction[0] = 1;
      std::fill(s.as_scores.begin() + 1, s.as_scores.end(), 0.0);
    }
    if (i == 5 && distractions) {  // the query gets all: D = H = 0
      s.distraction.assign(q, 0);
      s.distraction[0] = 1;
      std::fill(s.as_scores.begin(), s.as_scores.end() - 1, 0.0);
    }
    if (i == 8 && distractions) {  // what distracts gets nothing: D = 0
      for (int64_t k = 0; k < q; ++k) s.as_scores[k] *= s.distraction[k] == 0;
    }
    if (i == 6) s.as_scores.resize(1), s.distraction.resize(1);  // a query alone
    for (int64_t t = draw.between(1, 5); t > 0; --t) s.nll.push_back(draw.uniform(0.5, 4));
    if (i == 3) {  // small, and as good as the others
      for (double& score : s.as_scores) score *= 1e-4;
    }
    s.characters = {.all = draw.between(5, 30), .unknown = draw.between(0, 4)};
    s.das_ratio = das_ratio(dialogue_means(s.as_scores, s.distraction));
    Summary one;
    one.add(s.as_scores, s.distraction);
    above += one.distracted() && one.d[0] > one.h[0];
    below += one.distracted() && one.d[0] < one.h[0];
  }
  // As many of one kind as of the other would hide who exchanges them; none looks like no number.
  const bool tells = above != below && above > 0 && below > 0;
  return distractions && !tells ? draw_scores(draw, distractions) : scores;
}

// All numbers of a summary, from the scores by plain loops.
inline void expect_summary(const std::vector<DialogueScore>& scores) {
  const ScoreSummary got = summarize(scores);
  Summary want;
  double nll = 0, tokens = 0, characters = 0, unknown = 0;
  std::vector<double> perplexities;
  for (const DialogueScore& s : scores) {
    want.add(s.as_scores, s.distraction);
    const double its = sum_of(s.nll);
    nll += its;
    perplexities.push_back(std::exp(its / static_cast<double>(s.nll.size())));
    tokens += static_cast<double>(s.nll.size());
    characters += static_cast<double>(s.characters.all);
    unknown += static_cast<double>(s.characters.unknown);
  }
  const auto mean_ratio = mean_of(want.ratios), median_ratio = median(want.ratios);
  expect_number("das_ratio", got.das_ratio, want.das_ratio(),
                {{"the mean of the dialogues' ratios: it is the ratio of the means", mean_ratio},
                 {"the median of the dialogues' ratios",  // if it is no single dialogue's
                  want.ratios.size() % 2 == 0 ? median_ratio : std::nullopt}},
                "mean D / mean H, over the dialogues that have both");
  expect_number("mean_das_ratio", got.mean_das_ratio, mean_ratio,
                {{"the ratio of the means", want.das_ratio()}},
                "the mean of D / H over the dialogues in which it is defined");
  expect_number("median_das_ratio", got.median_das_ratio, median_ratio, {},
                "the median of D / H over the dialogues in which it is defined");
  const auto rest = [](std::optional<double> share) { return share ? 1 - *share : share; };
  expect_number("das_above", got.das_above, mean_of(want.above),
                {{"the share of dialogues with D < H", rest(mean_of(want.above))}},
                "the share of dialogues with D > H");
  expect_number("das_bounded", got.das_bounded, mean_of(want.bounded),
                {{"the mean of H / (D + H)", rest(mean_of(want.bounded))}},
                "the mean of D / (D + H)");
  expect_number("das_ratio_long", got.das_ratio_long, want.das_ratio_long(), {},
                "as das_ratio, of dialogues with two original utterances or more");
  expect_number("as_distraction", got.as_distraction, want.as_distraction(), {},
                "a mean over the dialogues that have D and H: no other counts, also not as 0");
  expect_number("as_history", got.as_history, want.as_history(),
                {{"the mean over all dialogues with a history: where there are distractions, both "
                  "means are over the same dialogues",
                  mean_of(want.h_all)}},
                "a mean over dialogues, each with its H");
  expect_number("as_first", got.as_first, want.as_first(), {{"that of the last", want.as_last()}},
                "the first original utterance of each history");
  expect_number("as_last", got.as_last, want.as_last(), {{"that of the first", want.as_first()}},
                "the last original utterance of each history, before the query");
  expect_number("perplexity", got.perplexity, std::exp(nll / tokens),
                {{"a mean over dialogues; every token counts the same", mean_of(perplexities)}},
                "exp of all nll over all tokens, of all dialogues");
  expect_number("bits_per_character", got.bits_per_character, nll / std::log(2) / characters,
                {{"in nats", nll / characters},
                 {"times ln 2: a nat is 1 / ln 2 bits", nll * std::log(2) / characters}},
                "all nll, in bits, over all characters");
  expect_number("unknown_characters", got.unknown_characters, unknown / characters, {},
                "all unknown characters over all characters");
  const auto expect_count = [](const std::string& what, int64_t got, double want,
                               const std::string& law) {
    expect_number(what, static_cast<double>(got), want, {}, law);
  };
  expect_count("dialogues", got.dialogues, static_cast<double>(scores.size()), "all count");
  expect_count("tokens", got.tokens, tokens, "all of all dialogues");
  expect_count("characters", got.characters, characters, "all of all dialogues");
  expect_count("distracted", got.distracted, static_cast<double>(want.d.size()),
               "the dialogues that have D and H: a query makes neither");
}

struct Interval95 {
  double value, low, high;
};

// The ratio of means with a percentile bootstrap interval over dialogues.
inline Interval95 ratio_with_interval(const std::vector<DialogueScore>& scores, uint64_t from) {
  constexpr int kResamples = 1000;
  Rng rng(from, "lab.bootstrap");
  std::vector<double> ratios;
  for (int i = 0; i < kResamples; ++i) {
    std::vector<DialogueScore> drawn;
    for (size_t k = 0; k < scores.size(); ++k) drawn.push_back(scores[rng.below(scores.size())]);
    ratios.push_back(summarize(drawn).das_ratio.value_or(NAN));
  }
  std::sort(ratios.begin(), ratios.end());
  return {summarize(scores).das_ratio.value_or(NAN), ratios[kResamples / 40],
          ratios[kResamples - 1 - kResamples / 40]};
}

}  // namespace heed::lab
