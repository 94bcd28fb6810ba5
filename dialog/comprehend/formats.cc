// Readers of the published forms of CoQA (Reddy et al. 2019), QuAC (Choi et al. 2018), FriendsQA
// (Yang & Choi 2019) and Molweni (Li et al. 2020).
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/list.h"
#include "base/utf8.h"
#include "dialog/comprehend/passage.h"
#include "dialog/comprehend/score.h"
#include "dialog/text/text_file.h"
#include "dialog/text/word_bytes.h"
#include "train/strict_json.h"

namespace heed::comprehend {

namespace {

// A member of a file, which knows its position: "data[3].qas[0].answers[1]". The functions throw
// DataError "path: place: rule" for a member that is missing or of another type.
class Node {
 public:
  using Json = nlohmann::json;
  Node(const std::string& path, const Json& value, std::string place)
      : path_(path), value_(value), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& rule) const {
    throw DataError(path_ + ": " + (place_.empty() ? "" : place_ + ": ") + rule);
  }
  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  const Json& json() const { return value_; }
  Node at(const char* key) const {  // a member of an object
    if (!value_.is_object()) fail("expected an object");
    const auto found = value_.find(key);
    if (found == value_.end()) fail("'" + std::string(key) + "' is missing");
    return {path_, *found, place_.empty() ? key : place_ + "." + key};
  }
  std::vector<Node> list() const {  // of an array
    if (!value_.is_array()) fail("expected an array");
    std::vector<Node> nodes;
    for (size_t i = 0; i < value_.size(); ++i) {
      nodes.emplace_back(path_, value_[i], place_ + "[" + std::to_string(i) + "]");
    }
    return nodes;
  }
  std::vector<Node> list(const char* key) const { return at(key).list(); }
  const std::string& text() const {
    if (!value_.is_string()) fail("expected a text");
    return value_.get_ref<const std::string&>();
  }
  const std::string& text(const char* key) const { return at(key).text(); }
  int64_t number(const char* key) const {
    const Node node = at(key);
    if (!node.value_.is_number_integer()) node.fail("expected a whole number");
    return node.value_.get<int64_t>();
  }
  bool flag(const char* key) const {
    const Node node = at(key);
    if (!node.value_.is_boolean()) node.fail("expected true or false");
    return node.value_.get<bool>();
  }

