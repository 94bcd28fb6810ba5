#include "heed/rerank.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/path.h"
#include "dialog/data/conversations.h"
#include "dialog/discriminate/words/hredgan.h"
#include "dialog/parts/vector_ranker.h"
#include "dialog/respond/encoder.h"
#include "dialog/respond/relevance.h"
#include "dialog/system.h"
#include "dialog/text/measures.h"
#include "dialog/text/tokenizer.h"
#include "experiments/measure/reranked.h"
#include "heed/bundled.h"
#include "heed/command.h"

namespace heed {
namespace {

using ListScores = std::vector<std::vector<double>>;

constexpr size_t kContexts =
    16;  // contexts whose mean stands for ln P(R); each is a last utterance

struct Spec {
  std::string name, path;
};
Spec parse_spec(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, ""};
  const std::string name = text.substr(0, colon), path = text.substr(colon + 1);
  return {name == "dual-encoder" || name == "pretrained" ? "model" : name, path};
}

// The name of its row.
std::string name_of(const Spec& spec) {
  return spec.name == "model" ? last_part(spec.path) : spec.name;
}

ListScores coherences(const std::string& data, const Measured& m,
                      const std::vector<Offered>& lists) {
  const TextCoherence coherence(read_dialogues(find_dialogues(data, "train")), m.inputs.dialogues,
                                m.inputs.bounds);
  ListScores scores(lists.size());
  for (size_t i = 0; i < lists.size(); ++i) {
    for (const Tokens& response : lists[i].responses) {
      scores[i].push_back(coherence(i, response));
    }
  }
  return scores;
}

// The model's ranker, or, for a model that only encodes, the cosine of its vectors.
LoadedSystem load_ranker(const std::string& path, Device device) {
  LoadedSystem loaded = load_system(path);
  move(*loaded.module, device);
  if (!loaded.ranker) {
    loaded.ranker =
        std::make_shared<CosineRanker>(loaded.encoder, loaded.bounds, loaded.vocabulary);
  }
  return loaded;
}

}  // namespace

void RerankFlags::declare(CLI::App& c) {
  const InGroup group(c, "N-best lists");
  c.add_option("--n-best", n_best,
               "Make lists of this many responses by beam search, which --rank reorders")
      ->check(whole_number(2, 1000));
  c.add_option(
       "--rank", rank,
       "The scores that order responses, several with commas (the first one decides, all are "
       "measured): logp: the model itself; antilm: ln P(R|C) - W ln P(R); mmi:RUN: (1 - W) ln "
       "P(R|C) + W ln P(Q|R) by a model of reversed dialogues (heed prepare reverse); pmi:DATA: "
       "pointwise mutual information with the words of the context, counted in DATA; model:DIR: "
       "any model that ranks or encodes, such as a discriminator of passages, and under the names "
       "dual-encoder:DIR and pretrained:DIR too; D:RUN: the discriminator of words of heed train "
       "hredgan, D alone: that of --model. With --best-of: D, logp or random")
      ->delimiter(',')
      ->option_text("NAME[:PATH]");
  option(c, "--rank-weight", weight, "The weight W of antilm and mmi", number(0, 1));
}

bool RerankFlags::weighs() const {
  return std::any_of(rank.begin(), rank.end(), [](const std::string& text) {
    const std::string name = parse_spec(text).name;
    return name == "antilm" || name == "mmi";
  });
}

void RerankFlags::check(const std::string& model) const {
  std::set<std::string> texts;
  for (const std::string& text : rank) {
    const Spec spec = parse_spec(text);
    if (!texts.insert(text).second) throw UsageError("--rank " + text + ": is given twice");
    const bool alone = spec.name == "logp" || spec.name == "antilm";
    const bool either = spec.name == "D";  // with a path or without
    if (!alone && !either && spec.name != "mmi" && spec.name != "pmi" && spec.name != "model") {
      throw UsageError(
          "--rank: expected logp, antilm, D:RUN, mmi:RUN, pmi:DATA or model:DIR, got '" + text +
          "'");
    }
    if (!either && alone != spec.path.empty()) {
      throw UsageError("--rank " + text + ": " +
                       (alone ? "takes no path" : "needs a path: " + spec.name + ":PATH"));
    }
    if (spec.name == "pmi") {
      check_dialogues(spec.path, "train");
    } else if (either) {
      const std::string& run = spec.path.empty() ? model : spec.path;
      require(run, Capability::kRespond);
      words::require_discriminator(run);
    } else if (spec.name == "mmi") {
      require(spec.path, Capability::kRespond);
    } else if (spec.name == "model") {
      const System& system = system_of(spec.path);
      if (!system.has(Capability::kRank) && !system.has(Capability::kEncode))
        throw UsageError(spec.path + ": can neither rank nor encode");
    }
  }
}

