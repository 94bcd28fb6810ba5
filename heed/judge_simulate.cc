// `heed judge simulate`: judgements of simulated annotators, to see how much agreement can show.

#include "dialog/people/simulate.h"
#include "heed/command.h"
#include "heed/judge.h"

namespace heed {
namespace {

struct JudgeSimulateOptions : CommandOptions {
  people::SimulatedPeople people;
  std::string out, key;
};

void run(const JudgeSimulateOptions& o) {
  if (o.key == "-") throw UsageError("--key: must be a file");
  JsonOutput judgements_file(o.out), key_file(o.key);
  const people::Simulated made = people::simulate(o.people, o.common->seed);
  std::vector<Json> key, judgements;
  for (const people::KeyItem& item : made.key.items) {
    key.push_back({{"item", item.id}, {"real", item.truth == people::kReal}, {"simulated", true}});
  }
  const std::vector<std::string>& words = people::choices(people::Task::kRealOrFake);
  for (const people::Judgement& j : made.judgements.list) {
    judgements.push_back({{"item", made.key.items[j.item].id},
                          {"annotator", made.judgements.annotators[j.annotator]},
                          {"choice", words[static_cast<size_t>(j.choice)]},
                          {"simulated", true}});
  }
  key_file.write_text(json_lines(key));
  judgements_file.write_text(json_lines(judgements));
  if (judgements_file.to_stdout()) return;
  print_text("wrote " + counted(judgements.size(), "simulated judgement") + " to " + o.out +
             ", the key to " + o.key + "\nwith many items: accuracy " +
             decimal(people::expected_accuracy(o.people), 3) + ", Fleiss' pi " +
             decimal(people::expected_pi(o.people), 3) + "\n");
}

}  // namespace

void add_judge_simulate(CLI::App& judge) {
  const auto [c, o] = declare<JudgeSimulateOptions>(
      judge, "simulate", "Simulate annotators, to see how much agreement can show",
      "Every annotator judges every item. The judgements and the key are marked as "
      "simulated and cannot be mixed with people's judgements.\n"
      "Example:\n  heed judge simulate --error-real 0.5 --error-fake 0.5 --shared "
      "0.8 --out made.jsonl --key made-key.jsonl\n"
      "  heed judge score --judgements made.jsonl --key made-key.jsonl",
      {.device = false, .seed = "Seed of the judgements"}, run);
  add_items(c, o.people.items)->capture_default_str();
  option(c, "--annotators", o.people.annotators, "Number of annotators; each judges every item",
         whole_number(1, 1000));
  option(c, "--error-real", o.people.error_real, "Share of the real ones that are judged fake",
         number(0, 1));
  option(c, "--error-fake", o.people.error_fake, "Share of the fake ones that are judged real",
         number(0, 1));
  option(c, "--shared", o.people.shared,
         "Share of judgements that follow one opinion per item, shared by all annotators; it is "
         "wrong equally often, so only agreement grows",
         number(0, 1));
  c.add_option("--out", o.out, "File of the judgements, - for standard output")->required();
  add_key(c, o.key, "which items are real")->required();
}

}  // namespace heed
