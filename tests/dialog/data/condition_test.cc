#include "dialog/data/condition.h"

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Numbers = std::vector<int32_t>;

Dialogue dialogue_of(const std::string& topic, const std::vector<std::vector<std::string>>& turns) {
  Dialogue d;
  if (!topic.empty()) d.notes.edit().labels["topic"] = {topic};
  for (const auto& emotions : turns) {
    Turn& turn = d.turns.emplace_back();
    if (!emotions.empty()) turn.notes.edit().labels["emotion"] = emotions;
  }
  return d;
}

TEST(Condition, SaysItsValues) {
  const Condition emotion{"emotion", {"negative", "positive"}};
  EXPECT_EQ(emotion.text(), "emotion=negative|positive");
  EXPECT_EQ(Condition::parse(emotion.text()), emotion);
  EXPECT_EQ(Condition::parse("topic"), Condition{"topic"});
  EXPECT_EQ(Condition::parse("a=b=c").values, std::vector<std::string>{"b=c"});
  for (const char* wrong : {"", "=a", "a=", "a=b|", "a=|b", "a=b|b"}) {
    EXPECT_EQ(error_of<UsageError>([&] { Condition::parse(wrong); }),
              "condition: expected LABEL or LABEL=VALUE|VALUE, each value once, got '" +
                  std::string(wrong) + "'");
  }
}

// The emotions of DailyDialog are three sentiments, in the order of their bytes.
TEST(Condition, LearnsWhatStandsInTheDialogues) {
  const std::vector<Dialogue> dialogues = {
      dialogue_of("work", {{"happiness"}, {"no_emotion"}, {"surprise"}}),
      dialogue_of("health", {{"anger"}, {"fear"}, {"disgust"}, {"sadness"}, {"odd"}, {}})};
  Condition emotion{"emotion"}, topic{"topic"}, none{"act"};
  for (Condition* c : {&emotion, &topic, &none}) c->learn(dialogues);
  EXPECT_EQ(emotion.text(), "emotion=negative|neutral|odd|positive");
  EXPECT_EQ(topic.text(), "topic=health|work");
  for (const auto& [value, sentiment] : {std::pair("surprise", "neutral"),
                                         {"no_emotion", "neutral"},
                                         {"happiness", "positive"},
                                         {"anger", "negative"},
                                         {"disgust", "negative"},
                                         {"fear", "negative"},
                                         {"sadness", "negative"}}) {
    Condition one{"emotion"};
    one.learn({dialogue_of("", {{value}})});
    EXPECT_EQ(one.text(), std::string("emotion=") + sentiment) << value;
  }
  EXPECT_EQ(none.text(), "act");
  for (const char* value : {"", "a|b"}) {
    EXPECT_EQ(error_of<DataError>([&] { emotion.learn({dialogue_of("", {{value}})}); }),
              "label emotion: a value is empty or holds '|': '" + std::string(value) + "'");
  }
}

// Of the turn first, else of the dialogue; what the training did not have is nothing.
TEST(Condition, NumbersAreThoseOfTheResponse) {
  const Condition emotion{"emotion", {"negative", "neutral", "positive"}}, topic{"topic", {"work"}};
  const Dialogue d = dialogue_of("work", {{"happiness"}, {"anger", "no_emotion"}, {"odd"}, {}});
  EXPECT_EQ(emotion.numbers(d, d.turns[0]), Numbers{2});
  EXPECT_EQ(emotion.numbers(d, d.turns[1]), (Numbers{0, 1}));
  EXPECT_EQ(emotion.numbers(d, d.turns[2]), Numbers{});
  EXPECT_EQ(emotion.numbers(d, d.turns[3]), Numbers{});
  EXPECT_EQ(topic.numbers(d, d.turns[0]), Numbers{0});
  Dialogue both = dialogue_of("", {{"anger"}, {}});
  both.notes.edit().labels["emotion"] = {"happiness"};
  EXPECT_EQ(emotion.numbers(both, both.turns[0]), Numbers{0});
  EXPECT_EQ(emotion.numbers(both, both.turns[1]), Numbers{2});
  EXPECT_EQ(topic.numbers(dialogue_of("health", {{}}), {}), Numbers{});
}

TEST(Condition, WhatIsWantedIsInTheModelsNumbers) {
  const std::vector<Condition> all = {{"emotion", {"negative", "positive"}}, {"topic", {"work"}}};
  EXPECT_EQ(wanted_numbers(all, {"emotion=happiness"}), (std::vector<Numbers>{{1}, {}}));
  EXPECT_EQ(wanted_numbers(all, {"topic=work", "emotion=negative"}),
            (std::vector<Numbers>{{0}, {0}}));
  EXPECT_EQ(wanted_numbers(all, {"emotion=positive|negative"}), (std::vector<Numbers>{{1, 0}, {}}));
  for (const char* wrong :
       {"emotion=odd", "emotion", "act=work", "topic=negative", "emotion=odd|positive"}) {
    EXPECT_EQ(error_of<UsageError>([&] { wanted_numbers(all, {wrong}); }),
              "condition: the model knows emotion=negative|positive or topic=work, got '" +
                  std::string(wrong) + "'");
  }
  EXPECT_EQ(error_of<UsageError>([] { wanted_numbers({}, {"emotion=odd"}); }),
            "condition: the model knows none, got 'emotion=odd'");
}

}  // namespace
}  // namespace heed
