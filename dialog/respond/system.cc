// The system "respond": response models, whose structures are its forms.
#include "dialog/respond/system.h"

#include "base/file.h"
#include "dialog/respond/encoder.h"
#include "dialog/respond/models/thred.h"
#include "dialog/respond/presets.h"
#include "dialog/respond/settings.h"
#include "dialog/respond/structures.h"
#include "dialog/respond/training.h"
#include "dialog/text/format.h"
#include "dialog/text/word_vectors.h"
#include "train/model_directory.h"

namespace heed {
namespace {

std::string limit_text(const TrainSettings& settings) {
  if (!settings.limit) return "an unknown --limit";
  return *settings.limit == 0 ? "no --limit" : "--limit " + std::to_string(*settings.limit);
}

}  // namespace

RespondTraining::RespondTraining(const std::string& preset, const std::string& form)
    : TrainingOf(suited_to(Structure::parse(form), find_preset(preset))) {
  s_.preset = preset;
  s_.limit = 0;
  s_.vocabulary = s_.model.vocab_size;
}

std::vector<Training::Folder> RespondTraining::folders() {
  return {{"init",
           "Begin with the weights of this model or run, where names and shapes are the same, and "
           "with its vocabulary; says which were taken and which were not",
           &s_.init}};
}

void refuse_without_effect(const TrainSettings& s,
                           const std::function<bool(const std::string& option)>& given) {
  const Structure& structure = s.model.structure;
  if (given("topics") && !s.topics_file.empty()) {
    throw UsageError("--topics: are as many as --topics-file has lines; leave the option out");
  }
  if (given("attention-weight") && s.attention_weight != 0 && !structure.attention) {
    throw UsageError("--attention-weight: " + std::string(structure.name) +
                     " has no attention scores for a loss to act on");
  }
  if (given("embed") && structure.family == Family::kTransformer &&
      s.model.embedding_size != s.model.hidden_size) {
    throw UsageError("--embed: the embeddings of a transformer are as wide as --hidden");
  }
}

void RespondTraining::complete() {
  refuse_without_effect(s_, given);
  // A sweep takes them: there they have an effect beside some values of the other option.
  const Structure& structure = s_.model.structure;
  if (given("attention-loss") && (!structure.attention || s_.attention_weight == 0)) {
    throw UsageError("--attention-loss: there is none, as " +
                     (structure.attention
                          ? "--attention-weight is 0"
                          : std::string(structure.name) + " has no attention scores"));
  }
  if (given("distractions") && s_.insert_prob == 0) {
    throw UsageError("--distractions: there are none, as --insert-prob is 0");
  }
  complete_settings(s_, given);
}

void RespondTraining::read(const Paths& data, const std::string& run) {
  const bool is_new = run.empty();
  if (is_new) s_.check();
  if (is_new && !s_.init.empty()) take_conditions();
  if (is_new) s_.examples.conditions = s_.model.conditions();
  const std::optional<Vocabulary> words =
      is_new ? words_of_init() : load_words(run, s_.model.vocab_size);
  if (is_new && words) s_.tokens = words->kind();
  data_ = load_train_data(data[0], s_.vocabulary_options(), s_.examples,
                          s_.limit.value_or(asked_limit_), words ? &*words : nullptr);
  if (!is_new) {
    return check_same_data(data_.fingerprint() == s_.data_fingerprint, data, run, limit_text(s_));
  }
  take_data(s_, data_);
  preset_batch_ = s_.loop.batch_size;
  if (!given("batch")) s_.loop.batch_size = batch_size_for(s_, data_.train.size());
}

void RespondTraining::prepare(const Talk& talk) {
  check_training(s_, data_);
  check_given();
  if (!s_.model.structure.tables || !s_.model.tables.empty()) return;
  talk.say("what " + std::string(s_.model.structure.name) +
           " needs is learned from the training dialogues first");
}

// What was asked for would have no effect with these data.
void RespondTraining::check_given() const {
  for (const auto& [option, condition] :
       {std::pair("sentiment", &s_.model.sentiment), {"domain", &s_.model.domain}}) {
    if (!given(option) || !condition->values.empty()) continue;
    throw DataError("--" + std::string(option) + " " + condition->label +
                    ": no training dialogue has this label");
  }
  const bool parts = s_.model.generic_words > 0 && s_.model.generic_words < s_.model.vocab_size;
  if (!s_.lexicon.empty() && !parts) {
    throw DataError(s_.lexicon +
                    ": no word of the vocabulary has a sentiment there, so there are "
                    "no two vocabularies");
  }
  for (const std::string option : {"gate", "gate-weight"}) {
    if (!given(option) || parts) continue;
    throw UsageError("--" + option + ": only applies with --lexicon, which makes two vocabularies");
  }
}

void RespondTraining::start(const std::string& run, const std::string& made_with) {
  s_ = with_tables(std::move(s_), data_);
  start_run(run, s_, data_.vocabulary, made_with);
}

void RespondTraining::describe(const std::string& run, bool is_new, const Talk& talk) const {
  const ModelConfig& m = s_.model;
  talk.say(std::string(m.structure.name) + ", " + counted(m.num_layers, "layer") + " x " +
           std::to_string(m.hidden_size) + ", vocabulary " + std::to_string(m.vocab_size) + ": " +
           size_of_model(parameter_count(m)));
  talk.say(std::to_string(data_.train.size()) + " training and " +
           counted(data_.valid.size(), "validation example") + ", " +
           counted(data_.left_out, "dialogue") + " left out (no response)");
  if (!is_new) return;
  if (!s_.init.empty()) say_taken(run, talk);
  if (s_.loop.batch_size < preset_batch_) {
    talk.say("batches of " + std::to_string(s_.loop.batch_size) + " instead of " +
             std::to_string(preset_batch_) + ", as these are few (--batch decides otherwise)");
  }
  for (const Condition* condition : {&s_.model.sentiment, &s_.model.domain}) {
    if (s_.model.conditions().empty() || !condition->values.empty()) continue;
    talk.note("no training dialogue has the label " + condition->label +
              ", so that the model cannot be asked for it");
  }
  if (given("attention-weight") && s_.attention_weight != 0 && !has_distractions(s_, data_)) {
    talk.note(
        "the attention loss has nothing to act on: nothing is inserted (--insert-prob 0), and no "
        "turn of the dialogues is marked as a distraction");
  }
}

std::string RespondTraining::step_text(const TrainProgress& p) const {
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, "perplexity %.1f  rate %g",
                value_of(p.metrics, kTrainPerplexity), p.rate);
  return numbers;
}

