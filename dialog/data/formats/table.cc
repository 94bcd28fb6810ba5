#include "dialog/data/formats/table.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "base/error.h"
#include "base/list.h"

namespace heed {
namespace {

using Fields = std::vector<std::string>;

size_t place_of(const CsvReader& csv, const Fields& header, const std::string& name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) {
    csv.fail("there is no column \"" + name + "\"; there are: " + joined(header).substr(0, 300));
  }
  if (std::count(found, header.end(), name) > 1) csv.fail("two columns are \"" + name + "\"");
  return static_cast<size_t>(found - header.begin());
}

}  // namespace

std::vector<Dialogue> read_rows(CsvReader& csv, const Fields& header, const Columns& columns,
                                const std::string& file, const Reading& reading) {
  const size_t text = place_of(csv, header, columns.text);
  const bool speakers = !columns.speaker.empty();
  const size_t speaker = speakers ? place_of(csv, header, columns.speaker) : 0;
  std::vector<size_t> keys;
  for (const std::string& name : columns.dialogue) keys.push_back(place_of(csv, header, name));
  std::vector<Dialogue> dialogues;
  std::unordered_map<std::string, size_t> places;
  for (Fields fields; csv.next(fields, header);) {
    std::string id = keys.empty() ? file + ":1" : fields[keys[0]];
    for (size_t i = 1; i < keys.size(); ++i) id += "/" + fields[keys[i]];
    const auto [place, is_new] = places.try_emplace(id, places.size());
    if (is_new) {
      if (reading.enough(dialogues.size())) break;
      dialogues.push_back({id, {}});
    }
    Dialogue& dialogue = dialogues[place->second];
    if (speakers) {
      add_message(dialogue, fields[speaker], fields[text]);
    } else if (!is_blank(fields[text])) {
      dialogue.turns.push_back({"", fields[text]});
    }
  }
  return dialogues;
}

std::vector<Dialogue> read_table(const std::string& path, const Columns& columns,
                                 const Reading& reading) {
  CsvReader csv(path);
  csv.find_separator();
  Fields header;
  if (!csv.next(header)) throw DataError(path + ": is empty");
  const std::string file = std::filesystem::path(path).filename().string();
  std::vector<Dialogue> dialogues = read_rows(csv, header, columns, file, reading);
  if (dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return dialogues;
}

}  // namespace heed
