#include "dialog/respond/taught_choices.h"

#include "autograd/keep_packed.h"
#include "dialog/respond/best_choices.h"
#include "dialog/text/vocabulary.h"

namespace heed {

std::vector<std::vector<int32_t>> taught_choices(Responder& model,
                                                 const std::vector<const Example*>& examples,
                                                 bool allow_unk) {
  if (examples.empty()) return {};
  const NoGrad guard;
  const KeepPacked weights;
  const std::vector<int32_t> excluded = never_written(allow_unk);
  const Batch batch = make_batch(examples, model.parts(), parameters(model)[0].var.device());
  const std::unique_ptr<Writer> writer = model.read(batch);
  std::vector<std::vector<int32_t>> result(examples.size());
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
      const int32_t chosen = choices[row].at(0).token;
      if (chosen == kEos) continue;
      result[i].push_back(chosen);
      const std::vector<int32_t>& response = examples[i]->response;
      if (t == response.size()) continue;
      running.push_back(dialogues[row]);
      parents.push_back(static_cast<int32_t>(row));
      tokens.push_back(response[t]);
    }
    dialogues = std::move(running);
  }
  return result;
}

}  // namespace heed
