#!/usr/bin/env python3
"""What do five published comparisons find here, by their authors' methods and by Cupel?

scripts/evidence/documents/ has a small program for each document, which measures as the document
says that its author did. Where the document says nothing, the program does what is better. Each is
built, and executed several times, each time in a fresh process; then Cupel measures the same calls
of the same libraries. A second way of the program leaves out the suspected cause of the difference,
or says why it is another one.

Prints a table for each document. A ratio is the time of the first divided by that of the second.
The exit status is 1 if a program or Cupel has no ratio for a question. Run `make build` first.

Examples:
  scripts/evidence/documents.py --quick                each program once, shortened
  scripts/evidence/documents.py --only 000,003 --save  two documents, into the page
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import rig

SOURCES = pathlib.Path(__file__).resolve().parent / "documents"
PAGE = rig.ROOT / "docs/trust/evidence/documents.md"
# Where the runners are, and the libraries that they call.
HOME = pathlib.Path(os.environ.get("CUPEL_HOME", rig.ROOT))
BUILT = rig.KEPT / "documents"
# As in contenders/jvm.toml: in a small young heap of touched memory, an allocation costs as much as
# later ones.
TOUCHED = ["-Xmn64m", "-Xms128m", "-XX:+AlwaysPreTouch"]
FLAGS = ["-Ofast", "-Os", "-O1", "-O0"]


class Question:
    """Two rows of a program and the two contenders that stand for them; the second is the baseline."""

    def __init__(self, words, document, rows, contenders, cell):
        self.words, self.document, self.rows, self.contenders, self.cell = words, document, rows, contenders, cell


class Document:
    """Ways are pairs of words and of a function that returns the program's output; the first is the author's."""

    def __init__(self, times, budget, workloads, ways, questions):
        self.times, self.budget, self.workloads, self.ways, self.questions = times, budget, workloads, ways, questions


def output(command, **options):
    """What a program prints. One that fails ends the script."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with status {done.returncode}: {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout


def java(name, major):
    """What starts the program of a document on the first JDK of this version."""
    libraries = HOME / "runners/jvm/target/lib"
    found = [jdk for jdk in rig.jdks() if jdk[2] == major]
    if not libraries.is_dir() or not found:
        sys.exit(f"a JDK {major} and the JVM runner are needed: run `cupel install jdk {major}` and `make build`")
    output(["javac", "-nowarn", "--release", "17", "-cp", f"{libraries}/*", "-d", BUILT, SOURCES / f"{name}.java"])
    return found[0][0], [found[0][1] / "bin/java", "-cp", f"{BUILT}:{libraries}/*", name]


def workload(primitive, operation, sizes, names, contract=""):
    """As suites have them; the first contender is the baseline."""
    text = f'\n[[workload]]\nprimitive = "{primitive}"\noperation = "{operation}"\nsizes = {sizes}\n'
    text += f"contenders = {json.dumps(names)}\nbaseline = {json.dumps(names[0])}\n"
    return text + (f"contract = {{ {contract} }}\n" if contract else "")


def document_000(quick):
    jdk, program = java("Document000", 21)
    names = [f"jvm/jdk@{jdk}", f"jvm/cupel@{jdk}"]
    published = {13: 0.0029 / 0.0052, 100: 0.0038 / 0.0030, 1024: 0.0064 / 0.0008, 10240: 0.0601 / 0.0064}
    again = 2 if quick else 20
    warm = [program[0], *TOUCHED, *program[1:], again]
    return Document(
        10, 60, workload("sha256", "digest", list(published), names),
        [("as written", lambda: output(program)), (f"the last of {again} in a process, touched memory", lambda: output(warm))],
        [
            Question(f"Java / JDK, {size} B", value, (f"custom/{size}", f"jdk/{size}"), names[::-1], ("sha256", "digest", size))
            for size, value in published.items()
        ],
    )


