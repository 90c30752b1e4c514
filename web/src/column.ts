// Columns of numbers and lists of positions, as crates/core/show/src/report/page/column.rs writes
// them.

/** 32-bit floats; `null` for NaN. */
export function floats(written: string): (number | null)[] {
    const bytes = Uint8Array.from(atob(written), (c) => c.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    return Array.from({ length: bytes.length >> 2 }, (_, i) => {
        const value = view.getFloat32(4 * i, true);
        return Number.isNaN(value) ? null : value;
    });
}

/** Expands positions from alternating first and count. */
export function positions(runs: number[]): number[] {
    const all: number[] = [];
    for (let i = 0; i + 1 < runs.length; i += 2) {
        const [from = 0, count = 0] = runs.slice(i, i + 2);
        for (let position = from; position < from + count; position++) all.push(position);
    }
    return all;
}
