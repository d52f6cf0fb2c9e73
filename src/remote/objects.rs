//! Objects under one address, and the errors of the storage in plain words.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    BackoffConfig, Error as Refused, GetOptions, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
    RetryConfig, UpdateVersion, WriteMultipart,
};
use reqwest::Url;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::http::Connector;
use crate::error::{Error, Result, innermost};

/// Files are sent and read in parts of this many bytes.
const PART_BYTES: usize = 16 << 20;
/// How many parts of a file are sent at a time.
const AT_ONCE: usize = 4;
/// The object that makes a prefix a store.
const MARK: &str = "kb.json";
/// Its greatest length, in bytes.
const LONGEST_MARK: u64 = 4096;
/// How long a failing request is repeated.
const RETRY_TIMEOUT: Duration = Duration::from_secs(20);
const MAX_RETRIES: usize = 4;

/// The cause of errors that may be temporary: the storage does not answer, or not as it should.
#[derive(Debug)]
struct Unavailable;

impl std::fmt::Display for Unavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the storage does not answer")
    }
}

impl std::error::Error for Unavailable {}

pub fn is_unavailable(error: &Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.is::<Unavailable>())
}

/// The objects below an address. Every request is an error if the storage does not answer or refuses.
#[derive(Debug, Clone)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    address: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Version {
    e_tag: Option<String>,
    version: Option<String>,
}

/// What the storage has under a name.
pub(super) enum Found<T> {
    New(T, Version),
    /// The same version as before.
    Same,
    Nothing,
}

/// Whether a new version of an object was stored.
pub(super) enum PutOutcome {
    Done(Version),
    /// The version to replace is no longer the current one, or, with the error, there was no reply. If only the reply
    /// was lost, the current version is the one that was put, so the caller has to read it.
    Unknown(Option<Error>),
}

/// The environment variables of a provider's own tools, for hints: those of the keys, and that of the server's address.
fn variables(address: &str) -> (&'static str, &'static str) {
    match address.split_once("://") {
        Some(("gs", _)) => ("GOOGLE_SERVICE_ACCOUNT or GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_BASE_URL"),
        Some(("az", _)) => ("AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ENDPOINT"),
        _ => ("AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT"),
    }
}

