"""The installer: pip's settings in uv's words, and what a plan says before anything is downloaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import install

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
    assert (plan.packages, plan.bytes, plan.cuda) == (3, 32_000, False)
    lock.write_text(LOCK + '\n[[packages]]\nname = "nvidia-cublas"\nversion = "13.0"\n', encoding="utf-8")
    assert install.read_plan(lock, {}).cuda


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
