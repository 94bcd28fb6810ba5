#include <chrono>
#include <iterator>
#include <optional>
#include <thread>

#include "base/path.h"
#include "dialog/describe/info_json.h"
#include "heed/command.h"
#include "heed/progress.h"
#include "train/lock.h"
#include "train/run_directory.h"
#include "train/run_log.h"
#include "train/step_log.h"

namespace heed {
namespace {

struct WatchOptions : CommandOptions {
  std::string run;
  double every = 2;
};

// "  train perplexity 84.27"
std::string text_of_numbers(const Metrics& metrics) {
  std::string text;
  for (const Metric& metric : metrics) {
    char number[32];
    std::snprintf(number, sizeof number, " %.4g", metric.value);
    std::string name = printable(metric.name);
    for (char& c : name) c = c == '_' ? ' ' : c;
    text += "  " + name + number;
  }
  return text;
}

class Watch {
 public:
  explicit Watch(const WatchOptions& o) : run_(o.run), every_(o.every) {}

  // Returns once no process works on the run any more.
  void follow() {
    epochs_of(run_);  // throws if it is no run
    max_epochs_ = state_of_run(run_)["max_epochs"];
    while (is_locked(run_)) {
      look();
      std::this_thread::sleep_for(std::chrono::duration<double>(every_));
    }
    look();  // at the last line that the training wrote
    progress_.done();
    print_end();
  }

 private:
  void look() {
    if (has_file(run_, "log.jsonl")) print_epochs(load_log(run_));
    if (has_file(run_, kStepsFile)) read_steps();
    progress_.show(step_ ? step_line(*step_)
                         : "the training is running; heed train --log-steps N shows more");
  }

  void print_epochs(const std::vector<EpochLog>& log) {
    for (; epochs_ < log.size(); ++epochs_) {
      const EpochLog& e = log[epochs_];
      progress_.done();
      std::printf("epoch %2d", e.epoch);
      print_text(text_of_numbers({{"loss", e.loss}}) + text_of_numbers(e.metrics) +
                 text_of_numbers({{"rate", e.rate}}) + "\n");
    }
    std::fflush(stdout);
  }

  // A training that resumes from a checkpoint truncates the file, and our position may then be
  // inside a line: the file is read again from its beginning, once.
  void read_steps() {
    for (const bool again : {false, true}) {
      try {
        if (!steps_) steps_.emplace(run_);
        while (auto step = steps_->next()) step_ = *std::move(step);
        return;
      } catch (const DataError&) {
        steps_.reset();
        if (again) throw;
      }
    }
  }

  std::string step_line(const StepRecord& s) const {
    const std::string of = max_epochs_.is_number_integer() ? "/" + max_epochs_.dump() : "";
    const std::string whose = s.task.empty() ? "" : " of the " + printable(s.task);
    return "epoch " + std::to_string(s.epoch) + of + "  step " + std::to_string(s.step) + whose +
           text_of_numbers({{"loss", s.loss}}) + text_of_numbers(s.metrics) +
           text_of_numbers({{"rate", s.rate}}) + "  " + format_rate(s.tokens_per_s) + " tokens/s";
  }

  void print_end() const {
    const Json state = state_of_run(run_);
    const std::string epochs = counted(state["epochs"].get<size_t>(), "epoch");
    const Json& best = state["best"];
    std::string text = state["status"] == "resumable"
                           ? "stopped after " + epochs + " and " +
                                 counted(state["steps_of_next_epoch"].get<size_t>(), "step") +
                                 ": heed train --resume continues"
                           : state["status"].get<std::string>() + ": " + epochs;
    if (best.is_object()) {
      const auto metric = std::next(best.begin());  // behind the epoch
      text += text_of_numbers({{", best " + metric.key(), metric->get<double>()}}).substr(2) +
              " in epoch " + best["epoch"].dump();
    }
    std::printf("%s\n", text.c_str());
  }

  const std::string run_;
  const double every_;
  Json max_epochs_;
  Progress progress_;
  std::optional<StepReader> steps_;
  std::optional<StepRecord> step_;
  size_t epochs_ = 0;  // rows that are printed
};

void run(const WatchOptions& o) {
  Watch(o).follow();
}

}  // namespace

void add_watch(CLI::App& app) {
  const auto [c, o] = declare<WatchOptions>(
      app, "watch", "Follow a running training until it ends",

      "Prints a line for each epoch, and one that follows the steps if the training was started "
      "with --log-steps N. Ctrl-C ends the watching, not the training.\n"
      "Example:\n"
      "  heed watch runs/first",
      {.device = false, .seed = ""}, run);
  c.add_option("run", o.run, "Directory of a run")->required();
  option(c, "--every", o.every, "Seconds between two reads of the log", number(0.05, 3600));
}

}  // namespace heed
