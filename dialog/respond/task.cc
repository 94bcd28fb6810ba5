#include "dialog/respond/task.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>

#include "dialog/data/conversations.h"
#include "dialog/respond/das.h"
#include "dialog/respond/loss.h"
#include "dialog/respond/on_ranks.h"
#include "dialog/respond/settings.h"
#include "dialog/respond/structures.h"
#include "dialog/runs_of.h"
#include "dialog/text/lexicon.h"
#include "train/run_json.h"

namespace heed {
namespace {

void take_nll(Loss& loss, const std::vector<double>& values) {
  loss.counts["nll"] = values[0];
  loss.nll = values[0] / loss.counts.at("predicted");
}

// What the functions of the task refer to.
struct Respond {
  Responder& model;
  const TrainSettings& settings;
  const TrainData& data;
  Ranks& ranks;
  Tensor word_weights = {};  // (V), or none: all weigh 1

  // The examples with this epoch's distractions.
  std::vector<Example> insert(const std::vector<int64_t>& indices, const StepKey& key) const {
    std::vector<Example> result;
    for (int64_t i : indices) {
      Rng rng(key.seed, "insert", (static_cast<uint64_t>(key.epoch) << 32) | i);
      const double p = settings.insert_prob;
      result.push_back(p == 0 ? data.train[i]
                       : settings.own_distractions
                           ? flag_own(data.train[i], p, rng)
                           : insert_random(data.train[i], data.pool, p, rng));
    }
    return result;
  }

  Loss loss(const std::vector<int64_t>& indices, const StepKey& key) const {
    const std::vector<Example> inserted = insert(indices, key);
    const Tensor& first = parameters(model)[0].var.value();
    Batch batch = make_batch(pointers(inserted), model.parts(), first.device());
    if (word_weights.defined()) {
      const Tensor weights = word_weights.to(first.dtype()).to(first.device());
      batch.response.weights = gather_rows(Var(weights), batch.response.targets).value();
    }
    const Taught output =
        model.teach(batch, DropoutMode{settings.model.dropout, key.seed, key.number()});
    const Var nll = word_weights.defined() ? sum(Var(output.nll)) : output.nll_total;
    return {.total = training_loss(
                batch, output, settings.attention_weight,
                settings.attention_mass ? AttentionLoss::kMass : AttentionLoss::kRows),
            .tokens = batch.token_count,
            .counts = {{"predicted", static_cast<double>(batch.response.packing.rows())}},
            .late = {{nll.value()}, take_nll}};
  }

  // Never infinite, which JSON cannot say.
  static Metrics measure(const Counts& counts) {
    const double perplexity = std::exp(counts.at("nll") / counts.at("predicted"));
    return {{kTrainPerplexity, std::min(perplexity, std::numeric_limits<double>::max())}};
  }
  Metrics validate(const OnValidation& on_batch) const {
    const auto total = static_cast<int64_t>(data.valid.size());
    const auto scores = score_on_ranks(
        ranks, model, part_of_rank(ranks, data.valid), data.valid.size(), settings.loop.batch_size,
        [&](const ScoreProgress& done) { on_batch(done.examples, total); });
    const ScoreSummary summary = summarize(scores);
    Metrics metrics = {{kValidPerplexity, summary.perplexity}};
    if (summary.bits_per_character) {
      metrics.push_back({kValidBitsPerCharacter, *summary.bits_per_character});
    }
    return metrics;
  }

