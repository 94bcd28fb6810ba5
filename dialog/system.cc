#include "dialog/system.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "dialog/runs_of.h"
#include "dialog/text/format.h"
#include "train/run_json.h"

namespace heed {

const char* name_of(Capability capability) {
  const char* const kNames[] = {"respond", "rank", "tag", "classify", "encode", "answer"};
  return kNames[static_cast<int>(capability)];
}

std::string Training::end_text(const std::string& run) const {
  return "done: the best model is in " + run;
}

std::string line_text(const LineColumn& column, double value) {
  return std::string(column.title) + " " + decimal(value, column.digits);
}

std::string epoch_line(const EpochLog& e, bool best, const LineColumn* begin,
                       const LineColumn* end) {
  char text[32];
  std::snprintf(text, sizeof text, "epoch %2d", e.epoch);
  std::string line = text;
  for (const LineColumn* c = begin; c != end; ++c) {
    const bool of_epoch = std::string_view(c->metric) == "loss";
    line += "  " + line_text(*c, of_epoch ? e.loss : value_of(e.metrics, c->metric));
  }
  return line + (best ? "  best" : "");
}

bool System::has(Capability capability) const {
  return std::find(can.begin(), can.end(), capability) != can.end();
}

void check_same_data(bool same, const Paths& data, const std::string& run,
                     const std::string& limit) {
  if (same) return;
  const std::string others =
      limit.empty() ? "or files that have changed since, the run's vocabulary among them"
                    : "files that have changed since, the run's vocabulary among them, or another "
                      "limit (the run had " +
                          limit + ")";
  std::string paths;
  for (const std::string& path : data) paths += (paths.empty() ? "" : ",") + path;
  throw DataError(paths + ": not the dialogues that the run " + run +
                  " was started with: another --data, " + others);
}

uint32_t fingerprint(const Vocabulary& words, uint32_t crc) {
  for (int32_t id = 0; id < words.size(); ++id) crc = checksum(words.token(id) + "\n", crc);
  return crc;
}

Vocabulary load_words(const std::string& directory, int64_t size) {
  Vocabulary words = load_vocabulary(file_inside(directory, "vocab.txt"), size);
  check_words(directory, words);
  return words;
}

void check_words(const std::string& directory, const Vocabulary& words) {
  check_lines(directory, "vocab.txt", kWordsFingerprint, fingerprint(words));
}

void check_lines(const std::string& directory, const std::string& files, const char* key,
                 uint32_t found) {
  for (const char* file : {"config.json", "settings.json"}) {
    if (!has_file(directory, file)) continue;
    with_json(file_inside(directory, file), [&](const nlohmann::json& json) {
      const nlohmann::json trained = json.value(key, nlohmann::json());
      if (trained.is_null() || trained == found) return;
      throw DataError(in(directory, files) +
                      ": not the lines that the model was trained with, in their order (by " + key +
                      " in " + file + "); put back what was there");
    });
  }
}

}  // namespace heed
