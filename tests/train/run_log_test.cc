#include "train/run_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "tests/file_helpers.h"
#include "train/event_file.h"
#include "train/run_json.h"

namespace heed {
namespace {

RunLog small_log() {
  return {"log.jsonl", {"epoch", "a, \"b\""}, {{1, 0.5}, {2, NAN}, {3, 1e300}}};
}

TEST(RunLog, AsTableQuotesNamesAndLeavesOutWhatIsNoNumber) {
  EXPECT_EQ(to_csv(small_log()), "epoch,\"a, \"\"b\"\"\"\n1,0.5\n2,\n3,1e+300\n");
  EXPECT_EQ(
      to_json_lines(small_log()),
      "{\"epoch\":1,\"a, \\\"b\\\"\":0.5}\n{\"epoch\":2}\n{\"epoch\":3,\"a, \\\"b\\\"\":1e+300}\n");
}

// Of parts, of which some are empty, it is that of the whole: CRC-32 has a usual check value.
TEST(Checksum, EmptyPartsForgetNothing) {
  EXPECT_EQ(checksum("123456789"), 0xcbf43926u);
  EXPECT_EQ(checksum("6789", checksum({}, checksum("12345"))), 0xcbf43926u);
  EXPECT_EQ(checksum("", checksum("123456789")), 0xcbf43926u);
}

// A file is read in chunks.
TEST(Checksum, OfAFileIsThatOfItsBytes) {
  const TempDir dir;
  for (const size_t size : {0, 9, 1 << 20, (5 << 19) + 3}) {
    std::string text(size, 'a');
    for (size_t i = 0; i < size; i += 1000) text[i] = static_cast<char>('a' + i / 1000 % 26);
    EXPECT_EQ(file_checksum(dir.write("file", text)), checksum(text)) << size;
  }
  // The bytes of a pipe are gone once somebody has read them.
  const std::string pipe = dir.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of<DataError>([&] { file_checksum(pipe); }),
            pipe + ": is a pipe and has no fingerprint; give a file");
}

TEST(RunLog, ADamagedLineIsNamed) {
  const TempDir dir;
  const std::string good = R"({"epoch":1,"loss":1,"rate":1,"grad_norm":1,"steps":1,"tokens":1})"
                           "\n";
  const std::string path = dir.write("run/log.jsonl", good + good + "{\n");
  const std::string error = error_of<DataError>([&] { load_log(dir.path("run")); });
  EXPECT_TRUE(error.starts_with(path + ":3: ")) << error;
}

TEST(RunLog, NamesTheColumnsThatThereAre) {
  EXPECT_EQ(small_log().column("epoch"), 0u);
  EXPECT_FALSE(small_log().has("loss"));
  try {
    small_log().column("loss");
    FAIL();
  } catch (const DataError& e) {
    EXPECT_STREQ(e.what(), "log.jsonl: has no column 'loss'; there are: epoch, a, \"b\"");
  }
}

// A number that a later version measures, too, and one that it does not any more.
TEST(RunLog, ColumnsThatALineHasNotAreEmptyThere) {
  const TempDir dir;
  const auto line = [](int epoch, const std::string& metric) {
    return R"({"epoch":)" + std::to_string(epoch) + R"(,"loss":1,")" + metric +
           R"(":0.5,"rate":1,"grad_norm":1,"steps":1,"tokens":1})" + "\n";
  };
  dir.write("run/log.jsonl", line(1, "old") + line(2, "new") + line(3, "old"));
  const RunLog log = epochs_of(dir.path("run"));
  const size_t old = log.column("old"), later = log.column("new");
  ASSERT_EQ(log.rows.size(), 3u);
  for (size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(std::isnan(log.rows[r].at(old)), r == 1) << r;
    EXPECT_EQ(std::isnan(log.rows[r].at(later)), r != 1) << r;
  }
}

