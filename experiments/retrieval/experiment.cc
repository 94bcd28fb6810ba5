#include "experiments/retrieval/experiment.h"

#include <algorithm>
#include <cmath>

#include "dialog/data/conversations.h"
#include "dialog/parts/vector_ranker.h"
#include "dialog/retrieve/keyword.h"
#include "dialog/retrieve/map.h"
#include "dialog/retrieve/metrics.h"
#include "dialog/retrieve/pool.h"
#include "dialog/retrieve/task.h"
#include "dialog/stats/roc.h"
#include "dialog/system.h"
#include "dialog/text/format.h"
#include "experiments/frozen_encoder_json.h"
#include "experiments/making_json.h"
#include "train/run_files.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using retrieve::Lists;

struct Settings : SystemSettings {
  int64_t pool = 1000;
  std::string pretrained = {};  // a model that encodes
};

struct Data {
  DataPart train, valid, test;
  std::vector<retrieve::Pair> pairs;  // of test
  std::vector<int> conversations;     // of each pair
};

using Run = Subject<Settings, Data>;
using Edit = void (*)(retrieve::Settings&);

struct Variant {
  VariantName name;
  Edit edit;
  double share = 1;  // of the training dialogues
};

void as_it_is(retrieve::Settings&) {}
template <int K> void shared(retrieve::Settings& s) {
  s.negatives = "shared:" + std::to_string(K);
}

const std::vector<Variant>& variants() {
  static const std::vector<Variant> kAll = {
      {{"base", "as Swanson et al.", "base"}, as_it_is},
      {{"hinge", "loss", "hinge"}, [](retrieve::Settings& s) { s.loss = "hinge"; }},
      {{"negatives-100", "negatives", "100"}, shared<100>},
      {{"negatives-10", "negatives", "10"}, shared<10>},
      {{"data-25", "data", "25 %"}, as_it_is, 0.25},
      {{"data-10", "data", "10 %"}, as_it_is, 0.1},
      {{"sru", "encoder", "sru"}, [](retrieve::Settings& s) { s.model.encoder = "sru"; }},
      {{"lstm", "encoder", "lstm"}, [](retrieve::Settings& s) { s.model.encoder = "lstm"; }},
      {{"hierarchical", "encoder", "hierarchical"},
       [](retrieve::Settings& s) { s.model.encoder = "hierarchical"; }},
      {{"bag", "encoder", "bag"}, [](retrieve::Settings& s) { s.model.encoder = "bag"; }},
      {{"sim", "frozen encoder", "cosine", false}, as_it_is},
      {{"map", "frozen encoder", "map", false, /*of_seeds=*/true}, as_it_is}};
  return kAll;
}

// ---- data and training

Data load_data(const Settings& s, bool) {
  Data data;
  for (auto [name, part] :
       {std::pair("train", &data.train), {"valid", &data.valid}, {"test", &data.test}}) {
    part->path = find_part(s.data, name);
    part->dialogues = read_dialogues(part->path, s.limit);
  }
  data.pairs = retrieve::make_pairs(data.test.dialogues, {.all_positions = true}, true);
  if (data.pairs.empty()) throw DataError(data.test.path + ": " + no_example({}));
  std::vector<size_t> places;
  for (const retrieve::Pair& pair : data.pairs) places.push_back(pair.dialogue);
  data.conversations = conversations(data.test.dialogues, places);
  return data;
}

retrieve::Settings settings_of(const Settings& s, size_t variant, uint64_t seed) {
  const Variant& v = variants()[variant];
  retrieve::Settings r = retrieve::Runs::preset("repository");
  r.model.encoder = "weighted-bag";
  r.model.dropout = 0.2;
  r.negatives = "shared:200";
  copy_settings(s, seed, r);
  v.edit(r);
  return r;
}

bool train_run(const Run& run, const TrainHooks& hooks) {
  const retrieve::Settings s = settings_of(run.settings, run.run.variant, run.run.seed);
  const auto first = run.data.train.dialogues.begin();
  const auto all = static_cast<double>(run.data.train.dialogues.size());
  const double share = std::max(1.0, std::floor(variants()[run.run.variant].share * all));
  const DataPart train{run.data.train.path, {first, first + static_cast<ptrdiff_t>(share)}};
  return train_system<retrieve::Runs>(run.directory, run, s,
                                      retrieve::make_train_data(train, run.data.valid, s), hooks);
}

