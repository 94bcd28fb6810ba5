// The published forms of question corpora. Only passage.cc and the readers include this header.
#pragma once

#include <nlohmann/json.hpp>

#include "dialog/comprehend/passage.h"

namespace heed::comprehend {

// A member of a file, which knows its position: "data[3].qas[0].answers[1]". The functions throw
// DataError "path: place: rule" for a member that is missing or of another type.
class Node {
 public:
  using Json = nlohmann::json;
  Node(const std::string& path, const Json& value, std::string place)
      : path_(path), value_(value), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& rule) const;
  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  const Json& json() const { return value_; }
  Node at(const char* key) const;  // a member of an object
  std::vector<Node> list() const;  // of an array
  std::vector<Node> list(const char* key) const { return at(key).list(); }
  const std::string& text(const char* key) const;
  int64_t number(const char* key) const;
  bool flag(const char* key) const;

 private:
  const std::string& path_;
  const Json& value_;
  std::string place_;
};

}  // namespace heed::comprehend
