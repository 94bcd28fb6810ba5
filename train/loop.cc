#include "train/loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "autograd/anomaly.h"
#include "optim/optim.h"
#include "tensor/late.h"
#include "train/buckets.h"
#include "train/checkpoint.h"
#include "train/runaway_loss.h"
#include "train/step_log.h"
#include "train/turns.h"

namespace heed {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A task, and where its optimiser is.
struct Member {
  const Task* task;
  std::unique_ptr<Optimizer> optimizer;
  RunawayLoss runaway;
};

// A step, and its numbers on their way: loss, norm, and what the loss is late with.
struct OpenStep {
  Member* member;
  Loss loss;
  LateNumbers numbers;
  std::string place;
  StepRecord record;  // for the log of steps
};

class Loop {
 public:
  Loop(const std::string& run, const LoopSettings& settings, const std::vector<Task>& tasks,
       const TrainHooks& hooks, const std::vector<int>& turns)
      : run_(run),
        settings_(settings),
        hooks_(hooks),
        turns_(turns, tasks.size()),
        schedule_(settings.schedule) {
    for (const Task& task : tasks) {
      if (task.sizes.empty()) throw UsageError("training: a task has no examples");
      members_.push_back(
          {&task, make_optimizer(*task.module, settings.optimizer), RunawayLoss(task.guess)});
    }
    std::string warning;
    if (const auto checkpoint = load_checkpoint(run, tensors(), &warning)) go_on_from(*checkpoint);
    if (!warning.empty()) warn(warning);
    warning.clear();
    step_log_.emplace(run, settings.log_steps, state_.epoch * steps_an_epoch() + state_.step,
                      &warning);
    if (!warning.empty()) warn(warning);
  }

  bool train() {
    while (state_.epoch < settings_.max_epochs && !schedule_.finished()) {
      if (!train_epoch() || !finish_epoch()) return false;
    }
    return true;
  }

 private:
  std::vector<NamedTensor> tensors() const {
    std::vector<NamedTensor> all;
    for (const Member& m : members_) {
      const std::string name = members_.size() > 1 ? m.task->name : "";
      for (NamedTensor& t : checkpoint_tensors(*m.task->module, *m.optimizer, name)) {
        all.push_back(std::move(t));
      }
    }
    return all;
  }

  int64_t steps_an_epoch() const {
    return turns_.steps_an_epoch(batch_count(members_[0].task->sizes, settings_.batch_size));
  }

  void go_on_from(const TrainState& checkpoint) {
    state_ = checkpoint;
    if (state_.step > steps_an_epoch()) {
      throw DataError(run_ + "/state.json: more steps than an epoch of these examples has");
    }
    schedule_.state = state_.schedule;
    // The same number, unless the settings have been given another rate since.
    schedule_.state.rate = std::ldexp(settings_.schedule.rate, -state_.schedule.halvings);
    checkpoint_ = place(state_);
  }