std::string RespondTraining::epoch_text(const EpochLog& e, bool best) const {
  const bool wrong = is_worse_than_a_guess(valid_perplexity(e), s_.model.vocab_size);
  char text[200];
  std::snprintf(text, sizeof text,
                "epoch %2d  loss %7.3f  train perplexity %s  valid perplexity %s  rate %g%s",
                e.epoch, e.loss, perplexity_text(train_perplexity(e)).c_str(),
                perplexity_text(valid_perplexity(e)).c_str(), e.rate,
                wrong  ? "  worse than a uniform guess"
                : best ? "  best"
                       : "");
  return text;
}

std::string RespondTraining::end_text(const std::string& run) const {
  const double best = best_perplexity(load_log(run));
  if (!is_worse_than_a_guess(best, s_.model.vocab_size)) return Training::end_text(run);
  char text[300];
  std::snprintf(text, sizeof text,
                "ended, but something went wrong: the best validation perplexity is %.4g, and a "
                "uniform guess among the words has %ld; try a smaller --rate, more dialogues or "
                "more epochs",
                best, static_cast<long>(s_.model.vocab_size));
  throw Error(text + (" (the model is in " + run + ")"));
}

// The rows of the tables of another model are those of its words.
std::optional<Vocabulary> RespondTraining::words_of_init() const {
  if (s_.init.empty()) return {};
  check_is_model(s_.init);
  for (const std::string option : {"vocab", "tokens", "min-count", "embeddings", "lexicon"}) {
    if (!given(option)) continue;
    throw UsageError("--" + option + ": with --init the words are those of " + s_.init +
                     "; leave the option out");
  }
  Vocabulary words = Vocabulary::load(file_inside(s_.init, "vocab.txt"));
  check_words(s_.init, words);
  return words;
}

