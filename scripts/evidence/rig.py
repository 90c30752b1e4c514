"""What the scripts share that measure contenders of known truth: the contenders, runs of Cupel, and
the page that the results go to."""

import argparse
import contextlib
import json
import lzma
import multiprocessing
import os
import pathlib
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
CUPEL = os.environ.get("CUPEL", str(ROOT / "target/release/cupel"))
SOURCES = pathlib.Path(__file__).resolve().parent / "known"
# Builds that are made once and kept: ignored by Git, deleted by `make clean`.
KEPT = ROOT / "target/evidence"
PAGE = ROOT / "docs/trust/evidence/known-truth.md"
# The results that the pages are drawn from, one file for each script and day.
RECORD = ROOT / "record"

# The share by which each contender of known.c and Contenders.java takes longer than `same`.
ADDED = {"same": 0.0, "copy-1": 0.0, "copy-2": 0.0, "copy-3": 0.0}
ADDED |= {"plus-1": 0.01, "plus-2": 0.02, "plus-3": 0.03, "plus-5": 0.05}
# Further contenders of known.c: copies, and changes.py's.
COPIES = ["same", *(f"copy-{n}" for n in range(1, 8))]
CHANGED = {"changing": 0.0, "plus-16": 0.16, "plus-50": 0.5, "minus-30": -0.3}
# The contenders of known.c whose steps wait for memory have the same names after this.
WALK = "walk-"
LEVELS = ["levels-1", "levels-2", "levels-3", "levels-4"]
# Its processes are 20 % slower or faster, which is far enough apart to be named.
FAR = "levels-far"
# The part of a call that is the same in all contenders is at most this; `constant_share` checks it.
CONSTANT = 0.02
# One block of SHA-256, so that the constant part is small without instructions for it as well.
SIZE = 16


def say(text):
    """A line of progress."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def parser(description, quick, page=PAGE):
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--quick", action="store_true", help=quick)
    made.add_argument(
        "--save", action="store_true",
        help=f"replace this script's section of {page.relative_to(ROOT)}, and keep its results in {RECORD.relative_to(ROOT)}/",
    )
    return made


def add_loops(made):
    """The option for busy loops during the runs."""
    made.add_argument("--loops", type=positive, default=0, metavar="N", help="busy loops during the runs (default: none)")


@contextlib.contextmanager
def busy(loops):
    """That many processes that do nothing but take time, wherever the system puts them."""
    started = [multiprocessing.Process(target=spin, daemon=True) for _ in range(loops)]
    for one in started:
        one.start()
    try:
        yield
    finally:
        for one in started:
            one.kill()


def spin():
    while True:
        pass


def positive(text):
    """A whole number of at least 1, for argparse."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def seconds(text):
    """A time in s, for argparse."""
    try:
        value = float(text.removesuffix("s"))
    except ValueError:
        value = 0.0
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time in seconds, such as 30")
    return value


def share(text):
    """A share in percent, for argparse."""
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        value = -1.0
    if not 0 <= value <= 0.5:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0 to 50 %, such as 2%")
    return value


def chosen_from(names):
    """Some of these names, separated by commas, for argparse."""

    def convert(text):
        asked = text.split(",")
        for name in asked:
            if name not in names:
                raise argparse.ArgumentTypeError(f"{name!r} is none of: {', '.join(names)}")
        return asked

    return convert


def require_cupel():
    if not pathlib.Path(CUPEL).exists():
        sys.exit(f"there is no {CUPEL}: run `make build`, or set CUPEL to the tool's path")


# The machine.


def first_line(path, pattern):
    with contextlib.suppress(OSError):
        found = re.search(pattern, pathlib.Path(path).read_text(), re.MULTILINE)
        return found.group(1) if found else None
    return None


def machine():
    """The machine in one line."""
    cpu = first_line("/proc/cpuinfo", r"^model name\s*: (.*)$") or platform.processor() or platform.machine()
    family, model = (first_line("/proc/cpuinfo", rf"^{key}\s*: (.*)$") for key in ("cpu family", "model"))
    flags = first_line("/proc/cpuinfo", r"^flags\s*: (.*)$") or ""
    words = cpu + (f" (family {family}, model {model})" if family and model else "")
    words += f", {len(os.sched_getaffinity(0))} processors"
    words += " of a virtual machine" if " hypervisor" in flags else ""
    return f"{words}, {platform.system()} {'.'.join(platform.release().split('.')[:2])}"


