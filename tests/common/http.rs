//! A server on this machine that answers each request as a test wants.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A received request.
#[derive(Debug, Clone)]
pub struct Request {
    /// From 0.
    pub number: usize,
    /// How many requests for the same target came before it.
    pub repeated: usize,
    pub method: String,
    /// As in the first line: with a host if the server is used as a proxy.
    pub target: String,
    /// By their names in lower case.
    headers: BTreeMap<String, String>,
    pub bytes: Vec<u8>,
    /// The body as JSON, or null.
    pub body: Value,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    /// Its `Content-Length`; after a shorter body the connection breaks.
    length: usize,
}

impl Answer {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        Answer { status, headers: Vec::new(), length: body.len(), body }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Promises another length than the body has.
    pub fn promising(self, length: usize) -> Self {
        Answer { length, ..self }
    }
}

/// `None` breaks the connection.
type Answers = dyn Fn(&Request) -> Option<Answer> + Send + Sync;

/// It ends with the tests.
pub struct Server {
    /// Host and port.
    pub address: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(answer: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let received = requests.clone();
        let answer: Arc<Answers> = Arc::new(answer);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (received, answer) = (received.clone(), answer.clone());
                // A client may disconnect at any time.
                std::thread::spawn(move || serve(&stream, &received, &*answer));
            }
        });
        Server { address, requests }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no thread crashed").clone()
    }
}

/// The host and port of no server.
pub fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}

fn serve(mut stream: &TcpStream, received: &Mutex<Vec<Request>>, answer: &Answers) -> Option<()> {
    let mut request = read(stream)?;
    {
        let mut received = received.lock().expect("no thread crashed");
        request.number = received.len();
        request.repeated = received.iter().filter(|other| other.target == request.target).count();
        received.push(request.clone());
    }
    let Answer { status, headers, body, length } = answer(&request)?;
    let mut head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n");
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    stream.write_all(&body).ok()
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).ok()?;
    let body = serde_json::from_slice(&bytes).unwrap_or_default();
    Some(Request { number: 0, repeated: 0, method, target, headers, bytes, body })
}
