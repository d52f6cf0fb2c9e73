//! The server side: runs commands and returns their output.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::identity::Identity;
use super::message::{Answer, Call, Reply, Request, receive, send};
use super::socket::SocketFiles;
use crate::error::{Error, NextStep, Result, or_none};

/// At most this many processes are connected; further ones are sent away.
const MOST_CONNECTED: usize = 32;
/// How long a request may take to arrive.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a request waits for the one before it: about as long as a process needs to answer itself.
const TURN_TIMEOUT: Duration = Duration::from_millis(30);
/// How long a process may take to read its answer.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a command may go on after the server was ended.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the server checks that its socket still exists.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// The pause after a failure to accept, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

pub struct Server {
    listener: Arc<UnixListener>,
    files: SocketFiles,
    identity: Identity,
    /// The device and the inode of its socket.
    socket_id: (u64, u64),
    /// Locked while the server runs.
    _lock: File,
}

/// Why a server ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Idle,
    Stopped,
}

impl Server {
    /// Listens for requests about a store.
    ///
    /// # Errors
    /// If another server does, or the socket cannot be made.
    pub fn start(store: &Path) -> Result<Self> {
        let files = SocketFiles::of(store);
        let lock = files.take()?.ok_or_else(|| {
            Error::failed(format!("kb serve already runs for {}", store.display()))
                .hint(format!("`{}` ends it", NextStep::StopServer))
        })?;
        let identity = Identity::of_process()
            .ok_or_else(|| Error::failed("the file of this program was removed or replaced").hint("start it again"))?;
        let failed = |doing| move |error: std::io::Error| (doing, error);
        let listen = || {
            // It is that of a dead server, because the lock was free.
            or_none(std::fs::remove_file(&files.socket)).map_err(failed("remove"))?;
            let listener = UnixListener::bind(&files.socket).map_err(failed("make the socket"))?;
            let private = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&files.socket, private).map_err(failed("set the permissions of"))?;
            Ok(listener)
        };
        let listener = listen().map_err(|(doing, error)| Error::io(doing, &files.socket, &error))?;
        let removed = || Error::failed("the socket was removed").hint("start it again");
        let socket_id = files.socket_id().ok_or_else(removed)?;
        Ok(Server { listener: Arc::new(listener), files, identity, socket_id, _lock: lock })
    }

    /// Where it listens.
    pub fn socket(&self) -> &Path {
        &self.files.socket
    }

    /// Answers one request after the other, until none came for `idle`, or a person or the system ends it.
    ///
    /// # Errors
    /// If signals cannot be received.
    pub async fn run(self, idle: Duration, mut answer: impl AsyncFnMut(Call) -> Answer) -> Result<End> {
        let failed = |error| Error::failed(format!("cannot receive signals: {error}")).caused_by(error);
        let signals = [SignalKind::terminate(), SignalKind::interrupt()].map(|kind| signal(kind).map_err(failed));
        let [terminate, interrupt] = signals;
        let (terminate, interrupt) = (terminate?, interrupt?);
        let stop = Arc::new(Notify::new());
        let (jobs, mut waiting) = mpsc::channel::<Job>(1);
        let turn = Arc::new(Semaphore::new(1));
        let connections = Arc::new(Connections { jobs, turn, stop: stop.clone(), identity: self.identity.clone() });
        // A command that computes blocks this thread, so connections and signals are handled in other tasks. Both end
        // with this function.
        let (mut open, ended) = (JoinSet::new(), Arc::new(Notify::new()));
        open.spawn(accept(self.listener.clone(), connections));
        let (files, socket_id, told) = (self.files.clone(), self.socket_id, ended.clone());
        open.spawn(async move {
            wait_for_end(terminate, interrupt, &stop, &files, socket_id).await;
            told.notify_one();
            sleep(STOP_TIMEOUT).await;
            // The running command has not ended in time.
            files.remove_socket(socket_id);
            std::process::exit(0);
        });
        let work = async {
            while let Ok(Some(Job { call, mut reply, turn })) = timeout(idle, waiting.recv()).await {
                // If the process goes away, its command ends at its next wait.
                let answer = tokio::select! {
                    biased;
                    () = reply.closed() => None,
                    answer = answer(call) => Some(answer),
                };
                drop(turn);
                if let Some(answer) = answer {
                    // The process may go away now, too.
                    drop(reply.send(answer));
                }
            }
            End::Idle
        };
        tokio::select! {
            end = work => Ok(end),
            () = ended.notified() => Ok(End::Stopped),
        }
    }
}

/// Returns when a person or the system ends the server, or when its socket is gone, which makes it unreachable.
async fn wait_for_end(
    mut terminate: Signal,
    mut interrupt: Signal,
    stop: &Notify,
    files: &SocketFiles,
    id: (u64, u64),
) {
    let unreachable = async {
        while files.socket_id() == Some(id) {
            sleep(CHECK_INTERVAL).await;
        }
    };
    tokio::select! {
        () = stop.notified() => {}
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        () = unreachable => {}
    }
}

/// Accepts connections from processes of this user, each for one request.
async fn accept(listener: Arc<UnixListener>, connections: Arc<Connections>) {
    let mut connected = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                while connected.try_join_next().is_some() {}
                // A process that is sent away runs its command itself.
                if connected.len() < MOST_CONNECTED && is_of_this_user(&stream) {
                    connected.spawn(connections.clone().handle(stream));
                }
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.files.remove_socket(self.socket_id);
    }
}

/// Whether the process on the other side runs as this user.
pub(super) fn is_of_this_user(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}

/// A request whose turn it is.
struct Job {
    call: Call,
    reply: oneshot::Sender<Answer>,
    turn: OwnedSemaphorePermit,
}

/// What every connection needs.
struct Connections {
    jobs: mpsc::Sender<Job>,
    turn: Arc<Semaphore>,
    stop: Arc<Notify>,
    identity: Identity,
}

impl Connections {
    /// Takes a request and sends its answer. A process that misbehaves is sent away without one.
    async fn handle(self: Arc<Self>, mut stream: UnixStream) {
        let Ok(Ok(request)) = timeout(REQUEST_TIMEOUT, receive::<Request>(&mut stream)).await else { return };
        let (answer, is_end) = match request {
            Request::Stop => (Some(Answer::Done { code: 0, pieces: Vec::new() }), true),
            Request::Run { identity, call } => match self.identity.refusal(&identity) {
                Some(reason) => {
                    // After an update of the program, no process can use this server.
                    let is_outdated = Identity::of_process().is_none_or(|now| now.program != self.identity.program);
                    (Some(Answer::Declined(reason.to_owned())), is_outdated)
                }
                None => (self.answer(call, &mut stream).await, false),
            },
        };
        if let Some(answer) = answer {
            // A process that does not read its answer runs the command itself.
            drop(timeout(SEND_TIMEOUT, send(&mut stream, &Reply::Answer(answer))).await);
        }
        if is_end {
            self.stop.notify_one();
        }
    }

    /// `None` if the process went away.
    async fn answer(&self, call: Call, stream: &mut UnixStream) -> Option<Answer> {
        let Ok(Ok(turn)) = timeout(TURN_TIMEOUT, self.turn.clone().acquire_owned()).await else {
            return Some(Answer::Declined("it is busy".to_owned()));
        };
        send(stream, &Reply::Begun).await.ok()?;
        let (reply, answer) = oneshot::channel();
        self.jobs.send(Job { call, reply, turn }).await.ok()?;
        tokio::select! {
            answer = answer => answer.ok(),
            // The other side has closed the connection, or sends what it should not.
            _ = stream.read_u8() => None,
        }
    }
}
