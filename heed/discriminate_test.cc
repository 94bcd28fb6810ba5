// `heed discriminate test`
#include <cstdio>
#include <filesystem>
#include <optional>

#include "dialog/adversarial/confusion.h"
#include "dialog/adversarial/verdict.h"
#include "dialog/text/format.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/discriminate.h"
#include "heed/judge.h"
#include "heed/judged_rows.h"
#include "heed/messages.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"
#include "heed/text_table.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using adversarial::Negatives;
using adversarial::Part;
using adversarial::Passage;
using adversarial::Verdict;

struct Options {
  CommonPtr common;
  std::string model, data, negatives, responses, json, predictions;
  size_t limit = 0;
  int64_t batch = 64;
};

// What passages are judged against: generated responses, what was asked for, or what the model
// learned from.
Negatives negatives_of(const Options& o) {
  if (!o.responses.empty()) return {Negatives::Kind::kGenerated, o.responses};
  return Negatives::parse(o.negatives);
}

// One corpus' passages, and what was said of them.
struct Tested {
  std::string corpus;
  Part part = {};
  std::vector<Passage> items = {};
  std::vector<double> p_real = {};
  std::vector<Verdict> verdicts = {};
};

// A row of the table: what was said of the items of a corpus.
struct Numbers {
  JudgedRow row;
  std::optional<RankSum> ranks = {};       // of p_real; nothing where one class is missing
  double threshold = 0.5;                  // chosen on the valid part
  std::optional<double> accuracy_at = {};  // the accuracy there; nothing without that part
};

std::vector<adversarial::Prediction> predictions_of(const std::vector<Passage>& items,
                                                    const std::vector<double>& p_real) {
  std::vector<adversarial::Prediction> predictions;
  for (size_t i = 0; i < items.size(); ++i) predictions.push_back({p_real[i], items[i].real});
  return predictions;
}

Numbers numbers_of(const std::string& name, const Tested& t, const std::vector<double>& p_real,
                   uint64_t seed) {
  Numbers n{.row = {name}};
  std::vector<double> of_real, of_fake;
  std::vector<int> cluster;
  for (size_t i = 0; i < t.items.size(); ++i) {
    n.row.items.emplace_back().add(t.items[i].real, p_real[i] >= 0.5);
    (t.items[i].real ? of_real : of_fake).push_back(p_real[i]);
    cluster.push_back(t.items[i].conversation);
  }
  if (!of_real.empty() && !of_fake.empty()) n.ranks = rank_sum(of_real, of_fake);
  measure(n.row, seed, cluster);
  return n;
}

class Tester {
 public:
  Tester(const Options& o, Device device)
      : o_(o), loaded_(adversarial::load_discriminator(o.model)) {
    move(loaded_.model, device);
  }

  // A part of a corpus, judged.
  Tested judged(const std::string& corpus, const std::string& part, const Negatives& negatives) {
    Tested t{corpus};
    t.part = read_part({corpus}, part, loaded_.vocabulary, loaded_.model.config().passages,
                       negatives, o_.limit);
    const adversarial::Replacements replacements = t.part.replacements(negatives.kind);
    t.items =
        with_fakes(t.part.passages, replacements.replaceable(), replacements, o_.common->seed);
    t.verdicts = adversarial::verdicts_on(loaded_.model, t.items, o_.batch, [&](int64_t done) {
      progress_.show(corpus + " " + part + ": " + std::to_string(done) + " of " +
                     counted(t.items.size(), "item"));
    });
    progress_.done();
    for (const Verdict& v : t.verdicts) t.p_real.push_back(v.p_real);
    return t;
  }

 private:
  const Options& o_;
  adversarial::LoadedDiscriminator loaded_;
  Progress progress_;
};

bool has_valid_part(const std::string& corpus) {
  if (!std::filesystem::is_directory(corpus)) return false;
  find_part(corpus, "valid");
  return true;
}

// The threshold is one of the valid part, so that it has not seen what it is tested on.
void choose_threshold(Numbers& n, const Tested& valid, const Tested& test) {
  n.threshold = adversarial::best_threshold(predictions_of(valid.items, valid.p_real));
  n.accuracy_at = adversarial::scores(
                      adversarial::confusion(predictions_of(test.items, test.p_real), n.threshold))
                      .accuracy.value();
}

// ---- output

std::string lines_of(const std::vector<Tested>& all) {
  std::vector<Json> lines;
  for (const Tested& t : all) {
    for (size_t i = 0; i < t.items.size(); ++i) {
      const Passage& p = t.items[i];
      lines.push_back({{"id", p.id},
                       {"item", p.id + (p.real ? "/real" : "/fake")},
                       {"real", p.real},
                       {"p_real", t.verdicts[i].p_real},
                       {"attention", t.verdicts[i].attention}});
      if (all.size() > 1) lines.back()["source"] = t.corpus;
    }
  }
  return json_lines(lines);
}

