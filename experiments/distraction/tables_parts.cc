#include "experiments/distraction/tables_parts.h"

#include <cmath>

namespace heed {
namespace {

std::string label_of(const Variant& v) {
  return std::string(v.structure.name) + (v.attention_loss ? "" : ", no attention loss");
}

// "dialogues", or with --examples all "examples" of them
std::string unit_of(const Results& results) {
  for (const Setting& s : results.settings) {
    if (s.name == "examples" && s.value == "all") return "examples";
  }
  return "dialogues";
}

}  // namespace

std::string kind_of(size_t set) {
  const std::string name = set_name(set);
  return name.substr(0, name.find(':'));
}

std::string place_of(size_t set) {
  const std::string name = set_name(set), rest = name.substr(name.find(':') + 1);
  return kind_of(set) == "random" ? "p = " + rest : rest;
}

std::string of_dialogues(const Results& results) {
  return std::to_string(results.test_dialogues()) + " test " + unit_of(results) + ", " +
         std::to_string(results.seeds()) + (results.seeds() == 1 ? " seed" : " seeds") + ". ";
}

std::string of_intervals(const Results& results) {
  return "95 % intervals over " + std::to_string(results.conversations()) + " conversations of " +
         std::to_string(results.test_dialogues()) + " test " + unit_of(results) + ". ";
}

std::string group_of(const Variant& variant) {
  return "p = " + variant.probability();
}

Row variant_row(const Results& results, size_t variant) {
  Row row{group_of(all_variants()[variant]), label_of(all_variants()[variant]), {}, {}};
  for (const RunResult* run : results.of(variant)) row.sources.push_back(source_of(*run));
  return row;
}

std::string source_of(const RunResult& run) {
  return run.run.name() + "/evaluation.json";
}

Cell cell_over_seeds(const Results& results, size_t variant, const GetNumber& get) {
  std::vector<double> values;
  for (const RunResult* run : results.of(variant)) {
    const std::optional<double> number = get(run->evaluation);
    if (!number || !std::isfinite(*number)) return {};
    values.push_back(*number);
  }
  const auto over_seeds = spread(values);
  return over_seeds ? Cell{.value = over_seeds->mean, .deviation = over_seeds->deviation} : Cell{};
}

}  // namespace heed
