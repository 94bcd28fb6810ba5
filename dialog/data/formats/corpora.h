// The readers of published corpora. Each throws DataError "file:line: ..." or "file: dialogue N,
// turn T: ..." for a file that is not as described, and for one without a dialogue.
#pragma once

#include "dialog/data/formats/published.h"

namespace heed {

// ---- Conversations with assistants, in the form of OpenAI's interfaces and of many data sets.

// Reads {"messages": [{"role": "user", "content": "..."}, ...]}, one object per line or an array of
// them, or one conversation that is the array of messages itself; also ShareGPT's form,
// {"conversations": [{"from": "human", "value": "..."}, ...]}. The roles are the speakers;
// consecutive messages of one role become one turn. A content may be a list of parts; those with a
// "text" are read. left_out counts messages of the roles system, developer, tool and function, and
// those without text. The id is "id", a text or a number, or "<file name>:<number of the
// conversation>".
Published read_messages(const std::string& path, const Reading& reading = {});

// ---- DailyDialog (Li et al., IJCNLP 2017), CC BY-NC-SA 4.0.

// Reads one of these, plain or gzip, recognised by the first character:
//   the JSON of ConvLab-3 (dialogues.json, all parts in one file): labels "act" and "emotion" of
//     each turn, "topic" and "part" (train, valid or test) of the dialogue; speakers are user and
//     system, the id is the dialogue_id
//   text, one dialogue per line, utterances that end in "__eou__": read_plain_text(), no labels
Published read_daily_dialog(const std::string& path, const Reading& reading = {});

// ---- PersonaChat (Zhang et al., ACL 2018) and its ConvAI2 release; its authors state no licence.

// Reads one file, plain or gzip, in one of these forms, recognised by its beginning:
//   ConvAI2:   numbered lines, which begin with 1 in each dialogue: "1 your persona: i like tea .",
//              "2 partner's persona: ...", then "3 hello .<tab>hi !", the partner's turn and your
//              answer. A fourth field holds candidates separated by '|'
//   XPersona:  JSON, an array of {"persona": [...], "dialogue": [["hello .", "hi !"], ...]}
//   pairs:     "hello .|hi !" per line; a line that begins with the end of the previous one
//              continues its dialogue. No personas and no speakers
// Speakers are partner and you, with their personas. The id is "<file name>:<line>" (for JSON the
// number of the dialogue). Candidates of an answer exclude the answer itself; left_out counts lists
// that lack it, blank texts, and "__SILENCE__", which is written if you speak first.
Published read_persona_chat(const std::string& path, const Reading& reading = {});

// ---- MultiWOZ 2.1 (Budzianowski et al., EMNLP 2018; Eric et al., LREC 2020), MIT.

// Reads one part, plain or gzip, in either form, recognised by the first character:
//   the JSON as published and in ConvLab-2: one object, a member per dialogue, its "log" with the
//     turns of user and system alternately, with "metadata" (the state) and "dialog_act"
//   the tables of DST-STAR: a row per turn of the user, with the system's turn before it, the state
//     after it in a column per slot, and no acts. The system's last turn is not in them
// Speakers are user and system, the id is as in the file. Labels, with label_value():
//   user    "state"  after this turn: hotel-area=north, for every slot of "semi" and "book" alike,
//                    without those that are empty, "not mentioned" or "none"; of several values
//                    the first
//   both    "act"    hotel-inform, and with each slot "hotel-inform area=north"
// The last turn of a JSON dialogue with an odd number of turns has no state. left_out counts blank
// texts, and turns whose acts are a text ("No Annotation") instead of a map. Errors name the
// dialogue: "file: dialogue N (ID), turn T: ...".
Published read_multiwoz(const std::string& path, const Reading& reading = {});

// ---- The Schema-Guided Dialogue corpus (Rastogi et al., AAAI 2020), CC BY-SA 4.0.

// Reads the dialogues of a part: its folder as published (all files dialogues*.json; the schema is
// not read), or one file, a JSON array or JSON Lines, plain or gzip. Speakers are user and system,
// the id is the dialogue_id. Labels, with label_value():
//   dialogue  "service"  all of them: restaurants_2
//   user      "state"    after this turn, restaurants_2-time=11:30_am: the first value of each
//                        slot; a service without a frame in a turn keeps its state
//             "intent"   the active intents, except NONE
//   system    "call"     the query that was made: reserverestaurant, and with each parameter
//                        "reserverestaurant date=2019-03-01"
//   both      "act"      inform, and with each value "inform time=11:30" (canonical values if
//                        there are any); a slot without value is "request time=?"
Published read_schema_guided(const std::string& path, const Reading& reading = {});

// ---- WOZ 2.0 (Wen et al., EACL 2017; Mrkšić et al., ACL 2017), Apache-2.0.

// Reads one part, woz_train_en.json, plain or gzip: a list of objects with "dialogue_idx" (an
// integer) and "dialogue", the user's turns with the system's turn before each. Speakers are user
// and system, the id is the number. Labels, with label_value():
//   system  "act"    request food, confirm area=north: its requests and confirmations
//   user    "state"  after this turn: food=chinese; of several values of a slot the first
//           "act"    of this turn: inform food=chinese, request phone
// left_out counts blank texts, except the system's before the first turn.
Published read_woz(const std::string& path, const Reading& reading = {});

// ---- MuTual (Cui et al., ACL 2020): dialogues whose last turn is to be chosen from four options.

// A file of JSON objects, or a folder of such files (.txt), plain or gzip:
//   {"answers": "B", "options": ["m : ...", "f : ...", ...], "article": "m : ... f : ...",
//    "id": ...}
// Turns of the article begin with "m :" or "f :" (or "M:", "F:"), the speaker. The last turn is the
// right option, the other options are its candidates. An answer that is not one of the options is
// an error, as in the test part, whose answers are not published.
Published read_mutual(const std::string& path, const Reading& reading = {});

// ---- Chinese dialogues whose last turn people completed (Su et al., "Improving Multi-turn
// Dialogue Modelling with Utterance ReWriter", ACL 2019; GitHub
// chin-gyou/dialogue-utterance-rewriter).

// The label with a turn's completed text, which can be understood without the turns before.
constexpr const char* kRewritten = "rewritten";

// Reads corpus.txt, plain or gzip: one dialogue per line, two turns of context, a turn, and the
// completed turn, separated by one or two tabs. It gives three turns of the speakers a, b and a;
// the last one has the label "rewritten". Lines with a blank text are left out and counted.
Published read_rewriting(const std::string& path, const Reading& reading = {});

// ---- Utterances labelled with an intent, the training data of chatbots' text classifiers: ATIS
// and SNIPS as published by Goo et al. (NAACL 2018), CLINC150 (Larson et al., EMNLP 2019).

// Each utterance is a dialogue of one turn with the label "intent". The path is either
//   a folder with seq.in, one utterance per line, and label, its intent on the same line; or with
//   folders train, valid and test of these;
//   a JSON object {"train": [["text", "intent"], ...], "val", "test", "oos_train", ...}, plain or
//   gzip.
// The dialogue's label "part" is train, valid or test if the files give it.
Published read_intents(const std::string& path, const Reading& reading = {});

}  // namespace heed
