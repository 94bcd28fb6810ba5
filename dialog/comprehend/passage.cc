#include "dialog/comprehend/passage.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "base/path.h"
#include "base/utf8.h"

namespace heed::comprehend {

void Passage::add_turn(const std::string& speaker, const std::string& said) {
  if (!text.empty()) text += ' ';
  PassageTurn turn{speaker, text.size(), 0, 0};
  if (!speaker.empty()) text += speaker + ": ";
  turn.said = text.size();
  text += said;
  turn.end = text.size();
  turns.push_back(std::move(turn));
}

const PassageTurn& Passage::turn_at(size_t byte) const {
  const auto behind = std::upper_bound(turns.begin(), turns.end(), byte,
                                       [](size_t b, const PassageTurn& t) { return b < t.begin; });
  return behind == turns.begin() ? turns.front() : *(behind - 1);
}

Passage passage_of(const Dialogue& dialogue) {
  Passage passage{.id = dialogue.id};
  for (const Turn& turn : dialogue.turns) passage.add_turn(turn.speaker, turn.text);
  return passage;
}

size_t Corpus::questions() const {
  size_t count = 0;
  for (const Passage& p : passages) count += p.questions.size();
  return count;
}

size_t Corpus::unplaced() const {
  size_t count = 0;
  for (const Passage& p : passages) {
    count +=
        static_cast<size_t>(std::ranges::count_if(p.questions, std::not_fn(&Question::placed)));
  }
  return count;
}

namespace {

namespace fs = std::filesystem;

void append(Corpus& to, Corpus from) {
  to.leave_one_out = to.leave_one_out || from.leave_one_out;
  to.left_out += from.left_out;
  std::move(from.passages.begin(), from.passages.end(), std::back_inserter(to.passages));
}

// The JSON files of a folder whose names hold one of the words, in the order of their names.
std::vector<std::string> files_of(const std::string& folder,
                                  const std::vector<const char*>& words) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json") && !name.ends_with(".json.gz")) continue;
    const auto in_name = [&](const char* word) { return name.find(word) != name.npos; };
    if (words.empty() || std::any_of(words.begin(), words.end(), in_name)) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The only file of a part.
const std::string& only(const std::vector<std::string>& files) {
  if (files.size() == 1) return files[0];
  throw DataError(files[1] + ": is of the same part as " + files[0] + "; a part is one file");
}

// Every `of`-th passage, those with the numbers from `first` to before `end`, goes to another part.
void deal(Corpus&& all, size_t of, const std::vector<std::pair<Corpus*, size_t>>& ends) {
  for (const auto& [part, end] : ends) {
    part->leave_one_out = all.leave_one_out;
    part->left_out = all.left_out;
  }
  for (size_t i = 0; i < all.passages.size(); ++i) {
    for (const auto& [part, end] : ends) {
      if (i % of >= end) continue;
      part->passages.push_back(std::move(all.passages[i]));
      break;
    }
  }
}

}  // namespace

Parts read_parts(const std::vector<std::string>& data, size_t limit) {
  Parts parts;
  Corpus all;
  for (const std::string& path : data) {
    if (!path_exists(path)) throw DataError(path + ": no such file or directory");
    if (!is_folder(path)) {
      append(all, read_passages(path, limit));
      continue;
    }
    const auto train = files_of(path, {"train", "trn"}), dev = files_of(path, {"dev", "val"}),
               test = files_of(path, {"test", "tst"}), every = files_of(path, {});
    if (every.empty()) throw DataError(path + ": holds no .json or .json.gz file of questions");
    if (train.empty()) {
      for (const std::string& file : every) append(all, read_passages(file, limit));
      continue;
    }
    if (data.size() > 1) throw UsageError(path + ": has parts of its own; give it alone");
    if (dev.empty() && test.empty()) throw DataError(path + ": has no dev, val or test part");
    Corpus learned = read_passages(only(train), limit);
    parts.test = read_passages(only(test.empty() ? dev : test), limit);
    if (!test.empty() && !dev.empty()) {
      parts.train = std::move(learned);
      parts.valid = read_passages(only(dev), limit);
    } else {
      deal(std::move(learned), 20, {{&parts.train, 19}, {&parts.valid, 20}});
    }
  }
  parts.divided = !all.passages.empty();
  if (parts.divided) {
    deal(std::move(all), 10, {{&parts.train, 7}, {&parts.valid, 8}, {&parts.test, 10}});
  }
  return parts;
}

void require_training(const Parts& parts, const std::string& data) {
  if (!parts.train.passages.empty() && !parts.valid.passages.empty()) {
    if (parts.train.unplaced() < parts.train.questions()) return;
    throw DataError(data + ": no training question has its answer in the passage");
  }
  throw DataError(data + ": too few passages: one of " + (parts.divided ? "ten" : "20") +
                  " is for validation");
}

void require_test(const Parts& parts, const std::string& data) {
  if (parts.test.questions() > 0) return;
  throw DataError(
      data + ": no question to test" +
      (parts.divided ? "; two of ten passages, the ninth and the tenth, are for the test" : ""));
}

}  // namespace heed::comprehend
