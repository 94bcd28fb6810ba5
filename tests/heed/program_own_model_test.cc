// A program that adds a model of its own to heed (docs/add-a-model.md): all commands know it.
#include "tests/heed/program_data.h"

#ifdef HEED_HAVE_EXAMPLES  // the examples are built, too

namespace heed {
namespace {

using Json = nlohmann::json;

class OwnModel : public testing::Test {
 protected:
  std::string run(const std::string& arguments) const {
    const std::string said = dir.path("said"), command = std::string(kExamplesPath) +
                                                         "/own_model " + arguments + " > " + said +
                                                         " 2>&1 < /dev/null";
    const int status = std::system(command.c_str());
    return dir.read("said") + "exit " + std::to_string(WEXITSTATUS(status));
  }
  const TempDir dir;
};

TEST_F(OwnModel, IsTrainedMeasuredAndWrites) {
  const std::string model = dir.path("model"), data = " --data " + kSample;
  const std::string trained =
      run("train --structure bag-of-words --preset smoke --hidden 16 --layers 2 --limit 200 "
          "--insert-prob 0.7 --epochs 1 --threads 1 --out " +
          model + data);
  EXPECT_TRUE(has(trained, "bag-of-words, 2 layers x 16")) << trained;
  EXPECT_TRUE(has(trained, "done: the best model is in " + model)) << trained;
  EXPECT_EQ(Json::parse(dir.read("model/config.json"))["structure"], "bag-of-words");

  const std::string evaluated = run("evaluate --limit 20 --test none,random:1.0 --json " +
                                    dir.path("e.json") + " --model " + model + data);
  EXPECT_TRUE(evaluated.ends_with("exit 0")) << evaluated;
  const Json sets = Json::parse(dir.read("e.json"))["test_sets"];
  EXPECT_GT(sets["none"]["perplexity"], 1);
  EXPECT_GT(sets["random:1.0"]["das_ratio"], 0);

  const std::string written =
      run("respond --limit 5 --out " + dir.path("r.jsonl") + " --model " + model + data);
  EXPECT_TRUE(written.ends_with("exit 0")) << written;
  // heed itself does not know it, and says which ones it knows.
  const Result r = heed_program({"evaluate", "--model", model, "--limit", "5"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, "config.json: structure: expected one of non-hier, ")) << r.err;
  EXPECT_TRUE(has(r.err, "got 'bag-of-words'")) << r.err;
}

}  // namespace
}  // namespace heed

#else

TEST(OwnModel, NeedsTheExamples) {
  GTEST_SKIP() << "the examples are not built";
}

#endif
