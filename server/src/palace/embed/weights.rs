//! The numbers of the model, from `model.safetensors`: what is computed with at every word lies in memory, the table of
//! words does not.
//!
//! It knows the layout of the file and the model's shape, and computes nothing.
//!
//! # Design
//! Half of the 90 MB are the vectors of 30 522 words, of which a text needs a few. They are read from the open file
//! when they are asked for (1.5 kB each, from the system's cache), so the model takes 45 MB of memory instead of 90.
//! What is left lies in one allocation, large enough that the allocator gives it back to the system when the model is
//! let go.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use ndarray::{ArrayView1, ArrayView2};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{DIMENSIONS, EmbedError, FEED_FORWARD, LAYERS, MAX_PIECES, VOCABULARY};

/// The longest header that is read; ours has 11 kB.
const MAX_HEADER_BYTES: u64 = 1 << 20;
const FLOAT_BYTES: usize = size_of::<f32>();

/// A matrix and a bias: `x · weight + bias`.
#[derive(Debug)]
pub struct Linear {
    weight: Range<usize>,
    bias: Range<usize>,
    inputs: usize,
    outputs: usize,
}

/// The scale and the shift of a normalised row.
#[derive(Debug)]
pub struct Norm {
    scale: Range<usize>,
    shift: Range<usize>,
}

/// One layer of the encoder.
#[derive(Debug)]
pub struct Layer {
    /// Queries, keys and values, side by side.
    pub attend: Linear,
    /// What attention found, back into the row.
    pub attended: Linear,
    /// After attention.
    pub attended_norm: Norm,
    /// Into the wide layer.
    pub widen: Linear,
    /// And back.
    pub narrow: Linear,
    /// After the wide layer.
    pub narrow_norm: Norm,
}

/// The model's weights.
#[derive(Debug)]
pub struct Weights {
    values: Vec<f32>,
    positions: Range<usize>,
    /// After the words' vectors are added to those of their positions.
    pub first_norm: Norm,
    /// In the order in which a text passes them.
    pub layers: Vec<Layer>,
    path: PathBuf,
    file: File,
    words_at: u64,
}

impl Weights {
    /// Reads the file, and refuses one whose tensors have another shape.
    pub fn load(path: &Path) -> Result<Self, EmbedError> {
        let mut reader = TensorFile::open(path)?;
        let words_at = reader.range("embeddings.word_embeddings.weight", &[VOCABULARY, DIMENSIONS])?.start;
        let mut positions = reader.read("embeddings.position_embeddings.weight", &[2 * MAX_PIECES, DIMENSIONS])?;
        positions.truncate(MAX_PIECES * DIMENSIONS);
        // There is one kind of text here, so its vector is the same for every word.
        let kinds = reader.read("embeddings.token_type_embeddings.weight", &[2, DIMENSIONS])?;
        for row in positions.chunks_exact_mut(DIMENSIONS) {
            row.iter_mut().zip(&kinds).for_each(|(value, kind)| *value += kind);
        }
        let mut pool = Pool::default();
        let positions = pool.add(&positions);
        let first_norm = pool.norm(&mut reader, "embeddings.LayerNorm")?;
        let mut layers = Vec::with_capacity(LAYERS);
        for n in 0..LAYERS {
            let name = |part: &str| format!("encoder.layer.{n}.{part}");
            let [query, key, value] = ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
            layers.push(Layer {
                attend: pool.linear(&mut reader, &[query, key, value], DIMENSIONS, DIMENSIONS)?,
                attended: pool.linear(&mut reader, &[name("attention.output.dense")], DIMENSIONS, DIMENSIONS)?,
                attended_norm: pool.norm(&mut reader, &name("attention.output.LayerNorm"))?,
                widen: pool.linear(&mut reader, &[name("intermediate.dense")], DIMENSIONS, FEED_FORWARD)?,
                narrow: pool.linear(&mut reader, &[name("output.dense")], FEED_FORWARD, DIMENSIONS)?,
                narrow_norm: pool.norm(&mut reader, &name("output.LayerNorm"))?,
            });
        }
        let TensorFile { path, file, .. } = reader;
        Ok(Self { values: pool.values, positions, first_norm, layers, path, file, words_at })
    }

    /// Writes the vector of a word at a position into `row`, which has [`DIMENSIONS`] numbers.
    pub fn word(&self, piece: u32, position: usize, row: &mut [f32]) -> Result<(), EmbedError> {
        let mut bytes = [0; DIMENSIONS * FLOAT_BYTES];
        let at = self.words_at + u64::from(piece) * bytes.len() as u64;
        self.file.read_exact_at(&mut bytes, at).map_err(|source| EmbedError::io(&self.path, source))?;
        let position = &self.values[self.positions.clone()][position * DIMENSIONS..][..DIMENSIONS];
        for ((value, word), position) in row.iter_mut().zip(floats(&bytes)).zip(position) {
            *value = word + position;
        }
        Ok(())
    }

    /// The matrix, inputs by outputs.
    pub fn matrix(&self, linear: &Linear) -> ArrayView2<'_, f32> {
        ArrayView2::from_shape((linear.inputs, linear.outputs), &self.values[linear.weight.clone()])
            .expect("the range was made for this shape")
    }

    /// The bias, as long as there are outputs.
    pub fn bias(&self, linear: &Linear) -> ArrayView1<'_, f32> {
        ArrayView1::from(&self.values[linear.bias.clone()])
    }

    /// Scale and shift, [`DIMENSIONS`] numbers each.
    pub fn norm(&self, norm: &Norm) -> (&[f32], &[f32]) {
        (&self.values[norm.scale.clone()], &self.values[norm.shift.clone()])
    }
}

