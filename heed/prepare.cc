#include <cstdio>
#include <filesystem>
#include <map>

#include "dialog/data/plain_text.h"
#include "dialog/data/ubuntu.h"
#include "dialog/text/format.h"
#include "dialog/text/utf8.h"
#include "dialog/view/render.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/progress.h"
#include "tensor/error.h"
#include "tensor/file.h"

namespace heed {
namespace {

struct Options {
  std::string in, out, form = "auto";  // of the file: --form or --layout
  size_t limit = 0, min_turns = 3;
};

// What is read, and a sentence about how (or "").
struct Corpus {
  std::vector<Dialogue> dialogues;
  std::string remark;
};

bool has_suffix(const std::string& path, const std::string& suffix) {
  return path.ends_with(suffix) || path.ends_with(suffix + ".gz");
}

// The published files are a folder of .tsv files, one of them, or a .csv file.
std::string detect_form(const Options& o) {
  if (o.form != "auto") return o.form;
  if (!std::filesystem::exists(o.in)) throw DataError(o.in + ": no such file or directory");
  if (std::filesystem::is_directory(o.in) || has_suffix(o.in, ".tsv")) return "tsv";
  if (has_suffix(o.in, ".csv")) return "csv";
  throw UsageError(o.in + ": neither a folder nor .tsv or .csv; say --form tsv or csv");
}

Corpus read_ubuntu(const Options& o, const Reading& reading) {
  if (detect_form(o) == "tsv") return {read_ubuntu_v1(o.in, reading), ""};
  UbuntuCsv csv = read_ubuntu_csv(o.in, reading);
  if (csv.label_0_rows == 0) return {std::move(csv.dialogues), ""};
  return {std::move(csv.dialogues),
          "left out: " + counted(static_cast<size_t>(csv.label_0_rows), "row") +
              " with label 0, whose utterance is not the answer"};
}

const std::map<std::string, TextLayout> kLayouts = {{"auto", TextLayout::kAuto},
                                                    {"eou", TextLayout::kEou},
                                                    {"lines", TextLayout::kLines},
                                                    {"tabs", TextLayout::kTabs}};

Corpus read_text(const Options& o, const Reading& reading) {
  PlainText text = read_plain_text(o.in, kLayouts.at(o.form), reading);
  std::string layout;
  for (const auto& [name, value] : kLayouts) {
    if (value == text.layout) layout = name;
  }
  return {std::move(text.dialogues), o.form == "auto" ? "read as --layout " + layout : ""};
}

// At most `count` characters of a text.
std::string beginning(const std::string& text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count-- > 0) next_code_point(text, at);
  return text.substr(0, at);
}

// The first turns of a dialogue, so that one sees whether the file was read as it was meant.
void show_beginning(const Dialogue& dialogue) {
  constexpr size_t kTurns = 3, kCharacters = 70;
  std::printf("the first one, %s, begins\n", printable(dialogue.id).c_str());
  for (size_t i = 0; i < std::min(kTurns, dialogue.turns.size()); ++i) {
    const Turn& turn = dialogue.turns[i];
    const std::string text =
        printable((turn.speaker.empty() ? "" : turn.speaker + ": ") + turn.text);
    const std::string head = beginning(text, kCharacters);
    std::printf("  %s%s\n", head.c_str(), head.size() < text.size() ? " ..." : "");
  }
}

using Reader = Corpus (*)(const Options&, const Reading&);

void run(const Options& o, Reader read) {
  check_writable(o.out);
  Progress progress;
  auto [dialogues, remark] =
      read(o, {o.limit, [&](size_t count) {
                 progress.show("reading " + o.in + ": " + counted(count, "dialogue"));
               }});
  progress.done();
  const size_t all = dialogues.size();
  std::erase_if(dialogues, [&](const Dialogue& d) { return d.turns.size() < o.min_turns; });
  if (dialogues.empty()) {
    throw DataError(o.in + ": none of " + counted(all, "dialogue") + " has " +
                    counted(o.min_turns, "turn"));
  }
  size_t turns = 0;
  for (const Dialogue& d : dialogues) turns += d.turns.size();
  write_dialogues(o.out, dialogues);
  if (!remark.empty()) std::printf("%s\n", remark.c_str());
  std::printf("read %s of %s, left out %zu with fewer than %s\n", counted(all, "dialogue").c_str(),
              o.in.c_str(), all - dialogues.size(), counted(o.min_turns, "turn").c_str());
  std::printf("wrote %s with %s (mean %.1f) to %s\n", counted(dialogues.size(), "dialogue").c_str(),
              counted(turns, "turn").c_str(),
              static_cast<double>(turns) / static_cast<double>(dialogues.size()), o.out.c_str());
  show_beginning(dialogues[0]);
}

// Declares what all commands have that turn a file into dialogues.
std::shared_ptr<Options> add_reader(CLI::App& command, Reader read, const char* in) {
  auto o = std::make_shared<Options>();
  add_common(command, {.device = false, .seed = ""});
  command.add_option("--in", o->in, in)->required();
  command.add_option("--out", o->out, "The file to write, gzip if it ends in .gz")->required();
  command.add_option("--limit", o->limit, "Read only the first dialogues, 0: all")
      ->capture_default_str();
  command
      .add_option("--min-turns", o->min_turns,
                  "Leave out shorter dialogues; 3 are two utterances of context and a response")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
  command.callback([o, read] { run(*o, read); });
  return o;
}

void add_ubuntu(CLI::App& prepare) {
  CLI::App* c = prepare.add_subcommand(
      "ubuntu", "The Ubuntu Dialogue Corpus (Lowe et al. 2015): folders of .tsv, or .csv files");
  c->footer(
      "v1: each .tsv below the folder is a dialogue; consecutive messages of one speaker become "
      "one "
      "turn. dialogueText.csv, as found on Kaggle, holds the same messages in one file.\n"
      "v2: each row of the .csv is a context and its response; of a training file the rows with "
      "Label 1. The last turn of a dialogue is the response that models learn.\n"
      "Example:\n"
      "  heed prepare ubuntu --in dialogs/ --out all.jsonl.gz --limit 100000");
  auto o = add_reader(*c, read_ubuntu, "The folder or file as published, plain or gzip");
  c->add_option("--form", o->form, "auto: told by the name")
      ->check(CLI::IsMember({"auto", "tsv", "csv"}))
      ->capture_default_str();
}

void add_text(CLI::App& prepare) {
  CLI::App* c = prepare.add_subcommand("text", "Dialogues in a text file");
  c->footer(
      "Layouts:\n"
      "  eou    a dialogue a line, its utterances end in __eou__ (as DailyDialog has them)\n"
      "  lines  an utterance a line, blank lines between dialogues\n"
      "  tabs   a line is speaker, tab, text; blank lines between dialogues; consecutive lines of\n"
      "         one speaker become one turn\n"
      "Example:\n"
      "  heed prepare text --in talk.txt --out all.jsonl.gz");
  auto o = add_reader(*c, read_text, "A text file in UTF-8, plain or gzip");
  c->add_option("--layout", o->form, "auto: told by the first line")
      ->check(CLI::IsMember({"auto", "eou", "lines", "tabs"}))
      ->capture_default_str();
}

}  // namespace

void add_prepare(CLI::App& app) {
  CLI::App* prepare = app.add_subcommand(
      "prepare", "Turn texts and published corpora into dialogues to train with");
  prepare->require_subcommand(1)->fallthrough();
  prepare->footer(
      "From a file of yours to a data directory:\n"
      "  heed prepare text  --in talk.txt --out all.jsonl.gz\n"
      "  heed prepare split --in all.jsonl.gz --out data/mine\n"
      "docs/your-own-data.md goes through it.");
  add_text(*prepare);
  add_ubuntu(*prepare);
  add_prepare_split(*prepare);
}

}  // namespace heed
