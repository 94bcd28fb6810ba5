// The training that is tortured: some steps on the bundled dialogues, with a checkpoint after each.
#pragma once

#include <string>
#include <vector>

#include "tests/torture/process.h"

namespace torture {

struct Settings {
  std::string heed;  // the program
  std::string data;  // a directory with train and valid
  std::string fault_library;
};

extern const std::vector<std::string> kStructures;
extern const Arguments kTiny, kLarger;  // sizes: of milliseconds; of some MiB

// One kind of training, and what it ends with where nothing happens to it.
class Training {
 public:
  Training(const Settings& settings, const std::string& structure, int threads,
           const Arguments& sizes = kTiny);

  // The command for the run in a folder; starts it or goes on with it.
  Arguments command(const std::string& out) const;
  // Conditions under which the fault (see fault.cc) strikes below the folder.
  Conditions with_fault(const std::string& out, const std::string& fault) const;
  // Goes on without any fault. Empty if it ends well, and else what happened.
  std::string resume(const std::string& out) const;
  // Empty if the run is, byte for byte, what an undisturbed run ends with; else what differs.
  std::string difference(const std::string& out) const;

  const std::string& name() const { return name_; }
  double seconds() const { return seconds_; }  // that the undisturbed one took
  int calls() const { return calls_; }         // of it that change a file
  long bytes() const { return bytes_; }        // that it leaves, about

 private:
  std::vector<std::string> result(const std::string& out) const;

  const Settings& settings_;
  const std::string structure_, name_;
  const int threads_;
  const Arguments sizes_;
  std::vector<std::string> expected_;
  double seconds_ = 0;
  int calls_ = 0;
  long bytes_ = 0;
};

}  // namespace torture
