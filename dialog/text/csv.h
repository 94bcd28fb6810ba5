// Records of a CSV file (RFC 4180), plain or gzip.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/text/text_file.h"

namespace heed {

class CsvReader {
 public:
  // Throws DataError as LineReader does.
  explicit CsvReader(const std::string& path) : lines_(path) {}

  // The fields of the next record; false after the last one. Blank lines are not records. Throws
  // DataError "file:line: ..." for quotes that are not as in RFC 4180 and for text that is not
  // UTF-8.
  bool next(std::vector<std::string>& fields);
  // The same; the record must have as many fields as the header.
  bool next(std::vector<std::string>& fields, const std::vector<std::string>& header);

  // Chooses the separator of fields: that of , ; and tab which is most frequent in the first line.
  void find_separator();

  [[noreturn]] void fail(const std::string& rule) const { lines_.fail(rule); }

 private:
  bool next_line();
  void read_field(std::string& field);
  void read_quoted(std::string& field);

  LineReader lines_;
  char separator_ = ',';
  std::string_view line_;  // the rest of the current line
  size_t bytes_ = 0;       // of the current record
};

}  // namespace heed
