// Shared by `heed features` and `heed probe --model`: the examples of a data directory, their
// labels, and the vectors that an encoder computes for them.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dialog/probe/labelled_parts.h"
#include "dialog/probe/probe.h"
#include "dialog/system.h"
#include "heed/commands.h"
#include "heed/rank_team.h"

namespace heed {

// As options of a sub-command.
struct EncodeFlags {
  std::string model, data, epoch = "best";
  std::optional<std::string> pool;
  std::optional<int> layer;
  size_t limit = 0;
  int64_t batch = 32;

  // Declares --model, --data, --epoch, --pool, --layer, --limit and --batch.
  void declare(CLI::App& command, bool required);
};

using EncodeInput = probe::LabelledPart;

// A run's encoder at an epoch, and parts of a data directory (dialog/probe/labelled_parts.h) within
// the bounds of the training.
class Encoding {
 public:
  // Throws UsageError and DataError. Among a launcher's ranks, one per machine reads the parts, and
  // only the first one has all labels and to_json().
  Encoding(const EncodeFlags& flags, const std::vector<std::string>& parts, Device device,
           const RankTeam& team);

  const std::vector<EncodeInput>& parts() const { return parts_; }
  const EncodeInput& part(const std::string& name) const;
  // The vectors of a part by the encoder of the epoch; the ranks share the examples.
  // encode_untrained(): by the encoder before the first step of training, if there was a training.
  probe::Part encode(const EncodeInput& input, Ranks& ranks = alone()) {
    return encode(*loaded_.encoder, input, ranks);
  }
  bool has_untrained() const;
  probe::Part encode_untrained(const EncodeInput& input);
  int64_t width() const { return loaded_.encoder->width(); }
  nlohmann::ordered_json to_json() const;  // for the key "inputs" of a result

 private:
  probe::Part encode(const ContextEncoder& encoder, const EncodeInput& input, Ranks& ranks) const;
  std::vector<Given> given() const;

  EncodeFlags flags_;
  Device device_;
  nlohmann::ordered_json json_;
  LoadedSystem loaded_;
  std::optional<LoadedSystem> untrained_;
  std::vector<EncodeInput> parts_;
};

void add_probe_negatives(CLI::App& probe);  // heed probe negatives

}  // namespace heed
