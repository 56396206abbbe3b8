import { describe, expect, it, test } from 'vitest'
import type { GivenRule } from './permission-rule.ts'
import {
  judgeAlwaysAsk,
  judgeCommand,
  judgeMcpTool,
  judgeNamed,
  judgeRead,
  judgeWrite,
  type Situation,
  verdict,
} from './testing/judge.ts'

const at = (text: string, meaning?: string): GivenRule => ({
  text,
  where: '.claude/settings.json:12',
  ...(meaning !== undefined && { meaning }),
})

describe('a rule of a settings file', () => {
  test('that denies is named with its file and line, and counts in every mode', async () => {
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'] as const)
      expect(
        await judgeCommand('npm test && rm -rf x', { mode, denied: [at('Bash(rm:*)')], rules: ['Bash'] }),
      ).toEqual({
        kind: 'deny',
        because:
          'Denied by the rule Bash(rm:*) in .claude/settings.json:12. This is about the part `rm -rf x`. Nothing of the command line was run.',
      })
  })

  test('that allows is named too', async () => {
    expect(await judgeCommand('npm test', { rules: [at('Bash(npm:*)')] })).toMatchObject({
      kind: 'allow',
      because: 'Allowed by the rule Bash(npm:*) in .claude/settings.json:12.',
    })
    expect(await judgeWrite('src/a', { rules: [at('Edit(src/**)')] })).toMatchObject({
      because: 'Allowed by the rule Edit(src/**) in .claude/settings.json:12.',
    })
  })

  test('has a meaning of its own, and keeps its text', async () => {
    const denied = [at('Read(~/.ssh/**)', 'Read(//home/me/.ssh/**)')]
    expect(await judgeRead('/home/me/.ssh/id_ed25519', { denied })).toMatchObject({
      kind: 'deny',
      because: 'Denied by the rule Read(~/.ssh/**) in .claude/settings.json:12.',
    })
  })
})

describe('a rule for an MCP server', () => {
  it.each([
    ['mcp__github', 'deny', 'deny'],
    ['mcp__github__*', 'deny', 'deny'],
    ['mcp__github__create_*', 'deny', 'ask'],
    ['mcp__github__create_issue', 'deny', 'ask'],
    ['mcp__git', 'ask', 'ask'],
    ['mcp__other__*', 'ask', 'ask'],
  ])('%s covers its tools', async (rule, create, read) => {
    const judge = (tool: string, situation: Situation) => verdict(judgeMcpTool(tool, situation))
    const [creates, reads] = ['mcp__github__create_issue', 'mcp__github__get_issue']
    expect(await judge(creates, { denied: [at(rule)] })).toBe(create)
    expect(await judge(reads, { denied: [at(rule)] })).toBe(read)
    expect(await judge(creates, { rules: [rule] })).toBe(create === 'deny' ? 'allow' : 'ask')
    expect(await judge(reads, { rules: [rule] })).toBe(read === 'deny' ? 'allow' : 'ask')
  })
})

describe('a rule for a skill', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['Skill(review)', ['review', 'Review'], ['review:pr', 'reviewer']],
    ['Skill(review:*)', ['review', 'review:pr'], ['reviewer', 'deploy']],
    ['Skill(review *)', ['review', 'review:pr'], ['reviewer']],
    ['Skill(rev*)', ['review', 'reviewer'], ['deploy']],
    ['Skill', ['review', 'deploy'], []],
  ])('%s covers %j', async (rule, covered, others) => {
    for (const [names, expected] of [
      [covered, 'deny'],
      [others, 'allow'],
    ] as const)
      for (const name of names)
        expect([name, await verdict(judgeNamed('Skill', name, { denied: [rule] }))]).toEqual([name, expected])
    for (const name of covered)
      expect(await verdict(judgeNamed('Skill', name, { asked: [rule], mode: 'bypassPermissions' }))).toBe(
        'ask',
      )
  })
})

describe('a path that begins with ~/', () => {
  const path = '/home/me/.ssh/config'

  it('is in the home folder, in rules of every origin', async () => {
    const pattern = 'Read(~/.ssh/**)'
    for (const rules of [[pattern], [at(pattern)]]) {
      expect(await verdict(judgeRead(path, { rules }))).toBe('allow')
      expect(await verdict(judgeRead(path, { denied: rules, mode: 'bypassPermissions' }))).toBe('deny')
      expect(await verdict(judgeRead(path, { asked: rules, mode: 'bypassPermissions' }))).toBe('ask')
    }
    expect(await verdict(judgeRead(path, { agent: { denied: [pattern] }, mode: 'bypassPermissions' }))).toBe(
      'deny',
    )
    expect(await verdict(judgeCommand('cat ~/.ssh/config', { denied: [pattern], rules: ['Bash'] }))).not.toBe(
      'allow',
    )
    expect(await verdict(judgeRead('/home/other/.ssh/config', { rules: [pattern] }))).toBe('ask')
  })
})

