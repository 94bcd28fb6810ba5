#include "experiments/gaps/experiment.h"

#include "dialog/data/conversations.h"
#include "dialog/rewrite/rewriter.h"
#include "dialog/rewrite/task.h"
#include "dialog/text/format.h"
#include "experiments/making_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using rewrite::GapExample;
using rewrite::Outcome;
using rewrite::Rewrite;

using Settings = SystemSettings;
struct Data {
  DataPart train, valid, test;
  uint32_t checksum = 0;  // of all three, with the full forms
};
using Run = Subject<Settings, Data>;

struct Variant {
  VariantName name;
  void (*edit)(rewrite::Settings&);
};
const std::vector<Variant>& variants() {
  static const std::vector<Variant> kAll = {
      {{"both", "learns", "both at once"}, [](rewrite::Settings&) {}},
      {{"detect", "learns", "to detect"}, [](rewrite::Settings& s) { s.loss.learn = "detect"; }},
      {{"rank", "learns", "to rank"}, [](rewrite::Settings& s) { s.loss.learn = "rank"; }},
      {{"no-positions", "learns", "both, without positions"},
       [](rewrite::Settings& s) { s.model.positions = false; }}};
  return kAll;
}

rewrite::Settings settings_of(const Settings& s, size_t variant, uint64_t seed) {
  rewrite::Settings r = rewrite::Runs::preset("laptop");
  r.loop.schedule.rate = 0.003;
  copy_settings(s, seed, r);
  variants()[variant].edit(r);
  return r;
}

Data load_data(const Settings& s, bool) {
  const Reading reading{.limit = s.limit, .notes = true};
  Data data{read_part(s.data, "train", reading), read_part(s.data, "valid", reading),
            read_part(s.data, "test", reading), 0};
  // What a run would refuse is refused before the folder is begun.
  for (const DataPart* part : {&data.train, &data.valid, &data.test}) {
    const auto examples = rewrite::gap_examples(part->path, part->dialogues, {}, Vocabulary(),
                                                /*labelled=*/true);
    data.checksum = rewrite::fingerprint(examples, data.checksum);
  }
  std::erase_if(data.test.dialogues,
                [](const Dialogue& d) { return !rewrite::gap_example(d, {}, Vocabulary()); });
  return data;
}

bool train_run(const Run& run, const TrainHooks& hooks) {
  const rewrite::Settings s = settings_of(run.settings, run.run.variant, run.run.seed);
  return train_system<rewrite::Runs>(
      run.directory, run, s, rewrite::make_train_data(run.data.train, run.data.valid, s), hooks);
}

// ---- measuring

// So many irrelevant turns are inserted before the turn; 0: the test part as it is.
constexpr int kMostInserted = 2;

// "with_1." begins the names of its numbers; "" where nothing is inserted.
std::string inserted_prefix(int inserted) {
  return inserted == 0 ? "" : "with_" + std::to_string(inserted) + ".";
}

// A number for each example, under `name`.
template <class Of>
void put_items(Json& json, const std::string& name, const std::vector<Outcome>& all, Of of) {
  Json& items = json[name] = Json::array();
  for (const Outcome& o : all) items.push_back(of(o));
}

// What P@k is of;
void put_ranked(Json& json, const std::vector<Outcome>& all) {
  put_items(json, "p1_hits", all, [](const Outcome& o) { return o.among[0]; });
  put_items(json, "p3_hits", all, [](const Outcome& o) { return o.among[2]; });
  put_items(json, "answered_items", all, [](const Outcome& o) { return o.answered; });
}
// and whether a turn is written out exactly.
void put_exact(Json& json, const std::vector<Outcome>& all) {
  put_items(json, "exact_items", all, [](const Outcome& o) { return static_cast<int>(o.exact); });
}

