// Whatever the program is given that it cannot use: one line on standard error, exit code 2 for
// options that make no sense and 1 for files and devices, and nothing half written.
#include <filesystem>

#include "tests/devices.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct Bad {
  Arguments arguments;
  const char* says;
};

TEST(Usage, OptionsThatMakeNoSense) {
  const Arguments score = score_with(kModel, kDialogs),
                  evaluate = {"evaluate", "--model", kModel,  "--data",
                              kDialogs,   "--pool",  kDialogs},
                  verify = {"verify", kModel}, bench = {"bench", "--steps", "1"};
  const std::vector<Bad> cases = {
      {{"tarin"}, "tarin"},
      {{"--frobnicate"}, "frobnicate"},
      {{"score"}, "--model is required"},
      {{"train", "--data", kSample}, "--out is required"},
      {{"verify"}, "cases is required"},
      {score + Arguments{"--frobnicate", "3"}, "--frobnicate"},
      {score + Arguments{"more"}, "more"},
      {score + Arguments{"--batch"}, "--batch"},
      {score + Arguments{"--batch", "0"},
       "--batch: expected a whole number from 1 to 1000000, got '0'"},
      {score + Arguments{"--batch", "-4"},
       "--batch: expected a whole number from 1 to 1000000, got '-4'"},
      {score + Arguments{"--batch", "four"}, "four"},
      {score + Arguments{"--batch", "1e3"}, "1e3"},
      {score + Arguments{"--batch", "99999999999999999999"}, "99999999999999999999"},
      {score + Arguments{"--model", kModel}, "--model"},
      {score + Arguments{"--threads", "-1"}, "--threads"},
      {score + Arguments{"--threads", "100000"}, "--threads"},
      {score + Arguments{"--seed", "-1"}, "--seed"},
      {score + Arguments{"--seed", "1.5"}, "--seed"},
      {score + Arguments{"--device", "xyz"}, "xyz"},
      {score + Arguments{"--device", ""}, "device"},
      {score + Arguments{"--matmul", "f16"}, "f16"},
      {score + Arguments{"--matmul", "tf32"}, "--matmul tf32 only applies with --device cuda"},
      {score + Arguments{"--device", "cuda:x"}, "cuda:x"},
      {evaluate + Arguments{"--limit", "-1"}, "--limit"},
      {evaluate + Arguments{"--batch", "0"}, "--batch: expected"},
      {{"features", "--model", kModel, "--data", kSample, "--out", "x", "--batch", "0"},
       "--batch: expected a whole number from 1 to 1000000, got '0'"},
      {evaluate + Arguments{"--test", "often"}, "unknown test set \"often\""},
      {evaluate + Arguments{"--test", "random:2"}, "random:2"},
      {evaluate + Arguments{"--test", "rare:top"}, "rare:top"},
      {verify + Arguments{"--dtype", "f16"}, "f16"},
      {bench + Arguments{"--structure", "x"}, "--structure: expected non-hier, static, "},
      {bench + Arguments{"--batch", "0"}, "--batch"},
      {bench + Arguments{"--steps", "0"}, "--steps"},
      {bench + Arguments{"--hidden", "0"}, "--hidden: expected a whole number from 1"},
      {bench + Arguments{"--vocab", "5"}, "--vocab: expected a whole number from 6"},
      {bench + Arguments{"--embed", "10000000", "--hidden", "10000000"}, "GiB"},
      {bench + Arguments{"--layers", "10000000"}, "GiB"},
      {bench + Arguments{"--dropout", "1"}, "dropout"},
  };
  for (const Bad& bad : cases) {
    expect_failure(heed_program(bad.arguments), 2, bad.says, join(bad.arguments));
  }
}

