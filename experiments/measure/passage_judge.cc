#include "experiments/measure/passage_judge.h"

#include "base/error.h"
#include "base/path.h"
#include "dialog/discriminate/controls.h"

namespace heed {

using discriminate::Negatives;
using discriminate::Passage;

const std::vector<std::string> kPassageControls = {"response-only", "length", "unigram",
                                                   "shuffled-context"};

PassageJudge::PassageJudge(const std::string& run, Options options, Device device)
    : options_(std::move(options)), loaded_(discriminate::Runs::load(run)) {
  move(loaded_.model, device);
}

TestedPart PassageJudge::read(const std::string& corpus, const std::string& part,
                              const Negatives& negatives) const {
  TestedPart t{corpus};
  t.part = read_part({corpus}, part, loaded_.vocabulary, loaded_.model.config().passages, negatives,
                     options_.limit);
  const discriminate::Replacements replacements = t.part.replacements(negatives.kind);
  t.items = with_fakes(t.part.passages, replacements.replaceable(), replacements, options_.seed);
  t.cosines.resize(t.items.size());
  return t;
}

std::vector<discriminate::Verdict> PassageJudge::verdicts(const std::vector<Passage>& items,
                                                          const std::string& what) const {
  return verdicts_on(loaded_.model, items, options_.batch, [&](int64_t done, int64_t) {
    if (options_.progress) options_.progress(what, done, items.size());
  });
}

TestedPart PassageJudge::judged(const std::string& corpus, const std::string& part,
                                const Negatives& negatives) const {
  TestedPart t = read(corpus, part, negatives);
  t.verdicts = verdicts(t.items, corpus + " " + part);
  return t;
}

// Fitted to the training part, or by cross-validation if it has no such replacements.
static std::vector<double> fitted(const TestedPart& test, const Negatives& negatives,
                                  const PassageJudge& judge, const discriminate::ControlFit& fit) {
  if (!is_folder(test.corpus) || negatives.kind == Negatives::Kind::kGenerated) {
    return fitted_crosswise(test.items, fit);
  }
  return fit(judge.read(test.corpus, "train", negatives).items, test.items);
}

std::vector<double> control_p_real(const std::string& name, const TestedPart& test,
                                   const Negatives& negatives, const PassageJudge& judge,
                                   const PassageJudge* response_only) {
  if (name == "length") return fitted(test, negatives, judge, discriminate::length_control);
  if (name == "unigram") {
    return fitted(test, negatives, judge, [&](const auto& train, const auto& items) {
      return discriminate::unigram_control(train, items, judge.vocabulary().size());
    });
  }
  TestedPart judged{test.corpus};
  if (name == "response-only") {
    // with its own vocabulary: the same replacements, because they are drawn by the passages' ids
    judged = response_only->judged(test.corpus, "test", negatives);
    if (judged.items.size() != test.items.size()) {
      throw UsageError(
          "the response-only run reads other passages than the model: --context and lengths must "
          "agree");
    }
  } else {
    judged.verdicts = judge.verdicts(
        discriminate::shuffle_contexts(test.items, judge.options().seed), test.corpus + " " + name);
  }
  return judged.p_real();
}

}  // namespace heed
