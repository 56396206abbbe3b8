/** `troupe agents list`, `lint` and `explain` as people and scripts use them, on real folders. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandLine, type Ended, type Place } from './testing/command-line.ts'

const lines = ({ output }: Ended) => output.trimEnd().split('\n').filter(Boolean)
const records = (ended: Ended) => lines(ended).map((line) => JSON.parse(line))
const agent = (name: string, more = '', description = `Does what ${name} does.`) =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nYou are ${name}.\n`

/** A folder with agents of its own, and a home with others. */
async function withAgents(
  project: Readonly<Record<string, string>>,
  user: Readonly<Record<string, string>> = {},
): Promise<Place> {
  const place = await commandLine()
  const within = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`.claude/agents/${name}`, text]))
  await place.write(within(project))
  for (const [name, text] of Object.entries(within(user))) {
    await mkdir(dirname(join(place.home, name)), { recursive: true })
    await writeFile(join(place.home, name), text)
  }
  return place
}

describe('list', () => {
  test('tells the agents in use here, and what is wrong with the others', async () => {
    const place = await withAgents({
      'painter.md': agent('painter'),
      'broken.md': '---\nname: broken\ntools: 3\npermissionMode: sometimes\n---\nx\n',
    })
    const untrusted = await place.run(['agents', 'list'])
    expect(untrusted.code).toBe(0)
    expect(untrusted.output).toMatch(/^Explore +built-in +\S/m)
    expect(untrusted.output).not.toContain('painter')
    expect(untrusted.errors).toContain('Add --trust')
    const trusted = await place.run(['agents', 'list', '--trust'])
    expect(trusted.code).toBe(1)
    expect(trusted.output).toMatch(/^painter +project +Does what painter does\.$/m)
    expect(trusted.output).not.toContain('broken')
    expect(trusted.errors).toMatch(/^\.claude\/agents\/broken\.md:4:17 error .*\(bad-permissionMode\)$/m)
  })

  test('--all also tells those that are not in use, and why', async () => {
    const place = await withAgents(
      {
        'painter.md': agent('painter'),
        'broken.md': agent('broken', 'permissionMode: sometimes\n'),
        'secret.md': agent('secret', 'hidden: true\n'),
        'notes.md': 'Words.\n',
      },
      { 'painter.md': agent('Painter', '', 'Of the user.') },
    )
    const { output } = await place.run(['agents', 'list', '--trust', '--all'])
    expect(output).toMatch(/^painter +project +Does what painter does\.$/m)
    expect(output).toMatch(/^Painter +user +\(overridden by \.claude\/agents\/painter\.md\)$/m)
    expect(output).toMatch(/^broken +project +\(not offered: permissionMode: .*\)$/m)
    expect(output).toMatch(/^secret +project +\(hidden\) Does what secret does\.$/m)
    expect(output).toMatch(/^notes +project +\(no agent: .*\)$/m)
  })

  test('--json is one agent a line, with all that the library knows of it', async () => {
    const place = await withAgents({ 'painter.md': agent('painter') }, { 'painter.md': agent('painter') })
    const inUse = records(await place.run(['agents', 'list', '--trust', '--json']))
    expect(inUse).toContainEqual(
      expect.objectContaining({
        name: 'painter',
        source: 'project',
        file: join(place.folder, '.claude/agents/painter.md'),
        state: 'offered',
        overrides: [join(place.home, '.claude/agents/painter.md')],
        diagnostics: [],
      }),
    )
    expect(inUse.map(({ state }) => state)).not.toContain('overridden')
    const all = records(await place.run(['agents', 'list', '--trust', '--json', '--all']))
    expect(all).toContainEqual(expect.objectContaining({ name: 'painter', state: 'overridden' }))
  })

  test('agents that come with the command win over those of the folder', async () => {
    const place = await withAgents({ 'painter.md': agent('painter') })
    await place.write({ 'given/singer.md': agent('singer') })
    const json = JSON.stringify({ painter: { description: 'Given here.', prompt: 'You paint.' } })
    const words = ['agents', 'list', '--trust', '--agents', json, '--agent-file', 'given/singer.md']
    const { code, output } = await place.run(words)
    expect(code).toBe(0)
    expect(output).toMatch(/^painter +command-line +Given here\.$/m)
    expect(output).toMatch(/^singer +command-line +Does what singer does\.$/m)
    const missing = await place.run(['agents', 'list', '--agent-file', 'nowhere.md'])
    expect(missing.code).toBe(2)
    expect(missing.errors).toContain('There is no file nowhere.md')
  })
})

