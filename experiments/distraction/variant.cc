#include "experiments/distraction/variant.h"

#include <fnmatch.h>

#include <cmath>
#include <cstdio>

namespace heed {

const std::vector<Structure>& paper_structures() {
  static const std::vector<Structure> kFive = {
      Structure::parse("non-hier"), Structure::parse("static"), Structure::parse("static-ui"),
      Structure::parse("dynamic"), Structure::parse("dynamic-ui")};
  return kFive;
}

std::string Variant::probability() const {
  char text[32];
  std::snprintf(text, sizeof text, insert_prob == 1 ? "%.1f" : "%g", insert_prob);
  return text;
}

std::string Variant::name() const {
  return std::string(structure.name) + "-p" + probability() + (attention_loss ? "" : "-no-loss");
}

const std::vector<Variant>& all_variants() {
  static const std::vector<Variant> variants = [] {
    std::vector<Variant> all;
    for (const double p : {0.0, 0.5, 0.7, 1.0}) {
      for (const Structure& structure : paper_structures()) all.push_back({structure, p, true});
      if (p > 0) all.push_back({Structure::parse("static-ui"), p, false});
    }
    return all;
  }();
  return variants;
}

std::optional<size_t> find_variant(std::string_view structure, double insert_prob,
                                   bool attention_loss) {
  const std::vector<Variant>& all = all_variants();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].structure.name == structure && all[i].insert_prob == insert_prob &&
        all[i].attention_loss == attention_loss) {
      return i;
    }
  }
  return std::nullopt;
}

std::string ExperimentRun::name() const {
  return get().name() + "-seed" + std::to_string(seed);
}

std::vector<ExperimentRun> select_runs(uint64_t first_seed, int seeds, const Selection& selection) {
  if (seeds < 1) throw UsageError("seeds: expected at least 1, got " + std::to_string(seeds));
  if (selection.shards < 1 || selection.shard < 1 || selection.shard > selection.shards) {
    throw UsageError("shard: expected i/n with 1 <= i <= n, got " +
                     std::to_string(selection.shard) + "/" + std::to_string(selection.shards));
  }
  std::vector<ExperimentRun> runs;
  int number = 0;
  for (int s = 0; s < seeds; ++s) {
    for (size_t v = 0; v < all_variants().size(); ++v) {
      const std::string name = all_variants()[v].name();
      if (::fnmatch(selection.only.c_str(), name.c_str(), 0) != 0) continue;
      if (number++ % selection.shards != selection.shard - 1) continue;
      runs.push_back({v, first_seed + static_cast<uint64_t>(s)});
    }
  }
  if (number == 0) {
    std::string names;
    for (const Variant& v : all_variants()) names += (names.empty() ? "" : ", ") + v.name();
    throw UsageError("only: no variant fits '" + selection.only + "'; there are " + names);
  }
  return runs;
}

}  // namespace heed
