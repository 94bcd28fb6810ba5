#include <cstdio>
#include <filesystem>
#include <optional>

#include "dialog/evaluate.h"
#include "dialog/render.h"
#include "dialog/run.h"
#include "heed/commands.h"
#include "heed/decode_flags.h"
#include "heed/progress.h"
#include "tensor/file.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct Options {
  CommonPtr common;
  std::string model, baseline, data, pool, test = "random:1.0", html;
  std::vector<std::string> ids, names;
  size_t count = 3, limit = 0;
  int64_t batch = 32;
  PhraseText phrases;
  DecodeFlags decode;
};

// The data, and how examples are made of it: the same for all models.
struct Data {
  std::vector<Dialogue> dialogues, pool;
  ExampleOptions bounds;
  PhraseText phrases;
  TestSet test;
  uint64_t seed;
};

// The data in the numbers of a vocabulary. What is inserted where is the same for any vocabulary.
struct Encoded {
  Encoded(const Data& data, const Vocabulary& vocabulary)
      : examples(make_examples(data.dialogues, vocabulary, data.bounds)),
        pool(make_pool(data.pool, vocabulary, data.bounds.max_utterance_tokens)),
        phrases(encode_phrases(data.phrases, vocabulary)) {}

  std::vector<Example> examples;
  Pool pool;
  Phrases phrases;
};

// A vocabulary of all words, so that people see words where the models see <unk>.
Vocabulary all_words(const Data& data) {
  TokenCounts counts = count_tokens(data.dialogues);
  Dialogue phrases;
  for (const auto* texts : {&data.phrases.frequent, &data.phrases.rare}) {
    for (const std::string& text : *texts) phrases.turns.push_back({"", text, false});
  }
  for (const auto& more : {count_tokens(data.pool), count_tokens({phrases})}) {
    for (const auto& [token, count] : more) counts[token] += count;
  }
  return Vocabulary::build(counts, {.max_size = 10000000, .min_count = 1});
}

// The places of the examples to show.
std::vector<size_t> choose(const Options& o, const std::vector<Example>& examples) {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < examples.size() && chosen.size() < o.count && o.ids.empty(); ++i) {
    chosen.push_back(i);
  }
  for (const std::string& id : o.ids) {
    const size_t before = chosen.size();
    for (size_t i = 0; i < examples.size(); ++i) {
      if (examples[i].id == id || examples[i].dialogue_id == id) chosen.push_back(i);
    }
    if (chosen.size() == before) throw DataError(o.data + ": no dialogue '" + id + "' to show");
  }
  return chosen;
}

std::vector<Example> pick(const std::vector<Example>& examples, const std::vector<size_t>& places) {
  std::vector<Example> result;
  for (size_t i : places) result.push_back(examples[i]);
  return result;
}

// "static-ui, two distractions in training (p = 0.7), with the attention loss"
std::string describe(const std::string& run, const ModelConfig& config) {
  std::string text(config.structure.name);
  if (!fs::exists(fs::path(run) / "settings.json")) return text;
  const TrainSettings s = load_settings(run);
  if (s.insert_prob == 0) return text + ", no distractions in training";
  char p[32];
  std::snprintf(p, sizeof p, "%g", s.insert_prob);
  return text + ", distractions in training (p = " + p + ")" +
         (s.attention_weight > 0 ? " with the attention loss" : " without the attention loss");
}

