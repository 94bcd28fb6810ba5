// The commands of `heed prepare` that need no options of their own, one row each.
#include <algorithm>
#include <memory>

#include "dialog/data/example.h"
#include "dialog/data/formats/corpora.h"
#include "dialog/data/formats/english_gaps.h"
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

Prepared read_gaps(const PrepareOptions& o, const Reading& reading) {
  Published corpus = read_schema_guided(o.in, reading);
  Published made = rewrite::with_gaps(corpus.dialogues);
  made.left_out.merge(corpus.left_out);
  return prepared(std::move(made));
}

// The last turn comes first: a model of these dialogues predicts the utterance before its context.
Prepared read_reversed(const PrepareOptions& o, const Reading& reading) {
  Prepared result{read_dialogues(o.in, reading), {}};
  for (Dialogue& dialogue : result.dialogues) {
    std::reverse(dialogue.turns.begin(), dialogue.turns.end());
  }
  return result;
}

// A dialogue for each response: the turns before it say who speaks, its writer or another.
Prepared read_with_speakers(const PrepareOptions& o, const Reading& reading) {
  Prepared result;
  for (const Dialogue& whole : read_dialogues(o.in, reading)) {
    for (const size_t r : responses_of(whole, {.all_positions = true})) {
      Dialogue& dialogue = result.dialogues.emplace_back();
      dialogue.id = whole.id + "#" + std::to_string(r + 1);
      dialogue.turns.assign(whole.turns.begin(),
                            whole.turns.begin() + static_cast<ptrdiff_t>(r) + 1);
      for (size_t k = 0; k < r; ++k) {
        const bool own = whole.turns[k].speaker == whole.turns[r].speaker;
        dialogue.turns[k].text = (own ? "_self_ " : "_other_ ") + whole.turns[k].text;
      }
    }
  }
  return result;
}

