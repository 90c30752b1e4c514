//! The operands that an instruction is about to touch, by the registers of a thread that has
//! stopped before it: the memory that it reads or writes, and operands on which the time that it
//! takes depends.

use super::Unseen;
use super::others;
use super::single::Stop;
use super::step::Touched;
use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register, UsedMemory,
};
use std::ops::Range;

/// A request of an instruction for work that the process does not do itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// The system call with this number.
    System(u64),
    /// A system call of programs with 32 bits, or code of them: there, the same bytes are other
    /// instructions.
    System32,
    /// The time.
    Time,
    /// Whether it is stepped, or something that no step shows.
    Steps,
}

/// An instruction that has been decoded.
pub struct Decoded {
    /// The bytes from its address on.
    pub bytes: [u8; 15],
    instruction: Instruction,
    /// The memory that it accesses, also by way of the stack.
    memory: Vec<UsedMemory>,
    /// Its use of the register to which a system call copies the flags: it reads it, it replaces
    /// it.
    pub reads_flags: bool,
    pub replaces_flags: bool,
}

/// The selectors of code of 64 bits: Linux has the first, in a guest of Xen also the second.
const CODE_64: [u64; 2] = [0x33, 0xe033];

impl Decoded {
    /// Decodes the instruction at an address.
    pub fn at(at: u64, bytes: [u8; 15], factory: &mut InstructionInfoFactory) -> Decoded {
        let instruction = Decoder::with_ip(64, &bytes, at, DecoderOptions::NONE).decode();
        let info = factory.info(&instruction);
        let mut memory = info.used_memory().to_vec();
        memory.retain(|used| used.access() != OpAccess::NoMemAccess);
        let mut reads_flags = false;
        let mut replaces_flags = false;
        for used in info.used_registers() {
            let register = used.register();
            let replaces = used.access() == OpAccess::Write;
            if register.full_register() == Register::R11 {
                // The flag of a step is not in the lowest byte.
                reads_flags |= !replaces && register != Register::R11L;
                replaces_flags |= replaces && register.size() >= 4;
            }
        }
        Decoded { bytes, instruction, memory, reads_flags, replaces_flags }
    }

    /// Whether the decoder knows it. A newer CPU may execute instructions that it does not know.
    pub fn is_known(&self) -> bool {
        !self.instruction.is_invalid()
    }

    /// Its length in bytes.
    pub fn length(&self) -> usize {
        self.instruction.len()
    }

    /// Which instruction it is, as a number.
    pub fn code(&self) -> u16 {
        self.instruction.code() as u16
    }

    /// Its request for work that the process does not do itself, if it does nothing else.
    pub fn asks(&self, registers: &libc::user_regs_struct) -> Option<Asks> {
        use Mnemonic::{
            Int, Int1, Mwaitx, Pushf, Pushfd, Pushfq, Rdpmc, Rdpru, Rdtsc, Rdtscp, Syscall,
            Sysenter, Tpause, Umwait, Xbegin,
        };
        // A thread that sets this flag itself is stepped by itself: its handler does the work.
        const TRAP: u64 = 1 << 8;
        if registers.eflags & TRAP != 0 {
            return Some(Asks::Steps);
        }
        if !CODE_64.contains(&registers.cs) {
            return Some(Asks::System32);
        }
        match self.instruction.mnemonic() {
            Syscall => Some(Asks::System(registers.rax)),
            Int | Sysenter => Some(Asks::System32),
            Rdtsc | Rdtscp | Rdpmc | Rdpru | Mwaitx | Tpause | Umwait => Some(Asks::Time),
            // Without a transaction, `xtest` shows nothing: functions of glibc end with it.
            Pushf | Pushfd | Pushfq | Int1 | Xbegin => Some(Asks::Steps),
            // No step ends after it: the next instruction would not be seen.
            _ if self.instruction.op0_register() == Register::SS => Some(Asks::Steps),
            _ => None,
        }
    }