// "runs/first/" -> "first"
std::string last_part(const std::string& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

// The models' names: as given, or their directories', or --baseline and --model if these are equal.
std::vector<std::string> names_of(const Options& o, const std::vector<std::string>& runs) {
  if (o.names.size() > runs.size()) throw UsageError("--name: more names than models");
  std::vector<std::string> names = o.names;
  while (names.size() < runs.size()) names.push_back(last_part(runs[names.size()]));
  if (names.size() == 2 && names[0] == names[1]) names = {"baseline", "model"};
  return names;
}

void add_model(AttentionView& view, const Options& o, const Data& data, const std::string& run,
               const std::vector<size_t>& chosen, Device device) {
  LoadedModel loaded = load_model(run);
  move(*loaded.model, device);
  view.models.back().description = describe(run, loaded.model->config());
  const std::string& name = view.models.back().name;
  const Encoded encoded(data, loaded.vocabulary);
  const auto shown = pick(
      distracted(encoded.examples, data.test, encoded.pool, encoded.phrases, data.seed), chosen);
  const auto scores = score(*loaded.model, shown, o.batch);
  std::vector<const Example*> contexts;
  for (const Example& e : shown) contexts.push_back(&e);
  const auto replies = decode(*loaded.model, contexts, o.decode.get(data.seed));
  for (size_t i = 0; i < shown.size(); ++i) {
    view.dialogues[i].models.push_back(
        {scores[i].as_scores, scores[i].das_ratio, readable(replies[i].tokens, loaded.vocabulary)});
  }
  if (o.html.empty()) return;

  Progress progress;
  const auto results = evaluate(
      *loaded.model, encoded.examples, select_test_sets("all"), encoded.pool, encoded.phrases,
      data.seed, o.batch, [&](const std::string& set, const ScoreProgress& done) {
        progress.show(name + ", " + set + ": " + std::to_string(done.examples) + " of " +
                      std::to_string(encoded.examples.size()) + " dialogues");
      });
  view.results.resize(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    view.results[i].test_set = results[i].name;
    view.results[i].models.push_back(results[i].summary);
  }
}

Data read_data(const Options& o) {
  Data data;
  data.test = parse_test_set(o.test);
  data.dialogues = read_dialogues(o.data, o.limit);
  data.pool = o.pool.empty() ? data.dialogues : read_dialogues(o.pool);
  data.bounds = load_example_options(o.model);
  data.phrases = o.phrases;
  data.seed = o.common->seed;
  return data;
}

// The dialogues with their texts; the models come later.
std::vector<DialogueView> dialogue_views(const std::vector<Example>& examples,
                                         const Vocabulary& words) {
  std::vector<DialogueView> views;
  for (const Example& e : examples) {
    DialogueView view{e.id, {}, readable(e.response, words), {}};
    for (size_t k = 0; k < e.context.size(); ++k) {
      view.context.push_back({readable(e.context[k], words), e.distraction[k] != 0});
    }
    views.push_back(std::move(view));
  }
  return views;
}

void run(const Options& o) {
  const Device device = start(*o.common);
  o.decode.get(1);  // complains before the long work, and so does the file
  std::optional<AtomicFile> page;
  if (!o.html.empty()) page.emplace(o.html);
  const Data data = read_data(o);
  const Vocabulary words = all_words(data);
  const Encoded texts(data, words);
  if (texts.examples.empty()) {
    throw DataError(o.data + ": no dialogue with two utterances of context");
  }
  const std::vector<size_t> chosen = choose(o, texts.examples);
  AttentionView view;
  view.data = fs::path(o.data).filename().string();
  view.test_set = data.test.name;
  view.dialogues = dialogue_views(
      pick(distracted(texts.examples, data.test, texts.pool, texts.phrases, data.seed), chosen),
      words);

  std::vector<std::string> runs = {o.model};
  if (!o.baseline.empty()) runs.insert(runs.begin(), o.baseline);
  const std::vector<std::string> names = names_of(o, runs);
  for (size_t m = 0; m < runs.size(); ++m) {
    view.models.push_back({names[m], ""});
    add_model(view, o, data, runs[m], chosen, device);
  }
  std::fputs(render_text(view, terminal_style(stdout)).c_str(), stdout);
  if (!page) return;
  page->write(render_html(view));
  page->commit();
  std::printf("%s is written\n", o.html.c_str());
}

}  // namespace

void add_show(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand(
      "show", "Draw where one or two models look, in the terminal and as a web page");
  c->footer(
      "A bar is the attention on an utterance while the model predicts the human response; 100 % "
      "is\n"
      "an average utterance. Distractions are marked with a cross, the query with ?.\n"
      "Example: heed show --model runs/p0.7 --baseline runs/p0 --html attention.html \\\n"
      "           --data data/ubuntu-sample/test.jsonl.gz --pool "
      "data/ubuntu-sample/train.jsonl.gz");
  o->common = add_common(*c);
  c->add_option("--model", o->model, "Directory of a run or a model")->required();
  c->add_option("--baseline", o->baseline, "Another one, shown to the left of it");
  c->add_option("--name", o->names,
                "Names to show, the baseline's first; otherwise those of the directories");
  c->add_option("--data", o->data, "Dialogues (JSON Lines, plain or gzip)")->required();
  c->add_option("--pool", o->pool,
                "Dialogues that random distractions are drawn from; the data if not given");
  c->add_option("--test", o->test,
                "What is inserted: none, random:P, or frequent: or rare: with begin, middle or end")
      ->capture_default_str();
  c->add_option("--count", o->count, "How many dialogues, the first ones of the data")
      ->capture_default_str();
  c->add_option("--id", o->ids, "Show these dialogues instead");
  c->add_option("--html", o->html,
                "Write a web page as well, with the results on all test sets (takes longer)");
  c->add_option("--limit", o->limit, "Only the first dialogues of the data, 0: all")
      ->capture_default_str();
  c->add_option("--batch", o->batch, "Dialogues in a batch; changes no result")
      ->capture_default_str();
  c->add_option("--frequent", o->phrases.frequent, "Utterances of the frequent: sets")
      ->capture_default_str();
  c->add_option("--rare", o->phrases.rare, "Utterances of the rare: sets")->capture_default_str();
  o->decode.declare(*c);
  c->callback([o] { run(*o); });
}

}  // namespace heed