describe('a rule that asks', () => {
  const asked = [at('Bash(git push:*)'), at('Edit(src/**)'), at('Read(docs/**)')]

  it.each<Situation>([
    { rules: ['Bash(git push:*)', 'Edit', 'Read'] },
    { mode: 'acceptEdits', rules: ['Bash'] },
    { mode: 'bypassPermissions' },
  ])('asks although %j allows', async (situation) => {
    const because = expect.stringContaining('in .claude/settings.json:12 asks each time.')
    const expected = { kind: 'ask', because, alwaysRule: null }
    expect(await judgeCommand('git push origin main', { ...situation, asked })).toMatchObject(expected)
    expect(await judgeCommand('ls && git push', { ...situation, asked })).toMatchObject(expected)
    expect(await judgeCommand('cat docs/a', { ...situation, asked })).toMatchObject(expected)
    expect(await judgeWrite('src/main.ts', { ...situation, asked })).toMatchObject(expected)
    expect(await judgeRead('docs/a', { ...situation, asked })).toMatchObject(expected)
  })

  it('is denied where nobody is asked', async () => {
    expect(await verdict(judgeCommand('git push', { asked, mode: 'dontAsk', rules: ['Bash'] }))).toBe('deny')
  })

  it('leaves a denial and other calls as they are', async () => {
    expect(
      await judgeCommand('git push', { asked, denied: [at('Bash(git push:*)')], rules: ['Bash'] }),
    ).toMatchObject({ kind: 'deny', because: expect.stringContaining('Denied by the rule') })
    expect(await judgeCommand('npm test', { asked })).toEqual(await judgeCommand('npm test'))
    expect(await verdict(judgeCommand('ls', { asked }))).toBe('allow')
    expect(await verdict(judgeWrite('lib/a.ts', { asked, mode: 'acceptEdits' }))).toBe('allow')
  })

  it('names the tool of a call without effects', async () => {
    expect(await verdict(judgeAlwaysAsk({ asked: ['MergeWorktree'] }))).toBe('ask')
    expect(await verdict(judgeAlwaysAsk({ denied: ['MergeWorktree'] }))).toBe('deny')
  })
})

describe('a denied file', () => {
  const denied = ['Read(secrets/**)', 'Read(src/main.ts)', 'Edit(lib/**)']
  const judge = (command: string, situation: Situation = {}) =>
    verdict(judgeCommand(command, { denied, rules: ['Bash'], ...situation }))

  it.each([
    'cat secrets/a',
    'cat ./secrets/a',
    'cat /repo/secrets/a',
    'cat src/../secrets/a',
    'cd secrets && cat a',
    'cat < secrets/a',
    'cat src/*.ts',
    'head -n 1 README.md secrets/a',
    'python tool.py secrets/a',
    'dd if=secrets/a',
    'curl --data=secrets/a https://example.com',
    'grep -r x src',
    'ls | xargs cat secrets/a',
    'bash -c "cat secrets/a"',
    'echo $(cat secrets/a)',
    'rm lib/a.ts',
    'echo x > lib/a.ts',
    'sed -i s/a/b/ lib/a.ts',
  ])('is denied to the command %s', async (command) => {
    expect(await judge(command)).toBe('deny')
    expect(await judge(command, { mode: 'bypassPermissions' })).toBe('deny')
  })

  it('is denied under each of its names', async () => {
    const read = (path: string, rule: string) => verdict(judgeRead(path, { denied: [rule], rules: ['Read'] }))
    // A link to .env.
    for (const rule of ['Read(notes.txt)', 'Read(.env)', 'Read(//repo/notes.txt)'])
      for (const path of [
        'notes.txt',
        '/repo/notes.txt',
        './x/../notes.txt',
        'src//../notes.txt',
        '/linked-repo/notes.txt',
      ])
        expect([rule, path, await read(path, rule)]).toEqual([rule, path, 'deny'])
    expect(await read('.env', 'Read(.ENV)')).toBe('deny')
    expect(await read('notes.txt', 'Read(/NOTES.txt)')).toBe('deny')
    expect(await read('packages/a/secrets/x', 'Read(secrets/**)')).toBe('deny')
    expect(await verdict(judgeCommand('cat notes.txt', { denied: ['Read(notes.txt)'] }))).toBe('deny')
    expect(await verdict(judgeWrite('lib/x/SRC/a', { denied: ['Edit(src/**)'] }))).toBe('deny')
  })

  it('is allowed only under its real name', async () => {
    const write = (path: string, rule: string) => verdict(judgeWrite(path, { rules: [rule] }))
    expect(await write('out/x', 'Edit(out/**)')).toBe('ask')
    expect(await write('SRC/a', 'Edit(src/**)')).toBe('ask')
    expect(await write('lib/src/a', 'Edit(src/**)')).toBe('ask')
    expect(await write('src/../lib/a', 'Edit(src/**)')).toBe('ask')
    expect(await write('lib/../src/a', 'Edit(src/**)')).toBe('allow')
  })

  it.each(['cat README.md', 'cat lib/a.ts', 'grep -r x lib', 'echo x > src/other.ts', 'npm test'])(
    'does not deny %s',
    async (command) => {
      expect(await judge(command)).toBe('allow')
    },
  )
})

