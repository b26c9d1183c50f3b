"""Which paths an agent may not write, which it may not see, and which it may write but not quietly.

Pure; compares names, never looks at the disk.
A name is judged by itself (`classify`), and by what is beside it (`repository_parts`): files that are harmless alone
make a directory a git repository together.
Names are compared as the laxest file system would see them: NFKC, case folded, without ignorable characters,
trailing dots and blanks, stream names and 8.3 abbreviations.
Our own state and temporary files are sealed: no pattern of the host opens them.

A limit of names: a file with an ordinary name that a protected name *links to* is not recognised here; of hard links
the sandbox finds those nearby.
"""

from __future__ import annotations

import fnmatch
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal

from steadyhand.lazy import dataclass, lazy_pattern

# The names that are protected, as one table, from which docs/protected.md is made.
#
# A name is here because a program that people use every day runs what the file says, when a folder is opened or a
# routine command is given, or because the file holds a secret. Each costs somebody an edit that is refused, so build
# configuration that people change daily is only flagged. Lint settings and source code are open: they are the work.
#
# All names are folded already: lower case, NFKC, without trailing dots. An entry is a name at any depth, a name in a
# certain directory (`.docker/config.json`), or a pattern (`*.pem`). The more specific entry decides.

Verdict = Literal["refused", "secret", "flagged"]


@dataclass(frozen=True, slots=True)
class Group:
    """Names with one reason. `why` is what an answer says; `reason` is what the documentation adds to it.

    A `secret` is refused, and may not be read either. `pattern` is for names that no entry can describe, and
    `pattern_text` says it in words.
    """

    title: str
    verdict: Verdict
    why: str
    reason: str
    entries: tuple[str, ...]
    pattern: re.Pattern[str] | None = None
    pattern_text: str = ""


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

_SHELL: Final = "a shell start-up file"
_START_UP: Final = "a start-up or hook file that runs programs"
_SESSION: Final = "a session start-up file"
_EDITOR: Final = "editor settings that can run programs"
_AGENT: Final = "settings that govern an agent"
_TOOLS: Final = "build settings that can run programs"
_SECRET: Final = "a key, a password or an environment file"
_CREDENTIALS: Final = "credentials"
_CI: Final = "a continuous-integration definition, which runs with the project's rights"
_INSTRUCTIONS: Final = "instructions that agents follow"
_BUILD: Final = "build configuration, whose commands run on a routine build"
_HIDDEN: Final = "a tool's own files, in a hidden directory"

