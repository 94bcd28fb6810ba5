#include "experiments/retrieval/report.h"

#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

using Found = RetrievalFound;
using namespace rankers;

const std::vector<std::string> kMeasured = {kFirstOf10, kFirstOf100, kFirstOf1000,      "mrr",
                                            "tf_idf",   "bm25",      "filtered_of_1000"};

Found load(const std::string& folder) {
  ResultsLayout layout{.kind = "retrieval", .variants = retrieval_variants()};
  layout.clusters = "conversations";
  layout.values = {"auc_05", "parameters", "best_epoch", "epochs"};
  std::vector<Measure> measures;
  for (const std::string& key : kMeasured) {
    layout.values.push_back(key);
    layout.items.push_back(key + "_items");
    measures.push_back({.key = key, .top = key + "_items", .bottom = key + "_items", .mean = true});
  }
  Results results = load_results(folder, layout);
  Inference inference(results, measures, {{kFirstOf100, "mrr"}, [](size_t v) {
                                            return v == kBase ? std::nullopt
                                                              : std::optional<size_t>(kBase);
                                          }});
  return {std::move(results), std::move(inference)};
}

std::vector<Table> tables(const Found& found) {
  const auto column = [](const char* group, const char* name, const char* key) {
    return Column{group, name, key, 1, true, Column::Best::kHighest};
  };
  Table ranks{.id = "ranks",
              .title = "How often the right response is first",
              .note =
                  "Percent; of so many candidates, which are drawn from the test part, frequent "
                  "ones more often. " +
                  intervals_text(found.results, "conversations")};
  ranks.columns = {column("R@1", "of 10", kFirstOf10),
                   column("R@1", "of 100", kFirstOf100),
                   column("R@1", "of 1,000", kFirstOf1000),
                   column("of 100", "MRR", "mrr"),
                   column("of 100", "AUC@0.05", "auc_05"),
                   column("by words, of 100", "TF-IDF", "tf_idf"),
                   column("by words, of 100", "BM25", "bm25"),
                   column("of 1,000", "filtered by TF-IDF", "filtered_of_1000")};
  add_variants(ranks, found.results, found.inference);
  Table lists{.id = "whitelists",
              .title = "Whitelists: the most frequent responses, and those of clusters",
              .note =
                  "Percent. Coverage: test responses that are in it. R@1 with the right response "
                  "added, and of those that are covered."};
  for (const char* kind : {"frequency", "clusters"}) {
    const std::string prefix = std::string(kind) + ".";
    lists.columns.push_back(column(kind, "coverage", (prefix + "coverage").c_str()));
    lists.columns.push_back(column(kind, "R@1, added", (prefix + "whitelist").c_str()));
    lists.columns.push_back(column(kind, "R@1, covered", (prefix + "covered").c_str()));
  }
  add_variants(lists, found.results, found.inference);
  Table changes{
      .id = "changes",
      .title = "Against base",
      .note = intervals_text(found.results, "conversations") + p_values_text(found.inference)};
  changes.columns = {column("", "R@1 of 100", kFirstOf100), column("", "MRR", "mrr")};
  add_changes(changes, found.results, found.inference);
  return {ranks, lists, changes,
          trainings_table(found.results, "valid_recall_1", "R@1 of the validation", 3, true)};
}

// ---- claims

// Each number is larger than the next one. Undecided where two are nearly the same.
ClaimResult falls(const VariantNumbers& n,
                  const std::vector<std::pair<size_t, std::string>>& numbers) {
  constexpr double kNearly = 0.005;
  bool falls = true, rises = false;
  std::string figure;
  std::optional<double> before;
  for (const auto& [variant, key] : numbers) {
    const std::optional<double> x = n.get(variant, key);
    if (!x) return {};
    if (before) {
      falls = falls && *before - *x > kNearly;
      rises = rises || *x - *before > kNearly;
    }
    figure += (figure.empty() ? "" : ", ") + decimal(*x, 3);
    before = x;
  }
  return {falls || rises ? std::optional(falls) : std::nullopt, figure};
}

ClaimResult data_and_negatives_matter_most(const VariantNumbers& n) {
  const auto base = n.get(kBase, "auc_05");
  std::vector<double> drops;
  for (const size_t v : {k10, kData10, kHinge}) {
    const auto other = n.get(v, "auc_05");
    if (!base || !other) return {};
    drops.push_back(*base - *other);
  }
  return {std::min(drops[0], drops[1]) > drops[2],
          "10 negatives " + decimal(-drops[0], 3) + ", 10 % of the data " + decimal(-drops[1], 3) +
              ", hinge " + decimal(-drops[2], 3)};
}

ClaimResult beats_words(const VariantNumbers& n) {
  std::optional<double> best;
  for (size_t v = 0; v < retrieval_variants().size(); ++v) {
    const auto x = n.get(v, kFirstOf100);
    if (x && (!best || *x > *best)) best = x;
  }
  const auto tf_idf = n.get(kBase, "tf_idf"), bm25 = n.get(kBase, "bm25");
  if (!best || !tf_idf || !bm25) return {};
  return {*best > std::max(*tf_idf, *bm25),
          decimal(*best, 3) + " against " + decimal(*tf_idf, 3) + " and " + decimal(*bm25, 3)};
}

