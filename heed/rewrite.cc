// heed rewrite: turns written out, so that they say all that they leave to the turns before.

#include <algorithm>
#include <filesystem>

#include "dialog/rewrite/rewriter.h"
#include "dialog/rewrite/run.h"
#include "dialog/system.h"
#include "dialog/text/text_table.h"
#include "dialog/view/render.h"
#include "heed/command.h"
#include "heed/conversation.h"
#include "heed/progress.h"

namespace heed {
namespace {

using rewrite::Filled;
using rewrite::GapExample;
using rewrite::Rewrite;
using rewrite::Rules;

struct Options {
  CommonPtr common;
  const CLI::App* command = nullptr;
  std::string model, data, out, json;
  size_t limit = 0;
  int64_t batch = 32;
};

std::vector<std::string> fillings(const GapExample& e, const Filled& f) {
  std::vector<std::string> texts;
  for (const size_t c : f.best) texts.push_back(rewrite::joined(e.text(e.candidates[c])));
  return texts;
}

// ---- a file

Json line_json(const GapExample& e, const Rewrite& r) {
  Json gaps = Json::array();
  for (const Filled& f : r.gaps) {
    const Tokens was(e.turn.begin() + f.gap.begin, e.turn.begin() + f.gap.end);
    gaps.push_back({{"begin", f.gap.begin},
                    {"end", f.gap.end},
                    {"was", rewrite::joined(was)},
                    {"filled", rewrite::joined(f.gap.piece)},
                    {"above_null", f.above_null},
                    {"best", fillings(e, f)}});
  }
  return {{"id", e.id},
          {"turn", rewrite::joined(e.turn)},
          {"rewritten", rewrite::joined(r.text)},
          {"gaps", std::move(gaps)}};
}

Json to_json(const rewrite::Measured& m) {
  const auto label = [](const rewrite::Measured::Precision& p) -> Json {
    return {{"precision", p.precision}, {"recall", p.recall}, {"f1", p.f1}};
  };
  return {{"border", label(m.border)},
          {"pronoun", label(m.pronoun)},
          {"both", label(m.both)},
          {"p1", m.at[0]},
          {"p2", m.at[1]},
          {"p3", m.at[2]},
          {"answered", m.answered},
          {"exact", m.exact},
          {"bleu", m.bleu}};
}

struct Row {
  std::string name;
  rewrite::Measured measured;
};

// The model, and the rules where there is a training part to count in.
std::vector<Row> measure(const Options& o, const rewrite::LoadedGaps& gaps,
                         const std::vector<GapExample>& examples,
                         const std::vector<Rewrite>& found) {
  const std::vector<Rewrite> given = rewrite::rewrite(gaps.model, examples, true, o.batch);
  std::vector<Row> rows = {{"model", measured(examples, found, given)}};
  std::error_code ignored;
  if (!std::filesystem::is_directory(o.data, ignored)) return rows;
  const rewrite::DataPart train = rewrite::read_part(o.data, "train", 0);
  const Rules rules(gap_examples(train.path, train.dialogues, gaps.model.bounds(), gaps.vocabulary,
                                 /*labelled=*/true));
  for (const auto& [name, rule] : rewrite::kRules) {
    const std::vector<Rewrite> texts = rules.rewrite(rule, examples);
    rows.push_back({name, measured(examples, texts, texts)});
  }
  return rows;
}

void print_table(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> columns = {{""}};
  for (const Row& row : rows) columns[0].push_back(row.name);
  const auto add = [&](const char* title, auto value, bool of_rules = true) {
    std::vector<std::string>& column = columns.emplace_back(1, title);
    for (const Row& row : rows) {
      const bool has = of_rules || &row == &rows[0];
      column.push_back(has ? decimal(100 * value(row.measured), 1) : "-");
    }
  };
  using M = rewrite::Measured;
  add(
      "borders P", [](const M& m) { return m.border.precision; }, false);
  add(
      "R", [](const M& m) { return m.border.recall; }, false);
  add(
      "F1", [](const M& m) { return m.border.f1; }, false);
  add(
      "pronouns P", [](const M& m) { return m.pronoun.precision; }, false);
  add(
      "R", [](const M& m) { return m.pronoun.recall; }, false);
  add(
      "F1", [](const M& m) { return m.pronoun.f1; }, false);
  add("P@1", [](const M& m) { return m.at[0]; });
  add("P@2", [](const M& m) { return m.at[1]; });
  add("P@3", [](const M& m) { return m.at[2]; });
  add("exact", [](const M& m) { return m.exact; });
  add("BLEU", [](const M& m) { return m.bleu; });
  std::fputs(text_table(columns, results_width()).c_str(), stdout);
  std::printf(
      "P@k: of the %.1f %% of gaps that something in the context fills; rules are given "
      "the gaps\n",
      100 * rows[0].measured.answered);
}

void rewrite_file(const Options& o) {
  const Device device = start(*o.common);
  const JsonOutput lines_file(o.out), output(o.json);
  rewrite::LoadedGaps gaps = rewrite::load_gaps(o.model);
  move(gaps.model, device);
  const std::string path = find_dialogues(o.data, "test");
  size_t left_out = 0;
  const std::vector<GapExample> examples =
      gap_examples(path, read_dialogues(path, Reading{.limit = o.limit, .notes = true}),
                   gaps.model.bounds(), gaps.vocabulary, /*labelled=*/false, &left_out);
  Progress progress;
  const std::vector<Rewrite> found =
      rewrite::rewrite(gaps.model, examples, false, o.batch, [&](int64_t done) {
        progress.show(std::to_string(done) + " of " + counted(examples.size(), "turn"));
      });
  progress.done();
  std::string lines;
  for (size_t i = 0; i < examples.size(); ++i) {
    lines += json_text(line_json(examples[i], found[i])) + "\n";
  }
  if (lines_file.wanted()) lines_file.write_text(lines);
  if (left_out > 0) {
    note(counted(left_out, "dialogue") + " left out: no turn before the last one, or more than " +
         std::to_string(gaps.model.bounds().max_turn) + " words in it");
  }
  std::vector<Row> rows;
  if (std::none_of(examples.begin(), examples.end(),
                   [](const GapExample& e) { return e.rewritten.empty(); })) {
    rows = measure(o, gaps, examples, found);
  }
  if (!lines_file.to_stdout() && !output.to_stdout()) {
    if (!rows.empty()) print_table(rows);
    if (lines_file.wanted()) {
      std::printf("%s: %s\n", o.out.c_str(), counted(examples.size(), "turn").c_str());
    }
  }
  if (!output.wanted()) return;
  Json json = {
      {"heed", provenance("rewrite", *o.common)},
      {"inputs",
       {{"model", o.model}, {"data", {{"path", path}, {"fingerprint", file_checksum(path)}}}}},
      {"turns", examples.size()},
      {"left_out", left_out}};
  for (const Row& row : rows) json[row.name] = to_json(row.measured);
  output.write(json);
}

// ---- a conversation

// 'left out before "好看": "tfboys" (0.53 above nothing; or "演唱会")'
std::string gap_text(const GapExample& e, const Filled& f) {
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  const auto from = e.turn.begin() + f.gap.begin;
  std::string text = f.gap.begin < f.gap.end
                         ? quoted(rewrite::joined({from, e.turn.begin() + f.gap.end})) + " is"
                     : from == e.turn.end() ? "left out at the end:"
                                            : "left out before " + quoted(*from) + ":";
  const std::vector<std::string> best = fillings(e, f);
  if (f.gap.piece.empty()) return text + " nothing that was said";
  text += " " + quoted(best[0]) + " (" + decimal(f.above_null, 2) + " above nothing";
  for (size_t k = 1; k < best.size(); ++k) text += (k == 1 ? "; or " : ", ") + quoted(best[k]);
  return text + ")";
}

void rewrite_typed(const Options& o) {
  const Device device = start(*o.common);
  rewrite::LoadedGaps gaps = rewrite::load_gaps(o.model);
  move(gaps.model, device);
  Dialogue dialogue;
  converse(
      {.greeting = o.model + " writes turns out. Say something; /help explains.",
       .help =
           "Type the turns of a conversation, of both sides. From the second one on you see what\n"
           "each says by itself, and what fills its gaps.",
       .reset = [&] { dialogue.turns.clear(); },
       .hear =
           [&](const std::string& line) {
             dialogue.turns.push_back({"", line});
             const auto e = gap_example(dialogue, gaps.model.bounds(), gaps.vocabulary);
             if (!e) return;
             const Rewrite r = rewrite::rewrite(gaps.model, {*e}, false, 1)[0];
             std::printf("says: %s\n", printable(rewrite::joined(r.text)).c_str());
             for (const Filled& f : r.gaps) {
               std::printf("  %s\n", printable(gap_text(*e, f)).c_str());
             }
           }});
}

void run(const Options& o) {
  require(o.model, Capability::kTag);
  if (!o.data.empty()) return rewrite_file(o);
  for (const char* option : {"--out", "--json", "--limit"}) {
    refuse_given(*o.command, option, "with --data");
  }
  rewrite_typed(o);
}

}  // namespace

void add_rewrite(CLI::App& app) {
  const auto [c, o] = declare<Options>(
      app, "rewrite", "Write turns out, with what they leave to the turns before",
      "Without --data it reads a conversation that is typed. A line of --out is {\"id\", \"turn\", "
      "\"rewritten\", \"gaps\": [{\"begin\", \"end\", \"was\", \"filled\", \"above_null\", "
      "\"best\"}]}; begin and end count words, each Chinese character being one. Where the "
      "dialogues have the label \"rewritten\" it says how well that is done, and of a data "
      "directory how well three rules do.\n"
      "Examples:\n"
      "  heed rewrite --model runs/gaps\n"
      "  heed rewrite --model runs/gaps --data data/rewriting --out turns.jsonl --json "
      "how-well.json",
      {.seed = ""}, run);
  add_model(c, o.model);
  c.add_option("--data", o.data,
               "Dialogues: a data directory (its test part is read), or a file, JSON Lines, plain "
               "or gzip, whose last turns are written out");
  c.add_option("--out", o.out, "The turns, JSON Lines; - for standard output");
  option(c, "--limit", o.limit, "Read only the first dialogues, of --data; 0: all");
  add_json(c, o.json);
  add_batch(c, o.batch);
}

}  // namespace heed
