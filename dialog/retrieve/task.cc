#include "dialog/retrieve/task.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "autograd/discrete.h"
#include "base/error.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/retrieve/attention.h"
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

std::vector<Tokens> texts_of(const std::vector<TextPair>& pairs, Side side) {
  std::vector<Tokens> texts;
  for (const TextPair& p : pairs) texts.push_back(side == Side::kContexts ? p.context : p.response);
  return texts;
}

constexpr size_t kEncodedAtOnce = 64;
constexpr int kPoolTokens = 50;  // of a distraction, as of response models

// What the functions of the task refer to.
class Ranking {
 public:
  // A frozen encoder reads every text once.
  Ranking(DualEncoder& model, const Settings& settings, const TrainData& data,
          const OnValidation& reads_ahead)
      : model_(model),
        settings_(settings),
        data_(data),
        negatives_(parse_negatives(settings.negatives)),
        valid_(spread(data.valid, std::min<size_t>(data.valid.size(), kMeasured))) {
    if (!model.config().frozen()) return;
    size_t read = 0;
    const size_t of = 2 * (data.train.size() + valid_.size());
    for (const Side side : {Side::kContexts, Side::kResponses}) {
      for (const auto* pairs : {&data.train, &std::as_const(valid_)}) {
        const auto progress = [&](size_t done, size_t) {
          if (reads_ahead) reads_ahead(static_cast<int64_t>(read + done), static_cast<int64_t>(of));
        };
        frozen_.push_back(model.encode_f(side, texts_of(*pairs, side), kEncodedAtOnce, progress));
        read += pairs->size();
      }
    }
  }

  Loss loss(const std::vector<int64_t>& indices, const StepKey& key) const {
    std::vector<int64_t> candidates = indices;
    Rng rng(key.seed, "retrieve.negatives", key.number());
    for (int64_t i = 0; i < negatives_.shared; ++i) {
      candidates.push_back(static_cast<int64_t>(rng.below(data_.train.size())));
    }
    std::vector<Tokens> contexts = texts(Side::kContexts, indices),
                        responses = texts(Side::kResponses, candidates);
    const std::vector<Example> distracted = distract(contexts, indices, key);
    const DropoutMode drop(settings_.model.dropout, key.seed, key.number());
    Looks looks;
    const Var scores = affine(vectors(Side::kContexts, indices, contexts, drop, &looks),
                              vectors(Side::kResponses, candidates, responses, drop));
    const auto batch = std::ssize(contexts);
    const Candidates of = candidates_of(responses, batch, negatives_.of_batch, model_.device());
    Loss loss;
    loss.total = mean(settings_.loss == "hinge" ? hinge_loss(scores, of, settings_.margin)
                                                : softmax_loss(scores, of, settings_.smoothing));
    if (settings_.attention_weight > 0 && !distracted.empty()) {
      const Var attention = attention_loss(looks, distracted);
      if (attention.defined()) loss.total = loss.total + settings_.attention_weight * attention;
    }
    for (const auto* side : {&contexts, &responses}) {
      for (const Tokens& text : *side) loss.tokens += std::ssize(text);
    }
    const Var allowed = masked_fill(scores.detach(), of.none, -1e30);
    const std::vector<int32_t> first = argmax(allowed, -1).to_ints();
    double right = 0;
    for (int64_t b = 0; b < batch; ++b) right += first[b] == b;
    loss.nll = loss.total.value().item();
    loss.counts = {{"right", right}, {"contexts", static_cast<double>(batch)}};
    return loss;
  }

