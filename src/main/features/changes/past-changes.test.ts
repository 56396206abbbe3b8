/** The list of changes at a past moment is the list that was shown then, for any steps of agents, undos and redos. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChangeKey, ChangesList, FileSide } from '../../../shared/changes/changes.ts'
import { changesAt } from '../../../shared/changes/changes-amounts.ts'
import type { LoggedEvent } from '../../../shared/events/conversation-event.ts'
import { SampleLog } from '../../../shared/testing/sample-log.ts'
import { ChangeFacts } from './change-facts.ts'
import { listChanges } from './list-changes.ts'

const AGENTS = ['main', 'a', 'b'] as const
const path = fc.constantFrom('/work/shop/x.ts', '/work/shop/y.ts', '/work/shop/z.ts')
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      agent: fc.constantFrom(...AGENTS),
      paths: fc.uniqueArray(path, { minLength: 1, maxLength: 2 }),
      maybeBy: fc.constantFrom<string[]>([], ['b']),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('message' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const), of: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redo' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const listOf = (facts: ChangeFacts): Promise<ChangesList> =>
  listChanges(facts, {
    conversationId: 'c',
    states: { read: async () => Promise.reject(new Error('not read here')) } as never,
    kept: { days: 30, bytes: 0 },
    worktreeState: async () => 'present',
    cannot: () => 'past',
    now: () => 0,
  })

/** The events of these steps. Every step of a file begins where the last one ended. */
function eventsOf(steps: readonly Step[]): readonly LoggedEvent[] {
  const log = new SampleLog({ conversationId: 'c', step: 0 })
  log.begins('Fix it.')
  for (const id of ['a', 'b']) log.starts({ id, name: id, color: 'green', task: id, parentId: 'main' })
  const events: LoggedEvent[] = []
  const sides = new Map<string, FileSide>()
  const keys: ChangeKey[] = []
  const undos: { readonly undoId: string; readonly changes: ChangeKey[] }[] = []
  let order = 100
  const undo = (undoId: string, redoOf: string | null, changes: readonly ChangeKey[]) => {
    const more = { v: 1 as const, conversationId: 'c', seq: order, order: order++, at: order }
    const scope = { kind: 'all' as const }
    events.push({ ...more, type: 'changes-undone', undoId, scope, redoOf, changes: [...changes], files: [] })
  }
  const add = (event: LoggedEvent) => events.push({ ...event, order: order++, at: order })
  for (const event of log.events.splice(0)) add(event)
  for (const [index, one] of steps.entries()) {
    if (one.kind === 'message') add(log.receives('main', `Message ${index}.`, 'user'))
    else if (one.kind === 'change') {
      const toolUseId = `t${index}`
      const files = one.paths.map((file) => {
        const before = sides.get(file) ?? null
        const after: FileSide = { digest: `${index}`, size: 1, mode: 0o644, kind: 'file' }
        sides.set(file, after)
        keys.push({ agentId: one.agent, toolUseId, path: file })
        const more = { shown: file, added: 1, removed: 0, renamedFrom: null, kept: 'yes' as const }
        return { path: file, before, after, maybeBy: one.maybeBy, ...more }
      })
      add(log.add(one.agent, 'files-changed', { toolUseId, cause: 'tool', files }))
    } else if (one.kind === 'undo') {
      const changes = keys.filter((_, at) => at % 10 === one.of)
      undos.push({ undoId: `u${index}`, changes })
      undo(`u${index}`, null, changes)
    } else {
      const last = undos.pop()
      if (last !== undefined) undo(`r${index}`, last.undoId, last.changes)
    }
  }
  return events
}

test('at any event the list is the one that was shown then', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const facts = new ChangeFacts()
      const then: { readonly moment: { order: number; at: number }; readonly list: ChangesList }[] = []
      for (const event of eventsOf(steps)) {
        facts.apply(event)
        then.push({ moment: event, list: await listOf(facts) })
      }
      const whole = await listOf(facts)
      for (const { moment, list } of then)
        expect(changesAt(whole, moment, 'past')).toEqual({ ...list, redo: null })
    }),
  )
})