describe('lint', () => {
  test('tells every problem as compilers do, and counts them', async () => {
    const place = await withAgents(
      {
        'a.md': agent('painter', 'tools: Read, Grpe\n', 'When: always'),
        'b.md': agent('broken', 'permissionMode: sometimes\nskills: nothing-of-that-name\n'),
        'c.md': agent('careful', 'skills: nothing-of-that-name\n'),
      },
      { 'painter.md': agent('painter') },
    )
    const ended = await place.run(['agents', 'lint', '--trust'])
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
    expect(ended.output).toContain('There is no tool Grpe. Did you mean Grep?')
    expect(told.filter((line) => line.includes(place.home))).toEqual([
      expect.stringMatching(/painter\.md:\d+:\d+ notice \(/),
    ])
    expect(ended.errors).toMatch(/^\d+ definitions: 1 error, 3 warnings, \d notices?\.$/m)
  })

  test('the agents that come with the program have no problem', async () => {
    const place = await commandLine()
    const ended = await place.run(['agents', 'lint', '--trust'])
    expect(ended).toMatchObject({ code: 0, output: '' })
  })

  test('files that are named are looked at instead', async () => {
    const place = await withAgents({ 'broken.md': '---\nname: a\n' })
    await place.write({ 'x/a.md': agent('a', 'tools: Raed\n'), 'x/b.md': agent('b') })
    const ended = await place.run(['agents', 'lint', 'x', 'x/b.md', '--json'])
    expect(ended.code).toBe(0)
    expect(records(ended)).toEqual([
      {
        path: 'x/a.md',
        code: 'unknown-tool',
        severity: 'warning',
        line: 4,
        column: 8,
        message: 'There is no tool Raed. Did you mean Read?',
      },
    ])
    expect(ended.errors).toBe('3 files: 0 errors, 1 warning, 0 notices.\n')
    expect((await place.run(['agents', 'lint', 'nowhere.md'])).code).toBe(1)
  })

  test('--fix makes the first mend of each problem, and says what it did', async () => {
    const place = await withAgents(
      { 'a.md': agent('painter', 'color: #ff8800\n', 'When: always'), 'b.md': agent('fine') },
      { 'c.md': agent('singer', '', '@all, sing') },
    )
    const project = join(place.folder, '.claude/agents/a.md')
    const before = await readFile(project, 'utf8')
    const untrusted = await place.run(['agents', 'lint', '--fix'])
    expect(untrusted.errors).toContain(
      `mended ${join(place.home, '.claude/agents/c.md')}: Quote the description`,
    )
    expect(await readFile(project, 'utf8')).toBe(before)
    const ended = await place.run(['agents', 'lint', '--fix', '--trust'])
    expect(ended).toMatchObject({ code: 0, output: '' })
    expect(ended.errors).toContain('mended .claude/agents/a.md: Quote the description')
    expect(await readFile(project, 'utf8')).toBe(
      before.replace('When: always', '"When: always"').replace('#ff8800', '"#ff8800"'),
    )
  })
})

test('--fix mends files that are named, and follows no link out of a folder', async () => {
  const place = await commandLine()
  const text = agent('singer', '', 'When: always')
  await place.write({ 'in/a.md': text, 'out/b.md': text, 'out/c.md': text })
  await symlink('../out/b.md', join(place.folder, 'in/link.md'))
  const ended = await place.run(['agents', 'lint', 'in', 'out/c.md', '--fix'])
  expect(ended.errors).toContain('mended in/a.md: Quote the description')
  expect(ended.output).toMatch(/^in\/link\.md:1:1 error .*\(unreadable\)\n$/)
  const now = (name: string) => readFile(join(place.folder, name), 'utf8')
  expect(await now('in/a.md')).toContain('"When: always"')
  expect(await now('out/c.md')).toContain('"When: always"')
  expect(await now('out/b.md')).toBe(text)
})

test('--fix touches no file that only came with the command', async () => {
  const place = await withAgents({})
  const text = agent('singer', '', 'When: always')
  await place.write({ 'given/singer.md': text })
  const ended = await place.run(['agents', 'lint', '--fix', '--agent-file', 'given/singer.md'])
  expect(ended.output).toContain('singer.md:3:14 warning')
  expect(await readFile(join(place.folder, 'given/singer.md'), 'utf8')).toBe(text)
})

describe('explain', () => {
  test('where it comes from, what it has and why not more, and what has no effect', async () => {
    const place = await withAgents(
      {
        'reviewer.md': agent(
          'reviewer',
          'tools: Read, Bash(git diff:*), Grpe, TaskStop\ndisallowedTools: [Bash(git push:*)]\nmodel: haiku\npermissionMode: plan\nmaxTurns: 9\nreadOnly: true\neffort: high\naliases: [Rev]\n',
        ),
      },
      { 'reviewer.md': agent('reviewer') },
    )
    const { code, output, errors } = await place.run(['agents', 'explain', 'rEV', '--trust'])
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toMatch(/^reviewer\n {2}Does what reviewer does\.\n/)
    expect(output).toMatch(/^ {2}from +project \.claude\/agents\/reviewer\.md$/m)
    expect(output).toMatch(/^ {2}overrides +user .*home\/\.claude\/agents\/reviewer\.md$/m)
    expect(output).toMatch(/^ {2}model +haiku: claude-haiku-5-5$/m)
    expect(output).toMatch(/^ {2}permissions +plan, and never more than whoever starts it has$/m)
    expect(output).toMatch(/^ {2}turns +at most 9$/m)
    expect(output).toMatch(
      /^ {2}works in +the folder of whoever starts it, if the call asks for no worktree$/m,
    )
    expect(output).toContain('never Bash(git push:*)')
    expect(output).toContain('only Bash(git diff:*)')
    expect(output).toMatch(/^Started 1 below the main agent, it has: Read, Bash$/m)
    expect(output).toMatch(/^ {2}Grep +the definition does not list it \(tools\)$/m)
    expect(output).toMatch(/^ {2}Grpe +did you mean Grep\?$/m)
    expect(output).toMatch(
      /^The main agent reads of it:\n {2}- reviewer: Does what reviewer does\. \(Tools: Read, Bash\)$/m,
    )
    expect(output).toMatch(
      /^Without effect in this version:\n {2}effort {2}the model thinks as much as it does by itself$/m,
    )
  })

  test('--json is all of it as one object', async () => {
    const place = await withAgents({ 'a.md': agent('a', 'tools: Read, Agent(Explore)\nmodel: opus\n') })
    const words = ['agents', 'explain', 'a', '--trust', '--json', '--depth', '2', '--background']
    const [explained, ...more] = records(await place.run(words))
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
      permissionMode: { written: null, meaning: 'as whoever starts it has it' },
      maxTurns: null,
      isolation: null,
      problems: [],
    })
    expect(explained.tools.allowed).toEqual(['Read'])
    const agentTool = explained.tools.blocked.find(({ tool }: { tool: string }) => tool === 'Agent')
    expect(agentTool.because).toContain('background')
  })

  test('one that is overridden, broken, apart, or the main agent', async () => {
    const place = await withAgents({
      'broken.md': agent('broken', 'permissionMode: sometimes\n'),
      'open.md': '---\nname: open\n',
    })
    const broken = await place.run(['agents', 'explain', 'broken', '--trust'])
    expect(broken.code).toBe(1)
    expect(broken.output).toMatch(/^ {2}in use +no, until it is mended$/m)
    expect(broken.output).toMatch(/^\.claude\/agents\/broken\.md:4:17 error .*\(bad-permissionMode\)$/m)
    const open = await place.run(['agents', 'explain', 'open', '--trust'])
    expect(open.code).toBe(1)
    expect(open.output).toMatch(/open\.md:1:1 error .*\(open-frontmatter\)$/m)
    const verification = await place.run(['agents', 'explain', 'Verification'])
    expect(verification.output).toMatch(/^ {2}works in +a git worktree of its own; where there can be none/m)
    expect(verification.output).not.toContain('Without effect')
    const main = await place.run(['agents', 'explain', 'main'])
    expect(main.code).toBe(0)
    expect(main.output).toMatch(/^As a main agent, it has: .*\bAgent\b/m)
    expect(main.output).toMatch(/^The main agent reads of it:\n {2}nothing$/m)
  })

  test('a name that is not there: the nearest ones', async () => {
    const place = await withAgents({ 'painter.md': agent('painter') })
    const { code, output, errors } = await place.run(['agents', 'explain', 'Exlpore'])
    expect({ code, output }).toEqual({ code: 1, output: '' })
    expect(errors).toContain('There is no agent "Exlpore". Did you mean Explore?')
    expect((await place.run(['agents', 'explain', 'painter'])).errors).toContain('is not trusted')
  })
})

test('an agent that comes with the command can be the main agent of a run', async () => {
  const place = await commandLine()
  const scenario = await place.scenario('steps:\n  - reply: Hello.\n')
  const json = JSON.stringify({ singer: { description: 'Sings.', prompt: 'You sing.' } })
  const words = ['run', 'Hi', '--agent', 'singer', '--agents', json, '--scenario', scenario, '--json']
  const { code, output } = await place.run(words)
  expect(code).toBe(0)
  expect(output).toContain('You sing.')
})
