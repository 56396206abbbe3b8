/** Several processes on one mailbox, some of which are killed: no letter is lost, halved or given to two. */
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../transcripts/testing/temp-folder.ts'
import { createMaildirMailbox } from './maildir-mailbox.ts'
import { startChild } from './testing/child-process.ts'
import { longLetter, sampleLetter } from './testing/sample-letters.ts'

/** Processes are started one after the other, on a machine that may be busy. In ms. */
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

/** Somewhere between two of the other process's steps. */
async function anyMoment(): Promise<void> {
  for (let left = random(40); left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

test('of what four write and two take at once, each letter is in the hands of exactly one', {
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
  // Neither was ever given one that the other had.
  const given = new Set(one.did('take'))
  expect(other.did('take').filter((id) => given.has(id))).toEqual([])
  expect(await openMailbox(folder).ids()).toEqual([])
})

test('a writer that is killed at any moment leaves no half letter, and none it was told is there is lost', {
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
    for (const letter of taken) expect(letter).toEqual(longLetter(letter.messageId))
    const ids = new Set(taken.map(({ messageId }) => messageId))
    expect(writer.did('put').filter((id) => !ids.has(id))).toEqual([])
    await openMailbox(folder).mailbox.done('scout', [...ids])
  }
  expect(problems).toEqual([])
})

test('what a killed taker was not done with is given again, what it was done with is not', {
  timeout: LONG,
}, async () => {
  const folder = await tempFolder()
  const { mailbox, problems, ids } = openMailbox(folder)
  for (let round = 0; round < 6; round++) {
    const sent = Array.from({ length: 30 }, (_, number) => `m-${number}`).sort()
    for (const id of sent) await mailbox.put(sampleLetter(id))
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
    // One may be gone that it had no time to tell of.
    expect([...left, ...done].length).toBeGreaterThanOrEqual(sent.length - 1)
    await mailbox.done('scout', left)
  }
  expect(problems).toEqual([])
})

test('what a living process has taken is its own, also where it was put again, until it dies', async () => {
  const folder = await tempFolder()
  const { mailbox, ids } = openMailbox(folder)
  for (const id of ['m-1', 'm-2', 'm-3']) await mailbox.put(sampleLetter(id))
  const taker = startChild(folder)
  taker.tell({ do: 'take' })
  await taker.until(() => taker.did('take').length > 0)
  await mailbox.put(sampleLetter('m-1'))
  await mailbox.put(sampleLetter('m-4'))
  expect(await ids()).toEqual(['m-4'])
  taker.tell({ do: 'done', ids: ['m-1'] })
  await taker.until(() => taker.did('done').length > 0)
  await taker.kill()
  expect(await ids()).toEqual(['m-2', 'm-3', 'm-4'])
})

test.each([process.pid, process.ppid])(
  'a letter of a process whose pid is another’s by now is given',
  async (pid) => {
    const folder = await tempFolder()
    const { mailbox, ids } = openMailbox(folder)
    await mailbox.put(sampleLetter('m-1'))
    await ids()
    const cur = join(folder, 'scout/cur')
    const [taken = ''] = await readdir(cur)
    await rename(join(cur, taken), join(cur, `m-1.json,${pid}-boot.1`))
    expect(await ids()).toEqual(['m-1'])
  },
)

test('a disk that takes no more is told in words, and nothing half is left', async () => {
  const folder = await tempFolder()
  const writer = startChild(folder, { shell: 'ulimit -S -f 50; exec' })
  writer.tell({ do: 'put', writer: 'w', count: 1 })
  await writer.until(() => writer.problems.length > 0)
  expect(writer.problems).toEqual([
    expect.stringMatching(/to scout can’t be put in its mailbox: .*is reached .* raise the limit/),
  ])
  expect(await readdir(join(folder, 'scout/tmp'))).toEqual([])
  expect(await openMailbox(folder).ids()).toEqual([])
})
