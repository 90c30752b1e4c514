#!/usr/bin/env python3
"""`cupel gate --dep` over releases of others whose effect on speed is known (upgrades.toml).

Usage: scripts/evidence/upgrades.py --prepare      makes a project for each case, and builds both versions
       scripts/evidence/upgrades.py [--save]       runs a gate for each, and prints the tables

Each project has one benchmark: of Criterion, Go, mitata, pytest-benchmark or JMH. As in
gates.py, other tools judge the same executions.

It needs Cargo, Go, npm, Maven with a JDK, Python with venv, and their registries. CUPEL names the tool.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time
import tomllib

import gates
import rig

CASES = pathlib.Path(__file__).resolve().with_suffix(".toml")
BUDGET = {"maven": 60, "pip": 60}
USUAL_BUDGET = 45
SECTION = "## Others' upgrades"
HOW = """Each release has a small project of ours with one benchmark, and a gate of 45 s (of Java and Python 60 s) over
`cupel gate --dep`, without the time of the builds. The sources of the known effects are threads and
releases on GitHub, and the releases' own changelogs or code (`scripts/evidence/upgrades.toml`). Two
effects are left out because they do not appear with today's compilers on this machine: sha3 0.10.7
and aegis 0.9.18. The others' verdicts are as above, in both directions."""
# A gate with this budget is refused once both builds are there.
TOO_SHORT, REFUSED = 1, "and a verdict needs"

CRITERION = """use criterion::{{Criterion, criterion_group, criterion_main}};
{use}
fn call(criterion: &mut Criterion) {{
    {setup}
    criterion.bench_function("call", |bench| bench.iter(|| {call}));
}}
criterion_group!(benches, call);
criterion_main!(benches);
"""
CARGO = """[package]
name = "upgrade"
version = "0.1.0"
edition = "2021"

[dependencies]
{name} = "{base}"
{also}

[dev-dependencies]
criterion = {{ version = "0.8", default-features = false }}

[[bench]]
name = "upgrade"
harness = false

[workspace]
"""
GO = """package upgrade

import (
	"testing"

	"{package}"
)

var sink byte

func BenchmarkCall(b *testing.B) {{
	{setup}
	for i := 0; i < b.N; i++ {{
		{call}
	}}
}}
"""
NPM = """import {{ measure }} from "mitata";
{use}
{setup}
const {{ p50 }} = await measure(() => {call}, {{ min_cpu_time: 100e6 }});
console.log(`call ${{p50}} ns`);
"""
PIP = """{use}

{setup}


def test_call(benchmark):
    benchmark(lambda: {call})
"""
# Else each execution spends a second on the features of the CPU.
CONFTEST = """def pytest_benchmark_generate_machine_info(config):
    return {}
"""
JMH = """package upgrade;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@State(Scope.Benchmark)
@BenchmarkMode(Mode.{mode})
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Upgrade {{
    {setup}

    @Benchmark
    public Object call() {{
        return {call};
    }}
}}
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>upgrade</groupId><artifactId>benchmarks</artifactId><version>1</version>
  <properties><maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies>
    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{base}</version></dependency>
    <dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-core</artifactId><version>1.37</version></dependency>
    <dependency><groupId>org.openjdk.jmh</groupId><artifactId>jmh-generator-annprocess</artifactId>
      <version>1.37</version><scope>provided</scope></dependency>
  </dependencies>
  <build><plugins>
    <plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-compiler-plugin</artifactId>
      <version>3.13.0</version></plugin>
    <plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>
      <version>3.6.1</version>
      <executions><execution>
        <phase>package</phase><goals><goal>copy-dependencies</goal></goals>
      </execution></executions>
    </plugin>
  </plugins></build>
</project>
"""
JMH_OPTIONS = {
    "AverageTime": "-f 0 -wi 2 -w 150ms -i 2 -r 150ms",
    "SingleShotTime": "-f 0 -wi 0 -i 1",
}


