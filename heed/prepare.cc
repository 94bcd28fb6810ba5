#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "base/file.h"
#include "base/list.h"
#include "base/path.h"
#include "base/utf8.h"
#include "dialog/data/formats/plain_text.h"
#include "dialog/data/formats/table.h"
#include "dialog/data/formats/ubuntu.h"
#include "dialog/view/render.h"
#include "heed/command.h"
#include "heed/inputs.h"
#include "heed/prepare.h"
#include "heed/progress.h"

namespace heed {
namespace {

bool has_suffix(const std::string& path, const std::string& suffix) {
  return path.ends_with(suffix) || path.ends_with(suffix + ".gz");
}

// The published files are a folder of .tsv files, a single one, or a .csv file.
std::string detect_form(const PrepareOptions& o) {
  if (o.form != "auto") return o.form;
  if (!std::filesystem::exists(o.in)) throw DataError(o.in + ": no such file or directory");
  if (is_folder(o.in) || has_suffix(o.in, ".tsv")) return "tsv";
  if (has_suffix(o.in, ".csv")) return "csv";
  throw UsageError(o.in + ": neither a folder nor .tsv or .csv; say --form tsv or csv");
}

Prepared read_ubuntu(const PrepareOptions& o, const Reading& reading) {
  if (detect_form(o) == "tsv") {
    if (o.keep_wrong) throw UsageError("--keep-wrong: only applies to .csv files, of v2");
    return {read_ubuntu_v1(o.in, reading), {}};
  }
  UbuntuCsv csv = read_ubuntu_csv(o.in, reading, o.keep_wrong ? Wrong::kKeep : Wrong::kLeaveOut);
  const std::string rows = counted(csv.label_0_rows, "row") + " with label 0";
  Prepared result{std::move(csv.dialogues), {}};
  if (csv.label_0_rows == 0) return result;
  result.remarks.push_back(o.keep_wrong
                               ? "marked as a distraction: the last turn of " + rows
                               : "left out: " + rows + ", whose utterance is not the answer");
  return result;
}

const std::map<std::string, TextLayout> kLayouts = {{"auto", TextLayout::kAuto},
                                                    {"eou", TextLayout::kEou},
                                                    {"lines", TextLayout::kLines},
                                                    {"names", TextLayout::kNames},
                                                    {"tabs", TextLayout::kTabs}};

// Asks on the terminal; without a terminal the default holds.
bool ask(const std::string& question) {
  if (!::isatty(STDIN_FILENO) || !::isatty(STDERR_FILENO)) return false;
  std::fprintf(stderr, "heed: %s [y/N] ", printable(question).c_str());
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

Prepared read_text(const PrepareOptions& o, const Reading& reading) {
  const auto read = is_folder(o.in) ? read_plain_texts : read_plain_text;
  PlainText text = read(o.in, {kLayouts.at(o.form), o.gap_minutes, ask}, reading);
  if (text.layout != TextLayout::kNames && !o.gap_given->empty()) {
    throw UsageError("--gap: only applies with --layout names");
  }
  Prepared result{std::move(text.dialogues), {}};
  for (const auto& [name, value] : kLayouts) {
    if (o.form == "auto" && value == text.layout) {
      result.remarks.push_back("read as --layout " + name);
    }
  }
  if (text.left_out > 0) {
    result.remarks.push_back("left out: " + counted(text.left_out, "line") +
                             " without speech (arrivals and departures, pictures, reactions)");
  }
  return result;
}

Prepared read_csv(const PrepareOptions& o, const Reading& reading) {
  Columns columns{o.text, o.speaker};
  Prepared result;
  if (!o.dialogue.empty()) columns.dialogue = {o.dialogue};
  if (o.dialogue.empty()) result.remarks.push_back("without --dialogue all rows are one dialogue");
  if (o.speaker.empty()) result.remarks.push_back("without --speaker each row is a turn");
  result.dialogues = read_table(o.in, columns, reading);
  return result;
}

// At most `count` characters of a text.
std::string beginning(const std::string& text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count-- > 0) next_code_point(text, at);
  return text.substr(0, at);
}

// Shows the first turns of a dialogue, to let people check that the file was read as intended.
void show_beginning(const Dialogue& dialogue) {
  constexpr size_t kTurns = 3, kCharacters = 70;
  std::printf("the first one, %s, begins\n", printable(dialogue.id).c_str());
  for (size_t i = 0; i < std::min(kTurns, dialogue.turns.size()); ++i) {
    const Turn& turn = dialogue.turns[i];
    const std::string speaker =
        turn.speaker.empty() ? "no speaker" : "speaker \"" + turn.speaker + "\"";
    const std::string head = beginning(turn.text, kCharacters);
    const char* end = head.size() < turn.text.size() ? "\" ..." : "\"";
    std::printf("  %s, text \"%s%s\n", printable(speaker).c_str(), printable(head).c_str(), end);
  }
}

// Counts how many values each label has, and which.
struct LabelCount {
  size_t count = 0;
  std::set<std::string> values;
};
void count(const Labels& labels, std::map<std::string, LabelCount>& counts) {
  for (const auto& [name, values] : labels) {
    counts[name].count += values.size();
    counts[name].values.insert(values.begin(), values.end());
  }
}

// "labels: act 40 (5 different), emotion 40 (7 different)", and the same for other annotations.
void show_notes(const std::vector<Dialogue>& dialogues) {
  std::map<std::string, LabelCount> labels, others;
  for (const Dialogue& dialogue : dialogues) {
    count(dialogue.notes->labels, labels);
    for (const auto& [speaker, sentences] : dialogue.notes->personas) {
      count({{"sentences of personas", sentences}}, others);
    }
    for (const Turn& turn : dialogue.turns) {
      count(turn.notes->labels, labels);
      count({{"candidates", turn.notes->candidates}}, others);
    }
  }
  std::string line;
  for (const auto& counts : {labels, others}) {
    for (const auto& [name, n] : counts) {
      if (n.count == 0) continue;
      line += (line.empty() ? "with " : ", ") + std::to_string(n.count) + " " + name + " (" +
              std::to_string(n.values.size()) + " different)";
    }
  }
  if (!line.empty()) std::printf("%s\n", printable(line).c_str());
}

void write_file_of(const PrepareOptions& o, const std::vector<Dialogue>& dialogues) {
  make_directory_of(o.out);
  size_t turns = 0;
  for (const Dialogue& d : dialogues) turns += d.turns.size();
  write_dialogues(o.out, dialogues);
  std::printf("wrote %s with %s (mean %.1f) to %s\n", counted(dialogues.size(), "dialogue").c_str(),
              counted(turns, "turn").c_str(),
              static_cast<double>(turns) / static_cast<double>(dialogues.size()), o.out.c_str());
}

void run(const PrepareOptions& o, PrepareReader read) {
  const bool splits = !o.split.by.empty();
  if (splits) {
    check_split(o.split, o.out);
  } else {
    check_can_be_made(o.out);
  }
  Progress progress;
  auto [dialogues, remarks] = read(o, {o.limit, show_reading(progress, o.in)});
  progress.done();
  const size_t all = dialogues.size();
  const std::string least = counted(o.min_turns, "turn");
  std::erase_if(dialogues, [&](const Dialogue& d) { return std::ssize(d.turns) < o.min_turns; });
  if (dialogues.empty()) {
    throw DataError(o.in + ": none of " + counted(all, "dialogue") + " has " + least +
                    (remarks.empty() ? "" : " (" + joined(remarks, "; ") + ")"));
  }
  for (const std::string& remark : remarks) std::printf("%s\n", remark.c_str());
  std::printf("read %s of %s, left out %zu with fewer than %s\n", counted(all, "dialogue").c_str(),
              o.in.c_str(), all - dialogues.size(), least.c_str());
  show_notes(dialogues);
  show_beginning(dialogues[0]);
  note_long_dialogue(dialogues);
  if (splits) {
    write_split(o.split, dialogues, o.in, o.out);
  } else {
    write_file_of(o, dialogues);
  }
}

void add_ubuntu(CLI::App& prepare) {
  CLI::App* c = prepare.add_subcommand(
      "ubuntu", "The Ubuntu Dialogue Corpus (Lowe et al. 2015): folders of .tsv, or .csv files");
  c->footer(
      "v1: each .tsv below the folder is a dialogue; consecutive messages of one speaker become "
      "one turn. dialogueText.csv, the version on Kaggle, holds the same messages in one file.\n"
      "v2: each row of the .csv is a context and its response; in a training file only rows with "
      "Label 1 count. The last turn of a dialogue is the response that models learn; distractors "
      "become its candidates.\n"
      "Example:\n"
      "  heed prepare ubuntu --in dialogs/ --out all.jsonl.gz --limit 100000");
  auto o = add_reader(*c, read_ubuntu, "The folder or file as published, plain or gzip");
  option(*c, "--form", o->form, "auto: decided by the name", one_of({"auto", "tsv", "csv"}));
  c->add_flag("--keep-wrong", o->keep_wrong,
              "Keep the rows of v2 with Label 0, and mark their last turn as a distraction");
}

void add_text(CLI::App& prepare) {
  CLI::App* c =
      prepare.add_subcommand("text", "Dialogues in a text file, or in all .txt files of a folder");
  c->footer(
      "Layouts:\n"
      "  eou    one dialogue a line; utterances end in __eou__ (the format of DailyDialog)\n"
      "  lines  one utterance a line, blank lines between dialogues\n"
      "  tabs   a line is speaker, tab, text; blank lines between dialogues; consecutive lines of "
      "one speaker become one turn\n"
      "  names  Name: text, with or without a time before it: chats of WhatsApp and Discord, and "
      "logs of IRC with <name>; blank lines or long silences between dialogues\n"
      "If each file of a folder is a film or a book, --split film keeps each file together.\n"
      "Examples:\n  heed prepare text --in talk.txt --out all.jsonl.gz\n"
      "  heed prepare text --in films/ --layout tabs --out data/films --split film");
  auto o = add_reader(*c, read_text, "A text file in UTF-8, or a folder of them, plain or gzip");
  option(*c, "--layout", o->form, "auto: decided by the first lines",
         one_of({"auto", "eou", "lines", "names", "tabs"}));
  o->gap_given = option(*c, "--gap", o->gap_minutes,
                        "For names with times: a silence of more than this many minutes ends a "
                        "dialogue; 0: never",
                        whole_number(0, 1'000'000))
                     ->option_text("MINUTES");
}

void add_csv(CLI::App& prepare) {
  CLI::App* c = prepare.add_subcommand("csv", "Dialogues in a table with one message a row");
  c->footer(
      "The first line names the columns; fields are separated by commas, semicolons "
      "or tabs. With --speaker, consecutive rows of one speaker become one turn.\n"
      "Example:\n  heed prepare csv --in chat.csv --out all.jsonl.gz --text text "
      "--speaker name --dialogue id");
  auto o = add_reader(*c, read_csv, "A table in UTF-8, plain or gzip");
  c->add_option("--text", o->text, "The column that holds the text")
      ->option_text("COLUMN")
      ->required();
  c->add_option("--speaker", o->speaker, "The column that names the speaker")
      ->option_text("COLUMN");
  c->add_option("--dialogue", o->dialogue,
                "The column that identifies the dialogue; if not given, all rows are one dialogue")
      ->option_text("COLUMN");
}

}  // namespace

void note_long_dialogue(const std::vector<Dialogue>& dialogues) {
  size_t longest = 0;
  for (const Dialogue& d : dialogues) longest = std::max(longest, d.turns.size());
  if (longest <= (dialogues.size() == 1 ? 100 : 1000)) return;
  note((dialogues.size() == 1 ? "one dialogue with " : "the longest dialogue has ") +
       counted(longest, "turn") +
       ": are there blank lines between dialogues? Chats with times have --gap, tables --dialogue");
}

std::shared_ptr<PrepareOptions> add_reader(CLI::App& c, PrepareReader read, const char* in) {
  auto o = std::make_shared<PrepareOptions>();
  o->split.common = add_common(c, {.device = false, .seed = "Seed of the division"});
  c.add_option("--in", o->in, in)->required();
  c.add_option("--out", o->out,
               "The file to write, gzip if its name ends in .gz; with --split the folder to make")
      ->required();
  option(c, "--limit", o->limit, "Read only the first N dialogues; 0: all");
  option(c, "--min-turns", o->min_turns,
         "Leave out shorter dialogues; 3 are two utterances of context and a response",
         whole_number(1, 1000));
  CLI::Option* split = add_split_options(c, "--split", o->split);
  for (const char* name : {"--valid", "--test", "--seed"}) c.get_option(name)->needs(split);
  c.callback([o, read] { run(*o, read); });
  return o;
}

void add_prepare(CLI::App& app) {
  CLI::App* prepare = app.add_subcommand(
      "prepare", "Convert texts and published corpora into dialogues for training");
  prepare->require_subcommand(1)->fallthrough();
  prepare->footer(
      "From your own file (text: chats and texts, csv, messages) to a data directory:\n"
      "  heed prepare text  --in talk.txt --out all.jsonl.gz\n"
      "  heed prepare split --in all.jsonl.gz --out data/mine\n"
      "docs/your-own-data.md goes through it, docs/corpora.md through the published corpora.");
  add_text(*prepare);
  add_csv(*prepare);
  add_ubuntu(*prepare);
  add_prepare_published(*prepare);
  add_prepare_split(*prepare);
  add_prepare_labels(*prepare);
  add_prepare_carryover(*prepare);
  add_prepare_because(*prepare);
  add_prepare_pairs(*prepare);
}

}  // namespace heed
