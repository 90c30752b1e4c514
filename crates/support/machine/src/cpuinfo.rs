//! The text of /proc/cpuinfo, and whether the processors of a machine have one kind.

use super::Uneven;

/// The text, read for one processor.
pub struct CpuInfo<'a> {
    all: &'a str,
    own: &'a str,
}

impl<'a> CpuInfo<'a> {
    /// For the processor of this number.
    pub fn for_cpu(all: &'a str, cpu: usize) -> CpuInfo<'a> {
        let own = blocks(all).find(|(number, _)| *number == cpu);
        CpuInfo { all, own: own.map_or(all, |(_, block)| block) }
    }

    /// A field of this processor. Some kernels have the fields that all processors share in a
    /// separate block, so one that this processor's block lacks is searched in the whole text.
    pub fn field(&self, name: &str) -> Option<&'a str> {
        field(self.own, name).or_else(|| field(self.all, name))
    }
}

/// The block of each processor, with its number.
fn blocks(all: &str) -> impl Iterator<Item = (usize, &str)> {
    all.split("\n\n").filter_map(|block| Some((field(block, "processor")?.parse().ok()?, block)))
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

/// The fields that differ between kinds: on x86, and on Arm.
const MODEL: [&str; 5] = ["model name", "cpu family", "model", "CPU implementer", "CPU part"];

/// The numbers of a kind in a processor's folder of /sys: its relative speed, and its highest
/// frequency in kHz. On Intel's hybrids, all processors have the same model.
const NUMBERS: [&str; 2] = ["cpu_capacity", "cpufreq/cpuinfo_max_freq"];

/// The differences between the processor `cpu` and others of this machine. `number` reads a file of
/// a processor's folder.
pub fn uneven(
    all: &str,
    cpu: usize,
    number: &dyn Fn(usize, &str) -> Option<u64>,
) -> Option<Uneven> {
    let (_, own) = blocks(all).find(|(number, _)| *number == cpu)?;
    let numbers = NUMBERS.map(|file| number(cpu, file));
    let (mut others, mut highest) = (Vec::new(), numbers);
    for (other, block) in blocks(all) {
        let other_numbers = NUMBERS.map(|file| number(other, file));
        let mut pairs = numbers.into_iter().zip(other_numbers);
        if MODEL.iter().any(|name| field(block, name) != field(own, name))
            || pairs.any(|(a, b)| are_of_two_kinds(a, b))
        {
            others.push(other);
        } else {
            // So that the favoured cores of a kind have its name.
            highest = std::array::from_fn(|at| highest[at].max(other_numbers[at]));
        }
    }
    others.sort_unstable();
    let [capacity, frequency] = highest;
    let kind = [
        capacity.map(|capacity| format!("capacity {capacity}")),
        frequency.map(|khz| format!("{} MHz", khz / 1000)),
    ];
    let kind = kind.into_iter().flatten().collect::<Vec<_>>().join(", ");
    (!others.is_empty()).then(|| Uneven { processor: cpu, kind, others: ranges(&others) })
}

/// Whether these numbers show processors of two kinds. The highest frequencies of equal cores may
/// differ by some percent, because makers prefer the best of them.
fn are_of_two_kinds(a: Option<u64>, b: Option<u64>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a.min(b).saturating_mul(10) < a.max(b).saturating_mul(9))
}

