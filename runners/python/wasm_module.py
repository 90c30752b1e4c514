"""The file with our C kernels as WebAssembly. The tool builds it and names it on the command line:
`--wasm FILE`, or `--no-wasm REASON REMEDY` if it could not."""

import re
import sys


def given():
    """The file's path and the kernels' version, or why there is none."""
    words = sys.argv[1:]
    if "--wasm" in words:
        file = words[words.index("--wasm") + 1]
        with open(file, "rb") as module:
            found = re.search(rb"cupel (\S+) \((clang [\d.]+)\)", module.read())
        if not found:
            return None, None, {"reason": f"{file} is not Cupel's WebAssembly module"}
        version, compiler = found.groups()
        return file, (version.decode(), compiler.decode()), None
    if "--no-wasm" in words:
        reason, remedy = words[words.index("--no-wasm") + 1 :][:2]
        return None, None, {"reason": reason, **({"remedy": remedy} if remedy else {})}
    reason = "the runner was started without the WebAssembly module"
    return None, None, {"reason": reason, "remedy": "start it with --wasm FILE, as cupel does"}


FILE, VERSION, MISSING = given()
