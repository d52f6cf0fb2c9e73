//! Models from a hub: complete, resumed, checked; and the faults of hubs and connections.

use std::collections::BTreeMap;

use serde_json::json;

use super::hub::{Hub, REVISION, Reply, Request, files};
use super::{everything, here};
use crate::common::{Run, Sandbox, fixtures};

/// Nothing listens at port 1.
const NOWHERE: &str = "http://127.0.0.1:1";

/// The embedding model in a hub's layout.
fn tiny() -> BTreeMap<String, Vec<u8>> {
    files(&fixtures().join("embedding"), "onnx/")
}

/// The reranking model.
fn reranker() -> BTreeMap<String, Vec<u8>> {
    files(&fixtures().join("rerank"), "onnx/")
}

fn well(_request: &Request) -> Reply {
    Reply::Well
}

/// Runs kb with a hub and more variables.
fn with_hub(sandbox: &Sandbox, endpoint: &str, args: &[&str], environment: &[(&str, &str)]) -> Run {
    sandbox.kb_with(&[&[("HF_ENDPOINT", endpoint)][..], environment].concat(), args)
}

fn add(sandbox: &Sandbox, hub: &Hub) -> Run {
    with_hub(sandbox, &hub.endpoint(), &["models", "add", "ours/tiny"], &[])
}

/// A hub that answers like this where it is asked for a file.
fn hub_with(file: &'static str, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Hub {
    Hub::with("ours/tiny", tiny(), move |request| match request.target.ends_with(file) {
        true => answer(request),
        false => Reply::Well,
    })
}

/// Adds a model whose graph the hub answers like this; it is refused with these words.
#[track_caller]
fn refused(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static, words: &[&str]) {
    let sandbox = Sandbox::new();
    add(&sandbox, &hub_with("model.onnx", answer)).refuses(3, "error: ").tells_all(3, words);
    assert!(!sandbox.path("models/tiny").exists());
}

#[test]
fn a_model_of_the_catalogue_is_downloaded_checked_and_added() {
    let sandbox = Sandbox::new();
    let hub = Hub::with("BAAI/bge-reranker-base", reranker(), well);
    let run =
        with_hub(&sandbox, &hub.endpoint(), &["models", "add", "bge-reranker-base", "--format", "json"], &[]).ok();
    let added = run.json();
    assert_eq!((&added["model"]["name"], &added["model"]["licence"]), (&"bge-reranker-base".into(), &"MIT".into()));
    let from = added["model"]["from"].as_str().unwrap();
    assert!(from.ends_with(&format!("BAAI/bge-reranker-base@{REVISION}")), "{from}");
    assert_eq!(everything(&sandbox), ["bge-reranker-base"], "nothing is left of the download");
    let asked = hub.requests();
    assert!(asked.iter().skip(1).all(|request| request.target.contains(REVISION)), "all at one commit: {asked:?}");
    assert!(run.err.contains("downloading bge-reranker-base, "), "{}", run.err);
    // Under any of its names it is installed now, and the hub gets no request.
    with_hub(&sandbox, NOWHERE, &["models", "add", "BAAI/bge-reranker-base"], &[]).shows(0, "is already installed");
}

#[test]
fn a_model_of_another_owner_or_with_other_prefixes_is_added_separately() {
    let sandbox = Sandbox::new();
    let hub = Hub::with("ours/tiny", tiny(), well);
    assert_eq!(add(&sandbox, &hub).code, 0);
    let offline = |args: &[&str]| with_hub(&sandbox, NOWHERE, &[&["models", "add"], args].concat(), &[]);
    offline(&["ours/tiny"]).shows(0, "is already installed");
    for args in [&["theirs/tiny"][..], &["ours/tiny", "--query-prefix", "q: "], &["ours/tiny", "--document-prefix", ""]]
    {
        offline(args).refuses(2, "a model tiny already exists").tells(2, "--name NAME");
    }
    // The same holds for a model that only has a name of the catalogue.
    let hub = Hub::with("theirs/bge-m3", tiny(), well);
    assert_eq!(with_hub(&sandbox, &hub.endpoint(), &["models", "add", "theirs/bge-m3"], &[]).code, 0);
    offline(&["bge-m3"]).tells(2, "a model bge-m3 already exists");
    // The owner of a model from a folder is unknown, but its name may be in the catalogue.
    super::copy_model(&sandbox.path("mine"));
    for (name, code) in [("bge-base-en-v1.5", 0), ("theirs/mine", 2)] {
        let own = name.rsplit('/').next().unwrap();
        sandbox.kb(&["models", "add", "./mine", "--name", own, "--document-prefix", "p: "]).ok();
        assert_eq!(offline(&[name]).code, code, "{name}");
    }
}

