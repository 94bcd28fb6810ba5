// --layout names: chats as programs export them, and hostile lines.
#include "dialog/data/formats/chat_log.h"

#include "base/error.h"
#include "dialog/data/formats/plain_text.h"
#include "tests/dialog/data/reader_helpers.h"

namespace heed {
namespace {

const std::string L = "\u200E", N = "\u202F";  // left to right; the narrow blank before PM

// "line=speaker:text|speaker:text| line=...", and how many lines nobody said.
std::string log_of(const std::string& bytes, size_t left_out = 0, int gap = 60,
                   TextLayout layout = TextLayout::kAuto) {
  const TempDir dir;
  const PlainText text = read_plain_text(dir.write("t", bytes), {layout, gap});
  EXPECT_EQ(text.layout, TextLayout::kNames);
  EXPECT_EQ(text.left_out, left_out) << bytes;
  std::string all;
  for (const Dialogue& d : text.dialogues)
    all += (all.empty() ? "" : " ") + d.id.substr(2) + "=" + text_of(d);
  return all;
}

TEST(ChatLog, NamesWithoutTimes) {
  EXPECT_EQ(
      log_of("Ben: it smokes.\nBen: help\nProf. Oak: which: one?\n\nAnn Lee: hi\nBen:\nBen: yes",
             1),
      "1=Ben:it smokes. help|Prof. Oak:which: one?| 5=Ann Lee:hi|Ben:yes|");
}

TEST(ChatLog, WhatsAppOnAndroid) {
  const std::string text = "12/30/24, 11:58" + N +
                           "PM - Messages and calls are end-to-end encrypted. Tap to learn more.\n"
                           "12/30/24, 11:58" +
                           N +
                           "PM - Ann created group \"Trip: Rome\"\n"
                           "12/30/24, 11:58" +
                           N +
                           "PM - Ann: hi\n"
                           "12/30/24, 11:59" +
                           N +
                           "PM - Ann: two lines\n\nand 12:30 - not: a message\n"
                           "12/31/24, 12:10" +
                           N +
                           "AM - +49 170 1234567: <Media omitted>\n"
                           "12/31/24, 12:11" +
                           N +
                           "AM - +49 170 1234567: so: http://x.de <This message was edited>\n"
                           "12/31/24, 12:12" +
                           N + "AM - Ann: " + L +
                           "IMG-1.jpg (file attached)\nlook at this <b>\n"
                           "12/31/24, 1:12" +
                           N +
                           "AM - Ben changed the subject\nof it\n"
                           "12/31/24, 1:13" +
                           N + "AM - ~" + N + "Cem: new\n";
  EXPECT_EQ(log_of(text, 5),
            "3=Ann:hi two lines and 12:30 - not: a message|+49 170 1234567:so: http://x.de|"
            "Ann:look at this <b>| 13=Cem:new|");
}

TEST(ChatLog, WhatsAppOnAPhoneOfApple) {
  const std::string text = "[31.12.24, 23:59:58] Trip: " + L +
                           "Nachrichten sind Ende-zu-Ende-verschlüsselt.\r\n"
                           "[31.12.24, 23:59:58] Ann: hallo\r\n" +
                           L + "[31.12.24, 23:59:59] Ben: " + L +
                           "Bild weggelassen\r\n"
                           "[01.01.25, 00:01:00] Ben: ja " +
                           L +
                           "<Nachricht_bearbeitet>\r\nund <das>\r\n"
                           "[01.01.25, 01:01:01] \u202A+49 170\u202C: nein\r\n";
  EXPECT_EQ(log_of(text, 2), "2=Ann:hallo|Ben:ja und <das>| 6=+49 170:nein|");
}

// The same two minutes around midnight, and one message a day later.
TEST(ChatLog, TimesOfManyPlaces) {
  const std::string forms[][3] = {
      {"12/31/24, 11:59 PM - ", "1/1/25, 12:01 AM - ", "1/2/25, 12:02 AM - "},
      {"31/12/2024, 11:59 p. m. - ", "01/01/2025, 12:01 a. m. - ", "02/01/2025, 12:02 a. m. - "},
      {"31.12.24, 23:59 - ", "01.01.25, 00:01 - ", "02.01.25, 00:02 - "},
      {"31-12-2024 23:59 - ", "01-01-2025 00:01 - ", "02-01-2025 00:02 - "},
      {"31.12.2024 klo 23.59 - ", "1.1.2025 klo 0.01 - ", "2.1.2025 klo 0.02 - "},
      {"2024-12-31 23:59 - ", "2025-01-01 00:01 - ", "2025-01-02 00:02 - "},
      {"24/12/31, 23:59 – ", "25/01/01, 00:01 – ", "25/01/02, 00:02 – "},
      {"2024/12/31 下午11:59 - ", "2025/1/1 上午12:01 - ", "2025/1/2 上午12:02 - "},
      {"2024/12/31 午後11:59 - ", "2025/1/1 午前12:01 - ", "2025/1/2 午前12:02 - "},
      {"۳۱/۱۲/۲۰۲۴، ۲۳:۵۹ - ", "۱/۱/۲۰۲۵، ۰۰:۰۱ - ", "۲/۱/۲۰۲۵، ۰۰:۰۲ - "},
      {"31.12.24 um 23:59 - ", "01.01.25 um 00:01 - ", "02.01.25 um 00:02 - "},
      {"Dec 31, 2024 at 11:59 PM - ", "Jan 1, 2025 at 12:01 AM - ", "Jan 2, 2025 at 12:02 AM - "},
      {"2024. 12. 31. 오후 11:59 - ", "2025. 1. 1. 오전 12:01 - ", "2025. 1. 2. 오전 12:02 - "},
      {"\u200F٣١‏/١٢‏/٢٠٢٤، ١١:٥٩ م - ",
       "\u200F١‏/١‏/٢٠٢٥، ١٢:٠١ ص - ",
       "\u200F٢‏/١‏/٢٠٢٥، ١٢:٠٢ ص - "},
      {"[31.12.24, 23:59:58] ", "[01.01.25, 00:01:00] ", "[02.01.25, 00:02:01] "},
      {"[12/31/24, 11:59:58 PM] ", "[1/1/25, 12:01:00 AM] ", "[1/2/25, 12:02:01 AM] "},
      {"[11:59 PM, 12/31/2024] ", "[12:01 AM, 1/1/2025] ", "[12:02 AM, 1/2/2025] "},
      {"[23:59:58, 31 Dec 2024] ", "[00:01:00, 1 Jan 2025] ", "[00:02:01, 2 Jan 2025] "},
      {"2024-12-31T23:59:58.123Z ", "2025-01-01T00:01:00Z ", "2025-01-02T00:02:01Z "},
      {"(31 Dec 2024 11:59:58 PM) ", "(1 Jan 2025 12:01:00 AM) ", "(2 Jan 2025 12:02:01 AM) "}};
  for (const auto& form : forms) {
    const std::string text = form[0] + "Ann: a\n" + form[1] + "Ben: b\n" + form[2] + "Ann: c\n";
    EXPECT_EQ(log_of(text), "1=Ann:a|Ben:b| 3=Ann:c|") << text;
    EXPECT_EQ(log_of(text, 0, 2000), "1=Ann:a|Ben:b|Ann:c|") << text;
    EXPECT_EQ(log_of(text, 0, 1), "1=Ann:a| 2=Ben:b| 3=Ann:c|") << text;
    EXPECT_EQ(log_of(text, 0, 0), "1=Ann:a|Ben:b|Ann:c|") << text;
  }
}

// A time without brackets ends where a name begins, though times have such words, too.
TEST(ChatLog, NamesMayBeWordsOfTimes) {
  for (const std::string name : {"A", "M", "P", "T", "Z", "Jan", "May Smith", "P. Meier", "Um"}) {
    for (const char* time : {"", "31.12.24 ", "Dec 31 ", "31 Dec 2024 "}) {
      const std::string text = time + ("10:00 " + name + ": hi\n" + time) + "10:01 Ben: yo\n" +
                               time + "10:02:03 " + name + ": so\n";
      EXPECT_EQ(log_of(text), "1=" + name + ":hi|Ben:yo|" + name + ":so|") << text;
    }
  }
}

// Neither number says which is the month: the order in which the chat takes the fewest days.
TEST(ChatLog, DaysAndMonthsAreToldApart) {
  const auto turns = [](const std::string& first, const std::string& second) {
    return log_of(first + ", 23:50 - A: a\n" + second + ", 00:10 - B: b\n");
  };
  EXPECT_EQ(turns("04/05/24", "04/06/24"), "1=A:a|B:b|");
  EXPECT_EQ(turns("04/05/24", "05/05/24"), "1=A:a|B:b|");
  EXPECT_EQ(turns("04/05/24", "06/05/24"), "1=A:a| 2=B:b|");
  EXPECT_EQ(turns("28/02/24", "29/02/24"), "1=A:a|B:b|");
  EXPECT_EQ(turns("02/28/24", "03/01/24"), "1=A:a| 2=B:b|") << "1 day too many";
  EXPECT_EQ(turns("02/28/23", "03/01/23"), "1=A:a|B:b|");
  EXPECT_EQ(turns("99/99/99", "99/99/99"), "1=A:a| 2=B:b|") << "no date at all";
}

// An hour is no silence of more than an hour, however often; nor is a minute back a day.
TEST(ChatLog, ASilenceIsBetweenTwoMessages) {
  const auto chat = [](const std::vector<const char*>& times) {
    std::string text;
    for (const char* time : times) {
      text += "[01/01/2025, " + std::string(time) + (text.empty() ? "] Ann: x\n" : "] Ben: y\n");
    }
    return log_of(text, 0, 60, TextLayout::kNames);
  };
  EXPECT_EQ(chat({"09:00", "10:00", "11:00"}), "1=Ann:x|Ben:y y|");
  EXPECT_EQ(chat({"09:00", "10:01", "11:00"}), "1=Ann:x| 2=Ben:y y|");
  EXPECT_EQ(
      log_of("[10:00] <Ann> x\n[09:59] <Ben> y\n[10:01] <Ann> z\n", 0, 60, TextLayout::kNames),
      "1=Ann:x|Ben:y|Ann:z|");
}

TEST(ChatLog, BlankLinesAreBordersWhereAMessageFollows) {
  EXPECT_EQ(log_of("[10:00] A: a\n\nmore\n\n[10:01] B: b\n"), "1=A:a more| 5=B:b|");
}

TEST(ChatLog, Irssi) {
  const std::string text =
      "--- Log opened Tue Dec 31 23:50:00 2024\n23:50 -!- ann [~a@host] has joined #x\n"
      "23:51 < ann> hello: all\n23:52 <@bob> <b>hi</b>\n23:52  * ann waves\n"
      "--- Day changed Wed Jan 01 2025\n00:10 <+cem> new\n00:11 -!- cem [x] has quit [Quit: bye]\n"
      "--- Log closed Wed Jan 01 00:20:00 2025\n--- Log opened Thu Jan 02 00:12:00 2025\n00:13 < "
      "ann> again\n";
  EXPECT_EQ(log_of(text, 6), "3=ann:hello: all|bob:<b>hi</b>|ann:waves|cem:new| 11=ann:again|");
}

TEST(ChatLog, Znc) {
  EXPECT_EQ(log_of("[23:50:01] *** Joins: ann (a@h)\n[23:50:01] *** Joins: bob (a@h)\n"
                   "[23:50:02] <ann> hello: x\n[23:59:00] * bob nods - so\n[00:10:00] <bob> y\n"
                   "[00:11:00] -NickServ- hi\n[02:10:00] <bob> later\n",
                   3),
            "3=ann:hello: x|bob:nods - so y| 7=bob:later|");
}

// What a program says about somebody, and what somebody does.
TEST(ChatLog, EventsAreNoActions) {
  for (const char* event : {"(bob@host) has joined", "[b@h] quit", "has left",
                            "is now known as rob", "was kicked by ann", "sets mode +o ann"}) {
    const std::string line = "[10:01] * bob " + std::string(event) + "\n";
    EXPECT_EQ(log_of("[10:00] <ann> hi\n" + line + "[10:02] <ann> so\n", 1), "1=ann:hi so|");
  }
  EXPECT_EQ(log_of("[10:00] <ann> hi\n[10:01] * bob was here\n[10:02] <ann> so\n"),
            "1=ann:hi|bob:was here|ann:so|");
}

TEST(ChatLog, WeeChatAndHexChat) {
  EXPECT_EQ(
      log_of(
          "2024-12-31 23:50:00\t-->\tann (a@h) has joined #x\n2024-12-31 23:50:01\t@ann\thello\n"
          "2024-12-31 23:50:03\t *\tbob waves\n2025-01-01 00:01:03\t--\tbob is now known as rob\n"
          "2025-01-01 00:02:03\trob\tyo\n",
          2),
      "2=ann:hello|bob:waves|rob:yo|");
  EXPECT_EQ(log_of("Feb 28 23:59:00 *\tann (a@h) has joined\nFeb 28 23:59:01 <ann>\thi\n"
                   "Feb 29 00:01:01 <bob>\tyo\nFeb 29 00:01:02 *\tann waves\n",
                   1),
            "2=ann:hi|bob:yo|ann:waves|");
  EXPECT_EQ(log_of("<ann> hi\n<bob> yo\n* bob waves\n\n<ann> so\n", 1),
            "1=ann:hi|bob:yo| 5=ann:so|");
}

TEST(ChatLog, DiscordAsItIsExported) {
  const std::string rule(62, '=');
  EXPECT_EQ(log_of(rule + "\nGuild: G\nChannel: c\n" + rule +
                       "\n\n[31/12/2024 23:50] ann\nhello\n\nsecond\n\n[31/12/2024 23:51] bob "
                       "(pinned)\nlook: here\n\n"
                       "{Attachments}\nhttps://x/y.png\n\n{Reactions}\nx (2)\n\n[01/01/2025 00:01] "
                       "ann\n[12:30] no: header\n\n" +
                       rule + "\nExported 3 message(s)\n" + rule + "\n",
                   11),
            "6=ann:hello second|bob:look: here|ann:[12:30] no: header|");
}

TEST(ChatLog, CopiesOfWindows) {
  EXPECT_EQ(log_of("ann — Today at 4:05 PM\nhello\n[4:06 PM]\nmore\n[4:07 PM]yet\nbob — Today at "
                   "4:07 PM\nyes\n"),
            "1=ann:hello more yet|bob:yes|");
  EXPECT_EQ(log_of("[4:05 PM]ann: hello\n[4:06 PM]bob: yes\nmore\n[6:06 PM]ann: so"),
            "1=ann:hello|bob:yes more| 4=ann:so|");
  EXPECT_EQ(log_of("Ann B, [31.12.2024 23:59]\nhallo\nBen, [01.01.2025 00:01]:\nja\n"),
            "1=Ann B:hallo|Ben:ja|");
}

TEST(ChatLog, RefusesWhatSaysNoNames) {
  const auto names = [](const std::string& path) { read_plain_text(path, {TextLayout::kNames}); };
  EXPECT_EQ(
      error_reading(names, "t", "hi\nyo there\n"),
      ": its first 2 lines do not say who speaks, as \"Name: text\" and \"[time] <name> text\" do");
  EXPECT_EQ(error_reading(names, "t", "ann: hi\nwhat\n"),
            ":2: a line is \"Name: text\"; this one has no name");
  EXPECT_EQ(error_reading(names, "t", "ann: hi\nbob: \xFF\n"), ":2: the text is not UTF-8");
  EXPECT_EQ(error_reading(names, "t", ""), ": holds no dialogue");
  EXPECT_EQ(error_reading(names, "t", "[12:00] ann: <Media omitted>\n"), ": holds no dialogue");
}

TEST(ChatLog, AQuietChannel) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "[1:00:00] *** Joins: ann (a@h)\n";
  EXPECT_EQ(log_of(text + "[1:00:01] <ann> hi\n[1:00:02] <bob> yo\n", 50), "51=ann:hi|bob:yo|");
  const auto automatic = [](const std::string& path) { read_plain_text(path, {}); };
  EXPECT_EQ(error_reading(automatic, "t", text),
            ": many of the first 50 lines begin with a name or a time: is it --layout names?; "
            "--layout lines reads it all the same");
}

TEST(ChatLog, TwoKindsOfChatInOneFileAreRefused) {
  const auto automatic = [](const std::string& path) { read_plain_text(path, {}); };
  std::string text;
  for (int i = 0; i < 20; ++i) text += "[1/2/24, 1:00] ann: hi\n[1/2/24, 1:00] bob: yo\n";
  for (int i = 0; i < 5; ++i) text += "1/2/24, 1:00 - ann: hi\n";
  EXPECT_EQ(log_of(text).substr(0, 25), "1=ann:hi|bob:yo|ann:hi|bo") << "five may be quotations";
  EXPECT_EQ(error_reading(automatic, "t", text + "1/2/24, 1:00 - ann: hi\n"),
            ": holds two kinds of chats; give each in a file of its own");
}

TEST(ChatLog, SignsAreNoPartOfANameAndALinkIsNone) {
  for (const char* sign : {"\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u2068", "\u2069",
                           "\u00A0", "\u202F", "~"}) {
    const std::string end = sign == std::string("~") ? "" : sign;
    EXPECT_EQ(log_of("[10:00] " + (sign + ("Ann" + end)) + ": hi\n[10:01] Ben: yo\n"),
              "1=Ann:hi|Ben:yo|");
  }
  for (const char* right : {"@", "+", "%", "&", "~", "!", "~@"}) {
    EXPECT_EQ(log_of("<" + std::string(right) + "ann> hi\n<bob> yo\n"), "1=ann:hi|bob:yo|");
  }
  EXPECT_EQ(log_of("[10:00] Ann: hi\n[10:01] Ben: yo\n[10:02] http://x.de\n", 1),
            "1=Ann:hi|Ben:yo|");
}

// People speak again: without times, ten names or more must come twice each, on average.
TEST(ChatLog, AListOfNamesIsNoChat) {
  const auto lines = [](int count, int different) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "n" + std::string(static_cast<size_t>(i % different) + 1, 'x') + ": x\n";
    }
    return text;
  };
  const auto automatic = [](const std::string& path) { read_plain_text(path, {}); };
  EXPECT_TRUE(log_of(lines(9, 9)).starts_with("1=nx:x|nxx:x|"));
  EXPECT_TRUE(log_of(lines(10, 5)).starts_with("1=nx:x|nxx:x|"));
  EXPECT_EQ(error_reading(automatic, "t", lines(10, 6)),
            ": many of the first 10 lines begin with a name or a time: is it --layout names?; "
            "--layout lines reads it all the same");
}

