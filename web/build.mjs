// Builds the page: one HTML file with style and script inside, and a policy that names them by
// their digests, so that a browser runs nothing else. `node build.mjs FILE`
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));

async function bundled(entry) {
    const built = await build({
        absWorkingDir: here,
        entryPoints: [entry],
        bundle: true,
        minify: true,
        charset: 'ascii',
        format: 'iife',
        target: 'es2022',
        legalComments: 'inline',
        write: false,
        metafile: true,
        logLevel: 'warning',
    });
    return { text: built.outputFiles[0].text, inputs: Object.keys(built.metafile.inputs) };
}

/** The licences of the bundled packages, which every copy must include: each text once. */
function notices(inputs) {
    const packages = inputs.flatMap(
        (path) => /^node_modules\/((@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
    );
    const texts = new Map();
    for (const name of [...new Set(packages)].sort()) {
        const text = readFileSync(`${here}node_modules/${name}/LICENSE`, 'utf8').trim();
        texts.set(text, [...(texts.get(text) ?? []), name]);
    }
    return [...texts].map(([text, names]) => `${names.join(', ')}:\n${text}`).join('\n\n');
}

/** The name of an inline element in a policy: the digest of the text between its tags. */
function digest(text) {
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const { text: script, inputs } = await bundled('src/main.ts');
const { text: style } = await bundled('src/page.css');
const licences = notices(inputs);
if (licences.includes('--')) throw new Error('a licence ends the comment');
for (const [text, end] of [
    [script, '</script'],
    [style, '</style'],
]) {
    if (text.includes(end) || text.includes('<!--')) throw new Error(`${end} inside`);
}
const policy = [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    `style-src ${digest(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
].join('; ');
const page = readFileSync(`${here}src/page.html`, 'utf8')
    .replace('{licences}', () => licences)
    .replace('{policy}', () => policy)
    .replace('{style}', () => style)
    .replace('{script}', () => script);
const file = process.argv[2];
if (!file) throw new Error('usage: node build.mjs FILE');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, page);
