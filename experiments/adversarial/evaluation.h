// Names of what is measured of a classifier, in evaluation.json.
#pragma once

#include <string>

namespace heed {

// Who judges: the classifier of the run, and the controls that it has beside it (controls of their
// own runs are classifiers, too).
constexpr char kDiscriminator[] = "discriminator";
constexpr const char* kControls[] = {"length", "unigram", "shuffled-context"};
// What the responses that were said are to be told from: random ones, or a generator's, which go by
// its name. Of the classifier of a scenario, which has no other set, what the scenario puts there.
constexpr char kRandomSet[] = "random";

// Names of numbers, as evaluation.json has them.
//   judged.discriminator.random.real: a series, p(real) of each passage with its own response;
//   ".fake": with the other one. null where the classifier is of another corpus, and where the set
//   has no other response
std::string judged_key(const std::string& judge, const std::string& set, bool real);
//   thresholds.ubuntu-sample: the best one of the corpus' validation part
std::string threshold_key(const std::string& corpus);
//   looks.ubuntu-sample.judged_real.attention.response
std::string looks_key(const std::string& corpus, const std::string& number);
//   generators.ubuntu-sample.static-ui.das_ratio
std::string generator_key(const std::string& corpus, const std::string& generator,
                          const std::string& number);

}  // namespace heed
