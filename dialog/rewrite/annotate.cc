// What `heed rewrite` says: turns written out, so that they say all that they leave to the turns
// before.
#include <algorithm>

#include "dialog/data/corpus.h"
#include "dialog/parts/annotator_json.h"
#include "dialog/parts/looker.h"
#include "dialog/rewrite/rewriter.h"
#include "dialog/rewrite/task.h"
#include "dialog/text/format.h"
#include "dialog/text/terminal.h"
#include "dialog/text/text_table.h"
#include "tensor/random.h"

namespace heed::rewrite {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> fillings(const GapExample& e, const Filled& f) {
  std::vector<std::string> texts;
  for (const size_t c : f.best) texts.push_back(joined(e.text(e.candidates[c])));
  return texts;
}

Json line_json(const GapExample& e, const Rewrite& r) {
  Json gaps = Json::array();
  for (const Filled& f : r.gaps) {
    const Tokens was(e.turn.begin() + f.gap.begin, e.turn.begin() + f.gap.end);
    gaps.push_back({{"begin", f.gap.begin},
                    {"end", f.gap.end},
                    {"was", joined(was)},
                    {"filled", joined(f.gap.piece)},
                    {"above_null", f.above_null},
                    {"best", fillings(e, f)}});
  }
  return {{"id", e.id},
          {"turn", joined(e.turn)},
          {"rewritten", joined(r.text)},
          {"gaps", std::move(gaps)}};
}

// What is told of a model is what it has learned: to find gaps, to fill them, and for the whole
// text both. Rules fill gaps that they are given.
struct Row {
  std::string name;
  Measured measured;
  bool detects, ranks, writes;
};

Json to_json(const Row& row) {
  const Measured& m = row.measured;
  const auto value = [](bool has, double x) { return has ? Json(x) : Json(); };
  const auto label = [&](const Tally& t) -> Json {
    return {{"precision", value(row.detects, t.precision())},
            {"recall", value(row.detects, t.recall())},
            {"f1", value(row.detects, t.f1())}};
  };
  return {{"border", label(m.border)},
          {"pronoun", label(m.pronoun)},
          {"both", label(m.both)},
          {"p1", value(row.ranks, m.at[0])},
          {"p2", value(row.ranks, m.at[1])},
          {"p3", value(row.ranks, m.at[2])},
          {"answered", m.answered},
          {"exact", value(row.writes, m.exact)},
          {"bleu", value(row.writes, m.bleu)}};
}

std::string table_of(const std::vector<Row>& rows, int width) {
  std::vector<std::vector<std::string>> cells = {
      {"", "borders P", "R", "F1", "pronouns P", "R", "F1", "P@1", "P@2", "P@3", "exact", "BLEU"}};
  for (const auto& [name, m, detects, ranks, writes] : rows) {
    cells.push_back({name});
    const auto add = [&](bool has, std::initializer_list<double> values) {
      for (const double x : values) cells.back().push_back(has ? decimal(100 * x, 1) : "-");
    };
    for (const Tally& label : {m.border, m.pronoun}) {
      add(detects, {label.precision(), label.recall(), label.f1()});
    }
    add(ranks, {m.at[0], m.at[1], m.at[2]});
    add(writes, {m.exact, m.bleu});
  }
  return text_table_of_rows(cells, width) + "P@k: of the " +
         decimal(100 * rows[0].measured.answered, 1) +
         " % of gaps that something in the context fills; rules are given the gaps\n";
}

// 'left out before "好看": "tfboys" (0.53 above nothing; or "演唱会")'
std::string gap_text(const GapExample& e, const Filled& f) {
  const auto quoted = [](const std::string& text) { return "\"" + text + "\""; };
  const auto from = e.turn.begin() + f.gap.begin;
  std::string text = f.gap.begin < f.gap.end
                         ? quoted(joined({from, e.turn.begin() + f.gap.end})) + " is"
                     : from == e.turn.end() ? "left out at the end:"
                                            : "left out before " + quoted(*from) + ":";
  const std::vector<std::string> best = fillings(e, f);
  if (f.gap.piece.empty()) return text + " nothing that was said";
  text += " " + quoted(best[0]) + " (" + decimal(f.above_null, 2) + " above nothing";
  for (size_t k = 1; k < best.size(); ++k) text += (k == 1 ? "; or " : ", ") + quoted(best[k]);
  return text + ")";
}

// The turns as they were read, and how the ranker looks at each, 1 where it is even.
void add_look(const GapExample& e, const Rewrite& r, Heard& heard) {
  Tokens turn;
  std::vector<double> look;
  double of_turn = 0;
  size_t ends = 0;
  for (size_t t = 0; t < e.read.size(); ++t) {
    if (!r.look.empty()) of_turn += r.look[t];
    if (!e.read[t].empty()) {
      turn.push_back(e.read[t]);
      continue;
    }
    const bool marked = e.distraction[ends++] != 0;
    if (turn.empty()) continue;  // the context was cut behind its last word
    heard.turns.push_back({"", joined(turn), marked});
    look.push_back(of_turn);
    turn.clear();
    of_turn = 0;
  }
  if (r.look.empty()) return;
  for (const double share : look) heard.look.push_back(share * static_cast<double>(look.size()));
}

// The dialogues with `count` inserted turns of others, flagged as distractions. The place of each
// is uniform over those before the last turn, where there is one.
std::vector<Dialogue> distracted(const std::string& path, const std::vector<Dialogue>& all,
                                 int count, uint64_t seed) {
  if (all.size() < 2) {
    throw DataError(path + ": --insert takes turns of other dialogues, and there is one only");
  }
  std::vector<Dialogue> result = all;
  for (size_t d = 0; d < all.size(); ++d) {
    Rng rng(seed, "gaps.distract", d);
    std::vector<Turn>& turns = result[d].turns;
    for (int i = 0; i < count && all[d].turns.size() > 1; ++i) {
      const std::vector<Turn>& other = all[(d + 1 + rng.below(all.size() - 1)) % all.size()].turns;
      const Turn& said = other[rng.below(other.size())];
      turns.insert(turns.begin() + static_cast<ptrdiff_t>(rng.below(turns.size())),
                   {said.speaker, said.text, /*distraction=*/true});
    }
  }
  return result;
}

class RewriteAnnotator : public Annotator, public Looker {
 public:
  RewriteAnnotator(std::shared_ptr<const LoadedGaps> gaps, const LossSettings& loss)
      : gaps_(std::move(gaps)), loss_(loss) {}
  std::string command() const override { return "rewrite"; }

