import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fail } from '../../../shared/kernel/result.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import { decidePermission } from './decide-permission.ts'
import {
  judgeCommand,
  judgeRead,
  judgeWrite,
  look,
  realPathOf,
  type Situation,
  verdict,
} from './testing/judge.ts'

describe('reading', () => {
  it('needs no permission inside the folder, and returns the judged path', async () => {
    expect(await judgeRead('/repo/src/a.ts')).toMatchObject({ kind: 'allow', realPath: '/repo/src/a.ts' })
    expect(await judgeRead('src/a.ts')).toMatchObject({ kind: 'allow', realPath: '/repo/src/a.ts' })
    expect(await verdict(judgeRead('/repo'))).toBe('allow')
    expect(await verdict(judgeRead('/linked-repo/a', { agent: { root: '/repo' } }))).toBe('allow')
  })

  it.each([
    '/repo-evil/a',
    '/repo/../x',
    '../x',
    '/etc/passwd',
    '/repo/out/passwd',
    '/repo/deep/link/../../x',
    '/',
    '/repo.bak',
  ])('asks for %s, which is outside', async (path) => {
    expect(await judgeRead(path)).toMatchObject({
      kind: 'ask',
      because: expect.stringContaining('outside the folder'),
    })
  })

  it.each([
    '/repo/.env',
    '/repo/a/.env.local',
    '/repo/id_rsa',
    '/repo/certs/x.PEM',
    '/repo/notes.txt',
    '/repo/.ssh/config',
    '/repo/.npmrc',
  ])('asks for %s, which may contain a secret, and offers no rule', async (path) => {
    expect(await judgeRead(path)).toMatchObject({
      kind: 'ask',
      alwaysRule: null,
      because: expect.stringContaining('secret'),
    })
    expect(await verdict(judgeRead(path, { rules: ['Read'] }))).toBe('ask')
  })

  it('shows the target of a link', async () => {
    expect(await judgeRead('/repo/out/passwd')).toMatchObject({
      subject: { kind: 'file', text: '/repo/out/passwd (a link to /etc/passwd)' },
      realPath: '/etc/passwd',
      alwaysRule: 'Read(//etc/passwd)',
    })
  })

  it('works in an untrusted folder', async () => {
    expect(await verdict(judgeRead('/repo/a', { trusted: false }))).toBe('allow')
  })

  it('is denied in dontAsk, with the rule that would allow the read', async () => {
    const decision = await judgeRead('/etc/hosts', { mode: 'dontAsk' })
    expect(decision).toMatchObject({ kind: 'deny', because: expect.stringContaining('Read(//etc/hosts)') })
    expect(await verdict(judgeRead('/etc/hosts', { mode: 'dontAsk', rules: ['Read(//etc/hosts)'] }))).toBe(
      'allow',
    )
  })

  it('asks if the path cannot be resolved', async () => {
    const decision = await decidePermission({
      tool: 'Read',
      target: { kind: 'read', path: '/repo/x' },
      mode: 'bypassPermissions',
      agent: { readOnly: false, root: '/repo' },
      rules: ['Read'],
      trusted: true,
      bypassAllowed: true,
      dataFolder: null,
      look,
      realPath: async (path) =>
        path === '/repo' ? { ok: true, value: path } : fail({ type: 'denied', message: 'no access' }),
    })
    expect(decision).toMatchObject({
      kind: 'ask',
      alwaysRule: null,
      because: expect.stringContaining('no access'),
    })
  })
})

describe('reading in an additional folder', () => {
  const agent = { readFolders: ['/home/me/.claude/skills/commit'] }
  const decide = (path: string) => verdict(judgeRead(path, { agent }))

  it('needs no permission inside, and asks outside', async () => {
    expect(await decide('/home/me/.claude/skills/commit/style.md')).toBe('allow')
    expect(await decide('/home/me/.claude/skills/commit')).toBe('allow')
    expect(await decide('/home/me/.claude/skills/commit/../other.md')).toBe('ask')
    expect(await decide('/home/me/.claude/skills/commit-more/x.md')).toBe('ask')
  })

  it('still asks for secrets and for writes', async () => {
    expect(await decide('/home/me/.claude/skills/commit/.env')).toBe('ask')
    expect(
      await verdict(judgeWrite('/home/me/.claude/skills/commit/style.md', { agent, mode: 'acceptEdits' })),
    ).toBe('ask')
  })

  it('applies to read-only commands', async () => {
    expect(await verdict(judgeCommand('cat /home/me/.claude/skills/commit/style.md', { agent }))).toBe(
      'allow',
    )
    expect(await verdict(judgeCommand('cat /home/me/.claude/skills/other.md', { agent }))).toBe('ask')
  })
})

