#include "experiments/engine/report/variant_tables.h"
#include "experiments/retrieval/experiment.h"

namespace heed {
namespace {

using namespace rankers;

Findings load(const std::string& folder) {
  std::vector<Measure> measures;
  for (const std::string key :
       {kFirstOf10, kFirstOf100, kFirstOf1000, "mrr", "tf_idf", "bm25", "filtered_of_1000"}) {
    const std::string items = key + "_items";
    measures.push_back({.key = key, .top = items, .bottom = items, .mean = true});
  }
  return load_findings(folder,
                       {.kind = "retrieval",
                        .variants = retrieval_variants(),
                        .clusters = "conversations",
                        .values = {"auc_05", "parameters", "best_epoch", "epochs"}},
                       measures, against_first({kFirstOf100, "mrr"}));
}

std::vector<Table> tables(const Findings& found) {
  Table lists{.id = "whitelists",
              .title = "Whitelists: the most frequent responses, and those of clusters",
              .note =
                  "Percent. Coverage: test responses that are in it. R@1 with the right response "
                  "added, and of those that are covered."};
  for (const std::string kind : {"frequency", "clusters"}) {
    lists.columns.push_back(percent(kind, "coverage", kind + ".coverage"));
    lists.columns.push_back(percent(kind, "R@1, added", kind + ".whitelist"));
    lists.columns.push_back(percent(kind, "R@1, covered", kind + ".covered"));
  }
  return {
      of_variants(
          {.id = "ranks",
           .title = "How often the right response is first",
           .note = "Percent; of so many candidates, which are drawn from the test part, frequent "
                   "ones more often. " +
                   intervals_text(found.results, "conversations"),
           .columns = {percent("R@1", "of 10", kFirstOf10), percent("R@1", "of 100", kFirstOf100),
                       percent("R@1", "of 1,000", kFirstOf1000), percent("of 100", "MRR", "mrr"),
                       percent("of 100", "AUC@0.05", "auc_05"),
                       percent("by words, of 100", "TF-IDF", "tf_idf"),
                       percent("by words, of 100", "BM25", "bm25"),
                       percent("of 1,000", "filtered by TF-IDF", "filtered_of_1000")}},
          found),
      of_variants(lists, found),
      changes_table("Against base",
                    {percent("", "R@1 of 100", kFirstOf100), percent("", "MRR", "mrr")}, found,
                    "conversations"),
      trainings_table(found.results, "valid_recall_1", "R@1", 3, true)};
}

Above auc(size_t variant, size_t than, double by = 0) {
  return {variant, "auc_05", than, "", 1, by};
}

// Two numbers of the base differ by less than `by`.
std::vector<Above> alike(const std::vector<std::pair<std::string, std::string>>& pairs, double by) {
  std::vector<Above> parts;
  for (const auto& [a, b] : pairs) {
    parts.push_back({kBase, a, kBase, b, 1, -by});
    parts.push_back({kBase, b, kBase, a, 1, -by});
  }
  return parts;
}

// One number above another for each ranker that is trained.
std::vector<Above> of_each(const std::string& key, const std::string& than) {
  std::vector<Above> parts;
  for (size_t v = 0; v < kSim; ++v) parts.push_back({v, key, v, than});
  return parts;
}

const std::vector<AboveClaim> kClaims = {
    {"Repository: an encoder trained for the task beats all baselines.",
     "R@1 of 100 of one of the ten above those of TF-IDF and BM25.",
     {{kBase, kFirstOf100, kBase, "tf_idf"}, {kBase, kFirstOf100, kBase, "bm25"}},
     {kBase, kHinge, k100, k10, kData25, kData10, kSru, kLstm, kHierarchical, kBag}},
    {"Production: recall falls strongly with the number of candidates.",
     "R@1 of 10 > of 100 > of 1,000.",
     {{kBase, kFirstOf10, kBase, kFirstOf100}, {kBase, kFirstOf100, kBase, kFirstOf1000}}},
    {"Production: amount of data and number of negatives matter most.",
     "AUC@0.05 falls more with 10 negatives, and with a tenth of the data, than with the hinge.",
     {auc(kHinge, k10), auc(kHinge, kData10)}},
    {"Production: more negatives are better.",
     "AUC@0.05 with 200 > 100 > 10.",
     {auc(kBase, k100), auc(k100, k10)}},
    {"Production: more data are better.",
     "AUC@0.05 with all > a quarter > a tenth.",
     {auc(kBase, kData25), auc(kData25, kData10)}},
    {"Production: cross entropy is better than hinge.",
     "AUC@0.05 of base > that of hinge.",
     {auc(kBase, kHinge)}},
    {"Production: a hierarchical context encoder has no advantage.",
     "AUC@0.05 of sru > that of hierarchical.",
     {auc(kSru, kHierarchical)}},
    {"Production: an LSTM is as good as SRUs of its size.",
     "AUC@0.05 of the two differs by less than 0.02.",
     {auc(kSru, kLstm, -0.02), auc(kLstm, kSru, -0.02)}},
    {"Production: without the truth added, recall drops.",
     "R@1 on the whitelist with the right response added > of those covered.",
     {{kBase, "frequency.whitelist", kBase, "frequency.covered"}}},
    {"Production: clustering has the higher recall.",
     "R@1 of those covered, clusters > frequency.",
     {{kBase, "clusters.covered", kBase, "frequency.covered"}}},
    {"Production: frequency has the higher coverage.",
     "Coverage, frequency > clusters.",
     {{kBase, "frequency.coverage", kBase, "clusters.coverage"}}},
    {"DSTC7: filtering by TF-IDF before ranking helps with a large pool.",
     "R@1 of 1,000, of which TF-IDF keeps 100, above that of all.",
     {{kBase, "filtered_of_1000", kBase, kFirstOf1000}}},
    {"Production: with the truth added, whitelists of all kinds are alike.",
     "R@1 of 1,000: by frequency and by clusters less than 0.07 from random ones.",
     alike({{"frequency.whitelist", kFirstOf1000}, {"clusters.whitelist", kFirstOf1000}}, 0.07)},
    {"Production: without it, recall drops with clusters too.",
     "R@1 on the whitelist with the right response added > of those covered.",
     {{kBase, "clusters.whitelist", kBase, "clusters.covered"}}},
    {"DSTC7: a larger pool is harder for each ranker.",
     "R@1 of 1,000 below that of 100, for each of the ten.", of_each(kFirstOf100, kFirstOf1000)},
    {"Repository: a map improves on plain similarity.",
     "R@1 of 100 of map > that of sim.",
     {{kMap, kFirstOf100, kSim}}},
    {"Repository: keyword methods are competitive with frozen encoders.",
     "R@1 of 100 of TF-IDF > those of sim and map.",
     {{kSim, "tf_idf", kSim, kFirstOf100}, {kMap, "tf_idf", kMap, kFirstOf100}}}};

}  // namespace

const Showing<>& retrieval_showing() {
  static const Showing<> kShowing = {
      .title = "Choosing responses",
      .lead = "Rankers of one size, of which each differs from the base in one thing.",
      .footer =
          "After Henderson et al., <cite>A Repository of Conversational Datasets</cite>, Swanson "
          "et al., <cite>Building a Production Model for Retrieval-Based Chatbots</cite>, and "
          "Gunasekara et al., <cite>DSTC7 Task 1</cite>, 2019.",
      .variants_are = "rankers",
      .groups_are = "changed",
      .rows_are = "to",
      .claims_title = "Do the papers' claims hold here?",
      .claims_note =
          "\"Paper\" are printed numbers of Swanson et al. on 15 million utterances of a "
          "help desk (1 million and 100,000 examples for a quarter and a tenth of the "
          "data); ours are much smaller. Where data, encoders or measurements are missing, "
          "a claim has no row: USE and ELMo, places of teams, a test set without overlap, speed.",
      .load = load,
      .tables = tables,
      .rules = kClaims,
      .paper = paper_numbers("retrieval", retrieval_variants()),
      .sections = {{"ranks", "How often the right response is first", shows("ranks", true)},
                   {"whitelists", "Whitelists", shows("whitelists")},
                   {"changes", "Against base", shows("changes", true)}}};
  return kShowing;
}

}  // namespace heed