GROUPS: Final = (
    Group(
        "Version control",
        "refused",
        "version-control metadata",
        "Hooks and settings in it run programs on the next command. Its `config` and `credentials` are secrets too.",
        tuple(sorted(VCS_NAMES)) + tuple(".repo _fossil_ .fslckout".split()),
    ),
    Group(
        "Settings of version control",
        "refused",
        "version-control settings that can run programs",
        "They name other repositories, hooks, templates of hooks or programs; some of them are code.",
        tuple(
            """
            .gitmodules .git-template .git-templates .git_template .hgsub .hgsubstate .gclient .arcconfig .arclint
            .reviewboardrc .fossil-settings .gitolite.rc .bazaar .cvsrc .tigrc .jjconfig.toml .config/hg .config/jj
            .config/sapling .config/tig .config/lazygit
            """.split()
        ),
    ),
    Group(
        "Hooks of commits",
        "refused",
        _START_UP,
        "What they name runs on every commit or push.",
        tuple(
            """
            .husky .huskyrc .huskyrc.* .githooks .git-hooks .pre-commit-config.yaml .pre-commit-config.yml prek.toml
            .prek.toml lefthook.* lefthook-local.* .lefthook.* .lefthook-local.* .lefthook .lefthook-local
            .overcommit.yml .simple-git-hooks.* simple-git-hooks.* .lintstagedrc .lintstagedrc.* lint-staged.config.*
            captainhook.json grumphp.yml grumphp.yml.dist .grumphp.yml hk.pkl .hk.pkl .rusty-hook.toml .github/hooks
            """.split()
        ),
    ),
    Group(
        "Shells",
        "refused",
        _SHELL,
        "A shell runs it when it starts, ends or shows its prompt.",
        tuple(
            """
            .bashrc .bashrc.d .bashrc.local .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions
            .bash_completion .bash_completion.d .bash_it .profile .profile.d .zshrc .zshrc.d .zshrc.local .zshenv
            .zprofile .zlogin .zlogout .zsh .zsh.d .zimrc .zpreztorc .zprezto .p10k.zsh .antigenrc .oh-my-zsh .kshrc
            .mkshrc .shrc .shinit .yashrc .yash_profile .cshrc .tcshrc .login .logout .inputrc .pam_environment
            .xonshrc .elvish .fzf.bash .fzf.zsh .lessfilter .rhosts .shosts .k5login profile.ps1
            microsoft.powershell_profile.ps1 microsoft.vscode_profile.ps1 .config/fish .config/zsh .config/bash
            .config/nushell .config/elvish .config/xonsh .config/powershell .config/starship.toml
            .config/user-dirs.dirs .local/bin
            """.split()
        ),
    ),
    Group(
        "Sessions, desktops and terminals",
        "refused",
        _SESSION,
        "It runs at login, when the window system or a terminal starts, or when a folder is shown.",
        tuple(
            """
            .xinitrc .xprofile .xsession .xsessionrc .xserverrc .xbindkeysrc .xmonad .gnomerc .fehbg .hammerspoon
            .yabairc .skhdrc .sxhkdrc .tmux .tmux.conf .tmux.conf.local .tmuxinator .tmuxinator.* .tmuxp .tmuxp.*
            .byobu .screenrc .wezterm.lua .alacritty.* .hyper.js .directory desktop.ini autorun.inf *.scf *.lnk
            *.library-ms .config/autostart .config/autostart-scripts .config/systemd .config/environment.d
            .config/plasma-workspace .config/tmux .config/tmuxinator .config/tmuxp .config/zellij .config/byobu
            .config/kitty .config/alacritty .config/wezterm .config/ghostty .config/foot .config/hypr .config/sway
            .config/i3 .config/awesome .config/qtile .config/bspwm .config/sxhkd .config/openbox .config/rofi
            .config/waybar .config/polybar .config/ranger .config/lf .config/yazi .config/mpv .config/mc
            library/launchagents library/launchdaemons programs/startup
            """.split()
        ),
    ),
    Group(
        "Editors",
        "refused",
        _EDITOR,
        "Opening the folder, or a task, a debugger or a language server of it, runs what they name.",
        tuple(
            """
            .vscode .vscode-insiders .vscode-server .vscode-oss .vs .idea .run .fleet .zed .nova .helix .lapce .theia
            *.sublime-project *.sublime-workspace *.sublime-build *.code-workspace .tm_properties .atom .vim .vimrc
            .gvimrc .vimrc.local .lvimrc .local.vimrc .exrc .ideavimrc .nvimrc .nvim .nvim.lua .vimspector.json
            .ycm_extra_conf.py .emacs .emacs.d .emacs.el .spacemacs .spacemacs.d .doom.d .dir-locals.el
            .dir-locals-2.el .nanorc .kakrc .joerc .externaltoolbuilders .omnisharp omnisharp.json .sourcekit-lsp
            buildserver.json .bsp .metals .bloop .luarc.json .luarc.jsonc .merlin hie.yaml .hie-bios .obsidian
            .phpactor.json .phpactor.yml .config/nvim .config/vim .config/emacs .config/doom .config/zed .config/code
            .config/code-oss .config/vscodium .config/cursor .config/windsurf .config/helix .config/kak .config/micro
            .config/lapce-stable .config/sublime-text .config/jetbrains .config/nano
            """.split()
        ),
    ),
    Group(
        "Workspaces in containers and in the cloud",
        "refused",
        _EDITOR,
        "The container or the online editor runs their commands when the project is opened.",
        tuple(
            """
            .devcontainer .devcontainer.json .gitpod.yml .gitpod.yaml .gitpod .gitpod.dockerfile .ona .replit
            replit.nix .codesandbox .stackblitzrc .idx .devfile.yaml .devfile.yml devfile.yaml devfile.yml .devpod
            .daytona .coder .container-use
            """.split()
        ),
    ),
    Group(
        "Agents",
        "refused",
        _AGENT,
        "They name programs to start (MCP servers, hooks, setup scripts) or say what the agent may do without asking.",
        tuple(
            """
            .mcp.json .mcp .cursor .claude .claude.json .claude-plugin .codex .codex-plugin .gemini .agents .agent
            .windsurf .codeium .continue .continuerc.json .cline .clinerules/hooks .roo .roomodes .kiro .amazonq
            .opencode opencode.json opencode.jsonc .opencode.json .qwen .trae .trae-cn .augment .crush crush.json
            .crush.json .goose .copilot .github/copilot .kilo .kilocode .kilocodemodes kilo.json kilo.jsonc .factory
            .amp .junie .openhands .qoder .lingma .codebuddy .iflow .kimi .kode .vibe .grok .pi .mux .mcpjam .bob
            .cortex .commandcode .adal .neovate .pochi .zencoder .zcode .firebender firebender.json .rovodev .warp
            .void .tabnine .cody .sourcegraph .serena .ruler .aider .aider.conf.yml .aider.model.settings.yml
            .aider-desk .autohand .codeartsdoer .cagent .openclaw .clawdbot .moltbot .hermes .omp .plandex .plandex-v2
            .devin codebuff.json .codebuff .vibe-kanban .emdash.json .deepagents .antigravity .claude-flow
            .cursor-server .config/amp .config/opencode .config/crush .config/goose .config/kilo .config/agents
            .config/github-copilot .config/claude .config/codex .config/gemini .config/mcp .config/io.datasette.llm
            .config/shell_gpt .config/aichat .config/wt.toml
            """.split()
        ),
    ),
    Group(
        "Environments of a directory",
        "refused",
        _START_UP,
        "Entering the directory, or the next command of the tool, runs their hooks and sets variables such as `PATH`.",
        tuple(
            """
            mise.toml .mise.toml mise.*.toml .mise.*.toml .mise .rtx.toml mise/config.toml .config/mise
            .config/mise.toml .direnvrc .direnv .config/direnv .autoenv .autoenv.zsh
            .autoenv_leave.zsh .in.zsh .out.zsh .flox .devenv devenv.nix devenv.local.nix .hermit .asdfrc .flaskenv
            """.split()
        ),
    ),
    Group(
        "Interpreters and debuggers",
        "refused",
        _START_UP,
        "The interpreter, its prompt or its debugger runs it when it starts, many of them from the current directory.",
        tuple(
            """
            .pdbrc .pythonrc .pythonrc.py .pythonstartup sitecustomize.py usercustomize.py *.pth pyvenv.cfg .ipython
            ipython_config.py .jupyter jupyter_config.py jupyter_server_config.py jupyter_notebook_config.py
            jupyter_lab_config.py .ptpython .bpython .config/ptpython .config/bpython .irbrc .pryrc .rdbgrc .byebugrc
            .rprofile rprofile.site .julia .ghci .ocamlinit .utoprc .iex.exs .erlang .perldb .proverc .replyrc .sbclrc
            .eclrc .ccl-init.lisp .clisprc .guile .racketrc .swank.lisp .lein .clojure profiles.clj .ammonite
            .octaverc .gnuplot .maxima .sage .scilab .swiplrc .tclshrc .wishrc .expect.rc .user.ini .gdbinit
            .gdbinit.* .gdbearlyinit .gdbinit-gef.py .gef.rc .cgdb .lldbinit .lldbinit-* .radare2rc .config/gdb
            .config/lldb .config/radare2
            """.split()
        ),
    ),
    Group(
        "Package managers and build tools",
        "refused",
        _TOOLS,
        "They name wrappers, runners, plugins, extensions or sources of packages, which the next build runs.",
        tuple(
            """
            .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js .pnp.cjs .pnp.loader.mjs .cargo/config
            .cargo/config.toml .cargo/env .cargo/bin .rustup .mvn .gradle init.gradle init.gradle.kts .jvmopts
            .sbtopts .sbtrc .mill-jvm-opts .mill-opts .ant .antrc .bazelrc *.bazelrc .bazeliskrc .bazelversion
            tools/bazel
            .buckconfig .buckconfig.local .buckconfig.d .pants.rc .pants.bootstrap .plzconfig .plzconfig.local .bundle
            .gemrc .cpan .cabal .stack .luarocks .opam .ghcup .conan .conan2 .vcpkg .pip pip.conf pip.ini .config/pip
            .config/uv .config/pypoetry .config/pdm .config/hatch .condarc .mambarc .conda .pydistutils.cfg .nuget
            .actrc latexmkrc .latexmkrc texmf.cnf .arararc.yaml .rpmmacros .quiltrc .sbuildrc .pbuilderrc .devscripts
            .makepkg.conf .config/nix .nixpkgs .config/nixpkgs .config/home-manager .config/yarn .config/go
            .config/containers .ansible .chef knife.rb .packer.d .terraform .terraformrc terraform.rc .tofurc tofu.rc
            .docker/cli-plugins .docker/daemon.json .docker/contexts .config/helm .vagrant.d .platformio .nodemon.json
            """.split()
        ),
    ),
    Group(
        "Clients of databases, mail and the network",
        "refused",
        _START_UP,
        "The program runs its commands when it starts, or gives what it fetches to the programs that it names.",
        tuple(
            """
            .psqlrc .sqliterc .duckdbrc .mongorc.js .mongoshrc.js .mongosh .usqlrc .litecli .pgcli .mycli .myclirc
            .redisclirc .curlrc .config/curlrc .wgetrc .lftprc .lftp .aria2 .mailrc .mailcap .muttrc .mutt .procmailrc
            .forward .offlineimaprc .newsboat .config/mutt .config/neomutt .config/pgcli .config/mycli .config/litecli
            .config/aerc .config/newsboat .toprc .w3m .elinks authorized_keys authorized_keys2 .vault
            """.split()
        ),
    ),
    Group(
        "Keys, passwords and environment files",
        "secret",
        _SECRET,
        "They hold secrets in clear text.",
        tuple(
            """
            .ssh .gnupg .netrc _netrc .authinfo .authinfo.* .git-credentials .gitconfig .hgrc .htpasswd .htdigest
            .pgpass .pg_service.conf .my.cnf .mylogin.cnf .cqlshrc .msmtprc .fetchmailrc .mbsyncrc .password-store
            .vault-token .vault_pass .vault_pass.* .vault_password .vault-password .dev.vars .dev.vars.* .secrets
            .secrets.toml .secrets.json .secrets.y*ml .secrets.env .streamlit/secrets.toml local.settings.json
            .renviron .credentials .credentials.json .erlang.cookie .xauthority .iceauthority .pki .step .acme.sh
            wallet.dat kubeconfig .kubeconfig *.kubeconfig *.pem *.key *.p8 *.p12 *.pfx *.pkcs12 *.jks *.jceks *.bks
            *.keystore *.ppk *.kdbx *.kdb *.keytab *.ovpn *.agekey *.keychain *.keychain-db *.tfstate *.tfstate.backup
            ssh_host_*_key secring.gpg client_secret*.json
            """.split()
        ),
        # `id_mapper.py` and `id_rsa.pub` are no private keys.
        lazy_pattern(
            r"\.env(?!.*[._-](example|sample|template|dist|defaults)$).*"
            r"|id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([._-](?!pub$)[^.]*)?"
            r"|.*firebase-adminsdk.*\.json"
        ),
        "`.env` and `.env*` except examples, samples, templates and defaults; private keys as"
        " `ssh-keygen` and Firebase name them",
    ),
    Group(
        "Credentials of services",
        "secret",
        _CREDENTIALS,
        "Command lines of clouds, registries and services keep their tokens in them.",
        tuple(
            """
            .npmrc .pypirc .dockercfg .docker/config.json .s3cfg .boto .aws/credentials .aws/config .aws/sso .aws/cli
            .azure .gcloud .config/gcloud .kube/config .kube/cache .oci .aliyun .bluemix .ibmcloud .fly .doctl
            .linode-cli .terraform.d .pulumi .databrickscfg .databricks .snowsql .snowflake .dbt .kaggle .huggingface
            .openai .anthropic .ngrok2 .ngrok .cloudflared .wrangler/config .talos .m2 .gradle/gradle.properties
            .cargo/credentials .cargo/credentials.toml .gem .ivy2 .sbt .hex .composer .subversion .cvspass .arcrc
            .p4config .p4enviro .p4tickets .sentryclirc .clasprc.json .transifexrc .serverlessrc .rclone.conf
            rclone.conf .config/git .config/gh .config/hub .config/glab-cli .config/rclone .config/op .config/heroku
            .config/doctl .config/fly .config/hcloud .config/scw .config/linode-cli .config/stripe .config/ngrok
            .config/configstore .config/composer .config/solana .config/netlify .config/vercel .config/1password
            .config/bitwarden .config/google-chrome .config/chromium .config/bravesoftware .mozilla .thunderbird
            .electrum .bitcoin .ethereum .gitlab-token .github-token .token
            """.split()
        ),
    ),
    Group(
        "Histories",
        "secret",
        "a history of commands, which often holds passwords",
        "What was typed is in it.",
        tuple(
            """
            .bash_history .zsh_history .sh_history .ksh_history .zhistory .histfile .python_history .node_repl_history
            .irb_history .psql_history .mysql_history .sqlite_history .rediscli_history .mongo_history .dbshell
            .lesshst .rhistory .octave_hist .viminfo
            """.split()
        ),
    ),
    Group(
        "Continuous integration and deployment",
        "flagged",
        _CI,
        "People edit them daily, and they run with rights that the editor does not have.",
        tuple(
            """
            .github/workflows .github/actions .forgejo/workflows .forgejo/actions .gitea/workflows .gitea/actions
            .github/dependabot.yml .gitlab/ci .gitlab-ci .gitlab-ci.yml .gitlab-ci.yaml *.gitlab-ci.yml .travis.yml
            .travis .circleci .buildkite .drone.yml .drone.jsonnet .drone.star .woodpecker.yml .woodpecker.yaml
            .woodpecker .cirrus.yml .cirrus.star .teamcity .semaphore .builds .build.yml .harness .tekton .vela.yml
            .buddy buddy.yml .codefresh codefresh.yml .zuul.yaml .zuul.d zuul.yaml zuul.d .prow.yaml .ci-operator.yaml
            .jenkins jenkinsfile jenkinsfile.* *.jenkinsfile azure-pipelines*.yml azure-pipelines*.yaml
            .azure-pipelines .azuredevops .pipelines .azure/pipelines .azure/workflows bitbucket-pipelines.yml
            appveyor.yml .appveyor.yml cloudbuild.yaml cloudbuild.yml buildspec.yml buildspec.yaml bitrise.yml
            codemagic.yaml wercker.yml screwdriver.yaml .ci .readthedocs.yml .readthedocs.yaml .goreleaser.yml
            .goreleaser.yaml .releaserc .releaserc.* .release-it.* .mergify.yml renovate.json renovate.json5
            .renovaterc .renovaterc.* atlantis.yaml skaffold.yaml tiltfile .ebextensions .platform .platform.app.yaml
            .upsun netlify.toml vercel.json wrangler.toml wrangler.json wrangler.jsonc fly.toml render.yaml
            railway.json railway.toml nixpacks.toml serverless.yml serverless.yaml cdk.json samconfig.toml pulumi.yaml
            terragrunt.hcl .pre-commit-hooks.yaml .pre-commit-hooks.yml
            """.split()
        ),
    ),
    Group(
        "Instructions for agents",
        "flagged",
        _INSTRUCTIONS,
        "What they say steers the next agent that reads them.",
        tuple(
            """
            agents.md agents.override.md agent.md claude.md claude.local.md gemini.md qwen.md crush.md warp.md
            codebuddy.md iflow.md replit.md skill.md .rules .cursorrules .windsurfrules .clinerules .roorules
            .kilocoderules .goosehints .augment-guidelines .openhands_instructions .aiassistant .airules .ai
            .cursorignore .cursorindexingignore .aiignore .aiexclude .geminiignore .codeiumignore .rooignore
            .clineignore .gooseignore .kilocodeignore copilot-instructions.md .github/instructions .github/prompts
            .github/agents .github/chatmodes .github/skills .junie/guidelines.md .junie/agents.md .specify .bmad-core
            .taskmaster gemini-extension.json
            """.split()
        ),
    ),
    Group(
        "What servers and desktops run",
        "flagged",
        "a definition of what a server or a desktop runs",
        "They are part of many projects, and name programs that run where they are installed.",
        tuple("*.desktop *.service *.timer *.socket *.plist crontab procfile .htaccess php.ini .lfsconfig".split()),
    ),
    Group(
        "Build configuration",
        "flagged",
        _BUILD,
        "People edit it daily; its scripts, plugins and dependencies run on the next build, test or installation.",
        tuple(
            """
            package.json bunfig.toml deno.json deno.jsonc nodemon.json lerna.json nx.json turbo.json rush.json
            *.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts .storybook gruntfile.js
            gulpfile.js gulpfile.mjs gulpfile.ts jakefile pyproject.toml setup.py setup.cfg tox.ini noxfile.py pipfile
            hatch.toml pdm.toml uv.toml poetry.toml pixi.toml fabfile.py dodo.py makefile gnumakefile bsdmakefile
            makefile.in makefile.inc *.mk *.mak justfile .justfile *.just taskfile.yml taskfile.yaml taskfile.dist.yml
            magefile.go .air.toml cmakelists.txt *.cmake cmakepresets.json cmakeuserpresets.json configure.ac
            makefile.am meson.build meson_options.txt sconstruct sconscript wscript premake5.lua xmake.lua
            conanfile.py conanfile.txt vcpkg.json build.ninja build.zig build.zig.zon cargo.toml build.rs
            rust-toolchain rust-toolchain.toml pom.xml build.xml ivy.xml build.gradle build.gradle.kts settings.gradle
            settings.gradle.kts gradle.properties gradle-wrapper.properties gradlew gradlew.bat mvnw mvnw.cmd
            build.sbt build.sc build.mill project.clj deps.edn shadow-cljs.edn stack.yaml cabal.project *.cabal
            dune-project mix.exs rebar.config .formatter.exs gemfile rakefile guardfile *.gemspec composer.json
            phing.xml *.csproj *.fsproj *.vbproj *.vcxproj directory.build.props directory.build.targets
            directory.packages.props nuget.config .config/dotnet-tools.json package.swift podfile *.podspec cartfile
            fastfile fastlane *.pbxproj *.xcscheme *.xcconfig .swiftpm build.bazel module.bazel workspace.bazel
            workspace.bzlmod *.bzl pants.toml earthfile flake.nix shell.nix default.nix devbox.json .tool-versions
            dockerfile dockerfile.* *.dockerfile containerfile vagrantfile ansible.cfg .kitchen.yml brewfile
            snapcraft.yaml *.spec pkgbuild apkbuild.* book.toml action.yml action.yaml .config/nextest.toml
            presubmit.py bin/activate renv/activate.r
            """.split()
        ),
    ),
)

