#include "dialog/probe/labels.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "dialog/data/formats/corpora.h"
#include "dialog/text/stop_words.h"
#include "tests/dialog/data/reader_helpers.h"

namespace heed::probe {
namespace {

// The worked example of the specification, in the form of MultiWOZ.
const std::string kHotel =
    R"("hotel": {"book": {"booked": []}, "semi": {"area": "north", "pricerange": "cheap")";
const std::string kWorked =
    R"({"d": {"log": [{"text": "a cheap hotel in the north", "dialog_act": {}},
  {"text": "how many stars ?", "metadata": {)" +
    kHotel + R"(, "stars": ""}}},
   "dialog_act": {"Hotel-Request": [["Stars", "?"]]}},
  {"text": "four stars please", "dialog_act": {}},
  {"text": "the lensfield .", "metadata": {)" +
    kHotel + R"(, "stars": "4"}}},
   "dialog_act": {"Hotel-Recommend": [["Name", "The Lensfield"], ["Price", "cheap"]], "general-reqmore": [["none", "none"]]}},
  {"text": "and a restaurant in the centre", "dialog_act": {}},
  {"text": "there are three .", "metadata": {)" +
    kHotel +
    R"(, "stars": "4"}}, "restaurant": {"semi": {"area": "centre", "food": "not mentioned"}}},
   "dialog_act": {"Restaurant-Inform": [["Choice", "3"]]}},
  {"text": "thanks, bye", "dialog_act": {}},
  {"text": "bye", "metadata": {)" +
    kHotel + R"(, "stars": "4"}}, "restaurant": {"semi": {"area": "centre"}}},
   "dialog_act": {"general-bye": [["none", "none"]]}}]}})";

std::vector<Dialogue> worked() {
  const TempDir dir;
  return read_multiwoz(dir.write("f", kWorked)).dialogues;
}

// The sets of a task, "a, b | c".
std::string sets_of(const LabelledExamples& examples, const std::string& task) {
  std::string all;
  for (const std::vector<std::string>& set : examples.tasks.at(task)) {
    all += all.empty() ? "" : " | ";
    for (size_t i = 0; i < set.size(); ++i) all += (i > 0 ? ", " : "") + set[i];
  }
  return all;
}

TEST(Labels, OfTheWorkedExample) {
  const LabelledExamples e = annotated_labels(worked());
  EXPECT_EQ(e.ids, (std::vector<std::string>{"d#2", "d#4", "d#6", "d#8"}));
  EXPECT_EQ(e.keys[1], "four stars please");
  const std::map<std::string, std::string> expected = {
      {"UtteranceLoc", "0 | 1 | 2 | 3"},
      {"RecentTopic", "hotel | hotel | restaurant | restaurant"},
      {"RecentSlots", "hotel-area, hotel-pricerange | hotel-stars | restaurant-area | none"},
      {"RecentValues", "cheap, north | 4 | centre | none"},
      {"NumRecentInfo", "2 | 1 | 1 | 0"},
      {"RepeatInfo", "none | none | area | none"},
      {"NumRepeatInfo", "0 | 0 | 1 | 0"},
      {"AllSlots",
       "hotel-area, hotel-pricerange | hotel-area, hotel-pricerange, hotel-stars | "
       "hotel-area, hotel-pricerange, hotel-stars, restaurant-area | "
       "hotel-area, hotel-pricerange, hotel-stars, restaurant-area"},
      {"AllValues",
       "cheap, north | 4, cheap, north | 4, centre, cheap, north | 4, centre, cheap, north"},
      {"NumAllInfo", "2 | 3 | 4 | 4"},
      {"AllTopics", "hotel | hotel | hotel, restaurant | hotel, restaurant"},
      {"NumAllTopics", "2 | 2 | 2 | 2"},
      {"IsMultiTask", "1 | 1 | 1 | 1"},
      {"ActionSelect",
       "hotel-request | general-reqmore, hotel-recommend | restaurant-inform | general-bye"},
      {"EntitySlots", "stars | name, price | choice | none"},
      {"EntityValues", "none | cheap, the_lensfield | 3 | none"}};
  EXPECT_EQ(e.tasks.size(), expected.size());
  for (const auto& [task, sets] : expected) EXPECT_EQ(sets_of(e, task), sets) << task;
}

