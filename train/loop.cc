#include "train/loop.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "autograd/anomaly.h"
#include "base/clock.h"
#include "nn/batches.h"
#include "optim/optim.h"
#include "tensor/async_read.h"
#include "train/members.h"
#include "train/step.h"
#include "train/turns.h"

namespace heed {
namespace {

// A step, and its numbers on their way.
struct OpenStep {
  Member* member;
  StepLosses losses;
  AsyncRead norm;
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
        schedule_(settings.schedule),
        ranks_(hooks.ranks ? *hooks.ranks : alone()),
        pieces_(settings.pieces, ranks_),
        files_(run, ranks_, hooks.before_write, [this](const std::string& text) { warn(text); }),
        members_(tasks, settings.optimizer) {
    if (const auto checkpoint = files_.load(members_.tensors())) go_on_from(*checkpoint);
    files_.open_steps(settings.log_steps, state_.epoch * steps_an_epoch() + state_.step);
  }

  bool train() {
    const bool warned = warn_of_warm_up(settings_.max_epochs);
    while (state_.epoch < settings_.max_epochs && !schedule_.finished()) {
      if (!train_epoch() || !finish_epoch()) return false;
    }
    if (!warned) warn_of_warm_up(state_.epoch);
    return true;
  }

 private:
  int64_t steps_an_epoch() const {
    return turns_.steps_an_epoch(
        batch_count(members_[turns_.first()].task->sizes, settings_.batch_size));
  }

  void go_on_from(const TrainState& checkpoint) {
    state_ = checkpoint;
    if (state_.step > steps_an_epoch()) {
      throw DataError(run_ + "/state.json: more steps than an epoch of these examples has");
    }
    schedule_.state = state_.schedule;
    // The same number, unless the settings have been given another rate since.
    schedule_.state.rate = std::ldexp(settings_.schedule.rate, -state_.schedule.halvings);
    members_.go_on_with(state_.schedules);
    checkpoint_ = place(state_);
  }

