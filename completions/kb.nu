module completions {

  def "nu-complete kb format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb serve" [] {
    [ "running" "auto" "off" ]
  }

  # Answers questions with the right section of the right document, offline
  export extern kb [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    --version(-V)             # Print version
  ]

  def "nu-complete kb ingest source_format" [] {
    [ "pdf" "markdown" "html" "docx" "epub" "rst" "asciidoc" "jsonl" "csv" "excel" "powerpoint" "notebook" "email" "mbox" "c" "cpp" "csharp" "go" "java" "javascript" "php" "python" "rust" "typescript" "text" ]
  }

  def "nu-complete kb ingest context" [] {
    [ "none" "headings" "llm" ]
  }

  def "nu-complete kb ingest format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb ingest color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb ingest device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb ingest serve" [] {
    [ "running" "auto" "off" ]
  }

  # Ingest files and folders; later runs read only changed files
  export extern "kb ingest" [
    --files-from: path        # Also read the files and folders in this list, one per line or, with -0, each terminated by NUL; `-` is standard input
    --name: string            # The name of standard input; its extension determines the format
    --as: string@"nu-complete kb ingest source_format" # Read the files in this format, whatever their names
    --prune                   # Remove documents whose files are gone from the given folders
    --yes                     # Prune without asking, even if this removes more than a fifth of all documents or all of a folder
    --dry-run                 # Show what would happen
    --allow-private           # Fetch pages from this machine and private networks too
    --force                   # Read unchanged files again
    --new-failures            # Exit with code 4 only if a file fails that did not fail before
    --within: path            # Read no file outside this folder, even through links; repeatable, for servers that ingest for others
    --time: string            # The time of the documents, such as 2026-11-21 or `90d ago` [default: the time in the document, otherwise that of the file]
    --no-embed                # Skip the vectors, which take most of the time; `kb reindex --vectors` makes them later
    --model: string           # The embedding model of a new namespace; `endpoint` is that of [embedding] [default: `model` in kb.toml, otherwise the built-in one]
    --meta: string            # Set a field of metadata: a text, a number, true, false, or a list like [a, b]; an empty value removes it; repeatable
    --tag: string             # Add a tag; repeatable
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --include: string         # Only files in folders that match this glob; repeatable
    --exclude: string         # Skip files and folders that match this glob; repeatable
    --context: string@"nu-complete kb ingest context" # The context of parent chunks, which is embedded and indexed with them [default: headings; existing documents keep theirs]
    --parent-chars: string    # The maximum length of a parent chunk, in characters [default: 1000; existing documents keep theirs]
    --child-chars: string     # The maximum length of a child chunk, in characters [default: 300]
    --overlap-chars: string   # Characters before a child chunk that are embedded with it, for models that read each child alone [default: 100]
    --max-file-size: string   # Reject larger files [default: 500 for PDF, Office files and EPUB, 20 for text]
    --password: string        # The password of encrypted PDFs
    --file-timeout: string    # Give up on a file that takes longer to parse [default: 120, with OCR 3600]
    --page-timeout: string    # Skip a page that takes longer [default: 20, with OCR 120]
    --worker-memory: string   # Memory for reading a file, on top of four times its size [default: 900]
    --ocr-command: string     # The program that reads PDF pages without text: {} stands for the path of the page's PNG image, and it prints the text, for example 'tesseract {} stdout -l chi_sim+eng'
    --jobs: string            # Threads that read and embed [default: one per core]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb ingest format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb ingest color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb ingest device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb ingest serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...paths: path            # Files, folders and pages on the web (https://…); `-` is standard input, with --name
  ]

  def "nu-complete kb search merge" [] {
    [ "y" "yes" "t" "true" "on" "1" "n" "no" "f" "false" "off" "0" ]
  }

  def "nu-complete kb search keep_duplicates" [] {
    [ "y" "yes" "t" "true" "on" "1" "n" "no" "f" "false" "off" "0" ]
  }

  def "nu-complete kb search group_by" [] {
    [ "none" "section" "doc" ]
  }

  def "nu-complete kb search method" [] {
    [ "auto" "hybrid" "semantic" "keyword" ]
  }

  def "nu-complete kb search kind" [] {
    [ "procedure" "concept" "reference" "troubleshooting" "lookup" "structure" ]
  }

  def "nu-complete kb search target" [] {
    [ "chunks" "sections" ]
  }

  def "nu-complete kb search format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb search color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb search device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb search serve" [] {
    [ "running" "auto" "off" ]
  }

  # Find the parts of documents that answer a question
  export extern "kb search" [
    --explain                 # Show each stage with its time, its input and its output
    --doc: string             # Only this document: its id, path, title or a part of them; repeatable
    --before: string          # Only documents from before this time
    --after: string           # Only documents from this time or later
    --as-of: string           # Only documents that existed at the end of this time
    --time-field: string      # Use the numbers in this metadata field as times, such as story_time
    --all                     # Show all hits, at any confidence
    --limit(-k): string       # Number of hits [default: 5; broad 10; drill all of its beam]
    --mode: string            # How hits are chosen: precise (the best), broad[:DIVERSITY] (varied), section (whole sections) or drill[:D,P,C] (best documents, their chunks, their sentences) [default: precise]
    --context: string         # Add N neighbouring parent chunks of the section on each side
    --window: string          # Show only the best sentence of each parent chunk and N sentences on each side
    --merge: string@"nu-complete kb search merge" # Join adjacent parent chunks of a section on the same page [default: true]
    --keep-duplicates: string@"nu-complete kb search keep_duplicates" # Keep parent chunks that repeat a better one
    --group-by: string@"nu-complete kb search group_by" # Group the hits of a section or document
    --per-document: string    # Show at most N hits of one document
    --max-tokens: string      # Show at most N tokens in all; hits that do not fit are named [default: section 8000, `kb context` 4000]
    --tokenizer: string       # Count tokens with this tokenizer.json, or with chars/4 [default: the tokenizer of the built-in model]
    --filter: string          # Only documents and chunks that match, such as 'author = Ann and page < 20'; repeatable; '' drops the filter of kb.toml
    --half-life: string       # Halve the score of a document for each AGE since its time, such as 90d, 6 months or 1y; hyperbolic:90d decays more slowly [default: none]
    --min-confidence: string  # Drop hits with a lower confidence than this, from 0 to 1 [default: 0.05; 0 with the methods keyword and semantic]
    --method: string@"nu-complete kb search method" # How to search [default: auto]
    --weights: string         # Weights of keyword and semantic search, such as 0.7,0.3 [default: depends on the question]
    --fusion: string          # How to fuse keyword and semantic results: weighted (by scores), rrf or rrf:K (by ranks, K is 60) [default: weighted]
    --pool: string            # Candidates per retriever [default: 100; in modes other than precise 200]
    --kind: string@"nu-complete kb search kind" # The kind of the question [default: determined from its words]
    --expand: string          # Also search for other words: off, missing (synonyms, and matches for unknown words) or all (matches for all words); from the language model also llm, or some of rewrite, hyde (a made-up answer), keywords [default: missing]
    --fallback: string        # Search again with wider settings after a poor result: min_hits=N,min_confidence=S,min_docs=N [default: off]
    --rerank: directory       # Rerank the best candidates: light (by the question's words), off, or also with a model: its name in `kb models`, its folder, or endpoint [default: light for the methods auto and hybrid]
    --rerank-budget: string   # How many candidates the cross-encoder reads and for how long: 50, 2s, or 50,none [default: 30,500ms]
    --in: string@"nu-complete kb search target" # What to search for: chunks, or sections with a preview
    --why: string             # Show which stage dropped this chunk or section, and which option controls that stage
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb search format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb search color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb search device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb search serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...query: string          # A question or words; they need no quotes
  ]

  def "nu-complete kb context merge" [] {
    [ "y" "yes" "t" "true" "on" "1" "n" "no" "f" "false" "off" "0" ]
  }

  def "nu-complete kb context keep_duplicates" [] {
    [ "y" "yes" "t" "true" "on" "1" "n" "no" "f" "false" "off" "0" ]
  }

  def "nu-complete kb context group_by" [] {
    [ "none" "section" "doc" ]
  }

  def "nu-complete kb context method" [] {
    [ "auto" "hybrid" "semantic" "keyword" ]
  }

  def "nu-complete kb context kind" [] {
    [ "procedure" "concept" "reference" "troubleshooting" "lookup" "structure" ]
  }

  def "nu-complete kb context format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb context color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb context device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb context serve" [] {
    [ "running" "auto" "off" ]
  }

  # Build a prompt context with sources, within a token limit
  export extern "kb context" [
    --explain                 # Show each stage with its time, its input and its output
    --doc: string             # Only this document: its id, path, title or a part of them; repeatable
    --before: string          # Only documents from before this time
    --after: string           # Only documents from this time or later
    --as-of: string           # Only documents that existed at the end of this time
    --time-field: string      # Use the numbers in this metadata field as times, such as story_time
    --all                     # Show all hits, at any confidence
    --limit(-k): string       # Number of hits [default: 5; broad 10; drill all of its beam]
    --mode: string            # How hits are chosen: precise (the best), broad[:DIVERSITY] (varied), section (whole sections) or drill[:D,P,C] (best documents, their chunks, their sentences) [default: precise]
    --context: string         # Add N neighbouring parent chunks of the section on each side
    --window: string          # Show only the best sentence of each parent chunk and N sentences on each side
    --merge: string@"nu-complete kb context merge" # Join adjacent parent chunks of a section on the same page [default: true]
    --keep-duplicates: string@"nu-complete kb context keep_duplicates" # Keep parent chunks that repeat a better one
    --group-by: string@"nu-complete kb context group_by" # Group the hits of a section or document
    --per-document: string    # Show at most N hits of one document
    --max-tokens: string      # Show at most N tokens in all; hits that do not fit are named [default: section 8000, `kb context` 4000]
    --tokenizer: string       # Count tokens with this tokenizer.json, or with chars/4 [default: the tokenizer of the built-in model]
    --filter: string          # Only documents and chunks that match, such as 'author = Ann and page < 20'; repeatable; '' drops the filter of kb.toml
    --half-life: string       # Halve the score of a document for each AGE since its time, such as 90d, 6 months or 1y; hyperbolic:90d decays more slowly [default: none]
    --min-confidence: string  # Drop hits with a lower confidence than this, from 0 to 1 [default: 0.05; 0 with the methods keyword and semantic]
    --method: string@"nu-complete kb context method" # How to search [default: auto]
    --weights: string         # Weights of keyword and semantic search, such as 0.7,0.3 [default: depends on the question]
    --fusion: string          # How to fuse keyword and semantic results: weighted (by scores), rrf or rrf:K (by ranks, K is 60) [default: weighted]
    --pool: string            # Candidates per retriever [default: 100; in modes other than precise 200]
    --kind: string@"nu-complete kb context kind" # The kind of the question [default: determined from its words]
    --expand: string          # Also search for other words: off, missing (synonyms, and matches for unknown words) or all (matches for all words); from the language model also llm, or some of rewrite, hyde (a made-up answer), keywords [default: missing]
    --fallback: string        # Search again with wider settings after a poor result: min_hits=N,min_confidence=S,min_docs=N [default: off]
    --rerank: directory       # Rerank the best candidates: light (by the question's words), off, or also with a model: its name in `kb models`, its folder, or endpoint [default: light for the methods auto and hybrid]
    --rerank-budget: string   # How many candidates the cross-encoder reads and for how long: 50, 2s, or 50,none [default: 30,500ms]
    --template: path          # Format the context with this template
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb context format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb context color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb context device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb context serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...query: string          # A question or words; they need no quotes
  ]

  def "nu-complete kb toc format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb toc color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb toc device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb toc serve" [] {
    [ "running" "auto" "off" ]
  }

  # Show or correct the table of contents of a document, or list all tables of contents
  export extern "kb toc" [
    --max-level: string       # The deepest level to show [default: 3 for one document (in JSON all), 1 for the list of all documents]
    --provenance              # Show the origin of each entry and its confidence, from 0 to 1
    --limit: string           # Show at most N
    --offset: string          # Skip the first N
    --edit                    # Correct the table of contents in an editor
    --editable                # Print the table of contents in the form that --edit and --set accept
    --set: path               # Replace the table of contents with the one in this file; `-` is standard input
    --reset                   # Remove the correction
    --password: string        # The password of encrypted PDFs
    --file-timeout: string    # Give up on a file that takes longer to parse [default: 120, with OCR 3600]
    --page-timeout: string    # Skip a page that takes longer [default: 20, with OCR 120]
    --worker-memory: string   # Memory for reading a file, on top of four times its size [default: 900]
    --ocr-command: string     # The program that reads PDF pages without text: {} stands for the path of the page's PNG image, and it prints the text, for example 'tesseract {} stdout -l chi_sim+eng'
    --jobs: string            # Threads that read and embed [default: one per core]
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb toc format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb toc color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb toc device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb toc serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    document?: string         # An id, path or title, or a part of them [default: all documents]
  ]

  def "nu-complete kb section format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb section color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb section device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb section serve" [] {
    [ "running" "auto" "off" ]
  }

  # Show the text of sections with their subsections
  export extern "kb section" [
    --no-children             # Omit subsections
    --from: string            # Begin at this chunk of the sections, such as a search hit or the chunk that a note about the rest names
    --max-tokens: string      # Show at most N tokens; a note names the rest
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb section format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb section color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb section device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb section serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...names: string          # A document (its id, path, title or a part of them) and its sections (a printed number, a title or a unique part of one, or what `kb toc` shows before it). A section alone, or its id, is looked up in all documents
  ]

  def "nu-complete kb show format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb show color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb show device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb show serve" [] {
    [ "running" "auto" "off" ]
  }

  # Show the chunk, section or document with this id
  export extern "kb show" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb show format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb show color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb show device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb show serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    id: string                # An id, as results show it
  ]

  def "nu-complete kb open format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb open color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb open device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb open serve" [] {
    [ "running" "auto" "off" ]
  }

  # Open the file of a chunk, a section or a document in the system's viewer, at its page if the viewer can
  export extern "kb open" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb open format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb open color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb open device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb open serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    name: string              # An id, as results show it, or a document, by its path, title or a part of them
  ]

  def "nu-complete kb browse format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb browse color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb browse device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb browse serve" [] {
    [ "running" "auto" "off" ]
  }

  # Search, read and edit in a full-screen terminal interface
  export extern "kb browse" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb browse format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb browse color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb browse device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb browse serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...query: string          # A question or words to begin with
  ]

  def "nu-complete kb chunks-list chunk_type" [] {
    [ "parent" "child" ]
  }

  def "nu-complete kb chunks-list format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb chunks-list color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb chunks-list device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb chunks-list serve" [] {
    [ "running" "auto" "off" ]
  }

  # List parent chunks and their child chunks
  export extern "kb chunks-list" [
    --doc: string             # Only this document: its id, path, title or a part of them
    --section: string         # Only this section and its subsections, as `kb section` names it
    --type: string@"nu-complete kb chunks-list chunk_type" # Only parents, or only children
    --filter: string          # Only chunks that contain this text, ignoring case
    --where: string           # Only chunks that match this filter, such as 'tags = safety and page < 20'; see `kb search --help`
    --edited                  # Only edited chunks
    --conflicts               # List conflicts instead: edits that no longer fit the source
    --limit: string           # Show at most N
    --offset: string          # Skip the first N
    --order-by: string        # Sort by document, parent, index, chunk_id, chunk_type, section, updated_at or page; `:desc` reverses [default: document,parent,index]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb chunks-list format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb chunks-list color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb chunks-list device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb chunks-list serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb chunk-edit resolve" [] {
    [ "mine" "theirs" ]
  }

  def "nu-complete kb chunk-edit format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb chunk-edit color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb chunk-edit device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb chunk-edit serve" [] {
    [ "running" "auto" "off" ]
  }

  # Change the text and the notes of chunks; the files do not change
  export extern "kb chunk-edit" [
    --content: string         # The new text
    --content-file: path      # A file with the new text; - is standard input
    --meta: string            # Set a note; an empty value removes it
    --batch: path             # Apply all edits in this file or none, one JSON object per line, as `kb chunks-list --format jsonl` writes them
    --reset                   # Restore the text of the source in parent chunks, and remove their notes
    --resolve: string@"nu-complete kb chunk-edit resolve" # Resolve conflicts: keep your text (mine) or the source's (theirs)
    --dry-run                 # Show what would change
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb chunk-edit format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb chunk-edit color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb chunk-edit device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb chunk-edit serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...ids: string            # Ids of parent chunks (7f3k2m:12) or child chunks (7f3k2m:12.3); with --resolve, ids of conflicts (7f3k2m~1)
  ]

  def "nu-complete kb chunk-delete format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb chunk-delete color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb chunk-delete device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb chunk-delete serve" [] {
    [ "running" "auto" "off" ]
  }

  # Delete chunks from documents; the files stay
  export extern "kb chunk-delete" [
    --no-cascade              # Refuse to delete a parent chunk that has child chunks
    --dry-run                 # Show what would be deleted
    --yes(-y)                 # Skip the confirmation
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb chunk-delete format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb chunk-delete color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb chunk-delete device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb chunk-delete serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...ids: string            # Ids of parent chunks (7f3k2m:12) or child chunks (7f3k2m:12.3)
  ]

  def "nu-complete kb entity-set format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb entity-set color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb entity-set device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb entity-set serve" [] {
    [ "running" "auto" "off" ]
  }

  # Record the state of a thing (machine, contract, person) from a date on
  export extern "kb entity-set" [
    --type: string            # Its type: pump, person, contract
    --state: string           # Its state from --time on, in one line
    --alias: string           # Another name; repeatable
    --time: string            # When the state begins, such as 2026-11-21 or "2 weeks ago" [default: now]; with --remove, which state to remove
    --time-field: string      # The time is a number in this metadata field, such as story_time
    --retype                  # Replace an existing type with --type
    --remove                  # Remove the state of --time and each --alias; without these, the whole entity
    --from: path              # Read many entities from this file, one JSON object per line; - is standard input
    --dry-run                 # Show what would change
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb entity-set format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb entity-set color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb entity-set device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb entity-set serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    name?: string             # Its name, or one of its aliases
  ]

  def "nu-complete kb entities format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb entities color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb entities device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb entities serve" [] {
    [ "running" "auto" "off" ]
  }

  # List the entities in documents with their states, or describe one
  export extern "kb entities" [
    --as-of: string           # Show the states at the end of this time [default: now]
    --time-field: string      # The time is a number in this metadata field, such as story_time
    --type: string            # Only this type
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb entities format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb entities color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb entities device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb entities serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    name?: string             # Describe this entity, by its name or an alias
  ]

  def "nu-complete kb docs format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb docs color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb docs device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb docs serve" [] {
    [ "running" "auto" "off" ]
  }

  # List the documents, or describe some of them
  export extern "kb docs" [
    --filter: string          # Only documents that match, such as 'author = Ann and tags = draft'; repeatable, joined by and
    --before: string          # Only documents from before this time
    --after: string           # Only documents from this time or later
    --as-of: string           # Only documents that existed at the end of this time
    --time-field: string      # Use the numbers in this metadata field as times, such as story_time
    --limit: string           # Show at most N
    --offset: string          # Skip the first N
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb docs format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb docs color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb docs device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb docs serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...documents: string      # An id, path, title or a part of them
  ]

  def "nu-complete kb doc-set format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb doc-set color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb doc-set device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb doc-set serve" [] {
    [ "running" "auto" "off" ]
  }

  # Set metadata and tags of documents, for filters
  export extern "kb doc-set" [
    --meta: string            # Set a field of metadata: a text, a number, true, false, or a list like [a, b]; an empty value removes it; repeatable
    --tag: string             # Add a tag; repeatable
    --unset: string           # Hide a field, even one that the document states; repeatable
    --untag: string           # Remove a tag; repeatable
    --dry-run                 # Show what would change
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb doc-set format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb doc-set color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb doc-set device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb doc-set serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...documents: string      # An id or its beginning, a path or its end, or a title
  ]

  def "nu-complete kb remove format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb remove color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb remove device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb remove serve" [] {
    [ "running" "auto" "off" ]
  }

  # Remove documents from the knowledge base; the files stay
  export extern "kb remove" [
    --dry-run                 # Show what would be removed
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb remove format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb remove color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb remove device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb remove serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...documents: string      # An id or its beginning, a path or its end, or a title
  ]

  def "nu-complete kb status format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb status color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb status device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb status serve" [] {
    [ "running" "auto" "off" ]
  }

  # Show counts, sizes, model, engine and the current writer
  export extern "kb status" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb status format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb status color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb status device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb status serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb log format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb log color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb log device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb log serve" [] {
    [ "running" "auto" "off" ]
  }

  # List the generations, newest first, with their changes
  export extern "kb log" [
    --limit: string           # Show at most N
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb log format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb log color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb log device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb log serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb undo format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb undo color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb undo device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb undo serve" [] {
    [ "running" "auto" "off" ]
  }

  # Undo the last change: restore the generation before it
  export extern "kb undo" [
    --dry-run                 # Show what would change
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb undo format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb undo color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb undo device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb undo serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb restore format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb restore color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb restore device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb restore serve" [] {
    [ "running" "auto" "off" ]
  }

  # Restore an old generation by publishing it as a new one
  export extern "kb restore" [
    --dry-run                 # Show what would change
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb restore format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb restore color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb restore device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb restore serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    generation: string        # Its number, as `kb log` shows it
  ]

  def "nu-complete kb diff format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb diff color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb diff device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb diff serve" [] {
    [ "running" "auto" "off" ]
  }

  # Show what was added, changed and removed between two generations
  export extern "kb diff" [
    --stat                    # Show only the counts for each document
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb diff format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb diff color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb diff device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb diff serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    from: string              # The number of a generation, as `kb log` shows it
    to?: string               # The number of the other [default: the published one]
  ]

  def "nu-complete kb namespaces format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb namespaces color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb namespaces device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb namespaces serve" [] {
    [ "running" "auto" "off" ]
  }

  # List, rename or remove the namespaces of the store
  export extern "kb namespaces" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb namespaces format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb namespaces color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb namespaces device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb namespaces serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb namespaces rename format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb namespaces rename color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb namespaces rename device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb namespaces rename serve" [] {
    [ "running" "auto" "off" ]
  }

  # Rename a namespace
  export extern "kb namespaces rename" [
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb namespaces rename format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb namespaces rename color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb namespaces rename device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb namespaces rename serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    old: string               # Its name
    new: string               # Its new name, which must be free
  ]

  def "nu-complete kb namespaces remove format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb namespaces remove color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb namespaces remove device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb namespaces remove serve" [] {
    [ "running" "auto" "off" ]
  }

  # Remove a namespace and all documents in it; the files stay
  export extern "kb namespaces remove" [
    --yes(-y)                 # Skip the confirmation
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb namespaces remove format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb namespaces remove color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb namespaces remove device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb namespaces remove serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    name: string              # Its name
  ]

  def "nu-complete kb export format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb export color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb export device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb export serve" [] {
    [ "running" "auto" "off" ]
  }

  # Write a namespace with its history into one file
  export extern "kb export" [
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb export format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb export color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb export device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb export serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    file: path                # The file to write; it must not exist yet
  ]

  def "nu-complete kb import format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb import color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb import device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb import serve" [] {
    [ "running" "auto" "off" ]
  }

  # Check a file of `kb export` and import its namespace
  export extern "kb import" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb import format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb import color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb import device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb import serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    file: path                # A file that `kb export` wrote
  ]

  def "nu-complete kb check format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb check color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb check device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb check serve" [] {
    [ "running" "auto" "off" ]
  }

  # Verify and repair tables, vectors and the keyword index
  export extern "kb check" [
    --repair                  # Repair the damage, as one new generation
    --all-namespaces          # Check all namespaces of the store
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb check format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb check color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb check device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb check serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb optimize format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb optimize color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb optimize device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb optimize serve" [] {
    [ "running" "auto" "off" ]
  }

  # Merge small files and update the indexes now
  export extern "kb optimize" [
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb optimize format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb optimize color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb optimize device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb optimize serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb config format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb config color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb config device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb config serve" [] {
    [ "running" "auto" "off" ]
  }

  # List every setting with its value and its source
  export extern "kb config" [
    --set                     # Only settings that a file or a variable sets
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb config format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb config color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb config device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb config serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb trust format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb trust color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb trust device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb trust serve" [] {
    [ "running" "auto" "off" ]
  }

  # Trust the settings of a store
  export extern "kb trust" [
    --dry-run                 # Show what needs trust, without trusting it
    --revoke                  # Remove the trust in the store
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb trust format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb trust color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb trust device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb trust serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb reindex context" [] {
    [ "none" "headings" "llm" ]
  }

  def "nu-complete kb reindex format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb reindex color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb reindex device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb reindex serve" [] {
    [ "running" "auto" "off" ]
  }

  # Rebuild sections, contexts or vectors of stored documents
  export extern "kb reindex" [
    --structure               # Detect sections and cut them into parent chunks
    --chunks                  # Cut documents again if their chunks have other lengths than requested
    --context: string@"nu-complete kb reindex context" # Replace the context of parent chunks, which is embedded and indexed with them
    --vectors                 # Compute missing vectors, or all vectors if the model changes
    --model: string           # The new embedding model [default: the current one]
    --force                   # Also rebuild what is up to date
    --dry-run                 # Show what would be rebuilt
    --wait: string            # Wait this long while another kb writes to the namespace [default: 0]
    --parent-chars: string    # The maximum length of a parent chunk, in characters [default: 1000; existing documents keep theirs]
    --child-chars: string     # The maximum length of a child chunk, in characters [default: 300]
    --overlap-chars: string   # Characters before a child chunk that are embedded with it, for models that read each child alone [default: 100]
    --password: string        # The password of encrypted PDFs
    --file-timeout: string    # Give up on a file that takes longer to parse [default: 120, with OCR 3600]
    --page-timeout: string    # Skip a page that takes longer [default: 20, with OCR 120]
    --worker-memory: string   # Memory for reading a file, on top of four times its size [default: 900]
    --ocr-command: string     # The program that reads PDF pages without text: {} stands for the path of the page's PNG image, and it prints the text, for example 'tesseract {} stdout -l chi_sim+eng'
    --jobs: string            # Threads that read and embed [default: one per core]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb reindex format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb reindex color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb reindex device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb reindex serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...documents: string      # Only these documents: an id or its beginning, a path or its end, or a title
  ]

  def "nu-complete kb watch format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb watch color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb watch device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb watch serve" [] {
    [ "running" "auto" "off" ]
  }

  # Ingest files and folders when they change, until Ctrl-C
  export extern "kb watch" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb watch format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb watch color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb watch device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb watch serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    ...paths: path            # Files and folders
  ]

  def "nu-complete kb serve format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb serve color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb serve device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb serve serve" [] {
    [ "running" "auto" "off" ]
  }

  # Keep the store open and the model loaded, and answer commands of other processes that only read
  export extern "kb serve" [
    --idle: string            # Stop after this time without a command
    --stop                    # Stop the running server
    --background              # Leave the terminal of the command that starts it
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb serve format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb serve color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb serve device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb serve serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb mcp install" [] {
    [ "claude-code" "claude-desktop" "cursor" "vscode" ]
  }

  def "nu-complete kb mcp format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb mcp color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb mcp device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb mcp serve" [] {
    [ "running" "auto" "off" ]
  }

  # Serve agents over the Model Context Protocol, by standard input and output or HTTP
  export extern "kb mcp" [
    --allow-write             # Let the agent ingest files, and edit and delete chunks
    --root: path              # A folder from which files may be ingested; repeatable [default: the current folder]
    --http: string            # Serve on this port of this machine instead, until Ctrl-C; 0 selects a free port
    --install: string@"nu-complete kb mcp install" # Print the configuration that makes a client start this server
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb mcp format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb mcp color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb mcp device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb mcp serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb eval methods" [] {
    [ "auto" "hybrid" "semantic" "keyword" ]
  }

  def "nu-complete kb eval format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb eval color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb eval device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb eval serve" [] {
    [ "running" "auto" "off" ]
  }

  # Measure how well kb answers your own questions, or a set in the BEIR layout
  export extern "kb eval" [
    --questions: path         # Ask the questions in this file, with the documents and the kb.toml of the store
    --baseline: path          # Compare with an earlier run, as `--questions … --format json` wrote it
    --methods: string@"nu-complete kb eval methods" # The methods to measure
    --unanswerable            # Remove half of the answers from the corpus, and measure how well the confidence detects questions without an answer
    --min: string             # Exit with code 1 if a figure is lower; repeatable
    --rerank: directory       # Rerank the best: light, off, or a cross-encoder by its name or folder
    --rerank-budget: string   # How many candidates the cross-encoder reads and for how long: 50, 2s or 50,2s [default: 30,none]
    --model: string           # The embedding model [default: the built-in one]
    --jobs: string            # Threads that embed [default: one per core]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb eval format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb eval color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb eval device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb eval serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    folder?: path             # A folder with corpus.jsonl, queries.jsonl, and qrels.tsv or qrels/test.tsv
  ]

  def "nu-complete kb models format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb models color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb models device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb models serve" [] {
    [ "running" "auto" "off" ]
  }

  # List, add or remove models
  export extern "kb models" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb models format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb models color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb models device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb models serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb models suggest format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb models suggest color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb models suggest device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb models suggest serve" [] {
    [ "running" "auto" "off" ]
  }

  # Suggest two models that read the documents of the store, the smallest and the best
  export extern "kb models suggest" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb models suggest format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb models suggest color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb models suggest device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb models suggest serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb models add format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb models add color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb models add device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb models add serve" [] {
    [ "running" "auto" "off" ]
  }

  # Add a model, from the hub or from a folder
  export extern "kb models add" [
    --name: string            # Its name in kb [default: its own]
    --query-prefix: string    # The prefix of questions [default: the model's]
    --document-prefix: string # The prefix of parent chunks [default: the model's]
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb models add format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb models add color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb models add device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb models add serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    model: directory          # A name from `kb models`, OWNER/NAME on the hub, or a folder
  ]

  def "nu-complete kb models remove format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb models remove color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb models remove device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb models remove serve" [] {
    [ "running" "auto" "off" ]
  }

  # Remove an added model, or a partial download
  export extern "kb models remove" [
    --yes(-y)                 # Remove it even if the store has vectors of it
    --force                   # Remove it even if the store has vectors of it
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb models remove format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb models remove color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb models remove device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb models remove serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    name: string              # Its name
  ]

  def "nu-complete kb llm format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb llm color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb llm device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb llm serve" [] {
    [ "running" "auto" "off" ]
  }

  # Check the language model, or print its prompts
  export extern "kb llm" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb llm format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb llm color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb llm device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb llm serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb llm check format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb llm check color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb llm check device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb llm check serve" [] {
    [ "running" "auto" "off" ]
  }

  # Send one tiny request and report the answer
  export extern "kb llm check" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb llm check format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb llm check color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb llm check device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb llm check serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb llm prompt name" [] {
    [ "contexts" "profile" "expand-query" ]
  }

  def "nu-complete kb llm prompt format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb llm prompt color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb llm prompt device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb llm prompt serve" [] {
    [ "running" "auto" "off" ]
  }

  # Print a built-in prompt; .kb/prompts/NAME.md overrides it in a trusted store
  export extern "kb llm prompt" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb llm prompt format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb llm prompt color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb llm prompt device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb llm prompt serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    name: string@"nu-complete kb llm prompt name" # Which prompt
  ]

  def "nu-complete kb self-check format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb self-check color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb self-check device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb self-check serve" [] {
    [ "running" "auto" "off" ]
  }

  # Check that kb works on this machine
  export extern "kb self-check" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb self-check format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb self-check color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb self-check device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb self-check serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
  ]

  def "nu-complete kb schema format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb schema color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb schema device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb schema serve" [] {
    [ "running" "auto" "off" ]
  }

  # Print the JSON Schema of the `--format json` output of a command
  export extern "kb schema" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb schema format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb schema color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb schema device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb schema serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    command: string           # The command, such as search, docs or chunk-edit
  ]

  def "nu-complete kb completions shell" [] {
    [ "bash" "elvish" "fish" "nushell" "powershell" "zsh" ]
  }

  def "nu-complete kb completions format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb completions color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb completions device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb completions serve" [] {
    [ "running" "auto" "off" ]
  }

  # Print a shell completion script for commands, options, documents, sections, namespaces and models
  export extern "kb completions" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb completions format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb completions color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb completions device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb completions serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    shell: string@"nu-complete kb completions shell" # Which shell
  ]

  def "nu-complete kb man format" [] {
    [ "table" "markdown" "json" "jsonl" "paths" ]
  }

  def "nu-complete kb man color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete kb man device" [] {
    [ "cpu" "cuda" "tensorrt" "rocm" "migraphx" "coreml" "directml" "openvino" ]
  }

  def "nu-complete kb man serve" [] {
    [ "running" "auto" "off" ]
  }

  # Write the manual pages into a folder
  export extern "kb man" [
    --kb: path                # The store's folder, or s3://, gs:// or az:// with a bucket and a prefix [default: the nearest .kb/ upwards]
    --namespace(-n): string   # The namespace; some commands take several (`manuals,drafts`), `acme/*` or `all`
    --format: string@"nu-complete kb man format" # The output format [default: table on a terminal, markdown in a pipe]
    --null(-0)                # Print only paths or ids, each terminated by NUL, for `xargs -0`, and expect NUL in --files-from
    --quiet(-q)               # Print only results and errors
    --verbose(-v)             # Print the time of each stage, causes of errors, and files left alone
    --color: string@"nu-complete kb man color" # When to use colour
    --no-progress             # Hide the progress display
    --onnxruntime: path       # The ONNX Runtime library that runs models, or `off` for pure Rust [default: the one found]
    --device: string@"nu-complete kb man device" # The device that ONNX Runtime uses; `kb models` lists the available ones [default: cpu]
    --serve: string@"nu-complete kb man serve" # Whether to use `kb serve`: a running one, one started if necessary, or none [default: running]
    --help(-h)                # Print help; --help lists all options
    folder: directory         # The folder, created if it is missing
  ]

}

export use completions *
