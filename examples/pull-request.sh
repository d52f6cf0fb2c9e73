#!/bin/sh
# Checks a change of documents, for CI: what it changes in the store, whether every file can be read, and whether questions
# still find their answers.
#
#   pull-request.sh FOLDER QUESTIONS [BASELINE]
#
# QUESTIONS has a question and its document per line, BASELINE is what `kb eval --questions QUESTIONS --format json` printed
# on the main branch. Restore the store (.kb) of the main branch first, from the cache of your CI, so that only what changed
# is read. Ends with the exit code of the first step that fails; 1 is a figure that is too low.
set -eu

folder=$1 questions=$2 baseline=${3:-}

generation() { kb log --limit 1 --format jsonl 2>/dev/null | sed -n 's/.*"generation": *\([0-9][0-9]*\).*/\1/p' | head -n 1; }

before=$(generation)
kb ingest "$folder" --no-progress --prune --yes
kb check
if [ -n "$before" ]; then
  # Exit code 1: nothing differs.
  kb diff "$before" || { code=$?; [ "$code" -eq 1 ] || exit "$code"; }
fi
kb eval --questions "$questions" ${baseline:+--baseline "$baseline"} --min 'hit@5>=0.9'
