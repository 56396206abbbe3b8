import { expect, test } from 'vitest'
import type { ToolRow, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { rowForName } from '../../../../shared/tools/row-for-name.ts'
import { RowGroups } from './row-groups.ts'

const tool = (seq: number, name: string, more: Partial<ToolRow> = {}): ToolRow => ({
  kind: 'tool',
  key: `t${seq}`,
  seq,
  at: 0,
  toolUseId: `t${seq}`,
  name,
  call: rowForName(name),
  input: {},
  summary: `${seq}.ts`,
  status: 'done',
  note: '',
  content: '',
  display: null,
  outputFile: null,
  startedAt: 0,
  durationMs: 0,
  ...more,
})
const text = (seq: number): TranscriptRow => ({ kind: 'text', key: `x${seq}`, seq, at: 0, text: 'words' })

const shape = (groups: RowGroups) =>
  groups.items.map((item) => (item.kind === 'group' ? `${item.key}×${item.calls.length}` : item.key))

test('three or more read-only calls in a row are one item; other rows end the run', () => {
  const groups = new RowGroups()
  const rows = [
    text(0),
    tool(1, 'Read'),
    tool(2, 'Grep'),
    tool(3, 'Glob'),
    tool(4, 'Edit'),
    tool(5, 'Read'),
    tool(6, 'Read'),
    text(7),
    tool(8, 'Bash'),
    tool(9, 'WebFetch'),
  ]
  groups.update(rows)
  expect(shape(groups)).toEqual(['x0', 't1×3', 't4', 't5', 't6', 'x7', 't8', 't9'])
  expect(rows.map((_, index) => groups.itemOf(index))).toEqual([0, 1, 1, 1, 2, 3, 4, 5, 6, 7])
})

test('a group grows and changes with its calls; other groups stay the same object', () => {
  const groups = new RowGroups()
  const rows: TranscriptRow[] = [tool(0, 'Read'), tool(1, 'Read'), tool(2, 'Read'), text(3), tool(4, 'Read')]
  groups.update(rows)
  const first = groups.items[0]
  rows.push(tool(5, 'Read'))
  groups.update(rows)
  expect(shape(groups)).toEqual(['t0×3', 'x3', 't4', 't5'])
  rows.push(tool(6, 'Read', { status: 'running' }))
  groups.update(rows)
  expect(shape(groups)).toEqual(['t0×3', 'x3', 't4×3'])
  const second = groups.items[2]
  rows[6] = tool(6, 'Read', { status: 'done' })
  groups.update(rows)
  expect(groups.items[0]).toBe(first)
  expect(groups.items[2]).not.toBe(second)
  groups.update(rows)
  expect(groups.items).toHaveLength(3)
  // An earlier call changes: the group after it stays the same object.
  const last = groups.items[2]
  rows[1] = tool(1, 'Read', { status: 'failed' })
  groups.update(rows)
  expect(groups.items[0]).not.toBe(first)
  expect(groups.items[2]).toBe(last)
})
