#include <cmath>

#include "dialog/text/format.h"
#include "experiments/energy/experiment.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

using Found = EnergyFound;
using namespace trackers;

Found load(const std::string& folder) {
  ResultsLayout layout{.kind = "energy", .variants = energy_variants()};
  layout.clusters = "conversations";
  layout.values = {"phi_difference", "parameters", "best_epoch", "epochs"};
  std::vector<Measure> measures;
  for (const std::string key :
       {"joint", "above_half", "changes", "string_match", "distracted", "survives"}) {
    layout.values.push_back(key);
    layout.items.push_back(key + "_items");
    measures.push_back({.key = key, .top = key + "_items", .bottom = key + "_items", .mean = true});
  }
  Results results = load_results(folder, layout);
  Inference inference(results, measures, {{"joint", "changes", "survives"}, [](size_t v) {
                                            return v == kHeads ? std::nullopt
                                                               : std::optional<size_t>(kHeads);
                                          }});
  return {std::move(results), std::move(inference)};
}

std::vector<Table> tables(const Found& found) {
  const auto column = [](const char* group, const char* name, const char* key) {
    return Column{group, name, key, 1, true, Column::Best::kHighest};
  };
  Table accuracy{.id = "accuracy",
                 .title = "How often the state is right",
                 .note =
                     "Percent of the user's turns. Joint: the most probable value of every slot is "
                     "right; above 1/2: the values with p > 1/2 are the right ones; changes: the "
                     "turn changes the right slots to the right values. Words: values are set "
                     "where their words are said. phi: sum of |phi of the tracked states - phi of "
                     "the right ones| over pairs of slots, lower is better. " +
                     intervals_text(found.results, "dialogues")};
  accuracy.columns = {column("right", "joint", "joint"),
                      column("right", "above 1/2", "above_half"),
                      column("right", "changes", "changes"),
                      column("rule", "words", "string_match"),
                      {"dependence", "phi", "phi_difference", 3, false, Column::Best::kLowest}};
  add_variants(accuracy, found.results, found.inference);
  Table distracted{
      .id = "distracted",
      .title = "Where an utterance from elsewhere stands before every turn",
      .note =
          "Percent. It changed nothing in the test dialogue that it is from. Survives: "
          "the tracked state after it is the one before. Joint: of the turns that "
          "belong to the dialogue."};
  distracted.columns = {column("", "survives", "survives"),
                        column("", "joint, with them", "distracted"),
                        column("", "joint, without", "joint")};
  add_variants(distracted, found.results, found.inference);
  Table changes{
      .id = "changes",
      .title = "Against heads",
      .note = intervals_text(found.results, "dialogues") + p_values_text(found.inference)};
  changes.columns = {column("", "joint", "joint"), column("", "changes", "changes"),
                     column("", "survives", "survives")};
  add_changes(changes, found.results, found.inference);
  return {
      accuracy, distracted, changes,
      trainings_table(found.results, "valid_joint", "joint accuracy of the validation", 3, true)};
}

// The number of `a` is above that of `b`, or below. Undecided where they are nearly the same.
ClaimResult is_above(const VariantNumbers& n, const char* key, size_t a, size_t b,
                     bool below = false) {
  constexpr double kNearly = 0.005;
  const auto x = n.get(a, key), y = n.get(b, key);
  if (!x || !y) return {};
  const bool nearly = std::fabs(*x - *y) <= kNearly;
  return {nearly ? std::nullopt : std::optional((*x > *y) != below),
          decimal(*x, 3) + " and " + decimal(*y, 3)};
}

const std::vector<ClaimRule> kClaims = {
    {"The energy is above softmax heads on its own network of features.",
     "Joint accuracy of energy > heads.",
     [](const VariantNumbers& n) { return is_above(n, "joint", kEnergy, kHeads); }},
    {"The energy keeps the dependence of slots better.",
     "Sum of the differences of phi of energy < heads.",
     [](const VariantNumbers& n) { return is_above(n, "phi_difference", kEnergy, kHeads, true); }},
    {"Ours: it is not that the features are trained for longer.",
     "Joint accuracy of energy > heads-again.",
     [](const VariantNumbers& n) { return is_above(n, "joint", kEnergy, kAgain); }},
    {"Ours: it is that slots meet, with the features fixed.",
     "Joint accuracy of energy-fixed > logistic-fixed.",
     [](const VariantNumbers& n) { return is_above(n, "joint", kEnergyFixed, kLogisticFixed); }},
    {"Ours: it is that slots meet, with the features trained on.",
     "Joint accuracy of energy > logistic.",
     [](const VariantNumbers& n) { return is_above(n, "joint", kEnergy, kLogistic); }},
    {"Ours: states survive distractions better with the energy.",
     "Survives of energy > heads-again.",
     [](const VariantNumbers& n) { return is_above(n, "survives", kEnergy, kAgain); }}};

}  // namespace

const std::vector<ClaimRule>& energy_claim_rules() {
  return kClaims;
}

// Tables 4 and 5 (test); phi is the sum over the three pairs of |phi - phi of the test set|.
VariantNumbers energy_paper_numbers() {
  VariantNumbers n;
  n.set(kHeads, "joint", 0.72);
  n.set(kEnergy, "joint", 0.749);
  n.set(kHeads, "phi_difference", 0.134);
  n.set(kEnergy, "phi_difference", 0.033);
  return n;
}

const Showing<Found>& energy_showing() {
  static const Showing<Found> kShowing = {
      .title = "States by energy",
      .lead = "Trackers of one size, softmax heads or an energy on one network of features.",
      .footer =
          "After Trinh, Ross and Kelleher, <cite>Energy-Based Modelling for Dialogue State "
          "Tracking</cite>, 2019.",
      .variants_are = "trackers",
      .claims_title = "Do the paper's claims hold here?",
      .claims_note =
          "\"Paper\" are printed numbers on DSTC2, whose states are not to be had; ours "
          "are of other dialogues. Claims with \"Ours\" are not the paper's. A "
          "difference of 0.005 at most decides nothing.",
      .load = load,
      .tables = tables,
      .claims =
          [](const Found& found) {
            return check_claims(kClaims, energy_paper_numbers(),
                                {{"means", mean_numbers(found.results)}});
          },
      .sections = {{"accuracy", "How often the state is right", shows("accuracy", true)},
                   {"distracted", "Distractions", shows("distracted", true)},
                   {"changes", "Against heads", shows("changes", true)}}};
  return kShowing;
}

}  // namespace heed