    /// The memory and the operands that it is about to touch.
    ///
    /// # Errors
    /// If the system does not show the registers, or if it touches memory in which it may see that
    /// it is stepped.
    pub fn touches(&self, stop: &Stop<'_>, telling: &[Range<u64>]) -> Result<Touched, Unseen> {
        match self.instruction.mnemonic() {
            Mnemonic::Syscall => return Ok(what_is_asked(&stop.registers)),
            // The only one whose memory is not in its operands.
            Mnemonic::Clzero => return Ok(Touched { addresses: stop.registers.rax, operands: 0 }),
            _ => {}
        }
        if self.repeats_nothing(&stop.registers) {
            return Ok(Touched::default());
        }
        if fetches(&self.instruction) {
            let registers = Registers { stop, vectors: vec![] };
            let addresses = self.address_of(0, &registers);
            return Ok(Touched { addresses, operands: 0 });
        }
        let (operands, implied) = (self.operands_that_take_time(), self.implied());
        if self.memory.is_empty() && operands.is_empty() && implied.is_empty() {
            return Ok(Touched::default());
        }
        let mask = self.mask_of_a_move();
        let needs_vectors = self.instruction.is_vsib()
            || self.has_vectors(operands)
            || !implied.is_empty()
            || mask.is_some()
            || self.has_a_mask();
        let vectors =
            if needs_vectors { stop.vectors().map_err(Unseen::Forbidden)? } else { vec![] };
        let registers = Registers { stop, vectors };
        let mut touched = Touched::default();
        for used in &self.memory {
            for lane in self.lanes(used, &registers) {
                let address = used.virtual_address(lane, |register, lane, size| {
                    Some(registers.value(register, lane, size))
                });
                let address = address.unwrap_or_default();
                let end = address.saturating_add(used.memory_size().size() as u64);
                if telling.iter().any(|range| address < range.end && range.start < end) {
                    return Err(Unseen::Sees);
                }
                mix(&mut touched.addresses, address);
            }
        }
        if let Some(words) = self.words_beyond(&registers) {
            mix(&mut touched.addresses, words);
        }
        if let Some((mask, size)) = mask {
            for element in 0..mask.size() / size {
                let value = registers.value(mask, element, size);
                mix(&mut touched.addresses, value >> (8 * size - 1));
            }
        }
        if let Some(elements) = self.elements_by_mask(&registers) {
            mix(&mut touched.addresses, elements);
        }
        if !implied.is_empty() {
            for &register in implied {
                registers.mix(register, &mut touched.operands);
            }
            for operand in 0..self.instruction.op_count() {
                self.mix_operand(operand, &registers, &mut touched.operands);
            }
        }
        if matches!(self.instruction.mnemonic(), Mnemonic::Div | Mnemonic::Idiv) {
            self.mix_dividend(&registers, &mut touched.operands);
        }
        for &operand in operands {
            self.mix_operand(operand, &registers, &mut touched.operands);
        }
        Ok(touched)
    }

    /// Whether it is repeated as often as a register says, which is 0: like a single time, this is one
    /// step.
    fn repeats_nothing(&self, registers: &libc::user_regs_struct) -> bool {
        let is_repeated = self.instruction.has_rep_prefix() || self.instruction.has_repne_prefix();
        is_repeated && self.instruction.is_string_instruction() && registers.rcx == 0
    }

