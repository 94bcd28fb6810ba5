#include "dialog/discriminate/responses_file.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"
#include "train/strict_json.h"

namespace heed::discriminate {
namespace {

using Json = nlohmann::json;

struct Line {
  std::string id, response;
};

const std::string& text_at(const LineReader& lines, const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_string()) {
    lines.fail("\"" + std::string(key) + "\" must be a string");
  }
  return found->get_ref<const std::string&>();
}

constexpr const char* kExpected =
    "expected a JSON object {\"id\": ..., \"response\": ...} or a dialogue";

Line parse(const LineReader& lines, const Json& json) {
  const std::string id = text_at(lines, json, "id");
  if (json.contains("response")) return {id, text_at(lines, json, "response")};
  const auto turns = json.find("turns");
  if (turns == json.end() || !turns->is_array() || turns->empty()) {
    lines.fail("there is neither \"response\" nor a list \"turns\" that is not empty");
  }
  return {id, text_at(lines, turns->back(), "text")};
}

using Places = std::map<std::string, size_t>;

Places places_of(const std::string& path, const std::vector<Passage>& passages) {
  Places places;
  for (size_t i = 0; i < passages.size(); ++i) {
    for (const std::string* id : {&passages[i].id, &passages[i].dialogue_id}) {
      if (id->empty() || places.emplace(*id, i).second) continue;
      throw DataError(path + ": two passages have the id \"" + *id +
                      "\"; give one corpus at a time");
    }
  }
  return places;
}

}  // namespace

Responses read_responses(const std::string& path, const std::vector<Passage>& passages,
                         const Vocabulary& vocabulary, const PassageOptions& options,
                         UnfitResponses& unfit) {
  const Places places = places_of(path, passages);
  Responses responses(passages.size());
  std::set<size_t> given;
  std::set<std::vector<std::string>> seen;
  size_t kept = 0;
  LineReader lines(path);
  for (Json json; next_object(lines, json, kExpected);) {
    const Line line = parse(lines, json);
    const auto place = places.find(line.id);
    if (place == places.end()) {
      ++unfit.no_passage;
      continue;
    }
    if (!given.insert(place->second).second) {
      lines.fail("a second response to " + passages[place->second].id);
    }
    const std::vector<std::string> words = tokenize(line.response);
    const auto size = words.size();
    TokenIds tokens = vocabulary.encode(words);
    if (line.response.find("<unk>") != line.response.npos) {
      ++unfit.unknown;
    } else if (size < static_cast<size_t>(options.min_tokens) ||
               size > static_cast<size_t>(options.max_tokens)) {
      ++unfit.length;
    } else if (!seen.insert(words).second) {
      ++unfit.repeated;
    } else if (tokens == passages[place->second].response) {
      ++unfit.as_said;
    } else {
      responses[place->second] = std::move(tokens);
      ++kept;
    }
  }
  if (kept == 0) {
    throw DataError(path + ": holds no response to a passage: of other dialogues " +
                    std::to_string(unfit.no_passage) + ", with <unk> " +
                    std::to_string(unfit.unknown) + ", too short or long " +
                    std::to_string(unfit.length) + ", as said " + std::to_string(unfit.as_said));
  }
  return responses;
}

}  // namespace heed::discriminate
