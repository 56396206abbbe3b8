/** `troupe agents list`, `lint` and `explain` as users and scripts call them, on real folders. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type CommandLine, commandLine, type Ended } from '../../../testing/command-line.ts'

const lines = ({ output }: Ended) => output.trimEnd().split('\n').filter(Boolean)
const records = (ended: Ended) => lines(ended).map((line) => JSON.parse(line))
const agent = (name: string, more = '', description = `Does what ${name} does.`) =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nYou are ${name}.\n`

/** A folder with its own agents, and a home folder with others. */
async function withAgents(
  project: Readonly<Record<string, string>>,
  user: Readonly<Record<string, string>> = {},
): Promise<CommandLine> {
  const cli = await commandLine()
  const within = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`.claude/agents/${name}`, text]))
  await cli.write(within(project))
  for (const [name, text] of Object.entries(within(user))) {
    await mkdir(dirname(join(cli.home, name)), { recursive: true })
    await writeFile(join(cli.home, name), text)
  }
  return cli
}

describe('list', () => {
  test('prints the agents in use, and the problems of the others', async () => {
    const cli = await withAgents({
      'painter.md': agent('painter'),
      'broken.md': '---\nname: broken\ntools: 3\npermissionMode: sometimes\n---\nx\n',
    })
    const untrusted = await cli.run(['agents', 'list'])
    expect(untrusted.code).toBe(0)
    expect(untrusted.output).toMatch(/^Explore +built-in +\S/m)
    expect(untrusted.output).not.toContain('painter')
    expect(untrusted.errors).toContain('Add --trust')
    const trusted = await cli.run(['agents', 'list', '--trust'])
    expect(trusted.code).toBe(1)
    expect(trusted.output).toMatch(/^painter +project +Does what painter does\.$/m)
    expect(trusted.output).not.toContain('broken')
    expect(trusted.errors).toMatch(/^\.claude\/agents\/broken\.md:4:17 error .*\(bad-permissionMode\)$/m)
  })

  test('--all also prints agents not in use, with reasons', async () => {
    const cli = await withAgents(
      {
        'painter.md': agent('painter'),
        'broken.md': agent('broken', 'permissionMode: sometimes\n'),
        'secret.md': agent('secret', 'hidden: true\n'),
        'notes.md': 'Words.\n',
      },
      { 'painter.md': agent('Painter', '', 'Of the user.') },
    )
    const { output } = await cli.run(['agents', 'list', '--trust', '--all'])
    expect(output).toMatch(/^painter +project +Does what painter does\.$/m)
    expect(output).toMatch(/^Painter +user +\(shadowed by \.claude\/agents\/painter\.md\)$/m)
    expect(output).toMatch(/^broken +project +\(not in use: permissionMode: .*\)$/m)
    expect(output).toMatch(/^secret +project +\(hidden\) Does what secret does\.$/m)
    expect(output).toMatch(/^notes +project +\(not an agent: .*\)$/m)
  })

  test('--json prints one catalog entry per line', async () => {
    const cli = await withAgents({ 'painter.md': agent('painter') }, { 'painter.md': agent('painter') })
    const inUse = records(await cli.run(['agents', 'list', '--trust', '--json']))
    expect(inUse).toContainEqual(
      expect.objectContaining({
        name: 'painter',
        source: 'project',
        file: join(cli.folder, '.claude/agents/painter.md'),
        state: 'offered',
        overrides: [join(cli.home, '.claude/agents/painter.md')],
        diagnostics: [],
      }),
    )
    expect(inUse.map(({ state }) => state)).not.toContain('overridden')
    const all = records(await cli.run(['agents', 'list', '--trust', '--json', '--all']))
    expect(all).toContainEqual(
      expect.objectContaining({
        name: 'painter',
        state: 'overridden',
        overriddenBy: join(cli.folder, '.claude/agents/painter.md'),
      }),
    )
    expect(Object.keys(all[0])).not.toContain('shadowedBy')
  })

  test('agents on the command line shadow those of the folder', async () => {
    const cli = await withAgents({ 'painter.md': agent('painter') })
    await cli.write({ 'given/singer.md': agent('singer') })
    const json = JSON.stringify({ painter: { description: 'Given here.', prompt: 'You paint.' } })
    const args = ['agents', 'list', '--trust', '--agents', json, '--agent-file', 'given/singer.md']
    const { code, output } = await cli.run(args)
    expect(code).toBe(0)
    expect(output).toMatch(/^painter +command-line +Given here\.$/m)
    expect(output).toMatch(/^singer +command-line +Does what singer does\.$/m)
    const missing = await cli.run(['agents', 'list', '--agent-file', 'nowhere.md'])
    expect(missing.code).toBe(2)
    expect(missing.errors).toContain('File not found: nowhere.md')
  })
})

