"""The installer: pip's settings in uv's words, and what a plan says before anything is downloaded."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from tools import install, requirements

LISTING = """
:env:.cert='/etc/ssl/own.crt'
:env:.find-links='/wheels /more'
global.cert='/etc/ssl/other.crt'
global.constraint='/etc/pip/constraints.txt'
global.disable-pip-version-check='1'
global.extra-index-url='https://one.example/simple\\nhttps://two.example/simple'
global.index-url='https://global.example/simple'
install.index-url='https://install.example/simple'
install.no-index='true'
install.pre='no'
install.trusted-host='one.example'
wheel.index-url='https://not.for.install/simple'
"""


def test_the_settings_of_pip_are_passed_on() -> None:
    settings = install.translate(LISTING)
    pairs = list(zip(settings.options, settings.options[1:], strict=False))
    for pair in (
        ("--find-links", "/wheels"),
        ("--find-links", "/more"),
        ("--constraint", "/etc/pip/constraints.txt"),
        ("--extra-index-url", "https://one.example/simple"),
        ("--extra-index-url", "https://two.example/simple"),
        ("--default-index", "https://install.example/simple"),
        ("--allow-insecure-host", "one.example"),
    ):
        assert pair in pairs
    assert "--no-index" in settings.options
    assert not {"https://global.example/simple", "https://not.for.install/simple"} & set(settings.options)
    assert not any(option.startswith("--prerelease") for option in settings.options)
    assert settings.variables == {"SSL_CERT_FILE": "/etc/ssl/own.crt"}, "a variable overrides a file"
    assert settings.unknown == ()


def test_a_setting_without_a_counterpart_leaves_the_work_to_pip(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = install.translate("global.require-hashes='true'\n")
    assert settings.unknown == ("require-hashes",)
    assert install._find_uv(settings) is None
    assert "require-hashes" in capsys.readouterr().out
    monkeypatch.setenv("CHUNKSCOPE_INSTALLER", "pip")
    assert install._find_uv(install.PipSettings()) is None


def test_no_settings_are_none() -> None:
    assert install.translate("") == install.PipSettings()


LOCK = """
lock-version = "1.0"
created-by = "uv"

[[packages]]
name = "here-already"
version = "1.0"
wheels = [{ url = "https://e.example/here_already-1.0-py3-none-any.whl", size = 1000 }]

[[packages]]
name = "pure"
version = "2.0"
sdist = { url = "https://e.example/pure-2.0.tar.gz", size = 900000 }
wheels = [
    { url = "https://e.example/pure-2.0-cp27-cp27m-win32.whl", size = 5000000 },
    { url = "https://e.example/pure-2.0-py3-none-any.whl", size = 2000 },
]

[[packages]]
name = "source-alone"
version = "3.0"
sdist = { url = "https://e.example/source-alone-3.0.tar.gz", size = 30000 }