impl Objects {
    /// The objects at `s3://bucket/prefix`, `gs://…` or `az://…`. Keys and the endpoint come from the variables of the
    /// environment that each provider's own tools read.
    ///
    /// # Errors
    /// If the address is of another kind, or the environment does not say enough.
    pub fn at(address: &str) -> Result<Self> {
        let (scheme, _) = address.split_once("://").unwrap_or_default();
        let invalid = |what: String| Error::usage(format!("{address}: {what}"));
        let known = "name a folder, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX";
        let url = Url::parse(address).map_err(|error| invalid(format!("it is not an address: {error}")).hint(known))?;
        if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("an address cannot contain a key".to_owned()).hint("put keys into variables"));
        }
        let bucket = url.host_str().filter(|bucket| !bucket.is_empty());
        let Some(bucket) = bucket else { return Err(invalid("it names no bucket".to_owned()).hint(known)) };
        let (keys, server) = variables(address);
        if let Some(port) = url.port() {
            let hint = format!(
                "name the bucket, as in {scheme}://BUCKET/PREFIX, and the server in the variable of the provider's tools, \
                 as in {server}=http://{bucket}:{port}"
            );
            return Err(invalid("a bucket cannot have a port".to_owned()).hint(hint));
        }
        let backoff = BackoffConfig { init_backoff: Duration::from_millis(100), ..BackoffConfig::default() };
        let retry = RetryConfig { backoff, max_retries: MAX_RETRIES, retry_timeout: RETRY_TIMEOUT };
        let store: object_store::Result<Arc<dyn ObjectStore>> = match scheme {
            "s3" => {
                let s3 = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry);
                s3.with_http_connector(Connector).build().map(|store| Arc::new(store) as _)
            }
            "gs" => {
                let gs = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(retry);
                gs.with_http_connector(Connector).build().map(|store| Arc::new(store) as _)
            }
            "az" => {
                let az = MicrosoftAzureBuilder::from_env().with_container_name(bucket).with_retry(retry);
                az.with_http_connector(Connector).build().map(|store| Arc::new(store) as _)
            }
            "db" => return Err(invalid("kb does not use LanceDB's service".to_owned()).hint(known)),
            _ => return Err(invalid("it is an address of an unknown kind".to_owned()).hint(known)),
        };
        let store = store.map_err(|error| {
            let hint = format!("set the variables that the provider's tools read, such as {keys}");
            invalid(format!("it cannot be used: {}", innermost(&error))).hint(hint)
        })?;
        let prefix = Path::from_url_path(url.path()).map_err(|error| invalid(error.to_string()))?;
        let address = address.trim_end_matches('/').to_owned();
        Ok(Objects { store, prefix, address })
    }

    /// For messages.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Makes the prefix a store, unless it is one.
    pub(super) async fn become_store(&self) -> Result<()> {
        if let Found::New(..) = self.value::<Value>(MARK, None, LONGEST_MARK).await? {
            return Ok(());
        }
        match self.put_value(MARK, &json!({ "made_by": env!("CARGO_PKG_VERSION") }), None).await? {
            PutOutcome::Done(_) => Ok(()),
            PutOutcome::Unknown(Some(error)) => Err(error),
            PutOutcome::Unknown(None) => self.must_be_store().await,
        }
    }

    pub(super) async fn is_store(&self) -> Result<bool> {
        Ok(!matches!(self.value::<Value>(MARK, None, LONGEST_MARK).await?, Found::Nothing))
    }

    /// Checks that a store exists: an object may be missing because the bucket or the server is the wrong one.
    ///
    /// # Errors
    /// If there is no mark of a store, or the storage does not answer or refuses.
    pub(super) async fn must_be_store(&self) -> Result<()> {
        match self.is_store().await? {
            true => Ok(()),
            false => Err(Error::failed(format!("there is no knowledge base at {}", self.address))
                .hint("check the bucket and the endpoint; the first `kb ingest` makes one in a bucket that exists")
                .caused_by(Unavailable)),
        }
    }

    fn path(&self, name: &str) -> Path {
        name.split('/').fold(self.prefix.clone(), |path, part| path.join(part))
    }

    /// Reads a JSON object, unless its version is still `known`.
    ///
    /// # Errors
    /// If the storage does not answer or refuses, or the object is longer than `longest` or not such a value.
    pub(super) async fn value<T: DeserializeOwned>(
        &self,
        name: &str,
        known: Option<&Version>,
        longest: u64,
    ) -> Result<Found<T>> {
        let if_none_match = known.and_then(|known| known.e_tag.clone());
        let got =
            match self.store.get_opts(&self.path(name), GetOptions { if_none_match, ..GetOptions::default() }).await {
                Err(Refused::NotModified { .. }) => return Ok(Found::Same),
                Err(Refused::NotFound { .. }) => return Ok(Found::Nothing),
                got => got.map_err(|error| self.failed(&format!("read {name}"), &error))?,
            };
        let version = Version { e_tag: got.meta.e_tag.clone(), version: got.meta.version.clone() };
        let damaged = |why: &str| Error::failed(format!("{}/{name} differs from what kb wrote: {why}", self.address));
        if got.meta.size > longest {
            return Err(damaged("it is too long"));
        }
        let bytes = got.bytes().await.map_err(|error| self.failed(&format!("read {name}"), &error))?;
        let value = serde_json::from_slice(&bytes).map_err(|error| damaged(&error.to_string()))?;
        Ok(Found::New(value, version))
    }

    /// Puts a JSON object, if the current version is still `replaced`, or if there is none and `replaced` is `None`.
    pub(super) async fn put_value<T: Serialize>(
        &self,
        name: &str,
        value: &T,
        replaced: Option<Version>,
    ) -> Result<PutOutcome> {
        let bytes = serde_json::to_vec_pretty(value).expect("plain data has a JSON form");
        let update = |Version { e_tag, version }| PutMode::Update(UpdateVersion { e_tag, version });
        let mode = replaced.map_or(PutMode::Create, update);
        match self.store.put_opts(&self.path(name), bytes.into(), PutOptions::from(mode)).await {
            Ok(put) => Ok(PutOutcome::Done(Version { e_tag: put.e_tag, version: put.version })),
            // This is also the answer if another request for the same object is running, or the object was deleted.
            Err(Refused::AlreadyExists { .. } | Refused::Precondition { .. } | Refused::NotFound { .. }) => {
                Ok(PutOutcome::Unknown(None))
            }
            Err(error) => match self.failed(&format!("write {name}"), &error) {
                error if is_unavailable(&error) => Ok(PutOutcome::Unknown(Some(error))),
                error => Err(error),
            },
        }
    }

    /// Puts a JSON object like [`put_value`](Self::put_value). If the outcome is unknown, it reads the object, and
    /// `is_own` decides whether it is the one that was put. `Err` has the object of another process, if it still exists.
    pub(super) async fn put_own<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        value: &T,
        replaced: Option<Version>,
        longest: u64,
        is_own: impl Fn(&T) -> bool,
    ) -> Result<Result<Version, Option<T>>> {
        let error = match self.put_value(name, value, replaced).await? {
            PutOutcome::Done(version) => return Ok(Ok(version)),
            PutOutcome::Unknown(error) => error,
        };
        match (self.value::<T>(name, None, longest).await?, error) {
            (Found::New(there, version), _) if is_own(&there) => Ok(Ok(version)),
            (_, Some(error)) => Err(error),
            (Found::New(there, _), None) => Ok(Err(Some(there))),
            (Found::Nothing | Found::Same, None) => Ok(Err(None)),
        }
    }

    /// Sends a file. An object of that name is replaced.
    ///
    /// # Errors
    /// If the file cannot be read, or the storage does not answer or refuses.
    pub(super) async fn send(&self, from: &FilePath, name: &str) -> Result<()> {
        let unread = |error: std::io::Error| Error::io("read", from, &error);
        let failed = |error: Refused| self.failed(&format!("write {name}"), &error);
        let mut file = File::open(from).map_err(unread)?;
        let mut next_part = || -> Result<Vec<u8>> {
            let mut bytes = Vec::new();
            (&mut file).take(PART_BYTES as u64).read_to_end(&mut bytes).map_err(unread)?;
            Ok(bytes)
        };
        let (path, first) = (self.path(name), next_part()?);
        if first.len() < PART_BYTES {
            return self.store.put(&path, PutPayload::from(first)).await.map(drop).map_err(failed);
        }
        let upload = self.store.put_multipart(&path).await.map_err(failed)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        let mut next = first;
        while !next.is_empty() {
            upload.wait_for_capacity(AT_ONCE).await.map_err(failed)?;
            upload.put(next.into());
            next = next_part()?;
        }
        upload.finish().await.map(drop).map_err(failed)
    }

    /// Reads the first `bytes` bytes of an object into a new file, and returns their hash in hex. `None` if there is no
    /// such object.
    ///
    /// # Errors
    /// If the file cannot be written, or the storage does not answer or refuses.
    pub(super) async fn fetch(&self, name: &str, bytes: u64, to: &FilePath) -> Result<Option<String>> {
        let unwritten = |error: std::io::Error| Error::io("write", to, &error);
        let mut file = File::create_new(to).map_err(unwritten)?;
        let (mut at, mut hasher) = (0, blake3::Hasher::new());
        while at < bytes {
            let range = at..(at + PART_BYTES as u64).min(bytes);
            let part = match self.store.get_range(&self.path(name), range.clone()).await {
                Err(Refused::NotFound { .. }) => return Ok(None),
                part => part.map_err(|error| self.failed(&format!("read {name}"), &error))?,
            };
            if part.len() as u64 != range.end - range.start {
                return Err(Error::failed(format!("{}/{name} is shorter than listed", self.address)));
            }
            file.write_all(&part).map_err(unwritten)?;
            hasher.update(&part);
            at = range.end;
        }
        file.sync_all().map_err(unwritten)?;
        Ok(Some(hasher.finalize().to_hex().to_string()))
    }

    /// Deletes an object, which need not exist.
    pub(super) async fn delete(&self, name: &str) -> Result<()> {
        match self.store.delete(&self.path(name)).await {
            Ok(()) | Err(Refused::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed(&format!("delete {name}"), &error)),
        }
    }

    /// The names of the objects and folders directly below a name.
    pub(super) async fn below(&self, name: &str) -> Result<Vec<String>> {
        let listed = self.store.list_with_delimiter(Some(&self.path(name))).await;
        let listed = listed.map_err(|error| self.failed(&format!("list {name}"), &error))?;
        let objects = listed.objects.iter().map(|object| &object.location);
        let names = listed.common_prefixes.iter().chain(objects).filter_map(|path| path.filename());
        Ok(names.map(str::to_owned).collect())
    }

    fn failed(&self, doing: &str, error: &Refused) -> Error {
        let address = &self.address;
        match error {
            Refused::PermissionDenied { .. } | Refused::Unauthenticated { .. } => {
                let (keys, _) = variables(address);
                Error::failed(format!("{address} does not allow kb to {doing}"))
                    .hint(format!("check the keys in {keys} and their permissions"))
            }
            _ => Error::failed(format!("cannot {doing} at {address}: {}", innermost(error)))
                .hint("run the command again when it answers")
                .caused_by(Unavailable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_the_variables_of_the_provider() {
        for (scheme, key, server) in [
            ("s3", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT=http://bucket:9000"),
            ("gs", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_BASE_URL=http://bucket:9000"),
            ("az", "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_ENDPOINT=http://bucket:9000"),
        ] {
            let error = Objects::at(&format!("{scheme}://bucket:9000/x")).unwrap_err();
            assert!(error.next_step().is_some_and(|hint| hint.contains(server)), "{error}");
            let objects = Objects {
                store: Arc::new(object_store::memory::InMemory::new()),
                prefix: Path::default(),
                address: format!("{scheme}://bucket/x"),
            };
            let refused = Refused::Unauthenticated { path: "x/kb.json".to_owned(), source: "no key".into() };
            let error = objects.failed("read kb.json", &refused);
            assert!(error.next_step().is_some_and(|hint| hint.contains(key)), "{error}");
            if scheme != "s3" {
                assert!(!error.to_line().contains("AWS_"), "{error}");
            }
        }
    }

    #[test]
    fn the_address_of_each_provider_is_known() {
        for (address, provider) in [
            ("s3://bucket/team/kb", "AmazonS3"),
            ("gs://bucket/team/kb", "GoogleCloudStorage"),
            ("az://container/team/kb", "MicrosoftAzure"),
        ] {
            match Objects::at(address) {
                Ok(objects) => {
                    assert!(objects.store.to_string().starts_with(provider), "{address}: {}", objects.store);
                    assert_eq!(objects.prefix.to_string(), "team/kb");
                    assert_eq!(objects.address(), address);
                }
                // The variables of this provider's tools are not set.
                Err(error) => assert!(error.message().contains("it cannot be used"), "{address}: {error}"),
            }
        }
    }
}