impl Linear {
    /// How many numbers a row has afterwards.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// All numbers that stay in memory, one after the other.
struct Pool {
    values: Vec<f32>,
}

impl Default for Pool {
    fn default() -> Self {
        let norms = (1 + 2 * LAYERS) * 2 * DIMENSIONS;
        let matrices = LAYERS * (4 * DIMENSIONS * DIMENSIONS + 2 * DIMENSIONS * FEED_FORWARD);
        let biases = LAYERS * (5 * DIMENSIONS + FEED_FORWARD);
        Self { values: Vec::with_capacity(MAX_PIECES * DIMENSIONS + norms + matrices + biases) }
    }
}

impl Pool {
    fn add(&mut self, values: &[f32]) -> Range<usize> {
        let start = self.values.len();
        self.values.extend_from_slice(values);
        start..self.values.len()
    }

    fn norm(&mut self, file: &mut TensorFile, name: &str) -> Result<Norm, EmbedError> {
        let scale = file.read(&format!("{name}.weight"), &[DIMENSIONS])?;
        let shift = file.read(&format!("{name}.bias"), &[DIMENSIONS])?;
        Ok(Norm { scale: self.add(&scale), shift: self.add(&shift) })
    }

    /// Joins matrices side by side. The file has them as outputs by inputs; turned round, they are read in order when
    /// multiplied.
    fn linear(
        &mut self,
        file: &mut TensorFile,
        names: &[String],
        inputs: usize,
        outputs: usize,
    ) -> Result<Linear, EmbedError> {
        let (mut weights, mut biases) = (Vec::with_capacity(names.len()), Vec::new());
        for name in names {
            weights.push(file.read(&format!("{name}.weight"), &[outputs, inputs])?);
            biases.extend(file.read(&format!("{name}.bias"), &[outputs])?);
        }
        let start = self.values.len();
        for input in 0..inputs {
            for weight in &weights {
                self.values.extend(weight.iter().skip(input).step_by(inputs));
            }
        }
        let weight = start..self.values.len();
        Ok(Linear { weight, bias: self.add(&biases), inputs, outputs: names.len() * outputs })
    }
}

/// A safetensors file: the length of a JSON header, the header, the tensors' bytes.
///
/// The crate of the format checks the header, but reads tensors from a slice of the whole file only; what is computed with
/// is read from the file itself, piece by piece.
struct TensorFile {
    path: PathBuf,
    file: File,
    header: Metadata,
    data_at: u64,
}

impl TensorFile {
    fn open(path: &Path) -> Result<Self, EmbedError> {
        let io = |source| EmbedError::io(path, source);
        let mut file = File::open(path).map_err(io)?;
        let mut length = [0; 8];
        file.read_exact(&mut length).map_err(io)?;
        let length = u64::from_le_bytes(length);
        if length > MAX_HEADER_BYTES {
            return Err(EmbedError::unfit(path, "header", format!("at most {MAX_HEADER_BYTES} bytes"), length));
        }
        let mut header = Vec::new();
        (&mut file).take(length).read_to_end(&mut header).map_err(io)?;
        let header = metadata(&header).map_err(|reason| EmbedError::malformed(path, format!("header: {reason}")))?;
        let (data_at, bytes) = (8 + length, file.metadata().map_err(io)?.len());
        if data_at + header.data_len() as u64 != bytes {
            let expected = format!("{} bytes", data_at + header.data_len() as u64);
            return Err(EmbedError::unfit(path, "length", expected, bytes));
        }
        Ok(Self { path: path.to_owned(), file, header, data_at })
    }

    /// Which bytes of the file a tensor of this shape takes.
    fn range(&self, name: &str, shape: &[usize]) -> Result<Range<u64>, EmbedError> {
        let Some(info) = self.header.info(name) else {
            return Err(EmbedError::malformed(&self.path, format!("{name} is missing")));
        };
        if info.dtype != Dtype::F32 || info.shape != shape {
            let found = format!("{} {:?}", info.dtype, info.shape);
            return Err(EmbedError::unfit(&self.path, name, format!("F32 {shape:?}"), found));
        }
        let (start, end) = info.data_offsets;
        Ok(self.data_at + start as u64..self.data_at + end as u64)
    }

    fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EmbedError> {
        let Range { start, .. } = self.range(name, shape)?;
        let mut bytes = vec![0; shape.iter().product::<usize>() * FLOAT_BYTES];
        let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|source| EmbedError::io(&self.path, source))?;
        Ok(floats(&bytes).collect())
    }
}

/// Reads a header tensor by tensor: the crate's own reading flattens, which `arbitrary_precision` breaks. Says what is wrong.
fn metadata(header: &[u8]) -> Result<Metadata, String> {
    let entries: Map<String, Value> = serde_json::from_slice(header).map_err(|error| error.to_string())?;
    let mut tensors = Vec::with_capacity(entries.len());
    for (name, entry) in entries.into_iter().filter(|(name, _)| name != "__metadata__") {
        let info = TensorInfo::deserialize(entry).map_err(|error| format!("{name}: {error}"))?;
        tensors.push((name, info));
    }
    tensors.sort_by_key(|(_, info)| info.data_offsets);
    Metadata::new(None, tensors).map_err(|error| error.to_string())
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b))
}
