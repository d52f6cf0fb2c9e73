//! `kb mcp`: the protocol over standard input and output, as a client speaks it.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::common::{Process, Sandbox, row, schema};

/// A client with its server.
struct Client {
    server: Process,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Client {
    fn start(sandbox: &Sandbox, flags: &[&str]) -> Self {
        Client::start_with(sandbox, flags, Stdio::null())
    }

    fn start_with(sandbox: &Sandbox, flags: &[&str], stderr: Stdio) -> Self {
        let mut command = sandbox.command(&[&["mcp"], flags].concat());
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let (input, output) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
        let mut client = Client { server: Process(server), input, output, number: 0 };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let greeting = client.ask("initialize", hello);
        assert_eq!(greeting["result"]["serverInfo"]["name"], "kb");
        client.send(r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
        client
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.ask_and_watch(method, parameters).0
    }

    /// The answer, and the notifications that came before it.
    fn ask_and_watch(&mut self, method: &str, parameters: Value) -> (Value, Vec<Value>) {
        self.number += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters });
        self.send(&request.to_string());
        let mut before = Vec::new();
        loop {
            let reply = self.next();
            if reply["id"] == self.number {
                return (reply, before);
            }
            before.push(reply);
        }
    }

    /// What the server sends next.
    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a call without waiting for its answer.
    fn send_call(&mut self, id: u64, call: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call }).to_string());
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].take()
    }

    /// The structured result of an answer.
    fn result(&mut self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments)["structuredContent"]["result"].take()
    }

    /// The text of an answer.
    fn text(&mut self, tool: &str, arguments: Value) -> String {
        self.call(tool, arguments)["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

/// A handbook with the procedure that an agent looks for.
fn handbook() -> Sandbox {
    Sandbox::prepared("mcp::handbook", |sandbox| {
        sandbox.write(
            "handbook.md",
            "# Operations handbook\n\n## 1 General\n\nKeep the hall dry.\n\n## 2 TDO safety procedure\n\nWear gloves. Lock \
             the breaker before the TDO is opened.\n\n### 2.1 After an alarm\n\nWait ten minutes.\n",
        );
        sandbox.write("手册.md", "# 泵站手册\n\n## 安全\n\n启动前先关闭阀门。\n");
        sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    })
}

#[test]
fn the_safety_procedure_is_found_in_two_calls_by_contents_and_in_one_by_search() {
    let sandbox = handbook();
    let mut client = Client::start(&sandbox, &[]);
    let contents = client.text("kb_get_toc", json!({ "document": "handbook" }));
    assert!(contents.contains("TDO safety procedure"), "{contents}");
    let section =
        client.text("kb_get_section", json!({ "document": "handbook", "sections": ["TDO safety procedure"] }));
    assert!(section.contains("Lock the breaker") && section.contains("Wait ten minutes"), "{section}");
    let found = client.call("kb_search", json!({ "query": "the TDO safety procedure" }));
    assert!(found["content"][0]["text"].as_str().unwrap().contains("Lock the breaker"), "{found}");
    let hit = &found["structuredContent"]["result"]["hits"][0];
    assert!(hit["confidence"].as_f64().unwrap() > 0.3 && hit["section"]["title"] == "2 TDO safety procedure", "{hit}");
    assert!(client.text("kb_search", json!({ "query": "启动前要关闭什么" })).contains("关闭阀门"));
}

#[test]
fn answers_have_the_shape_that_their_tool_promises() {
    let sandbox = handbook();
    let mut client = Client::start(&sandbox, &["--allow-write"]);
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].take();
    let chunk = sandbox.items(&["chunks-list", "--type", "parent"])[0]["chunk_id"].clone();
    for (name, arguments) in [
        ("kb_search", json!({ "query": "breaker", "mode": "section", "limit": 2, "min_confidence": 0.0 })),
        ("kb_search", json!({ "query": "unheard-of words" })),
        ("kb_context", json!({ "query": "breaker", "max_tokens": 200 })),
        ("kb_get_toc", json!({})),
        ("kb_get_toc", json!({ "document": "handbook", "max_level": 1 })),
        ("kb_get_section", json!({ "document": "handbook", "sections": ["1"] })),
        ("kb_list_documents", json!({ "filter": "source = handbook.md" })),
        ("kb_list_chunks", json!({ "document": "handbook" })),
        ("kb_status", json!({})),
        ("kb_ingest", json!({ "paths": ["handbook.md"], "no_embed": true })),
        ("kb_edit_chunk", json!({ "chunk_id": chunk, "content": "Other words." })),
        ("kb_delete_chunks", json!({ "chunk_ids": [chunk] })),
    ] {
        let tool = row(&tools, "name", name);
        let answer = client.call(name, arguments.clone());
        assert_eq!(answer["isError"], false, "{name} {arguments}: {answer}");
        let mut promised = tool["outputSchema"].clone();
        let definitions = promised["$defs"].take();
        promised.as_object_mut().unwrap().remove("$defs");
        schema::check(&promised, &answer["structuredContent"], &definitions, name).unwrap();
        let writes = ["kb_ingest", "kb_edit_chunk", "kb_delete_chunks"].contains(&name);
        assert_eq!(tool["annotations"]["readOnlyHint"], !writes, "{name}");
    }
    assert!(client.text("kb_search", json!({ "query": "unheard-of words" })).contains("nothing found"));
}

#[test]
fn a_wrong_name_or_limit_is_an_error_nothing_found_is_none_and_both_name_tools_and_arguments() {
    let sandbox = handbook();
    let mut client = Client::start(&sandbox, &["--allow-write"]);
    for (name, arguments, is_error, tells) in [
        ("kb_search", json!({ "query": "breaker", "documents": ["handbok.md"] }), true, "handbook.md"),
        ("kb_search", json!({ "query": "breaker", "documents": ["nowhere"] }), true, "kb_list_documents"),
        ("kb_search", json!({ "query": "breaker", "namespace": "defalt" }), true, "did you mean default"),
        ("kb_get_toc", json!({ "document": "handbok.md" }), true, "handbook.md"),
        ("kb_get_section", json!({ "document": "handbook", "sections": ["nowhere"] }), true, "kb_get_toc"),
        ("kb_list_chunks", json!({ "document": "handbook", "section": "9" }), true, "kb_get_toc"),
        ("kb_list_documents", json!({ "filter": "source ~" }), true, "filter"),
        ("kb_edit_chunk", json!({ "chunk_id": "x:1", "content": "y" }), true, "kb_list_chunks"),
        ("kb_delete_chunks", json!({ "chunk_ids": ["x:1"] }), true, "kb_list_chunks"),
        ("kb_context", json!({ "query": "breaker", "max_tokens": 5 }), true, "raise max_tokens"),
        ("kb_get_section", json!({ "document": "handbook", "sections": ["2"], "max_tokens": 5 }), true, "max_tokens"),
        ("kb_search", json!({ "query": "wages of gloves makers in Versailles" }), false, "min_confidence 0"),
        ("kb_search", json!({ "query": "breaker", "filter": "page > 900" }), false, "kb_list_documents"),
        ("kb_list_documents", json!({ "filter": "title = nothing" }), false, "kb_list_documents"),
    ] {
        let answer = client.call(name, arguments);
        let text = answer["content"][0]["text"].as_str().unwrap();
        assert!(answer["isError"] == is_error && text.contains(tells), "{name}: {answer}");
        assert!(!text.contains("--") && !text.contains("`kb "), "{name}: {text}");
        assert!(is_error || answer["structuredContent"]["found"] == false, "{name}: {answer}");
    }
}

#[test]
fn an_agent_pays_for_no_account_of_how_something_was_found() {
    let sandbox = handbook();
    let mut client = Client::start(&sandbox, &[]);
    let found = client.result("kb_search", json!({ "query": "breaker" }));
    let hit = &found["hits"][0];
    assert!(found["timings_ms"].is_null() && found["understood"].is_null() && hit["snippet"].is_null(), "{found}");
    assert!(hit["content"].is_string() && hit["chunk_id"].is_string() && hit["metadata"].is_object(), "{found}");
    let built = client.result("kb_context", json!({ "query": "breaker" }));
    let passage = &built["items"][0]["parent_chunks"][0];
    assert!(built["text"].to_string().contains("Lock the breaker") && passage["content"].is_null(), "{built}");
    assert!(passage["section"]["id"].is_string() && built["confidence"].as_f64().unwrap() > 0.3, "{built}");
    let contents = client.result("kb_get_toc", json!({ "document": "handbook" }));
    let entry = &contents["entries"][0];
    assert!(entry["section_id"].is_string() && entry["children"][1]["title"] == "2 TDO safety procedure", "{entry}");
    assert!(entry["provenance"].is_null() && entry["chunk_first"].is_null(), "{entry}");
    let listed = client.result("kb_list_documents", json!({}));
    let document = &listed["items"][0];
    assert!(document["content_hash"].is_null() && document["profile"]["topics"].is_array(), "{document}");
}

#[test]
fn a_long_table_of_contents_comes_in_parts() {
    let sandbox = Sandbox::new();
    let text: String = (1..=130).map(|number| format!("# Valve {number}\n\nTurn it {number} times.\n\n")).collect();
    sandbox.write("valves.md", text);
    sandbox.kb(&["ingest", ".", "--no-embed"]).ok();
    let mut client = Client::start(&sandbox, &[]);
    let mut part = |cursor: Value| {
        let mut answer = client.call("kb_get_toc", json!({ "document": "valves", "cursor": cursor }));
        let content = answer["structuredContent"].take();
        let entries = content["result"]["entries"].as_array().unwrap().clone();
        (entries.len(), entries[0]["title"].clone(), content["next_cursor"].clone())
    };
    assert_eq!(part(Value::Null), (100, json!("Valve 1"), json!("100")));
    assert_eq!(part(json!("100")), (30, json!("Valve 101"), Value::Null));
}

#[test]
fn without_permission_nothing_is_written_and_with_it_only_files_below_the_root() {
    let sandbox = handbook();
    let mut reader = Client::start(&sandbox, &[]);
    let refused =
        reader.ask("tools/call", json!({ "name": "kb_delete_chunks", "arguments": { "chunk_ids": ["x:1"] } }));
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("no tool") && message.contains("the tools are kb_search, kb_context"), "{refused}");
    sandbox.write("in/a.md", "# New\n\nA new valve.");
    sandbox.write("out.md", "# Secret\n\nA secret valve.");
    let mut writer = Client::start(&sandbox, &["--allow-write", "--root", "in"]);
    for outside in ["../out.md", "/etc/passwd"] {
        let answer = writer.call("kb_ingest", json!({ "paths": [outside] }));
        assert!(answer["isError"] == true && answer.to_string().contains("only from there"), "{answer}");
    }
    assert_eq!(writer.call("kb_ingest", json!({ "paths": ["a.md"], "no_embed": true }))["isError"], false);
    assert!(writer.text("kb_search", json!({ "query": "new valve" })).contains("A new valve"));
    assert!(reader.text("kb_search", json!({ "query": "new valve" })).contains("A new valve"), "others follow");
}

