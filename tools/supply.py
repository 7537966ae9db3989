"""What the app is made of, and what is known against it.

    python -m tools.supply sbom [FILE]     # a bill of materials in CycloneDX's format; by default sbom.cdx.json
    python -m tools.supply audit           # known vulnerabilities of the packages, by pip-audit

Both are about the packages that the app with its models needs, and not about those of the tests. The audit asks the
package index about each of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chunking.model_files import MODELS
from tools.install import Plan, hashed
from tools.requirements import LOCK, ROOT, closure, normalised, read_hashes, read_pins

_SECONDS = 300


def packages(root: Path = ROOT) -> dict[str, str]:
    """Return the versions of the packages that the app with its models needs, by normalised name."""
    known = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = known["optional-dependencies"]
    pins = read_pins((root / LOCK).read_text(encoding="utf-8"))
    wanted = [*known["dependencies"], *extras["evaluation"], *extras["app"], *extras["minilm"], *extras["models"]]
    return {name: pins[name] for name, _ in sorted(closure(wanted))}


def bill(found: Mapping[str, Any], names: Mapping[str, str], hashes: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Return the bill of materials of the app.

    Args:
        found: the bill of the whole environment, as ``cyclonedx-py`` writes it.
        names: the packages of the app.
        hashes: of the lock.
    """
    components = [each for each in found["components"] if normalised(each["name"]) in names]
    kept = {each["bom-ref"] for each in components} | {found["metadata"]["component"]["bom-ref"]}
    for each in components:
        # One reference for each file of the release, since which of them is installed depends on the platform.
        each["externalReferences"] = each.get("externalReferences", []) + [
            {"type": "distribution", "url": each["purl"], "hashes": [_sum(sha256)]}
            for sha256 in sorted(hashes[normalised(each["name"])])
        ]
    return {
        **found,
        "components": [*components, *map(_model, MODELS)],
        "dependencies": [
            {**each, "dependsOn": [ref for ref in each.get("dependsOn", ()) if ref in kept]}
            for each in found["dependencies"]
            if each["ref"] in kept
        ],
    }


def _model(model: Any) -> dict[str, Any]:
    files = {**model.official, **model.tested}
    return {
        "type": "machine-learning-model",
        "bom-ref": f"model:{model.package}",
        "name": model.title,
        "description": f"{model.source}; taken from the package {model.package}.",
        "components": [
            {"type": "file", "bom-ref": f"file:{model.package}/{name}", "name": name, "hashes": [_sum(sha256)]}
            for name, sha256 in files.items()
        ],
    }


def _sum(sha256: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": sha256}


def write_bill(file: Path) -> None:
    """Write the bill of materials of this environment."""
    command = (_tool("cyclonedx-py"), "environment", "--pyproject", str(ROOT / "pyproject.toml"))
    # Its own check takes half a minute, and is of another bill than ours, which a test checks.
    options = ("--no-validate", "--output-reproducible", sys.executable)
    made = subprocess.run([*command, *options], check=True, capture_output=True, text=True)
    hashes = read_hashes((ROOT / LOCK).read_text(encoding="utf-8"))
    found = bill(json.loads(made.stdout), packages(), hashes)
    file.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{file}: {len(found['components'])} components.")


def audit() -> int:
    """Print what is known against the packages of the app; return the code to exit with."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "requirements.txt"
        file.write_text(hashed(Plan(packages()), read_hashes((ROOT / LOCK).read_text(encoding="utf-8"))))
        command = (_tool("pip-audit"), "--disable-pip", "--require-hashes", "--timeout", "10", "--format", "json")
        try:
            done = subprocess.run(
                [*command, "--progress-spinner", "off", "-r", str(file)],
                timeout=_SECONDS,
                capture_output=True,
                text=True,
            )
        except subprocess.TimeoutExpired:
            print(f"The package index has not answered within {_SECONDS} s: nothing was audited.")
            return 2
    if not done.stdout:
        last = done.stderr.strip().splitlines()[-1:] or [""]
        print(f"The package index cannot be asked: nothing was audited. {last[0]}")
        return 2
    lines, code = verdict(json.loads(done.stdout))
    print("\n".join(lines))
    return code


def verdict(report: Mapping[str, Any]) -> tuple[list[str], int]:
    """Return the lines to print of a report of pip-audit, and the exit code: 1 for a vulnerability, 2 for a gap."""
    known = report["dependencies"]
    found = [(each, flaw) for each in known for flaw in each.get("vulns", ())]
    skipped = [each["name"] for each in known if "skip_reason" in each]
    lines = [
        f"{each['name']} {each['version']}: {flaw['id']}, fixed in {', '.join(flaw['fix_versions']) or 'no release'}"
        for each, flaw in found
    ]
    lines.append(f"{len(known) - len(skipped)} of {len(known)} packages audited: {len(found)} known vulnerabilities.")
    if skipped:
        lines.append(f"The index knows nothing of {', '.join(skipped[:5])}{', …' if len(skipped) > 5 else ''}.")
    return lines, 1 if found else 2 if skipped else 0


def _tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))


def main(arguments: list[str]) -> None:
    """Run one of the two commands."""
    match arguments:
        case ["sbom", *rest] if len(rest) < 2:
            write_bill(Path(rest[0] if rest else "sbom.cdx.json"))
        case ["audit"]:
            sys.exit(audit())
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
