# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kb_global_optspecs
    string join \n kb= n/namespace= format= q/quiet v/verbose color= no-progress onnxruntime= device= h/help V/version
end

function __fish_kb_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kb_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kb_using_subcommand
    set -l cmd (__fish_kb_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kb -n "__fish_kb_needs_command" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_needs_command" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_needs_command" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_needs_command" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_needs_command" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_needs_command" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_needs_command" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_needs_command" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_needs_command" -s V -l version -d 'Print version'
complete -c kb -n "__fish_kb_needs_command" -f -a "ingest" -d 'Read files and folders into the knowledge base; only what changed is read again'
complete -c kb -n "__fish_kb_needs_command" -f -a "search" -d 'Find the passages that answer a question'
complete -c kb -n "__fish_kb_needs_command" -f -a "context" -d 'Put a context for a prompt together: the passages that answer a question, with their sources, in so many tokens'
complete -c kb -n "__fish_kb_needs_command" -f -a "toc" -d 'Show a document\'s table of contents, or those of all documents; or correct one'
complete -c kb -n "__fish_kb_needs_command" -f -a "section" -d 'Show the whole text of sections, their subsections included'
complete -c kb -n "__fish_kb_needs_command" -f -a "chunks-list" -d 'List chunks: the passages that are shown (parents) and the pieces of them that are matched (children)'
complete -c kb -n "__fish_kb_needs_command" -f -a "chunk-edit" -d 'Change chunks: their text, and what is noted about them; the files stay'
complete -c kb -n "__fish_kb_needs_command" -f -a "chunk-delete" -d 'Take chunks out of documents; the files stay'
complete -c kb -n "__fish_kb_needs_command" -f -a "entity-set" -d 'Set what a thing that documents speak of is, and since when'
complete -c kb -n "__fish_kb_needs_command" -f -a "entities" -d 'List the things that documents speak of with their states, or tell all about one'
complete -c kb -n "__fish_kb_needs_command" -f -a "docs" -d 'List the documents, or describe some of them'
complete -c kb -n "__fish_kb_needs_command" -f -a "remove" -d 'Take documents out of the knowledge base; the files stay'
complete -c kb -n "__fish_kb_needs_command" -f -a "status" -d 'Show what is in the store: generation, counts, sizes, model and engine, and who is writing'
complete -c kb -n "__fish_kb_needs_command" -f -a "log" -d 'List the generations of the knowledge base, the newest first, with what each did'
complete -c kb -n "__fish_kb_needs_command" -f -a "restore" -d 'Bring an old generation back, as a new one'
complete -c kb -n "__fish_kb_needs_command" -f -a "diff" -d 'Tell what was added, has changed and is gone between two generations'
complete -c kb -n "__fish_kb_needs_command" -f -a "namespaces" -d 'List the knowledge bases inside the store; rename or remove one'
complete -c kb -n "__fish_kb_needs_command" -f -a "check" -d 'Verify tables, vectors and keyword index, and repair them'
complete -c kb -n "__fish_kb_needs_command" -f -a "reindex" -d 'Find the sections of documents anew, in place, or make their vectors anew: in another context, or by another model'
complete -c kb -n "__fish_kb_needs_command" -f -a "eval" -d 'Measure retrieval quality on a set in the BEIR layout (corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv)'
complete -c kb -n "__fish_kb_needs_command" -f -a "models" -d 'List the models there are; add or remove one'
complete -c kb -n "__fish_kb_needs_command" -f -a "llm" -d 'Try the language model, or write its prompts'
complete -c kb -n "__fish_kb_needs_command" -f -a "completions" -d 'Write the completions for a shell'
complete -c kb -n "__fish_kb_needs_command" -f -a "parse-worker" -d 'Parse files for a parent process'
complete -c kb -n "__fish_kb_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l name -d 'The name of what comes from standard input; its ending tells the format' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l include -d 'Only files in folders that match this glob; may be given several times' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l exclude -d 'Not the files and folders that match this glob; may be given several times' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l as -d 'The format of the files, whatever their names say' -r -f -a "pdf\t'Portable Document Format'
markdown\t'Markdown (CommonMark with tables and front matter)'
html\t'HTML'
docx\t'Word documents, from Word 2007 on'
epub\t'Electronic books'
rst\t'reStructuredText'
asciidoc\t'AsciiDoc'
jsonl\t'JSON Lines with `_id`, `title` and `text`, as in a BEIR corpus'
text\t'Plain text'"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l time -d 'When what is ingested is from, such as 2026-11-21 or `90d ago`, whatever it says itself [default: what the document says, otherwise the time of the file]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l model -d 'The model of the vectors, of a new namespace; `kb reindex --vectors` gives one that is there another [default: what the namespace has, otherwise `model` in kb.toml, otherwise the one in the program]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l context -d 'What is embedded and indexed in front of passages [default: headings; of documents that are there, what they have]' -r -f -a "none\t'Nothing'
headings\t'The titles of the document and its sections'
subjects\t'The titles and, for passages that speak of `it` or `其`, the sentence before them that says what that is'
llm\t'The titles and what a language model says about the passage; needs `[llm]` in kb.toml'"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l max-file-size -d 'Refuse larger files [default: 500 for PDF, DOCX and EPUB, 20 for text]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l password -d 'The password of encrypted PDFs' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l file-timeout -d 'Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l page-timeout -d 'Leave out a page that takes longer [default: 20, with --ocr-command 120]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l worker-memory -d 'Memory that reading a file may take, beside four times its size [default: 900]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l ocr-command -d 'Read pages without text by a program: it gets the path of the page\'s image for {} and prints the text' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l jobs -d 'Threads that read and embed [default: one per core]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand ingest" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand ingest" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l prune -d 'Take documents out whose file is gone from the given folders'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l dry-run -d 'Only say what would happen'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l force -d 'Read files again that have not changed'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l no-embed -d 'Make no vectors, which takes most of the time: searches use words alone until a run without this makes them, or `kb reindex --vectors`'
complete -c kb -n "__fish_kb_using_subcommand ingest" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand ingest" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand ingest" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand search" -l method -d 'How to search [default: auto]' -r -f -a "auto\t'Whatever serves the question: usually both, keywords alone where the model does not know its language'
hybrid\t'Both arms, with equal weight'
semantic\t'Vectors alone'
keyword\t'Words alone (BM25)'"
complete -c kb -n "__fish_kb_using_subcommand search" -s k -l limit -d 'How many hits [default: 5; broad 10; drill as many as its beam leads to]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l doc -d 'Only in this document (an id, a path, a title, or the beginning, end or part of one); may be given several times' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l rerank -d 'How the best are looked at again: light, by the question\'s words in passage and titles; off; or also by a cross-encoder, named as `kb models` lists it or by its folder (model.onnx, tokenizer.json, … as Hugging Face lays it out) [default: light, for --method auto and hybrid]' -r -f -a "(__fish_complete_directories)"
complete -c kb -n "__fish_kb_using_subcommand search" -l rerank-depth -d 'How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l rerank-budget -d 'How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to follows in its old order [default: 500ms; none for `kb eval`]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l filter -d 'Only what this holds of, such as \'author = Ann and page < 20\'; several are joined by and; \'\' puts the one of kb.toml aside' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l before -d 'Only documents from before the beginning of this time' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l after -d 'Only documents from the beginning of this time on' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l as-of -d 'Only what was there at the end of this time: nothing later' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l half-life -d 'Let scores decay with the age of the document: halve them for each 90d, 6 months, 1y; none for no decay [default: none]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l min-score -d 'Leave out passages below this score, from 0 to 1' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l weights -d 'How much the keyword arm and the semantic arm count, whatever the question\'s language [default: by question]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l fusion -d 'How the arms are fused [default: weighted]' -r -f -a "weighted\t'Scores, each arm\'s scaled to 0…1 over the candidates'
rrf\t'Ranks: 1/(k + rank) (reciprocal rank fusion)'"
complete -c kb -n "__fish_kb_using_subcommand search" -l rrf-k -d 'The k of reciprocal rank fusion [default: 60]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l pool -d 'How many candidates each arm recalls [default: 100, or -k]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l kind -d 'Of which kind the question is [default: told by its words]' -r -f -a "procedure\t'How something is done'
concept\t'What something is, or why'
reference\t'A fact: a value, a time, a name'
troubleshooting\t'What to do about a fault'
lookup\t'Where a code, a name or a phrase stands'
structure\t'Which chapters there are: answered from the table of contents'"
complete -c kb -n "__fish_kb_using_subcommand search" -l expand -d 'Which words are searched for beside those of the question [default: missing]' -r -f -a "off\t'None'
missing\t'What abbreviations stand for, synonyms; for words that no passage has what begins with them, what they are misspelt for, their parts'
all\t'The same, and for all words what begins with them, and their parts'
llm\t'As missing, and the question in other words of the language model that [llm] in kb.toml names'"
complete -c kb -n "__fish_kb_using_subcommand search" -l fallback -d 'Look again (wider, with the other arm, with other words) where a search gives less: min_hits=N, min_score=S, min_docs=N, or off [default: off]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l query-encoder -d 'What makes the question\'s vector [default: auto]' -r -f -a "auto\t'The table that `kb reindex --query-encoder` made, where there is one and it knows all words of the question'
model\t'The model'
table\t'The table, also where it does not know all words'"
complete -c kb -n "__fish_kb_using_subcommand search" -l mode -d 'How hits are chosen [default: precise]' -r -f -a "precise\t'The best passages, as they are ranked'
broad\t'Passages that differ, from several documents, out of a wider pool'
section\t'Whole sections, ranked by their titles and passages'
drill\t'The best documents, the best passages of each, the best pieces of each of those'"
complete -c kb -n "__fish_kb_using_subcommand search" -l context -d 'Show so many neighbouring passages on both sides' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l window -d 'Of each passage only the sentence that matches best, and so many on both sides' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l group-by -d 'Put the hits of a section or a document together, at the place of the best [default: none]' -r -f -a "none\t'Each hit at its own place'
section\t'The hits of a section, at the place of its best'
doc\t'The hits of a document, at the place of its best'"
complete -c kb -n "__fish_kb_using_subcommand search" -l diversity -d 'How much being different counts in the mode broad, from 0 to 1 [default: 0.3]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l per-document -d 'At most so many hits of a document' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l beam -d 'How many documents, passages of each and pieces of each the mode drill follows [default: 3,3,3]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l children -d 'Name so many of the pieces of each passage, those that match best, in JSON [default: 2]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l max-tokens -d 'At most so many tokens of text and titles; what does not fit is named [default: in the mode section 8000]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l tokenizer -d 'What counts them: a tokenizer.json, or `chars/4` for a token every four characters [default: the embedding model\'s]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l in -d 'What is looked for: passages, or sections with a preview' -r -f -a "passages\t'Passages, or what the mode makes of them'
sections\t'Sections: titles, how many of their passages match, and a preview'"
complete -c kb -n "__fish_kb_using_subcommand search" -l why -d 'Instead of a result, say of a chunk or a section in which stage it was lost, and what would have kept it' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand search" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand search" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand search" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand search" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand search" -l across-sections -d 'Neighbours may be of other sections'
complete -c kb -n "__fish_kb_using_subcommand search" -l merge -d 'Make one of adjacent passages of a section [default: in the mode broad]'
complete -c kb -n "__fish_kb_using_subcommand search" -l no-merge -d 'Leave adjacent passages apart'
complete -c kb -n "__fish_kb_using_subcommand search" -l keep-duplicates -d 'Show passages that say the same as a better one too'
complete -c kb -n "__fish_kb_using_subcommand search" -l explain -d 'Show how the result came about: each stage with its time, what it took and what came out'
complete -c kb -n "__fish_kb_using_subcommand search" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand search" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand search" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand context" -l method -d 'How to search [default: auto]' -r -f -a "auto\t'Whatever serves the question: usually both, keywords alone where the model does not know its language'
hybrid\t'Both arms, with equal weight'
semantic\t'Vectors alone'
keyword\t'Words alone (BM25)'"
complete -c kb -n "__fish_kb_using_subcommand context" -s k -l limit -d 'How many hits [default: 5; broad 10; drill as many as its beam leads to]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l doc -d 'Only in this document (an id, a path, a title, or the beginning, end or part of one); may be given several times' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l rerank -d 'How the best are looked at again: light, by the question\'s words in passage and titles; off; or also by a cross-encoder, named as `kb models` lists it or by its folder (model.onnx, tokenizer.json, … as Hugging Face lays it out) [default: light, for --method auto and hybrid]' -r -f -a "(__fish_complete_directories)"
complete -c kb -n "__fish_kb_using_subcommand context" -l rerank-depth -d 'How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l rerank-budget -d 'How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to follows in its old order [default: 500ms; none for `kb eval`]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l filter -d 'Only what this holds of, such as \'author = Ann and page < 20\'; several are joined by and; \'\' puts the one of kb.toml aside' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l before -d 'Only documents from before the beginning of this time' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l after -d 'Only documents from the beginning of this time on' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l as-of -d 'Only what was there at the end of this time: nothing later' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l half-life -d 'Let scores decay with the age of the document: halve them for each 90d, 6 months, 1y; none for no decay [default: none]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l min-score -d 'Leave out passages below this score, from 0 to 1' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l weights -d 'How much the keyword arm and the semantic arm count, whatever the question\'s language [default: by question]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l fusion -d 'How the arms are fused [default: weighted]' -r -f -a "weighted\t'Scores, each arm\'s scaled to 0…1 over the candidates'
rrf\t'Ranks: 1/(k + rank) (reciprocal rank fusion)'"
complete -c kb -n "__fish_kb_using_subcommand context" -l rrf-k -d 'The k of reciprocal rank fusion [default: 60]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l pool -d 'How many candidates each arm recalls [default: 100, or -k]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l kind -d 'Of which kind the question is [default: told by its words]' -r -f -a "procedure\t'How something is done'
concept\t'What something is, or why'
reference\t'A fact: a value, a time, a name'
troubleshooting\t'What to do about a fault'
lookup\t'Where a code, a name or a phrase stands'
structure\t'Which chapters there are: answered from the table of contents'"
complete -c kb -n "__fish_kb_using_subcommand context" -l expand -d 'Which words are searched for beside those of the question [default: missing]' -r -f -a "off\t'None'
missing\t'What abbreviations stand for, synonyms; for words that no passage has what begins with them, what they are misspelt for, their parts'
all\t'The same, and for all words what begins with them, and their parts'
llm\t'As missing, and the question in other words of the language model that [llm] in kb.toml names'"
complete -c kb -n "__fish_kb_using_subcommand context" -l fallback -d 'Look again (wider, with the other arm, with other words) where a search gives less: min_hits=N, min_score=S, min_docs=N, or off [default: off]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l query-encoder -d 'What makes the question\'s vector [default: auto]' -r -f -a "auto\t'The table that `kb reindex --query-encoder` made, where there is one and it knows all words of the question'
model\t'The model'
table\t'The table, also where it does not know all words'"
complete -c kb -n "__fish_kb_using_subcommand context" -l mode -d 'How hits are chosen [default: precise]' -r -f -a "precise\t'The best passages, as they are ranked'
broad\t'Passages that differ, from several documents, out of a wider pool'
section\t'Whole sections, ranked by their titles and passages'
drill\t'The best documents, the best passages of each, the best pieces of each of those'"
complete -c kb -n "__fish_kb_using_subcommand context" -l context -d 'Show so many neighbouring passages on both sides' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l window -d 'Of each passage only the sentence that matches best, and so many on both sides' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l group-by -d 'Put the hits of a section or a document together, at the place of the best [default: none]' -r -f -a "none\t'Each hit at its own place'
section\t'The hits of a section, at the place of its best'
doc\t'The hits of a document, at the place of its best'"
complete -c kb -n "__fish_kb_using_subcommand context" -l diversity -d 'How much being different counts in the mode broad, from 0 to 1 [default: 0.3]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l per-document -d 'At most so many hits of a document' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l beam -d 'How many documents, passages of each and pieces of each the mode drill follows [default: 3,3,3]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l children -d 'Name so many of the pieces of each passage, those that match best, in JSON [default: 2]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l max-tokens -d 'At most so many tokens of text and titles; what does not fit is named [default: in the mode section 8000]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l tokenizer -d 'What counts them: a tokenizer.json, or `chars/4` for a token every four characters [default: the embedding model\'s]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l template -d 'Lay the context out with this template' -r -F
complete -c kb -n "__fish_kb_using_subcommand context" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand context" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand context" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand context" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand context" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand context" -l across-sections -d 'Neighbours may be of other sections'
complete -c kb -n "__fish_kb_using_subcommand context" -l merge -d 'Make one of adjacent passages of a section [default: in the mode broad]'
complete -c kb -n "__fish_kb_using_subcommand context" -l no-merge -d 'Leave adjacent passages apart'
complete -c kb -n "__fish_kb_using_subcommand context" -l keep-duplicates -d 'Show passages that say the same as a better one too'
complete -c kb -n "__fish_kb_using_subcommand context" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand context" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand context" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand context" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand toc" -l max-level -d 'How deep [default: 3, for all documents 1; in JSON of one, all of it]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l set -d 'Take the corrected one from a file; `-` is standard input' -r -F
complete -c kb -n "__fish_kb_using_subcommand toc" -l password -d 'The password of encrypted PDFs' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l file-timeout -d 'Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l page-timeout -d 'Leave out a page that takes longer [default: 20, with --ocr-command 120]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l worker-memory -d 'Memory that reading a file may take, beside four times its size [default: 900]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l ocr-command -d 'Read pages without text by a program: it gets the path of the page\'s image for {} and prints the text' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l jobs -d 'Threads that read and embed [default: one per core]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand toc" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand toc" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand toc" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand toc" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand toc" -l provenance -d 'Show where each entry came from and how sure it is, from 0 to 1'
complete -c kb -n "__fish_kb_using_subcommand toc" -l edit -d 'Correct the table of contents in an editor'
complete -c kb -n "__fish_kb_using_subcommand toc" -l editable -d 'Print it in the form that --edit shows and --set takes'
complete -c kb -n "__fish_kb_using_subcommand toc" -l reset -d 'Drop the correction'
complete -c kb -n "__fish_kb_using_subcommand toc" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand toc" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand toc" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand toc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand section" -l max-tokens -d 'At most so many tokens; cut between passages, and said what is left out' -r
complete -c kb -n "__fish_kb_using_subcommand section" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand section" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand section" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand section" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand section" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand section" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand section" -l no-children -d 'Only the sections\' own text, without their subsections'
complete -c kb -n "__fish_kb_using_subcommand section" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand section" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand section" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand section" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l doc -d 'Only of this document (an id, a path, a title, or the beginning, end or part of one)' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l section -d 'Only of this section and its subsections, as `kb section` names it; needs --doc' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l type -d 'Only parents, or only children' -r -f -a "parent\t'Passages that are shown'
child\t'Pieces of them that are matched'"
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l filter -d 'Only chunks with this text in them: plain text, upper and lower case alike' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l where -d 'Only chunks of which this holds, such as \'tags = safety and page < 20\'; `kb search --help` says what it can be' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l limit -d 'At most so many [default: all]' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l offset -d 'Pass over so many' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l order-by -d 'By document, parent, index, chunk_id, chunk_type, section, updated_at or page; with `:desc` from the end [default: document,parent,index]' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l edited -d 'Only chunks that somebody changed'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l conflicts -d 'Instead of chunks, edits that do not fit what the source says now; `kb chunk-edit ID --resolve` settles them'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l content -d 'The new text' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l content-file -d 'A file with the new text; - is standard input' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l meta -d 'Note something; without a value, take the note away' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l batch -d 'A file with many edits, a line of JSON each, as `kb chunks-list --format jsonl` writes them; all or none is done. - is standard input' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l resolve -d 'Settle conflicts: your text, or the source\'s' -r -f -a "mine\t'What you typed'
theirs\t'What the source says'"
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l reset -d 'Give passages back what the source says, without notes'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l dry-run -d 'Only say what would be changed'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l no-cascade -d 'Refuse a parent that has children, instead of deleting them too'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l dry-run -d 'Only say what would be deleted'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s y -l yes -d 'Do not ask'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l type -d 'Of which type it is: pump, person, contract' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l state -d 'What it is from --time on, on one line' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l alias -d 'Another name of it; may be given several times' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l time -d 'From when on the state holds, such as 2026-11-21 or "2 weeks ago" [default: now]; with --remove, of when it is' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l from -d 'Read many from this file, a line of JSON each; - for standard input' -r -F
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand entity-set" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l retype -d 'Give it --type although it has another'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l remove -d 'Take out the state of --time and each --alias; without these, the entity with all its states'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l dry-run -d 'Only say what would be done'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand entities" -l as-of -d 'What they were at the end of this time [default: now]' -r
complete -c kb -n "__fish_kb_using_subcommand entities" -l type -d 'Only those of this type' -r
complete -c kb -n "__fish_kb_using_subcommand entities" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand entities" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand entities" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand entities" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand entities" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand entities" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand entities" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand entities" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand entities" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand entities" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand docs" -l filter -d 'Only what this holds of, such as \'author = Ann and page < 20\'; several are joined by and; \'\' puts the one of kb.toml aside' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l before -d 'Only documents from before the beginning of this time' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l after -d 'Only documents from the beginning of this time on' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l as-of -d 'Only what was there at the end of this time: nothing later' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand docs" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand docs" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand docs" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand docs" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand docs" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand docs" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand docs" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand docs" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand remove" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand remove" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand remove" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand remove" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand remove" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand remove" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand remove" -l dry-run -d 'Only say what would be removed'
complete -c kb -n "__fish_kb_using_subcommand remove" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand remove" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand remove" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand status" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand status" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand status" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand status" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand status" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand status" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand status" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand status" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand status" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand log" -l limit -d 'At most so many' -r
complete -c kb -n "__fish_kb_using_subcommand log" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand log" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand log" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand log" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand log" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand log" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand log" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand log" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand log" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand log" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand restore" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand restore" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand restore" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand restore" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand restore" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand restore" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand restore" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand restore" -l dry-run -d 'Only say what would be other than now'
complete -c kb -n "__fish_kb_using_subcommand restore" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand restore" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand restore" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand restore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand diff" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand diff" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand diff" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand diff" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand diff" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand diff" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand diff" -l stat -d 'Only the counts of each document, without its sections and chunks'
complete -c kb -n "__fish_kb_using_subcommand diff" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand diff" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand diff" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -f -a "rename" -d 'Give a namespace another name'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -f -a "remove" -d 'Remove a namespace with all that was ingested into it; the files stay'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Do not ask'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from help" -f -a "rename" -d 'Give a namespace another name'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Remove a namespace with all that was ingested into it; the files stay'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kb -n "__fish_kb_using_subcommand check" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand check" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand check" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand check" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand check" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand check" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand check" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand check" -l repair -d 'Mend what can be mended, as one new generation'
complete -c kb -n "__fish_kb_using_subcommand check" -l all-namespaces -d 'All namespaces of the store'
complete -c kb -n "__fish_kb_using_subcommand check" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand check" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand check" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l context -d 'What is embedded and indexed in front of passages from now on' -r -f -a "none\t'Nothing'
headings\t'The titles of the document and its sections'
subjects\t'The titles and, for passages that speak of `it` or `其`, the sentence before them that says what that is'
llm\t'The titles and what a language model says about the passage; needs `[llm]` in kb.toml'"
complete -c kb -n "__fish_kb_using_subcommand reindex" -l model -d 'The model of the vectors, which is used from now on [default: the one that is used]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l wait -d 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l password -d 'The password of encrypted PDFs' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l file-timeout -d 'Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l page-timeout -d 'Leave out a page that takes longer [default: 20, with --ocr-command 120]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l worker-memory -d 'Memory that reading a file may take, beside four times its size [default: 900]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l ocr-command -d 'Read pages without text by a program: it gets the path of the page\'s image for {} and prints the text' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l jobs -d 'Threads that read and embed [default: one per core]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand reindex" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand reindex" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand reindex" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand reindex" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand reindex" -l structure -d 'Find sections anew and cut them into passages'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l vectors -d 'Make vectors: all of them where the model is another one than before, otherwise those that are missing'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l query-encoder -d 'Fit what stands in for the model when a question is asked'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l force -d 'Those too that this version of kb made, that stand in this context, or whose vectors are there'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l dry-run -d 'Only say what would be made anew'
complete -c kb -n "__fish_kb_using_subcommand reindex" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand reindex" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand reindex" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand eval" -l methods -d 'Which methods to measure' -r -f -a "auto\t'Whatever serves the question: usually both, keywords alone where the model does not know its language'
hybrid\t'Both arms, with equal weight'
semantic\t'Vectors alone'
keyword\t'Words alone (BM25)'"
complete -c kb -n "__fish_kb_using_subcommand eval" -l min -d 'Fail with exit code 1 where a figure is lower; may be given several times' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l rerank -d 'How the best are looked at again: light, by the question\'s words in passage and titles; off; or also by a cross-encoder, named as `kb models` lists it or by its folder (model.onnx, tokenizer.json, … as Hugging Face lays it out) [default: light, for --method auto and hybrid]' -r -f -a "(__fish_complete_directories)"
complete -c kb -n "__fish_kb_using_subcommand eval" -l rerank-depth -d 'How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l rerank-budget -d 'How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to follows in its old order [default: 500ms; none for `kb eval`]' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l model -d 'The model that makes the vectors [default: the one in the program]' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l jobs -d 'Threads that embed [default: one per core]' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand eval" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand eval" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand eval" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand eval" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand eval" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand eval" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand eval" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand eval" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -f -a "add" -d 'Add a model, from the hub or from a folder'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -f -a "remove" -d 'Remove a model that was added, or what is left of a download'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l name -d 'What it is called here [default: its own name]' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l query-prefix -d 'What stands in front of questions [default: what the model says]' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l passage-prefix -d 'What stands in front of passages [default: what the model says]' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s y -l yes -l force -d 'Even where the store has vectors of it'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from help" -f -a "add" -d 'Add a model, from the hub or from a folder'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from help" -f -a "remove" -d 'Remove a model that was added, or what is left of a download'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -f -a "check" -d 'Send one tiny request and say what came of it'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -f -a "prompt" -d 'Write a prompt as it is built in; one\'s own lie in .kb/prompts/NAME.md'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from help" -f -a "check" -d 'Send one tiny request and say what came of it'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from help" -f -a "prompt" -d 'Write a prompt as it is built in; one\'s own lie in .kb/prompts/NAME.md'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kb -n "__fish_kb_using_subcommand completions" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand completions" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand completions" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand completions" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand completions" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand completions" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand completions" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand completions" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand completions" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l kb -d 'The store\'s folder [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -s n -l namespace -d 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l format -d 'How results are written [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'A JSON value a line'
paths\t'Only paths or ids, one a line'"
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l onnxruntime -d 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l device -d 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]' -r -f -a "auto\t'The processor. The same vectors everywhere; nothing but asking gets another one'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -s q -l quiet -d 'Only results and errors'
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -s v -l verbose -d 'Say more: the method chosen and the time of each stage'
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l no-progress -d 'No progress display'
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "ingest" -d 'Read files and folders into the knowledge base; only what changed is read again'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "search" -d 'Find the passages that answer a question'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "context" -d 'Put a context for a prompt together: the passages that answer a question, with their sources, in so many tokens'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "toc" -d 'Show a document\'s table of contents, or those of all documents; or correct one'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "section" -d 'Show the whole text of sections, their subsections included'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "chunks-list" -d 'List chunks: the passages that are shown (parents) and the pieces of them that are matched (children)'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "chunk-edit" -d 'Change chunks: their text, and what is noted about them; the files stay'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "chunk-delete" -d 'Take chunks out of documents; the files stay'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "entity-set" -d 'Set what a thing that documents speak of is, and since when'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "entities" -d 'List the things that documents speak of with their states, or tell all about one'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "docs" -d 'List the documents, or describe some of them'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "remove" -d 'Take documents out of the knowledge base; the files stay'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "status" -d 'Show what is in the store: generation, counts, sizes, model and engine, and who is writing'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "log" -d 'List the generations of the knowledge base, the newest first, with what each did'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "restore" -d 'Bring an old generation back, as a new one'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "diff" -d 'Tell what was added, has changed and is gone between two generations'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "namespaces" -d 'List the knowledge bases inside the store; rename or remove one'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "check" -d 'Verify tables, vectors and keyword index, and repair them'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "reindex" -d 'Find the sections of documents anew, in place, or make their vectors anew: in another context, or by another model'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "eval" -d 'Measure retrieval quality on a set in the BEIR layout (corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv)'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "models" -d 'List the models there are; add or remove one'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "llm" -d 'Try the language model, or write its prompts'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "completions" -d 'Write the completions for a shell'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "parse-worker" -d 'Parse files for a parent process'
complete -c kb -n "__fish_kb_using_subcommand help; and not __fish_seen_subcommand_from ingest search context toc section chunks-list chunk-edit chunk-delete entity-set entities docs remove status log restore diff namespaces check reindex eval models llm completions parse-worker help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kb -n "__fish_kb_using_subcommand help; and __fish_seen_subcommand_from namespaces" -f -a "rename" -d 'Give a namespace another name'
complete -c kb -n "__fish_kb_using_subcommand help; and __fish_seen_subcommand_from namespaces" -f -a "remove" -d 'Remove a namespace with all that was ingested into it; the files stay'
complete -c kb -n "__fish_kb_using_subcommand help; and __fish_seen_subcommand_from models" -f -a "add" -d 'Add a model, from the hub or from a folder'
complete -c kb -n "__fish_kb_using_subcommand help; and __fish_seen_subcommand_from models" -f -a "remove" -d 'Remove a model that was added, or what is left of a download'
complete -c kb -n "__fish_kb_using_subcommand help; and __fish_seen_subcommand_from llm" -f -a "check" -d 'Send one tiny request and say what came of it'
complete -c kb -n "__fish_kb_using_subcommand help; and __fish_seen_subcommand_from llm" -f -a "prompt" -d 'Write a prompt as it is built in; one\'s own lie in .kb/prompts/NAME.md'
