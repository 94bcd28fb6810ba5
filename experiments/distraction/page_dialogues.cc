// The sample dialogues: the attention of several variants, and their answers.
#include <algorithm>
#include <cmath>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "experiments/distraction/experiment.h"

namespace heed {
namespace {

// A column of the heat maps.
struct Model {
  const RunResult* run;
  std::string group, label;
};

// Every structure with and without distractions in training, and static-ui with them but without
// the attention loss; the first of several seeds.
std::vector<Model> models_of(const DistractionResults& results) {
  std::vector<Model> models;
  const auto add = [&](const Structure& s, double p, bool loss, const char* label) {
    const auto variant = find_variant(s.name, p, loss);
    const auto runs = variant ? results.of(*variant) : std::vector<const RunResult*>();
    if (!runs.empty()) models.push_back({runs[0], std::string(s.name), label});
  };
  for (const Structure& s : paper_structures()) {
    add(s, 0, true, "p = 0");
    add(s, 0.7, false, "no loss");
    add(s, 0.7, true, "p = 0.7");
  }
  return models;
}

std::string head_html(const std::vector<Model>& models) {
  std::string html = "<thead><tr><td></td>";
  for (size_t m = 0; m < models.size();) {
    size_t end = m;
    while (end < models.size() && models[end].group == models[m].group) ++end;
    html += "<th class=\"group\" scope=\"colgroup\" colspan=\"" + std::to_string(end - m) + "\">" +
            escape(models[m].group) + "</th>";
    m = end;
  }
  html += "</tr>\n<tr><th scope=\"col\">Utterance</th>";
  for (size_t m = 0; m < models.size(); ++m) {
    const bool first = m == 0 || models[m].group != models[m - 1].group;
    html += std::string("<th scope=\"col\"") + (first ? " class=\"first\">" : ">") +
            escape(models[m].label) + "</th>";
  }
  return html + "</tr></thead>\n";
}

// Half of the full colour for an average utterance, the full colour from twice the average on.
std::string heat_html(double as, bool first) {
  const double part = std::isfinite(as) ? std::clamp(as / 2, 0.0, 1.0) : 0;
  return std::string("<td class=\"heat") + (first ? " first" : "") +
         "\" style=\"--heat:" + decimal(part, 2) + "\">" +
         (std::isfinite(as) ? decimal(100 * as, 0) : "-") + "</td>";
}

std::string utterance_html(const SampleDialogue& d, size_t dialogue, size_t k,
                           const std::vector<Model>& models) {
  const bool query = k + 1 == d.context.size(), alien = d.context[k].distraction;
  std::string html = alien ? "<tr class=\"alien\">" : query ? "<tr class=\"query\">" : "<tr>";
  html += "<th scope=\"row\" dir=\"auto\">";
  if (alien) html += "<span class=\"tag\">&#10007; distraction</span> ";
  if (query) html += "<span class=\"tag\">query</span> ";
  html += "<bdi>" + escape(d.context[k].text) + "</bdi></th>";
  for (size_t m = 0; m < models.size(); ++m) {
    const bool first = m == 0 || models[m].group != models[m - 1].group;
    const Series& scores = models[m].run->numbers.series(sample_key(dialogue, "as_scores"));
    html += heat_html(scores[k].value_or(NAN), first);
  }
  return html + "</tr>\n";
}

std::string ratios_html(size_t dialogue, const std::vector<Model>& models) {
  std::string html = "<tr class=\"ratio\"><th scope=\"row\">DAS ratio</th>";
  for (size_t m = 0; m < models.size(); ++m) {
    const bool first = m == 0 || models[m].group != models[m - 1].group;
    const auto ratio = models[m].run->numbers.value(sample_key(dialogue, "das_ratio"));
    html += std::string("<td class=\"heat") + (first ? " first" : "") + "\">" +
            (ratio ? decimal(*ratio, 2) : "&#8211;") + "</td>";
  }
  return html + "</tr>\n";
}

std::string answers_html(const SampleDialogue& d, size_t dialogue,
                         const std::vector<Model>& models) {
  std::string html = "<dl class=\"answers\">\n" + answer_html("human response", d.response);
  for (const Model& m : models) {
    html += answer_html(all_variants()[m.run->run.variant].name(),
                        m.run->numbers.text(sample_key(dialogue, "response")));
  }
  return html + "</dl>\n";
}

}  // namespace

std::string dialogues_html(const DistractionResults& results) {
  const std::vector<Model> models = models_of(results);
  std::string html;
  for (size_t i = 0; i < results.samples.size(); ++i) {
    const SampleDialogue& d = results.samples[i];
    std::string table = "<table class=\"heatmap\">\n" + head_html(models) + "<tbody>\n";
    for (size_t k = 0; k < d.context.size(); ++k) table += utterance_html(d, i, k, models);
    table += ratios_html(i, models) + "</tbody></table>";
    html += "<article class=\"card\"><h3>" + escape(d.id) + "</h3>\n" +
            scroll_html("Attention scores of " + d.id, table) + answers_html(d, i, models) +
            "</article>\n";
  }
  return html;
}

}  // namespace heed
