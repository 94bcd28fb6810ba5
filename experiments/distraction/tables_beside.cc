// The paper's tables beside ours, number by number.
#include "experiments/distraction/paper.h"
#include "experiments/distraction/tables_parts.h"

namespace heed {
namespace {

using Get = std::optional<double> (*)(const VariantNumbers&, size_t set);  // set: 0 to 8

struct Pair {
  std::string group;
  int digits;
  bool percent;
  Get get;
  size_t set = 0;
};

std::optional<double> das_ratio(const VariantNumbers& v, size_t s) {
  return v.das_ratio[s];
}
std::optional<double> as_distraction(const VariantNumbers& v, size_t s) {
  return v.as_distraction[s];
}
std::optional<double> as_history(const VariantNumbers& v, size_t s) {
  return v.as_history[s];
}

// Two columns for each pair: the paper's number and ours, which stands in the table `ours`.
Table beside(const Results& results, Table table, const std::string& ours,
             const std::vector<Pair>& pairs) {
  for (const Pair& p : pairs) {
    table.columns.push_back({p.group, "paper", "data/paper-tables.json", p.digits, p.percent});
    table.columns.push_back({p.group, "ours", ours, p.digits, p.percent});
  }
  const MainTable numbers = main_table(results);
  for (size_t v = 0; v < numbers.size(); ++v) {
    Row row = variant_row(results, v);
    row.sources.push_back("data/paper-tables.json");
    for (const Pair& p : pairs) {
      const auto value = p.get(paper_table().table[v], p.set);
      const bool doubtful = value && p.get == das_ratio && paper_table().uncertain[v][p.set];
      row.cells.push_back({.value = value, .doubtful = doubtful});
      row.cells.push_back({.value = p.get(numbers[v], p.set)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

constexpr char kPaper[] =
    "The paper's models have 4 layers of 512 and a vocabulary of 25,000, and were trained on 0.48 "
    "million dialogues and tested on 10 thousand. – cannot be read in the scan of the paper that "
    "the numbers were taken from, ? is a doubtful reading. ";

Table table3(const Results& results) {
  std::vector<Pair> pairs = {
      {"perplexity", 1, false, [](const VariantNumbers& v, size_t) { return v.perplexity; }},
      {"AS history %", 1, true, [](const VariantNumbers& v, size_t) { return v.history_as; }}};
  for (size_t s = 0; s < kTestSets.size(); ++s) {
    pairs.push_back({set_name(s + 1), 2, false, das_ratio, s});
  }
  return beside(results,
                {.id = "paper3",
                 .title = "The paper's Table 3 beside ours",
                 .note = std::string(kPaper) +
                         "Perplexities of different vocabularies and tokenizers cannot be "
                         "compared."},
                "table3", pairs);
}

// The three sets from `first` on; with the first and the last utterance where the phrases stand.
Table of_sets(const Results& results, Table table, const std::string& ours, size_t first,
              bool places) {
  std::vector<Pair> pairs;
  for (size_t s = first; s < first + 3; ++s) {
    const std::string place = place_of(s + 1);
    pairs.push_back({place + ", DAS ratio", 2, false, das_ratio, s});
    pairs.push_back({place + ", AS distr. %", 1, true, as_distraction, s});
    pairs.push_back({place + ", AS history %", 1, true, as_history, s});
    if (places && s == first) {
      pairs.push_back({place + ", AS first %", 1, true,
                       [](const VariantNumbers& v, size_t set) { return v.as_first[set]; }, s});
    }
    if (places && s == first + 2) {
      pairs.push_back({place + ", AS last %", 1, true,
                       [](const VariantNumbers& v, size_t set) { return v.as_last[set]; }, s});
    }
  }
  return beside(results, std::move(table), ours, pairs);
}

}  // namespace

std::vector<Table> tables_beside(const Results& results) {
  return {table3(results),
          of_sets(results,
                  {.id = "paper4",
                   .title = "The paper's Table 4 beside ours: random distractions",
                   .note = kPaper},
                  "table4", 0, false),
          of_sets(results,
                  {.id = "paper6",
                   .title = "The paper's Table 6 beside ours: rare distractions",
                   .note = std::string(kPaper) +
                           "Its Table 5, of the frequent ones, is not in the scan."},
                  "table6", 6, true)};
}

}  // namespace heed
