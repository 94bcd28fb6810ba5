#include <filesystem>
#include <map>
#include <set>

#include "dialog/data/conversations.h"
#include "dialog/probe/labelled_parts.h"
#include "dialog/probe/probe.h"
#include "dialog/respond/encoder.h"
#include "dialog/respond/evaluate.h"
#include "dialog/respond/responses.h"
#include "dialog/respond/run.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"
#include "experiments/adversarial/making_json.h"
#include "train/model_directory.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int64_t kAnsweredAtOnce = 32;  // changes no result
constexpr char kDistractions[] = "random:1.0";
constexpr int kProbeIterations = 250;
constexpr size_t kGreedy = 200;  // examples that a generator also answers greedily

std::string path_of(const std::string& out, const std::string& generator, const std::string& file) {
  return (fs::path(out) / "generated" / generator / file).string();
}

// One generator on the test part of one corpus.
struct Generator {
  const AdversarialRun& run;
  const NamedFolder& folder;
  size_t corpus;
  LoadedModel loaded;
  ExampleOptions bounds;  // of its training
  std::vector<Dialogue> dialogues;
  const OnMeasuring& progress;

  const std::string& corpus_path() const { return run.settings.corpora[corpus].path; }
  void say(int64_t done, size_t all) const {
    progress(folder.name, static_cast<double>(done) / static_cast<double>(all));
  }
};

// The first passages of the corpus, as many as the settings ask for.
std::set<std::string> wanted_ids(const Generator& s) {
  std::set<std::string> ids;
  for (const JudgedPassage& p : s.run.data.passages) {
    const bool enough = s.run.settings.responses > 0 && ids.size() == s.run.settings.responses;
    if (p.corpus == static_cast<int>(s.corpus) && !enough) ids.insert(p.id);
  }
  return ids;
}

struct Asked {
  std::vector<Example> examples;
  std::vector<Tokens> human;  // responses, in all their words
};
Asked ask(const Generator& s) {
  ExampleOptions bounds = s.bounds;
  bounds.all_positions = true;
  bounds.min_turns = s.run.settings.train.model.passages.context + 1;
  bounds.speaker.clear();
  const std::set<std::string> ids = wanted_ids(s);
  const auto all = make_examples(s.dialogues, s.loaded.vocabulary, bounds);
  const auto human = human_responses(all, s.loaded.vocabulary);
  Asked asked;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!ids.contains(all[i].id)) continue;
    asked.examples.push_back(all[i]);
    asked.human.push_back(human.at(i));
  }
  check_internal(asked.examples.size() == ids.size(), "a passage that is no example");
  return asked;
}

// ---- what is measured of a generator: quotients of sums over items

struct Summed {
  std::vector<double> top = {}, bottom = {};
  std::vector<int> conversations = {};  // of the items

  void add(double above, double below, int conversation) {
    top.push_back(above);
    bottom.push_back(below);
    conversations.push_back(conversation);
  }
  Json quotient(const std::function<bool(int)>& counts) const {
    double above = 0, below = 0;
    for (size_t i = 0; i < top.size(); ++i) {
      if (!counts(conversations[i])) continue;
      above += top[i];
      below += bottom[i];
    }
    return below > 0 ? Json(above / below) : Json();
  }
  Json whole() const {
    return quotient([](int) { return true; });
  }
  // That of the conversations with even numbers, and that of the others.
  Json halves() const {
    return {quotient([](int c) { return c % 2 == 0; }), quotient([](int c) { return c % 2 != 0; })};
  }
  Json items() const {
    Json json = {{"top", Json::array()}, {"bottom", Json::array()}};
    for (size_t i = 0; i < top.size(); ++i) {
      json["top"].push_back(rounded(top[i]));
      json["bottom"].push_back(rounded(bottom[i]));
    }
    json["conversations"] = conversations;
    return json;
  }
};

// The ratio of means (docs/paper.md) on the last examples of all dialogues; no items of a model
// without attention.
Summed das(const Generator& s) {
  Summed summed;
  if (!s.loaded.model->config().structure.attention) return summed;
  ExampleOptions bounds = s.bounds;
  bounds.all_positions = false;
  bounds.speaker.clear();
  const auto examples = make_examples(s.dialogues, s.loaded.vocabulary, bounds);
  if (examples.empty()) return summed;
  const auto train =
      read_dialogues(find_part(s.corpus_path(), "train"), s.run.settings.train.limit);
  const Pool pool = make_pool(train, s.loaded.vocabulary, bounds.max_utterance_tokens);
  const auto results =
      evaluate(*s.loaded.model, examples, {parse_test_set(kDistractions)}, pool, {}, kTestSeed,
               kAnsweredAtOnce, [&](const std::string&, const ScoreProgress& done) {
                 s.say(done.examples, examples.size());
               });
  const std::vector<int> of = conversations(s.dialogues, examples);
  for (size_t i = 0; i < examples.size(); ++i) {
    const DialogueMeans& means = results.at(0).examples[i].means;
    if (means.distraction && means.history) summed.add(*means.distraction, *means.history, of[i]);
  }
  return summed;
}

