//! Files in the form in which people post results, each with the figures that it must give. They
//! are made up; the forms and the mistakes in them come from public reports.

use cupel_gate::readers::{Document, File, Format, Measured, parse, read, read_bytes};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name)
}

/// Everything that was read, one line for each result.
fn shown(files: &[File]) -> String {
    let mut out = String::new();
    for File { document, .. } in files {
        let _ = writeln!(out, "{} {} on {}", document.format, document.version, document.machine);
        for row in &document.results {
            let _ = write!(out, "  {} ({}) ", row.name, row.parameters);
            match (row.ns, &row.error) {
                (Some(ns), None) => {
                    let _ = write!(out, "{} {} ns of {}", row.statistic, rounded(ns), row.samples);
                }
                (_, error) => {
                    let _ = write!(out, "{}", error.as_deref().unwrap_or("nothing"));
                }
            }
            if let (Some(low), Some(high)) = (row.low, row.high) {
                let _ = write!(out, ", {} .. {}", rounded(low), rounded(high));
            }
            if let Some(bytes) = row.bytes {
                let _ = write!(out, ", {bytes} B");
            }
            out.push('\n');
        }
        for note in &document.notes {
            let _ = writeln!(out, "  {note}");
        }
        if let Some(unread) = &document.unread {
            let _ = writeln!(out, "  {unread}");
        }
    }
    out
}

/// Six significant digits.
fn rounded(ns: f64) -> String {
    let places = (5 - ns.abs().max(1e-9).log10().floor() as i32).clamp(0, 9) as usize;
    format!("{ns:.places$}")
}

