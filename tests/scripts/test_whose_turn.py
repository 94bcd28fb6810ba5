"""scripts/whose_turn.py changes contexts as it says, and keeps for each change and dialogue the number of its own."""
import gzip
import json
import random
from collections import Counter
from unittest import mock

import whose_turn
from helpers import FolderTest, printed

OWN = ["a", "b", "c", "d", "e", "query"]


def changes_of(seed):
    """Change -> context, and what is kept of the places; foreign turns are numbered."""
    draw, numbers = random.Random(seed), iter(range(100))
    return whose_turn.changed(OWN, lambda: next(numbers), draw)


class Changes(FolderTest):
    def test_inserted_turns_stand_anywhere_before_the_query(self):
        first = Counter()
        for seed in range(300):
            changes, behind = changes_of(seed)
            self.assertEqual(changes["none"], OWN)
            for count in range(1, 5):
                turns = changes[f"{count} inserted"]
                self.assertEqual([turn for turn in turns if turn in OWN], OWN)
                self.assertEqual(sorted(turn for turn in turns if turn not in OWN), list(range(count)))
                self.assertEqual(turns[-1], "query")
                # the change that inserts one more contains this one
                self.assertEqual([turn for turn in turns if turn != count - 1], changes[f"{count - 1} inserted"] if count > 1 else OWN)
                self.assertEqual(behind[count - 1], sum(turn in OWN for turn in turns[turns.index(count - 1):]))
            self.assertEqual(len(behind), 4)
            first[behind[0]] += 1
        self.assertEqual(set(first), {1, 2, 3, 4, 5, 6})
        self.assertGreater(min(first.values()), 25)  # of 50 that are expected

    def test_turns_that_are_left_out_are_not_the_query(self):
        left = {1: Counter(), 2: Counter()}
        for seed in range(300):
            changes, _ = changes_of(seed)
            for count in left:
                turns = changes[f"{count} left out"]
                gone = tuple(turn for turn in OWN if turn not in turns)
                self.assertEqual([turn for turn in OWN if turn not in gone], turns)
                left[count][gone] += 1
        self.assertLessEqual(set(left[1]), {(turn,) for turn in OWN[:-1]})
        self.assertEqual(set(left[2]), set(zip(OWN, OWN[1:-1])))  # two neighbours, each pair before the query

    def test_the_query(self):
        changes, _ = changes_of(1)
        self.assertEqual(changes["query left out"], OWN[:-1])
        self.assertEqual(changes["query and the turn before left out"], OWN[:-2])
        *before, exchanged = changes["query exchanged"]
        self.assertEqual(before, OWN[:-1])
        self.assertNotIn(exchanged, OWN)


def evaluate(command, tokens=lambda turns: len(turns[-1]["text"]), **options):
    """Stands in for heed: the "loss" of a dialogue tells its place in the file, its number of turns and the length of the model's name."""
    assert command[:2] == ["heed", "evaluate"] and options["check"], command
    values = dict(zip(map(str, command[2::2]), map(str, command[3::2])))
    assert values["--examples"] == "last" and values["--max-turns"] == "0", command
    with open(values["--data"], encoding="utf-8") as lines:
        dialogues = [json.loads(line)["turns"] for line in lines]
    examples = [{"nll": 100 * place + len(turns) + len(values["--model"]) / 8, "tokens": tokens(turns)}
                for place, turns in enumerate(dialogues)]
    command[-1].write_text(json.dumps({"test_sets": {"none": {"per_example": examples}}}))


class Kept(FolderTest):
    def setUp(self):
        super().setUp()
        for part, lengths in (("train", [3]), ("test", [7, 4, 5, 20])):  # turns; the second dialogue is too short
            lines = [{"id": f"{part}{n}", "turns": [{"speaker": "AB"[i % 2], "text": "x" * (i + 1)} for i in range(length)]}
                     for n, length in enumerate(lengths)]
            with gzip.open(self.folder / f"{part}.jsonl.gz", "wt") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
        patch = mock.patch.object(whose_turn, "SAMPLE", self.folder)
        patch.start()
        self.addCleanup(patch.stop)

    def measured(self, *models, run=evaluate):
        with mock.patch.object(whose_turn.subprocess, "run", run):
            _, text = printed(whose_turn.main, "heed", str(self.folder / "out"), *models)
        return [json.loads(gzip.decompress((self.folder / f"out/{model}.json.gz").read_bytes())) for model in models], text

    def test_each_change_of_a_dialogue_has_its_number(self):
        (one, three), text = self.measured("m", "mmm")
        self.assertEqual(text, "3 dialogues; 20 of 20 neighbours have two speakers\nm\nmmm\n")  # 6 + 4 + 10 turns before responses
        more = {"none": 0, "1 inserted": 1, "2 inserted": 2, "3 inserted": 3, "4 inserted": 4, "1 left out": -1, "2 left out": -2,
                "query left out": -1, "query and the turn before left out": -2, "query exchanged": 0}
        self.assertEqual(set(one["nll"]), set(more))
        for kept, model in ((one, 1), (three, 3)):
            for change, turns in more.items():
                self.assertEqual(kept["nll"][change], [100 * place + length + turns + model / 8 for place, length in enumerate((7, 5, 11))])
            self.assertEqual(kept["tokens"], [7, 5, 20])  # the last turns
            self.assertEqual([len(behind) for behind in kept["own turns behind"]], [4, 4, 4])
            self.assertEqual(kept["own turns behind"], one["own turns behind"])
        self.assertEqual([one["model"], three["model"]], ["m", "mmm"])

    def test_a_second_time_gives_the_same_bytes(self):
        self.measured("m")
        before = (self.folder / "out/m.json.gz").read_bytes()
        self.measured("m")
        self.assertEqual((self.folder / "out/m.json.gz").read_bytes(), before)

    def test_other_responses_are_refused(self):
        run = lambda *command, **options: evaluate(*command, tokens=len, **options)
        with self.assertRaisesRegex(SystemExit, "m: the responses of '1 inserted' are others"):
            self.measured("m", run=run)
