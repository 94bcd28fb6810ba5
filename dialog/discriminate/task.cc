#include "dialog/discriminate/task.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "dialog/parts/batch.h"
#include "nn/losses.h"
#include "train/run_json.h"

namespace heed::discriminate {
namespace {

// What the functions of the task refer to.
class Learning {
 public:
  Learning(const Discriminator& model, const Settings& settings, const TrainData& data)
      : model_(model),
        settings_(settings),
        data_(data),
        train_(data.train.replacements(settings.negatives.kind)) {
    const Replacements of_valid = data.valid.replacements(settings.negatives.kind);
    valid_ = with_fakes(data.valid.passages, of_valid.replaceable(), of_valid, settings.loop.seed);
  }

  // Example 2 i is passage i as it was said, 2 i + 1 that with another response, of about as many
  // tokens: which one is known in the epoch.
  std::vector<int64_t> sizes() const {
    std::vector<int64_t> sizes;
    for (const Passage& p : data_.train.passages) {
      // which counts the end of a response of its own
      const int64_t tokens = example_tokens(sequence_of(p, settings_.model.reads())) - 1;
      sizes.insert(sizes.end(), 2, tokens);
    }
    return sizes;
  }

  Loss loss(const std::vector<int64_t>& indices, const StepKey& key) const {
    std::vector<Passage> passages;
    for (const int64_t i : indices) passages.push_back(passage(i, key));
    return loss_on(model_, passages, key);
  }

  static Metrics measure(const Counts& counts) {
    return {{kTrainAccuracy, counts.at("right") / counts.at("passages"), true}};
  }
  Metrics validate(const OnValidation& on_batch) const {
    const std::vector<Verdict> verdicts =
        verdicts_on(model_, valid_, settings_.loop.batch_size, on_batch);
    double loss = 0, right = 0;
    for (size_t i = 0; i < valid_.size(); ++i) {
      loss += verdicts[i].loss;
      right += (verdicts[i].p_real >= 0.5) == valid_[i].real;
    }
    const auto n = static_cast<double>(valid_.size());
    return {{kValidLoss, loss / n}, {kValidAccuracy, right / n, true}};
  }

 private:
  Passage passage(int64_t example, const StepKey& key) const {
    const auto place = static_cast<size_t>(example / 2);
    if (example % 2 == 0) return data_.train.passages[place];
    return train_(place, key.seed, static_cast<uint64_t>(key.epoch)).value();
  }

  const Discriminator& model_;
  const Settings& settings_;
  const TrainData& data_;
  Replacements train_;
  std::vector<Passage> valid_;
};

// Keeps the passages that have a replacement among those that are kept: who goes was perhaps the
// only replacement of another.
void keep_replaceable(Part& part, Negatives::Kind kind) {
  const size_t all = part.passages.size();
  for (size_t before = all + 1; part.passages.size() < before;) {
    before = part.passages.size();
    Part kept;
    for (const size_t i : part.replacements(kind).replaceable()) {
      kept.passages.push_back(std::move(part.passages[i]));
      if (!part.responses.empty()) kept.responses.push_back(std::move(part.responses[i]));
    }
    part.passages = std::move(kept.passages);
    part.responses = std::move(kept.responses);
  }
  part.irreplaceable = static_cast<int64_t>(all - part.passages.size());
}

}  // namespace

Replacements Part::replacements(Negatives::Kind kind) const {
  return kind == Negatives::Kind::kGenerated ? Replacements(passages, responses)
                                             : Replacements(passages, kind);
}

Part read_part(const std::vector<std::string>& data, const std::string& part,
               const Vocabulary& vocabulary, const PassageOptions& options,
               const Negatives& negatives, size_t limit) {
  Part result;
  for (size_t corpus = 0; corpus < data.size(); ++corpus) {
    const auto dialogues = read_dialogues(find_dialogues(data[corpus], part), limit);
    result.read.push_back(fingerprint(dialogues));
    result.other_length +=
        add_passages(result.passages, dialogues, vocabulary, options, static_cast<int>(corpus));
  }
  if (negatives.kind == Negatives::Kind::kGenerated) {
    result.read.push_back(file_checksum(negatives.file));
    result.responses =
        read_responses(negatives.file, result.passages, vocabulary, options, result.unfit);
  }
  keep_replaceable(result, negatives.kind);
  if (!result.passages.empty()) return result;
  throw DataError(
      find_dialogues(data[0], part) + ": no passage of " + std::to_string(options.context + 1) +
      " turns with " + std::to_string(options.min_tokens) + " to " +
      std::to_string(options.max_tokens) + " tokens each has a response (" + negatives.name() +
      ") to stand in the place of its own; " + std::to_string(result.irreplaceable) + " have none");
}

uint32_t TrainData::fingerprint() const {
  uint32_t crc = 0;
  for (const Part* part : {&train, &valid}) {
    for (const uint32_t of_file : part->read) crc = checksum(std::to_string(of_file) + " ", crc);
  }
  return crc;
}

static void each_member(auto& bytes, Part& part) {
  bytes(part.passages, part.other_length, part.irreplaceable, part.read);
}

void TrainData::share(const Neighbours& neighbours) {
  check_internal(neighbours.alone() || (train.responses.empty() && valid.responses.empty()),
                 "generated responses are not shared");
  neighbours.share_copy(vocabulary);
  neighbours.share_copy(train);
  neighbours.share_copy(valid);
}

TrainData load_train_data(const std::vector<std::string>& directories, const Settings& settings,
                          const std::optional<Vocabulary>& vocabulary) {
  TrainData data;
  if (vocabulary) {
    data.vocabulary = *vocabulary;
  } else {
    TokenCounts counts;
    for (const std::string& directory : directories) {
      const auto dialogues = read_dialogues(find_part(directory, "train"), settings.limit);
      for (const auto& [token, count] : count_tokens(dialogues)) counts[token] += count;
    }
    data.vocabulary = Vocabulary::build(counts, {.max_size = settings.model.vocab_size});
  }
  const auto read = [&](const char* part) {
    for (const std::string& directory : directories) find_part(directory, part);
    return read_part(directories, part, data.vocabulary, settings.model.passages,
                     settings.negatives, settings.limit);
  };
  data.train = read("train");
  data.valid = read("valid");
  return data;
}

Loss loss_on(const Discriminator& model, const std::vector<Passage>& passages, const StepKey& key) {
  std::vector<Example> sequences;
  std::vector<double> truth;
  for (const Passage& p : passages) {
    sequences.push_back(sequence_of(p, model.config().reads()));
    truth.push_back(p.real);
  }
  const Device device = model.device();
  const SequenceBatch batch = pack_sequences(sequences, device);
  const Var logits = model(batch, {model.config().dropout, key.seed, key.number()}).logits;
  const Tensor targets = Tensor::from(truth, logits.shape());
  Loss loss{.total =
                mean(binary_cross_entropy(logits, targets.to(logits.value().dtype()).to(device)))};
  loss.nll = loss.total.value().item();
  loss.tokens = batch.tokens.segments.total();
  double right = 0;
  const std::vector<double> values = logits.value().to_vector();
  for (size_t b = 0; b < truth.size(); ++b) right += (values[b] >= 0) == (truth[b] > 0);
  loss.counts = {{"right", right}, {"passages", static_cast<double>(truth.size())}};
  return loss;
}

Task Own::task(Loaded& loaded, const Settings& s, const TrainData& data) {
  const auto learning = std::make_shared<const Learning>(loaded.model, s, data);
  Task task = task_of(loaded.model, learning->sizes(), learning);
  task.guess = std::log(2.0);
  return task;
}

}  // namespace heed::discriminate