// A training that is refused leaves no run behind that a second try would stumble over.
TEST(Usage, TrainingsThatMakeNoSense) {
  const std::vector<Bad> cases = {
      {{"--structure", "tree"}, "--structure: expected non-hier, static, "},
      {{"--preset", "huge"},
       "--preset: expected paper, laptop, demo, smoke, probe-paper, probe-tuned, probe-smoke, "
       "generator-paper, generator-smoke, explain-paper, explain-smoke, hredgan-paper, "
       "thred-paper, keywords-paper or expressive-paper"},
      {{"--preset", "generator-smoke"},
       "--preset generator-smoke: is for --structure non-hier, not static-ui"},
      {{"--hidden", "100000000"}, "--hidden: expected a whole number from 1 to 16777216"},
      {{"--hidden", "1000000"}, "GiB"},
      {{"--hidden", "0"}, "--hidden"},
      {{"--hidden", "-8"}, "--hidden"},
      {{"--layers", "0"}, "--layers"},
      {{"--layers", "16000000"}, "GiB"},
      {{"--embed", "0"}, "--embed"},
      {{"--vocab", "1"}, "--vocab"},
      {{"--vocab", "0"}, "--vocab"},
      {{"--batch", "0"}, "--batch: expected"},
      {{"--batch", "-1"}, "--batch: expected"},
      {{"--dropout", "1"}, "dropout"},
      {{"--dropout", "-0.5"}, "dropout"},
      {{"--dropout", "nan"}, "dropout"},
      {{"--epochs", "0"}, "--epochs: expected a whole number from 1 to 1000000"},
      {{"--epochs", "-3"}, "--epochs: expected a whole number from 1 to 1000000"},
      {{"--epochs", "many"}, "many"},
      {{"--examples", "some"}, "some"},
      {{"--max-turns", "1"}, "turns"},
      {{"--max-turns", "-1"}, "turns"},
      {{"--min-turns", "1"}, "--min-turns: the turns of a dialogue must be at least 2, got 1"},
      {{"--max-context", "1"}, "--max-context: the tokens of a context"},
      {{"--group", "lstm:inf:0"}, "--group: expected NAME:RATE:DECAY"},
      {{"--rate-decay", "inverse-sqrt"}, "inverse-sqrt needs a warm-up"},
      {{"--max-utterance", "-1"}, "tokens of an utterance"},
      {{"--max-response", "-1"}, "tokens of a response"},
      {{"--limit", "-1"}, "--limit"},
      {{"--insert-prob", "1.5"}, "--insert-prob"},
      {{"--insert-prob", "-0.1"}, "--insert-prob"},
      {{"--insert-prob", "nan"}, "insert"},
      {{"--attention-weight", "-1"}, "--attention-weight"},
      {{"--attention-weight", "inf"}, "attention"},
      {{"--rate", "0"}, "--rate: expected a number above 0"},
      {{"--rate", "-1"}, "--rate: expected a number above 0"},
      {{"--rate", "nan"}, "--rate: expected a number above 0"},
      {{"--max-norm", "0"}, "--max-norm"},
      {{"--patience", "-1"}, "patience >= 0"},
      {{"--min-rate", "-1"}, "min_rate >= 0"},
      {{"--min-rate", "10"}, "min_rate: is above the rate"},
      {{"--halve-after", "-1"}, "halve_after >= 0"},
  };
  for (const Bad& bad : cases) {
    const TempDir dir;
    const std::string out = dir.path("run");
    const Arguments command = {"train", "--data", kSample, "--out", out};
    const Arguments limit = {"--limit", "20"};
    const bool own_limit = bad.arguments[0] == "--limit";
    expect_failure(heed_program(command + bad.arguments + (own_limit ? Arguments{} : limit)), 2,
                   bad.says, join(bad.arguments));
    EXPECT_FALSE(fs::exists(out + "/settings.json")) << join(bad.arguments);
    EXPECT_FALSE(fs::exists(out + "/config.json")) << join(bad.arguments);
  }
}

TEST(Device, ThatIsNotThere) {
  for (const char* device : {"cuda", "cuda:0", "cuda:99"}) {
    if (has_cuda() && std::string(device) != "cuda:99") continue;
    expect_failure(heed_program(score_with(kModel, kDialogs) + Arguments{"--device", device}), 1,
                   "cuda", device);
  }
}

// ---- data ---------------------------------------------------------------------------------------

const std::string kGood = R"({"turns": [{"text": "a"}, {"text": "b"}, {"text": "c"}]})"
                          "\n";