[[packages]]
name = "on-disk"
version = "4.0+cpu"
wheels = [{ url = "file:///wheels/on_disk-4.0+cpu-py3-none-any.whl" }]
"""


def test_a_plan_counts_what_is_missing_and_must_be_downloaded(tmp_path: Path) -> None:
    lock = tmp_path / "pylock.toml"
    lock.write_text(LOCK, encoding="utf-8")
    plan = install.read_plan(lock, {"here-already": "1.0", "pure": "1.9"})
    assert (plan.pins, plan.bytes, plan.cuda) == (
        {"pure": "2.0", "source-alone": "3.0", "on-disk": "4.0+cpu"},
        32_000,
        False,
    )
    lock.write_text(LOCK + '\n[[packages]]\nname = "nvidia-cublas"\nversion = "13.0"\n', encoding="utf-8")
    assert install.read_plan(lock, {}).cuda


TORCH = """
[[packages]]
name = "torch"
version = "{0}"
wheels = [{{ url = "https://e.example/torch-{1}-py3-none-any.whl" }}]
"""


def test_a_build_of_torch_that_the_lock_does_not_know_is_installed_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "pylock.toml"

    def plan(version: str, name: str) -> install.Plan:
        lock.write_text(LOCK + TORCH.format(version, name), encoding="utf-8")
        return install.read_plan(lock, {"here-already": "1.0", "source-alone": "3.0", "on-disk": "4.0+cpu"})

    assert plan("2.13.0", "2.13.0").unlocked == ()
    other = plan("2.13.0+cu130", "2.13.0%2Bcu130")
    assert (other.build, other.unlocked) == ("torch-2.13.0+cu130-py3-none-any.whl", ("torch",))
    monkeypatch.setitem(requirements.TORCH_BUILDS, "torch-2.13.0+cpu-py3-none-any.whl", "ab")
    known = plan("2.13.0+cpu", "2.13.0%2Bcpu")
    assert known.unlocked == ()
    hashes = {"pure": frozenset(("b" * 64, "a" * 64)), "torch": frozenset("c")}
    assert install.hashed(known, hashes) == (
        f"pure==2.0 --hash=sha256:{'a' * 64} --hash=sha256:{'b' * 64}\ntorch==2.13.0+cpu --hash=sha256:c\n"
    )
    assert "torch" not in install.hashed(other, hashes)
    ran: list[tuple[str, ...]] = []

    def run(*command: str) -> bool:
        ran.append(command)
        return True

    monkeypatch.setattr(install, "_run", run)
    monkeypatch.setattr(install, "read_hashes", lambda text: hashes)
    assert install._install(other, ("uv",), ())
    assert "--require-hashes" in ran[0] and ran[1] == ("uv", "--no-deps", "torch==2.13.0+cu130")
    assert "without a check" in capsys.readouterr().out


def test_a_package_without_a_hash_in_the_lock_is_not_installed() -> None:
    with pytest.raises(SystemExit, match="no hash of pure"):
        install.hashed(install.Plan({"pure": "2.0"}), {})


def test_constraints_decide_versions_and_not_files() -> None:
    options = [
        "--index-strategy",
        "x",
        "--constraint",
        "/a.txt",
        "--find-links",
        "/b",
        "--constraint",
        "/c.txt",
        "--pre",
    ]
    assert install.without_constraints(options) == ["--index-strategy", "x", "--find-links", "/b", "--pre"]
    assert install.without_constraints([]) == []


def test_a_report_of_pip_is_a_plan() -> None:
    def item(name: str, version: str, url: str) -> dict[str, object]:
        return {"metadata": {"name": name, "version": version}, "download_info": {"url": url}}

    report = {"install": [item("Pure_One", "2.0", "https://e.example/pure_one-2.0.tar.gz")]}
    assert install.read_report(report) == install.Plan({"pure-one": "2.0"})
    report["install"].append(item("torch", "2.13.0+cu130", "file:///w/torch-2.13.0%2Bcu130-cp311-cp311-linux.whl"))
    assert install.read_report(report).unlocked == ("torch",)


def test_a_file_with_another_hash_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the installer itself, from a folder of wheels: what reaches the lock by another way is not installed."""
    wheel = tmp_path / "harmless-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("harmless.py", "")
        archive.writestr("harmless-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: harmless\nVersion: 1.0\n")
        archive.writestr("harmless-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("harmless-1.0.dist-info/RECORD", "")
    right = hashlib.sha256(wheel.read_bytes()).hexdigest()
    uv = Path(sys.executable).with_name("uv")
    for name, sha256 in (("wrong", "0" * 64), ("right", right)):
        root, target = tmp_path / name, tmp_path / f"{name} target"
        root.mkdir()
        (root / requirements.LOCK).write_text(f"harmless==1.0 \\\n    --hash=sha256:{sha256}\n", encoding="utf-8")
        monkeypatch.setattr(install, "ROOT", root)
        command = (str(uv), "pip", "install", "--python", sys.executable, "--offline", "--no-index", "--quiet")
        options = ("--find-links", str(tmp_path), "--target", str(target))
        assert install._install(install.Plan({"harmless": "1.0"}), command, options) == (name == "right")
        assert (target / "harmless.py").exists() == (name == "right")


def test_torch_is_looked_for_where_its_cpu_builds_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "_answers", lambda address: True)
    monkeypatch.setattr(install, "_has_nvidia", lambda: False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert install.torch_options("") == ["--find-links", f"{install.TORCH_CPU}/torch/"]
    assert install.torch_options("https://own.example/cu130/") == ["--find-links", "https://own.example/cu130/torch/"]
    monkeypatch.setattr(install, "_has_nvidia", lambda: True)
    assert install.torch_options("") == []
    monkeypatch.setattr(install, "_has_nvidia", lambda: False)
    monkeypatch.setattr(install, "_answers", lambda address: False)
    assert install.torch_options("") == []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(install, "_answers", lambda address: True)
    assert install.torch_options("") == []
