#include "dialog/respond/trainer.h"

#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <utility>

#include "autograd/anomaly.h"
#include "dialog/respond/attention_loss.h"
#include "dialog/respond/das.h"

namespace heed {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Sees a loss that runs away, long before it is infinite: a uniform guess costs log(V) nats a
// token, and that is where a training starts.
class RunawayLoss {
 public:
  explicit RunawayLoss(int64_t vocab_size) : start_(std::log(static_cast<double>(vocab_size))) {}

  // True once, when the mean over the last steps is far above the start.
  bool update(double nll_a_token) {
    mean_ += (nll_a_token - mean_) / kSteps;
    const bool seen = mean_ > kFar * start_ && !said_;
    said_ = said_ || seen;
    return seen;
  }
  double mean() const { return mean_; }
  double start() const { return start_; }

 private:
  static constexpr double kSteps = 8, kFar = 1.5;
  const double start_;
  double mean_ = start_;  // exponential, over about kSteps steps
  bool said_ = false;
};

std::unique_ptr<Optimizer> make_optimizer(Module& module, const OptimizerSettings& settings) {
  settings.check();
  const double decay = settings.weight_decay;
  if (settings.name == "sgd") {
    return std::make_unique<Sgd>(module,
                                 Sgd::Options{.weight_decay = decay, .groups = settings.groups});
  }
  return std::make_unique<Adam>(module,
                                Adam::Options{.weight_decay = decay, .groups = settings.groups});
}

class Trainer {
 public:
  Trainer(const std::string& run, const TrainSettings& settings, const TrainData& data,
          Device device, const TrainHooks& hooks)
      : run_(run),
        settings_(settings),
        data_(data),
        device_(device),
        hooks_(hooks),
        model_(settings.model, settings.seed),
        schedule_(settings.schedule),
        runaway_(settings.model.vocab_size) {
    for (const Example& example : data.train) lengths_.push_back(example_tokens(example));
    move(model_, device);
    optimizer_ = make_optimizer(model_, settings.optimizer);
    std::string warning;
    if (const auto checkpoint = load_checkpoint(run, model_, *optimizer_, &warning)) {
      go_on_from(*checkpoint);
    }
    if (!warning.empty()) warn(warning);
  }

  bool train() {
    while (state_.epoch < settings_.max_epochs && !schedule_.finished()) {
      if (!train_epoch() || !finish_epoch()) return false;
    }
    return true;
  }

 private:
  void go_on_from(const TrainState& checkpoint) {
    state_ = checkpoint;
    const int64_t n = static_cast<int64_t>(lengths_.size()), size = settings_.batch_size;
    if (state_.step > (n + size - 1) / size) {
      throw DataError(run_ + "/state.json: more steps than an epoch of these examples has");
    }
    schedule_.state = state_.schedule;
    // The same number, unless the settings have been given another rate since.
    schedule_.state.rate = std::ldexp(settings_.schedule.rate, -state_.schedule.halvings);
    checkpoint_ = place(state_);
  }

  bool train_epoch() {
    const auto batches =
        bucket_batches(lengths_, settings_.batch_size, settings_.seed, state_.epoch);
    const double begin = now();
    double saved = begin;
    const int64_t first_step = state_.step, first_tokens = state_.tokens;
    while (state_.step < static_cast<int64_t>(batches.size())) {
      guarded_step(batches[state_.step], rate_of_step(batches.size()));
      ++state_.step;
      if (hooks_.on_step) {
        const double seconds = now() - begin;
        hooks_.on_step(progress(batches.size(), seconds / (state_.step - first_step),
                                (state_.tokens - first_tokens) / seconds));
      }
      const bool stop = stopping();
      if (stop || now() - saved > hooks_.checkpoint_seconds) {
        save();
        saved = now();
      }
      if (stop) return false;
    }
    return true;
  }

  // A step whose errors say where they happened, and what stays.
  void guarded_step(const std::vector<int64_t>& indices, double rate) {
    try {
      train_step(indices, rate);
    } catch (const AnomalyError& e) {
      throw Error("training: " + here() + ": " + e.what() + "; the step was not applied. " +
                  kept());
    } catch (const DeviceError& e) {
      throw DeviceError("training: " + here() + ", " + sizes(indices) + ": " + e.what() + ". " +
                        kept());
    } catch (const std::bad_alloc&) {
      throw DeviceError("training: " + here() + ", " + sizes(indices) + ": out of memory. " +
                        kept());
    }
  }

  // The schedule's rate; in the first steps of the training a growing part of it.
  double rate_of_step(size_t steps_an_epoch) const {
    const int64_t done = state_.epoch * static_cast<int64_t>(steps_an_epoch) + state_.step;
    return schedule_.rate() * linear_warm_up(done, settings_.optimizer.warm_up);
  }

