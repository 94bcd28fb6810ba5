#include "experiments/comprehend/experiment.h"

#include <algorithm>

#include "dialog/comprehend/score.h"
#include "dialog/comprehend/task.h"
#include "dialog/text/format.h"
#include "experiments/engine/report/inference.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/report/verdicts.h"
#include "experiments/making_json.h"
#include "train/run_files.h"

namespace heed {
namespace {

using namespace readers;
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
  bool questions = true, answers = true;
};
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
    {{"no-answers", "2 turns, without", "answers"}, 2, true, false}};

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
  const auto or_null = [](double x) { return x < 0 ? Json() : Json(x); };
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

// ---- the report

Findings load_found(const std::string& folder) {
  ResultsLayout layout{.kind = "comprehend", .variants = variant_names(kVariants)};
  layout.clusters = "passages";
  layout.values = {"parameters", "best_epoch", "epochs"};
  std::vector<Measure> measures;
  for (const std::string prefix : {"", "predicted_"}) {
    for (const char* key : {"f1", "exact", "heq_q", "heq_d", "answerable", "unanswerable"}) {
      layout.values.push_back(prefix + key);
    }
    measures.push_back({.key = prefix + "f1",
                        .top = prefix + "f1_items",
                        .bottom = prefix + "f1_items",
                        .mean = true});
  }
  measures.push_back(
      {.key = "half_kept", .top = "half_kept_items", .bottom = "half_kept_items", .mean = true});
  return load_findings(folder, layout, measures,
                       {{"f1", "predicted_f1"}, [](size_t v) -> std::optional<size_t> {
                          if (v == kNone) return {};
                          return v >= kNoQuestions ? kTwo : kNone;
                        }});
}

std::vector<Table> tables(const Findings& found) {
  const auto column = [](const char* group, const char* name, const char* key) {
    return Column{group, name, key, 1, true, Column::Best::kHighest};
  };
  Table scores{.id = "scores",
               .title = "Turns before the question",
               .note = "Percent, on the test part. Gold and own: the answers before a question. " +
                       intervals_text(found.results, "passages")};
  scores.columns = {column("gold", "F1", "f1"),
                    column("gold", "EM", "exact"),
                    column("gold", "HEQ-Q", "heq_q"),
                    column("gold", "HEQ-D", "heq_d"),
                    column("own", "F1", "predicted_f1"),
                    column("own", "EM", "predicted_exact"),
                    column("gold, F1 of", "answerable", "answerable"),
                    column("gold, F1 of", "unanswerable", "unanswerable")};
  Table changes{.id = "changes",
                .title = "What the turns before change",
                .note = "Against none; of the rows without questions or answers against 2 turns. " +
                        intervals_text(found.results, "passages") + p_values_text(found.inference)};
  changes.columns = {column("", "F1, gold", "f1"), column("", "F1, own", "predicted_f1")};
  add_changes(changes, found.results, found.inference);
  return {of_variants(scores, found), changes,
          trainings_table(found.results, comprehend::kValidF1, "F1 of the validation", 3, true)};
}

const std::vector<AboveClaim> kClaims = {
    {"The turns before help.", "F1 with two turns > with none.", {{kTwo, "f1", kNone}}},
    {"More than two turns give no more.",
     "F1 with two turns > with three, less half a point.",
     {{.variant = kTwo, .key = "f1", .than = kThree, .by = -0.005}}},
    {"The answers before matter more than the questions.",
     "Of two turns, F1 without questions > without answers.",
     {{kNoQuestions, "f1", kNoAnswers}}},
    {"The model's own answers take most of it back.",
     "F1 with none > twice that of own answers less that of gold ones, with two turns: less than "
     "half of the gain is kept.",
     {{kNone, "f1", kTwo, "half_kept"}}}};

const Showing<> kShowing = {
    .title = "Questions on dialogues, and the turns before them",
    .lead = "Readers that see 0 to 7 questions and answers before the one that they answer.",
    .footer =
        "After Ohsugi, Saito, Nishida, Asano &amp; Tomita, <cite>A simple but effective method "
        "to incorporate multi-turn context with BERT</cite>, 2019.",
    .variants_are = "readers",
    .claims_title = "Do the paper's claims hold here?",
    .claims_note =
        "\"Paper\" are its numbers on the development part of QuAC, with BERT trained "
        "further. The questions of FriendsQA and Molweni are no conversation: each was "
        "written for itself, so that little can be learned from those before.",
    .load = load_found,
    .tables = tables,
    .rules = kClaims,
    .paper = paper_numbers("comprehend", variant_names(kVariants)),
    .sections = {{"scores", "Turns before the question", shows("scores", true)},
                 {"changes", "What they change", shows("changes", true)}}};

// ---- the description

size_t questions_of(const comprehend::Corpus& corpus) {
  size_t count = 0;
  for (const comprehend::Passage& p : corpus.passages) count += p.questions.size();
  return count;
}

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
  v(setting("cells", "width", "Cells of a direction of the two GRUs",
            {.group = group, .least = 1, .most = 4096}),
    &s.width);
  show(v, group, {limit_option(s.limit, "Read only the first N dialogues (of each file); 0: all")});
}

const Making<Settings, Data> kMaking = {
    .initial = {{.epochs = 3}},
    .visit = visit,
    .take =
        [](const ExperimentRequest&, Settings& s) {
          if (s.init.empty() && s.fine_tune) throw UsageError("--fine-tune needs --init");
        },
    .names = variant_names(kVariants),
    .load =
        [](const Settings& s, bool) {
          Data data{comprehend::read_parts({s.data}, s.limit)};
          if (questions_of(data.parts.test) > 0) return data;
          throw DataError(s.data + ": no questions to test" +
                          (s.limit > 0
                               ? "; give a larger --limit: two of ten passages are test passages"
                               : ""));
        },
    .about_data = [](const Settings&, const Data& data) -> Json {
      return {{"checksum", data.parts.fingerprint()},
              {"test_questions", questions_of(data.parts.test)},
              {"left_out", data.parts.train.left_out}};
    },
    .in_short =
        [](const Settings&, const Data& data) {
          return counted(questions_of(data.parts.train), "training question") + " and " +
                 std::to_string(questions_of(data.parts.test)) + " to test";
        },
    .train = train_run,
    .best_metric = comprehend::kValidF1,
    .measurements = {{"evaluation.json", evaluate_run}},
    .train_metric = comprehend::kTrainNll,
    .metric_name = "F1",
    .metric_digits = 3,
    .kind = [](const Settings& s, const Data&,
               size_t) { return std::string(s.init.empty() ? "drawn" : "pretrained"); }};

}  // namespace

const Showing<>& comprehend_showing() {
  return kShowing;
}
std::vector<VariantName> comprehend_variants() {
  return variant_names(kVariants);
}

Experiment comprehend_experiment() {
  return experiment(
      {.name = "comprehend",
       .kind = "comprehend",
       .what = "Train ten readers of dialogues that see more or fewer earlier questions, and "
               "write tables",
       .more = "After Ohsugi et al. (2019), docs/comprehension.md. --data: questions with answers "
               "in the format of CoQA, QuAC, FriendsQA or Molweni.",
       .example = "--data friendsqa --init models/minilm",
       .only = "turns-0, \"no-*\""},
      kMaking, kShowing);
}

}  // namespace heed
