/** What was sent is on the disk until it has arrived, in order, for the next run of the program. */

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openOutbox } from './outbox.ts'
import { sampleJob } from './testing/sample-job.ts'

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-outbox-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const pause = (paused: boolean) => ({ type: 'pause' as const, paused })

test('jobs and commands are there after a restart; numbers go on after the last one was carried out', async () => {
  const folder = await temporary()
  const first = await openOutbox(folder, () => {}, randomUUID)
  await Promise.all([first.addJob(sampleJob('a-1')), first.addJob(sampleJob('a-2'))])
  await Promise.all([true, false, true].map((paused) => first.addCommand('a-1', pause(paused))))
  first.setState(sampleJob('a-2'), 'taken')
  await first.settled()
  const second = await openOutbox(folder, () => {}, randomUUID)
  expect(second.size()).toBe(4)
  expect(second.commands('a-1').waiting).toEqual([
    { number: 1, command: pause(true) },
    { number: 2, command: pause(false) },
    { number: 3, command: pause(true) },
  ])
  expect(second.job('a-2')).toMatchObject({ state: 'taken', job: sampleJob('a-2') })
  await second.commandsDone('a-1', 3)
  const third = await openOutbox(folder, () => {}, randomUUID)
  expect(third.commands('a-1').waiting).toEqual([])
  expect(await third.addCommand('a-1', pause(true))).toMatchObject({ number: 4 })
})

test('a damaged file is reported and left, and the others are read', async () => {
  const folder = await temporary()
  const first = await openOutbox(folder, () => {}, randomUUID)
  await first.addJob(sampleJob('a-1'))
  await writeFile(join(folder, 'jobs', 'a-2.json'), '{"job":')
  const problems: string[] = []
  const second = await openOutbox(folder, (problem) => problems.push(problem), randomUUID)
  expect(second.job('a-1')).not.toBeNull()
  expect(problems).toEqual([
    `${join(folder, 'jobs', 'a-2.json')} can’t be read. The job or messages in it are not sent.`,
  ])
})

test('an old job’s state does not change the new one', async () => {
  const outbox = await openOutbox(await temporary(), () => {}, randomUUID)
  await outbox.addJob(sampleJob('a-1', { jobId: 'j-2' }))
  outbox.setState({ agentId: 'a-1', jobId: 'j-1' }, 'over')
  expect(outbox.job('a-1')?.state).toBe('waiting')
})
