// The package that has the compiled code of @napi-rs/blake-hash. There is one for each system, and
// npm installs the one for this system. We take it directly: it exports the same functions as
// @napi-rs/blake-hash.
import fs from 'node:fs';

const NAMES = ['@napi-rs/blake-hash-linux-x64-gnu', '@napi-rs/blake-hash-linux-x64-musl'];

/** Whether npm has installed this package. */
function isInstalled(name) {
    return fs.existsSync(new URL(`node_modules/${name}/package.json`, import.meta.url));
}

/** Its name, if one is installed. */
export const BLAKE_HASH = NAMES.find(isInstalled);
