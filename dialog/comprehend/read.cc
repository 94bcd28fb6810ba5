#include "dialog/comprehend/read.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "dialog/text/word_bytes.h"

namespace heed::comprehend {
namespace {

// A run of bytes that are no blanks and no ASCII punctuation, or one sign of it.
size_t end_of_word(const std::string& text, size_t begin) {
  const auto is_part = [&](size_t at) { return is_of_word(text[at]); };
  size_t end = begin + 1;
  while (is_part(begin) && end < text.size() && is_part(end)) ++end;
  return end;
}

// ln softmax of rows begin to end.
std::vector<double> log_softmax_of(const std::vector<double>& logits, int64_t begin, int64_t end) {
  std::vector<double> x(logits.begin() + begin, logits.begin() + end);
  const double highest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double value : x) sum += std::exp(value - highest);
  for (double& value : x) value -= highest + std::log(sum);
  return x;
}

}  // namespace

Ids read_query(const std::string& text, const pretrained::WordPiece& pieces, int64_t longest) {
  Ids ids = pieces.encode(text);
  if (std::ssize(ids) > longest) ids.resize(longest);
  return ids;
}

std::string as_history(const Answer& answer) {
  return answer.kind == Kind::kNone ? "unknown" : answer.text;
}

ReadPassage read_passage(const Passage& passage, const pretrained::WordPiece& pieces,
                         int64_t longest_query) {
  ReadPassage read{&passage};
  const std::string& text = passage.text;
  for (size_t at = 0; at < text.size();) {
    const size_t end = end_of_word(text, at);
    for (const int32_t id : pieces.encode(text.substr(at, end - at))) {
      read.pieces.push_back(id);
      read.bytes.emplace_back(at, end);
    }
    at = end;
  }
  if (read.pieces.empty()) throw DataError("passage " + passage.id + ": has no words");
  for (const Question& q : passage.questions) {
    const Answer& a = q.answers.at(0);
    const auto none = static_cast<int32_t>(read.pieces.size());
    ReadQuestion& question = read.questions.emplace_back();
    question.question = read_query(q.text, pieces, longest_query);
    question.target = {none, none, static_cast<int32_t>(a.kind)};
    read.turns.push_back({question.question, read_query(as_history(a), pieces, longest_query)});
    for (int32_t i = 0; i < none; ++i) {
      const auto [begin, end] = read.bytes[i];
      if (end <= a.begin || begin >= a.end) continue;
      question.target.begin = std::min(question.target.begin, i);
      question.target.end = i;
    }
  }
  return read;
}

Asked asked(const ReadPassage& passage, const Ids& question, const std::vector<TurnBefore>& before,
            const Config& config) {
  Asked a{&passage.pieces, {question}};
  for (const auto& [wanted, part] : {std::pair(config.questions, &TurnBefore::question),
                                     {config.answers, &TurnBefore::answer}}) {
    for (int64_t k = 1; wanted && k <= config.turns; ++k) {
      const bool there = k <= std::ssize(before);
      a.queries.push_back(there ? before[before.size() - k].*part : Ids());
    }
  }
  return a;
}

std::vector<Asked> asked(const ReadPassage& passage, const std::vector<size_t>& questions,
                         const Config& config) {
  std::vector<Asked> all;
  for (const size_t q : questions) {
    const auto begin = passage.turns.begin();
    all.push_back(asked(passage, passage.questions[q].question,
                        {begin, begin + static_cast<ptrdiff_t>(q)}, config));
  }
  return all;
}

