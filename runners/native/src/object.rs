//! Loading of shared objects, and what they say that they hold.

use crate::{abi, text};
use cupel_protocol::message::{Listed, Refusal};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::error::Error;
use std::path::Path;

/// One contender of an object, or an object that cannot be used.
pub struct Contender {
    /// What the tool is told of it.
    pub listed: Listed,
    /// How it is reached; absent where `listed.missing` says why.
    pub entry: Option<Entry>,
}

/// How a contender is reached.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its index in its object.
    pub index: usize,
    /// Makes a task ready.
    pub open: abi::OpenFn,
    /// The timed call.
    pub call: abi::CallFn,
    /// The timed call of `digest-many`, where the object has one.
    pub call_many: Option<abi::CallManyFn>,
    /// Frees a task.
    pub close: abi::CloseFn,
}

/// More contenders than this in one object are a `cupel_describe` that never ends.
const MOST: usize = 1000;

/// Loads an object for the life of the process. One that cannot be used is one missing contender
/// under the file's own name, so that it stays a row of the table.
pub fn load(path: &Path) -> Vec<Contender> {
    let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    match try_load(path) {
        Ok(contenders) => contenders
            .into_iter()
            .map(|c| c.unwrap_or_else(|refusal| missing(&stem, refusal)))
            .collect(),
        Err(refusal) => vec![missing(&stem, refusal)],
    }
}

/// A contender that cannot be had.
fn missing(name: &str, refusal: Refusal) -> Contender {
    let listed = Listed {
        name: name.to_string(),
        library: name.to_string(),
        version: String::new(),
        licence: String::new(),
        summary: String::new(),
        offers: vec![],
        missing: Some(refusal),
    };
    Contender { listed, entry: None }
}

fn try_load(path: &Path) -> Result<Vec<Result<Contender, Refusal>>, Refusal> {
    // A bare file name would be looked for among the system's libraries.
    let absolute = std::path::absolute(path).map_err(|e| Refusal::because(e.to_string()))?;
    // RTLD_NOW: a symbol that nobody defines is reported here and not in the middle of a slice, and
    // no timed call resolves one.
    // SAFETY: the object's constructors run. That is what naming it to this program asks for.
    let library = unsafe { Library::open(Some(&absolute), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|e| Refusal::because(format!("cannot be loaded: {}", words(&e))))?;
    // Never unloaded: cells, strings and what a library has registered at exit all point into it.
    let library: &'static Library = Box::leak(Box::new(library));

    // SAFETY: a symbol of this name has this type, by the interface's definition.
    let version: abi::AbiFn = unsafe { symbol(library, "cupel_abi") }?;
    // SAFETY: takes nothing and may be called at any time.
    let version = unsafe { version() };
    if version != abi::VERSION {
        return Err(Refusal {
            reason: format!(
                "has version {version} of the contender interface, and this runner has {}",
                abi::VERSION
            ),
            remedy: Some("build it with the cupel_contender.h of this release".to_string()),
        });
    }
    // SAFETY: as above, for each of the four, and for the one that need not be there.
    let (describe, open, call, call_many, close): (abi::DescribeFn, _, _, _, _) = unsafe {
        (
            symbol(library, "cupel_describe")?,
            symbol::<abi::OpenFn>(library, "cupel_open")?,
            symbol::<abi::CallFn>(library, "cupel_call")?,
            symbol::<abi::CallManyFn>(library, "cupel_call_many").ok(),
            symbol::<abi::CloseFn>(library, "cupel_close")?,
        )
    };
    let entry = |index| Entry { index, open, call, call_many, close };

    let mut contenders = Vec::new();
    for index in 0.. {
        if index == MOST {
            let reason = format!("cupel_describe names more than {MOST} contenders");
            return Err(Refusal::because(reason));
        }
        // SAFETY: any index may be asked for; the answer is null or lives as long as the object.
        let Some(described) = (unsafe { describe(index).as_ref() }) else { break };
        // SAFETY: the strings of a description are null or NUL-terminated.
        let listed = unsafe { listed(described) };
        contenders.push(match listed {
            Ok(listed) => Ok(Contender { listed, entry: Some(entry(index)) }),
            Err(what) => Err(Refusal::because(format!("contender {index}: its {what}"))),
        });
    }
    if contenders.is_empty() {
        return Err(Refusal::because("holds no contender"));
    }
    Ok(contenders)
}

/// The address of a symbol.
///
/// # Safety
/// `T` is the function type of the symbol.
unsafe fn symbol<T: Copy>(library: &'static Library, name: &str) -> Result<T, Refusal> {
    // SAFETY: by this function's own condition.
    let found = unsafe { library.get::<T>(name) };
    found.map(|symbol| *symbol).map_err(|e| Refusal {
        reason: format!("lacks the function {name}: {}", words(&e)),
        remedy: Some("define all five functions of cupel_contender.h".to_string()),
    })
}

/// What the loader itself says, which stands behind the error that names the function it was in.
fn words(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// What a description says, or which of its fields is wrong and how.
///
/// # Safety
/// Each string is null or NUL-terminated.
unsafe fn listed(described: &abi::Contender) -> Result<Listed, String> {
    let field = |name: &str, from| {
        // SAFETY: by this function's own condition.
        unsafe { text::strict(from) }.map_err(|what| format!("{name} {what}"))
    };
    let offers = field("offers", described.offers)?;
    Ok(Listed {
        name: field("name", described.name)?,
        library: field("library", described.library)?,
        version: field("version", described.version)?,
        licence: field("licence", described.licence)?,
        summary: field("summary", described.summary)?,
        offers: offers
            .split_ascii_whitespace()
            .map(|word| word.parse().map_err(|wrong| format!("offers hold {wrong}")))
            .collect::<Result<_, String>>()?,
        missing: None,
    })
}
