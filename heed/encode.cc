#include "heed/encode.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/path.h"
#include "dialog/respond/choose_epoch.h"
#include "heed/command.h"
#include "heed/inputs.h"
#include "heed/progress.h"
#include "train/run_directory.h"
#include "train/share_out.h"

namespace heed {
namespace {

void note_left_out(const EncodeInput& input) {
  if (input.left_out == 0) return;
  note(counted(input.left_out, "example") + " of " +
       std::to_string(input.left_out + input.examples.size()) + " left out: " + input.label_file +
       " has no labels of them");
}

// The epoch in the form that load_epoch() takes. If it has to be chosen, `json` gets the measure by
// which it was chosen.
std::string epoch_of(const EncodeFlags& flags, Device device, Json& json) {
  require(flags.model, Capability::kEncode);
  if (!chooses_epoch(flags.epoch)) return flags.epoch;
  require(flags.model, Capability::kRespond);
  const std::string path = find_part(flags.data, "valid");
  const std::vector<Dialogue> dialogues =  // with the labels that a model may read
      read_dialogues(path, {.limit = flags.limit, .notes = true});
  Progress progress;
  const ChosenEpoch chosen =
      choose_epoch(flags.model, flags.epoch, dialogues, flags.batch, device,
                   [&](int epoch, int64_t examples, int64_t) {
                     progress.show(flags.epoch + ": epoch " + std::to_string(epoch) + ", " +
                                   counted(examples, "example"));
                   });
  progress.done();
  const auto percent = [](double share) { return decimal(100 * share, 2); };
  const OverlapMeans& best = chosen.best.overlap;
  note(flags.epoch + ": epoch " + std::to_string(chosen.best.epoch) + " of " +
       std::to_string(chosen.epochs.size()) + " that were kept, with BLEU-2 " +
       percent(best.bleu_2) + ", ROUGE-L " + percent(best.rouge_l) + ", METEOR " +
       percent(best.meteor) + " on " + path);
  json["chosen"] = chosen.best.epoch;
  json["epochs"] = Json::array();
  for (const KeptEpoch& e : chosen.epochs) {
    json["epochs"].push_back({{"epoch", e.epoch},
                              {"bleu_2", e.overlap.bleu_2},
                              {"rouge_l", e.overlap.rouge_l},
                              {"meteor_exact_stem", e.overlap.meteor}});
  }
  return std::to_string(chosen.best.epoch);
}

}  // namespace

void EncodeFlags::declare(CLI::App& c, bool required) {
  c.add_option("--model", model, "Directory of a run or a model")->required(required);
  c.add_option("--data", data,
               "Dialogues: a data directory with the parts train and test; its files "
               "PART.labels.jsonl, if present, add tasks")
      ->required(required);
  option(c, "--epoch", epoch,
         "Which model of the run: best, last, untrained, the number of an epoch that --keep-every "
         "kept, or best-bleu, best-rouge, best-meteor: the kept epoch whose responses to the "
         "valid part have the highest BLEU-2, ROUGE-L or METEOR");
  c.add_option("--pool", pool,
               "How states become one vector: sum, mean or last, over an LSTM's layers or a "
               "transformer's positions; top: the top layer of an LSTM. Only for response models: "
               "others make one vector")
      ->check(one_of({"sum", "mean", "last", "top"}))
      ->default_str("sum");
  c.add_option("--layer", layer,
               "The layer of a pretrained encoder whose states become the vector, 0: the "
               "embeddings, 1: the first layer. If not given: the last")
      ->check(whole_number(0, 1000));
  option(c, "--limit", limit, "Read only the first N dialogues (of each part); 0: all");
  add_batch(c, batch);
}

Encoding::Encoding(const EncodeFlags& flags, const std::vector<std::string>& parts, Device device,
                   const RankTeam& team)
    : flags_(flags),
      device_(device),
      json_({{"model", {{"path", flags.model}, {"epoch", flags.epoch}}}}),
      loaded_(load_system(flags.model,
                          team.of_first([&] { return epoch_of(flags, device, json_["model"]); }))) {
  if (loaded_.encoder->pools()) {
    if (!flags_.pool) flags_.pool = "sum";
  } else if (flags_.pool) {
    throw UsageError("--pool: the vectors of " + flags.model + " (" + loaded_.system +
                     ") are made in one way only");
  }
  const int layers = loaded_.encoder->layers();
  if (flags_.layer && (layers == 0 || *flags_.layer > layers)) {
    throw UsageError("--layer: " + flags.model + " (" + loaded_.system + ") has " +
                     (layers > 0 ? "layers 0 to " + std::to_string(layers) : "none to choose"));
  }
  json_["model"]["pool"] = flags_.pool ? Json(*flags_.pool) : Json();
  json_["model"]["layer"] = flags_.layer ? Json(*flags_.layer) : Json();
  move(*loaded_.module, device);
  parts_.resize(parts.size());
  if (team.reads()) {
    probe::Numbers numbers;
    if (!loaded_.vocabulary) {
      numbers = [&](const std::string& text) { return loaded_.encoder->numbers(text); };
    }
    parts_ = probe::read_labelled_parts(
        flags.data, parts, loaded_.vocabulary ? *loaded_.vocabulary : Vocabulary(), loaded_.bounds,
        std::vector<size_t>(parts.size(), flags.limit), numbers);
  }
  team.check_alike(given());
  for (EncodeInput& input : parts_) team.share(input);
  if (!team.first()) return;
  for (const EncodeInput& input : parts_) {
    note_left_out(input);
    json_["data"][input.name] = {{"path", input.path},
                                 {"fingerprint", input.fingerprint},
                                 {"dialogues", input.dialogues},
                                 {"examples", input.examples.size()}};
  }
  json_["limit"] = flags.limit;
}

// A rank whose neighbour on the same machine reads the data has empty parts here.
std::vector<Given> Encoding::given() const {
  std::vector<Given> given = given_model(flags_.model, *loaded_.module);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const EncodeInput& input = parts_[i];
    given.push_back({"part " + std::to_string(i + 1) + " of --data",
                     input.path.empty() ? "" : std::to_string(input.fingerprint), input.path});
  }
  for (Given& option : given_options({{"pool", flags_.pool.value_or("")},
                                      {"layer", flags_.layer.value_or(-1)},
                                      {"limit", flags_.limit}})) {
    given.push_back(std::move(option));
  }
  return given;
}

