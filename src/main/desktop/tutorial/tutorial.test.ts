import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { LoggedEvent } from '../../../shared/events/conversation-event.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { sampleEvent } from '../../../shared/testing/sample-events.ts'
import type { TutorialState } from '../../../shared/tutorial/tutorial.ts'
import { createTutorial } from './tutorial.ts'

const sent = sampleEvent('user-message', { agentId: 'a-main', from: 'user' })
const answered = sampleEvent('permission-answered', { decision: 'deny', answeredBy: undefined })

let base: string
let logged: LoggedEvent[]
let pushed: (TutorialState | null)[]
let known: Set<string>
let copies: number
let sample: () => Promise<
  ReturnType<typeof ok<string>> | ReturnType<typeof fail<{ type: string; message: string }>>
>
const kill = vi.fn()
const errors = vi.fn()

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'troupe-tutorial-'))
  onTestFinished(() => rm(base, { recursive: true, force: true, maxRetries: 5 }))
  logged = []
  pushed = []
  known = new Set()
  copies = 0
  kill.mockClear()
  errors.mockClear()
  sample = async () => {
    copies += 1
    const folder = join(base, `Troupe sample ${copies}`)
    await mkdir(join(folder, '.git'), { recursive: true })
    return ok(folder)
  }
})

/** A program that has what the tutorial asks for. */
const program = async () =>
  ({
    runtime: {
      dispatch: async ({ type, folder }: { type: string; folder: string }) => {
        if (type === 'conversation.create') known.add(`c-${copies}`)
        return ok({ id: `c-${copies}`, folder })
      },
    },
    store: {
      read: async (id: string) => (known.has(id) ? ok({}) : fail({ type: 'not-found', message: 'gone' })),
      async *readConversation() {
        yield ok(logged)
      },
    },
    review: { list: async () => ({ worktrees: [], problem: null }) },
    handlers: { 'folder.trust': async () => ok({}) },
  }) as never

const open = (file = join(base, 'tutorial.json')) =>
  createTutorial({
    ...{ file, program, copySample: () => sample() as never, kill },
    push: (state) => pushed.push(state),
    log: { error: errors } as never,
  })

const event = (one: LoggedEvent, conversationId = 'c-1') =>
  ({ type: 'event', conversationId, event: one }) as never
const value = async (answer: Promise<{ ok: boolean; value?: TutorialState | null }>) => (await answer).value

test('the first start makes a copy and a conversation; the second one continues it', async () => {
  const { handlers } = open()
  const [first, second] = await Promise.all([
    handlers['tutorial.start']({ again: false }),
    handlers['tutorial.start']({ again: false }),
  ])
  expect(first).toEqual(second)
  expect(first).toMatchObject({
    ok: true,
    value: { conversationId: 'c-1', done: [], isLeft: false, hasGit: true },
  })
  expect(await handlers['tutorial.start']({ again: false })).toEqual(first)
  expect(copies).toBe(1)
  expect(await value(handlers['tutorial.start']({ again: true }))).toMatchObject({ conversationId: 'c-2' })
})

test('events of its conversation complete steps; those of others do not', async () => {
  const tutorial = open()
  await tutorial.handlers['tutorial.start']({ again: false })
  tutorial.onDelta(event(sent, 'c-other'))
  tutorial.onDelta(event(answered))
  expect(pushed.at(-1)?.done).toEqual(['answer'])
  tutorial.onDelta(event(sent))
  expect(pushed.at(-1)?.done).toEqual(['send', 'answer'])
  tutorial.onWorktrees([{ conversationId: 'c-other', merged: {} }] as never)
  expect(pushed.at(-1)?.done).toEqual(['send', 'answer'])
  tutorial.onWorktrees([{ conversationId: 'c-1', merged: {} }] as never)
  expect(pushed.at(-1)?.done).toEqual(['send', 'answer', 'merge'])
})