#[test]
fn any_model_with_an_onnx_file_can_be_named_by_its_owner() {
    let sandbox = Sandbox::new();
    let mut there = tiny();
    let outside = fixtures().join("embedding/external");
    there.insert("onnx/model.onnx".to_owned(), std::fs::read(outside.join("model.onnx")).unwrap());
    there.insert("onnx/model.onnx_data".to_owned(), std::fs::read(outside.join("model.onnx_data")).unwrap());
    there.insert("pytorch_model.bin".to_owned(), b"a pickle".to_vec());
    let hub = Hub::with("ours/tiny", there, |request| {
        // As the real hub does with large files.
        match request.target.contains(".onnx") && !request.target.starts_with("/cdn") {
            true => Reply::Redirect(format!("/cdn{}", request.target)),
            false => Reply::Well,
        }
    });
    let run = add(&sandbox, &hub).ok();
    assert!(run.out.contains("\"query: \" for questions"), "{}", run.out);
    assert_eq!(here(&sandbox), ["tiny"]);
    let asked: Vec<String> = hub.requests().into_iter().map(|request| request.target).collect();
    assert!(asked.iter().any(|target| target.ends_with("model.onnx_data")), "{asked:?}");
    assert!(!asked.iter().any(|target| target.contains("pytorch")), "{asked:?}");
    assert!(!std::path::Path::new("/tmp/kb-evil").exists());
}

#[test]
fn an_interrupted_download_continues_where_it_stopped() {
    let sandbox = Sandbox::new();
    let hub = hub_with("model.onnx", |request| match request.repeated {
        ..2 => Reply::BreakAfter(1000),
        _ => Reply::Well,
    });
    assert_eq!(add(&sandbox, &hub).code, 0);
    let expected = [None, Some("bytes=1000-"), Some("bytes=2000-")];
    assert_eq!(hub.ranges("model.onnx"), expected.map(|range| range.map(str::to_owned)));
    assert_eq!(everything(&sandbox), ["tiny"]);
}

#[test]
fn the_next_run_keeps_complete_files() {
    let sandbox = Sandbox::new();
    let hub = hub_with("tokenizer.json", |request| match request.repeated {
        0 => Reply::BreakAfter(100),
        1..4 => Reply::BreakAfter(0),
        _ => Reply::Well,
    });
    add(&sandbox, &hub)
        .refuses(3, "error: ")
        .tells_all(3, &["tokenizer.json", "broke off", "run the command again"])
        .lacks("trying the model");
    assert!(here(&sandbox).is_empty());
    add(&sandbox, &hub).tells(0, "trying the model");
    assert_eq!(hub.ranges("model.onnx").len(), 1, "the graph was there");
    assert_eq!(hub.ranges("tokenizer.json").last().unwrap().as_deref(), Some("bytes=100-"));
}

#[test]
fn an_unfinished_download_can_be_removed_by_one_process_at_a_time() {
    let sandbox = Sandbox::new();
    let hub = hub_with("tokenizer.json", |_| Reply::Status(404, &[], String::new()));
    assert_eq!(add(&sandbox, &hub).code, 3);
    // As a process that is downloading holds it.
    let lock = std::fs::File::open(sandbox.path("models/.lock")).unwrap();
    lock.try_lock().unwrap();
    let busy = "another kb is adding or removing a model in";
    for args in [&["models", "remove", "tiny"][..], &["models", "remove", "tiny", "--yes"]] {
        sandbox.kb(args).refuses(3, busy).tells(3, "wait until it is done");
    }
    add(&sandbox, &hub).refuses(3, busy);
    super::copy_model(&sandbox.path("mine"));
    sandbox.kb(&["models", "add", "mine"]).refuses(3, busy);
    assert_eq!(everything(&sandbox), [".downloading-tiny"]);
    drop(lock);
    assert_eq!(sandbox.json(&["models", "remove", "tiny"])["name"], "tiny");
    assert!(everything(&sandbox).is_empty());
    for name in ["tiny", "../tiny"] {
        sandbox.kb(&["models", "remove", name]).refuses(2, "error: ");
    }
}