// Lines that are nearly something, in a chat that is clear.
TEST(ChatLog, HostileLines) {
  const std::string chat = "[10:00] A: a\n[10:00] B: b\n[10:00] A: a\n[10:00] B: b\n";
  std::istringstream lines(
      "[\n]\n[]\n[10:\n[10:00\n[99:99] C: c\n(10:00\n10:00 -\n<\n<>\n[99999999999999999999:00] C: "
      "c\n"
      "12:00 \n — 10:00\n, [10:00]\n--- Log opened x\n{}\n:\n: \nC: c\n\u200E\u200E\n٩٩:٩٩\n"
      "[10:00 Q&A] C: c\n1:1:1:1:1:1:1:1:1:1:1:1:1:1");
  for (std::string line; std::getline(lines, line);) {
    const std::string all = log_of(chat + line + "\n[10:01] C: c\n");
    EXPECT_TRUE(all.starts_with("1=A:a|B:b|A:a|B:b") && all.ends_with("|C:c|"))
        << line << ": " << all;
  }
  EXPECT_EQ(
      log_of(chat + "[10:00]\n[10:00] \n[10:00] C\n[10:00] : c\n[10:00] *** C: c\n[10:00] \"C: "
                    "c\n[1:2:3:4] C\n",
             7),
      "1=A:a|B:b|A:a|B:b|");
}