  Annotated annotate(const std::string& data, const AnnotateOptions& o) const override {
    Annotated found{.path = find_dialogues(data, "test")};
    size_t left_out = 0;
    const auto dialogues = read_dialogues(found.path, Reading{.limit = o.limit, .notes = true});
    const std::vector<GapExample> examples =
        gap_examples(found.path, dialogues, bounds(), gaps_->vocabulary, false, &left_out);
    const std::vector<Rewrite> texts =
        rewrite(gaps_->model, examples, false, o.batch, reporter(o, "turn"));
    for (size_t i = 0; i < examples.size(); ++i) {
      found.lines += json_line(line_json(examples[i], texts[i]));
    }
    found.count = counted(examples.size(), "turn");
    if (left_out > 0) {
      found.remarks.push_back(counted(left_out, "dialogue") +
                              " left out: no turn before the last one, or more than " +
                              std::to_string(bounds().max_turn) + " words in it");
    }
    Json json = {{"inputs", {{"data", {{"fingerprint", fingerprint(dialogues)}}}}},
                 {"turns", examples.size()},
                 {"left_out", left_out}};
    if (std::none_of(examples.begin(), examples.end(),
                     [](const GapExample& e) { return e.rewritten.empty(); })) {
      const std::vector<Row> rows = measure(data, examples, texts, o.batch, found.remarks);
      for (const Row& row : rows) json[row.name] = to_json(row);
      found.table = [rows](int width) { return table_of(rows, width); };
    } else {
      found.remarks.push_back(data + ": has turns without \"rewritten\", so nothing is compared");
    }
    found.json = json.dump();
    return found;
  }

