
use builtin;
use str;

set edit:completion:arg-completer[kb] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'kb'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'kb'= {
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand ingest 'Read files and folders into the knowledge base; only what changed is read again'
            cand search 'Find the passages that answer a question'
            cand context 'Put a context for a prompt together: the passages that answer a question, with their sources, in so many tokens'
            cand toc 'Show a document''s table of contents, or those of all documents; or correct one'
            cand section 'Show the whole text of sections, their subsections included'
            cand chunks-list 'List chunks: the passages that are shown (parents) and the pieces of them that are matched (children)'
            cand chunk-edit 'Change chunks: their text, and what is noted about them; the files stay'
            cand chunk-delete 'Take chunks out of documents; the files stay'
            cand entity-set 'Set what a thing that documents speak of is, and since when'
            cand entities 'List the things that documents speak of with their states, or tell all about one'
            cand docs 'List the documents, or describe some of them'
            cand remove 'Take documents out of the knowledge base; the files stay'
            cand status 'Show what is in the store: generation, counts, sizes, model and engine, and who is writing'
            cand log 'List the generations of the knowledge base, the newest first, with what each did'
            cand restore 'Bring an old generation back, as a new one'
            cand diff 'Tell what was added, has changed and is gone between two generations'
            cand namespaces 'List the knowledge bases inside the store; rename or remove one'
            cand check 'Verify tables, vectors and keyword index, and repair them'
            cand reindex 'Find the sections of documents anew, in place'
            cand eval 'Measure retrieval quality on a set in the BEIR layout (corpus.jsonl, queries.jsonl, qrels.tsv)'
            cand llm 'Try the language model, or write its prompts'
            cand completions 'Write the completions for a shell'
            cand parse-worker 'Parse files for a parent process'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kb;ingest'= {
            cand --name 'The name of what comes from standard input; its ending tells the format'
            cand --include 'Only files in folders that match this glob; may be given several times'
            cand --exclude 'Not the files and folders that match this glob; may be given several times'
            cand --as 'The format of the files, whatever their names say'
            cand --time 'When what is ingested is from, such as 2026-11-21 or `90d ago`, whatever it says itself [default: what the document says, otherwise the time of the file]'
            cand --max-file-size 'Refuse larger files [default: 500 for PDF, DOCX and EPUB, 20 for text]'
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --password 'The password of encrypted PDFs'
            cand --file-timeout 'Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]'
            cand --page-timeout 'Leave out a page that takes longer [default: 20, with --ocr-command 120]'
            cand --worker-memory 'Memory that reading a file may take, beside four times its size [default: 900]'
            cand --ocr-command 'Read pages without text by a program: it gets the path of the page''s image for {} and prints the text'
            cand --jobs 'Threads that read and embed [default: one per core]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --prune 'Take documents out whose file is gone from the given folders'
            cand --dry-run 'Only say what would happen'
            cand --force 'Read files again that have not changed'
            cand --no-embed 'Make no vectors, which takes most of the time: searches use words alone until a run without this makes them'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;search'= {
            cand --method 'How to search [default: auto]'
            cand -k 'How many hits [default: 5; broad 10; drill as many as its beam leads to]'
            cand --limit 'How many hits [default: 5; broad 10; drill as many as its beam leads to]'
            cand --doc 'Only in this document (an id, a path, a title, or the beginning, end or part of one); may be given several times'
            cand --rerank 'How the best are looked at again: light, by the question''s words in passage and titles; off; or also by the cross-encoder in a folder (model.onnx, tokenizer.json, … as Hugging Face lays it out) [default: light, for --method auto and hybrid]'
            cand --rerank-depth 'How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]'
            cand --rerank-budget 'How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to follows in its old order [default: 500ms; none for `kb eval`]'
            cand --filter 'Only what this holds of, such as ''author = Ann and page < 20''; several are joined by and; '''' puts the one of kb.toml aside'
            cand --before 'Only documents from before the beginning of this time'
            cand --after 'Only documents from the beginning of this time on'
            cand --as-of 'Only what was there at the end of this time: nothing later'
            cand --half-life 'Let scores decay with the age of the document: halve them for each 90d, 6 months, 1y; none for no decay [default: none]'
            cand --min-score 'Leave out passages below this score, from 0 to 1'
            cand --weights 'How much the keyword arm and the semantic arm count, whatever the question''s language [default: by question]'
            cand --fusion 'How the arms are fused [default: weighted]'
            cand --rrf-k 'The k of reciprocal rank fusion [default: 60]'
            cand --pool 'How many candidates each arm recalls [default: 100, or -k]'
            cand --kind 'Of which kind the question is [default: told by its words]'
            cand --expand 'Which words are searched for beside those of the question [default: missing]'
            cand --fallback 'Look again (wider, with the other arm, with other words) where a search gives less: min_hits=N, min_score=S, min_docs=N, or off [default: off]'
            cand --mode 'How hits are chosen [default: precise]'
            cand --context 'Show so many neighbouring passages on both sides'
            cand --window 'Of each passage only the sentence that matches best, and so many on both sides'
            cand --group-by 'Put the hits of a section or a document together, at the place of the best [default: none]'
            cand --diversity 'How much being different counts in the mode broad, from 0 to 1 [default: 0.3]'
            cand --per-document 'At most so many hits of a document'
            cand --beam 'How many documents, passages of each and pieces of each the mode drill follows [default: 3,3,3]'
            cand --children 'Name so many of the pieces of each passage, those that match best, in JSON [default: 2]'
            cand --max-tokens 'At most so many tokens of text and titles; what does not fit is named [default: in the mode section 8000]'
            cand --tokenizer 'What counts them: a tokenizer.json, or `chars/4` for a token every four characters [default: the embedding model''s]'
            cand --in 'What is looked for: passages, or sections with a preview'
            cand --why 'Instead of a result, say of a chunk or a section in which stage it was lost, and what would have kept it'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --across-sections 'Neighbours may be of other sections'
            cand --merge 'Make one of adjacent passages of a section [default: in the mode broad]'
            cand --no-merge 'Leave adjacent passages apart'
            cand --keep-duplicates 'Show passages that say the same as a better one too'
            cand --explain 'Show how the result came about: each stage with its time, what it took and what came out'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;context'= {
            cand --method 'How to search [default: auto]'
            cand -k 'How many hits [default: 5; broad 10; drill as many as its beam leads to]'
            cand --limit 'How many hits [default: 5; broad 10; drill as many as its beam leads to]'
            cand --doc 'Only in this document (an id, a path, a title, or the beginning, end or part of one); may be given several times'
            cand --rerank 'How the best are looked at again: light, by the question''s words in passage and titles; off; or also by the cross-encoder in a folder (model.onnx, tokenizer.json, … as Hugging Face lays it out) [default: light, for --method auto and hybrid]'
            cand --rerank-depth 'How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]'
            cand --rerank-budget 'How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to follows in its old order [default: 500ms; none for `kb eval`]'
            cand --filter 'Only what this holds of, such as ''author = Ann and page < 20''; several are joined by and; '''' puts the one of kb.toml aside'
            cand --before 'Only documents from before the beginning of this time'
            cand --after 'Only documents from the beginning of this time on'
            cand --as-of 'Only what was there at the end of this time: nothing later'
            cand --half-life 'Let scores decay with the age of the document: halve them for each 90d, 6 months, 1y; none for no decay [default: none]'
            cand --min-score 'Leave out passages below this score, from 0 to 1'
            cand --weights 'How much the keyword arm and the semantic arm count, whatever the question''s language [default: by question]'
            cand --fusion 'How the arms are fused [default: weighted]'
            cand --rrf-k 'The k of reciprocal rank fusion [default: 60]'
            cand --pool 'How many candidates each arm recalls [default: 100, or -k]'
            cand --kind 'Of which kind the question is [default: told by its words]'
            cand --expand 'Which words are searched for beside those of the question [default: missing]'
            cand --fallback 'Look again (wider, with the other arm, with other words) where a search gives less: min_hits=N, min_score=S, min_docs=N, or off [default: off]'
            cand --mode 'How hits are chosen [default: precise]'
            cand --context 'Show so many neighbouring passages on both sides'
            cand --window 'Of each passage only the sentence that matches best, and so many on both sides'
            cand --group-by 'Put the hits of a section or a document together, at the place of the best [default: none]'
            cand --diversity 'How much being different counts in the mode broad, from 0 to 1 [default: 0.3]'
            cand --per-document 'At most so many hits of a document'
            cand --beam 'How many documents, passages of each and pieces of each the mode drill follows [default: 3,3,3]'
            cand --children 'Name so many of the pieces of each passage, those that match best, in JSON [default: 2]'
            cand --max-tokens 'At most so many tokens of text and titles; what does not fit is named [default: in the mode section 8000]'
            cand --tokenizer 'What counts them: a tokenizer.json, or `chars/4` for a token every four characters [default: the embedding model''s]'
            cand --template 'Lay the context out with this template'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --across-sections 'Neighbours may be of other sections'
            cand --merge 'Make one of adjacent passages of a section [default: in the mode broad]'
            cand --no-merge 'Leave adjacent passages apart'
            cand --keep-duplicates 'Show passages that say the same as a better one too'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;toc'= {
            cand --max-level 'How deep [default: 3, for all documents 1; in JSON of one, all of it]'
            cand --set 'Take the corrected one from a file; `-` is standard input'
            cand --password 'The password of encrypted PDFs'
            cand --file-timeout 'Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]'
            cand --page-timeout 'Leave out a page that takes longer [default: 20, with --ocr-command 120]'
            cand --worker-memory 'Memory that reading a file may take, beside four times its size [default: 900]'
            cand --ocr-command 'Read pages without text by a program: it gets the path of the page''s image for {} and prints the text'
            cand --jobs 'Threads that read and embed [default: one per core]'
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --provenance 'Show where each entry came from and how sure it is, from 0 to 1'
            cand --edit 'Correct the table of contents in an editor'
            cand --editable 'Print it in the form that --edit shows and --set takes'
            cand --reset 'Drop the correction'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;section'= {
            cand --max-tokens 'At most so many tokens; cut between passages, and said what is left out'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --no-children 'Only the sections'' own text, without their subsections'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;chunks-list'= {
            cand --doc 'Only of this document (an id, a path, a title, or the beginning, end or part of one)'
            cand --section 'Only of this section and its subsections, as `kb section` names it; needs --doc'
            cand --type 'Only parents, or only children'
            cand --filter 'Only chunks with this text in them: plain text, upper and lower case alike'
            cand --where 'Only chunks of which this holds, such as ''tags = safety and page < 20''; `kb search --help` says what it can be'
            cand --limit 'At most so many [default: all]'
            cand --offset 'Pass over so many'
            cand --order-by 'By document, parent, index, chunk_id, chunk_type, section, updated_at or page; with `:desc` from the end [default: document,parent,index]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --edited 'Only chunks that somebody changed'
            cand --conflicts 'Instead of chunks, edits that do not fit what the source says now; `kb chunk-edit ID --resolve` settles them'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;chunk-edit'= {
            cand --content 'The new text'
            cand --content-file 'A file with the new text; - is standard input'
            cand --meta 'Note something; without a value, take the note away'
            cand --batch 'A file with many edits, a line of JSON each, as `kb chunks-list --format jsonl` writes them; all or none is done. - is standard input'
            cand --resolve 'Settle conflicts: your text, or the source''s'
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --reset 'Give passages back what the source says, without notes'
            cand --dry-run 'Only say what would be changed'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;chunk-delete'= {
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --no-cascade 'Refuse a parent that has children, instead of deleting them too'
            cand --dry-run 'Only say what would be deleted'
            cand -y 'Do not ask'
            cand --yes 'Do not ask'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;entity-set'= {
            cand --type 'Of which type it is: pump, person, contract'
            cand --state 'What it is from --time on, on one line'
            cand --alias 'Another name of it; may be given several times'
            cand --time 'From when on the state holds, such as 2026-11-21 or "2 weeks ago" [default: now]; with --remove, of when it is'
            cand --from 'Read many from this file, a line of JSON each; - for standard input'
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --retype 'Give it --type although it has another'
            cand --remove 'Take out the state of --time and each --alias; without these, the entity with all its states'
            cand --dry-run 'Only say what would be done'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;entities'= {
            cand --as-of 'What they were at the end of this time [default: now]'
            cand --type 'Only those of this type'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;docs'= {
            cand --filter 'Only what this holds of, such as ''author = Ann and page < 20''; several are joined by and; '''' puts the one of kb.toml aside'
            cand --before 'Only documents from before the beginning of this time'
            cand --after 'Only documents from the beginning of this time on'
            cand --as-of 'Only what was there at the end of this time: nothing later'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;remove'= {
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --dry-run 'Only say what would be removed'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;status'= {
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;log'= {
            cand --limit 'At most so many'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;restore'= {
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --dry-run 'Only say what would be other than now'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;diff'= {
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --stat 'Only the counts of each document, without its sections and chunks'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;namespaces'= {
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand rename 'Give a namespace another name'
            cand remove 'Remove a namespace with all that was ingested into it; the files stay'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kb;namespaces;rename'= {
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;namespaces;remove'= {
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -y 'Do not ask'
            cand --yes 'Do not ask'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;namespaces;help'= {
            cand rename 'Give a namespace another name'
            cand remove 'Remove a namespace with all that was ingested into it; the files stay'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kb;namespaces;help;rename'= {
        }
        &'kb;namespaces;help;remove'= {
        }
        &'kb;namespaces;help;help'= {
        }
        &'kb;check'= {
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --repair 'Mend what can be mended, as one new generation'
            cand --all-namespaces 'All namespaces of the store'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;reindex'= {
            cand --wait 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]'
            cand --password 'The password of encrypted PDFs'
            cand --file-timeout 'Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]'
            cand --page-timeout 'Leave out a page that takes longer [default: 20, with --ocr-command 120]'
            cand --worker-memory 'Memory that reading a file may take, beside four times its size [default: 900]'
            cand --ocr-command 'Read pages without text by a program: it gets the path of the page''s image for {} and prints the text'
            cand --jobs 'Threads that read and embed [default: one per core]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand --structure 'Find sections anew and cut them into passages'
            cand --force 'Those too that this version of kb made'
            cand --dry-run 'Only say what would be rebuilt'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;eval'= {
            cand --methods 'Which methods to measure'
            cand --min 'Fail with exit code 1 where a figure is lower; may be given several times'
            cand --rerank 'How the best are looked at again: light, by the question''s words in passage and titles; off; or also by the cross-encoder in a folder (model.onnx, tokenizer.json, … as Hugging Face lays it out) [default: light, for --method auto and hybrid]'
            cand --rerank-depth 'How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]'
            cand --rerank-budget 'How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to follows in its old order [default: 500ms; none for `kb eval`]'
            cand --jobs 'Threads that embed [default: one per core]'
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;llm'= {
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand check 'Send one tiny request and say what came of it'
            cand prompt 'Write a prompt as it is built in; one''s own lie in .kb/prompts/NAME.md'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kb;llm;check'= {
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;llm;prompt'= {
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;llm;help'= {
            cand check 'Send one tiny request and say what came of it'
            cand prompt 'Write a prompt as it is built in; one''s own lie in .kb/prompts/NAME.md'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kb;llm;help;check'= {
        }
        &'kb;llm;help;prompt'= {
        }
        &'kb;llm;help;help'= {
        }
        &'kb;completions'= {
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;parse-worker'= {
            cand --kb 'The store''s folder [default: the nearest .kb/ upwards]'
            cand -n 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --namespace 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`'
            cand --format 'How results are written [default: table on a terminal, markdown in a pipe]'
            cand --color 'When to use colour'
            cand --onnxruntime 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]'
            cand -q 'Only results and errors'
            cand --quiet 'Only results and errors'
            cand -v 'Say more: the method chosen and the time of each stage'
            cand --verbose 'Say more: the method chosen and the time of each stage'
            cand --no-progress 'No progress display'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'kb;help'= {
            cand ingest 'Read files and folders into the knowledge base; only what changed is read again'
            cand search 'Find the passages that answer a question'
            cand context 'Put a context for a prompt together: the passages that answer a question, with their sources, in so many tokens'
            cand toc 'Show a document''s table of contents, or those of all documents; or correct one'
            cand section 'Show the whole text of sections, their subsections included'
            cand chunks-list 'List chunks: the passages that are shown (parents) and the pieces of them that are matched (children)'
            cand chunk-edit 'Change chunks: their text, and what is noted about them; the files stay'
            cand chunk-delete 'Take chunks out of documents; the files stay'
            cand entity-set 'Set what a thing that documents speak of is, and since when'
            cand entities 'List the things that documents speak of with their states, or tell all about one'
            cand docs 'List the documents, or describe some of them'
            cand remove 'Take documents out of the knowledge base; the files stay'
            cand status 'Show what is in the store: generation, counts, sizes, model and engine, and who is writing'
            cand log 'List the generations of the knowledge base, the newest first, with what each did'
            cand restore 'Bring an old generation back, as a new one'
            cand diff 'Tell what was added, has changed and is gone between two generations'
            cand namespaces 'List the knowledge bases inside the store; rename or remove one'
            cand check 'Verify tables, vectors and keyword index, and repair them'
            cand reindex 'Find the sections of documents anew, in place'
            cand eval 'Measure retrieval quality on a set in the BEIR layout (corpus.jsonl, queries.jsonl, qrels.tsv)'
            cand llm 'Try the language model, or write its prompts'
            cand completions 'Write the completions for a shell'
            cand parse-worker 'Parse files for a parent process'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'kb;help;ingest'= {
        }
        &'kb;help;search'= {
        }
        &'kb;help;context'= {
        }
        &'kb;help;toc'= {
        }
        &'kb;help;section'= {
        }
        &'kb;help;chunks-list'= {
        }
        &'kb;help;chunk-edit'= {
        }
        &'kb;help;chunk-delete'= {
        }
        &'kb;help;entity-set'= {
        }
        &'kb;help;entities'= {
        }
        &'kb;help;docs'= {
        }
        &'kb;help;remove'= {
        }
        &'kb;help;status'= {
        }
        &'kb;help;log'= {
        }
        &'kb;help;restore'= {
        }
        &'kb;help;diff'= {
        }
        &'kb;help;namespaces'= {
            cand rename 'Give a namespace another name'
            cand remove 'Remove a namespace with all that was ingested into it; the files stay'
        }
        &'kb;help;namespaces;rename'= {
        }
        &'kb;help;namespaces;remove'= {
        }
        &'kb;help;check'= {
        }
        &'kb;help;reindex'= {
        }
        &'kb;help;eval'= {
        }
        &'kb;help;llm'= {
            cand check 'Send one tiny request and say what came of it'
            cand prompt 'Write a prompt as it is built in; one''s own lie in .kb/prompts/NAME.md'
        }
        &'kb;help;llm;check'= {
        }
        &'kb;help;llm;prompt'= {
        }
        &'kb;help;completions'= {
        }
        &'kb;help;parse-worker'= {
        }
        &'kb;help;help'= {
        }
    ]
    $completions[$command]
}
