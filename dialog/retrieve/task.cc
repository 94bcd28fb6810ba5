#include "dialog/retrieve/task.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "autograd/discrete.h"
#include "base/error.h"
#include "dialog/retrieve/candidates.h"
#include "dialog/retrieve/losses.h"
#include "dialog/retrieve/metrics.h"
#include "train/run_json.h"

namespace heed::retrieve {
namespace {

using Side = DualEncoder::Side;

// n of the examples, evenly spread.
std::vector<TextPair> spread(const std::vector<TextPair>& all, size_t n) {
  std::vector<TextPair> some;
  for (size_t i = 0; i < n; ++i) some.push_back(all[i * all.size() / n]);
  return some;
}

// What the functions of the task refer to.
struct Ranking {
  DualEncoder& model;
  const Settings& settings;
  const TrainData& data;

  std::vector<Tokens> texts(const std::vector<TextPair>& pairs, Side side) const {
    std::vector<Tokens> result;
    for (const TextPair& p : pairs) {
      result.push_back(side == Side::kContexts ? p.context : p.response);
    }
    return result;
  }

  Loss loss(const std::vector<int64_t>& indices, const StepKey& key) const {
    std::vector<Tokens> contexts, responses;
    for (const int64_t i : indices) {
      contexts.push_back(data.train[i].context);
      responses.push_back(data.train[i].response);
    }
    const Negatives negatives = parse_negatives(settings.negatives);
    Rng rng(key.seed, "retrieve.negatives", key.number());
    for (int64_t i = 0; i < negatives.shared; ++i) {
      responses.push_back(data.train[rng.below(data.train.size())].response);
    }
    const DropoutMode drop(settings.model.dropout, key.seed, key.number());
    const Var scores = affine(model.contexts(contexts, drop), model.responses(responses, drop));
    const auto batch = std::ssize(contexts);
    const Candidates candidates =
        candidates_of(responses, batch, negatives.of_batch, model.device());
    Loss loss;
    loss.total =
        mean(settings.loss == "hinge" ? hinge_loss(scores, candidates, settings.margin)
                                      : softmax_loss(scores, candidates, settings.smoothing));
    for (const auto* side : {&contexts, &responses}) {
      for (const Tokens& text : *side) loss.tokens += std::ssize(text);
    }
    const Var allowed = masked_fill(scores.detach(), candidates.none, -1e30);
    const std::vector<int32_t> first = argmax(allowed, -1).to_ints();
    double right = 0;
    for (int64_t b = 0; b < batch; ++b) right += first[b] == b;
    loss.nll = loss.total.value().item();
    loss.counts = {{"right", right}, {"contexts", static_cast<double>(batch)}};
    return loss;
  }

  Metrics validate(const OnValidation& on_batch) const {
    const size_t some = std::min<size_t>(data.valid.size(), kMeasured);
    const std::vector<TextPair> pairs = spread(data.valid, some);
    const auto encode = [&](Side side, size_t before) {
      return model.encode(side, texts(pairs, side), /*batch=*/64, [&](size_t done, size_t) {
        on_batch(static_cast<int64_t>(before + done), static_cast<int64_t>(2 * some));
      });
    };
    const std::vector<double> c = encode(Side::kContexts, 0).to_vector();
    const std::vector<double> r = encode(Side::kResponses, some).to_vector();
    const auto width = static_cast<ptrdiff_t>(c.size() / some);
    const size_t size = std::min<size_t>(100, some), lists = some / size;
    double first = 0, reciprocal = 0;
    for (size_t i = 0; i < lists * size; ++i) {
      ScoredList list{.right = {i / lists}};
      for (size_t other = i % lists; other < lists * size; other += lists) {
        const auto at = [&](const std::vector<double>& v, size_t row) {
          return v.begin() + static_cast<ptrdiff_t>(row) * width;
        };
        list.scores.push_back(std::inner_product(at(c, i), at(c, i) + width, at(r, other), 0.0));
      }
      const Ranks ranks(list);
      first += ranks.recall(1);
      reciprocal += ranks.reciprocal();
    }
    const auto n = static_cast<double>(lists * size);
    return {{kValidFirst, first / n, true}, {kValidReciprocal, reciprocal / n, true}};
  }