def last_level_cache():
    """Bytes; 64 MiB if the system does not say."""
    sizes = []
    for path in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        found = re.fullmatch(r"(\d+)([KM]?)\s*", path.read_text())
        sizes += [int(found[1]) << {"": 0, "K": 10, "M": 20}[found[2]]] if found else []
    return max(sizes, default=64 << 20)


def stamp():
    """When and where a measurement began, and what the machine was doing."""
    return {
        "started": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "machine": machine(),
        "load": round(os.getloadavg()[0], 1),
        "command": " ".join([str(pathlib.Path(sys.argv[0]).resolve().relative_to(ROOT)), *map(quoted, sys.argv[1:])]),
    }


def quoted(word):
    return word if re.fullmatch(r"[\w./%,@=*-]+", word) else f'"{word}"'


def header(of):
    """The line above a table. What a machine was doing is what its load average says."""
    return f"`{of['command']}`, {of['started']}; {of['machine']}; load average before: {of['load']}."


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def as_lines(result):
    """JSON with a line for each key, and for each item of a list: short, and a difference can be read."""
    short = lambda value: json.dumps(value, separators=(",", ":"))
    fields = []
    for key, value in rounded(result).items():
        items = isinstance(value, list) and value
        fields.append(f"{short(key)}:" + ("[\n" + ",\n".join(map(short, value)) + "\n]" if items else short(value)))
    return "{\n" + ",\n".join(fields) + "\n}\n"


