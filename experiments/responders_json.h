// How experiments on models that write responses run.
#pragma once

#include <functional>

#include "dialog/respond/das.h"
#include "dialog/respond/settings.h"
#include "dialog/text/format.h"
#include "experiments/making_json.h"
#include "experiments/responders.h"

namespace heed {

// The options of an experiment besides those of the training.
inline void visit_distracted_tests(DistractedTests& s, const OptionVisitor& v) {
  v(setting("limit", "limit", ""), &s.limit);
  const Setting tests = {.group = "Tests"};
  show(v, "Tests", {test_limit_option(s.test_limit)});
  v(setting("max-length", "max-length", "Longest response, in words",
            {.group = "Tests", .least = 1, .most = 1000}),
    &s.max_response);
  v(setting("frequent", "frequent", "Utterances of the frequent: sets", tests),
    &s.phrases.frequent);
  v(setting("rare", "rare", "Utterances of the rare: sets", tests), &s.phrases.rare);
}

// The attention scores that both quotients of the DAS ratio are made of; null where one is missing.
inline void put_attention(nlohmann::ordered_json& json, const std::vector<DialogueScore>& scores) {
  for (const DialogueScore& s : scores) {
    const DialogueMeans means = dialogue_means(s.as_scores, s.distraction);
    const bool both = means.distraction && means.history;
    json["as_distractions"].push_back(rounded(both ? means.distraction : std::nullopt));
    json["as_histories"].push_back(rounded(both ? means.history : std::nullopt));
  }
}

// The checksums of the files that a training reads besides the dialogues, such as word vectors, by
// the keys of their settings: a folder of runs goes on with the same contents only.
inline nlohmann::ordered_json checksums_of_files(
    const TrainSettings& settings,
    const std::function<bool(const Setting&)>& wanted = [](const Setting&) { return true; }) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto add = [&](const Setting& setting, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const std::string&>) {
      if (setting.takes == "FILE" && !value.empty() && wanted(setting))
        json[setting.key] = file_checksum(value);
    }
  };
  visit_settings(settings, add);
  return json;
}

// For an experiment that inserts none: the attention loss acts on those of the data only.
inline void refuse_loss_without_distractions(const ExperimentRequest& request,
                                             const TrainSettings& settings, const TrainData& data) {
  if (settings.attention_weight == 0 || has_distractions(settings, data)) return;
  for (const char* option : {"--attention-weight", "--attention-loss"}) {
    request.refuse_given(option, "with turns that the dialogues mark as distractions");
  }
}

// Their training, given the settings of a variant but for what the seed and the data decide, the
// description of their data, and the names of their training metrics.
template <class S, class D, auto settings_of> Making<S, D> responders_making() {
  Making<S, D> making;
  making.check = [](const S& s, const D& data, size_t variant) {
    check_responder(settings_of(s, variant), data.train);
  };
  making.train = [](const Subject<S, D>& run, const TrainHooks& hooks) {
    return train_responder(run.run, run.directory, run.device,
                           settings_of(run.settings, run.run.variant), run.data.train, hooks);
  };
  making.take = [](const ExperimentRequest& request, S& s) {
    if constexpr (requires { s.train = request.responder({}); }) {
      s.train = request.responder({});
      s.limit = s.train.limit.value_or(0);
    }
  };
  making.about_data = [](const S& s, const D& data) {
    nlohmann::ordered_json json = {
        {"train_examples", data.train.train.size()},  {"valid_examples", data.train.valid.size()},
        {"test_examples", data.test.size()},          {"vocabulary", data.train.vocabulary.size()},
        {"train_checksum", data.train.fingerprint()}, {"test_checksum", data.test_fingerprint}};
    if (!data.train.conditions.empty()) json["test_labels_checksum"] = data.test_labels;
    if constexpr (requires { json.update(checksums_of_files(s.train)); }) {
      json.update(checksums_of_files(s.train));
    }
    return json;
  };
  making.in_short = [](const S&, const D& data) {
    return std::to_string(data.train.train.size()) + " training, " +
           std::to_string(data.train.valid.size()) + " validation and " +
           counted(data.test.size(), "test example");
  };
  making.words = [](const D& data) -> int64_t { return data.train.vocabulary.size(); };
  making.best_metric = kValidPerplexity;
  making.train_metric = kTrainPerplexity;
  making.metric_name = "perplexity";
  return making;
}

}  // namespace heed