  std::string describe(const std::vector<int64_t>& indices) const {
    int64_t tokens = 0;
    for (const int64_t i : indices) {
      tokens += std::ssize(data.train[i].context) + std::ssize(data.train[i].response);
    }
    return std::to_string(indices.size()) + " contexts and responses of " + std::to_string(tokens) +
           " tokens";
  }
};

Metrics measure_first(const Counts& counts) {
  return {{kTrainFirst, counts.at("right") / counts.at("contexts"), true}};
}

std::vector<TextPair> read_pairs(const std::vector<Dialogue>& dialogues, const Settings& settings,
                                 const TextReader& reader, TrainData& data) {
  std::vector<TextPair> result;
  const ExampleOptions options{.all_positions = settings.all_positions};
  for (const Pair& pair : make_pairs(dialogues, options, /*whole_context=*/true)) {
    const std::vector<Turn>& turns = dialogues[pair.dialogue].turns;
    result.push_back({reader.context(context_turns(dialogues, pair), &data.cut_contexts),
                      reader.response(turns[pair.response].text, &data.cut_responses)});
  }
  return result;
}

}  // namespace

uint32_t TrainData::fingerprint() const {
  uint32_t crc = 0;
  const auto mix = [&](const Tokens& text) {
    crc = checksum(std::to_string(text.size()) + " ", crc);
    crc = checksum({reinterpret_cast<const char*>(text.data()), text.size() * sizeof text[0]}, crc);
  };
  for (const auto* part : {&train, &valid}) {
    for (const TextPair& pair : *part) {
      mix(pair.context);
      mix(pair.response);
    }
  }
  return crc;
}

TrainData load_train_data(const std::string& directory, const Settings& settings,
                          const Vocabulary* vocabulary, const std::string& run) {
  const std::string train = find_part(directory, "train"), valid = find_part(directory, "valid");
  const auto dialogues = read_dialogues(train, settings.limit);
  TrainData data;
  if (vocabulary) {
    data.vocabulary = *vocabulary;
  } else if (!settings.model.pretrained()) {
    data.vocabulary =
        Vocabulary::build(count_tokens(dialogues), {.max_size = settings.model.vocab_size});
  }
  const TextReader reader = reader_of(settings, data.vocabulary, run);
  data.train = read_pairs(dialogues, settings, reader, data);
  data.valid = read_pairs(read_dialogues(valid, settings.limit), settings, reader, data);
  for (const auto& [part, path] : {std::pair(&data.train, train), std::pair(&data.valid, valid)}) {
    if (part->size() >= 2) continue;
    throw DataError(path + ": a ranker needs two responses at least, there is " +
                    (part->empty() ? "none: " + no_example({}) : "one"));
  }
  return data;
}

Task ranker_task(DualEncoder& model, const Settings& settings, const TrainData& data) {
  std::vector<int64_t> sizes;
  for (const TextPair& pair : data.train) {
    sizes.push_back(std::ssize(pair.context) + std::ssize(pair.response));
  }
  const Ranking ranking{model, settings, data};
  return {.module = &model,
          .sizes = std::move(sizes),
          .loss = [ranking](const auto& examples,
                            const StepKey& key) { return ranking.loss(examples, key); },
          .measure = measure_first,
          .validate = [ranking](const auto& on_batch) { return ranking.validate(on_batch); },
          .describe = [ranking](const auto& examples) { return ranking.describe(examples); }};
}

bool train(const std::string& run, const Settings& settings, const TrainData& data, Device device,
           const TrainHooks& hooks) {
  settings.check();
  LoadedRanker ranker = first_ranker(run, settings);
  move(ranker.model, device);
  return heed::train(run, settings.loop, {ranker_task(ranker.model, settings, data)}, hooks);
}

}  // namespace heed::retrieve