def rounded(value):
    """The same with six significant digits in every number."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def record_of(name, result):
    """The file that keeps this result. Its date is the day on which the measurement began. A result
    of the same day that began earlier is kept, with the minute of this one in its name."""
    day = RECORD / f"{result['started'][:10]}-{name}.json.xz"
    if not day.exists() or read(day)["started"] == result["started"]:
        return day
    return RECORD / f"{result['started'][:16].replace(' ', 'T').replace(':', '')}-{name}.json.xz"


def read(path):
    return json.loads(lzma.decompress(path.read_bytes()))


def keep(name, result, save):
    """Writes what there is so far, so that an interruption loses little."""
    if save:
        RECORD.mkdir(exist_ok=True)
        record_of(name, result).write_bytes(lzma.compress(as_lines(result).encode(), preset=9))


def newest(name):
    """The newest kept result of this script."""
    dated = [path for form in (f"????-??-??-{name}", f"????-??-??T????-{name}")
             for path in RECORD.glob(f"{form}.json.xz")]
    if not dated:
        sys.exit(f"{RECORD.relative_to(ROOT)} has no result of {name}: run scripts/evidence/{name}.py --save")
    return max(map(read, dated), key=lambda result: result["started"])


def with_section(file, page, name, text):
    """The page in this file, with this text as the results of this script."""
    begin, end = f"<!-- results of {name} -->", f"<!-- end of the results of {name} -->"
    before, opened, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        sys.exit(f"{file.relative_to(ROOT)} has no lines `{begin}` and `{end}` to put the results between")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def publish(name, result, draw, save, file=PAGE):
    """Prints the result. If asked, also keeps it, and draws it into the page."""
    # As it is kept, so that the page can be drawn again.
    text = draw(rounded(result))
    print(text)
    if not save:
        return
    keep(name, result, save)
    file.write_text(with_section(file, file.read_text(), name, text))
    say(f"written: {file.relative_to(ROOT)}, {record_of(name, result).relative_to(ROOT)}")


# The contenders.


def alone():
    """The program that makes calls of known.c without Cupel."""
    KEPT.mkdir(parents=True, exist_ok=True)
    program = KEPT / "known"
    build = [os.environ.get("CC", "cc"), "-std=c11", "-O2", "-DALONE", "-I", str(ROOT / "protocol")]
    built = subprocess.run([*build, str(SOURCES / "known.c"), "-o", str(program), "-lcrypto"], check=False)
    if built.returncode != 0:
        sys.exit("known.c does not compile; `scripts/setup run` installs a C compiler and libssl-dev")
    return program


def timed(program, name, calls):
    """The time of one process in s."""
    began = time.perf_counter()
    subprocess.run([program, name, str(calls)], check=True)
    return time.perf_counter() - began


def constant_share():
    """What share of a call is not its chain; an estimate within a factor of two is enough."""
    program = alone()
    fastest = lambda name, calls: min(timed(program, name, calls) for _ in range(5))
    rate = lambda name, calls: (fastest(name, 2 * calls) - fastest(name, calls)) / calls
    found = rate("no-chain", 50_000) / min(rate(name, 1000) for name in ("same", f"{WALK}same"))
    if found > CONSTANT:
        sys.exit(f"a call without its chain takes {found:.1%} of one with it, more than {CONSTANT:.0%}: raise STEPS in known.c")
    return found


def jdks(asked=None):
    """The name, the home and the major version of JDKs: those asked for, or the first of each version from 17."""
    listed = subprocess.run([CUPEL, "list", "toolchains"], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = [words for words in map(str.split, listed.splitlines()) if words and re.fullmatch(r"\w+-\d+", words[0])]
    found = [(words[0], pathlib.Path(words[-1]), int(words[0].rpartition("-")[2])) for words in rows]
    found = [jdk for jdk in found if (jdk[1] / "bin/java").exists()]
    if asked:
        names = [jdk[0] for jdk in found]
        for name in asked:
            if name not in names:
                sys.exit(f"no JDK {name}; installed are: {', '.join(names) or 'none'} (`cupel install jdk 21` adds one)")
        return [jdk for jdk in found if jdk[0] in asked]
    return [next(jdk for jdk in found if jdk[2] == major) for major in sorted({jdk[2] for jdk in found if jdk[2] >= 17})]


def java_command(jdk):
    """The JVM runner as it ships, with its options, but with the contenders of known truth."""
    target = ROOT / "runners/jvm/target"
    if not list(target.glob("cupel-runner-jvm-*.jar")):
        say("building the JVM runner")
        subprocess.run([CUPEL, "--quiet", "doctor", "--build"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    jars = [str(jar) for jar in sorted(target.glob("cupel-runner-jvm-*.jar"))]
    if not jars:
        sys.exit("the JVM runner is not built: `make build` reports why")
    classes = KEPT / "java"
    path = ":".join([str(classes), *jars, f"{target}/lib/*"])
    javac = ["javac", "-nowarn", "--release", "17", "-cp", path, "-d", str(classes), str(SOURCES / "Contenders.java")]
    subprocess.run(javac, check=True)
    options = tomllib.loads((ROOT / "contenders/jvm.toml").read_text())["options"]
    return [str(jdk[1] / "bin/java"), *options, "-cp", path, "dev.cupel.runner.Main"]


def walking(names):
    """The contenders that wait for memory, by the names of those that do not."""
    return [WALK + name for name in names]


class Home:
    """A home of Cupel's with the contenders of known truth and no others, and its own store."""

    def __init__(self, folder, some_jdks=()):
        self.folder = pathlib.Path(folder)
        for name in ["runners", "crates", "protocol", "vectors"]:
            (self.folder / name).symlink_to(ROOT / name)
        for name in ["contenders", "suites"]:
            (self.folder / name).mkdir()
        shutil.copy(SOURCES / "known.c", self.folder)
        self.slow = self.folder / "slow"
        native = {"runner": "native", "prefix": "c", "source": "known.c", "cflags": ["-O2", f'-DSLOW_WHILE="{self.slow}"']}
        names = dict.fromkeys([*COPIES, *ADDED, *CHANGED, *walking(ADDED), *LEVELS, FAR, "no-chain"])
        self.family("c", native | {"pkg_config": ["libcrypto"]}, list(names))
        for jdk in some_jdks:
            self.family(jdk[0], {"runner": "program", "prefix": jdk[0], "command": java_command(jdk)}, list(ADDED))

    def family(self, name, keys, contenders):
        text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
        for one in contenders:
            text += f'\n[[contender]]\nname = "{one}"\noffers = ["sha256:digest"]\n'
        (self.folder / f"contenders/{name}.toml").write_text(text)

    def run(self, prefix, names, budget, *, forks=11, tie_zone=0.02):
        """The document of a run; the first name is the baseline."""
        names = [f"{prefix}/{name}" for name in names]
        (self.folder / "suites/known.toml").write_text(
            f'question = "Which verdict does each contender of known truth get?"\nforks = {forks}\n'
            f'budget = "{budget}s"\ntie-zone = {tie_zone}\n\n[[workload]]\nprimitive = "sha256"\n'
            f"sizes = [{SIZE}]\ncontenders = {json.dumps(names)}\nbaseline = {json.dumps(names[0])}\n"
        )
        store = self.folder / "known.sqlite"
        env = {**os.environ, "CUPEL_HOME": str(self.folder), "CUPEL_STORE": str(store)}
        document = run_cupel(["known"], env)
        return document | {"contradictions": contradictions(store, document)}


