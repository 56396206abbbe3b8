// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell commands look like templates
import { describe, expect, it, test } from 'vitest'
import type { SandboxPolicy } from '../ports/sandbox.ts'
import { commandLimits } from './command-limits.ts'
import { inWorktree, judgeCommand, look, type Situation } from './testing/judge.ts'

const sandbox: SandboxPolicy = {
  autoAllow: true,
  mayLeave: true,
  excluded: ['docker', 'npm publish:*'],
  alsoWrites: ['/cache'],
  domains: [],
}

/** "allow sandbox", "ask outside", "deny". */
async function verdict(command: string, situation: Situation & { readonly outside?: boolean } = {}) {
  const decision = await judgeCommand(command, { sandbox, ...situation })
  return decision.kind === 'deny' ? 'deny' : `${decision.kind} ${decision.confinement}`
}

describe('a command that can only touch its folder', () => {
  it.each([
    'npm test',
    'npm run build && npm test 2>&1 | tail -20',
    'node script.js',
    'rm -rf dist',
    'echo x > src/main.ts',
    'echo x > /cache/x',
    'cp a /etc/x',
    'python3 -c "print(1)"',
    'eval "$UNCLEAR"',
    'cat $UNKNOWN',
    'git commit -m x',
  ])('runs in the sandbox without a question: %s', async (command) => {
    expect(await verdict(command)).toBe('allow sandbox')
  })

  it('is asked about if the user wants that, and still runs in the sandbox', async () => {
    const asking = { ...sandbox, autoAllow: false }
    expect(await verdict('npm test', { sandbox: asking })).toBe('ask sandbox')
    expect(await verdict('ls', { sandbox: asking })).toBe('allow sandbox')
    expect(await verdict('npm test', { sandbox: asking, rules: ['Bash(npm test)'] })).toBe('allow sandbox')
  })

  it('is allowed to an agent that only reads, with a read-only file system', async () => {
    expect(await verdict('npm test', { agent: { readOnly: true } })).toBe('allow read-only')
    expect(await verdict('eval "$X"', { agent: { readOnly: true } })).toBe('allow read-only')
    expect(await verdict('npm test', { mode: 'plan' })).toBe('allow read-only')
    const asking = { ...sandbox, autoAllow: false }
    expect(await verdict('npm test', { sandbox: asking, agent: { readOnly: true } })).toBe('deny')
  })

  it('is allowed to an agent that never asks', async () => {
    expect(await verdict('npm test', { mode: 'dontAsk' })).toBe('allow sandbox')
    expect(await verdict('npm test', { mode: 'dontAsk', outside: true })).toBe('deny')
  })
})

describe('what the sandbox does not settle', () => {
  it.each([
    ['npm test', { denied: ['Bash(npm test)'] }, 'deny'],
    ['npm test && rm x', { denied: ['Bash(rm:*)'] }, 'deny'],
    ['npm test', { asked: ['Bash(npm:*)'] }, 'ask sandbox'],
    ['npm test', { agent: { only: ['Bash(git diff:*)'] } }, 'deny'],
    ['npm test', { trusted: false }, 'deny'],
    ['cat .env', {}, 'ask sandbox'],
    ['cat /srv/notes.txt', {}, 'ask sandbox'],
    ['cat /etc/mysql/debian.cnf', {}, 'ask sandbox'],
    ['cat /etc/shadow', {}, 'ask sandbox'],
    ['eval "$X"', { denied: ['Bash(rm:*)'] }, 'ask sandbox'],
    ['git push origin main', { agent: inWorktree }, 'ask outside'],
  ] as const)('%s %j', async (command, situation, expected) => {
    expect((await verdict(command, situation as Situation)).split(' ')[0]).toBe(expected.split(' ')[0])
    if (expected !== 'deny') expect(await verdict(command, situation as Situation)).toBe(expected)
  })
})

