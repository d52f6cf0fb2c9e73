#!/bin/sh
# Brings a store up to date, for cron, and prints what has changed in the documents: cron mails what is printed. A night
# without changes prints nothing. cron looks for kb in few folders: name the one that has it.
#
#   PATH=/home/ann/.cargo/bin:/usr/bin:/bin
#   0 3 * * *  KB_DIR=/srv/manuals/.kb /srv/manuals/nightly.sh /srv/manuals/documents
#
# Exit codes are those of kb ingest: 0 done, 3 failed, 4 a file failed that did not fail before, 5 another kb was writing.
set -u

generation() { kb log --limit 1 --format jsonl 2>/dev/null | sed -n 's/.*"generation": *\([0-9][0-9]*\).*/\1/p' | head -n 1; }

before=$(generation)
# Waits an hour for another writer. Without --yes, kb does not remove more than a fifth of all documents at once: a disk
# that is not mounted looks like that.
report=$(kb ingest --quiet --wait 3600 --prune --new-failures "$@" 2>&1)
code=$?
after=$(generation)
if [ "$code" -ne 0 ]; then
  printf '%s\n' "$report"
fi
if [ "$before" != "$after" ]; then
  # On the first night there is nothing to compare with. And of another writer's run only the last generation is kept, so
  # the one from before may be gone.
  if ! kb diff "${before:-0}" --stat 2>/dev/null && [ "$code" -eq 0 ]; then
    printf '%s\n' "$report"
  fi
fi
# A damaged store is worse than a file that failed.
found=$(kb check) || { printf '%s\n' "$found"; exit 3; }
exit "$code"
