#include "dialog/text/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace heed {
namespace {

constexpr size_t kChunkBytes = LineReader::kAhead;
constexpr size_t kMagicBytes = 5;         // that tell what a file is
constexpr int kGzipWindowBits = 15 + 16;  // zlib: the largest window, with gzip header and trailer
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

class ByteSource {
 public:
  using Gzip = LineReader::Gzip;
  ByteSource(const std::string& path, Gzip gzip) : path_(path), input_(kChunkBytes, '\0') {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw DataError(path + ": cannot open: " + std::strerror(errno));
    try {
      start(gzip);
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  }
  ~ByteSource() {
    if (gzip_) ::inflateEnd(&stream_);
    ::close(descriptor_);
  }
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Up to `size` bytes; 0 at the end of the file.
  size_t read(char* out, size_t size) {
    if (gzip_) return inflate_to(out, size);
    if (available_ == 0) return read_raw(out, size);
    const size_t count = std::min(size, available_);
    std::memcpy(out, input_.data() + at_, count);
    at_ += count;
    available_ -= count;
    return count;
  }

 private:
  void start(Gzip gzip) {
    struct stat status;
    if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
      throw DataError(path_ + ": is a directory, not a file");
    }
    while (available_ < kMagicBytes) {  // a pipe may give one byte at a time
      const size_t count = read_raw(input_.data() + available_, input_.size() - available_);
      if (count == 0) break;
      available_ += count;
    }
    const std::string_view begin = std::string_view(input_).substr(0, available_);
    if (begin.starts_with("PK\3\4")) {
      throw DataError(path_ + ": a zip archive; unpack it (unzip) and give the file that is in it");
    }
    if (begin.starts_with("\xFD"
                          "7zXZ")) {
      throw DataError(path_ + ": xz data; unpack it (xz -dk) and give the file that comes out");
    }
    if (!begin.starts_with("\x1f\x8b")) return;
    if (gzip == Gzip::kRefuse) throw DataError(path_ + ": is gzip data, expected plain text");
    check_internal(::inflateInit2(&stream_, kGzipWindowBits) == Z_OK, "zlib: inflateInit2");
    gzip_ = true;
  }

  size_t read_raw(char* out, size_t size) {
    while (true) {
      const ssize_t count = ::read(descriptor_, out, size);
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EINTR) throw DataError(path_ + ": cannot read: " + std::strerror(errno));
    }
  }

  size_t inflate_to(char* out, size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {  // until there is something to give
      if (available_ == 0) {
        at_ = 0;
        available_ = read_raw(input_.data(), input_.size());
      }
      if (available_ == 0) {
        if (between_members_) return 0;
        throw DataError(path_ + ": the gzip data is cut off");
      }
      inflate_step();
    }
    return size - stream_.avail_out;
  }

  void inflate_step() {
    if (between_members_) ::inflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data() + at_);
    stream_.avail_in = static_cast<uInt>(available_);
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    at_ += available_ - stream_.avail_in;
    available_ = stream_.avail_in;
    if (status != Z_OK && status != Z_STREAM_END) {
      const bool garbage = members_ > 0 && stream_.total_out == 0;
      throw DataError(path_ + (garbage ? ": something else follows the gzip data"
                                       : ": the gzip data is damaged"));
    }
    between_members_ = status == Z_STREAM_END;
    members_ += between_members_;
  }

  std::string path_, input_;
  size_t at_ = 0, available_ = 0;  // the unread bytes of input_
  int descriptor_ = -1;
  bool gzip_ = false, between_members_ = false;
  int64_t members_ = 0;
  z_stream stream_ = {};
};

LineReader::LineReader(const std::string& path, Gzip gzip)
    : path_(path),
      source_(std::make_unique<ByteSource>(path, gzip)),
      buffer_(2 * kChunkBytes, '\0') {
  while (end_ < kByteOrderMark.size() && fill()) continue;
  if (std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) {
    begin_ = kByteOrderMark.size();
  }
}

LineReader::~LineReader() = default;

void LineReader::fail(const std::string& rule) const {
  const int64_t line = std::max<int64_t>(line_number_, 1);  // the first, before it is read
  throw DataError(path_ + ":" + std::to_string(line) + ": " + rule);
}