// A dialogue of turns of user and system; the user's with a state.
Dialogue dialogue(const std::vector<std::vector<std::string>>& states) {
  Dialogue d{"d", {}};
  for (const std::vector<std::string>& state : states) {
    d.turns.push_back({"user", "a"});
    d.turns.back().notes.edit().labels["state"] = state;
    d.turns.push_back({"system", "b"});
  }
  return d;
}

TEST(Labels, OfAStateThatChangesAndShrinks) {
  const std::vector<Dialogue> d = {dialogue(
      {{"x-a=1", "y-a=1"}, {"x-a=2"}, {"x-a=2", "y-a=3", "z_12-b=4", "z_12-c=4"}, {}, {"y-a=3"}})};
  const LabelledExamples e = annotated_labels(d);
  EXPECT_EQ(sets_of(e, "RecentSlots"), "x-a, y-a | x-a | y-a, z_12-b, z_12-c | none | y-a");
  EXPECT_EQ(sets_of(e, "RecentTopic"), "x | x | z | z | y");  // x before y where they are equal
  EXPECT_EQ(sets_of(e, "RepeatInfo"), "none | a | a | none | a");
  EXPECT_EQ(sets_of(e, "AllValues"), "1 | 1, 2 | 2, 3, 4 | 2, 3, 4 | 2, 3, 4");
  EXPECT_EQ(sets_of(e, "AllTopics"), "x, y | x, y | x, y, z | x, y, z | x, y, z");
  const LabelledExamples other = annotated_labels(
      d, {.location_buckets = 2, .recent_is_new = true, .repeats_have_value = true});
  EXPECT_EQ(sets_of(other, "UtteranceLoc"), "0 | 0 | 0 | 1 | 1");
  EXPECT_EQ(sets_of(other, "RecentSlots"), "x-a, y-a | none | y-a, z_12-b, z_12-c | none | y-a");
  EXPECT_EQ(sets_of(other, "RepeatInfo"), "none | none | none | none | a");
}

TEST(Labels, AreThoseOfTheQueryWhereThereIsOne) {
  Dialogue d = dialogue({{"x-a=1"}});
  Labels& labels = d.turns[1].notes.edit().labels;
  labels["act"] = {"inform x=1"};
  labels["call"] = {"find_bus to=the_inn", "find_bus for=2", "find_bus none=?"};
  const LabelledExamples e = annotated_labels({d});
  EXPECT_EQ(sets_of(e, "ActionSelect"), "find_bus");
  EXPECT_EQ(sets_of(e, "EntitySlots"), "for, to");
  EXPECT_EQ(sets_of(e, "EntityValues"), "2, the_inn");
  EXPECT_EQ(sets_of(e, "NumAllTopics"), "1");
  EXPECT_EQ(sets_of(e, "IsMultiTask"), "0");
}

TEST(Labels, HaveNoExampleWithoutAUserBefore) {
  Dialogue d = dialogue({{"x-a=1"}, {}});
  d.turns.insert(d.turns.begin(), {"system", "hello"});
  d.turns.push_back({"system", "and ?"});
  d.turns.push_back({"user", "bye"});
  EXPECT_EQ(annotated_labels({d}).ids, (std::vector<std::string>{"d#3", "d#5"}));
}

TEST(Labels, OfPersonasAreTheirWords) {
  Dialogue d{"p", {{"partner", "hi"}, {"you", "ho"}, {"partner", ""}, {"you", "!"}}};
  d.notes.edit().personas["you"] = {"I don't like TEA .", "i like 2 café cats über !"};
  const LabelledExamples e = annotated_labels({d});
  EXPECT_EQ(e.tasks.size(), 1u);
  EXPECT_EQ(e.ids, (std::vector<std::string>{"p#2", "p#3", "p#4"}));
  EXPECT_EQ(e.keys, (std::vector<std::string>{"hi", "ho", "p#4"}));
  EXPECT_EQ(sets_of(e, "PersonalInfo"),
            "2, café, cats, like, tea, über | none | 2, café, cats, like, tea, über");
}