/// The files and their content.
const CASES: [(&str, &str); 85] = [
    (
        "01-jmh-16-threads.json",
        r#"
jmh 1.37 on OpenJDK 64-Bit Server VM 21.0.4
  bench.Digest.sha256 (bytes=1024, threads=16, mode=thrpt) mean (thrpt) 422.052 ns of 15, 417.210 .. 427.008
  bench.Digest.sha256 (bytes=1024, threads=16, mode=avgt) mean 421.700 ns of 15, 416.600 .. 426.800
  bench.Digest.sha256 (bytes=1024) mean 402.300 ns of 15, 400.300 .. 404.300
"#,
    ),
    (
        "02-jmh-sample-outliers.json",
        r#"
jmh 1.37 on OpenJDK 64-Bit Server VM 21.0.4
  bench.Hmac.sign (alg=HmacSHA256, threads=16) median (sample) 236.000 ns of 15
"#,
    ),
    (
        "04-jmh-ss-nan.json",
        r#"
jmh 1.37 on OpenJDK 64-Bit Server VM 21.0.4
  bench.FirstCall.sha256 (provider=BC) first call (ss) 61830000 ns of 1
  bench.FirstCall.never (provider=SUN) JMH gives no score
"#,
    ),
    (
        "05-jmh-three-jdks-merged.json",
        r#"
jmh 1.37 on OpenJDK 64-Bit Server VM 17.0.12
  bench.Gcm.seal (size=1024) mean 1480.20 ns of 15, 1477.20 .. 1483.20
jmh 1.37 on OpenJDK 64-Bit Server VM 21.0.4
  bench.Gcm.seal (size=1024) mean 702.900 ns of 15, 699.900 .. 705.900
jmh 1.37 on OpenJDK 64-Bit Server VM 25
  bench.Gcm.seal (size=1024) mean 655.100 ns of 15, 652.100 .. 658.100
jmh 1.37 on GraalVM CE 21.0.4+8.1 21.0.4
  bench.Gcm.seal (size=1024) mean 1602.70 ns of 15, 1599.70 .. 1605.70
"#,
    ),
    (
        "06-jmh-gc-and-perfnorm.json",
        r#"
jmh 1.37 on OpenJDK 64-Bit Server VM 21.0.4
  bench.Digest.fresh (bytes=64) mean 188.200 ns of 15, 187.100 .. 189.300
  left out, because they are not times: CPI, cycles:u, gc.alloc.rate, gc.alloc.rate.norm, gc.count, instructions:u
"#,
    ),
    (
        "08-jmh-raw-newline-in-string.json",
        r#"
jmh 1.11 on OpenJDK 64-Bit Server VM 21.0.4
  bench.Digest.digest (input=A,
                 B) mean 3510.00 ns of 15, 3490.00 .. 3530.00
"#,
    ),
    (
        "10-jmh-text.txt",
        r#"
jmh 1.37 on JDK 25, OpenJDK 64-Bit Server VM, 25+36
  Gcm.seal (size=1024) mean 702.914 ns of 15, 699.907 .. 705.921
  Gcm.seal (size=16384) mean 3391.21 ns of 15, 3378.33 .. 3404.09
  left out, because they are not times: gc.alloc.rate.norm
"#,
    ),
    (
        "11-jmh.csv",
        r#"
jmh  on 
  bench.Gcm.seal (size=1024) mean 702.914 ns of 15, 699.907 .. 705.921
  bench.Gcm.seal (size=16384) mean 3391.21 ns of 15
"#,
    ),
    (
        "13-jmh-bom.json",
        r#"
jmh 1.37 on OpenJDK 64-Bit Server VM 21.0.4
  bench.Gcm.seal (size=1024) mean 702.900 ns of 15, 699.900 .. 705.900
"#,
    ),
    (
        "14-kotlinx-native.json",
        r#"
jmh  on 
  org.example.Sha256Bench.digest (size=4096) mean (thrpt) 1097.45 ns of 5, 1079.91 .. 1115.57
"#,
    ),
    (
        "15-gbench-nan-counter.json",
        r#"
google-benchmark v1.9.4 on ci-17, 8 CPUs of 3094 MHz
  BM_seal/0 () mean 88.1000 ns of 100000, 0 B
  BM_seal/64 () mean 131.000 ns of 100000, 64 B
  BM_open/64 () mean 140.200 ns of 100000, 64 B
"#,
    ),
    (
        "17-gbench-bigo.json",
        r#"
google-benchmark v1.9.4 on ci-17, 8 CPUs of 3094 MHz
  BM_sha256/64 () mean 212.000 ns of 100000
  BM_sha256/4096 () mean 9120.00 ns of 100000
"#,
    ),
    (
        "18-gbench-manual-time-and-threads.json",
        r#"
google-benchmark v1.9.4 on ci-17, 8 CPUs of 3094 MHz
  BM_gcm/16384/manual_time () mean 3300.00 ns of 100000, 16384 B
  BM_gcm/16384/real_time/threads:8 (threads=8) mean 3840.00 ns of 100000, 16384 B
  BM_gcm/16384/process_time/real_time () mean 3310.00 ns of 100000, 16384 B
"#,
    ),
    (
        "20-gbench-stderr-first.json",
        r#"
google-benchmark v1.9.4 on ci-17, 8 CPUs of 3094 MHz
  BM_sha1/1024 () mean 661.250 ns of 100000
"#,
    ),
    (
        "21-gbench-console.txt",
        r#"
google-benchmark  on 
  BM_EVP_MD5/16 () mean 193.000 ns of 3611207, 16 B
  BM_MD5_Init/16 () mean 70.4000 ns of 9946113, 16 B
  BM_EVP_SHA256/16 () mean 238.000 ns of 2950013, 16 B
"#,
    ),
    (
        "23-gbench-time-per-byte.json",
        r#"
google-benchmark v1.9.4 on ci-17, 8 CPUs of 3094 MHz
  BM_Hash_SHA256/1024 () mean 2.11000 ns of 100000, 1 B
  BM_Hash_SHA256/65536 () mean 2.03000 ns of 100000, 1 B
  a call of 1 byte: these are times per byte, not per call
"#,
    ),
    (
        "25-github-action-data.js",
        r#"
lines  on 
  Digest/SHA256/16 (commit=0000000) as given 341.200 ns of 0
  Mac/HMAC_SHA256/16 (commit=0000000) as given 342.224 ns of 0
  Digest/SHA256/256 (commit=0000000) as given 402.800 ns of 0
  Mac/HMAC_SHA256/256 (commit=0000000) as given 404.008 ns of 0
  Digest/SHA256/4096 (commit=0000000) as given 2511.00 ns of 0
  Mac/HMAC_SHA256/4096 (commit=0000000) as given 2518.53 ns of 0
"#,
    ),
    (
        "26-criterion-elements-and-bytes",
        r#"
criterion  on 
  sha256/bits/1024 () slope 609.778 ns of 10, 607.334 .. 612.222, 1024 B
criterion  on 
  sha256/many/64 () slope 5199.58 ns of 10, 5178.74 .. 5220.42, 16384 B
"#,
    ),
    (
        "27-criterion-cycles",
        r#"
criterion  on 
  aes-gcm/cpb/4096 () slope 3364.26 ns of 10, 3350.77 .. 3377.74, 4096 B
"#,
    ),
    (
        "31-criterion-two-baselines",
        r#"
criterion  on 
  sha512/ring/4096 (baseline=v1) slope 5389.20 ns of 10, 5367.60 .. 5410.80, 4096 B
criterion  on 
  sha512/ring/4096 (baseline=v2) slope 4890.20 ns of 10, 4870.60 .. 4909.80, 4096 B
criterion  on 
  sha512/sha2/4096 () mean 5580.00 ns of 10, 5557.68 .. 5602.32, 4096 B
criterion  on 
  sha512/sha2/4096 (baseline=v1) mean 5600.00 ns of 10, 5577.60 .. 5622.40, 4096 B
"#,
    ),
    (
        "32-critcmp-export.json",
        r#"
critcmp  on 
  sha512/ring/4096 (baseline=v1) slope 5391.00 ns of 0, 5372.00 .. 5410.00, 4096 B
"#,
    ),
    (
        "35-bssl-speed.json",
        r#"
bssl  on 
  AES-256-GCM seal (bytes=16) mean 112.995 ns of 8850500, 16 B
  AES-256-GCM (16 bytes) seal init () mean 226.785 ns of 4410000
  SHA-256 (bytes=1350) mean 770.648 ns of 1298000, 1350 B
"#,
    ),
    (
        "37-custom-smaller-is-better.json",
        r#"
lines  on 
  populate 1024x1000 (median) () as given 21700000 ns of 0
  bundle size () 26211 bytes is not a time per call
"#,
    ),
    (
        "38-openssl-speed.txt",
        r#"
openssl-speed 3.4.1 on OPENSSL_ia32cap=0x7ef8320b078bffff:0x415f46f1bf07ab
  AES-256-GCM (bytes=16) mean of processor time 150.166 ns of 0, 16 B
  AES-256-GCM (bytes=64) mean of processor time 155.717 ns of 0, 64 B
  AES-256-GCM (bytes=256) mean of processor time 182.975 ns of 0, 256 B
  AES-256-GCM (bytes=1024) mean of processor time 275.933 ns of 0, 1024 B
  AES-256-GCM (bytes=8192) mean of processor time 853.234 ns of 0, 8192 B
  AES-256-GCM (bytes=16384) mean of processor time 1510.26 ns of 0, 16384 B
  sha256 (bytes=16) mean of processor time 158.384 ns of 0, 16 B
  sha256 (bytes=64) mean of processor time 212.469 ns of 0, 64 B
  sha256 (bytes=256) mean of processor time 344.078 ns of 0, 256 B
  sha256 (bytes=1024) mean of processor time 830.486 ns of 0, 1024 B
  sha256 (bytes=8192) mean of processor time 5465.67 ns of 0, 8192 B
  sha256 (bytes=16384) mean of processor time 10842.4 ns of 0, 16384 B
"#,
    ),
    (
        "40-openssl-speed-nonsense.txt",
        r#"
openssl-speed  on 
  id-aes256-wrap (bytes=16) it takes -51440329.21810699 ns, which is impossible, 16 B
  id-aes256-wrap (bytes=64) it takes inf ns, which is impossible, 64 B
  id-aes256-wrap (bytes=256) it takes -3292181069.9588475 ns, which is impossible, 256 B
  id-aes256-wrap (bytes=1024) it takes 0 ns, which is impossible, 1024 B
  aes-128-ccm (bytes=16) its rate is the same at all sizes, so it did not do the work, 16 B
  aes-128-ccm (bytes=64) its rate is the same at all sizes, so it did not do the work, 64 B
  aes-128-ccm (bytes=256) its rate is the same at all sizes, so it did not do the work, 256 B
  aes-128-ccm (bytes=1024) its rate is the same at all sizes, so it did not do the work, 1024 B
  AES-128-CBC () it has 1 rate for 4 sizes
"#,
    ),
    (
        "41-go-bench.txt",
        r#"
go  on linux, arm64
  BenchmarkSum/sha256/64-8 (pkg=example.org/hash) median 131.550 ns of 2, 64 B
  BenchmarkSum/sha256/64#01-8 (pkg=example.org/hash) mean 132.400 ns of 9101115
  BenchmarkSeal-8 (pkg=example.org/hash) mean 4012.00 ns of 300000, 4096 B
  left out, because they are not times: B/op, allocs/op, p99-ns/op
"#,
    ),
    (
        "43-benchstat.txt",
        r#"
benchstat  on linux
  Hash8Bytes/New-8 (file=old.txt) median 341.000 ns of 0, 330.770 .. 351.230
  Hash8Bytes/New-8 (file=new.txt) median 252.000 ns of 0, 246.960 .. 257.040
  Hash8Bytes/Sum256-8 (file=old.txt) median 251.200 ns of 0, 148.208 .. 354.192
  Hash8Bytes/Sum256-8 (file=new.txt) median 250.100 ns of 0, 247.599 .. 252.601
"#,
    ),
    (
        "44-libtest.txt",
        r#"
libtest  on 
  sha256_1k () median 4611.27 ns of 0
  sha256_64k () median 289044 ns of 0
"#,
    ),
    (
        "45-hyperfine.json",
        r#"
hyperfine  on 
  sha256sum f.1g (size=1g) median 598800000 ns of 3
  openssl dgst -sha256 f.1g () the command failed in 1 execution
"#,
    ),
    (
        "46-pyperf.json",
        r#"
pyperf  on Python 3.13.1
  hashlib_sha256_32 () median 520.000 ns of 2
"#,
    ),
    (
        "48-benchmarkdotnet-nan.json",
        r#"
benchmarkdotnet 0.15.4 on .NET 10.0.1
  Hash.Sha256(Size: 64) () mean 141.200 ns of 1
"#,
    ),
    (
        "49-wolfcrypt.txt",
        r#"
wolfcrypt  on 
  AES-256-GCM-enc (bytes=1048576) mean 197601 ns of 0, 1048576 B
  POLY1305 (bytes=1048576) it processes 25281 GB in a second, which is impossible, 1048576 B
  SHA-256 (bytes=1048576) mean 666445 ns of 0, 1048576 B
  PBKDF2 () it derives keys, and its rate is not the time of one
  SHA3-256 (bytes=1048576) mean 2488974 ns of 0, 1048576 B
"#,
    ),
    (
        "51-nanobench.md",
        r#"
nanobench  on 
  SHA256D64_1024_SHANI using the 'x86_shani(1way,2way)' implementation (per=byte) median 0.610000 ns of 0, 1 B
  SHA256_32b_AVX2 (per=byte) median 4.40000 ns of 0, 1 B
  a call of 1 byte: these are times per byte, not per call
"#,
    ),
    (
        "54-folder-of-jmh-files",
        r#"
jmh 1.37 on OpenJDK 64-Bit Server VM 17.0.12
  bench.Gcm.seal (size=1024) mean 1480.20 ns of 15, 1477.20 .. 1483.20
jmh 1.37 on OpenJDK 64-Bit Server VM 21.0.4
  bench.Digest.fresh (bytes=64) mean 188.200 ns of 15, 187.100 .. 189.300
"#,
    ),
    (
        "printed/openssl-multi.txt",
        r#"
openssl-speed 3.0.19 on 
  sha256 (bytes=64, threads=2) mean 838.321 ns of 0, 64 B
"#,
    ),
    (
        "printed/openssl-mr.txt",
        r#"
openssl-speed  on 
  sha256 (bytes=64) its clock saw less than half of the time that it measured: add -elapsed, 64 B
  sha512 (bytes=64) mean of processor time 526.076 ns of 0, 64 B
  rsa 1024 sign () mean of processor time 64188.3 ns of 0
  rsa 1024 verify () mean of processor time 3709.74 ns of 0
  ecdh 253 op () mean of processor time 24228.4 ns of 0
  253 Ed25519 sign () mean of processor time 23071.9 ns of 0
  253 Ed25519 verify () mean of processor time 59815.1 ns of 0
"#,
    ),
    (
        "printed/openssl-public.txt",
        r#"
openssl-speed 3.1.1 on 
  des cbc (bytes=64) mean 1570.05 ns of 0, 64 B
  rc2 cbc (bytes=64) mean 6555282 ns of 0, 64 B
  rsa 7680 bits sign () mean 2256000000 ns of 0
  rsa 7680 bits verify () mean 18655000 ns of 0
  253 bits ecdh (X25519) op () mean 23845.0 ns of 0
  ML-KEM-768 keygen () mean 20000.0 ns of 0
  ML-KEM-768 encaps () mean 25000.0 ns of 0
  ML-KEM-768 decaps () mean 40000.0 ns of 0
"#,
    ),
    (
        "printed/go.jsonl",
        r#"
go  on 
  BenchmarkSum-2 (pkg=example.org/hash) mean 2000.00 ns of 1000
"#,
    ),
    (
        "printed/go-odd.txt",
        r#"
go  on 
  BenchmarkSplit-2 () mean 2500.00 ns of 500
  BenchmarkNeon () it was skipped
  BenchmarkCustom-2 () it reports widgets/op and no ns/op
  BenchmarkZero-2 () it takes 0 ns, which is impossible
  left out, because they are not times: widgets/op
"#,
    ),
    (
        "printed/criterion.txt",
        r#"
criterion  on 
  sha256/64 () slope or mean 131.000 ns of 0, 130.100 .. 132.400, 64 B
  a/very/long/name/of/a/benchmark () slope or mean 4630.00 ns of 0, 4611.20 .. 4650.00
  count () slope or mean 1002100 ns of 0, 997560 .. 1011300
  mostly-below () slope or mean 999.120 ns of 0, 981.400 .. 1020.30
  aes/cycles () 3371.0 cycles is not a time per call
"#,
    ),
    (
        "printed/jmh-threads.txt",
        r#"
jmh 1.37 on 
  Gcm.open (a=16, threads=4) mean (thrpt) 500.000 ns of 10, 470.588 .. 533.333
  Gcm.seal (a=16, b=x, threads=4) median (sample) 300.000 ns of 151234
  Gcm.tiny (a=16, b=x, threads=4) its score is too small for its unit: use -tu ns
  Gcm.group:reader (a=16, b=x, threads=4) mean 512.250 ns of 10
"#,
    ),
    (
        "printed/benchstat-old.txt",
        r#"
benchstat  on 
  Hash-8 (file=old) median 341.000 ns of 0, 330.770 .. 351.230
  Hash-8 (file=new) median 252.000 ns of 0, 246.960 .. 257.040
  Big-8 (file=old) median 1500.00 ns of 0, 1500.00 .. 1500.00
  Big-8 (file=new) median 1500.00 ns of 0, 1485.00 .. 1515.00
  left out, because they are not times: alloc/op
"#,
    ),
    (
        "printed/benchstat.csv",
        r#"
benchstat  on linux
  Encode-48 (file=old.txt) median 1718.00 ns of 0, 1700.82 .. 1735.18
  Encode-48 (file=new.txt) median 1422.50 ns of 0, 1394.05 .. 1450.95
  Gone-48 (file=old.txt) median 3065.50 ns of 0, 3065.50 .. 3065.50
  Few-48 (file=old.txt) median 2000.00 ns of 0
  Few-48 (file=new.txt) median 2000.00 ns of 0
"#,
    ),
    (
        "printed/hyperfine.txt",
        r#"
hyperfine  on 
  sha256sum f () mean 104400000 ns of 28
  b3sum f () mean 1500000000 ns of 10
"#,
    ),
    (
        "printed/hyperfine.md",
        r#"
hyperfine  on 
  sha256sum f () mean 104400000 ns of 0
"#,
    ),
    (
        "printed/hyperfine.csv",
        r#"
hyperfine  on 
  sha256sum f (size=1g) median 104000000 ns of 0
"#,
    ),
    (
        "printed/critcmp.txt",
        r#"
critcmp  on 
  sha512/ring/4096 (baseline=after) mean or slope 4900.00 ns of 0
  sha512/ring/4096 (baseline=before) mean or slope 5400.00 ns of 0
  sha512/new () not every baseline has it: use critcmp --export
"#,
    ),
    (
        "printed/mitata.txt",
        r#"
mitata  on Example CPU, node 24.1.0 (x64-linux)
  new Array(512) () mean 509.420 ns of 0
  sha256 () mean 1290.00 ns of 0
"#,
    ),
    (
        "printed/mitata.json",
        r#"
mitata  on node, 24.1.0, Example CPU
  sha256(64) (size=64) median 510.500 ns of 3
  sha256(0) () no input
"#,
    ),
    (
        "printed/tinybench.txt",
        r#"
tinybench  on 
  faster task () median 58954.0 ns of 1569
  failed task () it has no time
"#,
    ),
    (
        "printed/tinybench-2.txt",
        r#"
tinybench  on 
  sha256 () mean 2000.50 ns of 50000
"#,
    ),
    (
        "printed/dotnet.md",
        r#"
benchmarkdotnet  on 
  Sha256 (Size=64) mean 141.200 ns of 0
  Sha256 (Size=65536) mean 51234.5 ns of 0
  Sha3 (Size=64) its time is "NA"
"#,
    ),
    (
        "printed/dotnet.csv",
        r#"
benchmarkdotnet  on 
  Sha256 (Size=64) mean 141.200 ns of 0
  Sha256 (Size=65536) mean 51234.5 ns of 0
"#,
    ),
    (
        "printed/nanobench.json",
        r#"
nanobench  on 
  SHA256 (per=byte) median 2.00000 ns of 11, 1 B
  Sign () median 25000.0 ns of 11
  a call of 1 byte: these are times per byte, not per call
"#,
    ),
    (
        "printed/nanobench.csv",
        r#"
nanobench  on 
  Sign () median 25000.0 ns of 0
"#,
    ),
    (
        "printed/wolfcrypt.txt",
        r#"
wolfcrypt 5.7.2 on 
  SHA-256 (bytes=1024) mean 2000.00 ns of 0, 1024 B
  RSA 2048 public () mean 62500.0 ns of 0
"#,
    ),
    (
        "printed/google-benchmark.csv",
        r#"
google-benchmark  on 
  BM_seal/64 () mean 131.000 ns of 100000, 64 B
  BM_neon () no NEON
"#,
    ),
    (
        "printed/google-benchmark.txt",
        r#"
google-benchmark  on 
  BM_seal/64 () median 99.1000 ns of 14260000
  BM_neon () no NEON
  BM_mt/threads:4 (threads=4) mean 100.000 ns of 20000000
"#,
    ),
    (
        "printed/bssl.txt",
        r#"
bssl  on 
  AES-256-GCM seal (bytes=16) mean 112.995 ns of 8850500, 16 B
  RSA 2048 signing () mean 1000000 ns of 1000
"#,
    ),
    (
        "printed/libtest.jsonl",
        r#"
libtest  on 
  sha256_1k () median 4611.27 ns of 0
"#,
    ),
    (
        "printed/libtest.txt",
        r#"
libtest  on 
  sha256_64 () median 103.000 ns of 6, 98.0000 .. 108.000, 64 B
"#,
    ),
    (
        "printed/lines.txt",
        r#"
lines  on 
  hash/64 () as given 120.500 ns of 0
  hash 4096 () as given 1250.00 ns of 0
  sign () as given 50000.0 ns of 0
  memory () 48 B is not a time per call
"#,
    ),
    (
        "56-divan-tree",
        r#"
divan  on 
  aead/aes256gcm/seal/64 () median 72.1900 ns of 100, 64 B
  aead/aes256gcm/seal/16384 () median 3402.00 ns of 100, 16384 B
  aead/aes256gcm/open/16384 () median 2541.00 ns of 100, 16384 B
  aead/aes256siv () it was ignored
  aead/chacha20poly1305/seal/16384 () median 1011000 ns of 100, 16384 B
divan  on 
  aead/aes256gcm/seal/64 () median 72.1900 ns of 100, 64 B
  aead/aes256gcm/seal/16384 () median 2459.00 ns of 100, 16384 B
  aead/aes256gcm/open/16384 () median 2541.00 ns of 100, 16384 B
  aead/aes256siv () it was ignored
  aead/chacha20poly1305/seal/16384 () median 1011000 ns of 100, 16384 B
"#,
    ),
    (
        "57-noble-bmark",
        r#"
micro-bmark  on 
  sha256 (32B)/node () mean 1632.00 ns of 0
  sha256 (32B)/hash-wasm () mean 650.000 ns of 0
  sha256 (32B)/noble () mean 1135.00 ns of 0
  sha256 (32B)/stablelib () mean 1775.00 ns of 0
  sha256 (1MB)/node () mean 584112 ns of 0
  sha256 (1MB)/hash-wasm () mean 2624672 ns of 0
  sha256 (1MB)/noble () mean 4672897 ns of 0
  sha256 (1MB)/stablelib () mean 5319149 ns of 0
  chacha20poly1305 (encrypt, 1KB)/node () mean 3688.01 ns of 0
  chacha20poly1305 (encrypt, 1KB)/noble () mean 10822.0 ns of 0
  argon2id (256MB, 1 pass) () mean 1829000000 ns of 0
micro-bmark  on 
  SHA256 32B () mean 508.000 ns of 0
  SHA512 32B () mean 1641.00 ns of 0
  HMAC(SHA256) 32B () mean 1750.00 ns of 0
  BLAKE3 32B () mean 1439.00 ns of 0
  SHA256 1MB () mean 3367003 ns of 0
"#,
    ),
    (
        "58-pytest-benchmark",
        r#"
pytest-benchmark 5.2.3 on Python 3.13.2, AMD EPYC 7763 64-Core Processor
  test_seal[aesgcm-1024] () median 1468.10 ns of 32514
  test_seal[chacha-1024] () median 2212.50 ns of 21533
  test_once () median 418220000 ns of 1
pytest-benchmark  on 
  test_seal[aesgcm-1024] () median 1468.10 ns of 32514
  test_seal[chacha-1024] () median 2212.50 ns of 21533
"#,
    ),
    (
        "59-deno-bench",
        r#"
deno  on Deno/2.7.8 x86_64-unknown-linux-gnu, AMD EPYC 7763 64-Core Processor
  node:crypto > 10 B () mean 368.400 ns of 2714311
  node:crypto > 1 MiB () mean 620400 ns of 1612
  hash-wasm > 10 B () mean 289.000 ns of 3460207
  hash-wasm > 1 MiB () Uncaught RangeError: offset is out of bounds
deno  on AMD EPYC 7763 64-Core Processor, Deno 2.3.6 (x86_64-unknown-linux-gnu)
  node:crypto > 10 B () mean 368.400 ns of 0
  node:crypto > 1 MiB () mean 620400 ns of 0
deno  on AMD EPYC 7763 64-Core Processor, Deno 2.7.8 (x86_64-unknown-linux-gnu)
  node:crypto > 10 B () mean 368.400 ns of 0
  node:crypto > 1 MiB () mean 620400 ns of 0
  hash-wasm > 10 B () mean 289.000 ns of 0
  hash-wasm > 1 MiB () RangeError: offset is out of bounds
"#,
    ),
    (
        "60-hyperfine-failed",
        r#"
hyperfine  on 
  ./vault verify --backend rust archive.bin () median 411900000 ns of 10, 409100000 .. 422500000
  ./vault verify --backend openssl archive.bin () the command failed in 5 executions
  ./vault verify --backend node archive.bin () the command failed in 4 executions
hyperfine  on 
  ./vault verify --backend rust  archive.bin () mean 412600000 ns of 10
  ./vault verify --backend openssl archive.bin () the command failed in some executions; --export-json says in which
  timeout 2 ./vault verify --backend node archive.bin () the command failed in some executions; --export-json says in which
"#,
    ),
    (
        "printed/catch2.xml",
        r#"
catch2 3.7.1 on 
  aead > 1 KiB > seal <gcm> () mean 702.914 ns of 100, 699.900 .. 706.200
  aead > open () no "avx2"
"#,
    ),
    (
        "printed/botan.txt",
        r#"
botan  on 
  AES-256/GCM encrypt (bytes=1024) mean 312.177 ns of 0, 1024 B
  AES-256/GCM decrypt (bytes=1024) mean 325.521 ns of 0, 1024 B
  SHA-256 hash (bytes=64) it did nothing in its time, 64 B
  RSA-2048 sign () mean 656562 ns of 762
  ECDSA-secp256r1 key gen keygen () mean 50000.0 ns of 1
"#,
    ),
    (
        "printed/botan.json",
        r#"
botan 3.7.1 on 
  SHA-256 hash (bytes=1024) mean 488.281 ns of 1024000, 1024 B
  RSA-2048 sign () mean 656562 ns of 762
"#,
    ),
    (
        "printed/zbench.txt",
        r#"
zbench  on 
  sha256 64 () mean 131.000 ns of 65535
  argon2 () mean 61500000000 ns of 2
"#,
    ),
    (
        "printed/zbench-old.txt",
        r#"
zbench  on 
  benchmarkMyFunction () mean 1200000000 ns of 1000
"#,
    ),
    (
        "printed/zbench.json",
        r#"
zbench  on 
  sha256 () median 131.000 ns of 3, 64 B
"#,
    ),
    (
        "printed/vitest.json",
        r#"
vitest  on 
  hash.bench.ts > sha256 > 64 B () median 1250.00 ns of 390625
  hash.bench.ts > sha256 > 4 KiB () mean 10000.0 ns of 0
"#,
    ),
    (
        "printed/vitest-4.json",
        r#"
vitest  on 
  hash sha256 > noble () median 1900.00 ns of 250000
"#,
    ),
    (
        "printed/tinybench.json",
        r#"
tinybench  on 
  sha256 64 () median 3337.00 ns of 6960
  broken () no input
"#,
    ),
    (
        "printed/tinybench-tasks.json",
        r#"
tinybench  on 
  sha256 () median 1900.00 ns of 5000
  old () mean 4000.00 ns of 2
  broken () no input
"#,
    ),
    (
        "printed/benchmark-js.txt",
        r#"
micro-bmark  on 
  sha256#node () mean 1135.00 ns of 0
  sha256#wasm () mean 650.000 ns of 0
"#,
    ),
    (
        "printed/jsbt.txt",
        r#"
micro-bmark  on 
  noble (section=sha256) mean 164690 ns of 0
  copy 1MiB () 1420 mib/sec is a rate of something other than calls
  noble (section=sha512) mean 329381 ns of 0
  alpha () mean 1666.67 ns of 0
  beta () mean 3333.33 ns of 0
"#,
    ),
    (
        "printed/pytest.txt",
        r#"
pytest-benchmark  on 
  test_hash[a b] (NOW) () mean 1392.90 ns of 32514
  test_hash[a b] (0001) () mean 1400.00 ns of 32514
"#,
    ),
    (
        "printed/deno-failed.txt",
        r#"
deno  on AMD EPYC 7763 64-Core Processor, Deno 2.7.8 (x86_64-unknown-linux-gnu)
  slow () mean 90000000000 ns of 0
  broken () RangeError: offset is out of bounds
"#,
    ),
    (
        "printed/divan-alloc.txt",
        r#"
divan  on 
  a/hash (bench=benches/a.rs) median 72.1900 ns of 100, 64 B
  a/hash (bench=benches/b.rs) median 82.1900 ns of 100
"#,
    ),
    (
        "printed/openssl-mr-multi.txt",
        r#"
openssl-speed  on 
  sha256 (bytes=64, threads=2) mean 1672.74 ns of 0, 64 B
  rsa 1024 sign (threads=2) mean 738212 ns of 0
  rsa 1024 verify (threads=2) mean 45202.8 ns of 0
"#,
    ),
    (
        "printed/micro-bmark.txt",
        r#"
micro-bmark  on 
  sha256 64 B () mean 5028.01 ns of 0
  once () first call 94000.0 ns of 0
"#,
    ),
    (
        "printed/hyperfine-ended.txt",
        r#"
hyperfine  on 
  sha256sum f () mean 2003000000 ns of 0
  b3sum none () it has no time: it failed
"#,
    ),
];