#[test]
fn a_damaged_rest_of_an_earlier_run_is_downloaded_again() {
    let sandbox = Sandbox::new();
    let hub = Hub::with("ours/tiny", tiny(), well);
    let place = format!("models/.downloading-tiny/{REVISION}/onnx");
    sandbox.write(&format!("{place}/model.onnx.part"), [7; 500]);
    sandbox
        .write("models/.downloading-tiny/ffffffffffffffffffffffffffffffffffffffff/config.json", "of another revision");
    assert_eq!(add(&sandbox, &hub).code, 0);
    assert_eq!(hub.ranges("model.onnx"), [Some("bytes=500-".to_owned()), None]);
    assert_eq!(everything(&sandbox), ["tiny"]);
}

#[test]
fn a_hub_without_ranges_sends_the_whole_file() {
    let sandbox = Sandbox::new();
    let hub = hub_with("model.onnx", |request| match request.repeated {
        0 => Reply::BreakAfter(1000),
        _ => Reply::Whole,
    });
    assert_eq!(add(&sandbox, &hub).code, 0);
    assert_eq!(hub.ranges("model.onnx").len(), 2);
}

#[test]
fn a_file_that_differs_from_the_listing_is_refused() {
    let length = tiny()["onnx/model.onnx"].len();
    refused(move |_| Reply::Bytes(vec![0; length]), &["another hash", "nothing was added"]);
    let shorter = format!("{} bytes instead of the listed {length}", length - 1);
    refused(move |_| Reply::Bytes(vec![0; length - 1]), &[&shorter]);
    refused(move |_| Reply::Bytes(vec![0; length * 100]), &["sent something other than onnx/model.onnx"]);
    // It breaks off, or the next attempt has another hash.
    refused(move |_| Reply::Promise(length, vec![0; length - 10]), &["onnx/model.onnx"]);
}

#[test]
fn a_mirror_without_sizes_and_hashes_works() {
    let sandbox = Sandbox::new();
    let bare = |mut listing: serde_json::Value| {
        listing["sha"] = json!("../../../evil");
        for sibling in listing["siblings"].as_array_mut().unwrap() {
            *sibling = json!({ "rfilename": sibling["rfilename"] });
        }
        listing
    };
    let hub = Hub::listed("ours/tiny", tiny(), bare, well);
    add(&sandbox, &hub).ok();
    assert!(hub.requests().iter().skip(1).all(|request| request.target.contains("/resolve/main/")));
    assert_eq!(everything(&sandbox), ["tiny"]);
}

#[test]
fn refusals_name_the_next_step() {
    for (status, headers, says) in [
        (401, &[][..], "put your token into HF_TOKEN"),
        (403, &[("x-error-message", "Access to model is restricted")][..], "Access to model is restricted"),
        (404, &[][..], "check the name"),
        (429, &[("Retry-After", "17")][..], "run the command again in 17 s"),
        (500, &[][..], "HTTP 500"),
    ] {
        let sandbox = Sandbox::new();
        let hub = Hub::with("ours/tiny", tiny(), move |_| Reply::Status(status, headers, "no".to_owned()));
        add(&sandbox, &hub).refuses(3, says).tells(3, &format!("HTTP {status}"));
        assert!(!sandbox.path("models/tiny").exists());
        refused(move |_| Reply::Status(status, headers, String::new()), &[says]);
    }
    let first_busy = |request: &Request| match request.repeated {
        0 => Reply::Status(503, &[], String::new()),
        _ => Reply::Redirect("/".to_owned()),
    };
    refused(first_busy, &["HTTP 404"]);
}

#[test]
fn redirect_loops_and_other_servers_are_reported() {
    refused(|_| Reply::Redirect("/ours/tiny/resolve/x/onnx/model.onnx".to_owned()), &["circles"]);
    let page = |_: &Request| Reply::Status(200, &[], "<html>please log in</html>".to_owned());
    let hub = Hub::with("ours/tiny", tiny(), page);
    add(&Sandbox::new(), &hub).refuses(3, "does not answer like a hub").tells(3, "proxy");
}

