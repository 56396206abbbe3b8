import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CaseAttempt } from '../../../shared/agent-tests/agent-tests.ts'
import { createResultsLog } from './results-log.ts'

const attempt = (id: string, state: CaseAttempt['state']) => ({ attempt: { id, state } as CaseAttempt })

function opened() {
  const dataFolder = mkdtempSync(join(tmpdir(), 'troupe-results-'))
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
  const log = createResultsLog(dataFolder)
  const states = async (of = log) =>
    [...(await of.read('/project')).attempts.values()].map(({ id, state }) => `${id} ${state}`)
  return { log, states, file: log.fileOf('/project'), again: () => createResultsLog(dataFolder) }
}

test('the newest state of each counts, also what another process has written', async () => {
  const { log, states, again } = opened()
  expect(await states()).toEqual([])
  await log.append('/project', attempt('a', 'stopped'))
  await again().append('/project', attempt('b', 'failed'))
  expect(await states()).toEqual(['a stopped', 'b failed'])
  await again().append('/project', attempt('a', 'passed'))
  expect(await states()).toEqual(['a passed', 'b failed'])
  expect(await states(again())).toEqual(['a passed', 'b failed'])
})

test('what follows a line that was cut off is whole', async () => {
  const { log, states, file, again } = opened()
  await log.append('/project', attempt('a', 'passed'))
  appendFileSync(file, '{"v":1,"attempt":{"id":"cut')
  expect(await states()).toEqual(['a passed'])
  await log.append('/project', attempt('b', 'passed'))
  expect(await states()).toEqual(['a passed', 'b passed'])
  expect(await states(again())).toEqual(['a passed', 'b passed'])
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4)
})

test('lines of a newer version are left out', async () => {
  const { log, states, file } = opened()
  await log.append('/project', attempt('a', 'passed'))
  appendFileSync(file, '{"v":2,"attempt":{"id":"b","state":"passed"}}\n[]\nnull\n')
  expect(await states()).toEqual(['a passed'])
})