class Case:
    """A release, and the project that asks about it."""

    def __init__(self, about):
        self.about = {"also": "", "use": "", "setup": "", "package": "", "once": False} | about
        self.manager, self.name = about["manager"], about["name"]
        self.base, self.new = about["versions"].split("..")
        self.effect = about["effect"]
        self.slug = re.sub(r"[^\w.]+", "-", f"{self.manager}-{self.name}-{self.new}")

    def files(self):
        """The files of the project by name, without its lock file."""
        about = self.about | {"base": self.base}
        return getattr(self, f"files_of_{self.manager}")(about)

    def files_of_cargo(self, about):
        bench = CRITERION.format(**about)
        return {"Cargo.toml": CARGO.format(**about), "src/lib.rs": "", "benches/upgrade.rs": bench}

    def files_of_go(self, about):
        package = "/".join(filter(None, [self.name, about["package"]]))
        module = f"module upgrade\n\ngo 1.25\n\nrequire {self.name} {self.base}\n"
        return {"go.mod": module, "upgrade_test.go": GO.format(**about | {"package": package})}

    def files_of_npm(self, about):
        manifest = {"private": True, "type": "module", "dependencies": {self.name: self.base, "mitata": "1.0.34"}}
        return {"package.json": json.dumps(manifest), "bench.js": NPM.format(**about)}

    def files_of_pip(self, about):
        required = f"{self.name}=={self.base}\npytest==9.0.2\npytest-benchmark==5.2.3\n"
        return {"requirements.txt": required, "conftest.py": CONFTEST, "test_upgrade.py": PIP.format(**about)}

    def files_of_maven(self, about):
        group, artifact = self.name.split(":")
        java = JMH.format(**about | {"mode": self.mode()})
        pom = POM.format(group=group, artifact=artifact, base=self.base)
        return {"pom.xml": pom, "src/main/java/upgrade/Upgrade.java": java}

    def mode(self):
        return "SingleShotTime" if self.about["once"] else "AverageTime"

    def commands(self):
        """What builds and what runs the benchmark, as the guide has them."""
        cargo = "cargo bench -q --bench upgrade -- --warm-up-time 0.1 --measurement-time 0.3 --sample-size 10 --noplot"
        pytest = "pytest -q --benchmark-only --benchmark-max-time 0.1 --benchmark-json out.json >log && cat out.json"
        java = f"java -cp 'target/classes:target/dependency/*' org.openjdk.jmh.Main {JMH_OPTIONS[self.mode()]}"
        return {
            "cargo": ["cargo bench --no-run", cargo],
            "go": ["go test -c -o bench.test", "./bench.test -test.bench . -test.benchtime 50ms"],
            "npm": [None, "node bench.js"],
            "pip": [None, pytest],
            "maven": ["mvn -q -B package", f"{java} -rf json -rff out.json >log && cat out.json"],
        }[self.manager]

    def make(self, folder):
        """Writes the project and its lock file, and commits them."""
        for name, text in self.files().items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        lock = {
            "cargo": ["cargo", "generate-lockfile", "--quiet"],
            "go": ["go", "mod", "tidy"],
            "npm": ["npm", "install", "--package-lock-only", "--no-audit", "--no-fund", "--silent"],
        }
        if self.manager in lock:
            subprocess.run(lock[self.manager], cwd=folder, check=True)
        (folder / ".gitignore").write_text("target/\nnode_modules/\n.venv/\n*.json\n!package*.json\nlog\n")
        as_some_one = ["-c", "user.name=upgrades", "-c", "user.email=upgrades@localhost"]
        for words in [["init", "-q"], ["add", "."], [*as_some_one, "commit", "-q", "-m", "The base"]]:
            subprocess.run(["git", *words], cwd=folder, check=True)

    def gate(self, top, budget, *options):
        """A gate, as its process ended."""
        folder = top / self.slug
        if not (folder / ".git").exists():
            self.make(folder)
        build, run = self.commands()
        command = [rig.CUPEL, "--quiet", "gate", "--format", "json", "--budget", f"{budget}s", "--run", run]
        command += ["--dep", f"{self.name}@{self.base}..{self.new}"]
        command += ["--build", build] if build else []
        command += ["--patience", "60s", *options]
        return subprocess.run(command, cwd=folder, env=environment(top), capture_output=True, text=True, check=False)

    def measured(self, top):
        began = time.monotonic()
        done = self.gate(top, BUDGET.get(self.manager, USUAL_BUDGET))
        took = round(time.monotonic() - began, 1)
        if done.returncode not in (0, 1, 2):
            return {"case": self.about, "error": done.stderr.strip() or f"status {done.returncode}"}
        gate = json.loads(done.stdout)
        if len(gate["benchmarks"]) != 1:
            return {"case": self.about, "error": f"{len(gate['benchmarks'])} benchmarks are compared"}
        return {"case": self.about, "status": done.returncode, "took_s": took, "gate": gate}


def environment(top):
    """The one of --prepare: with another, Cupel would build again."""
    file = top / "environment.json"
    if not file.exists():
        words = ("PATH", "HOME", "HTTP", "CARGO", "RUST", "GO", "JAVA", "MAVEN", "NODE", "NPM", "PIP", "UV", "PYENV", "SSL")
        file.write_text(json.dumps({k: v for k, v in os.environ.items() if k.upper().startswith(words)}))
    known = json.loads(file.read_text())
    return known | {"CUPEL_CACHE": str(top / "cache"), "CUPEL_STORE": str(top / "store.sqlite")}