def document_001(quick):
    jdk, program = java("Document001", 17)
    label = {"pando": "software.pando", "zackehh": "com.zackehh", "guava": "Guava"}
    # The document has 2 s.
    seconds = 0.02 if quick else 1
    alone = lambda: "".join(output([*program, seconds / 4, 32, name]) for name in label)
    name = {one: f"jvm/{one}@{jdk}" for one in label}
    cell = ("siphash-2-4", "mac", 32)
    return Document(
        4, 60, workload("siphash-2-4", "mac", [32], list(name.values()), 'bytes = "7-bit"'),
        [("as written", lambda: output([*program, seconds, 32, *label])), ("each in its own process", alone)],
        [
            Question(f"{label[one]} / {label['pando']}, 32 B", value, (f"{one}/32", "pando/32"), (name[one], name["pando"]), cell)
            for one, value in [("zackehh", 86 / 62), ("guava", 155 / 62)]
        ],
    )


def gcc():
    """The name and the path of a gcc."""
    listed = output([rig.CUPEL, "list", "toolchains"]).splitlines()
    found = next((words for words in map(str.split, listed) if words and words[0].startswith("gcc-")), None)
    return (found[0], found[-1]) if found else sys.exit("no gcc: apt-get install gcc")


def document_002(quick):
    compiler, path = gcc()
    kernels = rig.ROOT / "kernels"
    include = [f"-I{kernels / part}" for part in ["include", "src/common", "src/cpu", "src/sha1", "src/sha256"]]
    files = [kernels / "src" / f"{name}.c" for name in ["common/secret", "cpu/cpu", "cpu/detect_x86"]]
    files += [kernels / f"src/{sha}/{sha}{part}.c" for sha in ("sha1", "sha256") for part in ["", "_constants", "_portable"]]
    sets = {"ssse3": ["-mssse3"], "avx2": ["-mavx2", "-mbmi", "-mbmi2"], "shani": ["-msha", "-msse4.1", "-mssse3"]}
    source = SOURCES / "document002.c"
    output([path, "-Ofast", source, "-o", BUILT / "mbedtls", "-lmbedcrypto"])
    for flag in FLAGS:
        objects = BUILT / f"cupel{flag}"
        objects.mkdir(exist_ok=True)
        output([path, flag, "-DCUPEL", *include, "-c", source, *files], cwd=objects)
        for name, options in sets.items():
            output([path, flag, *options, *include, "-c", *(kernels / f"src/{sha}/{sha}_{name}.c" for sha in ("sha1", "sha256"))], cwd=objects)
        output([path, *objects.glob("*.o"), "-o", objects / "program"])
    count = 10_000 if quick else 10_000_000
    programs = [("mbedtls", BUILT / "mbedtls", "sha1", "default")]
    programs += [("portable", BUILT / "cupel-Ofast/program", "sha256", "portable")]
    programs += [(flag, BUILT / f"cupel{flag}/program", sha, "ssse3") for flag in FLAGS for sha in ("sha1", "sha256")]

    def way(kind):
        return "".join(output([program, f"{sha}/{name}", sha, kind, count, path]) for name, program, sha, path in programs)

    names = {flag: f"c/cupel-ssse3@{compiler}{flag}" for flag in FLAGS}
    names |= {"mbedtls": "c/mbedtls", "portable": f"c/cupel-portable@{compiler}-Ofast"}
    published = {
        "sha1": {"mbedtls": 601.800 / 436.889, "-Os": 597.733 / 583.531, "-O1": 597.733 / 583.229, "-O0": 597.733 / 563.159},
        "sha256": {"portable": 260.472 / 158.712, "-Os": 260.319 / 260.292, "-O1": 260.319 / 259.720, "-O0": 260.319 / 255.295},
    }
    words = {"mbedtls": "Mbed TLS", "portable": "portable C"}
    return Document(
        5, 60, "".join(workload(sha, "digest", [64], [names["-Ofast"], *(names[one] for one in asked)]) for sha, asked in published.items()),
        [("as written", lambda: way("block")), ("each block a message", lambda: way("message"))],
        [
            Question(
                f"{sha}: {words.get(one, one)} / -Ofast", value, (f"{sha}/{one}", f"{sha}/-Ofast"),
                (names[one], names["-Ofast"]), (sha, "digest", 64),
            )
            for sha, asked in published.items() for one, value in asked.items()
        ],
    )


