//! Which part of a suite to measure.

use cupel_base::name::Pattern;
use cupel_base::primitives;
use cupel_contender::Contender;
use cupel_protocol::workload::{Operation, Shape};
use cupel_suite::asked::sorted;
use cupel_suite::{Group, Suite};

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
    /// The differences from the usual contract, as keys and values; empty for the suite's
    /// contracts.
    pub contract: Vec<(String, String)>,
    /// Whether a call waits for the previous one; `None` as in the suite.
    pub shape: Option<Shape>,
}

impl Filter {
    /// Whether it wants a group, whatever the size.
    pub fn wants(&self, group: &Group) -> bool {
        primitives::choice(&group.primitive).into_iter().any(|p| self.wants_primitive(p))
            && (self.operations.is_empty() || self.operations.contains(&group.operation))
    }

    /// Among which contenders it is asked ([`Suite::among`]).
    pub(super) fn among(&self, suite: &Suite) -> Vec<String> {
        if self.contenders.is_empty() {
            return suite.among.clone();
        }
        sorted(self.contenders.clone())
    }

    fn wants_primitive(&self, primitive: &str) -> bool {
        self.primitives.is_empty() || self.primitives.iter().any(|wanted| wanted == primitive)
    }

    /// The group with only the primitives that the filter wants. A choice of which one is left is
    /// not a choice any more.
    pub(super) fn narrowed(&self, group: &Group) -> Group {
        if !self.wants(group) {
            return group.clone();
        }
        let choice = primitives::choice(&group.primitive).into_iter();
        let left = choice.filter(|primitive| self.wants_primitive(primitive));
        Group { primitive: primitives::choosing(left), ..group.clone() }
    }

    /// The sizes at which a group of a suite is measured, ascending. A size that is in the suite is
    /// measured where the suite has it; one that is nowhere in it is measured in every group that
    /// the filter wants.
    pub(super) fn sizes(&self, suite: &Suite, group: &Group) -> Vec<u64> {
        if !self.wants(group) {
            return vec![];
        }
        if self.sizes.is_empty() {
            return group.sizes.clone();
        }
        let wanted = suite.workloads.iter().filter(|group| self.wants(group));
        let known: Vec<u64> = wanted.flat_map(|group| &group.sizes).copied().collect();
        let mut sizes = self.sizes.clone();
        sizes.retain(|size| group.sizes.contains(size) || !known.contains(size));
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    pub(super) fn wants_contender(&self, contender: &Contender) -> bool {
        self.contenders.is_empty() || self.means(contender)
    }

    /// Whether a contender is in a group of workloads by a pattern of it: the pattern means it, or
    /// fits it and the filter means it, such as one of a matrix.
    pub fn takes(&self, contender: &Contender, pattern: &Pattern) -> bool {
        contender.is_meant_by(pattern) || (self.means(contender) && pattern.fits(&contender.name))
    }

    pub(super) fn means(&self, contender: &Contender) -> bool {
        self.contenders.iter().any(|text| contender.is_meant_by(&Pattern::new(text)))
    }
}
