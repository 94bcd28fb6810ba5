// `heed discriminate test`
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/path.h"
#include "dialog/discriminate/controls.h"
#include "dialog/discriminate/system.h"
#include "dialog/text/format.h"
#include "dialog/view/passages.h"
#include "heed/bundled.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/discriminate.h"
#include "heed/discriminate_table.h"
#include "heed/judge.h"
#include "heed/messages.h"
#include "heed/progress.h"
#include "heed/provenance.h"
#include "heed/results.h"
#include "heed/shared_options.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using discriminate::Negatives;
using discriminate::Passage;

struct Options {
  CommonPtr common;
  std::string model, data, negatives, responses, controls, response_only, json, html, predictions;
  size_t limit = 0;
  int64_t batch = 64;
};

const std::vector<std::string> kControls = {"response-only", "length", "unigram",
                                            "shuffled-context"};

// Which controls are asked for. Throws UsageError for one that is none.
std::vector<std::string> controls_of(const Options& o) {
  std::vector<std::string> names;
  if (o.controls == "all") {
    names = kControls;
  } else if (!o.controls.empty()) {
    names = comma_list("--controls", o.controls);
  }
  for (const std::string& name : names) {
    if (std::find(kControls.begin(), kControls.end(), name) != kControls.end()) continue;
    throw UsageError(
        "--controls: expected all or some of response-only, length, unigram, shuffled-context, "
        "got '" +
        name + "'");
  }
  const auto at = std::find(names.begin(), names.end(), "response-only");
  if (at == names.end() && !o.response_only.empty()) names.insert(names.begin(), "response-only");
  if (at != names.end() && o.response_only.empty()) {
    if (o.controls != "all") {
      throw UsageError(
          "--controls response-only: needs --response-only-run RUN, which heed discriminate train "
          "--response-only makes");
    }
    note(
        "the control response-only needs a run of its own: train it with heed discriminate train "
        "--response-only, and give it as --response-only-run RUN");
    names.erase(at);
  }
  return names;
}

// What passages are judged against.
Negatives negatives_of(const Options& o) {
  if (!o.responses.empty()) return {Negatives::Kind::kGenerated, o.responses};
  return Negatives::parse(o.negatives.empty() ? "random" : o.negatives);
}

