//! Document 003: `cargo bench` of SHA-256 of files, one benchmark for each library, way of reading
//! and size.
#![feature(test)]
#![allow(non_snake_case)]

extern crate test;

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;
use test::{Bencher, black_box};

/// A file of this many bytes, and its digest.
fn file(size: usize) -> (PathBuf, Vec<u8>) {
    let content: Vec<u8> = (0..size).map(|i| (i * 31 % 251) as u8).collect();
    let path = std::env::temp_dir().join(format!("cupel-document003-{}-{size}", std::process::id()));
    std::fs::write(&path, &content).unwrap();
    (path, Sha256::digest(&content).to_vec())
}

/// Times a function that digests the reader's file to its end.
fn time(bench: &mut Bencher, size: usize, mut digest: impl FnMut(&mut BufReader<File>) -> Vec<u8>) {
    let (path, expected) = file(size);
    let mut reader = BufReader::new(File::open(&path).unwrap());
    bench.iter(|| {
        assert_eq!(black_box(digest(&mut reader)), expected);
        reader.seek(SeekFrom::Start(0)).unwrap()
    });
    std::fs::remove_file(path).unwrap();
}

/// Feeds a buffer of 1 KiB at a time.
fn pieces(reader: &mut BufReader<File>, mut update: impl FnMut(&[u8])) {
    let mut buffer = [0; 1024];
    loop {
        let count = reader.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        update(&buffer[..count]);
    }
}

fn ring(reader: &mut BufReader<File>) -> Vec<u8> {
    let mut context = ring::digest::Context::new(&ring::digest::SHA256);
    pieces(reader, |piece| context.update(piece));
    context.finish().as_ref().to_vec()
}

fn rust_crypto(reader: &mut BufReader<File>) -> Vec<u8> {
    let mut context = Sha256::new();
    std::io::copy(reader, &mut context).unwrap();
    context.finalize().to_vec()
}

fn rust_crypto_ex(reader: &mut BufReader<File>) -> Vec<u8> {
    let mut context = Sha256::new();
    pieces(reader, |piece| context.update(piece));
    context.finalize().to_vec()
}

macro_rules! benches {
    ($($name:ident $function:ident $kib:literal;)*) => {
        $(#[bench]
        fn $name(bench: &mut Bencher) {
            time(bench, $kib * 1024, $function);
        })*
    };
}

benches! {
    ring_1KB ring 1;
    rust_crypto_1KB rust_crypto 1;
    rust_crypto_ex_1KB rust_crypto_ex 1;
    ring_10KB ring 10;
    rust_crypto_10KB rust_crypto 10;
    rust_crypto_ex_10KB rust_crypto_ex 10;
    ring_1MB ring 1000;
    rust_crypto_1MB rust_crypto 1000;
    rust_crypto_ex_1MB rust_crypto_ex 1000;
}
