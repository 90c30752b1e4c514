//! The library of this runner: the contenders of all the objects on its command line.

use crate::cell::Cell;
use crate::object::{self, Contender};
use cupel_protocol::host::{Library, Refused, Task};
use cupel_protocol::message::{Listed, Refusal};
use std::path::Path;

/// The contenders of some shared objects.
pub struct Objects {
    contenders: Vec<Contender>,
}

impl Objects {
    /// Loads these objects.
    pub fn load<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Objects {
        let mut contenders: Vec<Contender> = Vec::new();
        for path in paths {
            let path = path.as_ref();
            for mut contender in object::load(path) {
                let name = &contender.listed.name;
                if contenders.iter().any(|c| c.listed.name == *name) {
                    let reason = format!("{}: an object before it has a {name}", path.display());
                    contender.listed.missing = Some(Refusal::because(reason));
                    contender.entry = None;
                }
                contenders.push(contender);
            }
        }
        Objects { contenders }
    }
}

impl Library for Objects {
    type Cell = Cell;

    fn list(&mut self) -> Vec<Listed> {
        self.contenders.iter().map(|c| c.listed.clone()).collect()
    }

    fn open(&mut self, contender: &str, task: &Task) -> Result<Cell, Refused> {
        let Contender { listed, entry } =
            self.contenders.iter().find(|c| c.listed.name == contender).ok_or_else(|| {
                Refused::failed(format!("no object given to this runner holds {contender}"))
            })?;
        let Some(entry) = entry else {
            let why = listed.missing.clone();
            return Err(Refused::Missing(why.unwrap_or_else(|| Refusal::because("not loaded"))));
        };
        // Checked here and not in each contender, so that a contender keeps to its list.
        let offered = |primitive: &str| {
            listed.offers.iter().any(|o| o.primitive == primitive && o.operation == task.operation)
        };
        if !offered(&task.primitive) {
            let (primitive, operation) = (&task.primitive, task.operation);
            let reason = format!("{contender} does not offer {primitive}:{operation}");
            return Err(Refused::unsupported(reason));
        }
        Cell::open(*entry, task)
    }
}