TEST(Labels, OfActsWithoutSlots) {
  Dialogue d{"a", {{"user", "tea ?"}, {"system", "yes"}, {"user", "thanks"}}};
  d.turns[1].notes.edit().labels["act"] = {"inform", "question"};
  const LabelledExamples e = annotated_labels({d});
  EXPECT_EQ(e.tasks.size(), 1u);
  EXPECT_EQ(sets_of(e, "ActionSelect"), "inform, question | none");
}

TEST(Labels, NeedAnnotation) {
  EXPECT_EQ(error_of<DataError>([] {
              annotated_labels({{"d", {{"user", "a"}, {"system", "b"}}}});
            }),
            "no turn has labels that a task is made of: states of the user, acts of the system, or "
            "personas");
}

TEST(Labels, CanBeWrittenAndRead) {
  const TempDir dir;
  const LabelledExamples e = annotated_labels(worked());
  write_labels(dir.path("l.jsonl"), e);
  const LabelledExamples again = read_labels(dir.path("l.jsonl"));
  EXPECT_EQ(again.ids, e.ids);
  EXPECT_EQ(again.keys, e.keys);
  EXPECT_EQ(again.tasks, e.tasks);
}

TEST(LabelStatistics, CountLabelsAndShares) {
  const LabelStatistics s = statistics({{"b"}, {"a", "b"}, {"a"}, {"c"}});
  EXPECT_EQ(s.labels, 3u);
  EXPECT_EQ(s.per_example, 1.25);
  EXPECT_EQ(s.most_frequent, "a");
  EXPECT_EQ(s.share, 0.5);
  EXPECT_EQ(statistics({}).labels, 0u);
}

// What the specification counted in MultiWOZ 2.1, whose texts are not bundled: HEED_MULTIWOZ is a
// folder with val.json, the dev part of ConvLab-2.
TEST(LabelStatistics, OfMultiwozAreThoseOfTheSpecification) {
  const char* folder = std::getenv("HEED_MULTIWOZ");
  if (!folder) GTEST_SKIP() << "HEED_MULTIWOZ is not set";
  const LabelledExamples e =
      annotated_labels(read_multiwoz(std::string(folder) + "/val.json").dialogues);
  EXPECT_EQ(e.ids.size(), 7365u);
  struct Row {
    const char* task;
    size_t labels;
    double per_example;
    const char* most_frequent;
    double share;
  };
  const Row rows[] = {{"UtteranceLoc", 5, 1, "0", 0.2574},
                      {"RecentTopic", 7, 1, "train", 0.268},
                      {"RecentSlots", 32, 1.487, "none", 0.3423},
                      {"RecentValues", 504, 1.475, "none", 0.3423},
                      {"NumRecentInfo", 8, 1, "0", 0.3423},
                      {"RepeatInfo", 17, 1.02, "none", 0.8532},
                      {"NumRepeatInfo", 5, 1, "0", 0.8532},
                      {"AllSlots", 32, 5.613, "train-destination", 0.3527},
                      {"AllValues", 504, 5.188, "cambridge", 0.3431},
                      {"NumAllInfo", 18, 1, "2", 0.1336},
                      {"AllTopics", 7, 1.585, "restaurant", 0.3893},
                      {"NumAllTopics", 4, 1, "2", 0.6574},
                      {"IsMultiTask", 2, 1, "1", 0.8678},
                      {"ActionSelect", 33, 1.552, "general-reqmore", 0.1997},
                      {"EntitySlots", 27, 2.051, "name", 0.2081},
                      {"EntityValues", 3737, 1.94, "none", 0.3574}};
  for (const Row& row : rows) {
    const LabelStatistics s = statistics(e.tasks.at(row.task));
    EXPECT_EQ(s.labels, row.labels) << row.task;
    EXPECT_NEAR(s.per_example, row.per_example, 5e-4) << row.task;
    EXPECT_EQ(s.most_frequent, row.most_frequent) << row.task;
    EXPECT_NEAR(s.share, row.share, 5e-5) << row.task;
  }
}

TEST(StopWords, AreWordsWithoutMeaning) {
  for (const char* word : {"i", "don", "t", "wouldn", "the"})
    EXPECT_TRUE(is_stop_word(word)) << word;
  for (const char* word : {"tea", "", "I", "like"}) EXPECT_FALSE(is_stop_word(word)) << word;
}

}  // namespace
}  // namespace heed::probe
