/** `troupe changes` on a conversation whose changes are given. */
import { expect, test } from 'vitest'
import type { ChangesList, ListedFile, UndoPreview } from '../../../shared/changes/changes.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Changes } from '../../runtime/ports/changes.ts'
import { parseLine } from '../../testing/parse-line.ts'
import { type ChangesCommand, changesCommand } from './changes-command.ts'

const side = { digest: 'd', size: 1, mode: 0o644, kind: 'file' } as const
const file: ListedFile = {
  path: '/p/src/a.ts',
  shown: 'src/a.ts',
  before: side,
  after: side,
  added: 2,
  removed: 1,
  renamedFrom: null,
  kept: 'yes',
  maybeBy: [],
  letter: 'M',
  undone: false,
  alsoBy: ['a-2'],
  cannot: null,
}
const agentOf = (agentId: string, name: string) => ({ agentId, name, color: 'blue', worktree: null })
/** Shown with its task, and found by its name too. */
const MIGRATION = { ...agentOf('a-4', 'Add the column'), sharedName: 'migration' }
const LIST: ChangesList = {
  conversationId: 'c-1',
  agents: [agentOf('a-1', 'writer'), agentOf('a-2', 'writer'), agentOf('a-3', 'tester'), MIGRATION],
  messages: [
    { seq: 4, order: 4, at: 0, text: 'First' },
    { seq: 9, order: 9, at: 0, text: 'Second\u001b[2J' },
  ],
  calls: [
    {
      agentId: 'a-1',
      toolUseId: 't',
      order: 5,
      at: 0,
      cause: 'tool',
      label: 'Edit src/a.ts',
      files: [file],
      ignored: 0,
      note: '',
      messageSeq: 4,
    },
    {
      agentId: 'a-3',
      toolUseId: 'u',
      order: 10,
      at: 0,
      cause: 'command',
      label: 'npm i',
      files: [],
      ignored: 212,
      note: '',
      messageSeq: 9,
    },
  ],
  user: [{ path: '/p/mine.ts', shown: 'mine.ts', at: 0, since: 0, letter: 'A' }],
  undos: [],
  redo: null,
  kept: { days: 30, bytes: 5 },
}

async function run(
  line: string,
  { answer = null as string | null, list = ok(LIST) as Awaited<ReturnType<Changes['list']>> } = {},
) {
  const parsed = parseLine<ChangesCommand>(line.split(' '))
  if (!parsed.ok) return { code: 2, out: parsed.failure.message, calls: [] }
  const calls: unknown[] = []
  const preview = (scope: unknown, choices: object): UndoPreview => {
    calls.push(['preview', scope, choices])
    return {
      scope: { kind: 'all' },
      redoOf: null,
      version: 'v',
      notUndone: [],
      messages: 0,
      stops: [],
      messageText: '',
      files: [
        {
          path: '/p/src/a.ts',
          shown: 'src/a.ts',
          action: 'choose',
          reason: 'You changed the same lines later.',
          added: 0,
          removed: 0,
          conflict: { with: ['user'], lines: [], choice: 'leave' },
        },
      ],
    }
  }
  const outcome = { undoId: 'u', restored: 1, merged: 0, deleted: 0, left: [], conversationId: null }
  const applied = (call: unknown) => {
    calls.push(call)
    return ok(outcome)
  }
  const changes: Changes = {
    list: async () => list,
    file: async () => fail({ type: 'not-found', message: '' }),
    history: async () => ok(null),
    preview: async ({ scope, choices }) => ok(preview(scope, choices)),
    undo: async ({ conversationId: _, ...undo }) => applied(['undo', undo]),
    previewRedo: async ({ choices }) => ok(preview('redo', choices)),
    redo: async ({ conversationId: _, ...redo }) => applied(['redo', redo]),
    changedSince: async () => ok(new Set()),
    space: async () => ok({ bytes: 0 }),
    clean: async () => {},
  }
  const written: string[] = []
  const writer = { write: (text: string) => void written.push(text) }
  const code = await changesCommand(parsed.value, {
    changes,
    cwd: '/p/src',
    output: writer,
    errors: writer,
    ask: answer === null ? null : async () => answer,
  })
  return { code, out: written.join(''), calls }
}

