#!/usr/bin/env python3
"""Makes the tables of docs/results/*.md from the kept results, and checks what those pages say.

    scripts/experiment_tables.py                     writes the tables into the pages, between their <!-- table NAME --> marks
    scripts/experiment_tables.py --check [PAGE ...]  exits with 1 and the differences if a page says something else

PAGE is a path, as README.md or docs/results/turns.md, or the name of a page of results, as turns; without one, all are checked.
The sentences of a page are checked as well, the tables of speed against the runs that are kept, and whether every page of
results says where its raw data are. scripts/results_pages/ has a module for each page. The program whose results they read is
not called, and shares no code with them.
"""
import sys

sys.dont_write_bytecode = True  # the sources stay as they are

from results_pages import checks  # noqa: E402


def pages_named(names):
    pages = {name: checks.page_named(name) for name in names}
    for name in (name for name, page in pages.items() if page is None):
        sys.exit(f"{name}: no page whose numbers are checked; those are {', '.join(checks.all_pages())}")
    return list(dict.fromkeys(pages.values()))


def main(arguments):
    if arguments in (["--help"], ["-h"]):
        print(__doc__)
        return
    check, names = arguments[:1] == ["--check"], arguments[1:]
    if (arguments and not check) or any(name.startswith("-") for name in names):
        sys.exit(__doc__)
    pages = pages_named(names) or checks.all_pages()
    try:
        if not check:
            checks.write(pages)
        wrong = [*checks.wrong(pages, with_their_tables=check), *checks.wrong_pages_of_results(pages if names else None)]
    except checks.PageError as error:
        sys.exit(str(error))
    if wrong:
        sys.exit("\n".join(wrong))
    if names:
        print(f"{', '.join(pages)}: as the kept results say")
    else:
        print(f"{sum(len(checks.tables(page)) for page in pages)} tables {'agree with the kept results' if check else 'written'}")


if __name__ == "__main__":
    main(sys.argv[1:])