describe('writing', () => {
  it('asks with the diff, and offers a rule for this file', async () => {
    expect(await judgeWrite('/repo/src/a.ts')).toEqual({
      kind: 'ask',
      subject: { kind: 'diff', action: 'write src/a.ts', text: '+ new line', folder: '/repo' },
      because: 'This writes a file.',
      alwaysRule: 'Edit(src/a.ts)',
      offers: [
        { rule: 'Edit(src/a.ts)' },
        { rule: 'Edit(/src/**)', alsoCovers: 'every other file in src and below' },
      ],
      remedy:
        'The rule Edit(src/a.ts) would allow this; only the user can add it. So would the mode acceptEdits.',
      realPath: '/repo/src/a.ts',
    })
  })

  it('needs no permission inside the folder in acceptEdits, and asks outside', async () => {
    const mode = 'acceptEdits'
    expect(await verdict(judgeWrite('/repo/src/a.ts', { mode }))).toBe('allow')
    for (const path of ['/repo-evil/a', '/repo/../x', '/repo/out/x', '/repo/deep/link/../../x'])
      expect([path, await verdict(judgeWrite(path, { mode }))]).toEqual([path, 'ask'])
  })

  const protectedPaths = [
    '/repo/.git/hooks/pre-commit',
    '/repo/hooks/pre-commit',
    '/repo/.git',
    '/repo/sub/.git/config',
    '/repo/sub/store/.git/config',
    '/repo/.GIT/config',
    '/repo/.git./config',
    '/repo/.g\u200bit/config',
    '/repo/.git::$INDEX_ALLOCATION/config',
    '/repo/GIT~1/config',
    '/repo/.claude/settings.json',
    '/repo/.claude/settings.local.json',
    '/repo/.claude/agents/x.md',
    '/repo/.claude/hooks/x.sh',
    '/repo/.env',
    '/repo/.env.production',
    '/repo/notes.txt',
    '/repo/.bashrc',
    '/repo/.zshrc',
    '/repo/.gitconfig',
    '/repo/.mcp.json',
    '/repo/.vscode/tasks.json',
    '/home/me/.bashrc',
    '/home/me/.ssh/authorized_keys',
    '/home/me/.config/fish/config.fish',
  ]
  it.each(protectedPaths)('always asks for %s', async (path) => {
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const)
      expect(await judgeWrite(path, { mode, rules: ['Edit', 'Write(**)', 'Edit(//**)'] })).toMatchObject({
        kind: 'ask',
        alwaysRule: null,
      })
    expect(await verdict(judgeWrite(path, { mode: 'dontAsk', rules: ['Edit'] }))).toBe('deny')
  })

  it('ignores protected names above the agent’s folder', async () => {
    const agent = { root: '/home/me/.claude/worktrees/x' }
    expect(
      await verdict(judgeWrite('/home/me/.claude/worktrees/x/a.ts', { mode: 'acceptEdits', agent })),
    ).toBe('allow')
  })

  it('is bypassed only in enabled folders', async () => {
    expect(await verdict(judgeWrite('/tmp/x', { mode: 'bypassPermissions' }))).toBe('allow')
    expect(await verdict(judgeWrite('/repo/x', { mode: 'bypassPermissions', bypassAllowed: false }))).toBe(
      'ask',
    )
  })

  it('is denied in plan mode, to read-only agents, and in an untrusted folder', async () => {
    const rules = ['Edit']
    const because = async (situation: Parameters<typeof judgeWrite>[1]) => {
      const decision = await judgeWrite('/repo/a', { rules, ...situation })
      return decision.kind === 'deny' ? decision.because : decision.kind
    }
    expect(await because({ mode: 'plan' })).toContain('Plan mode')
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'] as const)
      expect(await because({ mode, agent: { readOnly: true } })).toContain('read-only')
    expect(await because({ mode: 'bypassPermissions', trusted: false })).toContain('--trust')
  })
})

