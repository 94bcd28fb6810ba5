// heed reproduce: what no run could be trained with is refused before the folder is begun, or the
// folder would refuse the command without the mistake.
#include <filesystem>

#include "tests/heed/program_small_data.h"

namespace heed {
namespace {

struct Refused {
  const char* name;
  Arguments options;
  int code;
  std::string says;
};
void PrintTo(const Refused& r, std::ostream* out) {
  *out << r.name << " " << join(r.options);
}

const std::string kGroup = "group 'nosuch': no parameter of a ",
                  kGate = "gate: is for the structure ";

std::vector<Refused> refused() {
  const Arguments group = {"--group", "nosuch:1:1"}, gate = {"--gate", "logits"};
  const std::string trained = source_dir() + "/data/models/trained";
  std::vector<Refused> all;
  for (const char* name : {"distraction", "mediation", "probes"}) {
    all.push_back({name, group, 2, ": " + kGroup});
    all.push_back({name, gate, 2, ": " + kGate});
  }
  const Arguments history = {"--systems", "dynamic"};
  all.insert(
      all.end(),
      {{"history", history + group, 2, "dynamic: " + kGroup},
       {"history", history + gate, 2, "dynamic: " + kGate},
       {"history",
        {"--systems", "thred-topics", "--topics", "3", "--topics-file",
         source_dir() + "/README.md"},
        2,
        "--topics: are as many as --topics-file has lines"},
       // what is right for the first one only
       {"distraction", {"--bidirectional"}, 2, "static-p0: bidirectional: is for "},
       {"adversarial", Arguments{"--generators", trained} + group, 2,
        "no parameter for group 'nosuch'"},
       {"adversarial", {"--responses", "5"}, 2, "--responses: only applies with --generators"},
       {"probes",
        {"--attention-weight", "2"},
        2,
        "--attention-weight: only applies with turns that"},
       {"comprehend", {"--init", trained}, 1, "trained/config.json: "},
       {"thred", {"--distance", kSample}, 1, "ubuntu-sample: "}});
  return all;
}

class ExperimentSettings : public testing::TestWithParam<Refused> {
 protected:
  Result reproduce(const Arguments& more) const {
    const std::string name = GetParam().name;
    const std::string data = name == "comprehend" ? labelled_data(dir, name) : kSample;
    return heed_program(Arguments{"reproduce", name, "--data", data, "--out", dir.path("out"),
                                  "--limit", "40", "--threads", "1"} +
                        more);
  }
  const TempDir dir;
};
INSTANTIATE_TEST_SUITE_P(Refused, ExperimentSettings, testing::ValuesIn(refused()));

TEST_P(ExperimentSettings, AreRefusedBeforeAFolderIsBegun) {
  const Refused& r = GetParam();
  expect_failure(reproduce(r.options), r.code, r.says, r.name);
  EXPECT_FALSE(std::filesystem::exists(dir.path("out")));
}

// Vectors of two numbers, and embeddings of three.
TEST(ExperimentFiles, WordVectorsAreAsWideAsEmbeddings) {
  const TempDir dir;
  const Arguments command = {"reproduce",    "mediation",
                             "--data",       kSample,
                             "--out",        dir.path("out"),
                             "--limit",      "40",
                             "--only",       "static-none",
                             "--preset",     "smoke",
                             "--embed",      "3",
                             "--embeddings", dir.write("file", "you 1 2\nthe 3 4\n")};
  expect_failure(heed_program(command), 1, "vectors of 2 numbers; the model's embeddings have 3",
                 "--embed 3");
  EXPECT_FALSE(std::filesystem::exists(dir.path("out")));
}

}  // namespace
}  // namespace heed
