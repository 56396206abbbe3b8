/** What a turn asks about the disk: each answer costs a look at it, and the next turn asks again. */
import { expect, test } from 'vitest'
import { ok } from '../../shared/kernel/result.ts'
import type { Interceptor } from './ports/interceptors.ts'
import { createMemoryRules } from './testing/memory-rules.ts'
import { freePolicy } from './testing/plain-ports.ts'
import { lastWords } from './testing/scripted-model.ts'
import { type Call, turnOf } from './testing/scripts.ts'
import { createTestRuntime, FOLDER, type TestOptions } from './testing/test-runtime.ts'

const TURNS = 5

/** An agent that makes one call in each turn. @param begun called at the beginning of each request with its turn */
function calling(
  begun: (turn: number) => void,
  options: Partial<TestOptions> & { readonly call?: Call } = {},
) {
  const { call = ['Read', { file_path: `${FOLDER}/a.txt` }] } = options
  return createTestRuntime({
    script: (request) => {
      begun(turnOf(request))
      return turnOf(request) === TURNS ? { text: 'Done.' } : { calls: [call] }
    },
    ...options,
  })
}

/** Counts the answers of a turn by their names. @param interceptors of every agent */
async function countedTurn(interceptors: readonly Interceptor[] = []) {
  const counts = { trusted: 0, rules: 0, interceptors: 0, realPath: 0, stat: 0 }
  let before = { ...counts }
  let turn: Partial<typeof counts> = {}
  const rules = createMemoryRules()
  const file = { kind: 'file', size: 2, mtimeMs: 0 } as const
  const troupe = calling(
    () => {
      turn = Object.fromEntries(
        Object.entries(counts).map(([name, count]) => [name, count - before[name as keyof typeof counts]]),
      )
      before = { ...counts }
    },
    {
      policy: {
        trusted: () => {
          counts.trusted++
          return true
        },
        bypassAllowed: (folder, trusted) => trusted ?? freePolicy.trusted(folder),
      },
      ports: {
        rules: {
          ...rules,
          of: (folder) => {
            counts.rules++
            return rules.of(folder)
          },
        },
        interceptors: {
          list: async () => {
            counts.interceptors++
            return interceptors
          },
        },
        files: {
          realPath: async (path) => {
            counts.realPath++
            return ok(path)
          },
          stat: async (path) => {
            counts.stat++
            return ok(path === FOLDER ? { ...file, kind: 'folder' as const } : file)
          },
          read: async () => ok(new TextEncoder().encode('a\n')),
          write: async () => ok(file),
        },
      },
    },
  )
  await troupe.runtime.settled(await troupe.begin('Go'))
  expect(lastWords(troupe.model.requests.at(-1)!)).toContain('a')
  return turn
}

test('a turn asks once for a call and for what the agent is told, and for each use of a path', async () => {
  expect(await countedTurn()).toEqual({
    // For the call, for the agent's tools, and for its instructions and permissions.
    trusted: 3,
    rules: 1,
    interceptors: 1,
    // Of the agent's folder and the file for the permission, and of the file when it is read.
    realPath: 3,
    // When the file is read, and whether it has changed since.
    stat: 2,
  })
})

test('interceptors of results are listed again after the call: trust may have ended meanwhile', async () => {
  const handlers = { 'tool-result': async () => null }
  expect(await countedTurn([{ source: 'a hook', timeLimitMs: 1000, handlers }])).toMatchObject({
    interceptors: 2,
  })
})

test.each(['trust that ended', 'a rule that came'])('%s counts for the next call', async (what) => {
  const deny: string[] = []
  let isTrusted = true
  const troupe = calling(
    (turn) => {
      if (turn !== 3) return
      if (what === 'a rule that came') deny.push('Write')
      else isTrusted = false
    },
    {
      call: ['Write', { file_path: `${FOLDER}/a.txt`, content: 'a' }],
      policy: { trusted: () => isTrusted },
      ports: { rules: createMemoryRules({ deny }) },
    },
  )
  await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'acceptEdits' }))
  const results = troupe.events.flatMap((event) => (event.type === 'tool-ended' ? [event] : []))
  expect(results.map(({ note }) => note === 'denied')).toEqual([false, false, true, true])
})