bool LineReader::next(std::string_view& line) {
  ++line_number_;
  size_t searched = 0;
  const char* newline = nullptr;
  while (true) {
    const char* begin = buffer_.data() + begin_;
    const size_t size = end_ - begin_;
    newline = static_cast<const char*>(std::memchr(begin + searched, '\n', size - searched));
    const size_t length = newline ? static_cast<size_t>(newline - begin) : size;
    if (length > kMaxLineBytes) {
      fail("the line is longer than " + std::to_string(kMaxLineBytes >> 20) + " MiB");
    }
    searched = size;
    if (newline || !fill()) break;
  }
  if (!newline && begin_ == end_) return false;

  const size_t length = newline ? newline - (buffer_.data() + begin_) : end_ - begin_;
  line = std::string_view(buffer_).substr(begin_, length);
  begin_ += length + (newline ? 1 : 0);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find('\0') != line.npos) fail("a zero byte, this is not a text file");
  return true;
}

bool LineReader::next_not_blank(std::string_view& line) {
  while (next(line)) {
    if (line.find_first_not_of(" \t\r\n") != line.npos) return true;
  }
  return false;
}

std::string_view LineReader::ahead() {
  while (end_ - begin_ < kChunkBytes && fill()) continue;
  return std::string_view(buffer_).substr(begin_, std::min(kChunkBytes, end_ - begin_));
}

bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kChunkBytes) buffer_.resize(2 * buffer_.size());
  const size_t count = source_->read(buffer_.data() + end_, kChunkBytes);
  end_ += count;
  return count > 0;
}

std::string read_text(const std::string& path, size_t max_bytes) {
  ByteSource source(path, LineReader::Gzip::kInflate);
  std::string text;
  for (size_t count = 1; count > 0;) {
    const size_t size = text.size();
    text.resize(size + kChunkBytes);
    count = source.read(text.data() + size, kChunkBytes);
    text.resize(size + count);
    if (text.size() > max_bytes) {
      throw DataError(path + ": the text is longer than " + std::to_string(max_bytes >> 20) +
                      " MiB");
    }
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

void refuse_pipe(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_fifo(path, ignored)) return;
  throw DataError(path + ": is a pipe, and would be read twice; give a file");
}

char first_sign(const std::string& path) {
  refuse_pipe(path);
  LineReader reader(path);
  const std::string_view begin = reader.ahead();
  const size_t at = begin.find_first_not_of(" \t\r\n");
  return at == begin.npos ? '\0' : begin[at];
}

// The time stamp in the header stays zero, so equal text gives equal files.
class TextWriter::Gzip {
 public:
  explicit Gzip(AtomicFile& file) : file_(file), output_(kChunkBytes, '\0') {
    const int status = ::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits,
                                      8, Z_DEFAULT_STRATEGY);
    check_internal(status == Z_OK, "zlib: deflateInit2");
  }
  ~Gzip() { ::deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {  // zlib counts in 32 bits
      const std::string_view part = text.substr(0, size_t{1} << 30);
      deflate_all(part, Z_NO_FLUSH);
      text.remove_prefix(part.size());
    }
  }
  void finish() { deflate_all({}, Z_FINISH); }

 private:
  void deflate_all(std::string_view text, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
      stream_.avail_out = static_cast<uInt>(output_.size());
      ::deflate(&stream_, flush);
      file_.write(std::string_view(output_).substr(0, output_.size() - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  AtomicFile& file_;
  std::string output_;
  z_stream stream_ = {};
};

TextWriter::TextWriter(const std::string& path) : file_(path) {
  if (path.ends_with(".gz")) gzip_ = std::make_unique<Gzip>(file_);
}

TextWriter::~TextWriter() = default;

void TextWriter::write(std::string_view text) {
  if (gzip_) {
    gzip_->write(text);
  } else {
    file_.write(text);
  }
}

void TextWriter::finish() {
  if (gzip_) gzip_->finish();
  gzip_.reset();
  file_.sync();
}

void TextWriter::commit() {
  finish();
  file_.commit();
}

}  // namespace heed
