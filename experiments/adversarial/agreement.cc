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

// Of each generator of a corpus: the numbers of its training and of its structure.
struct Generators {
  std::vector<int> trainings, structures;
  std::vector<bool> collapsed;
};

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
    all.trainings.push_back(number(trainings, without_seed(name)));
    std::string structure;
    std::optional<double> different;
    for (const RunResult& run : results.runs) {
      if (run.numbers.has_text(key("structure"))) structure = run.numbers.text(key("structure"));
      if (!different) different = run.numbers.value(key("greedy_different"));
    }
    all.structures.push_back(number(structures, structure));
    all.collapsed.push_back(different && *different < kCollapsed);
  }
  return all;
}

// ---- measures, a number for each generator

struct GeneratorMeasure {
  std::string name;
  Series whole, halves[2];  // halves: of the conversations with even and with odd numbers
};

GeneratorMeasure measured(const AdversarialResults& results, size_t corpus, const std::string& name,
                          const std::string& number) {
  GeneratorMeasure measure{name, {}, {}};
  for (const std::string& generator : results.generators) {
    const auto key = [&](const std::string& of) {
      return generator_key(results.corpora[corpus], generator, of);
    };
    std::optional<double> value;
    Series halves(2);
    for (const RunResult& run : results.runs) {  // all have the same
      if (!value) value = run.numbers.value(key(number));
      if (run.numbers.has_series(key("halves." + number))) {
        halves = run.numbers.series(key("halves." + number));
        halves.resize(2);
      }
    }
    measure.whole.push_back(value);
    for (const int half : {0, 1}) measure.halves[half].push_back(halves[half]);
  }
  return measure;
}

