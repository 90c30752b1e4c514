//! Loads shared objects and reads which contenders they describe.

use crate::{abi, text};
use cupel_protocol::message::{Listed, Refusal};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::error::Error;
use std::path::Path;

/// One contender of an object, or an object that cannot be used.
pub struct Contender {
    /// The description of it for the tool.
    pub listed: Listed,
    /// Its functions; absent if `listed.missing` says why.
    pub entry: Option<Entry>,
}

/// A contender's functions.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its index in its object.
    pub index: usize,
    /// Prepares a task.
    pub open: abi::OpenFn,
    /// The timed call.
    pub call: abi::CallFn,
    /// The timed call of `digest-many`, if the object has one.
    pub call_many: Option<abi::CallManyFn>,
    /// Takes in a prefix, if the object copies states.
    pub prefix: Option<abi::PrefixFn>,
    /// Frees a task.
    pub close: abi::CloseFn,
}

/// The most contenders of one object. If `cupel_describe` names more, it never ends.
const MAX_CONTENDERS: usize = 1000;

/// Loads an object for the life of the process. An object that cannot be used is listed as one
/// missing contender under the file's name, so that it remains visible.
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

/// A contender that is not available.
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
    // The loader would search the system's libraries for a bare file name.
    let absolute = std::path::absolute(path).map_err(|e| Refusal::because(e.to_string()))?;
    // RTLD_NOW: an undefined symbol is reported here and not in the middle of a slice, and no timed
    // call has to resolve one.
    // SAFETY: the object's constructors run. The user asked for that by naming the object.
    let library = unsafe { Library::open(Some(&absolute), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|e| Refusal::because(format!("cannot be loaded: {}", loader_message(&e))))?;
    // Never unloaded: cells, strings and exit handlers of the library point into it.
    let library: &'static Library = Box::leak(Box::new(library));

    // SAFETY: a symbol of this name has this type, by the interface's definition.
    let version: abi::AbiFn = unsafe { symbol(library, "cupel_abi") }?;
    // SAFETY: it takes no arguments and may be called at any time.
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
    // SAFETY: as above, for each of the four, and for the optional ones.
    let (describe, open, call, call_many, prefix, close): (abi::DescribeFn, _, _, _, _, _) = unsafe {
        (
            symbol(library, "cupel_describe")?,
            symbol::<abi::OpenFn>(library, "cupel_open")?,
            symbol::<abi::CallFn>(library, "cupel_call")?,
            symbol::<abi::CallManyFn>(library, "cupel_call_many").ok(),
            symbol::<abi::PrefixFn>(library, "cupel_prefix").ok(),
            symbol::<abi::CloseFn>(library, "cupel_close")?,
        )
    };
    let entry = |index| Entry { index, open, call, call_many, prefix, close };

    let mut contenders = Vec::new();
    for index in 0.. {
        if index == MAX_CONTENDERS {
            let reason = format!("cupel_describe names more than {MAX_CONTENDERS} contenders");
            return Err(Refusal::because(reason));
        }
        // SAFETY: any index is allowed; the answer is null or lives as long as the object.
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
    // SAFETY: by this function's own requirement.
    let found = unsafe { library.get::<T>(name) };
    found.map(|symbol| *symbol).map_err(|e| Refusal {
        reason: format!("lacks the function {name}: {}", loader_message(&e)),
        remedy: Some("define all five functions of cupel_contender.h".to_string()),
    })
}

/// The loader's own message, without the name of the function that failed.
fn loader_message(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// The content of a description, or which of its fields is wrong and how.
///
/// # Safety
/// Each string is null or NUL-terminated.
unsafe fn listed(described: &abi::Contender) -> Result<Listed, String> {
    let field = |name: &str, from| {
        // SAFETY: by this function's own requirement.
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
