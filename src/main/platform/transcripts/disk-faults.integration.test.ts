import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, realpath, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { ok } from '../../../shared/kernel/result.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import type { Script } from '../../runtime/testing/scripted-model.ts'
import { lastWords } from '../../runtime/testing/scripted-model.ts'
import { createTestRuntime, type TestRuntime } from '../../runtime/testing/test-runtime.ts'
import { realTroupe } from '../../testing/real-troupe.ts'
import { createNodeFileSystem } from '../files/node-file-system.ts'
import { createShell } from '../shell/create-shell.ts'
import { createSystemClock } from '../system/machine-time.ts'
import { createTranscriptStore } from './create-transcript-store.ts'
import { createMoodyDisk, type Mood } from './testing/moody-disk.ts'

const clock = createSystemClock()

async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-faults-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A separate disk of this size in MB; only root can mount one. */
async function smallDisk(): Promise<string> {
  const folder = await tempFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'troupe-test', folder])
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return folder
}

/** Fills a disk. @returns a function that frees the space */
async function fill(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'ballast')
  await writeFile(path, Buffer.alloc(8 * 1024 * 1024)).catch((error: { code?: string }) => {
    if (error.code !== 'ENOSPC') throw error
  })
  return () => unlink(path)
}

const isMain = (request: { system: string }) => request.system.includes('You are the main agent.')

/** Three agents of three turns each; the fault begins with the first request of the first agent. */
function working(diskFault: () => Promise<unknown>): Script {
  let begun = false
  return async (request) => {
    const said = request.messages.filter((message) => message.role === 'assistant').length
    if (isMain(request))
      return said > 0
        ? { text: 'All have reported.' }
        : {
            calls: ['one', 'two', 'three'].map((task) => [
              'Agent',
              { description: task, prompt: `Do ${task}.` },
            ]),
          }
    if (!begun) {
      begun = true
      await diskFault()
    }
    if (said === 3) return { text: `report: ${lastWords(request)}` }
    return {
      text: `Turn ${said + 1}. ${'words '.repeat(200)}`,
      calls: [['Bash', { command: `echo ${said}` }]],
    }
  }
}

/** Resolves with the failure when agents wait because their log can't be written. */
function paused(troupe: TestRuntime): Promise<{
  readonly conversationId: string
  readonly agentIds: readonly string[]
  readonly message: string
}> {
  return new Promise((resolve) => {
    troupe.runtime.subscribe((delta) => {
      if (delta.type === 'write-failure' && delta.agentIds.length > 0) resolve(delta)
    })
  })
}

/** All data on the disk, read by a second store. */
async function onDisk(dataFolder: string): Promise<ReadonlyMap<string, readonly AgentEvent[]>> {
  const store = createTranscriptStore({ dataFolder, clock })
  const logs = new Map<string, AgentEvent[]>()
  for (const id of await readdir(join(dataFolder, 'tasks'))) {
    const events: AgentEvent[] = []
    for await (const page of store.events(id)) {
      if (!page.ok) throw new Error(page.failure.message)
      events.push(...page.value)
    }
    logs.set(id, events)
  }
  return logs
}

/** Every published event is on disk, in its position, exactly once. */
async function expectWhole(troupe: TestRuntime, dataFolder: string): Promise<void> {
  const logs = await onDisk(dataFolder)
  for (const [id, events] of logs)
    expect(events).toEqual(troupe.events.filter((event) => event.agentId === id))
  expect([...logs.values()].flat()).toHaveLength(troupe.events.length)
  expect(troupe.events.filter((event) => event.type === 'tool-ended' && event.name === 'Bash')).toHaveLength(
    9,
  )
}

const runtimeOn = (store: TranscriptStore, script: Script) => createTestRuntime({ script, ports: { store } })

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

