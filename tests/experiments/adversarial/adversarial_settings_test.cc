// The folder of an experiment on adversarial evaluation says what its runs are trained with.
#include "dialog/discriminate/task.h"
#include "experiments/adversarial/making_json.h"

#include "tests/dialog/settings_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

void open_with(const std::string& out, const AdversarialSettings& settings) {
  const auto& making = adversarial_making();
  open_folder(out, "adversarial", describe(making, settings, {}, {}), making.earlier(settings));
}

TEST(AdversarialFolder, RefusesAnotherValueOfAnySetting) {
  const TempDir dir;
  const std::string out = dir.path("out");
  const AdversarialSettings usual = {.train = discriminate::Runs::preset("smoke")};
  open_with(out, usual);
  open_with(out, usual);
  int refused = 0;
  for (const auto& [setting, train] : all_changes(usual.train)) {
    AdversarialSettings other = usual;
    other.train = train;
    const bool of_runs = setting.option.empty() || setting.of_variant || setting.option == "seed" ||
                         setting.option == "log-steps";
    const std::string error = error_of<UsageError>([&] { open_with(out, other); });
    EXPECT_EQ(error == "no error", of_runs) << setting.option << " " << error;
    refused += !of_runs;
  }
  EXPECT_GT(refused, 15);
}

// Older versions wrote down only what --help had then.
TEST(AdversarialFolder, OfAnOlderVersionIsOpened) {
  const TempDir dir;
  const std::string out = dir.path("out");
  AdversarialSettings settings = {.train = discriminate::Runs::preset("smoke")};
  settings.train.preset = "smoke";
  settings.train.vocabulary = 2005;
  dir.write("out/adversarial.json", R"({"format": 1, "heed": {}, "settings": {
      "preset": "smoke", "context": "2", "hidden": "32", "embed": "128", "vocab": "2005",
      "dropout": "0.1", "batch": "32", "epochs": "3", "rate": "0.003", "max-norm": "5.0",
      "limit": 0, "test-limit": 0, "responses": 500, "beam": 5, "max-length": 25,
      "device": "cpu", "matmul": "f32"}, "data": {}})");
  open_with(out, settings);
  settings.train.loop.optimizer.weight_decay = 0.1;
  EXPECT_EQ(error_of<UsageError>([&] { open_with(out, settings); }),
            out +
                ": holds an experiment with --weight-decay \"0.0\", "
                "not \"0.1\"; take the same settings or another --out");
}

// The folder of a run has the name of its classifier.
TEST(AdversarialFolder, RefusesTwoClassifiersOfOneName) {
  const auto taken = [](const std::string& data) {
    return error_of<UsageError>([&] {
      AdversarialSettings settings;
      adversarial_making().take(
          {.data = data,
           .discriminator = [] { return discriminate::Runs::preset("smoke"); },
           .refuse_given = [](const std::string&, const std::string&) {}},
          settings);
    });
  };
  EXPECT_EQ(taken("a/x,b/y-response-only"), "no error");
  EXPECT_EQ(taken("a/x,b/x-response-only"),
            "--data: two classifiers would be called 'x-response-only'; rename a folder");
  EXPECT_EQ(taken("together-response-only,x"),
            "--data: two classifiers would be called 'together-response-only'; rename a folder");
}

// --beam says how many hypotheses beam search has, and nothing of other ways to answer.
TEST(AdversarialSettings, RefuseWhatAppliesToAnotherDecoding) {
  for (const std::string decode : {"beam", "sample", "greedy"}) {
    AdversarialSettings settings;
    settings.decode_name = decode;
    settings.generator_paths = "runs/a";
    std::string refused;
    ExperimentRequest request{.data = "a/one"};
    request.discriminator = [] { return discriminate::Runs::preset("smoke"); };
    request.refuse_given = [&](const std::string& option, const std::string& is_for) {
      refused += option + " " + is_for;
    };
    adversarial_making().take(request, settings);
    EXPECT_EQ(refused, decode == "beam" ? "" : "--beam with --decode beam") << decode;
    EXPECT_EQ(settings.decode.method == DecodeOptions::Method::kSample, decode == "sample");
    EXPECT_EQ(settings.decode.method == DecodeOptions::Method::kBeam, decode == "beam");
  }
}

}  // namespace
}  // namespace heed
