// The settings of adversarial training, one line each (train/setting.h).
#pragma once

#include "dialog/discriminate/gan/gan.h"
#include "dialog/respond/settings.h"

namespace heed::gan {

// Those of adversary.json.
template <class S, class V> void visit_players(S& s, V& v) {
  const auto steps = [&](const char* option, const char* key, auto& value, const char* help) {
    v(setting(option, key, help, {.group = kPlayers, .least = 1, .most = 1000, .required = true}),
      value);
  };
  steps("generator-steps", "generator_steps", s.generator_steps,
        "Steps of the generator in a round");
  steps("discriminator-steps", "discriminator_steps", s.discriminator_steps,
        "Steps of the discriminator in a round");
  visit_policy(s.policy, v);
  v({.key = "measured", .least = 0, .required = true}, s.measured);
}

// With those of the generator, whose loop settings are those of both.
template <class S, class V> void visit_settings(S& s, V& v) requires requires {
  s.policy;
}
{
  visit_players(s, v);
  visit_settings(s.generator, v);
}

}  // namespace heed::gan
