#include "dialog/discriminate/gan/gan.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "dialog/discriminate/discriminator.h"
#include "dialog/discriminate/gan/settings.h"
#include "dialog/parts/batch.h"
#include "dialog/respond/evaluate.h"
#include "dialog/text/overlap.h"
#include "train/setting_rules.h"

namespace heed::gan {
namespace {

// The first words of an utterance, in the discriminator's words; <pad> and the like keep their
// numbers.
discriminate::TokenIds in_its_words(const std::vector<int32_t>& tokens, const Players& players,
                                    size_t most) {
  std::vector<std::string> words = players.words.words(tokens);
  words.resize(std::min(words.size(), most));
  return players.words_of_discriminator.encode(words);
}

// Each passage of `real`, and then it with the drawn response: real, fake, real, fake ...
std::vector<Passage> side_by_side(const std::vector<Passage>& real,
                                  const std::vector<Passage>& drawn) {
  std::vector<Passage> both;
  for (size_t i = 0; i < real.size(); ++i) {
    both.push_back(real[i]);
    both.push_back(drawn[i]);
    both.back().real = false;
  }
  return both;
}

// What the discriminator learns from in a step.
Loss learn_to_tell(const Players& players, const Settings& settings,
                   const std::vector<Example>& examples, const StepKey& key) {
  const DrawnResponses drawn =
      draw_responses(players.generator, examples, settings.policy.max_length,
                     draw_seed(key.seed, "adversary.discriminator", key.number()));
  Loss loss = discriminate::loss_on(
      players.discriminator,
      side_by_side(passages_of(examples, players), passages_of(drawn.examples, players)), key);
  loss.counts = {{"told", loss.counts.at("right")}, {"shown", loss.counts.at("passages")}};
  return loss;
}

Task discriminator_task(const Players& players, const Settings& settings, const TrainData& data) {
  std::vector<int64_t> sizes;
  for (const Example e : data.train) sizes.push_back(example_tokens(e));
  return {.name = "discriminator",
          .module = &players.discriminator,
          .sizes = std::move(sizes),
          .loss =
              [&players, &settings, &data](const auto& indices, const StepKey& key) {
                return learn_to_tell(players, settings, chosen(data.train, indices), key);
              },
          .measure =
              [](const Counts& counts) {
                const auto shown = counts.find("shown");
                if (shown == counts.end()) return Metrics{};  // it has had no turn yet
                return Metrics{{kTrainTold, counts.at("told") / shown->second, true}};
              },
          .guess = std::log(2.0)};
}

// The share that passes as real.
double passing(const std::vector<double>& p_real) {
  const auto count = std::ranges::count_if(p_real, [](double p) { return p >= 0.5; });
  return static_cast<double>(count) / static_cast<double>(p_real.size());
}

}  // namespace

void Settings::check() const {
  generator.check();
  policy.check();
  check_values("", *this, [](auto& s, auto& v) { visit_players(s, v); });
}

std::vector<Passage> passages_of(const std::vector<Example>& examples, const Players& players) {
  const discriminate::PassageOptions& form = players.discriminator.config().passages;
  const auto most = static_cast<size_t>(form.max_tokens);
  std::vector<Passage> passages;
  for (const Example& e : examples) {
    Passage& p = passages.emplace_back(Passage{.id = e.id, .dialogue_id = e.dialogue_id});
    const size_t read = std::min(e.context.size(), static_cast<size_t>(form.context));
    for (size_t k = e.context.size() - read; k < e.context.size(); ++k) {
      p.context.push_back(in_its_words(e.context[k], players, most));
    }
    p.response = in_its_words(e.response, players, most);
  }
  return passages;
}

std::vector<double> rewards_of(const std::vector<Example>& examples, const Players& players,
                               int64_t batch_size) {
  const std::vector<Passage> passages = passages_of(examples, players);
  std::vector<double> rewards =
      p_real_of(discriminate::verdicts_on(players.discriminator, passages, batch_size));
  for (size_t i = 0; i < rewards.size(); ++i) {
    if (passages[i].response.empty()) rewards[i] = 0;
  }
  return rewards;
}

namespace {

// A response to each example, and what the discriminator says of them.
struct Played {
  std::vector<Tokens> responses;
  std::vector<double> drawn, real;  // rewards
};
Played play(const Players& players, const Settings& settings, const std::vector<Example>& examples,
            const OnValidation& on_batch) {
  const int64_t size = settings.generator.loop.batch_size;
  const uint64_t seed = draw_seed(settings.generator.loop.seed, "adversary.measure", 0);
  const auto total = static_cast<int64_t>(examples.size());
  Played played;
  for (int64_t at = 0; at < total; at += size) {
    const auto begin = examples.begin() + at, end = begin + std::min(size, total - at);
    const std::vector<Example> batch(begin, end);
    const DrawnResponses drawn =
        draw_responses(players.generator, batch, settings.policy.max_length, seed);
    for (const Example& e : drawn.examples) {
      played.responses.push_back(players.words.words(e.response));
    }
    const auto add = [&](std::vector<double>& to, const std::vector<Example>& of) {
      const std::vector<double> rewards = rewards_of(of, players, size);
      to.insert(to.end(), rewards.begin(), rewards.end());
    };
    add(played.drawn, drawn.examples);
    add(played.real, batch);
    if (on_batch) on_batch(at + std::ssize(batch), total);
  }
  return played;
}

}  // namespace

Metrics measure_players(const Players& players, const Settings& settings, const TrainData& data,
                        const OnValidation& on_batch) {
  const std::vector<Example> examples = first_of(data.valid, settings.measured);
  const Played played = play(players, settings, examples, on_batch);
  double words = 0;
  for (const Tokens& response : played.responses) words += static_cast<double>(response.size());
  const double passed = passing(played.drawn), right = passing(played.real);
  const double n = static_cast<double>(examples.size());
  Metrics metrics = {
      {kPassed, passed, true},
      {kTold, (right + 1 - passed) / 2},
      {kReward, std::accumulate(played.drawn.begin(), played.drawn.end(), 0.0) / n, true},
      {kDistinct1, distinct_n(played.responses, 1), true},
      {kDistinct2, distinct_n(played.responses, 2), true},
      {kWords, words / n}};
  const auto results =
      evaluate(players.generator, examples, {parse_test_set("random:1.0")}, data.pool, {},
               settings.generator.loop.seed, settings.generator.loop.batch_size);
  const std::optional<double> das = results[0].summary.das_ratio;
  if (das) metrics.push_back({kDas, *das});
  return metrics;
}

std::vector<Task> adversary_tasks(const Players& players, const Settings& settings,
                                  const TrainData& data) {
  const Reward reward = [&players, &settings](const std::vector<Example>& drawn) {
    return rewards_of(drawn, players, settings.generator.loop.batch_size);
  };
  Task generator =
      policy_task(players.generator, settings.generator, data, settings.policy, reward);
  generator.name = kGenerator;
  generator.validate = [&players, &settings, &data,
                        of_language = generator.validate](const OnValidation& on_batch) {
    Metrics metrics = of_language(on_batch);
    std::ranges::move(measure_players(players, settings, data, on_batch),
                      std::back_inserter(metrics));
    return metrics;
  };
  return {std::move(generator), discriminator_task(players, settings, data)};
}

}  // namespace heed::gan