describe('a command that the sandbox would hinder', () => {
  it.each([
    ['echo x > /other/file', 'The command writes to'],
    ['echo x > .git/hooks/pre-commit', 'controls what runs'],
    ['git config core.pager less', 'git config'],
    ['cat ~/.ssh/id_rsa', ''],
    ['cat /home/me/.aws/credentials', 'secret'],
  ])('is asked about, and runs outside: %s', async (command, because) => {
    const decision = await judgeCommand(command, { sandbox })
    expect(decision).toMatchObject({
      kind: 'ask',
      confinement: 'outside',
      subject: { confinement: 'outside' },
      because: expect.stringContaining(because),
    })
  })

  it.each(['git push origin main', 'git add -A && timeout 60 git -C . push', 'npm test && git push'])(
    'is asked about though it may reach an allowed host, because it publishes: %s',
    async (command) => {
      const reaching = { ...sandbox, domains: ['git.example.com'] }
      expect(await judgeCommand(command, { sandbox: reaching })).toMatchObject({
        kind: 'ask',
        confinement: 'outside',
        because: expect.stringContaining('git push publishes commits, so it needs permission.'),
      })
      expect(await verdict(command, { mode: 'dontAsk' })).toBe('deny')
      expect(await verdict(command, { agent: { readOnly: true } })).toBe('deny')
      expect(await verdict(command, { sandbox: { ...sandbox, mayLeave: false } })).toBe('deny')
    },
  )

  it('runs outside if a rule or the mode allows all of it there, else inside', async () => {
    const rules = ['Bash(git push:*)']
    expect(await verdict('git push origin main', { rules })).toBe('allow outside')
    expect(await verdict('git push', { mode: 'bypassPermissions' })).toBe('allow outside')
    expect(await verdict('npm test && git push', { rules })).toBe('allow sandbox')
    expect(await verdict('git push', { rules, sandbox: { ...sandbox, mayLeave: false } })).toBe(
      'allow sandbox',
    )
    expect(await verdict('git stash push', {})).toBe('allow sandbox')
  })

  it('is denied if the settings keep all commands inside', async () => {
    const inside = { ...sandbox, mayLeave: false }
    expect(await judgeCommand('echo x > /other/file', { sandbox: inside })).toMatchObject({
      kind: 'deny',
      because: expect.stringMatching(/keep all commands in the sandbox.*writes to/),
    })
    expect(await verdict('npm test', { sandbox: inside, outside: true })).toBe('deny')
  })
})

describe('a command outside the sandbox', () => {
  it('is judged as if there were none', async () => {
    expect(await verdict('npm test', { outside: true })).toBe('ask outside')
    expect(await verdict('ls', { outside: true })).toBe('allow outside')
    expect(await verdict('npm test', { outside: true, rules: ['Bash(npm test)'] })).toBe('allow outside')
    expect(await verdict('npm test', { outside: true, agent: { readOnly: true } })).toBe('deny')
    expect(await verdict('npm test', { outside: true, mode: 'bypassPermissions' })).toBe('allow outside')
  })

  it('is one that the user excluded, in any part of the line', async () => {
    expect(await verdict('docker run a')).toBe('ask outside')
    expect(await verdict('npm run build && npm publish')).toBe('ask outside')
    expect(await verdict('npm test')).toBe('allow sandbox')
    const inside = { ...sandbox, mayLeave: false }
    expect(await verdict('docker run a', { sandbox: inside })).toBe('ask outside')
  })

  it('carries no mark where there is no sandbox', async () => {
    const decision = await judgeCommand('npm test')
    expect(decision).not.toHaveProperty('confinement')
    expect(decision).not.toHaveProperty('subject.confinement')
  })
})

