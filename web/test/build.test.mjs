// The page that the tool embeds is the one that these sources build.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('..', import.meta.url));

test('the committed page is fresh, byte for byte', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cupel-build-'));
    try {
        const file = join(folder, 'page.html');
        execFileSync(process.execPath, [join(web, 'build.mjs'), file]);
        const committed = readFileSync(join(web, 'dist/page.html'));
        assert.ok(
            readFileSync(file).equals(committed),
            'stale: run `make page` and commit web/dist',
        );
    } finally {
        rmSync(folder, { recursive: true });
    }
});
