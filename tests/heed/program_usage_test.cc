// What the program says to people who mistype, and its help.
#include <regex>

#include "heed/usage.h"
#include "tests/heed/options_helpers.h"

namespace heed {
namespace {

// The whole line on standard error.
void expect_line(const Arguments& arguments, const std::string& line) {
  const Result r = heed_program(arguments);
  EXPECT_EQ(r.code, 2) << join(arguments);
  EXPECT_EQ(r.err, "heed: " + line + "\n");
  EXPECT_EQ(r.out, "");
}

const std::string kCommands =
    "; there are: train, evaluate, score, show, chat, respond, generate, compare, distract, "
    "features, probe, import, encode, export, rank, ask, rewrite, carry, track, judge, "
    "discriminate, adversary, info, log, plot, "
    "watch, diff, prepare, "
    "reproduce, "
    "report, sweep, verify, bench, help";

TEST(Usage, AWordThatIsNoCommand) {
  const auto fails = [](const std::string& word, const std::string& meant) {
    expect_line({word}, "there is no command '" + word + "'" + meant + " (see heed --help)");
  };
  fails("tran", "; did you mean 'train'?");
  fails("tarin", "; did you mean 'train'?");
  fails("eval", "; did you mean 'evaluate'?");
  fails("frobnicate", kCommands);
  const std::string ubunto =
      "there is no command 'prepare ubunto'; did you mean 'ubuntu'? (see heed prepare --help)";
  expect_line({"prepare", "ubunto"}, ubunto);
  expect_line({"prepare", "ubunto", "--in", "x"}, ubunto);
  expect_line(
      {"prepare", "xyzzy"},
      "there is no command 'prepare xyzzy'; there are: text, csv, ubuntu, reverse, speakers, "
      "messages, "
      "dailydialog, personachat, multiwoz, sgd, woz, mutual, rewriting, gaps, intents, split, "
      "labels, carryover, because, pairs (see heed prepare --help)");
  expect_failure(heed_program({"help", "tran"}), 2, "'tran'; did you mean 'train'?", "help");
  expect_failure(heed_program({"help", "frobnicate"}), 2, "'frobnicate'" + kCommands + "\n",
                 "help");
}

TEST(Usage, NoWordAtAll) {
  const Result alone = heed_program({});  // more in program_bundled_test.cc
  EXPECT_EQ(alone.code, 2);
  EXPECT_TRUE(has(alone.err, "\n  heed train --data ")) << alone.err;
  EXPECT_EQ(alone.out, "");
  expect_line({"--"},
              "which command? To begin: heed train --data data/ubuntu-sample --out runs/first "
              "--preset smoke (see heed --help)");
  expect_failure(heed_program({"prepare"}), 2, "heed prepare needs one of: ", "prepare");
}

TEST(Usage, AnOptionThatIsNone) {
  const std::string train = " (see heed train --help)", score = " (see heed score --help)";
  expect_line({"train", "--dat", "X", "--out", "Y"},
              "heed train has no option --dat; did you mean --data?" + train);
  expect_line({"train", "--data", "X", "--limt=10", "--out", "Y", "--foo", "3"},
              "heed train has no option --limt, --foo; did you mean --limit?" + train);
  expect_line({"train", "--learning-rate", "2"},
              "heed train has no option --learning-rate; did you mean --rate?" + train);
  expect_line({"train", "--insert-probability", "2"},
              "heed train has no option --insert-probability; did you mean --insert-prob?" + train);
  expect_line(score_with("m", "d") + Arguments{"--frobnicate"},
              "heed score has no option --frobnicate" + score);
  expect_line({"train", "D", "runs/x"}, "unexpected: runs/x" + train);
  expect_line({"score", "D", "runs/x"},
              "unexpected: D runs/x; every value must follow its option" + score);
  expect_line({"--seed", "3", "train"},
              "--seed must follow the command, as in heed train --seed" + train);
  expect_line({"--frobnicate"}, "there is no option --frobnicate (see heed --help)");
  expect_line({"train", "--data"}, "--data: its value is missing" + train);
  expect_line({"prepare", "ubuntu", "--in", "x"},
              "--out is required (see heed prepare ubuntu --help)");
}

TEST(Usage, ANumberThatIsNone) {
  const std::string train = " (see heed train --help)";
  const auto fails = [&](const std::string& option, const std::string& value,
                         const std::string& expected) {
    expect_line({"train", "--data", "D", "--out", "O", option, value},
                option + ": expected " + expected + ", got '" + value + "'" + train);
  };
  fails("--insert-prob", "70%", "a number from 0 to 1");
  fails("--insert-prob", "nan", "a number from 0 to 1");
  fails("--hidden", "0", "a whole number from 1 to 16777216");
  fails("--vocab", "1", "a whole number from 6 to 10000000");
  fails("--threads", "-1", "a whole number from 0 to 1024");
  fails("--seed", "-1", "a whole number from 0 on");
  fails("--epochs", "1.5", "a whole number from 1 to 1000000");
  fails("--min-rate", "fast", "a number");
  fails("--rate", "fast", "a number above 0");
  fails("--max-norm", "0", "a number above 0");
  fails("--attention-weight", "-1", "a number from 0 on");
}

// What a library says of a setting is said of the option. A file may have an option's name.
TEST(Usage, WhatACommandRefusesIsNamedAsItWasTyped) {
  CLI::App app;
  CLI::App* command = app.add_subcommand("work");
  std::string lists, out, folder;
  command->add_option("--lists", lists);
  command->add_option("--out", out);
  command->add_option("folder", folder);
  app.parse("work --lists stride:1 --out out here", false);
  const auto says = [&](const char* text) { return usage_message(app, UsageError(text)); };
  EXPECT_EQ(says("lists: expected more"), "--lists: expected more");
  EXPECT_EQ(says("--lists: expected more"), "--lists: expected more");
  EXPECT_EQ(says("out: holds another one"), "out: holds another one");
  EXPECT_EQ(says("folder: has no file"), "folder: has no file");
  EXPECT_EQ(says("of no option"), "of no option");
  app.parse("work --out lists here", false);
  EXPECT_EQ(says("lists: ranks nothing"), "lists: ranks nothing");
}

TEST(Usage, OptionsThatWouldDoNothingAreNotThere) {
  expect_failure(heed_program({"report", "--runs", "r", "--device", "cuda"}), 2,
                 "heed report has no option --device", "report");
  expect_failure(heed_program({"prepare", "ubuntu", "--in", "a", "--out", "b", "--seed", "1"}), 2,
                 "--seed requires --split", "prepare");
  expect_failure(heed_program({"distract", "--data", "d", "--out", "o", "--threads", "1"}), 2,
                 "heed distract has no option --threads", "distract");
  expect_failure(heed_program(score_with("m", "d") + Arguments{"--seed", "1"}), 2,
                 "heed score has no option --seed", "score");
}

// ---- help ---------------------------------------------------------------------------------------

// "prepare ubuntu"
const CLI::App& command_of(const CLI::App& app, const std::string& name) {
  const CLI::App* command = &app;
  std::istringstream words(name);
  for (std::string word; words >> word;) command = command->get_subcommand(word);
  return *command;
}

// What --help says of it; no process is needed for that.
std::string help_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return command.help(parent ? full_name(*parent) : "");
}

TEST(Help, NamesEveryCommand) {
  const Result r = heed_program({"--help"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "");
  EXPECT_EQ(r.out.rfind("heed trains models that respond", 0), 0u) << r.out;
  for (const char* command :
       {"train",    "evaluate", "score",    "show",    "chat",  "respond",      "generate",
        "distract", "compare",  "features", "probe",   "judge", "discriminate", "adversary",
        "info",     "log",      "plot",     "watch",   "diff",  "prepare",      "reproduce",
        "report",   "sweep",    "verify",   "bench",   "help",  "import",       "encode",
        "export",   "rank",     "ask",      "rewrite", "carry", "track"}) {
    EXPECT_TRUE(has(r.out, std::string("  ") + command + " ")) << command;
  }
  EXPECT_EQ(heed_program({"help"}).out, r.out);
}

TEST(Help, OfACommandNamesEveryOption) {
  const Arguments device = {"threads", "device", "matmul"};
  const std::vector<std::pair<std::string, Arguments>> commands = {
      {"train", Arguments{"data",         "out",
                          "resume",       "structure",
                          "insert-prob",  "preset",
                          "layers",       "attention-weight",
                          "hidden",       "embed",
                          "vocab",        "batch",
                          "dropout",      "epochs",
                          "examples",     "max-turns",
                          "min-turns",    "max-context",
                          "speaker",      "rate-decay",
                          "max-response", "max-utterance",
                          "limit",        "rate",
                          "max-norm",     "patience",
                          "min-rate",     "halve-after",
                          "seed",         "detect-anomaly",
                          "log-steps",    "checkpoint-every",
                          "ranks",        "pieces"} +
                    device},
      {"evaluate",
       Arguments{"model", "data", "pool", "test", "json", "batch", "limit", "frequent", "rare",
                 "seed", "examples", "max-turns", "max-utterance", "max-response", "max-context",
                 "min-turns", "speaker", "per-example", "ranks"} +
           device},
      {"reproduce", Arguments{"data",       "out",        "preset",     "jobs",
                              "only",       "shard",      "seeds",      "checkpoint-every",
                              "dead-after", "layers",     "hidden",     "epochs",
                              "limit",      "test-limit", "max-length", "frequent",
                              "rare",       "seed",       "ranks",      "pieces"} +
                        device},
      {"reproduce probes", Arguments{"data",       "out",      "preset",    "jobs",
                                     "only",       "shard",    "seeds",     "checkpoint-every",
                                     "dead-after", "hidden",   "limit",     "test-limit",
                                     "readings",   "max-iter", "responses", "max-length",
                                     "keep-every", "seed",     "ranks",     "pieces"} +
                               device},
      {"reproduce adversarial", Arguments{"data",       "generators", "out",
                                          "preset",     "jobs",       "only",
                                          "shard",      "seeds",      "checkpoint-every",
                                          "dead-after", "context",    "hidden",
                                          "embed",      "vocab",      "batch",
                                          "dropout",    "epochs",     "rate",
                                          "limit",      "test-limit", "responses",
                                          "beam",       "max-length", "seed",
                                          "ranks",      "pieces"} +
                                    device},
      {"report", {"runs", "html", "tables"}},
      {"sweep",
       Arguments{"out", "jobs", "shard", "dry-run", "checkpoint-every", "dead-after"} + device},
      {"prepare ubuntu",
       {"in", "out", "form", "limit", "min-turns", "keep-wrong", "split", "valid", "test", "seed"}},
      {"prepare labels", {"in", "out", "location-buckets", "recent", "repeat"}},
      {"prepare multiwoz", {"in", "out", "limit", "min-turns", "split", "valid", "test", "seed"}},
      {"prepare text", {"in", "out", "layout", "gap", "limit", "min-turns"}},
      {"prepare csv", {"in", "out", "text", "speaker", "dialogue", "limit", "min-turns"}},
      {"prepare split", {"in", "out", "by", "valid", "test", "seed"}},
      {"score", Arguments{"model", "data", "json", "batch", "dtype", "limit", "examples",
                          "max-turns", "max-utterance", "max-response", "attention"} +
                    device},
      {"show",
       Arguments{"model", "data", "seed", "limit", "max-turns", "max-utterance", "max-response"} +
           device},
      {"respond",
       {"model", "data", "out", "json", "limit", "decode", "taught", "max-length", "beam-size"}},
      {"generate",
       {"model", "data", "out", "json", "limit", "decode", "leave-out", "max-length", "beam"}},
      {"adversary",
       Arguments{"model", "discriminator", "data", "out", "resume", "epochs", "rate", "max-norm",
                 "batch", "limit", "generator-steps", "discriminator-steps", "teacher-forcing",
                 "max-length", "checkpoint-every", "seed"} +
           device},
      {"distract", {"data", "out", "test", "pool", "json", "limit", "max-turns", "seed"}},
      {"compare", {"data", "test", "pool", "json", "limit", "max-turns"}},
      {"features",
       Arguments{"model", "data", "out", "epoch", "pool", "limit", "batch", "ranks"} + device},
      {"probe",
       Arguments{"features", "model", "data", "epoch", "pool", "limit", "batch", "tasks", "probe",
                 "standardise", "max-iter", "controls", "eval-part", "json", "seed"} +
           device},
      {"import", {"out"}},
      {"encode", Arguments{"model", "in", "out", "max-pieces"} + device},
      {"export", {"model", "out"}},
      {"rank baseline", Arguments{"data", "train", "model", "limit", "lists", "examples", "context",
                                  "min-turns", "mean-length", "filter", "out", "json", "seed"} +
                            device},
      {"rank scores", {"learn-none", "without-right", "json", "seed"}},
      {"rank keep", Arguments{"model", "pool"} + device},
      {"track", Arguments{"data", "limit", "out", "json", "batch"} + device},
      {"judge export", Arguments{"model", "items", "a", "b", "pairs", "data", "limit", "out", "key",
                                 "checks", "json", "batch", "decode", "seed"} +
                           device},
      {"judge score",
       {"judgements", "key", "predictions", "pass", "least", "most", "json", "seed"}},
      {"judge ties", {"judgements", "key", "samples", "size", "failures", "json", "seed"}},
      {"judge simulate",
       {"items", "annotators", "error-real", "error-fake", "shared", "out", "key", "seed"}},
      {"discriminate train",
       Arguments{"data", "out", "negatives", "preset", "context", "response-only", "limit",
                 "resume", "checkpoint-every", "hidden", "embed", "vocab", "batch", "dropout",
                 "epochs", "rate", "seed"} +
           device},
      {"discriminate test",
       Arguments{"model", "data", "negatives", "responses", "controls", "response-only-run",
                 "limit", "batch", "json", "html", "predictions", "seed"} +
           device},
      {"chat", Arguments{"model", "seed", "web", "port"} + device},
      {"info", {"json", "card"}},
      {"log", {"steps", "csv", "jsonl", "tensorboard"}},
      {"plot", {"metric", "steps", "log-scale", "smooth", "svg"}},
      {"watch", {"every"}},
      {"diff", {"json"}},
      {"verify", Arguments{"dtype", "json"} + device},
      {"bench", Arguments{"structure", "batch", "embed", "hidden", "layers", "vocab", "dropout",
                          "steps", "lengths", "seed"} +
                    device}};
  const std::unique_ptr<CLI::App> app = make_app();
  for (const auto& [name, options] : commands) {
    const std::string text = help_of(command_of(*app, name));
    for (const std::string& option : options) {
      EXPECT_TRUE(std::regex_search(text, std::regex("\n  --" + option + "( |\n)")))
          << name << " --" << option << "\n"
          << text;
    }
  }
}

// The program prints what the other tests of help read from the commands themselves, and a command
// answers to either order of the words.
TEST(Help, IsPrinted) {
  const std::unique_ptr<CLI::App> app = make_app();
  for (const std::string name : {"train", "prepare", "prepare ubuntu", "reproduce probes"}) {
    std::istringstream words(name);
    const Arguments command(std::istream_iterator<std::string>(words), {});
    const Result r = heed_program(command + Arguments{"--help"});
    EXPECT_EQ(r.code, 0) << name;
    EXPECT_EQ(r.err, "") << name;
    EXPECT_EQ(r.out, help_of(command_of(*app, name))) << name;
    EXPECT_EQ(heed_program(Arguments{"help"} + command).out, r.out) << name;
  }
}

// First what the command is for, then what it needs, and the device last.
TEST(Help, SaysTheImportantThingsFirst) {
  const std::string text = heed_program({"train", "--help"}).out;
  size_t last = 0;
  for (const char* part :
       {"Train a model on dialogues", "\nUsage: heed train --out PATH [OPTIONS]\n",
        "\nRequired:\n  --out PATH", "\n  --data PATH", "\n  --structure NAME", "\nGeneral:\n",
        "\n  --device NAME", "\nExample", "\n  heed train --data "}) {
    const size_t at = text.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << "\n" << text;
    last = at;
  }
  EXPECT_TRUE(has(text, "(0 to 1; default 0)")) << text;
  EXPECT_TRUE(has(text, "--matmul f32|tf32|bf16"));
  const std::string prepare = heed_program({"prepare", "--help"}).out;
  EXPECT_TRUE(has(prepare, "\n  heed prepare split --in ")) << prepare;
  EXPECT_FALSE(has(prepare, "heed train")) << prepare;
}

TEST(Help, OfTrainTellsThePresets) {
  const std::string text = heed_program({"train", "--help"}).out;
  for (const char* preset :
       {"smoke: 1 layer x 64, vocabulary 2000, ", "laptop: 2 layers x 256, vocabulary 10000, ",
        "paper: 4 layers x 512"}) {
    EXPECT_TRUE(has(text, preset)) << text;
  }
}

TEST(Help, FitsTheTerminal) {
  const std::unique_ptr<CLI::App> app = make_app();
  std::vector<const CLI::App*> commands = {app.get()};
  for (size_t i = 0; i < commands.size(); ++i) {
    for (const CLI::App* part : commands[i]->get_subcommands(nullptr)) commands.push_back(part);
  }
  ASSERT_EQ(commands.size(), 1 + 34 + 55u);
  for (const char* width : {"40", "60", "80", "200"}) {
    const Environment columns("COLUMNS", width);
    const size_t most = std::min(100, std::stoi(width));
    for (const CLI::App* command : commands) {
      std::istringstream lines(help_of(*command));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), most) << full_name(*command) << ": " << line;
      }
    }
  }
}

// A name and its text keep their two columns where the text is wrapped.
TEST(Help, ListsInFootersKeepTheirColumns) {
  const Environment columns("COLUMNS", "80");
  const std::string text = heed_program({"prepare", "text", "--help"}).out;
  EXPECT_TRUE(has(text,
                  "  lines  one utterance a line, blank lines between dialogues\n"
                  "  tabs   a line is speaker, tab, text; blank lines between dialogues;\n"
                  "         consecutive lines of one speaker become one turn\n"))
      << text;
}

TEST(Help, Version) {
  const Result r = heed_program({"--version"});
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(std::regex_match(
      r.out, std::regex("heed 0\\.\\S+ \\(commit \\S+\\), kernels for \\S+, .*CUDA.*\n")))
      << r.out;
  EXPECT_EQ(heed_program({"-v"}).out, r.out);
}

}  // namespace
}  // namespace heed
