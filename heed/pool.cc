#include "heed/pool.h"

#include <algorithm>

#include "base/file.h"
#include "base/list.h"
#include "base/path.h"
#include "dialog/data/corpus.h"
#include "dialog/retrieve/candidates.h"
#include "dialog/retrieve/kept_pool.h"
#include "dialog/retrieve/pool.h"
#include "dialog/system.h"
#include "dialog/text/format.h"
#include "dialog/text/text_file.h"
#include "dialog/view/render.h"
#include "heed/command.h"
#include "heed/conversation.h"
#include "heed/inputs.h"
#include "heed/progress.h"

namespace heed {
namespace {

using retrieve::Choice;

std::string own_pool(const std::string& model) {
  for (const char* name : {"pool.txt", "pool.txt.gz"}) {
    if (has_file(model, name)) return model + "/" + name;
  }
  throw UsageError(model + ": has no pool.txt to choose from; give --pool FILE");
}

std::string common_text(const Choice& choice) {
  return choice.common.empty() ? "no word in common" : "in common: " + joined(choice.common, " ");
}

void print_choices(const std::vector<Choice>& best, const TerminalStyle& style) {
  const std::string indent(7, ' ');
  const auto print = [&](const std::string& label, const std::string& text, bool bold) {
    const auto lines = wrap(printable(text), std::max(style.width, 40) - columns(label));
    for (size_t i = 0; i < lines.size(); ++i) {
      std::printf("%s%s%s%s\n", bold ? "\x1b[1m" : "", (i == 0 ? label : indent).c_str(),
                  lines[i].c_str(), bold ? "\x1b[0m" : "");
    }
  };
  for (size_t i = 0; i < best.size(); ++i) {
    const Choice& c = best[i];
    print(i == 0 ? "model: " : "   or: ", c.text, style.colour && i == 0);
    print(indent, "(" + decimal(c.score, 3) + "; " + common_text(c) + ")", false);
  }
}

struct ReplyOptions : CommandOptions {
  std::string model, pool, in, out;
  int best = 3;
};

Json reply_json(const Dialogue& dialogue, const std::vector<Choice>& best) {
  Json choices = Json::array();
  for (const Choice& c : best) {
    choices.push_back({{"text", c.text}, {"score", c.score}, {"common", c.common}});
  }
  return {{"id", dialogue.id}, {"reply", best[0].text}, {"choices", choices}};
}

void reply(const ReplyOptions& o) {
  const JsonOutput output(o.out);
  const PoolRanker ranker = open_pool(o.model, o.pool, start(*o.common));
  const std::vector<Dialogue> dialogues = read_dialogues(o.in);
  std::vector<std::vector<std::string>> contexts;
  for (const Dialogue& dialogue : dialogues) {
    std::vector<std::string> context;
    for (const Turn& turn : dialogue.turns) context.push_back(turn.text);
    contexts.push_back(std::move(context));
  }
  Progress progress;
  const auto best = retrieve::choose(*ranker.loaded.ranker, ranker.pool, contexts,
                                     static_cast<size_t>(o.best), show_counts(progress, "context"));
  progress.done();
  std::string lines;
  for (size_t i = 0; i < dialogues.size(); ++i) {
    lines += json_text(reply_json(dialogues[i], best[i])) + "\n";
  }
  output.write_text(lines);
  if (output.to_stdout()) return;
  std::printf("%s: %s\n", o.out.c_str(), counted(dialogues.size(), "answer").c_str());
}

struct KeepOptions : CommandOptions {
  std::string model, pool;
};

void keep(const KeepOptions& o) {
  const Device device = start(*o.common);
  require(o.model, Capability::kRank);
  check_writable(o.model + "/" + retrieve::kKeptPool);
  // A named file is read without the vectors that may be kept beside it, stale or damaged.
  const PoolRanker ranker = open_pool(o.model, o.pool.empty() ? own_pool(o.model) : o.pool, device);
  const auto* vectors = dynamic_cast<const VectorRanker*>(ranker.loaded.ranker.get());
  if (!vectors) throw UsageError(o.model + ": ranks without vectors, so there is nothing to keep");
  Progress progress;
  size_t cut = 0;
  const Tensor rows =
      vectors->responses(ranker.pool, /*batch=*/64, show_counts(progress, "response"), &cut);
  progress.done();
  if (cut > 0) note(counted(cut, "response") + " cut to their first words or pieces");
  if (!o.pool.empty()) write_file(o.model + "/pool.txt", retrieve::pool_lines(ranker.pool));
  retrieve::keep_vectors(o.model, ranker.pool, rows);
  std::printf("%s: %s and their vectors; heed chat --model %s --pool answers with them\n",
              o.model.c_str(), counted(ranker.pool.size(), "response").c_str(), o.model.c_str());
}

void add_keep(CLI::App& rank) {
  const auto [c, o] = declare<KeepOptions>(
      rank, "keep", "Make a pool a model's own, with the vectors of its texts",
      "Writes pool.txt and pool.safetensors into the model's directory. heed chat --pool and heed "
      "rank reply then take that pool without a FILE, and compute no vectors of it: of 10,000 "
      "texts and a pretrained encoder that is a minute or more. If texts or weights change, the "
      "vectors are no longer used, and a note says so.\n"
      "Example:\n"
      "  heed rank keep --model runs/ranker --pool answers.txt\n"
      "  heed chat --model runs/ranker --pool",
      {}, keep);
  c.add_option("--model", o.model, "Directory of a run or a model (one that ranks)")->required();
  c.add_option("--pool", o.pool,
               "The texts, one a line, plain or gzip. If not given: the pool.txt that is there");
}

struct WhitelistOptions : CommandOptions {
  std::string data, out, model, examples = "all";
  size_t size = 1000;
  int min_turns = kMinTurns;
};

std::vector<std::string> responses_in(const WhitelistOptions& o, const std::string& part) {
  const std::vector<Dialogue> dialogues = read_dialogues(find_dialogues(o.data, part));
  const ExampleOptions options{.all_positions = o.examples == "all", .min_turns = o.min_turns};
  std::vector<std::string> texts =
      retrieve::response_texts(dialogues, retrieve::make_pairs(dialogues, options, false));
  if (texts.empty()) throw DataError(find_dialogues(o.data, part) + ": " + no_example(options));
  return texts;
}

std::vector<std::string> of_clusters(const WhitelistOptions& o,
                                     const std::vector<std::string>& texts) {
  const LoadedSystem loaded = open_model(o.model, Capability::kRank, start(*o.common));
  const auto* ranker = dynamic_cast<const VectorRanker*>(loaded.ranker.get());
  if (!ranker)
    throw UsageError(o.model + ": ranks without vectors, so there is nothing to cluster");
  Progress progress;
  std::vector<std::string> pool = retrieve::most_frequent_of_clusters(
      texts, o.size, *ranker, o.common->seed, show_counts(progress, "response"));
  progress.done();
  return pool;
}

void whitelist(const WhitelistOptions& o) {
  check_writable(o.out);
  const std::vector<std::string> texts = responses_in(o, "train");
  std::vector<std::string> test;
  if (has_part(o.data, "test")) test = responses_in(o, "test");
  const std::vector<std::string> pool =
      o.model.empty() ? retrieve::most_frequent(texts, o.size) : of_clusters(o, texts);
  if (pool.size() < 2) {
    throw DataError(o.data + ": a pool needs two responses that differ, and there is " +
                    (pool.empty() ? "none" : "one"));
  }
  TextWriter writer(o.out);
  writer.write(retrieve::pool_lines(pool));
  writer.commit();
  std::printf("%s: %s", o.out.c_str(), counted(pool.size(), "response").c_str());
  if (!test.empty()) {
    std::printf("; %.1f %% of the %s of the test part are among them",
                100 * retrieve::coverage(pool, test), counted(test.size(), "response").c_str());
  }
  std::puts("");
}

void add_whitelist(CLI::App& rank) {
  const auto [c, o] = declare<WhitelistOptions>(
      rank, "whitelist", "Write a pool of the most frequent responses, overall or of each cluster",
      "Responses are equal if only case, punctuation and repeated blanks differ.\n"
      "Examples:\n"
      "  heed rank whitelist --data data/ubuntu-sample --entries 1000 --out answers.txt\n"
      "  heed rank whitelist --data data/ubuntu-sample --model runs/ranker --out clusters.txt",
      {.seed = "Seed of the clusters (--model)"}, whitelist);
  c.add_option("--data", o.data,
               "Dialogues: a data directory (its train part; the test part measures coverage), or "
               "a file")
      ->required();
  c.add_option(
      "--model", o.model,
      "Directory of a run or a model (one that ranks): cluster its vectors by k-means into "
      "--entries clusters, and take the most frequent response of each");
  option(c, "--entries", o.size, "Keep at most this many responses, the most frequent ones",
         whole_number(2, 10'000'000));
  option(c, "--examples", o.examples,
         "last: the last turns are responses; all: all turns from the third (or --min-turns) on",
         one_of({"last", "all"}));
  option(c, "--min-turns", o.min_turns, "Leave out shorter dialogues", whole_number(2, 1'000'000));
  c.add_option("--out", o.out, "File of the pool, one response a line")->required();
}

// The turns of a conversation of two speakers that the model looked at.
void show_look(const Ranker& ranker, const std::vector<std::string>& context,
               const TerminalStyle& style) {
  const std::vector<VectorRanker::Look> look = looks_of(ranker, {context});
  if (look.empty()) return;
  const size_t unread = context.size() - look[0].size();
  DialogueView view{
      "", {}, "", {{attention_scores(look[0]), std::nullopt, ""}}, static_cast<int>(unread)};
  for (size_t i = unread; i < context.size(); ++i) {
    view.context.push_back({(i % 2 == 0 ? "you: " : "model: ") + context[i], false});
  }
  print_text(attention_text(view, {{"looked at", ""}}, style));
}

}  // namespace

std::vector<Choice> PoolRanker::choose(const std::vector<std::string>& context) const {
  return retrieve::choose(*loaded.ranker, pool, {context}, 3)[0];
}

PoolRanker open_pool(const std::string& model, const std::string& file, Device device) {
  require(model, Capability::kRank);
  const std::string path = file.empty() ? own_pool(model) : file;
  PoolRanker ranker{open_model(model, Capability::kRank, device), {}};
  size_t repeated = 0;
  ranker.pool = retrieve::read_pool(path, &repeated);
  if (repeated > 0) note(path + ": " + counted(repeated, "line") + " left out as repeated");
  bool stale = false;
  const Tensor vectors =
      file.empty() ? retrieve::kept_vectors(model, ranker.pool, &stale) : Tensor();
  if (stale) {
    note(model + "/pool.safetensors is of other texts or weights; `heed rank keep` makes it anew");
  }
  const auto* keeps = dynamic_cast<const VectorRanker*>(ranker.loaded.ranker.get());
  if (vectors.defined() && keeps) keeps->keep(ranker.pool, vectors);
  return ranker;
}

void chat_from_pool(const Common& common, const std::string& model, const std::string& pool) {
  const PoolRanker ranker = open_pool(model, pool, start(common));
  const TerminalStyle style = terminal_style(stdout);
  std::vector<std::string> context;
  converse({.greeting = model + " chooses out of " + counted(ranker.pool.size(), "text") +
                        ". Say something; /help explains.",
            .help = "Type an utterance: you see the best answer of the pool and the next two, the "
                    "words that\nthey share with the conversation, and where in it the model "
                    "looked.",
            .reset = [&] { context.clear(); },
            .hear =
                [&](const std::string& line) {
                  context.push_back(line);
                  const std::vector<Choice> best = ranker.choose(context);
                  print_choices(best, style);
                  show_look(*ranker.loaded.ranker, context, style);
                  context.push_back(best[0].text);
                }});
}

void add_pools(CLI::App& rank) {
  add_whitelist(rank);
  add_keep(rank);
  const auto [c, o] = declare<ReplyOptions>(
      rank, "reply", "Answer the dialogues of a file from a pool of responses",
      "The turns of a dialogue are the context, and the answer follows the last one. A line of "
      "the result is {\"id\", \"reply\", \"choices\": [{\"text\", \"score\", \"common\"}]}, with "
      "the best first, and texts that the context has already said last; \"common\" are the words "
      "that also stand in the context.\n"
      "Example:\n"
      "  heed rank reply --model runs/ranker --pool answers.txt --in contexts.jsonl --out "
      "replies.jsonl",
      {}, reply);
  c.add_option("--model", o.model, "Directory of a run or a model (one that ranks)")->required();
  c.add_option("--pool", o.pool,
               "The texts to choose from, one a line, plain or gzip. If not given: pool.txt of "
               "the model");
  c.add_option("--in", o.in, "Dialogues, JSON Lines, plain or gzip")->required();
  c.add_option("--out", o.out, "The replies, JSON Lines; - for standard output")->required();
  option(c, "--best", o.best, "Number of texts to list per answer", whole_number(1, 1000));
}

}  // namespace heed
