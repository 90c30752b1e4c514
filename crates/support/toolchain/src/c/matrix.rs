//! A family that every compiler builds with every flag: the names of its contenders, and their
//! objects, each linked in several layouts (see layout.rs).

use super::cc;
use super::compiler::{self, Compiler};
use super::debian;
use super::launch::Launch;
use super::layout;
use super::native;
use crate::absent::Absent;
use crate::builds::artefact::alone;
use crate::builds::bounded;
use crate::builds::cargo;
use crate::built::Built;
use crate::wanted::Wanted;
use cupel_base::disk::folder_next_to;
use cupel_base::home::Home;
use cupel_base::name::{ContenderName, Pattern};
use cupel_contender::Family;
use cupel_contender::Variant;
use cupel_contender::family::{Matrix, Native};
use cupel_machine::Machine;
use cupel_protocol::message::Refusal;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// The time limit for compiling one file.
const PATIENCE: Duration = Duration::from_secs(120);

/// Progress is reported each time this many builds are done.
const REPORT_EVERY: usize = 12;

/// The flags that only this build has.
fn flags_of(variant: &Variant) -> Vec<&str> {
    let native = variant.native.then_some("-march=native");
    [variant.flag.as_str()].into_iter().chain(native).collect()
}

/// The contenders that a suite or a filter names, built if that is wanted.
pub fn ready(
    home: &Home,
    family: &Family,
    matrix: &Matrix,
    wanted: &Wanted,
    say: &dyn Fn(&str),
) -> Vec<Built> {
    let bases: Vec<ContenderName> =
        family.contenders.iter().map(|c| family.full_name(&c.name)).collect();
    if !wanted.named.iter().any(|pattern| may_name(pattern, &bases)) {
        return Vec::new();
    }
    let mut given = wanted.compilers.clone();
    given.extend(matrix.compilers.iter().filter(|c| c.contains('/')).map(PathBuf::from));
    let mut compilers = compiler::found(home, &given);
    for name in matrix.compilers.iter().filter(|c| !c.contains('/')) {
        if !compilers.iter().any(|c| c.name == *name) {
            compilers.push(missing(name));
        }
    }
    let mut selected: Vec<Selected<'_>> = Vec::new();
    for compiler in &compilers {
        for native in [false, true].into_iter().filter(|&n| !n || matrix.native) {
            for flag in &matrix.flags {
                let variant = Variant {
                    compiler: compiler.name.clone(),
                    version: compiler.version.clone(),
                    flag: flag.clone(),
                    native,
                };
                let mut family = family.on(&variant.name());
                let mut contenders = std::mem::take(&mut family.contenders);
                contenders.retain(|c| fits_any(&wanted.named, &family.full_name(&c.name)));
                family.contenders = contenders;
                if !family.contenders.is_empty() {
                    selected.push(Selected { compiler, variant, family });
                }
            }
        }
    }
    let sources = Sources::read(home, family, matrix);
    let runner = native::runner(home, wanted.build, say);
    let built = build_all(&selected, &sources, home, wanted, say);
    let mut all = Vec::new();
    for (Selected { variant, family, .. }, objects) in selected.into_iter().zip(built) {
        let layouts = objects.clone().unwrap_or_default();
        let runner = objects.and_then(|_| runner.clone());
        let listing = runner.as_ref().ok().zip(layouts.first()).map(|(runner, first)| {
            let key = hex::encode(&Sha256::digest(cc::identity(runner))[..8]);
            first.with_file_name(format!("list-{key}.json"))
        });
        let object = layouts.first().cloned().unwrap_or_default();
        let command = runner.map(|runner| vec![runner.into_os_string(), object.into_os_string()]);
        all.push(Built { family, command, listing, variant: Some(variant), layouts });
    }
    all
}

/// A wanted variant of a family, with its wanted contenders.
struct Selected<'c> {
    compiler: &'c Compiler,
    variant: Variant,
    family: Family,
}

/// Whether a pattern can name a build of one of these: it has an `@`, and the part before it
/// matches.
fn may_name(pattern: &str, bases: &[ContenderName]) -> bool {
    let pattern = Pattern::new(pattern);
    bases.iter().any(|base| pattern.may_name_build_of(base))
}

/// A matrix has many contenders. They are included only if something names the part after the `@`.
fn fits_any(patterns: &[String], name: &str) -> bool {
    let mut patterns = patterns.iter().map(Pattern::new);
    patterns.any(|pattern| pattern.names_toolchain() && pattern.fits(name))
}

fn missing(name: &str) -> Compiler {
    let remedy = match debian::find_named(name) {
        Ok(_) => format!("cupel install {name}"),
        Err(_) => format!("install {name}, or give the path of one with --compiler"),
    };
    Compiler {
        name: name.to_string(),
        version: String::new(),
        launch: Launch::plain(name.into()),
        refusal: Some(Refusal { reason: format!("{name} is not installed"), remedy: Some(remedy) }),
    }
}

