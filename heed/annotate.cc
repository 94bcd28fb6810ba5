// `heed carry`, `heed track`, `heed rewrite`, `heed ask`: how a model annotates the dialogues of a
// file, or a dialogue that is typed.
#include "base/file.h"
#include "base/utf8.h"
#include "dialog/data/corpus.h"
#include "dialog/parts/looker.h"
#include "dialog/system.h"
#include "dialog/view/render.h"
#include "heed/command.h"
#include "heed/conversation.h"
#include "heed/progress.h"
#include "train/run_directory.h"

namespace heed {
namespace {

struct AnnotateFlags : CommandOptions {
  std::string model, data, out, json;
  AnnotateOptions annotate;
  // heed ask
  std::string dialogue, id;
  std::vector<std::string> questions;
  double least_p = 0;
};

void refuse(const AnnotateFlags& o, const std::vector<std::string>& options,
            const std::string& where) {
  for (const std::string& name : options) {
    if (o.command->get_option_no_throw(name)) refuse_given(*o.command, name, where);
  }
}

// The model that the command is made for. Without a model, rules annotate.
std::shared_ptr<const Annotator> open(const AnnotateFlags& o, Capability capability) {
  const Device device = start(*o.common);
  const std::string command = o.command->get_name();
  if (o.model.empty()) {
    for (const System& s : systems()) {
      if (s.rules && s.rules->command() == command) return s.rules;
    }
  }
  const auto loaded = std::make_shared<const LoadedSystem>(open_model(o.model, capability, device));
  const auto& found = capability == Capability::kTag ? loaded->tagger : loaded->answerer;
  if (!found || found->command() != command) {
    throw UsageError(
        o.model + ": " + system_of(o.model).what + ", " +
        (found ? "for heed " + found->command() : "which heed " + command + " cannot use"));
  }
  return {loaded, found.get()};  // which refers to the model
}

void on_file(const AnnotateFlags& o, Capability capability) {
  const JsonOutput json(o.json), out(o.out);
  const auto annotator = open(o, capability);
  Progress progress;
  AnnotateOptions options = o.annotate;
  options.lines = out.wanted();
  options.model = o.model;
  options.seed = o.common->seed;
  options.progress = [&](int64_t done, int64_t of, const char* unit) {
    show_counts(progress, unit)(done, of);
  };
  const Annotated found = annotator->annotate(o.data, options);
  progress.done();
  if (out.wanted()) out.write_text(found.lines);
  if (!json.to_stdout() && !out.to_stdout()) {
    if (found.table) print_text(found.table(results_width()));
    if (out.wanted()) std::printf("%s: %s\n", o.out.c_str(), found.count.c_str());
  }
  for (const std::string& remark : found.remarks) note(remark);
  if (!json.wanted()) return;
  Json written = {{"inputs",
                   {{"model", o.model.empty() ? Json() : Json(o.model)},
                    {"data", {{"path", found.path.empty() ? o.data : found.path}}},
                    {"limit", o.annotate.limit}}}};
  written.update(Json::parse(found.json), /*merge_objects=*/true);  // with the fingerprint
  json.write(o, written);
}

void show(const Heard& heard, const TerminalStyle& style) {
  print_text(heard.text);
  if (heard.look.empty()) return;
  DialogueView view{"", {}, "", {{heard.look, std::nullopt, ""}}, 0};
  for (const Turn& turn : heard.turns) {
    view.context.push_back({said_text(turn), turn.distraction});
  }
  print_text(attention_text(view, {{"looked at", ""}}, style));
}

Dialogue chosen(const AnnotateFlags& o) {
  for (const Dialogue& d : read_dialogues(o.dialogue)) {
    if (o.id.empty() || d.id == o.id) return d;
  }
  throw DataError(o.dialogue + ": no dialogue has the id '" + o.id + "'");
}

void typed(const AnnotateFlags& o, Capability capability) {
  const auto annotator = open(o, capability);
  TypedOptions options{.model = o.model, .width = results_width(), .least_p = o.least_p};
  if (!o.dialogue.empty()) options.dialogue = chosen(o);
  const TypedDialogue dialogue = annotator->typed(options);
  const TerminalStyle style = terminal_style(stdout);
  for (const std::string& question : o.questions) {
    if (o.questions.size() > 1) std::printf("%s\n", printable(question).c_str());
    show(dialogue.hear(question), style);
  }
  if (!o.questions.empty()) return;
  converse({dialogue.greeting, dialogue.help, dialogue.reset, [&](const std::string& line) {
              if (!is_utf8(line)) return note("that is not UTF-8");
              show(dialogue.hear(line), style);
            }});
}

void tag(const AnnotateFlags& o) {
  if (o.model.empty()) {
    if (o.data.empty()) throw UsageError("give --model RUN, --data ITEMS, or both");
    refuse(o, {"--out", "--insert"}, "with --model");
  }
  if (!o.data.empty()) return on_file(o, Capability::kTag);
  refuse(o, {"--out", "--json", "--insert", "--limit", "--batch"}, "with --data");
  typed(o, Capability::kTag);
}

void ask(const AnnotateFlags& o) {
  if (o.data.empty() == o.dialogue.empty()) {
    throw UsageError(
        "ask: give --dialogue FILE and questions, or --data for questions with answers");
  }
  if (o.data.empty()) {
    refuse(o, {"--history", "--limit", "--out", "--json", "--batch"}, "with --data");
    for (const std::string& question : o.questions) {
      if (is_blank(question)) {
        throw UsageError("ask: a question is empty");
      }
    }
    return typed(o, Capability::kAnswer);
  }
  refuse(o, {"questions", "--which", "--least-p"}, "with --dialogue");
  if (!o.out.empty() && o.annotate.history == "both") {
    throw UsageError("--out: give --history gold or predicted, whose answers it writes");
  }
  on_file(o, Capability::kAnswer);
}

// The inputs and outputs that all of these commands share.
void declare_file(CLI::App& c, AnnotateFlags& o, const std::string& data, const std::string& out) {
  c.add_option("--data", o.data, data);
  option(c, "--limit", o.annotate.limit, "Read only the first N dialogues (of --data); 0: all");
  c.add_option("--out", o.out, out + "; - for standard output");
  add_json(c, o.json);
  add_batch(c, o.annotate.batch);
}

constexpr const char* kPartOrFile =
    "a data directory (its test part is read), or a file, JSON Lines, plain or gzip";

}  // namespace

void add_carry(CLI::App& app) {
  const auto [c, o] = declare<AnnotateFlags>(
      app, "carry", "Decide which values of a dialogue still hold, by a model or by rules",
      "With --data it compares decisions with the labels of the items: F1 by distance in turns; "
      "for candidates mentioned to the same service, to another service (cross) and both; for "
      "services seen in training and new ones. The decisions are those of three rules and, with "
      "--model, of a model. The rules: everything holds; only the latest value of a key holds; "
      "only the latest value from the user holds. --insert adds turns of other dialogues to the "
      "history; distances do not count them. Without --data you type the turns. docs/carryover.md "
      "goes through it.\n"
      "Examples:\n"
      "  heed carry --data data/sgd-items\n"
      "  heed carry --model runs/carry --data data/sgd-items --insert 8\n"
      "  heed carry --model runs/carry --data mine.jsonl --out decisions.jsonl\n"
      "  heed carry --model runs/carry",
      {.seed = "Seed of what --insert draws"}, tag);
  o.annotate.batch = 64;
  c.add_option("--model", o.model, "Directory of a run or a model, one of heed train carryover");
  declare_file(
      c, o, std::string("Dialogues: items, ") + kPartOrFile,
      "Write the decisions to this file, one a line: {\"id\", \"carry\", \"p\", \"look\"}");
  option(c, "--insert", o.annotate.insert, "Turns of other dialogues to insert into each history",
         whole_number(0, 1000));
}

void add_track(CLI::App& app) {
  const auto [c, o] = declare<AnnotateFlags>(
      app, "track", "What the user has asked for, after each turn of a dialogue",
      "Without --data you type the turns and see the state and its changes after "
      "each. With --data it measures how often states are right: joint: all slots "
      "are right; above 1/2: the values with p > 1/2 are the right ones; changes: a "
      "turn changes the right slots to the right values. Two rules stand beside the "
      "tracker: one sets a value where its words are said, the other always gives "
      "the most frequent state of the file. docs/tracking.md goes through it.\n"
      "Examples:\n  heed train tracker --data data/woz2 --out runs/heads\n"
      "  heed track runs/heads\n"
      "  heed track runs/heads --data data/woz2 --out states.jsonl",
      {.seed = ""}, tag);
  c.add_option("model", o.model, "Directory of a run or a model: a tracker")->required();
  declare_file(c, o, std::string("Dialogues: ") + kPartOrFile,
               "The states as JSON Lines, a dialogue a line: {\"id\", \"turns\": [{\"text\", "
               "\"state\": {\"food\": \"chinese\"}, \"p\"}]}");
}

void add_rewrite(CLI::App& app) {
  const auto [c, o] = declare<AnnotateFlags>(
      app, "rewrite", "Rewrite turns so that they can be understood without the turns before",
      "Without --data you type a conversation. A line of --out is {\"id\", \"turn\", "
      "\"rewritten\", \"gaps\": [{\"begin\", \"end\", \"was\", \"filled\", \"above_null\", "
      "\"best\"}]}; begin and end count words, each Chinese character being one. If the dialogues "
      "have the label \"rewritten\", it measures how well the model does; for a data directory "
      "with a train part also how well three rules do.\n"
      "Examples:\n"
      "  heed rewrite --model runs/gaps\n"
      "  heed rewrite --model runs/gaps --data data/rewriting --out turns.jsonl --json "
      "how-well.json",
      {.seed = ""}, tag);
  add_model(c, o.model);
  declare_file(c, o, std::string("Dialogues: ") + kPartOrFile + ", whose last turns are rewritten",
               "The rewritten turns, as JSON Lines");
}

void add_ask(CLI::App& app) {
  const auto [c, o] = declare<AnnotateFlags>(
      app, "ask",
      "Answer questions about a dialogue with words from it, or say that there are none",
      "An answer is shown in its turn, in brackets, with its probability. Without a "
      "question on the command line you type questions line by line; /reset forgets "
      "the earlier ones, /quit ends. With each question the model reads the last "
      "questions and its own answers, as many as in training (--turns).\n"
      "With --data, the questions of the test part of a corpus are answered and "
      "measured: EM, F1 of words, and HEQ if questions have several references; once "
      "with gold answers before each question and once with the model's own.\n"
      "Examples:\n  heed ask --model runs/reader --dialogue talk.jsonl \"Who has the "
      "keys?\"\n  heed ask --model runs/reader --data friendsqa --json scores.json",
      {.seed = ""}, ask);
  o.annotate.batch = 16;
  add_model(c, o.model);
  c.add_option("questions", o.questions,
               "Questions, in order; if none is given: read from standard input");
  c.add_option("--dialogue", o.dialogue, "File of dialogues (JSON Lines, plain or gzip)")
      ->option_text("FILE");
  c.add_option("--which", o.id, "The dialogue with this id; if not given: the first one")
      ->option_text("ID");
  option(c, "--least-p", o.least_p,
         "Below this probability an answer counts as none, for the next questions, too: the "
         "dialogue does not say",
         number(0, 1));
  declare_file(c, o,
               "Dialogues (or texts) with questions and answers, in the format of CoQA, QuAC, "
               "FriendsQA or Molweni: a folder, a file, or several with commas",
               "Write the answers to this file");
  option(c, "--history", o.annotate.history,
         "The answers that stand before each question: gold, predicted or both",
         one_of({"gold", "predicted", "both"}));
}

}  // namespace heed
