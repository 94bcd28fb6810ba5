#include "experiments/comprehend/experiment.h"

#include <algorithm>
#include <map>

#include "dialog/comprehend/score.h"
#include "dialog/comprehend/task.h"
#include "dialog/pretrained/encoder.h"
#include "dialog/text/format.h"
#include "experiments/engine/report/inference.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/report/verdicts.h"
#include "experiments/frozen_encoder_json.h"
#include "experiments/making_json.h"
#include "train/number_json.h"
#include "train/run_files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using comprehend::History;

struct Settings : SystemSettings {  // limit: passages of each file
  std::string init = {};
  bool fine_tune = false;
};

struct Data {
  comprehend::Parts parts;
  std::shared_ptr<pretrained::StateCache> states = std::make_shared<pretrained::StateCache>();
};

using Run = Subject<Settings, Data>;

struct Variant {
  VariantName name;
  int64_t turns;
  bool questions = true, answers = true, other = false;
};
// The first ones in the order of their turns; the others are compared with that of as many.
constexpr int64_t kMostTurns = 7;
const std::vector<Variant> kVariants = {
    {{"turns-0", "turns before", "0"}, 0},
    {{"turns-1", "turns before", "1"}, 1},
    {{"turns-2", "turns before", "2"}, 2},
    {{"turns-3", "turns before", "3"}, 3},
    {{"turns-4", "turns before", "4"}, 4},
    {{"turns-5", "turns before", "5"}, 5},
    {{"turns-6", "turns before", "6"}, 6},
    {{"turns-7", "turns before", "7"}, 7},
    {{"no-questions", "2 turns, without", "questions"}, 2, false, true},
    {{"no-answers", "2 turns, without", "answers"}, 2, true, false},
    {{"other-turns", "2 turns, of another", "passage"}, 2, true, true, true}};

// ---- training

comprehend::Settings settings_of(const Settings& s, size_t variant, uint64_t seed) {
  const Variant& v = kVariants[variant];
  const bool frozen = !s.init.empty() && !s.fine_tune;
  comprehend::Settings r = comprehend::Runs::preset(s.init.empty() ? "smoke"
                                                    : s.fine_tune  ? "fine-tuned"
                                                                   : "frozen");
  r.model.turns = v.turns;
  r.model.questions = v.questions;
  r.model.answers = v.answers;
  r.model.other_turns = v.other;
  r.model.frozen = frozen;
  r.model.width = s.width;
  r.init = s.init;
  copy_settings(s, seed, r);
  r.loop.pieces = std::max(s.pieces, comprehend::pieces_of(r));
  return r;
}

bool train_run(const Run& run, const TrainHooks& hooks) {
  const auto s = begin_system<comprehend::Runs>(
      run.directory, run, settings_of(run.settings, run.run.variant, run.run.seed), run.data.parts,
      hooks);
  comprehend::LoadedReader reader = comprehend::Runs::first(run.directory, s);
  reader.model.share(run.data.states);
  return comprehend::Runs::train(std::move(reader), run.directory, s, run.data.parts, run.device,
                                 hooks);
}

// ---- measuring

// Of each question its F1, under `prefix` + "items"; and the means.
void put(Json& json, const std::string& prefix, const comprehend::Corpus& corpus,
         const std::vector<std::vector<comprehend::Predicted>>& answers) {
  const auto texts = comprehend::texts_of(answers);
  const comprehend::Scores s = comprehend::measure(corpus, texts);
  json[prefix + "f1"] = s.f1;
  json[prefix + "exact"] = s.exact;
  json[prefix + "heq_q"] = or_null(s.heq_q);
  json[prefix + "heq_d"] = or_null(s.heq_d);
  json[prefix + "answerable"] = or_null(s.answerable);
  json[prefix + "unanswerable"] = or_null(s.unanswerable);
  Json items = Json::array();
  for (size_t p = 0; p < texts.size(); ++p) {
    for (size_t q = 0; q < texts[p].size(); ++q) {
      items.push_back(comprehend::measure(texts[p][q], corpus.passages[p].questions[q].answers,
                                          corpus.leave_one_out)
                          .f1);
    }
  }
  json[prefix + "f1_items"] = std::move(items);
}