const EncodeInput& Encoding::part(const std::string& name) const {
  return *std::find_if(parts_.begin(), parts_.end(),
                       [&](const EncodeInput& input) { return input.name == name; });
}

// Rank i modulo the number of ranks computes row i; no row depends on the others of its batch. A
// rank without examples has no tensor.
static Tensor rows_of_all(Ranks& ranks, const Tensor& own, size_t count) {
  const auto size = static_cast<size_t>(ranks.size());
  std::string_view mine;
  if (own.defined()) {
    mine = {reinterpret_cast<const char*>(own.raw()), static_cast<size_t>(own.bytes())};
  }
  const std::vector<std::string> parts = ranks.gather(mine);
  const size_t bytes = parts[0].size() / ((count + size - 1) / size);  // of a row
  const Tensor all =
      Tensor::empty({static_cast<int64_t>(count), static_cast<int64_t>(bytes / sizeof(float))});
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(all.raw() + i * bytes, parts[i % size].data() + i / size * bytes, bytes);
  }
  return all;
}

probe::Part Encoding::encode(const ContextEncoder& encoder, const EncodeInput& input,
                             Ranks& ranks) const {
  const std::vector<Example> own = part_of_rank(ranks, input.examples);
  PassProgress progress(1, own, "examples");
  const Tensor x = encoder.encode(own, {.pooling = parse_pooling(flags_.pool.value_or("sum")),
                                        .layer = flags_.layer.value_or(-1),
                                        .batch = flags_.batch,
                                        .progress = [&](int64_t examples, int64_t tokens) {
                                          if (ranks.first())
                                            progress.show(input.name, examples, tokens);
                                        }});
  progress.done();
  return {ranks.size() > 1 ? rows_of_all(ranks, x, input.examples.size()) : x, input.labels};
}

bool Encoding::has_untrained() const {
  return has_file(flags_.model, "settings.json") && flags_.epoch != "untrained" &&
         flags_.epoch != "0";
}

probe::Part Encoding::encode_untrained(const EncodeInput& input) {
  if (!untrained_) {
    untrained_ = load_system(flags_.model, "untrained");
    move(*untrained_->module, device_);
  }
  return encode(*untrained_->encoder, input, alone());
}

Json Encoding::to_json() const {
  return json_;
}

}  // namespace heed