    /// The operands on which its time depends, on any x86-64 CPU that is known for it: divisions
    /// and square roots (Agner Fog, "Instruction tables"; Intel's list of instructions with "Data
    /// Operand Independent Timing" has none of them), and the mask of PDEP and PEXT (microcode on
    /// AMD's Zen and Zen 2).
    fn operands_that_take_time(&self) -> &'static [u32] {
        use Mnemonic::{
            Div, Divpd, Divps, Divsd, Divss, Idiv, Pdep, Pext, Sqrtpd, Sqrtps, Sqrtsd, Sqrtss,
            Vdivpd, Vdivph, Vdivps, Vdivsd, Vdivsh, Vdivss, Vsqrtpd, Vsqrtph, Vsqrtps, Vsqrtsd,
            Vsqrtsh, Vsqrtss,
        };
        match self.instruction.mnemonic() {
            Div | Idiv => &[0],
            Divss | Divsd | Divps | Divpd => &[0, 1],
            Sqrtss | Sqrtsd | Sqrtps | Sqrtpd | Vsqrtph | Vsqrtps | Vsqrtpd => &[1],
            Vdivsh | Vdivss | Vdivsd | Vdivph | Vdivps | Vdivpd => &[1, 2],
            Vsqrtsh | Vsqrtss | Vsqrtsd | Pdep | Pext => &[2],
            _ => &[],
        }
    }

    /// The registers that an x87 instruction takes without naming them, if its time depends on its
    /// operands (Agner Fog, as above).
    fn implied(&self) -> &'static [Register] {
        use Mnemonic::{
            F2xm1, Fcos, Fdiv, Fdivp, Fdivr, Fdivrp, Fidiv, Fidivr, Fpatan, Fprem, Fprem1, Fptan,
            Fscale, Fsin, Fsincos, Fsqrt, Fyl2x, Fyl2xp1,
        };
        match self.instruction.mnemonic() {
            F2xm1 | Fcos | Fdiv | Fdivp | Fdivr | Fdivrp | Fidiv | Fidivr | Fptan | Fsin
            | Fsincos | Fsqrt => &[Register::ST0],
            Fpatan | Fprem | Fprem1 | Fscale | Fyl2x | Fyl2xp1 => &[Register::ST0, Register::ST1],
            _ => &[],
        }
    }

    /// The register whose elements select by their signs the elements of memory that a move
    /// touches, with the size of an element in bytes.
    fn mask_of_a_move(&self) -> Option<(Register, usize)> {
        use Mnemonic::{
            Maskmovdqu, Maskmovq, Vmaskmovdqu, Vmaskmovpd, Vmaskmovps, Vpmaskmovd, Vpmaskmovq,
        };
        let code = &self.instruction;
        match code.mnemonic() {
            Maskmovq | Maskmovdqu | Vmaskmovdqu => Some((code.op2_register(), 1)),
            Vmaskmovps | Vpmaskmovd => Some((code.op1_register(), 4)),
            Vmaskmovpd | Vpmaskmovq => Some((code.op1_register(), 8)),
            _ => None,
        }
    }

    /// Whether a mask of AVX-512 selects the elements of memory that it touches. The lanes of a
    /// gather are addresses of their own.
    fn has_a_mask(&self) -> bool {
        let code = &self.instruction;
        code.op_mask() != Register::None && !code.is_vsib() && !self.memory.is_empty()
    }

    /// Which elements of memory the mask of AVX-512 names, as bits; of those that are packed, how
    /// many.
    fn elements_by_mask(&self, registers: &Registers<'_>) -> Option<u64> {
        use Mnemonic::{
            Vcompresspd, Vcompressps, Vexpandpd, Vexpandps, Vpcompressb, Vpcompressd, Vpcompressq,
            Vpcompressw, Vpexpandb, Vpexpandd, Vpexpandq, Vpexpandw,
        };
        if !self.has_a_mask() {
            return None;
        }
        let code = &self.instruction;
        let elements = code.memory_size().element_count().clamp(1, 64) as u32;
        let mask = registers.value(code.op_mask(), 0, 0) & (u64::MAX >> (64 - elements));
        match code.mnemonic() {
            Vcompresspd | Vcompressps | Vexpandpd | Vexpandps | Vpcompressb | Vpcompressd
            | Vpcompressq | Vpcompressw | Vpexpandb | Vpexpandd | Vpexpandq | Vpexpandw => {
                Some(u64::from(mask.count_ones()))
            }
            // One element for all, which is read if any of them is named.
            _ if code.is_broadcast() => Some(u64::from(registers.value(code.op_mask(), 0, 0) != 0)),
            _ => Some(mask),
        }
    }

    fn has_vectors(&self, operands: &[u32]) -> bool {
        operands.iter().any(|&operand| self.instruction.op_register(operand).is_vector_register())
    }

    /// The elements of a gather or scatter that are accessed; the first and only one of every other
    /// access.
    fn lanes(&self, used: &UsedMemory, registers: &Registers<'_>) -> Vec<usize> {
        if used.vsib_size() == 0 {
            return vec![0];
        }
        let code = &self.instruction;
        let size = used.memory_size().size().max(1);
        let data = if code.op0_kind() == OpKind::Register {
            code.op0_register()
        } else {
            code.op1_register()
        };
        let indices = used.index().size() / used.vsib_size() as usize;
        let mut lanes: Vec<usize> = (0..indices.min(data.size() / size)).collect();
        lanes.retain(|&lane| match code.op_mask() {
            // With VEX, the mask is the sign of each element of the third operand.
            Register::None => {
                let element = registers.value(code.op2_register(), lane, size);
                element >> (8 * size - 1) & 1 == 1
            }
            mask => registers.value(mask, 0, 0) >> lane & 1 == 1,
        });
        lanes
    }

    /// How far the word whose bit is tested is from the address of the operand, if a register has
    /// the number of the bit.
    fn words_beyond(&self, registers: &Registers<'_>) -> Option<u64> {
        use Mnemonic::{Bt, Btc, Btr, Bts};
        let code = &self.instruction;
        let tests = matches!(code.mnemonic(), Bt | Btc | Btr | Bts);
        let by_register = code.op0_kind() == OpKind::Memory && code.op1_kind() == OpKind::Register;
        (tests && by_register).then(|| {
            let bits = 8 * code.op1_register().size() as u32;
            let unused = 64 - bits;
            let number = registers.value(code.op1_register(), 0, 0);
            ((number << unused) as i64 >> unused >> bits.trailing_zeros()) as u64
        })
    }

    /// The dividend of an integer division is in two registers, or for bytes in one.
    fn mix_dividend(&self, registers: &Registers<'_>, hash: &mut u64) {
        let size = match self.instruction.op0_kind() {
            OpKind::Register => self.instruction.op0_register().size(),
            _ => self.instruction.memory_size().size(),
        };
        let halves = match size {
            1 => [Register::AX, Register::None],
            2 => [Register::AX, Register::DX],
            4 => [Register::EAX, Register::EDX],
            _ => [Register::RAX, Register::RDX],
        };
        for half in halves {
            mix(hash, registers.value(half, 0, 0));
        }
    }

    /// The address of an operand in memory.
    fn address_of(&self, operand: u32, registers: &Registers<'_>) -> u64 {
        let value = |register, lane, size| Some(registers.value(register, lane, size));
        self.instruction.virtual_address(operand, 0, value).unwrap_or_default()
    }

    fn mix_operand(&self, operand: u32, registers: &Registers<'_>, hash: &mut u64) {
        let code = &self.instruction;
        if code.op_kind(operand) != OpKind::Register {
            let mut bytes = [0; 64];
            let size = code.memory_size().size().min(bytes.len());
            let at = self.address_of(operand, registers);
            registers.stop.read(at, &mut bytes[..size]);
            return bytes.chunks_exact(8).for_each(|word| mix(hash, number(word)));
        }
        let register = code.op_register(operand);
        match self.scalar() {
            Some(size) => mix(hash, registers.value(register, 0, size)),
            None => registers.mix(register, hash),
        }
    }

    /// The size in bytes of the lowest element of a vector register, if it takes that one alone.
    /// Earlier code has left the others there, and they may be a secret.
    fn scalar(&self) -> Option<usize> {
        use Mnemonic::{
            Divsd, Divss, Sqrtsd, Sqrtss, Vdivsd, Vdivsh, Vdivss, Vsqrtsd, Vsqrtsh, Vsqrtss,
        };
        match self.instruction.mnemonic() {
            Vdivsh | Vsqrtsh => Some(2),
            Divss | Sqrtss | Vdivss | Vsqrtss => Some(4),
            Divsd | Sqrtsd | Vdivsd | Vsqrtsd => Some(8),
            _ => None,
        }
    }
}

