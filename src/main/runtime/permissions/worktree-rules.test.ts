import { describe, expect, it } from 'vitest'
import { inWorktree, judgeCommand, judgeRead, judgeWrite, type Situation, verdict } from './testing/judge.ts'

const here = (more: Situation = {}): Situation => ({ ...more, agent: { ...inWorktree, ...more.agent } })

describe('files for an agent in a worktree', () => {
  it('need no permission for reads, nor for writes in acceptEdits', async () => {
    expect(await verdict(judgeWrite('/worktree/src/a.ts', here({ mode: 'acceptEdits' })))).toBe('allow')
    expect(await verdict(judgeWrite('src/a.ts', here({ mode: 'acceptEdits' })))).toBe('allow')
    expect(await verdict(judgeWrite('/worktree/src/a.ts', here()))).toBe('ask')
    expect(await verdict(judgeRead('/worktree/src/a.ts', here()))).toBe('allow')
    expect(await verdict(judgeCommand('cat src/a.ts', here()))).toBe('allow')
  })

  it('of the project are outside, also through a link', async () => {
    for (const path of ['/repo/src/a.ts', '/worktree/to-project/src/a.ts', '/linked-repo/a', '../repo/a']) {
      expect(await verdict(judgeRead(path, here())), path).toBe('ask')
      expect(await verdict(judgeWrite(path, here({ mode: 'acceptEdits' }))), path).toBe('ask')
    }
  })

  it.each(['/worktree/.git', '.git', '/worktree/.GIT', '/worktree/sub/.git'])(
    'that redirect git always need permission: %s',
    async (path) => {
      for (const mode of ['acceptEdits', 'bypassPermissions'] as const)
        expect(await judgeWrite(path, here({ mode, rules: ['Write', 'Edit(**)'] }))).toMatchObject({
          kind: 'ask',
          alwaysRule: null,
        })
    },
  )

  it('that redirect git are protected from commands too', async () => {
    for (const command of ['rm .git', 'echo "gitdir: /x" > .git', 'mv x .git', 'cp x /worktree/.git'])
      expect(await verdict(judgeCommand(command, here({ mode: 'bypassPermissions' }))), command).toBe('ask')
  })
})

describe('rules of the project in a worktree', () => {
  const reads = (path: string, rules: readonly string[]) => verdict(judgeRead(path, here({ rules })))
  const writes = (path: string, rules: readonly string[]) => verdict(judgeWrite(path, here({ rules })))

  it('are relative to the worktree', async () => {
    expect(await writes('/worktree/src/a', ['Edit(src/**)'])).toBe('allow')
    expect(await writes('/worktree/src/a', ['Edit(./src/**)'])).toBe('allow')
    expect(await writes('/worktree/lib/a', ['Edit(./src/**)'])).toBe('ask')
    expect(await writes('/repo/src/a', ['Edit(./src/**)'])).toBe('ask')
    expect(await reads('/worktree/secrets/.env', ['Read(./secrets/.env)'])).toBe('allow')
  })

  it('with a path of the project apply to the worktree instead', async () => {
    expect(await writes('/worktree/src/a', ['Edit(//repo/src/**)'])).toBe('allow')
    expect(await writes('/worktree/src/a', ['Edit(//linked-repo/src/**)'])).toBe('allow')
    expect(await writes('/worktree/src/a', ['Edit(//repo-evil/src/**)'])).toBe('ask')
    expect(await writes('/repo/src/a', ['Edit(//repo/src/**)'])).toBe('ask')
    expect(await writes('/etc/x', ['Edit(//etc/**)'])).toBe('allow')
    expect(await writes('/worktree/src/a', ['Edit(//worktree/src/**)'])).toBe('allow')
    // A pattern with one slash is relative to the agent's folder.
    expect(await writes('/worktree/src/a', ['Edit(/src/**)'])).toBe('allow')
    expect(await writes('/worktree/src/a', ['Edit(/repo/src/**)'])).toBe('ask')
  })

  it('with a path of the worktree apply to the worktree, also inside the project', async () => {
    const root = '/repo/.data/w/fixer-a'
    const agent = { root, worktree: { root, branch: 'troupe/fixer-a', aliases: ['/repo'] } }
    const write = (path: string, rule: string) => verdict(judgeWrite(path, { agent, rules: [rule] }))
    expect(await write(`${root}/src/a`, `Edit(/${root}/src/**)`)).toBe('allow')
    expect(await write(`${root}/src/a`, 'Edit(//repo/src/**)')).toBe('allow')
    expect(await write('/repo/src/a', 'Edit(//repo/src/**)')).toBe('ask')
  })

  it('are named as written', async () => {
    expect(await judgeWrite('/worktree/src/a', here({ rules: ['Edit(//repo/src/**)'] }))).toMatchObject({
      because: 'Allowed by the rule Edit(//repo/src/**).',
    })
  })

  it('keep their patterns if names contain pattern characters', async () => {
    const agent = {
      root: '/w (1)/x',
      worktree: { root: '/w (1)/x', branch: 'troupe/x', aliases: ['/my [repo]'] },
    }
    for (const rule of ['Edit(//my \\[repo\\]/src/*.ts)', 'Edit(//my [repo]/src/*.ts)']) {
      expect(await verdict(judgeWrite('/w (1)/x/src/a.ts', { agent, rules: [rule] })), rule).toBe('allow')
      expect(await verdict(judgeWrite('/w (1)/x/src/a.js', { agent, rules: [rule] })), rule).toBe('ask')
    }
  })

  it('of a definition forbid the same files in the worktree and in the project', async () => {
    const agent = {
      ...inWorktree,
      denied: ['Read(//repo/secrets/**)', 'Read(./private/**)', 'Bash(cat /repo/x)'],
    }
    expect(await verdict(judgeRead('/worktree/secrets/a', { agent }))).toBe('deny')
    expect(await verdict(judgeRead('/repo/secrets/a', { agent }))).toBe('deny')
    expect(await verdict(judgeRead('/worktree/to-project/secrets/a', { agent }))).toBe('deny')
    expect(await verdict(judgeRead('/worktree/private/a', { agent }))).toBe('deny')
    expect(await verdict(judgeRead('/worktree/src/a', { agent }))).toBe('allow')
    expect(await verdict(judgeCommand('cat /worktree/x', { agent }))).toBe('deny')
  })

  it('of a definition that narrow a tool apply to the worktree', async () => {
    const agent = { ...inWorktree, only: ['Write(//repo/docs/**)'] }
    const rules = ['Write']
    expect(await verdict(judgeWrite('/worktree/docs/a', { agent, rules }))).toBe('allow')
    expect(await verdict(judgeWrite('/worktree/src/a', { agent, rules }))).toBe('deny')
  })

  it('apply to commands with paths of the project', async () => {
    const rules = ['Bash(node /repo/tools/x.js)', 'Bash(make -C /repo:*)']
    expect(await verdict(judgeCommand('node /worktree/tools/x.js', here({ rules })))).toBe('allow')
    expect(await verdict(judgeCommand('make -C /worktree all', here({ rules })))).toBe('allow')
    expect(await verdict(judgeCommand('make -C /elsewhere all', here({ rules })))).toBe('ask')
  })
})