/// The objects of a variant, one for each layout, or why there are none.
type Objects = Result<Vec<PathBuf>, Absent>;

/// Builds on all processors, because nothing is measured yet. The results are in the order of the
/// variants.
fn build_all(
    selected: &[Selected<'_>],
    sources: &Sources<'_>,
    home: &Home,
    wanted: &Wanted,
    say: &dyn Fn(&str),
) -> Vec<Objects> {
    let cpu = processor();
    let mut results: Vec<Objects> = Vec::new();
    let mut open: Vec<(usize, PathBuf)> = Vec::new();
    for (index, Selected { compiler, variant, family }) in selected.iter().enumerate() {
        let folder = sources.folder(home, &identity(compiler), variant, &cpu);
        let objects: Vec<PathBuf> =
            (0..layout::COUNT).map(|layout| folder.join(format!("{layout}.so"))).collect();
        let mut names = family.contenders.iter().map(|c| family.full_name(&c.name));
        results.push(if let Some(refusal) = &compiler.refusal {
            Err(Absent::Missing(refusal.clone()))
        } else if let Err(refusal) = &sources.digest {
            Err(Absent::Failed(refusal.clone()))
        } else if objects.iter().all(|object| object.is_file()) {
            Ok(objects)
        } else {
            let narrow = &wanted.narrow;
            let fits = narrow.is_empty() || names.any(|name| fits_any(narrow, &name));
            if wanted.build && fits {
                open.push((index, folder));
            }
            Err(Absent::Unbuilt)
        });
    }
    if open.is_empty() {
        return results;
    }
    let gaps = match gaps(home) {
        Ok(gaps) => gaps,
        Err(absent) => {
            for (index, _) in open {
                results[index] = Err(absent.clone());
            }
            return results;
        }
    };
    let next = AtomicUsize::new(0);
    let (done, finished) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let (done, next, open, gaps) = (done.clone(), &next, &open, &gaps);
            scope.spawn(move || {
                while let Some((index, folder)) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Selected { compiler, variant, .. } = &selected[*index];
                    let built = build(home, compiler, variant, sources, folder, gaps);
                    // The receiver is gone only if it has panicked.
                    let _ = done.send((*index, built));
                }
            });
        }
        drop(done);
        for (count, (index, built)) in finished.into_iter().enumerate() {
            let (count, all) = (count + 1, open.len());
            if count.is_multiple_of(REPORT_EVERY) || count == all {
                say(&format!("built {count} of {all} of the family {}", sources.family));
            }
            results[index] = built.map_err(|a| a.explained_by(&selected[index].family));
        }
    });
    results
}

/// The sources of a family.
struct Sources<'a> {
    family: &'a str,
    native: Native,
    /// The digest of all sources, headers and flags, or which of them cannot be read.
    digest: Result<String, Refusal>,
}

impl Sources<'_> {
    fn read<'a>(home: &Home, family: &'a Family, matrix: &Matrix) -> Sources<'a> {
        let native = Native {
            source: matrix.source.clone(),
            cflags: matrix.cflags.clone(),
            pkg_config: vec![],
            libs: vec![],
            include: matrix.include.clone(),
            unit: matrix.unit.clone(),
        };
        let digest = native::content(home, &native).map(|digest| hex::encode(digest.finalize()));
        Sources { family: &family.name, native, digest }
    }

    /// Where the objects of a variant are stored. The name is the digest of everything that they
    /// are made of, so any change gives another folder.
    fn folder(&self, home: &Home, identity: &str, variant: &Variant, cpu: &str) -> PathBuf {
        let mut digest = Sha256::new();
        let flags = flags_of(variant).join(" ");
        let sources = self.digest.as_deref().unwrap_or_default();
        let linker = cc::identity(&cc::compiler());
        let layouts = layout::COUNT.to_string();
        let cpu = if variant.native { cpu } else { "" };
        for part in [sources, identity, &flags, cpu, &linker, &layouts, SCHEME] {
            digest.update(part);
            digest.update([0]);
        }
        let key = hex::encode(&digest.finalize()[..8]);
        home.cache.join("objects").join(format!("{}-{}-{key}", self.family, variant.name()))
    }
}

/// Changes whenever the way of building changes.
const SCHEME: &str = "2";

/// The identity of a compiler: their own line, their file, and the packages if Cupel installed
/// them.
fn identity(compiler: &Compiler) -> String {
    let program = &compiler.launch.program;
    let packages = debian::packages(program);
    format!(
        "{}\n{}\n{:?}",
        compiler.version,
        packages.unwrap_or_else(|| cc::identity(program)),
        compiler.launch.text_only
    )
}

/// The processor that `-march=native` refers to.
fn processor() -> String {
    let machine = Machine::look();
    format!("{:?} {:?} {:?}", machine.cpu, machine.stepping, machine.flags)
}