/// The registers of a thread that has stopped.
struct Registers<'a> {
    stop: &'a Stop<'a>,
    /// The vector registers, in the standard form of XSAVE; empty if they are not needed.
    vectors: Vec<u8>,
}

impl Registers<'_> {
    fn mix(&self, register: Register, hash: &mut u64) {
        for lane in 0..register.size().div_ceil(8) {
            mix(hash, self.value(register, lane, 8));
        }
    }

    /// The value of a register, or the base of a segment; of a vector, the element with this number
    /// and size in bytes.
    fn value(&self, register: Register, lane: usize, size: usize) -> u64 {
        let all = &self.stop.registers;
        if register.is_gpr() {
            let whole = self.general(register.full_register());
            // AH, CH, DH and BH.
            let high =
                matches!(register, Register::AH | Register::CH | Register::DH | Register::BH);
            let value = if high { whole >> 8 } else { whole };
            return value & (u64::MAX >> (64 - 8 * register.size()));
        }
        match register {
            Register::FS => all.fs_base,
            Register::GS => all.gs_base,
            _ if register.is_k() => self.saved(Component::Masks, 8 * register.number(), 8),
            _ if register.is_vector_register() => {
                self.element(register.number(), lane * size, size)
            }
            // The register of MMX is a part of x87's.
            _ if register.is_mm() => {
                self.saved(Component::Stack, 16 * register.number() + lane * size, size)
            }
            // Ten bytes, and six that are zero.
            _ if register.is_st() => {
                self.saved(Component::Stack, 16 * register.number() + 8 * lane, 8)
            }
            _ => 0,
        }
    }

    /// A general register of 64 bits, which the instruction set numbers in this order.
    fn general(&self, register: Register) -> u64 {
        let r = &self.stop.registers;
        [
            r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9, r.r10, r.r11,
            r.r12, r.r13, r.r14, r.r15,
        ][register.number()]
    }

    /// A part of a vector register: XSAVE keeps the parts of ZMM0 to ZMM15 in three places.
    fn element(&self, register: usize, byte: usize, size: usize) -> u64 {
        match (register, byte) {
            (16.., _) => self.saved(Component::Upper, 64 * (register - 16) + byte, size),
            (_, ..16) => self.saved(Component::Xmm, 16 * register + byte, size),
            (_, 16..32) => self.saved(Component::Ymm, 16 * register + byte - 16, size),
            _ => self.saved(Component::Zmm, 32 * register + byte - 32, size),
        }
    }

    fn saved(&self, component: Component, byte: usize, size: usize) -> u64 {
        let at = component.offset() + byte;
        self.vectors.get(at..at + size.min(8)).map_or(0, number)
    }
}

