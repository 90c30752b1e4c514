"""Which files the site of `make docs` has: the repository's pages, each at its own path, so that every
link works as it is. The order of a section is that of the links in its README.md."""

import os
import pathlib
import posixpath
import re
import subprocess
import urllib.parse

from mkdocs.structure.files import File
from pymdownx.slugs import slugify

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[([^]]*)\]\(([^):#\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
# The built tool writes this page: its help.
COMMANDS = "docs/reference/command-line.md"
# The files that a browser shows as such; it shows others as texts.
SHOWN = (".md", ".svg", ".png", ".json")
PROJECT = ["CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "kernels/README.md", "java/README.md"]
SECTIONS = {
    "Guide": "docs/guide",
    "Reference": "docs/reference",
    "Trust": "docs/trust",
    "Internals": "docs/internals",
}


def all_pages():
    listed = subprocess.check_output(["git", "ls-files", "-z", "*.md"], cwd=ROOT, text=True)
    pages = filter(None, listed.split("\0"))
    return [page for page in pages if not re.match(r"\.github/|crates/.*/tests/", page)]


PAGES = all_pages()


def help_of(*words):
    told = subprocess.check_output([ROOT / os.environ["CUPEL"], *words, "--help"], text=True)
    return f"```text\n{told.strip()}\n```\n"


def commands():
    """The page of COMMANDS: the help of `cupel`, then of each verb in its order."""
    every_verb = help_of()
    verbs = re.findall(r"^(?:[A-Z][a-z]+(?: up)?)? +([a-z]+)  +[A-Z]", every_verb, re.MULTILINE)
    assert "ask" in verbs, f"the verbs of this help were not found:\n{every_verb}"
    parts = [f"## cupel {verb}\n\n{help_of(verb)}" for verb in verbs]
    return "\n".join(["# Command line\n", every_verb, *parts])


def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def target_of(page, link):
    """The path of what a link leads to. A folder's page is its README.md."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), urllib.parse.unquote(link)))
    readme = posixpath.join(path, "README.md")
    return readme if readme in PAGES else path


def links_of(page):
    return [target_of(page, link[2]) for link in LINK.finditer(FENCE.sub("", text_of(page)))]


def heading(page):
    found = re.search(r"^# +(.+?) *$", text_of(page), re.MULTILINE)
    return found[1].replace("`", "") if found else page


def section(folder):
    """The pages of a folder, as mkdocs wants them: its README.md, what that links, and what is left."""
    own = [page for page in PAGES if page.startswith(f"{folder}/")]
    index = f"{folder}/README.md"
    ordered = [page for page in dict.fromkeys(links_of(index)) if page in own]
    ordered += [page for page in own if page not in ordered]
    readmes = [page for page in own if page.endswith("/README.md") and page != index]
    inner = {posixpath.dirname(page) for page in readmes}
    entries = [index]
    for page in ordered:
        if page in readmes:
            entries.append({heading(page): section(posixpath.dirname(page))})
        elif page != index and not any(page.startswith(f"{one}/") for one in inner):
            entries.append(page)
    if folder == posixpath.dirname(COMMANDS):
        entries.append(COMMANDS)
    return entries


def on_config(config):
    tabs = [{title: section(folder)} for title, folder in SECTIONS.items()]
    placed = set(re.findall(r"[\w./-]+\.md", str(tabs)))
    rest = [page for page in PAGES if page not in placed and page not in ["README.md", "docs/README.md", *PROJECT]]
    config.nav = [{"Cupel": ["README.md", "docs/README.md"]}, *tabs, {"Project": [*PROJECT, *rest]}]
    # The anchors of GitHub, which the links have.
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_files(files, config):
    linked = {target for page in PAGES for target in links_of(page)}
    for path in sorted({*PAGES, *linked}):
        if not (ROOT / path).is_file():
            continue
        file = File.generated(config, path, abs_src_path=str(ROOT / path))
        if not path.endswith(SHOWN):
            file.dest_uri = f"{path}.txt"
        files.append(file)
    files.append(File.generated(config, COMMANDS, content=commands()))
    return files


def with_wide_lists(text):
    """GitHub nests in a list by the width of its marker, mkdocs by four columns."""
    inside, was_blank, out = [], True, []
    is_loose = False
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        marker = re.match(r" *([-*]|\d{1,2}\.) +", line)
        if line.strip() and (was_blank or marker):
            while inside and indent < inside[-1]:
                inside.pop()
        if marker and is_loose and not was_blank:
            out.append("")
        code = indent - (inside[-1] if inside else 0) >= 4
        kept = line[min(indent, inside[-1] if inside else 0) :]
        out.append(" " * 4 * len(inside) + kept if line.strip() else "")
        if marker and not code:
            inside.append(marker.end())
            is_loose = False
        is_loose = is_loose or not line.strip()
        was_blank = not line.strip()
    return "\n".join(out)


def on_page_markdown(markdown, page, **_):
    here = page.file.src_uri

    def changed(link):
        """A link to a folder leads to its page, or is a text."""
        target = target_of(here, link[2])
        if (ROOT / target).is_dir():
            return link[1]
        return f"[{link[1]}]({posixpath.relpath(target, posixpath.dirname(here) or '.')}{link[3] or ''})"

    parts = re.split(r"(^```.*?^```)", markdown, flags=re.MULTILINE | re.DOTALL)
    for number in range(0, len(parts), 2):
        parts[number] = with_wide_lists(LINK.sub(changed, parts[number]))
    return "".join(parts)