#[test]
fn each_case_gives_its_figures() {
    let mut wrong = String::new();
    for (name, expected) in CASES {
        let found = read(&case(name));
        let shown = shown(&found.files);
        if !found.problems.is_empty() || shown.trim() != expected.trim() {
            let _ = write!(wrong, "\n{name}: {:?}\n{shown}", found.problems);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_cannot_be_read_says_what_to_do() {
    for (name, words) in [
        ("29-cargo-criterion-data", "cargo criterion --message-format=json"),
        ("30-criterion-change-only", "import target/criterion"),
        ("30-criterion-change-only/sip/13/8/change/estimates.json", "import target/criterion"),
        ("55-cryptobench.yaml", "cupel reads jmh, criterion"),
    ] {
        let found = read(&case(name));
        let said: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
        assert!(found.files.is_empty() && said.len() == 1 && said[0].contains(words), "{said:?}");
    }
    let files = |folder: &str| std::fs::read_dir(case(folder)).unwrap().count();
    // Without the folder and the three that cannot be read.
    assert_eq!(files("") - 4 + files("printed"), CASES.len(), "every case is tested");
}

#[test]
fn the_encoding_of_a_file_and_what_ci_adds_to_it_change_nothing() {
    let file = std::fs::read(case("10-jmh-text.txt")).unwrap();
    let plain = parse(&file, None).unwrap();
    let text = String::from_utf8(file).unwrap();
    let wide = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    let coloured = text.replace("Gcm.seal", "\u{1b}[1;32mGcm.seal\u{1b}[0m");
    let logged = text.lines().map(|line| format!("2026-10-02T09:11:40.1234567Z {line}\n"));
    for (what, bytes) in [
        ("UTF-16", [&[0xff, 0xfe][..], &wide(u16::to_le_bytes)].concat()),
        ("UTF-16 the other way", [&[0xfe, 0xff][..], &wide(u16::to_be_bytes)].concat()),
        ("UTF-16 without a mark", wide(u16::to_le_bytes)),
        ("a mark", ["\u{feff}", &text].concat().into_bytes()),
        ("CRLF", text.replace('\n', "\r\n").into_bytes()),
        ("Latin-1", text.chars().map(|c| c as u8).collect()),
        ("colours", coloured.into_bytes()),
        ("a log", logged.collect::<String>().into_bytes()),
        ("a build before it", format!("[INFO] Building\nOK {{x}}\n{text}").into_bytes()),
    ] {
        assert_eq!(parse(&bytes, None).as_ref(), Ok(&plain), "{what}");
    }
}

#[test]
fn several_documents_in_one_file_are_one() {
    let file = std::fs::read(case("17-gbench-bigo.json")).unwrap();
    let other = std::fs::read(case("20-gbench-stderr-first.json")).unwrap();
    let found = parse(&[file, other].concat(), None).unwrap();
    let names: Vec<&str> = found.results.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["BM_sha256/64", "BM_sha256/4096", "BM_sha1/1024"]);
}

#[test]
fn a_chosen_format_is_read_among_other_lines_and_no_other_is() {
    let text = b"Compiling it now\n12 files\nhash/64 120.5 ns\ndone\n";
    assert!(parse(text, None).is_err());
    let found = parse(text, Some(Format::Lines)).unwrap();
    assert_eq!((found.results[0].name.as_str(), found.results[0].ns), ("hash/64", Some(120.5)));
    let problem = parse(text, Some(Format::Go)).unwrap_err();
    assert!(problem.to_string().contains("go is written by: go test -bench"), "{problem}");
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
    }
}

#[test]
fn damaged_files_are_read_or_refused_without_a_panic() {
    let mut fuzz = Fuzz::new(1);
    (0..3000).for_each(|_| fuzz.once());
}

/// As the one above. `CUPEL_FUZZ_SEED` chooses the damage, and `CUPEL_FUZZ_SECONDS` says for how
/// long.
#[test]
#[ignore = "a minute: make evidence"]
fn many_damaged_files_are_read_or_refused_without_a_panic() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let mut fuzz = Fuzz::new(number("CUPEL_FUZZ_SEED").unwrap_or(2));
    let seconds = number("CUPEL_FUZZ_SECONDS").unwrap_or(60);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut failures = 0;
    while Instant::now() < end && failures < MOST_FAILURES {
        failures += usize::from(catch_unwind(AssertUnwindSafe(|| fuzz.once())).is_err());
    }
    for (format, damaged) in &fuzz.damaged {
        println!("{format}: {damaged} damaged files");
    }
    let (slowest, bytes) = fuzz.slowest;
    println!("slowest: {:.2} s for {bytes} bytes", slowest.as_secs_f64());
    assert_eq!(failures, 0);
}

