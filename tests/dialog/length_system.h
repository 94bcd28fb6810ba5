// The smallest system, made of public headers only: a ranker that learns how many words a response
// has, one number w, from the mean square of w - words.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "autograd/ops.h"
#include "dialog/data/corpus.h"
#include "dialog/system_runs.h"
#include "dialog/training_of.h"
#include "train/run_directory.h"

namespace length {

using heed::LoopSettings, heed::Var, heed::Tensor;

struct Settings : heed::RunOptions {
  Settings() { loop = {.batch_size = 2, .max_epochs = 2, .schedule = {.rate = 0.25}}; }
  double start = 1;
  int64_t vocabulary = 0;  // has none

  void check() const { loop.check(); }
  void check_model() const {}
};
template <class S, class V> void visit_config(S& s, V& v) {
  v(heed::setting("start", "start", "The first length", {.least = 0}), s.start);
}
template <class S, class V> void visit_training(S& s, V& v) {
  visit_settings(s.loop, v);
  v({.key = "data_fingerprint"}, s.data_fingerprint);
}

struct Model : heed::Module {
  explicit Model(double start)
      : words(Var::parameter(Tensor::from(std::vector<double>{start}, {1}))) {}
  void visit(heed::Visitor& v) override { v("words", words); }
  double value() const { return words.value().to_vector()[0]; }
  Var words;
};

inline double count_words(const std::string& text) {
  return static_cast<double>(std::count(text.begin(), text.end(), ' ') + 1);
}

class LengthRanker : public heed::Ranker {
 public:
  explicit LengthRanker(std::shared_ptr<const Model> model) : model_(std::move(model)) {}
  Scores score(const std::vector<std::string>& texts, const std::vector<heed::RankQuery>& queries,
               int64_t, const std::function<void(size_t, size_t)>&) const override {
    Scores scores;
    for (const heed::RankQuery& q : queries) {
      std::vector<double>& own = scores.of_queries.emplace_back();
      for (const int32_t i : q.candidates) {
        own.push_back(-std::fabs(count_words(texts[i]) - model_->value()));
      }
    }
    return scores;
  }

 private:
  std::shared_ptr<const Model> model_;
};

struct Own {
  using Settings = length::Settings;
  struct Data {
    std::vector<double> lengths;
    uint32_t checksum = 0;
    uint32_t fingerprint() const { return checksum; }
  };
  struct Loaded {
    Model model;
  };
  static constexpr heed::RunNames kNames = {.system = "rank/length",
                                            .kind = "",
                                            .what = "a ranker by length",
                                            .command = "rank/length",
                                            .usual = "usual"};
  static constexpr heed::LineColumn kStep = {"loss", "train_loss", 3},
                                    kEpoch[] = {{"loss", "loss", 4}};

  static std::vector<heed::PresetOf<Settings>> presets() { return {{"usual", {}, "all there is"}}; }
  static Data read(const heed::Paths& data, const Settings&, const std::string&) {
    Data read = {.lengths = {}, .checksum = heed::file_checksum(data[0])};
    for (const heed::Dialogue& d : heed::read_dialogues(data[0])) {
      read.lengths.push_back(count_words(d.turns.back().text));
    }
    return read;
  }
  static void take(Settings&, const Data&) {}
  static void keep(const std::string&, const Settings&, const Data&) {}
  static double size(const Settings&) { return 1; }
  static Loaded blank(const std::string&, const Settings& s) { return {Model(s.start)}; }
  static void draw(Loaded&, const std::string&, const Settings&) {}  // begins with `start`
  static heed::Task task(Loaded& loaded, const Settings&, const Data& data) {
    const auto mean_square = [&loaded](const std::vector<double>& of) {
      const Var error = loaded.model.words - Var(Tensor::from(of, {std::ssize(of)}));
      return mean(error * error);
    };
    return {
        .module = &loaded.model,
        .sizes = std::vector<int64_t>(data.lengths.size(), 1),
        .loss =
            [=, &data](const std::vector<int64_t>& which, const heed::StepKey&) {
              std::vector<double> of;
              for (const int64_t i : which) of.push_back(data.lengths[i]);
              heed::Loss loss{.total = mean_square(of), .tokens = std::ssize(of)};
              const double n = static_cast<double>(of.size());
              loss.counts = {{"squares", n * loss.total.value().item()}, {"responses", n}};
              return loss;
            },
        .measure =
            [](const heed::Counts& counts) {
              return heed::Metrics{{"train_loss", counts.at("squares") / counts.at("responses")}};
            },
        .validate =
            [=, &data](const heed::OnValidation&) {
              return heed::Metrics{{"valid_loss", mean_square(data.lengths).value().item()}};
            }};
  }
};

class LengthTraining : public heed::SystemTraining<Own> {
 public:
  using SystemTraining::SystemTraining;
  void describe(const std::string&, bool, const heed::Talk& talk) const override {
    talk.say(std::to_string(data_.lengths.size()) + " responses");
  }
};

inline heed::LoadedSystem load(const std::string& directory, const std::string&) {
  const auto loaded = std::make_shared<Own::Loaded>(heed::RunsOf<Own>::load(directory));
  const std::shared_ptr<Model> model(loaded, &loaded->model);
  return {.module = model, .ranker = std::make_shared<LengthRanker>(model)};
}

inline heed::System system() {
  return heed::trained<LengthTraining, Own>({.can = {heed::Capability::kRank}, .load = load});
}

}  // namespace length