TEST(Moment, IsReadOrNot) {
  const auto text = [](std::string_view given,
                       MomentWords words = MomentWords::kOfTimes) -> std::string {
    const auto m = read_moment(given, words);
    if (!m) return "-";
    return std::to_string(m->date[0]) + "." + std::to_string(m->date[1]) + "." +
           std::to_string(m->date[2]) + " " + std::to_string(m->seconds);
  };
  EXPECT_EQ(text("12/31/24, 11:59:58 PM"), "12.31.24 86398");
  EXPECT_EQ(text("12:00 am"), "0.0.0 0");
  EXPECT_EQ(text("12:00 pm"), "0.0.0 43200");
  EXPECT_EQ(text("24:00"), "0.0.0 86400");
  EXPECT_EQ(text("13.6.2018 klo 21.25.15"), "13.6.2018 77115");
  EXPECT_EQ(text("Tue Dec 31 1:00:00 2024", MomentWords::kAny), "2024.12.31 3600");
  EXPECT_EQ(text("Dec 31 1:00"), "2000.12.31 3600");
  EXPECT_EQ(text("12:15, 3 Apr 2021"), "2021.4.3 44100");
  EXPECT_EQ(text("12:15 a.m., Aug 3"), "2000.8.3 900");
  EXPECT_EQ(text("11:59p"), "0.0.0 86340");
  int month = 0;
  for (const std::string name :
       {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}) {
    EXPECT_EQ(text("3 " + name + " 2024 1:00"), "2024." + std::to_string(++month) + ".3 3600");
  }
  EXPECT_EQ(text("yesterday at 1:00", MomentWords::kAny), "0.0.0 3600");
  for (const char* none :
       {"", "12", "12:", ":30", "12:60", "25:00", "12:30:61", "31.12.2024", "12.30", "12:30 ann",
        "12#30", "#:# 1 2", "12:30 *", "0/1/2024, 12:00", "1/2/99999, 12:00", "<12:30>",
        "12:30 12:30 12:30 12:30 12:30 12:30 12:30 12:30 12:30 12"}) {
    EXPECT_EQ(text(none), "-") << none;
  }
}

}  // namespace
}  // namespace heed