/// A part that XSAVE saves.
#[derive(Clone, Copy)]
enum Component {
    /// The stack of the x87 registers, from its top.
    Stack,
    /// The lower 16 bytes of the first 16 registers.
    Xmm,
    /// Their next 16 bytes.
    Ymm,
    /// The masks of AVX-512.
    Masks,
    /// The upper halves of the first 16 registers.
    Zmm,
    /// The other 16 registers.
    Upper,
}

impl Component {
    /// Where it is in the standard form.
    fn offset(self) -> usize {
        let number = match self {
            // In the part that is older than XSAVE.
            Component::Stack => return 32,
            Component::Xmm => return 160,
            Component::Ymm => 2,
            Component::Masks => 5,
            Component::Zmm => 6,
            Component::Upper => 7,
        };
        std::arch::x86_64::__cpuid_count(0xd, number).ebx as usize
    }
}

/// Whether an instruction brings a line of memory to a cache, or takes it from there, without
/// reading or writing it.
fn fetches(instruction: &Instruction) -> bool {
    use Mnemonic::{
        Cldemote, Clflush, Clflushopt, Clwb, Prefetch, Prefetchnta, Prefetcht0, Prefetcht1,
        Prefetcht2, Prefetchw, Prefetchwt1,
    };
    matches!(
        instruction.mnemonic(),
        Cldemote
            | Clflush
            | Clflushopt
            | Clwb
            | Prefetch
            | Prefetchnta
            | Prefetcht0
            | Prefetcht1
            | Prefetcht2
            | Prefetchw
            | Prefetchwt1
    )
}

/// The system call that is about to be made, and its arguments.
fn what_is_asked(registers: &libc::user_regs_struct) -> Touched {
    let mut touched = Touched { addresses: 0, operands: registers.rax };
    for argument in others::arguments(registers).unwrap_or_default() {
        mix(&mut touched.operands, argument);
    }
    touched
}