#[test]
fn an_ingest_tells_its_progress_to_a_client_that_asks_for_it() {
    let sandbox = handbook();
    sandbox.write("new.md", "# New\n\nA new valve.");
    let mut client = Client::start(&sandbox, &["--allow-write"]);
    let mut steps = |meta: Value| {
        let arguments = json!({ "paths": ["new.md"], "no_embed": true });
        let call = json!({ "name": "kb_ingest", "arguments": arguments, "_meta": meta });
        let (reply, before) = client.ask_and_watch("tools/call", call);
        assert_eq!(reply["result"]["isError"], false, "{reply}");
        before
    };
    let told = steps(json!({ "progressToken": "seven" }));
    assert_eq!(told.first().map(|step| &step["method"]), Some(&json!("notifications/progress")), "{told:?}");
    assert!(told[0]["params"]["progressToken"] == "seven" && told[0]["params"]["progress"] == 0.0, "{told:?}");
    assert!(told[0]["params"]["message"].as_str().unwrap().starts_with("0/1 files read"), "{told:?}");
    assert!(steps(json!({})).is_empty(), "nobody asked");
    let wrong = json!({ "name": "kb_ingest", "arguments": { "paths": ["none.md"] }, "_meta": { "progressToken": 8 } });
    let (reply, _) = client.ask_and_watch("tools/call", wrong);
    assert!(reply["result"]["content"][0]["text"].to_string().contains("none.md"), "{reply}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_ingest_is_answered_while_threads_still_read() {
    use std::time::{Duration, Instant};
    let sandbox = Sandbox::with_scan("touch reading; sleep 600");
    sandbox.write("a.md", "# Valves\n\nClose them slowly.");
    sandbox.kb(&["ingest", "a.md", "--no-embed"]).ok();
    sandbox.configure("[ingest]\njobs = 2\npage_timeout = 600\nfile_timeout = 600\nocr_command = \"sh ocr.sh\"\n");
    // Another writer has the namespace that the first document that is read would create.
    sandbox.write(".kb/namespaces/new/lock", "");
    let _lock = sandbox.locked("new");
    let mut client = Client::start(&sandbox, &["--allow-write"]);
    let begun = Instant::now();
    for meta in [json!({}), json!({ "progressToken": 7 })] {
        let arguments = json!({ "paths": ["scan.pdf", "a.md"], "no_embed": true, "namespace": "new" });
        let call = json!({ "name": "kb_ingest", "arguments": arguments, "_meta": meta });
        let reply = client.ask("tools/call", call);
        assert!(reply["result"]["isError"] == true && reply.to_string().contains("is being written"), "{reply}");
    }
    crate::common::wait_until("the scan is read", || sandbox.path("reading").exists());
    assert!(begun.elapsed() < Duration::from_secs(300), "it waited for the scan");
}

#[test]
fn an_agent_is_told_each_time_that_the_model_cannot_read_its_question() {
    let sandbox = Sandbox::with_fixtures();
    let mut client = Client::start(&sandbox, &[]);
    for tool in ["kb_search", "kb_context", "kb_search"] {
        let answer = client.call(tool, json!({ "query": "如何启动水泵" }));
        assert!(answer["structuredContent"]["messages"].to_string().contains("cannot read this question"), "{answer}");
        assert!(answer["content"][0]["text"].as_str().unwrap().contains("cannot read this question"), "{answer}");
    }
}

#[test]
fn documents_are_resources_and_their_names_are_completed() {
    let sandbox = handbook();
    let mut client = Client::start(&sandbox, &[]);
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].take();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    let handbook = &row(&listed, "name", "handbook.md")["uri"];
    let read = client.ask("resources/read", json!({ "uri": handbook }))["result"]["contents"][0].take();
    assert!(read["text"].as_str().unwrap().contains("Lock the breaker"), "{read}");
    let completion = client.ask(
        "completion/complete",
        json!({ "ref": { "type": "ref/resource", "uri": "kb://{namespace}/{document}" }, "argument": { "name": "document", "value": "hand" } }),
    );
    assert_eq!(completion["result"]["completion"]["values"], json!(["handbook.md"]));
    for bad in ["kb://default/none", "file:///etc/passwd", "kb://", "kb:///../x"] {
        assert!(client.ask("resources/read", json!({ "uri": bad }))["error"].is_object(), "{bad}");
    }
    let missing = client.ask("resources/read", json!({ "uri": "kb://default/docs/none.md" }));
    assert!(missing["error"]["message"].as_str().unwrap().contains("no document \"docs/none.md\""), "{missing}");
}