describe('lint', () => {
  test('prints every problem like a compiler, and counts them', async () => {
    const cli = await withAgents(
      {
        'a.md': agent('painter', 'tools: Read, Grpe\n', 'When: always'),
        'b.md': agent('broken', 'permissionMode: sometimes\nskills: nothing-of-that-name\n'),
        'c.md': agent('careful', 'skills: nothing-of-that-name\n'),
      },
      { 'painter.md': agent('painter') },
    )
    const ended = await cli.run(['agents', 'lint', '--trust'])
    expect(ended.code).toBe(1)
    const told = lines(ended).map((line) => line.replace(/ (error|warning|notice) .* \(/, ' $1 ('))
    expect(told).toEqual(
      expect.arrayContaining([
        '.claude/agents/a.md:3:14 warning (quote-description)',
        '.claude/agents/a.md:4:14 warning (unknown-tool)',
        '.claude/agents/b.md:4:17 error (bad-permissionMode)',
        '.claude/agents/c.md:4:9 warning (missing-skill)',
      ]),
    )
    expect(ended.output).toContain('Unknown tool Grpe. Did you mean Grep?')
    expect(told.filter((line) => line.includes(cli.home))).toEqual([
      expect.stringMatching(/painter\.md:\d+:\d+ notice \(/),
    ])
    expect(ended.errors).toMatch(/^\d+ definitions: 1 error, 3 warnings, \d notices?\.$/m)
  })

  test('a misspelled safety key keeps an agent out of use until --fix renames it', async () => {
    const cli = await withAgents({
      'a.md': agent('painter', 'permisionMode: plan\nmaxTurn: 3\nmodel: sonet\n'),
    })
    const listed = await cli.run(['agents', 'list', '--trust'])
    expect(listed.output).not.toContain('painter')
    expect(listed.errors).toContain('a.md:4:1 error Unknown key permisionMode. Did you mean permissionMode?')
    const linted = await cli.run(['agents', 'lint', '--trust'])
    expect(linted.code).toBe(1)
    expect(linted.output).toMatch(/^\.claude\/agents\/a\.md:4:1 error .*\(misspelled-key\)$/m)
    expect(linted.output).toMatch(/^\.claude\/agents\/a\.md:5:1 warning .*maxTurns\? \(misspelled-key\)$/m)
    expect(linted.output).toMatch(/^\.claude\/agents\/a\.md:6:8 warning .*sonnet\? \(misspelled-model\)$/m)
    const fixed = await cli.run(['agents', 'lint', '--fix', '--trust'])
    expect(fixed.code).toBe(0)
    expect(fixed.errors).toContain('Rename to permissionMode')
    expect((await cli.run(['agents', 'list', '--trust'])).output).toContain('painter')
  })

  test('the built-in agents have no problems', async () => {
    const cli = await commandLine()
    const ended = await cli.run(['agents', 'lint', '--trust'])
    expect(ended).toMatchObject({ code: 0, output: '' })
  })

  test('checks only the given files, if any', async () => {
    const cli = await withAgents({ 'broken.md': '---\nname: a\n' })
    await cli.write({ 'x/a.md': agent('a', 'tools: Raed\n'), 'x/b.md': agent('b') })
    const ended = await cli.run(['agents', 'lint', 'x', 'x/b.md', '--json'])
    expect(ended.code).toBe(0)
    expect(records(ended)).toEqual([
      {
        path: 'x/a.md',
        code: 'unknown-tool',
        severity: 'warning',
        line: 4,
        column: 8,
        message: 'Unknown tool Raed. Did you mean Read?',
      },
    ])
    expect(ended.errors).toBe('3 files: 0 errors, 1 warning, 0 notices.\n')
    expect((await cli.run(['agents', 'lint', 'nowhere.md'])).code).toBe(1)
  })

  test('--fix applies the first fix of each problem, and prints it', async () => {
    const cli = await withAgents(
      { 'a.md': agent('painter', 'color: #ff8800\n', 'When: always'), 'b.md': agent('fine') },
      { 'c.md': agent('singer', '', '@all, sing') },
    )
    const project = join(cli.folder, '.claude/agents/a.md')
    const before = await readFile(project, 'utf8')
    const untrusted = await cli.run(['agents', 'lint', '--fix'])
    expect(untrusted.errors).toContain(
      `fixed ${join(cli.home, '.claude/agents/c.md')}: Quote the description`,
    )
    expect(await readFile(project, 'utf8')).toBe(before)
    const ended = await cli.run(['agents', 'lint', '--fix', '--trust'])
    expect(ended).toMatchObject({ code: 0, output: '' })
    expect(ended.errors).toContain('fixed .claude/agents/a.md: Quote the description')
    expect(await readFile(project, 'utf8')).toBe(
      before.replace('When: always', '"When: always"').replace('#ff8800', '"#ff8800"'),
    )
  })
})

test('--fix changes given files, and follows no link out of a folder', async () => {
  const cli = await commandLine()
  const text = agent('singer', '', 'When: always')
  await cli.write({ 'in/a.md': text, 'out/b.md': text, 'out/c.md': text })
  await symlink('../out/b.md', join(cli.folder, 'in/link.md'))
  const ended = await cli.run(['agents', 'lint', 'in', 'out/c.md', '--fix'])
  expect(ended.errors).toContain('fixed in/a.md: Quote the description')
  expect(ended.output).toMatch(/^in\/link\.md:1:1 error .*\(unreadable\)\n$/)
  const now = (name: string) => readFile(join(cli.folder, name), 'utf8')
  expect(await now('in/a.md')).toContain('"When: always"')
  expect(await now('out/c.md')).toContain('"When: always"')
  expect(await now('out/b.md')).toBe(text)
})

test('--fix changes no file given with --agent-file', async () => {
  const cli = await withAgents({})
  const text = agent('singer', '', 'When: always')
  await cli.write({ 'given/singer.md': text })
  const ended = await cli.run(['agents', 'lint', '--fix', '--agent-file', 'given/singer.md'])
  expect(ended.output).toContain('singer.md:3:14 warning')
  expect(await readFile(join(cli.folder, 'given/singer.md'), 'utf8')).toBe(text)
})

describe('explain', () => {
  test('prints the source, the tools with reasons, and fields without effect', async () => {
    const cli = await withAgents(
      {
        'reviewer.md': agent(
          'reviewer',
          'tools: Read, Bash(git diff:*), Grpe, TaskStop\ndisallowedTools: [Bash(git push:*)]\nmodel: haiku\npermissionMode: plan\nmaxTurns: 9\nreadOnly: true\nmcpServers: [github, { own: { command: x } }]\naliases: [Rev]\n',
        ),
      },
      { 'reviewer.md': agent('reviewer') },
    )
    const { code, output, errors } = await cli.run(['agents', 'explain', 'rEV', '--trust'])
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toMatch(/^reviewer\n {2}Does what reviewer does\.\n/)
    expect(output).toMatch(/^ {2}from +project \.claude\/agents\/reviewer\.md$/m)
    expect(output).toMatch(/^ {2}shadows +user .*home\/\.claude\/agents\/reviewer\.md$/m)
    expect(output).toMatch(/^ {2}model +haiku: claude-haiku-5-5$/m)
    expect(output).toMatch(/^ {2}permissions +plan, at most its parent's mode$/m)
    expect(output).toMatch(/^ {2}turns +at most 9$/m)
    expect(output).toMatch(/^ {2}works in +its parent’s folder, unless the call asks for a worktree$/m)
    expect(output).toContain('never Bash(git push:*)')
    expect(output).toContain('only Bash(git diff:*)')
    expect(output).toMatch(/^As a subagent at depth 1, it has: Read, Bash$/m)
    expect(output).toMatch(/^ {2}Grep +the definition does not list it \(tools\)$/m)
    expect(output).toMatch(/^ {2}Grpe +did you mean Grep\?$/m)
    expect(output).toMatch(
      /^Shown to the main agent:\n {2}- reviewer: Does what reviewer does\. \(Tools: Read, Bash\)$/m,
    )
    expect(output).not.toContain('Without effect')
  })

  test.each([
    ['reviewer', [], "its parent's mode"],
    ['main', [], "the user's mode"],
  ])(
    'gives the effective mode of %s, and why the mode of its file has no effect',
    async (name, args, above) => {
      const cli = await withAgents({ 'one.md': agent(name, 'permissionMode: bypassPermissions\n') })
      const { output } = await cli.run(['agents', 'explain', name, '--trust', ...args])
      expect(output).toMatch(new RegExp(`^ {2}permissions +default, at most ${above}$`, 'm'))
      expect(output).toMatch(
        /^ {2} +The definition's permission mode bypassPermissions has no effect: it allows more than default, the user's mode\.$/m,
      )
    },
  )

  test('counts the trust of the folder, as the runtime does', async () => {
    const cli = await withAgents({})
    const explain = (...more: string[]) => cli.run(['agents', 'explain', 'general-purpose', ...more])
    const untrusted = /^ {2}Bash +every call of it is denied until the user trusts the folder$/m
    expect((await explain()).output).toMatch(untrusted)
    expect((await explain('--trust')).output).toMatch(/^As a subagent at depth 1, it has: .*\bBash\b/m)
  })

  test('--json prints one object', async () => {
    const cli = await withAgents({ 'a.md': agent('a', 'tools: Read, Agent(Explore)\nmodel: opus\n') })
    const args = ['agents', 'explain', 'a', '--trust', '--json', '--depth', '2', '--background']
    const [explained, ...more] = records(await cli.run(args))
    expect(more).toEqual([])
    expect(explained).toMatchObject({
      name: 'a',
      source: 'project',
      state: 'offered',
      overriddenBy: null,
      overrides: [],
      depth: 2,
      background: true,
      model: { written: 'opus', id: 'claude-opus-5-5' },
      permissionMode: { written: null, effective: 'default', meaning: 'as its parent', withoutEffect: null },
      maxTurns: null,
      isolation: null,
      problems: [],
    })
    expect(explained.tools.allowed).toEqual(['Read'])
    const agentTool = explained.tools.blocked.find(({ tool }: { tool: string }) => tool === 'Agent')
    expect(agentTool.because).toContain('background')
  })

  test('a fork runs on its parent’s model', async () => {
    const cli = await withAgents({ 'a.md': agent('a', 'model: haiku\nforkContext: true\n') })
    const { output } = await cli.run(['agents', 'explain', 'a', '--trust'])
    expect(output).toMatch(/^ {2}model +as its parent, or claude-sonnet-5-5$/m)
    expect(output).toMatch(/^ {2}model {2}a fork uses its parent’s model$/m)
    const [explained] = records(await cli.run(['agents', 'explain', 'a', '--trust', '--json']))
    expect(explained.model).toEqual({ written: 'haiku', id: 'claude-sonnet-5-5', inherited: true })
    const main = await cli.run(['agents', 'explain', 'a', '--trust', '--depth', '0'])
    expect(main.output).toMatch(/^ {2}model +haiku: claude-haiku-5-5$/m)
    expect(main.output).not.toContain('a fork uses')
  })

  test('a coordinator has only its tools, whatever a definition of that name says', async () => {
    const cli = await withAgents({ 'coordinator.md': agent('coordinator', 'tools: "*"\n') })
    const explain = (...more: string[]) =>
      cli.run(['agents', 'explain', 'coordinator', '--trust', '--json', ...more])
    const [main] = records(await explain('--depth', '0'))
    expect(main.tools.allowed).toContain('SetPhase')
    expect(main.tools.allowed).not.toContain('Edit')
    expect(main.tools.blocked.find(({ tool }: { tool: string }) => tool === 'Edit').because).toBe(
      'a coordinator leaves this to the agents that it starts',
    )
    const [subagent] = records(await explain())
    expect(subagent.tools.allowed).toContain('Edit')
    expect(subagent.tools.allowed).not.toContain('SetPhase')
  })

  test('a shadowed, broken or isolated agent, and the main agent', async () => {
    const cli = await withAgents({
      'broken.md': agent('broken', 'permissionMode: sometimes\n'),
      'open.md': '---\nname: open\n',
    })
    const broken = await cli.run(['agents', 'explain', 'broken', '--trust'])
    expect(broken.code).toBe(1)
    expect(broken.output).toMatch(/^ {2}in use +no, until its errors are fixed$/m)
    expect(broken.output).toMatch(/^\.claude\/agents\/broken\.md:4:17 error .*\(bad-permissionMode\)$/m)
    const open = await cli.run(['agents', 'explain', 'open', '--trust'])
    expect(open.code).toBe(1)
    expect(open.output).toMatch(/open\.md:1:1 error .*\(open-frontmatter\)$/m)
    const verification = await cli.run(['agents', 'explain', 'Verification'])
    expect(verification.output).toMatch(
      /^ {2}works in +its own git worktree; without one the agent does not start/m,
    )
    expect(verification.output).not.toContain('Without effect')
    const main = await cli.run(['agents', 'explain', 'main'])
    expect(main.code).toBe(0)
    expect(main.output).toMatch(/^As a main agent, it has: .*\bAgent\b/m)
    expect(main.output).toMatch(/^Shown to the main agent:\n {2}nothing$/m)
  })

  test('an unknown name gets suggestions', async () => {
    const cli = await withAgents({ 'painter.md': agent('painter') })
    const { code, output, errors } = await cli.run(['agents', 'explain', 'Exlpore'])
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toContain('Agent "Exlpore" not found. Did you mean Explore?')
    expect((await cli.run(['agents', 'explain', 'painter'])).errors).toContain('is not trusted')
  })
})

test('an agent on the command line can be the main agent of a run', async () => {
  const cli = await commandLine()
  const scenario = await cli.scenario('steps:\n  - reply: Hello.\n')
  const json = JSON.stringify({ singer: { description: 'Sings.', prompt: 'You sing.' } })
  const args = ['run', 'Hi', '--agent', 'singer', '--agents', json, '--scenario', scenario, '--json']
  const { code, output } = await cli.run(args)
  expect(code).toBe(0)
  expect(output).toContain('You sing.')
})