test('lists by message, with agents, counts, marks and what is not kept, without control characters', async () => {
  const { code, out } = await run('changes list c-1')
  expect(code).toBe(0)
  expect(out).toContain(
    '1. 1970-01-01 00:00  First\n   writer (a-1)  Edit src/a.ts\n     M src/a.ts  +2 -1  [also writer]\n',
  )
  expect(out).toContain('212 other files changed, not kept')
  expect(out).toContain('Changed by you, never undone:\n     A mine.ts')
  expect(out).not.toContain('\u001b')
  expect(JSON.parse((await run('changes list c-1 --json')).out)).toMatchObject({ conversationId: 'c-1' })
})

test.each([
  ['changes revert c-1 --yes', { kind: 'all' }],
  ['changes revert c-1 --yes --agent tester', { kind: 'agent', agentId: 'a-3' }],
  ['changes revert c-1 --yes --agent migration', { kind: 'agent', agentId: 'a-4' }],
  ['changes revert c-1 --yes --agent a-2', { kind: 'agent', agentId: 'a-2' }],
  ['changes revert c-1 --yes --file src/a.ts', { kind: 'file', path: '/p/src/a.ts', agentId: null }],
  ['changes revert c-1 --yes --file a.ts --agent a-1', { kind: 'file', path: '/p/src/a.ts', agentId: 'a-1' }],
  ['changes revert c-1 --yes --to 2', { kind: 'message', seq: 9 }],
])('%s', async (line, scope) => {
  const { code, calls } = await run(line)
  expect(code).toBe(0)
  expect(calls.at(-1)).toEqual([
    'undo',
    { scope, version: 'v', choices: { '/p/src/a.ts': 'leave' }, continues: true },
  ])
})

test('a conflict takes the given choice, and a redo too', async () => {
  expect((await run('changes revert c-1 --yes --conflicts old')).calls.at(-1)).toMatchObject([
    'undo',
    { choices: { '/p/src/a.ts': 'old' } },
  ])
  expect((await run('changes redo c-1 --yes --conflicts keep')).calls.at(-1)).toEqual([
    'redo',
    { version: 'v', choices: { '/p/src/a.ts': 'keep' } },
  ])
})

test('shows the preview and asks; without a user or a yes nothing is done', async () => {
  const asked = await run('changes revert c-1', { answer: 'y' })
  expect(asked.out).toContain('src/a.ts: conflict (leave). You changed the same lines later.')
  expect(asked.calls.at(-1)).toMatchObject(['undo', {}])
  for (const answer of ['', 'n', null]) {
    const { code, calls } = await run('changes revert c-1', { answer })
    expect([code, calls.flat().includes('undo')]).toEqual([1, false])
  }
})

test.each([
  ['changes', 'Use troupe changes list, revert or redo.'],
  ['changes undo c-1', 'not "undo"'],
  ['changes list', 'Give one conversation'],
  ['changes revert c-1 --conflicts both', 'leave'],
  ['changes revert c-1 --to zero', 'number of a message'],
  ['changes revert c-1 --to 1 --file a', 'can’t be combined'],
  ['changes revert c-1 --yes --to 3', 'There is no message 3: the conversation has 2.'],
  ['changes revert c-1 --yes --agent writer', 'Give an id: a-1, a-2.'],
  ['changes revert c-1 --yes --agent nobody', 'No agent "nobody" changed files here.'],
  ['changes revert c-1 --yes --file b.ts', 'No agent changed b.ts in this conversation.'],
])('%s is refused', async (line, message) => {
  const { code, out, calls } = await run(line)
  expect(code).toBeGreaterThan(0)
  expect(out).toContain(message)
  expect(calls.flat()).not.toContain('undo')
})

test('a conversation that is not there', async () => {
  const list = fail({ type: 'not-found', message: 'There is no such conversation.' })
  const { code, out } = await run('changes list c-9 --json', { list })
  expect(code).toBe(1)
  expect(out).toContain('"type":"not-found"')
})
