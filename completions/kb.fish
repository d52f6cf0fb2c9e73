complete --keep-order --exclusive --command kb --arguments "(KB_COMPLETE=fish kb -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token))"
