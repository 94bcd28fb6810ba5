// The system "discriminate": was the response said there?
#include "dialog/discriminate/system.h"

#include "base/file.h"
#include "dialog/discriminate/settings.h"
#include "dialog/discriminate/task.h"
#include "dialog/discriminate/verdict.h"
#include "dialog/parts/nbest.h"
#include "dialog/text/format.h"
#include "dialog/training_of.h"
#include "train/model_directory.h"

namespace heed::discriminate {
namespace {

class DiscriminatorTraining : public TrainingOf<Settings> {
 public:
  explicit DiscriminatorTraining(const std::string& preset)
      : TrainingOf(settings_of(find_preset(preset))) {}

  std::vector<Folder> folders() override { return {{"init", pretrained::kInitHelp, &s_.init}}; }
  void complete() override {
    s_.model.vocab_size = *s_.vocabulary;
    s_.check();
    if (s_.model.pretrained()) take_sizes();
  }

  void read(const Paths& directories, const std::string& run) override {
    if (run.empty()) {
      data_ = load_train_data(directories, s_);
      s_.model.vocab_size = data_.vocabulary.size();
      s_.data_fingerprint = data_.fingerprint();
      return;
    }
    const Vocabulary words = load_vocabulary(file_inside(run, "vocab.txt"), s_.model.vocab_size);
    data_ = load_train_data(directories, s_, &words);
    check_same_data(data_.fingerprint() == s_.data_fingerprint, directories, run);
  }
  void prepare(const Talk&) override { check_memory(parameter_count(s_.model)); }
  void start(const std::string& run, const std::string& made_with) override {
    start_run(run, s_, data_.vocabulary, made_with);
  }
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    return discriminate::train(run, s_, data_, device, hooks);
  }

  void describe(const std::string& run, bool, const Talk& talk) const override {
    const Config& m = s_.model;
    talk.say(run + ": " + std::to_string(m.vocab_size) + " words, " +
             (m.pretrained() ? "read by " + s_.init
                             : std::to_string(m.hidden_size) + " cells in each direction") +
             (m.response_only ? ", reads no context" : "") +
             ", against responses: " + s_.negatives.name());
    talk.say(counted(data_.train.passages.size(), "passage") + " and " +
             std::to_string(data_.valid.passages.size()) + " to validate, each real and fake");
    note_left_out(data_.train, "train", talk);
    note_left_out(data_.valid, "valid", talk);
  }
  std::string step_text(const TrainProgress& p) const override {
    return "accuracy " + decimal(value_of(p.metrics, kTrainAccuracy), 3);
  }
  std::string epoch_text(const EpochLog& e, bool best) const override {
    char text[160];
    std::snprintf(text, sizeof text,
                  "epoch %2d  loss %.4f  accuracy %.3f  valid loss %.4f  valid accuracy %.3f%s",
                  e.epoch, e.loss, value_of(e.metrics, kTrainAccuracy),
                  value_of(e.metrics, kValidLoss), value_of(e.metrics, kValidAccuracy),
                  best ? "  best" : "");
    return text;
  }

 private:
  Settings load(const std::string& run) const override { return load_settings(run); }
  // Those of the encoder, which has no embeddings of words.
  void take_sizes() {
    for (const char* option : {"hidden", "embed"}) {
      if (given(option)) {
        throw UsageError("--" + std::string(option) + ": a pretrained encoder brings its sizes");
      }
    }
    const int64_t width = pretrained::load_encoder(s_.init).model.config().hidden_size;
    if (width % 2 != 0) throw UsageError(s_.init + ": states of an odd number of numbers");
    s_.model.hidden_size = width / 2;
    s_.model.embedding_size = 1;
  }

  TrainData data_;
};

// A context, as the passages are cut: its last utterances, of each the first tokens. Its vector is
// Discriminator::Output::last; the score of a response is p(real).
class PassageReader : public ContextEncoder, public PairRanker {
 public:
  PassageReader(const Discriminator& model, const Vocabulary& words)
      : model_(model), words_(words) {}
  int64_t width() const override { return 2 * model_.config().hidden_size; }
  std::vector<int32_t> numbers(const std::string& utterance) const override {
    return encode_utterance(utterance, words_);
  }
  Tensor encode(const std::vector<Example>& examples, const EncodeOptions& options) const override {
    return encode_in_batches(examples, options, [&](const ExamplePointers& batch) {
      std::vector<Example> sequences;
      for (const Example* e : batch) {
        sequences.push_back(sequence_of(passage_of(e->context, {}), Reads::kContext));
      }
      return model_(pack_sequences(sequences, model_.device())).last;
    });
  }

