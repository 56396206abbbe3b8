/** Agents are told of files they know that others changed: before the next request, once for each change. */
import { expect, test } from 'vitest'
import { fail, ok } from '../../shared/kernel/result.ts'
import type { ChangeJournal } from './ports/changes.ts'
import type { FileSystem } from './ports/files.ts'
import type { ModelRequest } from './ports/model.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import type { Script, Scripted } from './testing/scripted-model.ts'
import { agentCall, isMain, script, turnOf } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestOptions, type TestRuntime } from './testing/test-runtime.ts'

const TOLD = 'have changed since you last read or wrote them'
const A = `${FOLDER}/a.ts`
/** The news in the last message of a request. */
const news = (request: ModelRequest | undefined) =>
  (request?.messages.at(-1)?.content ?? []).flatMap((block) =>
    block.type === 'text' && block.text.includes(TOLD) ? [block.text] : [],
  )

/** A folder in memory, on the runtime's clock. */
function folder(names: readonly string[] = ['a.ts']) {
  let now = 1_700_000_000_000
  const clock = {
    now: () => now++,
    sleep: async (ms: number) => {
      now += ms
    },
  }
  const all = new Map(names.map((name) => [`${FOLDER}/${name}`, { text: name, mtimeMs: clock.now() }]))
  const reads: string[] = []
  const missing = (path: string) => fail({ type: 'not-found', message: `${path} does not exist.` })
  const write = (path: string, text: string) => all.set(path, { text, mtimeMs: clock.now() })
  const statOf = (path: string) => {
    const file = all.get(path)
    if (path === FOLDER) return ok({ kind: 'folder', size: 0, mtimeMs: 0 } as const)
    if (!file) return missing(path)
    return ok({ kind: 'file', size: file.text.length, mtimeMs: file.mtimeMs } as const)
  }
  const files: FileSystem = {
    stat: async (path) => statOf(path),
    read: async (path) => {
      reads.push(path)
      const file = all.get(path)
      return file ? ok(new TextEncoder().encode(file.text)) : missing(path)
    },
    write: async (path, content) => {
      write(path, typeof content === 'string' ? content : new TextDecoder().decode(content))
      return ok({ kind: 'file', size: all.get(path)?.text.length ?? 0, mtimeMs: all.get(path)?.mtimeMs ?? 0 })
    },
    realPath: async (path) => ok(path),
  }
  /** What a formatter does once an edit was recorded. */
  const afterEdit = { run: () => {} }
  /** Records what tools write. */
  const changes: ChangeJournal = {
    recover: async () => [],
    begin: async ({ toolUseId, target }) =>
      ok({
        end: async () => {
          const path = target.kind === 'file' ? target.path : A
          const side = {
            digest: 'd',
            size: all.get(path)?.text.length ?? 0,
            mode: 0,
            kind: 'file',
          } as const
          const file = { path, shown: 'a.ts', before: side, after: side, added: 1, removed: 1 }
          const recorded = { ...file, renamedFrom: null, kept: 'yes', maybeBy: [] } as const
          if (target.kind === 'file') afterEdit.run()
          return [
            {
              toolUseId,
              cause: target.kind === 'file' ? 'tool' : 'command',
              files: [{ ...recorded, maybeBy: [] }],
              ignored: 0,
              note: '',
            },
          ]
        },
      }),
  }
  return { clock, files, changes, all, reads, write, afterEdit }
}

type Folder = ReturnType<typeof folder>

const play = (disk: Folder, agentScript: Script, options: Partial<TestOptions> = {}) =>
  createTestRuntime({
    ...options,
    script: agentScript,
    ports: { clock: disk.clock, files: disk.files, changes: disk.changes },
  })

const allowNext = (troupe: TestRuntime, conversationId: string) =>
  void troupe.when('permission-asked').then(({ agentId, requestId }) =>
    troupe.runtime.dispatch({
      type: 'agent.answer',
      conversationId,
      agentId,
      requestId,
      answer: { decision: 'allow-once' },
    }),
  )

const reads: Scripted = { calls: [['Read', { file_path: A }]] }
const todo: Scripted = { calls: [['TodoWrite', { todos: [] }]] }

test('a change of the user is told once, and the next change again, until the agent reads the file', async () => {
  const disk = folder()
  const steps: readonly (() => Scripted)[] = [
    () => reads,
    () => {
      disk.write(A, 'by the user')
      return todo
    },
    () => todo,
    () => {
      disk.write(A, 'by the user, again')
      return todo
    },
    () => reads,
    () => {
      disk.all.delete(A)
      return todo
    },
  ]
  const troupe = play(disk, (request) => steps[turnOf(request) - 1]?.() ?? { text: 'ok' })
  await troupe.runtime.settled(await troupe.begin('Go'))
  expect(troupe.model.requests.map((request) => news(request).length)).toEqual([0, 0, 1, 0, 1, 0, 1])
  expect(news(troupe.model.requests[2])[0]).toContain(
    '- a.ts: changed by the user or another program\nRead such a file again before you edit it or rely on it, and keep what others changed there.',
  )
  expect(news(troupe.model.requests[6])[0]).toContain('- a.ts: deleted by the user or another program')
})

