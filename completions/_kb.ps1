
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'kb' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'kb'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'kb' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('ingest', 'ingest', [CompletionResultType]::ParameterValue, 'Read files and folders into the knowledge base; only what changed is read again')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find the passages that answer a question')
            [CompletionResult]::new('context', 'context', [CompletionResultType]::ParameterValue, 'Put a context for a prompt together: the passages that answer a question, with their sources, in so many tokens')
            [CompletionResult]::new('toc', 'toc', [CompletionResultType]::ParameterValue, 'Show a document''s table of contents, or those of all documents; or correct one')
            [CompletionResult]::new('section', 'section', [CompletionResultType]::ParameterValue, 'Show the whole text of sections, their subsections included')
            [CompletionResult]::new('chunks-list', 'chunks-list', [CompletionResultType]::ParameterValue, 'List chunks: the passages that are shown (parents) and the pieces of them that are matched (children)')
            [CompletionResult]::new('chunk-edit', 'chunk-edit', [CompletionResultType]::ParameterValue, 'Change chunks: their text, and what is noted about them; the files stay')
            [CompletionResult]::new('chunk-delete', 'chunk-delete', [CompletionResultType]::ParameterValue, 'Take chunks out of documents; the files stay')
            [CompletionResult]::new('entity-set', 'entity-set', [CompletionResultType]::ParameterValue, 'Set what a thing that documents speak of is, and since when')
            [CompletionResult]::new('entities', 'entities', [CompletionResultType]::ParameterValue, 'List the things that documents speak of with their states, or tell all about one')
            [CompletionResult]::new('docs', 'docs', [CompletionResultType]::ParameterValue, 'List the documents, or describe some of them')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Take documents out of the knowledge base; the files stay')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show what is in the store: generation, counts, sizes, model and engine, and who is writing')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'List the generations of the knowledge base, the newest first, with what each did')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Bring an old generation back, as a new one')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Tell what was added, has changed and is gone between two generations')
            [CompletionResult]::new('namespaces', 'namespaces', [CompletionResultType]::ParameterValue, 'List the knowledge bases inside the store; rename or remove one')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Verify tables, vectors and keyword index, and repair them')
            [CompletionResult]::new('reindex', 'reindex', [CompletionResultType]::ParameterValue, 'Find the sections of documents anew, in place, or make their vectors anew: in another context, or by another model')
            [CompletionResult]::new('eval', 'eval', [CompletionResultType]::ParameterValue, 'Measure retrieval quality on a set in the BEIR layout (corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv)')
            [CompletionResult]::new('models', 'models', [CompletionResultType]::ParameterValue, 'List the models there are; add or remove one')
            [CompletionResult]::new('llm', 'llm', [CompletionResultType]::ParameterValue, 'Try the language model, or write its prompts')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Write the completions for a shell')
            [CompletionResult]::new('parse-worker', 'parse-worker', [CompletionResultType]::ParameterValue, 'Parse files for a parent process')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kb;ingest' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name of what comes from standard input; its ending tells the format')
            [CompletionResult]::new('--include', '--include', [CompletionResultType]::ParameterName, 'Only files in folders that match this glob; may be given several times')
            [CompletionResult]::new('--exclude', '--exclude', [CompletionResultType]::ParameterName, 'Not the files and folders that match this glob; may be given several times')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'The format of the files, whatever their names say')
            [CompletionResult]::new('--time', '--time', [CompletionResultType]::ParameterName, 'When what is ingested is from, such as 2026-11-21 or `90d ago`, whatever it says itself [default: what the document says, otherwise the time of the file]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model of the vectors, of a new namespace; `kb reindex --vectors` gives one that is there another [default: what the namespace has, otherwise `model` in kb.toml, otherwise the one in the program]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'What is embedded and indexed in front of passages [default: headings; of documents that are there, what they have]')
            [CompletionResult]::new('--max-file-size', '--max-file-size', [CompletionResultType]::ParameterName, 'Refuse larger files [default: 500 for PDF, DOCX and EPUB, 20 for text]')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--password', '--password', [CompletionResultType]::ParameterName, 'The password of encrypted PDFs')
            [CompletionResult]::new('--file-timeout', '--file-timeout', [CompletionResultType]::ParameterName, 'Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]')
            [CompletionResult]::new('--page-timeout', '--page-timeout', [CompletionResultType]::ParameterName, 'Leave out a page that takes longer [default: 20, with --ocr-command 120]')
            [CompletionResult]::new('--worker-memory', '--worker-memory', [CompletionResultType]::ParameterName, 'Memory that reading a file may take, beside four times its size [default: 900]')
            [CompletionResult]::new('--ocr-command', '--ocr-command', [CompletionResultType]::ParameterName, 'Read pages without text by a program: it gets the path of the page''s image for {} and prints the text')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Threads that read and embed [default: one per core]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--prune', '--prune', [CompletionResultType]::ParameterName, 'Take documents out whose file is gone from the given folders')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only say what would happen')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Read files again that have not changed')
            [CompletionResult]::new('--no-embed', '--no-embed', [CompletionResultType]::ParameterName, 'Make no vectors, which takes most of the time: searches use words alone until a run without this makes them, or `kb reindex --vectors`')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;search' {
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to search [default: auto]')
            [CompletionResult]::new('-k', '-k', [CompletionResultType]::ParameterName, 'How many hits [default: 5; broad 10; drill as many as its beam leads to]')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'How many hits [default: 5; broad 10; drill as many as its beam leads to]')
            [CompletionResult]::new('--doc', '--doc', [CompletionResultType]::ParameterName, 'Only in this document (an id, a path, a title, or the beginning, end or part of one); may be given several times')
            [CompletionResult]::new('--rerank', '--rerank', [CompletionResultType]::ParameterName, 'How the best are looked at again: light, by the question''s words in passage and titles; off; or also by a cross-encoder, named as `kb models` lists it or by its folder (model.onnx, tokenizer.json, … as Hugging Face lays it out) [default: light, for --method auto and hybrid]')
            [CompletionResult]::new('--rerank-depth', '--rerank-depth', [CompletionResultType]::ParameterName, 'How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]')
            [CompletionResult]::new('--rerank-budget', '--rerank-budget', [CompletionResultType]::ParameterName, 'How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to follows in its old order [default: 500ms; none for `kb eval`]')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Only what this holds of, such as ''author = Ann and page < 20''; several are joined by and; '''' puts the one of kb.toml aside')
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'Only documents from before the beginning of this time')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Only documents from the beginning of this time on')
            [CompletionResult]::new('--as-of', '--as-of', [CompletionResultType]::ParameterName, 'Only what was there at the end of this time: nothing later')
            [CompletionResult]::new('--half-life', '--half-life', [CompletionResultType]::ParameterName, 'Let scores decay with the age of the document: halve them for each 90d, 6 months, 1y; none for no decay [default: none]')
            [CompletionResult]::new('--min-score', '--min-score', [CompletionResultType]::ParameterName, 'Leave out passages below this score, from 0 to 1')
            [CompletionResult]::new('--weights', '--weights', [CompletionResultType]::ParameterName, 'How much the keyword arm and the semantic arm count, whatever the question''s language [default: by question]')
            [CompletionResult]::new('--fusion', '--fusion', [CompletionResultType]::ParameterName, 'How the arms are fused [default: weighted]')
            [CompletionResult]::new('--rrf-k', '--rrf-k', [CompletionResultType]::ParameterName, 'The k of reciprocal rank fusion [default: 60]')
            [CompletionResult]::new('--pool', '--pool', [CompletionResultType]::ParameterName, 'How many candidates each arm recalls [default: 100, or -k]')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Of which kind the question is [default: told by its words]')
            [CompletionResult]::new('--expand', '--expand', [CompletionResultType]::ParameterName, 'Which words are searched for beside those of the question [default: missing]')
            [CompletionResult]::new('--fallback', '--fallback', [CompletionResultType]::ParameterName, 'Look again (wider, with the other arm, with other words) where a search gives less: min_hits=N, min_score=S, min_docs=N, or off [default: off]')
            [CompletionResult]::new('--query-encoder', '--query-encoder', [CompletionResultType]::ParameterName, 'What makes the question''s vector [default: auto]')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How hits are chosen [default: precise]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Show so many neighbouring passages on both sides')
            [CompletionResult]::new('--window', '--window', [CompletionResultType]::ParameterName, 'Of each passage only the sentence that matches best, and so many on both sides')
            [CompletionResult]::new('--group-by', '--group-by', [CompletionResultType]::ParameterName, 'Put the hits of a section or a document together, at the place of the best [default: none]')
            [CompletionResult]::new('--diversity', '--diversity', [CompletionResultType]::ParameterName, 'How much being different counts in the mode broad, from 0 to 1 [default: 0.3]')
            [CompletionResult]::new('--per-document', '--per-document', [CompletionResultType]::ParameterName, 'At most so many hits of a document')
            [CompletionResult]::new('--beam', '--beam', [CompletionResultType]::ParameterName, 'How many documents, passages of each and pieces of each the mode drill follows [default: 3,3,3]')
            [CompletionResult]::new('--children', '--children', [CompletionResultType]::ParameterName, 'Name so many of the pieces of each passage, those that match best, in JSON [default: 2]')
            [CompletionResult]::new('--max-tokens', '--max-tokens', [CompletionResultType]::ParameterName, 'At most so many tokens of text and titles; what does not fit is named [default: in the mode section 8000]')
            [CompletionResult]::new('--tokenizer', '--tokenizer', [CompletionResultType]::ParameterName, 'What counts them: a tokenizer.json, or `chars/4` for a token every four characters [default: the embedding model''s]')
            [CompletionResult]::new('--in', '--in', [CompletionResultType]::ParameterName, 'What is looked for: passages, or sections with a preview')
            [CompletionResult]::new('--why', '--why', [CompletionResultType]::ParameterName, 'Instead of a result, say of a chunk or a section in which stage it was lost, and what would have kept it')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--across-sections', '--across-sections', [CompletionResultType]::ParameterName, 'Neighbours may be of other sections')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Make one of adjacent passages of a section [default: in the mode broad]')
            [CompletionResult]::new('--no-merge', '--no-merge', [CompletionResultType]::ParameterName, 'Leave adjacent passages apart')
            [CompletionResult]::new('--keep-duplicates', '--keep-duplicates', [CompletionResultType]::ParameterName, 'Show passages that say the same as a better one too')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Show how the result came about: each stage with its time, what it took and what came out')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;context' {
            [CompletionResult]::new('--method', '--method', [CompletionResultType]::ParameterName, 'How to search [default: auto]')
            [CompletionResult]::new('-k', '-k', [CompletionResultType]::ParameterName, 'How many hits [default: 5; broad 10; drill as many as its beam leads to]')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'How many hits [default: 5; broad 10; drill as many as its beam leads to]')
            [CompletionResult]::new('--doc', '--doc', [CompletionResultType]::ParameterName, 'Only in this document (an id, a path, a title, or the beginning, end or part of one); may be given several times')
            [CompletionResult]::new('--rerank', '--rerank', [CompletionResultType]::ParameterName, 'How the best are looked at again: light, by the question''s words in passage and titles; off; or also by a cross-encoder, named as `kb models` lists it or by its folder (model.onnx, tokenizer.json, … as Hugging Face lays it out) [default: light, for --method auto and hybrid]')
            [CompletionResult]::new('--rerank-depth', '--rerank-depth', [CompletionResultType]::ParameterName, 'How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]')
            [CompletionResult]::new('--rerank-budget', '--rerank-budget', [CompletionResultType]::ParameterName, 'How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to follows in its old order [default: 500ms; none for `kb eval`]')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Only what this holds of, such as ''author = Ann and page < 20''; several are joined by and; '''' puts the one of kb.toml aside')
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'Only documents from before the beginning of this time')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Only documents from the beginning of this time on')
            [CompletionResult]::new('--as-of', '--as-of', [CompletionResultType]::ParameterName, 'Only what was there at the end of this time: nothing later')
            [CompletionResult]::new('--half-life', '--half-life', [CompletionResultType]::ParameterName, 'Let scores decay with the age of the document: halve them for each 90d, 6 months, 1y; none for no decay [default: none]')
            [CompletionResult]::new('--min-score', '--min-score', [CompletionResultType]::ParameterName, 'Leave out passages below this score, from 0 to 1')
            [CompletionResult]::new('--weights', '--weights', [CompletionResultType]::ParameterName, 'How much the keyword arm and the semantic arm count, whatever the question''s language [default: by question]')
            [CompletionResult]::new('--fusion', '--fusion', [CompletionResultType]::ParameterName, 'How the arms are fused [default: weighted]')
            [CompletionResult]::new('--rrf-k', '--rrf-k', [CompletionResultType]::ParameterName, 'The k of reciprocal rank fusion [default: 60]')
            [CompletionResult]::new('--pool', '--pool', [CompletionResultType]::ParameterName, 'How many candidates each arm recalls [default: 100, or -k]')
            [CompletionResult]::new('--kind', '--kind', [CompletionResultType]::ParameterName, 'Of which kind the question is [default: told by its words]')
            [CompletionResult]::new('--expand', '--expand', [CompletionResultType]::ParameterName, 'Which words are searched for beside those of the question [default: missing]')
            [CompletionResult]::new('--fallback', '--fallback', [CompletionResultType]::ParameterName, 'Look again (wider, with the other arm, with other words) where a search gives less: min_hits=N, min_score=S, min_docs=N, or off [default: off]')
            [CompletionResult]::new('--query-encoder', '--query-encoder', [CompletionResultType]::ParameterName, 'What makes the question''s vector [default: auto]')
            [CompletionResult]::new('--mode', '--mode', [CompletionResultType]::ParameterName, 'How hits are chosen [default: precise]')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Show so many neighbouring passages on both sides')
            [CompletionResult]::new('--window', '--window', [CompletionResultType]::ParameterName, 'Of each passage only the sentence that matches best, and so many on both sides')
            [CompletionResult]::new('--group-by', '--group-by', [CompletionResultType]::ParameterName, 'Put the hits of a section or a document together, at the place of the best [default: none]')
            [CompletionResult]::new('--diversity', '--diversity', [CompletionResultType]::ParameterName, 'How much being different counts in the mode broad, from 0 to 1 [default: 0.3]')
            [CompletionResult]::new('--per-document', '--per-document', [CompletionResultType]::ParameterName, 'At most so many hits of a document')
            [CompletionResult]::new('--beam', '--beam', [CompletionResultType]::ParameterName, 'How many documents, passages of each and pieces of each the mode drill follows [default: 3,3,3]')
            [CompletionResult]::new('--children', '--children', [CompletionResultType]::ParameterName, 'Name so many of the pieces of each passage, those that match best, in JSON [default: 2]')
            [CompletionResult]::new('--max-tokens', '--max-tokens', [CompletionResultType]::ParameterName, 'At most so many tokens of text and titles; what does not fit is named [default: in the mode section 8000]')
            [CompletionResult]::new('--tokenizer', '--tokenizer', [CompletionResultType]::ParameterName, 'What counts them: a tokenizer.json, or `chars/4` for a token every four characters [default: the embedding model''s]')
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'Lay the context out with this template')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--across-sections', '--across-sections', [CompletionResultType]::ParameterName, 'Neighbours may be of other sections')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Make one of adjacent passages of a section [default: in the mode broad]')
            [CompletionResult]::new('--no-merge', '--no-merge', [CompletionResultType]::ParameterName, 'Leave adjacent passages apart')
            [CompletionResult]::new('--keep-duplicates', '--keep-duplicates', [CompletionResultType]::ParameterName, 'Show passages that say the same as a better one too')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;toc' {
            [CompletionResult]::new('--max-level', '--max-level', [CompletionResultType]::ParameterName, 'How deep [default: 3, for all documents 1; in JSON of one, all of it]')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'Take the corrected one from a file; `-` is standard input')
            [CompletionResult]::new('--password', '--password', [CompletionResultType]::ParameterName, 'The password of encrypted PDFs')
            [CompletionResult]::new('--file-timeout', '--file-timeout', [CompletionResultType]::ParameterName, 'Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]')
            [CompletionResult]::new('--page-timeout', '--page-timeout', [CompletionResultType]::ParameterName, 'Leave out a page that takes longer [default: 20, with --ocr-command 120]')
            [CompletionResult]::new('--worker-memory', '--worker-memory', [CompletionResultType]::ParameterName, 'Memory that reading a file may take, beside four times its size [default: 900]')
            [CompletionResult]::new('--ocr-command', '--ocr-command', [CompletionResultType]::ParameterName, 'Read pages without text by a program: it gets the path of the page''s image for {} and prints the text')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Threads that read and embed [default: one per core]')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--provenance', '--provenance', [CompletionResultType]::ParameterName, 'Show where each entry came from and how sure it is, from 0 to 1')
            [CompletionResult]::new('--edit', '--edit', [CompletionResultType]::ParameterName, 'Correct the table of contents in an editor')
            [CompletionResult]::new('--editable', '--editable', [CompletionResultType]::ParameterName, 'Print it in the form that --edit shows and --set takes')
            [CompletionResult]::new('--reset', '--reset', [CompletionResultType]::ParameterName, 'Drop the correction')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;section' {
            [CompletionResult]::new('--max-tokens', '--max-tokens', [CompletionResultType]::ParameterName, 'At most so many tokens; cut between passages, and said what is left out')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--no-children', '--no-children', [CompletionResultType]::ParameterName, 'Only the sections'' own text, without their subsections')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;chunks-list' {
            [CompletionResult]::new('--doc', '--doc', [CompletionResultType]::ParameterName, 'Only of this document (an id, a path, a title, or the beginning, end or part of one)')
            [CompletionResult]::new('--section', '--section', [CompletionResultType]::ParameterName, 'Only of this section and its subsections, as `kb section` names it; needs --doc')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only parents, or only children')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Only chunks with this text in them: plain text, upper and lower case alike')
            [CompletionResult]::new('--where', '--where', [CompletionResultType]::ParameterName, 'Only chunks of which this holds, such as ''tags = safety and page < 20''; `kb search --help` says what it can be')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most so many [default: all]')
            [CompletionResult]::new('--offset', '--offset', [CompletionResultType]::ParameterName, 'Pass over so many')
            [CompletionResult]::new('--order-by', '--order-by', [CompletionResultType]::ParameterName, 'By document, parent, index, chunk_id, chunk_type, section, updated_at or page; with `:desc` from the end [default: document,parent,index]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--edited', '--edited', [CompletionResultType]::ParameterName, 'Only chunks that somebody changed')
            [CompletionResult]::new('--conflicts', '--conflicts', [CompletionResultType]::ParameterName, 'Instead of chunks, edits that do not fit what the source says now; `kb chunk-edit ID --resolve` settles them')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;chunk-edit' {
            [CompletionResult]::new('--content', '--content', [CompletionResultType]::ParameterName, 'The new text')
            [CompletionResult]::new('--content-file', '--content-file', [CompletionResultType]::ParameterName, 'A file with the new text; - is standard input')
            [CompletionResult]::new('--meta', '--meta', [CompletionResultType]::ParameterName, 'Note something; without a value, take the note away')
            [CompletionResult]::new('--batch', '--batch', [CompletionResultType]::ParameterName, 'A file with many edits, a line of JSON each, as `kb chunks-list --format jsonl` writes them; all or none is done. - is standard input')
            [CompletionResult]::new('--resolve', '--resolve', [CompletionResultType]::ParameterName, 'Settle conflicts: your text, or the source''s')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--reset', '--reset', [CompletionResultType]::ParameterName, 'Give passages back what the source says, without notes')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only say what would be changed')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;chunk-delete' {
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--no-cascade', '--no-cascade', [CompletionResultType]::ParameterName, 'Refuse a parent that has children, instead of deleting them too')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only say what would be deleted')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;entity-set' {
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Of which type it is: pump, person, contract')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'What it is from --time on, on one line')
            [CompletionResult]::new('--alias', '--alias', [CompletionResultType]::ParameterName, 'Another name of it; may be given several times')
            [CompletionResult]::new('--time', '--time', [CompletionResultType]::ParameterName, 'From when on the state holds, such as 2026-11-21 or "2 weeks ago" [default: now]; with --remove, of when it is')
            [CompletionResult]::new('--from', '--from', [CompletionResultType]::ParameterName, 'Read many from this file, a line of JSON each; - for standard input')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--retype', '--retype', [CompletionResultType]::ParameterName, 'Give it --type although it has another')
            [CompletionResult]::new('--remove', '--remove', [CompletionResultType]::ParameterName, 'Take out the state of --time and each --alias; without these, the entity with all its states')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only say what would be done')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;entities' {
            [CompletionResult]::new('--as-of', '--as-of', [CompletionResultType]::ParameterName, 'What they were at the end of this time [default: now]')
            [CompletionResult]::new('--type', '--type', [CompletionResultType]::ParameterName, 'Only those of this type')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;docs' {
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Only what this holds of, such as ''author = Ann and page < 20''; several are joined by and; '''' puts the one of kb.toml aside')
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'Only documents from before the beginning of this time')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Only documents from the beginning of this time on')
            [CompletionResult]::new('--as-of', '--as-of', [CompletionResultType]::ParameterName, 'Only what was there at the end of this time: nothing later')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;remove' {
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only say what would be removed')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;status' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;log' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most so many')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;restore' {
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only say what would be other than now')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;diff' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--stat', '--stat', [CompletionResultType]::ParameterName, 'Only the counts of each document, without its sections and chunks')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;namespaces' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('rename', 'rename', [CompletionResultType]::ParameterValue, 'Give a namespace another name')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove a namespace with all that was ingested into it; the files stay')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kb;namespaces;rename' {
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;namespaces;remove' {
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Do not ask')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;namespaces;help' {
            [CompletionResult]::new('rename', 'rename', [CompletionResultType]::ParameterValue, 'Give a namespace another name')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove a namespace with all that was ingested into it; the files stay')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kb;namespaces;help;rename' {
            break
        }
        'kb;namespaces;help;remove' {
            break
        }
        'kb;namespaces;help;help' {
            break
        }
        'kb;check' {
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--repair', '--repair', [CompletionResultType]::ParameterName, 'Mend what can be mended, as one new generation')
            [CompletionResult]::new('--all-namespaces', '--all-namespaces', [CompletionResultType]::ParameterName, 'All namespaces of the store')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;reindex' {
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'What is embedded and indexed in front of passages from now on')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model of the vectors, which is used from now on [default: the one that is used]')
            [CompletionResult]::new('--wait', '--wait', [CompletionResultType]::ParameterName, 'Wait so long while another kb writes to the same namespace [default: 0, fail at once]')
            [CompletionResult]::new('--password', '--password', [CompletionResultType]::ParameterName, 'The password of encrypted PDFs')
            [CompletionResult]::new('--file-timeout', '--file-timeout', [CompletionResultType]::ParameterName, 'Give up on a file (not Markdown or plain text) that takes longer to parse [default: 120, with --ocr-command 3600]')
            [CompletionResult]::new('--page-timeout', '--page-timeout', [CompletionResultType]::ParameterName, 'Leave out a page that takes longer [default: 20, with --ocr-command 120]')
            [CompletionResult]::new('--worker-memory', '--worker-memory', [CompletionResultType]::ParameterName, 'Memory that reading a file may take, beside four times its size [default: 900]')
            [CompletionResult]::new('--ocr-command', '--ocr-command', [CompletionResultType]::ParameterName, 'Read pages without text by a program: it gets the path of the page''s image for {} and prints the text')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Threads that read and embed [default: one per core]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('--structure', '--structure', [CompletionResultType]::ParameterName, 'Find sections anew and cut them into passages')
            [CompletionResult]::new('--vectors', '--vectors', [CompletionResultType]::ParameterName, 'Make vectors: all of them where the model is another one than before, otherwise those that are missing')
            [CompletionResult]::new('--query-encoder', '--query-encoder', [CompletionResultType]::ParameterName, 'Fit what stands in for the model when a question is asked')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Those too that this version of kb made, that stand in this context, or whose vectors are there')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Only say what would be made anew')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;eval' {
            [CompletionResult]::new('--methods', '--methods', [CompletionResultType]::ParameterName, 'Which methods to measure')
            [CompletionResult]::new('--min', '--min', [CompletionResultType]::ParameterName, 'Fail with exit code 1 where a figure is lower; may be given several times')
            [CompletionResult]::new('--rerank', '--rerank', [CompletionResultType]::ParameterName, 'How the best are looked at again: light, by the question''s words in passage and titles; off; or also by a cross-encoder, named as `kb models` lists it or by its folder (model.onnx, tokenizer.json, … as Hugging Face lays it out) [default: light, for --method auto and hybrid]')
            [CompletionResult]::new('--rerank-depth', '--rerank-depth', [CompletionResultType]::ParameterName, 'How many of the best a cross-encoder reads; the rest follow in their old order [default: 30]')
            [CompletionResult]::new('--rerank-budget', '--rerank-budget', [CompletionResultType]::ParameterName, 'How long it may read, loading it aside: 500ms, 2s, or none for as long as it takes; what it did not come to follows in its old order [default: 500ms; none for `kb eval`]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'The model that makes the vectors [default: the one in the program]')
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Threads that embed [default: one per core]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;models' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add a model, from the hub or from a folder')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove a model that was added, or what is left of a download')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kb;models;add' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'What it is called here [default: its own name]')
            [CompletionResult]::new('--query-prefix', '--query-prefix', [CompletionResultType]::ParameterName, 'What stands in front of questions [default: what the model says]')
            [CompletionResult]::new('--passage-prefix', '--passage-prefix', [CompletionResultType]::ParameterName, 'What stands in front of passages [default: what the model says]')
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;models;remove' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Even where the store has vectors of it')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Even where the store has vectors of it')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Even where the store has vectors of it')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;models;help' {
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add a model, from the hub or from a folder')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove a model that was added, or what is left of a download')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kb;models;help;add' {
            break
        }
        'kb;models;help;remove' {
            break
        }
        'kb;models;help;help' {
            break
        }
        'kb;llm' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Send one tiny request and say what came of it')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Write a prompt as it is built in; one''s own lie in .kb/prompts/NAME.md')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kb;llm;check' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;llm;prompt' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;llm;help' {
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Send one tiny request and say what came of it')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Write a prompt as it is built in; one''s own lie in .kb/prompts/NAME.md')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kb;llm;help;check' {
            break
        }
        'kb;llm;help;prompt' {
            break
        }
        'kb;llm;help;help' {
            break
        }
        'kb;completions' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;parse-worker' {
            [CompletionResult]::new('--kb', '--kb', [CompletionResultType]::ParameterName, 'The store''s folder [default: the nearest .kb/ upwards]')
            [CompletionResult]::new('-n', '-n', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--namespace', '--namespace', [CompletionResultType]::ParameterName, 'The knowledge base inside the store; to search, for docs and status, several (`manuals,drafts`) or `all`')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How results are written [default: table on a terminal, markdown in a pipe]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--onnxruntime', '--onnxruntime', [CompletionResultType]::ParameterName, 'The ONNX Runtime library to run the model on, or `off` for pure Rust [default: one that is found]')
            [CompletionResult]::new('--device', '--device', [CompletionResultType]::ParameterName, 'What ONNX Runtime runs models on: auto (the processor), cpu, cuda, tensorrt, rocm, migraphx, coreml, directml or openvino; `kb models` says which the library at hand offers [default: auto]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Only results and errors')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: the method chosen and the time of each stage')
            [CompletionResult]::new('--no-progress', '--no-progress', [CompletionResultType]::ParameterName, 'No progress display')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'kb;help' {
            [CompletionResult]::new('ingest', 'ingest', [CompletionResultType]::ParameterValue, 'Read files and folders into the knowledge base; only what changed is read again')
            [CompletionResult]::new('search', 'search', [CompletionResultType]::ParameterValue, 'Find the passages that answer a question')
            [CompletionResult]::new('context', 'context', [CompletionResultType]::ParameterValue, 'Put a context for a prompt together: the passages that answer a question, with their sources, in so many tokens')
            [CompletionResult]::new('toc', 'toc', [CompletionResultType]::ParameterValue, 'Show a document''s table of contents, or those of all documents; or correct one')
            [CompletionResult]::new('section', 'section', [CompletionResultType]::ParameterValue, 'Show the whole text of sections, their subsections included')
            [CompletionResult]::new('chunks-list', 'chunks-list', [CompletionResultType]::ParameterValue, 'List chunks: the passages that are shown (parents) and the pieces of them that are matched (children)')
            [CompletionResult]::new('chunk-edit', 'chunk-edit', [CompletionResultType]::ParameterValue, 'Change chunks: their text, and what is noted about them; the files stay')
            [CompletionResult]::new('chunk-delete', 'chunk-delete', [CompletionResultType]::ParameterValue, 'Take chunks out of documents; the files stay')
            [CompletionResult]::new('entity-set', 'entity-set', [CompletionResultType]::ParameterValue, 'Set what a thing that documents speak of is, and since when')
            [CompletionResult]::new('entities', 'entities', [CompletionResultType]::ParameterValue, 'List the things that documents speak of with their states, or tell all about one')
            [CompletionResult]::new('docs', 'docs', [CompletionResultType]::ParameterValue, 'List the documents, or describe some of them')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Take documents out of the knowledge base; the files stay')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show what is in the store: generation, counts, sizes, model and engine, and who is writing')
            [CompletionResult]::new('log', 'log', [CompletionResultType]::ParameterValue, 'List the generations of the knowledge base, the newest first, with what each did')
            [CompletionResult]::new('restore', 'restore', [CompletionResultType]::ParameterValue, 'Bring an old generation back, as a new one')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Tell what was added, has changed and is gone between two generations')
            [CompletionResult]::new('namespaces', 'namespaces', [CompletionResultType]::ParameterValue, 'List the knowledge bases inside the store; rename or remove one')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Verify tables, vectors and keyword index, and repair them')
            [CompletionResult]::new('reindex', 'reindex', [CompletionResultType]::ParameterValue, 'Find the sections of documents anew, in place, or make their vectors anew: in another context, or by another model')
            [CompletionResult]::new('eval', 'eval', [CompletionResultType]::ParameterValue, 'Measure retrieval quality on a set in the BEIR layout (corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv)')
            [CompletionResult]::new('models', 'models', [CompletionResultType]::ParameterValue, 'List the models there are; add or remove one')
            [CompletionResult]::new('llm', 'llm', [CompletionResultType]::ParameterValue, 'Try the language model, or write its prompts')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Write the completions for a shell')
            [CompletionResult]::new('parse-worker', 'parse-worker', [CompletionResultType]::ParameterValue, 'Parse files for a parent process')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'kb;help;ingest' {
            break
        }
        'kb;help;search' {
            break
        }
        'kb;help;context' {
            break
        }
        'kb;help;toc' {
            break
        }
        'kb;help;section' {
            break
        }
        'kb;help;chunks-list' {
            break
        }
        'kb;help;chunk-edit' {
            break
        }
        'kb;help;chunk-delete' {
            break
        }
        'kb;help;entity-set' {
            break
        }
        'kb;help;entities' {
            break
        }
        'kb;help;docs' {
            break
        }
        'kb;help;remove' {
            break
        }
        'kb;help;status' {
            break
        }
        'kb;help;log' {
            break
        }
        'kb;help;restore' {
            break
        }
        'kb;help;diff' {
            break
        }
        'kb;help;namespaces' {
            [CompletionResult]::new('rename', 'rename', [CompletionResultType]::ParameterValue, 'Give a namespace another name')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove a namespace with all that was ingested into it; the files stay')
            break
        }
        'kb;help;namespaces;rename' {
            break
        }
        'kb;help;namespaces;remove' {
            break
        }
        'kb;help;check' {
            break
        }
        'kb;help;reindex' {
            break
        }
        'kb;help;eval' {
            break
        }
        'kb;help;models' {
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add a model, from the hub or from a folder')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove a model that was added, or what is left of a download')
            break
        }
        'kb;help;models;add' {
            break
        }
        'kb;help;models;remove' {
            break
        }
        'kb;help;llm' {
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Send one tiny request and say what came of it')
            [CompletionResult]::new('prompt', 'prompt', [CompletionResultType]::ParameterValue, 'Write a prompt as it is built in; one''s own lie in .kb/prompts/NAME.md')
            break
        }
        'kb;help;llm;check' {
            break
        }
        'kb;help;llm;prompt' {
            break
        }
        'kb;help;completions' {
            break
        }
        'kb;help;parse-worker' {
            break
        }
        'kb;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
