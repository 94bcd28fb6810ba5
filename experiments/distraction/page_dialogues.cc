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
  bool first;  // of its group

  std::string css() const { return first ? "heat first" : "heat"; }
};

// Every structure with and without distractions in training, and static-ui with them but without
// the attention loss; the first of several seeds.
std::vector<Model> models_of(const Results& results) {
  std::vector<Model> models;
  const auto add = [&](const std::string& structure, double p, bool loss, const char* label) {
    const auto variant = find_variant(structure, p, loss);
    const auto runs = variant ? results.of(*variant) : std::vector<const RunResult*>();
    const bool first = models.empty() || models.back().group != structure;
    if (!runs.empty()) models.push_back({runs[0], structure, label, first});
  };
  for (const Structure& s : paper_structures()) {
    add(std::string(s.name), 0, true, "p = 0");
    add(std::string(s.name), 0.7, false, "no loss");
    add(std::string(s.name), 0.7, true, "p = 0.7");
  }
  return models;
}

std::string head_html(const std::vector<Model>& models) {
  std::string groups = "<thead><tr><td></td>", names = "<tr><th scope=\"col\">Utterance</th>";
  for (size_t m = 0; m < models.size(); ++m) {
    const Model& model = models[m];
    names += std::string("<th scope=\"col\"") + (model.first ? " class=\"first\">" : ">") +
             escape(model.label) + "</th>";
    if (!model.first) continue;
    size_t end = m + 1;
    while (end < models.size() && !models[end].first) ++end;
    groups += "<th class=\"group\" scope=\"colgroup\" colspan=\"" + std::to_string(end - m) +
              "\">" + escape(model.group) + "</th>";
  }
  return groups + "</tr>\n" + names + "</tr></thead>\n";
}

// Half of the full colour for an average utterance, the full colour from twice the average on.
std::string heat_html(double as, const Model& model) {
  const double part = std::isfinite(as) ? std::clamp(as / 2, 0.0, 1.0) : 0;
  return "<td class=\"" + model.css() + "\" style=\"--heat:" + decimal(part, 2) + "\">" +
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
  for (const Model& model : models) {
    const Series& scores = model.run->numbers.series(sample_key(dialogue, "as_scores"));
    html += heat_html(scores[k].value_or(NAN), model);
  }
  return html + "</tr>\n";
}

std::string ratios_html(size_t dialogue, const std::vector<Model>& models) {
  std::string html = "<tr class=\"ratio\"><th scope=\"row\">DAS ratio</th>";
  for (const Model& model : models) {
    const auto ratio = model.run->numbers.value(sample_key(dialogue, "das_ratio"));
    html +=
        "<td class=\"" + model.css() + "\">" + (ratio ? decimal(*ratio, 2) : "&#8211;") + "</td>";
  }
  return html + "</tr>\n";
}

std::string answers_html(const SampleDialogue& d, size_t dialogue,
                         const std::vector<Model>& models) {
  std::string html = "<dl class=\"answers\">\n" + answer_html("human response", d.response);
  for (const Model& m : models) {
    html += answer_html(all_variants()[m.run->run.variant].name.name,
                        m.run->numbers.text(sample_key(dialogue, "response")));
  }
  return html + "</dl>\n";
}

}  // namespace

std::string dialogues_html(const DistractionFound& found) {
  if (found.samples.dialogues.empty())
    return note_html("The texts are not kept with these results.");
  const std::vector<Model> models = models_of(found.results);
  std::string html = note_html(
      "The first short dialogues of the test part, with distractions (" + found.samples.set +
      "). Numbers are attention scores in %: 100 is an average utterance; the stronger the "
      "colour, the more attention. no loss: p = 0.7 without the attention loss. Responses are "
      "greedy, to the dialogue without distractions.");
  for (size_t i = 0; i < found.samples.dialogues.size(); ++i) {
    const SampleDialogue& d = found.samples.dialogues[i];
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
