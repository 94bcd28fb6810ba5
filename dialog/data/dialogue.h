// Dialogues, and the annotations that a corpus has besides their text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Annotations: the name of a label, such as "act" or "state", and its values.
using Labels = std::map<std::string, std::vector<std::string>>;

// A member that is rarely used: one pointer wide, empty until it is edited, copied with its owner.
template <class T> class Rare {
 public:
  Rare() = default;
  ~Rare() = default;
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare&&) noexcept = default;
  Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Rare& operator=(const Rare& other) {
    if (this != &other) *this = Rare(other);
    return *this;
  }

  const T* operator->() const {
    static const T kNone;
    return value_ ? value_.get() : &kNone;
  }
  bool defined() const { return value_ != nullptr; }
  T& edit() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

struct TurnNotes {
  Labels labels;
  std::vector<std::string> candidates;  // wrong answers, given beside the turn's text
};

struct DialogueNotes {
  Labels labels;    // of the whole dialogue, such as its topic
  Labels personas;  // sentences about a speaker, by name
};

struct Turn {
  std::string speaker, text;
  bool distraction = false;  // an utterance from elsewhere
  Rare<TurnNotes> notes = {};
};

struct Dialogue {
  std::string id;
  std::vector<Turn> turns;
  Rare<DialogueNotes> notes = {};
};

// Whether a text is empty or white space only.
inline bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == text.npos;
}

// Without white space at both ends.
inline std::string_view trimmed(std::string_view text) {
  constexpr const char* kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks), last = text.find_last_not_of(kBlanks);
  return first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
}

// Adds a message: consecutive ones of one speaker become one turn, joined by a space; blank ones
// are left out.
void add_message(Dialogue& dialogue, std::string_view speaker, std::string_view text);

}  // namespace heed
