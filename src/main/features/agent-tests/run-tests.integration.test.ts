import { appendFileSync, readFileSync, truncateSync } from 'node:fs'
import { expect, test } from 'vitest'
import { identityOf } from '../../platform/system/process-identity.ts'
import { projectFolder } from '../../platform/system/project-folder.ts'
import { CASES, draft, hasResult, inUse, resultOf, reviewer, testBench, tool } from './testing/test-bench.ts'

const passing = 'task: Say hello.\nchecks:\n  - report-contains: hello\n'
const oneCase = { files: { [`${CASES}/a.yaml`]: passing } }

test('attempts of equal content are not made again; a changed case, definition, model or file is other content', async () => {
  const bench = await testBench(() => 'hello', oneCase)
  const counts = async (wanted = {}) => {
    const { run, attempts } = await bench.run(wanted)
    return { made: attempts.length, reused: run.reused, numbers: attempts.map(({ number }) => number).sort() }
  }
  expect(await counts({ attempts: 2 })).toEqual({ made: 2, reused: 0, numbers: [1, 2] })
  expect(await counts({ attempts: 3 })).toEqual({ made: 1, reused: 2, numbers: [3] })
  expect(await counts({ attempts: 2 })).toEqual({ made: 0, reused: 2, numbers: [] })
  // The same text is the same version, wherever it comes from.
  expect((await counts({ attempts: 2, versions: [draft(reviewer('Be short.'))] })).made).toBe(0)
  expect((await counts({ attempts: 1, versions: [{ ...inUse, model: 'sonnet' }] })).made).toBe(1)
  await bench.write({ '.claude/agents/reviewer.md': reviewer('Be long.') })
  bench.git('commit', '-qam', 'Only the definition')
  expect((await counts({ attempts: 1 })).made).toBe(1)
  await bench.write({ 'a.txt': 'other' })
  bench.git('commit', '-qam', 'The files')
  expect((await counts({ attempts: 1 })).made).toBe(1)
  await bench.write({ [`${CASES}/a.yaml`]: `name: Renamed\n${passing}` })
  expect((await counts({ attempts: 1 })).made).toBe(0)
  await bench.write({ [`${CASES}/a.yaml`]: `${passing}limits: {turns: 9}\n` })
  expect((await counts({ attempts: 1 })).made).toBe(1)
  // What the agent is told besides: instructions count as they are, whether they are committed or not.
  await bench.write({ '../home/.claude/CLAUDE.md': 'Of the user.', 'CLAUDE.md': 'Of the project.' })
  expect((await counts({ attempts: 1 })).made).toBe(1)
  await bench.write({ '../home/.claude/CLAUDE.md': 'Of the user, changed.' })
  expect((await counts({ attempts: 1 })).made).toBe(1)
  expect((await counts({ attempts: 1 })).made).toBe(0)
})

test('an estimate knows what is reused, and what attempts of this model cost before', async () => {
  const bench = await testBench(() => 'hello', oneCase)
  const estimate = async (wanted = {}) =>
    resultOf(
      await bench.program.handlers['agentTests.estimate']({
        ...{ folder: bench.folder, agent: 'reviewer', versions: [inUse], caseFiles: [], attempts: 6 },
        ...wanted,
      }),
    )
  expect(await estimate()).toEqual({ attempts: 6, reused: 0, usd: null, ms: null })
  const { attempts } = await bench.run({ attempts: 2 })
  const usd = ((attempts[0]?.usd ?? 0) + (attempts[1]?.usd ?? 0)) / 2
  const known = await estimate()
  expect(known).toMatchObject({ attempts: 4, reused: 2 })
  expect(known.usd).toBeCloseTo(usd * 4)
  expect(await estimate({ versions: [draft(reviewer('Be new.'))] })).toMatchObject({ attempts: 6, reused: 0 })
  expect((await estimate({ versions: [{ ...inUse, model: 'opus' }] })).usd).toBe(null)
  expect(bench.attemptFolders()).toEqual([])
})

test('a budget is never passed: no attempt begins that could, and the run says so', async () => {
  const bench = await testBench(() => 'hello', { ...oneCase, settings: { maxParallelAgents: 2 } })
  const before = await bench.run({ attempts: 2 })
  const maxUsd = before.run.usd * 2
  const { run, attempts } = await bench.run({ attempts: 40, maxUsd })
  expect(run).toMatchObject({
    state: 'stopped',
    because: expect.stringMatching(
      /^The budget of \$0\.\d+ does not suffice: \d+ of 38 attempts did not begin\.$/,
    ),
  })
  expect(run.usd).toBeLessThanOrEqual(maxUsd)
  expect(attempts.length).toBeGreaterThan(2)
  expect(new Set(attempts.map(({ state }) => state))).toEqual(new Set(['passed']))
})

test('running attempts are stopped when they reach the budget', async () => {
  let calls = 0
  const bench = await testBench(() => tool('Glob', { pattern: `*${++calls}` }), {
    ...oneCase,
    settings: { maxParallelAgents: 2 },
  })
  const { run, attempts } = await bench.run({ attempts: 2, maxUsd: 0.003 })
  expect(run.state).toBe('stopped')
  expect(attempts.map(({ state }) => state)).toEqual(['stopped', 'stopped'])
  expect(attempts[0]?.because).toContain('The budget of $0.0030')
  // The requests that were under way.
  expect(run.usd).toBeLessThan(0.004)
})

