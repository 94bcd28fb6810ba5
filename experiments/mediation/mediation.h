// Which way do distractions do their harm, and what does training with them change? Structures,
// each trained in four ways, and every test dialogue read five times (dialog/respond/mediation.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/task.h"
#include "dialog/text/overlap.h"
#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/inference.h"
#include "experiments/engine/report/table.h"
#include "experiments/experiment.h"

namespace heed::mediation {

constexpr char kKind[] = "mediation";  // mediation.json says what the folder holds
constexpr int kFormat = 1;             // of that file

// How a model is trained.
enum class Condition {
  kNone,           // on the dialogues as they are
  kInsertion,      // with distractions inserted, and no attention loss
  kInsertionLoss,  // with both
  kPlacebo,        // with the loss on utterances of the dialogue itself, and nothing inserted
};

struct Variant {
  Structure structure;
  Condition condition = Condition::kNone;
};
// Seed by seed the folder is filled in this order: static-ui first, non-hier, the slowest, last.
const std::vector<Variant>& variants();
const std::vector<VariantName>& variant_names();  // "static-ui-insertion-loss"
// What a variant is compared with, of its structure: insertion and placebo with none, the loss with
// insertion alone.
std::optional<size_t> baseline_of(size_t variant);

constexpr const char* kSets[] = {"random:1.0",   "random:0.7",  "frequent:middle",
                                 "frequent:end", "rare:middle", "rare:end"};

// The harm that is left of "unread" less the one that is left of "unseen" (kReadings).
constexpr char kUnreadLessUnseen[] = "unread less unseen";

struct Settings {
  std::string data;     // directory
  TrainSettings train;  // of every run; structure, distractions, loss and seed are its own
  size_t limit = 0, test_limit = 0;  // dialogues of each part, of the test part; 0: all
  int max_response = 50;             // words of a generated response
  PhraseText phrases;
};

struct Data {
  TrainData train;
  std::vector<Example> test;
  std::vector<int> conversations;  // of each test example its conversation, from 0
  std::vector<Tokens> references;  // the human responses to them, as words
  uint32_t test_fingerprint = 0;

  // Has what the first rank of the machine trains on; only the first rank measures.
  void share(const Neighbours& neighbours) { train.share(neighbours); }
};

Results load(const std::string& folder);
Inference infer(const Results& results);
// random-1.0 ...  per test set: DAS ratio, and the harm of each reading, with intervals
// changes         what each training changes, with corrected p-values
// responses       BLEU with and without distractions
// runs            how the trainings went
std::vector<Table> tables(const Results& results, const Inference& inference);
Claims claims(const Results& results, const Inference& inference);
constexpr char kClaimsNote[] =
    "What is asked of each structure: yes where the 95 % interval says so in every structure, no "
    "where it says the contrary in every one, undecided in between. Test set random:1.0.";
struct Found {
  Results results;
  Inference inference = mediation::infer(results);
};
const Showing<Found>& showing();
Experiment mediation_experiment();

}  // namespace heed::mediation
