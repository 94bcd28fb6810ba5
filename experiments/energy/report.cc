#include "experiments/energy/experiment.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

using namespace trackers;

Findings load(const std::string& folder) {
  std::vector<Measure> measures;
  for (const std::string key :
       {"joint", "above_half", "changes", "string_match", "distracted", "survives"}) {
    const std::string items = key + "_items";
    measures.push_back({.key = key, .top = items, .bottom = items, .mean = true});
  }
  return load_findings(folder,
                       {.kind = "energy",
                        .variants = energy_variants(),
                        .clusters = "conversations",
                        .values = {"phi_difference", "parameters", "best_epoch", "epochs"}},
                       measures, against_first({"joint", "changes", "survives"}));
}

std::vector<Table> tables(const Findings& found) {
  return {
      of_variants(
          {.id = "accuracy",
           .title = "How often the state is right",
           .note = "Percent of the user's turns. Joint: the most probable value of every slot is "
                   "right; above 1/2: the values with p > 1/2 are the right ones; changes: the "
                   "turn changes the right slots to the right values. Words: values are set "
                   "where their words are said. phi: sum of |phi of the tracked states - phi of "
                   "the right ones| over pairs of slots, lower is better. " +
                   intervals_text(found.results, "dialogues"),
           .columns = {percent("right", "joint", "joint"),
                       percent("right", "above 1/2", "above_half"),
                       percent("right", "changes", "changes"),
                       percent("rule", "words", "string_match"),
                       {"dependence", "phi", "phi_difference", 3, false, Column::Best::kLowest}}},
          found),
      of_variants(
          {.id = "distracted",
           .title = "Where an utterance from elsewhere stands before every turn",
           .note = "Percent. It changed nothing in the test dialogue that it is from. Survives: "
                   "the tracked state after it is the one before. Joint: of the turns that "
                   "belong to the dialogue.",
           .columns = {percent("", "survives", "survives"),
                       percent("", "joint, with them", "distracted"),
                       percent("", "joint, without", "joint")}},
          found),
      changes_table("Against heads",
                    {percent("", "joint", "joint"), percent("", "changes", "changes"),
                     percent("", "survives", "survives")},
                    found, "dialogues"),
      trainings_table(found.results, "valid_joint", "joint accuracy", 3, true)};
}

const std::vector<AboveClaim> kClaims = {
    {"The energy is above softmax heads on its own network of features.",
     "Joint accuracy of energy > heads.",
     {{kEnergy, "joint", kHeads}}},
    {"The energy keeps the dependence of slots better.",
     "Sum of the differences of phi of energy < heads.",
     {{kHeads, "phi_difference", kEnergy}}},
    {"Ours: it is not that the features are trained for longer.",
     "Joint accuracy of energy > heads-again.",
     {{kEnergy, "joint", kAgain}}},
    {"Ours: it is that slots meet, with the features fixed.",
     "Joint accuracy of energy-fixed > logistic-fixed.",
     {{kEnergyFixed, "joint", kLogisticFixed}}},
    {"Ours: it is that slots meet, with the features trained on.",
     "Joint accuracy of energy > logistic.",
     {{kEnergy, "joint", kLogistic}}},
    {"Ours: states survive distractions better with the energy.",
     "Survives of energy > heads-again.",
     {{kEnergy, "survives", kAgain}}}};

}  // namespace

const Showing<>& energy_showing() {
  static const Showing<> kShowing = {
      .title = "States by energy",
      .lead = "Trackers of one size, softmax heads or an energy on one network of features.",
      .footer =
          "After Trinh, Ross and Kelleher, <cite>Energy-Based Modelling for Dialogue State "
          "Tracking</cite>, 2019.",
      .variants_are = "trackers",
      .groups_are = "features",
      .rows_are = "decided by",
      .claims_title = "Do the paper's claims hold here?",
      .claims_note =
          "\"Paper\" are printed numbers on DSTC2, whose states are not to be had; ours "
          "are of other dialogues. Claims with \"Ours\" are not the paper's.",
      .load = load,
      .tables = tables,
      .rules = kClaims,
      .paper = paper_numbers("energy", energy_variants()),
      .sections = {{"accuracy", "How often the state is right", shows("accuracy", true)},
                   {"distracted", "Distractions", shows("distracted", true)},
                   {"changes", "Against heads", shows("changes", true)}}};
  return kShowing;
}

}  // namespace heed
