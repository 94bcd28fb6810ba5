// Training a passage reader. A model is a directory with
//   config.json         "system": "comprehend", sizes, its inputs
//   encoder/            its initial encoder, pretrained or randomly initialised
//   model.safetensors
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dialog/comprehend/settings.h"
#include "train/loop.h"

namespace heed::comprehend {

struct LoadedReader {
  pretrained::WordPiece pieces;
  SpanReader model;
  // If there is one, what a frozen encoder reads is read before the first step, as much as can be
  // kept; it is called after each passage, and false ends that.
  std::function<bool(int64_t questions, int64_t of)> reads_ahead = {};
};

// With `config.other_turns`, the turns of each passage are those of the passage that is half the
// corpus away, from its first one again where it has fewer.
std::vector<ReadPassage> read_all(const Corpus& corpus, const pretrained::WordPiece& pieces,
                                  const Config& config);

// Columns of the log: means over the validation questions, with a history of gold answers.
constexpr const char *kValidF1 = "valid_f1", *kValidExact = "valid_exact", *kTrainNll = "train_nll";

struct Own {  // dialog/runs_of.h
  using Settings = comprehend::Settings;
  using Data = Parts;
  using Loaded = LoadedReader;
  static constexpr RunNames kNames = {.system = "comprehend",
                                      .kind = "",
                                      .what = "a reader of passages",
                                      .command = "comprehend",
                                      .usual = "smoke",
                                      .rate_ends = true};
  static constexpr LineColumn kStep = {"nll", kTrainNll, 3},
                              kEpoch[] = {{"loss", "loss", 4},
                                          {"valid F1", kValidF1, 3},
                                          {"valid EM", kValidExact, 3}};

  static std::vector<PresetOf<Settings>> presets();
  static Data read(const Paths& data, const Settings& s, const std::string&) {
    Parts parts = read_parts(data, s.limit);
    require_training(parts, data[0]);
    return parts;
  }
  static void take(Settings&, const Data&) {}
  // Keeps the encoder: that of --init, or a random one with the words of the training part.
  static void keep(const std::string& run, const Settings& s, const Data& data);
  static double size(const Settings&) { return 0; }  // its encoder's parameters are in a file
  static Loaded blank(const std::string& directory, const Settings& s);
  static Task task(Loaded& reader, const Settings& s, const Parts& parts);
};
using Runs = RunsOf<Own>;

std::shared_ptr<const Annotator> annotator(std::shared_ptr<const LoadedReader> reader);

}  // namespace heed::comprehend