def run_cupel(arguments, env):
    """The JSON document of `cupel run`. A contender that failed is in it; an error is the end."""
    began = time.monotonic()
    command = [CUPEL, "--quiet", "run", *arguments, "--format", "json"]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1, 2) or not done.stdout:
        sys.exit(f"cupel run {' '.join(arguments)}: status {done.returncode}\n{done.stderr.strip()}")
    return json.loads(done.stdout) | {"took_s": round(time.monotonic() - began, 1)}


def contradictions(store, document):
    """Each sentence of a run that its raw slices do not show."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        command = [str(ROOT / "scripts/audit"), str(store), "--json", file.name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: status {done.returncode}")
    for said in done.stdout.splitlines():
        say(said)
    return done.stdout.splitlines()


def printed_times(document):
    """How many times of some of a contender's processes a run prints."""
    kinds = [finding["kind"] for finding in document["findings"] for _ in finding.get("levels", ())]
    return kinds.count("levels") + 2 * sum(f["kind"] == "changed" for f in document["findings"])


@contextlib.contextmanager
def home(some_jdks=()):
    with tempfile.TemporaryDirectory() as folder:
        yield Home(folder, some_jdks)


# Answers.


def judged(verdict, added, tie_zone):
    """`right`, `false` or `missed`. A verdict says: different by more than the tie zone."""
    beyond = added > tie_zone
    if verdict in ("faster", "slower"):
        return "right" if verdict == "slower" and beyond else "false"
    return "missed" if beyond else "right"


def answers(document, tie_zone):
    """What a run said about each contender but the baseline, with what is true."""
    found = []
    for cell in document["cells"]:
        name = cell["contender"].partition("/")[2]
        if cell["verdict"] == "baseline":
            continue
        added = ADDED.get(name.removeprefix(WALK), 0.0)
        low, high = cell["ratio_low"], cell["ratio_high"]
        bounded = None not in (low, high)
        found.append(
            {
                "contender": name,
                "added": added,
                "tie_zone": tie_zone,
                "verdict": cell["verdict"],
                "judged": "failed" if cell["ratio"] is None else judged(cell["verdict"], added, tie_zone),
                "ratio": cell["ratio"],
                "interval": [low, high],
                # The constant part makes the true ratio smaller by at most its share of the
                # addition.
                "holds": bounded and low <= 1 + added and 1 + added * (1 - CONSTANT) <= high,
                "floor": cell["floor"],
                "untrusted": cell["untrusted"],
                "forks": cell["forks"],
                "rounds": cell["rounds"],
                "dropped": cell["dropped"],
                "levels": cell["levels"],
                "reason": cell["reason"],
            }
        )
    return found


def percent(value, digits=2):
    return "-" if value is None else f"{value:.{digits}%}".replace("%", " %")


def half_width(answer):
    low, high = answer["interval"]
    return None if None in (low, high) else (high - low) / 2


# Neighbours.


def measuring_processor():
    """The last one that this process may use, as in Cupel."""
    return max(os.sched_getaffinity(0))


def other_processor():
    """One on which Cupel does not measure, or None."""
    others = os.sched_getaffinity(0) - {measuring_processor()}
    return max(others, default=None)


def keep_busy(processor, kind, pauses):
    """A loop, or copies between two halves of a buffer of four times the last-level cache."""
    os.sched_setaffinity(0, {processor})
    # If the script is killed, no one else ends this process.
    parent = os.getppid()

    def step():
        for _ in range(10_000):
            pass

    if kind == "hog":
        source = bytearray(2 * last_level_cache())
        target = memoryview(bytearray(len(source)))

        def step():
            target[:] = source

    chance = random.Random(2026)
    while os.getppid() == parent:
        until = time.monotonic() + (chance.expovariate(1 / pauses) if pauses else 1)
        while time.monotonic() < until:
            step()
        if pauses:
            time.sleep(chance.expovariate(1 / pauses))


@contextlib.contextmanager
def neighbours(some):
    """Runs processes of (processor, kind, mean length of work and of rest in s, or 0) meanwhile."""
    started = [multiprocessing.Process(target=keep_busy, args=one, daemon=True) for one in some]
    for process in started:
        process.start()
    try:
        yield
    finally:
        for process in started:
            process.terminate()
            process.join()