class Answers:
    """What Cupel and the other tools say of one gate: slower, faster, or another word."""

    def __init__(self, measured):
        self.case, self.seconds = measured["case"], measured["took_s"]
        [benchmark] = measured["gate"]["benchmarks"]
        self.change = benchmark["change"]
        record = measured["gate"]["record"]
        self.says = {"Cupel": benchmark["verdict"]}
        self.says |= {tool: self.direction(record, rule) for tool, rule in gates.OTHERS.items()}

    @staticmethod
    def direction(record, rule):
        if gates.Gate.by(record, rule):
            return "slower"
        return "faster" if gates.Gate.by(record, lambda base, new: rule(new, base)) else "-"

    def row(self):
        case = self.case
        name = case["name"].removeprefix("github.com/").split(":")[0]
        ratio, low, high = (f"{100 * (self.change[key] - 1):+.1f}" for key in ("ratio", "low", "high"))
        known = f"{case['effect']}: {case['says']} ({case['source']})"
        measured = f"{ratio} % [{low} .. {high}]"
        says = [self.says["Cupel"], measured, f"{self.seconds:.0f} s", *list(self.says.values())[1:]]
        return [f"{name} {case['versions'].replace('..', ' to ')}", known, *says]


def counts(tool, answers):
    """How often a tool says the known effect, its opposite, or any where none is known."""
    changed = [(one.case["effect"], one.says[tool]) for one in answers if one.case["effect"] != "none"]
    equal = [one.says[tool] for one in answers if one.case["effect"] == "none"]
    found = sum(effect == word for effect, word in changed)
    opposite = sum(word in ("slower", "faster") for _, word in changed) - found
    alarms = sum(word in ("slower", "faster") for word in equal)
    return [tool, f"{found} of {len(changed)}", f"{opposite} of {len(changed)}", f"{alarms} of {len(equal)}"]


def text(result):
    """The tables of the page."""
    answers = [Answers(one) for one in result["cases"] if "gate" in one]
    short = [re.split(":| on ", tool)[0] for tool in gates.OTHERS]
    releases = rig.table(
        ["release", "known effect", "Cupel", "new to old time", "time taken", *short], [one.row() for one in answers]
    )
    columns = ["", "known effect found", "the opposite said", "an effect said where none is known"]
    tools = rig.table(columns, [counts(tool, answers) for tool in ["Cupel", *gates.OTHERS]])
    failed = [f"{one['case']['name']} {one['case']['versions']}" for one in result["cases"] if "gate" not in one]
    parts = [tools, releases, *([f"Not measured: {', '.join(failed)}."] if failed else []), HOW, rig.header(result)]
    return "\n\n".join(parts)


def prepare(cases, top):
    """Makes and builds all."""
    failed = 0
    for case in cases:
        rig.say(f"preparing {case.slug}")
        done = case.gate(top, TOO_SHORT, "--anyway")
        if done.returncode != 3 or REFUSED not in done.stderr:
            failed += 1
            print(f"{case.slug}: status {done.returncode}\n{done.stderr.strip()}", file=sys.stderr)
    return failed


def add_section():
    """The place of the results, at the end of the page, if it is not there yet."""
    page = gates.PAGE.read_text()
    if SECTION not in page:
        place = "<!-- results of upgrades -->\n<!-- end of the results of upgrades -->"
        gates.PAGE.write_text(f"{page}\n{SECTION}\n\n{place}\n")


def main():
    parser = rig.parser(__doc__, "three cases of different programs", gates.PAGE)
    parser.add_argument("--prepare", action="store_true", help="build all, and measure nothing")
    parser.add_argument("--only", default="", metavar="TEXT", help="only the cases whose names begin so, such as go-")
    parser.add_argument("--in", dest="top", type=pathlib.Path, default=rig.KEPT / "upgrades", metavar="FOLDER")
    given = parser.parse_args()
    top = given.top.resolve()
    top.mkdir(parents=True, exist_ok=True)
    cases = [Case(about) for about in tomllib.loads(CASES.read_text())["case"]]
    cases = [case for case in cases if case.slug.startswith(given.only)][:: 9 if given.quick else 1]
    if given.prepare:
        sys.exit(1 if prepare(cases, top) else 0)
    if given.save and given.only:
        parser.error("--save needs all cases")
    result = rig.stamp() | {"cases": []}
    for case in cases:
        measured = case.measured(top)
        result["cases"].append(measured)
        if "gate" in measured:
            rig.say(" | ".join(Answers(measured).row()))
        else:
            rig.say(f"{case.slug}: {measured['error']}")
        rig.keep("upgrades", result, given.save)
    if given.save:
        add_section()
    rig.publish("upgrades", result, text, given.save, gates.PAGE)


if __name__ == "__main__":
    main()
