"""Install a requirements file into the environment of this Python, by uv, and report what it costs.

    .venv/bin/python -m tools.install requirements.txt

uv does not read pip's configuration. What ``pip config list`` and the variables ``PIP_*`` name (indexes, constraints,
certificates) is passed on; where a setting has no counterpart in uv, pip installs instead. On Linux without an NVIDIA
card torch comes from the index of its CPU builds where that answers, since the usual build brings 3 GB of CUDA. The
variable ``TORCH_INDEX`` names another index for torch; ``CHUNKSCOPE_INSTALLER=pip`` has pip install everything.

Versions are resolved first; then each file is held to the hashes in ``requirements-lock.txt``, whatever index it comes
from. A build of torch that the lock does not know (for a card, or for another Python) is installed apart, and said.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module, metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tools.requirements import LOCK, ROOT, TORCH_BUILDS, normalised, read_hashes, read_pins

TORCH_CPU = "https://download.pytorch.org/whl/cpu"
"""The index of torch's CPU builds."""

_PASSED = {
    "index-url": "--default-index",
    "extra-index-url": "--extra-index-url",
    "find-links": "--find-links",
    "constraint": "--constraint",
    "trusted-host": "--allow-insecure-host",
    "no-binary": "--no-binary",
    "only-binary": "--only-binary",
}
"""Settings of pip, and the options of uv that mean the same; each may have several values."""

_SWITCHES = {"no-index": "--no-index", "pre": "--prerelease=allow"}

_VARIABLES = {
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "timeout": "UV_HTTP_TIMEOUT",
}
"""Settings of pip that uv takes from the environment."""

_HARMLESS = """
    break-system-packages cache-dir compile config-file disable-pip-version-check exists-action log no-cache-dir
    no-color no-compile no-input no-python-version-warning no-warn-conflicts no-warn-script-location prefer-binary
    progress-bar quiet require-virtualenv retries root-user-action verbose
"""
"""Settings of pip that do not decide which packages are installed."""


@dataclass(frozen=True)
class PipSettings:
    """What pip is configured to do, in uv's words.

    Attributes:
        options: of uv's command line.
        variables: of uv's environment.
        unknown: settings that uv has no word for.
    """

    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()


def translate(listing: str) -> PipSettings:
    """Translate the output of ``pip config list``: a variable ``PIP_*`` overrides ``install``, and that ``global``."""
    found: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listing.splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if section in found:
            found[section][key.replace("_", "-")] = str(ast.literal_eval(value))
    settings = found["global"] | found["install"] | found[":env:"]
    options: list[str] = []
    variables: dict[str, str] = {}
    unknown = []
    for key, value in settings.items():
        if key in _PASSED:
            options += [word for each in value.split() for word in (_PASSED[key], each)]
        elif key in _VARIABLES:
            variables[_VARIABLES[key]] = value
        elif key in _SWITCHES:
            options += [_SWITCHES[key]] if value.lower() in ("1", "true", "yes", "on") else []
        elif key not in _HARMLESS.split():
            unknown.append(key)
    return PipSettings(tuple(options), variables, tuple(unknown))


@dataclass(frozen=True)
class Plan:
    """The packages that are resolved and not installed yet.

    Attributes:
        pins: versions by normalised names.
        bytes: the size of their files; those that are on this machine already count nothing.
        build: the file of torch, where that is a build which the package index does not have.
    """

    pins: Mapping[str, str]
    bytes: int = 0
    build: str = ""

    @property
    def cuda(self) -> bool:
        """Whether NVIDIA's libraries are among them."""
        return any(name.startswith("nvidia-") for name in self.pins)

    @property
    def unlocked(self) -> tuple[str, ...]:
        """The packages whose files the lock does not know."""
        return ("torch",) if self.build and self.build not in TORCH_BUILDS else ()


