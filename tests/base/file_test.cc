#include "base/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <list>

#include "base/error.h"
#include "base/machine.h"
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

// As of any program, the mask decides who may read a file.
TEST(AtomicFile, MayBeReadByWhomTheMaskAllows) {
  const TempDir dir;
  const mode_t before = ::umask(027);
  write_file(dir.path("f"), "x");
  ::umask(before);
  struct stat status;
  ASSERT_EQ(::stat(dir.path("f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

// Processes with the same number in two containers, or on two machines, have other names too: the
// first part is of the place.
TEST(ProcessName, IsThatOfOneProcess) {
  const TempDir dir;
  const std::string mine = process_name(), id = std::to_string(::getpid());
  EXPECT_EQ(process_name(), mine);
  ASSERT_TRUE(mine.ends_with("-" + id)) << mine;
  EXPECT_EQ(mine.size(), 8 + 1 + id.size()) << mine;
  const pid_t child = ::fork();
  if (child == 0) {
    std::ofstream(dir.path("name")) << process_name();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(dir.read("name"), mine.substr(0, 9) + std::to_string(child));
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  TempDir dir;
  const std::string path = dir.write("f", "old");
  { AtomicFile(path).write(std::string(200'000, 'x')); }
  EXPECT_EQ(dir.read("f"), "old");
  EXPECT_EQ(dir.count_files(), 1u);
}

TEST(AtomicFile, TheHandlerOfASignalRemovesWhatIsHalfWritten) {
  const TempDir dir;
  write_file(dir.path("whole"), "x");
  AtomicFile first(dir.path("first")), again(dir.path("again"));
  first.write("y");
  { AtomicFile(dir.path("gone")).write("z"); }
  EXPECT_EQ(dir.count_files(), 3u);
  remove_half_written_files();
  EXPECT_EQ(dir.count_files(), 1u);
  EXPECT_EQ(dir.read("whole"), "x");
  // more of them at a time than it can remember: they are written as any
  std::list<AtomicFile> many;
  for (int i = 0; i < 40; ++i) many.emplace_back(dir.path(std::to_string(i)));
  for (AtomicFile& file : many) file.commit();
  remove_half_written_files();
  EXPECT_EQ(dir.count_files(), 41u);
}

// The name of the temporary file that the next AtomicFile of "f" has.
std::string next_temporary() {
  const TempDir dir;
  const AtomicFile file(dir.path("f"));
  const std::string name = std::filesystem::directory_iterator(dir.path(""))->path().filename();
  const size_t number = name.rfind('-') + 1;
  return name.substr(0, number) + std::to_string(std::stoi(name.substr(number)) + 1);
}

TEST(AtomicFile, TakesOverTheTemporaryFileOfAKilledProcess) {
  TempDir dir;
  dir.write(next_temporary(), "a longer text that was cut off");
  write_file(dir.path("f"), "new");
  EXPECT_EQ(dir.read("f"), "new");
  EXPECT_EQ(dir.count_files(), 1u);
}

TEST(AtomicFile, SeveralOfOnePathAreEachWhole) {
  const TempDir dir;
  AtomicFile first(dir.path("f")), second(dir.path("f"));
  first.write("first");
  second.write(std::string(100'000, 'x'));  // a part of it is in its file by now
  check_writable(dir.path("f"));
  first.commit();
  EXPECT_EQ(dir.read("f"), "first");
  second.commit();
  EXPECT_EQ(dir.read("f"), std::string(100'000, 'x'));
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
            dir.path("no/f") + ": cannot write: there is no folder " + dir.path("no"));
}

TEST(AtomicFile, ReportsAWriteThatFails) {
  const TempDir dir;
  dir.write("f", "old");
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // so that it is an error and not a signal
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{100'000, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error =
      error_of<DataError>([&] { write_file(dir.path("f"), std::string(200'000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(error, dir.path("f") + ": cannot write: File too large");
  EXPECT_EQ(dir.read("f"), "old");
  EXPECT_EQ(dir.count_files(), 1u);
}

// In a folder from a stranger.
TEST(AtomicFile, FollowsNoLinkInPlaceOfTheTemporaryFile) {
  const TempDir dir;
  dir.write("precious", "mine");
  std::filesystem::create_symlink(dir.path("precious"), dir.path(next_temporary()));
  write_file(dir.path("f"), "new");
  EXPECT_EQ(dir.read("precious"), "mine");
  EXPECT_EQ(dir.read("f"), "new");
}

TEST(MakeDirectory, WithThoseAboveIt) {
  const TempDir dir;
  for (const char* name : {"a/b/c", "a/b/c", "a/b/d/", "e/../f", "a/./g"}) {
    make_directory(dir.path(name));
    EXPECT_TRUE(std::filesystem::is_directory(dir.path(name))) << name;
  }
  dir.write("file", "mine");
  for (const std::string& wrong :
       {dir.path("file"), dir.path("file/below/it"), std::string("/proc/none"), std::string()}) {
    const std::string text = error_of<DataError>([&] { make_directory(wrong); });
    EXPECT_EQ(text.rfind(wrong + ": cannot be made: ", 0), 0u) << text;
  }
  EXPECT_EQ(dir.read("file"), "mine");
}

TEST(FileInside, LeadsNowhereElse) {
  const TempDir dir;
  dir.write("model/a", "x");
  dir.write("outside", "y");
  std::filesystem::create_symlink(dir.path("outside"), dir.path("model/out"));
  std::filesystem::create_symlink("a", dir.path("model/in"));
  std::filesystem::create_symlink("nowhere", dir.path("model/dangling"));
  std::filesystem::create_symlink("../nowhere", dir.path("model/far"));
  std::filesystem::create_symlink("far", dir.path("model/farther"));
  std::filesystem::create_symlink("loop", dir.path("model/loop"));
  std::filesystem::create_symlink("model", dir.path("link"));
  const auto error = [&](const std::string& directory, const std::string& name) {
    return error_of<DataError>([&] { file_inside(dir.path(directory), name); });
  };
  for (const std::string directory : {"model", "link"}) {
    for (const char* name : {"a", "in", "missing", "dangling", "loop"}) {
      EXPECT_EQ(error(directory, name), "no error") << name;
    }
    for (const std::string name : {"out", "../outside", "far"}) {
      EXPECT_EQ(error(directory, name), dir.path(directory + "/" + name) +
                                            ": leads out of its directory; put the file itself "
                                            "there");
    }
  }
  EXPECT_NE(error("model", "farther"), "no error");
  EXPECT_NE(error("model", dir.path("outside")), "no error");
  EXPECT_NE(error("model", ".."), "no error");
  EXPECT_NE(error("model", "."), "no error");
}

TEST(CheckWritable, SaysWhatWriteFileWouldSayAndLeavesNothing) {
  TempDir dir;
  check_writable(dir.path("new"));
  EXPECT_EQ(dir.count_files(), 0u);
  check_writable(dir.write("old", "mine"));
  EXPECT_EQ(dir.read("old"), "mine");
  EXPECT_EQ(dir.count_files(), 1u);
  EXPECT_EQ(error_of<DataError>([&] { check_writable(dir.path("no/such")); }),
            error_of<DataError>([&] { write_file(dir.path("no/such"), "x"); }));
}

// ---- what the machine has
// ---------------------------------------------------------------------------

TEST(UsableMemory, IsThatOfTheMachineOrOfTheGroupsAboveTheProcess) {
  TempDir dir;
  const auto memory = [&](const std::string& own) {
    return usable_memory(dir.write("own", own), dir.path("groups"));
  };
  const double machine = usable_memory(dir.path("none"), dir.path("none"));
  EXPECT_GT(machine, 1 << 20);
  EXPECT_EQ(memory("0::/job/step\n"), machine);  // no such files
  // version 2: of all groups above
  dir.write("groups/memory.max", "max\n");
  dir.write("groups/job/memory.max", "3000000\n");
  dir.write("groups/job/step/memory.max", "4000000\n");
  EXPECT_EQ(memory("0::/job/step\n"), 3e6);
  EXPECT_EQ(memory("0::/job\n"), 3e6);
  EXPECT_EQ(memory("0::/other/step\n"), machine);
  // in a container the path is that of the host
  dir.write("groups/memory.max", "2000000\n");
  EXPECT_EQ(memory("0::/not/here\n"), 2e6);
  // version 1: a hierarchy for each controller, a huge number for none
  dir.write("groups/memory/memory.limit_in_bytes", "9223372036854771712\n");
  dir.write("groups/memory/batch/memory.limit_in_bytes", "1000000\n");
  EXPECT_EQ(memory("7:cpu,cpuacct:/batch\n6:memory:/batch\n1:name=systemd:/batch\n"), 1e6);
  EXPECT_EQ(memory("6:memory:/\n"), machine);
  EXPECT_EQ(memory("nonsense\n\n"), machine);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need more themselves
TEST(UsableMemory, IsThatOfTheAddressSpaceWhereThatIsLess) {
  const auto memory = [] { return usable_memory("/none", "/none"); };
  const double machine = memory();
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &limit), 0);
  const rlimit half{static_cast<rlim_t>(machine / 2), limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &half), 0);
  const double limited = memory();
  setrlimit(RLIMIT_AS, &limit);
  EXPECT_EQ(limited, static_cast<double>(half.rlim_cur));
  EXPECT_EQ(memory(), machine);
}
#endif

TEST(SizeText, IsInWholeUnits) {
  EXPECT_EQ(size_text(0), "0 KiB");
  EXPECT_EQ(size_text(1024), "1 KiB");
  EXPECT_EQ(size_text((1 << 20) - 1), "1023 KiB");
  EXPECT_EQ(size_text(1 << 20), "1 MiB");
  EXPECT_EQ(size_text(5.9 * (1 << 20)), "5 MiB");
  EXPECT_EQ(size_text(4096.0 * (1 << 20)), "4096 MiB");
}

TEST(UsableProcessors, AreTheWholeOnesOfTheSmallestQuota) {
  TempDir dir;
  const auto processors = [&](const std::string& own) {
    return usable_processors(dir.write("own", own), dir.path("groups"));
  };
  const int machine = usable_processors(dir.path("none"), dir.path("none"));
  EXPECT_GE(machine, 1);
  EXPECT_EQ(processors("0::/job\n"), machine);  // no such files
  // version 2
  dir.write("groups/cpu.max", "max 100000\n");
  EXPECT_EQ(processors("0::/job\n"), machine);
  dir.write("groups/job/cpu.max", "190000 100000\n");
  EXPECT_EQ(processors("0::/job/step\n"), 1);
  dir.write("groups/job/cpu.max", "50000 100000\n");  // less than one
  EXPECT_EQ(processors("0::/job\n"), 1);
  dir.write("groups/job/cpu.max", "100000000 100000\n");  // more than there are
  EXPECT_EQ(processors("0::/job\n"), machine);
  for (const char* nonsense : {"", "max", "100000", "100000 0", "x y"}) {
    dir.write("groups/job/cpu.max", nonsense);
    EXPECT_EQ(processors("0::/job\n"), machine) << nonsense;
  }
  // version 1
  dir.write("groups/cpu/cpu.cfs_quota_us", "-1\n");
  dir.write("groups/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors("7:cpu,cpuacct:/batch\n6:memory:/batch\n"), machine);
  dir.write("groups/cpu/batch/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(processors("7:cpu,cpuacct:/batch\n"), machine);  // of no period
  dir.write("groups/cpu/batch/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors("7:cpu,cpuacct:/batch\n6:memory:/batch\n"), 1);
}

}  // namespace
}  // namespace heed
