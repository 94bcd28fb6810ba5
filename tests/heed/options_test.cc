// One name, one meaning; and what is said of an option that was mistyped.
#include <set>

#include "tests/heed/options_helpers.h"

namespace heed {
namespace {

// What an option is, without the remarks behind it: "Read only the first N dialogues" of "Read only
// the first N dialogues (of each part); 0: all".
std::string meaning_of(const CLI::Option& option) {
  const std::string& text = option.get_description();
  const std::string type = option.get_type_name();
  const std::string meaning = text.substr(0, text.find_first_of(":;,.("));
  return meaning.substr(0, meaning.find_last_not_of(' ') + 1) + " [" +
         type.substr(0, type.find(':')) + "]";
}

// What one name may mean two things in.
const std::map<std::string, std::string> kTwoMeanings = {
    {"--attention", "of a training the score, of heed score that its weights are shown"},
    {"--context", "of a discriminator how many utterances, of heed rank which of the turns"},
    {"--controls", "the control task of a probe, or which controls a discriminator stands beside"},
    {"--dialogue", "in prepare csv a column, in ask the file of the dialogue"},
    {"--in", "each command of prepare reads files of its own"},
    {"--out", "what is written: a file, or a directory with several"},
    {"--encoder", "of each system which encoders it may have"},
    {"--pmi", "of evaluate what goes with the query, of respond what goes with the context"},
    {"--pool", "of features how states become one vector, elsewhere where distractions come from"},
    {"--predictions", "what a classifier says: written by discriminate test, read by judge score"},
    {"--rank", "by which model the best answer of several is chosen, or what orders N-best lists"},
    {"--responses", "a file of them, or of how many examples"},
    {"--count", "in show how many dialogues, in bench that what a GPU is asked for is counted"},
    {"--preset", "those of a system, whose list begins with one of its own"},
    {"--seed", "of what is drawn; always a seed"},
    {"--speaker", "whose turns are responses, or in prepare csv the column of names"},
    {"--steps", "of a tracker its own, in bench how many are timed, in log and plot what is shown"},
    {"--test", "in prepare split the share of the test part, elsewhere test sets"}};

TEST_F(Options, OneNameHasOneMeaning) {
  std::map<std::string, std::map<std::string, std::string>> found;  // name, meaning, commands
  for (const auto& [name, command] : commands) {
    for (const std::string& option : option_names(*command)) {
      found[option][meaning_of(*command->get_option(option))] += " " + name;
    }
  }
  for (const auto& [option, meanings] : found) {
    if (kTwoMeanings.contains(option)) continue;
    for (const auto& [meaning, who] : meanings) {
      EXPECT_EQ(meanings.size(), 1u) << option << " in" << who << ": " << meaning;
    }
  }
  for (const auto& [option, why] : kTwoMeanings) EXPECT_TRUE(found.contains(option)) << option;
  for (const auto& [meaning, who] : found["--seed"]) {
    EXPECT_TRUE(meaning.starts_with("Seed of ")) << who << ": " << meaning;
  }
}

TEST_F(Options, NoMeaningHasTwoNames) {
  for (const auto& [name, command] : commands) {
    std::map<std::string, std::string> names;
    for (const std::string& option : option_names(*command)) {
      const std::string text = command->get_option(option)->get_description();
      EXPECT_EQ(names[text], "") << name << ": " << option;
      names[text] = option;
    }
  }
}

// ---- mistakes -----------------------------------------------------------------------------------

TEST_F(Options, SayWhatIsPossible) {
  const auto says = [](const Arguments& command, const std::string& text) {
    expect_failure(heed_program(command), 2, "heed: " + text + " (see heed ", join(command));
  };
  const Arguments respond = {"respond", "--model", "m", "--data", "d", "--out", "o"},
                  train = {"train", "--data", "d", "--out", "o"}, score = score_with("m", "d");
  says(respond + Arguments{"--decode", "sampel"},
       "--decode: expected greedy, sample or beam, got 'sampel'; did you mean sample?");
  says(respond + Arguments{"--decode", "x,{y}"},
       "--decode: expected greedy, sample or beam, got 'x,{y}'");
  says(train + Arguments{"--structure", "statik"},
       "--structure: expected non-hier, static, static-ui, dynamic, dynamic-ui, lstm, "
       "lstm-attention, bilstm-attention, hred, hred-stacked, transformer, hred-gru, "
       "hred-attention-current, hred-attention, thred, keywords, thred-topics, seq2seq-gru, "
       "ta-seq2seq or two-vocabulary, got 'statik'; did you mean static?");
  says(train + Arguments{"--preset", "smok"},
       "--preset: expected paper, laptop, demo, smoke, probe-paper, probe-tuned, probe-smoke, "
       "generator-paper, generator-smoke, explain-paper, explain-smoke, hredgan-paper, "
       "thred-paper, keywords-paper or expressive-paper, got 'smok'; did you mean smoke?");
  says({"prepare", "split", "--in", "a", "--out", "b", "--by", "dya"},
       "--by: expected conversation, day, folder, film, dialogue or published, got 'dya'; did you "
       "mean day?");
  says(score + Arguments{"--limit", "3", "--limit", "4"}, "--limit: takes one value, got 2");
  says(train + Arguments{"--resume=perhaps"}, "--resume: cannot take 'perhaps'");
  says({"info", "a", "b"}, "unexpected: b");
  says(score + Arguments{"--f64"}, "--f64 is now --dtype f64");
  expect_failure(heed_program({"train", "--config", "nowhere.toml"}), 2,
                 "--config: nowhere.toml cannot be read", "--config");
}

// Given where it would do nothing, an option is a mistake.
TEST_F(Options, ThatWouldDoNothingAreRefused) {
  const auto says = [](const Arguments& command, const std::string& text) {
    expect_failure(heed_program(command), 2, text + "\n", join(command));
  };
  const Arguments chat = {"chat", "--model", kModel},
                  show = {"show", "--model", kModel, "--data", kDialogs, "--test", "none"},
                  evaluate = {"evaluate", "--model", kModel, "--data", kDialogs, "--test", "none"};
  says(chat + Arguments{"--decode", "greedy", "--top-k", "5"},
       "--top-k: only applies with --decode sample");
  says(chat + Arguments{"--decode", "beam", "--temperature", "1"},
       "--temperature: only applies with --decode sample");
  says(chat + Arguments{"--beam-size", "5"}, "--beam-size: only applies with --decode beam");
  says(chat + Arguments{"--length-penalty", "0"},
       "--length-penalty: only applies with --decode beam");
  says(evaluate + Arguments{"--pool", kDialogs}, "--pool: only applies to test sets random:");
  says(evaluate + Arguments{"--frequent", "a"}, "--frequent: only applies to test sets frequent:");
  for (const std::string kind : {"frequent", "rare"}) {
    says(with(evaluate, "--test", kind) + Arguments{"--" + kind, " "},
         "--" + kind + ": expected an utterance, got ' '");
  }
  says(with(evaluate, "--test", "frequent") + Arguments{"--rare", "a"},
       "--rare: only applies to test sets rare:");
  says({"score", "--model", kModel, "--data", kDialogs, "--dtype", "f64", "--matmul", "bf16"},
       "--matmul: only applies with --dtype f32");
  says(show + Arguments{"--rare", "a"}, "--rare: only applies to test sets rare:");
  says(show + Arguments{"--id", "a", "--count", "2"}, "--count: only applies without --id");
  const Arguments ranker = {"train", "retrieval", "--data", kSample, "--out", "nowhere/run"};
  says(ranker + Arguments{"--encoder", "bag", "--attention-size", "8"},
       "--attention-size: only applies with --encoder lstm or sru or hierarchical or weighted-bag");
  says(ranker + Arguments{"--encoder", "bag", "--pool", "attention"},
       "--pool: only applies with --encoder lstm or sru or hierarchical or weighted-bag");
  says(ranker + Arguments{"--encoder", "sru", "--one-way"},
       "retrieval: only the encoder lstm may read in one direction, not sru");
  says(ranker + Arguments{"--encoder", "lstm", "--pool", "last", "--pooling-heads", "2"},
       "--pooling-heads: only applies with --pool attention");
  says(ranker + Arguments{"--score", "dot", "--scale", "9"},
       "--scale: only applies with --score cosine");
  const Arguments tuned = ranker + Arguments{"--encoder", "pretrained", "--init", kModel};
  for (const std::string option : {"--embed", "--hidden", "--dropout"}) {
    says(tuned + Arguments{option, option == "--dropout" ? "0.5" : "8"},
         option +
             ": only applies with --encoder lstm or sru or hierarchical or bag or weighted-bag");
  }
  says(tuned + Arguments{"--vocab", "100"}, "--vocab: a pretrained encoder brings its sizes");
  const Arguments reader = {"train", "comprehend", "--data", kSample, "--out", "nowhere/run"};
  says(reader + Arguments{"--turns", "0", "--without-answers"},
       "--without-answers: only applies with --turns above 0");
  says(reader + Arguments{"--turns", "0", "--other-turns"},
       "--other-turns: only applies with --turns above 0");
  says(reader + Arguments{"--init", kModel, "--vocab", "100"},
       "--vocab: a pretrained encoder brings its sizes");
  const Arguments train = {"train", "carryover", "--data", kSample, "--out", "nowhere/run"};
  says(train + Arguments{"--order", "turn"}, "--order: only applies with --decoder pointer");
  says(train + Arguments{"--order", "turn", "--resume"},  // there is none: one would begin
       "--order: only applies with --decoder pointer");
}

}  // namespace
}  // namespace heed
