#include "dialog/data/formats/corpora.h"

#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

std::string messages_of(const std::string& bytes, size_t limit = 0) {
  const TempDir dir;
  std::string all;
  const Published corpus = read_messages(dir.write("m.jsonl", bytes), {limit});
  for (const Dialogue& d : corpus.dialogues)
    all += (all.empty() ? "" : " ") + d.id + "=" + text_of(d);
  for (const auto& [what, count] : corpus.left_out)
    all += "; " + std::to_string(count) + " " + what;
  return all;
}

const std::string kFirst =
    R"({"messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"},)"
    R"( {"role": "user", "content": "there"}, {"role": "assistant", "content": "hello", "weight": 0}]})";
const std::string kSecond =
    R"({"id": "x", "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"},)"
    R"( {"type": "text", "text": "b"}]}, {"role": "assistant", "content": null, "tool_calls": []},)"
    R"( {"role": "assistant"}, {"role": "tool", "content": "42"}, {"role": "assistant", "content": "c"}], "tools": []})";
const std::string kRead = "m.jsonl:1=user:hi there|assistant:hello|";

TEST(Messages, OfLinesAndOfOneArray) {
  const std::string both =
      kRead +
      " x=user:a b|assistant:c|; 2 messages of the roles system, developer, tool and "
      "function; 2 messages without text";
  EXPECT_EQ(messages_of(kFirst + "\n" + kSecond + "\n"), both);
  EXPECT_EQ(messages_of("[" + kFirst + ",\n" + kSecond + "]"), both);
  EXPECT_EQ(messages_of(kFirst + "\n" + kSecond, 1),
            kRead + "; 1 messages of the roles system, developer, tool and function");
}

TEST(Messages, OneConversationThatIsTheArray) {
  const std::string list =
      R"([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}])";
  EXPECT_EQ(messages_of(list), "m.jsonl:1=user:hi|assistant:yo|");
  EXPECT_EQ(messages_of(list, 1), "m.jsonl:1=user:hi|assistant:yo|");
}

TEST(Messages, AsShareGptHasThem) {
  EXPECT_EQ(messages_of(R"([{"id": "q", "conversations": [{"from": "system", "value": "be kind"},)"
                        R"( {"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]},)"
                        R"( {"conversations": [{"from": "human", "value": "bye"}]}])"),
            "q=human:hi|gpt:hello| m.jsonl:2=human:bye|; 1 messages of the roles system, "
            "developer, tool and function");
}

TEST(Messages, OfProgramsAreNoUtterances) {
  for (const char* role : {"system", "developer", "tool", "function"}) {
    EXPECT_EQ(messages_of(R"([{"role": ")" + std::string(role) +
                          R"(", "content": "x"}, {"role": "user", "content": "hi"}])"),
              "m.jsonl:1=user:hi|; 1 messages of the roles system, developer, tool and function");
  }
}

TEST(Messages, HaveTextsOrNumbersAsIds) {
  const auto with_id = [](const std::string& id) {
    return messages_of(R"({"id": )" + id + R"(, "messages": [{"role": "user", "content": "hi"}]})");
  };
  EXPECT_EQ(with_id("7"), "7=user:hi|");
  EXPECT_EQ(with_id("\"q\""), "q=user:hi|");
  EXPECT_EQ(with_id("null"), "m.jsonl:1=user:hi|");
}

TEST(Messages, SaysWhatIsWrong) {
  const auto messages = [](const std::string& path) { read_messages(path); };
  const auto error = [&](const std::string& bytes) { return error_reading(messages, "m", bytes); };
  EXPECT_EQ(error("{\"turns\": []}"), ": dialogue 1: there is no \"messages\"");
  EXPECT_EQ(error("{\"messages\": {}}"),
            ": dialogue 1: \"messages\" must be an array, got an object");
  EXPECT_EQ(error("{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}, 1]}"),
            ": dialogue 1, turn 2: expected an object with \"role\", got a number");
  EXPECT_EQ(error("{\"messages\": [{\"role\": \"user\", \"content\": 1}]}"),
            ": dialogue 1, turn 1: \"content\" must be a string, got a number");
  EXPECT_EQ(error("{\"messages\": [{\"role\": \"user\", \"content\": [{\"text\": 1}]}]}"),
            ": dialogue 1, turn 1: \"text\" must be a string, got a number");
  EXPECT_EQ(error("{\"id\": [1], \"messages\": []}"),
            ": dialogue 1: \"id\" must be a string, got an array");
  EXPECT_EQ(error("{\"conversations\": [{\"role\": \"user\", \"content\": \"a\"}]}"),
            ": dialogue 1, turn 1: there is no \"from\"");
  EXPECT_EQ(error("[]"), ": holds no dialogue");
  EXPECT_EQ(error("[{\"role\": \"user\", \"content\": \"a\"}]\n[{}]"),
            ":2: not valid JSON: unexpected '['; expected end of input");
}

}  // namespace
}  // namespace heed
