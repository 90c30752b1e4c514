// The machine, the method and the work: every figure depends on them.
import type { Data, Reading } from './data';
import { h } from './dom';
import { bytes, time } from './text';
import { type Entry, table, text } from './table';

export function machineSection(data: Data): Node[] {
    const { document: run } = data;
    const rows = byLength(run.machine).map(([field, value]): Entry[] => [
        field.replaceAll('_', ' '),
        reading(field, value),
    ]);
    rows.push(['fingerprint', run.fingerprint]);
    const options = run.options;
    const circumstances: Entry[][] = [
        ['command', text(run.command, 400)],
        ['started', text(run.started)],
        ['finished', run.finished === null ? 'not finished' : text(run.finished)],
        ['cupel', text(run.cupel)],
        ['forks', `${options.forks}`],
        ['tie zone', `${options.tie_zone * 100} %`],
        ['joint error of the intervals of a table', `${options.alpha * 100} %`],
        ['intervals to the baselines, in all tables', `${run.run_intervals}`],
        ['intervals are wider, as the controls ask, by a factor of', run.calibration.toFixed(2)],
        ['time in rounds', time(run.measured_ns)],
        ['of that, in timed slices', time(run.sliced_ns)],
        ...Object.entries(run.harness_overhead_ns).map(([name, ns]): Entry[] => [
            h('span', {}, 'empty operation, ', text(name)),
            [ns, time(ns)],
        ]),
    ];
    const columns = [{ name: 'what' }, { name: 'value' }];
    return [table('The machine', columns, rows), table('The run', columns, circumstances)];
}

/** The fields, with the long list of the processor's flags last. */
function byLength(machine: Data['document']['machine']): [string, (typeof machine)[string]][] {
    return Object.entries(machine).sort(
        (a, b) => Number(a[0] === 'flags') - Number(b[0] === 'flags'),
    );
}

function reading(
    field: string,
    value: string | number | Reading<string | number | string[]>,
): Entry {
    if (typeof value !== 'object') return text(String(value));
    if ('not-available' in value) {
        return h('span', { class: 'absent' }, 'not available: ', text(value['not-available']));
    }
    const { known } = value;
    if (typeof known === 'number') {
        return [
            known,
            field === 'last_level_cache' || field === 'memory' ? memory(known) : `${known}`,
        ];
    }
    return text(Array.isArray(known) ? known.join(' ') : known, 4000);
}

/** Memory is never a whole number of MiB. */
function memory(size: number): string {
    return size >= 1 << 30 ? `${(size / (1 << 30)).toFixed(1)} GiB` : bytes(size);
}

export function contenderSection(data: Data): Node[] {
    const columns = [
        { name: 'contender' },
        { name: 'library' },
        { name: 'version' },
        { name: 'built with' },
        { name: 'licence' },
        { name: 'cases verified', number: true },
        { name: 'how it is called' },
        { name: 'code path' },
        { name: 'does not support' },
    ];
    const rows = data.document.contenders.map((c): Entry[] => [
        text(c.name, 160),
        text(c.library),
        text(c.version),
        c.built_with === null ? null : text(`prebuilt: ${c.built_with}`, 400),
        text(c.licence),
        [c.verified_cases, `${c.verified_cases}`],
        text(c.summary),
        c.code_path === null ? null : text(c.code_path, 400),
        text(c.not_supported, 400),
    ]);
    return [table('Contenders', columns, rows)];
}
