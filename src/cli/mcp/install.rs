//! The configuration with which a client starts the server.

use clap::ValueEnum;
use serde_json::json;

use super::McpArgs;
use crate::cli::invocation::Context;
use crate::error::Result;
use crate::paths::{is_address, real};
use crate::serve::Stream;

/// A program that uses the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    Vscode,
}

/// Prints the configuration of a client. Nothing is written: it is the client's file, which others change too.
pub(super) fn run(context: &Context, client: Client, args: &McpArgs) -> Result<u8> {
    let mut arguments = vec!["mcp".to_owned()];
    let kb = match &context.global.kb {
        Some(named) if is_address(named) => named.clone(),
        _ => real(context.store()?.root()),
    };
    arguments.extend(["--kb".to_owned(), kb.display().to_string()]);
    if context.is_given("namespace") {
        arguments.extend(["--namespace".to_owned(), context.global.namespace.clone()]);
    }
    if args.allow_write {
        arguments.push("--allow-write".to_owned());
        arguments.extend(args.roots()?.iter().flat_map(|root| ["--root".to_owned(), root.display().to_string()]));
    }
    let server = json!({ "command": Context::program()?.display().to_string(), "args": arguments });
    let (into, configuration) = match client {
        Client::ClaudeCode => (".mcp.json in the project", json!({ "mcpServers": { "kb": server } })),
        Client::ClaudeDesktop => ("claude_desktop_config.json", json!({ "mcpServers": { "kb": server } })),
        Client::Cursor => (".cursor/mcp.json in the project", json!({ "mcpServers": { "kb": server } })),
        Client::Vscode => (".vscode/mcp.json in the workspace", json!({ "servers": { "kb": server } })),
    };
    context.tell(&format!("put this into {into}:"));
    // It is JSON in every format.
    context.output.write(Stream::Raw, format!("{configuration:#}\n"))?;
    Ok(0)
}
