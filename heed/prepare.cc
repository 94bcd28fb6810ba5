#include <cstdio>
#include <filesystem>

#include "dialog/ubuntu.h"
#include "heed/commands.h"
#include "tensor/error.h"

namespace heed {
namespace {

struct Options {
  CommonPtr common;
  std::string in, out, version = "auto";
  size_t limit = 0, min_turns = 3;
};

bool has_suffix(const std::string& path, const std::string& suffix) {
  return path.ends_with(suffix) || path.ends_with(suffix + ".gz");
}

// v1 is a folder of .tsv files or one of them, v2 a .csv file.
std::string detect_version(const Options& o) {
  if (o.version != "auto") return o.version;
  if (!std::filesystem::exists(o.in)) throw DataError(o.in + ": no such file or directory");
  if (std::filesystem::is_directory(o.in) || has_suffix(o.in, ".tsv")) return "v1";
  if (has_suffix(o.in, ".csv")) return "v2";
  throw UsageError(o.in + ": neither a folder nor .tsv or .csv; say --version v1 or v2");
}

void run(const Options& o) {
  start(*o.common);
  std::vector<Dialogue> dialogues =
      detect_version(o) == "v1" ? read_ubuntu_v1(o.in, o.limit) : read_ubuntu_v2(o.in, o.limit);
  const size_t read = dialogues.size();
  std::erase_if(dialogues, [&](const Dialogue& d) { return d.turns.size() < o.min_turns; });
  if (dialogues.empty()) {
    throw DataError(o.in + ": none of " + std::to_string(read) + " dialogues has " +
                    std::to_string(o.min_turns) + " turns");
  }
  size_t turns = 0;
  for (const Dialogue& d : dialogues) turns += d.turns.size();
  write_dialogues(o.out, dialogues);
  std::printf("read %zu dialogues of %s, left out %zu with fewer than %zu turns\n", read,
              o.in.c_str(), read - dialogues.size(), o.min_turns);
  std::printf("wrote %zu dialogues with %zu turns (mean %.1f) to %s\n", dialogues.size(), turns,
              static_cast<double>(turns) / static_cast<double>(dialogues.size()), o.out.c_str());
}

}  // namespace

void add_prepare(CLI::App& app) {
  CLI::App* prepare =
      app.add_subcommand("prepare", "Turn published corpora into JSON Lines of dialogues");
  prepare->require_subcommand(1)->fallthrough();
  auto o = std::make_shared<Options>();
  CLI::App* c = prepare->add_subcommand(
      "ubuntu", "The Ubuntu Dialogue Corpus (Lowe et al. 2015): v1 folders of .tsv, v2 .csv files");
  c->footer(
      "v1: each .tsv below the folder is a dialogue; consecutive messages of one speaker become "
      "one\n"
      "turn. v2: each row of the .csv is a context and its response; of a training file the rows\n"
      "with Label 1. The last turn of a dialogue is the response that models learn.\n"
      "Example: heed prepare ubuntu --in dialogs/ --out data/train.jsonl.gz --limit 100000");
  o->common = add_common(*c);
  c->add_option("--in", o->in, "The folder or file as published, plain or gzip")->required();
  c->add_option("--out", o->out, "The file to write, gzip if it ends in .gz")->required();
  c->add_option("--version", o->version, "auto: told by the name")
      ->check(CLI::IsMember({"auto", "v1", "v2"}))
      ->capture_default_str();
  c->add_option("--limit", o->limit, "Read only the first dialogues, 0: all")
      ->capture_default_str();
  c->add_option("--min-turns", o->min_turns,
                "Leave out shorter dialogues; 3 are two utterances of context and a response")
      ->capture_default_str();
  c->callback([o] { run(*o); });
}

}  // namespace heed
