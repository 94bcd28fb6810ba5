// Items of slot carryover from the Schema-Guided Dialogue corpus (Rastogi et al., AAAI 2020).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dialog/carry/items.h"

namespace heed::carry {

// One item for every frame with a state of a user's turn. Its candidates are, in the order of their
// mentions, including those in the turn itself,
//   same service   every value of a slot in the actions of both speakers for the frame's service;
//                  no intents, and no REQUEST, SELECT, REQUEST_ALTS, INFORM_COUNT
//   cross service  every such value of another service whose slot k' matches a slot k of this
//                  service's schema, under the key k, once for each such k
// A candidate applies if the state has its slot with its value or canonical value, ignoring case.
// k' matches k if their values agreed at least kAgreements times in train, where each value counts
// once per item.
constexpr int kAgreements = 50;
using SlotPairs = std::map<std::string, std::set<std::string>>;  // k' -> the k

// A part: its folder with files dialogues*.json and schema.json as published, or a file of
// dialogues (JSON or JSON Lines, plain or gzip) and a schema.
struct SchemaGuidedPart {
  std::string dialogues, schema;
};
// Looks for both in a folder: PART/ and PART/schema.json, or PART.json, PART.jsonl (.gz) and
// PART_schema.json. "valid" may be called dev. Throws DataError if they are missing.
SchemaGuidedPart find_schema_guided(const std::string& folder, const std::string& part);

SlotPairs find_slot_pairs(const SchemaGuidedPart& train);
std::set<std::string> find_services(const SchemaGuidedPart& part);
// Items are `unseen` if their service is not among those of train. Throws DataError "file:
// dialogue N, turn T: ..." for files that differ from the published form.
void for_each_item(const SchemaGuidedPart& part, const SlotPairs& pairs,
                   const std::set<std::string>& services_of_train,
                   const std::function<void(Item)>& take);

}  // namespace heed::carry
