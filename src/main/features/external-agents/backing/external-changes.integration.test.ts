/** What an external agent changes on the disk: recorded for its calls, and undone. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { UndoScope } from '../../../../shared/changes/changes.ts'
import type { Result } from '../../../../shared/kernel/result.ts'
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { createTranscriptStore } from '../../../platform/transcripts/create-transcript-store.ts'
import { childrenOf, echo } from '../../../runtime/testing/scripts.ts'
import { createExternalRuntime, EXAMPLE_AGENT, type ExternalRuntime } from './testing/external-runtime.ts'

const BEFORE = { 'gone.txt': 'gone\n', 'kept.txt': 'one\n' }
const AFTER = {
  'built.txt': 'built\n',
  'kept.txt': 'ONE\n',
  'secretly.txt': 'untold\n',
  'through.txt': 'through\n',
}

function ground({ repository = true } = {}) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-outsider-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }))
  const folder = join(top, 'project')
  mkdirSync(folder)
  for (const [name, text] of Object.entries(BEFORE)) writeFileSync(join(folder, name), text)
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], { cwd: folder })
  if (repository) {
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'Begin')
  }
  const texts = () =>
    Object.fromEntries(
      readdirSync(folder)
        .filter((name) => name !== '.git')
        .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    )
  return { folder, data: join(top, 'data'), texts }
}

function begun(options: Parameters<typeof createExternalRuntime>[0]): ExternalRuntime {
  const troupe = createExternalRuntime(options)
  onTestFinished(() => troupe.runtime.close())
  return troupe
}

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}

/** What each call changed. A call that was looked at while it worked is listed once for each look. */
async function listed({ changes }: ExternalRuntime, id: string) {
  const { calls } = must(await changes.list({ conversationId: id }))
  const byLabel: Record<string, string[]> = {}
  for (const { label, files } of calls) {
    const shown = files.map((file) => `${file.letter} ${file.shown}`)
    byLabel[label] = [...(byLabel[label] ?? []), ...shown].sort()
  }
  return byLabel
}

async function undo({ changes }: ExternalRuntime, id: string, scope: UndoScope): Promise<void> {
  const { version } = must(await changes.preview({ conversationId: id, scope, choices: {} }))
  must(await changes.undo({ conversationId: id, scope, version, choices: {}, continues: false }))
}

describe.each([
  ['in a git repository', true],
  ['in a plain folder', false],
])('%s', (_, repository) => {
  test('each change belongs to its call, or to none, and all go back', async () => {
    const place = ground({ repository })
    const troupe = begun({ ...place, mode: 'changes' })
    const id = await troupe.start()
    await troupe.runtime.settled(id)
    expect(place.texts()).toEqual(AFTER)
    const through = `acp_edit Write ${join(place.folder, 'through.txt')}`
    expect(await listed(troupe, id)).toEqual({
      'Edit kept.txt': ['M kept.txt'],
      build: ['A built.txt', 'D gone.txt'],
      [through]: ['A through.txt'],
      'Outside of its calls': ['A secretly.txt'],
    })
    const { calls } = must(await troupe.changes.list({ conversationId: id }))
    const agentId = childrenOf(troupe)[0]?.agentId ?? ''
    expect(new Set(calls.map((call) => call.agentId))).toEqual(new Set([agentId]))
    expect(calls.find(({ label }) => label === 'Outside of its calls')?.note).toContain('no call')

    const build = calls.find(({ label }) => label === 'build')
    await undo(troupe, id, { kind: 'call', agentId, toolUseId: build?.toolUseId ?? '' })
    expect(place.texts()).toEqual({
      ...BEFORE,
      'kept.txt': 'ONE\n',
      'secretly.txt': 'untold\n',
      'through.txt': 'through\n',
    })
    await undo(troupe, id, { kind: 'agent', agentId })
    expect(place.texts()).toEqual(BEFORE)
  })
})

test('two programs in one folder: a change is recorded once, and names the other program', async () => {
  const place = ground()
  const troupe = begun({ ...place, mode: 'side-by-side', tasks: ['ann', 'ben'] })
  const id = await troupe.start()
  await troupe.runtime.settled(id)
  const { calls } = must(await troupe.changes.list({ conversationId: id }))
  const files = calls.flatMap((call) => call.files.map((file) => ({ ...file, by: call.agentId })))
  expect(files.map(({ shown }) => shown).sort()).toEqual(['ann.txt', 'ben.txt'])
  const [one, other] = childrenOf(troupe).map(({ agentId }) => agentId)
  for (const { by, alsoBy } of files) expect(alsoBy).toEqual([by === one ? other : one])
  await undo(troupe, id, {
    kind: 'message',
    seq: must(await troupe.changes.list({ conversationId: id })).messages[0]?.seq ?? 0,
  })
  expect(place.texts()).toEqual(BEFORE)
})

describe('what a stopped program still writes is its own', () => {
  const stopped = async (task: string, others: readonly string[] = [], args: readonly string[] = []) => {
    const place = ground()
    const program = { args: [EXAMPLE_AGENT, 'writes-late', ...args] }
    const troupe = begun({ ...place, mode: 'writes-late', tasks: [task, ...others], program })
    const id = await troupe.start()
    const working = () =>
      childrenOf(troupe).filter(({ agentId }) =>
        JSON.stringify(troupe.runtime.live(agentId)).includes('Working.'),
      )
    await expect.poll(working).toHaveLength(1 + others.length)
    const [agentId = '', ...more] = childrenOf(troupe).map((child) => child.agentId)
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
    const texts = place.texts()
    for (const other of more)
      await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: other })
    await troupe.runtime.settled(id)
    const { calls, user } = must(await troupe.changes.list({ conversationId: id }))
    const late = calls.filter(({ files }) => files.some(({ shown }) => shown === 'late.txt'))
    expect({ texts, user, by: late.map((call) => call.agentId) }).toEqual({
      texts: { ...BEFORE, 'late.txt': 'late\n' },
      user: [],
      by: [agentId],
    })
    await undo(troupe, id, { kind: 'agent', agentId })
    expect(place.texts()).toEqual(BEFORE)
  }

  test('between the cancel and its answer', () => stopped('after the cancel'))

  test('when it gives no answer, and a command of it ends after the kill', () => stopped('at the kill'))

  test('when it gives no answer, and its session is closed beside another one', () =>
    stopped('at the close', ['beside it'], ['close']))
})

test('after a kill its changes are found, and undone', async () => {
  const place = ground()
  const args = [join(import.meta.dirname, 'testing/killed-program.ts'), place.data, place.folder]
  const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 150_000 })
  expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' })
  const store = createTranscriptStore({ dataFolder: place.data, clock: createSystemClock() })
  const kept = join(place.data, 'kept')
  const troupe = begun({ ...place, data: kept, mode: 'changes', test: { script: echo, ports: { store } } })
  const [id = ''] = readdirSync(kept)
  await troupe.say(id, 'Continue')
  await troupe.runtime.settled(id)
  const { calls, user } = must(await troupe.changes.list({ conversationId: id }))
  const found = calls.flatMap(({ files }) => files.map(({ letter, shown }) => `${letter} ${shown}`))
  expect(found.sort()).toEqual(['A built.txt', 'A secretly.txt', 'A through.txt', 'D gone.txt', 'M kept.txt'])
  expect(user).toEqual([])
  await undo(troupe, id, { kind: 'all' })
  expect(place.texts()).toEqual(BEFORE)
})
