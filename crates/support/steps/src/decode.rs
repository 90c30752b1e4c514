//! Names the features of a CPU that instructions need.

use super::Executed;
use super::single::Trail;
use iced_x86::{CpuidFeature, Decoder, DecoderOptions};
use std::collections::BTreeMap;

/// The executed instructions of a trail, whichever function they belong to.
pub fn executed(trail: &Trail) -> Executed {
    let mut features: BTreeMap<&'static str, u64> = BTreeMap::new();
    for step in trail.steps.values() {
        let mut decoder = Decoder::new(64, &step.bytes, DecoderOptions::NONE);
        // An instruction may need two of one name: AVX512F and AVX512VL.
        let mut names: Vec<_> =
            decoder.decode().cpuid_features().iter().filter_map(|feature| name(*feature)).collect();
        names.dedup();
        for name in names {
            *features.entry(name).or_default() += step.times;
        }
    }
    let instructions = trail.steps.values().map(|step| step.times).sum();
    Executed { instructions, features, ..Executed::default() }
}

/// The feature by the name under which people know it; `None` if every 64-bit CPU has it, or if it
/// tells nothing about the code of a primitive.
fn name(feature: CpuidFeature) -> Option<&'static str> {
    Some(match feature {
        CpuidFeature::SSE3 => "SSE3",
        CpuidFeature::SSSE3 => "SSSE3",
        CpuidFeature::SSE4_1 | CpuidFeature::SSE4_2 => "SSE4",
        CpuidFeature::AVX => "AVX",
        CpuidFeature::AVX2 => "AVX2",
        CpuidFeature::AVX512F
        | CpuidFeature::AVX512VL
        | CpuidFeature::AVX512BW
        | CpuidFeature::AVX512DQ
        | CpuidFeature::AVX512_VBMI
        | CpuidFeature::AVX512_VBMI2
        | CpuidFeature::AVX512_IFMA
        | CpuidFeature::AVX512_VNNI
        | CpuidFeature::AVX512_BITALG => "AVX-512",
        CpuidFeature::AES => "AES",
        CpuidFeature::VAES => "VAES",
        CpuidFeature::PCLMULQDQ => "PCLMULQDQ",
        CpuidFeature::VPCLMULQDQ => "VPCLMULQDQ",
        CpuidFeature::SHA => "SHA",
        CpuidFeature::SHA512 => "SHA512",
        CpuidFeature::GFNI => "GFNI",
        CpuidFeature::BMI1 => "BMI1",
        CpuidFeature::BMI2 => "BMI2",
        CpuidFeature::ADX => "ADX",
        CpuidFeature::MOVBE => "MOVBE",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::single::Step;

    fn decoded(codes: &[(&[u8], u64)]) -> Executed {
        let step = |(at, (code, times)): (usize, &(&[u8], u64))| {
            let mut bytes = [0; 15];
            bytes[..code.len()].copy_from_slice(code);
            (at as u64, Step { bytes, times: *times })
        };
        let steps = codes.iter().enumerate().map(step).collect();
        executed(&Trail { steps, ..Trail::default() })
    }

    #[test]
    fn instructions_have_the_names_of_their_features() {
        // sha256rnds2 xmm1, xmm2; vaesenc zmm; aesenc xmm; vpaddd zmm; add eax, ecx
        let executed = decoded(&[
            (&[0x0f, 0x38, 0xcb, 0xca], 32),
            (&[0x62, 0xf2, 0x75, 0x48, 0xdc, 0xc2], 10),
            (&[0x66, 0x0f, 0x38, 0xdc, 0xc1], 5),
            (&[0x62, 0xf1, 0x75, 0x48, 0xfe, 0xc2], 7),
            (&[0x01, 0xc8], 100),
        ]);
        assert_eq!(executed.instructions, 154);
        let expected = [("AES", 5), ("AVX-512", 17), ("SHA", 32), ("VAES", 10)];
        assert_eq!(executed.features, expected.into_iter().collect());
    }
}