test('with stopping, a clear answer ends the attempts of a case', async () => {
  const bench = await testBench(({ system }) => (system.includes('Be rude.') ? 'Go away.' : 'hello'), {
    ...oneCase,
    settings: { maxParallelAgents: 1 },
  })
  const { run, attempts } = await bench.run({
    ...{ attempts: 20, versions: [inUse, draft(reviewer('Be rude.'))], stopsWhenClear: true },
  })
  expect(run).toMatchObject({ state: 'ended', because: null })
  expect(attempts.length).toBeGreaterThan(8)
  expect(attempts.length).toBeLessThan(20)
  const { attempts: all } = await bench.results()
  expect(all.every(({ state }) => state === 'passed' || state === 'failed')).toBe(true)
})

test('a stop ends every attempt, and one run at a time works in a folder', async () => {
  const bench = await testBench(() => new Promise<never>(() => {}), {
    ...oneCase,
    settings: { maxParallelAgents: 3 },
  })
  const progress: string[] = []
  bench.program.agentTests.watch(bench.folder, (change) => {
    if (!('cases' in change)) progress.push(...change.attempts.map(({ state }) => state))
  })
  const runId = await bench.begin({ attempts: 6 })
  const begun = async () =>
    (await bench.results()).attempts.filter(({ conversationId }) => conversationId !== null)
  await expect.poll(begun).toHaveLength(3)
  await expect(bench.begin({ attempts: 1 })).rejects.toThrow('busy')
  expect(await bench.program.handlers['agentTests.stop']({ folder: bench.folder, runId })).toMatchObject({
    ok: true,
  })
  const { runs } = await bench.results()
  expect(runs[0]).toMatchObject({ state: 'stopped', because: 'You stopped the run.' })
  expect(bench.attemptFolders()).toEqual([])
  expect(progress.filter((state) => state === 'waiting')).toHaveLength(6)
  expect(progress.filter((state) => state === 'stopped')).toHaveLength(6)
})

test('what can’t be run is refused before', async () => {
  const bench = await testBench(() => 'hello')
  await expect(bench.begin()).rejects.toThrow('no-cases: There is no case for reviewer.')
  await expect(bench.begin({ caseFiles: [`${CASES}/x.yaml`] })).rejects.toThrow('x.yaml is gone')
  await bench.write(oneCase.files)
  await expect(bench.begin({ versions: [draft('no definition')] })).rejects.toThrow('unreadable')
  await expect(bench.begin({ agent: 'reviewr' })).rejects.toThrow('no-cases')
})

test('a line that was cut off hides no other one', async () => {
  const bench = await testBench(() => 'hello', oneCase)
  await bench.run({ attempts: 2 })
  const file = `${projectFolder(bench.dataFolder, bench.folder).path}/agent-tests.jsonl`
  const text = readFileSync(file, 'utf8')
  // The end of the run is cut off.
  truncateSync(file, text.trimEnd().lastIndexOf('\n') + 20)
  await bench.restart()
  expect((await bench.results()).attempts).toHaveLength(2)
  appendFileSync(file, '{"v":1,"attempt":')
  const { run } = await bench.run({ attempts: 3 })
  expect(run.reused).toBe(2)
  await bench.restart()
  const { runs, attempts } = await bench.results()
  expect(attempts).toHaveLength(3)
  expect(runs.map(({ state }) => state)).toEqual(['ended', 'interrupted'])
})

test('a run that the end of the program interrupted goes on with the rest, each attempt once', async () => {
  let calls = 0
  const bench = await testBench(
    (request) => {
      calls++
      return hasResult(request) ? 'hello' : tool('Glob', { pattern: '*' })
    },
    { ...oneCase, settings: { maxParallelAgents: 4 } },
  )
  const before = bench.traces()
  const runId = await bench.begin({ attempts: 30, versions: [inUse, draft(reviewer('Be other.'))] })
  const passed = async () => (await bench.results()).attempts.filter(({ state }) => state === 'passed').length
  await expect.poll(passed).toBeGreaterThan(10)
  await bench.restart()
  const interrupted = await bench.results()
  expect(interrupted.runs[0]).toMatchObject({ id: runId, state: 'interrupted' })
  const made = interrupted.attempts.length
  expect(made).toBeGreaterThan(10)
  expect(made).toBeLessThan(60)
  // What is in use now is not what the run began with.
  await bench.write({ '.claude/agents/reviewer.md': reviewer('Be quite other.') })
  resultOf(await bench.program.handlers['agentTests.resume']({ folder: bench.folder, runId }))
  await bench.program.agentTests.runs.ended(runId)
  const { runs, attempts } = await bench.results()
  expect(runs).toHaveLength(1)
  expect(runs[0]).toMatchObject({ state: 'ended', reused: 0 })
  expect(attempts.map(({ state }) => state)).toEqual(Array(60).fill('passed'))
  expect(new Set(attempts.map(({ versionId, number }) => `${versionId} ${number}`)).size).toBe(60)
  expect(calls).toBeLessThanOrEqual(120 + 16)
  expect(bench.attemptFolders()).toEqual([])
  bench.git('checkout', '-q', '--', '.claude')
  expect(bench.traces()).toEqual(before)
})

test('while another program runs cases of the folder, none begins here', async () => {
  const bench = await testBench(() => 'hello', oneCase)
  const { run } = await bench.run()
  const file = `${projectFolder(bench.dataFolder, bench.folder).path}/agent-tests.jsonl`
  const line = (owner: object) =>
    `${JSON.stringify({ v: 1, run: { ...run, id: 'other', state: 'running' }, owner, isFresh: false })}\n`
  // The process that started this one.
  const other = await identityOf(process.ppid)
  appendFileSync(file, line(other))
  await expect(bench.begin({ attempts: 2 })).rejects.toThrow('busy')
  appendFileSync(file, line({ ...other, start: 'an earlier one' }))
  await bench.run({ attempts: 2 })
})
