//! The line by which a plan names its CPU, as `cupel_plan_cpu` in `kernels/src/cpu/plan.c` writes
//! it. A test compares the two.

/// `cpu AuthenticAMD 26 2 15`: vendor, family, model, and the features for which the library has
/// code, as a sum of its `CUPEL_CPU_...`. `None` if the library has no plans for this architecture.
#[cfg(target_arch = "x86_64")]
pub fn line() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    // SAFETY: every x86-64 CPU has the instruction and these two leaves.
    #[allow(unused_unsafe, reason = "newer compilers know that it is safe")]
    let (first, second) = unsafe { (__cpuid(0), __cpuid(1)) };
    let vendor = [first.ebx, first.edx, first.ecx].map(u32::to_le_bytes).concat();
    let version = second.eax;
    let (mut family, mut model) = (version >> 8 & 15, version >> 4 & 15);
    if family == 6 || family == 15 {
        model |= version >> 12 & 0xf0;
    }
    if family == 15 {
        family += version >> 20 & 255;
    }
    let (vendor, features) = (String::from_utf8_lossy(&vendor).into_owned(), features());
    Some(format!("cpu {vendor} {family} {model} {features}"))
}

/// `CUPEL_CPU_SSSE3` and so on.
#[cfg(target_arch = "x86_64")]
fn features() -> u32 {
    let ssse3 = is_x86_feature_detected!("ssse3");
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2");
    let avx512 = avx2
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl");
    let shani = ssse3 && is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("sha");
    [ssse3, avx2, avx512, shani].iter().enumerate().map(|(bit, has)| u32::from(*has) << bit).sum()
}

/// No plan is for another architecture: the library has one code path for batches there.
#[cfg(not(target_arch = "x86_64"))]
pub fn line() -> Option<String> {
    None
}