def document_003(quick):
    crate = BUILT / "document003"
    shutil.copytree(SOURCES / "document003", crate, dirs_exist_ok=True)
    shutil.copy(rig.ROOT / "runners/rust/Cargo.lock", crate)
    build = ["cargo", "bench", "--offline", "--no-run", "--quiet", "--message-format=json", "--target-dir", crate / "target"]
    # Stable Rust lacks features that the document's benchmarks need.
    lines = output(build, cwd=crate, env={**os.environ, "RUSTC_BOOTSTRAP": "1"}).splitlines()
    messages = [json.loads(line) for line in lines if line.startswith("{")]
    program = next(m["executable"] for m in messages if m.get("executable") and m["target"]["kind"] == ["bench"])
    names = {"ring": "rust/ring-read-1k", "rust_crypto": "rust/sha2-0.10-copy", "rust_crypto_ex": "rust/sha2-0.10-read-1k"}
    published = {"1KB": (1024, 2_700, 5_038, 5_108), "10KB": (10_240, 21_876, 43_497, 44_367)}
    published |= {"1MB": (1_024_000, 2_208_477, 4_326_755, 4_532_017)}
    questions = []
    for size, (length, ring, simple, manual) in published.items():
        for one, value in [("rust_crypto", simple), ("rust_crypto_ex", manual)]:
            cell = ("sha256", "digest-file", length)
            rows = (f"{one}_{size}", f"ring_{size}")
            questions.append(Question(f"{one} / ring, {size}", value / ring, rows, (names[one], names["ring"]), cell))
    sizes = [length for length, *_ in published.values()]
    asked = ["1KB"] if quick else []
    return Document(
        5, 60, workload("sha256", "digest-file", sizes, list(names.values())),
        [("as written", lambda: output([program, "--bench", *asked]))],
        [question for question in questions if not quick or question.words.endswith(" 1KB")],
    )


def document_004(quick):
    jdk, program = java("Document004", 21)
    names = [f"jvm/jdk@{jdk}", f"jvm/asherah@{jdk}"]
    published = {"seal": {64: 6.71 / 3.29, 256: 8.56 / 3.31, 4096: 38.94 / 4.55}}
    published |= {"open": {64: 8.68 / 8.87, 256: 9.40 / 4.07, 4096: 38.24 / 4.23}}
    again = 2 if quick else 4
    key = 'key = "per-call"'
    return Document(
        4, 75, "".join(workload("aes-256-gcm", operation, list(values), names, key) for operation, values in published.items()),
        [("as written", lambda: output(program)), (f"the last of {again} in a process", lambda: output([*program, again]))],
        [
            Question(
                f"BouncyCastle / JDK, {operation} {size} B", value, (f"bc/{operation}/{size}", f"jdk/{operation}/{size}"),
                names[::-1], ("aes-256-gcm", operation, size),
            )
            for operation, values in published.items() for size, value in values.items()
        ],
    )


DOCUMENTS = {"000": document_000, "001": document_001, "002": document_002, "003": document_003, "004": document_004}


def executed(document, times, env, folder):
    """For each way, the ns per call of each row, as Cupel reads them from each execution's output."""
    files = {}
    for turn in range(times):
        for words, way in document.ways:
            file = folder / f"{len(files)}.txt"
            file.write_text(way())
            files[file.name] = words
    output([rig.CUPEL, "import", *(folder / name for name in files)], env=env)
    shown = json.loads(output([rig.CUPEL, "show", "--foreign", "--format", "json"], env=env))
    runs = {name: {} for name in files}
    for row in shown["results"]:
        runs[row["name_of_file"]][row["name"]] = row["ns"]
    return {words: [runs[name] for name in files if files[name] == words] for words, _ in document.ways}


