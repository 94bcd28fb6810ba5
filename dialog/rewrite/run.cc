#include "dialog/rewrite/run.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/rewrite/rewriter.h"
#include "dialog/rewrite/settings.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/preset.h"
#include "train/run_json.h"

namespace heed::rewrite {
namespace {

constexpr auto kVisitGaps = [](auto& settings, auto& v) { visit_config(settings, v); };
constexpr auto kVisitGapTraining = [](auto& settings, auto& v) { visit_training(settings, v); };

Settings sized(int64_t words, int64_t embedding, int64_t hidden, double rate, int epochs) {
  Settings s;
  s.model.vocab_size = words + kSpecialTokens;
  s.model.embedding_size = embedding;
  s.model.hidden_size = hidden;
  s.loop = {.batch_size = 32,
            .optimizer = {.name = "adam"},
            .max_norm = 5,
            .max_epochs = epochs,
            .schedule = {.rate = rate, .min_rate = rate / 1000, .patience = 1, .stop_after = 3}};
  return s;
}

Settings settings_in(const std::string& directory) {
  const std::string path = file_inside(directory, "config.json");
  return with_json(path, [&](const nlohmann::json& json) {
    if (json.value("kind", nlohmann::json()) != kSystem) {
      throw DataError(path + ": not a model of gaps; heed train gaps makes one");
    }
    auto s = settings_from_json<Settings>(json, kVisitGaps);
    s.model.check();
    s.bounds.check();
    return s;
  });
}

// What the functions of the task refer to.
class Learning {
 public:
  Learning(GapModel& model, const Settings& settings, const TrainData& data)
      : model_(model), settings_(settings), data_(data) {}

  Loss loss(const std::vector<int64_t>& indices, const StepKey& key) const {
    GapBatch batch;
    for (const int64_t i : indices) batch.push_back(&data_.train[i]);
    const JointLoss joint =
        joint_loss(model_, batch, settings_.loss,
                   DropoutMode(settings_.model.dropout, key.seed, key.number()));
    Loss loss{.total = joint.total};
    for (const GapExample* e : batch) loss.tokens += std::ssize(e->ids);
    const double sum = learned(joint);
    loss.nll = sum / static_cast<double>(batch.size());
    loss.counts = {{"loss", sum}, {"turns", static_cast<double>(batch.size())}};
    return loss;
  }

  Metrics validate(const OnValidation& on_batch) const {
    const std::vector<GapExample>& valid = data_.valid;
    const auto n = static_cast<int64_t>(valid.size()), size = settings_.loop.batch_size;
    const auto done = [&](int64_t before) {
      return [&, before](int64_t count) { on_batch(before + count, 3 * n); };
    };
    double loss = 0;
    {
      const NoGrad guard;
      for (int64_t begin = 0; begin < n; begin += size) {
        GapBatch batch;
        for (int64_t i = begin; i < std::min(n, begin + size); ++i) batch.push_back(&valid[i]);
        loss += learned(joint_loss(model_, batch, settings_.loss));
        done(0)(std::min(n, begin + size));
      }
    }
    const Measured m = measured(valid, rewrite(model_, valid, false, size, done(n)),
                                rewrite(model_, valid, true, size, done(2 * n)));
    return {{kValidLoss, loss / static_cast<double>(n)},
            {kValidF1, m.both.f1, true},
            {kValidFirst, m.at[0], true},
            {kValidExact, m.exact, true}};
  }

 private:
  double learned(const JointLoss& joint) const {
    const LossSettings& s = settings_.loss;
    return (s.detects() ? s.label_weight * joint.labels : 0) + (s.ranks() ? joint.rank : 0);
  }

