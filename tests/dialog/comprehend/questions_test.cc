// Corpora of questions in their published forms, written for these tests, and how answers are
// measured.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dialog/comprehend/read.h"
#include "dialog/comprehend/score.h"
#include "tests/file_helpers.h"

namespace heed::comprehend {
namespace {

const char* const kCoqa = R"({"version": "1.0", "data": [{"id": "s1", "source": "x",
  "story": "Ä cat, Tom, sat on a mat. It slept.",
  "questions": [{"input_text": "Who sat?", "turn_id": 1}, {"input_text": "Did it sleep?", "turn_id": 2},
                {"input_text": "When?", "turn_id": 3}, {"input_text": "Where?", "turn_id": 4}],
  "answers": [{"span_start": 2, "span_end": 10, "span_text": "cat, Tom", "input_text": "tom", "turn_id": 1},
              {"span_start": 26, "span_end": 35, "span_text": "It slept.", "input_text": "Yes.", "turn_id": 2},
              {"span_start": -1, "span_end": -1, "span_text": "unknown", "input_text": "unknown", "turn_id": 3},
              {"span_start": 16, "span_end": 24, "span_text": "on a mat", "input_text": "upon the mat", "turn_id": 4}],
  "additional_answers": {"0": [
              {"span_start": 2, "span_end": 10, "span_text": "cat, Tom", "input_text": "a cat", "turn_id": 1},
              {"span_start": 26, "span_end": 35, "span_text": "It slept.", "input_text": "no", "turn_id": 2},
              {"span_start": -1, "span_end": -1, "span_text": "unknown", "input_text": "unknown", "turn_id": 3},
              {"span_start": 16, "span_end": 24, "span_text": "on a mat", "input_text": "on a mat", "turn_id": 4}]}}]})";

const char* const kQuac = R"({"data": [{"title": "t", "paragraphs": [{"id": "p1",
  "context": "She sang in Paris. CANNOTANSWER", "qas": [
   {"id": "p1_q0", "question": "Where?", "followup": "y", "yesno": "x",
    "answers": [{"text": "sang in Paris", "answer_start": 4}, {"text": "Paris", "answer_start": 12}],
    "orig_answer": {"text": "Paris", "answer_start": 12}},
   {"id": "p1_q1", "question": "Why?", "answers": [{"text": "CANNOTANSWER", "answer_start": 19}],
    "orig_answer": {"text": "CANNOTANSWER", "answer_start": 19}}]}]}]})";

const char* const kFriends = R"({"version": "1", "data": [{"title": "s01", "paragraphs": [{
  "utterances:": [{"uid": 0, "speakers": ["Ross Geller"], "utterance": "Breathe ."},
                  {"uid": 1, "speakers": ["Carol", "Susan"], "utterance": "I ca n't  breathe now ."}],
  "qas": [{"id": "q1", "question": "Who answers ?", "answers": [{"answer_text": "Carol, Susan", "utterance_id": 1,
            "inner_start": -1, "inner_end": -1, "is_speaker": true}]},
          {"id": "q2", "question": "What ?", "answers": [{"answer_text": "n't  breathe", "utterance_id": 1,
            "inner_start": 2, "inner_end": 3, "is_speaker": false}]}]}]}]})";

const char* const kMolweni = R"({"data": {"title": "x", "dialogues": [{"edus": [
  {"speaker": "Ann", "text": "try Fstab"}, {"speaker": "bob", "text": "which one ?"}],
  "context": "ann: try fstab bob: which one ?", "relations": [],
  "qas": [{"id": "a", "question": "What ?", "answers": [{"text": "fstab", "answer_start": 9}], "is_impossible": false},
          {"id": "b", "question": "Why ?", "answers": [], "plausible_answers": [{"text": "one", "answer_start": 26}],
           "is_impossible": true},
          {"id": "c", "question": "How ?", "answers": [{"text": "fstab", "answer_start": 3}],
           "is_impossible": false}]}]}})";