  static Metrics measure(const Counts& counts) {
    return {{kTrainFirst, counts.at("right") / counts.at("contexts"), true}};
  }
  Metrics validate(const OnValidation& on_batch) const {
    const std::vector<double> c = valid_vectors(Side::kContexts, on_batch),
                              r = valid_vectors(Side::kResponses, on_batch);
    const size_t n = valid_.size(), size = std::min<size_t>(100, n), lists = n / size;
    const auto width = static_cast<ptrdiff_t>(c.size() / n);
    const auto row = [&](const std::vector<double>& all, size_t i) {
      return all.begin() + static_cast<ptrdiff_t>(i) * width;
    };
    double first = 0, reciprocal = 0;
    for (size_t i = 0; i < lists * size; ++i) {
      ScoredList list{.right = {i / lists}};
      for (size_t other = i % lists; other < lists * size; other += lists) {
        list.scores.push_back(std::inner_product(row(c, i), row(c, i) + width, row(r, other), 0.0));
      }
      const Ranks ranks(list);
      first += ranks.recall(1);
      reciprocal += ranks.reciprocal();
    }
    const auto count = static_cast<double>(lists * size);
    return {{kValidFirst, first / count, true}, {kValidReciprocal, reciprocal / count, true}};
  }

  std::string describe(const std::vector<int64_t>& indices) const {
    int64_t tokens = 0;
    for (const int64_t i : indices) {
      tokens += std::ssize(data_.train[i].context) + std::ssize(data_.train[i].response);
    }
    return std::to_string(indices.size()) + " contexts and responses of " + std::to_string(tokens) +
           " tokens";
  }

 private:
  std::vector<Tokens> texts(Side side, const std::vector<int64_t>& indices) const {
    std::vector<Tokens> result;
    for (const int64_t i : indices) {
      const TextPair& pair = data_.train[i];
      result.push_back(side == Side::kContexts ? pair.context : pair.response);
    }
    return result;
  }
  // Contexts with distractions in them, if there are any, as examples.
  std::vector<Example> distract(std::vector<Tokens>& contexts, const std::vector<int64_t>& indices,
                                const StepKey& key) const {
    std::vector<Example> examples;
    if (settings_.insert_prob == 0) return examples;
    for (size_t b = 0; b < contexts.size(); ++b) {
      Rng rng(key.seed, "insert", (static_cast<uint64_t>(key.epoch) << 32) | indices[b]);
      examples.push_back(insert_random(example_of(contexts[b], data_.train[indices[b]].dialogue_id),
                                       data_.pool, settings_.insert_prob, rng));
      contexts[b] = tokens_of(examples.back());
    }
    return examples;
  }
  // Of training and validation, in this order, for contexts and for responses.
  const Tensor& frozen(Side side, bool valid) const {
    return frozen_[(side == Side::kContexts ? 0 : 2) + (valid ? 1 : 0)];
  }
  Var vectors(Side side, const std::vector<int64_t>& indices, const std::vector<Tokens>& texts,
              const DropoutMode& drop, Looks* looks = nullptr) const {
    if (frozen_.empty()) return model_.scored(side, model_.f(side, texts, drop, looks));
    const Tensor rows = Tensor::from(std::vector<int32_t>(indices.begin(), indices.end()));
    const Tensor f = gather_rows(Var(frozen(side, false)), rows).value();
    return model_.scored(side, Var(f.to(model_.device())));
  }
  std::vector<double> valid_vectors(Side side, const OnValidation& on_batch) const {
    const NoGrad guard;
    if (!frozen_.empty()) {
      return model_.scored(side, Var(frozen(side, true).to(model_.device()))).value().to_vector();
    }
    const size_t before = side == Side::kContexts ? 0 : valid_.size();
    const auto progress = [&](size_t done, size_t) {
      on_batch(static_cast<int64_t>(before + done), static_cast<int64_t>(2 * valid_.size()));
    };
    return model_.encode(side, texts_of(valid_, side), kEncodedAtOnce, progress).to_vector();
  }

  DualEncoder& model_;
  const Settings& settings_;
  const TrainData& data_;
  Negatives negatives_;
  std::vector<TextPair> valid_;
  std::vector<Tensor> frozen_;  // none, or four
};

