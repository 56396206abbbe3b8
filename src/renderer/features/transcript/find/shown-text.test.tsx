/** The searched text of a row and the text that the opened row shows have the same occurrences. */
import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ToolRow, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { rowForName } from '../../../../shared/tools/row-for-name.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { installFakeBridge } from '../../../testing/fake-bridge.ts'
import { RowView } from '../rows/row-view.tsx'
import { FoldStates } from '../surroundings.ts'
import { inTranscript } from '../testing/in-transcript.tsx'
import { foldCase, markdownText, positionsOf, searchText } from './search-text.ts'
import { showMatches } from './use-match-marks.ts'

afterEach(cleanup)
beforeEach(() => {
  installFakeBridge()
  useConversation.setState({ agents: new Map() })
})

const base = { key: 'k', seq: 1, at: 0 }
const tool = (name: string, more: Partial<ToolRow>): ToolRow => ({
  ...base,
  kind: 'tool',
  toolUseId: 't',
  name,
  call: rowForName(name),
  input: {},
  summary: '',
  status: 'done',
  note: '',
  content: '',
  display: null,
  outputFile: null,
  startedAt: 0,
  durationMs: 0,
  ...more,
})
const said = (text: string): TranscriptRow => ({ ...base, kind: 'text', text })
const LONG = Array.from({ length: 300 }, (_, at) =>
  at % 60 === 0 ? `line ${at} has a key` : `line ${at}`,
).join('\n')

const CASES: readonly (readonly [string, TranscriptRow, string])[] = [
  ['emphasis', said('The **key** is _made_ **of *many* keys**'), 'of many keys'],
  ['words with underscores', said('`charge_order` and charge_order_key, __charge_order__'), 'charge_order'],
  ['links', said('See [the key](https://key.example/key "key") and [key](javascript:key())'), 'key'],
  ['code', said('Text key\n\n```ts\nconst key = **key**\n```\n\n- `key` & <key>'), 'key'],
  ['tables', said('| key | b |\n|---|---|\n| key | `key` |\n\n1. key\n> key'), 'key'],
  ['escapes', said('\\*key\\* &amp; key'), '*key* & key'],
  [
    'a command',
    tool('Bash', { input: { command: 'npm run key' }, summary: 'npm run key', content: LONG }),
    'key',
  ],
  [
    'a file',
    tool('Read', {
      input: { file_path: 'src/key.ts', limit: 3 },
      summary: 'src/key.ts',
      content: 'a key\nkey',
    }),
    'key',
  ],
  [
    'a diff',
    tool('Edit', {
      input: { file_path: 'src/key.ts', old_string: 'key', new_string: 'key' },
      summary: 'src/key.ts',
      content: 'The file src/key.ts was changed.',
      display: {
        kind: 'diff',
        path: 'src/key.ts',
        patch: '@@ -4 +4 @@\n-const key = 1\n+const key = 2',
        added: 1,
        removed: 1,
        created: false,
      },
    }),
    'key',
  ],
  ['thinking', { ...base, kind: 'thinking', text: 'a key\n\nkey' }, 'key'],
  ['a notice', { ...base, kind: 'notice', level: 'info', text: 'key first\n\nkey second' }, 'key'],
]

test.each(CASES)('%s', (_, row, query) => {
  const folds = new FoldStates()
  for (const key of ['k', 'output:t', 'whole:k']) folds.set(key, true)
  const { container } = inTranscript(<RowView row={row} past={false} />, { folds })
  const { head, body } = searchText(row)
  const counted = positionsOf(foldCase(query), `${head}\0${body}`).length
  expect(counted).toBeGreaterThan(0)
  const finder = {}
  const range = (occurrence: number) =>
    showMatches(finder, { elements: [container], text: query, current: { element: container, occurrence } })
  expect(foldCase(range(counted - 1)?.toString() ?? '')).toBe(foldCase(query))
  const all = Array.from({ length: counted + 1 }, (_, at) => range(at))
  // The last one repeats: there is no further occurrence.
  expect(all.at(-1)?.compareBoundaryPoints(Range.START_TO_START, all.at(-2) ?? new Range())).toBe(0)
  for (const [at, one] of all.slice(1, -1).entries())
    expect(one?.compareBoundaryPoints(Range.START_TO_START, all[at] ?? new Range())).toBe(1)
})

test('hostile markdown is read quickly', () => {
  for (const hostile of [
    '['.repeat(100_000),
    '*a'.repeat(50_000),
    '_a '.repeat(50_000),
    '`'.repeat(100_000),
    '| '.repeat(50_000),
    ' '.repeat(100_000),
    `${' '.repeat(100_000)}x`,
    `${'> - '.repeat(50_000)}x`,
  ])
    expect(markdownText(hostile)).toBeTypeOf('string')
})