std::string there(const Passage& p, const Answer& a) {
  return p.text.substr(a.begin, a.end - a.begin);
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Passages, AreReadFromCoqa) {
  const TempDir dir;
  const Corpus corpus = read_passages(dir.write("coqa.json", kCoqa));
  EXPECT_TRUE(corpus.leave_one_out);
  ASSERT_EQ(corpus.passages.size(), 1u);
  const Passage& p = corpus.passages[0];
  ASSERT_EQ(p.questions.size(), 4u);
  EXPECT_EQ(there(p, p.questions[0].answers[0]), "Tom");  // of its rationale, in small letters
  EXPECT_EQ(p.questions[0].answers[1].text, "a cat");
  EXPECT_EQ(p.questions[1].answers[0].kind, Kind::kYes);
  EXPECT_EQ(there(p, p.questions[1].answers[0]), "It slept.");
  EXPECT_EQ(p.questions[1].answers[1].kind, Kind::kNo);
  EXPECT_EQ(p.questions[2].answers[0].kind, Kind::kNone);
  EXPECT_EQ(there(p, p.questions[3].answers[0]), "on a mat");
  EXPECT_EQ(p.questions[3].answers[0].text, "upon the mat");
  EXPECT_EQ(p.questions[0].id, "s1_1");
  EXPECT_EQ(p.questions[3].id, "s1_4");
  // "no" is no word of "knows": the place of a yes or no is all of its rationale.
  const Corpus knows =
      read_passages(dir.write("coqa.json", changed(kCoqa, "It slept", "It knows")));
  EXPECT_EQ(there(knows.passages[0], knows.passages[0].questions[1].answers[1]), "It knows.");
  // Words are whole ones: "on" stands before "a mat", and "n" and "m" only within words.
  for (const auto& [said, where] :
       {std::pair("a mat", "a mat"), {"a", "a"}, {"n", "on a mat"}, {"m", "on a mat"}}) {
    const Corpus other =
        read_passages(dir.write("coqa.json", changed(kCoqa, "upon the mat", said)));
    EXPECT_EQ(there(other.passages[0], other.passages[0].questions[3].answers[0]), where) << said;
  }
  nlohmann::json blank = nlohmann::json::parse(kCoqa);
  blank["data"][0]["story"] = " ";
  for (auto* answers :
       {&blank["data"][0]["answers"], &blank["data"][0]["additional_answers"]["0"]}) {
    for (auto& answer : *answers) answer["span_start"] = answer["span_end"] = -1;
  }
  const std::string path = dir.write("coqa.json", blank.dump());
  EXPECT_EQ(error_of<DataError>([&] { read_passages(path); }), path + ": passage s1: has no words");
}

// The answers stand in any order.
TEST(Passages, OfCoqaHaveAnswersByTurn) {
  const TempDir dir;
  const auto read = [&](const auto& change) {
    nlohmann::json json = nlohmann::json::parse(kCoqa);
    change(json["data"][0]["answers"]);
    return read_passages(dir.write("coqa.json", json.dump())).passages[0].questions;
  };
  const auto turned = read([](auto& answers) { std::reverse(answers.begin(), answers.end()); });
  EXPECT_EQ(turned[0].answers[0].text, "tom");
  EXPECT_EQ(turned[3].answers[0].text, "upon the mat");
  const std::string path = dir.path("coqa.json");
  EXPECT_EQ(error_of<DataError>([&] { read([](auto& answers) { answers[2]["turn_id"] = 2; }); }),
            path + ": data[0].answers[2]: 'turn_id': there is another one of turn 2");
  EXPECT_EQ(error_of<DataError>([&] { read([](auto& answers) { answers[2]["turn_id"] = 9; }); }),
            path + ": data[0].questions[2]: an answer with its 'turn_id' is missing");
}

TEST(Passages, AreReadFromQuac) {
  const TempDir dir;
  const Corpus corpus = read_passages(dir.write("quac.json", kQuac));
  const Passage& p = corpus.passages.at(0);
  EXPECT_EQ(p.text, "She sang in Paris. ");
  EXPECT_EQ(p.questions.at(0).answers.at(0).text, "Paris");  // the original one first
  EXPECT_EQ(there(p, p.questions[0].answers[1]), "sang in Paris");
  EXPECT_EQ(p.questions.at(1).answers.at(0).kind, Kind::kNone);
}

TEST(Passages, AreReadFromFriendsQa) {
  const TempDir dir;
  const Corpus corpus = read_passages(dir.write("friends.json", kFriends));
  const Passage& p = corpus.passages.at(0);
  EXPECT_EQ(p.text, "Ross Geller: Breathe . Carol, Susan: I ca n't  breathe now .");
  EXPECT_EQ(there(p, p.questions.at(0).answers.at(0)), "Carol, Susan");
  EXPECT_EQ(there(p, p.questions.at(1).answers.at(0)), "n't  breathe");
  EXPECT_EQ(p.turn_at(p.questions[1].answers[0].begin).speaker, "Carol, Susan");
  EXPECT_EQ(p.turn_at(0).speaker, "Ross Geller");
  EXPECT_EQ(p.turn_at(p.turns[1].begin).speaker, "Carol, Susan");
  EXPECT_EQ(p.turn_at(p.turns[1].begin - 1).speaker, "Ross Geller");
  const Corpus last = read_passages(
      dir.write("friends.json", changed(kFriends, "\"inner_start\": 2, \"inner_end\": 3",
                                        "\"inner_start\": 4, \"inner_end\": 5")));
  EXPECT_EQ(there(p, last.passages.at(0).questions.at(1).answers.at(0)), "now .");
}

