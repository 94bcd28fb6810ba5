#include "experiments/measure/places.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.h"
#include "dialog/respond/das.h"

namespace heed {
namespace {

int64_t unknown_in(const std::vector<int32_t>& tokens) {
  return std::count(tokens.begin(), tokens.end(), kUnk);
}

// Takes the first utterance out of a context.
Utterance take_first(Example& example) {
  const auto unknown = example.unknown.begin() +
                       std::min(unknown_in(example.context[0]), std::ssize(example.unknown));
  Utterance first(std::move(example.context[0]), {example.unknown.begin(), unknown});
  example.unknown.erase(example.unknown.begin(), unknown);
  example.context.erase(example.context.begin());
  example.distraction.erase(example.distraction.begin());
  return first;
}

// Draws from a pool, to choose from. The weight of a word in a text is
//   w_t = count_t (ln((1 + D) / (1 + df_t)) + 1)
// where df_t of the D draws have it; that of <unk> is 0.
class Candidates {
 public:
  Candidates(const Pool& pool, size_t count, Rng rng) {
    std::map<int32_t, double> having;
    for (size_t i = 0; i < count && !pool.empty(); ++i) {
      all_.push_back(pool[rng.below(pool.size())]);
      for (const auto& [token, n] : counts(all_.back().said.tokens)) having[token] += 1;
    }
    for (const auto& [token, df] : having) {
      weights_.resize(static_cast<size_t>(token) + 1);
      if (token != kUnk) {
        weights_.back() = std::log((1 + static_cast<double>(all_.size())) / (1 + df)) + 1;
      }
    }
    for (const PoolUtterance& one : all_) {
      double squares = 0;
      for (const auto& [token, n] : counts(one.said.tokens)) {
        squares += std::pow(n * weight(token), 2);
      }
      norms_.push_back(std::sqrt(squares));
    }
  }

  // Of another dialogue, the one with the highest cosine with the context.
  Utterance nearest(const Example& example, const Utterance& otherwise) const {
    std::vector<double> context(weights_.size());
    for (const auto& utterance : example.context) {
      for (const int32_t token : utterance) {
        if (weight(token) > 0) context[static_cast<size_t>(token)] += weight(token);
      }
    }
    return best(example.dialogue_id, otherwise, [&](size_t i) {
      double product = 0;
      for (const int32_t token : all_[i].said.tokens) {
        product += weight(token) * context[static_cast<size_t>(token)];
      }
      return norms_[i] > 0 ? -product / norms_[i] : 0;
    });
  }

  // Of another dialogue, the one with the most similar numbers of words and of <unk>.
  Utterance matched(const Utterance& own, const std::string& dialogue,
                    const Utterance& otherwise) const {
    return best(dialogue, otherwise, [&](size_t i) {
      const auto& tokens = all_[i].said.tokens;
      return static_cast<double>(std::abs(std::ssize(tokens) - std::ssize(own.tokens)) +
                                 std::abs(unknown_in(tokens) - unknown_in(own.tokens)));
    });
  }

 private:
  static std::map<int32_t, double> counts(const std::vector<int32_t>& tokens) {
    std::map<int32_t, double> counts;
    for (const int32_t token : tokens) ++counts[token];
    return counts;
  }

  double weight(int32_t token) const {
    return static_cast<size_t>(token) < weights_.size() ? weights_[static_cast<size_t>(token)] : 0;
  }

  // The first one of the least distance.
  template <class Distance>
  Utterance best(const std::string& own_dialogue, const Utterance& otherwise,
                 const Distance& distance) const {
    const Utterance* found = &otherwise;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < all_.size(); ++i) {
      const double d = distance(i);
      if (d < least && all_[i].dialogue_id != own_dialogue) least = d, found = &all_[i].said;
    }
    return *found;
  }

  std::vector<PoolUtterance> all_;
  std::vector<double> weights_, norms_;
};

double nll_of(const DialogueScore& score) {
  return std::accumulate(score.nll.begin(), score.nll.end(), 0.0);
}

}  // namespace

std::array<std::vector<AtPlaces>, kSources.size()> insert_everywhere(
    Responder& model, const std::vector<Example>& examples, const Pool& pool, int64_t batch_size,
    size_t candidates, uint64_t seed) {
  const Candidates others(pool, candidates, Rng(seed, "candidates"));
  std::array<std::vector<AtPlaces>, kSources.size()> found;
  std::array<std::vector<Utterance>, kSources.size()> inserted;
  std::vector<Example> bases;
  for (size_t i = 0; i < examples.size(); ++i) {
    if (examples[i].context.size() < kLeastHistory + 2) continue;  // the own one, and the query
    Rng rng(seed, "places", i);
    Example base = examples[i];
    std::fill(base.distraction.begin(), base.distraction.end(), 0);
    const Utterance own = take_first(base),
                    foreign = draw_foreign(pool, base.dialogue_id, rng).said,
                    duplicate = base.context[rng.below(base.context.size() - 1)],
                    nearest = others.nearest(base, foreign),
                    matched = others.matched(own, base.dialogue_id, foreign);
    size_t s = 0;
    for (const Utterance& one : {own, duplicate, nearest, matched, foreign}) {
      inserted[s].push_back(one);
      found[s++].push_back({i});
    }
    bases.push_back(std::move(base));
  }
  const auto before = score(model, bases, batch_size);
  for (size_t s = 0; s < kSources.size(); ++s) {
    std::vector<Example> all;
    for (size_t b = 0; b < bases.size(); ++b) {
      for (size_t place = 0; place < bases[b].context.size(); ++place) {
        all.push_back(bases[b]);
        insert_utterance(all.back(), place, inserted[s][b]);
      }
    }
    const auto after = score(model, all, batch_size);
    auto one = after.begin();
    for (size_t b = 0; b < bases.size(); ++b) {
      for (size_t place = 0; place < bases[b].context.size(); ++place, ++one) {
        const DialogueMeans means = dialogue_means(one->as_scores, one->distraction);
        if (!means.distraction || !means.history) {
          throw UsageError("places of utterances: the model has no attention on them");
        }
        found[s][b].added.push_back(nll_of(*one) - nll_of(before[b]));
        found[s][b].looks.push_back(*means.distraction);
        found[s][b].history_looks.push_back(*means.history);
      }
    }
  }
  return found;
}

}  // namespace heed