describe('rules for files', () => {
  const writes = (path: string, ...rules: string[]) => verdict(judgeWrite(path, { rules }))

  it.each([
    ['Edit(src/**)', '/repo/src/a/b.ts', 'allow'],
    ['Edit(./src/**)', '/repo/src/a.ts', 'allow'],
    ['Edit(/src/**)', '/repo/src/a.ts', 'allow'],
    ['Edit(src)', '/repo/src/a.ts', 'allow'],
    ['Edit(src/)', '/repo/src/a.ts', 'allow'],
    ['Edit(src/**)', '/repo/lib/src/a.ts', 'ask'],
    ['Edit(src/*)', '/repo/src-evil/a.ts', 'ask'],
    ['Edit(*.md)', '/repo/docs/x.md', 'allow'],
    ['Edit(*.md)', '/repo/docs/x.mdx', 'ask'],
    ['Edit(**)', '/etc/hosts', 'ask'],
    ['Edit(//etc/hosts)', '/etc/hosts', 'allow'],
    ['Edit(//etc/**)', '/repo/etc/hosts', 'ask'],
    ['Edit(out/**)', '/repo/out/passwd', 'ask'],
    ['Write(a.ts)', '/repo/a.ts', 'allow'],
    ['MultiEdit(a.ts)', '/repo/a.ts', 'allow'],
    ['Read(a.ts)', '/repo/a.ts', 'ask'],
    ['Bash(a.ts)', '/repo/a.ts', 'ask'],
    ['Edit(a.ts', '/repo/a.ts', 'ask'],
    ['Edit', '/repo/a.ts', 'allow'],
    ['', '/repo/a.ts', 'ask'],
  ])('%s and %s: %s', async (rule, path, expected) => {
    expect(await writes(path, rule)).toBe(expected)
  })

  it('match exactly the file of the request', async () => {
    for (const path of [
      'a.ts',
      'app/[id]/page.tsx',
      'app/(group)/x.ts',
      'a*b.ts',
      '{a,b}.ts',
      '!x',
      'a b/c.ts',
      '@(a|b)',
      'ä.ts',
    ]) {
      const first = await judgeWrite(`/repo/${path}`)
      if (first.kind !== 'ask' || first.alwaysRule === null) throw new Error(`nothing is offered for ${path}`)
      expect([path, await writes(`/repo/${path}`, first.alwaysRule)]).toEqual([path, 'allow'])
      for (const other of ['app/i/page.tsx', 'app/group/x.ts', 'axb.ts', 'b.ts', 'y', 'a', `deep/${path}`])
        expect([path, other, await writes(`/repo/${other}`, first.alwaysRule)]).toEqual([path, other, 'ask'])
    }
  })

  it("of the agent's definition apply", async () => {
    const agent = { denied: ['Write(secret/**)'], only: ['Edit(docs/**)'] }
    const mode = 'bypassPermissions'
    expect(await verdict(judgeWrite('/repo/secret/x', { agent: { denied: agent.denied }, mode }))).toBe(
      'deny',
    )
    expect(await verdict(judgeWrite('/repo/a', { agent: { denied: agent.denied }, mode }))).toBe('allow')
    expect(await verdict(judgeWrite('/repo/a', { tool: 'Edit', agent: { only: agent.only }, mode }))).toBe(
      'deny',
    )
    expect(
      await verdict(judgeWrite('/repo/docs/a', { tool: 'Edit', agent: { only: agent.only }, mode })),
    ).toBe('allow')
  })
})

describe('any path', () => {
  it('is inside only if its real path is', async () => {
    const name = fc.constantFrom(
      '..',
      '.',
      'src',
      'out',
      'deep',
      'link',
      'repo',
      'repo-evil',
      'a',
      '',
      'hooks',
    )
    const path = fc.tuple(
      fc.constantFrom('', '/', '/repo/', '/linked-repo/'),
      fc.array(name, { maxLength: 8 }),
    )
    await fc.assert(
      fc.asyncProperty(path, async ([start, names]) => {
        const decision = await judgeWrite(start + names.join('/'), { mode: 'acceptEdits' })
        if (decision.kind !== 'allow') return
        const real = realPathOf(decision.realPath ?? '')
        expect(real === '/repo' || real.startsWith('/repo/')).toBe(true)
        expect(real).toBe(decision.realPath)
      }),
      { numRuns: triesOf(2000) },
    )
  })
})