  void train_step(const std::vector<int64_t>& indices, double rate) {
    const DetectAnomaly detect(hooks_.detect_anomaly);
    const std::vector<Example> inserted = insert(indices);
    std::vector<const Example*> examples;
    for (const Example& example : inserted) examples.push_back(&example);
    const Batch batch = make_batch(examples, settings_.model.structure.hierarchical, device_);
    const uint64_t step = (static_cast<uint64_t>(state_.epoch) << 32) | state_.step;
    const DropoutMode drop{settings_.model.dropout, settings_.seed, step};

    zero_grad(model_);
    const DialogModel::Output output = model_(batch, drop);
    const Var loss = training_loss(batch, output, settings_.attention_weight);
    const double loss_value = loss.value().item(), nll = output.nll_total.value().item();
    loss.backward();
    const auto all = parameters(model_);
    const double norm = grad_norm(all);
    check_finite(loss_value, norm, all);
    optimizer_->rate = rate;
    optimizer_->step({.scale = clip_scale(norm, settings_.max_norm)});

    state_.loss_sum += loss_value;
    state_.nll_sum += nll;
    state_.norm_sum += norm;
    state_.tokens += batch.token_count;
    state_.predicted += batch.decoder.rows();
    if (runaway_.update(nll / static_cast<double>(batch.decoder.rows()))) warn_of_runaway();
  }

  // The batch's examples with this epoch's distractions.
  std::vector<Example> insert(const std::vector<int64_t>& indices) const {
    std::vector<Example> result;
    for (int64_t i : indices) {
      Rng rng(settings_.seed, "insert", (static_cast<uint64_t>(state_.epoch) << 32) | i);
      result.push_back(settings_.insert_prob > 0
                           ? insert_random(data_.train[i], data_.pool, settings_.insert_prob, rng)
                           : data_.train[i]);
    }
    return result;
  }

  void check_finite(double loss, double norm, const std::vector<NamedParameter>& all) const {
    if (std::isfinite(loss) && std::isfinite(norm)) return;
    std::string where = "the loss";
    for (const NamedParameter& p : all) {
      if (std::isfinite(grad_norm({p}))) continue;
      where = "the gradient of " + p.name;
      break;
    }
    throw Error("training: " + where + " is not a finite number in " + here() +
                "; the step was not applied. " + kept() +
                " and a smaller --rate or --max-norm; --detect-anomaly names the op");
  }

  void warn_of_runaway() const {
    char text[300];
    std::snprintf(text, sizeof text,
                  "training: %s: the loss runs away: %.3g nats a token where a uniform guess costs "
                  "%.3g; the learning rate %g seems too large. Stop with Ctrl-C and try a smaller "
                  "--rate",
                  here().c_str(), runaway_.mean(), runaway_.start(), schedule_.rate());
    warn(text);
  }

  void warn(const std::string& text) const {
    if (hooks_.on_warning) hooks_.on_warning(text);
  }

  static std::string place(const TrainState& state) {
    return "epoch " + std::to_string(state.epoch + 1) + ", step " + std::to_string(state.step);
  }
  // The step that runs, counted from 1.
  std::string here() const {
    return "epoch " + std::to_string(state_.epoch + 1) + ", step " +
           std::to_string(state_.step + 1);
  }
  std::string kept() const {
    return (checkpoint_.empty() ? "There is no checkpoint yet"
                                : "The checkpoint of " + checkpoint_ + " stays") +
           ": go on with --resume";
  }
  std::string sizes(const std::vector<int64_t>& indices) const {
    int64_t tokens = 0;
    for (const int64_t i : indices) tokens += lengths_[i];
    return std::to_string(indices.size()) + " dialogues of " + std::to_string(tokens) +
           " tokens, vocabulary " + std::to_string(settings_.model.vocab_size);
  }

  bool stopping() const { return hooks_.stop && *hooks_.stop; }

  // Perplexity of the validation part; nothing if `stop` ended it, with a checkpoint of all steps.
  // None is made before it begins: a model that has run away would take the place of a good one.
  std::optional<double> validate() {
    struct Stopped {};
    const auto on_batch = [&](const ScoreProgress& done) {
      if (hooks_.on_validation) hooks_.on_validation(done.examples, data_.valid.size());
      if (stopping()) throw Stopped{};
    };
    try {
      return summarize(score(model_, data_.valid, settings_.batch_size, on_batch)).perplexity;
    } catch (const Stopped&) {
      save();
      return std::nullopt;
    }
  }

  // False if `stop` ended it.
  bool finish_epoch() {
    const std::optional<double> perplexity = validate();
    if (!perplexity) return false;
    EpochLog log;
    log.epoch = state_.epoch + 1;
    log.steps = state_.step;
    log.tokens = state_.tokens;
    log.rate = schedule_.rate();
    log.loss = state_.loss_sum / static_cast<double>(state_.step);
    log.grad_norm = state_.norm_sum / static_cast<double>(state_.step);
    log.train_perplexity = train_perplexity();
    log.valid_perplexity = *perplexity;
    if (!std::isfinite(log.valid_perplexity)) {
      throw Error("training: the validation perplexity is not a finite number after epoch " +
                  std::to_string(log.epoch) + ". " + kept() + " and a smaller --rate");
    }
    const bool best = schedule_.update(log.valid_perplexity);
    std::vector<EpochLog> lines = std::move(state_.log);
    lines.push_back(log);
    state_ = {.epoch = log.epoch, .schedule = schedule_.state, .log = std::move(lines)};
    // state.json, last, makes the epoch count; a kill before it repeats the epoch, to the same end.
    if (best) save_model(run_, model_, data_.vocabulary);
    save_log(run_, state_.log);
    save();
    if (hooks_.on_epoch) hooks_.on_epoch(log, best);
    return true;
  }

