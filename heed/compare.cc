#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>

#include "base/file.h"
#include "dialog/data/conversations.h"
#include "dialog/respond/evaluate.h"
#include "dialog/view/render.h"
#include "experiments/compare/compare_models.h"
#include "heed/command.h"
#include "heed/inputs.h"
#include "heed/left_out.h"
#include "heed/progress.h"
#include "heed/response_rows.h"
#include "train/model_directory.h"
#include "train/run_directory.h"
#include "train/run_log.h"

namespace heed {
namespace {

struct CompareOptions : CommandOptions {
  std::vector<std::string> runs, against;
  std::string test = "all", json, csv, markdown, latex;
  int64_t batch = 32;
  bool accuracy = false, responses = false, own_turns = false;
  InputFlags input;
};

// ---- output

void print(const std::vector<ComparedRow>& rows, const std::vector<ComparedGroup>& groups) {
  int width = 0;
  for (const ComparedGroup& group : groups) width = std::max(width, columns(printable(group.name)));
  for (const ComparedRow& row : rows) {
    std::printf("%s\n", row.title().c_str());
    for (size_t g = 0; g < groups.size(); ++g) {
      std::printf("  %s  %s", pad(printable(groups[g].name), width).c_str(),
                  row.text(row.values[g]).c_str());
      if (row.deviations[g]) {
        std::printf("  ± %s over %s", decimal(*row.deviations[g], row.digits()).c_str(),
                    counted(groups[g].models.size(), "run").c_str());
      }
      if (row.changes[g]) {
        std::printf("  change %s", row.text(row.changes[g], /*change=*/true).c_str());
        if (row.has_p(row.changes[g])) std::printf("  p %.4f", row.corrected[g]);
      }
      std::printf("\n");
    }
  }
}

Json to_json(const ComparedRow& row, const std::vector<ComparedGroup>& groups,
             const std::vector<ComparedModel>& runs) {
  Json json = {{"test_set", row.set}, {"measure", row.measure}, {"runs", Json::array()}};
  for (size_t g = 0; g < groups.size(); ++g) {
    const auto number = [&](const std::optional<Estimate>& e) {
      return row.of_examples() || !e ? to_json(e) : Json({{"value", e->value}});
    };
    Json group = {{"name", groups[g].name}, {"estimate", number(row.values[g])}};
    if (groups[g].models.size() > 1) {
      group["deviation"] = row.deviations[g] ? Json(*row.deviations[g]) : Json();
      for (const size_t r : groups[g].models) group["seeds"].push_back(runs[r].name);
    }
    if (row.changes[g]) {
      group["change"] = number(row.changes[g]);
      if (row.has_p(row.changes[g])) {
        group["change"]["p"] = row.changes[g]->p_value;
        group["change"]["p_holm"] = row.corrected[g];
      }
    }
    json["runs"].push_back(std::move(group));
  }
  return json;
}

// ---- the work

std::vector<ComparedModel> named(const std::vector<std::string>& paths) {
  const std::vector<std::string> names = run_names(paths);
  std::vector<ComparedModel> runs;
  for (size_t r = 0; r < paths.size(); ++r) runs.push_back({names[r], paths[r]});
  return runs;
}

// What the names of a group begin with: "baseline-seed*".
std::string common_name(const std::vector<ComparedModel>& runs, const std::vector<size_t>& group) {
  const std::string& first = runs[group[0]].name;
  if (group.size() == 1) return first;
  size_t same = first.size();
  for (const size_t r : group) {
    const std::string& other = runs[r].name;
    const auto end = first.begin() + static_cast<int64_t>(same);
    same = static_cast<size_t>(std::mismatch(first.begin(), end, other.begin(), other.end()).first -
                               first.begin());
  }
  while (same > 0 && std::isdigit(static_cast<unsigned char>(first[same - 1]))) --same;
  return same == 0 ? first + " ..." : first.substr(0, same) + "*";
}

// Each run is a group of its own; with --against there are two groups: its runs, and the others.
std::vector<ComparedGroup> groups_of(const CompareOptions& o,
                                     const std::vector<ComparedModel>& runs) {
  std::vector<ComparedGroup> groups;
  const auto add = [&](size_t first, size_t count) {
    std::vector<size_t> group(count);
    std::iota(group.begin(), group.end(), first);
    groups.push_back({common_name(runs, group), group});
  };
  const size_t first = o.against.size();
  if (first > 0) {
    add(0, first);
    add(first, runs.size() - first);
    const bool alike = groups[0].name == groups[1].name;
    for (ComparedGroup& group : groups) {
      if (alike && group.models.size() > 1) group.name = runs[group.models[0]].name + " ...";
    }
    return groups;
  }
  for (size_t r = 0; r < runs.size(); ++r) add(r, 1);
  return groups;
}

// Tells of a model that is compared with itself, perhaps under two names: no change means nothing.
void note_equal_models(const std::vector<ComparedModel>& runs) {
  std::map<uint32_t, const ComparedModel*> seen;
  for (const ComparedModel& run : runs) {
    const auto [first, is_new] =
        seen.emplace(file_checksum(file_inside(run.path, "model.safetensors")), &run);
    if (is_new) continue;
    note(first->second->path + " and " + run.path + " are the same model: nothing can change");
  }
}

// Warns of differences that make numbers hard to compare.
void note_differences(const ComparedModel& run, const ComparedModel& first, bool own_turns) {
  const std::string both = first.name + " and " + run.name;
  ExampleOptions limits = load_example_options(run.path), others = load_example_options(first.path);
  limits.conditions = others.conditions;
  if (own_turns) limits.max_turns = others.max_turns;
  if (!(limits == others)) {
    note(both +
         " were trained with different length limits or kinds of examples; both are evaluated with "
         "those of the options, or else of the first model");
  }
  if (!(run.vocabulary == first.vocabulary)) {
    note(both +
         " have different vocabularies: their perplexities cannot be compared, but bits per "
         "character can (a lower bound where words are <unk>)");
  }
}

void measure(std::vector<ComparedModel>& runs, const CompareOptions& o, Inputs& inputs,
             const std::vector<Example>& examples, Device device) {
  PassProgress progress(inputs.sets.size() * runs.size(), examples, inputs.unit(examples.size()));
  const ExampleOptions bounds = inputs.bounds;  // those that results tell
  for (ComparedModel& run : runs) {
    LoadedModel loaded = load_responder(run.path);
    run.vocabulary = std::move(loaded.vocabulary);
    if (&run == &runs[0]) note_unknown_phrases(inputs, run.vocabulary);
    move(*loaded.model, device);
    inputs.bounds.conditions = loaded.model->config().conditions();
    if (o.own_turns) inputs.bounds.max_turns = load_example_options(run.path).max_turns;
    const EncodedInputs encoded(inputs, run.vocabulary);
    run.results = evaluate(
        *loaded.model, encoded.examples, inputs.sets, encoded.pool, encoded.phrases, o.common->seed,
        o.batch,
        [&](const std::string& set, const ScoreProgress& done) {
          progress.show(run.name + ", " + set, done.examples, done.tokens);
        },
        alone(), o.accuracy);
    if (!o.responses) continue;
    run.responses = respond(*loaded.model, encoded.examples, run.vocabulary, {}, o.batch);
    run.references = human_responses(encoded.examples, run.vocabulary);
  }
  inputs.bounds = bounds;
}

void run(const CompareOptions& o) {
  const Device device = start(*o.common);
  std::vector<std::string> paths = o.against;
  paths.insert(paths.end(), o.runs.begin(), o.runs.end());
  if (paths.size() < 2) throw UsageError("runs: give two or more, or one --against another");
  const JsonOutput output(o.json), csv(o.csv), markdown(o.markdown), latex(o.latex);
  const std::vector<TestSet> sets = select_test_sets(o.test);
  o.input.check(sets);
  if (o.own_turns && o.input.bounds.given("max-turns")) {
    throw UsageError("--own-turns: contradicts --max-turns, which is for all models");
  }
  std::vector<ComparedModel> runs = named(paths);
  for (const ComparedModel& run : runs) {
    load_responder(run.path);  // refused now rather than at its turn
  }
  if (!o.own_turns) note_equal_models(runs);
  Inputs inputs = read_inputs(o.input, paths, sets);
  const std::vector<Example> examples = inputs.examples(Vocabulary());
  measure(runs, o, inputs, examples, device);
  const LeftOut left_out = find_left_out(inputs, examples);
  say(left_out, inputs);
  for (const ComparedModel& run : runs) note_differences(run, runs[0], o.own_turns);

  const std::vector<int> clusters = conversations(inputs.dialogues, examples);
  const std::vector<ComparedGroup> groups = groups_of(o, runs);
  const std::vector<ComparedRow> rows = compare_models(runs, groups, clusters);
  const int conversation_count = 1 + *std::max_element(clusters.begin(), clusters.end());
  const std::string note = std::to_string(examples.size()) + " " + inputs.unit(examples.size()) +
                           " of " + counted(conversation_count, "conversation") +
                           ", the largest of " + std::to_string(largest_cluster(clusters)) +
                           ". In brackets: 95 % intervals over\nconversations. Changes are from " +
                           printable(groups[0].name) + "; p is corrected for " +
                           counted(comparisons(rows), "comparison") + ".";
  if (!(output.to_stdout() || csv.to_stdout() || markdown.to_stdout() || latex.to_stdout())) {
    print(rows, groups);
    std::printf("%s\n", note.c_str());
  }
  if (conversation_count == 1)
    warn("a single conversation: the intervals say nothing about others");
  const Table table = comparison_table(rows, runs, groups, note);
  csv.write_text(to_csv(table));
  markdown.write_text(to_markdown(table));
  latex.write_text(to_latex(table));
  if (!output.wanted()) return;
  Json json = {{"inputs", inputs_json(inputs, paths, o.common->seed)},
               {"left_out", to_json(left_out)},
               {"own_turns", o.own_turns},
               {"dialogues", left_out.dialogues_read},
               {"examples", examples.size()},
               {"conversations", conversation_count},
               {"largest_conversation", largest_cluster(clusters)},
               {"comparisons", comparisons(rows)},
               {"rows", Json::array()}};
  for (const ComparedRow& row : rows) json["rows"].push_back(to_json(row, groups, runs));
  output.write(o, json);
}

}  // namespace

void add_compare(CLI::App& app) {
  const auto [c, o] = declare<CompareOptions>(
      app, "compare",
      "Compare perplexity and DAS ratios of several runs, with intervals and paired tests",
      "All runs see the same dialogues and distractions. Intervals and p-values come from a "
      "bootstrap over conversations (dialogues that share text), as in heed report. Changes are "
      "paired differences from the first run. BLEU, NIST, distinct-n, ent-4 and NASL (--responses) "
      "are of all responses together, and have neither. --against compares the means of two "
      "groups, whose runs are seeds of the same settings.\n"
      "Examples:\n"
      "  heed compare runs/baseline runs/trained --data data/ubuntu-sample\n"
      "  heed compare runs/trained-seed* --against runs/baseline-seed* --latex compared.tex",
      {.seed = "Seed of the distractions"}, run);
  c.add_option("runs", o.runs,
               "Directories of two or more runs or models; the others are compared with the first")
      ->required()
      ->expected(1, 100);
  c.add_option("--against", o.against,
               "Directories of the runs in the reference group; the runs before this option are "
               "the other group")
      ->expected(1, 100);
  o.input.declare(c);
  o.input.declare_tokens(c);
  option(c, "--test", o.test,
         "Test sets separated by commas, as in heed evaluate; none: perplexity (and accuracy with "
         "--accuracy), others: DAS ratio");
  add_json(c, o.json);
  c.add_option("--csv", o.csv, "Write comma-separated values to this file, - for standard output");
  c.add_option("--markdown", o.markdown, "Write the table as Markdown, - to print it");
  c.add_option("--latex", o.latex, "Write the table as a LaTeX tabular, - to print it");
  c.add_flag("--own-turns", o.own_turns,
             "Each model reads as many turns of the context as in its training, instead of as many "
             "as the first one");
  add_accuracy(c, o.accuracy);
  add_responses(c, o.responses);
  add_batch(c, o.batch);
  o.input.declare_insertion(c);
}

}  // namespace heed
