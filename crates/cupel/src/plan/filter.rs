//! Which part of a suite to measure.

use crate::contender::Contender;
use crate::name::Pattern;
use crate::suite::Group;
use cupel_protocol::workload::Operation;

/// Which part of a suite to measure.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Patterns of contenders; empty for all. The baseline is measured in any case.
    pub contenders: Vec<String>,
    /// Primitives; empty for all.
    pub primitives: Vec<String>,
    /// Operations; empty for all.
    pub operations: Vec<Operation>,
    /// Sizes in bytes; empty for all.
    pub sizes: Vec<u64>,
}

impl Filter {
    pub(super) fn wants(&self, group: &Group, size: u64) -> bool {
        let any = |empty: bool, hit: bool| empty || hit;
        any(self.primitives.is_empty(), self.primitives.contains(&group.primitive))
            && any(self.operations.is_empty(), self.operations.contains(&group.operation))
            && any(self.sizes.is_empty(), self.sizes.contains(&size))
    }

    pub(super) fn wants_contender(&self, contender: &Contender) -> bool {
        self.contenders.is_empty() || self.means(contender)
    }

    pub(super) fn means(&self, contender: &Contender) -> bool {
        let fits = |text: &String| contender.is_meant_by(&Pattern::new(text));
        self.contenders.iter().any(fits)
    }
}
