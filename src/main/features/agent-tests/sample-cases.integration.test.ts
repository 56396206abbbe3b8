/** The cases of the sample project as a user of Rehearsal sees them: real agents in real folders, whose model is a script. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGrid } from '../../../shared/agent-tests/grid.ts'
import { loadScenario } from '../rehearsal/scenario.ts'
import { draft, inUse, resultOf, testBench } from './testing/test-bench.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const never = new AbortController().signal

test('a sentence of the definition makes one case better, and another one worse', async () => {
  const survey = resultOf(loadScenario(readFileSync(join(ROOT, 'agents/survey.yaml'), 'utf8')))
  const bench = await testBench(async (request) => (await survey.reply(request, never)).blocks)
  cpSync(join(ROOT, 'sample/project'), bench.folder, { recursive: true })
  bench.git('add', '-A')
  bench.git('commit', '-qm', 'Tally')
  const definition = readFileSync(join(bench.folder, '.claude/agents/bug-finder.md'), 'utf8')
  const changed = definition
    .replace(
      'Follow the amounts',
      'Look at what users type: words where a number belongs.\nFollow the amounts',
    )
    .replace('Report only what you can show in the code', 'Report anything that may become a problem')
  const before = bench.traces()

  const { run, attempts } = await bench.run({
    agent: 'bug-finder',
    versions: [inUse, draft(changed)],
    attempts: 6,
  })
  expect(run).toMatchObject({ state: 'ended', because: null })
  const { cases } = await bench.program.agentTests.state(bench.folder)
  const { rows, totals } = createGrid({ cases, versions: run.versions, attempts })
  const shown = Object.fromEntries(
    rows.map(({ case: { name }, cells }) => [
      name,
      cells.map(({ passed, judgment }) => `${passed} ${judgment ?? ''}`.trim()),
    ]),
  )
  expect(shown).toEqual({
    'Find the ledger that a crash cuts short': ['6', '6'],
    'Find the lost cent': ['6', '6'],
    'Find the share that is no number': ['1', '6 better'],
    'No false alarm on clean code': ['6', '1 worse'],
    'Report as JSON': ['6', '6'],
    'Stays read-only': ['6', '6'],
  })
  expect(totals.map(({ counted, better, worse }) => ({ counted, better, worse }))).toEqual([
    { counted: 36, better: 0, worse: 0 },
    { counted: 36, better: 1, worse: 1 },
  ])
  expect(bench.traces()).toEqual(before)
  expect(bench.attemptFolders()).toEqual([])
})