/// More are hardly read.
const MOST_FAILURES: usize = 20;

/// Damages fixtures: each format in turn, so that a format with few files is tried as often.
struct Fuzz {
    files: BTreeMap<&'static str, Vec<Vec<u8>>>,
    /// The files of one of Criterion's benchmarks, in a folder for it.
    folder: PathBuf,
    random: Xoshiro256PlusPlus,
    rounds: usize,
    damaged: BTreeMap<&'static str, usize>,
    slowest: (Duration, usize),
}

/// The format of output that no reader reads.
const NONE: &str = "none";
/// The files of one of Criterion's benchmarks.
const FOLDER: &str = "criterion, as a folder";

impl Fuzz {
    fn new(seed: u64) -> Fuzz {
        let mut open = vec![case(""), case("../fixtures/foreign")];
        let mut files: BTreeMap<&str, Vec<Vec<u8>>> = BTreeMap::new();
        while let Some(path) = open.pop() {
            match std::fs::read_dir(&path) {
                Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
                Err(_) => {
                    let bytes = std::fs::read(&path).unwrap();
                    let format = parse(&bytes, None).map_or(NONE, |found| found.format.name());
                    files.entry(format).or_default().push(bytes);
                }
            }
        }
        files.values_mut().for_each(|files| files.sort());
        files.insert(FOLDER, Vec::new());
        let folder = std::env::temp_dir().join(format!("cupel-{seed}-{}", std::process::id()));
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (rounds, damaged, slowest) = Default::default();
        Fuzz { files, folder, random, rounds, damaged, slowest }
    }