// A third question without an answer.
std::string unanswered() {
  return changed(kMolweni, R"([{"text": "fstab", "answer_start": 3}])", "[]");
}

TEST(Passages, AreReadFromMolweni) {
  const TempDir dir;
  const Corpus corpus = read_passages(dir.write("molweni.json", kMolweni));
  const Passage& p = corpus.passages.at(0);
  ASSERT_EQ(p.questions.size(), 3u);
  EXPECT_FALSE(p.questions[2].placed());  // does not stand where it says
  EXPECT_TRUE(p.questions[0].placed() && p.questions[1].placed());
  EXPECT_EQ(corpus.unplaced(), 1u);
  EXPECT_EQ(corpus.left_out, 0u);
  EXPECT_EQ(there(p, p.questions[0].answers[0]), "Fstab");
  EXPECT_EQ(p.questions[1].answers[0].kind, Kind::kNone);
  for (const size_t behind : {0, 1, 2}) {  // nothing stands behind the end
    const std::string place = "\"answer_start\": " + std::to_string(p.text.size() + behind) + "}";
    const std::string text = changed(kMolweni, "\"answer_start\": 3}", place);
    EXPECT_EQ(read_passages(dir.write("molweni.json", text)).unplaced(), 1u) << behind;
  }
  const Corpus without = read_passages(dir.write("molweni.json", unanswered()));
  EXPECT_EQ(without.left_out, 1u);  // nothing to compare an answer with
  EXPECT_EQ(without.questions(), 2u);
}

TEST(Passages, RefuseWhatIsNone) {
  const TempDir dir;
  const auto refused = [&](const std::string& text) {
    const std::string path = dir.write("x.json", text);
    const std::string error = error_of<DataError>([&] { (void)read_passages(path); });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
    EXPECT_EQ(error.find('\n'), error.npos);
    return error.substr(path.size() + 2);
  };
  EXPECT_TRUE(has(refused("{"), "not valid JSON: line 1, column 2: "));
  for (const char* other : {"[]", "3", "{}", R"({"data": []})", R"({"data": [{"paragraphs": []}]})",
                            R"({"data": {"dialogues": 3}, "x": 1})"}) {
    refused(other);
  }
  EXPECT_TRUE(has(refused(std::string(500, '[') + std::string(500, ']')), "nested deeper"));
  EXPECT_EQ(refused(changed(kCoqa, "\"span_end\": 10", "\"span_end\": 99")),
            "data[0].answers[0]: 'span_end': outside of the story");
  EXPECT_EQ(refused(changed(kCoqa, "\"span_end\": 35", "\"span_end\": 36")),  // its end is 35
            "data[0].answers[1]: 'span_end': outside of the story");
  EXPECT_EQ(refused(changed(kCoqa, "\"span_start\": 2", "\"span_start\": \"2\"")),
            "data[0].answers[0].span_start: expected a whole number");
  EXPECT_EQ(refused(changed(kCoqa, "{\"input_text\": \"Where?\", \"turn_id\": 4}",
                            "{\"input_text\": \"Where?\", \"turn_id\": 3}")),
            "data[0].questions[3]: 'turn_id': there is another one of turn 3");
  EXPECT_EQ(refused(changed(kCoqa, "{\"input_text\": \"Where?\", \"turn_id\": 4}", "{}")),
            "data[0].questions[3]: 'turn_id' is missing");
  EXPECT_EQ(refused(changed(kFriends, "\"inner_end\": 3", "\"inner_end\": 30")),
            "data[0].paragraphs[0].qas[1].answers[0]: the words are not in the utterance");
  EXPECT_EQ(refused(changed(kFriends, "\"utterance_id\": 1", "\"utterance_id\": 7")),
            "data[0].paragraphs[0].qas[0].answers[0]: no such utterance");
  EXPECT_EQ(refused(changed(kMolweni, "\"is_impossible\": true", "\"is_impossible\": 1")),
            "data.dialogues[0].qas[1].is_impossible: expected true or false");
}

