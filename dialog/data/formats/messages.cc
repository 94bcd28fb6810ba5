#include "dialog/data/formats/corpora.h"

#include <filesystem>
#include <set>

#include "base/error.h"
#include "dialog/data/formats/records_json.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// The names of members, as each of the two families of data sets has them.
struct Form {
  const char *messages, *role, *content;
};
constexpr Form kOpenAi = {"messages", "role", "content"};
constexpr Form kShareGpt = {"conversations", "from", "value"};

std::string text_of(const JsonRecord& record, const Json& message, const Form& form) {
  const auto content = message.find(form.content);
  if (content == message.end() || content->is_null()) return "";  // a call of a tool
  if (!content->is_array()) return record.text(message, form.content);
  std::string text;
  for (const Json& part : *content) {
    if (part.contains("text")) text += (text.empty() ? "" : " ") + record.text(part, "text");
  }
  return text;
}

std::string id_of(const JsonRecord& record, const std::string& otherwise) {
  const auto id = record.json().find("id");
  if (id == record.json().end() || id->is_null()) return otherwise;
  return id->is_number() ? id->dump() : record.text(record.json(), "id");
}

void read_message(const JsonRecord& record, const Json& message, const Form& form,
                  Published& corpus) {
  static const std::set<std::string> silent = {"system", "developer", "tool", "function"};
  const std::string& role = record.text(message, form.role);
  const std::string text = text_of(record, message, form);
  if (silent.contains(role)) {
    ++corpus.left_out["messages of the roles system, developer, tool and function"];
  } else if (is_blank(text)) {
    ++corpus.left_out["messages without text"];
  } else {
    add_message(corpus.dialogues.back(), role, text);
  }
}

}  // namespace

Published read_messages(const std::string& path, const Reading& reading) {
  const std::string file = std::filesystem::path(path).filename().string();
  Published corpus;
  std::vector<Dialogue>& dialogues = corpus.dialogues;
  read_records(path, Braces::kLines, [&](JsonRecord& record) {
    const Json& json = record.json();
    const bool is_message = json.contains("role") && !json.contains("messages");
    if (!is_message || dialogues.empty()) {
      if (reading.enough(dialogues.size())) return false;
      dialogues.push_back({id_of(record, file + ":" + std::to_string(dialogues.size() + 1)), {}});
    }
    if (is_message) return read_message(record, json, kOpenAi, corpus), true;
    const Form& form = json.contains(kShareGpt.messages) ? kShareGpt : kOpenAi;
    size_t number = 0;
    for (const Json& message : record.list(json, form.messages)) {
      record.in_turn(++number);
      read_message(record, message, form, corpus);
    }
    return true;
  });
  if (dialogues.empty()) throw DataError(path + ": holds no dialogue");
  return corpus;
}

}  // namespace heed
