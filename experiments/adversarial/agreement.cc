// Do the DAS ratio, probes and discriminators agree on which generators are good?
#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/adversarial/experiment.h"
#include "experiments/engine/stats/correlation.h"

namespace heed {
namespace {

// A generator has collapsed if it answers nearly everything alike: with a smaller share of
// different responses among greedy ones.
constexpr double kCollapsed = 0.05;

// The numbers of a generator on a corpus, which all runs that judge it have; null if none does.
const Numbers* numbers_of(const AdversarialResults& results, size_t corpus,
                          const std::string& generator) {
  for (const RunResult& run : results.runs) {
    if (run.numbers.has(generator_key(results.corpora[corpus], generator, "das_ratio")))
      return &run.numbers;
  }
  return nullptr;
}

struct GeneratorKind {
  int training = 0, structure = 0;  // their numbers
  bool collapsed = false;
};
using Generators = std::vector<GeneratorKind>;

Generators generators_of(const AdversarialResults& results, size_t corpus) {
  Generators all;
  std::map<std::string, int> trainings, structures;
  const auto number = [](std::map<std::string, int>& names, const std::string& name) {
    return names.emplace(name, static_cast<int>(names.size())).first->second;
  };
  for (const std::string& name : results.generators) {
    const auto key = [&](const char* of) {
      return generator_key(results.corpora[corpus], name, of);
    };
    const Numbers* numbers = numbers_of(results, corpus, name);
    const bool has_structure = numbers && numbers->has_text(key("structure"));
    const auto different = numbers ? numbers->value(key("greedy_different")) : std::nullopt;
    all.push_back({number(trainings, without_seed(name)),
                   number(structures, has_structure ? numbers->text(key("structure")) : ""),
                   different && *different < kCollapsed});
  }
  return all;
}

// ---- measures, a number for each generator

struct GeneratorMeasure {
  std::string name;
  Series whole = {}, halves[2] = {};  // of the conversations with even and with odd numbers
};

GeneratorMeasure measured(const AdversarialResults& results, size_t corpus, const std::string& name,
                          const std::string& number) {
  GeneratorMeasure measure{name};
  for (const std::string& generator : results.generators) {
    const auto key = [&](const std::string& of) {
      return generator_key(results.corpora[corpus], generator, of);
    };
    const Numbers* numbers = numbers_of(results, corpus, generator);
    Series halves;
    if (numbers && numbers->has_series(key("halves." + number)))
      halves = numbers->series(key("halves." + number));
    halves.resize(2);
    measure.whole.push_back(numbers ? numbers->value(key(number)) : std::nullopt);
    for (const int half : {0, 1}) measure.halves[half].push_back(halves[half]);
  }
  return measure;
}

// The mean over the seeds of a discriminator.
GeneratorMeasure passing(const AdversarialResults& results, size_t corpus, size_t variant) {
  GeneratorMeasure measure{"passes (" + results.judges[variant].name.name + ")"};
  const auto mean = [&](const std::string& generator, std::optional<int> half) {
    const auto over_seeds = passing_share(results, variant, corpus, generator, half);
    return over_seeds ? std::optional(over_seeds->mean) : std::nullopt;
  };
  for (const std::string& generator : results.generators) {
    measure.whole.push_back(mean(generator, {}));
    for (const int half : {0, 1}) measure.halves[half].push_back(mean(generator, half));
  }
  return measure;
}

std::vector<GeneratorMeasure> measures_of(const AdversarialResults& results, size_t corpus) {
  std::vector<GeneratorMeasure> all = {measured(results, corpus, "DAS ratio", "das_ratio")};
  for (const char* task : kProbedTasks) all.push_back(measured(results, corpus, task, task));
  for (size_t v = 0; v < results.judges.size(); ++v) {
    const JudgeVariant& judge = results.judges[v];
    if (!judge.is_discriminator() || !judge.judges(corpus) || results.of(v).empty()) continue;
    all.push_back(passing(results, corpus, v));
  }
  std::erase_if(all, [](const GeneratorMeasure& m) {
    return std::none_of(m.whole.begin(), m.whole.end(),
                        [](const auto& x) { return x.has_value(); });
  });
  return all;
}

// ---- subsets: which generators count, and what of their numbers

enum class Subset {
  kAsTheyAre,
  kWithoutCollapsed,
  kWithinStructures  // differences from the mean of the generators of the same structure
};
constexpr Subset kSubsets[] = {Subset::kAsTheyAre, Subset::kWithoutCollapsed,
                               Subset::kWithinStructures};

bool counts(const GeneratorKind& one, const Generators& all, Subset subset) {
  switch (subset) {
    case Subset::kAsTheyAre: return true;
    case Subset::kWithoutCollapsed: return !one.collapsed;
    case Subset::kWithinStructures: break;
  }
  // nothing of a structure with a single training
  return std::ranges::any_of(all, [&](const GeneratorKind& other) {
    return other.structure == one.structure && other.training != one.training;
  });
}

// Pairs of numbers of generators, of which those of one training are a cluster.
class Pairs {
 public:
  Pairs(const Generators& all, Subset subset) : all_(all), subset_(subset) {}
  void add(const std::optional<double>& a, const std::optional<double>& b, size_t generator) {
    const GeneratorKind& of = all_[generator];
    if (!a || !b || !counts(of, all_, subset_)) return;
    const int next = static_cast<int>(clusters_.size());
    pairs_.push_back({*a, *b, clusters_.emplace(of.training, next).first->second,
                      subset_ == Subset::kWithinStructures ? of.structure : 0});
  }
  Correlation correlation() const { return correlate(pairs_); }

