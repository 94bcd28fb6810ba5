#include "dialog/discriminate/words/hredgan.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/file.h"
#include "dialog/discriminate/words/settings.h"
#include "dialog/parts/batch.h"
#include "dialog/respond/encoder.h"
#include "dialog/respond/policy.h"
#include "dialog/stats/roc.h"
#include "dialog/text/overlap.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "train/run_json.h"
#include "train/setting_rules.h"

namespace heed::words {
namespace {

constexpr const char *kFile = "discriminator.json", *kWeights = "discriminator.safetensors";
constexpr auto kVisitPlayers = [](auto& settings, auto& v) { visit_players(settings, v); };

Fake fake_of(const std::string& mode) {
  return mode == kSoft              ? Fake::kSoft
         : mode == kStraightThrough ? Fake::kStraightThrough
                                    : Fake::kDrawn;
}

bool has_words(const Example& example) {
  return !example.response.empty();
}

// What the functions of the tasks refer to.
struct Players {
  HredResponder& generator;
  WordDiscriminator& discriminator;
  const Settings& settings;
  const TrainSettings& training;
  const TrainData& data;
  std::vector<int64_t> said = {};  // the training examples that the discriminator learns from

  // What is drawn in a step has a stream of its own for each purpose.
  Shown show_batch(const std::vector<Example>& examples, const StepKey& key, uint64_t seed) const {
    const Batch batch =
        make_batch(pointers(examples), generator.parts(), generator.embedding().weight.device());
    const DropoutMode drop{training.model.dropout, seed, key.number()};
    return show(generator, batch, fake_of(settings.mode), drop,
                gumbel_noise(generator, drop.key("fake")));
  }

  Loss teach_discriminator(std::vector<int64_t> indices, const StepKey& key) const {
    for (int64_t& i : indices) i = said[i];
    const uint64_t seed = draw_seed(key.seed, "words.discriminator", 0);
    Shown shown;
    {
      const NoGrad the_generator_stands_still;
      shown = show_batch(chosen(data.train, indices), key, seed);
    }
    const Told told = tell(discriminator, shown);
    Loss loss{.total = loss_of(told, settings.by_word), .tokens = 2 * shown.packing.rows()};
    loss.nll = loss.total.value().item();
    loss.counts = {{"told", told.right()}, {"shown", static_cast<double>(told.shown())}};
    loss.counts["made"] = may_step(loss.counts);
    loss.counts["steps"] = 1;
    return loss;
  }
  bool may_step(const Counts& counts) const {
    return counts.at("told") < settings.discriminator_until * counts.at("shown");
  }

