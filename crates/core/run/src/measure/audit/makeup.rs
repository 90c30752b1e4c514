//! The parts of a call, and the time that it may take after the clock has stopped.

/// This much may pass outside the time with every call, in ns, because some runners fold the
/// outputs after the clock has stopped. Only a false rate of short calls hides behind it; at longer
/// calls it is detected.
const FOLD_NS: f64 = 30.0;

/// This much more may pass outside with each further message of a batch, in ns. Each message has an
/// output, which costs two loads and two additions.
const FOLD_MORE_NS: f64 = 3.0;

/// This much more may pass outside with each message whose output a runtime keeps until the clock has
/// stopped, in ns: it is cold when it is folded, and the other objects of the call are freed after
/// that. 159 were seen: a hash object of Node.js, on a Zen 3 with a busy neighbour.
const KEPT_NS: f64 = 180.0;

/// This much more may pass outside with each byte of such an output, in ns. 0.007 was seen: Python,
/// outputs of 16 KiB, on a Zen 1.
const KEPT_BYTE_NS: f64 = 0.02;

/// The parts of a call.
#[derive(Clone, Copy, Debug)]
pub struct Makeup {
    /// The number of its messages.
    pub batch: u32,
    /// The number of calls whose mean its time is.
    pub block: u64,
    /// The bytes of its outputs, if the runtime keeps them until the clock has stopped.
    pub kept: Option<u64>,
}

impl Makeup {
    /// The time that one call may take outside the reported one, in ns.
    pub fn outside_ns(self) -> f64 {
        let kept = self.kept.map_or(0.0, |bytes| {
            KEPT_NS * f64::from(self.batch.max(1)) + KEPT_BYTE_NS * bytes as f64
        });
        FOLD_NS + FOLD_MORE_NS * f64::from(self.batch.saturating_sub(1)) + kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_of_a_batch_has_an_output_that_is_kept() {
        let one = Makeup { batch: 1, block: 1, kept: Some(0) };
        assert_eq!(one.outside_ns(), 210.0);
        assert_eq!(Makeup { batch: 11, ..one }.outside_ns(), 60.0 + 11.0 * 180.0);
        assert_eq!(Makeup { kept: None, ..one }.outside_ns(), 30.0);
        assert_eq!(Makeup { kept: Some(1000), ..one }.outside_ns(), 230.0);
    }
}
