// `heed generate`: dialogues whose last utterance a model wrote, to be told from real ones.

#include "base/path.h"
#include "dialog/respond/responses.h"
#include "dialog/text/tokenizer.h"
#include "heed/command.h"
#include "heed/decode_flags.h"
#include "heed/measured.h"
#include "heed/rerank.h"

namespace heed {
namespace {

struct GenerateOptions : CommandOptions {
  std::string model, out, json, epoch = "best";
  int64_t batch = 32, beam = 0;
  std::vector<std::string> leave_out;
  InputFlags input;
  DecodeFlags decode;
  RerankFlags rerank;

  ResponseSieve::Rules rules() const {
    const auto given = [&](const char* what) {
      return std::count(leave_out.begin(), leave_out.end(), what) > 0;
    };
    return {.unknown = given("unk"), .repeated = given("repeated"), .as_people = given("human")};
  }
};

// The score of --best-of, one of those of heed respond.
std::string rank_of_best(const std::vector<std::string>& rank) {
  if (rank.empty()) return "D";
  if (rank.size() > 1) throw UsageError("--rank: with --best-of one of D, logp and random");
  if (rank[0] == "D" || rank[0] == "logp" || rank[0] == "random") return rank[0];
  throw UsageError("--rank: with --best-of expected D, logp or random, got '" + rank[0] + "'");
}

// --beam 5 is short for --decode beam --beam-size 5, and --n-best 5 for the same with 5 responses.
DecodeOptions decoding_of(GenerateOptions& o) {
  if (o.decode.options.best_of > 0) {
    for (const char* name : {"--n-best", "--rank-weight", "--beam"}) {
      refuse_given(*o.command, name, "without --best-of");
    }
    o.decode.method = "greedy";
    o.decode.rank = rank_of_best(o.rerank.rank);
  } else if (o.rerank.n_best > 0) {
    refuse_given(*o.command, "--beam", "without --n-best");
    if (o.decode.method != "beam") refuse_given(*o.command, "--decode", "without --n-best");
    // A text with <unk> would be read as other words by whatever ranks it.
    refuse_given(*o.command, "--allow-unk", "without --n-best");
    o.beam = o.rerank.n_best;
    if (o.rerank.rank.empty()) o.rerank.rank = {"logp"};
    o.rerank.check(o.model);
    if (!o.rerank.weighs()) refuse_given(*o.command, "--rank-weight", "with --rank antilm or mmi");
  } else {
    for (const char* name : {"--rank", "--rank-weight"}) {
      refuse_given(*o.command, name, "with --n-best or --best-of");
    }
  }
  if (o.beam > 0) {
    refuse_given(*o.command, "--beam-size",
                 o.rerank.n_best > 0 ? "without --n-best" : "without --beam");
    if (o.decode.method != "beam") refuse_given(*o.command, "--beam", "with --decode beam");
    o.decode.options.beam_size = o.beam;
  }
  return o.decode.get(o.common->seed);
}

// The place that an example comes from.
struct Place {
  const Dialogue* dialogue;
  size_t turn;  // of the response
};

// For all examples, in order.
std::vector<Place> places_of(const Inputs& inputs) {
  std::vector<Place> places;
  for (const Dialogue& dialogue : inputs.dialogues) {
    for (const size_t turn : responses_of(dialogue, inputs.bounds)) {
      places.push_back({&dialogue, turn});
    }
  }
  return places;
}

// The texts before each response.
std::vector<std::vector<std::string>> contexts_of(const std::vector<Place>& places) {
  std::vector<std::vector<std::string>> contexts(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    for (size_t k = 0; k < places[i].turn; ++k) {
      contexts[i].push_back(places[i].dialogue->turns[k].text);
    }
  }
  return contexts;
}

// The dialogue up to the response, with this response instead of the real one.
Json passage(const std::string& id, const Place& place, const std::string& response,
             const std::string& source) {
  Json turns = Json::array();
  for (size_t i = 0; i <= place.turn; ++i) {
    const Turn& turn = place.dialogue->turns[i];
    Json json = Json::object();
    if (!turn.speaker.empty()) json["speaker"] = turn.speaker;
    json["text"] = i == place.turn ? response : turn.text;
    if (turn.distraction && i < place.turn) json["distraction"] = true;
    turns.push_back(std::move(json));
  }
  return {{"id", id}, {"turns", std::move(turns)}, {"real", false}, {"source", source}};
}

std::string lines(const std::vector<Example>& examples, const std::vector<Tokens>& responses,
                  const Vocabulary& vocabulary, const Inputs& inputs, const std::string& source,
                  ResponseSieve& sieve, int64_t& written) {
  const std::vector<Place> places = places_of(inputs);
  const std::vector<Tokens> human = human_responses(examples, vocabulary);
  std::string text;
  for (size_t i = 0; i < examples.size(); ++i) {
    if (!sieve.passes(responses[i], detokenize(human[i]))) continue;
    text += json_text(passage(examples[i].id, places[i], detokenize(responses[i]), source)) + "\n";
    ++written;
  }
  return text;
}

void say(const GenerateOptions& o, int64_t written, const ResponseSieve::Counts& left_out) {
  print_text("wrote " + counted(written, "passage") + " of " + last_part(o.model) + " to " + o.out +
             "\n" + left_out.text() + "\n");
}

void run(GenerateOptions& o) {
  const Device device = start(*o.common);
  DecodeOptions options = decoding_of(o);
  JsonOutput passages_file(o.out), output(o.json);
  const Measured m(o.model, o.input, o.epoch);
  move(*m.loaded.model, device);
  options.judge = o.decode.judge(o.model, *m.loaded.model);
  const auto in_batches = [&](const auto& respond) {
    return m.with_progress([&](const auto& show) {
      return respond(*m.loaded.model, m.examples, m.loaded.vocabulary, options, o.batch, show);
    });
  };
  Reranked reranked;
  if (o.rerank.n_best > 0) {
    reranked = rerank(o.rerank, m, o.model, contexts_of(places_of(m.inputs)),
                      in_batches(respond_lists), o.common->seed, o.batch);
  } else {
    reranked.responses = in_batches(respond);
  }
  ResponseSieve sieve(o.rules());
  int64_t written = 0;
  const std::string text = lines(m.examples, reranked.responses, m.loaded.vocabulary, m.inputs,
                                 last_part(o.model), sieve, written);
  if (written == 0) {
    throw DataError(m.inputs.data_path + ": all " + std::to_string(m.examples.size()) +
                    " responses were left out; train the model longer, or leave fewer out "
                    "(--leave-out, --decode sample)");
  }
  passages_file.write_text(text);
  if (!output.to_stdout() && !passages_file.to_stdout()) {
    say(o, written, sieve.left_out());
    print_text(reranked.table);
  }
  if (!output.wanted()) return;
  Json json = {{"inputs", inputs_json(m.inputs, {o.model}, o.common->seed)},
               {"epoch", o.epoch},
               {"decode", o.decode.to_json()},
               {"leave_out", o.leave_out},
               {"passages", written},
               {"left_out", to_json(sieve.left_out())}};
  json["decode"]["seed"] = o.common->seed;
  if (o.rerank.n_best > 0) json["reranked"] = reranked.json;
  output.write(o, json);
}

}  // namespace

void add_generate(CLI::App& app) {
  const auto [c, o] = declare<GenerateOptions>(
      app, "generate",
      "Write dialogues that end with a model's response, to be told from real ones",
      "Each line of the file is a dialogue, {\"id\": ..., \"turns\": [...], \"real\": false, "
      "\"source\": MODEL}: its last turn is the model's response, the other turns are real. Empty "
      "responses are left out and counted.\n"
      "Examples:\n"
      "  heed generate --model runs/first --data data/ubuntu-sample --beam 5 --out fakes.jsonl\n"
      "  heed generate --model runs/first --data data/ubuntu-sample --leave-out repeated,unk "
      "--out fakes.jsonl\n"
      "  heed generate --model runs/first --data data/ubuntu-sample --n-best 20 --rank "
      "antilm,pmi:data/ubuntu-sample,D:runs/hredgan --out fakes.jsonl\n"
      "  heed generate --model runs/hredgan --data data/ubuntu-sample --best-of 16 --rank D --out "
      "fakes.jsonl",
      {.seed = "Seed of drawn responses (--decode sample)"}, run);
  o.decode.method = "beam";
  add_model(c, o.model);
  option(c, "--epoch", o.epoch,
         "Which model of the run: best, last, untrained, or the number of an epoch that "
         "--keep-every kept");
  o.input.declare(c);
  o.input.declare_tokens(c);
  c.add_option("--out", o.out, "File of the dialogues, - for standard output")->required();
  c.add_option("--leave-out", o.leave_out,
               "Responses to leave out, several with commas: repeated: with the same words as an "
               "earlier one; unk: with <unk>; human: with the same words as the real one")
      ->delimiter(',')
      ->check(one_of({"repeated", "unk", "human"}));
  add_json(c, o.json);
  add_batch(c, o.batch);
  c.add_option("--beam", o.beam,
               "Beam search with this many hypotheses; beam search is the default")
      ->check(whole_number(1, 1000))
      ->group(kResponses);
  o.rerank.declare(c);
  o.decode.declare_best_of(c, /*with_rank=*/false);
}

}  // namespace heed
