#include "dialog/probe/label_file.h"

#include "base/error.h"
#include "dialog/probe/probe.h"
#include "tests/file_helpers.h"

namespace heed::probe {
namespace {

constexpr const char* kTwo =
    R"({"id": "d#2", "labels": {"Topic": ["taxi"], "Slots": ["b", "a"]}, "other": {"x": [1]}}

{"id": "d#3", "key": "and then ?", "labels": {"Slots": [], "Topic": ["train"]}}
)";

TEST(LabelFile, ReadsTasksAsColumns) {
  const TempDir dir;
  for (const std::string& bytes : {std::string(kTwo), gzip(kTwo)}) {
    const LabelledExamples read = read_labels(dir.write("labels.jsonl", bytes));
    EXPECT_EQ(read.ids, (std::vector<std::string>{"d#2", "d#3"}));
    EXPECT_EQ(read.keys, (std::vector<std::string>{"d#2", "and then ?"}));
    ASSERT_EQ(read.tasks.size(), 2u);
    EXPECT_EQ(read.tasks.at("Slots"), (LabelSets{{"a", "b"}, {}}));
    EXPECT_EQ(read.tasks.at("Topic"), (LabelSets{{"taxi"}, {"train"}}));
  }
}

TEST(LabelFile, ReadsWhatItWrites) {
  const TempDir dir;
  LabelledExamples examples = read_labels(dir.write("labels.jsonl", kTwo));
  examples.tasks["Slots"][0] = {"\"quoted\"", "\xC3\xA4"};
  for (const char* name : {"copy.jsonl", "copy.jsonl.gz"}) {
    write_labels(dir.path(name), examples);
    const LabelledExamples again = read_labels(dir.path(name));
    EXPECT_EQ(again.ids, examples.ids);
    EXPECT_EQ(again.keys, examples.keys);
    EXPECT_EQ(again.tasks, examples.tasks);
  }
  examples.ids[1] = "\xFF";
  EXPECT_EQ(error_of<DataError>([&] { write_labels(dir.path("bad.jsonl"), examples); }),
            dir.path("bad.jsonl") + ": cannot write labels that are not UTF-8, example 2");
  EXPECT_FALSE(std::filesystem::exists(dir.path("bad.jsonl")));
}

TEST(LabelFile, SaysWhatIsWrong) {
  const TempDir dir;
  const std::string good = R"({"id": "1", "labels": {"T": ["a"]}})"
                           "\n",
                    long_name(1025, 'x'), longest(1024, 'x');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[]", "expected a JSON object {\"id\": ..., \"labels\": {TASK: [LABEL, ...]}}"},
      {"{\"id\": ", "not valid JSON: unexpected end of input; expected '[', '{', or a literal"},
      {R"({"id": "2", "labels": {"T": ["a"], "T": ["b"]}})", "\"T\" is given twice"},
      {R"({"labels": {"T": []}})", "\"id\" must be a string that is not empty"},
      {R"({"id": 7, "labels": {"T": []}})", "\"id\" must be a string that is not empty"},
      {R"({"id": "", "labels": {"T": []}})", "\"id\" must be a string that is not empty"},
      {R"({"id": "1", "labels": {"T": []}})", "the id \"1\" is given twice"},
      {R"({"id": "2"})", "\"labels\" must be an object with a list of labels for each task"},
      {R"({"id": "2", "labels": {}})",
       "\"labels\" must be an object with a list of labels for each task"},
      {R"({"id": "2", "key": 1, "labels": {"T": []}})",
       "\"key\" must be a string that is not empty"},
      {R"({"id": "2", "labels": {"T": "a"}})", "the labels of \"T\" must be a list"},
      {R"({"id": "2", "labels": {"T": [1]}})", "a label of \"T\" must be a string"},
      {R"({"id": "2", "labels": {"T": [""]}})",
       "a label of \"T\" must have 1 to 1024 bytes, got 0"},
      {R"({"id": "2", "labels": {"T": ["b", "a", "b"]}})",
       "the label \"b\" of \"T\" is given twice"},
      {R"({"id": "2", "labels": {"T": [], "U": []}})", "the task \"U\" is not in the lines before"},
      {R"({"id": "2", "labels": {"": []}})", "the name of a task must have 1 to 1024 bytes"},
      {R"({"id": "2", "labels": {")" + long_name + R"(": []}})",
       "the name of a task must have 1 to 1024 bytes"},
      {R"({"id": "2", "labels": {"T": [")" + long_name + R"("]}})",
       "a label of \"T\" must have 1 to 1024 bytes, got 1025"},
  };
  for (const auto& [line, says] : cases) {
    const std::string path = dir.write("labels.jsonl", good + "\n" + line + "\n");
    EXPECT_EQ(error_of<DataError>([&] { read_labels(path); }), path + ":3: " + says) << line;
  }
  const auto tasks = read_labels(dir.write("l.jsonl", R"({"id": "1", "labels": {")" + longest +
                                                          "\": [\"" + longest + "\"]}}"))
                         .tasks;
  EXPECT_EQ(tasks.at(longest), (LabelSets{{longest}}));
  const std::string two = R"({"id": "1", "labels": {"T": [], "U": []}})"
                          "\n";
  const std::string path = dir.write("labels.jsonl", two + R"({"id": "2", "labels": {"U": []}})");
  EXPECT_EQ(error_of<DataError>([&] { read_labels(path); }),
            path + ":2: the task \"T\" is missing");
  EXPECT_EQ(error_of<DataError>([&] { read_labels(dir.write("empty.jsonl", "\n \n")); }),
            dir.path("empty.jsonl") + ": holds no example");
  EXPECT_NE(error_of<DataError>([&] { read_labels(dir.path("none.jsonl")); }).find("none.jsonl"),
            std::string::npos);
}

