/** Who is told of a file that two agents changed. */
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { type FileUser, SharedFiles } from './shared-files.ts'

const CHANGE = { path: '/p/a.txt', shown: 'a.txt', before: null, after: null, added: 1, removed: 0 } as const

function told(maybeBy: readonly string[]): readonly string[] {
  const texts: string[] = []
  const user = (id: string) =>
    ({
      id,
      state: { parentId: 'main', name: id, definition: { name: id } },
      seen: new Map(),
      tell: (_path: string, text: string) => texts.push(`${id}: ${text}`),
    }) as unknown as FileUser
  const files = new SharedFiles(() => [user('ann'), user('ben')])
  const change = (agentId: string, by: readonly string[]) =>
    files.apply({
      type: 'files-changed',
      agentId,
      toolUseId: 't',
      cause: 'command',
      files: [{ ...CHANGE, renamedFrom: null, kept: 'yes', maybeBy: [...by] }],
    } as unknown as AgentEvent)
  change('ann', [])
  change('ben', maybeBy)
  return texts
}

test('both agents are told of a file that the second one changed', () => {
  expect(told([])).toEqual([
    'ben: ann has changed a.txt too, in the same folder.',
    'ann: ben changed a.txt, which this agent has changed.',
  ])
})

test('nobody is told of a change that may be the other one’s', () => {
  expect(told(['ann'])).toEqual([])
})
