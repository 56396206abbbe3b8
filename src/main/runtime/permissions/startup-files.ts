/**
 * Files that run something later, or decide what runs: every write needs permission, in any mode and with any rule.
 * Paths are absolute or relative, with slashes.
 */
import { namesOf } from '../paths/sensitive-files.ts'

/**
 * Read in the folder that an agent works in. A name with a slash at the end is a folder with its whole content. Spelled as
 * programs look for them; compared without regard to case.
 */
const IN_A_PROJECT = entries(`
  git, hooks    .git/ .husky/ .gitmodules .pre-commit-config.yaml lefthook.yml lefthook.yaml .lefthook.yml .lefthook.yaml
  agents        .claude/ .mcp.json .cursor/ .cursorrules .windsurfrules .clinerules .gemini/ .codex/ .opencode/
                opencode.json
  instructions  CLAUDE.md CLAUDE.local.md AGENTS.md AGENTS.override.md GEMINI.md copilot-instructions.md
  editors       .vscode/ .idea/ .devcontainer/ .devcontainer.json .exrc .nvimrc .nvim.lua .vimrc .dir-locals.el
  environments  .envrc
  packages      .npmrc .yarnrc .yarnrc.yml .cargo/config .cargo/config.toml
`)

/** Anywhere, also with a part of the path above the agent's folder: locations in a home folder. */
const IN_A_HOME = entries(`
  shells        .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .login .logout
                .zshrc .zshenv .zprofile .zlogin .zlogout .cshrc .tcshrc .kshrc .mkshrc .shrc .xonshrc .inputrc
                profile.ps1 Microsoft.PowerShell_profile.ps1 .config/fish/ .config/bash/ .config/zsh/ .config/nushell/
                .config/xonsh/ .config/powershell/ .oh-my-zsh/ .zsh/ .bashrc.d/ .config/starship.toml
  sessions      .xprofile .xinitrc .xsession .xsessionrc .xserverrc .config/autostart/ .config/autostart-scripts/
                .config/systemd/ .config/environment.d/ .config/plasma-workspace/ .config/upstart/
                .local/share/systemd/ .local/share/applications/ .local/share/dbus-1/ .local/share/nautilus/
                .config/i3/ .config/sway/ .config/hypr/ .config/awesome/ .config/bspwm/ .config/sxhkd/ .config/openbox/
                .config/qtile/ .xmonad/ .config/river/ .config/niri/ library/launchagents/ library/launchdaemons/
                programs/startup/
  programs      .local/bin/ .cargo/bin/ .npm-global/bin/ .bun/bin/ .deno/bin/ .yarn/bin/ go/bin/
  git           .gitconfig .git-credentials .config/git/ .config/gh/ .config/lazygit/
  agents        .claude.json
  schedules     crontab .crontab
  keys          .ssh/ .gnupg/ .aws/ .kube/ authorized_keys .docker/config.json .config/containers/
  packages      .pypirc .netrc .config/pip/ .pip/ .config/npm/ .config/yarn/ .config/pnpm/ .m2/settings.xml
                .gradle/init.gradle .gradle/init.d/ .gemrc .condarc .config/mise/ .config/asdf/
  editors       .gvimrc .vim/ .config/nvim/ .config/vim/ .emacs .emacs.el .emacs.d/ .config/emacs/ .config/helix/
                .nanorc .config/nano/ .config/micro/ .config/zed/ .config/sublime-text/
                code/user/ vscodium/user/ cursor/user/
  terminals     .tmux.conf .config/tmux/ .screenrc .wezterm.lua .config/wezterm/ .config/kitty/ .config/alacritty/
                .config/ghostty/ .config/zellij/ .lesskey .config/lesskey
  interpreters  .gdbinit .config/gdb/ .lldbinit .pythonrc .pythonrc.py .rprofile .irbrc .pryrc .psqlrc .sqliterc .perldb
                .mailcap
  environments  .config/direnv/ .direnvrc .pam_environment .ripgreprc
`)