void put(Json& json, const rewrite::Measured& m, const std::vector<Outcome>& all, bool detects,
         bool ranks) {
  const auto value = [](bool has, double x) { return has ? Json(x) : Json(); };
  const auto label = [&](const char* name, const Tally& t) {
    json[name] = {{"precision", value(detects, t.precision())},
                  {"recall", value(detects, t.recall())},
                  {"f1", value(detects, t.f1())}};
  };
  label("border", m.border);
  label("pronoun", m.pronoun);
  json["f1"] = value(detects, m.both.f1());
  for (size_t k = 0; k < rewrite::kBest; ++k) {
    json["p" + std::to_string(k + 1)] = value(ranks, m.at[k]);
  }
  json["exact"] = value(detects && ranks, m.exact);
  json["bleu"] = value(detects && ranks, m.bleu);
  json["answered"] = m.answered;
  const std::vector<Outcome> none;
  const auto& found = detects ? all : none;
  const auto& ranked = ranks ? all : none;
  const auto labels = [](const Outcome& o, auto of) {
    return of(o.of_label[rewrite::kBorder]) + of(o.of_label[rewrite::kPronoun]);
  };
  put_items(json, "f1_hits", found,
            [&](const Outcome& o) { return labels(o, [](const Tally& t) { return 2 * t.hits; }); });
  put_items(json, "f1_all", found, [&](const Outcome& o) {
    return labels(o, [](const Tally& t) { return t.decided + t.right; });
  });
  put_ranked(json, ranked);
  put_exact(json, detects && ranks ? all : none);
}

// What P@1 loses from `before`, of the turns of which an inserted turn fills no further gap.
void put_lost(Json& json, const std::vector<Outcome>& before, const std::vector<Outcome>& after) {
  Json& items = json["p1_lost_items"] = Json::array();
  int64_t lost = 0, answered = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const bool same = before[i].answered == after[i].answered;
    const int64_t less = before[i].among[0] - after[i].among[0];
    items.push_back(same ? Json(less) : Json());
    if (same) lost += less, answered += before[i].answered;
  }
  json["p1_lost"] =
      answered > 0 ? Json(static_cast<double>(lost) / static_cast<double>(answered)) : Json();
}

std::vector<GapExample> test_examples(const Run& run, const rewrite::LoadedGaps& gaps,
                                      int inserted) {
  // A longer context, so that inserted turns push nothing out of it.
  rewrite::Bounds bounds = gaps.model.config().bounds;
  bounds.max_context *= 2;
  return gap_examples(run.data.test.path,
                      with_inserted(run.data.test.dialogues, run.data.train.dialogues, inserted),
                      bounds, gaps.vocabulary, /*labelled=*/true);
}

void measure_rules(const Run& run, const rewrite::LoadedGaps& gaps,
                   const std::vector<GapExample>& test, Json& json) {
  const rewrite::Rules rules(gap_examples(run.data.train.path, run.data.train.dialogues,
                                          gaps.model.config().bounds, gaps.vocabulary, true));
  for (const auto& [name, rule] : rewrite::kRules) {
    const std::vector<Rewrite> texts = rules.rewrite(rule, test);
    const rewrite::Measured m = measured(test, texts, texts);
    json[name] = {{"p1", m.at[0]}, {"p3", m.at[2]}, {"exact", m.exact}, {"bleu", m.bleu}};
    const std::vector<Outcome> all = outcomes(test, texts, texts);
    put_ranked(json[name], all);
    put_exact(json[name], all);
  }
}

void evaluate_run(const Run& run, const OnMeasuring& progress, Json& json) {
  rewrite::LoadedGaps gaps = rewrite::Runs::load(run.directory);
  move(gaps.model, run.device);
  const rewrite::LossSettings loss = rewrite::Runs::settings(run.directory).loss;
  json["parameters"] = heed::parameter_count(gaps.model);
  std::vector<Outcome> before;
  for (int inserted = 0; inserted <= kMostInserted; ++inserted) {
    progress(std::to_string(inserted) + " turns inserted", 0.3 * inserted);
    const std::vector<GapExample> test = test_examples(run, gaps, inserted);
    const auto found = rewrite::rewrite(gaps.model, test, false, 32),
               given = rewrite::rewrite(gaps.model, test, true, 32);
    const std::vector<Outcome> all = outcomes(test, found, given);
    const std::string prefix = inserted_prefix(inserted);
    Json& of = inserted == 0 ? json : json[prefix.substr(0, prefix.size() - 1)];
    put(of, measured(test, found, given), all, loss.detects(), loss.ranks());
    if (inserted == 0) {
      std::vector<size_t> places;
      for (size_t i = 0; i < test.size(); ++i) places.push_back(i);
      json["conversations"] = conversations(run.data.test.dialogues, places);
      measure_rules(run, gaps, test, json["rules"]);
      before = all;
      continue;
    }
    put_lost(of, loss.ranks() ? before : std::vector<Outcome>(), all);
  }
}