describe('the limits of a command', () => {
  const question = {
    tool: 'Bash',
    target: { kind: 'command', command: 'x' },
    mode: 'default',
    agent: { readOnly: false, root: '/repo' },
    rules: ['WebFetch(domain:api.example.com)', 'WebFetch', 'Bash(curl:*)'],
    trusted: true,
    bypassAllowed: false,
    dataFolder: null,
    realPath: async (path: string) => ({ ok: true, value: path }) as const,
    look,
    sandbox: { ...sandbox, domains: ['registry.example.com', '*.cdn.example.com'] },
  } as const

  it('are its folder, and the hosts of rules and settings', () => {
    expect(commandLimits(question, 'sandbox')).toEqual({
      folder: '/repo',
      reads: [],
      writes: ['/repo', '/cache'],
      domains: ['registry.example.com', '*.cdn.example.com', 'api.example.com'],
      refusedDomains: [],
    })
    expect(commandLimits(question, 'read-only').writes).toEqual([])
  })

  it('are its worktree, not the project', () => {
    const agent = { ...question.agent, ...inWorktree }
    expect(commandLimits({ ...question, agent }, 'sandbox').writes).toEqual(['/worktree', '/cache'])
  })

  it('hide what a rule denies or asks to read, and keep what it denies or asks to edit', () => {
    const denied = ['Read(secrets/**)', 'Edit(./locked.json)', 'Bash(rm:*)']
    const { access } = commandLimits({ ...question, denied, asked: ['Read(*.pem)'] }, 'sandbox')
    const judge = (below: string) => access?.judge({ absolute: `/repo/${below}`, below })
    expect(judge('secrets')).toBe('hidden')
    expect(judge('deep/secrets/a')).toBe('hidden')
    expect(judge('keys/a.pem')).toBe('hidden')
    expect(judge('locked.json')).toBe('read-only')
    expect(judge('src/a.ts')).toBe(null)
    expect(access?.named).toEqual([
      { path: '/repo/secrets', kind: 'folder' },
      { path: '/repo/locked.json', kind: 'file' },
    ])
  })

  it('are narrowed by rules that deny, and by the definition of the agent', () => {
    const denied = ['WebFetch(domain:*.example.com)']
    expect(commandLimits({ ...question, denied }, 'sandbox').refusedDomains).toEqual(['example.com'])
    expect(commandLimits({ ...question, denied: ['WebFetch'] }, 'sandbox').domains).toEqual([])
    const only = { ...question.agent, only: ['WebFetch(domain:api.example.com)'] }
    expect(commandLimits({ ...question, agent: only }, 'sandbox').domains).toEqual(['api.example.com'])
    const refusing = { ...question.agent, denied: ['WebFetch'] }
    expect(commandLimits({ ...question, agent: refusing }, 'sandbox').domains).toEqual([])
  })
})

describe('in the sandbox, the system and the sources of copies and links', () => {
  it.each([
    'ls /usr/include',
    'cat /usr/include/stdio.h | head -5',
    'head -c 16 /dev/urandom | xxd',
    'od -An -N4 -tx1 < /dev/urandom',
    'cat /etc/os-release',
    'ls /opt /usr/local /etc/ssl/certs',
    'cp /etc/passwd p.txt',
    'cp -r /etc/skel skel && ls',
    'ln -s ../x img/link',
  ])('need no question: %s', async (command) => {
    expect(await verdict(command)).toBe('allow sandbox')
  })

  it.each([
    ['cp x .git/hooks/pre-commit', 'ask outside'],
    ['cp x /home/me/.local/share/troupe/settings.json', 'deny'],
    ['cp -t .git/hooks x', 'ask outside'],
    ['ln -s x .git/hooks/pre-commit', 'ask outside'],
    ['ln /home/me/.local/share/troupe/settings.json x', 'deny'],
    ['cp /home/me/.bashrc x', 'allow sandbox'],
    ['ls /home/me/other', 'ask sandbox'],
    ['cp .env copy', 'ask sandbox'],
  ])('are not what a command writes: %s → %s', async (command, expected) => {
    expect(await verdict(command)).toBe(expected)
  })
})

test('a compound command names the part that is the reason, and needs no rule for the others', async () => {
  const decision = await judgeCommand('npm test && cat .env', { sandbox })
  expect(decision).toMatchObject({ kind: 'ask', because: expect.stringContaining('`cat .env`') })
  expect(decision.kind === 'ask' && decision.remedy).not.toContain('npm test')
  const denied = await judgeCommand('npm test; rm x', { sandbox, denied: ['Bash(rm:*)'] })
  expect(denied.because).toContain('This is about the part `rm x`. Nothing of the command line was run.')
})