// Micro F1 of a linear probe on each task (docs/probes.md), from standardised vectors, which are
// means over layers or positions.
std::map<std::string, Summed> probes(const Generator& s) {
  const AdversarialSettings& settings = s.run.settings;
  std::map<std::string, Summed> of_tasks;
  if (settings.probed == 0) return of_tasks;
  ExampleOptions bounds = s.bounds;
  bounds.speaker.clear();
  const auto parts =
      probe::read_labelled_parts(s.corpus_path(), {"train", "test"}, s.loaded.vocabulary, bounds,
                                 {settings.probed, settings.test_dialogues()});
  const ResponseEncoder encoder(*s.loaded.model, s.loaded.vocabulary);
  const auto encoded = [&](const probe::LabelledPart& part) -> probe::Part {
    const std::vector<Example> examples = part.examples.to_vector();
    return {encoder.encode(examples, {.pooling = Pooling::kMean,
                                      .batch = kAnsweredAtOnce,
                                      .progress = [&](int64_t done,
                                                      int64_t) { s.say(done, examples.size()); }}),
            part.labels};
  };
  const probe::Part fit = encoded(parts[0]), test = encoded(parts[1]);
  const auto of = conversations(s.dialogues, parts[1].examples.to_vector());
  for (const char* task : kProbedTasks) {
    const auto result =
        probe::probe(fit, test, task, {.max_iterations = kProbeIterations, .standardise = true});
    for (size_t i = 0; i < result.examples.size(); ++i) {
      const Tally& h = result.examples[i];
      of_tasks[task].add(2 * static_cast<double>(h.hits), static_cast<double>(h.decided + h.right),
                         of[i]);
    }
  }
  return of_tasks;
}

// The share of different ones among greedy responses.
double greedy_different(const Generator& s, std::vector<Example> examples) {
  examples.resize(std::min(examples.size(), kGreedy));
  DecodeOptions greedy;
  greedy.max_length = s.run.settings.decode.max_length;
  const auto responses =
      respond(*s.loaded.model, examples, s.loaded.vocabulary, greedy, kAnsweredAtOnce);
  const std::set<Tokens> different(responses.begin(), responses.end());
  return static_cast<double>(different.size()) / static_cast<double>(examples.size());
}

// The number of responses that can replace the response of a passage.
int64_t count_kept(const Generator& s, const std::vector<Tokens>& responses,
                   const std::vector<Tokens>& human) {
  const discriminate::PassageOptions& bounds = s.run.settings.train.model.passages;
  ResponseSieve sieve({.unknown = true, .repeated = true, .as_people = true});
  int64_t kept = 0;
  for (size_t i = 0; i < responses.size(); ++i) {
    const auto size = static_cast<int>(tokenize(detokenize(responses[i])).size());
    if (size < bounds.min_tokens || size > bounds.max_tokens) continue;
    kept += sieve.passes(responses[i], detokenize(human[i]));
  }
  return kept;
}

void generate(const Generator& s) {
  const AdversarialSettings& settings = s.run.settings;
  const Asked asked = ask(s);
  const auto responses = respond(
      *s.loaded.model, asked.examples, s.loaded.vocabulary, settings.decode, kAnsweredAtOnce,
      [&](const RespondProgress& done) { s.say(done.examples, asked.examples.size()); });
  const ResponseQuality quality = measure_responses(responses, asked.human);
  const Summed attention = das(s);
  Json json = {{"structure", std::string(s.loaded.model->config().structure.name)},
               {"responses", responses.size()},
               {"kept", count_kept(s, responses, asked.human)},
               {"distinct_1", quality.distinct_1},
               {"distinct_2", quality.distinct_2},
               {"mean_length", quality.mean_length},
               {"greedy_different", greedy_different(s, asked.examples)},
               {"das_ratio", attention.whole()},
               {"halves", {{"das_ratio", attention.halves()}}}};
  Json items = {{"das_ratio", attention.items()}};
  for (const auto& [task, f1] : probes(s)) {
    json[task] = f1.whole();
    json["halves"][task] = f1.halves();
    items[task] = f1.items();
  }
  const std::string& corpus = settings.corpora[s.corpus].name;
  make_directory(path_of(s.run.out, s.folder.name, ""));
  create_once(responses_path(s.run.out, s.folder.name, corpus),
              responses_text(asked.examples, responses));
  TextWriter writer(path_of(s.run.out, s.folder.name, corpus + ".items.json.gz"));
  writer.write(items.dump() + "\n");
  writer.commit();
  create_once(path_of(s.run.out, s.folder.name, corpus + ".json"), json.dump(1) + "\n");
}

}  // namespace

std::string generator_weights(const std::string& run) {
  check_is_model(run);
  load_example_options(run);  // throws for a model that does not respond
  return file_inside(run, "model.safetensors");
}

std::string responses_path(const std::string& out, const std::string& generator,
                           const std::string& corpus) {
  return path_of(out, generator, corpus + ".jsonl");
}

void make_generated(const AdversarialRun& run, const OnMeasuring& progress) {
  const AdversarialSettings& settings = run.settings;
  const size_t corpora = settings.corpora.size(), all = settings.generators.size() * corpora;
  for (size_t i = 0; i < all; ++i) {
    const size_t place = (run.run.variant + run.run.seed + i) % all, corpus = place % corpora;
    const NamedFolder& generator = settings.generators[place / corpora];
    const NamedFolder& of = settings.corpora[corpus];
    if (fs::exists(path_of(run.out, generator.name, of.name + ".json"))) continue;
    const Generator made{run,
                         generator,
                         corpus,
                         load_epoch(generator.path, "best"),
                         load_example_options(generator.path),
                         read_dialogues(find_part(of.path, "test"),
                                        {.limit = settings.test_dialogues(), .notes = true}),
                         progress};
    move(*made.loaded.model, run.device);
    generate(made);
  }
}

Json generators_json(const AdversarialRun& run, size_t corpus) {
  Json json = Json::object();
  for (const NamedFolder& g : run.settings.generators) {
    const std::string path = path_of(run.out, g.name, run.settings.corpora[corpus].name + ".json");
    json[g.name] = Json::parse(read_file(path, 1 << 20), nullptr, false);
    if (!json[g.name].is_object() || !json[g.name].value("kept", Json()).is_number_integer()) {
      throw DataError(path + ": not what heed writes there; remove it, and run the command again");
    }
  }
  return json;
}

}  // namespace heed