# A hidden directory that no row knows belongs to some tool: what is written there is not written without a word.
HIDDEN_FOLDER: Final = _HIDDEN
HARMLESS_FOLDERS: Final = frozenset(
    """
    . .. .github .gitlab .forgejo .gitea .config .docker .aws .kube .cargo .local .cache .changeset .changes
    .well-known .vitepress .vuepress .docusaurus .next .nuxt .svelte-kit .astro .angular .expo .venv .tox .nox .eggs
    .pytest_cache .mypy_cache .ruff_cache .hypothesis .ipynb_checkpoints .nyc_output .turbo .parcel-cache .build .dist
    .tmp .temp .docs .notes .design .planning .templates .template .sphinx .assets .attachments .trash .fixtures .test
    .tests .data
    """.split()
)


# How a path is compared with the table.

OWN_STATE: Final = ".steadyhand"
TEMP_PREFIX: Final = ".steadyhand-tmp-"

Protect = Literal["standard", "none"]

_IGNORABLE: Final = lazy_pattern(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_SHORT: Final = lazy_pattern(r"([^.~]{1,6})~[0-9]{1,6}(\.[^.]{0,3})?")
# NTFS hashes the short name once four similar ones exist; this is the hash for `.gitmodules`.
_HASHED_SHORT: Final = {".gitmodules": "gi7eba"}


@dataclass(frozen=True, slots=True)
class Protection:
    """The verdict on one path. `sealed` paths are refused for reading too, whatever the host allows;
    `secret` ones may not be shown, and their content must not be kept in clear, also where writing is allowed.
    """

    status: Literal["open", "refused", "flagged"] = "open"
    why: str | None = None
    secret: bool = False
    sealed: bool = False


_OPEN: Final = Protection()

# The table by the form of its entries. Of two entries for one name the first decides: refusals come before flags.
_ENTRIES: Final = [(entry, group) for group in reversed(GROUPS) for entry in group.entries]
_NAMES: Final = {entry: group for entry, group in _ENTRIES if "/" not in entry and "*" not in entry} | {
    ".env": next(group for group in GROUPS if group.pattern is not None)
}
_PATHS: Final = {entry: group for entry, group in _ENTRIES if "/" in entry}
_WAYS_TO_SECRETS: Final = {
    "/".join(entry.split("/")[:depth])
    for entry, group in _PATHS.items()
    for depth in range(1, entry.count("/") + 1)
    if group.verdict == "secret"
} | VCS_NAMES
_SUFFIXES: Final = {entry[1:]: group for entry, group in _ENTRIES if entry[:1] == "*" and "*" not in entry[1:]}
_ENDINGS: Final = tuple(_SUFFIXES)
# Each with a text that a name must hold to match: for nearly every name, no pattern has to be compiled.
_GLOBS: Final = [(max(entry.split("*"), key=len), entry, group) for entry, group in _ENTRIES if "*" in entry[1:]]
_KNOWN_FOLDERS: Final = HARMLESS_FOLDERS | frozenset(_NAMES)


@lru_cache(maxsize=4096)  # a call asks several times for the same few paths
def classify(
    resolved: str,
    *,
    allow: tuple[str, ...] = (),
    protect: Protect = "standard",
    state_dirs: tuple[str, ...] = (OWN_STATE,),
) -> Protection:
    """The verdict on a path relative to the root, with `/` between its components.

    `allow` are the host's patterns: without a slash for the protected name itself, at any depth; with a slash for
    the path from the root (`**` crosses directories). Either opens what lies below. `protect="none"` seals our own
    state only.

    >>> classify("src/.GIT/config").status, classify("AGENTS.md").status, classify("src/app.py").status
    ('refused', 'flagged', 'open')
    """
    parts = fold(resolved).split("/")
    if _is_own(parts, state_dirs):
        return Protection("refused", "Steadyhand's own state", sealed=True)
    secret = False
    verdict = _OPEN
    for row, group in _protected(parts):
        if group.verdict == "flagged":
            verdict = Protection("flagged", group.why) if verdict is _OPEN else verdict
            continue
        is_vcs_secret = parts[row] in VCS_NAMES and not VCS_SECRETS.isdisjoint(parts[row + 1 :])
        secret = secret or group.verdict == "secret" or is_vcs_secret
        if verdict.status != "refused" and protect == "standard" and not _allowed(parts, row, allow):
            verdict = Protection("refused", group.why)
    if verdict is _OPEN and any(part[:1] == "." and part not in _KNOWN_FOLDERS for part in parts[:-1]):
        verdict = Protection("flagged", HIDDEN_FOLDER)
    return Protection(verdict.status, verdict.why, secret=secret)


@dataclass(frozen=True, slots=True)
class RepositoryPart:
    """A component that is git's own where its directory is a repository: that directory, and the component, folded."""

    directory: str
    name: str
    is_mark: bool


@lru_cache(maxsize=4096)
def repository_parts(resolved: str) -> tuple[RepositoryPart, ...]:
    """The components of a path that git reads in a repository, although nothing there is named `.git`.

    >>> [(part.directory, part.name) for part in repository_parts("a/HEAD")], repository_parts("a/b.md")
    ([('a', 'head')], ())
    """
    given = resolved.split("/")
    found: list[RepositoryPart] = []
    for row, part in enumerate(map(fold, given)):
        is_folder = row < len(given) - 1
        if part in (REPOSITORY_FOLDERS if is_folder else REPOSITORY_FILES):
            mark = repository_mark(part, is_directory=is_folder)
            found.append(RepositoryPart("/".join(given[:row]), part, mark is not None))
    return tuple(found)


def repository_mark(name: str, *, is_directory: bool) -> str | None:
    """Which of the names by which git recognises a repository this one is, if any."""
    folded = fold(name)
    is_mark = folded in REPOSITORY_MARKS and (not is_directory or folded in REPOSITORY_FOLDERS)
    return folded if is_mark else None


def is_repository(marks: Iterable[str]) -> bool:
    """Whether a directory with these marks is one that git takes for a repository, or lacks only `HEAD` to be one.

    Git asks for `HEAD`, `objects` and `refs`; a `commondir` names a directory that has the last two.
    """
    found = frozenset(marks)
    return (found >= {"objects", "refs"} and bool(found & {"head", "config"})) or found >= {"head", "commondir"}


def is_hidden(resolved: str, *, state_dirs: Sequence[str] = (OWN_STATE,)) -> bool:
    """Whether listings leave the path out: our own state, temporary files, version-control metadata."""
    parts = fold(resolved).split("/")
    return _is_own(parts, state_dirs) or any(part in VCS_NAMES for part in parts)


def may_hold_secrets(directory: str) -> bool:
    """Whether some names are secret in this directory, or below it, though it is none itself.

    >>> [may_hold_secrets(path) for path in ("sub/.git", ".config", ".aws", "src")]
    [True, True, True, False]
    """
    parts = fold(directory).split("/")
    return any("/".join(parts[start:]) in _WAYS_TO_SECRETS for start in range(len(parts)))


def fold(path: str) -> str:
    """A path as the laxest file system compares it.

    >>> fold("A/.G\\u200bIT. /x:y")
    'a/.git/x'
    """
    text = path.lower() if path.isascii() else _fold_unicode(path)
    return "/".join(_fold_part(part) for part in text.split("/"))


def _fold_unicode(path: str) -> str:
    folded = unicodedata.normalize("NFKC", path).casefold()
    return _IGNORABLE.sub("", unicodedata.normalize("NFKC", folded))


def _fold_part(part: str) -> str:
    before_stream = part.partition(":")[0] or part
    trimmed = before_stream.rstrip(". ")
    return trimmed or before_stream


def _is_own(parts: Sequence[str], state_dirs: Sequence[str]) -> bool:
    if any(part == OWN_STATE or part.startswith(TEMP_PREFIX) or _short_of(part, OWN_STATE) for part in parts):
        return True
    return any(list(parts[: len(own)]) == own for own in (fold(state).split("/") for state in state_dirs))


def is_repository_allowed(part: RepositoryPart, resolved: str, allow: Sequence[str]) -> bool:
    """Whether a pattern of the host opens the repository that a path is part of: by its directory, or by the path."""
    row = part.directory.count("/") if part.directory else 0
    return _allowed(fold(resolved).split("/"), row, allow)


def _protected(parts: Sequence[str]) -> Iterator[tuple[int, Group]]:
    """Each component that the table knows, with its row there; what it says of a name in its directory comes first."""
    for row, part in enumerate(parts):
        below = _PATHS.get(f"{part}/{parts[row + 1]}") if row + 1 < len(parts) else None
        if (group := _PATHS.get("/".join(parts[max(row - 1, 0) : row + 1]))) is not None:
            yield row, group
        if (group := _group_of(part)) is not None and (below is None or below.verdict != "flagged"):
            yield row, group


@lru_cache(maxsize=4096)
def _group_of(part: str) -> Group | None:
    """What the table says of a name alone."""
    if part in _NAMES:
        return _NAMES[part]
    for group in GROUPS:
        if group.pattern is not None and group.pattern.fullmatch(part):
            return group
    for held, entry, group in _GLOBS:
        if held in part and fnmatch.fnmatchcase(part, entry):
            return group
    if part.endswith(_ENDINGS):
        return next(group for suffix, group in _SUFFIXES.items() if part.endswith(suffix))
    if "~" not in part:
        return None
    refused = ((name, group) for name, group in _NAMES.items() if group.verdict != "flagged")
    return next((group for name, group in refused if _short_of(part, name)), None)


def _short_of(part: str, name: str) -> bool:
    """Whether `part` is an 8.3 abbreviation that could stand for `name`."""
    found = _SHORT.fullmatch(part) if "~" in part else None
    if found is None:
        return False
    stem = found.group(1)
    long_stem = name.lstrip(".").rpartition(".")[0] or name.lstrip(".")
    return stem in (long_stem.replace(".", "")[:6], _HASHED_SHORT.get(name))


def _allowed(parts: Sequence[str], row: int, allow: Sequence[str]) -> bool:
    return any(_opens(fold(pattern.strip("/")).split("/"), parts, row) for pattern in allow)


def _opens(pattern: list[str], parts: Sequence[str], row: int) -> bool:
    if len(pattern) == 1:
        return fnmatch.fnmatchcase(parts[row], pattern[0])
    # A pattern for the protected directory opens what lies below it.
    return any(_globbed(pattern, parts[:end]) for end in range(row + 1, len(parts) + 1))


def _globbed(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_globbed(pattern[1:], parts[start:]) for start in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], pattern[0]) and _globbed(pattern[1:], parts[1:])