// ---- measuring
// Scores of each list: a number for each of its candidates, the right one first.
using Scores = std::vector<std::vector<double>>;

Scores scores_of(const Ranker& ranker, const Data& data, const Lists& lists) {
  std::vector<RankQuery> queries;
  for (size_t i = 0; i < lists.size(); ++i) {
    queries.push_back({context_turns(data.test.dialogues, lists.pair(i)), lists.candidates(i)});
  }
  return ranker.score(lists.texts(), queries, /*batch=*/64).of_queries;
}

Json firsts(const Scores& scores) {
  Json items = Json::array();
  for (const auto& of : scores) {
    items.push_back(retrieve::Ranks({.scores = of, .right = {0}}).recall(1));
  }
  return items;
}

Json whitelist_json(const Run& run, const Ranker& ranker, const std::vector<std::string>& pool,
                    const std::string& name) {
  const std::string file = in(run.directory, (name + ".txt").c_str());
  write_file(file, retrieve::pool_lines(pool));
  const auto said = retrieve::response_texts(run.data.test.dialogues, run.data.pairs);
  Json json = {{"coverage", retrieve::coverage(pool, said)}};
  for (const std::string kind : {"whitelist", "covered"}) {
    try {
      const Lists lists(run.data.test.path, run.data.test.dialogues, run.data.pairs,
                        retrieve::parse_list_kind(kind + ":" + file));
      Json of_lists;
      put_mean(of_lists, "first", firsts(scores_of(ranker, run.data, lists)));
      json[kind] = of_lists["first"];
    } catch (const DataError&) {  // covers nothing
      json[kind] = Json();
    }
  }
  return json;
}

// With this many candidates; TF-IDF and BM25 beside it.
void measure_lists(const Data& data, const Ranker& ranker, retrieve::WordStatistics& words,
                   int64_t size, Json& json) {
  const Lists lists(data.test.path, data.test.dialogues, data.pairs,
                    {.from = retrieve::ListKind::From::kRandom, .size = size});
  const Scores scores = scores_of(ranker, data, lists);
  put_mean(json, "first_of_" + std::to_string(size), firsts(scores));
  if (size == 10) return;
  const Scores tf_idf =
      keyword_scores(data.test.dialogues, lists, retrieve::Keywords::kTfIdf, words, false);
  if (size == 1000)
    return put_mean(json, "filtered_of_1000", firsts(retrieve::filtered(scores, tf_idf, 100)));
  put_mean(json, "tf_idf", firsts(tf_idf));
  put_mean(
      json, "bm25",
      firsts(keyword_scores(data.test.dialogues, lists, retrieve::Keywords::kBm25, words, false)));
  std::vector<double> right, wrong;
  Json reciprocal = Json::array();
  for (const auto& of : scores) {
    reciprocal.push_back(retrieve::Ranks({.scores = of, .right = {0}}).reciprocal());
    right.push_back(of[0]);
    wrong.insert(wrong.end(), of.begin() + 1, of.begin() + 11);  // ten negatives a context
  }
  put_mean(json, "mrr", std::move(reciprocal));
  json["auc_05"] = areas(right, wrong, {0.05})[0];
}

void evaluate_run(const Run& run, const OnMeasuring& progress, Json& json) {
  const Data& data = run.data;
  const auto training = retrieve::make_pairs(data.train.dialogues, {.all_positions = true}, true);
  const bool frozen = !variants()[run.run.variant].name.trained;
  LoadedSystem loaded = load_system(frozen ? run.settings.pretrained : run.directory);
  move(*loaded.module, run.device);
  if (frozen) {
    loaded.ranker =
        std::make_shared<CosineRanker>(loaded.encoder, loaded.bounds, loaded.vocabulary);
  }
  const auto& unmapped = dynamic_cast<const VectorRanker&>(*loaded.ranker);
  std::optional<retrieve::MappedRanker> mapped;
  if (variants()[run.run.variant].name.name == "map") {
    progress("map", 0);
    mapped.emplace(retrieve::learn_map(unmapped, data.train.dialogues, training, run.run.seed));
  }
  const VectorRanker& ranker = mapped ? *mapped : unmapped;
  retrieve::WordStatistics words(data.train.dialogues, training);
  json["parameters"] = parameter_count(*loaded.module);
  json["conversations"] = data.conversations;
  double done = 0;
  for (const int64_t size : {10, 100, 1000}) {
    progress("lists of " + std::to_string(size), done += 0.2);
    try {
      measure_lists(data, ranker, words, size, json);
    } catch (const DataError&) {  // there are fewer different responses
      for (const char* name : {"first_of_10", "first_of_100", "first_of_1000", "filtered_of_1000",
                               "tf_idf", "bm25", "mrr"}) {
        if (!json.contains(name)) put_mean(json, name, Json::array());
      }
      if (!json.contains("auc_05")) json["auc_05"] = Json();
    }
  }
  const auto said = retrieve::response_texts(data.train.dialogues, training);
  const auto size = static_cast<size_t>(run.settings.pool);
  progress("whitelists", 0.8);
  json["frequency"] = whitelist_json(run, ranker, retrieve::most_frequent(said, size), "frequency");
  json["clusters"] = whitelist_json(
      run, ranker, retrieve::most_frequent_of_clusters(said, size, ranker, /*seed=*/1), "clusters");
}