#[test]
fn documents_of_other_namespaces_are_completed_listed_and_read() {
    let sandbox = handbook();
    sandbox.write("in/草稿.md", "# Draft\n\nA new valve.");
    assert_eq!(sandbox.kb(&["ingest", "in", "--no-embed", "-n", "acme/drafts"]).code, 0);
    let mut client = Client::start(&sandbox, &[]);
    let mut complete = |name: &str, context: Value| {
        let reference = json!({ "type": "ref/resource", "uri": "kb://{namespace}/{document}" });
        let asked = json!({ "ref": reference, "argument": { "name": name, "value": "" }, "context": context });
        client.ask("completion/complete", asked)["result"]["completion"]["values"].take()
    };
    assert_eq!(complete("namespace", json!({})), json!(["acme/drafts", "default"]));
    let filled_in = json!({ "arguments": { "namespace": "acme/drafts" } });
    assert_eq!(complete("document", filled_in), json!(["in/草稿.md"]));
    let empty = json!({ "arguments": { "namespace": "" } });
    assert_eq!(complete("document", empty).as_array().map(Vec::len), Some(2), "of the namespace of the server");
    // A client puts names into the template as it likes.
    for uri in ["kb://acme/drafts/in/草稿.md", "kb://acme%2Fdrafts/in%2F%E8%8D%89%E7%A8%BF.md"] {
        let read = client.ask("resources/read", json!({ "uri": uri }));
        assert!(read["result"]["contents"][0]["text"].to_string().contains("new valve"), "{read}");
    }
    let unknown = client.ask("resources/read", json!({ "uri": "kb://acme/draughts/in/草稿.md" }));
    assert!(unknown["error"]["message"].to_string().contains("acme"), "{unknown}");
    let mut client = Client::start(&sandbox, &["-n", "all"]);
    let listed = client.ask("resources/list", json!({}))["result"]["resources"].take();
    for namespace in ["kb://default/", "kb://acme/drafts/"] {
        let of_it = listed.as_array().unwrap().iter().find(|one| one["uri"].as_str().unwrap().starts_with(namespace));
        let read = client.ask("resources/read", json!({ "uri": of_it.unwrap()["uri"] }));
        assert!(read["result"]["contents"][0]["text"].is_string(), "{read}");
    }
}

