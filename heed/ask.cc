// `heed ask`: questions about a dialogue, answered by a span of it.

#include <algorithm>

#include "dialog/comprehend/run.h"
#include "dialog/comprehend/score.h"
#include "dialog/data/corpus.h"
#include "dialog/text/text_table.h"
#include "dialog/view/render.h"
#include "heed/command.h"
#include "heed/conversation.h"
#include "heed/progress.h"

namespace heed {
namespace {

using namespace comprehend;

struct Options {
  CommonPtr common;
  const CLI::App* command = nullptr;
  std::string model, dialogue, id, data, history = "both", out, json;
  std::vector<std::string> questions;
  double least_p = 0;
  size_t limit = 0;
  int64_t batch = 16;
};

// ---- about one dialogue

Passage chosen(const Options& o) {
  for (const Dialogue& d : read_dialogues(o.dialogue)) {
    if (o.id.empty() || d.id == o.id) return passage_of(d);
  }
  throw DataError(o.dialogue + ": no dialogue has the id '" + o.id + "'");
}

// The answer, and the turn that it stands in, with the answer in brackets.
void say(const Passage& passage, const Predicted& p, double least_p) {
  const auto percent = [](double x) { return decimal(100 * x, 1) + " %"; };
  if (p.answer.kind == Kind::kNone || p.p < least_p) {
    std::printf("the dialogue does not say (%s)\n",
                p.answer.kind == Kind::kNone ? percent(p.p).c_str()
                                             : ("the best answer has " + percent(p.p)).c_str());
    return;
  }
  std::printf("%s (%s)\n", printable(p.answer.text).c_str(), percent(p.p).c_str());
  if (p.answer.end <= p.answer.begin) return;
  const PassageTurn &first = passage.turn_at(p.answer.begin),
                    &last = passage.turn_at(p.answer.end - 1);
  const std::string& text = passage.text;
  std::printf("  %s[%s]%s\n",
              printable(text.substr(first.begin, p.answer.begin - first.begin)).c_str(),
              printable(text.substr(p.answer.begin, p.answer.end - p.answer.begin)).c_str(),
              printable(text.substr(p.answer.end, last.end - p.answer.end)).c_str());
}

void answer_questions(const Options& o, const LoadedReader& reader) {
  const Passage passage = chosen(o);
  const Config& config = reader.model.config();
  const ReadPassage read = read_passage(passage, reader.pieces, config.longest_query);
  std::vector<TurnBefore> before;
  const auto ask = [&](const std::string& question) {
    const Ids ids = read_query(question, reader.pieces, config.longest_query);
    const Predicted p = answer(reader.model, {asked(read, ids, before, config)}, {&read})[0];
    say(passage, p, o.least_p);
    before.push_back({ids, read_query(as_history(p.answer), reader.pieces, config.longest_query)});
  };
  for (const std::string& question : o.questions) {
    if (o.questions.size() > 1) std::printf("%s\n", printable(question).c_str());
    ask(question);
  }
  if (!o.questions.empty()) return;
  converse({.greeting = "",
            .help = "Type questions about the dialogue; those before are read with each.",
            .reset = [&] { before.clear(); },
            .hear = ask});
}

// ---- about a corpus with answers

Json to_json(const Scores& s) {
  const auto or_null = [](double x) { return x < 0 ? Json() : Json(x); };
  return {{"exact", s.exact},
          {"f1", s.f1},
          {"heq_q", or_null(s.heq_q)},
          {"heq_d", or_null(s.heq_d)},
          {"f1_answerable", or_null(s.answerable)},
          {"f1_unanswerable", or_null(s.unanswerable)},
          {"questions", s.questions}};
}

std::string lines_of(const Corpus& corpus, const std::vector<std::vector<Predicted>>& answers) {
  std::string lines;
  for (size_t p = 0; p < answers.size(); ++p) {
    for (size_t q = 0; q < answers[p].size(); ++q) {
      const Predicted& a = answers[p][q];
      lines += json_text({{"id", corpus.passages[p].questions[q].id},
                          {"answer", a.answer.kind == Kind::kNone ? Json() : Json(a.answer.text)},
                          {"p", a.p}}) +
               "\n";
    }
  }
  return lines;
}

void measure_all(const Options& o, const LoadedReader& reader) {
  const JsonOutput output(o.json), answers_file(o.out);
  const Parts parts = read_parts({o.data}, o.limit);
  const Corpus& corpus = parts.test;
  const auto read = read_all(corpus, reader.pieces, reader.model.config());
  std::vector<std::vector<std::string>> columns = {{"answers before"}, {"EM"},    {"F1"},
                                                   {"HEQ-Q"},          {"HEQ-D"}, {"F1 answerable"},
                                                   {"unanswerable"}};
  Json json = {{"heed", provenance("ask", *o.common)},
               {"inputs", {{"model", o.model}, {"data", o.data}, {"limit", o.limit}}},
               {"left_out", corpus.left_out}};
  Progress progress;
  for (const char* name : {"gold", "predicted"}) {
    if (o.history != "both" && o.history != name) continue;
    const auto answers =
        answer_all(reader.model, reader.pieces, read,
                   name == std::string("gold") ? History::kGold : History::kPredicted, o.batch,
                   [&](int64_t done, int64_t of) {
                     progress.show(std::to_string(done) + " of " +
                                   counted(static_cast<size_t>(of), "question"));
                   });
    progress.done();
    const Scores s = measure(corpus, texts_of(answers));
    columns[0].push_back(name);
    const double shown[] = {s.exact, s.f1, s.heq_q, s.heq_d, s.answerable, s.unanswerable};
    for (size_t i = 0; i < std::size(shown); ++i) {
      columns[i + 1].push_back(shown[i] < 0 ? "-" : decimal(100 * shown[i], 1));
    }
    json[name] = to_json(s);
    if (!o.out.empty()) answers_file.write_text(lines_of(corpus, answers));
  }
  if (!output.to_stdout() && !answers_file.to_stdout()) {
    std::printf("%s%s on %s of the test part\n", text_table(columns, results_width()).c_str(),
                counted(json.contains("gold") ? json["gold"]["questions"].get<size_t>()
                                              : json["predicted"]["questions"].get<size_t>(),
                        "question")
                    .c_str(),
                counted(corpus.passages.size(), "passage").c_str());
  }
  if (output.wanted()) output.write(json);
}

void run(const Options& o) {
  if (o.data.empty() == o.dialogue.empty()) {
    throw UsageError(
        "ask: give --dialogue FILE and questions, or --data for questions with answers");
  }
  if (!o.data.empty()) {
    for (const char* name : {"questions", "--which", "--least-p"}) {
      refuse_given(*o.command, name, "with --dialogue");
    }
    if (!o.out.empty() && o.history == "both") {
      throw UsageError("--out: say --history gold or predicted, whose answers are to be written");
    }
  } else {
    for (const char* name : {"--history", "--limit", "--out", "--json", "--batch"}) {
      refuse_given(*o.command, name, "with --data");
    }
  }
  const Device device = start(*o.common);
  LoadedReader reader = load_reader(o.model);
  move(reader.model, device);
  if (o.data.empty()) return answer_questions(o, reader);
  measure_all(o, reader);
}

}  // namespace

void add_ask(CLI::App& app) {
  const auto [c, o] = declare<Options>(
      app, "ask", "Answer questions about a dialogue by what stands in it, or say that it does not",
      "An answer is shown in its turn, in brackets, with its probability. Without a question they "
      "are read line by line, /reset forgets those before, /quit ends. The model reads the last "
      "questions and its own answers with each question, as many as it was trained with "
      "(--turns).\n"
      "With --data, the questions of the test part of a corpus are answered and measured: EM and "
      "F1 of words, HEQ where questions have several references; with gold answers before each "
      "question, and with the model's own.\n"
      "Examples:\n"
      "  heed ask --model runs/reader --dialogue talk.jsonl \"Who has the keys?\"\n"
      "  heed ask --model runs/reader --data friendsqa --json scores.json",
      {.seed = ""}, run);
  add_model(c, o.model);
  c.add_option("questions", o.questions, "Questions, one after the other; none: standard input");
  c.add_option("--dialogue", o.dialogue, "File of dialogues (JSON Lines, plain or gzip)")
      ->option_text("FILE");
  c.add_option("--which", o.id, "The id of the dialogue; if not given: the first one")
      ->option_text("ID");
  option(c, "--least-p", o.least_p,
         "Answers of a lower probability are taken for none: the dialogue does not say",
         number(0, 1));
  c.add_option("--data", o.data,
               "Dialogues, or texts, with questions and answers in the form of CoQA, QuAC, "
               "FriendsQA or Molweni: a folder or a file");
  option(c, "--limit", o.limit, "Read only the first dialogues, of each file; 0: all");
  option(c, "--history", o.history, "The answers before each question: gold, predicted or both",
         one_of({"gold", "predicted", "both"}));
  c.add_option("--out", o.out, "Write the answers to this file, - for standard output");
  add_json(c, o.json);
  add_batch(c, o.batch);
}

}  // namespace heed