// The tables of another model have rows for its labels, and their last words are its own.
void RespondTraining::take_conditions() {
  const ModelConfig from = load_config(s_.init);
  if (from.conditions().empty() || s_.model.conditions().empty()) return;
  s_.model.generic_words = from.generic_words;
  for (const auto& [own, its] : {std::pair(&s_.model.sentiment, &from.sentiment),
                                 std::pair(&s_.model.domain, &from.domain)}) {
    if (own->values.empty() && own->label == its->label) own->values = its->values;
  }
}

// What --init gave, and what it did not.
void RespondTraining::say_taken(const std::string& run, const Talk& talk) const {
  const TakenWeights weights = taken_weights(run, s_);
  talk.say(std::to_string(weights.taken.size()) + " of " +
           std::to_string(weights.taken.size() + weights.drawn.size()) +
           " parameters begin as in " + s_.init);
  const auto list = [&](const std::string& what, const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    if (!text.empty()) talk.say("  " + what + ": " + text);
  };
  list("drawn by the seed", weights.drawn);
  list("there, and of no use here", weights.unused);
}

namespace {

LoadedSystem load_response_model(const std::string& directory, const std::string& epoch) {
  LoadedModel model = load_epoch(directory, epoch);
  LoadedSystem loaded{.vocabulary = std::make_shared<Vocabulary>(std::move(model.vocabulary)),
                      .bounds = load_example_options(directory)};
  const std::shared_ptr<Responder> responder = std::move(model.model);
  loaded.module = responder;
  loaded.encoder = std::make_shared<ResponseEncoder>(*responder, *loaded.vocabulary);
  loaded.ranker = std::make_shared<ResponseRanker>(*responder, *loaded.vocabulary, loaded.bounds);
  return loaded;
}

}  // namespace

System respond_system() {
  return {.name = "respond",
          .what = "a response model",
          .can = {Capability::kRespond, Capability::kRank, Capability::kEncode},
          .load = load_response_model,
          .help = "Train a model that writes responses",
          .train = new_training<RespondTraining>,
          .presets = [] { return choice_of(presets(), "laptop", preset_table()); },
          .forms =
              [] {
                return choice_of(
                    structures(), "static-ui",
                    structure_names() +
                        ". A transformer takes adam, a warm-up of 200 steps and a fifth "
                        "of the preset's rate");
              },
          .files = files_of<TrainSettings>([](auto& s, auto& v) { visit_model(s.model, v); },
                                           [](auto& s, auto& v) { visit_run(s, v); }),
          .ranks = true};
}

void complete_settings(TrainSettings& s,
                       const std::function<bool(const std::string& option)>& given) {
  s.model.vocab_size = *s.vocabulary;
  if (!s.word_vectors.empty() && !given("embed")) {
    s.model.embedding_size = word_vector_width(s.word_vectors);
  }
  if (!given("min-rate")) s.loop.schedule.min_rate = s.loop.schedule.rate / 1000;
}

void take_data(TrainSettings& s, const TrainData& data) {
  s.model.vocab_size = data.vocabulary.size();
  if (!data.conditions.empty() && !s.model.conditions().empty()) {
    s.model.sentiment = data.conditions[0], s.model.domain = data.conditions[1];
  }
  if (data.generic_words > 0 && !s.lexicon.empty()) s.model.generic_words = data.generic_words;
  if (!s.topics_file.empty()) {
    s.model.tables = topics_of_file(s.topics_file, data.vocabulary);
    s.model.topics = s.model.table("topics.counts").shape()[1];
  }
  s.data_fingerprint = data.fingerprint();
}

int64_t batch_size_for(const TrainSettings& s, size_t examples) {
  constexpr int64_t kSteps = 100, kSmallest = 4;
  int64_t size = s.loop.batch_size;
  while (s.loop.optimizer.name == "adam" && size / 2 >= kSmallest &&
         static_cast<int64_t>(examples) < kSteps * size) {
    size /= 2;
  }
  return size;
}

}  // namespace heed
