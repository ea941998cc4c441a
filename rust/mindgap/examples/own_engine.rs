//! An engine of your own: a mixture of a file larger than memory.
//!
//! The file is read in chunks, once per iteration, with one chunk in memory. A memory map needs unsafe code, and for a
//! sequential pass plain reads are as fast.

use mindgap::{BoxError, Engine, GapBounds, Mixture, MomentSums, Moments, Parameters, Sample, Summary};
use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Values per chunk.
const CHUNK: usize = 4096;

/// A file of little-endian doubles.
struct Chunks {
    file: File,
    bytes: Vec<u8>,
}

impl Chunks {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, bytes: Vec::with_capacity(8 * CHUNK) })
    }

    /// Calls `visit` with each chunk of the file, in order.
    fn for_each(&mut self, mut visit: impl FnMut(&[f64]) -> Result<(), BoxError>) -> Result<(), BoxError> {
        self.file.seek(SeekFrom::Start(0))?;
        loop {
            self.bytes.clear();
            let mut rest = (&self.file).take(8 * CHUNK as u64);
            rest.read_to_end(&mut self.bytes)?;
            if self.bytes.is_empty() {
                return Ok(());
            }
            let (words, partial) = self.bytes.as_chunks::<8>();
            if !partial.is_empty() {
                return Err(format!("the file ends with {} bytes of a value", partial.len()).into());
            }
            visit(&words.iter().map(|word| f64::from_le_bytes(*word)).collect::<Vec<_>>())?;
        }
    }
}

impl Engine for Chunks {
    fn load(&mut self) -> Result<Cow<'_, Sample>, BoxError> {
        // A summary of a few thousand cells is enough for the scale of the data and for starts.
        let mut summary = Summary::new();
        self.for_each(|chunk| Ok(summary.add(chunk)?))?;
        Ok(Cow::Owned(summary.sample()?))
    }

    fn moments(&mut self, parameters: &Parameters) -> Result<Moments, BoxError> {
        // Sums of parts add, in any order.
        let mut total = MomentSums::zero(parameters);
        self.for_each(|chunk| {
            total.add(&MomentSums::of_chunk(chunk, None, parameters)?);
            Ok(())
        })?;
        Ok(total.moments())
    }
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("mindgap-own-engine-{}.f64", std::process::id()));
    let x: Vec<f64> = (0..50_000).map(|i| f64::from(i % 3) * 2.0 + 0.7 * (f64::from(i) * 12.9898).sin()).collect();
    let mut file = BufWriter::new(File::create(&path)?);
    x.iter().try_for_each(|x| file.write_all(&x.to_le_bytes()))?;
    file.into_inner()?.sync_all()?;

    let start = Parameters::new(&[0.3, 0.4, 0.3], &[0.0, 2.0, 4.0], &[1.0; 3])?;
    let mixture = Mixture::new(3).constraint(GapBounds::between(2.05, 2.5)?).init(start);
    let from_file = mixture.fit(&mut Chunks::open(&path)?)?;
    std::fs::remove_file(&path)?;
    println!("{} values, {CHUNK} at a time: means {:?}, {}", x.len(), from_file.means(), from_file.status());

    let from_memory = mixture.fit(&Sample::new(&x)?)?;
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(close(from_file.means(), from_memory.means()), "{:?} {:?}", from_file.means(), from_memory.means());
    Ok(())
}
