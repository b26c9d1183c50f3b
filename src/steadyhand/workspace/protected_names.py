"""The names that are protected, as data; `protection` compares with them.

All names are folded already: lower case, NFKC, without trailing dots.
A name here costs somebody an edit that is refused, so each must run code, hold a secret, or govern an agent.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "CREDENTIALS",
    "FLAGGED_NAMES",
    "FLAGGED_PATHS",
    "REFUSED_NAMES",
    "REFUSED_PATHS",
    "REFUSED_SUFFIXES",
    "REPOSITORY_FILES",
    "REPOSITORY_FOLDERS",
    "REPOSITORY_MARKS",
    "SECRET_NAMES",
    "SECRET_PATTERN",
    "SECRET_SUFFIXES",
    "VCS_NAMES",
    "VCS_SECRETS",
]

VCS_NAMES: Final = frozenset(".git .hg .svn .jj .bzr _darcs .pijul .sl".split())
# What lies below one of those, also deep as submodules do, and may hold a token: in the address of a remote, say.
VCS_SECRETS: Final = frozenset("config config.worktree config.toml credentials hgrc".split())

# What git reads in a directory that it takes for a repository, and the part of it by which it recognises one.
# `objects` and `refs` count whatever they are: git asks only whether it may pass through them.
REPOSITORY_FILES: Final = frozenset(
    "head config config.worktree commondir gitdir packed-refs index objects refs".split()
)
REPOSITORY_FOLDERS: Final = frozenset("objects refs hooks info logs modules worktrees".split())
REPOSITORY_MARKS: Final = frozenset("head config commondir objects refs".split())

_VCS_SETTINGS: Final = ".gitmodules"
_SHELL: Final = (
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .zshrc .zshenv .zprofile"
    " .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .pam_environment .xinitrc .xprofile"
    " .xsession .xsessionrc .xserverrc"
)
_STARTUP: Final = (
    ".vimrc .gvimrc .exrc .nvimrc .nvim.lua .emacs .emacs.d .dir-locals.el .dir-locals-2.el .gdbinit .lldbinit .irbrc"
    " .pryrc .rprofile .pythonrc .pythonstartup .tmux.conf .screenrc .curlrc .wgetrc"
    " .husky .githooks .pre-commit-config.yaml .pre-commit-config.yml lefthook.yml lefthook.yaml .lefthook.yml"
    " .lefthook.yaml .yarnrc .yarnrc.yml"
)
_EDITORS: Final = ".vscode .vscode-insiders .vs .idea .fleet .zed .devcontainer .devcontainer.json .nova"
_AGENTS: Final = (
    ".mcp.json .cursor .claude .claude.json .codex .gemini .agents .agent .windsurf .codeium .continue .cline .roo"
    " .kiro .amazonq .opencode .qwen .trae .augment .crush .goose .copilot .aider.conf.yml .aider.model.settings.yml"
)
REFUSED_NAMES: Final = {
    **dict.fromkeys(VCS_NAMES, "version-control metadata"),
    **dict.fromkeys(_VCS_SETTINGS.split(), "version-control settings that can run programs"),
    **dict.fromkeys(_SHELL.split(), "a shell start-up file"),
    **dict.fromkeys(_STARTUP.split(), "a start-up or hook file that runs programs"),
    **dict.fromkeys(_EDITORS.split(), "editor settings that can run programs"),
    **dict.fromkeys(_AGENTS.split(), "settings that govern an agent"),
}
CREDENTIALS: Final = "credentials"
REFUSED_SUFFIXES: Final = {".code-workspace": "editor settings that can run programs"}
# A name that counts in its parent directory only: always two components.
REFUSED_PATHS: Final = {
    ".config/fish": "a shell start-up file",
    ".config/autostart": "a session start-up file",
    ".config/systemd": "a session start-up file",
    ".config/nvim": "a start-up or hook file that runs programs",
    ".config/git": CREDENTIALS,
    ".config/gcloud": CREDENTIALS,
    ".config/gh": CREDENTIALS,
    ".docker/config.json": CREDENTIALS,
    ".aws/credentials": CREDENTIALS,
    ".aws/config": CREDENTIALS,
    ".kube/config": CREDENTIALS,
}

SECRET_NAMES: Final = frozenset(
    ".ssh .gnupg .netrc _netrc .npmrc .pypirc .git-credentials .gitconfig .hgrc .pgpass .my.cnf .htpasswd"
    " .vault-token .dockercfg .s3cfg .boto .password-store".split()
)
SECRET_SUFFIXES: Final = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx")
# `.env` and its variants, and private keys as ssh-keygen names them; `id_mapper.py` and `id_rsa.pub` are neither.
SECRET_PATTERN: Final = re.compile(
    r"\.env(?!.*[._-](example|sample|template)$).*|id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([._-](?!pub$)[^.]*)?"
)

_CI: Final = "a continuous-integration definition, which runs with the project's rights"
_INSTRUCTIONS: Final = "instructions that agents follow"
FLAGGED_NAMES: Final = {
    **dict.fromkeys(
        (
            ".gitlab-ci.yml .gitlab-ci.yaml .travis.yml .circleci .buildkite .drone.yml .woodpecker.yml .woodpecker"
            " .cirrus.yml .teamcity .semaphore azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml"
            " jenkinsfile appveyor.yml .appveyor.yml cloudbuild.yaml cloudbuild.yml buildspec.yml .ci"
        ).split(),
        _CI,
    ),
    **dict.fromkeys(
        (
            "agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md crush.md .cursorrules"
            " .windsurfrules .clinerules .roorules .goosehints copilot-instructions.md .junie"
        ).split(),
        _INSTRUCTIONS,
    ),
}
FLAGGED_PATHS: Final = {
    ".github/workflows": _CI,
    ".github/actions": _CI,
    ".gitlab/ci": _CI,
    ".forgejo/workflows": _CI,
    ".gitea/workflows": _CI,
    ".github/instructions": _INSTRUCTIONS,
    ".github/prompts": _INSTRUCTIONS,
    ".github/agents": _INSTRUCTIONS,
    ".github/chatmodes": _INSTRUCTIONS,
}