/// Ascending numbers as a list such as `0-3,8`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| *b == a + 1).map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run.iter().map(ToString::to_string).collect(),
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An RK3588: four Cortex-A55, then four Cortex-A76.
    fn rk3588() -> String {
        let block = |cpu: usize| {
            let (part, revision) = if cpu < 4 { ("0xd05", 0) } else { ("0xd0b", 1) };
            let lse = if cpu < 4 { "" } else { " lrcpc" };
            format!(
                "processor\t: {cpu}\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd aes sha2{lse}\n\
                 CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x2\n\
                 CPU part\t: {part}\nCPU revision\t: {revision}\n\n"
            )
        };
        (0..8).map(block).collect::<String>() + "Serial\t\t: 8a4b2c\n"
    }

    /// An x86 processor, whose blocks differ only in the number and the microcode.
    fn x86(count: usize) -> String {
        let block = |cpu: usize| {
            format!(
                "processor\t: {cpu}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 151\n\
                 model name\t: 12th Gen Intel(R) Core(TM) i7-12700K\nstepping\t: 2\n\
                 microcode\t: 0x3{cpu}\nflags\t\t: fpu sse2 avx2 sha_ni\n\n"
            )
        };
        (0..count).map(block).collect()
    }

    #[test]
    fn the_fields_are_those_of_the_processor_that_measures() {
        let text = rk3588();
        let fields = |cpu: usize| {
            let info = CpuInfo::for_cpu(&text, cpu);
            ["CPU part", "CPU revision", "Features", "Serial"].map(|name| info.field(name))
        };
        let serial = Some("8a4b2c");
        assert_eq!(fields(0), [Some("0xd05"), Some("0"), Some("fp asimd aes sha2"), serial]);
        assert_eq!(fields(7), [Some("0xd0b"), Some("1"), Some("fp asimd aes sha2 lrcpc"), serial]);
        assert_eq!(CpuInfo::for_cpu(&text, 7).field("model name"), None);
        // A number that is in no block: the first block, as for every processor before.
        assert_eq!(fields(99), fields(0));
        let text = x86(16);
        assert_eq!(
            CpuInfo::for_cpu(&text, 1).field("microcode"),
            Some("0x31"),
            "not that of 10 to 15"
        );
        assert_eq!(CpuInfo::for_cpu(&text, 15).field("model"), Some("151"), "not the model name");
    }

    #[test]
    fn two_parts_of_arm_are_two_kinds() {
        let capacity = |cpu: usize, file: &str| {
            (file == "cpu_capacity").then_some(if cpu < 4 { 530 } else { 1024 })
        };
        let on = |cpu: usize, others: &str, kind: &str| {
            Some(Uneven { processor: cpu, kind: kind.to_string(), others: others.to_string() })
        };
        assert_eq!(uneven(&rk3588(), 7, &capacity), on(7, "0-3", "capacity 1024"));
        assert_eq!(uneven(&rk3588(), 3, &capacity), on(3, "4-7", "capacity 530"));
        // A kernel that does not list them in /sys.
        assert_eq!(uneven(&rk3588(), 7, &|_, _| None), on(7, "0-3", ""));
    }

    #[test]
    fn an_intel_hybrid_differs_in_frequency_and_favoured_cores_do_not() {
        // Eight threads of fast cores, of which two are favoured; then four slow cores.
        let frequency = |cpu: usize, file: &str| {
            let khz = [4_900_000, 4_900_000, 5_000_000, 5_000_000, 4_900_000, 4_900_000, 4_900_000];
            let khz = khz.get(cpu).copied().unwrap_or(if cpu == 7 { 4_900_000 } else { 3_800_000 });
            (file == "cpufreq/cpuinfo_max_freq").then_some(khz)
        };
        let found = uneven(&x86(12), 11, &frequency).expect("two kinds");
        assert_eq!((found.others.as_str(), found.kind.as_str()), ("0-7", "3800 MHz"));
        for fast in [1, 2] {
            let found = uneven(&x86(12), fast, &frequency).expect("two kinds");
            assert_eq!((found.others.as_str(), found.kind.as_str()), ("8-11", "5000 MHz"));
        }
        assert_eq!(uneven(&x86(8), 7, &frequency), None, "only the fast cores");
        assert_eq!(uneven(&x86(12), 11, &|_, _| None), None, "nothing is known of them");
        assert_eq!(uneven("", 0, &frequency), None);
    }

    #[test]
    fn numbers_in_a_row_are_a_range() {
        assert_eq!(ranges(&[0, 1, 2, 3, 7]), "0-3,7");
        assert_eq!(ranges(&[0, 2]), "0,2");
    }
}
