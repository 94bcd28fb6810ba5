#include "dialog/data/formats/corpora.h"

#include <gtest/gtest.h>

#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

// As ConvAI2 has them, made up.
const std::string kText =
    "1 your persona: i like tea .\n"
    "2 partner's persona: i am a cat .\n"
    "3 your persona: i can fly .\n"
    "4 hello .\thi ! tea ?\t\tno|hi ! tea ?|never|hi ! tea ?\n"
    "5 \tsure .\n"
    "6 yes .\tgood .\t1.0\tno|never\n"
    "1 your persona: i paint .\n"
    "2 __SILENCE__\thello ?\n";

Published persona_of(const std::string& bytes, const Reading& reading = {}) {
  const TempDir dir;
  return read_persona_chat(dir.write("f.txt", bytes), reading);
}

std::string persona_error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_persona_chat(path); }, "f.txt", bytes);
}

TEST(PersonaChat, HasPersonasAndCandidates) {
  for (const std::string& bytes : {kText, gzip(kText)}) {
    const auto [dialogues, left_out] = persona_of(bytes);
    ASSERT_EQ(dialogues.size(), 2u);
    const Dialogue& d = dialogues[0];
    EXPECT_EQ(d.id, "f.txt:1");
    EXPECT_EQ(text_of(d), "partner:hello .|you:hi ! tea ?|you:sure .|partner:yes .|you:good .|");
    EXPECT_EQ(text_of(d.notes->personas), "partner=i am a cat . you=i like tea .,i can fly .");
    EXPECT_EQ(d.turns[1].notes->candidates, (std::vector<std::string>{"no", "never"}));
    EXPECT_TRUE(d.turns[4].notes->candidates.empty());  // the answer is not among them
    EXPECT_EQ(dialogues[1].id, "f.txt:7");
    EXPECT_EQ(text_of(dialogues[1]), "you:hello ?|");
    EXPECT_EQ(left_out,
              (std::map<std::string, size_t>{{"lists of candidates without the answer", 1},
                                             {"turns of __SILENCE__", 1},
                                             {"turns without text", 1}}));
  }
  EXPECT_EQ(persona_of(kText, {.limit = 1}).dialogues.size(), 1u);
}

TEST(PersonaChat, ARewardIsNoCandidate) {
  const Dialogue d = persona_of("1 hello .\thi !\t1.0\n").dialogues.at(0);
  EXPECT_EQ(text_of(d), "partner:hello .|you:hi !|");
  EXPECT_TRUE(d.turns[1].notes->candidates.empty());
}

TEST(PersonaChat, TextIsChecked) {
  const std::string number = ": the line must begin with its number in the dialogue, ";
  EXPECT_EQ(persona_error(""), ": holds no dialogue");
  EXPECT_EQ(persona_error(with(kText, "\n3 ", "\n4 ")), ":3" + number + "3 or 1");
  EXPECT_EQ(persona_error(with(kText, "\n3 ", "\n2 ")), ":3" + number + "3 or 1");
  EXPECT_EQ(persona_error("1 a\tb\nhello\n"), ":2" + number + "2 or 1");
  EXPECT_EQ(persona_error("1 a\tb\n1\n"), ":2" + number + "1 or 1");
  const std::string fields =
      ": a line is a persona, or a text and its answer with a tab between them, and perhaps reward "
      "and candidates";
  EXPECT_EQ(persona_error("1 hello\n"), ":1" + fields);
  EXPECT_EQ(persona_error("1 a\tb\n2 a\tb\tc\td\te\n"), ":2" + fields);
  EXPECT_EQ(persona_error("1 a\t\xFF\n"), ":1: the text is not UTF-8");
}

TEST(PersonaChat, PairsMakeDialogues) {
  const std::string pairs = "hello .|hi !\nhi !|fine ?\nhello .|tea ?\n\ntea ?|\n";
  const auto [dialogues, left_out] = persona_of(pairs);
  ASSERT_EQ(dialogues.size(), 2u);
  EXPECT_EQ(text_of(dialogues[0]), ":hello .|:hi !|:fine ?|");
  EXPECT_EQ(dialogues[1].id, "f.txt:3");
  EXPECT_EQ(text_of(dialogues[1]), ":hello .|:tea ?|");
  EXPECT_EQ(left_out.at("turns without text"), 1u);
  EXPECT_EQ(persona_of(pairs, {.limit = 1}).dialogues.size(), 1u);
  const std::string rule =
      ": a line must begin with its number (ConvAI2), or be two texts with one '|' between them";
  EXPECT_EQ(persona_error("a|b\nno pair\n"), ":2" + rule);
  EXPECT_EQ(persona_error("a|b|c\n"), ":1" + rule);
}

const std::string kPersonaJson =
    R"([{"persona": ["i like tea ."], "dialogue": [["__SILENCE__", "hello ."], ["hi", " "], ["a", "b"]]},
 {"persona": [], "dialogue": []}])";

TEST(PersonaChat, MayBeJson) {
  const auto [dialogues, left_out] = persona_of(kPersonaJson);
  ASSERT_EQ(dialogues.size(), 2u);
  EXPECT_EQ(dialogues[0].id, "f.txt:1");
  EXPECT_EQ(dialogues[1].id, "f.txt:2");
  EXPECT_EQ(text_of(dialogues[0]), "you:hello .|partner:hi|partner:a|you:b|");
  EXPECT_EQ(text_of(dialogues[0].notes->personas), "you=i like tea .");
  EXPECT_EQ(left_out, (std::map<std::string, size_t>{{"turns of __SILENCE__", 1},
                                                     {"turns without text", 1}}));
  EXPECT_EQ(persona_of(kPersonaJson, {.limit = 1}).dialogues.size(), 1u);
  EXPECT_EQ(persona_error(with(kPersonaJson, "[\"hi\", \" \"]", "[\"hi\"]")),
            ": dialogue 1, turn 3: each member of \"dialogue\" must be a pair of texts");
  EXPECT_EQ(persona_error(with(kPersonaJson, "[\"hi\", \" \"]", "[\"hi\", 1]")),
            ": dialogue 1, turn 3: the answer must be a string, got a number");
  EXPECT_EQ(persona_error("[{\"persona\": 1}]"),
            ": dialogue 1: \"persona\" must be an array, got a number");
  EXPECT_EQ(persona_error("[]"), ": holds no dialogue");
}

}  // namespace
}  // namespace heed
