"""How each client is pointed at a model of ours and asked for one thing without a person.

A driver writes only what the client needs to reach the model; the server's entry is what `mcp --install` adds to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PROMPT = "Follow the script with the steadyhand tools."


@dataclass(frozen=True, slots=True)
class Driver:
    """One client.

    `package`  from npm, with its exact version; `program` what it is started as
    `scope`    where `--install` writes
    `prepare`  writes its settings into a new home and project, given the model's address
    `command`  the words after the program that make it work through a prompt and end
    `environ`  what else it needs, given the model's address
    `shows`    what a person sees of the calls, besides what the model says in the end
    """

    name: str
    package: str
    program: str
    scope: str
    command: Sequence[str]
    environ: Callable[[str], Mapping[str, str]]
    prepare: Callable[[Path, Path, str], None] = lambda home, project, url: None
    shows: Sequence[str] = ()


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=2) + "\n", encoding="utf-8")


def _claude(home: Path, project: Path, url: str) -> None:
    """A folder that a person has trusted, and whose servers they have agreed to."""
    trusted = {"hasTrustDialogAccepted": True, "enabledMcpjsonServers": ["steadyhand"]}
    _write(home / ".claude.json", {"hasCompletedOnboarding": True, "projects": {str(project): trusted}})
    _write(project / ".claude" / "settings.json", {"permissions": {"allow": ["mcp__steadyhand"]}})


def _codex(home: Path, project: Path, url: str) -> None:
    _write(
        home / ".codex" / "config.toml",
        f"""# where the model is
model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"

[projects."{project}"]
trust_level = "trusted"
""",
    )


def _opencode(home: Path, project: Path, url: str) -> None:
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 100_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"m": model},
    }
    _write(project / "opencode.json", {"provider": {"scripted": provider}})


def _gemini(home: Path, project: Path, url: str) -> None:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    _write(home / ".gemini" / "settings.json", settings)


def _qwen(home: Path, project: Path, url: str) -> None:
    settings = {"security": {"auth": {"selectedType": "openai"}}, "privacy": {"usageStatisticsEnabled": False}}
    _write(home / ".qwen" / "settings.json", settings)


def _cline(home: Path, project: Path, url: str) -> None:
    provider = {"provider": "openai-compatible", "apiKey": "none", "model": "scripted", "baseUrl": f"{url}/v1"}
    settings = {"settings": provider, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    _write(
        home / ".cline" / "data" / "settings" / "providers.json",
        {"version": 1, "lastUsedProvider": "openai-compatible", "providers": {"openai-compatible": settings}},
    )


def _continue(home: Path, project: Path, url: str) -> None:
    _write(
        home / ".continue" / "config.yaml",
        f"""name: Local
version: 1.0.0
schema: v1
models:
  - name: scripted # ours
    provider: openai
    model: scripted
    apiBase: {url}/v1
    apiKey: none
    roles: [chat]
    capabilities: [tool_use]
""",
    )


_OPENAI = {"OPENAI_API_KEY": "none"}

DRIVERS = (
    Driver(
        "claude-code",
        "@anthropic-ai/claude-code@2.1.197",
        "claude",
        "project",
        ("-p", PROMPT, "--verbose", "--output-format", "stream-json"),
        lambda url: {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        _claude,
        shows=("app.toml", "2 places"),
    ),
    Driver(
        "codex",
        "@openai/codex@0.169.0",
        "codex",
        "user",
        ("exec", "--skip-git-repo-check", PROMPT),
        lambda url: _OPENAI,
        _codex,
        shows=("steadyhand/edit (completed)", "steadyhand/edit (failed)", "steadyhand/undo (completed)"),
    ),
    Driver(
        "opencode",
        "opencode-ai@1.18.33",
        "opencode",
        "project",
        ("run", "-m", "scripted/m", PROMPT),
        lambda url: {"OPENCODE_DISABLE_AUTOUPDATE": "1"},
        _opencode,
        shows=("steadyhand_edit", "2 places", "steadyhand_undo"),
    ),
    Driver(
        "gemini",
        "@google/gemini-cli@0.61.0",
        "gemini",
        "project",
        ("-p", PROMPT, "-m", "gemini-2.5-pro"),
        lambda url: {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url},
        _gemini,
    ),
    Driver(
        "copilot",
        "@github/copilot@1.0.102",
        "copilot",
        "user",
        ("-p", PROMPT, "--allow-tool=steadyhand", "--no-color", "--disable-builtin-mcps"),
        lambda url: {
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "scripted",
            "COPILOT_AUTO_UPDATE": "false",
        },
        shows=("edited app.toml:1", "2 places", "restored app.toml"),
    ),
    Driver(
        "qwen",
        "@qwen-code/qwen-code@0.15.10",
        "qwen",
        "project",
        ("-p", PROMPT, "-m", "scripted"),
        lambda url: {**_OPENAI, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "scripted"},
        _qwen,
    ),
    Driver(
        "cline",
        "cline@3.0.65",
        "cline",
        "user",
        ("--auto-approve", "true", PROMPT),
        lambda url: {},
        _cline,
        shows=("edited app.toml:1", "restored app.toml"),
    ),
    Driver(
        "continue",
        "@continuedev/cli@1.5.47",
        "cn",
        "user",
        ("-p", PROMPT, "--auto", "--config", "{home}/.continue/config.yaml"),
        lambda url: {"CONTINUE_TELEMETRY_ENABLED": "0"},
        _continue,
    ),
)
