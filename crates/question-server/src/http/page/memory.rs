//! The files of a page in memory, which `ServeDir` reads like those of a folder.

use axum::body::Bytes;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::future::{Ready, ready};
use std::io::{self, Cursor, SeekFrom};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncRead, AsyncSeek, ReadBuf};
use tower_http::services::fs::{Backend, File as ReadFile, Metadata};

/// The files by their paths within the folder.
#[derive(Clone, Debug)]
pub(super) struct Files(Arc<HashMap<PathBuf, File>>);

impl Files {
    pub(super) fn new(contents: HashMap<PathBuf, Bytes>) -> Self {
        let folder = File { is_dir: true, ..File::new(Bytes::new()) };
        let files = contents.into_iter().map(|(path, content)| (path, File::new(content)));
        Self(Arc::new(files.chain([(PathBuf::new(), folder)]).collect()))
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.keys().map(PathBuf::as_path)
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        std::str::from_utf8(self.0.get(Path::new(path))?.content.get_ref()).ok()
    }

    fn find(&self, path: &Path) -> io::Result<File> {
        let file = self.0.get(path.strip_prefix(".").unwrap_or(path));
        file.cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Backend for Files {
    type File = File;
    type Metadata = File;
    type OpenFuture = Ready<io::Result<File>>;
    type MetadataFuture = Ready<io::Result<File>>;

    fn open(&self, path: PathBuf) -> Self::OpenFuture {
        ready(self.find(&path))
    }

    fn metadata(&self, path: PathBuf) -> Self::MetadataFuture {
        ready(self.find(&path))
    }
}

/// A file, or the folder itself.
#[derive(Clone, Debug)]
pub(super) struct File {
    content: Cursor<Bytes>,
    time: SystemTime,
    is_dir: bool,
}

impl File {
    fn new(content: Bytes) -> Self {
        // `ServeDir` makes an `ETag` of the time and the length. A release's files have no times, so this one is of their content, and the same on
        // each replica.
        let digest: [u8; 32] = Sha256::digest(&content).into();
        let [a, b, c, d, e, f, g, h, ..] = digest;
        let (seconds, nanos) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]) % 1_000_000_000);
        let time = SystemTime::UNIX_EPOCH + Duration::new(seconds.into(), nanos);
        Self { content: Cursor::new(content), time, is_dir: false }
    }
}

impl Metadata for File {
    fn is_dir(&self) -> bool {
        self.is_dir
    }

    fn modified(&self) -> io::Result<SystemTime> {
        Ok(self.time)
    }

    fn len(&self) -> u64 {
        self.content.get_ref().len() as u64
    }
}

impl ReadFile for File {
    type Metadata = Self;
    type MetadataFuture<'a> = Ready<io::Result<Self>>;

    fn metadata(&self) -> Self::MetadataFuture<'_> {
        ready(Ok(self.clone()))
    }
}

impl AsyncRead for File {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.content).poll_read(context, buffer)
    }
}

impl AsyncSeek for File {
    fn start_seek(mut self: Pin<&mut Self>, to: SeekFrom) -> io::Result<()> {
        Pin::new(&mut self.content).start_seek(to)
    }

    fn poll_complete(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Pin::new(&mut self.content).poll_complete(context)
    }
}
