import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGrid } from '../../../shared/agent-tests/grid.ts'
import { readCaseFile } from '../../../shared/agent-tests/read-case-file.ts'
import { createConversationTrash } from '../../platform/transcripts/conversation-trash.ts'
import { beginConversation } from '../../runtime/testing/event-watch.ts'
import { dropTranscripts } from './feature.ts'
import { CASES, draft, hasResult, inUse, resultOf, reviewer, testBench, tool } from './testing/test-bench.ts'

const passing = 'name: Says hello\ntask: Say hello.\nchecks:\n  - report-contains: hello\n'

test('a folder’s agents, cases, problems, runs and attempts; a version that is no longer in use has its day', async () => {
  const bench = await testBench(() => 'hello', {
    files: {
      [`${CASES}/a.yaml`]: passing,
      [`${CASES}/wrong.yaml`]: 'task: a\n',
      [`.claude/agent-tests/gone/x.yaml`]: passing,
    },
  })
  const state = () => bench.program.agentTests.state(bench.folder)
  await bench.run()
  const first = await state()
  expect(first.refusal).toBe(null)
  expect(first.agents.filter(({ cases }) => cases > 0)).toEqual([
    { name: 'gone', cases: 1 },
    { name: 'reviewer', cases: 1 },
  ])
  expect(first.agents.map(({ name }) => name)).toContain('main')
  expect(first.problems.map(({ file }) => file)).toEqual([`${CASES}/wrong.yaml`])
  expect(first.runs[0]?.versions[0]).toMatchObject({ title: 'In use', ref: inUse })
  await bench.write({ '.claude/agents/reviewer.md': reviewer('Be new.') })
  await bench.run()
  const titles = (await state()).runs.map(({ versions }) => versions[0]?.title)
  expect(titles).toEqual(['In use', expect.stringMatching(/^[A-Z][a-z]{2} \d+$/)])
})

test('a saved or deleted case changes what the window shows', async () => {
  const bench = await testBench(() => 'hello')
  const shown: number[] = []
  const stop = bench.program.agentTests.watch(bench.folder, (change) => {
    if ('cases' in change) shown.push(change.cases.length)
  })
  const { folder } = bench
  const { handlers } = bench.program
  const wrong = resultOf(
    await handlers['agentTests.saveCase']({ folder, agent: 'reviewer', file: null, text: 'task: a\n' }),
  )
  expect(wrong.problems).toHaveLength(1)
  const { file } = resultOf(
    await handlers['agentTests.saveCase']({ folder, agent: 'reviewer', file: null, text: passing }),
  )
  expect(file).toMatch(/says-hello/)
  resultOf(await handlers['agentTests.deleteCase']({ folder, file }))
  expect(shown).toEqual([1, 0])
  stop()
})

