// Who works on a run: never two at once, and a dead worker's run is taken over.
#include "experiments/engine/runs/lease.h"

#include <sys/wait.h>

#include <atomic>

#include "base/file.h"
#include "tests/file_helpers.h"
#include "tests/wait.h"

namespace heed {
namespace {

constexpr LeaseOptions kSlow = {.beat = 10, .dead_after = 60};
constexpr LeaseOptions kFast = {.beat = 0.05, .dead_after = 1.5};
constexpr LeaseOptions kBeating = {.beat = 0.05, .dead_after = 600};

class LeaseTest : public testing::Test {
 protected:
  LeaseTest() { std::filesystem::create_directory(run()); }
  std::string run() const { return dir.path("run"); }
  bool has_owner(int n) const {
    return std::filesystem::exists(run() + "/owner-" + std::to_string(n));
  }
  // An owner file as another machine writes it.
  void foreign_owner(int n, int beat, const std::string& state = "held") const {
    dir.write("run/owner-" + std::to_string(n),
              "boot of-another-machine host there process 1\nbeat " + std::to_string(beat) + "\n" +
                  state + "\n");
  }
  const TempDir dir;
};

void sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST_F(LeaseTest, OneAtATime) {
  LeaseOffice a(kSlow), b(kSlow);
  auto lease = a.take(run());
  ASSERT_TRUE(lease);
  EXPECT_FALSE(lease->lost());
  EXPECT_FALSE(b.take(run()));
  EXPECT_FALSE(a.take(run()));
  EXPECT_NE(dir.read("run/owner-1").find("\nheld"), std::string::npos);
  lease.reset();
  EXPECT_NE(dir.read("run/owner-1").find("\nreleased"), std::string::npos);
  EXPECT_TRUE(b.take(run()));
  EXPECT_TRUE(has_owner(2));
}

// A link in the place of the new owner's file leads to nothing that is written.
TEST_F(LeaseTest, FollowsNoLink) {
  const std::string other = dir.write("other", "mine");
  std::filesystem::create_symlink(other, run() + "/owner-1.new-" + process_name());
  LeaseOffice office(kSlow);
  EXPECT_TRUE(office.take(run()));
  EXPECT_EQ(dir.read("other"), "mine");
}

TEST_F(LeaseTest, ADeadProcessOfThisMachineIsFollowedAtOnce) {
  const pid_t id = fork();
  if (id == 0) {
    LeaseOffice office(kSlow);
    const auto lease = office.take(run());
    _exit(lease ? 0 : 1);  // without releasing anything
  }
  int status = 0;
  waitpid(id, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  EXPECT_NE(dir.read("run/owner-1").find("\nheld"), std::string::npos);
  LeaseOffice office(kSlow);
  EXPECT_TRUE(office.take(run()));
}

TEST_F(LeaseTest, AnotherMachineThatGivesNoSignIsFollowedAfterAWhile) {
  foreign_owner(7, 1);
  LeaseOffice office(kFast);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point first_look = Clock::now();
  EXPECT_FALSE(office.take(run()));
  sleep(0.6);
  foreign_owner(7, 2);  // it lives
  const Clock::time_point sign = Clock::now();
  EXPECT_FALSE(office.take(run()));
  EXPECT_TRUE(wait_until([&] { return office.take(run()) != nullptr; }));
  const auto since = [](Clock::time_point t) {
    return std::chrono::duration<double>(Clock::now() - t).count();
  };
  EXPECT_GE(since(sign), kFast.dead_after);
  EXPECT_GE(since(first_look), kFast.dead_after + 0.6);
  EXPECT_TRUE(has_owner(8));
}

TEST_F(LeaseTest, AnotherMachineThatReleasedIsFollowedAtOnce) {
  foreign_owner(1, 5, "released");
  LeaseOffice office(kSlow);
  EXPECT_TRUE(office.take(run()));
}

TEST_F(LeaseTest, AnEmptyOwnerFileCountsAsAliveForAWhile) {
  dir.write("run/owner-1", "");
  LeaseOffice office(kFast);
  EXPECT_FALSE(office.take(run()));
  sleep(1.6);
  EXPECT_TRUE(office.take(run()));
}

TEST_F(LeaseTest, ASignOfLifeChangesTheFile) {
  LeaseOffice office(kBeating);
  const auto lease = office.take(run());
  const std::string before = dir.read("run/owner-1");
  EXPECT_TRUE(wait_until([&] { return dir.read("run/owner-1") != before; }));
  EXPECT_EQ(before.size(), dir.read("run/owner-1").size());
}

TEST_F(LeaseTest, IsLostToAHigherNumber) {
  LeaseOffice office(kBeating);
  const auto lease = office.take(run());
  ASSERT_FALSE(lease->lost());
  foreign_owner(2, 1);
  EXPECT_TRUE(wait_until([&] { return lease->lost(); }));
}

// Before anybody else may take the run: half the time that others wait.
TEST_F(LeaseTest, IsLostWithoutASign) {
  LeaseOffice office({.beat = 10, .dead_after = 2});
  auto lease = office.take(run());
  EXPECT_FALSE(lease->lost());
  sleep(1.1);
  EXPECT_TRUE(lease->lost());
  lease.reset();  // of what another may have, nothing is said any more
  EXPECT_EQ(dir.read("run/owner-1").find("\nreleased"), std::string::npos);
}

// Longer than it would last without a sign.
TEST_F(LeaseTest, IsKeptByItsSigns) {
  LeaseOffice office({.beat = 0.05, .dead_after = 3});
  const auto lease = office.take(run());
  sleep(1.7);
  EXPECT_FALSE(lease->lost());
}

// A sign that could not be written is none.
TEST_F(LeaseTest, IsLostWhereSignsCannotBeWritten) {
  LeaseOffice office({.beat = 0.02, .dead_after = 0.5});
  const auto lease = office.take(run());
  const FilesUpTo bytes(0);
  EXPECT_TRUE(wait_until([&] { return lease->lost(); }));
}

// Many processes go for a run whose owner is dead, again and again. Every second time each one
// removes the lock's file first, so that they do not share the lock, as machines whose network does
// not know locks: then only the numbers of the owner files are left, and no two get the same one.
TEST_F(LeaseTest, NoTwoTakeOverUnderTheSameNumber) {
  constexpr int kRounds = 20, kProcesses = 6;
  int before = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> ids;
    for (int i = 0; i < kProcesses; ++i) {
      const pid_t id = fork();
      if (id == 0) {
        if (round % 2) unlink((run() + "/lock").c_str());
        LeaseOffice office(kSlow);
        const auto lease = office.take(run());
        if (lease) sleep(0.02);
        _exit(lease ? 1 : 0);
      }
      ids.push_back(id);
    }
    int won = 0;
    for (pid_t id : ids) {
      int status = 0;
      waitpid(id, &status, 0);
      won += WEXITSTATUS(status);
    }
    int last = before;
    while (has_owner(last + 1)) ++last;
    EXPECT_GE(won, 1);
    EXPECT_EQ(last - before, won) << round;
    before = last;
  }
}

}  // namespace
}  // namespace heed
