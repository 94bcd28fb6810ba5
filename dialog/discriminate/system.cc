// The system "discriminate": was the response said there?
#include "dialog/discriminate/task.h"
#include "dialog/parts/nbest.h"
#include "dialog/system_runs.h"
#include "dialog/text/format.h"
#include "dialog/training_of.h"
#include "train/run_json.h"

namespace heed::discriminate {
namespace {

// What the paper leaves open: batches of 64, clipping at 5, at most 20 epochs, the end after three
// without a better loss on the validation part.
LoopSettings loop(int64_t batch, int epochs, double rate) {
  LoopSettings loop = adam_loop(batch, epochs, rate, /*stop_after=*/3);
  loop.schedule.min_rate = loop.schedule.patience = 0;
  return loop;
}

// What reads words, of a run.
std::optional<pretrained::Words> words_in(const std::string& directory, const Config& config,
                                          const Vocabulary& vocabulary) {
  if (!config.pretrained()) return {};
  pretrained::Encoder encoder = pretrained::load_encoder_of(directory, 2 * config.hidden_size);
  const int64_t longest = (config.passages.context + 1) * (config.passages.max_tokens + 1) + 1;
  const int64_t places = encoder.model.config().max_position_embeddings;
  if (places <= longest) {
    throw UsageError("the encoder has " + std::to_string(places) +
                     " positions, passages have up to " + std::to_string(longest) + " words");
  }
  // so many pieces of a word that every passage is one text
  return pretrained::Words(std::move(encoder), vocabulary, config.words.frozen,
                           (places - 1) / longest);
}

Settings sized(int64_t words, int64_t width, const LoopSettings& loop) {
  Settings s;
  s.model.vocab_size = words + kSpecialTokens;
  s.model.embedding_size = s.model.hidden_size = width;
  s.loop = loop;
  return s;
}

class DiscriminatorTraining : public pretrained::TrainingOnWords<Own> {
 public:
  using TrainingOnWords::TrainingOnWords;

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
  Text read(const std::string& text, int64_t longest) const override {
    const int64_t most = model_.config().passages.max_tokens;
    return ContextEncoder::read(text, checked_length(longest, most, "words"));
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
    return p_real_of(verdicts_on(model_, passages, batch));
  }

  const Discriminator& model_;
  const Vocabulary& words_;
};

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  const auto model = Runs::of_epoch(directory, epoch);
  LoadedSystem loaded = without_bounds(model);
  loaded.vocabulary = {model, &model->vocabulary};
  const auto reader = std::make_shared<PassageReader>(model->model, model->vocabulary);
  loaded.encoder = reader;
  loaded.ranker = reader;
  return loaded;
}

}  // namespace

void note_left_out(const Part& part, const std::string& name, const Talk& talk) {
  const auto say = [&](int64_t count, const std::string& what, const std::string& why) {
    if (count == 0) return;
    talk.note(name + ": " + counted(count, what) + " left out: " + why);
  };
  say(part.irreplaceable, "passage", "nothing could stand in the place of the response");
  const UnfitResponses& u = part.unfit;
  say(u.no_passage, "response", "no passage here has the id");
  say(u.unknown, "response", "with <unk>");
  say(u.length, "response", "too short or too long");
  say(u.repeated, "response", "the same words as one before");
  say(u.as_said, "response", "the same words as the real one");
}

void take_encoder(Settings& s, const std::function<bool(const std::string&)>& given) {
  if (!s.model.pretrained()) return;
  for (const char* option : {"hidden", "embed"}) {
    if (given(option)) {
      throw UsageError("--" + std::string(option) + ": a pretrained encoder brings its sizes");
    }
  }
  const pretrained::Encoder encoder = pretrained::load_encoder(pretrained::encoder_folder(s.init));
  const int64_t width = encoder.model.config().hidden_size;
  if (width % 2 != 0) throw UsageError(s.init + ": states of an odd number of numbers");
  s.model.hidden_size = width / 2;
  s.model.embedding_size = 1;
}

void Settings::check() const {
  model.check();
  loop.check();
  pretrained::check_init(model.words.encoder, init);
  if (model.pretrained()) return;  // the encoder, whose parameters have groups too, is not here
  Discriminator small({.vocab_size = 1, .embedding_size = 1, .hidden_size = 1});
  (void)make_optimizer(small, loop.optimizer);  // throws for a group that no parameter is of
}

std::vector<PresetOf<Settings>> Own::presets() {
  // With embeddings as narrow as the cells, or more dropout, it takes epochs until it leaves
  // chance.
  Settings smoke = sized(2000, 32, loop(32, 3, 0.003));
  smoke.model.embedding_size = 128;
  smoke.model.dropout = 0.1;
  Settings fine_tuned;  // of a BERT
  fine_tuned.model.words.encoder = "pretrained";
  fine_tuned.model.dropout = 0.1;
  fine_tuned.model.vocab_size = 50000 + kSpecialTokens;
  fine_tuned.loop = loop(32, 3, 5e-5);
  fine_tuned.loop.optimizer.weight_decay = 0.01;
  fine_tuned.loop.optimizer.warm_up = 100;
  fine_tuned.loop.max_norm = 1;
  std::vector<PresetOf<Settings>> all = {
      {"paper", sized(25000, 500, loop(64, 20, 0.001)), "hours on two cores (not measured)"},
      {"laptop", sized(10000, 128, loop(64, 20, 0.001)), "some minutes an epoch (not measured)"},
      {"smoke", smoke, "about a minute on one core"},
      {"pretrained", fine_tuned, "hours on two cores; begins with a BERT (--init), AdamW 5e-5"},
  };
  for (auto& [name, s, time] : all) {
    time = (s.model.pretrained()
                ? "fine-tuning, "
                : std::to_string(s.model.hidden_size) + " cells in each direction, ") +
           std::to_string(s.model.vocab_size - kSpecialTokens) + " words, batches of " +
           std::to_string(s.loop.batch_size) + ", at most " + counted(s.loop.max_epochs, "epoch") +
           "; takes " + time;
  }
  return all;
}

TrainData Own::read(const Paths& data, const Settings& s, const std::string& run) {
  return load_train_data(data, s, words_of(run, s.model.vocab_size));
}

LoadedDiscriminator Own::blank(const std::string& directory, const Settings& s) {
  Vocabulary words = *words_of(directory, s.model.vocab_size);
  auto pieces = words_in(directory, s.model, words);
  return {Discriminator(s.model, std::move(pieces)), std::move(words)};
}

System discriminate_system() {
  return trained<DiscriminatorTraining, Own>(
      {.can = {Capability::kRank, Capability::kClassify, Capability::kEncode},
       .load = load_model,
       .older_name = Own::kNames.system,
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
       .several_corpora = true});
}

}  // namespace heed::discriminate

template struct heed::RunsOf<heed::discriminate::Own>;