const std::vector<ClaimRule> kClaims = {
    {"Repository: an encoder trained for the task beats all baselines.",
     "The best R@1 of 100 of the ten, chosen on the test part, above those of TF-IDF and BM25.",
     beats_words},
    {"Production: recall falls strongly with the number of candidates.",
     "R@1 of 10 > of 100 > of 1,000.",
     [](const VariantNumbers& n) {
       return falls(n, {{kBase, kFirstOf10}, {kBase, kFirstOf100}, {kBase, kFirstOf1000}});
     }},
    {"Production: amount of data and number of negatives matter most.",
     "AUC@0.05 falls more with 10 negatives, and with a tenth of the data, than with the hinge.",
     data_and_negatives_matter_most},
    {"Production: more negatives are better.", "AUC@0.05 with 200 > 100 > 10.",
     [](const VariantNumbers& n) {
       return falls(n, {{kBase, "auc_05"}, {k100, "auc_05"}, {k10, "auc_05"}});
     }},
    {"Production: more data are better.", "AUC@0.05 with all > a quarter > a tenth.",
     [](const VariantNumbers& n) {
       return falls(n, {{kBase, "auc_05"}, {kData25, "auc_05"}, {kData10, "auc_05"}});
     }},
    {"Production: cross entropy is better than hinge.", "AUC@0.05 of base > that of hinge.",
     [](const VariantNumbers& n) {
       return falls(n, {{kBase, "auc_05"}, {kHinge, "auc_05"}});
     }},
    {"Production: a hierarchical context encoder has no advantage.",
     "AUC@0.05 of sru > that of hierarchical.",
     [](const VariantNumbers& n) {
       return falls(n, {{kSru, "auc_05"}, {kHierarchical, "auc_05"}});
     }},
    {"Production: an LSTM is as good as SRUs of its size.",
     "AUC@0.05 of the two differs by less than 0.02.",
     [](const VariantNumbers& n) -> ClaimResult {
       const auto a = n.get(kSru, "auc_05"), b = n.get(kLstm, "auc_05");
       if (!a || !b) return {};
       return {std::abs(*a - *b) < 0.02, decimal(*a, 3) + " and " + decimal(*b, 3)};
     }},
    {"Production: without the truth added, recall drops.",
     "R@1 on the whitelist with the right response added > of those covered.",
     [](const VariantNumbers& n) {
       return falls(n, {{kBase, "frequency.whitelist"}, {kBase, "frequency.covered"}});
     }},
    {"Production: clustering has the higher recall.", "R@1 of those covered, clusters > frequency.",
     [](const VariantNumbers& n) {
       return falls(n, {{kBase, "clusters.covered"}, {kBase, "frequency.covered"}});
     }},
    {"Production: frequency has the higher coverage.", "Coverage, frequency > clusters.",
     [](const VariantNumbers& n) {
       return falls(n, {{kBase, "frequency.coverage"}, {kBase, "clusters.coverage"}});
     }},
    {"DSTC7: filtering by TF-IDF before ranking helps with a large pool.",
     "R@1 of 1,000, of which TF-IDF keeps 100, above that of all.", [](const VariantNumbers& n) {
       return falls(n, {{kBase, "filtered_of_1000"}, {kBase, kFirstOf1000}});
     }}};

// Tables 4, 5, 6 and 9 of Swanson et al. (test; 1K), the best row of Table 2 of Henderson et al.
// (Reddit).
VariantNumbers paper_numbers() {
  VariantNumbers n;
  n.set(kBase, kFirstOf10, 0.892);
  n.set(kBase, kFirstOf100, 0.686);
  n.set(kBase, kFirstOf1000, 0.449);
  const std::pair<size_t, double> auc[] = {
      {kBase, 0.816},   {kHinge, 0.693}, {k100, 0.647},  {k10, 0.412},          {kData25, 0.694},
      {kData10, 0.417}, {kSru, 0.816},   {kLstm, 0.829}, {kHierarchical, 0.559}};
  for (const auto& [variant, value] : auc) n.set(variant, "auc_05", value);
  n.set(kBase, "frequency.whitelist", 0.513);
  n.set(kBase, "frequency.covered", 0.273);
  n.set(kBase, "frequency.coverage", 0.3338);
  n.set(kBase, "clusters.covered", 0.331);
  n.set(kBase, "clusters.coverage", 0.2328);
  return n;
}

}  // namespace

const std::vector<ClaimRule>& retrieval_claim_rules() {
  return kClaims;
}

VariantNumbers retrieval_paper_numbers() {
  return paper_numbers();
}

const Showing<Found>& retrieval_showing() {
  static const Showing<Found> kShowing = {
      .title = "Choosing responses",
      .lead = "Rankers of one size, of which each differs from the base in one thing.",
      .footer =
          "After Henderson et al., <cite>A Repository of Conversational Datasets</cite>, Swanson "
          "et al., <cite>Building a Production Model for Retrieval-Based Chatbots</cite>, and "
          "Gunasekara et al., <cite>DSTC7 Task 1</cite>, 2019.",
      .variants_are = "rankers",
      .claims_title = "Do the papers' claims hold here?",
      .claims_note =
          "\"Paper\" are printed numbers of Swanson et al. on 15 million utterances of a "
          "help desk (1 million and 100,000 examples for a quarter and a tenth of the "
          "data); ours are much smaller. Where data, encoders or measurements are missing, "
          "a claim has no row: USE, ELMo and their maps, teams, speed.",
      .load = load,
      .tables = tables,
      .claims =
          [](const Found& found) {
            return check_claims(kClaims, paper_numbers(), {{"means", mean_numbers(found.results)}});
          },
      .sections = {{"ranks", "How often the right response is first", shows("ranks", true)},
                   {"whitelists", "Whitelists", shows("whitelists")},
                   {"changes", "Against base", shows("changes", true)}}};
  return kShowing;
}

}  // namespace heed