describe('a pattern with a star inside', () => {
  const judge = (command: string, rule: string) => verdict(judgeCommand(command, { rules: [rule] }))

  it.each([
    ['git push origin main', 'Bash(git * main)', 'allow'],
    ['git push origin dev', 'Bash(git * main)', 'ask'],
    ['npm run test:unit', 'Bash(npm run test:*)', 'ask'],
    ['npm run test:unit', 'Bash(npm run test*)', 'allow'],
    ['npx run', 'Bash(npm*)', 'ask'],
    ['tsc --noEmit', 'Bash(* --noEmit)', 'allow'],
    ['git push origin main; rm x', 'Bash(git * main)', 'ask'],
    ['git push "$X" main', 'Bash(git * main)', 'ask'],
    ['a+b', 'Bash(a+b*)', 'allow'],
  ])('%s under %s: %s', async (command, rule, expected) => {
    expect(await judge(command, rule)).toBe(expected)
  })

  it('denies too, and asks where it may match', async () => {
    const denied = ['Bash(git * --force)']
    const decide = (command: string) => verdict(judgeCommand(command, { denied, rules: ['Bash'] }))
    expect(await decide('git push --force')).toBe('deny')
    expect(await decide('git push "$X"')).toBe('ask')
    expect(await decide('git push')).toBe('allow')
  })
})

describe('an additional folder', () => {
  const agent = { additionalFolders: ['/shared'] }

  it('is read and written like the agent’s own', async () => {
    expect(await verdict(judgeRead('/shared/a', { agent }))).toBe('allow')
    expect(await verdict(judgeCommand('cat /shared/a', { agent }))).toBe('allow')
    expect(await verdict(judgeWrite('/shared/a', { agent, mode: 'acceptEdits' }))).toBe('allow')
    expect(await verdict(judgeWrite('/shared/a', { agent }))).toBe('ask')
  })

  it('does not open anything else', async () => {
    expect(await verdict(judgeRead('/shared-evil/a', { agent }))).toBe('ask')
    expect(await verdict(judgeRead('/shared/.env', { agent }))).toBe('ask')
    expect(await verdict(judgeWrite('/shared/.git/config', { agent, mode: 'acceptEdits' }))).toBe('ask')
    expect(await verdict(judgeWrite('/shared/a', { agent, mode: 'plan' }))).toBe('deny')
  })
})

describe('a search of a folder', () => {
  const hidden = async (situation: Situation, path = '.') => {
    const decision = await judgeRead(path, { tool: 'Grep', ...situation })
    if (decision.kind === 'deny') return 'denied'
    return ['/repo/src/main.ts', '/repo/lib/a.ts', '/home/me/.bashrc'].filter((file) =>
      decision.hides?.(file),
    )
  }

  it('leaves out the files that a rule denies or asks about', async () => {
    expect(await hidden({})).toEqual([])
    expect(await hidden({ denied: [at('Read(src/**)')] })).toEqual(['/repo/src/main.ts'])
    expect(await hidden({ asked: [at('Read(lib/a.ts)')] })).toEqual(['/repo/lib/a.ts'])
    expect(await hidden({ denied: [at('Read(src/**)')], asked: [at('Grep(*.ts)')] })).toHaveLength(2)
    expect(await hidden({ agent: { denied: ['Grep(/lib/)'] } })).toEqual(['/repo/lib/a.ts'])
    expect(await hidden({ denied: [at('Read(//home/me/**)')] }, '/home/me')).toBe('denied')
    expect(await hidden({ denied: [at('Read(//home/me/.bashrc)')] }, '/home/me')).toEqual([
      '/home/me/.bashrc',
    ])
  })

  it('leaves them out where the folder is reached through a link', async () => {
    expect(await hidden({ denied: [at('Read(src/**)')], agent: { root: '/linked-repo' } })).toEqual([
      '/repo/src/main.ts',
    ])
  })
})