void evaluate_run(const Run& run, const OnMeasuring& progress, Json& json) {
  comprehend::LoadedReader reader = comprehend::Runs::load(run.directory);
  move(reader.model, run.device);
  const comprehend::Corpus& test = run.data.parts.test;
  const auto read = comprehend::read_all(test, reader.pieces, reader.model.config());
  json["parameters"] = parameter_count(reader.model);
  for (size_t p = 0; p < read.size(); ++p) {
    for (size_t q = 0; q < read[p].questions.size(); ++q) json["passages"].push_back(p);
  }
  for (const History history : {History::kGold, History::kPredicted}) {
    const bool gold = history == History::kGold;
    // Measurements that concern the model alone.
    reader.model.share(gold ? run.data.states
                            : std::make_shared<pretrained::StateCache>(*run.data.states));
    put(json, gold ? "" : "predicted_", test,
        comprehend::answer_all(reader.model, reader.pieces, read, history, /*batch=*/16,
                               [&](int64_t done, int64_t of) {
                                 const double share =
                                     static_cast<double>(done) / static_cast<double>(of);
                                 progress("answers", (gold ? 0 : 0.5) + share / 2);
                               }));
  }
  // Below the F1 of no turns if the model's own answers keep less than half of the gain from gold
  // ones.
  const Json &gold = json["f1_items"], &own = json["predicted_f1_items"];
  Json half_kept = Json::array();
  for (size_t i = 0; i < own.size(); ++i) {
    half_kept.push_back(2 * own[i].get<double>() - gold[i].get<double>());
  }
  put_mean(json, "half_kept", std::move(half_kept));
}

// The F1 of each question of a reader that gets the last n gold turns before it, in their order or
// in another one.
std::vector<double> f1_with(const comprehend::LoadedReader& reader, const comprehend::Corpus& test,
                            const std::vector<comprehend::ReadPassage>& read, int64_t n,
                            bool shuffled) {
  std::vector<double> f1;
  for (size_t p = 0; p < read.size(); ++p) {
    std::vector<comprehend::TurnBefore> before;
    std::vector<comprehend::Asked> asked;
    for (size_t q = 0; q < read[p].questions.size(); ++q) {
      std::vector<comprehend::TurnBefore> last = last_of(before, n);
      if (shuffled) Rng(/*seed=*/1, "comprehend.shuffled", f1.size() + asked.size()).shuffle(last);
      asked.push_back(
          comprehend::asked(read[p], read[p].questions[q].question, last, reader.model.config()));
      before.push_back(read[p].turns[q]);
    }
    const auto answers = comprehend::answer(
        reader.model, asked, std::vector<const comprehend::ReadPassage*>(asked.size(), &read[p]));
    for (size_t q = 0; q < answers.size(); ++q) {
      f1.push_back(comprehend::measure(answers[q].answer.text,
                                       test.passages[p].questions[q].answers, test.leave_one_out)
                       .f1);
    }
  }
  return f1;
}

std::string last_turns(int64_t n) {
  return "last:" + std::to_string(n);
}

// read.json, of a reader that was trained with k turns before: its F1 with the last 0 to k of them,
// "last:N", with k in another order, "shuffled", and what the other order costs, "order".
const std::vector<std::string>& read_keys() {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> all;
    for (int64_t n = 0; n <= kMostTurns; ++n) all.push_back(last_turns(n));
    all.insert(all.end(), {"shuffled", "order"});
    return all;
  }();
  return kAll;
}

void measure_read(const Run& run, const OnMeasuring& progress, Json& json) {
  comprehend::LoadedReader reader = comprehend::Runs::load(run.directory);
  move(reader.model, run.device);
  reader.model.share(std::make_shared<pretrained::StateCache>(*run.data.states));
  const comprehend::Corpus& test = run.data.parts.test;
  const auto read = comprehend::read_all(test, reader.pieces, reader.model.config());
  const int64_t turns = reader.model.config().turns;
  std::map<std::string, std::vector<double>> f1;
  for (int64_t n = 0; n <= turns; ++n) {
    progress("turns", static_cast<double>(n) / static_cast<double>(turns + 1));
    f1[last_turns(n)] = f1_with(reader, test, read, n, false);
  }
  if (turns >= 2) {
    const auto &shuffled = f1["shuffled"] = f1_with(reader, test, read, turns, true),
               &last = f1[last_turns(turns)];
    for (size_t q = 0; q < last.size(); ++q) f1["order"].push_back(last[q] - shuffled[q]);
  }
  for (const std::string& key : read_keys()) put_mean(json, key, f1[key]);
}

// ---- the report

constexpr char kReport[] =
#include "comprehend_report.inc"
    ;

