#include "dialog/data/formats/corpora.h"

#include <gtest/gtest.h>

#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

// As published, made up.
const std::string kLine =
    R"({"dialogue_id": "1_00000", "services": ["Hotels_2", "Taxi_1"], "turns": [)"
    R"({"speaker": "USER", "utterance": "A room.", "frames": [{"service": "Hotels_2", )"
    R"("actions": [{"act": "INFORM", "slot": "day", "values": ["next Friday"], "canonical_values": ["2019-03-08"]}, )"
    R"({"act": "REQUEST", "slot": "price", "values": []}], )"
    R"("state": {"active_intent": "BookRoom", "slot_values": {"day": ["next Friday", "Friday"], "area": []}}}]}, )"
    R"({"speaker": "SYSTEM", "utterance": "Done.", "frames": [{"service": "Hotels_2", )"
    R"("actions": [{"act": "NOTIFY_SUCCESS", "slot": "", "values": []}], )"
    R"("service_call": {"method": "BookRoom", "parameters": {"day": "2019-03-08", "for": "2"}}}]}, )"
    R"({"speaker": "USER", "utterance": "A taxi.", "frames": [{"service": "Taxi_1", "actions": [], )"
    R"("state": {"active_intent": "NONE", "slot_values": {"to": ["The Inn"]}}}]}, )"
    R"({"speaker": "SYSTEM", "utterance": "", "frames": [{"service": "Taxi_1", "actions": [], )"
    R"("service_call": {"method": "Call", "parameters": {}}}]}, )"
    R"({"speaker": "USER", "utterance": "Not Friday.", "frames": [{"service": "Hotels_2", "actions": [], )"
    R"("state": {"active_intent": "BookRoom", "slot_values": {}}}]}]})";

Published schema_of(const std::string& bytes) {
  const TempDir dir;
  return read_schema_guided(dir.write("f", bytes));
}

std::string schema_error(const std::string& bytes) {
  return error_reading([](const std::string& path) { read_schema_guided(path); }, "f", bytes);
}

TEST(SchemaGuided, HasStatesActsAndCalls) {
  for (const std::string& bytes : {kLine, "[" + kLine + "]", gzip(kLine + "\n")}) {
    const auto [dialogues, left_out] = schema_of(bytes);
    ASSERT_EQ(dialogues.size(), 1u);
    const Dialogue& d = dialogues[0];
    EXPECT_EQ(d.id, "1_00000");
    EXPECT_EQ(text_of(d.notes->labels), "service=hotels_2,taxi_1");
    EXPECT_EQ(text_of(d), "user:A room.|system:Done.|user:A taxi.|user:Not Friday.|");
    EXPECT_EQ(text_of(d.turns[0].notes->labels),
              "act=inform day=2019-03-08,request price=? intent=bookroom "
              "state=hotels_2-day=next_friday");
    EXPECT_EQ(text_of(d.turns[1].notes->labels),
              "act=notify_success call=bookroom day=2019-03-08,bookroom for=2");
    EXPECT_EQ(text_of(d.turns[2].notes->labels),  // the hotel's state stays
              "state=hotels_2-day=next_friday,taxi_1-to=the_inn");
    EXPECT_EQ(text_of(d.turns[3].notes->labels), "intent=bookroom state=taxi_1-to=the_inn");
    EXPECT_EQ(left_out.at("turns without text"), 1u);
  }
}

// Values as they are said where there are no canonical ones, all of them; a call of a method alone.
TEST(SchemaGuided, ValuesAndParametersMayBeMissing) {
  const auto labels = [](const std::string& from, const std::string& to, size_t turn) {
    return text_of(schema_of(with(kLine, from, to)).dialogues.at(0).turns.at(turn).notes->labels);
  };
  const std::string none = "\"frames\": [{\"service\": \"Taxi_1\", \"actions\": []";
  for (const std::string canonical : {"", ", \"canonical_values\": []"}) {
    EXPECT_EQ(
        labels(none,
               with(none, "[]",
                    "[{\"act\": \"INFORM\", \"slot\": \"to\", \"values\": [\"The Inn\", \"Inn\"]" +
                        canonical + "}]"),
               2),
        "act=inform to=the_inn,inform to=inn state=hotels_2-day=next_friday,taxi_1-to=the_inn");
  }
  EXPECT_EQ(labels("\"utterance\": \"\"", "\"utterance\": \"Wait.\"", 3), "call=call");
}

TEST(SchemaGuided, MayBeAFolder) {
  const TempDir dir;
  dir.write("dev/dialogues_002.json", "[" + with(kLine, "1_00000", "2_00000") + "]");
  dir.write("dev/dialogues_001.json", "[" + kLine + "]");
  dir.write("dev/schema.json", "[{\"service_name\": \"Hotels_2\"}]");
  const auto ids = [&](size_t limit) {
    std::string all;
    for (const Dialogue& d : read_schema_guided(dir.path("dev"), {.limit = limit}).dialogues) {
      all += d.id + " ";
    }
    return all;
  };
  EXPECT_EQ(ids(0), "1_00000 2_00000 ");
  EXPECT_EQ(ids(1), "1_00000 ");
  dir.write("dev/dialogues_003.json", "not read");
  EXPECT_EQ(ids(2), "1_00000 2_00000 ");
  const TempDir empty;
  EXPECT_EQ(error_of<DataError>([&] { read_schema_guided(empty.path("")); }),
            empty.path("") + ": holds no dialogue in a file dialogues*.json");
}

TEST(SchemaGuided, IsChecked) {
  EXPECT_EQ(schema_error(""), ": holds no dialogue");
  EXPECT_EQ(schema_error("{}"), ": dialogue 1: there is no \"dialogue_id\"");
  const std::string where = ": dialogue 1, turn ";
  EXPECT_EQ(schema_error(with(kLine, "\"SYSTEM\"", "\"WIZARD\"")),
            where + "2: \"speaker\" must be USER or SYSTEM");
  EXPECT_EQ(schema_error(with(kLine, "\"state\"", "\"stale\"")),
            where + "1: there is no \"state\"");
  EXPECT_EQ(schema_error(with(kLine, "\"slot_values\": {\"to\"", "\"slots\": {\"to\"")),
            where + "3: there is no \"slot_values\"");
  EXPECT_EQ(schema_error(with(kLine, "[\"next Friday\", \"Friday\"]", "\"Friday\"")),
            where + "1: \"day\" must be an array, got a string");
  EXPECT_EQ(schema_error(with(kLine, "\"for\": \"2\"", "\"for\": 2")),
            where + "2: each parameter must be a string, got a number");
  EXPECT_EQ(schema_error(with(
                kLine, "[{\"act\": \"NOTIFY_SUCCESS\", \"slot\": \"\", \"values\": []}]", "[7]")),
            where + "2: expected an object with \"act\", got a number");
  EXPECT_EQ(schema_error(with(kLine, "\"services\": [\"Hotels_2\"", "\"services\": [[]")),
            ": dialogue 1: each value in \"services\" must be a string, got an array");
}

}  // namespace
}  // namespace heed
