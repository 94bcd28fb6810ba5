// `heed prepare` for files that need no options of their own: a row each.
#include <memory>

#include "dialog/data/formats/daily_dialog.h"
#include "dialog/data/formats/intents.h"
#include "dialog/data/formats/messages.h"
#include "dialog/data/formats/multiwoz.h"
#include "dialog/data/formats/mutual.h"
#include "dialog/data/formats/persona_chat.h"
#include "dialog/data/formats/schema_guided.h"
#include "heed/prepare.h"

namespace heed {
namespace {

Prepared prepared(Published corpus) {
  Prepared result{std::move(corpus.dialogues), {}};
  for (const auto& [what, count] : corpus.left_out) {
    result.remarks.push_back("left out: " + std::to_string(count) + " " + what);
  }
  return result;
}

struct Row {
  const char *name, *what, *in, *footer;
  PrepareReader read;
};

template <auto read> Prepared read_corpus(const PrepareOptions& o, const Reading& reading) {
  return prepared(read(o.in, reading));
}

const Row kRows[] = {
    {"messages", "Conversations with assistants, as OpenAI's interfaces have them",
     "JSON or JSON Lines with \"messages\" of \"role\" and \"content\"",
     "Speakers are the roles; messages of system, developer, tool and function are left out.\n"
     "Example:\n"
     "  heed prepare messages --in conversations.jsonl --out all.jsonl.gz",
     read_corpus<read_messages>},
    {"dailydialog", "DailyDialog (Li et al. 2017): acts, emotions, topics",
     "dialogues.json of ConvLab-3, or a text with __eou__",
     "The JSON (unzip data.zip of ConvLab-3) holds all parts: --split published keeps them. "
     "Labels: act and emotion of a turn, topic of a dialogue. The text has no labels.\n"
     "Example:\n"
     "  heed prepare dailydialog --in data/dialogues.json --out data/dailydialog --split published",
     read_corpus<read_daily_dialog>},
    {"personachat", "PersonaChat (Zhang et al. 2018): personas, candidates",
     "A file of ConvAI2, of XPersona, or of pairs",
     "ConvAI2 has numbered lines with \"your persona:\", \"partner's persona:\", and text, tab, "
     "answer; candidates of the answer are kept where there are some. XPersona is JSON. In a file "
     "of pairs, with '|' between text and answer, consecutive pairs make a dialogue.\n"
     "Example:\n"
     "  heed prepare personachat --in valid_both_original_no_cands.txt --out persona.jsonl.gz",
     read_corpus<read_persona_chat>},
    {"multiwoz", "MultiWOZ 2.1 (Eric et al. 2020): states, acts",
     "A part: JSON with metadata, or a table of DST-STAR",
     "The JSON (val.json of ConvLab-2, unzipped, or data.json) has states and acts; the tables "
     "(mwz2.1/dev.tsv) have states only. The state stands with the user's turn that it is after. "
     "--min-turns 2 keeps dialogues of one question, which probes count.\n"
     "Example:\n"
     "  heed prepare multiwoz --in val.json --out multiwoz.jsonl.gz --min-turns 2",
     read_corpus<read_multiwoz>},
    {"sgd", "Schema-Guided Dialogue (Rastogi et al. 2020): states, acts, calls of services",
     "A part: its folder, or a file of dialogues",
     "Of a folder all files dialogues*.json are read. Labels: service of a dialogue; act, state, "
     "intent and call of a turn.\n"
     "Example:\n"
     "  heed prepare sgd --in sgd/dev --out sgd-dev.jsonl.gz",
     read_corpus<read_schema_guided>},
    {"mutual", "MuTual and MuTual+ (Cui et al. 2020): a last turn, and three wrong ones",
     "A part: its folder, or a file of JSON Lines",
     "The options beside the right one become its candidates, of which `heed rank` tells it. The "
     "answers of the test part are not published. --min-turns 2 keeps contexts of one turn.\n"
     "Example:\n"
     "  heed prepare mutual --in mutual/dev --out mutual-dev.jsonl.gz --min-turns 2",
     read_corpus<read_mutual>},
    {"intents", "ATIS and SNIPS (Goo et al. 2018), CLINC150 (Larson et al. 2019): intents",
     "A folder with seq.in and label, or with parts of these; or data_full.json of CLINC150",
     "An utterance is a dialogue of one turn with the label intent, so --min-turns 1 is needed; "
     "--split published keeps the corpus' parts. `heed probe negatives` reads what it writes.\n"
     "Examples:\n"
     "  heed prepare intents --in atis --out data/atis --min-turns 1 --split published\n"
     "  heed prepare intents --in data_full.json --out data/clinc150 --min-turns 1 --split "
     "published",
     read_corpus<read_intents>},
};

}  // namespace

void add_prepare_published(CLI::App& prepare) {
  for (const Row& row : kRows) {
    CLI::App* c = prepare.add_subcommand(row.name, row.what);
    c->footer(row.footer);
    add_reader(*c, row.read, row.in);
  }
}

}  // namespace heed