Reranked rerank(const RerankFlags& flags, const Measured& m, const std::string& model,
                const std::vector<std::vector<std::string>>& contexts,
                const std::vector<Offered>& lists, uint64_t seed, int64_t batch) {
  std::vector<NBest> texts;
  ListScores log_p;
  for (size_t i = 0; i < lists.size(); ++i) {
    texts.push_back({contexts[i], {}});
    for (const Tokens& r : lists[i].responses) texts.back().responses.push_back(detokenize(r));
    log_p.push_back(lists[i].log_p);
  }
  const Device device = parameters(*m.loaded.model)[0].var.device();
  const auto scores_of = [&](const Spec& spec) -> ListScores {
    if (spec.name == "logp") return log_p;
    if (spec.name == "pmi") return coherences(spec.path, m, lists);
    if (spec.name == "antilm") {
      const ResponseRanker own(*m.loaded.model, m.loaded.vocabulary, load_example_options(model));
      return antilm(log_p, flags.weight, own, texts, last_utterances(contexts, kContexts), batch);
    }
    if (spec.name == "D") {
      const std::string& run = spec.path.empty() ? model : spec.path;
      return score(*words::load_ranker(run, device), texts, batch);
    }
    if (spec.name == "model" && words::has_discriminator(spec.path)) {
      note(spec.path + ": its generator ranks, by ln P(R|C); D:" + spec.path +
           " is its discriminator");
    }
    const LoadedSystem other = load_ranker(spec.path, device);
    if (spec.name == "model") return score(*other.ranker, texts, batch);
    return mmi(log_p, flags.weight, *other.ranker, texts, batch);
  };
  const std::vector<Tokens> references = human_responses(m.examples, m.loaded.vocabulary);
  std::vector<RerankedRow> rows;
  const auto add = [&](const std::string& name, const std::vector<size_t>& firsts) {
    rows.push_back(measure_firsts(name, lists, firsts, references));
  };
  Reranked result;
  const std::set<std::string> own = {"before", "drawn", "nearest"};
  add("before", std::vector<size_t>(lists.size(), 0));
  for (const std::string& text : flags.rank) {
    const Spec spec = parse_spec(text);
    const std::vector<size_t> firsts = firsts_of(scores_of(spec));
    const bool alone =
        !own.contains(name_of(spec)) &&
        std::count_if(flags.rank.begin(), flags.rank.end(), [&](const std::string& other) {
          return name_of(parse_spec(other)) == name_of(spec);
        }) == 1;
    add(alone ? name_of(spec) : text, firsts);
    for (size_t i = 0; rows.size() == 2 && i < lists.size(); ++i) {
      result.responses.push_back(lists[i].responses[firsts[i]]);
    }
  }
  add("drawn", drawn_of(lists, seed));
  add("nearest", nearest_to(lists, references));

  const ListDiversity d = diversity_of(lists);
  const std::vector<int> clusters = conversations(m.inputs.dialogues, m.examples);
  result.table = reranked_table(rows, results_width()) + "\n";
  std::map<std::string, std::vector<RowAbove>> above;
  for (const std::string than : {"before", "drawn"}) {
    above[than] = rows_above(rows, than, references, clusters);
    result.table += above_table(above[than], than, results_width()) + "\n";
  }
  result.table += counted(lists.size(), "list") + " of " + decimal(d.size, 1) +
                  " responses; within a list distinct-1 " + decimal(d.distinct_1, 4) +
                  ", distinct-2 " + decimal(d.distinct_2, 4) + "\n";
  result.json = {{"n_best", flags.n_best},     {"weight", flags.weight},
                 {"lists", lists.size()},      {"mean_size", d.size},
                 {"ave_dist_1", d.distinct_1}, {"ave_dist_2", d.distinct_2},
                 {"rows", Json::array()}};
  for (size_t r = 0; r < rows.size(); ++r) {
    const RerankedRow& row = rows[r];
    Json json = {{"name", row.name}, {"changed", row.changed}};
    for (size_t i = 0; i < row.values.size(); ++i) {
      json[text_measures()[i].key] = row.values[i] ? Json(*row.values[i]) : Json();
    }
    for (const auto& [than, all] : above) {
      for (size_t k = 0; k < all[r].by.size(); ++k) {
        json["above_" + than][mean_measures()[k].key] = to_json(all[r].by[k]);
      }
    }
    result.json["rows"].push_back(json);
  }
  return result;
}

}  // namespace heed