// The mean over the seeds of a discriminator.
GeneratorMeasure passing(const AdversarialResults& results, size_t corpus, size_t variant) {
  GeneratorMeasure measure{"passes (" + results.judges[variant].name.name + ")", {}, {}};
  const auto mean = [&](const std::string& generator, std::optional<int> half) {
    std::vector<double> shares;
    for (const RunResult* run : results.of(variant)) {
      const auto share = passing_share(results, *run, corpus, generator, half);
      if (share) shares.push_back(*share);
    }
    const auto over_seeds = spread(shares);
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

struct Subset {
  const char* name;
  bool (*counts)(const Generators&, size_t generator);
  bool within = false;  // differences from the mean of the generators of the same structure
};

constexpr Subset kAsTheyAre = {"as they are", [](const Generators&, size_t) { return true; }};
constexpr Subset kWithoutCollapsed = {
    "without collapsed", [](const Generators& of, size_t g) { return !of.collapsed[g]; }};
// Nothing of a structure with a single training.
constexpr Subset kWithinStructures = {
    "within structures",
    [](const Generators& of, size_t g) {
      for (size_t k = 0; k < of.trainings.size(); ++k) {
        if (of.structures[k] == of.structures[g] && of.trainings[k] != of.trainings[g]) {
          return true;
        }
      }
      return false;
    },
    /*within=*/true};

// Pairs of numbers of generators, of which those of one training are a cluster.
class Pairs {
 public:
  Pairs(const Generators& of, const Subset& subset) : of_(of), subset_(subset) {}
  void add(const std::optional<double>& a, const std::optional<double>& b, size_t generator) {
    if (!a || !b || !subset_.counts(of_, generator)) return;
    const int next = static_cast<int>(clusters_.size());
    pairs_.push_back({*a, *b, clusters_.emplace(of_.trainings[generator], next).first->second,
                      subset_.within ? of_.structures[generator] : 0});
  }
  Correlation correlation() const { return correlate(pairs_); }

 private:
  const Generators& of_;
  const Subset& subset_;
  std::vector<ClusteredPair> pairs_;
  std::map<int, int> clusters_;  // of a training
};

Correlation correlation(const Generators& of, const Series& a, const Series& b,
                        const Subset& subset) {
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
                                  const Subset& subset) {
  return of_both_halves(correlation(of, measure.halves[0], measure.halves[1], subset).pearson);
}

// The intraclass correlation of the seeds of a training (Fisher 1925): Pearson's over all pairs of
// two of them, each in both orders.
std::optional<Estimate> by_seeds(const Generators& of, const GeneratorMeasure& measure,
                                 const Subset& subset) {
  const Series& values = measure.whole;
  Pairs pairs(of, subset);
  for (size_t a = 0; a < values.size(); ++a) {
    for (size_t b = 0; b < values.size(); ++b) {
      if (a == b || of.trainings[a] != of.trainings[b]) continue;
      pairs.add(values[a], values[b], a);
    }
  }
  return pairs.correlation().pearson;
}

constexpr char kMeasuresNote[] =
    "Would a second measurement order the generators alike? Halves: the correlation of a measure "
    "on the conversations with even numbers with that on the others, 2 r / (1 + r), as both halves "
    "together have it (Spearman 1910, Brown 1910). Seeds: the intraclass correlation of "
    "generators that differ in the seed of their training only. 1: always; 0: never, and then the "
    "measure can agree with nothing. Within structures: of the differences from the mean of the "
    "generators of the same structure. Intervals (95 %): bootstrap over trainings, all seeds of "
    "one together, means of structures taken anew.";

constexpr char kAgreementNote[] =
    "Correlations of two measures over the generators. A lower DAS ratio is to be better, so it "
    "agrees with another measure where the correlation is negative. At most: what two measures of "
    "this reliability (by seeds) can reach, the square root of the product. Collapsed are "
    "generators of whose greedy responses fewer than 5 % are different ones. Within structures: of "
    "the differences from the mean of the generators of the same structure. Intervals (95 %): "
    "bootstrap over trainings, all seeds of one together, ranks and means of structures taken "
    "anew, "
    "none corrected for the number of rows; of fewer than three trainings there is no correlation. "
    "Generators differ in "
    "more than in their attention, so none of this says what is the cause; nor does a correlation "
    "near 0 of a few generators show that there is none.";

Column correlations(const Subset& subset, const char* name) {
  return {.group = subset.name, .name = name, .key = "generators", .sign = true};
}

std::vector<std::string> sources_of(const AdversarialResults& results) {
  std::vector<std::string> sources;
  for (const RunResult& run : results.runs) sources.push_back(source_of(run));
  return sources;
}

}  // namespace

Table reliability_of_measures(const AdversarialResults& results) {
  Table table{.id = "reliability-of-measures",
              .title = "Reliability of the measures",
              .note = kMeasuresNote,
              .rows_are = "measure",
              .columns = {{"", "generators", "generators", 0},
                          {"", "lowest", "generators", 3},
                          {"", "highest", "generators", 3},
                          correlations(kAsTheyAre, "halves"),
                          correlations(kAsTheyAre, "seeds"),
                          correlations(kWithinStructures, "halves"),
                          correlations(kWithinStructures, "seeds")},
              .intervals = true};
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    const Generators of = generators_of(results, c);
    for (const GeneratorMeasure& m : measures_of(results, c)) {
      std::vector<double> there;
      for (const auto& value : m.whole) {
        if (value) there.push_back(*value);
      }
      const auto [lowest, highest] = std::minmax_element(there.begin(), there.end());
      Row row{
          results.corpora[c],
          m.name,
          {{.value = static_cast<double>(there.size())}, {.value = *lowest}, {.value = *highest}},
          sources_of(results)};
      for (const Subset& subset : {kAsTheyAre, kWithinStructures}) {
        row.cells.push_back(cell_of(by_halves(of, m, subset)));
        row.cells.push_back(cell_of(by_seeds(of, m, subset)));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table agreement_table(const AdversarialResults& results) {
  Table table{.id = "agreement",
              .title = "Do the measures agree?",
              .note = kAgreementNote,
              .rows_are = "measures",
              .columns = {{"", "generators", "generators", 0},
                          {"", "trainings", "generators", 0},
                          {"", "at most", "generators", 2}},
              .intervals = true};
  for (const Subset& subset : {kAsTheyAre, kWithoutCollapsed, kWithinStructures}) {
    for (const char* kind : {"Spearman", "Pearson"}) {
      table.columns.push_back(correlations(subset, kind));
    }
  }
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    const Generators of = generators_of(results, c);
    const std::vector<GeneratorMeasure> measures = measures_of(results, c);
    for (size_t a = 0; a < measures.size(); ++a) {
      for (size_t b = a + 1; b < measures.size(); ++b) {
        Row row{.group = results.corpora[c],
                .label = measures[a].name + ", " + measures[b].name,
                .sources = sources_of(results)};
        const auto reliable_a = by_seeds(of, measures[a], kAsTheyAre),
                   reliable_b = by_seeds(of, measures[b], kAsTheyAre);
        const bool can = reliable_a && reliable_b && reliable_a->value > 0 && reliable_b->value > 0;
        for (const Subset& subset : {kAsTheyAre, kWithoutCollapsed, kWithinStructures}) {
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
  return table;
}

}  // namespace heed
