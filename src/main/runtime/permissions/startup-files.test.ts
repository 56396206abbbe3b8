/** Files that run or decide something later, and Troupe's own data. */
import { describe, expect, it } from 'vitest'
import { judgeCommand, judgeWrite, realPathOf, type Situation, verdict } from './testing/judge.ts'

const HOME = '/home/me'
const DATA = `${HOME}/.local/share/troupe`
const edits = { mode: 'acceptEdits', agent: { root: HOME } } as const satisfies Situation
const modes = ['default', 'acceptEdits', 'bypassPermissions'] as const

const startupFiles = `
.bashrc .bash_aliases .zshrc .zshenv .profile .kshrc .mkshrc .config/fish/conf.d/a.fish .config/nushell/env.nu
.config/powershell/profile.ps1 Documents/PowerShell/Microsoft.PowerShell_profile.ps1 .oh-my-zsh/custom/a.zsh
.inputrc .pam_environment .xinitrc .xsessionrc .config/environment.d/a.conf .config/autostart/a.desktop
.config/systemd/user/a.service .local/share/systemd/user/a.service .config/plasma-workspace/env/a.sh
.local/share/applications/a.desktop .local/share/dbus-1/services/a.service .config/i3/config .config/sway/config
.config/hypr/hyprland.conf Library/LaunchAgents/a.plist
AppData/Programs/Startup/a.bat
.local/bin/git bin/git .cargo/bin/rg .npm-global/bin/x .cargo/config.toml .npmrc .yarnrc.yml .config/pip/pip.conf
.config/git/config .config/git/attributes .gitconfig .git/hooks/pre-commit .git/config .husky/pre-commit
.ssh/config .ssh/rc .ssh/authorized_keys .gnupg/gpg.conf .aws/config .kube/config
.vimrc .gvimrc .exrc .nvimrc .vim/plugin/a.vim .config/nvim/init.lua .emacs .emacs.d/init.el .config/emacs/init.el
.config/helix/config.toml .tmux.conf .config/tmux/tmux.conf .screenrc .config/kitty/kitty.conf .wezterm.lua
.vscode/tasks.json .config/Code/User/settings.json .idea/workspace.xml .envrc .direnvrc .config/direnv/direnvrc
.claude/settings.json .mcp.json .pre-commit-config.yaml lefthook.yml .gdbinit .pythonrc .Rprofile .psqlrc
.config/mise/config.toml .crontab crontab .config/containers/containers.conf .docker/config.json
`
  .trim()
  .split(/\s+/)

describe('start-up and configuration files', () => {
  it.each(startupFiles)('always asks for %s', async (path) => {
    for (const mode of modes)
      expect(await judgeWrite(`${HOME}/${path}`, { ...edits, mode, rules: ['Edit'] })).toMatchObject({
        kind: 'ask',
        alwaysRule: null,
      })
    expect(
      await verdict(judgeCommand(`echo x > '${HOME}/${path}'`, { ...edits, rules: ['Bash', 'Edit'] })),
    ).toBe('ask')
  })

  it.each([
    ['.config', 'git/config'],
    ['.config/git', 'config'],
    ['.config/nvim', 'init.lua'],
    ['.local', 'bin/git'],
    ['.ssh', 'config'],
    ['.config/autostart', 'a.desktop'],
  ])('asks for them where the folder is %s', async (folder, path) => {
    const root = `${HOME}/${folder}`
    expect(await verdict(judgeWrite(`${root}/${path}`, { ...edits, agent: { root } }))).toBe('ask')
  })

  it.each(['/etc/profile.d/a.sh', '/etc/crontab', '/var/spool/cron/me', '/usr/local/bin/git'])(
    'asks for %s where the folder is the root',
    async (path) => {
      expect(await verdict(judgeWrite(path, { ...edits, agent: { root: '/' } }))).toBe('ask')
    },
  )

  it.each([
    'src/bin.ts',
    'src/config/git.ts',
    'docs/profile.md',
    'package.json',
    'app/local/bin/run.ts',
    'lib/systemd.ts',
  ])('leaves %s to the mode', async (path) => {
    const agent = { root: `${HOME}/project` }
    expect(await verdict(judgeWrite(`${HOME}/project/${path}`, { ...edits, agent }))).toBe('allow')
  })
})

