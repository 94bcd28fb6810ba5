// `heed discriminate test`
#include <algorithm>
#include <memory>

#include "base/file.h"
#include "base/list.h"
#include "base/path.h"
#include "dialog/data/corpus.h"
#include "dialog/view/passages.h"
#include "experiments/measure/looks_json.h"
#include "experiments/measure/measure_json.h"
#include "experiments/measure/passage_judge.h"
#include "heed/bundled.h"
#include "heed/command.h"
#include "heed/judge.h"
#include "heed/progress.h"

namespace heed {
namespace {

using discriminate::Negatives;

struct DiscriminateTestOptions : CommandOptions {
  std::string model, data, negatives, responses, controls, response_only, json, html, predictions;
  size_t limit = 0;
  int64_t batch = 64;
};

// The controls that were asked for. Throws UsageError for an unknown name.
std::vector<std::string> controls_of(const DiscriminateTestOptions& o) {
  std::vector<std::string> names;
  if (o.controls == "all") {
    names = kPassageControls;
  } else if (!o.controls.empty()) {
    names = comma_list("--controls", o.controls);
  }
  for (const std::string& name : names) {
    if (std::find(kPassageControls.begin(), kPassageControls.end(), name) != kPassageControls.end())
      continue;
    throw UsageError(
        "--controls: expected all or some of response-only, length, unigram, shuffled-context, got "
        "'" +
        name + "'");
  }
  const auto at = std::find(names.begin(), names.end(), "response-only");
  if (at == names.end()) {
    if (!o.response_only.empty()) names.insert(names.begin(), "response-only");
  } else if (o.response_only.empty()) {
    if (o.controls != "all") {
      throw UsageError(
          "--controls response-only: needs --response-only-run RUN, which heed train discriminate "
          "--response-only makes");
    }
    note(
        "the control response-only needs a run of its own: train it with heed train discriminate "
        "--response-only, and give it as --response-only-run RUN");
    names.erase(at);
  }
  return names;
}

// The replacements that responses are compared with.
Negatives negatives_of(const DiscriminateTestOptions& o) {
  if (!o.responses.empty()) return {Negatives::Kind::kGenerated, o.responses};
  return Negatives::parse(o.negatives.empty() ? "random" : o.negatives);
}

// The judges: the model and its controls.
struct Judges {
  PassageJudge model;
  std::vector<std::string> controls;
  std::unique_ptr<PassageJudge> response_only;  // for this control
};

Judges judges_of(const DiscriminateTestOptions& o, Progress& progress, Device device) {
  const PassageJudge::Options options{
      .limit = o.limit,
      .batch = o.batch,
      .seed = o.common->seed,
      .progress = [&](const std::string& what, int64_t done, size_t of) {
        progress.show(what + ": " + std::to_string(done) + " of " + counted(of, "item"));
        if (done == static_cast<int64_t>(of)) progress.done();
      }};
  Judges judges{PassageJudge(o.model, options, device), controls_of(o), nullptr};
  if (o.response_only.empty()) return judges;
  judges.response_only = std::make_unique<PassageJudge>(o.response_only, options, device);
  if (!judges.response_only->model().config().response_only) {
    throw UsageError("--response-only-run " + o.response_only +
                     ": reads the context too; heed train discriminate --response-only makes one "
                     "that does not");
  }
  return judges;
}

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

void check_options(const DiscriminateTestOptions& o) {
  if (!o.responses.empty() && !o.negatives.empty()) {
    throw UsageError(
        "--negatives and --responses both choose the replacements; give one of the two");
  }
  if (o.negatives.starts_with("generated:")) {
    throw UsageError("--negatives " + o.negatives + ": give the file as --responses");
  }
  if (o.negatives == "other-corpus") {
    throw UsageError("--negatives other-corpus: is for training; each corpus is tested by itself");
  }
}

// Everything that is reported about the corpora.
struct TestResults {
  std::vector<TestNumbers> rows = {};
  std::vector<Json> corpora = {}, predictions = {};
  std::vector<PassageView> views = {};
  std::string analysis = {};
};

void test_corpus(const std::string& corpus, const DiscriminateTestOptions& o, const Judges& judges,
                 TestResults& results) {
  const PassageJudge& judge = judges.model;
  const Negatives negatives = negatives_of(o);
  const discriminate::Reads reads = judge.model().config().reads();
  TestedPart test = judge.judged(corpus, "test", negatives);
  note_left_out(test.part, corpus, {.note = note});
  if (reads == discriminate::Reads::kAll)
    test.cosines = context_cosines(judge.model(), test.items, o.batch);
  std::vector<TestNumbers> rows = {test_numbers(corpus, test.items, test.p_real(), o.common->seed)};
  if (has_part(corpus, "valid")) {
    const Negatives of_valid = o.responses.empty() ? negatives : Negatives{};
    choose_threshold(rows[0], judge.judged(corpus, "valid", of_valid), test);
  }
  for (const std::string& name : judges.controls) {
    const std::vector<double> p_real =
        control_p_real(name, test, negatives, judge, judges.response_only.get());
    rows.push_back(test_numbers("  " + name, test.items, p_real, o.common->seed));
  }
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

void run(DiscriminateTestOptions& o) {
  find_data(o.data, *o.command, Corpora::kSeveral);
  const Device device = start(*o.common);
  check_options(o);
  const JsonOutput output(o.json), predictions(o.predictions);
  if (!o.html.empty()) check_writable(o.html);
  Progress progress;
  const Judges judges = judges_of(o, progress, device);
  TestResults results;
  for (const std::string& corpus : comma_list("--data", o.data))
    test_corpus(corpus, o, judges, results);
  if (predictions.wanted()) predictions.write_text(json_lines(results.predictions));
  if (!o.html.empty()) {
    const std::string corpora = joined(comma_list("--data", o.data), ", ", shown_path);
    PassagesPage page{shown_path(o.model), corpora, {}, results.views};
    add_facts(page.made_with, "", provenance(o));
    write_file(o.html, render_passages(page));
  }
  if (!output.to_stdout() && !predictions.to_stdout()) {
    print_text(test_table(results.rows, results_width()) + results.analysis);
  }
  if (!output.wanted()) return;
  Json inputs = {{"model", source_json(file_inside(o.model, "model.safetensors"))},
                 {"negatives", negatives_of(o).name()},
                 {"limit", o.limit},
                 {"seed", o.common->seed}};
  if (!o.response_only.empty())
    inputs["response_only"] = source_json(file_inside(o.response_only, "model.safetensors"));
  output.write(o, {{"inputs", inputs}, {"corpora", results.corpora}});
}

}  // namespace

void add_discriminate_test(CLI::App& discriminate) {
  const auto [c, o] = declare<DiscriminateTestOptions>(
      discriminate, "test", "Measure how well a discriminator tells real responses from others",

      "Every passage of the test part is judged twice, with its own response and "
      "with a replacement; an item counts as real if p >= 0.5. Precision, recall and "
      "F1 are given for the class real and for the class fake. Intervals are 95 %, "
      "by a bootstrap over conversations; p is from the exact binomial test against "
      "0.5; at threshold: the accuracy at the threshold that is best on the valid "
      "part.\nExamples:\n  heed discriminate test --model runs/judge --data "
      "data/ubuntu-sample --controls all --json judged.json\n"
      "  heed discriminate test --model runs/judge --data data/ubuntu-sample "
      "--responses responses.jsonl",
      {.seed = "Seed of the replacements and of the intervals"}, run);
  add_model(c, o.model);
  c.add_option("--data", o.data,
               "Dialogues: a data directory (its test part is read, and for the threshold its "
               "valid part, if it has one), or a file; or several with commas, each a row. If not "
               "given: the bundled sample");
  c.add_option("--negatives", o.negatives,
               "Where wrong responses come from: random, length-matched, same-conversation, "
               "shuffled-words or real (default: random)");
  c.add_option("--responses", o.responses,
               "Replace responses by the responses of a model in this file, which heed respond "
               "writes");
  c.add_option("--controls", o.controls,
               "Controls that do not judge coherence, one row each: length and unigram (logistic "
               "regressions), shuffled-context, response-only; several with commas, or all");
  c.add_option("--response-only-run", o.response_only,
               "A control: the run of a discriminator that reads only the response")
      ->option_text("RUN");
  option(c, "--limit", o.limit, "Read only the first N dialogues (of each part); 0: all");
  add_batch(c, o.batch);
  add_json(c, o.json);
  add_html(c, o.html, ": passages with the attention on every word");
  c.add_option("--predictions", o.predictions,
               "Write the model's prediction for every item to this file, one a line");
}

}  // namespace heed