  std::string describe(const std::vector<int64_t>& indices) const {
    int64_t tokens = 0;
    for (const int64_t i : indices) tokens += example_tokens(data.train[i]);
    return std::to_string(indices.size()) + " dialogues of " + std::to_string(tokens) +
           " tokens, vocabulary " + std::to_string(settings.model.vocab_size);
  }
};

}  // namespace

bool has_distractions(const TrainSettings& settings, const TrainData& data) {
  return settings.insert_prob > 0 ||
         std::any_of(data.train.begin(), data.train.end(), [](const Example& example) {
           return std::find(example.distraction.begin(), example.distraction.end(), char{1}) !=
                  example.distraction.end();
         });
}

uint32_t TrainData::fingerprint() const {
  uint32_t crc = 0;
  const auto mix_bytes = [&](const void* bytes, size_t size) {
    const uint64_t length = size;  // first, so that [1] [2] is not [1, 2]
    crc = checksum({reinterpret_cast<const char*>(&length), sizeof length}, crc);
    crc = checksum({static_cast<const char*>(bytes), size}, crc);
  };
  const auto mix = [&](const std::vector<int32_t>& ids) {
    mix_bytes(ids.data(), ids.size() * sizeof(int32_t));
  };
  for (const auto* part : {&train, &valid}) {
    for (const Example example : *part) {
      mix_bytes(example.dialogue_id.data(), example.dialogue_id.size());
      for (const auto& utterance : example.context) mix(utterance);
      mix_bytes(example.distraction.data(), example.distraction.size());
      mix(example.response);
      for (const auto& condition : example.conditions) mix(condition);
    }
  }
  for (const PoolUtterance utterance : pool) {
    mix_bytes(utterance.dialogue_id.data(), utterance.dialogue_id.size());
    mix(utterance.said.tokens);
  }
  return crc;
}

void TrainData::share(const Neighbours& neighbours) {
  neighbours.share_copy(vocabulary);
  neighbours.share_list(train);
  neighbours.share_list(valid);
  neighbours.share_list(pool);
}

// Sentiment words are those of the lexicon that the training dialogues hold three times or more.
static void make_vocabulary(TrainData& data, const TokenCounts& counts,
                            const VocabularyOptions& words) {
  data.vocabulary = Vocabulary::build(counts, words);
  if (words.lexicon.empty()) return;
  const Lexicon lexicon = read_lexicon(words.lexicon);
  data.generic_words = data.vocabulary.put_last([&](const std::string& word) {
    return counts.at(word) >= 3 && has_sentiment(lexicon, word);
  });
}

static TrainData read_train_data(const std::string& directory, const VocabularyOptions& words,
                                 ExampleOptions options, size_t limit,
                                 const Vocabulary* vocabulary) {
  const Reading reading{.limit = limit, .notes = !options.conditions.empty()};
  const auto train = read_dialogues(find_part(directory, "train"), reading);
  const auto valid = read_dialogues(find_part(directory, "valid"), reading);
  TrainData data;
  if (vocabulary) data.vocabulary = *vocabulary;
  if (!vocabulary) make_vocabulary(data, count_tokens(train), words);
  for (Condition& condition : options.conditions) {
    if (condition.values.empty()) condition.learn(train);
  }
  data.conditions = options.conditions;
  const auto pack = [&](const std::vector<Dialogue>& dialogues, PackedList<Example>& list) {
    data.left_out += for_each_example(dialogues, data.vocabulary, options,
                                      [&](const Example& example) { list.push_back(example); });
  };
  pack(train, data.train);
  pack(valid, data.valid);
  data.pool = make_pool(train, data.vocabulary, options.max_utterance_tokens);
  for (const auto& [part, name] :
       {std::pair(&data.train, "train"), std::pair(&data.valid, "valid")}) {
    if (!part->empty()) continue;
    throw DataError(find_part(directory, name) + ": " + no_example(options) + ": each needs " +
                    std::to_string(options.min_turns) + " turns");
  }
  if (data.vocabulary.size() == kSpecialTokens) {
    throw DataError(find_part(directory, "train") + ": holds no words");
  }
  return data;
}

TrainData load_train_data(const std::string& directory, const VocabularyOptions& words,
                          const ExampleOptions& options, size_t limit,
                          const Vocabulary* vocabulary) {
  TrainData data = read_train_data(directory, words, options, limit, vocabulary);
#ifdef __GLIBC__
  ::malloc_trim(0);  // the texts go back to the system, and not when somebody else needs them
#endif
  return data;
}

std::vector<Example> chosen(const PackedList<Example>& examples,
                            const std::vector<int64_t>& indices) {
  std::vector<Example> result;
  for (const int64_t i : indices) result.push_back(examples[i]);
  return result;
}

std::vector<Example> first_of(const PackedList<Example>& examples, int64_t most) {
  std::vector<int64_t> indices(examples.size());
  std::iota(indices.begin(), indices.end(), 0);
  if (most > 0) indices.resize(std::min(examples.size(), static_cast<size_t>(most)));
  return chosen(examples, indices);
}

TestData load_test_data(const std::string& directory, const Vocabulary& vocabulary,
                        const ExampleOptions& options, size_t limit) {
  const std::string path = find_part(directory, "test");
  const std::vector<Dialogue> dialogues =
      read_dialogues(path, {.limit = limit, .notes = !options.conditions.empty()});
  TestData data{make_examples(dialogues, vocabulary, options), {}, fingerprint(dialogues)};
  if (data.examples.empty()) throw DataError(path + ": " + no_example(options));
  data.conversations = conversations(dialogues, data.examples);
  return data;
}

void check_training(const TrainSettings& settings, const TrainData& data) {
  settings.check();
  check_memory(settings.model);
  const Pool& pool = data.pool;
  const std::string first = pool.empty() ? "" : pool[0].dialogue_id;
  const bool several = std::any_of(pool.begin(), pool.end(),
                                   [&](const PoolUtterance& u) { return u.dialogue_id != first; });
  if (settings.insert_prob > 0 && !settings.own_distractions && !several) {
    throw DataError(
        "training: distractions come from other dialogues, and there is only one; give more "
        "dialogues or --insert-prob 0");
  }
}

TrainSettings with_tables(TrainSettings s, const TrainData& data) {
  if (s.model.tables.empty() && s.model.structure.tables) {
    s.model.tables = s.model.structure.tables(s.model, data, s.loop.seed);
  }
  return s;
}

void begin_run(const std::string& directory, const TrainSettings& settings, const TrainData& data) {
  if (!std::filesystem::exists(in(directory, "settings.json"))) {
    check_training(settings, data);
    return start_run(directory, with_tables(settings, data), data.vocabulary);
  }
  const auto compared = [](TrainSettings s) {
    s.model.attention = s.model.attention_score();   // said or not
    s.limit = {}, s.vocabulary = {}, s.preset = {};  // the checksum of the data covers them
    return settings_to_json(s, kVisitSettings);
  };
  check_same_settings(directory, compared(load_settings(directory)), compared(settings));
}

Task respond_task(Responder& model, const TrainSettings& settings, const TrainData& data,
                  Ranks& ranks) {
  std::vector<int64_t> sizes;
  sizes.reserve(data.train.size());
  for (const Example example : data.train) sizes.push_back(example_tokens(example));
  Respond respond{model, settings, data, ranks};
  if (settings.inverse_frequency > 0) {
    respond.word_weights = inverse_frequency_weights(data.train, settings.model.vocab_size,
                                                     settings.inverse_frequency);
  }
  Task task = task_of(model, std::move(sizes), std::make_shared<const Respond>(respond));
  task.guess = std::log(static_cast<double>(settings.model.vocab_size));
  return task;
}

bool train(const std::string& run, const TrainSettings& settings, const TrainData& data,
           Device device, const TrainHooks& hooks) {
  settings.check();
  Ranks& ranks = hooks.ranks ? *hooks.ranks : alone();
  if (ranks.first() && !std::filesystem::exists(std::filesystem::path(run) / "config.json")) {
    save_description(run, with_tables(settings, data).model, data.vocabulary);
  }
  const std::unique_ptr<Responder> model = first_model(run, settings);
  move(*model, device);
  return train(run, settings.loop, {respond_task(*model, settings, data, ranks)}, hooks);
}

}  // namespace heed
