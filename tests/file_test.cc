#include "tensor/file.h"

#include <sys/stat.h>

#include "tensor/error.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

TEST(ReadFile, GivesAllBytes) {
  TempDir dir;
  std::string bytes("a\0b\n", 4);
  bytes.resize(300'000, 'x');
  EXPECT_EQ(read_file(dir.write("f", bytes), 300'000), bytes);
  EXPECT_EQ(read_file(dir.write("empty", ""), 0), "");
}

TEST(ReadFile, RefusesWhatIsTooLarge) {
  TempDir dir;
  const std::string path = dir.write("f", "12345");
  EXPECT_EQ(read_file(path, 5), "12345");
  EXPECT_EQ(error_of<DataError>([&] { read_file(path, 4); }),
            path + ": too large, at most 4 bytes are allowed");
}

TEST(ReadFile, NamesThePathAndTheReason) {
  TempDir dir;
  EXPECT_EQ(error_of<DataError>([&] { read_file(dir.path("no"), 9); }),
            dir.path("no") + ": cannot open: No such file or directory");
  EXPECT_EQ(error_of<DataError>([&] { read_file(dir.path(""), 9); }),
            dir.path("") + ": is a directory, not a file");
}

// The size of such a file is not known before it is read.
TEST(ReadFile, ReadsFilesWithoutSize) {
  EXPECT_NE(read_file("/proc/self/status", 1 << 20), "");
}

TEST(AtomicFile, ReplacesTheFileOnlyOnCommit) {
  TempDir dir;
  const std::string path = dir.write("f", "old");
  {
    AtomicFile file(path);
    file.write("new ");
    file.write(std::string(200'000, 'x'));
    EXPECT_EQ(dir.read("f"), "old");
    EXPECT_EQ(dir.count_files(), 2u);
    file.commit();
  }
  EXPECT_EQ(dir.read("f"), "new " + std::string(200'000, 'x'));
  EXPECT_EQ(dir.count_files(), 1u);
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  TempDir dir;
  const std::string path = dir.write("f", "old");
  { AtomicFile(path).write(std::string(200'000, 'x')); }
  EXPECT_EQ(dir.read("f"), "old");
  EXPECT_EQ(dir.count_files(), 1u);
}

TEST(AtomicFile, TakesOverTheTemporaryFileOfAKilledProcess) {
  TempDir dir;
  dir.write("f.tmp-" + std::to_string(::getpid()), "a longer text that was cut off");
  write_file(dir.path("f"), "new");
  EXPECT_EQ(dir.read("f"), "new");
  EXPECT_EQ(dir.count_files(), 1u);
}

TEST(AtomicFile, RefusesWhatIsNoRegularFile) {
  TempDir dir;
  std::filesystem::create_directory(dir.path("folder"));
  EXPECT_EQ(error_of<DataError>([&] { write_file(dir.path("folder"), "x"); }),
            dir.path("folder") + ": cannot write: exists and is not a regular file");
  EXPECT_EQ(error_of<DataError>([&] { write_file("/dev/null", "x"); }),
            "/dev/null: cannot write: exists and is not a regular file");
  EXPECT_EQ(error_of<DataError>([&] { write_file(dir.path("no/f"), "x"); }),
            dir.path("no/f") + ": cannot write: No such file or directory");
}

TEST(AtomicFile, ReportsAFullDisk) {
  // /dev/full cannot be renamed over, but a link named like the temporary file leads to it.
  TempDir dir;
  std::filesystem::create_symlink("/dev/full", dir.path("f.tmp-" + std::to_string(::getpid())));
  EXPECT_EQ(error_of<DataError>([&] { write_file(dir.path("f"), "x"); }),
            dir.path("f") + ": cannot write: No space left on device");
  EXPECT_EQ(dir.count_files(), 0u);
}

}  // namespace
}  // namespace heed