const Row kRows[] = {
    {"reverse", "Reverse dialogues, for a model that predicts the utterance before a response",
     "Dialogues (JSON Lines, plain or gzip)",
     "A model trained on these with one utterance of context gives ln P(query | response), by "
     "which heed generate --rank mmi:RUN orders responses. Candidates and labels are left out.\n"
     "Examples:\n"
     "  heed prepare reverse --in data/ubuntu-sample/train.jsonl.gz --out "
     "data/back/train.jsonl.gz\n"
     "  heed train --data data/back --max-turns 1 --min-turns 2 --examples all --out runs/back",
     read_reversed},
    {"speakers", "Let the words of each turn begin with who speaks: _self_ or _other_",
     "Dialogues (JSON Lines, plain or gzip) with speakers",
     "Each turn that can be a response (the third or a later one) ends a dialogue of its own; the "
     "turns before it begin with the word _self_ if its writer said them, else _other_. Candidates "
     "and labels of dialogues are left out.\n"
     "Examples:\n"
     "  heed prepare speakers --in data/ubuntu-sample/train.jsonl.gz --out "
     "data/speakers/train.jsonl.gz\n"
     "  heed train --data data/speakers --out runs/speakers",
     read_with_speakers},
    {"messages",
     "Conversations with assistants, in the format of OpenAI's interfaces or ShareGPT's",
     "JSON or JSON Lines with \"messages\" of \"role\" and \"content\", or \"conversations\" of "
     "\"from\" and \"value\"",
     "The roles become speakers; messages of system, developer, tool and function are left out.\n"
     "Example:\n"
     "  heed prepare messages --in conversations.jsonl --out all.jsonl.gz",
     read_corpus<read_messages>},
    {"dailydialog", "DailyDialog (Li et al. 2017): acts, emotions, topics",
     "dialogues.json of ConvLab-3, or a text with __eou__",
     "The JSON (unzip data.zip of ConvLab-3) holds all parts; --split published keeps them. "
     "Labels: act and emotion of each turn, topic of each dialogue. The text has no labels.\n"
     "Example:\n"
     "  heed prepare dailydialog --in data/dialogues.json --out data/dailydialog --split published",
     read_corpus<read_daily_dialog>},
    {"personachat", "PersonaChat (Zhang et al. 2018): personas, candidates",
     "A file of ConvAI2, of XPersona, or of pairs",
     "ConvAI2 has numbered lines with \"your persona:\", \"partner's persona:\", and text, tab, "
     "answer; candidates for the answer are kept if there are any. XPersona is JSON. In a file of "
     "pairs, with '|' between text and answer, consecutive pairs make a dialogue.\n"
     "Example:\n"
     "  heed prepare personachat --in valid_both_original_no_cands.txt --out persona.jsonl.gz",
     read_corpus<read_persona_chat>},
    {"multiwoz", "MultiWOZ 2.1 (Eric et al. 2020): states, acts",
     "A part: JSON with metadata, or a table of DST-STAR",
     "The JSON (val.json of ConvLab-2, unzipped, or data.json) has states and acts; the tables "
     "(mwz2.1/dev.tsv) have states only. Each user turn holds the state after it. --min-turns 2 "
     "keeps dialogues with one question, which probes count.\n"
     "Example:\n"
     "  heed prepare multiwoz --in val.json --out multiwoz.jsonl.gz --min-turns 2",
     read_corpus<read_multiwoz>},
    {"sgd", "Schema-Guided Dialogue (Rastogi et al. 2020): states, acts, calls of services",
     "A part: its folder, or a file of dialogues",
     "In a folder, all files dialogues*.json are read. Labels: service of each dialogue; act, "
     "state, intent and call of each turn.\n"
     "Example:\n"
     "  heed prepare sgd --in sgd/dev --out sgd-dev.jsonl.gz",
     read_corpus<read_schema_guided>},
    {"woz", "WOZ 2.0 (Wen et al. 2017): states, acts", "A part: woz_train_en.json",
     "Each user turn holds the state after it; the turns of both speakers hold acts. --min-turns "
     "2 keeps dialogues with one question.\n"
     "Example:\n"
     "  heed prepare woz --in woz_train_en.json.gz --out data/woz2/train.jsonl.gz --min-turns 1",
     read_corpus<read_woz>},
    {"mutual", "MuTual and MuTual+ (Cui et al. 2020): a last turn and three wrong ones",
     "A part: its folder, or a file of JSON Lines",
     "The wrong options become candidates, from which `heed rank` tells the right one. The "
     "answers of the test part are not published. --min-turns 2 keeps contexts of one turn.\n"
     "Example:\n"
     "  heed prepare mutual --in mutual/dev --out mutual-dev.jsonl.gz --min-turns 2",
     read_corpus<read_mutual>},
    {"rewriting", "Chinese dialogues with rewritten turns (Su et al. 2019), for models of gaps",
     "corpus.txt, one dialogue a line",
     "The last turn of a dialogue has the label rewritten: a form that can be understood without "
     "the turns before.\n"
     "Example:\n"
     "  heed prepare rewriting --in corpus.txt.gz --out data/rewriting --split conversation",
     read_corpus<read_rewriting>},
    {"gaps", "English turns with gaps, made from Schema-Guided Dialogue, for models of gaps",
     "A part: its folder, or a file of dialogues",
     "In each user turn that repeats a value of an earlier turn, the value is removed or replaced "
     "by it, there or then; the label rewritten holds the original turn. One other turn of each "
     "such dialogue stays as it is. --min-turns 2 keeps contexts of one turn.\n"
     "Example:\n"
     "  heed prepare gaps --in sgd/train --out data/gaps/train.jsonl --min-turns 2",
     read_gaps},
    {"intents", "ATIS and SNIPS (Goo et al. 2018), CLINC150 (Larson et al. 2019): intents",
     "A folder with seq.in and label, or with parts of these; or data_full.json of CLINC150",
     "Each utterance becomes a dialogue of one turn with the label intent, so --min-turns 1 is "
     "needed; --split published keeps the parts of the corpus. `heed probe negatives` reads what "
     "it writes.\n"
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
