/** Several processes share a mailbox, and some are killed: no message is lost, truncated or delivered twice. */
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../platform/transcripts/testing/temp-folder.ts'
import { createMaildirMailbox } from './maildir-mailbox.ts'
import { startChild } from './testing/child-process.ts'
import { longMailboxMessage, sampleMailboxMessage } from './testing/sample-messages.ts'

/** Processes start one after another on a machine that may be busy. In ms. */
const LONG = 120_000

const random = (below: number) => Math.floor(Math.random() * below)

function openMailbox(folder: string) {
  const problems: string[] = []
  const mailbox = createMaildirMailbox({ folder, onProblem: (problem) => problems.push(problem) })
  const take = async () => {
    const taken = await mailbox.take('scout')
    if (!taken.ok) throw new Error(taken.failure.message)
    return taken.value
  }
  const ids = async () => (await take()).map(({ messageId }) => messageId).sort()
  return { mailbox, problems, take, ids }
}

/** A random delay, to land between two steps of the other process. */
async function anyMoment(): Promise<void> {
  for (let left = random(40); left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

test('four writers and two takers at once: exactly one taker gets each message', {
  timeout: LONG,
}, async () => {
  const folder = await tempFolder()
  const writers = ['w1', 'w2', 'w3', 'w4']
  const sent = writers.flatMap((writer) => Array.from({ length: 50 }, (_, number) => `${writer}-${number}`))
  const one = startChild(folder)
  const other = startChild(folder)
  for (const taker of [one, other]) taker.tell({ do: 'take-for-ever' })
  const children = writers.map((writer) => {
    const child = startChild(folder)
    child.tell({ do: 'put', writer, count: 50 })
    return child
  })
  const all = [one, other, ...children]
  const done = () => [...one.did('done'), ...other.did('done')]
  await one.until(() => done().length >= sent.length || all.some(({ problems }) => problems.length > 0))
  for (const child of all) await child.kill()
  expect(all.flatMap(({ problems }) => problems)).toEqual([])
  expect(children.flatMap((child) => child.did('put')).sort()).toEqual([...sent].sort())
  expect(done().sort()).toEqual([...sent].sort())
  // No message was delivered to both takers.
  const given = new Set(one.did('take'))
  expect(other.did('take').filter((id) => given.has(id))).toEqual([])
  expect(await openMailbox(folder).ids()).toEqual([])
})

test('a killed writer leaves no partial message and loses no confirmed message', {
  timeout: LONG,
}, async () => {
  const folder = await tempFolder()
  const { problems, take } = openMailbox(folder)
  for (let round = 0; round < 12; round++) {
    const writer = startChild(folder)
    for (const name of ['a', 'b', 'c']) writer.tell({ do: 'put', writer: `${round}${name}`, count: 1000 })
    const enough = random(12)
    await writer.until(() => writer.did('put').length >= enough)
    await anyMoment()
    await writer.kill()
    expect(writer.problems).toEqual([])
    const taken = await take()
    for (const message of taken) expect(message).toEqual(longMailboxMessage(message.messageId))
    const ids = new Set(taken.map(({ messageId }) => messageId))
    expect(writer.did('put').filter((id) => !ids.has(id))).toEqual([])
    await openMailbox(folder).mailbox.done('scout', [...ids])
  }
  expect(problems).toEqual([])
})

test('the unfinished messages of a killed taker are delivered again, the finished ones are not', {
  timeout: LONG,
}, async () => {
  const folder = await tempFolder()
  const { mailbox, problems, ids } = openMailbox(folder)
  for (let round = 0; round < 6; round++) {
    const sent = Array.from({ length: 30 }, (_, number) => `m-${number}`).sort()
    for (const id of sent) await mailbox.put(sampleMailboxMessage(id))
    const taker = startChild(folder)
    taker.tell({ do: 'take-for-ever' })
    const enough = random(sent.length)
    await taker.until(() => taker.did('done').length >= enough)
    await anyMoment()
    await taker.kill()
    expect(taker.problems).toEqual([])
    const left = await ids()
    const done = new Set(taker.did('done'))
    expect(left.filter((id) => done.has(id))).toEqual([])
    // One message may be finished without a report.
    expect([...left, ...done].length).toBeGreaterThanOrEqual(sent.length - 1)
    await mailbox.done('scout', left)
  }
  expect(problems).toEqual([])
})

test('a taken message belongs to its process until the process dies, even if put again', async () => {
  const folder = await tempFolder()
  const { mailbox, ids } = openMailbox(folder)
  for (const id of ['m-1', 'm-2', 'm-3']) await mailbox.put(sampleMailboxMessage(id))
  const taker = startChild(folder)
  taker.tell({ do: 'take' })
  await taker.until(() => taker.did('take').length > 0)
  await mailbox.put(sampleMailboxMessage('m-1'))
  await mailbox.put(sampleMailboxMessage('m-4'))
  expect(await ids()).toEqual(['m-4'])
  taker.tell({ do: 'done', ids: ['m-1'] })
  await taker.until(() => taker.did('done').length > 0)
  await taker.kill()
  expect(await ids()).toEqual(['m-2', 'm-3', 'm-4'])
})

test.each([process.pid, process.ppid])(
  'a message of a dead process is delivered even if its pid was reused',
  async (pid) => {
    const folder = await tempFolder()
    const { mailbox, ids } = openMailbox(folder)
    await mailbox.put(sampleMailboxMessage('m-1'))
    await ids()
    const cur = join(folder, 'scout/cur')
    const [taken = ''] = await readdir(cur)
    await rename(join(cur, taken), join(cur, `m-1.json,${pid}-boot.1`))
    expect(await ids()).toEqual(['m-1'])
  },
)

test('a write beyond the quota is reported, and no partial message remains', async () => {
  const folder = await tempFolder()
  const writer = startChild(folder, { shell: 'ulimit -S -f 50; exec' })
  writer.tell({ do: 'put', writer: 'w', count: 1 })
  await writer.until(() => writer.problems.length > 0)
  expect(writer.problems).toEqual([
    expect.stringMatching(/to scout can’t be put in its mailbox: your quota .*is used up .* raise the quota/),
  ])
  expect(await readdir(join(folder, 'scout/tmp'))).toEqual([])
  expect(await openMailbox(folder).ids()).toEqual([])
})