  std::string looks_by() const override { return "softmax of the scores of what may fill a gap"; }
  std::vector<Looked> looks(const std::string& data, const LookOptions& o) const override {
    const std::string path = find_dialogues(data, "test");
    std::vector<Dialogue> dialogues =
        read_dialogues(path, Reading{.limit = o.limit, .notes = true});
    Bounds bounds = this->bounds();
    if (o.insert > 0) {
      dialogues = distracted(path, dialogues, o.insert, o.seed);
      bounds.max_context *= 2;  // so that inserted turns push nothing out of it
    }
    const std::vector<GapExample> all =
        gap_examples(path, dialogues, bounds, gaps_->vocabulary, /*labelled=*/false);
    const auto ids = [&](size_t i) { return std::pair(all[i].id, all[i].id); };
    std::vector<GapExample> examples;
    for (const size_t i : chosen(all.size(), ids, o, data)) examples.push_back(all[i]);
    const std::vector<Rewrite> rewritten = rewrite(gaps_->model, examples, false, o.batch);
    std::vector<Looked> looks;
    for (size_t i = 0; i < examples.size(); ++i) {
      Looked& looked = looks.emplace_back(Looked{examples[i].id, {joined(rewritten[i].text)}});
      add_look(examples[i], rewritten[i], looked.heard);
      if (!examples[i].rewritten.empty()) looked.right = joined(examples[i].rewritten);
    }
    return looks;
  }

  TypedDialogue typed(const TypedOptions& o) const override {
    const auto dialogue = std::make_shared<Dialogue>();
    return {
        .greeting = o.model + " writes turns out. Say something; /help explains.",
        .help =
            "Type the turns of a conversation, of both sides. From the second one on you see what\n"
            "each says by itself, and what fills its gaps.",
        .reset = [dialogue] { dialogue->turns.clear(); },
        .hear = [this, dialogue](const std::string& line) -> Heard {
          dialogue->turns.push_back({"", line});
          const auto e = gap_example(*dialogue, bounds(), gaps_->vocabulary);
          if (!e) return {};
          const Rewrite r = rewrite(gaps_->model, {*e}, false, 1)[0];
          std::string text = "says: " + printable(joined(r.text)) + "\n";
          for (const Filled& f : r.gaps) text += "  " + printable(gap_text(*e, f)) + "\n";
          Heard heard{text};
          add_look(*e, r, heard);
          return heard;
        }};
  }

 private:
  const Bounds& bounds() const { return gaps_->model.config().bounds; }
  // The model, and the rules where there is a training part to count in.
  std::vector<Row> measure(const std::string& data, const std::vector<GapExample>& examples,
                           const std::vector<Rewrite>& found, int64_t batch,
                           std::vector<std::string>& remarks) const {
    const std::vector<Rewrite> given = rewrite(gaps_->model, examples, true, batch);
    const bool detects = loss_.detects(), ranks = loss_.ranks();
    std::vector<Row> rows = {
        {"model", measured(examples, found, given), detects, ranks, detects && ranks}};
    if (!has_part(data, "train")) {
      remarks.push_back(data + ": has no train part to count in, so the rules are left out");
      return rows;
    }
    const DataPart train = read_part(data, "train", {.notes = true});
    const Rules rules(
        gap_examples(train.path, train.dialogues, bounds(), gaps_->vocabulary, /*labelled=*/true));
    for (const auto& [name, rule] : kRules) {
      const std::vector<Rewrite> texts = rules.rewrite(rule, examples);
      rows.push_back({name, measured(examples, texts, texts), false, true, true});
    }
    return rows;
  }

  std::shared_ptr<const LoadedGaps> gaps_;
  LossSettings loss_;
};

}  // namespace

std::shared_ptr<const Annotator> annotator(std::shared_ptr<const LoadedGaps> gaps,
                                           const LossSettings& loss) {
  return std::make_shared<RewriteAnnotator>(std::move(gaps), loss);
}

}  // namespace heed::rewrite
