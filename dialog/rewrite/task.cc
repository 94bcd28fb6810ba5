#include "dialog/rewrite/task.h"

#include <algorithm>
#include <memory>

#include "dialog/rewrite/rewriter.h"
#include "train/run_json.h"

namespace heed::rewrite {
namespace {

// What the functions of the task refer to.
struct Learning {
  GapModel& model;
  const Settings& settings;
  const TrainData& data;

  Loss loss(const std::vector<int64_t>& indices, const StepKey& key) const {
    GapBatch batch;
    for (const int64_t i : indices) batch.push_back(&data.train[i]);
    const JointLoss joint = joint_loss(model, batch, settings.loss,
                                       DropoutMode(settings.model.dropout, key.seed, key.number()));
    Loss loss{.total = joint.total};
    for (const GapExample* e : batch) loss.tokens += std::ssize(e->ids);
    const double sum = learned(joint);
    loss.nll = sum / static_cast<double>(batch.size());
    loss.counts = {{"loss", sum}, {"turns", static_cast<double>(batch.size())}};
    return loss;
  }

  static Metrics measure(const Counts& counts) {
    return {{kTrainLoss, counts.at("loss") / counts.at("turns")}};
  }
  std::string describe(const std::vector<int64_t>& indices) const {
    size_t units = 0;
    for (const int64_t i : indices) units += data.train[i].ids.size();
    return std::to_string(indices.size()) + " turns of " + std::to_string(units) +
           " units with their contexts";
  }
  Metrics validate(const OnValidation& on_batch) const {
    const std::vector<GapExample>& valid = data.valid;
    const auto n = static_cast<int64_t>(valid.size()), size = settings.loop.batch_size;
    const auto behind = [&](int64_t before) -> OnValidation {
      return [&, before](int64_t count, int64_t) { on_batch(before + count, 3 * n); };
    };
    double loss = 0;
    {
      const NoGrad guard;
      for (int64_t begin = 0; begin < n; begin += size) {
        GapBatch batch;
        for (int64_t i = begin; i < std::min(n, begin + size); ++i) batch.push_back(&valid[i]);
        loss += learned(joint_loss(model, batch, settings.loss));
        on_batch(std::min(n, begin + size), 3 * n);
      }
    }
    const std::vector<Rewrite> found = rewrite(model, valid, false, size, behind(n)),
                               given = rewrite(model, valid, true, size, behind(2 * n));
    const Measured m = measured(valid, found, given);
    return {{kValidLoss, loss / static_cast<double>(n)},
            {kValidF1, m.both.f1(), true},
            {kValidFirst, m.at[0], true},
            {kValidExact, m.exact, true}};
  }
  double learned(const JointLoss& joint) const {
    const LossSettings& s = settings.loss;
    return (s.detects() ? s.label_weight * joint.labels : 0) + (s.ranks() ? joint.rank : 0);
  }
};

}  // namespace

uint32_t fingerprint(const std::vector<GapExample>& examples, uint32_t crc) {
  for (const GapExample& e : examples) {
    for (const Tokens* text : {&e.read, &e.rewritten}) {
      for (const std::string& unit : *text) crc = checksum(unit + "\n", crc);
    }
  }
  return crc;
}

TrainData make_train_data(const DataPart& train, const DataPart& valid, const Settings& settings,
                          const std::optional<Vocabulary>& vocabulary) {
  TrainData data;
  data.vocabulary = vocabulary ? *vocabulary
                               : Vocabulary::build(count_units(train.dialogues),
                                                   {.max_size = settings.model.vocab_size});
  for (const auto& [part, examples] :
       {std::pair(&train, &data.train), std::pair(&valid, &data.valid)}) {
    *examples = gap_examples(part->path, part->dialogues, settings.model.bounds, data.vocabulary,
                             /*labelled=*/true, &data.left_out);
  }
  return data;
}

Task Own::task(Loaded& loaded, const Settings& s, const TrainData& data) {
  std::vector<int64_t> sizes;
  for (const GapExample& e : data.train) sizes.push_back(std::ssize(e.ids));
  return task_of(loaded.model, std::move(sizes),
                 std::make_shared<const Learning>(Learning{loaded.model, s, data}));
}

}  // namespace heed::rewrite