std::vector<Predicted> answer(const SpanReader& model, const std::vector<Asked>& asked,
                              const std::vector<const ReadPassage*>& passages) {
  const NoGrad guard;
  const SpanReader::Logits l = model(asked);
  const std::vector<double> start = l.start.value().to_vector(), end = l.end.value().to_vector(),
                            kinds = l.kinds.defined() ? l.kinds.value().to_vector()
                                                      : std::vector<double>();
  std::vector<Predicted> result(asked.size());
  for (size_t i = 0; i < l.of.size(); ++i) {
    const auto s = static_cast<int64_t>(i);
    const ReadPassage& read = *passages[l.of[i]];
    const size_t pieces = read.pieces.size();
    const auto log_start = log_softmax_of(start, l.segments.begin(s), l.segments.end(s)),
               log_end = log_softmax_of(end, l.segments.begin(s), l.segments.end(s));
    const BestSpan span =
        best_span(std::span(log_start).first(pieces), std::span(log_end).first(pieces));
    const double none = log_start[pieces] + log_end[pieces];
    const auto at = static_cast<int32_t>(none > span.score ? pieces : span.end);
    Predicted& p = result[l.of[i]];
    p.answer.begin = read.bytes[span.begin].first;
    p.answer.end = read.bytes[span.end].second;
    p.answer.text = read.passage->text.substr(p.answer.begin, p.answer.end - p.answer.begin);
    double log_p = std::max(none, span.score);
    if (!kinds.empty()) {  // which kind of answer it is, said at its end
      const int64_t row = 4 * (l.segments.begin(s) + at);
      const std::vector<double> log_kind = log_softmax_of(kinds, row, row + 4);
      const auto best = std::max_element(log_kind.begin(), log_kind.end());
      p.answer.kind = static_cast<Kind>(best - log_kind.begin());
      log_p = *best + (p.answer.kind == Kind::kSpan ? span.score : 0);
    } else if (none > span.score) {
      p.answer.kind = Kind::kNone;
    }
    p.p = std::exp(log_p);
    if (p.answer.kind == Kind::kYes) p.answer.text = "yes";
    if (p.answer.kind == Kind::kNo) p.answer.text = "no";
    if (p.answer.kind == Kind::kNone) p.answer = {.kind = Kind::kNone};
  }
  return result;
}

std::vector<std::vector<Predicted>> answer_all(const SpanReader& model,
                                               const pretrained::WordPiece& pieces,
                                               const std::vector<ReadPassage>& passages,
                                               History history, int64_t batch,
                                               const OnValidation& progress) {
  std::vector<std::vector<Predicted>> result(passages.size());
  std::vector<std::vector<TurnBefore>> before(passages.size());
  int64_t done = 0, of = 0;
  size_t longest = 0;
  for (const ReadPassage& passage : passages) {
    of += std::ssize(passage.questions);
    longest = std::max(longest, passage.questions.size());
  }
  std::vector<size_t> numbers;
  const auto ask = [&](size_t q) {
    std::vector<Asked> batch_asked;
    std::vector<const ReadPassage*> read;
    for (const size_t p : numbers) {
      read.push_back(&passages[p]);
      batch_asked.push_back(
          asked(passages[p], passages[p].questions[q].question, before[p], model.config()));
    }
    const std::vector<Predicted> answers = answer(model, batch_asked, read);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const size_t p = numbers[i];
      result[p].push_back(answers[i]);
      TurnBefore& turn = before[p].emplace_back(passages[p].turns[q]);
      if (history == History::kGold || model.config().other_turns) continue;
      turn.answer = read_query(as_history(answers[i].answer), pieces, model.config().longest_query);
    }
    done += std::ssize(numbers);
    numbers.clear();
    if (progress) progress(done, of);
  };
  for (size_t q = 0; q < longest; ++q) {  // the q-th questions of all passages
    for (size_t p = 0; p < passages.size(); ++p) {
      if (q < passages[p].questions.size()) numbers.push_back(p);
      if (std::ssize(numbers) == batch) ask(q);
    }
    if (!numbers.empty()) ask(q);
  }
  return result;
}

std::vector<std::vector<std::string>> texts_of(const std::vector<std::vector<Predicted>>& all) {
  std::vector<std::vector<std::string>> texts;
  for (const auto& of_passage : all) {
    texts.emplace_back();
    for (const Predicted& p : of_passage) texts.back().push_back(p.answer.text);
  }
  return texts;
}

}  // namespace heed::comprehend