bool is_directory(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

// A discriminator, and what it says of parts of corpora.
class Judge {
 public:
  Judge(const std::string& run, const Options& o, Device device)
      : o_(o), loaded_(discriminate::load_discriminator(run)) {
    move(loaded_.model, device);
  }
  const discriminate::Discriminator& model() const { return loaded_.model; }
  const Vocabulary& vocabulary() const { return loaded_.vocabulary; }

  // The items of a part; nobody has judged them yet.
  TestedPart read(const std::string& corpus, const std::string& part,
                  const Negatives& negatives) const {
    TestedPart t{corpus};
    t.part = read_part({corpus}, part, loaded_.vocabulary, loaded_.model.config().passages,
                       negatives, o_.limit);
    const discriminate::Replacements replacements = t.part.replacements(negatives.kind);
    t.items =
        with_fakes(t.part.passages, replacements.replaceable(), replacements, o_.common->seed);
    t.cosines.resize(t.items.size());
    return t;
  }
  std::vector<discriminate::Verdict> verdicts(const std::vector<Passage>& items,
                                              const std::string& what) {
    const auto all = verdicts_on(loaded_.model, items, o_.batch, [&](int64_t done) {
      progress_.show(what + ": " + std::to_string(done) + " of " + counted(items.size(), "item"));
    });
    progress_.done();
    return all;
  }
  TestedPart judged(const std::string& corpus, const std::string& part,
                    const Negatives& negatives) {
    TestedPart t = read(corpus, part, negatives);
    t.verdicts = verdicts(t.items, corpus + " " + part);
    return t;
  }

 private:
  const Options& o_;
  discriminate::LoadedDiscriminator loaded_;
  Progress progress_;
};

// ---- controls

// Rows of the controls of a corpus.
class Controls {
 public:
  Controls(const Options& o, Judge& judge, Device device)
      : o_(o), names_(controls_of(o)), judge_(judge) {
    if (!o.response_only.empty()) {
      response_only_ = std::make_unique<Judge>(o.response_only, o, device);
      if (!response_only_->model().config().response_only) {
        throw UsageError("--response-only-run " + o.response_only +
                         ": reads the context, too; heed discriminate train --response-only makes "
                         "one that does not");
      }
    }
  }

  std::vector<TestNumbers> on(const TestedPart& test, const Negatives& negatives) {
    std::vector<TestNumbers> rows;
    for (const std::string& name : names_) {
      rows.push_back(
          test_numbers("  " + name, test.items, p_real(name, test, negatives), o_.common->seed));
    }
    return rows;
  }

 private:
  std::vector<double> p_real(const std::string& name, const TestedPart& test,
                             const Negatives& negatives) {
    if (name == "length") return fitted(test, negatives, discriminate::length_control);
    if (name == "unigram") {
      const int64_t words = judge_.vocabulary().size();
      return fitted(test, negatives, [&](const auto& train, const auto& items) {
        return discriminate::unigram_control(train, items, words);
      });
    }
    TestedPart judged{test.corpus};
    if (name == "response-only") {
      // its own vocabulary: the same replacements, as these are drawn by the passages' ids
      judged = response_only_->judged(test.corpus, "test", negatives);
      if (judged.items.size() != test.items.size()) {
        throw UsageError("--response-only-run " + o_.response_only +
                         ": reads other passages than the model: --context and lengths must agree");
      }
    } else {
      judged.verdicts = judge_.verdicts(discriminate::shuffle_contexts(test.items, o_.common->seed),
                                        test.corpus + " " + name);
    }
    return judged.p_real();
  }

  std::vector<double> fitted(const TestedPart& test, const Negatives& negatives,
                             const discriminate::ControlFit& fit) {
    if (!is_directory(test.corpus) || negatives.kind == Negatives::Kind::kGenerated)
      return fitted_crosswise(test.items, fit);
    return fit(judge_.read(test.corpus, "train", negatives).items, test.items);
  }

  const Options& o_;
  const std::vector<std::string> names_;
  Judge& judge_;
  std::unique_ptr<Judge> response_only_;
};

// ---- output

Json corpus_json(const TestedPart& t, const std::vector<TestNumbers>& rows, const Json& analysis) {
  Json json = {{"data", t.corpus},
               {"fingerprint", t.part.read[0]},
               {"passages", t.items.size() / 2},
               {"left_out", left_out_json(t.part)}};
  json.update(to_json(rows[0]));
  for (size_t i = 1; i < rows.size(); ++i) {
    Json control = to_json(rows[i]);
    control.erase("threshold");
    control.erase("accuracy_at_threshold");
    json["controls"][rows[i].row.name.substr(2)] = control;
  }
  json["analysis"] = analysis;
  return json;
}

void check_options(const Options& o) {
  if (!o.responses.empty() && !o.negatives.empty()) {
    throw UsageError("--negatives: says what --responses does; give one of the two");
  }
  if (o.negatives.starts_with("generated:")) {
    throw UsageError("--negatives " + o.negatives + ": give the file as --responses");
  }
}

// All that is said of the corpora.
struct Results {
  std::vector<TestNumbers> rows = {};
  std::vector<Json> corpora = {}, predictions = {};
  std::vector<PassageView> views = {};
  std::string analysis = {};
};

void test_corpus(const std::string& corpus, const Options& o, Judge& judge, Controls& controls,
                 Results& results) {
  const Negatives negatives = negatives_of(o);
  const discriminate::Reads reads = judge.model().config().reads();
  TestedPart test = judge.judged(corpus, "test", negatives);
  note_left_out(test.part, corpus, {.note = note});
  if (reads == discriminate::Reads::kAll)
    test.cosines = context_cosines(judge.model(), test.items, o.batch);
  std::vector<TestNumbers> rows = {test_numbers(corpus, test.items, test.p_real(), o.common->seed)};
  if (is_directory(corpus)) {
    const Negatives of_valid = o.responses.empty() ? negatives : Negatives{};
    choose_threshold(rows[0], judge.judged(corpus, "valid", of_valid), test);
  }
  for (TestNumbers& row : controls.on(test, negatives)) rows.push_back(std::move(row));
  const Json analysis = looks_json({test.items, test.verdicts, test.cosines, reads});
  results.analysis += corpus + ":\n" + analysis_text(analysis);
  results.corpora.push_back(corpus_json(test, rows, analysis));
  results.rows.insert(results.rows.end(), rows.begin(), rows.end());
  if (!o.predictions.empty()) {
    for (size_t i = 0; i < test.items.size(); ++i)
      results.predictions.push_back(prediction_json(test, i, reads));
  }
  if (o.html.empty()) return;
  for (PassageView& view : views_of(test, judge.model(), judge.vocabulary()))
    results.views.push_back(std::move(view));
}

void run(const Options& o) {
  const Device device = start(*o.common);
  check_options(o);
  const JsonOutput output(o.json), predictions(o.predictions);
  if (!o.html.empty()) check_writable(o.html);
  Judge judge(o.model, o, device);
  Controls controls(o, judge, device);
  Results results;
  for (const std::string& corpus : comma_list("--data", o.data))
    test_corpus(corpus, o, judge, controls, results);
  const Json heed = provenance("discriminate test", *o.common);
  if (predictions.wanted()) predictions.write_text(json_lines(results.predictions));
  if (!o.html.empty()) {
    std::string corpora;
    for (const std::string& corpus : comma_list("--data", o.data))
      corpora += (corpora.empty() ? "" : ", ") + shown_path(corpus);
    PassagesPage page{shown_path(o.model), corpora, {}, results.views};
    add_facts(page.made_with, "", heed);
    write_file(o.html, render_passages(page));
  }
  if (!output.to_stdout() && !predictions.to_stdout()) {
    std::fputs((test_table(results.rows) + results.analysis).c_str(), stdout);
  }
  if (!output.wanted()) return;
  Json inputs = {{"model", source_json(file_inside(o.model, "model.safetensors"))},
                 {"negatives", negatives_of(o).name()},
                 {"limit", o.limit},
                 {"seed", o.common->seed}};
  if (!o.response_only.empty())
    inputs["response_only"] = source_json(file_inside(o.response_only, "model.safetensors"));
  output.write({{"heed", heed}, {"inputs", inputs}, {"corpora", results.corpora}});
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
      "  heed discriminate test --model runs/judge --data data/ubuntu-sample --controls all "
      "--json judged.json\n"
      "  heed discriminate test --model runs/judge --data data/ubuntu-sample --responses "
      "responses.jsonl");
  o->common = add_common(*c, {.seed = "Seed of the replacements and of the intervals"});
  add_model(*c, o->model);
  c->add_option("--data", o->data,
                "Dialogues: a data directory (its test part is read, and its valid part for the "
                "threshold), or a file; or several with commas, each a row. If not given: the "
                "bundled sample");
  c->add_option("--negatives", o->negatives,
                "What stands in the place of responses: random, length-matched, "
                "same-conversation, shuffled-words or real; random if not given");
  c->add_option("--responses", o->responses,
                "Responses of a model to stand there, as heed respond writes them")
      ->option_text("FILE");
  c->add_option("--controls", o->controls,
                "What needs no coherence, as rows: length and unigram (logistic regressions), "
                "shuffled-context, response-only, some with commas, or all");
  c->add_option("--response-only-run", o->response_only,
                "A control: the run of a discriminator that reads the response and not the context")
      ->option_text("RUN");
  c->add_option("--limit", o->limit, "Read only the first dialogues, of each part; 0: all")
      ->capture_default_str();
  add_batch(*c, o->batch);
  add_json(*c, o->json);
  add_html(*c, o->html, ": passages with the attention on every word");
  c->add_option("--predictions", o->predictions,
                "What a classifier says of every item: written to this file, a line each")
      ->option_text("FILE");
  c->callback([o, c] {
    find_data(o->data, *c, Corpora::kSeveral);
    run(*o);
  });
}

}  // namespace heed
