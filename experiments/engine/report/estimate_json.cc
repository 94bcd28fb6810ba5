#include "experiments/engine/report/estimate_json.h"

#include "dialog/text/format.h"

namespace heed {

nlohmann::ordered_json to_json(const std::optional<Estimate>& e) {
  if (!e) return {};
  return {{"value", e->value}, {"low", e->interval.low}, {"high", e->interval.high}};
}

nlohmann::ordered_json interval_json(const std::optional<Estimate>& e) {
  if (!e) return {};
  return {{"low", e->interval.low}, {"high", e->interval.high}};
}

std::string interval_text(const std::optional<Estimate>& e, int digits, bool change) {
  if (!e) return "-";
  const auto number = [&](double x) { return (change && x > 0 ? "+" : "") + decimal(x, digits); };
  return number(e->value) + " [" + number(e->interval.low) + ", " + number(e->interval.high) + "]";
}

}  // namespace heed