test('a file that changes all the time is told three times', async () => {
  const disk = folder()
  const troupe = play(disk, (request) => {
    if (turnOf(request) === 1) return reads
    disk.write(A, 'x'.repeat(turnOf(request)))
    return turnOf(request) < 8 ? todo : { text: 'ok' }
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  expect(troupe.model.requests.filter((request) => news(request).length > 0)).toHaveLength(3)
})

test('nothing is told of the agent’s own edits and commands, and of files that were only touched', async () => {
  const disk = folder(['a.ts', 'ignored.ts'])
  const both: Scripted = { calls: [...(reads.calls ?? []), ['Read', { file_path: 'ignored.ts' }]] }
  const steps: readonly (() => Scripted)[] = [
    () => both,
    () => ({ calls: [['Edit', { file_path: A, old_string: 'a', new_string: 'b' }]] }),
    () => ({ calls: [['Bash', { command: 'sed -i s/b/cc/ a.ts' }]] }),
    () => reads,
    () => {
      disk.write(A, disk.all.get(A)?.text ?? '')
      disk.reads.length = 0
      return todo
    },
    () => todo,
  ]
  const troupe = play(disk, (request) => steps[turnOf(request) - 1]?.() ?? { text: 'ok' }, {
    shell: async ({ cwd }) => {
      disk.write(A, 'cc.ts')
      disk.write(`${FOLDER}/ignored.ts`, 'not recorded')
      return { output: '', exitCode: 0, ended: 'exit', cwd }
    },
  })
  const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
  allowNext(troupe, id)
  await troupe.runtime.settled(id)
  expect(disk.all.get(A)?.text).toBe('cc.ts')
  expect(troupe.model.requests.flatMap(news)).toEqual([])
  expect(disk.reads).toEqual([A])
})

test('nothing is told after a restart of what its own last command changed', async () => {
  const disk = folder()
  const store = createMemoryStore()
  const first = play(
    disk,
    (request) =>
      [reads, { calls: [['Bash', { command: 'sed -i s/a/bb/ a.ts' }]] } as Scripted][turnOf(request) - 1] ?? {
        text: 'ok',
      },
    {
      store,
      shell: async ({ cwd }) => {
        disk.write(A, 'bb.ts')
        return { output: '', exitCode: 0, ended: 'exit', cwd }
      },
    },
  )
  const id = await first.begin('Go', { permissionMode: 'acceptEdits' })
  allowNext(first, id)
  await first.runtime.settled(id)
  await first.runtime.close()
  const after = play(disk, () => ({ text: 'ok' }), { store })
  await after.say(id, 'And now')
  await after.runtime.settled(id)
  expect(disk.all.get(A)?.text).toBe('bb.ts')
  expect(after.model.requests.flatMap(news)).toEqual([])
})

test('what a formatter made of its own edit is told', async () => {
  const disk = folder()
  disk.afterEdit.run = () => disk.write(A, 'b.ts;')
  const edit: Scripted = { calls: [['Edit', { file_path: A, old_string: 'a', new_string: 'b' }]] }
  const troupe = play(disk, (request) => [reads, edit][turnOf(request) - 1] ?? { text: 'ok' })
  await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'acceptEdits' }))
  expect(news(troupe.model.requests[2])[0]).toContain('- a.ts: changed by the user or another program')
})

test('a change of another agent is told with its name', async () => {
  const disk = folder()
  const troupe = play(
    disk,
    script(
      [reads, { calls: [agentCall('fix', { name: 'fixer' })] }, { text: 'ok' }],
      (request) =>
        [reads, { calls: [['Edit', { file_path: A, old_string: 'a', new_string: 'b' }]] } as Scripted][
          turnOf(request) - 1
        ] ?? { text: 'fixed' },
    ),
  )
  await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'acceptEdits' }))
  const [, , last] = troupe.model.requests.filter(isMain)
  expect(news(last)[0]).toContain('- a.ts: changed by the agent fixer')
  expect(troupe.model.requests.filter((request) => !isMain(request)).flatMap(news)).toEqual([])
})

test('twenty names are told, and a resumed agent hears of each change once', async () => {
  const names = Array.from({ length: 23 }, (_, index) => `f${index}.ts`)
  const disk = folder(names)
  const store = createMemoryStore()
  const all: Scripted = { calls: names.map((name) => ['Read', { file_path: `${FOLDER}/${name}` }]) }
  const before = play(disk, (request) => (turnOf(request) === 1 ? all : { text: 'ok' }), { store })
  const id = await before.begin('Go')
  await before.runtime.settled(id)
  for (const name of names) disk.write(`${FOLDER}/${name}`, 'by the user')
  await before.say(id, 'Next')
  await before.runtime.settled(id)
  const [told] = news(before.model.requests.at(-1))
  expect(told?.match(/^- f\d+\.ts/gm)).toHaveLength(20)
  expect(told).toContain('- and 3 more files')
  await before.runtime.close()

  const after = play(disk, () => ({ text: 'ok' }), { store })
  await after.say(id, 'And now')
  await after.runtime.settled(id)
  expect(news(after.model.requests[0])).toEqual([])
  disk.write(`${FOLDER}/f1.ts`, 'once more')
  await after.say(id, 'And then')
  await after.runtime.settled(id)
  expect(news(after.model.requests[1])[0]?.match(/^- f\d+\.ts/gm)).toEqual(['- f1.ts'])
})
