// The file of heed sweep as a user writes it.
#include "tests/experiments/sweep/sweep_helpers.h"

namespace heed {
namespace {

// The example of the documentation, in its own folder.
TEST(SweepFile, TheExampleIsOne) {
  const TempDir dir;
  std::filesystem::create_directory_symlink(source_dir() + "/data", dir.path("data"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path(""));
  const Result r = heed_program({"sweep", source_dir() + "/examples/sweep.toml", "--out",
                                 dir.path("out"), "--dry-run", "--threads", "1"});
  std::filesystem::current_path(before);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "rate0.003-insert-prob0.7-seed2")) << r.out;
  EXPECT_TRUE(has(r.out, "8 runs; about ")) << r.out;
}

TEST(SweepFile, MistakesNameTheirLine) {
  const TempDir dir;
  const auto fails = [&](const std::string& text, const std::string& says, int code = 2) {
    const std::string path = dir.write("bad.toml", text);
    expect_failure(heed_program(sweep_command(path, dir.path("out"))), code,
                   has(says, "bad.toml") || has(says, "two.txt") ? says : path + says, text);
    EXPECT_FALSE(std::filesystem::exists(dir.path("out")));
  };
  const std::string data = "[train]\ndata = \"" + kSample + "\"\n";
  fails("[train]\npreset = \"smoke\"\n", ": [train] has no data");
  fails(data + "[gird]\n", ":3: [gird]: a sweep has the sections [train], [grid] and [sweep]");
  fails("rate = 3\n", ":1: \"rate\": a sweep has");
  fails(data + "[grid]\nrat = [1, 2]\n", ":4: [grid] has no \"rat\"; did you mean \"rate\"?");
  fails(data + "out = \"x\"\n", ":3: [train] has no \"out\"");
  fails(data + "seed = 3\n", ":3: [train] has no \"seed\"");
  fails(data + "[grid]\ndata = [\"a\", \"b\"]\n", ":4: [grid] has no \"data\"");
  fails(data + "[grid]\nrate = [0.1, \"fast\"]\n", ":4: --rate: expected a number");
  fails(data + "[grid]\nrate = [0.1,\n  -1]\n", ":4: ");
  fails(data + "[grid]\nrate = [\n  0.1]\n",
        ":4: a list begins with a value in the line of its key");
  fails(data + "[grid]\nstructure = [\"static\", \"statik\"]\n", ":4: ");
  fails(data + "hidden = 0\n", ":3: --hidden: expected a whole number");
  fails(data + "rate = 1\n[grid]\nrate = [1, 2]\n", ":5: rate stands in [train] already, line 3");
  fails(data + "[grid]\nrate = [1, 2]\nrate = [3]\n", ":5: rate stands in line 4 already");
  fails(data + "[grid]\nrate = [1, 1]\n", ": grid: rate has a value twice");
  fails(data + "[grid]\nrate = []\n", ":4: rate: has no value");
  fails(data + "[sweep]\nseeds = 0\n", ":4: seeds: expected a whole number from 1 to 10000");
  fails(data + "[sweep]\nseeds = [1, 2]\n", ":4: seeds: takes one value, got 2");
  fails(data + "[sweep]\ntest = \"randon\"\n", ":4: ");
  fails(data + "[sweep]\ntest-seed = 2\n", ":4: test-seed: only applies with test");
  fails(data + "[sweep]\ntest-limit = 2\n", ":4: test-limit: only applies with test");
  fails(
      data + "embed = 3\nlimit = 40\nembeddings = \"" + dir.write("two.txt", "you 1 2\n") + "\"\n",
      dir.path("two.txt") + ": vectors of 2 numbers; the model's embeddings have 3", 1);
  fails(data + "[sweep]\nbest = \"none\"\n", ":4: best: expected valid_perplexity or one of");
  fails(data + "[sweep]\nbest = [\"valid_perplexity\", \"none\"]\n",
        ":4: best: takes one value, got 2");
  fails("[train]\ndata = [\"a\", \"b\"]\n", ":2: data: takes one value, got 2");
  fails(data + "structure = \"lstm\"\nattention-weight = 2\n",
        ":3: --attention-weight: lstm has no attention scores for a loss to act on");
  fails(data + "tokens = \"bpe\"\nmin-count = 2\n",
        ":3: --min-count: only applies with --tokens words");
  fails(data + "[grid]\nheads = [2, 4]\n",
        ":4: --heads: only applies with --structure transformer");
  fails(data + "heads = 2\nrate = 1\n", ":3: --heads: only applies with --structure transformer");
  fails(data + "batch = 0\nhidden = 0\n", ":3: ");
  fails(data + "[grid]\nheads = [2, 4]\nstructure = [\"transformer\", \"static\"]\n",
        ":4: --heads: only applies with --structure transformer");
  dir.write("bad.toml", "[train]\ndata = \"nowhere\"\n");
  expect_failure(heed_program(sweep_command(dir.path("bad.toml"), dir.path("out"))), 1,
                 "nowhere: not a", "data");
  fails(std::string("[train\0]\n", 9), "bad.toml");
  expect_failure(heed_program(sweep_command(dir.path("missing.toml"), dir.path("out"))), 1,
                 "missing.toml", "missing");
}

// Word vectors are compared by their contents, as a path says nothing; and the table of a sweep,
// whose name is sweep, does not take the place of its description.
TEST(SweepFolder, IsOfOneDescription) {
  const TempDir dir;
  const std::string vectors = dir.write("vectors.txt", "you 1 2\nthe 3 4\n");
  const Arguments sweep =
      sweep_command(dir.write("sweep.toml", "[train]\ndata = \"" + kSample +
                                                "\"\npreset = \"smoke\"\nlimit = 40\n"
                                                "epochs = 1\nembeddings = \"" +
                                                vectors + "\"\n"),
                    dir.path("out")) +
      Arguments{"--shard", "2/2"};  // one run, of the other shard: a folder is begun
  for (const char* time : {"first", "again"}) {
    const Result r = heed_program(sweep);
    EXPECT_EQ(r.code, 0) << time << r.err;
  }
  const std::string tables = dir.path("out"), description = dir.read("out/sweep.json");
  expect_failure(heed_program({"report", tables, "--tables", tables}), 2,
                 "--tables " + tables + ": holds sweep.json, which describes runs", "tables");
  EXPECT_EQ(dir.read("out/sweep.json"), description);
  dir.write("vectors.txt", "you 1 2\nthe 3 5\n");
  expect_failure(heed_program(sweep), 2, "holds a sweep on other data", "vectors");
}

}  // namespace
}  // namespace heed
