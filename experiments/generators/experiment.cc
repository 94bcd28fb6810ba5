#include <filesystem>

#include "base/file.h"
#include "dialog/data/conversations.h"
#include "dialog/respond/presets.h"
#include "dialog/respond/system.h"
#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/generators/evaluation_json.h"
#include "experiments/making_json.h"

namespace heed::generators {
namespace {

using Json = nlohmann::ordered_json;

// Settings that know their paper from the beginning.
template <size_t P> struct Of : Settings {
  Of() { paper = P; }
};

std::vector<VariantName> variant_names(size_t p) {
  std::vector<VariantName> names;
  for (const Variant& v : paper(p).variants) names.push_back(v.name);
  return names;
}

TrainSettings settings_of(const Settings& s, const Variant& v) {
  TrainSettings t = suited_to(Structure::parse(v.structure), find_preset("smoke"));
  t.model.embedding_size = t.model.hidden_size = s.hidden;
  t.model.vocab_size = s.vocabulary;
  t.examples.all_positions = s.examples == "all";
  t.attention_weight = 0;
  t.loop.max_epochs = s.epochs;
  t.limit = s.limit;
  if (t.model.structure.has("lexicon")) t.lexicon = s.lexicon;
  paper(s.paper).prepare(t);
  v.edit(t);
  return t;
}

void take(const ExperimentRequest& request, Settings& s) {
  s.data = request.data;
  if (paper(s.paper).has_labels && s.lexicon.empty()) {
    throw UsageError("--lexicon FILE is required: which words are sentiment words");
  }
}

Data load(const Settings& s) {
  TrainSettings t = settings_of(s, paper(s.paper).variants[0]);
  t.examples.conditions = t.model.conditions();
  Data data;
  data.train = load_train_data(s.data, t.vocabulary_options(), t.examples, s.limit);
  t.examples.conditions = data.train.conditions;
  TestData test = load_test_data(s.data, data.train.vocabulary, t.examples, s.test_limit);
  data.test = std::move(test.examples);
  data.conversations = std::move(test.conversations);
  data.test_fingerprint = test.fingerprint;
  return data;
}

template <class S> bool train_run(const Subject<S, Data>& run, const TrainHooks& hooks) {
  const Variant& v = paper(run.settings.paper).variants[run.run.variant];
  const TrainData& data = run.data.train;
  TrainSettings t = settings_of(run.settings, v);
  take_data(t, data);
  t.loop.batch_size = batch_size_for(t, data.train.size());
  t.loop.seed = run.run.seed;
  begin_on_first(*hooks.ranks, [&] {
    if (v.players) words::save_settings(run.directory, *v.players);
    begin_run(run.directory, t, data);
  });
  if (v.players) return words::train(run.directory, t, *v.players, data, run.device, hooks);
  return train(run.directory, t, data, run.device, hooks);
}

void visit_all(Settings& s, const OptionVisitor& v) {
  const auto option = [&](const char* name, const char* help, const OptionValue& value,
                          double least, double most) {
    v(setting(name, name, help, {.group = "Models", .least = least, .most = most}), value);
  };
  option("epochs", "Epochs at most, of each training", &s.epochs, 1, 1000);
  option("hidden", "Hidden size, and that of embeddings", &s.hidden, 1, 4096);
  option("vocab", "Vocabulary size, special tokens included", &s.vocabulary, kSpecialTokens + 1,
         1000000);
  v(setting("examples", "examples",
            "last: a dialogue's last turn is the response; all: every turn that can be one",
            {.group = "Models", .words = {"last", "all"}}),
    &s.examples);
  option("limit", "Read only the first dialogues, of train and valid; 0: all", &s.limit, 0, 1e9);
  option("test-limit", "Only the first dialogues of the test part; 0: all", &s.test_limit, 0, 1e9);
  if (s.paper == kHredgan) {
    option("best-of", "The best of so many answers, each with noise", &s.best_of, 1, 10000);
  }
  if (paper(s.paper).has_labels) {
    v(setting("lexicon", "lexicon", "Words and their sentiment, as VADER has them",
              {.group = "Models"}),
      &s.lexicon);
  }
}

template <size_t P> const Making<Of<P>, Data>& making() {
  using S = Of<P>;
  static const Making<S, Data> kMaking = {
      .visit = [](S& s, const OptionVisitor& v) { visit_all(s, v); },
      .take = [](const ExperimentRequest& request, S& s) { generators::take(request, s); },
      .variants = [](const S&) { return variant_names(P); },
      .load = [](const S& s, bool reads) { return reads ? generators::load(s) : Data(); },
      .about_data = [](const S&, const Data& data) -> Json {
        return {{"train_examples", data.train.train.size()},
                {"valid_examples", data.train.valid.size()},
                {"test_examples", data.test.size()},
                {"vocabulary", data.train.vocabulary.size()},
                {"train_checksum", data.train.fingerprint()},
                {"test_checksum", data.test_fingerprint}};
      },
      .in_short =
          [](const S&, const Data& data) {
            return std::to_string(data.train.train.size()) + " training, " +
                   std::to_string(data.train.valid.size()) + " validation and " +
                   counted(data.test.size(), "test example");
          },
      .words = [](const Data& data) -> int64_t { return data.train.vocabulary.size(); },
      .train = train_run<S>,
      .about_variant = [](const S&, const Data&, size_t v) -> Json {
        return {{"variant", paper(P).variants[v].name.name}};
      },
      .best_metric = kValidPerplexity,
      .measurements = {{"evaluation.json",
                        [](const Subject<S, Data>& run, const OnMeasuring& progress, Json& json) {
                          evaluate(run.settings, run.data, paper(P).variants[run.run.variant],
                                   run.directory, run.device, progress, json);
                        }}},
      .train_metric = kTrainPerplexity,
      .valid_metric = kValidPerplexity,
      .metric_name = "perplexity",
      .kind = [](const S&, const Data&,
                 size_t v) { return std::string(paper(P).variants[v].structure); },
      .max_epochs = [](const S& s, size_t) { return s.epochs; }};
  return kMaking;
}

// ---- the report

struct Found {
  Results results;
  Inference inference;
};

Found load_found(size_t p, const std::string& folder) {
  ResultsLayout layout{.kind = paper(p).name,
                       .variants = variant_names(p),
                       .clusters = "conversations",
                       .values = measured_values(),
                       .items = {"nll", "tokens"},
                       .same = {"tokens"}};
  std::vector<Measure> measures = {
      {.key = "perplexity", .top = "nll", .bottom = "tokens", .exponential = true}};
  for (const std::string& name : measured_items()) {
    const std::string items = name + "_items";
    layout.items.push_back(items);
    measures.push_back({.key = name, .top = items, .bottom = items, .mean = true});
  }
  Results results = load_results(folder, layout);
  Inference inference(results, measures, {paper(p).compared, [](size_t v) {
                                            return v == 0 ? std::nullopt : std::optional<size_t>(0);
                                          }});
  return {std::move(results), std::move(inference)};
}

std::vector<Table> tables_of(size_t p, const Found& found) {
  std::vector<Table> tables;
  const std::string note = intervals_text(found.results, "conversations");
  for (const PaperTable& t : paper(p).tables) {
    Table& table = tables.emplace_back(
        Table{.id = t.id, .title = t.title, .note = t.note + " " + note, .columns = t.columns});
    add_variants(table, found.results, found.inference);
  }
  Table changes{.id = "changes",
                .title = "Against " + paper(p).variants[0].name.label,
                .note = note + p_values_text(found.inference)};
  for (const Column& column : paper(p).tables[0].columns) {
    const auto& compared = paper(p).compared;
    if (std::find(compared.begin(), compared.end(), column.key) != compared.end()) {
      changes.columns.push_back(column);
    }
  }
  add_changes(changes, found.results, found.inference);
  tables.push_back(std::move(changes));
  tables.push_back(trainings_table(found.results, kValidPerplexity, "perplexity"));
  return tables;
}

template <size_t P> const Showing<Found>& showing() {
  static const Showing<Found> kShowing = [] {
    Showing<Found> s = {.title = paper(P).title,
                        .lead = paper(P).more,
                        .footer = paper(P).footer,
                        .claims_title = "Do the paper's claims hold here?",
                        .claims_note = paper(P).claims_note,
                        .load = [](const std::string& folder) { return load_found(P, folder); },
                        .tables = [](const Found& found) { return tables_of(P, found); },
                        .claims =
                            [](const Found& found) {
                              return check_claims(paper(P).claims, paper(P).numbers,
                                                  {{"means", mean_numbers(found.results)}});
                            }};
    for (const PaperTable& t : paper(P).tables) {
      s.sections.push_back({t.id, t.title, shows(t.id, true)});
    }
    s.sections.push_back({"changes", "Is it more than chance?", shows("changes", true)});
    return s;
  }();
  return kShowing;
}

template <size_t P> Experiment row() {
  const Paper& p = paper(P);
  return experiment({.name = p.name,
                     .kind = p.name,
                     .what = p.what,
                     .more = p.more,
                     .example = "--data data/ubuntu-sample",
                     .only = p.only},
                    making<P>(), showing<P>());
}

}  // namespace

Experiment hredgan_experiment() {
  return row<kHredgan>();
}
Experiment thred_experiment() {
  return row<kThred>();
}
Experiment keywords_experiment() {
  return row<kKeywords>();
}
Experiment expressive_experiment() {
  return row<kExpressive>();
}

}  // namespace heed::generators
