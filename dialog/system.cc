#include "dialog/system.h"

#include <algorithm>

#include "base/error.h"

namespace heed {

const char* name_of(Capability capability) {
  const char* const kNames[] = {"respond", "rank", "tag", "classify", "encode"};
  return kNames[static_cast<int>(capability)];
}

std::string Training::end_text(const std::string& run) const {
  return "done: the best model is in " + run;
}

bool System::has(Capability capability) const {
  return std::find(can.begin(), can.end(), capability) != can.end();
}

void check_same_data(bool same, const Paths& data, const std::string& run,
                     const std::string& limit) {
  if (same) return;
  const std::string others =
      limit.empty() ? "or files that have changed since"
                    : "files that have changed since, or another limit (the run had " + limit + ")";
  std::string paths;
  for (const std::string& path : data) paths += (paths.empty() ? "" : ",") + path;
  throw DataError(paths + ": not the dialogues that the run " + run +
                  " was started with: another --data, " + others);
}

}  // namespace heed
