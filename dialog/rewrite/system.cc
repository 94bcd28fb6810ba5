// The system "gaps": what does a turn leave out?
#include "dialog/rewrite/task.h"
#include "dialog/system_runs.h"
#include "dialog/text/format.h"

namespace heed::rewrite {
namespace {

Settings sized(int64_t words, int64_t embedding, int64_t hidden, double rate, int epochs) {
  Settings s;
  s.model.vocab_size = words + kSpecialTokens;
  s.model.embedding_size = embedding;
  s.model.hidden_size = hidden;
  s.loop = adam_loop(32, epochs, rate, /*stop_after=*/3);
  return s;
}

class GapTraining : public pretrained::TrainingOnWords<Own> {
 public:
  using TrainingOnWords::TrainingOnWords;

  void describe(const std::string& run, bool, const Talk& talk) const override {
    talk.say(run + ": " + std::to_string(s_.model.hidden_size) +
             " cells in each direction, vocabulary " + std::to_string(s_.model.vocab_size) +
             ", learns " + (s_.loss.learn == "both" ? "to detect and to rank" : s_.loss.learn));
    size_t gaps = 0, answered = 0;
    for (const GapExample& e : data_.train) {
      for (const Gap& gap : e.gaps) ++gaps, answered += e.answer(gap).has_value();
    }
    talk.say(counted(data_.train.size(), "training turn") + " with " + counted(gaps, "gap") +
             ", of which " + std::to_string(answered) + " are filled from the context; " +
             std::to_string(data_.valid.size()) + " to validate");
    if (data_.left_out == 0) return;
    talk.note(counted(data_.left_out, "dialogue") + " left out: no context, or a turn of more " +
              "than " + std::to_string(s_.model.bounds.max_turn) + " words or Chinese characters");
  }
};

std::vector<int32_t> numbers_of(const std::string& utterance, const Vocabulary& words) {
  std::vector<int32_t> ids;
  for (const std::string& unit : units(utterance)) ids.push_back(words.id_of_word(unit));
  if (ids.empty()) ids = {kUnk};
  return ids;
}

// The last states of the reader in both directions.
Var vectors_of(const GapModel& model, const ExamplePointers& batch) {
  std::vector<std::vector<int32_t>> sequences;
  for (const Example* e : batch) {
    auto& ids = sequences.emplace_back();
    for (const auto& utterance : e->context) {
      ids.insert(ids.end(), utterance.begin(), utterance.end());
      ids.push_back(kEou);
    }
  }
  return model.read(sequences).last;
}

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  const auto gaps = Runs::of_epoch(directory, epoch);
  LoadedSystem loaded = without_bounds(gaps);
  loaded.tagger =
      annotator(gaps, is_begun(directory) ? Runs::settings(directory).loss : LossSettings());
  loaded.encoder = make_encoder(
      2 * gaps->model.config().hidden_size,
      [gaps](const std::string& text) { return numbers_of(text, gaps->vocabulary); },
      [gaps](const ExamplePointers& batch) { return vectors_of(gaps->model, batch); });
  return loaded;
}

}  // namespace

void Settings::check() const {
  model.check();
  pretrained::check_init(model.words.encoder, init);
  loss.check();
  loop.check();
}

std::vector<PresetOf<Settings>> Own::presets() {
  return {{"paper", sized(200'000, 200, 512, 0.0003, 20),
           "the printed sizes, 512 cells in each direction; hours"},
          {"laptop", sized(10'000, 128, 128, 0.002, 12), "128 cells in each direction; minutes"},
          {"smoke", sized(5'000, 32, 32, 0.005, 3), "32 cells in each direction; about a minute"}};
}

TrainData Own::read(const Paths& data, const Settings& s, const std::string& run) {
  const Reading reading{.limit = s.limit, .notes = true};
  return make_train_data(read_part(data[0], "train", reading), read_part(data[0], "valid", reading),
                         s, words_of(run, s.model.vocab_size));
}

System gaps_system() {
  return trained<GapTraining, Own>(
      {.can = {Capability::kTag, Capability::kEncode},
       .load = load_model,
       .help = "Train a model that finds what a turn leaves out, and fills it from the context",
       .footer =
           "The dialogues have a label \"rewritten\" on their last turn, as heed prepare rewriting "
           "(Chinese) and heed prepare gaps (English) write it. The best model by the loss on the "
           "validation part is kept. docs/gaps.md goes through it.\n"
           "Example:\n"
           "  heed train gaps --data data/rewriting --preset smoke --out runs/gaps"});
}

}  // namespace heed::rewrite

template struct heed::RunsOf<heed::rewrite::Own>;
