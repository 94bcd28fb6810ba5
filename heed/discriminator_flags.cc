#include "heed/discriminator_flags.h"
#include "dialog/discriminate/task.h"
#include "heed/command.h"

namespace heed {

void DiscriminatorFlags::declare(CLI::App& c) {
  option(c, "--preset", preset,
         "Sizes and an optimiser that go together\n" + discriminate::Runs::preset_table(),
         one_of({"paper", "laptop", "smoke", "pretrained"}));
  option(c, "--init", init, pretrained::kInitHelp)->option_text("DIR");
  flags.declare(c, discriminate::Settings{}, [](const Setting& s) { return !s.of_variant; });
}

discriminate::Settings DiscriminatorFlags::settings(uint64_t seed) const {
  discriminate::Settings s = discriminate::Runs::preset(preset);
  s.preset = preset;
  s.vocabulary = s.model.vocab_size;
  flags.apply_to_preset(s, s.loop);
  s.model.vocab_size = *s.vocabulary;
  s.loop.seed = seed;
  s.init = init;
  s.check();
  take_encoder(s, [&](const std::string& name) { return flags.given(name); });
  return s;
}

}  // namespace heed
