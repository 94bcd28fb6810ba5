#include "dialog/respond/taught_choices.h"

#include "autograd/keep_packed.h"
#include "dialog/respond/best_choices.h"
#include "dialog/text/vocabulary.h"

namespace heed {

namespace {

// Calls on_choice(example, place, token) for the most probable token at each place of the
// responses, one behind the other, as long as it returns true.
template <class OnChoice>
void walk(Responder& model, const std::vector<const Example*>& examples,
          const std::vector<int32_t>& excluded, OnChoice on_choice) {
  if (examples.empty()) return;
  const NoGrad guard;
  const KeepPacked weights;
  const Batch batch = make_batch(examples, model.parts(), parameters(model)[0].var.device());
  const std::unique_ptr<Writer> writer = model.read(batch);
  // The rows of a step: dialogues of the batch, and where each was in the step before.
  std::vector<int32_t> dialogues, parents, tokens;
  for (int64_t b = 0; b < batch.size; ++b) {
    dialogues.push_back(static_cast<int32_t>(b));
    parents.push_back(static_cast<int32_t>(b));
    tokens.push_back(kSos);
  }
  for (size_t t = 0; !dialogues.empty(); ++t) {
    const Written written = writer->step(dialogues, parents, tokens);
    const auto choices = best_choices(written.logits, excluded, 1);
    std::vector<int32_t> running;
    parents.clear(), tokens.clear();
    for (size_t row = 0; row < dialogues.size(); ++row) {
      const int64_t i = batch.order[dialogues[row]];
      const std::vector<int32_t>& response = examples[i]->response;
      if (!on_choice(i, t, choices[row].at(0).token) || t == response.size()) continue;
      running.push_back(dialogues[row]);
      parents.push_back(static_cast<int32_t>(row));
      tokens.push_back(response[t]);
    }
    dialogues = std::move(running);
  }
}

}  // namespace

std::vector<std::vector<int32_t>> taught_choices(Responder& model,
                                                 const std::vector<const Example*>& examples,
                                                 bool allow_unk) {
  std::vector<std::vector<int32_t>> result(examples.size());
  walk(model, examples, never_written(allow_unk), [&](int64_t i, size_t, int32_t chosen) {
    if (chosen == kEos) return false;
    result[i].push_back(chosen);
    return true;
  });
  return result;
}

std::vector<int64_t> taught_right(Responder& model, const std::vector<Example>& examples,
                                  int64_t batch_size) {
  std::vector<int64_t> result(examples.size());
  for (const SomeExamples& part : batches_by_length(examples, batch_size)) {
    walk(model, part.examples, {}, [&](int64_t i, size_t t, int32_t chosen) {
      const std::vector<int32_t>& response = part.examples[i]->response;
      result[part.positions[i]] += chosen == (t < response.size() ? response[t] : kEos);
      return true;
    });
  }
  return result;
}

}  // namespace heed
