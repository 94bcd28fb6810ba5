// heed rank: how well scorers tell the response to a context from others.
#include <algorithm>

#include "base/path.h"
#include "dialog/respond/evaluate.h"
#include "dialog/retrieve/keyword.h"
#include "dialog/retrieve/map.h"
#include "dialog/retrieve/score_file.h"
#include "dialog/system.h"
#include "experiments/measure/measure_json.h"
#include "heed/bundled.h"
#include "heed/command.h"
#include "heed/inputs.h"
#include "heed/pool.h"
#include "heed/progress.h"
#include "heed/rank.h"

namespace heed {
namespace {

using retrieve::Lists;
using retrieve::ScoredList;

struct RankOptions : CommandOptions {
  std::vector<std::string> scorers;
  std::string data, train, model, lists, out, json, test_sets, pool;
  std::string examples = "last", context = "all", mean_length = "documents";
  size_t limit = 0, filter = 0;
  std::optional<int> min_turns;

  bool has(const char* scorer) const {
    return std::find(scorers.begin(), scorers.end(), scorer) != scorers.end();
  }
  bool counts_words() const { return has("tf-idf") || has("bm25") || filter > 0; }
  bool test() const { return has("model"); }  // heed rank test
  bool encodes() const { return has("sim") || has("map") || test(); }
  bool trains() const { return counts_words() || has("map"); }
};

// ---- heed rank baseline

bool has_candidates(const std::vector<Dialogue>& dialogues) {
  return std::any_of(dialogues.begin(), dialogues.end(), [](const Dialogue& dialogue) {
    return std::any_of(dialogue.turns.begin(), dialogue.turns.end(),
                       [](const Turn& turn) { return !turn.notes->candidates.empty(); });
  });
}

// With --lists given, the shortest context has one turn, as in the published lists.
ExampleOptions example_options(const RankOptions& o) {
  ExampleOptions options{.all_positions = o.examples == "all"};
  options.min_turns = o.min_turns.value_or(o.lists == "given" ? 2 : kMinTurns);
  return options;
}

RankedPart make_part(const RankOptions& o, const std::string& path,
                     std::vector<Dialogue> dialogues) {
  return {path, std::move(dialogues), example_options(o), o.context == "all"};
}

RankedPart read_train(const RankOptions& o) {
  const std::string path = find_dialogues(o.train.empty() ? o.data : o.train, "train");
  return make_part(o, path, read_dialogues(path));
}

// The kind of lists that the data provide, unless --lists asks for another.
RankedPart read_data(RankOptions& o) {
  const std::string path = find_dialogues(o.data, "test");
  std::vector<Dialogue> dialogues =
      read_dialogues(path, {.limit = o.limit, .progress = {}, .notes = true});
  if (o.lists.empty()) o.lists = has_candidates(dialogues) ? "given" : "stride:100";
  return make_part(o, path, std::move(dialogues));
}

// The model as a ranker, or for sim and map the vectors that it makes.
LoadedSystem load_ranker(const RankOptions& o) {
  LoadedSystem loaded = open_model(o.model, o.test() ? Capability::kRank : Capability::kEncode,
                                   Device::parse(o.common->device));
  if (o.test() || dynamic_cast<const VectorRanker*>(loaded.ranker.get())) return loaded;
  loaded.ranker = std::make_shared<CosineRanker>(loaded.encoder, loaded.bounds, loaded.vocabulary);
  return loaded;
}

void check(const RankOptions& o) {
  if (!o.lists.empty()) retrieve::parse_list_kind(o.lists);
  if (!o.trains()) {
    refuse_given(*o.command, "--train",
                 o.test() ? "with --filter" : "to tf-idf, bm25 and map, and with --filter");
  }
  if (o.trains() && o.train.empty() && !is_folder(o.data)) {
    throw UsageError(
        "tf-idf, bm25 and --filter count words in training dialogues, and map learns from them: "
        "give --train FILE or DIR, or --data DIR (its train part)");
  }
  if (o.test()) {
    require(o.model, Capability::kRank);
    if (!o.test_sets.empty()) refuse_given(*o.command, "--out", "without --test");
    if (!o.test_sets.empty()) refuse_given(*o.command, "--filter", "without --test");
    if (o.test_sets.empty()) refuse_given(*o.command, "--pool", "with --test");
    return;
  }
  if (!o.has("bm25")) refuse_given(*o.command, "--mean-length", "to bm25");
  if (!o.encodes()) refuse_given(*o.command, "--model", "to sim and map");
  if (o.encodes() && o.model.empty()) {
    throw UsageError("sim and map need --model: a model that encodes");
  }
  if (o.encodes()) require(o.model, Capability::kEncode);
  if (!o.out.empty() && o.scorers.size() != 1) {
    throw UsageError("--out writes the scores of a single scorer");
  }
}

void write_lists(const JsonOutput& file, const std::vector<ScoredList>& lists) {
  std::string lines;
  for (const ScoredList& list : lists) lines += score_line(list);
  file.write_text(lines);
}

Json inputs_json(const RankOptions& o, const RankedPart& part,
                 const std::optional<RankedPart>& train) {
  return {{"data", part.to_json()},
          {"train", train ? train->to_json() : Json()},
          {"model", o.model.empty() ? Json() : Json(o.model)},
          {"model_fingerprint", o.model.empty() ? Json() : weights_fingerprint(o.model)},
          {"limit", o.limit},
          {"examples", o.examples},
          {"context", o.context},
          {"min_turns", example_options(o).min_turns},
          {"mean_length", o.mean_length},
          {"filter", o.filter},
          {"seed", o.common->seed}};
}

retrieve::MappedRanker learned_map(const RankOptions& o, const Ranker& ranker,
                                   const RankedPart& train) {
  Progress progress;
  retrieve::MappedRanker mapped =
      retrieve::learn_map(dynamic_cast<const VectorRanker&>(ranker), train.dialogues, train.pairs,
                          o.common->seed, show_counts(progress, "text", "map: "));
  progress.done();
  return mapped;
}

ListScores scores_of(const std::string& scorer, const RankOptions& o, const Ranker* ranker,
                     const RankedPart& part, const Lists& lists,
                     const std::optional<RankedPart>& train,
                     std::optional<retrieve::WordStatistics>& words) {
  const auto says = [&](const Ranker& ranker) {
    const std::string& name = o.test() ? o.model : scorer;
    Ranker::Scores scores = scores_of(ranker, name, lists, contexts_of(part, lists));
    note_remark(name, scores);
    return std::move(scores.of_queries);
  };
  if (scorer == "map") return says(learned_map(o, *ranker, *train));
  if (scorer == "sim" || o.test()) return says(*ranker);
  const auto kind = scorer == "bm25" ? retrieve::Keywords::kBm25 : retrieve::Keywords::kTfIdf;
  return keyword_scores(part.dialogues, lists, kind, *words, o.mean_length == "responses");
}

// The attention of a ranker that has one, beside its scores in --out.
void put_attention(const Ranker& ranker, const RankedPart& part, const Lists& lists,
                   std::vector<ScoredList>& scored) {
  VectorRanker::Contexts contexts;
  for (const MarkedContext& context : contexts_of(part, lists)) {
    contexts.push_back(context.utterances);
  }
  const std::vector<VectorRanker::Look> looks = looks_of(ranker, contexts);
  for (size_t i = 0; i < looks.size(); ++i) scored[i].attention = attention_scores(looks[i]);
}

// The contexts as a ranker that reads only their ends reads them; it becomes one that reads them
// whole, with what is inserted.
std::vector<MarkedContext> read_contexts(const RankOptions& o, const RankedPart& part,
                                         const Lists& lists,
                                         std::shared_ptr<const Ranker>& ranker) {
  std::vector<MarkedContext> contexts = contexts_of(part, lists);
  const auto bounded = std::dynamic_pointer_cast<const VectorRanker>(ranker);
  const auto whole = bounded ? bounded->unbounded() : nullptr;
  if (!whole) return contexts;
  size_t cut = 0;
  for (MarkedContext& context : contexts) {
    context.utterances = bounded->kept(context.utterances, &cut);
  }
  if (cut > 0) {
    note(o.model + ": " + counted(cut, "context") +
         " cut before anything is inserted: the last words or pieces are kept");
  }
  ranker = whole;
  return contexts;
}

// heed rank test --test; adds the sets and the pool to the inputs.
std::vector<RankedSetRow> test_sets(const RankOptions& o, std::shared_ptr<const Ranker> ranker,
                                    const RankedPart& part, const Lists& lists, Json& inputs) {
  const std::vector<TestSet> sets = select_test_sets(o.test_sets);
  std::vector<Dialogue> pool;
  for (const TestSet& set : sets) inputs["test"].push_back(set.name);
  if (!needs_pool(sets)) {
    refuse_given(*o.command, "--pool", "to random: test sets");
  } else {
    const bool own = o.pool.empty() && !is_folder(o.data);
    const std::string path =
        own ? part.path : find_dialogues(o.pool.empty() ? o.data : o.pool, "train");
    pool = own ? part.dialogues : read_dialogues(path);
    inputs["pool"] = file_json(path, pool);
  }
  const std::vector<MarkedContext> contexts = read_contexts(o, part, lists, ranker);
  std::vector<RankedSet> ranked;
  std::string said;
  for (const TestSet& set : sets) {
    RankedSet& of =
        ranked.emplace_back(RankedSet{set.name, unscored(part, lists, o.examples == "all")});
    const auto marked = distracted(contexts, set, pool, o.common->seed);
    Ranker::Scores scores = scores_of(*ranker, o.model, lists, marked);
    if (scores.remark != said) note_remark(o.model, scores);  // that of one set holds for others
    said = scores.remark;
    VectorRanker::Contexts texts;
    for (size_t i = 0; i < marked.size(); ++i) {
      of.lists[i].scores = std::move(scores.of_queries[i]);
      texts.push_back(marked[i].utterances);
    }
    const std::vector<VectorRanker::Look> looks = looks_of(*ranker, texts);
    for (size_t i = 0; i < looks.size(); ++i) {
      of.looks.push_back(look_score(looks[i], marked[i].distraction));
    }
  }
  return measure_sets(ranked, o.common->seed);
}

void baseline(RankOptions& o) {
  find_data(o.data, *o.command);
  check(o);
  start(*o.common);
  const JsonOutput output(o.json), scores_file(o.out);
  const RankedPart part = read_data(o);
  const RankedLists ranked(part, o.lists, o.common->seed);
  ranked.say(part.path);
  const Lists& lists = ranked.lists;
  LoadedSystem loaded;
  if (o.encodes()) loaded = load_ranker(o);
  if (!o.test_sets.empty()) {
    Json inputs = inputs_json(o, part, {});
    const std::vector<RankedSetRow> rows = test_sets(o, loaded.ranker, part, lists, inputs);
    if (!output.to_stdout()) print_text(sets_table(rows, results_width()));
    if (!output.wanted()) return;
    return output.write(
        o, {{"inputs", inputs}, {"lists", ranked.to_json()}, {"test_sets", to_json(rows)}});
  }
  std::optional<RankedPart> train;
  std::optional<retrieve::WordStatistics> words;
  if (o.trains()) train = read_train(o);
  if (o.counts_words()) words.emplace(train->dialogues, train->pairs);
  std::optional<ListScores> of_words;  // of --filter
  if (o.filter > 0) {
    of_words = keyword_scores(part.dialogues, lists, retrieve::Keywords::kTfIdf, *words, false);
  }
  std::vector<ScoredList> scored = unscored(part, lists, o.examples == "all");
  std::vector<Ranking> rows;
  for (const std::string& scorer : o.scorers) {
    ListScores scores = scores_of(scorer, o, loaded.ranker.get(), part, lists, train, words);
    if (o.filter > 0) scores = retrieve::filtered(std::move(scores), *of_words, o.filter);
    for (size_t i = 0; i < scored.size(); ++i) scored[i].scores = std::move(scores[i]);
    rows.push_back(measure_ranking(scorer, scored, o.common->seed));
  }
  if (!o.out.empty()) {
    if (o.test()) put_attention(*loaded.ranker, part, lists, scored);
    write_lists(scores_file, scored);
  }
  rows.push_back(chance_ranking(std::move(scored), o.common->seed));
  if (!output.to_stdout() && !scores_file.to_stdout())
    print_text(rankings_table(rows, false, results_width()));
  if (!output.wanted()) return;
  output.write(o, {{"inputs", inputs_json(o, part, train)},
                   {"lists", ranked.to_json()},
                   {"scorers", to_json(rows)}});
}

constexpr const char* kSeedOfRanks = "Seed of random lists and of the intervals";

void declare_inputs(RankOptions& o, CLI::App& c) {
  c.add_option("--data", o.data,
               "Dialogues: a data directory (its test part is read), or a file, JSON Lines, plain "
               "or gzip. If not given: the bundled sample");
  option(c, "--limit", o.limit, "Read only the first N dialogues (of --data); 0: all");
  c.add_option(
      "--lists", o.lists,
      "How lists are made. given: the candidates in the data; stride:N: batches of N responses, "
      "far from each other; random:N: other responses drawn by --seed, frequent ones more often; "
      "whitelist:FILE: the texts of a pool and the response; covered:FILE: the texts of a pool "
      "that contains the response. If not given: given if the data have candidates, else "
      "stride:100");
  option(c, "--examples", o.examples,
         "last: a dialogue's last turn is the response; all: every turn from the third (or "
         "--min-turns) on",
         one_of({"last", "all"}));
  option(c, "--context", o.context, "all: the turns before the response; last: the last one",
         one_of({"all", "last"}));
  option(c, "--filter", o.filter,
         "Rank only the N candidates of a list that tf-idf puts first; the others come after them, "
         "all equal (subtask 2 of DSTC7, with --lists stride:RESPONSES). 0: rank all",
         whole_number(0, 1'000'000'000));
  c.add_option("--train", o.train,
               "Dialogues in which tf-idf, bm25 and --filter count words and from which map "
               "learns: a data directory (its train part), or a file. If not given: the train part "
               "of a --data directory");
  c.add_option("--min-turns", o.min_turns,
               "Leave out shorter dialogues. If not given: 3, and 2 with --lists given")
      ->check(whole_number(2, 1000000));
  c.add_option(
      "--out", o.out,
      "Write the scores of each list to this file, one list a line, the right response "
      "first, with the attention scores of the utterances of a ranker that has them; - for "
      "standard output");
  add_json(c, o.json);
}

void add_baseline(CLI::App& rank) {
  const auto [c, o] = declare<RankOptions>(
      rank, "baseline", "Rank by untrained scorers: common words, or the cosine of vectors",
      "Scorers:\n"
      "  tf-idf  cosine of word counts, with more weight on rare words\n"
      "  bm25    Okapi's sum over the words of the context\n"
      "  sim     cosine of the vectors of an encoder: one that `heed import` made, or a response "
      "model\n"
      "  map     the same after a linear map of the contexts' vectors, learned from 10,000 "
      "training responses\n"
      "Candidates with equal scores share their ranks. Percent; intervals are 95 %, by a "
      "bootstrap over conversations.\n"
      "Examples:\n"
      "  heed rank baseline tf-idf bm25 --data data/ubuntu-sample\n"
      "  heed rank baseline sim --model models/minilm --data data/ubuntu-sample\n"
      "  heed rank baseline bm25 --data mutual-dev.jsonl.gz --train mutual-train.jsonl.gz",
      {.seed = kSeedOfRanks}, baseline);
  c.add_option("scorer", o.scorers, "tf-idf, bm25, sim or map")
      ->required()
      ->check(one_of({"tf-idf", "bm25", "sim", "map"}));
  c.add_option("--model", o.model, "Directory of a run or a model: the encoder of sim and map");
  option(c, "--mean-length", o.mean_length,
         "The mean length with which bm25 compares lengths: of all documents (contexts and "
         "responses), or of the responses",
         one_of({"documents", "responses"}));
  declare_inputs(o, c);
}

// Like a baseline, but with a trained scorer.
void add_test(CLI::App& rank) {
  const auto [c, o] = declare<RankOptions>(
      rank, "test", "Measure a model that ranks, by the same numbers",
      "Example:\n"
      "  heed train retrieval --data data/ubuntu-sample --preset smoke --out runs/ranker\n"
      "  heed rank test --model runs/ranker --data data/ubuntu-sample\n"
      "  heed rank test --model runs/ranker --data data/ubuntu-sample --test none,random,rare\n"
      "change: the change of MRR from the first test set. P(right): the softmax of the scores of "
      "a list.",
      {.seed = kSeedOfRanks}, baseline);
  o.scorers = {"model"};
  c.add_option("--model", o.model, "Directory of a run or a model (one that ranks)")->required();
  c.add_option(
      "--test", o.test_sets,
      "Test sets with distractions in the contexts, as in heed evaluate (a trained ranker cuts "
      "contexts before): all, none, random:P, frequent:PLACE, rare:PLACE, separated by commas. "
      "Shows R@1, MRR, P(right), AS and DAS ratio of each set instead of the scores");
  c.add_option(
      "--pool", o.pool,
      "Dialogues from which random: draws distractions: a data directory (its train part), or a "
      "file. If not given: the train part of a --data directory, else --data");
  declare_inputs(o, c);
}

}  // namespace

void add_rank(CLI::App& app) {
  CLI::App* rank = app.add_subcommand(
      "rank", "Measure how well scorers choose the response to a context from several candidates");
  rank->require_subcommand(1)->fallthrough();
  rank->footer(
      "R@k: how often the right response is among the first k. MRR: the mean of 1 / its rank. "
      "AUC: how often it scores higher than a wrong one; AUC@p: the same while at most a share p "
      "of the wrong ones is accepted (chance: p / 2). docs/retrieval.md goes through it.\n"
      "Example:\n"
      "  heed rank baseline tf-idf bm25 --data data/ubuntu-sample");
  add_baseline(*rank);
  add_test(*rank);
  add_rank_scores(*rank);
  add_pools(*rank);
}

}  // namespace heed