  // Never infinite, which JSON cannot say.
  double train_perplexity() const {
    return std::min(std::exp(state_.nll_sum / static_cast<double>(state_.predicted)),
                    std::numeric_limits<double>::max());
  }

  void save() {
    for (const NamedParameter& p : parameters(model_)) {
      if (all_finite(p.var.value())) continue;
      throw Error("training: " + p.name + " is not finite any more after " + place(state_) +
                  "; no checkpoint is made of it. " + kept() + " and a smaller --rate");
    }
    state_.schedule = schedule_.state;
    save_checkpoint(run_, state_, model_, *optimizer_);
    checkpoint_ = place(state_);
  }

  TrainProgress progress(size_t steps, double seconds_a_step, double tokens_per_s) const {
    const double left = static_cast<double>(steps) - static_cast<double>(state_.step);
    return {state_.epoch + 1,
            settings_.max_epochs,
            state_.step,
            static_cast<int64_t>(steps),
            state_.loss_sum / static_cast<double>(state_.step),
            train_perplexity(),
            schedule_.rate(),
            tokens_per_s,
            left * seconds_a_step};
  }

  const std::string run_;
  const TrainSettings& settings_;
  const TrainData& data_;
  const Device device_;
  const TrainHooks& hooks_;
  DialogModel model_;
  std::unique_ptr<Optimizer> optimizer_;
  HalvingSchedule schedule_;
  RunawayLoss runaway_;
  std::vector<int64_t> lengths_;
  TrainState state_;
  std::string checkpoint_;  // where the newest one is, for people; empty if there is none
};

}  // namespace

uint32_t TrainData::fingerprint() const {
  uLong crc = 0;
  const auto mix_bytes = [&](const void* bytes, size_t size) {
    const uint64_t length = size;  // first, so that [1] [2] is not [1, 2]
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(&length), sizeof length);
    // crc32_z takes a null pointer, which an empty vector has, for the start of a new checksum
    if (size > 0) crc = crc32_z(crc, static_cast<const Bytef*>(bytes), size);
  };
  const auto mix = [&](const std::vector<int32_t>& ids) {
    mix_bytes(ids.data(), ids.size() * sizeof(int32_t));
  };
  for (const auto* part : {&train, &valid}) {
    for (const Example& example : *part) {
      mix_bytes(example.dialogue_id.data(), example.dialogue_id.size());
      for (const auto& utterance : example.context) mix(utterance);
      mix_bytes(example.distraction.data(), example.distraction.size());
      mix(example.response);
    }
  }
  for (const PoolUtterance& utterance : pool) {
    mix_bytes(utterance.dialogue_id.data(), utterance.dialogue_id.size());
    mix(utterance.tokens);
  }
  return static_cast<uint32_t>(crc);
}

TrainData load_train_data(const std::string& directory, int64_t vocab_size,
                          const ExampleOptions& options, size_t limit,
                          const Vocabulary* vocabulary) {
  const auto train = read_dialogues(find_part(directory, "train"), limit);
  const auto valid = read_dialogues(find_part(directory, "valid"), limit);
  TrainData data;
  data.vocabulary =
      vocabulary ? *vocabulary : Vocabulary::build(count_tokens(train), {.max_size = vocab_size});
  data.train = make_examples(train, data.vocabulary, options, &data.left_out);
  int64_t left_out = 0;
  data.valid = make_examples(valid, data.vocabulary, options, &left_out);
  data.left_out += left_out;
  data.pool = make_pool(train, data.vocabulary, options.max_utterance_tokens);
  for (const auto* part : {&data.train, &data.valid}) {
    if (part->empty()) {
      throw DataError(directory + ": no dialogue with two utterances of context and a response");
    }
  }
  return data;
}

void check_training(const TrainSettings& settings, const TrainData& data) {
  settings.check();
  check_memory(settings.model);
  const Pool& pool = data.pool;
  const bool several = std::any_of(pool.begin(), pool.end(), [&](const PoolUtterance& u) {
    return u.dialogue_id != pool[0].dialogue_id;
  });
  if (settings.insert_prob > 0 && !several) {
    throw DataError(
        "training: distractions come from other dialogues, and there is only one; give more "
        "dialogues or --insert-prob 0");
  }
}

bool train(const std::string& run, const TrainSettings& settings, const TrainData& data,
           Device device, const TrainHooks& hooks) {
  settings.check();
  return Trainer(run, settings, data, device, hooks).train();
}

}  // namespace heed