describe('the agent’s own memory folder', () => {
  const folder = '/home/me/.claude/agent-memory/a'
  const agent = { readFolders: [folder], writeFolders: [folder] }
  const write = (path: string, more: Situation = {}) =>
    verdict(judgeWrite(path, { ...more, agent: { ...agent, ...more.agent } }))

  it('is read and written without permission in every mode that allows writes', async () => {
    for (const mode of ['default', 'acceptEdits', 'dontAsk'] as const)
      for (const tool of ['Write', 'Edit'])
        expect([mode, await write(`${folder}/MEMORY.md`, { mode, tool })]).toEqual([mode, 'allow'])
    expect(await write(`${folder}/topics/tests.md`)).toBe('allow')
    expect(await verdict(judgeRead(`${folder}/MEMORY.md`, { agent }))).toBe('allow')
  })

  it('does not extend beyond the folder', async () => {
    const around = ['', '/../b/MEMORY.md', '-more/x.md', '/../../settings.json', '/../../CLAUDE.md']
    for (const rest of around) expect([rest, await write(`${folder}${rest}`)]).toEqual([rest, 'ask'])
    expect(await verdict(judgeWrite(`${folder}/MEMORY.md`))).toBe('ask')
    expect(await verdict(judgeRead('/home/me/.claude/agent-memory/b/MEMORY.md', { agent }))).toBe('ask')
  })

  it('is recognized by the real path', async () => {
    expect(await write('/repo/mine/MEMORY.md')).toBe('allow')
    expect(await write(`${folder}/out/settings.json`)).toBe('ask')
    expect(await write(`${folder}/out/../MEMORY.md`)).toBe('ask')
    expect(await write('/repo/.git/hooks/post-merge')).toBe('ask')
  })

  it('protects secrets and files that control what runs', async () => {
    for (const name of ['.git/hooks/pre-commit', '.mcp.json', '.claude/settings.json', '.envrc', 'x.pem'])
      expect([name, await write(`${folder}/${name}`)]).toEqual([name, 'ask'])
  })

  it('is not written by read-only agents, in plan mode, without trust, or against the definition', async () => {
    const path = `${folder}/MEMORY.md`
    expect(await write(path, { agent: { readOnly: true } })).toBe('deny')
    expect(await write(path, { mode: 'plan' })).toBe('deny')
    expect(await write(path, { trusted: false })).toBe('deny')
    expect(await write(path, { agent: { denied: ['Write'] } })).toBe('deny')
  })

  it('needs permission for commands that write there', async () => {
    expect(await verdict(judgeCommand(`echo x >> ${folder}/MEMORY.md`, { agent }))).toBe('ask')
    expect(await verdict(judgeCommand(`cat ${folder}/MEMORY.md`, { agent }))).toBe('allow')
  })
})

describe('where nobody is asked', () => {
  const sandbox = { autoAllow: true, mayLeave: true, excluded: [], alsoWrites: [], domains: [] }
  const unasked = { sandbox, reachesUser: false }

  it.each([
    ['src/a.ts', unasked, 'allow'],
    ['new/folder/b.ts', unasked, 'allow'],
    ['src/a.ts', { ...unasked, reachesUser: true }, 'ask'],
    ['src/a.ts', { sandbox, mode: 'dontAsk' }, 'allow'],
    ['src/a.ts', { sandbox, neverAsks: true }, 'allow'],
    ['src/a.ts', { ...unasked, sandbox: null }, 'ask'],
    ['src/a.ts', { ...unasked, sandbox: { ...sandbox, autoAllow: false } }, 'ask'],
    ['src/a.ts', { ...unasked, mode: 'plan' }, 'deny'],
    ['src/a.ts', { ...unasked, trusted: false }, 'deny'],
    ['src/a.ts', { ...unasked, asked: ['Edit'] }, 'ask'],
    ['src/a.ts', { ...unasked, denied: ['Edit(src/**)'] }, 'deny'],
    ['.env', unasked, 'ask'],
    ['.git/config', unasked, 'ask'],
    ['.claude/settings.json', unasked, 'ask'],
    ['/elsewhere/a.ts', unasked, 'ask'],
  ] as const)('writes %s as commands in the sandbox can: %j → %s', async (path, situation, kind) => {
    expect(await verdict(judgeWrite(path, situation as Situation))).toBe(kind)
  })
})