    /// Damages a file and reads it.
    fn once(&mut self) {
        let formats: Vec<&'static str> = self.files.keys().copied().collect();
        let format = formats[self.rounds % formats.len()];
        let chosen = Format::ALL[self.rounds / formats.len() % Format::ALL.len()];
        self.rounds += 1;
        *self.damaged.entry(format).or_default() += 1;
        if format == FOLDER {
            return self.criterions_folder();
        }
        let of_format = &self.files[format];
        let mut bytes = of_format[self.random.random_range(0..of_format.len())].clone();
        self.damage(&mut bytes);
        for format in [None, Some(chosen)] {
            let began = Instant::now();
            let read = parse(&bytes, format);
            self.slowest = self.slowest.max((began.elapsed(), bytes.len()));
            read.iter().flat_map(|document| &document.results).for_each(assert_possible);
        }
    }

    fn criterions_folder(&mut self) {
        std::fs::create_dir_all(&self.folder).unwrap();
        let names = ["benchmark.json", "estimates.json", "sample.json"];
        let damaged = self.random.random_range(0..names.len());
        for (at, name) in names.into_iter().enumerate() {
            let from = case("26-criterion-elements-and-bytes/sha256/bits/1024/new").join(name);
            let mut bytes = std::fs::read(from).unwrap();
            if at == damaged {
                self.damage(&mut bytes);
            }
            std::fs::write(self.folder.join(name), bytes).unwrap();
        }
        let found = read(&self.folder);
        found.files.iter().flat_map(|file| &file.document.results).for_each(assert_possible);
    }

    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.random.random_range(1..6) {
            self.damage_once(bytes);
        }
    }

    fn damage_once(&mut self, bytes: &mut Vec<u8>) {
        let random = &mut self.random;
        let at = random.random_range(0..=bytes.len());
        let end = random.random_range(at..=bytes.len()).min(at + 200);
        match random.random_range(0..13) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                // Some become long.
                let times = if random.random_ratio(1, 50) { 300 } else { 1 };
                bytes.splice(at..at, part.repeat(times));
            }
            3 => {
                let files: Vec<&Vec<u8>> = self.files.values().flatten().collect();
                let other = files[random.random_range(0..files.len())];
                let from = random.random_range(0..=other.len());
                bytes.splice(at..end, other[from..].iter().take(100).copied());
            }
            4 => {
                let odd = ODD[random.random_range(0..ODD.len())];
                bytes.splice(at..end.min(at + 3), odd.bytes());
            }
            5 => {
                // In the place of a figure.
                let digit = |byte: &u8| byte.is_ascii_digit();
                let start = bytes[at..].iter().position(digit).map_or(end, |first| at + first);
                let length = bytes[start..].iter().take_while(|byte| digit(byte)).count();
                let odd = ODD[random.random_range(0..ODD.len())];
                bytes.splice(start..start + length, odd.bytes());
            }
            6 => drop(bytes.get_mut(at).map(|byte| *byte ^= 1 << random.random_range(0..8))),
            7 => drop(bytes.get_mut(at).map(|byte| *byte = random.random())),
            8 => {
                let deep = ["[", "{\"a\":", "[\n", "{\"benchmarks\":["];
                let deep = deep[random.random_range(0..deep.len())];
                bytes.splice(at..at, deep.repeat(random.random_range(1..300)).bytes());
            }
            9 if bytes.len() < 10_000 => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                let unit = [u16::to_le_bytes, u16::to_be_bytes][random.random_range(0..2)];
                *bytes = text.encode_utf16().flat_map(unit).collect();
            }
            10..12 => {
                let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
                let [one, other] = [(); 2].map(|()| random.random_range(0..lines.len()));
                match random.random_range(0..3) {
                    0 => drop(lines.remove(one)),
                    1 => lines.insert(other, lines[one]),
                    _ => lines.swap(one, other),
                }
                *bytes = lines.join(&b'\n');
            }
            _ => bytes[at..end].reverse(),
        }
    }
}

