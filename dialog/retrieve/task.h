// Training a ranker: its data, and the task for the training loop. A model is a directory with
//   config.json         "system": "retrieval", "kind": "dual-encoder", sizes, bounds of texts
//   vocab.txt, model.safetensors
// and for a pretrained encoder, instead of vocab.txt,
//   encoder/            the model with which training began
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/data/distraction.h"
#include "dialog/retrieve/settings.h"
#include "train/loop.h"

namespace heed::retrieve {

struct TextPair {
  Tokens context, response;
  std::string dialogue_id = {};
};

struct TrainData {
  Vocabulary vocabulary;  // empty for a pretrained encoder
  std::vector<TextPair> train, valid;
  Pool pool = {};                              // from which distractions are drawn, if any
  TextBounds bounds = {};                      // with a pretrained encoder's own
  size_t cut_contexts = 0, cut_responses = 0;  // longer than the bounds

  uint32_t fingerprint() const;
};
// The vocabulary is that of the training dialogues unless one is given; a `run` with a pretrained
// encoder has its pieces. Throws DataError if one of the two parts has fewer than two responses
// with a context.
TrainData make_train_data(const DataPart& train, const DataPart& valid, const Settings& settings,
                          const std::optional<Vocabulary>& vocabulary = {},
                          const std::string& run = "");
// Reads train and valid of a data directory.
TrainData load_train_data(const std::string& directory, const Settings& settings,
                          const std::optional<Vocabulary>& vocabulary = {},
                          const std::string& run = "");

// Columns of the log. In validation a response competes with 99 others, by stride
// (dialog/retrieve/candidates.h), on at most kMeasured examples; fewer than 100 examples are one
// list. In training it competes with the candidates of its batch.
constexpr const char *kValidFirst = "valid_recall_1", *kValidReciprocal = "valid_mrr",
                     *kTrainFirst = "train_recall_1";
constexpr int64_t kMeasured = 2000;

// It refers to the three, which must outlive it. `reads_ahead` is called while a frozen encoder
// reads all texts, before the first step.
Task ranker_task(DualEncoder& model, const Settings& settings, const TrainData& data,
                 const OnValidation& reads_ahead = {});

struct LoadedRanker {
  DualEncoder model;
  TextReader reader;
  OnValidation reads_ahead = {};
};

struct Own {  // dialog/runs_of.h
  using Settings = retrieve::Settings;
  using Data = TrainData;
  using Loaded = LoadedRanker;
  static constexpr RunNames kNames = {.system = "retrieval",
                                      .kind = "dual-encoder",
                                      .what = "a ranker",
                                      .command = "retrieval",
                                      .usual = "repository",
                                      .rate_ends = true};
  static constexpr LineColumn kStep = {"R@1 of the batch", kTrainFirst, 3},
                              kEpoch[] = {{"loss", "loss", 4},
                                          {"R@1 of the batch", kTrainFirst, 3},
                                          {"valid R@1", kValidFirst, 3},
                                          {"valid MRR", kValidReciprocal, 3}};

  static std::vector<PresetOf<Settings>> presets();
  static const Vocabulary& words(const Data& data) { return data.vocabulary; }
  static Data read(const Paths& data, const Settings& s, const std::string& run);
  static void take(Settings& s, const Data& data);
  static void keep(const std::string& run, const Settings& s, const Data& data);
  static double size(const Settings& s) { return parameter_count(s.model); }
  static Loaded blank(const std::string& directory, const Settings& s);
  static Task task(Loaded& loaded, const Settings& s, const Data& data) {
    return ranker_task(loaded.model, s, data, loaded.reads_ahead);
  }
};
using Runs = RunsOf<Own>;

}  // namespace heed::retrieve