void print(const std::vector<Numbers>& all) {
  std::vector<JudgedRow> rows;
  for (const Numbers& n : all) rows.push_back(n.row);
  auto table = columns_of(rows);
  table.push_back({"AUC"});
  table.push_back({"p (chance)"});
  table.push_back({"at threshold"});
  const size_t last = table.size();
  for (const Numbers& n : all) {
    char p[32];
    std::snprintf(p, sizeof p, "%.2g", against_chance(n.row).p_value);
    table[last - 3].push_back(n.ranks ? decimal(n.ranks->auc, 3) : "-");
    table[last - 2].push_back(p);
    table[last - 1].push_back(n.accuracy_at ? decimal(*n.accuracy_at, 3) : "-");
  }
  std::fputs(text_table(std::move(table), results_width()).c_str(), stdout);
}

Json to_json(const Numbers& n) {
  Json json = to_json(n.row);
  json["auc"] = n.ranks ? Json(n.ranks->auc) : Json();
  json["p_rank_sum"] = n.ranks ? Json(n.ranks->p_value) : Json();
  json["p_against_chance"] = against_chance(n.row).p_value;
  json["threshold"] = n.threshold;
  json["accuracy_at_threshold"] = n.accuracy_at ? Json(*n.accuracy_at) : Json();
  return json;
}

void check_options(const Options& o) {
  if (!o.responses.empty() && !o.negatives.empty()) {
    throw UsageError("--negatives: says what --responses does; give one of the two");
  }
  if (o.json == "-" && o.predictions == "-") {
    throw UsageError("discriminate test: --json and --predictions cannot both be -");
  }
}

void run(Options o) {
  const Device device = start(*o.common);
  check_options(o);
  if (o.negatives.empty()) o.negatives = "random";
  const JsonOutput output(o.json), predictions(o.predictions);
  const Negatives negatives = negatives_of(o);
  Tester tester(o, device);
  std::vector<Tested> tested;
  std::vector<Numbers> numbers;
  for (const std::string& corpus : comma_list("--data", o.data)) {
    tested.push_back(tester.judged(corpus, "test", negatives));
    const Tested& test = tested.back();
    say_left_out(test.part, corpus);
    numbers.push_back(numbers_of(corpus, test, test.p_real, o.common->seed));
    if (!has_valid_part(corpus)) continue;
    const Negatives of_valid =
        o.responses.empty() ? negatives : Negatives{Negatives::Kind::kRandom};
    choose_threshold(numbers.back(), tester.judged(corpus, "valid", of_valid), test);
  }
  if (predictions.wanted()) predictions.write_text(lines_of(tested));
  if (!output.to_stdout() && !predictions.to_stdout()) print(numbers);
  if (!output.wanted()) return;
  Json json = {{"heed", provenance("discriminate test", *o.common)},
               {"inputs",
                {{"model", source_json(file_inside(o.model, "model.safetensors"))},
                 {"negatives", negatives.name()},
                 {"limit", o.limit},
                 {"seed", o.common->seed}}},
               {"corpora", Json::array()}};
  for (size_t i = 0; i < tested.size(); ++i) {
    Json corpus = {{"data", tested[i].corpus},
                   {"fingerprint", tested[i].part.read[0]},
                   {"passages", tested[i].items.size() / 2},
                   {"left_out", left_out_json(tested[i].part)}};
    corpus.update(to_json(numbers[i]));
    json["corpora"].push_back(std::move(corpus));
  }
  output.write(json);
}

}  // namespace

void add_discriminate_test(CLI::App& discriminate) {
  auto o = std::make_shared<Options>();
  CLI::App* c = discriminate.add_subcommand(
      "test", "How well a discriminator tells real responses from others");
  c->footer(
      "Every passage of the test part is judged twice, with its own response and with another one; "
      "real is what has p >= 0.5. Precision, recall and F1 are of the class real, and of fake. "
      "Intervals are 95 %, of a bootstrap over conversations; p is of the exact binomial test "
      "against 0.5; at threshold: the accuracy at the threshold that is best on the valid part.\n"
      "Examples:\n"
      "  heed discriminate test --model runs/judge --data data/ubuntu-sample --json judged.json\n"
      "  heed discriminate test --model runs/judge --data data/ubuntu-sample --responses "
      "responses.jsonl");
  o->common = add_common(*c, {.seed = "Seed of the replacements and of the intervals"});
  add_model(*c, o->model);
  c->add_option("--data", o->data,
                "Dialogues: a data directory (its test part is read, and its valid part for the "
                "threshold), or a file; or several with commas, each a row")
      ->required();
  c->add_option("--negatives", o->negatives,
                "What stands in the place of responses: random, length-matched or "
                "same-conversation; random if not given");
  c->add_option("--responses", o->responses,
                "Responses of a model to stand there, as heed respond writes them")
      ->option_text("FILE");
  c->add_option("--limit", o->limit, "Read only the first dialogues, of each part; 0: all")
      ->capture_default_str();
  add_batch(*c, o->batch);
  add_json(*c, o->json);
  c->add_option("--predictions", o->predictions,
                "What a classifier says of every item: written to this file, a line each")
      ->option_text("FILE");
  c->callback([o] { run(*o); });
}

}  // namespace heed
