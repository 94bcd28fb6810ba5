// Lines of a plain or gzip file.
#include "dialog/text/text_file.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const heed::fuzz::InputFile file(data, size);
  heed::fuzz::tolerate([&] {
    heed::LineReader reader(file.path());
    std::string_view line;
    int64_t lines = 0;
    while (reader.next(line)) {
      heed::fuzz::must(++lines == reader.line_number());
      heed::fuzz::must(line.size() <= heed::kMaxLineBytes);
      heed::fuzz::must(line.find('\n') == line.npos && line.find('\0') == line.npos);
    }
  });
  return 0;
}