def read_plan(lock: Path, installed: Mapping[str, str]) -> Plan:
    """Return the plan of a lock file (``pylock.toml``).

    Args:
        lock: the file.
        installed: versions by normalised names.
    """
    known: list[dict[str, Any]] = tomllib.loads(lock.read_text(encoding="utf-8"))["packages"]
    missing = [each for each in known if installed.get(each["name"]) != each.get("version")]
    torch = next((_file_name(_best_file(each)) for each in missing if each["name"] == "torch"), "")
    return Plan(
        {each["name"]: each["version"] for each in missing},
        sum(_size(_best_file(each)) for each in missing),
        unquote(torch) if "+" in unquote(torch) else "",
    )


def read_report(report: Mapping[str, Any]) -> Plan:
    """Return the plan of a report of ``pip install --dry-run``."""
    found = {normalised(each["metadata"]["name"]): each for each in report["install"]}
    torch = found["torch"]["download_info"]["url"].rpartition("/")[2] if "torch" in found else ""
    pins = {name: each["metadata"]["version"] for name, each in found.items()}
    return Plan(pins, build=unquote(torch) if "+" in unquote(torch) else "")


def hashed(plan: Plan, hashes: Mapping[str, frozenset[str]]) -> str:
    """Return the packages of a plan with their hashes, as a requirements file; without those that are not locked.

    Raises:
        SystemExit: the lock has no hash of a package.
    """
    pins = {name: version for name, version in plan.pins.items() if name not in plan.unlocked}
    if unknown := sorted(name for name in pins if not hashes.get(name)):
        sys.exit(f"{LOCK} has no hash of {', '.join(unknown)}: run python -m tools.requirements --lock.")
    return "".join(
        " ".join((f"{name}=={version}", *(f"--hash=sha256:{each}" for each in sorted(hashes[name])))) + "\n"
        for name, version in pins.items()
    )


