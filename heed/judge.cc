#include "heed/judge.h"

#include <utility>

#include "base/error.h"
#include "dialog/text/format.h"
#include "heed/checks.h"
#include "heed/commands.h"
#include "heed/messages.h"
#include "heed/results.h"

namespace heed {

using Json = nlohmann::ordered_json;

void JudgementFlags::declare(CLI::App& c) {
  c.add_option("--judgements", judgements,
               "People's judgements: JSON Lines, plain or gzip, one judgement a line")
      ->required();
}

CLI::Option* add_key(CLI::App& c, std::string& file, const std::string& remark) {
  return c.add_option("--key", file, "File of the key: " + remark);
}

CLI::Option* add_items(CLI::App& c, int64_t& items) {
  return c.add_option("--items", items, "Items, half of them real")->check(whole_number(2, 20000));
}

void say(const people::Screened& s) {
  std::string text =
      counted(s.list.size(), "judgement") + " of " + counted(s.annotators, "annotator");
  if (s.checks > 0) text += ", " + std::to_string(s.checks) + " answers to test questions";
  for (const auto& [what, count] : {std::pair("failed the test questions", s.failed),
                                    {"with too few judgements", s.too_few},
                                    {"their judgements, which were dropped", s.dropped},
                                    {"cut", s.cut}}) {
    if (count > 0) text += std::string("; ") + what + ": " + std::to_string(count);
  }
  print_text(text + "\n");
}

void require_some(const people::Screened& s, const std::string& path) {
  if (!s.list.empty()) return;
  throw DataError(path + ": no judgement is left: " + std::to_string(s.failed) +
                  " annotators failed the test questions and " + std::to_string(s.too_few) +
                  " have too few judgements" + (s.too_few > 0 ? " (--least 1 takes them)" : ""));
}

std::string json_lines(const std::vector<Json>& lines) {
  std::string text;
  for (const Json& line : lines) text += json_text(line) + "\n";
  return text;
}

void add_judge(CLI::App& app) {
  CLI::App* judge =
      app.add_subcommand("judge",
                         "Human evaluation: write items for people to judge, and evaluate their "
                         "judgements");
  judge->require_subcommand(1)->fallthrough();
  judge->footer(
      "Real or written by a model? Print items.jsonl for people, hide key.jsonl, collect their "
      "answers:\n"
      "  heed judge export --model runs/first --data data/ubuntu-sample --items 100 --out "
      "items.jsonl --key key.jsonl\n"
      "  heed judge score --judgements judgements.jsonl --key key.jsonl\n"
      "Which of two responses is better?\n"
      "  heed judge export --a runs/one --b runs/two --data data/ubuntu-sample --pairs 100 --out "
      "pairs.jsonl --key key.jsonl\n"
      "  heed judge ties --judgements judgements.jsonl --key key.jsonl --size 20\n"
      "docs/judgements.md goes through it.");
  add_judge_export(*judge);
  add_judge_score(*judge);
  add_judge_ties(*judge);
  add_judge_simulate(*judge);
}

}  // namespace heed