std::vector<std::pair<std::string, std::string>> bad_dialogues() {
  const std::string whole = gzip(kGood + kGood);
  return {{"empty", ""},
          {"blank", "\n\n"},
          {"cut", kGood + kGood.substr(0, 20)},
          {"not JSON", "hello\n"},
          {"a list", "[]\n"},
          {"no turns", "{}\n"},
          {"turns that are none", R"({"turns": 3})"
                                  "\n"},
          {"no turn", R"({"turns": []})"
                      "\n"},
          {"no text", R"({"turns": [{"speaker": "A"}]})"
                      "\n"},
          {"a text that is none", R"({"turns": [{"text": 7}]})"
                                  "\n"},
          {"dialogues that are too short", R"({"turns": [{"text": "a"}, {"text": "b"}]})"
                                           "\n"},
          {"binary", std::string("\x7f"
                                 "ELF\0\1\2\xff\xfe\n",
                                 10)},
          {"UTF-16", std::string("\xff\xfe{\0\n\0", 6)},
          {"not UTF-8", "{\"turns\": [{\"text\": \"\xc3\x28\"}, {\"text\": \"b\"}]}\n"},
          {"deep", std::string(100000, '[') + "\n"},
          {"cut gzip", whole.substr(0, whole.size() / 2)},
          {"damaged gzip", whole.substr(0, 12) + "xxxx" + whole.substr(16)},
          {"gzip and more", whole + "more"}};
}

TEST(Data, FilesOfDialogues) {
  const TempDir dir;
  for (const auto& [what, bytes] : bad_dialogues()) {
    const std::string data = dir.write("data.jsonl", bytes), json = dir.path("out.json");
    const Arguments output = {"--json", json};
    expect_failure(heed_program(score_with(kModel, data) + output), 1, data, what);
    expect_failure(heed_program({"evaluate", "--model", kModel, "--data", data, "--json", json,
                                 "--test", "none"}),
                   1, data, what);
    EXPECT_FALSE(fs::exists(json)) << what;
    if (what == "dialogues that are too short") continue;  // good enough to draw from
    expect_failure(heed_program({"evaluate", "--model", kModel, "--data", kDialogs, "--json", json,
                                 "--test", "random:1.0", "--pool", data}),
                   1, data, "pool: " + what);
    EXPECT_FALSE(fs::exists(json)) << what;
  }
  for (const std::string& path :
       {dir.path("missing.jsonl"), dir.path(""), std::string("/dev/null")}) {
    expect_failure(heed_program(score_with(kModel, path)), 1, path, "path '" + path + "'");
  }
}

TEST(Data, DirectoriesToTrainOn) {
  for (const auto& [what, bytes] : bad_dialogues()) {
    for (const std::string part : {"train", "valid"}) {
      const TempDir dir;
      dir.write("data/train.jsonl", kGood);
      dir.write("data/valid.jsonl", kGood);
      dir.write("data/" + part + ".jsonl", bytes);
      expect_failure(heed_program({"train", "--preset", "smoke", "--data", dir.path("data"),
                                   "--out", dir.path("run")}),
                     1, dir.path("data"), part + ": " + what);
      EXPECT_FALSE(fs::exists(dir.path("run/settings.json"))) << what;
    }
  }
  const TempDir dir;
  dir.write("data/train.jsonl", kGood);
  for (const char* data : {"data", "missing", "data/train.jsonl"}) {
    expect_failure(heed_program({"train", "--data", dir.path(data), "--out", dir.path("run")}), 1,
                   dir.path(data), data);
  }
}

TEST(Options, ThatWouldDoNothingAreRefused) {
  const TempDir dir;
  expect_failure(heed_program(tiny_training(dir.path("run")) + Arguments{"--heads", "4"}), 2,
                 "--heads: only applies with --structure transformer", "heads");
  const auto refused = [&](const Arguments& options, const std::string& message) {
    expect_failure(heed_program(tiny_training(dir.path("run")) + options), 2, message, message);
  };
  refused({"--structure", "lstm", "--attention-loss", "mass"},
          "--attention-loss: there is none, as lstm has no attention scores");
  refused({"--attention-weight", "0", "--attention-loss", "mass"},
          "--attention-loss: there is none, as --attention-weight is 0");
  refused({"--distractions", "own"}, "--distractions: there are none, as --insert-prob is 0");
  refused({"--structure", "transformer", "--embed", "6"},
          "--embed: the embeddings of a transformer are as wide as --hidden");
  expect_failure(heed_program({"evaluate", "--model", "m", "--data", kSample, "--per-example"}), 2,
                 "--per-example: needs --json", "per-example");
}

}  // namespace
}  // namespace heed