// ---- the description

constexpr char kReport[] =
#include "retrieval_report.inc"
    ;

void visit(Settings& s, const OptionVisitor& v) {
  show(v, "Rankers", s, "Size of a word's embedding, and of a text's vector",
       {{"pool", "Number of texts in the whitelists", &s.pool, 2, 1e6}});
  v(setting("pretrained", "",
            "Directory of a pretrained encoder (heed import), or of another model that encodes: "
            "measure it too, as it is: the cosine of its vectors (sim), and of a map learned on "
            "them (map). Can be added to a finished folder",
            {.group = "Rankers"}),
    &s.pretrained);
}

const Making<Settings, Data> kMaking = {
    .initial = {{.epochs = 3, .vocabulary = 8000}},
    .visit = visit,
    .take =
        [](const ExperimentRequest&, Settings& s) {
          if (!s.pretrained.empty()) require(s.pretrained, Capability::kEncode);
        },
    .names = retrieval_variants(),
    .variants =
        [](const Settings& s) {
          auto names = retrieval_variants();
          if (s.pretrained.empty()) {
            std::erase_if(names, [](const VariantName& name) { return !name.trained; });
          }
          return names;
        },
    .load = load_data,
    .about_data = [](const Settings&, const Data& data) -> Json {
      return {{"train_checksum", fingerprint(data.train.dialogues)},
              {"test_checksum", fingerprint(data.test.dialogues)},
              {"test_responses", data.pairs.size()}};
    },
    .begin =
        [](const std::string& out, const Settings& s, const Data&) {
          if (s.pretrained.empty()) return;
          keep_encoder(out, s.pretrained, {{"encoder", encoder_name(s.pretrained)}});
        },
    .in_short =
        [](const Settings&, const Data& data) {
          return counted(data.train.dialogues.size(), "training dialogue") + " and " +
                 counted(data.pairs.size(), "test response");
        },
    .train = train_run,
    .best_metric = retrieve::kValidFirst,
    .measurements = {{"evaluation.json", evaluate_run}},
    .train_metric = retrieve::kTrainFirst,
    .metric_name = "R@1",
    .metric_digits = 3,
    .kind = [](const Settings& s, const Data&,
               size_t v) { return settings_of(s, v, 1).model.encoder; }};

}  // namespace

const std::vector<VariantName>& retrieval_variants() {
  static const auto kNames = variant_names(variants());
  return kNames;
}

const Showing<>& retrieval_showing() {
  static const Showing<> kShowing =
      described(kReport, retrieval_variants(),
                {.clusters = "conversations",
                 .values = {"auc_05", "parameters", "best_epoch", "epochs"},
                 .measures = means_of({"first_of_10", "first_of_100", "first_of_1000", "mrr",
                                       "tf_idf", "bm25", "filtered_of_1000"})});
  return kShowing;
}

Experiment retrieval_experiment() {
  return experiment({.name = "retrieval",
                     .what = "Train ten rankers, test the claims of three papers, and write tables",
                     .more = "After Henderson et al., Swanson et al. and Gunasekara et al. (2019), "
                             "docs/retrieval.md.",
                     .example = "--data data/ubuntu-sample",
                     .only = "\"base,negatives-*\""},
                    kMaking, retrieval_showing);
}

}  // namespace heed
