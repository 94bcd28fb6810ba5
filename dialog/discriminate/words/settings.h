// The settings of a generator and a word-level discriminator, one line each (train/setting.h).
#pragma once

#include "dialog/discriminate/words/hredgan.h"
#include "dialog/respond/settings.h"

namespace heed::words {

// Those of discriminator.json.
template <class S, class V> void visit_players(S& s, V& v) {
  v(setting("mode", "mode",
            "What the discriminator is for: ranker: it learns beside the generator, and ranks its "
            "answers; soft and straight-through: the generator learns from it, too, by the mean of "
            "the words' embeddings or by drawn words with the gradient of soft ones",
            {.group = kPlayers,
             .usual = kRanker,
             .words = {kRanker, kSoft, kStraightThrough},
             .required = true}),
    s.mode);
  v(setting("fake-loss", "fake_loss",
            "Loss of drawn words: answer: -ln(1 - D); word: the mean over the words",
            {.group = kPlayers, .usual = "answer", .words = {"answer", "word"}, .required = true}),
    Words{s.by_word, "answer", "word"});
  const auto share = [&](const char* option, const char* key, auto& value, const char* help) {
    v(setting(option, key, help, {.group = kPlayers, .least = 0, .most = 1, .required = true}),
      value);
  };
  share("discriminator-until", "discriminator_until", s.discriminator_until,
        "The discriminator makes a step while it tells less than this share of the batch");
  share("generator-from", "generator_from", s.generator_from,
        "soft, straight-through: the generator hears of it from this share on");
  v(setting("generator-steps", "generator_steps",
            "Steps of the generator in a round; 0: it stays as it is, and the discriminator learns "
            "to rank the answers of a finished one (--init RUN)",
            {.group = kPlayers, .least = 0, .most = 1000, .required = true}),
    s.generator_steps);
  v(setting("discriminator-steps", "discriminator_steps", "Steps of the discriminator in a round",
            {.group = kPlayers, .least = 1, .most = 1000, .required = true}),
    s.discriminator_steps);
  v(setting("adversary-decay", "adversary_decay",
            "Factor of the rate for each epoch in which the discriminator's loss has risen for the "
            "second time in a row; 1: the rate does not depend on it (default with --preset "
            "hredgan-paper: 0.99)",
            {.group = kPlayers, .usual = "1", .least = 0, .most = 1, .above = true, .later = true}),
    s.adversary_decay);
  v({.key = "measured", .least = 0, .required = true}, s.measured);
}

// With those of the generator, whose loop settings are those of both.
struct Both {
  TrainSettings* generator;
  Settings* players;
};
template <class S, class V> void visit_settings(S& s, V& v) requires requires {
  s.players;
}
{
  visit_players(*s.players, v);
  visit_settings(*s.generator, v);
}

}  // namespace heed::words
