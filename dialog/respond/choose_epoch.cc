#include "dialog/respond/choose_epoch.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/number.h"
#include "dialog/respond/responses.h"

namespace heed {
namespace {

const std::map<std::string, double OverlapMeans::*>& measures() {
  static const std::map<std::string, double OverlapMeans::*> kMeasures = {
      {"best-bleu", &OverlapMeans::bleu_2},
      {"best-rouge", &OverlapMeans::rouge_l},
      {"best-meteor", &OverlapMeans::meteor}};
  return kMeasures;
}

auto measure_of(const std::string& name) {
  if (chooses_epoch(name)) return measures().at(name);
  throw UsageError("epoch: expected best-bleu, best-rouge or best-meteor, got '" + name + "'");
}

// N of all files epoch-N.safetensors, in order.
std::vector<int> kept_epochs(const std::string& run) {
  constexpr std::string_view kBegin = "epoch-", kEnd = ".safetensors";
  std::vector<int> epochs;
  std::error_code error;
  for (std::filesystem::directory_iterator at(run, error), end; !error && at != end;
       at.increment(error)) {
    const std::string file = at->path().filename().string();
    if (!file.starts_with(kBegin) || !file.ends_with(kEnd)) continue;
    if (file.size() < kBegin.size() + kEnd.size()) continue;
    const auto epoch =
        number_in<int>(file.substr(kBegin.size(), file.size() - kBegin.size() - kEnd.size()));
    if (epoch) epochs.push_back(*epoch);
  }
  std::sort(epochs.begin(), epochs.end());
  return epochs;
}

}  // namespace

bool chooses_epoch(const std::string& name) {
  return measures().contains(name);
}

std::vector<KeptEpoch> overlaps_of_epochs(const std::string& run,
                                          const std::vector<Dialogue>& dialogues,
                                          int64_t batch_size, Device device,
                                          const ChooseProgress& progress,
                                          const Likeness& likeness) {
  const std::vector<int> kept = kept_epochs(run);
  if (kept.empty()) {
    throw DataError(run +
                    ": holds no epoch-N.safetensors to choose from; a training keeps them "
                    "with --keep-every");
  }
  const ExampleOptions bounds = load_example_options(run);
  std::vector<KeptEpoch> epochs;
  for (const int epoch : kept) {
    const LoadedModel loaded = load_epoch(run, std::to_string(epoch));
    move(*loaded.model, device);
    const auto examples = make_examples(dialogues, loaded.vocabulary, bounds);
    const auto responses = respond(*loaded.model, examples, loaded.vocabulary, {.max_length = 100},
                                   batch_size, [&](const RespondProgress& done) {
                                     if (progress) progress(epoch, done.examples, done.tokens);
                                   });
    if (examples.empty()) throw DataError("responses: " + no_example(bounds));
    const auto references = human_responses(examples, loaded.vocabulary);
    epochs.push_back({epoch, mean_overlap(responses, references),
                      likeness ? likeness(responses, references) : 0});
  }
  return epochs;
}

KeptEpoch best_epoch(const std::vector<KeptEpoch>& epochs, const std::string& name) {
  const auto measure = measure_of(name);
  if (epochs.empty()) throw UsageError("epoch: there is none to choose from");
  return *std::max_element(epochs.begin(), epochs.end(),
                           [&](const KeptEpoch& a, const KeptEpoch& b) {
                             return a.overlap.*measure < b.overlap.*measure;
                           });
}

ChosenEpoch choose_epoch(const std::string& run, const std::string& name,
                         const std::vector<Dialogue>& dialogues, int64_t batch_size, Device device,
                         const ChooseProgress& progress) {
  measure_of(name);  // a wrong name is to be known before the work
  std::vector<KeptEpoch> epochs = overlaps_of_epochs(run, dialogues, batch_size, device, progress);
  return {best_epoch(epochs, name), std::move(epochs)};
}

}  // namespace heed
