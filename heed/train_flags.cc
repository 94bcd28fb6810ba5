#include "heed/train_flags.h"

#include "dialog/respond/settings.h"
#include "dialog/text/word_vectors.h"
#include "heed/shared_options.h"

namespace heed {

ParameterGroup parse_group(const std::string& text) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  ParameterGroup group{.name = text.substr(0, first)};
  const auto number = [&](const std::string& part, double& value) {
    const char* end = part.data() + part.size();
    const auto [stopped, error] = std::from_chars(part.data(), end, value);
    return error == std::errc() && stopped == end && value >= 0;
  };
  if (group.name.empty() || second == std::string::npos ||
      !number(text.substr(first + 1, second - first - 1), group.rate) ||
      !number(text.substr(second + 1), group.weight_decay)) {
    throw UsageError("--group: expected NAME:RATE:DECAY, as lstm:0.5:0.2, got '" + text + "'");
  }
  return group;
}

void TrainFlags::declare_model(CLI::App& c) {
  add_structure(c, structure,
                ". A transformer takes adam, a warm-up of 200 steps and a fifth of the preset's "
                "rate");
  flags.declare(c, TrainSettings{}, kVisitSettings,
                [](const Setting& setting) { return setting.of_variant; });
}

void TrainFlags::declare(CLI::App& c) {
  std::vector<std::string> names;
  for (const Preset& known : presets()) names.push_back(known.name);
  c.add_option("--preset", preset, "Sizes and an optimiser that belong together\n" + preset_table())
      ->check(one_of(names))
      ->capture_default_str();
  flags.declare(c, TrainSettings{}, kVisitSettings,
                [](const Setting& setting) { return !setting.of_variant; });
}

TrainSettings TrainFlags::settings(const Structure& of) const {
  TrainSettings s = suited_to(of, find_preset(preset));
  s.preset = preset;
  s.limit = 0;
  s.vocabulary = s.model.vocab_size;
  const auto optimizer = flags.value<std::string>("optimizer");
  if (optimizer && *optimizer != s.loop.optimizer.name) {  // nothing of the preset's is for it
    s.loop.optimizer = {};
    s.loop.schedule = {.rate = default_rate(*optimizer)};
    s.loop.max_norm = LoopSettings{}.max_norm;
  }
  flags.apply(s, kVisitSettings);
  s.model.vocab_size = *s.vocabulary;
  if (!flags.given("embed")) {
    if (flags.given("hidden")) s.model.embedding_size = s.model.hidden_size;
    if (!s.word_vectors.empty()) s.model.embedding_size = word_vector_width(s.word_vectors);
  }
  if (!flags.given("min-rate")) s.loop.schedule.min_rate = s.loop.schedule.rate / 1000;
  return s;
}

TrainSettings TrainFlags::model_settings() const {
  const Structure parsed = Structure::parse(structure);
  if (flags.given("heads") && parsed.family != Family::kTransformer) {
    throw UsageError("--heads: is for --structure transformer, not for " + structure);
  }
  return settings(parsed);
}

}  // namespace heed