// What reads texts: with these words, or the pieces of the run, or of --init if that is empty.
TextReader reader_of(const Settings& s, const Vocabulary& vocabulary, const std::string& run) {
  if (!s.model.pretrained()) return TextReader(vocabulary, s.bounds);
  pretrained::Encoder e = pretrained::load_encoder(run.empty() ? pretrained::encoder_folder(s.init)
                                                               : in(run, pretrained::kFolderInRun));
  return TextReader(std::move(e.pieces), e.max_length, s.bounds);
}

std::vector<TextPair> read_pairs(const std::vector<Dialogue>& dialogues, const Settings& settings,
                                 const TextReader& reader, TrainData& data) {
  std::vector<TextPair> result;
  const ExampleOptions options{.all_positions = settings.all_positions,
                               .min_turns = settings.min_turns};
  for (const Pair& pair : make_pairs(dialogues, options, /*whole_context=*/true)) {
    const std::vector<Turn>& turns = dialogues[pair.dialogue].turns;
    result.push_back({reader.context(context_turns(dialogues, pair), &data.cut_contexts),
                      reader.response(turns[pair.response].text, &data.cut_responses),
                      dialogues[pair.dialogue].id});
  }
  return result;
}

}  // namespace

uint32_t TrainData::fingerprint() const {
  uint32_t crc = 0;
  const auto mix = [&](const Tokens& text) { crc = heed::fingerprint(text, crc); };
  for (const auto* part : {&train, &valid}) {
    for (const TextPair& pair : *part) {
      mix(pair.context);
      mix(pair.response);
    }
  }
  for (const PoolUtterance utterance : pool) {
    crc = checksum(utterance.dialogue_id, crc);
    mix(utterance.said.tokens);
  }
  return crc;
}

TrainData make_train_data(const DataPart& train, const DataPart& valid, const Settings& settings,
                          const std::optional<Vocabulary>& vocabulary, const std::string& run) {
  TrainData data;
  if (vocabulary) {
    data.vocabulary = *vocabulary;
  } else if (!settings.model.pretrained()) {
    data.vocabulary =
        Vocabulary::build(count_tokens(train.dialogues), {.max_size = settings.model.vocab_size});
  }
  const TextReader reader = reader_of(settings, data.vocabulary, run);
  data.bounds = reader.bounds();
  if (settings.insert_prob > 0) {
    data.pool = make_pool(train.dialogues, data.vocabulary, kPoolTokens);
  }
  data.train = read_pairs(train.dialogues, settings, reader, data);
  data.valid = read_pairs(valid.dialogues, settings, reader, data);
  for (const auto& [part, path] :
       {std::pair(&data.train, train.path), std::pair(&data.valid, valid.path)}) {
    if (part->size() >= 2) continue;
    throw DataError(
        path + ": a ranker needs two responses at least, there is " +
        (part->empty() ? "none: " + no_example({.min_turns = settings.min_turns}) : "one") +
        (part->empty() && settings.min_turns == kMinTurns
             ? "; heed train retrieval --min-turns 2 takes dialogues of two turns, too"
             : ""));
  }
  return data;
}

TrainData load_train_data(const std::string& directory, const Settings& settings,
                          const std::optional<Vocabulary>& vocabulary, const std::string& run) {
  const Reading reading{.limit = settings.limit};
  const DataPart train = read_part(directory, "train", reading);
  return make_train_data(train, read_part(directory, "valid", reading), settings, vocabulary, run);
}

Task ranker_task(DualEncoder& model, const Settings& settings, const TrainData& data,
                 const OnValidation& reads_ahead) {
  std::vector<int64_t> sizes;
  for (const TextPair& pair : data.train) {
    sizes.push_back(std::ssize(pair.context) + std::ssize(pair.response));
  }
  return task_of(model, std::move(sizes),
                 std::make_shared<const Ranking>(model, settings, data, reads_ahead));
}

}  // namespace heed::retrieve