  bool train_epoch() {
    std::vector<EpochBatches> batches;
    for (const Member& m : members_) {
      batches.emplace_back(m.task->sizes, settings_.batch_size, settings_.seed, state_.epoch);
    }
    const int64_t steps = steps_an_epoch();
    const double begin = now();
    step_log_->start_clock();
    double saved = begin;
    const int64_t first_step = state_.step, first_tokens = state_.tokens;
    while (state_.step < steps) {
      const TaskTurn next = turns_.of(state_.step);
      guarded_step(members_[next.task], batches[next.task].at(next.n), next.n, rate_of_step(steps));
      ++state_.step;
      if (hooks_.on_step) {
        const double seconds = now() - begin;
        hooks_.on_step(progress(steps, seconds / static_cast<double>(state_.step - first_step),
                                static_cast<double>(state_.tokens - first_tokens) / seconds));
      }
      if (step_log_->due()) write_steps(false);
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
  void guarded_step(Member& member, const std::vector<int64_t>& examples, int64_t n, double rate) {
    const auto what = [&] {
      return member.task->describe ? member.task->describe(examples)
                                   : std::to_string(examples.size()) + " examples";
    };
    try {
      train_step(member, examples, n, rate);
    } catch (const AnomalyError& e) {
      throw Error("training: " + here() + ": " + e.what() + "; the step was not applied. " +
                  kept());
    } catch (const DeviceError& e) {
      throw DeviceError("training: " + here() + ", " + what() + ": " + e.what() + ". " + kept());
    } catch (const std::bad_alloc&) {
      throw DeviceError("training: " + here() + ", " + what() + ": out of memory. " + kept());
    }
  }

  // The schedule's rate, or the part of it that the warm-up and the decay leave.
  double rate_of_step(int64_t steps_an_epoch) const {
    const int64_t done = state_.epoch * steps_an_epoch + state_.step;
    return schedule_.rate() * settings_.optimizer.rate_factor(done);
  }

  void train_step(Member& member, const std::vector<int64_t>& examples, int64_t n, double rate) {
    const DetectAnomaly detect(hooks_.detect_anomaly);
    Module& module = *member.task->module;
    zero_grad(module);
    Loss loss = member.task->loss(examples, {settings_.seed, state_.epoch, n});
    const Device device = loss.total.device();
    loss.total.backward();
    const auto all = parameters(module);
    const Clipping clip = clipping(all, {.max_norm = settings_.max_norm});
    std::vector<Tensor> numbers = {loss.total.value(), clip.norm().to(device)};
    numbers.insert(numbers.end(), loss.late.tensors.begin(), loss.late.tensors.end());
    loss.total = Var();  // its graph is used
    StepRecord record = record_of_step(member, rate, loss.tokens);
    open_.push_back({&member, std::move(loss), LateNumbers(numbers), here(), std::move(record)});
    // A GPU has the update, and soon the next step, to do while the host looks at these numbers.
    const bool late = device.is_cuda() && !hooks_.detect_anomaly;
    if (!late) close_steps(0, &all);
    member.optimizer->rate = rate;
    member.optimizer->step(clip);
    if (late) close_steps(state_.step > 0 ? 1 : 0);
  }

  // What is known of the step that runs before its numbers are.
  StepRecord record_of_step(const Member& member, double rate, int64_t tokens) const {
    StepRecord record{.step = state_.epoch * steps_an_epoch() + state_.step + 1,
                      .epoch = state_.epoch + 1,
                      .rate = rate,
                      .tokens = tokens};
    if (members_.size() > 1) record.task = member.task->name;
    return record;
  }

  void write_steps(bool sync) {
    if (hooks_.before_write) hooks_.before_write();
    step_log_->write(sync);
  }

  // Reads the numbers of all steps but the last `open` ones. `before_update`: the parameters of a
  // step whose update has not been made yet.
  void close_steps(size_t open, const std::vector<NamedParameter>* before_update = nullptr) {
    for (; open_.size() > open; open_.pop_front()) {
      auto& [member, loss, numbers, place, record] = open_.front();
      const std::vector<double> values = numbers.get();
      check_finite(place, values[0], values[1], before_update);
      if (loss.late.complete) loss.late.complete(loss, {values.begin() + 2, values.end()});
      state_.loss_sum += values[0];
      state_.norm_sum += values[1];
      state_.tokens += loss.tokens;
      for (const auto& [name, count] : loss.counts) state_.counts[name] += count;
      if (step_log_->wanted()) {
        record.loss = values[0];
        record.grad_norm = values[1];
        if (member->task->measure) record.metrics = member->task->measure(loss.counts);
        step_log_->add(std::move(record));
      }
      RunawayLoss& runaway = member->runaway;
      if (runaway.update(loss.nll)) warn(runaway.warning(place, schedule_.rate()));
    }
  }

  void check_finite(const std::string& place, double loss, double norm,
                    const std::vector<NamedParameter>* before_update) const {
    if (std::isfinite(loss) && std::isfinite(norm)) return;
    std::string where = std::isfinite(loss) ? "the norm of the gradients" : "the loss";
    for (size_t i = 0; before_update && i < before_update->size(); ++i) {
      const NamedParameter& p = (*before_update)[i];
      if (std::isfinite(grad_norm({p}))) continue;
      where = "the gradient of " + p.name;
      break;
    }
    throw Error("training: " + where + " is not a finite number in " + place +
                (before_update ? "; the step was not applied. " : ". ") + kept() +
                " and a smaller --rate or --max-norm; --detect-anomaly names the op");
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

  bool stopping() const { return hooks_.stop && *hooks_.stop; }

  // The metrics of the first task, then those of the others; nothing if `stop` ended it, with a
  // checkpoint of all steps. None is made before it begins: a model that has run away would take
  // the place of a good one.
  std::optional<Metrics> validate() {
    struct Stopped {};
    const OnValidation on_batch = [&](int64_t done, int64_t of) {
      if (hooks_.on_validation) hooks_.on_validation(done, of);
      if (stopping()) throw Stopped{};
    };
    try {
      Metrics metrics;
      for (const Member& m : members_) {
        if (!m.task->validate) continue;
        for (Metric& metric : m.task->validate(on_batch)) metrics.push_back(std::move(metric));
      }
      check_internal(!metrics.empty(), "a training needs a validation");
      return metrics;
    } catch (const Stopped&) {
      save();
      return std::nullopt;
    }
  }

  // Of the sums so far.
  Metrics measure() const {
    Metrics metrics;
    for (const Member& m : members_) {
      if (!m.task->measure) continue;
      for (Metric& metric : m.task->measure(state_.counts)) metrics.push_back(std::move(metric));
    }
    return metrics;
  }

  // False if `stop` ended it.
  bool finish_epoch() {
    close_steps(0);
    const std::optional<Metrics> validation = validate();
    if (!validation) return false;
    EpochLog log;
    log.epoch = state_.epoch + 1;
    log.steps = state_.step;
    log.tokens = state_.tokens;
    log.rate = schedule_.rate();
    log.loss = state_.loss_sum / static_cast<double>(state_.step);
    log.grad_norm = state_.norm_sum / static_cast<double>(state_.step);
    log.metrics = measure();
    log.metrics.insert(log.metrics.end(), validation->begin(), validation->end());
    const Metric& decides = (*validation)[0];
    if (!std::isfinite(decides.value)) {
      std::string name = decides.name;
      std::replace(name.begin(), name.end(), '_', ' ');
      throw Error("training: the " + name + " is not a finite number after epoch " +
                  std::to_string(log.epoch) + ". " + kept() + " and a smaller --rate");
    }
    // The schedule waits for something to fall.
    const bool best =
        schedule_.update(decides.higher_is_better ? 1 / decides.value : decides.value);
    std::vector<EpochLog> lines = std::move(state_.log);
    lines.push_back(log);
    state_ = {.epoch = log.epoch, .schedule = schedule_.state, .log = std::move(lines)};
    if (hooks_.before_write) hooks_.before_write();
    // state.json, last, makes the epoch count; a kill before it repeats the epoch, to the same end.
    if (best) save_models("model", "");
    if (settings_.keep_every > 0 && log.epoch % settings_.keep_every == 0) {
      const std::string name = "epoch-" + std::to_string(log.epoch);
      save_models(name, name + "-");
    }
    save_log(run_, state_.log);
    save();
    if (hooks_.on_epoch) hooks_.on_epoch(log, best);
    return true;
  }

  // The first task's under the name `first`, the others' under their own.
  void save_models(const std::string& first, const std::string& prefix) const {
    for (const Member& m : members_) {
      const std::string name = &m == &members_[0] ? first : prefix + m.task->name;
      save_parameters((std::filesystem::path(run_) / (name + ".safetensors")).string(),
                      *m.task->module);
    }
  }

  void save() {
    close_steps(0);
    for (const Member& m : members_) {
      for (const NamedParameter& p : parameters(*m.task->module)) {
        if (all_finite(p.var.value())) continue;
        throw Error("training: " + p.name + " is not finite any more after " + place(state_) +
                    "; no checkpoint is made of it. " + kept() + " and a smaller --rate");
      }
    }
    state_.schedule = schedule_.state;
    write_steps(true);
    save_checkpoint(run_, state_, tensors());
    checkpoint_ = place(state_);
  }

  TrainProgress progress(int64_t steps, double seconds_a_step, double tokens_per_s) const {
    return {state_.epoch + 1,
            settings_.max_epochs,
            state_.step,
            steps,
            state_.loss_sum / static_cast<double>(state_.step - std::ssize(open_)),
            measure(),
            schedule_.rate(),
            tokens_per_s,
            static_cast<double>(steps - state_.step) * seconds_a_step};
  }

  const std::string run_;
  const LoopSettings& settings_;
  const TrainHooks& hooks_;
  const Turns turns_;
  HalvingSchedule schedule_;
  std::vector<Member> members_;
  TrainState state_;
  std::optional<StepLog> step_log_;
  std::deque<OpenStep> open_;  // steps whose numbers nobody has looked at yet
  std::string checkpoint_;     // where the newest one is, for people; empty if there is none
};

}  // namespace

bool train(const std::string& run, const LoopSettings& settings, const std::vector<Task>& tasks,
           const TrainHooks& hooks, const std::vector<int>& turns) {
  settings.check();
  return Loop(run, settings, tasks, hooks, turns).train();
}

}  // namespace heed