 private:
  Passage passage_of(const std::vector<TokenIds>& context, const TokenIds& response) const {
    const PassageOptions& form = model_.config().passages;
    const auto cut = [&](TokenIds tokens) {
      tokens.resize(std::min(tokens.size(), static_cast<size_t>(form.max_tokens)));
      return tokens;
    };
    Passage passage;
    passage.response = cut(response);
    const size_t read = std::min(context.size(), static_cast<size_t>(form.context));
    for (size_t u = context.size() - read; u < context.size(); ++u) {
      passage.context.push_back(cut(context[u]));
    }
    return passage;
  }
  std::vector<double> score_last(const std::vector<Dialogue>& dialogues,
                                 int64_t batch) const override {
    std::vector<Passage> passages;
    for (const Dialogue& dialogue : dialogues) {
      std::vector<TokenIds> turns;
      for (const Turn& turn : dialogue.turns) turns.push_back(numbers(turn.text));
      const TokenIds response = std::move(turns.back());
      turns.pop_back();
      passages.push_back(passage_of(turns, response));
    }
    std::vector<double> p_real;
    for (const Verdict& v : verdicts_on(model_, passages, batch)) p_real.push_back(v.p_real);
    return p_real;
  }

  const Discriminator& model_;
  const Vocabulary& words_;
};

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  LoadedDiscriminator model = load_discriminator(directory);
  check_epoch(epoch, "a discriminator");
  auto discriminator = epoch == "best"
                           ? std::make_shared<Discriminator>(std::move(model.model))
                           : std::make_shared<Discriminator>(first_discriminator(
                                 directory, load_settings(directory), model.vocabulary));
  LoadedSystem loaded{
      .vocabulary = std::make_shared<Vocabulary>(std::move(model.vocabulary)),
      .bounds = {.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0}};
  const auto reader = std::make_shared<PassageReader>(*discriminator, *loaded.vocabulary);
  loaded.encoder = reader;
  loaded.ranker = reader;
  loaded.module = std::move(discriminator);
  return loaded;
}

}  // namespace

void note_left_out(const Part& part, const std::string& name, const Talk& talk) {
  const auto say = [&](int64_t count, const std::string& what, const std::string& why) {
    if (count == 0) return;
    talk.note(name + ": " + counted(static_cast<size_t>(count), what) + " left out: " + why);
  };
  say(part.irreplaceable, "passage", "nothing could stand in the place of the response");
  const UnfitResponses& u = part.unfit;
  say(u.no_passage, "response", "no passage here has the id");
  say(u.unknown, "response", "with <unk>");
  say(u.length, "response", "too short or too long");
  say(u.repeated, "response", "the same words as one before");
  say(u.as_said, "response", "the same words as the real one");
}

System discriminate_system() {
  return {
      .name = "discriminate",
      .what = "a discriminator",
      .can = {Capability::kRank, Capability::kClassify, Capability::kEncode},
      .load = load_model,
      .older_name = "adversarial",
      .help = "Train a discriminator between real responses and others",
      .footer =
          "Passages are runs of turns with 3 to 25 tokens each. Every passage is learned from "
          "twice "
          "in an epoch: as it was said, and with another response in place of its own, drawn anew "
          "each time. The best model by the loss on the validation part is kept; after three "
          "epochs without a better one the training ends.\n"
          "Examples:\n"
          "  heed train discriminate --data data/ubuntu-sample --preset smoke --out runs/judge\n"
          "  heed train discriminate --data data/ubuntu-sample --preset smoke --response-only "
          "--out runs/control\n"
          "  heed train discriminate --data data/ubuntu-sample --preset pretrained --init "
          "models/minilm --out runs/strong-judge",
      .train = new_training<DiscriminatorTraining>,
      .presets = [] { return choice_of(presets(), "laptop", preset_table()); },
      .several_corpora = true};
}

}  // namespace heed::discriminate