def _best_file(package: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the file of a package that suits this Python."""
    # pip brings what knows the tags of wheels; nothing else is installed yet.
    tags: Any = import_module("pip._vendor.packaging.tags")
    utils: Any = import_module("pip._vendor.packaging.utils")
    order = {tag: place for place, tag in enumerate(tags.sys_tags())}
    files = [(name, wheel) for wheel in package.get("wheels", ()) if (name := _file_name(wheel))]
    ranked = [
        (min((order[tag] for tag in utils.parse_wheel_filename(unquote(name))[3] if tag in order), default=None), wheel)
        for name, wheel in files
    ]
    suited = [(rank, wheel) for rank, wheel in ranked if rank is not None]
    best: Mapping[str, Any] = package.get("sdist", package.get("archive", {}))
    return min(suited, key=lambda each: each[0])[1] if suited else best


def _size(file: Mapping[str, Any]) -> int:
    """Return the bytes to download for a file, 0 for one on this machine."""
    return 0 if urlsplit(file.get("url", "")).scheme == "file" else int(file.get("size", 0))


def _file_name(wheel: Mapping[str, Any]) -> str:
    return str(wheel.get("name") or urlsplit(wheel.get("url", wheel.get("path", ""))).path.rpartition("/")[2])


def torch_options(index: str) -> list[str]:
    """Return the options that add a place where torch, and torch alone, is looked for.

    Args:
        index: where the user wants torch from; empty for the CPU builds where they suit and can be had.
    """
    place = f"{index.rstrip('/') or TORCH_CPU}/torch/"
    if index or (sys.platform == "linux" and not _has_nvidia() and _answers(place)):
        return ["--find-links", place]
    return []


def _has_nvidia() -> bool:
    return Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=5):
            return True
    except OSError:
        return False


def pip_settings() -> PipSettings:
    """Return what pip is configured to do."""
    return translate(_output(sys.executable, "-m", "pip", "config", "list"))


def main(arguments: Sequence[str]) -> None:
    """Install one requirements file."""
    if len(arguments) != 1:
        sys.exit(__doc__)
    begun = time.monotonic()
    file = Path(arguments[0])
    settings = pip_settings()
    os.environ.update(settings.variables)
    os.environ.setdefault("UV_PREVIEW_FEATURES", "pylock")  # says that the format is still experimental otherwise
    torch = torch_options(os.environ.get("TORCH_INDEX", ""))
    uv = _find_uv(settings)
    done = uv is not None and _by_uv(uv, file, [*settings.options, *torch])
    if not done and not _by_pip(file, torch):
        sys.exit(f"The packages of {file} could not be installed; the reason is above.")
    _say(f"{file}: done in {time.monotonic() - begun:.0f} s; {sys.prefix} takes {_megabytes(Path(sys.prefix)):,} MB.")


def without_constraints(options: Sequence[str]) -> list[str]:
    """Return options without those that name constraints: uv wants hashes in them too, and all versions are chosen."""
    pairs = zip(("", *options), (*options, ""), strict=True)
    return [word for before, word in pairs if word and "--constraint" not in (before, word)]


def _find_uv(settings: PipSettings) -> str | None:
    """Return the command uv, brought here by pip where there is none; ``None`` where pip has to install."""
    if settings.unknown:
        _say(f"pip is configured in a way that uv does not know ({', '.join(settings.unknown)}), so pip installs.")
        return None
    if os.environ.get("CHUNKSCOPE_INSTALLER") == "pip":
        return None
    own = Path(sys.executable).with_name("uv")
    found = shutil.which(own) or shutil.which("uv")
    if found is None:
        pin = read_pins((ROOT / LOCK).read_text(encoding="utf-8"))["uv"]
        _install(Plan({"uv": pin}), (*_PIP,), ())
        found = shutil.which(own)
    return found


def _by_uv(uv: str, file: Path, options: Sequence[str]) -> bool:
    """Resolve, say what it will cost, and install; return whether all of it worked."""
    python = ("--python", sys.executable)
    # pip takes the best version of all its indexes, uv by default that of the first which has any.
    ways = ("--index-strategy", "unsafe-best-match", *options)
    with tempfile.TemporaryDirectory() as folder:
        lock = Path(folder) / "pylock.toml"
        asked = ("--quiet", "--format", "pylock.toml", "--output-file", str(lock))
        if not _run(uv, "pip", "compile", *python, *asked, *ways, str(file)):
            return False
        plan = read_plan(lock, {normalised(each.name): each.version for each in metadata.distributions()})
    size = f"{plan.bytes / 1e6:,.0f} MB to download, less what uv has kept"
    _say(f"{file}: {len(plan.pins)} packages to install; {size}.")
    if plan.cuda:
        _say("torch brings NVIDIA's CUDA libraries. Name an index with another build in TORCH_INDEX to avoid that.")
    # Linked to uv's cache, a file has several names, and NLTK refuses to read those: another may lie anywhere.
    return _install(plan, (uv, "pip", "install", *python, "--link-mode", "copy"), without_constraints(ways))


_PIP = (sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet")


def _by_pip(file: Path, torch: Sequence[str]) -> bool:
    _say(f"{file}: pip installs the packages, which takes some minutes.")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        if not _run(*_PIP, *torch, "--dry-run", "--report", str(report), "-r", str(file)):
            return False
        plan = read_report(json.loads(report.read_text(encoding="utf-8")))
    return _install(plan, _PIP, torch)


def _install(plan: Plan, command: Sequence[str], options: Sequence[str]) -> bool:
    """Install the packages of a plan, each held to its hash where the lock has one; return whether all of it worked."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "requirements.txt"
        wanted.write_text(hashed(plan, read_hashes((ROOT / LOCK).read_text(encoding="utf-8"))), encoding="utf-8")
        apart = [f"{name}=={plan.pins[name]}" for name in plan.unlocked]
        if apart:
            _say(f"{plan.build} is a build that {LOCK} does not know: it is installed without a check of its hash.")
        return _run(*command, *options, "--no-deps", "--require-hashes", "-r", str(wanted)) and (
            not apart or _run(*command, *options, "--no-deps", *apart)
        )


def _run(*command: str) -> bool:
    return subprocess.run(command, check=False).returncode == 0


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _say(line: str) -> None:
    print(line, flush=True)


def _megabytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_symlink()) // 1_000_000


if __name__ == "__main__":
    main(sys.argv[1:])