/// Compiles and links one variant in all layouts.
fn build(
    home: &Home,
    compiler: &Compiler,
    variant: &Variant,
    sources: &Sources<'_>,
    folder: &Path,
    gaps: &[PathBuf],
) -> Objects {
    let work = folder_next_to(folder).map_err(|e| Absent::cannot("keep", folder, e))?;
    let fresh = work.path().join("objects");
    let objects: Vec<PathBuf> =
        (0..layout::COUNT).map(|l| folder.join(format!("{l}.so"))).collect();
    build_in(home, compiler, variant, sources, &fresh, gaps)?;
    // Another process may have been faster with the same objects, and its runners may use them.
    let _alone = folder.parent().and_then(alone);
    if !objects.iter().all(|object| object.is_file()) {
        let _ = std::fs::remove_dir_all(folder);
        std::fs::rename(&fresh, folder).map_err(|e| Absent::cannot("keep", folder, e))?;
    }
    Ok(objects)
}

fn build_in(
    home: &Home,
    compiler: &Compiler,
    variant: &Variant,
    sources: &Sources<'_>,
    work: &Path,
    gaps: &[PathBuf],
) -> Result<(), Absent> {
    std::fs::create_dir_all(work).map_err(|e| Absent::cannot("make", work, e))?;
    let native = &sources.native;
    let own = (&native.source, &[] as &[String]);
    let mut parts = Vec::new();
    for (index, (file, flags)) in [own].into_iter().chain(native.units()).enumerate() {
        let part = work.join(format!("{index}.o"));
        let text = work.join(format!("{index}.s"));
        let (stop, output) = if compiler.launch.text_only { ("-S", &text) } else { ("-c", &part) };
        let mut command = compiler.launch.command();
        command
            .args(["-std=c11", "-fPIC"])
            .args(flags_of(variant))
            .args(&native.cflags)
            .args(flags);
        for include in native::includes(home, native) {
            command.arg("-I").arg(include);
        }
        command.arg(stop).arg(home.root.join(file)).arg("-o").arg(output);
        // Without compiler and flags, which the contender's name has, so that equal failures are
        // reported once.
        let what = format!("does not build from {}", file.display());
        step(&mut command, &what)?;
        if compiler.launch.text_only {
            let mut assembler = Command::new(cc::compiler());
            step(assembler.arg("-c").arg(&text).arg("-o").arg(&part), &what)?;
            let _ = std::fs::remove_file(&text);
        }
        if !part.is_file() {
            let why = format!("{what}: the compiler succeeded but wrote no object");
            return Err(Absent::failed(why));
        }
        parts.push(part);
    }
    for number in 0..layout::COUNT {
        let mut linker = Command::new(cc::compiler());
        linker.args(["-shared", "-o"]).arg(work.join(format!("{number}.so")));
        for padded in layout::in_order(number, parts.len()) {
            linker.arg(&gaps[padded.gap]).arg(&parts[padded.object]);
        }
        step(&mut linker, "does not link")?;
    }
    for part in parts {
        let _ = std::fs::remove_file(part);
    }
    Ok(())
}

/// The gaps, assembled once for all builds.
fn gaps(home: &Home) -> Result<Vec<PathBuf>, Absent> {
    let folder = home.cache.join("objects/gaps");
    std::fs::create_dir_all(&folder).map_err(|e| Absent::cannot("make", &folder, e))?;
    let mut gaps = Vec::new();
    for gap in 0..layout::GAPS {
        let object = folder.join(format!("{}.o", layout::gap_bytes(gap)));
        if !object.is_file() {
            let explain = |e| Absent::cannot("keep", &object, e);
            let work = folder_next_to(&object).map_err(explain)?;
            let (text, fresh) = (work.path().join("gap.s"), work.path().join("gap.o"));
            std::fs::write(&text, layout::gap_text(gap)).map_err(explain)?;
            let mut assembler = Command::new(cc::compiler());
            step(
                assembler.arg("-c").arg(&text).arg("-o").arg(&fresh),
                "assembling a gap between objects",
            )?;
            std::fs::rename(&fresh, &object).map_err(explain)?;
        }
        gaps.push(object);
    }
    Ok(gaps)
}

/// Runs one step. An error is reported with the compiler's first message.
fn step(command: &mut Command, what: &str) -> Result<(), Absent> {
    let said = bounded::run(command.env("LC_ALL", "C"), PATIENCE)
        .map_err(|trouble| Absent::failed(format!("{what}: the compiler {trouble}")))?;
    if said.status.success() {
        return Ok(());
    }
    let words = if said.err.trim().is_empty() {
        format!("the compiler printed no message ({})", said.status)
    } else {
        cargo::first_error(&said.err)
    };
    Err(Absent::failed(format!("{what}: {words}")))
}