 private:
  const std::string& path_;
  const Json& value_;
  std::string place_;
};

// The byte at which each character of a text begins, and its end: files count characters.
std::vector<size_t> characters(const std::string& text) {
  std::vector<size_t> begins;
  for (size_t at = 0; at < text.size();) {
    begins.push_back(at);
    next_code_point(text, at);
  }
  begins.push_back(text.size());
  return begins;
}

// An answer that stands at a character of the text; without a place where it does not.
Answer placed(const std::string& text, const std::vector<size_t>& begins, const std::string& answer,
              int64_t character) {
  Answer a{.text = answer};
  if (character < 0 || character >= std::ssize(begins)) return a;
  const size_t begin = begins[static_cast<size_t>(character)];
  if (answer.empty() || text.size() - begin < answer.size()) return a;
  const std::string there = text.substr(begin, answer.size());
  if (lower_case(there) == lower_case(answer)) a.begin = begin, a.end = begin + answer.size();
  return a;
}

// Adds the question if there is something to compare an answer with.
void add(Passage& passage, Question question) {
  if (question.answers.empty()) {
    ++passage.left_out;
  } else {
    passage.questions.push_back(std::move(question));
  }
}

// ---- CoQA

// Where words stand in a text, as whole words; npos where they do not.
size_t find_words(const std::string& text, const std::string& words) {
  const auto in_word = [&](size_t at) { return at < text.size() && is_of_word(text[at]); };
  const auto divided = [&](size_t at) { return at == 0 || !in_word(at - 1) || !in_word(at); };
  size_t at = text.find(words);
  while (at != text.npos && !(divided(at) && divided(at + words.size()))) {
    at = text.find(words, at + 1);
  }
  return at;
}

// Free text whose rationale stands in the story: the place of the words themselves where the
// rationale has them, else all of it.
Answer coqa_answer(const Node& node, const std::string& story, const std::vector<size_t>& begins) {
  Answer a{.text = node.text("input_text")};
  const std::string plain = normalised(a.text);
  if (plain == "yes") a.kind = Kind::kYes;
  if (plain == "no") a.kind = Kind::kNo;
  if (plain == "unknown") return {.kind = Kind::kNone};
  const int64_t begin = node.number("span_start"), end = node.number("span_end");
  if (begin < 0) return a;  // nowhere
  if (end < begin || end >= std::ssize(begins)) node.fail("'span_end': outside of the story");
  a.begin = begins[static_cast<size_t>(begin)];
  a.end = begins[static_cast<size_t>(end)];
  const size_t found =
      find_words(lower_case(story.substr(a.begin, a.end - a.begin)), lower_case(a.text));
  if (a.kind == Kind::kSpan && !a.text.empty() && found != std::string::npos) {
    a.begin += found;
    a.end = a.begin + a.text.size();
  }
  return a;
}

// The members of an array by their "turn_id".
std::map<int64_t, Node> by_turn(const std::vector<Node>& list) {
  std::map<int64_t, Node> turns;
  for (const Node& node : list) {
    const int64_t turn = node.number("turn_id");
    if (!turns.emplace(turn, node).second) {
      node.fail("'turn_id': there is another one of turn " + std::to_string(turn));
    }
  }
  return turns;
}

void read_coqa(const Node& root, Corpus& corpus) {
  corpus.leave_one_out = true;
  for (const Node& node : root.list("data")) {
    Passage passage{.id = node.text("id")};
    passage.add_turn("", node.text("story"));
    const std::vector<size_t> begins = characters(passage.text);
    const std::vector<Node> questions = node.list("questions");
    std::vector<std::map<int64_t, Node>> answers = {by_turn(node.list("answers"))};
    if (node.has("additional_answers")) {
      const Node more = node.at("additional_answers");
      if (!more.json().is_object()) more.fail("expected an object");
      for (const auto& [key, unused] : more.json().items())
        answers.push_back(by_turn(more.list(key.c_str())));
    }
    for (const auto& of : answers) {
      if (of.size() != questions.size()) node.fail("as many answers as questions are expected");
    }
    by_turn(questions);  // which refuses two of one turn
    for (size_t i = 0; i < questions.size(); ++i) {
      Question q{passage.id + "_" + std::to_string(i + 1), questions[i].text("input_text"), {}};
      for (const auto& of : answers) {
        const auto found = of.find(questions[i].number("turn_id"));
        if (found == of.end()) questions[i].fail("an answer with its 'turn_id' is missing");
        q.answers.push_back(coqa_answer(found->second, passage.text, begins));
      }
      add(passage, std::move(q));
    }
    corpus.passages.push_back(std::move(passage));
  }
}

// ---- QuAC

constexpr const char* kCannotAnswer = "CANNOTANSWER";

void read_quac(const Node& root, Corpus& corpus) {
  corpus.leave_one_out = true;
  for (const Node& node : root.list("data")) {
    for (const Node& paragraph : node.list("paragraphs")) {
      Passage passage{.id = paragraph.text("id")};
      std::string context = paragraph.text("context");
      if (context.ends_with(kCannotAnswer)) context.resize(context.size() - 12);
      passage.add_turn("", context);
      const std::vector<size_t> begins = characters(passage.text);
      const auto answer = [&](const Node& a) -> Answer {
        const std::string& text = a.text("text");
        if (text == kCannotAnswer) return {.kind = Kind::kNone};
        return placed(passage.text, begins, text, a.number("answer_start"));
      };
      for (const Node& qa : paragraph.list("qas")) {
        Question q{qa.text("id"), qa.text("question"), {}};
        const std::vector<Node> answers = qa.list("answers");
        for (const Node& a : answers) q.answers.push_back(answer(a));
        if (qa.has("orig_answer") && !q.answers.empty()) {  // it is one of them: learn this one
          const Answer original = answer(qa.at("orig_answer"));
          const auto same = std::find_if(q.answers.begin(), q.answers.end(), [&](const Answer& a) {
            return a.text == original.text && a.begin == original.begin;
          });
          if (same != q.answers.end()) std::iter_swap(q.answers.begin(), same);
        }
        add(passage, std::move(q));
      }
      corpus.passages.push_back(std::move(passage));
    }
  }
}

// ---- FriendsQA

// The words from `first` to `last` of what was said, as blanks divide it.
Answer words_of(const Node& node, const Passage& passage, const PassageTurn& turn, int64_t first,
                int64_t last) {
  Answer a{.text = node.text("answer_text")};
  int64_t word = -1;
  for (size_t at = turn.said; at < turn.end; ++at) {
    const bool blank = passage.text[at] == ' ';
    if (!blank && (at == turn.said || passage.text[at - 1] == ' ')) {
      if (++word == first) a.begin = at;
    }
    if (!blank && word == last) a.end = at + 1;
  }
  if (first < 0 || last < first || last > word) node.fail("the words are not in the utterance");
  return a;
}

void read_friends(const Node& root, Corpus& corpus) {
  for (const Node& node : root.list("data")) {
    for (const Node& paragraph : node.list("paragraphs")) {
      Passage passage{.id = node.text("title")};
      for (const Node& turn : paragraph.list("utterances:")) {
        const std::string speakers =
            joined(turn.list("speakers"), ", ", [](const Node& speaker) { return speaker.text(); });
        passage.add_turn(speakers, turn.text("utterance"));
      }
      for (const Node& qa : paragraph.list("qas")) {
        Question q{qa.text("id"), qa.text("question"), {}};
        for (const Node& a : qa.list("answers")) {
          const int64_t number = a.number("utterance_id");
          if (number < 0 || number >= std::ssize(passage.turns)) a.fail("no such utterance");
          const PassageTurn& turn = passage.turns[static_cast<size_t>(number)];
          if (!a.flag("is_speaker")) {
            q.answers.push_back(
                words_of(a, passage, turn, a.number("inner_start"), a.number("inner_end")));
          } else {
            q.answers.push_back({.text = a.text("answer_text"),
                                 .begin = turn.begin,
                                 .end = turn.begin + turn.speaker.size()});
          }
        }
        add(passage, std::move(q));
      }
      corpus.passages.push_back(std::move(passage));
    }
  }
}

// ---- Molweni

void read_molweni(const Node& root, Corpus& corpus) {
  for (const Node& node : root.at("data").list("dialogues")) {
    Passage passage{.id = std::to_string(corpus.passages.size() + 1)};
    for (const Node& turn : node.list("edus")) {
      passage.add_turn(turn.text("speaker"), turn.text("text"));
    }
    const std::vector<size_t> begins = characters(passage.text);
    for (const Node& qa : node.list("qas")) {
      Question q{qa.text("id"), qa.text("question"), {}};
      if (qa.flag("is_impossible")) {
        q.answers.push_back({.kind = Kind::kNone});
      } else {
        for (const Node& a : qa.list("answers")) {
          q.answers.push_back(
              placed(passage.text, begins, a.text("text"), a.number("answer_start")));
        }
      }
      add(passage, std::move(q));
    }
    corpus.passages.push_back(std::move(passage));
  }
}

using Read = void (*)(const Node&, Corpus&);
// By what the first passage has; nothing of another file.
Read reader_of(const nlohmann::json& root) {
  const auto first = [](const nlohmann::json& json, const char* key) -> nlohmann::json {
    if (!json.is_object() || !json.contains(key)) return {};
    const nlohmann::json& list = json[key];
    return list.is_array() && !list.empty() ? list[0] : list;
  };
  const nlohmann::json data = first(root, "data");
  if (!data.is_object()) return nullptr;
  if (data.contains("dialogues")) return read_molweni;
  if (data.contains("story")) return read_coqa;
  const nlohmann::json paragraph = first(data, "paragraphs");
  if (!paragraph.is_object()) return nullptr;
  if (paragraph.contains("utterances:")) return read_friends;
  return paragraph.contains("context") ? read_quac : nullptr;
}

}  // namespace