MeasuredRuns measured() {
  MeasuredRuns m{.clusters = "passages",
                 .values = {"parameters", "best_epoch", "epochs"},
                 .measures = means_of({"f1", "predicted_f1", "half_kept"})};
  for (const std::string prefix : {"", "predicted_"}) {
    for (const char* key : {"f1", "exact", "heq_q", "heq_d", "answerable", "unanswerable"}) {
      m.values.push_back(prefix + key);
    }
  }
  for (const std::string& name : read_keys()) {
    m.measures.push_back(mean_of("read." + name));
    m.measures.back().later = true;
  }
  m.comparison.baseline = [](size_t v) -> std::optional<size_t> {
    const Variant& of = kVariants[v];
    if (of.turns == 0) return {};
    return of.questions && of.answers ? 0 : static_cast<size_t>(of.turns);
  };
  return m;
}

// ---- the description

void visit(Settings& s, const OptionVisitor& v) {
  const char* group = "Readers";
  v(setting("init", "init",
            "Begin with the weights of this model or run: a BERT that heed import made; if not "
            "given, a small encoder starts from random weights",
            {.group = group}),
    &s.init);
  v(setting("fine-tune", "fine_tune",
            "Fine-tune the encoder; if not given, its weights stay as they are", {.group = group}),
    &s.fine_tune);
  show(v, group, {epochs_option(s.epochs)});
  v(line_of<comprehend::Settings>("cells", group), &s.width);
  show(v, group, {limit_option(s.limit, "Read only the first N dialogues (of each file); 0: all")});
}

void take(const ExperimentRequest&, Settings& s) {
  if (s.init.empty() && s.fine_tune) throw UsageError("--fine-tune needs --init");
  if (s.init.empty()) return;
  // An encoder that does not fit is to be known now.
  pretrained::Encoder e = pretrained::load_encoder(pretrained::encoder_folder(s.init));
  comprehend::SpanReader(settings_of(s, kMostTurns, /*seed=*/1).model, std::move(e.model), {0, 0});
}

const Making<Settings, Data> kMaking = {
    .initial = {{.epochs = 3}},
    .visit = visit,
    .take = take,
    .names = variant_names(kVariants),
    .load =
        [](const Settings& s, bool) {
          Data data{comprehend::read_parts({s.data}, s.limit)};
          comprehend::require_training(data.parts, s.data);
          comprehend::require_test(data.parts, s.data);
          return data;
        },
    .about_data = [](const Settings& s, const Data& data) -> Json {
      Json json = {{"checksum", data.parts.fingerprint()},
                   {"test_checksum", comprehend::fingerprint(data.parts.test)},
                   {"test_questions", data.parts.test.questions()},
                   {"left_out", data.parts.train.left_out}};
      if (!s.init.empty()) json["encoder_checksum"] = checksum_of(s.init);
      return json;
    },
    .in_short =
        [](const Settings&, const Data& data) {
          return counted(data.parts.train.questions(), "training question") + " and " +
                 std::to_string(data.parts.test.questions()) + " to test";
        },
    .train = train_run,
    .best_metric = comprehend::kValidF1,
    .measurements = {{"evaluation.json", evaluate_run}, {"read.json", measure_read}},
    .train_metric = comprehend::kTrainNll,
    .metric_name = "F1",
    .metric_digits = 3,
    .kind = [](const Settings& s, const Data&,
               size_t) { return std::string(s.init.empty() ? "drawn" : "pretrained"); }};

}  // namespace

std::vector<comprehend::TurnBefore> last_of(const std::vector<comprehend::TurnBefore>& before,
                                            int64_t n) {
  return {before.end() - std::min<int64_t>(n, std::ssize(before)), before.end()};
}

const Showing<>& comprehend_showing() {
  static const Showing<> kShowing = described(kReport, comprehend_variants(), measured());
  return kShowing;
}
std::vector<VariantName> comprehend_variants() {
  return variant_names(kVariants);
}

Experiment comprehend_experiment() {
  return experiment(
      {.name = "comprehend",
       .kind = "comprehend",
       .what = "Train eleven readers of dialogues that see more or fewer earlier questions, or "
               "others, and write tables",
       .more = "After Ohsugi et al. (2019), docs/comprehension.md. --data: questions with answers "
               "in the format of CoQA, QuAC, FriendsQA or Molweni.",
       .example = "--data friendsqa --init models/minilm",
       .only = "\"turns-0,no-*\""},
      kMaking, comprehend_showing);
}

}  // namespace heed