impl Drop for Fuzz {
    fn drop(&mut self) {
        // It is not there if no folder was damaged.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Text that no honest file has.
const ODD: [&str; 20] = [
    "NaN",
    "-1",
    "-0",
    "0",
    "0.0",
    "inf",
    "-Infinity",
    "1e999",
    "1e-320",
    "1e308",
    "18446744073709551615",
    "99999999999999999999",
    "1,000,000",
    "±",
    "≈ 10⁻³",
    "\u{663}",
    "\n",
    "\"",
    "null",
    "\u{1b}[",
];

fn assert_possible(row: &Measured) {
    assert!(row.ns.is_some() != row.error.is_some(), "{row:?}");
    assert!(row.ns.is_none_or(|ns| ns.is_finite() && ns > 0.0), "{row:?}");
    let all = row.values.iter().chain(&row.low).chain(&row.high);
    assert!(all.into_iter().all(|ns| ns.is_finite() && *ns >= 0.0), "{row:?}");
    assert!(row.low.zip(row.high).is_none_or(|(low, high)| low <= high), "{row:?}");
    assert!(row.low.is_some() == row.high.is_some(), "{row:?}");
    assert!(row.ns.is_none() || !row.name.is_empty(), "{row:?}");
}

/// The files of this crate's tests, in the formats that are read.
fn outputs() -> Vec<(PathBuf, Vec<u8>, Document)> {
    let mut open = vec![case(""), case("../fixtures/foreign")];
    let mut all = Vec::new();
    while let Some(path) = open.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => {
                let bytes = std::fs::read(&path).unwrap();
                all.extend(parse(&bytes, None).ok().map(|found| (path, bytes, found)));
            }
        }
    }
    all.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    all
}

