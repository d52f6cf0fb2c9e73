
set edit:completion:arg-completer[kb] = { |@words|
    var index = (count $words)
    set index = (- $index 1)

    put (env _CLAP_IFS="\n" _CLAP_COMPLETE_INDEX=(to-string $index) KB_COMPLETE="elvish" kb -- $@words) | to-lines
}