def measured(document, quick, env, folder):
    """Cupel's rows, by contender, primitive, operation and size."""
    suite = folder / "document.toml"
    suite.write_text(f'question = "What does the document ask?"\n{document.workloads}')
    how = ["--forks", "2", "--budget", "least"] if quick else ["--forks", "11", "--budget", f"{document.budget}s"]
    found = rig.run_cupel([str(suite), "--all", *how], env)
    return {(c["contender"], c["primitive"], c["operation"], c["size"]): c for c in found["cells"]}


def answered(question, ways, cells):
    """What is kept of a question."""
    first, second = (cells[name, *question.cell] for name in question.contenders)
    ratios = lambda runs: [run[question.rows[0]] / run[question.rows[1]] for run in runs]
    middle = lambda runs: [statistics.median(run[row] for run in runs) for row in question.rows]
    return {
        "question": question.words,
        "document": question.document,
        "ways": [{"ratios": ratios(runs), "ns": middle(runs)} for runs in ways.values()],
        "cupel": {key: first[key] for key in ("ratio", "ratio_low", "ratio_high", "verdict")} | {"ns": [first["ns_median"], second["ns_median"]]},
    }


def text(result):
    """The table, in Markdown."""
    columns = ["time of the first / the second", "the document", *result["ways"], "Cupel", "as written is off by"]
    rows = []
    for one in result["questions"]:
        cupel, written = one["cupel"], one["ways"][0]
        ranges = [f"{figure(statistics.median(r))} ({figure(min(r))} .. {figure(max(r))})" for r in (way["ratios"] for way in one["ways"])]
        interval = "-" if cupel["ratio_low"] is None else f"{figure(cupel['ratio_low'])} .. {figure(cupel['ratio_high'])}"
        found = f"{figure(cupel['ratio'])} [{interval}]"
        rows.append([one["question"], figure(one["document"]), *ranges, found, off(written["ratios"], cupel)])
    return f"{rig.header(result)}\n\n{rig.table(columns, rows)}"


def figure(value):
    """Three digits, and no fewer than a whole number has."""
    return "-" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def off(ratios, cupel):
    """How far the median execution is from Cupel's ratio, and how many name the other one as faster."""
    low, high, middle = cupel["ratio_low"], cupel["ratio_high"], statistics.median(ratios)
    if low is not None and low <= middle <= high:
        words = "nothing: it is in the interval"
    else:
        words = f"{middle / cupel['ratio'] - 1:+.0%}".replace("%", " %")
    wrong = sum((ratio > 1) != (cupel["ratio"] > 1) for ratio in ratios)
    if cupel["verdict"] in ("faster", "slower") and wrong:
        words += f"; **the other is faster** in {wrong} of {len(ratios)}"
    return words


def main():
    parser = rig.parser(__doc__, "each program once, shortened, and Cupel with two forks", PAGE)
    parser.add_argument(
        "--only", type=rig.chosen_from(list(DOCUMENTS)), default=list(DOCUMENTS), metavar="LIST",
        help=f"separated by commas (default: {','.join(DOCUMENTS)})",
    )
    asked = parser.parse_args()
    rig.require_cupel()
    BUILT.mkdir(parents=True, exist_ok=True)
    for number in asked.only:
        rig.say(f"{number}: building its program")
        document = DOCUMENTS[number](asked.quick)
        times = 1 if asked.quick else document.times
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            env = {"CUPEL_HOME": str(rig.ROOT), **os.environ, "CUPEL_STORE": str(folder / "documents.sqlite")}
            result = rig.stamp() | {"times": times, "ways": [words for words, _ in document.ways]}
            rig.say(f"{number}: executing it {times} times in each of {len(document.ways)} ways")
            ways = executed(document, times, env, folder)
            rig.say(f"{number}: measuring with Cupel")
            cells = measured(document, asked.quick, env, folder)
        result["questions"] = [answered(question, ways, cells) for question in document.questions]
        if any(one["cupel"]["ratio"] is None for one in result["questions"]):
            sys.exit(f"{number}: Cupel has no ratio: {json.dumps(result['questions'])}")
        rig.publish(f"documents-{number}", result, text, asked.save, PAGE)
        print(flush=True)


if __name__ == "__main__":
    main()
