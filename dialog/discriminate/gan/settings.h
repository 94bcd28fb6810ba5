// The settings of adversarial training, one line each (train/setting.h).
#pragma once

#include "dialog/discriminate/gan/gan.h"
#include "dialog/respond/settings.h"

namespace heed::gan {

constexpr const char* kPlayers = "Players";

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
  v(setting("teacher-forcing", "teacher_forcing",
            "Weight of the real responses' loss beside that of the rewards",
            {.group = kPlayers, .least = 0, .required = true}),
    s.policy.teacher_forcing);
  v(setting("max-length", "max_length", "Longest response, in words",
            {.group = kPlayers, .least = 1, .most = 10000, .required = true}),
    s.policy.max_length);
  v({.key = "measured", .required = true}, s.measured);
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