 private:
  const Generators& all_;
  const Subset subset_;
  std::vector<ClusteredPair> pairs_;
  std::map<int, int> clusters_;  // of a training
};

Correlation correlation(const Generators& of, const Series& a, const Series& b, Subset subset) {
  Pairs pairs(of, subset);
  for (size_t g = 0; g < a.size(); ++g) pairs.add(a[g], b[g], g);
  return pairs.correlation();
}

// ---- reliability

// Of two halves together with the correlation r > 0: 2 r / (1 + r) (Spearman 1910, Brown 1910);
// another r as it is.
std::optional<Estimate> of_both_halves(std::optional<Estimate> r) {
  if (!r) return r;
  const auto longer = [](double x) { return x > 0 ? 2 * x / (1 + x) : x; };
  r->value = longer(r->value);
  r->interval = {longer(r->interval.low), longer(r->interval.high)};
  return r;
}

std::optional<Estimate> by_halves(const Generators& of, const GeneratorMeasure& measure,
                                  Subset subset) {
  return of_both_halves(correlation(of, measure.halves[0], measure.halves[1], subset).pearson);
}

// The intraclass correlation of the seeds of a training (Fisher 1925): Pearson's over all pairs of
// two of them, each in both orders.
std::optional<Estimate> by_seeds(const Generators& of, const GeneratorMeasure& measure,
                                 Subset subset) {
  const Series& values = measure.whole;
  Pairs pairs(of, subset);
  for (size_t a = 0; a < values.size(); ++a) {
    for (size_t b = 0; b < values.size(); ++b) {
      if (a == b || of[a].training != of[b].training) continue;
      pairs.add(values[a], values[b], a);
    }
  }
  return pairs.correlation().pearson;
}

Row row_of(const AdversarialResults& results, size_t corpus, const std::string& label) {
  Row row{.group = results.corpora[corpus], .label = label};
  for (const RunResult& run : results.runs) row.sources.push_back(source_of(run));
  return row;
}

}  // namespace

void add_measures(const AdversarialResults& results, Table& table) {
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    const Generators of = generators_of(results, c);
    for (const GeneratorMeasure& m : measures_of(results, c)) {
      std::vector<double> there;
      for (const auto& value : m.whole) {
        if (value) there.push_back(*value);
      }
      const auto [lowest, highest] = std::minmax_element(there.begin(), there.end());
      Row row = row_of(results, c, m.name);
      row.cells = {
          {.value = static_cast<double>(there.size())}, {.value = *lowest}, {.value = *highest}};
      for (const Subset subset : {Subset::kAsTheyAre, Subset::kWithinStructures}) {
        row.cells.push_back(cell_of(by_halves(of, m, subset)));
        row.cells.push_back(cell_of(by_seeds(of, m, subset)));
      }
      table.rows.push_back(std::move(row));
    }
  }
}

void add_agreement(const AdversarialResults& results, Table& table) {
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    const Generators of = generators_of(results, c);
    const std::vector<GeneratorMeasure> measures = measures_of(results, c);
    for (size_t a = 0; a < measures.size(); ++a) {
      for (size_t b = a + 1; b < measures.size(); ++b) {
        Row row = row_of(results, c, measures[a].name + ", " + measures[b].name);
        const auto reliable_a = by_seeds(of, measures[a], Subset::kAsTheyAre),
                   reliable_b = by_seeds(of, measures[b], Subset::kAsTheyAre);
        const bool can = reliable_a && reliable_b && reliable_a->value > 0 && reliable_b->value > 0;
        for (const Subset subset : kSubsets) {
          const Correlation found = correlation(of, measures[a].whole, measures[b].whole, subset);
          if (row.cells.empty()) {
            row.cells = {{.value = static_cast<double>(found.pairs)},
                         {.value = static_cast<double>(found.clusters)},
                         {}};
            if (can) row.cells[2].value = std::sqrt(reliable_a->value * reliable_b->value);
          }
          row.cells.push_back(cell_of(found.spearman));
          row.cells.push_back(cell_of(found.pearson));
        }
        table.rows.push_back(std::move(row));
      }
    }
  }
}

}  // namespace heed
