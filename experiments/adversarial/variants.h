// The classifiers that are trained: one for each corpus, and of several corpora also one for all of
// them together, as Bruni and Fernández (2017) trained theirs; and the same again without context.
// Those of scenarios test the evaluation. And the names of what is measured of them.
#pragma once

#include <string>
#include <vector>

#include "dialog/discriminate/replacement.h"
#include "experiments/engine/runs/results.h"

namespace heed {

// A test of the evaluation itself (after Li et al., "Adversarial Learning for Neural Dialogue
// Generation", EMNLP 2017): what stands in the place of responses is such that the accuracy of a
// classifier that can be relied on is known.
struct Scenario {
  const char* name;
  discriminate::Negatives::Kind kind;
  double ideal;
};
constexpr Scenario kScenarios[] = {
    {"real-and-real", discriminate::Negatives::Kind::kReal, 0.5},
    {"shuffled-words", discriminate::Negatives::Kind::kShuffledWords, 1},
    {"other-corpus", discriminate::Negatives::Kind::kOtherCorpus, 1}};  // of several corpora only

struct JudgeVariant {
  VariantName name;                    // "ubuntu-sample", "together-response-only"
  std::vector<size_t> corpora;         // what it is trained and tested on
  bool together = false;               // of several corpora
  bool response_only = false;          // a control: it reads no context
  const Scenario* scenario = nullptr;  // one of kScenarios

  bool judges(size_t corpus) const;
  bool is_discriminator() const { return !response_only && !scenario; }
};
constexpr char kTogether[] = "together", kResponseOnly[] = "response-only";

// Of the corpora with these names; with `reliability` those of the scenarios come last,
// "together-shuffled-words", for all corpora at once.
std::vector<JudgeVariant> judge_variants(const std::vector<std::string>& corpora, bool reliability);

// ---- names in evaluation.json

// Who judges: the classifier of the run, and the controls that it has beside it (controls of their
// own runs are classifiers, too).
constexpr char kDiscriminator[] = "discriminator";
constexpr char kShuffledContext[] = "shuffled-context";
constexpr const char* kControls[] = {"length", "unigram", kShuffledContext};
// What the responses that were said are to be told from: random ones, or a generator's, which go by
// its name. Of the classifier of a scenario, which has no other set, what the scenario puts there.
constexpr char kRandomSet[] = "random";

//   judged.discriminator.random.real: a series, p(real) of each passage with its own response;
//   ".fake": with the other one. null where the classifier is of another corpus, and where the set
//   has no other response
std::string judged_key(const std::string& judge, const std::string& set, bool real);
//   thresholds.ubuntu-sample: the best one of the corpus' validation part
std::string threshold_key(const std::string& corpus);
//   looks.ubuntu-sample.judged_real.attention.response
std::string looks_key(const std::string& corpus, const std::string& number);
//   generators.ubuntu-sample.static-ui.das_ratio; F1 of probes by these names
constexpr const char* kProbedTasks[] = {"UtteranceLoc", "WordCont"};
std::string generator_key(const std::string& corpus, const std::string& generator,
                          const std::string& number);

}  // namespace heed