TEST(LabelFile, DeepNestingIsRefused) {
  const TempDir dir;
  const std::string deep(200000, '[');
  const std::string closed =
      R"({"id": "1", "labels": {"T": ["a"]}, "x": )" + deep + std::string(200000, ']') + "}";
  for (const std::string& line : {deep, closed}) {
    EXPECT_EQ(error_of<DataError>([&] { read_labels(dir.write("deep.jsonl", line)); }),
              dir.path("deep.jsonl") + ":1: nested deeper than 64");
  }
}

TEST(Binariser, KnowsTheLabelsOfTheTrainingPart) {
  const Binariser binariser({{"b"}, {}, {"a", "c"}, {"b", "c"}});
  EXPECT_EQ(binariser.names(), (std::vector<std::string>{"a", "b", "c"}));
  const LabelSets test = {{"c", "d"}, {"d", "e"}, {"a", "b", "c"}};
  EXPECT_EQ(binariser(test), (std::vector<LabelIds>{{2}, {}, {0, 1, 2}}));
  EXPECT_EQ(binariser.count_unseen(test), 2);
}

TEST(Binariser, TheConstantPredictionIsWhatMostExamplesHave) {
  const std::vector<LabelIds> train = {{0, 1}, {0, 2}, {0, 1}, {2}};
  EXPECT_EQ(count_labels(train, 4), (std::vector<int64_t>{3, 2, 2, 0}));
  EXPECT_EQ(majority_labels(train, 4), LabelIds{0});  // half is not most
}

// Equal keys get equal labels, whatever stands beside them, and labels are as frequent as in the
// task.
TEST(ControlLabels, AreAFunctionOfTheKey) {
  LabelSets task;
  for (int i = 0; i < 10; ++i) task.push_back({i < 7 ? "often" : "seldom"});
  std::vector<std::string> keys;
  for (int i = 0; i < 3000; ++i) keys.push_back("text " + std::to_string(i));
  const LabelSets drawn = control_labels(task, keys, 1);
  const auto often = std::count(drawn.begin(), drawn.end(), std::vector<std::string>{"often"});
  EXPECT_NEAR(static_cast<double>(often) / 3000, 0.7, 0.03);
  EXPECT_EQ(control_labels(task, {keys[17], keys[17], keys[4]}, 1),
            (LabelSets{drawn[17], drawn[17], drawn[4]}));
  EXPECT_NE(control_labels(task, keys, 2), drawn);
}

}  // namespace
}  // namespace heed::probe