describe('the disk of the data folder', () => {
  test.skipIf(!isRoot)(
    'is full: the agents wait, a failed retry changes nothing, and with free space everything is written',
    async () => {
      const disk = await smallDisk()
      const dataFolder = join(disk, 'data')
      let giveBack = async () => {}
      const troupe = runtimeOn(
        createTranscriptStore({ dataFolder, clock }),
        working(async () => {
          giveBack = await fill(disk)
        }),
      )
      const waiting = paused(troupe)
      const id = await troupe.begin('Go')
      expect((await waiting).message).toMatch(/the disk is full \(.*\)\. Free some space, then try again\./)
      const [agentId] = (await waiting).agentIds
      const done = () => troupe.events.filter((event) => event.agentId === agentId).length
      const before = done()
      expect(
        await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id }),
      ).toMatchObject({ ok: false, failure: { type: 'disk-full' } })
      expect(done()).toBe(before)
      await giveBack()
      expect(await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })).toEqual({
        ok: true,
        value: undefined,
      })
      expect((await troupe.runtime.settled(id)).lastLine).toBe('All have reported.')
      await troupe.runtime.close()
      await expectWhole(troupe, dataFolder)
    },
  )

  test.for([
    ['EIO', 'the disk reported an error', 'Check that it is connected'],
    ['EROFS', 'the disk is read-only', 'Make it writable again'],
    ['EACCES', 'you are not allowed to use this file', 'Check who owns it'],
    ['ENOSPC', 'the disk is full', 'Free some space'],
  ] as const)('fails twice with %s', async ([code, why, todo]) => {
    const dataFolder = join(await tempFolder(), 'data')
    const disk = createMoodyDisk()
    const troupe = runtimeOn(
      createTranscriptStore({ dataFolder, clock, openFile: disk.open }),
      working(async () => {
        disk.moods.push(...Array.from({ length: 6 }, (): Mood => code))
      }),
    )
    const waiting = paused(troupe)
    const id = await troupe.begin('Go')
    const { message } = await waiting
    expect(message).toContain(why)
    expect(message).toContain(todo)
    const done = troupe.runtime.settled(id)
    const tried = await retryUntil(done, troupe, id)
    expect((await done).lastLine).toBe('All have reported.')
    expect(tried).toBeGreaterThan(1)
    await troupe.runtime.close()
    await expectWhole(troupe, dataFolder)
  })

  test('fails when a conversation is opened: the next try opens it', async () => {
    const dataFolder = join(await tempFolder(), 'data')
    const begun = runtimeOn(createTranscriptStore({ dataFolder, clock }), () => ({ text: 'Begun.' }))
    const id = await begun.begin('Go')
    await begun.runtime.settled(id)
    await begun.runtime.close()

    const store = createTranscriptStore({ dataFolder, clock })
    let isFull = true
    const again = runtimeOn(
      {
        ...store,
        open: async (...given) => {
          const opened = await store.open(...given)
          if (!opened.ok || !isFull) return opened
          const get = () => {
            throw new Error('ENOSPC: no space left on device')
          }
          return ok(Object.create(opened.value, { states: { get } }))
        },
      },
      () => ({ text: 'Still here.' }),
    )
    await expect(again.say(id, 'And now?')).rejects.toThrow('ENOSPC')
    isFull = false
    await again.say(id, 'And now?')
    expect((await again.runtime.settled(id)).lastLine).toBe('Still here.')
    await again.runtime.close()
  })

  test('disappears with its content: the retry writes everything again', async () => {
    const dataFolder = join(await tempFolder(), 'data')
    const troupe = runtimeOn(
      createTranscriptStore({ dataFolder, clock }),
      working(async () => {
        // Rename first: running agents would add files to the folder during its removal.
        await rename(dataFolder, `${dataFolder}-gone`)
        await rm(`${dataFolder}-gone`, { recursive: true })
      }),
    )
    const waiting = paused(troupe)
    const id = await troupe.begin('Go')
    expect((await waiting).message).toContain('Put it back if you moved it, then try again')
    const done = troupe.runtime.settled(id)
    await retryUntil(done, troupe, id)
    expect((await done).lastLine).toBe('All have reported.')
    await troupe.runtime.close()
    await expectWhole(troupe, dataFolder)
    const again = runtimeOn(createTranscriptStore({ dataFolder, clock }), () => ({ text: 'Still here.' }))
    await again.say(id, 'And now?')
    expect((await again.runtime.settled(id)).lastLine).toBe('Still here.')
    await again.runtime.close()
  })
})