/// Adds a value to a hash. The hash of a single value is the value.
fn mix(hash: &mut u64, value: u64) {
    // Each step can be undone, so no two hashes become one.
    let high = *hash ^ (*hash >> 32);
    let all = high.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    *hash = all ^ (all >> 29) ^ value;
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(code: &[u8]) -> Decoded {
        let mut bytes = [0; 15];
        bytes[..code.len()].copy_from_slice(code);
        Decoded::at(0x1000, bytes, &mut InstructionInfoFactory::new())
    }

    /// Registers in code with this selector.
    fn registers(cs: u64) -> libc::user_regs_struct {
        // SAFETY: registers are numbers, for which all zeros is a value.
        let zeros: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        libc::user_regs_struct { cs, ..zeros }
    }

    #[test]
    fn what_may_notice_a_step_or_hides_from_it_is_known() {
        // rdpru; mwaitx; tpause eax; umwait eax; xbegin; mov ss, eax
        let hiding: [(&[u8], Asks); 6] = [
            (&[0x0f, 0x01, 0xfd], Asks::Time),
            (&[0x0f, 0x01, 0xfb], Asks::Time),
            (&[0x66, 0x0f, 0xae, 0xf0], Asks::Time),
            (&[0xf2, 0x0f, 0xae, 0xf0], Asks::Time),
            (&[0xc7, 0xf8, 0, 0, 0, 0], Asks::Steps),
            (&[0x8e, 0xd0], Asks::Steps),
        ];
        for (code, asks) in hiding {
            assert_eq!(decoded(code).asks(&registers(CODE_64[0])), Some(asks), "{code:x?}");
        }
        // mov eax, ss; nop; xtest
        for code in [&[0x8c, 0xd0][..], &[0x90], &[0x0f, 0x01, 0xd6]] {
            for cs in CODE_64 {
                assert_eq!(decoded(code).asks(&registers(cs)), None, "{code:x?}");
            }
            let of_32_bits = decoded(code).asks(&registers(0x23));
            assert_eq!(of_32_bits, Some(Asks::System32), "{code:x?}");
        }
    }

    #[test]
    fn the_dividends_0_and_minus_1_are_told_apart() {
        let hash = |values: &[u64]| {
            let mut hash = 0;
            values.iter().for_each(|&value| mix(&mut hash, value));
            hash
        };
        let minus = u64::MAX;
        assert_eq!(hash(&[7]), 7);
        // The halves of a dividend, and a divisor: without a sign, and with one.
        assert_ne!(hash(&[0, 0, 7]), hash(&[minus, 0, 7]));
        assert_ne!(hash(&[0, 0, 7]), hash(&[minus, minus, 7]));
        assert_ne!(hash(&[5, 7]), hash(&[!5, 7]));
    }

    #[test]
    fn a_scalar_division_takes_the_lowest_element_alone() {
        // divsd xmm0, xmm1; divss xmm0, xmm1; vsqrtsd xmm0, xmm1, xmm1; divpd xmm0, xmm1; div rcx
        let sizes: [(&[u8], Option<usize>); 5] = [
            (&[0xf2, 0x0f, 0x5e, 0xc1], Some(8)),
            (&[0xf3, 0x0f, 0x5e, 0xc1], Some(4)),
            (&[0xc5, 0xf3, 0x51, 0xc1], Some(8)),
            (&[0x66, 0x0f, 0x5e, 0xc1], None),
            (&[0x48, 0xf7, 0xf1], None),
        ];
        for (code, size) in sizes {
            assert_eq!(decoded(code).scalar(), size, "{code:x?}");
        }
    }

    #[test]
    fn an_instruction_that_touches_nothing_is_told_from_an_unknown_one() {
        // nop; an instruction of programs with 32 bits
        assert!(decoded(&[0x90]).is_known() && !decoded(&[0x06]).is_known());
        assert_eq!(decoded(&[0x0f, 0x1f, 0x00]).length(), 3);
    }

    #[test]
    fn a_register_with_flags_is_read_or_replaced() {
        // mov rax, r11; mov r11b, 1; add r11, rax; xor r11d, r11d; mov r10, rax; movzx eax, r11b;
        // movzx eax, r11w
        let uses: [(&[u8], bool, bool); 7] = [
            (&[0x4c, 0x89, 0xd8], true, false),
            (&[0x41, 0xb3, 0x01], false, false),
            (&[0x49, 0x01, 0xc3], true, false),
            (&[0x45, 0x31, 0xdb], false, true),
            (&[0x49, 0x89, 0xc2], false, false),
            (&[0x41, 0x0f, 0xb6, 0xc3], false, false),
            (&[0x41, 0x0f, 0xb7, 0xc3], true, false),
        ];
        for (code, reads, replaces) in uses {
            let decoded = decoded(code);
            let found = (decoded.reads_flags, decoded.replaces_flags);
            assert_eq!(found, (reads, replaces), "{code:x?}");
        }
    }
}
