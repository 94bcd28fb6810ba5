#include "dialog/respond/verify.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.h"
#include "dialog/respond/config.h"
#include "dialog/respond/das.h"
#include "dialog/respond/loss.h"
#include "optim/optim.h"

namespace heed {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxSteps = 1000;

// Compares numbers of one kind. The floor keeps numbers that are 0 up to rounding from counting:
// attention weights come from exp(), whose relative error grows with the score.
class Comparison {
 public:
  Comparison(std::string kind, double tolerance, double floor = 1e-6)
      : floor_(floor), row_{std::move(kind), 0, 0, tolerance, ""} {}

  void compare(const std::string& where, const Json& expected, double got) {
    if (!expected.is_number()) throw DataError(where + ": expected.json holds no number");
    const double value = expected.get<double>();
    const double error = std::abs(value - got) / std::max(std::abs(value), floor_);
    ++row_.count;
    if (error <= row_.max_error) return;
    row_.max_error = std::isnan(error) ? INFINITY : error;
    std::ostringstream text;
    text.precision(9);
    text << where << ": expected " << value << ", got " << got;
    row_.worst = text.str();
  }
  // What a model without attention has not is null.
  void compare(const std::string& where, const Json& expected, const std::optional<double>& got) {
    if (!got && !expected.is_null()) throw DataError(where + ": expected.json holds a number");
    if (got) compare(where, expected, *got);
  }
  void compare(const std::string& where, const Json& expected, const std::vector<double>& got) {
    if (!expected.is_array() || expected.size() != got.size()) {
      throw DataError(where + ": expected.json does not hold " + std::to_string(got.size()) +
                      " numbers");
    }
    for (size_t i = 0; i < got.size(); ++i) {
      compare(where + " [" + std::to_string(i) + "]", expected[i], got[i]);
    }
  }
  const VerifyRow& row() const { return row_; }

 private:
  double floor_;
  VerifyRow row_;
};

const Json& at(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) {
    throw DataError("expected.json: '" + std::string(key) + "' is missing");
  }
  return json[key];
}

void compare_scores(const Json& expected, const std::vector<DialogueScore>& scores,
                    double tolerance, std::vector<VerifyRow>& rows) {
  Comparison nll("nll", tolerance), as("as_scores", tolerance),
      attention("attention_loss", tolerance), das("das_ratio", tolerance);
  const Json& dialogs = at(expected, "dialogs");
  if (!dialogs.is_array() || dialogs.size() != scores.size()) {
    throw DataError("expected.json: does not hold " + std::to_string(scores.size()) + " dialogs");
  }
  for (size_t i = 0; i < scores.size(); ++i) {
    const DialogueScore& s = scores[i];
    const Json& d = dialogs[i];
    if (at(d, "id") != s.id) throw DataError("expected.json: dialogue " + s.id + " is missing");
    nll.compare(s.id + " nll", at(d, "nll"), s.nll);
    as.compare(s.id + " as_scores", at(d, "as_scores"), s.as_scores);
    attention.compare(s.id + " attention_loss", at(d, "attention_loss"), s.attention_loss);
    const Json& ratio = at(d, "das_ratio");
    if (ratio.is_null() != !s.das_ratio) {
      throw DataError("expected.json: " + s.id + " das_ratio is null on one side only");
    }
    das.compare(s.id + " das_ratio", ratio, s.das_ratio);
  }
  const ScoreSummary summary = summarize(scores);
  das.compare("das_ratio", at(expected, "das_ratio"), summary.das_ratio);
  rows.push_back(nll.row());
  for (const Comparison* c : {&as, &attention, &das}) {
    if (summary.as_history) rows.push_back(c->row());  // else the model has no attention
  }
  const auto compare = [&](const char* key, const std::optional<double>& value) {
    Comparison of_all(key, tolerance);
    of_all.compare(key, at(expected, key), value);
    if (value) rows.push_back(of_all.row());
  };
  compare("perplexity", summary.perplexity);
  compare("mean_das_ratio", summary.mean_das_ratio);
  compare("as_distraction", summary.as_distraction);
  compare("as_history", summary.as_history);
}

double loss_and_gradient(Responder& model, const Batch& batch) {
  zero_grad(model);
  const Var loss = training_loss(batch, model.teach(batch), /*lambda=*/1.0);
  loss.backward();
  return loss.value().item();
}