#[test]
fn a_repository_without_needed_files_is_refused() {
    for (missing, says) in [
        (
            "onnx/model.onnx",
            "it has no ONNX file such as onnx/model.onnx; `kb models` lists models that can be downloaded; `optimum-cli export onnx --model ours/tiny OUT`",
        ),
        ("tokenizer.json", "it has no tokenizer.json"),
    ] {
        let sandbox = Sandbox::new();
        let mut there = tiny();
        there.remove(missing);
        let hub = Hub::with("ours/tiny", there, well);
        add(&sandbox, &hub).tells(3, says);
        assert_eq!(hub.requests().len(), 1, "nothing was downloaded");
    }
    // A known name with the files of another model.
    let sandbox = Sandbox::new();
    let hub = Hub::with("intfloat/multilingual-e5-small", tiny(), well);
    with_hub(&sandbox, &hub.endpoint(), &["models", "add", "multilingual-e5-small"], &[])
        .tells(3, "vectors of 12 numbers instead of 384");
    assert!(here(&sandbox).is_empty());
}

#[test]
fn without_a_network_the_command_says_so_and_ends_with_3() {
    let sandbox = Sandbox::new();
    let add = |endpoint: &str, name: &str, environment: &[(&str, &str)]| {
        with_hub(&sandbox, endpoint, &["models", "add", name], environment)
    };
    add(NOWHERE, "bge-m3", &[]).refuses(3, &format!("cannot reach {NOWHERE}")).tells(3, "kb models add FOLDER");
    add(NOWHERE, "bge-m3", &[("HF_HUB_OFFLINE", "1")]).refuses(3, "HF_HUB_OFFLINE");
    add("nonsense", "bge-m3", &[]).refuses(2, "HF_ENDPOINT");
    add(NOWHERE, "bge-m4", &[]).refuses(2, "did you mean bge-m3?");
    let json = with_hub(&sandbox, NOWHERE, &["models", "add", "bge-m3", "--format", "json"], &[]);
    let body: serde_json::Value = serde_json::from_str(&json.err).unwrap();
    assert_eq!(body["error"]["kind"], "failed");
    assert!(everything(&sandbox).is_empty(), "{:?}", everything(&sandbox));
}

#[test]
fn a_password_in_the_endpoint_is_refused_and_never_printed() {
    let sandbox = Sandbox::new();
    let hub = Hub::with("ours/tiny", tiny(), well);
    let endpoint = hub.endpoint().replace("http://", "http://me:hunter2@");
    for endpoint in [endpoint.clone(), format!("{}/?token=hunter2", hub.endpoint()), endpoint.replace("http://", "")] {
        for format in ["table", "json"] {
            with_hub(&sandbox, &endpoint, &["models", "add", "ours/tiny", "--format", format], &[])
                .tells_all(2, &["HF_ENDPOINT", "HF_TOKEN"])
                .lacks("hunter2");
        }
    }
    assert!(hub.requests().is_empty() && everything(&sandbox).is_empty());
}

#[test]
fn proxies_are_used() {
    let sandbox = Sandbox::new();
    let proxy = Hub::with("ours/tiny", tiny(), well);
    // An unknown host: only the proxy can answer.
    with_hub(&sandbox, "http://hub.invalid", &["models", "add", "ours/tiny"], &[("HTTP_PROXY", &proxy.endpoint())])
        .ok();
    assert!(proxy.requests().iter().all(|request| request.target.starts_with("http://hub.invalid/")));
    let refusing = Hub::with("ours/tiny", tiny(), |_| Reply::Status(403, &[], String::new()));
    let sandbox = Sandbox::new();
    let proxy = refusing.endpoint();
    with_hub(&sandbox, "https://hub.invalid", &["models", "add", "ours/tiny"], &[("HTTPS_PROXY", &proxy)])
        .refuses(3, "cannot reach https://hub.invalid");
    assert_eq!(refusing.requests()[0].method, "CONNECT");
}

#[test]
fn a_token_is_sent_to_the_hub_only() {
    let sandbox = Sandbox::new();
    let elsewhere = Hub::with("ours/tiny", tiny(), well);
    let there = elsewhere.endpoint();
    // Another port is another host.
    let hub = hub_with("model.onnx", move |request| Reply::Redirect(format!("{there}{}", request.target)));
    let run = with_hub(&sandbox, &hub.endpoint(), &["models", "add", "ours/tiny"], &[("HF_TOKEN", "hf_secret")]).ok();
    assert!(hub.requests().iter().all(|request| request.header("authorization") == Some("Bearer hf_secret")));
    let asked = elsewhere.requests();
    assert!(asked.len() == 1 && asked[0].header("authorization").is_none(), "{asked:?}");
    assert!(!run.out.contains("hf_secret") && !run.err.contains("hf_secret"));
}