test('results as a table, a page, and lines', async () => {
  const bench = await testBench(({ system }) => (system.includes('Be rude.') ? 'no' : 'hello'), {
    files: { [`${CASES}/a.yaml`]: passing },
  })
  const text = (form: 'csv' | 'html' | 'jsonl') =>
    bench.program.agentTests.exported({ folder: bench.folder, agent: 'reviewer', form }).then(resultOf)
  await expect(text('csv')).rejects.toThrow('no results of reviewer')
  await bench.run({ versions: [inUse, draft(reviewer('Be rude.'))], attempts: 2 })
  expect(
    (await text('csv'))
      .trim()
      .split('\n')
      .map((line) => line.split(',')[5]?.trim()),
  ).toEqual([...['state', 'passed', 'passed', 'failed', 'failed']])
  expect(await text('html')).toContain('<td')
  expect(
    (await text('jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).state),
  ).toHaveLength(4)
})

test('a run has the titles that the user knows its versions by, and an edited case compares no earlier attempts', async () => {
  const bench = await testBench(({ system }) => (system.includes('Be rude.') ? 'Go away.' : 'hello'), {
    files: { [`${CASES}/a.yaml`]: passing },
  })
  await bench.run({ attempts: 6 })
  await bench.write({ [`${CASES}/a.yaml`]: `${passing}limits: {turns: 9}\n` })
  const rude = draft(reviewer('Be rude.'), 'Draft without line 11')
  const { run } = await bench.run({ versions: [rude], attempts: 6 })
  expect(run).toMatchObject({
    title: 'Draft without line 11, 6 attempts',
    versions: [{ title: 'Draft without line 11' }],
  })
  const shown = async () => {
    const { cases, runs, attempts } = await bench.program.agentTests.state(bench.folder)
    const versions = runs.flatMap((each) => each.versions).reverse()
    return createGrid({ cases, versions, attempts }).rows[0]?.cells.map(
      ({ counted, judgment }) => `${counted} ${judgment}`,
    )
  }
  expect(await shown()).toEqual(['0 null', '6 null'])
  await bench.run({ attempts: 6 })
  expect((await shown())?.slice(0, 2)).toEqual(['6 null', '6 worse'])
})

test('a case whose file was renamed keeps its results, and a copy of a case has none', async () => {
  const bench = await testBench(() => 'hello', { files: { [`${CASES}/a.yaml`]: passing } })
  const counts = async () => {
    const { cases, runs, attempts } = await bench.program.agentTests.state(bench.folder)
    const { rows } = createGrid({ cases, versions: runs[0]?.versions ?? [], attempts })
    return rows.map((row) => `${row.case.file.slice(CASES.length)} ${row.cells[0]?.counted}`)
  }
  await bench.run({ attempts: 2 })
  await bench.write({ [`${CASES}/copy.yaml`]: passing })
  expect(await counts()).toEqual(['/a.yaml 2', '/copy.yaml 0'])
  rmSync(join(bench.folder, CASES, 'a.yaml'))
  expect(await counts()).toEqual(['/copy.yaml 2'])
})

test('transcripts of attempts are kept up to a number, the newest ones; the results stay', async () => {
  const bench = await testBench(() => 'hello', { files: { [`${CASES}/a.yaml`]: passing } })
  await bench.run({ attempts: 2 })
  const own = await beginConversation(bench.program.runtime, 'Stay.', { folder: bench.folder })
  await bench.program.runtime.settled(own)
  const { attempts } = await bench.run({ attempts: 4 })
  const { store } = bench.program
  await dropTranscripts({ store, trash: createConversationTrash(bench.dataFolder) }, 2)
  const kept = (await store.list()).map(({ id }) => id)
  expect(kept.toSorted()).toEqual([own, ...attempts.map(({ conversationId }) => conversationId)].toSorted())
  const { attempts: all } = await bench.results()
  expect(all).toHaveLength(4)
  const [gone] = all.filter(({ conversationId }) => !kept.includes(conversationId ?? ''))
  const page = await store.page(gone?.agentId ?? '', { before: null, limit: 10 })
  expect(page).toMatchObject({ ok: true, value: { events: [] } })
})

test('a case from an agent: its task, its commit, what it changed and reported, and what it was allowed', async () => {
  const bench = await testBench((request) => {
    if (request.system.includes('You name')) return 'Title'
    return hasResult(request)
      ? 'Fixed the sum in src/sum.ts:12.'
      : tool('Write', { file_path: 'src/sum.ts', content: 'x\n' })
  })
  const id = await beginConversation(bench.program.runtime, 'Fix the sum.\nIt is wrong.', {
    folder: bench.folder,
    permissionMode: 'acceptEdits',
  })
  const { id: agentId } = await bench.program.runtime.settled(id)
  const drafted = resultOf(
    await bench.program.handlers['agentTests.draftCase']({ conversationId: id, agentId }),
  )
  expect(drafted).toMatchObject({ agent: 'main', name: 'Fix the sum' })
  expect(readCaseFile(drafted.text, '.claude/agent-tests/main/x.yaml')).toMatchObject({
    problems: [],
    case: {
      ...{ name: 'Fix the sum', task: 'Fix the sum.\nIt is wrong.', role: 'main' },
      start: { type: 'commit', commit: bench.git('rev-parse', 'HEAD').trim() },
      checks: [
        { type: 'report-contains', text: 'src/sum.ts:12' },
        { type: 'files-changed', paths: ['src/sum.ts'] },
      ],
      permissions: { mode: 'acceptEdits', allow: [], deny: [] },
    },
  })
  expect(
    await bench.program.handlers['agentTests.draftCase']({ conversationId: id, agentId: 'a-none' }),
  ).toMatchObject({
    failure: { type: 'not-found' },
  })
})