// The first steps of an optimiser on the batch, as expected[name] has them. Leaves the model as it
// was.
void compare_steps(const Json& expected, const char* name, Optimizer& optimizer, Responder& model,
                   const Batch& batch, double tolerance, std::vector<VerifyRow>& rows) {
  const Json& steps = at(expected, name);
  const double max_norm = at(steps, "max_norm");
  if (at(steps, "loss").size() > kMaxSteps) {
    throw DataError(std::string("expected.json: too many steps of ") + name);
  }
  const std::vector<NamedParameter> all = parameters(model);
  std::vector<Tensor> start;
  for (const NamedParameter& p : all) start.push_back(p.var.value().clone());
  std::vector<double> losses, norms;
  for (size_t step = 0; step < at(steps, "loss").size(); ++step) {
    losses.push_back(loss_and_gradient(model, batch));
    norms.push_back(grad_norm(all));
    optimizer.step({.scale = clip_scale(norms.back(), max_norm)});
  }
  for (size_t i = 0; i < all.size(); ++i) all[i].var.set_value(start[i]);
  for (const auto& [key, values] : {std::pair("loss", losses), std::pair("grad_norm", norms)}) {
    const std::string row = std::string(name) + " " + key;
    Comparison comparison(row, tolerance);
    comparison.compare(row, at(steps, key), values);
    rows.push_back(comparison.row());
  }
}

void compare_training(const Json& expected, Responder& model, const Batch& batch, double tolerance,
                      double step_tolerance, std::vector<VerifyRow>& rows) {
  // Some gradients are 0 but for rounding (of a key's bias: a softmax does not see it). They count
  // against the largest one.
  constexpr double kFloor = 1e-4;
  double largest = 0;
  for (const Json& norm : at(expected, "grad_norm")) {
    if (norm.is_number()) largest = std::max(largest, norm.get<double>());
  }
  Comparison loss("loss", tolerance), norms("grad_norm", tolerance, kFloor * largest);
  loss.compare("loss", at(expected, "loss"), loss_and_gradient(model, batch));
  const std::vector<NamedParameter> all = parameters(model);
  const Json& expected_norms = at(expected, "grad_norm");
  if (expected_norms.size() != all.size()) {
    throw DataError("expected.json: grad_norm does not hold " + std::to_string(all.size()) +
                    " parameters");
  }
  for (const NamedParameter& p : all) {
    norms.compare("grad_norm " + p.name, at(expected_norms, p.name.c_str()), grad_norm({p}));
  }
  for (const Comparison* c : {&loss, &norms}) rows.push_back(c->row());
  Sgd sgd(model, {.rate = at(at(expected, "sgd"), "lr")});
  compare_steps(expected, "sgd", sgd, model, batch, step_tolerance, rows);
  if (!expected.contains("adam")) return;
  Adam adam(model, {.rate = at(expected["adam"], "lr")});
  compare_steps(expected, "adam", adam, model, batch, step_tolerance, rows);
}

}  // namespace

std::vector<VerifyRow> verify_case(const std::string& directory, DType dtype, Device device) {
  const std::filesystem::path folder(directory);
  const std::string path = (folder / "expected.json").string();
  const Json expected = Json::parse(read_file(path, 1 << 28), nullptr, false);
  if (!expected.is_object()) throw DataError(path + ": not a JSON object");
  LoadedModel loaded = load_model(directory);
  convert(*loaded.model, dtype);
  move(*loaded.model, device);
  const ExampleOptions everything{.max_turns = 0,
                                  .max_utterance_tokens = 0,
                                  .max_response_tokens = 0,
                                  .conditions = loaded.model->config().conditions()};
  const auto dialogues = read_dialogues((folder / "dialogs.jsonl").string(), {.notes = true});
  const auto examples = make_examples(dialogues, loaded.vocabulary, everything);

  const bool f64 = dtype == DType::f64;
  const double tolerance = f64 ? 1e-10 : 2e-5, step_tolerance = f64 ? 1e-10 : 3e-4;
  std::vector<VerifyRow> rows;
  try {
    compare_scores(expected, score(*loaded.model, examples, 4), tolerance, rows);
    const Batch batch = make_batch(pointers(examples), loaded.model->parts(), device);
    compare_training(expected, *loaded.model, batch, tolerance, step_tolerance, rows);
  } catch (const Json::exception&) {
    throw DataError(path + ": a value has the wrong type");
  } catch (const UsageError& e) {  // a rate or norm that SGD refuses
    throw DataError(path + ": " + e.what());
  }
  return rows;
}

}  // namespace heed