// ---- the report

constexpr char kReport[] =
#include "gaps_report.inc"
    ;

MeasuredRuns measured() {
  MeasuredRuns m{.clusters = "conversations", .values = {"parameters", "best_epoch", "epochs"}};
  for (const std::string label : {"border.", "pronoun."}) {
    for (const char* number : {"precision", "recall", "f1"}) m.values.push_back(label + number);
  }
  const auto add = [&](const std::string& key, const std::string& top, const std::string& bottom,
                       bool later = false) {
    m.measures.push_back(
        {.key = key, .top = top, .bottom = bottom, .mean = top == bottom, .later = later});
  };
  for (const std::string rule : {"rules.copy.", "rules.nearest.", "rules.frequent."}) {
    m.values.push_back(rule + "bleu");
    add(rule + "p1", rule + "p1_hits", rule + "answered_items", /*later=*/true);
    add(rule + "p3", rule + "p3_hits", rule + "answered_items", /*later=*/true);
    add(rule + "exact", rule + "exact_items", rule + "exact_items", /*later=*/true);
  }
  for (int inserted = 0; inserted <= kMostInserted; ++inserted) {
    const std::string in = inserted_prefix(inserted);
    m.values.insert(m.values.end(), {in + "p2", in + "bleu", in + "answered"});
    add(in + "f1", in + "f1_hits", in + "f1_all");
    add(in + "p1", in + "p1_hits", in + "answered_items");
    add(in + "p3", in + "p3_hits", in + "answered_items");
    add(in + "exact", in + "exact_items", in + "exact_items");
    if (inserted > 0) add(in + "p1_lost", in + "p1_lost_items", "answered_items");
  }
  return m;
}

// ---- the description

void visit(Settings& s, const OptionVisitor& v) {
  show(v, "Models", s, "Size of a word's embedding, and cells in each direction");
}

const Making<Settings, Data> kMaking = {
    .initial = {.epochs = 6, .vocabulary = 6000},
    .visit = visit,
    .names = gap_variants(),
    .load = load_data,
    .about_data = [](const Settings&, const Data& data) -> Json {
      return {{"train_checksum", fingerprint(data.train.dialogues)},
              {"test_checksum", fingerprint(data.test.dialogues)},
              {"checksum", data.checksum},
              {"test_turns", data.test.dialogues.size()}};
    },
    .in_short =
        [](const Settings&, const Data& data) {
          return counted(data.train.dialogues.size(), "training turn") + " and " +
                 counted(data.test.dialogues.size(), "test turn");
        },
    .train = train_run,
    .best_metric = rewrite::kValidLoss,
    .measurements = {{"evaluation.json", evaluate_run}},
    .train_metric = rewrite::kTrainLoss,
    .metric_name = "loss",
    .metric_digits = 3};

}  // namespace

std::vector<Dialogue> with_inserted(std::vector<Dialogue> dialogues,
                                    const std::vector<Dialogue>& others, int inserted) {
  for (size_t d = 0; d < dialogues.size(); ++d) {
    Rng rng(1, "gaps.inserted", d);
    std::vector<Turn>& turns = dialogues[d].turns;
    for (int i = 0; i < inserted; ++i) {
      const Turn& said = others[rng.below(others.size())].turns[0];
      turns.insert(turns.end() - 1, {said.speaker, said.text, true});
    }
  }
  return dialogues;
}

const std::vector<VariantName>& gap_variants() {
  static const auto kNames = variant_names(variants());
  return kNames;
}

const Showing<>& gaps_showing() {
  static const Showing<> kShowing = described(kReport, gap_variants(), measured());
  return kShowing;
}

Experiment gaps_experiment() {
  return experiment({.name = "gaps",
                     .what = "Train four models of gaps, test a paper's claims, and write tables",
                     .more = "After Yang et al. (2019), docs/gaps.md. The dialogues come from "
                             "heed prepare rewriting or heed prepare gaps.",
                     .example = "--data data/rewriting",
                     .only = "\"both,no-*\""},
                    kMaking, gaps_showing);
}

}  // namespace heed
