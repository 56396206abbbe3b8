/** `troupe agents test` as a process, with a scripted API. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'
import { type RealTroupe, realTroupe } from '../../testing/real-troupe.ts'

const CASES = '.claude/agent-tests/reviewer'
const passing = (word: string) => `name: Says ${word}\ntask: Say it.\nchecks:\n  - report-contains: ${word}\n`
const reviewer = (prompt: string) => `---\nname: reviewer\ndescription: Reviews.\n---\n${prompt}\n`
const SCENARIO = `steps:
  - agent: /Be rude/
    reply: Go away.
  - agent: /You judge/
    reply: PASS
  - reply: hello there
`

async function project(files: Readonly<Record<string, string>>): Promise<CommandLine> {
  const cli = await commandLine((folder) => ({ trustedFolders: [folder], maxParallelAgents: 3 }))
  await cli.write({
    '.claude/agents/reviewer.md': reviewer('Be kind.'),
    'rude.md': reviewer('Be rude.'),
    ...files,
  })
  cli.git('init', '-q', '-b', 'main')
  cli.git('add', '-A')
  cli.git('commit', '-qm', 'First')
  return cli
}

test('prints what passed, and why an attempt failed; the exit code says whether all did', async () => {
  const cli = await project({ [`${CASES}/a.yaml`]: passing('hello'), [`${CASES}/b.yaml`]: passing('there') })
  const scenario = await cli.scenario(SCENARIO)
  const all = ['agents', 'test', '--scenario', scenario, '--attempts', '2']
  const good = await cli.run(all)
  expect(good.code, good.errors).toBe(0)
  expect(good.output).toMatch(/^case +In use\nSays hello +2\/2\nSays there +2\/2\nall cases +4\/4 \(/m)
  expect(good.errors).toMatch(/^passed: Says hello, In use, attempt 1 \(\d/m)

  const bad = await cli.run([...all, 'reviewer', '--version', 'rude.md', '--case', `${CASES}/a.yaml`])
  expect(bad.code).toBe(1)
  expect(bad.output).toMatch(
    /^failed: Says hello, Draft, attempt 1: reports hello: not in the report: Go away\. \[a-/m,
  )

  const again = await cli.run([...all, '--version', 'in-use', '--version', 'rude.md', '--json'])
  const lines = again.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ type: 'result', ok: false, runs: [{ reused: 6, state: 'ended' }] })
  expect(lines.slice(0, -1).map(({ type, state }) => `${type} ${state}`)).toEqual([
    'attempt failed',
    'attempt failed',
  ])
})

test('with --compare only a version that is worse than the one in use fails the command', async () => {
  const cli = await project({
    [`${CASES}/a.yaml`]: passing('hello'),
    [`${CASES}/b.yaml`]: passing('nothing'),
  })
  const scenario = await cli.scenario(SCENARIO)
  const all = ['agents', 'test', '--scenario', scenario, '--compare', '--attempts', '6']
  const same = await cli.run([...all, '--version', 'HEAD'])
  expect(same.code, same.errors).toBe(0)
  const worse = await cli.run([...all, '--version', 'rude.md'])
  expect(worse.code).toBe(1)
  expect(worse.output).toMatch(/^Says hello +6\/6 +0\/6 worse$/m)
})

test('writes JUnit XML for all agents', async () => {
  const cli = await project({
    [`${CASES}/a.yaml`]: passing('hello'),
    '.claude/agent-tests/Explore/b.yaml': passing('nothing'),
  })
  const scenario = await cli.scenario(SCENARIO)
  const { code } = await cli.run([
    'agents',
    'test',
    '--scenario',
    scenario,
    '--attempts',
    '1',
    '--junit',
    'out.xml',
  ])
  expect(code).toBe(1)
  const xml = readFileSync(join(cli.folder, 'out.xml'), 'utf8')
  expect(xml.match(/<testsuites>/g)).toHaveLength(1)
  expect(xml.match(/<testsuite [^>]*name="[^"]*"/g)?.map((each) => /name="([^"]*)"/.exec(each)?.[1])).toEqual(
    ['Explore: In use', 'reviewer: In use'],
  )
  expect(xml).toContain('<failure')
})

test('a first case can be run as it is written; what is wrong is said before anything runs', async () => {
  const cli = await project({})
  const run = (...args: readonly string[]) => cli.run(['agents', 'test', ...args])
  expect(await run('--rehearsal')).toMatchObject({ code: 2, errors: expect.stringContaining('--init') })
  const made = await run('reviewer', '--init')
  expect(made.output).toMatch(
    /^\.claude\/agent-tests\/reviewer\/what-this-case-shows-\w+\.yaml$|^\.claude\/agent-tests\/reviewer\/what-this-case-shows\.yaml$/m,
  )
  const scenario = await cli.scenario('steps:\n  - reply: See charge.ts.\n')
  expect(await run('--scenario', scenario, '--attempts', '1')).toMatchObject({ code: 0 })
  expect(await run()).toMatchObject({ code: 3, errors: expect.stringContaining('No access to a model') })
  expect(await run('nobody', '--rehearsal')).toMatchObject({ code: 2 })
  expect(await run('reviewer', '--rehearsal', '--case', 'x.yaml')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('There is no case x.yaml.'),
  })
  expect(await run('reviewer', '--rehearsal', '--version', 'abcdef')).toMatchObject({ code: 2 })
  expect(await run('reviewer', '--rehearsal', '--attempts', '0')).toMatchObject({ code: 2 })
  await cli.write({ [`${CASES}/wrong.yaml`]: 'task: a\nchek: b\n' })
  const wrong = await run('--rehearsal')
  expect(wrong.code).toBe(1)
  expect(wrong.errors).toContain(`${CASES}/wrong.yaml:2: A case has no “chek”. Did you mean “checks”?`)
})

const passed = ({ folder, home }: RealTroupe): readonly string[] => {
  const projects = join(home, 'projects')
  const [project] = existsSync(projects) ? readdirSync(projects) : []
  const file = join(projects, project ?? '', 'agent-tests.jsonl')
  if (!existsSync(file)) return []
  expect(folder).not.toBe('')
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const { attempt } = JSON.parse(line)
        return attempt === undefined
          ? []
          : [`${attempt.caseFile} ${attempt.versionId} ${attempt.number} ${attempt.state}`]
      } catch {
        return []
      }
    })
}

test('200 attempts with three kills in between: each is made once, and nothing is left', async () => {
  let requests = 0
  const troupe = await realTroupe(
    {
      reply: async () => {
        requests++
        return { blocks: [{ type: 'text', text: 'hello' }] }
      },
    },
    { maxParallelAgents: 6 },
    { keepRequests: 0 },
  )
  onTestFinished(() => troupe.close())
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
      cwd: troupe.folder,
      encoding: 'utf8',
    })
  const files: Record<string, string> = {
    '.claude/agents/reviewer.md': reviewer('Be kind.'),
    'other.md': reviewer('Be other.'),
  }
  for (const name of ['a', 'b', 'c', 'd'])
    files[`${CASES}/${name}.yaml`] = `${passing('hello')}limits: {turns: ${name.charCodeAt(0)}}\n`
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(troupe.folder, path)), { recursive: true })
    await writeFile(join(troupe.folder, path), text)
  }
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'First')
  const traces = () => [git('for-each-ref'), git('worktree', 'list'), git('status', '--porcelain')]
  const before = traces()
  const start = () =>
    troupe.start([
      'agents',
      'test',
      '--version',
      'in-use',
      '--version',
      'other.md',
      '--attempts',
      '25',
      '--json',
    ])

  for (const most of [40, 90, 150]) {
    const running = start()
    await vi.waitFor(() => expect(passed(troupe).length).toBeGreaterThan(most), {
      timeout: 60_000,
      interval: 20,
    })
    running.child.kill('SIGKILL')
    expect((await running.ended).code).toBe(null)
  }
  const last = start()
  const { code, errors } = await last.ended
  expect(code, errors).toBe(0)
  const made = passed(troupe)
  expect(made.filter((each) => each.endsWith(' passed'))).toHaveLength(200)
  expect(new Set(made).size).toBe(200)
  expect(requests).toBeLessThanOrEqual(200 + 3 * 6)
  expect(traces()).toEqual(before)
  expect(readdirSync(join(troupe.home, 'attempts'))).toEqual([])
})
