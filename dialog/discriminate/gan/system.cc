// The system "adversary": a generator and a discriminator that learn from each other. Its models
// are those of its generator.
#include <algorithm>

#include "dialog/discriminate/gan/run.h"
#include "dialog/discriminate/gan/settings.h"
#include "dialog/text/format.h"
#include "dialog/training_of.h"

namespace heed::gan {
namespace {

// Both are trained with Adam. The rate is never halved: the perplexity rises, as it is not what is
// trained.
Settings usual_settings() {
  Settings s;
  s.generator.limit = 0;
  s.generator.loop = {.batch_size = 32,
                      .optimizer = {.name = "adam"},
                      .max_norm = 1,
                      .max_epochs = 3,
                      .schedule = {.rate = 0.001, .min_rate = 0, .patience = 0},
                      .keep_every = 1};
  return s;
}

std::string table_head() {
  char text[120];
  std::snprintf(text, sizeof text, "%-8s %10s %8s %8s %8s %8s %10s %10s %9s", "", "perplexity",
                "reward", "passed", "told", "words", "distinct-1", "distinct-2", "DAS ratio");
  return text;
}

std::string table_row(const std::string& name, const Metrics& metrics) {
  const auto das =
      std::find_if(metrics.begin(), metrics.end(), [](const Metric& m) { return m.name == kDas; });
  const auto of = [&](const char* column) { return value_of(metrics, column); };
  char text[160];
  std::snprintf(text, sizeof text, "%-8s %10s %8.3f %8.3f %8.3f %8.1f %10.4f %10.4f %9s",
                name.c_str(), perplexity_text(of(kValidPerplexity)).c_str(), of(kReward),
                of(kPassed), of(kTold), of(kWords), of(kDistinct1), of(kDistinct2),
                das == metrics.end() ? "-" : decimal(das->value, 3).c_str());
  return text;
}

class AdversaryTraining : public TrainingOf<Settings> {
 public:
  AdversaryTraining() : TrainingOf(usual_settings()) {}
  std::vector<Folder> folders() override {
    return {{"model", "Directory of a run or a model", &generator_},
            {"discriminator", "Directory of a run of heed train discriminate, to begin with",
             &discriminator_}};
  }

  void read(const Paths& data, const std::string& run) override {
    if (run.empty()) begin_with_generator();
    const TrainSettings& s = s_.generator;
    const Vocabulary words = load_words(run.empty() ? generator_ : run, s.model.vocab_size);
    data_ = load_train_data(data[0], {}, s.examples, s.limit.value_or(0), &words);
    if (!run.empty()) check_same_data(data_.fingerprint() == s.data_fingerprint, data, run);
    s_.generator.data_fingerprint = data_.fingerprint();
  }
  void prepare(const Talk& talk) override {
    check_training(s_.generator, data_);
    talk.say(table_head());
    auto loaded = load_players(generator_, discriminator_, talk.device);
    const Players players = loaded.players();
    before_ = adversary_tasks(players, s_, data_)[0].validate(progress);
    talk.say(table_row("before", before_));
  }
  void start(const std::string& run, const std::string& made_with) override {
    gan::start(run, s_, {generator_, discriminator_, before_, made_with});
  }
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    return train_players(run, s_, data_, device, hooks);
  }

  void describe(const std::string&, bool is_new, const Talk& talk) const override {
    if (!is_new) talk.say(table_head());
  }
  std::string step_text(const TrainProgress& p) const override {
    char numbers[80];
    std::snprintf(numbers, sizeof numbers, "perplexity %.1f  reward %.3f",
                  value_of(p.metrics, kTrainPerplexity), value_of(p.metrics, kTrainReward));
    return numbers;
  }
  std::string epoch_text(const EpochLog& e, bool) const override {
    return table_row("epoch " + std::to_string(e.epoch), e.metrics);
  }
  std::string end_text(const std::string& run) const override {
    return "done: the generator of the lowest perplexity is in " + run;
  }

 private:
  Settings load(const std::string& run) const override { return load_settings_of(run); }
  void before_going_on(const std::string& run, const Settings&) override {
    refuse_other_player(run, "generator", "model", generator_);
    refuse_other_player(run, "discriminator", "discriminator", discriminator_);
  }
  // Its own settings, but for how both are trained now.
  void begin_with_generator() {
    for (const Folder& folder : folders()) {
      if (folder.path->empty()) {
        throw UsageError("--" + folder.option + " is required to begin a run");
      }
    }
    const LoopSettings loop = s_.generator.loop;
    const auto limit = s_.generator.limit;
    s_.generator = settings_to_start_from(generator_);
    s_.generator.loop = loop;
    s_.generator.limit = limit;
    s_.check();
  }
  static void refuse_other_player(const std::string& run, const std::string& player,
                                  const std::string& option, const std::string& model) {
    if (model.empty() || began_with(run, player, model)) return;
    throw UsageError(
        "--" + option + " " + model + ": the run " + run +
        " was started with another model; leave the option out, or take another --out");
  }

  TrainData data_;
  std::string generator_, discriminator_;  // folders
  Metrics before_;
};

bool is_chosen(const Setting& s) {
  const std::vector<std::string> of_loop = {"limit", "batch", "epochs", "rate", "max-norm"};
  return s.group == kPlayers ||
         std::find(of_loop.begin(), of_loop.end(), s.option) != of_loop.end();
}

}  // namespace

System adversary_system() {
  return {
      .name = "adversary",
      .what = "a run of heed train adversary",
      .can = {Capability::kRespond, Capability::kEncode},
      .help = "Train a generator against a discriminator that learns with it",
      .footer =
          "A line of the table is an epoch: perplexity of the validation part; of responses drawn "
          "to its first contexts the mean p(real) (reward), the share that passes as real, their "
          "length and distinct-n; the share of real and drawn responses that the discriminator "
          "tells right; the DAS ratio on random:1.0. The model of the lowest perplexity is "
          "model.safetensors, that of epoch N epoch-N.safetensors (heed generate --epoch N).\n"
          "Example:\n"
          "  heed train adversary --model runs/generator --discriminator runs/judge --data "
          "data/ubuntu-sample --out runs/adversary",
      .train = new_training<AdversaryTraining>,
      .is_option = is_chosen,
      .files = files_of<Settings>([](auto& s, auto& v) { visit_players(s, v); })};
}

}  // namespace heed::gan