  bool train_epoch() {
    std::vector<EpochBatches> batches;
    for (const Member& m : members_.all()) {
      batches.emplace_back(m.task->sizes, settings_.batch_size, settings_.seed, state_.epoch);
    }
    const int64_t steps = steps_an_epoch();
    const double begin = now();
    files_.steps().start_clock();
    double saved = begin;
    const int64_t first_step = state_.step, first_tokens = state_.tokens;
    while (state_.step < steps) {
      const TaskTurn next = turns_.of(state_.step);
      guarded_step(members_[next.task], batches[next.task].at(next.n), next.n, rate_of_step(next));
      ++state_.step;
      if (hooks_.on_step) {
        const double seconds = now() - begin;
        hooks_.on_step(progress(steps, seconds / static_cast<double>(state_.step - first_step),
                                static_cast<double>(state_.tokens - first_tokens) / seconds));
      }
      if (files_.steps().due()) files_.write_steps(false);
      constexpr unsigned kStop = 1, kSave = 2;  // what one rank wants all do
      const bool due = now() - saved > hooks_.checkpoint_seconds;
      const unsigned wishes = ranks_.any((stopping() ? kStop : 0) | (due ? kSave : 0));
      if (wishes != 0) {
        save();
        saved = now();
      }
      if (wishes & kStop) return false;
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

  // The schedule's rate, or the part of it that the warm-up and the decay leave: they count the
  // steps of the task.
  double rate_of_step(const TaskTurn& turn) const {
    const Member& member = members_[turn.task];
    const int64_t done = steps_of(turn.task, state_.epoch) + turn.n;
    return schedule_of(member).rate() * member.stepping->rate_factor(done) * own_factor(member);
  }
  double own_factor(const Member& member) const {
    return member.task->rate_factor ? member.task->rate_factor(state_.log) : 1;
  }
  double epoch_rate() const { return schedule_.rate() * own_factor(members_[0]); }
  int64_t steps_of(size_t task, int epochs) const {
    return epochs * turns_.steps_of(task, steps_an_epoch());
  }
  const HalvingSchedule& schedule_of(const Member& member) const {
    return member.schedule ? *member.schedule : schedule_;
  }

  static bool may_step(const Member& member, StepLosses& losses) {
    if (member.schedule && member.schedule->finished()) return false;
    return !member.task->gate || member.task->gate(losses.sum().counts);
  }

  void train_step(Member& member, const std::vector<int64_t>& examples, int64_t n, double rate) {
    const DetectAnomaly detect(hooks_.detect_anomaly);
    Module& module = *member.task->module;
    zero_grad(module);
    StepLosses losses =
        pieces_.compute_gradients(*member.task, examples, {settings_.seed, state_.epoch, n});
    const auto all = parameters(module);
    const Clipping clip = clipping(all, {.max_norm = settings_.max_norm});
    const Device device = losses.device();
    const bool step = may_step(member, losses);
    open_.push_back({&member, std::move(losses), AsyncRead({clip.norm().to(device)}), here(),
                     record_of_step(member, rate)});
    // A GPU has the update, and soon the next step, to do while the host looks at these numbers.
    const bool late = device.is_cuda() && !hooks_.detect_anomaly;
    if (!late) close_steps(0, &all);
    member.optimizer->rate = rate;
    if (step) member.optimizer->step(clip);
    if (late) close_steps(state_.step > 0 ? 1 : 0);
  }

  // What is known of the step that runs before its numbers are.
  StepRecord record_of_step(const Member& member, double rate) const {
    return {.step = state_.epoch * steps_an_epoch() + state_.step + 1,
            .epoch = state_.epoch + 1,
            .rate = rate,
            .task = members_.name(member)};
  }

  // Reads the numbers of all steps but the last `open` ones. `before_update`: the parameters of a
  // step whose update has not been made yet.
  void close_steps(size_t open, const std::vector<NamedParameter>* before_update = nullptr) {
    for (; open_.size() > open; open_.pop_front()) {
      auto& [member, losses, late_norm, place, record] = open_.front();
      const StepSum& sum = losses.sum();
      const double norm = late_norm.get()[0];
      check_finite(place, sum.total, norm, before_update);
      state_.loss_sum += sum.total;
      state_.norm_sum += norm;
      state_.tokens += sum.tokens;
      for (const auto& [name, count] : sum.counts)
        state_.counts[members_.prefix(*member) + name] += count;
      if (files_.steps().wanted()) {
        record.loss = sum.total;
        record.grad_norm = norm;
        record.tokens = sum.tokens;
        if (member->task->measure) record.metrics = member->task->measure(sum.counts);
        files_.steps().add(std::move(record));
      }
      RunawayLoss& runaway = member->runaway;
      if (runaway.update(sum.nll)) warn(runaway.warning(place, schedule_of(*member).rate()));
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

  // A model whose rate never grew to its size has not been trained as its settings say.
  bool warn_of_warm_up(int epochs) const {
    for (size_t task = 0; task < members_.all().size(); ++task) {
      const int64_t steps = steps_of(task, epochs);
      const int warm_up = members_[task].stepping->warm_up;
      if (steps == 0 || steps >= warm_up) continue;
      warn("training: ends within its warm-up, after " + std::to_string(steps) + " of " +
           std::to_string(warm_up) +
           " steps: the learning rate never grows to its size. Take a smaller --warm-up, or more "
           "--epochs");
      return true;
    }
    return false;
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
    const OnValidation on_batch = [&](int64_t done, int64_t of) {
      if (hooks_.on_validation) hooks_.on_validation(done, of);
      if (stopping()) throw StopValidation{};
    };
    Metrics metrics;
    bool stopped = false;
    try {
      metrics = members_.validate(on_batch);
    } catch (const StopValidation&) {
      stopped = true;
    }
    if (ranks_.any(stopped) != 0) {
      save();
      return std::nullopt;
    }
    check_internal(!metrics.empty(), "a training needs a validation");
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
    log.rate = epoch_rate();
    log.loss = state_.loss_sum / static_cast<double>(state_.step);
    log.grad_norm = state_.norm_sum / static_cast<double>(state_.step);
    log.metrics = members_.measure(state_.counts);
    log.metrics.insert(log.metrics.end(), validation->begin(), validation->end());
    const Metric& decides = (*validation)[0];
    if (!std::isfinite(decides.value)) {
      std::string name = decides.name;
      std::replace(name.begin(), name.end(), '_', ' ');
      throw Error("training: the " + name + " is not a finite number after epoch " +
                  std::to_string(log.epoch) + ". " + kept() + " and a smaller --rate");
    }
    const bool best = schedule_.update(decides.value, decides.higher_is_better);
    members_.update_schedules();
    std::vector<EpochLog> lines = std::move(state_.log);
    lines.push_back(log);
    state_ = {.epoch = log.epoch, .schedule = schedule_.state, .log = std::move(lines)};
    // state.json, last, makes the epoch count; a kill before it repeats the epoch, to the same end.
    std::vector<RunFiles::NamedModule> models;
    if (best) models = members_.modules("model", "");
    if (settings_.keep_every > 0 && log.epoch % settings_.keep_every == 0) {
      const std::string name = "epoch-" + std::to_string(log.epoch);
      for (auto& model : members_.modules(name, name + "-")) models.push_back(std::move(model));
    }
    save(models);
    if (hooks_.on_epoch) hooks_.on_epoch(log, best);
    return true;
  }

  void save(const std::vector<RunFiles::NamedModule>& models = {}) {
    close_steps(0);
    if (const std::string name = members_.not_finite(); !name.empty()) {
      throw Error("training: " + name + " is not finite any more after " + place(state_) +
                  "; no checkpoint is made of it. " + kept() + " and a smaller --rate");
    }
    state_.schedule = schedule_.state;
    state_.schedules = members_.schedules();
    files_.save(state_, members_.tensors(), models);
    checkpoint_ = place(state_);
  }

  TrainProgress progress(int64_t steps, double seconds_a_step, double tokens_per_s) const {
    return {state_.epoch + 1,
            settings_.max_epochs,
            state_.step,
            steps,
            state_.loss_sum / static_cast<double>(state_.step - std::ssize(open_)),
            members_.measure(state_.counts),
            epoch_rate(),
            tokens_per_s,
            static_cast<double>(steps - state_.step) * seconds_a_step};
  }

  const std::string run_;
  const LoopSettings& settings_;
  const TrainHooks& hooks_;
  const Turns turns_;
  HalvingSchedule schedule_;
  Ranks& ranks_;
  PiecewiseGradients pieces_;
  RunFiles files_;
  Members members_;
  TrainState state_;
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