/** From the root of the file system. `*` is any name. */
const OF_THE_SYSTEM = entries(`
  start         etc/profile etc/profile.d/ etc/environment etc/bash.bashrc etc/bashrc etc/zsh/ etc/init.d/ etc/rc.local
                etc/xdg/ etc/systemd/ usr/lib/systemd/ boot/
  schedules     etc/crontab etc/cron.d/ etc/cron.hourly/ etc/cron.daily/ etc/cron.weekly/ etc/cron.monthly/
                etc/anacrontab var/spool/cron/
  rights        etc/sudoers etc/sudoers.d/ etc/pam.d/ etc/ssh/ etc/passwd etc/shadow etc/group
  programs      bin/ sbin/ usr/bin/ usr/sbin/ usr/local/bin/ usr/local/sbin/ etc/ld.so.preload etc/ld.so.conf.d/
                home/*/bin/ users/*/bin/ root/bin/
  git           etc/gitconfig
`)

/**
 * Whether every write to a file needs permission.
 * @param path relative to the agent's folder, or absolute outside of it
 * @param whole the absolute path
 */
export function isProtected(path: string, whole = path): boolean {
  const names = namesOf(path)
  const all = namesOf(whole)
  return (
    /^\.env(\..*)?$/.test(names.at(-1) ?? '') ||
    occursIn(PROJECT_STARTS, names) ||
    occursIn(HOME_STARTS, names) ||
    occursIn(HOME_STARTS, all) ||
    (whole.startsWith('/') && beginsAt(SYSTEM_STARTS, all, 0))
  )
}

/** The entries by their first name: a path has few names, and the tables are long. */
type Starts = ReadonlyMap<string, readonly Entry[]>

function startsOf(table: readonly Entry[]): Starts {
  const starts = new Map<string, Entry[]>()
  for (const entry of table) {
    const [first = ''] = entry.names
    starts.set(first, [...(starts.get(first) ?? []), entry])
  }
  return starts
}

const PROJECT_STARTS = startsOf(IN_A_PROJECT)
const HOME_STARTS = startsOf(IN_A_HOME)
const SYSTEM_STARTS = startsOf(OF_THE_SYSTEM)

const occursIn = (starts: Starts, names: readonly string[]): boolean =>
  names.some((_, at) => beginsAt(starts, names, at))

const beginsAt = (starts: Starts, names: readonly string[], at: number): boolean =>
  starts.get(names[at] ?? '')?.some((entry) => startsAt(entry, names, at)) ?? false

/** A protected file or folder as a path of a folder, spelled as programs look for it. */
export interface StartupPath {
  readonly path: string
  readonly kind: 'file' | 'folder'
}

/** Where programs look for these files: at the top of a folder that agents work in, and in a home. */
export const STARTUP_PATHS: {
  readonly project: readonly StartupPath[]
  readonly home: readonly StartupPath[]
} = {
  project: [
    ...IN_A_PROJECT.map(asPath).filter(({ path }) => !path.startsWith('.cargo/')),
    ...['.env', '.env.local', '.github/copilot-instructions.md'].map((path) => ({
      path,
      kind: 'file' as const,
    })),
    // Cargo reads one file of this folder in place of the other, so that no empty one can stand there.
    { path: '.cargo', kind: 'folder' },
  ],
  home: IN_A_HOME.map(asPath),
}

/** Whether a file with this name could be protected, wherever it is: a quick look before `isProtected`. */
export const hasProtectedName = (name: string): boolean =>
  LAST_NAMES.has(name.toLowerCase()) || /^\.env(\.|$)/i.test(name)

const LAST_NAMES: ReadonlySet<string> = new Set(
  [...IN_A_PROJECT, ...IN_A_HOME].map(({ names }) => names.at(-1) ?? ''),
)

interface Entry {
  /** As written. */
  readonly path: string
  /** In small letters. */
  readonly names: readonly string[]
  readonly isFolder: boolean
}

/** The words of a table, without the heading of each row. */
function entries(table: string): readonly Entry[] {
  return table
    .split('\n')
    .flatMap((row) =>
      row
        .replace(/^ {2}\S.*? {2,}/, '')
        .trim()
        .split(/\s+/),
    )
    .filter((word) => word !== '')
    .map((word) => {
      const path = word.replace(/\/$/, '')
      return { path, names: path.toLowerCase().split('/'), isFolder: word.endsWith('/') }
    })
}

function asPath({ path, isFolder }: Entry): StartupPath {
  return { path, kind: isFolder ? 'folder' : 'file' }
}

/** A folder counts with its content and itself, a file only as the last name. */
function startsAt({ names, isFolder }: Entry, path: readonly string[], at: number): boolean {
  if (!isFolder && at + names.length !== path.length) return false
  return names.every((name, index) => path[at + index] === name || (name === '*' && at + index < path.length))
}
