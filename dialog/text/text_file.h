// Text files line by line, plain or gzip.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"

namespace heed {

constexpr size_t kMaxLineBytes = size_t{16} << 20;

class ByteSource;  // the bytes of a file after decompression

// Reads the lines of a file. Gzip (one member or several) is recognised by the first two bytes, not
// by the name. Memory is bounded by the longest line. Throws DataError if the file is missing or a
// directory, a line is longer than kMaxLineBytes or has a zero byte, or the gzip data is damaged,
// truncated or followed by something else; a zip or xz archive is refused with a hint.
class LineReader {
 public:
  enum class Gzip { kInflate, kRefuse };  // with kRefuse gzip data is a DataError
  explicit LineReader(const std::string& path, Gzip gzip = Gzip::kInflate);
  ~LineReader();

  // The next line without its "\n" or "\r\n", valid until the next call; false after the last one.
  bool next(std::string_view& line);
  bool next_not_blank(std::string_view& line);  // without those of white space alone

  // The next bytes without consuming them: kAhead, fewer only at the end of the file.
  static constexpr size_t kAhead = size_t{1} << 17;
  std::string_view ahead();

  int64_t line_number() const { return line_number_; }
  [[noreturn]] void fail(const std::string& rule) const;  // DataError "path:line: rule"

 private:
  bool fill();

  std::string path_;
  std::unique_ptr<ByteSource> source_;
  std::string buffer_;
  size_t begin_ = 0, end_ = 0;  // the unread bytes of buffer_
  int64_t line_number_ = 0;
};

// The whole text of a file, plain or gzip, without a byte order mark. Throws DataError as
// LineReader does for the file and its gzip data, and if the text has more than max_bytes.
std::string read_text(const std::string& path, size_t max_bytes);

// Throws DataError for a pipe, which gives its bytes once; before a file is read that another
// reader opens again.
void refuse_pipe(const std::string& path);

// The first character of a file's text that is not white space, 0 if there is none: '{' and '['
// begin JSON. Throws DataError for a pipe, and as LineReader does for the file and its gzip data.
char first_sign(const std::string& path);

// Writes a text file atomically (see AtomicFile), as gzip if its name ends in ".gz".
class TextWriter {
 public:
  explicit TextWriter(const std::string& path);
  ~TextWriter();
  void write(std::string_view text);
  void finish();  // no more is written, and all of it is on the disk
  void commit();

 private:
  class Gzip;
  AtomicFile file_;
  std::unique_ptr<Gzip> gzip_;  // until finish()
};

// Commits files that belong together: on a full disk none of them.
template <class Writers> void commit_all(Writers& writers) {
  for (auto& writer : writers) writer.finish();
  for (auto& writer : writers) writer.commit();
}

}  // namespace heed
