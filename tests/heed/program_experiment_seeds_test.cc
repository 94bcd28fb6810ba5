// heed reproduce NAME --seeds 2: another seed is another training, in every experiment. Those of
// distraction, gaps, mediation and probes have two seeds in their own tests.
#include <filesystem>
#include <set>

#include "dialog/text/text_file.h"
#include "nn/safetensors.h"
#include "tests/heed/program_small_data.h"

namespace heed {
namespace {

const std::string kEncoder = source_dir() + "/data/models/trained";

// What heed reproduce is called with, and the runs that it makes of each seed.
struct Reproduced {
  const char* name;
  Arguments options;
  std::vector<std::string> runs;
  const char* system = nullptr;  // whose labels it learns from
};
void PrintTo(const Reproduced& e, std::ostream* out) {
  *out << e.name;
}

std::vector<Reproduced> reproduced() {
  const Arguments tiny = {"--limit",  "20", "--test-limit", "4",  "--epochs", "1",
                          "--hidden", "6",  "--vocab",      "100"},
                  width = {"--width", "8", "--epochs", "1"};
  return {{"keywords", tiny + Arguments{"--only", "seq2seq"}, {"seq2seq", "reversed"}},
          {"hredgan", tiny + Arguments{"--only", "hred", "--best-of", "2"}, {"hred"}},
          {"history",
           tiny + Arguments{"--preset", "smoke", "--embed", "6", "--batch", "8", "--systems",
                            "dynamic"},
           {"dynamic"}},
          {"adversarial",
           {"--generators", kEncoder,
            "--preset",     "smoke",
            "--limit",      "40",
            "--vocab",      "100",
            "--hidden",     "6",
            "--epochs",     "1",
            "--batch",      "32",
            "--beam",       "1",
            "--responses",  "4",
            "--probed",     "10",
            "--only",       "*-response-only",
            "--max-length", "4"},
           {"ubuntu-sample-response-only"}},
          {"retrieval",
           width + Arguments{"--vocab", "200", "--limit", "60", "--pool", "20", "--only", "base"},
           {"base"}},
          {"carryover",
           width + Arguments{"--one-of", "1", "--distracted", "2", "--only", "independent"},
           {"independent"},
           "carryover"},
          {"energy",
           width + Arguments{"--steps", "2", "--machine", "text", "--only", "heads*"},
           {"heads", "heads-again"},
           "tracker"},
          {"comprehend",
           {"--cells", "8", "--epochs", "1", "--only", "turns-0"},
           {"turns-0"},
           "comprehend"}};
}

class ExperimentSeeds : public testing::TestWithParam<Reproduced> {
 protected:
  // Runs it with two seeds in the folder "out".
  Result reproduce(const std::string& data) const {
    const Reproduced& e = GetParam();
    return heed_program(Arguments{"reproduce", e.name, "--data", data, "--out", dir.path("out"),
                                  "--seeds", "2", "--threads", "1"} +
                        e.options);
  }
  std::string data() const {
    const char* const system = GetParam().system;
    return system ? labelled_data(dir, system) : kSample;
  }
  // The same data, but for the first dialogue of the test part, which has another label or text.
  std::string with_another_test() const {
    const std::string folder = dir.path("another"),
                      system = GetParam().system ? GetParam().system : "";
    if (system == "comprehend") {
      std::string questions = labelled_questions(12, false);  // the tenth one is for the test
      const size_t tenth = questions.find("What has", questions.find("\"id\":\"9\""));
      return dir.write("another/questions.json", questions.replace(tenth, 8, "What had"));
    }
    std::filesystem::copy(data(), folder);
    if (!system.empty()) {
      dir.write("another/test.jsonl", labelled_lines(system, 4, true));
      return folder;
    }
    LineReader lines(folder + "/test.jsonl.gz");
    std::string all;
    for (std::string_view line; lines.next(line);) all += std::string(line) + "\n";
    std::filesystem::remove(folder + "/test.jsonl.gz");
    const std::string text = "\"text\": \"";
    dir.write("another/test.jsonl", all.insert(all.find(text) + text.size(), "indeed "));
    return folder;
  }
  TensorMap weights(const std::string& run, int seed,
                    const std::string& file = "model.safetensors") const {
    return load_tensors(dir.path("out/" + run + "-seed" + std::to_string(seed) + "/" + file));
  }
  // How many tensors of one have other numbers in the other.
  static size_t differing(const TensorMap& a, const TensorMap& b) {
    size_t count = 0;
    for (const auto& [name, tensor] : a) count += tensor.to_vector() != b.at(name).to_vector();
    return count;
  }