describe('Troupe’s data folder', () => {
  const files = [
    'settings.json',
    'permissions.json',
    'tasks/a-1/transcript.jsonl',
    'new/file',
    'worktrees/r/x.json',
  ]
  it.each(files)('is never written: %s', async (path) => {
    for (const root of [HOME, '/', DATA, `${DATA}/tasks`, '/repo'])
      for (const mode of [...modes, 'dontAsk'] as const)
        expect(
          await judgeWrite(`${DATA}/${path}`, { mode, agent: { root }, rules: ['Edit', 'Edit(//**)'] }),
        ).toMatchObject({ kind: 'deny', because: expect.stringContaining("Troupe's own data") })
  })

  it.each([
    `echo x > ${DATA}/settings.json`,
    `cd ${DATA} && echo x >> settings.json`,
    `echo x | tee ${DATA}/settings.json`,
    `cp /tmp/x ${DATA}/permissions.json`,
    `sed -i s/a/b/ ${DATA}/settings.json`,
    `rm -rf ${DATA}`,
    `rm -rf ${HOME}/.local`,
    `mv ${HOME}/.local/share /tmp/x`,
    `time rm ${DATA}/settings.json`,
    `ls && { true; } > ${DATA}/settings.json`,
  ])('is never changed by %s', async (command) => {
    for (const mode of [...modes, 'dontAsk'] as const)
      expect(
        await judgeCommand(command, {
          mode,
          agent: { root: HOME },
          rules: ['Bash', `Bash(${command})`, 'Edit'],
        }),
      ).toMatchObject({ kind: 'deny', because: expect.stringContaining("Troupe's own data") })
  })

  it('is found behind links', async () => {
    expect(realPathOf('/repo/out/x')).toBe('/etc/x')
    const situation = { dataFolder: '/etc', agent: { root: '/repo' } }
    expect(await verdict(judgeWrite('/repo/out/x', { ...situation, mode: 'acceptEdits' }))).toBe('deny')
    expect(await verdict(judgeWrite('/etc/x', { ...situation, dataFolder: '/repo/out' }))).toBe('deny')
  })

  it('asks for a command that names it and can’t be parsed', async () => {
    const command = `f() { echo x > ${DATA}/settings.json; }; f`
    for (const mode of modes)
      expect(await verdict(judgeCommand(command, { mode, rules: ['Bash'] }))).toBe('ask')
  })

  it.each([
    'echo x > ~/.local/share/troupe/settings.json',
    'cp a.txt "$HOME/.local/share/troupe/settings.json"',
    'rm -rf ~/.local',
    'rm -rf $HOME',
    'mv ~/.local/share/troupe /tmp/x',
  ])('asks for %s, whose start is unknown', async (command) => {
    for (const mode of modes)
      expect(await verdict(judgeCommand(command, { mode, rules: ['Bash'] }))).toBe('ask')
  })

  it('leaves an agent its worktree and its memory', async () => {
    const root = `${DATA}/worktrees/r/fixer`
    const worktree = { root, branch: 'troupe/fixer', aliases: [] }
    const mode = 'acceptEdits'
    expect(await verdict(judgeWrite(`${root}/a.ts`, { mode, agent: { root, worktree } }))).toBe('allow')
    expect(await verdict(judgeWrite(`${root}.json`, { mode, agent: { root, worktree } }))).toBe('deny')
    const memory = `${DATA}/projects/h/agent-memory/a`
    expect(await verdict(judgeWrite(`${memory}/MEMORY.md`, { agent: { writeFolders: [memory] } }))).toBe(
      'allow',
    )
  })

  it('lets the user decide about the settings file where the agent sets up the settings', async () => {
    const settingsFile = `${DATA}/settings.json`
    for (const mode of modes)
      expect(await judgeWrite(settingsFile, { mode, agent: { settingsFile } })).toMatchObject({
        kind: 'ask',
        alwaysRule: null,
      })
    expect(await verdict(judgeWrite(`${DATA}/permissions.json`, { agent: { settingsFile } }))).toBe('deny')
  })
})

describe('a command of whose file only the end is known', () => {
  it.each([
    'echo x >> ~/.bashrc',
    'cd ~ && echo x >> .bashrc',
    'tee -a "$HOME/.profile"',
    'cp a.txt $(git rev-parse --show-toplevel)/.git/hooks/pre-commit',
    'echo $((i++)); echo x >> ~/.bashrc',
  ])('asks in every mode: %s', async (command) => {
    for (const mode of modes)
      expect(await verdict(judgeCommand(command, { mode, rules: ['Bash'] }))).toBe('ask')
  })

  it.each([
    'echo x >> ~/notes.txt',
    'cp a.txt "$HOME/notes.txt"',
    'echo $((i++)) > notes.txt',
    'rm -rf ~/notes',
  ])('runs where everything is allowed: %s', async (command) => {
    expect(await verdict(judgeCommand(command, { mode: 'bypassPermissions' }))).toBe('allow')
  })
})
