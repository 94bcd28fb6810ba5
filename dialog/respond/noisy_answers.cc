#include "dialog/respond/noisy_answers.h"

#include <cmath>

#include "dialog/parts/nbest.h"
#include "dialog/respond/models/hred.h"
#include "tensor/random_tensor.h"

namespace heed {
namespace {

struct Draws {
  const HredResponder& model;
  const Batch& batch;
  const std::vector<const Example*>& examples;  // of each answer
  const DecodeOptions& options;

  bool of_words() const { return model.config().noise == Noise::kWord; }

  // All answers before their first word.
  StepwiseResponder::Encoded start() const {
    std::vector<int32_t> answers, dialogues;
    for (int32_t answer = 0; answer < std::ssize(examples); ++answer) {
      answers.push_back(answer);
      dialogues.push_back(static_cast<int32_t>(answer / options.best_of));
    }
    StepwiseResponder::Encoded encoded = model.encode(batch);
    encoded.segments = encoded.segments.select(dialogues);
    encoded.state =
        encoded.state.gather(Tensor::from(dialogues, model.embedding().weight.device()));
    Var& gates = encoded.state.rows[0];
    if (!of_words()) gates = gates + model.noise_part(noise(answers, 0));
    return encoded;
  }

  // z of these answers in step t, (rows, E).
  Tensor noise(const std::vector<int32_t>& answers, int64_t t) const {
    const int64_t e = model.config().embedding_size;
    const double deviation = std::sqrt(options.noise_variance.value_or(of_words() ? 9 : 7));
    std::vector<double> values, of_dialogue;
    int64_t dialogue = -1;
    for (const int32_t answer : answers) {
      if (answer / options.best_of != dialogue) {
        dialogue = answer / options.best_of;
        of_dialogue = normal({options.best_of, e}, 0, deviation,
                             {options.seed, purpose_id("answer " + examples[answer]->id),
                              static_cast<uint64_t>(t)},
                             DType::f64)
                          .to_vector();
      }
      const auto begin = of_dialogue.begin() + answer % options.best_of * e;
      values.insert(values.end(), begin, begin + e);
    }
    const Var& like = model.embedding().weight;
    return Tensor::from(values, {std::ssize(answers), e}).to(like.dtype()).to(like.device());
  }
};

class NoisyWriter : public StepWriter {
 public:
  explicit NoisyWriter(const Draws& draws)
      : StepWriter(draws.model, draws.start()), draws_(draws) {}

 private:
  Var token_part(const std::vector<int32_t>& tokens) override {
    const Var part = StepWriter::token_part(tokens);
    if (!draws_.of_words()) return part;
    return part + draws_.model.noise_part(draws_.noise(dialogues(), steps_++));
  }

  const Draws draws_;
  int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Writer> noisy_writer(const Responder& model, const Batch& batch,
                                     const std::vector<const Example*>& examples,
                                     const DecodeOptions& options) {
  const auto* hred = dynamic_cast<const HredResponder*>(&model);
  if (!hred || hred->config().noise == Noise::kNone) {
    throw UsageError("best-of: is for models that learned with noise (heed train --noise), not " +
                     std::string(model.config().structure.name));
  }
  return std::make_unique<NoisyWriter>(Draws{*hred, batch, examples, options});
}

std::vector<std::vector<Decoding>> ranked_answers(std::vector<std::vector<Decoding>> answers,
                                                  const Batch& batch,
                                                  const DecodeOptions& options) {
  using Rank = DecodeOptions::Rank;
  std::vector<double> scores(answers.size());
  if (options.rank == Rank::kJudge) {
    std::vector<Answer> all;
    for (size_t i = 0; i < answers.size(); ++i) {
      all.push_back({static_cast<int32_t>(i / options.best_of), answers[i][0].tokens});
    }
    scores = options.judge(batch, all);
  } else if (options.rank == Rank::kLogProb) {
    for (size_t i = 0; i < answers.size(); ++i) scores[i] = answers[i][0].log_prob;
  }
  std::vector<std::vector<Decoding>> lists;
  for (auto at = scores.begin(); at != scores.end(); at += options.best_of) {
    std::vector<Decoding> list;
    for (const size_t i : best_first({at, at + options.best_of})) {
      list.push_back(std::move(answers[at - scores.begin() + i][0]));
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

}  // namespace heed