  const TempDir dir;
};
INSTANTIATE_TEST_SUITE_P(Experiments, ExperimentSeeds, testing::ValuesIn(reproduced()),
                         [](const auto& row) { return std::string(row.param.name); });

// Runs of another test part would stand beside them in one table, though nothing else is other.
TEST_P(ExperimentSeeds, TrainOtherModelsForOneTestPart) {
  const Result r = reproduce(data());
  ASSERT_EQ(r.code, 0) << r.err;
  expect_failure(reproduce(with_another_test()), 2,
                 "on other data; take the same --data or another --out", GetParam().name);
  for (const std::string& run : GetParam().runs) {
    EXPECT_GT(differing(weights(run, 1), weights(run, 2)), 0u) << run;
  }
  // A tracker begins with the features of the heads of its own seed, and a reader with an encoder
  // of its own.
  if (GetParam().name == std::string("energy")) {
    for (const int seed : {1, 2}) {
      EXPECT_EQ(differing(weights("heads-again", seed, "init.safetensors"), weights("heads", seed)),
                0u)
          << seed;
    }
  }
  if (GetParam().name == std::string("comprehend")) {
    const char* const encoder = "encoder/model.safetensors";
    EXPECT_GT(differing(weights("turns-0", 1, encoder), weights("turns-0", 2, encoder)), 0u);
  }
}

// What runs read besides the dialogues is compared by its contents, as a path says nothing. There
// is one run, and it is of the other shard: a folder is begun, and nothing is trained.
TEST(ExperimentFiles, AFolderGoesOnWithTheSameContentsOnly) {
  const TempDir dir;
  const std::string file = dir.path("file");
  const auto refuses = [&](const std::string& experiment, const Arguments& own) {
    const Arguments command =
        Arguments{"reproduce", experiment, "--data",   kSample, "--out",   dir.path(experiment),
                  "--limit",   "40",       "--epochs", "1",     "--shard", "2/2"} +
        own;
    dir.write("file", "you 1 2\nthe 3 4\n");
    for (const char* time : {"first", "again"}) {
      const Result r = heed_program(command);
      EXPECT_EQ(r.code, 0) << experiment << " " << time << " " << r.err;
    }
    dir.write("file", "you 1 2\nthe 3 5\n");
    expect_failure(heed_program(command), 2, "on other data", experiment);
  };
  const Arguments vectors = {"--preset", "smoke", "--embeddings", file};
  refuses("mediation", vectors + Arguments{"--only", "static-ui-none"});
  refuses("history", vectors + Arguments{"--systems", "static-ui"});
  refuses("thred", {"--only", "thred", "--distance", kEncoder, "--dull", file});
}

TEST(ExperimentFiles, AFolderOfProbesGoesOnWithTheSameLabelsOnly) {
  const TempDir dir;
  const std::string data = labelled_data(dir, "retrieval");
  const auto reproduce = [&](const std::string& label_of_last) {
    for (const std::string part : {"train", "test"}) {
      std::string lines;
      for (const std::string id : {"0", "1", "2", "3"}) {
        const std::string label = id == "3" ? label_of_last : id == "0" ? "a" : "b";
        lines += R"({"id": ")" + id + R"(#3", "labels": {"Kind": [")" + label + "\"]}}\n";
      }
      dir.write("retrieval/" + part + ".labels.jsonl", lines);
    }
    return heed_program({"reproduce", "probes", "--data", data, "--out", dir.path("out"),
                         "--preset", "probe-smoke", "--only", "lstm", "--shard", "2/2"});
  };
  for (int time = 0; time < 2; ++time) {
    const Result r = reproduce("a");
    EXPECT_EQ(r.code, 0) << r.err;
  }
  expect_failure(reproduce("b"), 2, "on other data", "other labels");
}

}  // namespace
}  // namespace heed
