// The file with our C kernels as WebAssembly. The tool builds it and names it on the command line:
// `--wasm FILE`, or `--no-wasm REASON REMEDY` if it could not.
import fs from 'node:fs';

/** The file's path and the kernels' version, or why there is none. */
function given() {
    const words = process.argv.slice(2);
    const at = words.findIndex((word) => word === '--wasm' || word === '--no-wasm');
    if (at < 0) {
        const reason = 'the runner was started without the WebAssembly module';
        return { missing: { reason, remedy: 'start it with --wasm FILE, as cupel does' } };
    }
    if (words[at] === '--no-wasm') {
        const [reason, remedy] = words.slice(at + 1);
        return { missing: { reason, remedy: remedy || undefined } };
    }
    const file = words[at + 1];
    const found = /cupel (\S+) \((clang [\d.]+)\)/.exec(fs.readFileSync(file, 'latin1'));
    if (!found) return { missing: { reason: `${file} is not Cupel's WebAssembly module` } };
    const [, version, compiler] = found;
    return { file, version: `${version} (${compiler}, Node.js ${process.versions.node})` };
}

export const WASM = given();
