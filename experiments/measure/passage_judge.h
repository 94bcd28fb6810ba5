// A discriminator and its controls as judges of a corpus's test part.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dialog/discriminate/task.h"
#include "experiments/measure/tested_part.h"

namespace heed {

// A discriminator, and what it says of parts of corpora.
class PassageJudge {
 public:
  struct Options {
    size_t limit = 0;  // dialogues of a part; 0: all
    int64_t batch = 64;
    uint64_t seed = 1;  // of replacements
    std::function<void(const std::string& what, int64_t done, size_t of)> progress = {};  // items
  };
  PassageJudge(const std::string& run, Options options, Device device);

  const discriminate::Discriminator& model() const { return loaded_.model; }
  const Vocabulary& vocabulary() const { return loaded_.vocabulary; }
  const Options& options() const { return options_; }

  // The items of a part; nobody has judged them yet.
  TestedPart read(const std::string& corpus, const std::string& part,
                  const discriminate::Negatives& negatives) const;
  TestedPart judged(const std::string& corpus, const std::string& part,
                    const discriminate::Negatives& negatives) const;
  std::vector<discriminate::Verdict> verdicts(const std::vector<discriminate::Passage>& items,
                                              const std::string& what) const;

 private:
  Options options_;
  discriminate::LoadedDiscriminator loaded_;
};

// The controls by name: length and unigram (logistic regressions), shuffled-context, response-only.
extern const std::vector<std::string> kPassageControls;

// p(real) of the items of `test` by a control. `response_only`: the discriminator of that control,
// null for others. Throws UsageError where it reads other passages than those of `test`.
std::vector<double> control_p_real(const std::string& name, const TestedPart& test,
                                   const discriminate::Negatives& negatives,
                                   const PassageJudge& judge, const PassageJudge* response_only);

}  // namespace heed