test('a merge counts at once, also where the worktree is gone before it is listed', async () => {
  const tutorial = open()
  await tutorial.handlers['tutorial.start']({ again: false })
  tutorial.onMerged('/elsewhere')
  expect(pushed.at(-1)?.done).toEqual([])
  tutorial.onMerged(join(base, 'Troupe sample 1'))
  tutorial.onWorktrees([])
  expect(pushed.at(-1)?.done).toEqual(['merge'])
  await tutorial.handlers['tutorial.skip']({ step: 'undo' })
  expect(await value(open().handlers['tutorial.state']({}))).toMatchObject({ done: ['merge'] })
})

test('progress survives a restart: from the log, and what was merged, skipped and left from the file', async () => {
  const before = open()
  await before.handlers['tutorial.start']({ again: false })
  before.onWorktrees([{ conversationId: 'c-1', merged: {} }] as never)
  await before.handlers['tutorial.skip']({ step: 'undo' })
  await before.handlers['tutorial.leave']({})
  logged = [sent]
  const after = open()
  expect(await value(after.handlers['tutorial.state']({}))).toMatchObject({
    ...{ done: ['send', 'merge'], skipped: ['undo'], isLeft: true },
  })
  expect(await value(after.handlers['tutorial.start']({ again: false }))).toMatchObject({
    ...{ conversationId: 'c-1', isLeft: false },
  })
})

test('a skipped step that the user does later is done', async () => {
  const tutorial = open()
  await tutorial.handlers['tutorial.start']({ again: false })
  await tutorial.handlers['tutorial.skip']({ step: 'answer' })
  tutorial.onDelta(event(answered))
  expect(pushed.at(-1)).toMatchObject({ done: ['answer'], skipped: [] })
})

test('a new one begins where the conversation is in the trash or the folder is deleted', async () => {
  const { handlers } = open()
  await handlers['tutorial.start']({ again: false })
  known.clear()
  expect(await value(open().handlers['tutorial.state']({}))).toBe(null)
  expect(await value(handlers['tutorial.start']({ again: false }))).toMatchObject({ conversationId: 'c-2' })
  await rm(join(base, 'Troupe sample 2'), { recursive: true })
  expect(await value(handlers['tutorial.start']({ again: false }))).toMatchObject({ conversationId: 'c-3' })
})

test('the trash takes the guide away', async () => {
  const tutorial = open()
  await tutorial.handlers['tutorial.start']({ again: false })
  tutorial.onDelta({ type: 'conversation-gone', conversationId: 'c-1' } as never)
  expect(pushed.at(-1)).toBe(null)
})

test('a disk that takes no copy is an answer, and an unwritable file costs nothing now', async () => {
  sample = async () =>
    fail({ type: 'no-sample', message: 'The sample project could not be copied: no space.' })
  expect(await open().handlers['tutorial.start']({ again: false })).toMatchObject({
    ok: false,
    failure: { type: 'no-sample' },
  })
  await writeFile(join(base, 'file'), '')
  sample = async () => ok(base)
  const tutorial = open(join(base, 'file', 'tutorial.json'))
  expect((await tutorial.handlers['tutorial.start']({ again: false })).ok).toBe(true)
  expect(errors).toHaveBeenCalled()
  tutorial.onDelta(event(sent, 'c-0'))
  expect(pushed.at(-1)?.done).toEqual(['send'])
})

test('a damaged file is as none', async () => {
  await writeFile(join(base, 'tutorial.json'), '{"conversationId":')
  expect(await open().handlers['tutorial.state']({})).toEqual(ok(null))
  expect(await readFile(join(base, 'tutorial.json'), 'utf8')).toBe('{"conversationId":')
})

test('the program ends only while a tutorial is open', async () => {
  const { handlers } = open()
  expect(await handlers['tutorial.endProgram']({})).toMatchObject({
    ok: false,
    failure: { type: 'not-found' },
  })
  expect(kill).not.toHaveBeenCalled()
  await handlers['tutorial.start']({ again: false })
  await handlers['tutorial.endProgram']({})
  expect(kill).toHaveBeenCalledOnce()
})
