//! K-means with a proof and a mixture of a file that is read in chunks; the results are those of the data in memory.

use mindgap::{BoxError, Chunk, Chunked, GapBounds, KMeans, Mixture, MomentSums, Sample};
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Values per chunk: with a multiple of [`MomentSums::RUN`] the division changes no bit of a mixture.
const CHUNK: usize = 16 * MomentSums::RUN;

/// Reads a file of little-endian doubles in chunks.
fn chunks(path: PathBuf) -> impl Iterator<Item = Result<Chunk, BoxError>> {
    let mut file = None;
    std::iter::from_fn(move || {
        let file = match &mut file {
            Some(file) => file,
            none => match File::open(&path) {
                Ok(opened) => none.insert(opened),
                Err(error) => return Some(Err(error.into())),
            },
        };
        next_chunk(file).transpose()
    })
}

fn next_chunk(file: &mut File) -> Result<Option<Chunk>, BoxError> {
    let mut bytes = Vec::with_capacity(8 * CHUNK);
    file.take(8 * CHUNK as u64).read_to_end(&mut bytes)?;
    let (words, partial) = bytes.as_chunks::<8>();
    if !partial.is_empty() {
        return Err(format!("the file ends with {} bytes of a value", partial.len()).into());
    }
    let values: Vec<f64> = words.iter().map(|word| f64::from_le_bytes(*word)).collect();
    Ok((!values.is_empty()).then(|| Chunk::from(values)))
}

fn write(path: &Path, x: &[f64]) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    x.iter().try_for_each(|x| file.write_all(&x.to_le_bytes()))?;
    file.into_inner()?.sync_all()
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let x: Vec<f64> = (0..90_000).map(|i| f64::from(i % 3) * 2.0 + 0.7 * (f64::from(i) * 12.9898).sin()).collect();
    let path = std::env::temp_dir().join(format!("mindgap-larger-than-memory-{}.f64", std::process::id()));
    write(&path, &x)?;

    let file = path.clone();
    let mut data = Chunked::new(move || chunks(file.clone()))?;
    let kmeans = KMeans::new(3).constraint(GapBounds::lower(2.03));
    let (there, here) = (kmeans.fit(&data.sample()?)?, kmeans.fit(&Sample::new(&x)?)?);
    println!("{} values: centres {:?}, proven: {}", data.summary().count(), there.centers(), there.is_optimal());
    assert!(there.is_optimal());
    assert!(there.centers().iter().zip(here.centers()).all(|(a, b)| (a - b).abs() < 1e-12));

    let mixture = Mixture::new(3).constraint(GapBounds::between(2.05, 2.5)?);
    let (there, here) = (mixture.fit(&mut data)?, mixture.fit(&Sample::new(&x)?)?);
    std::fs::remove_file(&path)?;
    println!("means {:?} after {} iterations: {}", there.means(), there.n_iter(), there.status());
    assert!(there.means().iter().zip(here.means()).all(|(a, b)| (a - b).abs() < 1e-10));
    Ok(())
}