  // Beside what it is taught: `loss` of respond_task().
  void hear(Loss& loss, const std::vector<int64_t>& indices, const StepKey& key) const {
    loss.counts["heard"] = 0;
    loss.counts["steps"] = 1;
    const std::vector<Example> examples = chosen(data.train, indices);
    if (std::none_of(examples.begin(), examples.end(), has_words)) return;
    const Told told = tell(discriminator, show_batch(examples, key, key.seed));
    const bool hears = told.right() >= settings.generator_from * static_cast<double>(told.shown());
    if (hears) loss.total = loss.total - mean(told.fake);
    loss.counts["heard"] = hears;
  }
};

Metrics share_of_steps(const Counts& counts, const char* key, const char* name) {
  const auto steps = counts.find("steps");
  if (steps == counts.end()) return {};  // it has had no turn yet, or there is nothing to hear
  return {{name, counts.at(key) / steps->second, true}};
}

// The mean of -x, of logarithms of probabilities.
double surprise(const std::vector<double>& logs) {
  const auto minus = [](double sum, double x) { return sum - std::max(x, -100.0); };
  return std::accumulate(logs.begin(), logs.end(), 0.0, minus) / static_cast<double>(logs.size());
}

void append(std::vector<double>& to, const Var& values) {
  const std::vector<double> more = values.value().to_vector();
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

void Settings::check() const {
  check_values("", *this, [](auto& s, auto& v) { visit_players(s, v); });
}

double rate_factor(const std::vector<EpochLog>& log, double decay) {
  std::vector<double> losses;
  for (const EpochLog& epoch : log) losses.push_back(value_of(epoch.metrics, kAdversarialLoss));
  double factor = 1;
  for (size_t e = 2; e < losses.size(); ++e) {
    if (losses[e] > losses[e - 1] && losses[e - 1] > losses[e - 2]) factor *= decay;
  }
  return factor;
}

Metrics measure_words(HredResponder& generator, const WordDiscriminator& discriminator,
                      const std::vector<Example>& all, const Vocabulary& vocabulary,
                      const LoopSettings& loop, const OnValidation& on_batch) {
  const NoGrad guard;
  const uint64_t seed = draw_seed(loop.seed, "words.measure", 0);
  const bool noisy = generator.config().noise != Noise::kNone;
  const DecodeOptions answering{.max_length = 25, .seed = seed, .best_of = noisy};
  std::vector<double> real, taught, free;
  std::vector<Tokens> responses;
  double right = 0, shown = 0;
  const auto total = std::ssize(all), size = loop.batch_size;
  for (int64_t at = 0; at < total; at += size) {
    const std::vector<Example> examples(all.begin() + at, all.begin() + std::min(total, at + size));
    const Batch batch =
        make_batch(pointers(examples), generator.parts(), generator.embedding().weight.device());
    const DropoutMode drop{0, seed, static_cast<uint64_t>(at)};
    const Told told = tell(discriminator, show(generator, batch, Fake::kDrawn, drop,
                                               gumbel_noise(generator, drop.key("fake"))));
    append(real, told.real);
    append(taught, told.fake);
    right += told.right(), shown += static_cast<double>(told.shown());
    std::vector<Answer> answers;
    const std::vector<Decoding> given = decode(generator, pointers(examples), answering);
    for (int64_t b = 0; b < batch.size; ++b) {
      const Decoding& d = given[batch.order[b]];
      answers.push_back({static_cast<int32_t>(b), d.tokens});
      responses.push_back(vocabulary.words(d.tokens));
    }
    for (const double score : log_scores(generator, discriminator, batch, answers)) {
      free.push_back(score);
    }
    if (on_batch) on_batch(at + std::ssize(examples), total);
  }
  std::vector<double> not_taught;
  for (const double score : taught) not_taught.push_back(std::log(-std::expm1(score)));
  return {{kTold, right / shown, true},
          {kAucTaught, areas(real, taught)[0], true},
          {kAucFree, areas(real, free)[0], true},
          {kSurprise, surprise(free)},
          {kDistinct2, distinct_n(responses, 2, Per::kNgrams), true},
          {kAdversarialLoss, surprise(real) + surprise(not_taught)}};
}

std::vector<Example> measured_examples(const TrainData& data, const Settings& settings) {
  std::vector<Example> examples = first_of(data.valid, settings.measured);
  std::erase_if(examples, std::not_fn(has_words));
  if (!examples.empty()) return examples;
  throw DataError(
      "the validation part: no response has a word, so there is nothing that the discriminator "
      "could tell");
}

std::vector<Task> hredgan_tasks(HredResponder& generator, WordDiscriminator& discriminator,
                                const Settings& settings, const TrainSettings& training,
                                const TrainData& data) {
  settings.check();
  Players players{generator, discriminator, settings, training, data};
  Task writes = respond_task(generator, training, data);
  std::vector<int64_t> sizes;  // of what is said: without a word there is nothing to tell
  for (int64_t i = 0; i < std::ssize(writes.sizes); ++i) {
    if (has_words(data.train[i])) players.said.push_back(i), sizes.push_back(writes.sizes[i]);
  }
  writes.name = kGenerator;
  if (settings.mode != kRanker) {
    writes.loss = [players, taught = writes.loss](const auto& indices, const StepKey& key) {
      Loss loss = taught(indices, key);
      players.hear(loss, indices, key);
      return loss;
    };
  }
  writes.measure = [of_taught = writes.measure](const Counts& counts) {
    Metrics metrics = of_taught(counts);
    std::ranges::move(share_of_steps(counts, "heard", kTrainHeard), std::back_inserter(metrics));
    return metrics;
  };
  writes.validate = [players, of_language = writes.validate](const OnValidation& on_batch) {
    Metrics metrics = of_language(on_batch);
    std::ranges::move(measure_words(players.generator, players.discriminator,
                                    measured_examples(players.data, players.settings),
                                    players.data.vocabulary, players.training.loop, on_batch),
                      std::back_inserter(metrics));
    if (players.settings.generator_steps == 0) {  // the perplexity stays, and decides nothing
      const auto decides = std::find_if(metrics.begin(), metrics.end(),
                                        [](const Metric& m) { return m.name == kAucTaught; });
      std::rotate(metrics.begin(), decides, decides + 1);
    }
    return metrics;
  };
  Task tells{
      .name = "discriminator",
      .module = &discriminator,
      .sizes = std::move(sizes),
      .loss = [players](const auto& indices,
                        const StepKey& key) { return players.teach_discriminator(indices, key); },
      .measure =
          [](const Counts& counts) {
            Metrics metrics = share_of_steps(counts, "made", kTrainMade);
            if (metrics.empty()) return metrics;
            metrics.insert(metrics.begin(),
                           {kTrainTold, counts.at("told") / counts.at("shown"), true});
            return metrics;
          },
      .guess = 2 * std::log(2.0),
      .gate = [players](const Counts& counts) { return players.may_step(counts); }};
  if (settings.adversary_decay < 1) {
    const auto decayed = [decay = settings.adversary_decay](const std::vector<EpochLog>& log) {
      return rate_factor(log, decay);
    };
    writes.rate_factor = tells.rate_factor = decayed;
  }
  return {std::move(writes), std::move(tells)};
}

void save_settings(const std::string& run, const Settings& settings) {
  nlohmann::ordered_json json = {{"format", kRunFormat}};
  json.update(settings_to_json(settings, kVisitPlayers));
  make_directory(run);
  write_file(in(run, kFile), json.dump(2) + "\n");
}

Settings load_settings_of(const std::string& run) {
  return with_json(file_inside(run, kFile), [](const nlohmann::json& json) {
    auto settings = settings_from_json<Settings>(json, kVisitPlayers);
    settings.check();
    return settings;
  });
}

namespace {

class WordRanker : public PairRanker {
 public:
  WordRanker(const std::string& run, Device device)
      : generator_(load_model(run)), bounds_(bounds_of_last_turn(load_example_options(run))) {
    move(*generator_.model, device);
    judge_ = load_judge(run, *generator_.model);
  }

 private:
  std::vector<double> score_last(const std::vector<Dialogue>& dialogues,
                                 int64_t size) const override {
    const Device device = parameters(*generator_.model)[0].var.device();
    const auto examples = make_examples(dialogues, generator_.vocabulary, bounds_);
    const auto total = std::ssize(examples);
    std::vector<double> scores(examples.size());
    for (int64_t at = 0; at < total; at += size) {
      const std::vector<Example> some(examples.begin() + at,
                                      examples.begin() + std::min(total, at + size));
      const Batch batch = make_batch(pointers(some), generator_.model->parts(), device);
      std::vector<Answer> answers;
      for (int64_t b = 0; b < batch.size; ++b) {
        answers.push_back({static_cast<int32_t>(b), some[batch.order[b]].response});
      }
      const std::vector<double> found = judge_(batch, answers);
      for (int64_t b = 0; b < batch.size; ++b) scores[at + batch.order[b]] = found[b];
    }
    return scores;
  }

  LoadedModel generator_;
  ExampleOptions bounds_;
  Judge judge_;
};

const HredResponder& hred_of(const Responder& model) {
  if (const auto* hred = dynamic_cast<const HredResponder*>(&model)) return *hred;
  throw UsageError(
      "a discriminator of words: is for the structures hred-gru, "
      "hred-attention-current and hred-attention, not " +
      std::string(model.config().structure.name));
}

}  // namespace

bool train(const std::string& run, const TrainSettings& training, const Settings& settings,
           const TrainData& data, Device device, const TrainHooks& hooks) {
  training.check();
  const std::unique_ptr<Responder> model = first_model(run, training);
  auto& generator = const_cast<HredResponder&>(hred_of(*model));
  WordDiscriminator discriminator(training.model);
  init(discriminator, training.loop.seed);
  if (training.xavier) init_again_xavier(discriminator, training.loop.seed);
  move(generator, device);
  move(discriminator, device);
  return heed::train(run, training.loop,
                     hredgan_tasks(generator, discriminator, settings, training, data), hooks,
                     {settings.generator_steps, settings.discriminator_steps});
}

WordDiscriminator load_discriminator(const std::string& run, const HredResponder& generator) {
  WordDiscriminator discriminator(generator.config());
  load_parameters(file_inside(run, kWeights), discriminator);
  move(discriminator, generator.embedding().weight.device());
  return discriminator;
}

Judge load_judge(const std::string& run, const Responder& generator) {
  const HredResponder& hred = hred_of(generator);
  require_discriminator(run);
  const auto discriminator = std::make_shared<WordDiscriminator>(load_discriminator(run, hred));
  return [&hred, discriminator](const Batch& batch, const std::vector<Answer>& answers) {
    return log_scores(hred, *discriminator, batch, answers);
  };
}

bool has_discriminator(const std::string& directory) {
  return std::filesystem::exists(in(directory, kFile));
}

void require_discriminator(const std::string& run) {
  if (has_discriminator(run)) return;
  throw UsageError(run +
                   ": has no discriminator of words, by which --rank D ranks: heed train hredgan "
                   "trains one");
}

std::shared_ptr<const Ranker> load_ranker(const std::string& run, Device device) {
  require_discriminator(run);
  return std::make_shared<WordRanker>(run, device);
}

}  // namespace heed::words
