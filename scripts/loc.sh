#!/usr/bin/env bash
# Prints a Markdown table of the files and lines of code of each folder. Lines of code are neither blank nor only
# comment. The tests of a folder (emulator/tests/) count as tests. Puts the table between the loc markers of
# docs/reading-order.md, if present, and updates line counts in the other pages: "| `path/file` | 120 |" and
# "`path/file` (120 lines".
set -euo pipefail
cd "$(dirname "$0")/.."

table() {
  git ls-files -co --exclude-standard '*.h' '*.cc' '*.cu' | sort | xargs awk '
    FNR == 1 {
      folder = FILENAME
      if (!sub("/.*", "", folder)) folder = "."
      if (FILENAME ~ "/tests/") folder = "tests"
      files[folder]++
      block = 0
    }
    {
      line = $0
      gsub(/[ \t]+/, "", line)
      if (block) {
        if (!sub(/^.*\*\//, "", line)) next
        block = 0
      }
      if (line == "" || line ~ /^\/\//) next
      if (line ~ /^\/\*/) {
        if (!sub(/^\/\*.*\*\//, "", line)) block = 1
        if (block || line == "") next
      }
      lines[folder]++
    }
    END {
      count = split("base emulator tensor autograd nn optim train dialog experiments heed examples labs bench tests", order, " ")
      print "| folder | files | lines of code |\n| --- | ---: | ---: |"
      for (i = 1; i <= count; i++) {
        if (!(order[i] in files)) continue
        printf "| `%s/` | %d | %d |\n", order[i], files[order[i]], lines[order[i]]
        all_files += files[order[i]]
        all_lines += lines[order[i]]
      }
      printf "| **all** | **%d** | **%d** |\n", all_files, all_lines
    }'
}

table=$(table)
echo "$table"
page=docs/reading-order.md
if [[ -f $page ]] && grep -q '<!-- loc -->' $page && grep -q '<!-- /loc -->' $page; then
  TABLE=$table awk '
    /<!-- \/loc -->/ { skip = 0 }
    !skip
    /<!-- loc -->/ { print ENVIRON["TABLE"]; skip = 1 }' $page > $page.new
  cat $page.new > $page
  rm $page.new
fi

perl -pi -e 'sub lines { open my $file, "<", $_[0] or die "$_[0]: $!"; scalar(() = <$file>) }
  s{(`([\w/.-]+\.\w+)` (?:\| |\())(\d+)(?= \|| lines)}{$1 . (-f $2 ? lines($2) : $3)}ge' docs/*.md

# The overview of the stops, in tens of lines: the files of each stop's own table, added.
perl -0pi -e 'my %lines; while (/^## (\d+)\. .*?\n(.*?)(?=^## |\z)/msg) { my ($stop, $text) = ($1, $2);
    $lines{$stop} += $1 while $text =~ /^\| `[\w\/.-]+` \| (\d+) \|/mg }
  s{^(\| (\d+) \| \[.*?\) \| )\d+}{$1 . 10 * int($lines{$2} / 10 + 0.5)}gme' docs/reading-order.md