#[test]
fn nonsense_is_answered_and_stops_nothing() {
    let sandbox = handbook();
    let mut client = Client::start(&sandbox, &["--allow-write"]);
    let long = "valve ".repeat(50_000);
    let odd = json!([null, 7, -1, 1e300, [], {}, ["x", 1]]);
    let texts = ["", "--help", "\u{0}\u{1b}[2J", "../../etc/passwd", &long, "\u{202e}آب", "'; DROP TABLE", "all", "0"];
    let values = [odd.as_array().unwrap().clone(), texts.map(Value::from).to_vec()].concat();
    let fields = "query document documents sections filter limit cursor namespace paths chunk_id chunk_ids content mode \
                  max_tokens";
    let fields: Vec<&str> = fields.split(' ').collect();
    let tools = "search context get_toc get_section list_documents list_chunks status ingest edit_chunk delete_chunks";
    let tools: Vec<String> = tools.split(' ').map(|name| format!("kb_{name}")).collect();
    let mut random = fastrand::Rng::with_seed(20);
    for _ in 0..150 {
        let mut arguments = json!({});
        for _ in 0..random.usize(0..4) {
            arguments[fields[random.usize(0..fields.len())]] = values[random.usize(0..values.len())].clone();
        }
        let tool = &tools[random.usize(0..tools.len())];
        let reply = client.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        let is_answer = reply["result"]["isError"].is_boolean() && reply["result"]["content"][0]["text"].is_string();
        assert!(is_answer || reply["error"]["code"].is_i64(), "{tool} {arguments}: {reply}");
    }
    for (method, parameters) in
        [("tools/call", json!({})), ("nothing/at/all", json!({})), ("tools/call", json!({ "name": "kb_shell" }))]
    {
        assert!(client.ask(method, parameters)["error"].is_object(), "{method}");
    }
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    let half = r#"{"name": "kb_search", "arguments": {"query": "valve \ud83d"}}"#;
    client.send(&format!(r#"{{"jsonrpc": "2.0", "id": "half", "method": "tools/call", "params": {half}}}"#));
    let reply = client.next();
    assert!(reply["id"] == "half" && reply["result"]["content"][0]["text"].is_string(), "{reply}");
    drop(client);
    assert_eq!(sandbox.json(&["check"])["sound"], true);
}

/// Writes documents that take a while to ingest, into `large`.
fn write_large(sandbox: &Sandbox) {
    for number in 0..400 {
        let text = format!("# Part {number}\n\n{}", "The gauge of this pump shows some number of bar. ".repeat(60));
        sandbox.write(&format!("large/{number}.md"), text);
    }
}

#[test]
fn searches_are_answered_during_an_ingest_and_a_second_ingest_waits() {
    let sandbox = handbook();
    write_large(&sandbox);
    let mut client = Client::start(&sandbox, &["--allow-write"]);
    for (id, path) in [(900, "large"), (901, "handbook.md")] {
        let arguments = json!({ "paths": [path], "no_embed": true });
        client.send_call(id, &json!({ "name": "kb_ingest", "arguments": arguments, "_meta": { "progressToken": id } }));
        // Calls that are sent at once have no order.
        if id == 900 {
            assert_eq!(client.next()["method"], "notifications/progress");
        }
    }
    let search = json!({ "name": "kb_search", "arguments": { "query": "lock the breaker" } });
    let (found, before) = client.ask_and_watch("tools/call", search);
    assert!(found["result"]["content"][0]["text"].to_string().contains("Lock the breaker"), "{found}");
    assert!(before.iter().all(|one| one["method"] == "notifications/progress"), "it waited: {before:?}");
    let mut ended = Vec::new();
    while ended.len() < 2 {
        let reply = client.next();
        if reply["id"].is_u64() {
            assert_eq!(reply["result"]["isError"], false, "{reply}");
            ended.push(reply["id"].clone());
        }
    }
    assert_eq!(ended, [900, 901]);
}

#[test]
fn a_cancelled_call_ends_and_the_next_one_has_its_turn() {
    let sandbox = handbook();
    write_large(&sandbox);
    let mut client = Client::start(&sandbox, &["--allow-write"]);
    client.send_call(900, &json!({ "name": "kb_ingest", "arguments": { "paths": ["large"] } }));
    std::thread::sleep(std::time::Duration::from_millis(1500));
    client.send(r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 900}}"#);
    let begun = std::time::Instant::now();
    assert!(client.text("kb_status", json!({})).contains("documents"));
    assert!(begun.elapsed() < std::time::Duration::from_secs(30), "it waited for the whole ingest");
    drop(client);
    // The server may have been killed in a publication, which the next writer finishes or drops.
    sandbox.json(&["ingest", "large/0.md", "--no-embed"]);
    assert_eq!(sandbox.json(&["check"])["sound"], true);
}

#[test]
fn a_client_gets_a_configuration_that_starts_the_server() {
    let sandbox = handbook();
    let run = sandbox.kb(&["mcp", "--install", "claude-code", "--allow-write"]).tells(0, ".mcp.json");
    let configuration = run.json();
    let arguments = configuration["mcpServers"]["kb"]["args"].as_array().unwrap();
    let arguments: Vec<&str> = arguments.iter().map(|argument| argument.as_str().unwrap()).collect();
    let elsewhere = Sandbox::new();
    let mut client = Client::start(&elsewhere, &arguments[1..]);
    assert!(client.text("kb_status", json!({})).contains("documents: 2"));
    assert_eq!(elsewhere.kb(&["mcp", "--install", "cursor"]).code, 3, "there is no store");
}

#[cfg(unix)]
#[test]
fn ctrl_c_between_two_ingests_speaks_of_none() {
    use std::io::Read;
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "Close the valve slowly.");
    let mut client = Client::start_with(&sandbox, &["--allow-write"], Stdio::piped());
    assert_eq!(client.call("kb_ingest", json!({ "paths": ["a.md"], "no_embed": true }))["isError"], false);
    crate::common::interrupt(&client.server.0);
    assert_eq!(client.server.0.wait().unwrap().code(), Some(130));
    let mut told = String::new();
    client.server.0.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(!told.contains("interrupted"), "{told}");
}

#[test]
fn an_agent_calls_again_later_while_another_process_writes() {
    let sandbox = handbook();
    let chunk = sandbox.items(&["chunks-list", "--type", "parent"])[0]["chunk_id"].clone();
    let mut client = Client::start(&sandbox, &["--allow-write"]);
    let lock = sandbox.locked("default");
    let edit = json!({ "chunk_id": chunk, "content": "Other words." });
    let answer = client.call("kb_edit_chunk", edit.clone());
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(answer["isError"] == true && text.contains("is being written by"), "{text}");
    assert!(text.contains("try again later") && !text.contains("SECONDS"), "{text}");
    drop(lock);
    assert_eq!(client.call("kb_edit_chunk", edit)["isError"], false);
}