// Two epochs of two steps each: an epoch ends when its last step does, and a third one, of which no
// step was logged, not before the second.
TEST(RunLog, PointsOfAnEpochAreFromTheTimeOfItsLastStep) {
  const TempDir dir;
  std::string epochs, steps;
  for (int step = 1; step <= 4; ++step) {
    const std::string epoch = std::to_string((step + 1) / 2), number = std::to_string(step);
    steps += R"({"step":)" + number + R"(,"epoch":)" + epoch + R"(,"loss":)" + number +
             R"(.5,"rate":1,"grad_norm":2,"tokens":3,"tokens_per_s":4,"time":170000000)" + number +
             "}\n";
    if (step % 2) continue;
    epochs += R"({"epoch":)" + epoch + R"(,"loss":)" + epoch +
              R"(.25,"rate":1,"grad_norm":2,"steps":2,"tokens":6})" + "\n";
  }
  epochs += R"({"epoch":3,"loss":3.25,"rate":1,"grad_norm":2,"steps":2,"tokens":6})"
            "\n";
  dir.write("run/log.jsonl", epochs);
  dir.write("run/steps.jsonl", steps);
  EventFile expected(1700000001);
  for (int epoch = 1; epoch <= 3; ++epoch) {
    const double time = 1700000000 + 2 * std::min(epoch, 2);
    for (const auto& [name, value] : {std::pair("loss", epoch + 0.25),
                                      {"rate", 1.0},
                                      {"grad_norm", 2.0},
                                      {"steps", 2.0},
                                      {"tokens", 6.0}}) {
      expected.add(std::string("epoch/") + name, epoch, value, time);
    }
  }
  for (int step = 1; step <= 4; ++step) {
    const int of_epoch = (step + 1) / 2;
    for (const auto& [name, value] : {std::pair("epoch", of_epoch + 0.0),
                                      {"loss", step + 0.5},
                                      {"rate", 1.0},
                                      {"grad_norm", 2.0},
                                      {"tokens", 3.0},
                                      {"tokens_per_s", 4.0}}) {
      expected.add(std::string("step/") + name, step, value, 1700000000 + step);
    }
  }
  EXPECT_EQ(event_file_of(dir.path("run")), expected.bytes());
}

// A training of two tasks says whose step each one was.
TEST(RunLog, StepsHaveTheirTask) {
  const TempDir dir;
  const auto line = [](int step, const std::string& task) {
    return R"({"step":)" + std::to_string(step) + R"(,"epoch":1,"loss":2)" + task +
           R"(,"rate":1,"grad_norm":2,"tokens":3,"time":1,"tokens_per_s":4})" + "\n";
  };
  dir.write("run/log.jsonl", "");
  dir.write("run/steps.jsonl", line(1, "") + line(2, R"(,"task":"generator")"));
  const RunLog log = steps_of(dir.path("run"));
  EXPECT_EQ(log.tasks, (std::vector<std::string>{"", "generator"}));
  EXPECT_EQ(to_csv(log),
            "step,epoch,loss,rate,grad_norm,tokens,tokens_per_s,time,task\n"
            "1,1,2,1,2,3,4,1,\n2,1,2,1,2,3,4,1,generator\n");
  EXPECT_NE(to_json_lines(log).find(R"("time":1,"task":"generator"})"), std::string::npos);
  dir.write("run/steps.jsonl", line(1, ""));
  EXPECT_TRUE(steps_of(dir.path("run")).tasks.empty());
}

// Steps of two tasks are two curves: their losses have nothing in common.
TEST(RunLog, EachTaskHasCurvesOfItsOwn) {
  const TempDir dir;
  std::string steps;
  for (const auto& [step, task] : {std::pair("1", "gen"), {"2", "disc"}, {"3", "gen"}}) {
    steps += R"({"step":)" + std::string(step) + R"(,"epoch":1,"loss":)" + step +
             R"(.5,"rate":1,"grad_norm":2,"tokens":3,"tokens_per_s":4,"time":1)" + step +
             R"(,"task":")" + task + "\"}\n";
  }
  dir.write("run/log.jsonl", R"({"epoch":1,"loss":1,"rate":1,"grad_norm":1,"steps":1,"tokens":1})");
  dir.write("run/steps.jsonl", steps);
  const std::string bytes = event_file_of(dir.path("run"));
  for (const char* tag : {"step/gen/loss", "step/disc/loss", "epoch/loss"}) {
    EXPECT_NE(bytes.find(tag), std::string::npos) << tag;
  }
  EXPECT_EQ(bytes.find("step/loss"), std::string::npos);
  const std::vector<RunLog> logs = logs_of_tasks(steps_of(dir.path("run")));
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(logs[0].task_of(1), "gen");
  EXPECT_EQ(logs[0].rows[1][logs[0].column("loss")], 3.5);
  EXPECT_EQ(logs[0].times, (std::vector<double>{11, 13}));
  EXPECT_EQ(logs[1].task_of(0), "disc");
  EXPECT_EQ(logs[1].times, std::vector<double>{12});
  EXPECT_EQ(logs_of_tasks(epochs_of(dir.path("run"))).size(), 1u);
}

TEST(RunLog, NamesOfRunsDiffer) {
  EXPECT_EQ(run_names({"runs/a", "runs/b"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(run_names({"x/a", "y/a"}), (std::vector<std::string>{"x/a", "y/a"}));
}

}  // namespace
}  // namespace heed
