// What `heed ask` says: questions about a dialogue, answered by a span of it.
#include "base/list.h"
#include "dialog/comprehend/score.h"
#include "dialog/comprehend/task.h"
#include "dialog/parts/annotator_json.h"
#include "dialog/text/format.h"
#include "dialog/text/terminal.h"
#include "dialog/text/text_table.h"
#include "train/number_json.h"

namespace heed::comprehend {
namespace {

using Json = nlohmann::ordered_json;

// The answer, and the turn that it stands in, with the answer in brackets. `too_low`: its
// probability is, and it counts as none.
std::string answer_text(const Passage& passage, const Predicted& p, bool too_low) {
  const std::string percent = decimal(100 * p.p, 1) + " %";
  const bool none = p.answer.kind == Kind::kNone;
  if (none || too_low) {
    return "the dialogue does not say (" + (none ? "" : std::string("the best answer has ")) +
           percent + ")\n";
  }
  std::string shown = printable(p.answer.text) + " (" + percent + ")\n";
  if (p.answer.end <= p.answer.begin) return shown;
  const PassageTurn &first = passage.turn_at(p.answer.begin),
                    &last = passage.turn_at(p.answer.end - 1);
  const auto text = [&](size_t begin, size_t end) {
    return printable(passage.text.substr(begin, end - begin));
  };
  return shown + "  " + text(first.begin, p.answer.begin) + "[" +
         text(p.answer.begin, p.answer.end) + "]" + text(p.answer.end, last.end) + "\n";
}

Json to_json(const Scores& s) {
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
      lines += json_line({{"id", corpus.passages[p].questions[q].id},
                          {"answer", a.answer.kind == Kind::kNone ? Json() : Json(a.answer.text)},
                          {"p", a.p}});
    }
  }
  return lines;
}

std::string table_of(const std::vector<std::pair<std::string, Scores>>& rows,
                     const std::string& passages, int width) {
  std::vector<std::vector<std::string>> cells = {
      {"answers before", "EM", "F1", "HEQ-Q", "HEQ-D", "F1 answerable", "unanswerable"}};
  const auto percent = [](const std::optional<double>& x) {
    return x ? decimal(100 * *x, 1) : "-";
  };
  for (const auto& [history, s] : rows) {
    cells.push_back({history, percent(s.exact), percent(s.f1), percent(s.heq_q), percent(s.heq_d),
                     percent(s.answerable), percent(s.unanswerable)});
  }
  return text_table_of_rows(cells, width) + counted(rows[0].second.questions, "question") + " on " +
         passages + "\n";
}

class PassageAnnotator : public Annotator {
 public:
  explicit PassageAnnotator(std::shared_ptr<const LoadedReader> reader)
      : reader_(std::move(reader)) {}
  std::string command() const override { return "ask"; }

  // All questions of the test part of a corpus with answers.
  Annotated annotate(const std::string& data, const AnnotateOptions& o) const override {
    const Parts parts = read_parts(split(data, ','), o.limit);
    require_test(parts, data);
    const auto read = read_all(parts.test, reader_->pieces, reader_->model.config());
    Annotated found;
    const Json asked_of = {{"path", data}, {"fingerprint", fingerprint(parts.test)}};
    Json json = {{"inputs", {{"data", asked_of}}}, {"left_out", parts.test.left_out}};
    std::vector<std::pair<std::string, Scores>> rows;
    for (const std::string name : {"gold", "predicted"}) {
      if (o.history != "both" && o.history != name) continue;
      const auto answers = answer_all(reader_->model, reader_->pieces, read,
                                      name == "gold" ? History::kGold : History::kPredicted,
                                      o.batch, reporter(o, "question"));
      rows.emplace_back(name, measure(parts.test, texts_of(answers)));
      json[name] = to_json(rows.back().second);
      found.lines = lines_of(parts.test, answers);
    }
    if (rows.empty()) {
      throw UsageError("history: expected gold, predicted or both, got '" + o.history + "'");
    }
    found.count = counted(rows[0].second.questions, "answer");
    found.json = json.dump();
    const std::string passages =
        counted(parts.test.passages.size(), "passage") +
        (parts.divided ? " of a test part that is a fifth: " + data + " has no train part"
                       : " of the test part");
    found.table = [rows, passages](int width) { return table_of(rows, passages, width); };
    if (parts.test.left_out > 0) {
      found.remarks.push_back(counted(parts.test.left_out, "question") + " left out" +
                              (parts.divided ? " of all parts" : "") + ": they have no answer");
    }
    return found;
  }

  TypedDialogue typed(const TypedOptions& o) const override {
    struct About {
      Passage passage;
      ReadPassage read = {};
      std::vector<TurnBefore> before = {};
    };
    const int64_t longest = reader_->model.config().longest_query;
    const auto about = std::make_shared<About>(About{passage_of(o.dialogue)});
    about->read = read_passage(about->passage, reader_->pieces, longest);
    return {.greeting = "",
            .help = "Type questions about the dialogue; those before are read with each.",
            .reset = [about] { about->before.clear(); },
            .hear = [this, about, longest, least = o.least_p](const std::string& line) -> Heard {
              const Ids question = read_query(line, reader_->pieces, longest);
              const Predicted p =
                  answer(reader_->model,
                         {asked(about->read, question, about->before, reader_->model.config())},
                         {&about->read})[0];
              const bool too_low = p.p < least;
              const std::string said = as_history(too_low ? Answer{.kind = Kind::kNone} : p.answer);
              about->before.push_back({question, read_query(said, reader_->pieces, longest)});
              return {answer_text(about->passage, p, too_low)};
            }};
  }

 private:
  std::shared_ptr<const LoadedReader> reader_;
};

}  // namespace

std::shared_ptr<const Annotator> annotator(std::shared_ptr<const LoadedReader> reader) {
  return std::make_shared<PassageAnnotator>(std::move(reader));
}

}  // namespace heed::comprehend
