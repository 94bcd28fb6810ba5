// Chats whose lines name the speaker: exports of WhatsApp and Discord, text copied from Discord's
// and Telegram's windows, IRC logs, and plain "Name: text".
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/data/formats/moment.h"

namespace heed {

// The form of a chat's lines.
struct ChatForm {
  enum Time { kNone, kBrackets, kDash, kBare, kTab, kBehind };
  enum Who {
    kColon,   // "Name: text". If lines have times, one without a time belongs to the message above,
              // and one without a name is the program's ("Ann left"); without times it is an error.
              // A phone's placeholders for pictures and marks of edited texts are dropped
    kAngles,  // "<name> text", "* name waves": irssi, ZNC, mIRC; other lines are the program's
    kColumn,  // time, tab, name, tab, text (WeeChat)
    kHeader   // "[time] Name", "Name — time" or "Name, [time]", with the text in the lines below
  };
  Time time = kNone;
  Who who = kColon;
  bool dated = false;
  auto operator<=>(const ChatForm&) const = default;  // NOLINT(modernize-use-nullptr): no pointer
};

struct ChatGuess {
  ChatForm form;
  size_t messages = 0;  // lines of that form
  size_t timed = 0;     // lines that begin with a time
  bool sure = false;    // whether the lines are certainly a chat
};
// The form of most of these lines, none of which is blank.
ChatGuess guess_chat(const std::vector<std::string_view>& lines);

// Makes dialogues of the lines of a chat.
class ChatReader {
 public:
  explicit ChatReader(ChatForm form) : form_(form) {}

  // False for a line that neither is a message nor belongs to one.
  bool add(std::string_view line, int64_t number);
  // A dialogue ends at a blank line before a message (not for kHeader), and when nothing is said
  // for more than `gap` seconds; with 0 silence never ends it. Consecutive messages of one speaker
  // become one turn. Ids are "<file>:<line>".
  void add_dialogues(std::vector<Dialogue>& to, const std::string& file, int64_t gap,
                     const Reading& reading);
  // Whether many lines are messages of another form.
  bool is_mixed() const { return 10 * others_ > messages_.size() + 10; }
  size_t left_out() const { return left_out_; }  // lines that nobody said

 private:
  struct Message {
    int64_t line;
    bool first;  // of a dialogue, whatever its time
    std::string speaker, text;
  };
  void add_below(std::string_view line);

  ChatForm form_;
  std::vector<Message> messages_;
  std::vector<Moment> moments_;        // of the messages
  std::array<int, 3> date_ = {};       // from a line of its own
  bool blank_ = false, open_ = false;  // the line above; whether the last message may continue
  size_t left_out_ = 0, others_ = 0;   // messages of other forms
};

}  // namespace heed