TEST(Parts, AreThoseThatArePublishedOrDividedByPassage) {
  const TempDir dir;
  dir.write("quac/train_v0.2.json", kQuac);
  dir.write("quac/val_v0.2.json", kQuac);
  const std::string quac = dir.path("quac"), val = dir.path("quac/val_v0.2.json");
  EXPECT_EQ(error_of<DataError>([&] { require_training(read_parts({quac}, 0), "quac"); }),
            "quac: too few passages: one of 20 is for validation");
  EXPECT_EQ(error_of<DataError>([&] { require_training(read_parts({val}, 0), "val"); }),
            "val: too few passages: one of ten is for validation");
  require_test(read_parts({quac}, 0), "quac");  // which needs no validation
  EXPECT_EQ(error_of<DataError>([&] { require_test(read_parts({val}, 0), "val"); }),
            "val: no question to test; two of ten passages, the ninth and the tenth, are for the "
            "test");
  std::string many = kQuac, paragraph = many.substr(many.find("{\"id\": \"p1\""));
  paragraph.resize(paragraph.size() - 4);  // ]}]} behind it
  std::string list;
  for (int i = 0; i < 20; ++i) list += (i ? ", " : "") + paragraph;
  many = R"({"data": [{"title": "t", "paragraphs": [)" + list + "]}]}";
  dir.write("quac/train_v0.2.json", many);
  const Parts published = read_parts({dir.path("quac")}, 0);
  EXPECT_EQ(published.train.passages.size(), 19u);
  EXPECT_EQ(published.valid.passages.size(), 1u);
  EXPECT_EQ(published.test.passages.size(), 1u);
  EXPECT_TRUE(published.test.leave_one_out);
  EXPECT_FALSE(published.divided);
  const Parts divided = read_parts({dir.write("all.json", many)}, 10);
  EXPECT_EQ(divided.train.passages.size(), 7u);
  EXPECT_EQ(divided.valid.passages.size(), 1u);
  EXPECT_EQ(divided.test.passages.size(), 2u);
  EXPECT_TRUE(divided.divided);
  EXPECT_EQ(read_parts({dir.path("all.json")}, 19).test.passages.size(), 3u);  // one less than all
  // How answers are scored is the same in all parts.
  for (const Corpus* part : {&published.valid, &divided.valid, &divided.test}) {
    EXPECT_TRUE(part->leave_one_out);
  }
  // Where there are all three, none is dealt, and each is what its name says.
  dir.write("all/train_v0.2.json", many);
  dir.write("all/val_v0.2.json", kQuac);
  dir.write("all/test_v0.2.json", changed(kQuac, "\"id\": \"p1\"", "\"id\": \"tested\""));
  const Parts three = read_parts({dir.path("all")}, 0);
  EXPECT_EQ(three.train.passages.size(), 20u);
  EXPECT_EQ(three.valid.passages.at(0).id, "p1");
  EXPECT_EQ(three.test.passages.at(0).id, "tested");
  for (const auto& [name, text] : {std::pair("trn", many), {"dev", kQuac}, {"tst", kQuac}}) {
    dir.write("friends/friendsqa_" + std::string(name) + ".json", text);
  }
  const Parts friends = read_parts({dir.path("friends")}, 0);
  EXPECT_EQ(friends.train.passages.size(), 20u);
  EXPECT_EQ(friends.test.passages.size(), 1u);
  EXPECT_FALSE(friends.divided);
  const std::string another = dir.write("quac/train_v0.3.json", many);
  EXPECT_EQ(error_of<DataError>([&] { (void)read_parts({dir.path("quac")}, 0); }),
            another + ": is of the same part as " + dir.path("quac/train_v0.2.json") +
                "; a part is one file");
}

// What one of several files asks for counts for all; a folder's files are read by their names.
TEST(Parts, OfSeveralFilesAreOneCorpus) {
  const TempDir dir;
  const Parts several = read_parts({dir.write("1.json", kQuac), dir.write("2.json", unanswered()),
                                    dir.write("3.json", unanswered())},
                                   0);
  EXPECT_EQ(several.train.passages.size(), 3u);
  EXPECT_TRUE(several.train.leave_one_out);
  EXPECT_EQ(several.train.left_out, 2u);
  std::string dialogue = unanswered().substr(unanswered().find("{\"edus\""));
  dialogue.resize(dialogue.size() - 3);  // ]}} behind it
  const std::string two =
      dir.write("two.json", changed(unanswered(), dialogue, dialogue + ", " + dialogue));
  EXPECT_EQ(read_passages(two).left_out, 2u);
  EXPECT_EQ(read_passages(two, 1).left_out, 1u);
  for (const std::string id : {"e", "b", "h", "a", "g", "d", "c", "f"}) {
    dir.write("all/" + id + ".json", changed(kQuac, "\"id\": \"p1\"", "\"id\": \"" + id + "\""));
  }
  std::string ids;
  const Parts parts = read_parts({dir.path("all")}, 0);
  for (const Corpus* part : {&parts.train, &parts.valid}) {
    for (const Passage& passage : part->passages) ids += passage.id;
  }
  EXPECT_EQ(ids, "abcdefgh");
}

