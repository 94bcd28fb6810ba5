#include "dialog/text/word_vectors.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/number.h"
#include "dialog/text/format.h"
#include "dialog/text/text_file.h"

namespace heed {
namespace {

constexpr int64_t kMostNumbers = 65536;  // of a word; more is another kind of file

std::string_view without_blanks_behind(std::string_view line) {
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

// Cuts the last word off; false if there is no blank before it.
bool take_last(std::string_view& line, std::string_view& last) {
  const size_t blank = line.rfind(' ');
  if (blank == line.npos) return false;
  last = line.substr(blank + 1);
  line = line.substr(0, blank);
  return true;
}

template <class Number> bool parse(std::string_view text, Number& value) {
  const auto number = number_in<Number>(text);
  value = number.value_or(0);
  return number && std::isfinite(value);
}

// Reads the lines behind the header of word2vec and fastText, if there is one.
class Lines {
 public:
  explicit Lines(const std::string& path) : reader_(path) {
    if (!read()) reader_.fail("no words");
    if (std::count(line_.begin(), line_.end(), ' ') == 1) {  // "400000 300"
      std::string_view rest = line_, width;
      double words, numbers;
      if (take_last(rest, width) && parse(rest, words) && parse(width, numbers)) {
        if (!read()) reader_.fail("no words behind the first line");
        promised_ = words, promised_width_ = numbers;
      }
    }
    width_ = std::count(line_.begin(), line_.end(), ' ');
    if (promised_ >= 0 && promised_width_ != static_cast<double>(width_)) {
      reader_.fail("expected " + decimal(promised_width_, 0) + " numbers, as the first line says");
    }
    if (width_ < 1 || width_ > kMostNumbers) {
      reader_.fail("expected a word and its numbers, with single blanks between");
    }
  }

  int64_t width() const { return width_; }

  // The word of the current line and its numbers, which go to `values`. A word may hold blanks.
  std::string_view word(float* values) const {
    std::string_view rest = line_, number;
    for (int64_t i = width_ - 1; i >= 0; --i) {
      if (!take_last(rest, number) || !parse(number, values[i])) {
        reader_.fail("expected a word and " + counted(width_, "finite number"));
      }
    }
    return rest;
  }
  bool next() {
    ++words_;
    const bool more = read();
    if (!more && promised_ >= 0 && promised_ != words_) {
      reader_.fail("expected " + decimal(promised_, 0) + " words, as the first line says, got " +
                   decimal(words_, 0));
    }
    return more;
  }

 private:
  bool read() {
    std::string_view line;
    if (!reader_.next(line)) return false;
    line_ = without_blanks_behind(line);
    return true;
  }

  LineReader reader_;
  std::string_view line_;
  int64_t width_ = 0;
  double promised_ = -1, promised_width_ = 0, words_ = 0;  // by the header, and read
};

}  // namespace

WordVectors read_word_vectors(const std::string& path, const Vocabulary& vocabulary) {
  Lines lines(path);
  WordVectors vectors{.width = lines.width()};
  std::vector<float> values(static_cast<size_t>(lines.width()));
  std::vector<bool> seen(static_cast<size_t>(vocabulary.size()));
  do {
    const int32_t id = vocabulary.id_of_word(lines.word(values.data()));
    if (id < kSpecialTokens || seen[id]) continue;
    seen[id] = true;
    vectors.ids.push_back(id);
    vectors.values.insert(vectors.values.end(), values.begin(), values.end());
  } while (lines.next());
  return vectors;
}

int64_t word_vector_width(const std::string& path) {
  refuse_pipe(path);
  return Lines(path).width();
}

}  // namespace heed
