/** Steps of a file that several programs of one conversation recorded. */
import { expect, test } from 'vitest'
import type { ChangeCause } from '../../../shared/changes/changes.ts'
import { type AgentEventDraft, agentEvent, EVENT_VERSION } from '../../../shared/events/agent-event.ts'
import { ChangeFacts } from './change-facts.ts'

interface Recorded {
  readonly by: string
  readonly cause: ChangeCause
  readonly from: string | null
  readonly to: string | null
  /** When the call began, and when its change was recorded. */
  readonly time: readonly [number, number]
}

const side = (digest: string | null) => digest && { digest, size: 1, mode: 0o644, kind: 'file' as const }

function kept(recorded: readonly Recorded[]): readonly string[] {
  const facts = new ChangeFacts()
  const event = (agentId: string, { order, at }: { order: number; at: number }, draft: AgentEventDraft) =>
    facts.apply(agentEvent.parse({ v: EVENT_VERSION, agentId, seq: order, order, at, ...draft }))
  recorded.forEach(({ by, cause, from, to, time: [began, at] }, index) => {
    const toolUseId = `t-${index}`
    const row = { kind: 'command' as const, icon: 'terminal' as const, label: 'Run' }
    event(
      by,
      { order: 2 * index, at: began },
      { type: 'tool-started', toolUseId, name: 'Bash', input: {}, summary: 'make', sideEffects: true, row },
    )
    const file = {
      path: '/f',
      shown: 'f',
      before: side(from) || null,
      after: side(to) || null,
      added: 0,
      removed: 0,
      renamedFrom: null,
      kept: 'yes' as const,
      maybeBy: [],
    }
    event(
      by,
      { order: 2 * index + 1, at },
      { type: 'files-changed', toolUseId, cause, files: [file], ignored: 0, note: '' },
    )
  })
  return facts.calls
    .filter(({ files }) => files.length > 0)
    .map(({ agentId, cause }) => `${agentId} ${cause}`)
}

test.each<[string, Recorded[], string[]]>([
  [
    'a step of another program is not the user’s, in both orders',
    [
      { by: 'a', cause: 'tool', from: 'A', to: 'B', time: [1, 2] },
      { by: 'b', cause: 'user', from: 'A', to: 'B', time: [5, 6] },
      { by: 'b', cause: 'user', from: 'B', to: 'C', time: [7, 8] },
      { by: 'a', cause: 'command', from: 'B', to: 'C', time: [3, 9] },
    ],
    ['a tool', 'a command'],
  ],
  [
    'a command and a tool at once: the tool’s',
    [
      { by: 'a', cause: 'command', from: 'A', to: 'B', time: [1, 5] },
      { by: 'b', cause: 'tool', from: 'A', to: 'B', time: [2, 6] },
      { by: 'a', cause: 'command', from: 'A', to: 'B', time: [1, 7] },
    ],
    ['b tool'],
  ],
  [
    'the same step later is a step of its own',
    [
      { by: 'a', cause: 'tool', from: 'A', to: 'B', time: [1, 2] },
      { by: 'b', cause: 'command', from: 'A', to: 'B', time: [3, 4] },
    ],
    ['a tool', 'b command'],
  ],
  [
    'other changes of the user stay',
    [
      { by: 'a', cause: 'tool', from: 'A', to: 'B', time: [1, 2] },
      { by: 'b', cause: 'user', from: 'B', to: 'C', time: [3, 4] },
    ],
    ['a tool', 'b user'],
  ],
])('%s', (_, recorded, expected) => {
  expect(kept(recorded)).toEqual(expected)
})

test('agents of one name are told apart by their tasks', () => {
  const facts = new ChangeFacts()
  const agent = { color: 'blue', cwd: '/p', worktree: null, head: null, isElsewhere: false }
  facts.agents.set('a', { ...agent, id: 'a', name: 'general-purpose', task: 'Write keys' })
  facts.agents.set('b', { ...agent, id: 'b', name: 'general-purpose', task: '' })
  facts.agents.set('c', { ...agent, id: 'c', name: 'migration', task: 'Add the column' })
  expect(['a', 'b', 'c', 'gone'].map((id) => facts.nameOf(id))).toEqual([
    'Write keys',
    'general-purpose',
    'migration',
    'gone',
  ])
  expect(['a', 'b', 'c', 'gone'].map((id) => facts.quotedName(id))).toEqual([
    '“Write keys”',
    'general-purpose',
    'migration',
    'gone',
  ])
})