/// From how many bytes of an output its end is cut off, one by one.
const MOST_CUT: usize = 150;

/// An output that was cut off has fewer rows, and no other names and figures.
#[test]
fn the_beginning_of_an_output_has_no_other_row() {
    let mut wrong = String::new();
    for (path, bytes, whole) in outputs() {
        // Made up: the lines before its table have other figures than the table.
        let is_odd = path.ends_with("38-openssl-speed.txt") || path.ends_with("openssl-public.txt");
        let most = if is_odd { 0 } else { MOST_CUT };
        let ends = bytes.len().saturating_sub(most)..bytes.len();
        for end in ends {
            let Ok(part) = parse(&bytes[..end], Some(whole.format)) else { continue };
            for row in part.results.iter().filter(|row| row.ns.is_some()) {
                let ns = row.ns.unwrap();
                let fits = |known: &Measured| {
                    let Some(own) = known.ns else { return true };
                    let [low, high] =
                        [f64::min, f64::max].map(|end| known.values.iter().copied().fold(own, end));
                    known.statistic != row.statistic || (low * 0.98..high * 1.02).contains(&ns)
                };
                if !whole.results.iter().any(|known| known.name == row.name && fits(known)) {
                    let _ = writeln!(wrong, "{}, {end} bytes: {row:?}", path.display());
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Two runs in one output: nothing that one says counts for the other.
#[test]
fn an_output_after_another_one_gives_the_same_rows() {
    let rows = |bytes: &[u8]| {
        let found = read_bytes(Path::new(""), bytes);
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        let rows = found.files.into_iter().flat_map(|file| {
            let machine = file.document.machine;
            let row = move |row: Measured| {
                (row.name, row.ns.map(|ns| format!("{ns:.9e}")), row.error, machine.clone())
            };
            file.document.results.into_iter().map(row)
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort();
        rows
    };
    // Rows after a machine's rows belong to that machine, and repetitions are one row. A script in
    // JavaScript is not a line of a result.
    let alone =
        ["go-odd.txt", "go.jsonl", "benchstat-old.txt", "libtest.txt", "25-github-action-data.js"];
    let mut all = outputs();
    all.retain(|(path, ..)| !alone.iter().any(|name| path.ends_with(name)));
    let mut wrong = String::new();
    for (one, first, found) in &all {
        for (other, second, _) in all.iter().filter(|(.., other)| other.format == found.format) {
            let mut expected = [rows(first), rows(second)].concat();
            expected.sort();
            let both = [first.as_slice(), second].join(&b'\n');
            if rows(&both) != expected {
                let _ =
                    writeln!(wrong, "{} and {}: {:?}", one.display(), other.display(), rows(&both));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Files that took minutes.
#[test]
fn the_time_to_read_grows_with_the_length_only() {
    let long = "a".repeat(2 << 20);
    assert!(parse(format!("[\"{long}").as_bytes(), None).is_err());
    let text = format!("[{{\"name\": \"{long}\", \"value\": 1, \"unit\": \"ns\"}}]");
    assert!(parse(text.as_bytes(), None).unwrap().results[0].error.is_some(), "a long name");
    assert!(
        parse(format!("[\n\"{}\",\n", "a".repeat(4000)).repeat(1000).as_bytes(), None).is_err()
    );
    // Many columns, and many rows that have one or two of them.
    let (columns, rows) = (",sec/op".repeat(100_000), "a,1e-6,2%\n".repeat(100_000));
    let text = format!(",a\n{columns}\n{rows}");
    assert!(parse(text.as_bytes(), Some(Format::Benchstat)).is_ok());
}
