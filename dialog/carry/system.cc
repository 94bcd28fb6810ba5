// The system "carryover": which values of a dialogue still hold.
#include "dialog/carry/task.h"
#include "dialog/system_runs.h"
#include "dialog/text/format.h"
#include "train/setting_rules.h"

namespace heed::carry {
namespace {

Settings sized(int64_t words, int64_t width, int64_t heads, int64_t head_size, int epochs) {
  Settings s;
  s.model.vocab_size = words;
  s.model.embedding_size = s.model.hidden_size = width;
  s.model.heads = heads;
  s.model.head_size = head_size;
  s.loop = adam_loop(32, epochs, 0.001, /*stop_after=*/3);
  return s;
}

class CarryoverTraining : public pretrained::TrainingOnWords<Own> {
 public:
  using TrainingOnWords::TrainingOnWords;

  void describe(const std::string& run, bool, const Talk& talk) const override {
    const Config& m = s_.model;
    const std::string order = m.decoder == kPointer ? ", order " + m.order : "";
    talk.say(run + ": " + m.decoder + order + ", " + std::to_string(m.vocab_size) + " words, " +
             std::to_string(m.hidden_size) + " cells in each direction");
    talk.say(counted(data_.train.size(), "training item") + " and " +
             std::to_string(data_.valid.size()) + " to validate");
    if (data_.empty > 0) {
      talk.note("left out: " + counted(data_.empty, "training item") + " without a candidate");
    }
  }
};

// A context as the turns of two speakers in turn.
std::vector<int32_t> tokens_of(const std::vector<std::vector<int32_t>>& context, int32_t words) {
  std::vector<int32_t> tokens;
  for (size_t u = 0; u < context.size(); ++u) {
    const bool other = (context.size() - 1 - u) % 2 == 1;
    tokens.push_back(words + other);
    tokens.insert(tokens.end(), context[u].begin(), context[u].end());
    tokens.push_back(kEou);
  }
  return tokens;
}

LoadedSystem load_model(const std::string& directory, const std::string& epoch) {
  const auto model = Runs::of_epoch(directory, epoch);
  LoadedSystem loaded = without_bounds(model);
  loaded.vocabulary = {model, &model->vocabulary};
  loaded.tagger = annotator(model);
  loaded.encoder = make_encoder(  // its vector is [fwd_T; bwd_1]
      2 * model->model.config().hidden_size,
      [model](const std::string& text) { return encode_utterance(text, model->vocabulary); },
      [model](const ExamplePointers& batch) {
        std::vector<std::vector<int32_t>> contexts;
        for (const Example* e : batch) {
          contexts.push_back(tokens_of(e->context, model->vocabulary.size()));
        }
        return model->model.contexts(pack(contexts, model->model.device()));
      });
  return loaded;
}

}  // namespace

void Settings::check() const {
  model.check();
  pretrained::check_init(model.words.encoder, init);
  loop.check();
  check_values("carryover", *this, [](auto& s, auto& v) { visit_training(s, v); });
}

std::vector<PresetOf<Settings>> Own::presets() {
  Settings smoke = sized(2000, 32, 2, 8, 2), paper = sized(25000, 300, 80, 64, 40);
  smoke.loop.schedule.rate = 0.005;
  smoke.model.dropout = 0.1;
  paper.loop.schedule.stop_after = 0;
  return {
      {"smoke", smoke, "32 wide; under a minute on small data"},
      {"laptop", sized(10000, 128, 4, 16, 10), "128 wide, 4 heads of 16"},
      {"paper", paper, "Chen et al.: 300 wide, 80 heads of 64, 40 epochs; days on a processor"}};
}

TrainData Own::read(const Paths& data, const Settings& s, const std::string& run) {
  return load_train_data(data[0], s, words_of(run, s.model.vocab_size));
}

System carryover_system() {
  return trained<CarryoverTraining, Own>(
      {.can = {Capability::kTag, Capability::kEncode},
       .load = load_model,
       .rules = annotator(nullptr),
       .help = "Train a model to say which values of a dialogue still hold",
       .footer =
           "--data is a directory of items, which heed prepare carryover makes: dialogues, the "
           "values mentioned in them, and which of these hold at the last turn. The best model by "
           "F1 on the validation part is kept. docs/carryover.md goes through it.\n"
           "Examples:\n"
           "  heed train carryover --data data/sgd-items --preset laptop --share 0.1 --out "
           "runs/carry\n"
           "  heed train carryover --data data/sgd-items --decoder pointer --order turn "
           "--out runs/pointer"});
}

}  // namespace heed::carry

template struct heed::RunsOf<heed::carry::Own>;