test('the working folder is deleted: tools report it, agent and conversation continue', async () => {
  const base = await tempFolder()
  const folder = join(base, 'project')
  await mkdir(folder)
  const shell = createShell({ environment: { PATH: process.env['PATH'] ?? '' } })
  onTestFinished(() => shell.killAll())
  const files = createNodeFileSystem()
  const store = () => createTranscriptStore({ dataFolder: join(base, 'data'), clock })
  const troupe = createTestRuntime({
    policy: { bypassAllowed: () => true, trusted: () => true },
    ports: { store: store(), files, shell: shell.shell },
    script: async (request) => {
      const said = request.messages.filter((message) => message.role === 'assistant').length
      if (said > 0) return { text: `Heard: ${lastWords(request)}` }
      await rm(folder, { recursive: true })
      return {
        calls: [
          ['Bash', { command: 'ls' }],
          ['Read', { file_path: 'a.ts' }],
        ],
      }
    },
  })
  const id = await troupe.begin('Go', { folder, permissionMode: 'bypassPermissions' })
  const state = await troupe.runtime.settled(id)
  expect(state.status).toBe('waiting')
  const ended = troupe.events.flatMap((event) => (event.type === 'tool-ended' ? [event] : []))
  expect(ended.map(({ isError }) => isError)).toEqual([true, true])
  expect(String(ended[0]?.content)).toContain(`The folder ${folder} is gone`)
  expect(String(ended[1]?.content)).toContain('does not exist')
  await troupe.runtime.close()

  const again = createTestRuntime({
    ports: { store: store(), files },
    script: () => ({ text: 'Still here.' }),
  })
  await again.say(id, 'And now?')
  expect((await again.runtime.settled(id)).lastLine).toBe('Still here.')
  await again.runtime.close()
})

test.skipIf(!isRoot)('`troupe run` says why nothing can be saved, stops, and ends with 1', async () => {
  let diskFault: () => Promise<unknown> = async () => {}
  const troupe = await realTroupe({
    reply: async ({ messages }) => {
      if (messages.length > 1) return { blocks: [{ type: 'text', text: 'Done.' }] }
      await diskFault()
      return {
        blocks: [{ type: 'tool_use', name: 'TodoWrite', input: { todos: [todoOf('x'.repeat(20_000))] } }],
      }
    },
  })
  onTestFinished(() => troupe.close())
  const disk = join(troupe.home, 'tasks')
  await mkdir(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'troupe-test', disk])
  onTestFinished(() => void execFileSync('umount', ['-l', disk]))
  diskFault = () => fill(disk)
  const { code, errors } = await troupe.start(['run', 'Go', '--trust']).ended
  expect(errors).toMatch(/the disk is full \(.*\)\. Free some space, then try again\./)
  expect(code).toBe(1)
})

const todoOf = (content: string) => ({ content, status: 'pending' })

/** Retries, as a user would, while agents wait. @returns the number of retries */
async function retryUntil(done: Promise<unknown>, troupe: TestRuntime, id: string): Promise<number> {
  let isDone = false
  void done.then(() => {
    isDone = true
  })
  let waits = true
  troupe.runtime.subscribe((delta) => {
    if (delta.type === 'write-failure') waits = delta.agentIds.length > 0
  })
  let tried = 0
  while (!isDone) {
    if (waits) {
      tried++
      await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return tried
}
