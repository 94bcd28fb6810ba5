#include "experiments/mediation/place_maps.h"

#include <algorithm>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "experiments/measure/places.h"
#include "experiments/mediation/mediation.h"

namespace heed::mediation {
namespace {

// "places.own.harm"
std::string place_key(size_t source, const std::string& number) {
  return "places." + std::string(kSources[source]) + "." + number;
}

constexpr size_t kMapRows = 20;  // longer histories are not drawn

// DAS ratios: a row for each length of the history, a column for each place in it.
std::string map_html(const VariantNumbers& numbers, size_t variant, size_t source) {
  std::string rows;
  size_t most = 0;
  for (size_t history = kLeastHistory; history <= kMapRows; ++history) {
    std::string cells;
    for (size_t place = 0; place <= history; ++place) {
      const std::string key =
          place_key(source, "map." + std::to_string(history) + "." + std::to_string(place) + ".");
      const auto look = numbers.get(variant, key + "look"),
                 rest = numbers.get(variant, key + "history_look");
      if (!look || !rest) break;
      const double ratio = *look / *rest, heat = std::clamp(ratio - 0.5, 0.0, 1.0);
      cells += "<td class=\"heat\" style=\"--heat:" + decimal(heat, 2) + "\">" + decimal(ratio, 2) +
               "</td>";
      most = std::max(most, place);
    }
    if (!cells.empty()) rows += "<tr><th>" + std::to_string(history) + "</th>" + cells + "</tr>\n";
  }
  if (rows.empty()) return "";
  std::string head = "<th>history</th>";
  for (size_t place = 0; place <= most; ++place) head += "<th>" + std::to_string(place) + "</th>";
  const std::string title =
      std::string(variants()[variant].structure.name) + ", as the data are: " + kSources[source];
  return "<h3>" + title + "</h3>\n" +
         scroll_html(title, "<table class=\"heatmap\"><thead><tr>" + head +
                                "</tr></thead>\n<tbody>" + rows + "</tbody></table>");
}

}  // namespace

void add_place_measures(std::vector<Measure>& measures) {
  for (size_t s = 0; s < kSources.size(); ++s) {
    const auto add = [&](const char* number, const std::string& top, const std::string& bottom) {
      measures.push_back(
          {.key = place_key(s, number), .top = top, .bottom = bottom, .later = true});
    };
    add("harm", place_key(s, "harms"), "places.tokens");
    add("harm_less_own", place_key(s, "harms_less_own"), "places.tokens");
    add("das_ratio", place_key(s, "looks"), place_key(s, "history_looks"));
    add("over_own", place_key(s, "looks"), place_key(kOwnSource, "looks"));
  }
}

std::string place_maps(const Findings& found) {
  const VariantNumbers numbers = mean_numbers(found.results);
  std::string html;
  for (size_t v = 0; v < variants().size(); ++v) {
    if (variants()[v].condition != Condition::kNone) continue;
    for (const size_t source : {kOwnSource, kForeignSource}) {
      html += map_html(numbers, v, source);
    }
  }
  if (html.empty()) return "";
  return "<p>The DAS ratio of an own and of a foreign utterance. A row is a length of the history, "
         "a column the number of utterances before the inserted one.</p>\n" +
         html;
}

}  // namespace heed::mediation
