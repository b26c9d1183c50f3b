"""Which paths are protected, in whatever spelling, and what the host can allow."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.workspace.files.protection import GROUPS, Group, classify, fold, is_hidden
from tests.table import table

# What must not be hit comes first: each false alarm here is an edit somebody could not make.
OPEN = """
README.md src/app.py compose.yaml requirements.txt git/config gitignore .gitignore .gitattributes .github/CODEOWNERS
.github/ISSUE_TEMPLATE/bug.md .env.example .env.sample .env.template .env.local.example config/.env.production.template
environment.py env.py my.env id_mapper.py id_rsa.pub id_ed25519.pub src/id_rsa_test.go keys.py monkey.md key.md
public.pem.md profile.py bashrc.md docs/profile vscode/extension.ts idea.md claude/agent.py agents/runner.py cursor.ts
.editorconfig .prettierrc .docker/nginx.conf .aws/task.json .kube/readme.md .config/app.toml workflows/ci.yml
.cargo/audit.toml config.toml settings.json docs/opencode.md src/crush.py mise.md vim/plugin.py terraform/main.tf
azure/app.py src/gradle.py tests/conftest.py src/config/settings.ts app/secrets.py secrets.md auth.json token.py
tokens.json kubeconfig.go .gitlab/issue_templates/a.md .changeset/a.md .eslintrc.json .flake8 .rubocop.yml .nvmrc
.python-version locales/en/auth.json src/key.ts keyring.py package-lock.json yarn.lock Cargo.lock tsconfig.json
public_key.asc site.py customize.py vite/env.d.ts steadyhand/x.py docs/steadyhand.md a~1.txt back~up notes~
file~12345678.txt mcp.json git~ .gitkeep .eslintrc.js hg/x cvs/log.c
""".split()

SEALED = """
.steadyhand/journal.sqlite .steadyhand a/.steadyhand/x .STEADYHAND/x .steadyhand-tmp-1a-0 docs/.steadyhand-tmp-1a-0
.Steadyhand-TMP-x STEADY~1/journal.sqlite .steadyhand./x
""".split()

REFUSED = """
.git/HEAD .git .GIT/index .Git/hooks/pre-commit sub/.git/refs sub/.git .git./HEAD .git::$INDEX_ALLOCATION/HEAD
GIT~1/config git~2 .hg/store .svn/entries .jj/repo .gitmodules GITMOD~1 GI7EBA~1 .bashrc .profile .zshrc .zshenv
.bash_profile .husky/pre-commit .pre-commit-config.yaml lefthook.yml .yarnrc.yml .vscode/settings.json
.VSCode/tasks.json VSCODE~1/settings.json .idea/workspace.xml .cursor/mcp.json .claude/settings.json .codex/config.toml
.gemini/settings.json .agents/x .mcp.json MCP~1.JSO .devcontainer/devcontainer.json proj.code-workspace
.config/fish/config.fish home/.config/systemd/user/x.service .vimrc .emacs.d/init.el .gdbinit opencode.json
opencode.jsonc OpenCode.json crush.json .crush.json .kilocode/mcp.json .kilo/x kilo.jsonc .factory/hooks.json
.amp/settings.json .junie/mcp/mcp.json .openhands/setup.sh .qoder/x .codebuddy/x .vibe/config.toml .goose/x .roomodes
.clinerules/hooks/x .github/hooks/x.json .github/copilot/x .continuerc.json firebender.json
.config/opencode/opencode.json .cargo/config.toml .cargo/config sub/.cargo/config.toml .mvn/jvm.config
.mvn/extensions.xml .gradle/init.d/x init.gradle .bazelrc ci.bazelrc .bazelversion tools/bazel .buckconfig
.pnpmfile.cjs .yarn/releases/yarn.cjs .bundle/config .gemrc pip.conf .condarc .terraform/x .terraformrc knife.rb
latexmkrc .jvmopts .actrc .gitpod.yml .replit replit.nix .stackblitzrc .idx/dev.nix .codesandbox/tasks.json
devfile.yaml mise.toml .mise.toml mise.local.toml .mise/config.toml .config/mise/config.toml .config/mise.toml .flox/x
.direnvrc .asdfrc .pdbrc .pythonrc.py sitecustomize.py lib/usercustomize.py x.pth .ipython/x jupyter_server_config.py
.ghci hie.yaml .iex.exs .perldb .sqliterc .psqlrc .mongorc.js .user.ini .lldbinit .gdbinit.py .ocamlinit .octaverc
.julia/config/startup.jl .vim/plugin/x.vim .nvim.lua .lvimrc .helix/languages.toml .zed/settings.json a.sublime-project
.bsp/x.json buildServer.json .obsidian/plugins/x/main.js .vimspector.json .luarc.json .bashrc.d/x .zshrc.d/x .zsh/x
.oh-my-zsh/x .p10k.zsh .lessfilter profile.ps1 .config/environment.d/x.conf .config/tmux/tmux.conf
.config/zed/settings.json .config/Code/User/settings.json .config/kitty/kitty.conf .config/starship.toml .config/hypr/x
.tmux/x .wezterm.lua Library/LaunchAgents/x.plist .local/bin/ls autorun.inf desktop.ini a.lnk .huskyrc.json
.lintstagedrc.yml lint-staged.config.mjs lefthook-local.yml .overcommit.yml prek.toml .git-templates/x .hgsub .gclient
.reviewboardrc .tigrc authorized_keys .mailcap .muttrc .procmailrc .curlrc .vault
""".split()

SECRET = """
.env .ENV .env.local .env.production .envrc app/.env ENV~1 .ssh/config .ssh/id_rsa SSH~1/x id_rsa id_ed25519
id_ecdsa_sk id_rsa.bak id_rsa_work server.pem tls.key .tls.key store.p12 a.pfx a.jks a.ppk a.kdbx .netrc _netrc .npmrc
.pypirc .git/config .GIT/config sub/.git/config .git./config .git::$INDEX_ALLOCATION/config .git/modules/a/b/config
.git/worktrees/w/config.worktree .hg/hgrc .gitconfig .hgrc .config/git/credentials .git-credentials .pgpass .htpasswd
.gnupg/x .docker/config.json .aws/credentials .kube/config .config/gh/hosts.yml .terraform.d/credentials.tfrc.json
.azure/accessTokens.json .config/gcloud/x .m2/settings.xml .gradle/gradle.properties .cargo/credentials.toml
.databrickscfg .dbt/profiles.yml .sentryclirc .config/rclone/rclone.conf rclone.conf .pulumi/x prod.tfstate
terraform.tfstate.backup kubeconfig a.kubeconfig AuthKey.p8 host.keytab vpn.ovpn ssh_host_rsa_key .dev.vars
.streamlit/secrets.toml local.settings.json client_secret_1.json app-firebase-adminsdk-x1.json .vault_pass .renviron
.bash_history .zsh_history .python_history .psql_history .mylogin.cnf .pg_service.conf .erlang.cookie .env.keys
.Xauthority
""".split()

FLAGGED = """
.github/workflows/ci.yml .GitHub/Workflows/ci.yml .github/actions/a/action.yml .gitlab-ci.yml .circleci/config.yml
Jenkinsfile azure-pipelines.yml .travis.yml AGENTS.md docs/AGENTS.md CLAUDE.md claude.md GEMINI.md .cursorrules
.github/copilot-instructions.md .windsurfrules .github/instructions/x.instructions.md package.json web/package.json
Makefile GNUmakefile pyproject.toml setup.py tox.ini vite.config.ts Dockerfile Dockerfile.dev Cargo.toml build.rs
build.gradle.kts pom.xml CMakeLists.txt Gemfile Rakefile composer.json app.csproj flake.nix .tool-versions justfile
Taskfile.yml .storybook/main.ts .htaccess a.service .azure/pipelines/ci.yml .junie/guidelines.md
.unknown-agent/settings.json .github/skills/a/SKILL.md .cursorignore
""".split()

TRICKS = [
    ".g\u200bit/config",
    ".gi\u00adt/config",
    "\ufeff.git/config",
    ".\u200cgit/config",
    "\uff0egit/config",
    "\u2024git/config",
    ".ｇｉｔ/config",
    ".git\ufe0f/config",
    ".git /config",
    ".git. ./config",
    ".git:stream",
    ".git\uff0fconfig",
    ".ſsh/x",
    ".vſcode/settings.json",
]


@table("path", OPEN)
def test_ordinary_names_are_open(path: str) -> None:
    verdict = classify(path)
    assert (verdict.status, verdict.secret, verdict.sealed) == ("open", False, False)


@table("path", SEALED)
def test_our_own_state_is_sealed_whatever_the_host_allows(path: str) -> None:
    for options in ({}, {"allow": ("**", "*", path)}, {"protect": "none"}):
        verdict = classify(path, **options)  # type: ignore[arg-type]
        assert (verdict.status, verdict.sealed) == ("refused", True)
    assert is_hidden(path)


@table("path", REFUSED)
def test_names_that_run_code_are_refused(path: str) -> None:
    verdict = classify(path)
    assert (verdict.status, verdict.secret) == ("refused", False)
    assert verdict.why


@table("path", SECRET)
def test_secrets_are_refused_and_marked(path: str) -> None:
    verdict = classify(path)
    assert (verdict.status, verdict.secret) == ("refused", True)


@table("path", FLAGGED)
def test_ci_and_instruction_files_are_allowed_but_flagged(path: str) -> None:
    verdict = classify(path)
    assert (verdict.status, verdict.secret) == ("flagged", False)
    assert verdict.why


@table("path", TRICKS, ids=ascii)
def test_case_and_unicode_tricks_do_not_help(path: str) -> None:
    assert classify(path).status == "refused"


def test_protect_none_opens_everything_but_keeps_marks() -> None:
    assert classify(".git/config", protect="none").status == "open"
    assert classify(".env", protect="none").secret
    assert classify("AGENTS.md", protect="none").status == "flagged"


@table(
    ("pattern", "path", "status"),
    [
        (".env", ".env", "open"),
        (".env", "app/.env", "open"),
        (".env", ".env.local", "refused"),
        (".env*", ".env.local", "open"),
        (".ENV", ".env", "open"),
        ("docs", "docs/.env", "refused"),
        ("docs/**", "docs/.env", "open"),
        ("docs/**", "docs/a/.env", "open"),
        ("docs/*", "docs/.env", "open"),
        ("docs/*", "other/.env", "refused"),
        (".vscode", ".vscode/settings.json", "open"),
        ("settings.json", ".vscode/settings.json", "refused"),
        (".vscode/settings.json", ".vscode/settings.json", "open"),
        (".vscode/settings.json", ".vscode/tasks.json", "refused"),
        (".vscode/*.json", ".vscode/tasks.json", "open"),
        ("*.pem", "certs/a.pem", "open"),
        ("*.pem", ".ssh/a.pem", "refused"),
        ("**/.git/config", "sub/.git/config", "open"),
        (".git", ".git/.env", "refused"),
        ("", ".env", "refused"),
    ],
)
def test_the_hosts_patterns_open_what_they_name_and_no_more(pattern: str, path: str, status: str) -> None:
    assert classify(path, allow=(pattern,)).status == status


def test_an_allowed_secret_stays_marked_as_secret() -> None:
    verdict = classify(".env", allow=(".env",))
    assert (verdict.status, verdict.secret) == ("open", True)


def test_a_journal_kept_elsewhere_in_the_root_is_sealed_too() -> None:
    assert classify("var/Journal/x", state_dirs=("var/journal",)).sealed
    assert not classify("var/other", state_dirs=("var/journal",)).sealed


def test_the_tables_hold_folded_names_that_can_be_found() -> None:
    entries = [entry for group in GROUPS for entry in group.entries]
    assert len(entries) == len(set(entries))
    for entry in entries:
        assert entry == fold(entry)
        assert entry.count("/") == 0 or (entry.count("/") == 1 and "*" not in entry)


@table("group", GROUPS, ids=lambda group: group.title)
def test_every_entry_of_the_table_has_the_verdict_of_its_group(group: Group) -> None:
    for entry in group.entries:
        verdict = classify(f"some/{entry.replace('*', 'x')}")
        assert (verdict.status, verdict.secret) == (
            "flagged" if group.verdict == "flagged" else "refused",
            group.verdict == "secret",
        ), entry


@pytest.mark.sweep
def test_files_of_installed_packages_are_ordinary() -> None:
    """What the table costs: hardly a file of a real tree is refused, and each that is, is one of these."""
    root = Path(pytest.__file__).parent.parent
    paths = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    refused = [path for path in paths if classify(path).status == "refused"]
    assert len(paths) > 1000
    unexpected = [path for path in refused if not path.endswith(".pth") and "/.agents/" not in path]
    assert len(unexpected) < len(paths) / 1000, unexpected


@given(st.text(max_size=30))
def test_any_text_gets_a_verdict_and_folding_keeps_the_verdict(path: str) -> None:
    assert classify(path).status == classify(fold(path)).status


@given(st.sampled_from(REFUSED + SECRET), st.data())
def test_any_mix_of_case_is_seen_through(path: str, data: st.DataObject) -> None:
    flips = data.draw(st.lists(st.booleans(), min_size=len(path), max_size=len(path)))
    mixed = "".join(char.upper() if flip else char.lower() for char, flip in zip(path, flips, strict=True))
    assert classify(mixed).status == "refused"