  GapModel& model_;
  const Settings& settings_;
  const TrainData& data_;
};

}  // namespace

void Settings::check() const {
  model.check();
  bounds.check();
  loss.check();
  loop.check();
}

const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {
      {"paper", sized(200'000, 200, 512, 0.0003, 20),
       "the printed sizes, 512 cells in each direction; hours"},
      {"laptop", sized(10'000, 128, 128, 0.002, 12), "128 cells in each direction; minutes"},
      {"smoke", sized(5'000, 32, 32, 0.005, 3), "32 cells in each direction; about a minute"}};
  return kPresets;
}

const Preset& find_preset(const std::string& name) {
  return find_preset_in(presets(), name);
}

void start_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  nlohmann::ordered_json config = {{"system", kSystem}, {"kind", kSystem}};
  config.update(settings_to_json(settings, kVisitGaps));
  write_file(in(run, "config.json"), config.dump(2) + "\n");
  vocabulary.save(in(run, "vocab.txt"));
  write_settings(run, settings, kVisitGapTraining, made_with);
}

void begin_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  begin_or_go_on(run, settings, load_settings,
                 [&] { start_run(run, settings, vocabulary, made_with); });
}

Settings load_settings(const std::string& run) {
  const Settings model = settings_in(run);  // first: it says what the directory holds
  return with_json(file_inside(run, "settings.json"), [&](const nlohmann::json& json) {
    auto s = settings_from_json<Settings>(json, kVisitGapTraining);
    s.model = model.model;
    s.bounds = model.bounds;
    s.check();
    return s;
  });
}

LoadedGaps first_gaps(const std::string& run) {
  const Settings s = load_settings(run);
  LoadedGaps loaded{GapModel(s.model, s.bounds),
                    load_vocabulary(file_inside(run, "vocab.txt"), s.model.vocab_size)};
  init(loaded.model, s.loop.seed);
  return loaded;
}

LoadedGaps load_gaps(const std::string& directory) {
  check_is_model(directory);
  const Settings s = settings_in(directory);
  const std::string weights = weights_of(directory, parameter_count(s.model, s.bounds));
  Vocabulary words = load_vocabulary(file_inside(directory, "vocab.txt"), s.model.vocab_size);
  LoadedGaps loaded{GapModel(s.model, s.bounds), std::move(words)};
  load_parameters(weights, loaded.model);
  return loaded;
}

// ---- training

DataPart read_part(const std::string& directory, const char* part, size_t limit) {
  const std::string path = find_part(directory, part);
  return {path, read_dialogues(path, Reading{.limit = limit, .notes = true})};
}

uint32_t TrainData::fingerprint() const {
  uint32_t crc = 0;
  for (const auto* part : {&train, &valid}) {
    for (const GapExample& e : *part) {
      for (const Tokens* text : {&e.read, &e.rewritten}) {
        for (const std::string& unit : *text) crc = checksum(unit + "\n", crc);
      }
    }
  }
  return crc;
}

TrainData make_train_data(const DataPart& train, const DataPart& valid, const Settings& settings,
                          const Vocabulary* vocabulary) {
  TrainData data;
  data.vocabulary = vocabulary ? *vocabulary
                               : Vocabulary::build(count_units(train.dialogues),
                                                   {.max_size = settings.model.vocab_size});
  for (const auto& [part, examples] :
       {std::pair(&train, &data.train), std::pair(&valid, &data.valid)}) {
    *examples = gap_examples(part->path, part->dialogues, settings.bounds, data.vocabulary,
                             /*labelled=*/true, &data.left_out);
  }
  return data;
}

Task gap_task(GapModel& model, const Settings& settings, const TrainData& data) {
  std::vector<int64_t> sizes;
  for (const GapExample& e : data.train) sizes.push_back(std::ssize(e.ids));
  const auto learning = std::make_shared<const Learning>(model, settings, data);
  return {.module = &model,
          .sizes = sizes,
          .loss = [learning](const auto& examples,
                             const StepKey& key) { return learning->loss(examples, key); },
          .measure = [](const Counts& counts) -> Metrics {
            return {{kTrainLoss, counts.at("loss") / counts.at("turns")}};
          },
          .validate = [learning](const auto& on_batch) { return learning->validate(on_batch); },
          .describe =
              [sizes](const std::vector<int64_t>& examples) {
                int64_t units = 0;
                for (const int64_t i : examples) units += sizes[i];
                return std::to_string(examples.size()) + " turns of " + std::to_string(units) +
                       " units with their contexts";
              }};
}

bool train(const std::string& run, const Settings& settings, const TrainData& data, Device device,
           const TrainHooks& hooks) {
  settings.check();
  LoadedGaps gaps = first_gaps(run);
  move(gaps.model, device);
  return heed::train(run, settings.loop, {gap_task(gaps.model, settings, data)}, hooks);
}

}  // namespace heed::rewrite
