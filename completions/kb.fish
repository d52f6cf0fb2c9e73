# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kb_global_optspecs
    string join \n kb= n/namespace= format= 0/null q/quiet v/verbose color= no-progress onnxruntime= device= serve= h/help V/version
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

complete -c kb -n "__fish_kb_needs_command" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_needs_command" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_needs_command" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_needs_command" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_needs_command" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_needs_command" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_needs_command" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_needs_command" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_needs_command" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_needs_command" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_needs_command" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_needs_command" -s V -l version -d 'Print version'
complete -c kb -n "__fish_kb_needs_command" -f -a "ingest" -d 'Ingest files and folders; later runs read only what changed'
complete -c kb -n "__fish_kb_needs_command" -f -a "search" -d 'Find the parts of documents that answer a question'
complete -c kb -n "__fish_kb_needs_command" -f -a "context" -d 'Build a prompt context with sources, within a token limit'
complete -c kb -n "__fish_kb_needs_command" -f -a "toc" -d 'Show or correct the table of contents of a document, or list those of all'
complete -c kb -n "__fish_kb_needs_command" -f -a "section" -d 'Show the text of sections with their subsections'
complete -c kb -n "__fish_kb_needs_command" -f -a "show" -d 'Show what an id stands for: a chunk, a section or a document'
complete -c kb -n "__fish_kb_needs_command" -f -a "open" -d 'Open the file of a chunk, a section or a document in the system\'s viewer, at its page if the viewer can'
complete -c kb -n "__fish_kb_needs_command" -f -a "chunks-list" -d 'List chunks: parents, which are shown, and their children, which are matched'
complete -c kb -n "__fish_kb_needs_command" -f -a "chunk-edit" -d 'Change the text and the notes of chunks; the files stay'
complete -c kb -n "__fish_kb_needs_command" -f -a "chunk-delete" -d 'Delete chunks from documents; the files stay'
complete -c kb -n "__fish_kb_needs_command" -f -a "entity-set" -d 'Record the state of a thing (machine, contract, person) from a date on'
complete -c kb -n "__fish_kb_needs_command" -f -a "entities" -d 'List the entities in documents with their states, or describe one'
complete -c kb -n "__fish_kb_needs_command" -f -a "docs" -d 'List the documents, or describe some of them'
complete -c kb -n "__fish_kb_needs_command" -f -a "doc-set" -d 'Set metadata and tags of documents, for filters'
complete -c kb -n "__fish_kb_needs_command" -f -a "remove" -d 'Remove documents from the knowledge base; the files stay'
complete -c kb -n "__fish_kb_needs_command" -f -a "status" -d 'Show counts, sizes, model, engine and the current writer'
complete -c kb -n "__fish_kb_needs_command" -f -a "log" -d 'List the generations, newest first, with their changes'
complete -c kb -n "__fish_kb_needs_command" -f -a "undo" -d 'Undo the last change: restore the generation before it'
complete -c kb -n "__fish_kb_needs_command" -f -a "restore" -d 'Restore an old generation, as a new one'
complete -c kb -n "__fish_kb_needs_command" -f -a "diff" -d 'Show what was added, changed and removed between two generations'
complete -c kb -n "__fish_kb_needs_command" -f -a "namespaces" -d 'List, rename or remove the namespaces of the store'
complete -c kb -n "__fish_kb_needs_command" -f -a "export" -d 'Write a namespace with its history into one file'
complete -c kb -n "__fish_kb_needs_command" -f -a "import" -d 'Check a file of `kb export` and import its namespace'
complete -c kb -n "__fish_kb_needs_command" -f -a "check" -d 'Verify and repair tables, vectors and the keyword index'
complete -c kb -n "__fish_kb_needs_command" -f -a "optimize" -d 'Join small files and bring the indexes up to date, now'
complete -c kb -n "__fish_kb_needs_command" -f -a "config" -d 'List every setting, its value and where it comes from'
complete -c kb -n "__fish_kb_needs_command" -f -a "trust" -d 'Trust the settings of a store'
complete -c kb -n "__fish_kb_needs_command" -f -a "reindex" -d 'Rebuild sections, context or vectors from what is in the store'
complete -c kb -n "__fish_kb_needs_command" -f -a "watch" -d 'Ingest files and folders whenever they change, until Ctrl-C'
complete -c kb -n "__fish_kb_needs_command" -f -a "serve" -d 'Keep the store open and the model loaded, and answer the reading commands of other processes'
complete -c kb -n "__fish_kb_needs_command" -f -a "mcp" -d 'Serve an agent over standard input and output (Model Context Protocol)'
complete -c kb -n "__fish_kb_needs_command" -f -a "eval" -d 'Measure how well kb answers your own questions, or a set in the BEIR layout'
complete -c kb -n "__fish_kb_needs_command" -f -a "models" -d 'List, add or remove models'
complete -c kb -n "__fish_kb_needs_command" -f -a "llm" -d 'Check the language model, or print its prompts'
complete -c kb -n "__fish_kb_needs_command" -f -a "schema" -d 'Print the JSON Schema of what a command prints with `--format json`'
complete -c kb -n "__fish_kb_needs_command" -f -a "completions" -d 'Print the completions of a shell'
complete -c kb -n "__fish_kb_needs_command" -f -a "parse-worker" -d 'Parse files for a parent process'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l files-from -d 'Also read the files and folders that this file lists, one per line or, with -0, each ended by NUL; `-` is standard input' -r -F
complete -c kb -n "__fish_kb_using_subcommand ingest" -l name -d 'Name standard input; the ending of the name is the format' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l as -d 'Read the files in this format, whatever their names' -r -f -a "pdf\t''
markdown\t'CommonMark with tables and front matter'
html\t''
docx\t'Word 2007 and later'
epub\t''
rst\t''
asciidoc\t''
jsonl\t'`_id`, `title` and `text` on each line, as in a BEIR corpus'
csv\t'Comma- or tab-separated values'
excel\t'Excel 2007 and later'
powerpoint\t'PowerPoint 2007 and later'
notebook\t'Jupyter'
email\t''
mbox\t'Many messages in one file'
c\t''
cpp\t''
csharp\t''
go\t''
java\t''
javascript\t''
php\t''
python\t''
rust\t''
typescript\t''
text\t''"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l time -d 'The time of the documents, such as 2026-11-21 or `90d ago` [default: what the document states, otherwise that of the file]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l model -d 'The embedding model of a new namespace; `endpoint` is that of [embedding] [default: `model` in kb.toml, otherwise the built-in one]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l meta -d 'Set a field of metadata: a text, a number, true, false, or a list like [a, b]; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l tag -d 'Add a tag; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l include -d 'Only files in folders that match this glob; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l exclude -d 'Skip files and folders that match this glob; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l context -d 'The context of parent chunks, which is embedded and indexed with them [default: headings; existing documents keep theirs]' -r -f -a "none\t'Nothing'
headings\t'The titles of the document and its sections'
subjects\t'The titles and, for parent chunks that speak of `it` or `其`, the sentence before them that says what that is'
llm\t'The titles and what a language model says about the parent chunk; needs `[llm]` in kb.toml'"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l parent-chars -d 'The most characters of a parent chunk, which is shown [default: 1000; existing documents keep theirs]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l child-chars -d 'The most characters of a child chunk, which is matched [default: 300]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l overlap-chars -d 'Characters before a child chunk that are embedded with it, for models that read each child alone [default: 100]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l max-file-size -d 'Refuse larger files [default: 500 for PDF, Office files and EPUB, 20 for text]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l password -d 'The password of encrypted PDFs' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l file-timeout -d 'Give up on a file that takes longer to parse [default: 120, with OCR 3600]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l page-timeout -d 'Leave out a page that takes longer [default: 20, with OCR 120]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l worker-memory -d 'Memory for reading a file, on top of four times its size [default: 900]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l ocr-command -d 'The program that reads PDF pages without text: {} stands for the path of the page\'s PNG image, and it prints the text, for example \'tesseract {} stdout -l chi_sim+eng\'' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l jobs -d 'Threads that read and embed [default: one per core]' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand ingest" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand ingest" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand ingest" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand ingest" -l prune -d 'Remove documents whose files are gone from the given folders'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l yes -d 'Prune without asking, even more than a fifth of all documents or all of a folder'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l dry-run -d 'Show what would happen'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l allow-private -d 'Fetch pages from this machine and private networks too'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l force -d 'Read unchanged files again'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l new-failures -d 'Exit with code 4 only if a file fails that did not fail before'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l no-embed -d 'Skip the vectors, which take most of the time; `kb reindex --vectors` makes them later'
complete -c kb -n "__fish_kb_using_subcommand ingest" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand ingest" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand ingest" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand ingest" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand ingest" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand search" -l doc -d 'Only this document: its id, path, title or a part of them; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l before -d 'Only documents from before this time' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l after -d 'Only documents from this time or later' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l as-of -d 'Only documents that existed at the end of this time' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l time-field -d 'Use the numbers in this metadata field as times, such as story_time' -r
complete -c kb -n "__fish_kb_using_subcommand search" -s k -l limit -d 'Number of hits [default: 5; broad 10; drill as many as the beam reaches]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l mode -d 'How hits are chosen: precise (the best), broad[:DIVERSITY] (varied), section (whole sections) or drill[:D,P,C] (best documents, their chunks, their sentences) [default: precise]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l context -d 'Add N neighbouring parent chunks of the section on both sides' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l window -d 'Show only the best sentence of each parent chunk, and N sentences on both sides' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l merge -d 'Join adjacent parent chunks of a section [default: true]' -r -f -a "true\t''
false\t''"
complete -c kb -n "__fish_kb_using_subcommand search" -l keep-duplicates -d 'Keep parent chunks that repeat a better one' -r -f -a "true\t''
false\t''"
complete -c kb -n "__fish_kb_using_subcommand search" -l group-by -d 'Put the hits of a section or document together' -r -f -a "none\t'Each hit at its own rank'
section\t'The hits of a section, at the rank of its best'
doc\t'The hits of a document, at the rank of its best'"
complete -c kb -n "__fish_kb_using_subcommand search" -l per-document -d 'Show at most N hits of one document' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l max-tokens -d 'Show at most N tokens in all; hits that do not fit are named [default: section 8000, `kb context` 4000]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l tokenizer -d 'Count tokens with this tokenizer.json, or with chars/4 [default: the embedding model\'s]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l filter -d 'Only documents and chunks that match, such as \'author = Ann and page < 20\'; repeatable; \'\' drops the filter of kb.toml' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l half-life -d 'Halve the score of a document for each AGE since its time, such as 90d, 6 months or 1y; hyperbolic:90d decays more slowly [default: none]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l min-confidence -d 'Drop hits with a lower confidence than this, from 0 to 1 [default: 0.05; 0 with the methods keyword and semantic]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l method -d 'How to search [default: auto]' -r -f -a "auto\t'Both, or keywords alone where the model does not know the question\'s language'
hybrid\t'Both, with equal weight'
semantic\t'Vectors alone'
keyword\t'Words alone (BM25)'"
complete -c kb -n "__fish_kb_using_subcommand search" -l weights -d 'Weights of keyword and semantic search, such as 0.7,0.3 [default: by question]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l fusion -d 'How to fuse keyword and semantic results: weighted (by scores), rrf or rrf:K (by ranks, K is 60) [default: weighted]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l pool -d 'Candidates that each of the two gives [default: 100; in modes other than precise 200]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l kind -d 'The kind of the question [default: by its words]' -r -f -a "procedure\t'How something is done'
concept\t'What something is, or why'
reference\t'A fact: a value, a time, a name'
troubleshooting\t'What to do about a fault'
lookup\t'Where a code, a name or a phrase stands'
structure\t'Which chapters there are: answered from the table of contents'"
complete -c kb -n "__fish_kb_using_subcommand search" -l expand -d 'Also search for other words: off, missing (synonyms, and matches for unknown words) or all (matches for all words); from the language model also llm, or some of rewrite, hyde (a made-up answer), keywords [default: missing]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l fallback -d 'Search again, wider, after a poor result: min_hits=N,min_confidence=S,min_docs=N [default: off]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l rerank -d 'Rerank the best: light (by the question\'s words), off, or also by a model: its name in `kb models`, its folder, or endpoint [default: light with the methods auto and hybrid]' -r -f -a "(__fish_complete_directories)"
complete -c kb -n "__fish_kb_using_subcommand search" -l rerank-budget -d 'How many candidates the cross-encoder reads and for how long: 50, 2s, or 50,none [default: 30,500ms]' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l in -d 'What to search for: chunks, or sections with a preview' -r -f -a "chunks\t'Parent chunks, or what the mode makes of them'
sections\t'Sections: titles, how many of their parent chunks match, and a preview'"
complete -c kb -n "__fish_kb_using_subcommand search" -l why -d 'Show which stage dropped this chunk or section, and which option governs that stage' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand search" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand search" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand search" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand search" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand search" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand search" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand search" -l explain -d 'Show each stage with its time, its input and its output'
complete -c kb -n "__fish_kb_using_subcommand search" -l all -d 'Show all hits, however low their confidence'
complete -c kb -n "__fish_kb_using_subcommand search" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand search" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand search" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand search" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand search" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand context" -l doc -d 'Only this document: its id, path, title or a part of them; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l before -d 'Only documents from before this time' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l after -d 'Only documents from this time or later' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l as-of -d 'Only documents that existed at the end of this time' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l time-field -d 'Use the numbers in this metadata field as times, such as story_time' -r
complete -c kb -n "__fish_kb_using_subcommand context" -s k -l limit -d 'Number of hits [default: 5; broad 10; drill as many as the beam reaches]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l mode -d 'How hits are chosen: precise (the best), broad[:DIVERSITY] (varied), section (whole sections) or drill[:D,P,C] (best documents, their chunks, their sentences) [default: precise]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l context -d 'Add N neighbouring parent chunks of the section on both sides' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l window -d 'Show only the best sentence of each parent chunk, and N sentences on both sides' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l merge -d 'Join adjacent parent chunks of a section [default: true]' -r -f -a "true\t''
false\t''"
complete -c kb -n "__fish_kb_using_subcommand context" -l keep-duplicates -d 'Keep parent chunks that repeat a better one' -r -f -a "true\t''
false\t''"
complete -c kb -n "__fish_kb_using_subcommand context" -l group-by -d 'Put the hits of a section or document together' -r -f -a "none\t'Each hit at its own rank'
section\t'The hits of a section, at the rank of its best'
doc\t'The hits of a document, at the rank of its best'"
complete -c kb -n "__fish_kb_using_subcommand context" -l per-document -d 'Show at most N hits of one document' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l max-tokens -d 'Show at most N tokens in all; hits that do not fit are named [default: section 8000, `kb context` 4000]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l tokenizer -d 'Count tokens with this tokenizer.json, or with chars/4 [default: the embedding model\'s]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l filter -d 'Only documents and chunks that match, such as \'author = Ann and page < 20\'; repeatable; \'\' drops the filter of kb.toml' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l half-life -d 'Halve the score of a document for each AGE since its time, such as 90d, 6 months or 1y; hyperbolic:90d decays more slowly [default: none]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l min-confidence -d 'Drop hits with a lower confidence than this, from 0 to 1 [default: 0.05; 0 with the methods keyword and semantic]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l method -d 'How to search [default: auto]' -r -f -a "auto\t'Both, or keywords alone where the model does not know the question\'s language'
hybrid\t'Both, with equal weight'
semantic\t'Vectors alone'
keyword\t'Words alone (BM25)'"
complete -c kb -n "__fish_kb_using_subcommand context" -l weights -d 'Weights of keyword and semantic search, such as 0.7,0.3 [default: by question]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l fusion -d 'How to fuse keyword and semantic results: weighted (by scores), rrf or rrf:K (by ranks, K is 60) [default: weighted]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l pool -d 'Candidates that each of the two gives [default: 100; in modes other than precise 200]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l kind -d 'The kind of the question [default: by its words]' -r -f -a "procedure\t'How something is done'
concept\t'What something is, or why'
reference\t'A fact: a value, a time, a name'
troubleshooting\t'What to do about a fault'
lookup\t'Where a code, a name or a phrase stands'
structure\t'Which chapters there are: answered from the table of contents'"
complete -c kb -n "__fish_kb_using_subcommand context" -l expand -d 'Also search for other words: off, missing (synonyms, and matches for unknown words) or all (matches for all words); from the language model also llm, or some of rewrite, hyde (a made-up answer), keywords [default: missing]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l fallback -d 'Search again, wider, after a poor result: min_hits=N,min_confidence=S,min_docs=N [default: off]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l rerank -d 'Rerank the best: light (by the question\'s words), off, or also by a model: its name in `kb models`, its folder, or endpoint [default: light with the methods auto and hybrid]' -r -f -a "(__fish_complete_directories)"
complete -c kb -n "__fish_kb_using_subcommand context" -l rerank-budget -d 'How many candidates the cross-encoder reads and for how long: 50, 2s, or 50,none [default: 30,500ms]' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l template -d 'Lay the context out with this template' -r -F
complete -c kb -n "__fish_kb_using_subcommand context" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand context" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand context" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand context" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand context" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand context" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand context" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand context" -l explain -d 'Show each stage with its time, its input and its output'
complete -c kb -n "__fish_kb_using_subcommand context" -l all -d 'Show all hits, however low their confidence'
complete -c kb -n "__fish_kb_using_subcommand context" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand context" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand context" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand context" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand context" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand toc" -l max-level -d 'The deepest level to show [default: 3 for one document (in JSON all), 1 for the list of all documents]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l limit -d 'Show at most N' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l offset -d 'Skip the first N' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l set -d 'Replace it with the one in this file; `-` is standard input' -r -F
complete -c kb -n "__fish_kb_using_subcommand toc" -l password -d 'The password of encrypted PDFs' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l file-timeout -d 'Give up on a file that takes longer to parse [default: 120, with OCR 3600]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l page-timeout -d 'Leave out a page that takes longer [default: 20, with OCR 120]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l worker-memory -d 'Memory for reading a file, on top of four times its size [default: 900]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l ocr-command -d 'The program that reads PDF pages without text: {} stands for the path of the page\'s PNG image, and it prints the text, for example \'tesseract {} stdout -l chi_sim+eng\'' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l jobs -d 'Threads that read and embed [default: one per core]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand toc" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand toc" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand toc" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand toc" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand toc" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand toc" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand toc" -l provenance -d 'Show the origin of each entry and its confidence, from 0 to 1'
complete -c kb -n "__fish_kb_using_subcommand toc" -l edit -d 'Correct it in an editor'
complete -c kb -n "__fish_kb_using_subcommand toc" -l editable -d 'Print it in the form that --edit and --set take'
complete -c kb -n "__fish_kb_using_subcommand toc" -l reset -d 'Drop the correction'
complete -c kb -n "__fish_kb_using_subcommand toc" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand toc" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand toc" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand toc" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand toc" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand section" -l max-tokens -d 'Show at most N tokens; a note names the rest' -r
complete -c kb -n "__fish_kb_using_subcommand section" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand section" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand section" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand section" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand section" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand section" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand section" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand section" -l no-children -d 'Leave subsections out'
complete -c kb -n "__fish_kb_using_subcommand section" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand section" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand section" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand section" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand section" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand show" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand show" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand show" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand show" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand show" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand show" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand show" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand show" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand show" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand show" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand show" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand show" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand open" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand open" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand open" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand open" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand open" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand open" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand open" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand open" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand open" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand open" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand open" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand open" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l doc -d 'Only this document: its id, path, title or a part of them' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l section -d 'Only this section and its subsections, as `kb section` names it' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l type -d 'Only parents, or only children' -r -f -a "parent\t'Parent chunks that are shown'
child\t'Child chunks of them that are matched'"
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l filter -d 'Only chunks that contain this text, ignoring case' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l where -d 'Only chunks that match this filter, such as \'tags = safety and page < 20\'; see `kb search --help`' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l limit -d 'Show at most N' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l offset -d 'Skip the first N' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l order-by -d 'Sort by document, parent, index, chunk_id, chunk_type, section, updated_at or page; `:desc` reverses [default: document,parent,index]' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l edited -d 'Only edited chunks'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l conflicts -d 'List conflicts instead: edits that no longer fit the source'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand chunks-list" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l content -d 'The new text' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l content-file -d 'A file with the new text; - is standard input' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l meta -d 'Set a note; an empty value removes it' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l batch -d 'Apply all edits in this file or none, one JSON object per line, as `kb chunks-list --format jsonl` writes them' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l resolve -d 'Settle conflicts: keep your text (mine) or the source\'s (theirs)' -r -f -a "mine\t'Your text'
theirs\t'The text of the source'"
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l reset -d 'Restore the text of the source in parent chunks, and remove their notes'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l dry-run -d 'Show what would change'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand chunk-edit" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l no-cascade -d 'Refuse to delete a parent chunk that has child chunks'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l dry-run -d 'Show what would be deleted'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s y -l yes -d 'Skip the confirmation'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand chunk-delete" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l type -d 'Its type: pump, person, contract' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l state -d 'Its state from --time on, in one line' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l alias -d 'Another name; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l time -d 'When the state begins, such as 2026-11-21 or "2 weeks ago" [default: now]; with --remove, which state to remove' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l time-field -d 'The time is a number in this metadata field, such as story_time' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l from -d 'Read many entities from this file, one JSON object per line; - is standard input' -r -F
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand entity-set" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l retype -d 'Replace an existing type with --type'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l remove -d 'Remove the state of --time and each --alias; without these, the whole entity'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l dry-run -d 'Show what would change'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand entity-set" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand entities" -l as-of -d 'Show the states at the end of this time [default: now]' -r
complete -c kb -n "__fish_kb_using_subcommand entities" -l time-field -d 'The time is a number in this metadata field, such as story_time' -r
complete -c kb -n "__fish_kb_using_subcommand entities" -l type -d 'Only this type' -r
complete -c kb -n "__fish_kb_using_subcommand entities" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand entities" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand entities" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand entities" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand entities" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand entities" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand entities" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand entities" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand entities" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand entities" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand entities" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand entities" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand docs" -l filter -d 'Only documents that match, such as \'author = Ann and tags = draft\'; repeatable, joined by and' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l before -d 'Only documents from before this time' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l after -d 'Only documents from this time or later' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l as-of -d 'Only documents that existed at the end of this time' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l time-field -d 'Use the numbers in this metadata field as times, such as story_time' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l limit -d 'Show at most N' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l offset -d 'Skip the first N' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand docs" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand docs" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand docs" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand docs" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand docs" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand docs" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand docs" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand docs" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand docs" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand docs" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand docs" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l meta -d 'Set a field of metadata: a text, a number, true, false, or a list like [a, b]; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l tag -d 'Add a tag; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l unset -d 'Hide a field, even one that the document states; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l untag -d 'Remove a tag; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand doc-set" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l dry-run -d 'Show what would change'
complete -c kb -n "__fish_kb_using_subcommand doc-set" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand doc-set" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand doc-set" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand doc-set" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand doc-set" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand remove" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand remove" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand remove" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand remove" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand remove" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand remove" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand remove" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand remove" -l dry-run -d 'Show what would be removed'
complete -c kb -n "__fish_kb_using_subcommand remove" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand remove" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand remove" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand remove" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand remove" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand status" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand status" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand status" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand status" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand status" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand status" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand status" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand status" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand status" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand status" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand status" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand status" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand log" -l limit -d 'Show at most N' -r
complete -c kb -n "__fish_kb_using_subcommand log" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand log" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand log" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand log" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand log" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand log" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand log" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand log" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand log" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand log" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand log" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand log" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand undo" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand undo" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand undo" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand undo" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand undo" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand undo" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand undo" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand undo" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand undo" -l dry-run -d 'Show what would change'
complete -c kb -n "__fish_kb_using_subcommand undo" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand undo" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand undo" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand undo" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand undo" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand restore" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand restore" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand restore" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand restore" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand restore" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand restore" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand restore" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand restore" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand restore" -l dry-run -d 'Show what would change'
complete -c kb -n "__fish_kb_using_subcommand restore" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand restore" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand restore" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand restore" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand restore" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand diff" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand diff" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand diff" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand diff" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand diff" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand diff" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand diff" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand diff" -l stat -d 'Show only counts of each document'
complete -c kb -n "__fish_kb_using_subcommand diff" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand diff" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand diff" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand diff" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand diff" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -f -a "rename" -d 'Rename a namespace'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and not __fish_seen_subcommand_from rename remove" -f -a "remove" -d 'Remove a namespace and all documents in it; the files stay'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from rename" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s y -l yes -d 'Skip the confirmation'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand namespaces; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand export" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand export" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand export" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand export" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand export" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand export" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand export" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand export" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand export" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand export" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand export" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand export" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand export" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand import" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand import" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand import" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand import" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand import" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand import" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand import" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand import" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand import" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand import" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand import" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand import" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand check" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand check" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand check" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand check" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand check" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand check" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand check" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand check" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand check" -l repair -d 'Repair the damage, as one new generation'
complete -c kb -n "__fish_kb_using_subcommand check" -l all-namespaces -d 'Check all namespaces of the store'
complete -c kb -n "__fish_kb_using_subcommand check" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand check" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand check" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand check" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand check" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand optimize" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand optimize" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand optimize" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand optimize" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand optimize" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand optimize" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand optimize" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand optimize" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand optimize" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand optimize" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand optimize" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand optimize" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand optimize" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand config" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand config" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand config" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand config" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand config" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand config" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand config" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand config" -l set -d 'Only settings that a file or a variable sets'
complete -c kb -n "__fish_kb_using_subcommand config" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand config" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand config" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand config" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand config" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand trust" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand trust" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand trust" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand trust" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand trust" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand trust" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand trust" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand trust" -l revoke -d 'Forget that the store is trusted'
complete -c kb -n "__fish_kb_using_subcommand trust" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand trust" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand trust" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand trust" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand trust" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l context -d 'Replace the context of parent chunks, which is embedded and indexed with them' -r -f -a "none\t'Nothing'
headings\t'The titles of the document and its sections'
subjects\t'The titles and, for parent chunks that speak of `it` or `其`, the sentence before them that says what that is'
llm\t'The titles and what a language model says about the parent chunk; needs `[llm]` in kb.toml'"
complete -c kb -n "__fish_kb_using_subcommand reindex" -l model -d 'The new embedding model [default: the current one]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l wait -d 'Wait this long while another kb writes to the namespace [default: 0]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l parent-chars -d 'The most characters of a parent chunk, which is shown [default: 1000; existing documents keep theirs]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l child-chars -d 'The most characters of a child chunk, which is matched [default: 300]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l overlap-chars -d 'Characters before a child chunk that are embedded with it, for models that read each child alone [default: 100]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l password -d 'The password of encrypted PDFs' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l file-timeout -d 'Give up on a file that takes longer to parse [default: 120, with OCR 3600]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l page-timeout -d 'Leave out a page that takes longer [default: 20, with OCR 120]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l worker-memory -d 'Memory for reading a file, on top of four times its size [default: 900]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l ocr-command -d 'The program that reads PDF pages without text: {} stands for the path of the page\'s PNG image, and it prints the text, for example \'tesseract {} stdout -l chi_sim+eng\'' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l jobs -d 'Threads that read and embed [default: one per core]' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand reindex" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand reindex" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand reindex" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand reindex" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand reindex" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand reindex" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand reindex" -l structure -d 'Find sections and cut them into parent chunks'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l chunks -d 'Cut documents again whose chunks have other lengths than asked for'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l vectors -d 'Make missing vectors, or all if the model changes'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l force -d 'Also rebuild what is up to date'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l dry-run -d 'Show what would be rebuilt'
complete -c kb -n "__fish_kb_using_subcommand reindex" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand reindex" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand reindex" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand reindex" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand reindex" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand watch" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand watch" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand watch" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand watch" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand watch" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand watch" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand watch" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand watch" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand watch" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand watch" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand watch" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand watch" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand serve" -l idle -d 'End after this time without a command' -r
complete -c kb -n "__fish_kb_using_subcommand serve" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand serve" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand serve" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand serve" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand serve" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand serve" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand serve" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand serve" -l stop -d 'End the one that runs'
complete -c kb -n "__fish_kb_using_subcommand serve" -l background -d 'Leave the terminal of the command that starts it'
complete -c kb -n "__fish_kb_using_subcommand serve" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand serve" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand serve" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand serve" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand serve" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand mcp" -l root -d 'A folder from which files may be ingested; repeatable [default: the current folder]' -r -F
complete -c kb -n "__fish_kb_using_subcommand mcp" -l install -d 'Print the configuration that makes a client start this server' -r -f -a "claude-code\t''
claude-desktop\t''
cursor\t''
vscode\t''"
complete -c kb -n "__fish_kb_using_subcommand mcp" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand mcp" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand mcp" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand mcp" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand mcp" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand mcp" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand mcp" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand mcp" -l allow-write -d 'Let the agent ingest files, and edit and delete chunks'
complete -c kb -n "__fish_kb_using_subcommand mcp" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand mcp" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand mcp" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand mcp" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand mcp" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand eval" -l questions -d 'Ask the questions in this file, with the documents and the kb.toml of the store' -r -F
complete -c kb -n "__fish_kb_using_subcommand eval" -l baseline -d 'Compare with an earlier run, as `--questions … --format json` wrote it' -r -F
complete -c kb -n "__fish_kb_using_subcommand eval" -l methods -d 'Which methods to measure' -r -f -a "auto\t'Both, or keywords alone where the model does not know the question\'s language'
hybrid\t'Both, with equal weight'
semantic\t'Vectors alone'
keyword\t'Words alone (BM25)'"
complete -c kb -n "__fish_kb_using_subcommand eval" -l min -d 'Exit with code 1 if a figure is lower; repeatable' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l rerank -d 'Rerank the best: light, off, or a cross-encoder by its name or folder' -r -f -a "(__fish_complete_directories)"
complete -c kb -n "__fish_kb_using_subcommand eval" -l rerank-budget -d 'How many candidates the cross-encoder reads and for how long: 50, 2s or 50,2s [default: 30,none]' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l model -d 'The embedding model [default: the built-in one]' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l jobs -d 'Threads that embed [default: one per core]' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand eval" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand eval" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand eval" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand eval" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand eval" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand eval" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand eval" -l unanswerable -d 'Take half of the answers out of the corpus, and measure how well the confidence tells which questions lost theirs'
complete -c kb -n "__fish_kb_using_subcommand eval" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand eval" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand eval" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand eval" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand eval" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -f -a "add" -d 'Add a model, from the hub or from a folder'
complete -c kb -n "__fish_kb_using_subcommand models; and not __fish_seen_subcommand_from add remove" -f -a "remove" -d 'Remove an added model, or a partial download'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l name -d 'Its name in kb [default: its own]' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l query-prefix -d 'The prefix of questions [default: the model\'s]' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l document-prefix -d 'The prefix of parent chunks [default: the model\'s]' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s y -l yes -l force -d 'Remove it even if the store has vectors of it'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand models; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -f -a "check" -d 'Send one tiny request and report the answer'
complete -c kb -n "__fish_kb_using_subcommand llm; and not __fish_seen_subcommand_from check prompt" -f -a "prompt" -d 'Print a built-in prompt; .kb/prompts/NAME.md overrides it in a trusted store'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from check" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand llm; and __fish_seen_subcommand_from prompt" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand schema" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand schema" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand schema" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand schema" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand schema" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand schema" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand schema" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand schema" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand schema" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand schema" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand schema" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand schema" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand completions" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand completions" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand completions" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand completions" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand completions" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand completions" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand completions" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand completions" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand completions" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand completions" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand completions" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand completions" -s h -l help -d 'Print help; --help lists all options'
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l kb -d 'The store\'s folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]' -r -F
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -s n -l namespace -d 'The namespace; search, docs and status take several (`manuals,drafts`), `acme/*` or `all`' -r
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l format -d 'The output format [default: table on a terminal, markdown in a pipe]' -r -f -a "table\t'For a terminal'
markdown\t'For a pipe, and for agents'
json\t'One JSON value'
jsonl\t'One JSON value per line'
paths\t'Only paths or ids, one per line'"
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l color -d 'When to use colour' -r -f -a "auto\t''
always\t''
never\t''"
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l onnxruntime -d 'The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]' -r -F
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l device -d 'The device that ONNX Runtime uses; `kb models` lists the available ones [default: auto, the processor]' -r -f -a "auto\t'The processor, which gives the same vectors everywhere'
cpu\t'The processor'
cuda\t'NVIDIA'
tensorrt\t'NVIDIA, compiled for the model first'
rocm\t'AMD'
migraphx\t'AMD, compiled for the model first'
coreml\t'Apple'
directml\t'Windows'
openvino\t'Intel'"
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l serve -d 'Whether to use `kb serve`: one that runs, one that is started if necessary, or none [default: running]' -r -f -a "running\t'Use one that runs; start none'
auto\t'Use one that runs, or start one for the next command'
off\t'Use none'"
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -s 0 -l null -d 'Print only paths or ids, each ended by NUL, for `xargs -0`; --files-from then expects NUL too'
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -s q -l quiet -d 'Print only results and errors'
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -s v -l verbose -d 'Print the time of each stage, and the causes of an error'
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -l no-progress -d 'Hide the progress display'
complete -c kb -n "__fish_kb_using_subcommand parse-worker" -s h -l help -d 'Print help; --help lists all options'
