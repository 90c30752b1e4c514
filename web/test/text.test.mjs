// Names as the charts show them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { transformSync } from 'esbuild';

const source = readFileSync(new URL('../src/text.ts', import.meta.url), 'utf8');
const { code } = transformSync(source, { loader: 'ts', format: 'esm' });
const { apart, ownVersion, ratioAtAxis } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
);

test('names that would look alike where they are cut are cut where they differ', () => {
    const engines = [
        'jvm/jdk@temurin-25',
        'jvm/cupel-aead-jdk@temurin-25',
        'jvm/cupel-aead-accp@temurin-25',
        'jvm/cupel-aead-accp@temurin-21',
    ];
    const labels = [...apart(engines, 17).values()];
    assert.deepEqual(labels, [
        'jvm/jdk@te…rin-25',
        '…d-jdk@temurin-25',
        '…-accp@temurin-25',
        'jvm/cupel-…rin-21',
    ]);
    assert.deepEqual([...apart(engines, 40).values()], engines);
    // Names that their ends do not distinguish keep their beginning.
    const builds = ['c/cupel-portable@a', 'c/cupel-portable@b'].map((n) => n + '-with-a-long-end');
    assert.deepEqual([...apart(builds, 12).values()], ['c/cupel…-end', 'c/cupel…-end']);
});

test('a version is that of the contender, without what it runs on', () => {
    for (const [whole, own] of [
        ['3.0.19', '3.0.19'],
        ['3.11.7 (OpenSSL 3.0.19)', '3.11.7'],
        ['0.1.0 (clang 14.0.6, wasmtime 50.0.1, Python 3.11.7)', '0.1.0'],
        ['Eclipse Adoptium 21.0.8+9-LTS, OpenJDK 64-Bit Server VM', '21.0.8+9-LTS'],
        ['', ''],
    ]) {
        assert.equal(ownVersion(whole), own);
    }
});

test('a ratio at an axis is short, however large it is', () => {
    const shown = [1e-35, 0.001, 1.05, 1000, 1e5, 1e29].map(ratioAtAxis);
    assert.deepEqual(shown, ['1e-35', '0.001', '1.05', '1000', '1e+5', '1e+29']);
});