TEST(Score, ComparesAnswersAsThePublicProgramsDo) {
  EXPECT_EQ(normalised("The  U.S.'s, an Apple\tpie!"), "uss apple pie");
  // As Python's programs: letters and white space of all scripts; an article ends at any other
  // sign.
  EXPECT_EQ(normalised("THE \u00C9LAN\u00A0vital"), "\u00E9lan vital");
  EXPECT_EQ(normalised("\u201Cthe cat\u201D\u3000a\u2014\u0416"), "\u201C cat\u201D \u2014\u0436");
  EXPECT_EQ(normalised("A-the th\u00E9 a1 an\u2019"), "athe th\u00E9 a1 \u2019");
  EXPECT_EQ(word_f1("\u00DCber alles", "\u00FCber\u00A0alles"), 1);
  EXPECT_DOUBLE_EQ(word_f1("the cat sat", "cat sat down there"), 2 * 2.0 / 6);
  EXPECT_DOUBLE_EQ(word_f1("no no no", "no no"), 2 * 2.0 / 5);  // clipped
  EXPECT_EQ(word_f1("", ""), 1);
  EXPECT_EQ(word_f1("", "x"), 0);
  const std::vector<Answer> references = {{.text = "red cat"}, {.text = "cat"}};
  const Measured best = measure("the cat", references, false),
                 one_out = measure("the cat", references, true);
  EXPECT_EQ(best.f1, 1);
  EXPECT_EQ(best.exact, 1);
  EXPECT_DOUBLE_EQ(one_out.f1, (1 + 2.0 / 3) / 2);  // without one, and without the other
  EXPECT_EQ(one_out.exact, 0.5);
  EXPECT_DOUBLE_EQ(one_out.people.value(), 2.0 / 3);
  EXPECT_EQ(one_out.human_like(), 1);
  EXPECT_EQ(measure("dog", references, true).human_like(), 0);
  const Measured alone = measure("x", {{.text = "x"}}, true);
  EXPECT_FALSE(alone.people || alone.human_like());
}

TEST(Score, CountsQuestionsAndDialoguesThatPeopleWouldNotAnswerBetter) {
  Corpus corpus{.passages = std::vector<Passage>(3), .leave_one_out = true};
  const std::vector<Answer> two = {{.text = "a b"}, {.text = "b c"}};  // "a" is no word
  corpus.passages[0].questions = {{"1", "", two}, {"2", "", two}};
  corpus.passages[1].questions = {{"3", "", two}};
  corpus.passages[2].questions = {{"4", "", {{.kind = Kind::kNone}}}};
  const Scores s = measure(corpus, {{"b", "z"}, {"b c"}, {""}});
  EXPECT_DOUBLE_EQ(s.heq_q.value(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(s.heq_d.value(), 0.5);
  EXPECT_EQ(s.unanswerable, 1);
  EXPECT_EQ(s.questions, 4u);
}

TEST(Reading, BringsAnswersBackInTheirWords) {
  const TempDir dir;
  const pretrained::WordPiece pieces(
      dir.write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\nann\n:\ntry\nfs\n##tab\nbob\nwhich\none\n?\n"));
  const Corpus corpus = read_passages(dir.write("molweni.json", kMolweni));
  const ReadPassage read = read_passage(corpus.passages[0], pieces, 4);
  EXPECT_EQ(read.pieces, (Ids{3, 4, 5, 6, 7, 8, 4, 9, 10, 11}));
  EXPECT_EQ(read.questions.at(0).target.begin, 3);  // both pieces of Fstab
  EXPECT_EQ(read.questions[0].target.end, 4);
  EXPECT_EQ(read.questions.at(1).target.begin, 10);  // behind the last one
  EXPECT_EQ(read.bytes[3], read.bytes[4]);
  EXPECT_EQ(read_query("one ? one ? one", pieces, 4), (Ids{10, 11, 10, 11}));

  const std::vector<TurnBefore> before = {{{3}, {4}}, {{5}, {6}}};
  const Asked asked = comprehend::asked(read, {9}, before, {.turns = 3});
  EXPECT_EQ(asked.queries, (std::vector<Ids>{{9}, {5}, {3}, {}, {6}, {4}, {}}));
  EXPECT_EQ(comprehend::asked(read, {9}, before, {.turns = 1, .questions = false}).queries,
            (std::vector<Ids>{{9}, {6}}));
}

}  // namespace
}  // namespace heed::comprehend