Corpus read_passages(const std::string& path, size_t limit) {
  constexpr size_t kMostBytes = size_t{1} << 30;
  nlohmann::json root;
  try {
    root = nlohmann::json::parse(read_text(path, kMostBytes),
                                 strict<nlohmann::json>([&](const std::string& rule) {
                                   throw DataError(path + ": " + rule);
                                 }));
  } catch (const nlohmann::json::exception& e) {
    throw DataError(path + ": not valid JSON: " + json_problem(e.what()));
  }
  const Read read = reader_of(root);
  if (!read) {
    throw DataError(path +
                    ": not questions on passages in the form of CoQA, QuAC, FriendsQA or Molweni");
  }
  Corpus corpus;
  read(Node(path, root, ""), corpus);
  std::vector<Passage> all;
  std::swap(all, corpus.passages);
  for (Passage& p : all) {
    if (limit > 0 && corpus.passages.size() == limit) break;
    corpus.left_out += p.left_out;
    if (p.questions.empty()) continue;
    if (is_blank(p.text)) throw DataError(path + ": passage " + p.id + ": has no words");
    corpus.passages.push_back(std::move(p));
  }
  if (corpus.passages.empty()) throw DataError(path + ": there is no question with an answer");
  return corpus;
}

}  // namespace heed::comprehend
