#include "dialog/respond/noisy_answers.h"

#include <cmath>

#include "autograd/keep_packed.h"
#include "dialog/parts/nbest.h"
#include "dialog/respond/best_choices.h"
#include "dialog/respond/das.h"
#include "dialog/respond/models/hred.h"
#include "dialog/text/vocabulary.h"
#include "tensor/random_tensor.h"

namespace heed {
namespace {

// An answer that is being written.
struct Row {
  int32_t dialogue;  // in batch order
  int64_t draw;
  int32_t last = kSos;
};

class Draws {
 public:
  Draws(const HredResponder& model, const Batch& batch, const std::vector<const Example*>& examples,
        const DecodeOptions& options)
      : model_(model), batch_(batch), examples_(examples), options_(options) {
    const double usual = model.config().noise == Noise::kWord ? 9 : 7;
    deviation_ = std::sqrt(options.noise_variance.value_or(usual));
  }

  std::vector<std::vector<Decoding>> run() {
    const HredResponder::Encoded encoded = model_.encode(batch_);
    std::vector<std::vector<Decoding>> answers(batch_.size);
    std::vector<Row> rows;
    for (int64_t b = 0; b < batch_.size; ++b) {
      answers[b].resize(options_.best_of);
      for (int64_t l = 0; l < options_.best_of; ++l) rows.push_back({static_cast<int32_t>(b), l});
    }
    const bool of_words = model_.config().noise == Noise::kWord;
    HredResponder::State state = encoded.state.gather(dialogues_of(rows));
    if (!of_words) state.rows[0] = state.rows[0] + model_.noise_part(noise(rows, 0));
    const std::vector<int32_t> never = never_written(options_.allow_unk);
    for (int64_t t = 0; t < options_.max_length && !rows.empty(); ++t) {
      std::vector<int32_t> last, dialogues, running;
      for (const Row& row : rows) last.push_back(row.last), dialogues.push_back(row.dialogue);
      Var part = model_.token_part(Tensor::from(last, device()));
      if (of_words) part = part + model_.noise_part(noise(rows, t));
      const Segments segments = encoded.segments.select(dialogues);
      const HredResponder::Step step = model_.step(encoded, segments, part, state);
      std::vector<double> weights;
      if (step.weights.defined()) weights = step.weights.value().to_vector();
      const auto choices = best_choices(model_.output().logits(model_.hidden(step.made)).value(),
                                        never, /*count=*/1);
      std::vector<Row> going_on;
      for (size_t r = 0; r < rows.size(); ++r) {
        const auto [token, log_prob] = choices[r][0];
        Decoding& answer = answers[rows[r].dialogue][rows[r].draw];
        answer.log_prob += log_prob;
        const auto row = static_cast<int64_t>(r);
        answer.attention.push_back(weights.empty()
                                       ? weights
                                       : per_utterance(weights.data() + segments.begin(row),
                                                       segments.length(row),
                                                       *examples_[batch_.order[rows[r].dialogue]]));
        answer.finished = token == kEos;
        if (answer.finished) continue;
        answer.tokens.push_back(token);
        going_on.push_back({rows[r].dialogue, rows[r].draw, token});
        running.push_back(static_cast<int32_t>(r));
      }
      rows = std::move(going_on);
      if (!rows.empty()) state = step.state.gather(Tensor::from(running, device()));
    }
    return answers;
  }

 private:
  Device device() const { return model_.embedding().weight.device(); }
  Tensor dialogues_of(const std::vector<Row>& rows) const {
    std::vector<int32_t> ids;
    for (const Row& row : rows) ids.push_back(row.dialogue);
    return Tensor::from(ids, device());
  }
  // z of each row in step t, (rows, E).
  Tensor noise(const std::vector<Row>& rows, int64_t t) const {
    const int64_t e = model_.config().embedding_size;
    std::vector<double> values;
    std::vector<double> of_dialogue;
    int32_t dialogue = -1;
    for (const Row& row : rows) {
      if (row.dialogue != dialogue) {
        dialogue = row.dialogue;
        const std::string& id = examples_[batch_.order[dialogue]]->id;
        of_dialogue = normal({options_.best_of, e}, 0, deviation_,
                             {options_.seed, purpose_id("answer " + id), static_cast<uint64_t>(t)},
                             DType::f64)
                          .to_vector();
      }
      const auto begin = of_dialogue.begin() + row.draw * e;
      values.insert(values.end(), begin, begin + e);
    }
    return Tensor::from(values, {std::ssize(rows), e})
        .to(model_.embedding().weight.dtype())
        .to(device());
  }

  const HredResponder& model_;
  const Batch& batch_;
  const std::vector<const Example*>& examples_;
  const DecodeOptions& options_;
  double deviation_;
};

}  // namespace

std::vector<std::vector<Decoding>> noisy_answers(const Responder& model, const Batch& batch,
                                                 const std::vector<const Example*>& examples,
                                                 const DecodeOptions& options) {
  const auto* hred = dynamic_cast<const HredResponder*>(&model);
  if (!hred || hred->config().noise == Noise::kNone) {
    throw UsageError("best-of: is for models that learned with noise (heed train --noise), not " +
                     std::string(model.config().structure.name));
  }
  const NoGrad guard;
  const KeepPacked weights;
  return Draws(*hred, batch, examples, options).run();
}

std::vector<std::vector<Decoding>> ranked_answers(const Responder& model, const Batch& batch,
                                                  const std::vector<const Example*>& examples,
                                                  const DecodeOptions& options) {
  using Rank = DecodeOptions::Rank;
  auto answers = noisy_answers(model, batch, examples, options);
  if (options.rank == Rank::kRandom) return answers;
  std::vector<double> scores;
  if (options.rank == Rank::kJudge) {
    std::vector<Answer> all;
    for (size_t b = 0; b < answers.size(); ++b) {
      for (const Decoding& d : answers[b]) all.push_back({static_cast<int32_t>(b), d.tokens});
    }
    scores = options.judge(batch, all);
  } else {
    for (const auto& list : answers) {
      for (const Decoding& d : list) scores.push_back(d.log_prob);
    }
  }
  auto at = scores.begin();
  for (auto& list : answers) {
    std::vector<Decoding> sorted;
    for (const size_t i : best_first({at, at + std::ssize(list)})) sorted.push_back(list[i]);
    at += std::ssize(list);
    list = std::move(sorted);
  }
  return answers;
}

}  // namespace heed
