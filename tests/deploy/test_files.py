"""What stands in `deploy/`: as the program says it, and as its own linters want it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.cli.instance import unit
from server.settings import _Written

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
COMPOSE = ("compose.yaml", "compose.postgres.yaml")


os.environ["PATH"] += os.pathsep + str(ROOT / ".venv-inspect" / "bin")  # hadolint, where `make audit` was made


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def run(*command: str, **more: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


# README


def settings_table() -> dict[str, tuple[str, str]]:
    rows = re.findall(r"^\| `ESTAFETTE_(\w+)` \| (.+?) \| (.+?) \|$", (DEPLOY / "README.md").read_text(), re.MULTILINE)
    return {name.lower(): (default, meaning) for name, default, meaning in rows}


def test_the_readme_explains_every_setting_and_no_other() -> None:
    assert list(settings_table()) == list(_Written.model_fields)


@pytest.mark.parametrize("name", list(_Written.model_fields))
def test_the_readme_has_the_default_of_each_setting_and_one_sentence(name: str) -> None:
    default, meaning = settings_table()[name]
    real = _Written.model_fields[name].default
    if isinstance(real, bool):
        assert default == f"`{str(real).lower()}`"
    elif real is not None and real != ():
        assert default == f"`{real}`"
    assert meaning.endswith(".")
    assert len(meaning) > 20


def test_every_command_of_the_readme_exists() -> None:
    from server.cli import COMMANDS

    text = (DEPLOY / "README.md").read_text()
    typed = set(re.findall(r"^\s{4}(?:sudo -u estafette \S*)?estafette ([a-z-]+)", text, re.MULTILINE))
    typed |= set(re.findall(r"`estafette ([a-z-]+)", text))
    assert typed
    assert typed <= set(COMMANDS)


# systemd


@pytest.mark.parametrize(
    ("file", "command"),
    [("estafette.service", "serve"), ("estafette-web.service", "web"), ("estafette-worker.service", "worker")],
)
def test_units_are_those_that_init_writes(file: str, command: str) -> None:
    assert (DEPLOY / "systemd" / file).read_text() == unit(command=command)


@needs("systemd-analyze")
@pytest.mark.parametrize("file", sorted(path.name for path in (DEPLOY / "systemd").iterdir()))
def test_systemd_accepts_the_units(file: str, tmp_path: Path) -> None:
    for path in (DEPLOY / "systemd").iterdir():
        text = path.read_text().replace("/opt/estafette/bin/estafette", "/bin/true").replace("file:/opt", "file:///opt")
        (tmp_path / path.name).write_text(text)
    said = run("systemd-analyze", "verify", "--man=no", str(tmp_path / file))
    assert str(tmp_path) not in said, said


@needs("systemd-analyze")
def test_systemd_finds_little_that_the_service_could_still_do(tmp_path: Path) -> None:
    (tmp_path / "estafette.service").write_text(unit(program="/bin/true"))
    command = ("systemd-analyze", "security", "--offline=true", "--no-pager", str(tmp_path / "estafette.service"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"exposure level for \S+: ([0-9.]+)", done.stdout)
    if found is None:
        pytest.skip(f"this systemd cannot tell: {done.stderr.strip()[:80]}")
    assert float(found[1]) < 2.5


# containers


def instructions() -> list[tuple[str, str]]:
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines()]
    return [
        (line.partition(" ")[0], line.partition(" ")[2].strip()) for line in lines if line and not line.startswith("#")
    ]


def test_the_image_is_made_in_two_stages_and_runs_as_nobody_in_particular() -> None:
    bases = [rest for word, rest in instructions() if word == "FROM"]
    assert len(bases) == 2
    assert all(re.search(r":[0-9][\w.-]+", base) and "latest" not in base for base in bases)
    last_stage = instructions()[max(i for i, (word, _) in enumerate(instructions()) if word == "FROM") :]
    assert [rest for word, rest in last_stage if word == "USER"] == ["10001:10001"], (
        "a number, so that it can be checked"
    )
    words = [word for word, _ in last_stage]
    assert words.index("USER") < words.index("ENTRYPOINT")
    assert "HEALTHCHECK" in words
    assert not any(word in ("ADD", "MAINTAINER", "SHELL") for word, _ in instructions())


def test_the_image_takes_only_what_is_pinned_with_hashes() -> None:
    installs = [rest for word, rest in instructions() if word == "RUN" and "pip install" in rest]
    assert all("--require-hashes" in rest or "--no-deps" in rest for rest in installs)
    copied = [rest.split()[:-1] for word, rest in instructions() if word == "COPY" and "--from" not in rest]
    for name in (name for names in copied for name in names):
        assert (ROOT / name).exists(), name
        assert f"!{name}" in (ROOT / ".dockerignore").read_text().splitlines()


def test_commands_of_the_image_are_lists() -> None:
    for word, rest in instructions():
        if word in ("ENTRYPOINT", "CMD"):
            assert isinstance(json.loads(rest), list)


@needs("hadolint")
def test_hadolint_accepts_the_dockerfile() -> None:
    run("hadolint", str(DEPLOY / "Dockerfile"))


@pytest.mark.parametrize("file", COMPOSE)
def test_services_have_a_read_only_root_and_no_privileges(file: str) -> None:
    services = yaml.safe_load((DEPLOY / file).read_text())["services"]
    for name, service in services.items():
        assert "latest" not in service["image"]
        assert ":" in service["image"]
        if name == "database":
            continue
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
    published = {name for name, service in services.items() if "ports" in service}
    assert published == {"caddy"}


@pytest.mark.parametrize("file", COMPOSE)
def test_compose_files_set_settings_that_exist(file: str) -> None:
    services = yaml.safe_load((DEPLOY / file).read_text())["services"]
    names = {
        name.removeprefix("ESTAFETTE_").removesuffix("_FILE").lower()
        for service in services.values()
        for name in service.get("environment", {})
        if name.startswith("ESTAFETTE_")
    }
    assert {"public_url", "mail_url", "mail_from", "trusted_proxies"} <= names <= set(_Written.model_fields)


def test_with_postgres_there_are_two_workers_and_one_process_migrates() -> None:
    services = yaml.safe_load((DEPLOY / "compose.postgres.yaml").read_text())["services"]
    assert services["worker"]["deploy"]["replicas"] == 2
    for name in ("web", "worker"):
        assert services[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
    assert "volumes" not in services["web"]


def test_no_file_holds_a_secret_by_default() -> None:
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            text = path.read_text()
            assert not re.search(r"(?:SECRET_KEYS|PASSWORD|METRICS_TOKEN)=[0-9A-Za-z]{12,}", text), path
            assert "BEGIN PRIVATE KEY" not in text, path


@pytest.mark.parametrize("file", COMPOSE)
def test_docker_compose_accepts_the_files(file: str, tmp_path: Path) -> None:
    compose = ("docker", "compose")
    if shutil.which("docker") is None or subprocess.run([*compose, "version"], capture_output=True).returncode:
        compose = ("docker-compose",)  # Debian's, which needs no engine to check a file
        if shutil.which(*compose) is None:
            pytest.skip("neither docker compose nor docker-compose is installed")
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    copy = tmp_path / "deploy" / file
    if compose == ("docker-compose",):  # of the first version, which took the name from the folder
        copy.write_text(re.sub(r"(?m)^name: .*\n", "", copy.read_text()))
    told = ("--env-file", "example.env", "-f", file, "config")
    services = yaml.safe_load(run(*compose, *told, cwd=copy.parent))["services"]
    assert services["caddy"]["ports"]
    copy.write_text(copy.read_text().replace("read_only:", "reed_only:"))
    with pytest.raises(AssertionError, match="reed_only"):
        run(*compose, *told, cwd=copy.parent)


# proxies


@needs("caddy")
def test_caddy_accepts_its_file() -> None:
    told = {"HOST": "games.example.org", "BACKEND": "127.0.0.1:8025", "PATH": "/usr/bin:/bin", "HOME": "/tmp"}
    run("caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile"), env=told)


# others


def test_the_litestream_file_names_the_usual_database() -> None:
    told = yaml.safe_load((DEPLOY / "litestream.yml").read_text())
    assert [each["path"] for each in told["dbs"]] == ["/var/lib/estafette/estafette.db"]
