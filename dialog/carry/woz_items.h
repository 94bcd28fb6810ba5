// Items of slot carryover from WOZ 2.0 (Wen et al., EACL 2017; Mrkšić et al., ACL 2017).
#pragma once

#include <functional>
#include <string>

#include "dialog/carry/items.h"

namespace heed::carry {

// Whether a folder holds WOZ 2.0 as published: woz_train_en.json or woz_train_en.json.gz.
bool is_woz(const std::string& folder);
// The file of a part, train, valid ("validate" in its name) or test. Throws DataError if there is
// none.
std::string find_woz(const std::string& folder, const std::string& part);

// One item for every turn of the user. Its candidates are the slots and values of the "turn_label"
// of the user's turns so far, in their order, without requests. A candidate applies if the state
// after the turn ("belief_state", informed slots) has its slot with its value, ignoring case but
// not blanks (" expensive" in test is none). Throws DataError "file: dialogue N, turn T: ..." for
// files that differ from the published form.
void for_each_woz_item(const std::string& path, const std::function<void(Item)>& take);

}  // namespace heed::carry
