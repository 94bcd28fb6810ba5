#include "dialog/text/csv.h"

#include <algorithm>

#include "base/utf8.h"

namespace heed {

constexpr size_t kMaxFields = 1000;  // of a record

bool CsvReader::next(std::vector<std::string>& fields) {
  do {
    if (!next_line()) return false;
  } while (line_.empty());
  fields.clear();
  bytes_ = line_.size();
  while (true) {
    if (fields.size() == kMaxFields) fail("more than " + std::to_string(kMaxFields) + " fields");
    read_field(fields.emplace_back());
    if (line_.empty()) return true;
    line_.remove_prefix(1);  // the separator
  }
}

bool CsvReader::next(std::vector<std::string>& fields, const std::vector<std::string>& header) {
  if (!next(fields)) return false;
  if (fields.size() != header.size()) {
    fail("a row has " + std::to_string(header.size()) + " fields, got " +
         std::to_string(fields.size()));
  }
  return true;
}

void CsvReader::find_separator() {
  const std::string_view ahead = lines_.ahead(), first = ahead.substr(0, ahead.find('\n'));
  if (first.starts_with('{') || first.starts_with('[')) {
    fail("looks like JSON, not like a table; try heed prepare messages");
  }
  const auto count = [&](char c) { return std::count(first.begin(), first.end(), c); };
  for (const char c : {';', '\t'}) {
    if (count(c) > count(separator_)) separator_ = c;
  }
}

bool CsvReader::next_line() {
  if (!lines_.next(line_)) return false;
  if (!is_utf8(line_)) fail("the text is not UTF-8");
  bytes_ += line_.size() + 1;
  return true;
}

// Up to the separator behind it or the end of the line.
void CsvReader::read_field(std::string& field) {
  if (line_.starts_with('"')) return read_quoted(field);
  field = line_.substr(0, line_.find(separator_));
  line_.remove_prefix(field.size());
  if (field.find('"') != field.npos) fail("a quote inside a field that is not quoted");
}

// A quoted field may go on over several lines; "" in it stands for one quote.
void CsvReader::read_quoted(std::string& field) {
  const int64_t opened = lines_.line_number();
  line_.remove_prefix(1);
  while (true) {
    const size_t quote = line_.find('"');
    field += line_.substr(0, quote);
    if (quote == line_.npos) {
      field += '\n';
      if (bytes_ > kMaxLineBytes || !next_line()) {
        fail("the quote that opens in line " + std::to_string(opened) + " is not closed" +
             (bytes_ > kMaxLineBytes ? " within 16 MiB" : ""));
      }
      continue;
    }
    line_.remove_prefix(quote + 1);
    if (line_.empty() || line_.front() == separator_) return;
    if (line_.front() != '"') {
      const char* separator = separator_ == ',' ? "comma" : separator_ == ';' ? "semicolon" : "tab";
      fail("a closing quote must be followed by a " + std::string(separator));
    }
    field += '"';
    line_.remove_prefix(1);
  }
}

}  // namespace heed
