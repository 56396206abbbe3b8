import { diffArrays } from 'diff'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../events/agent-event.ts'
import { triesOf } from '../testing/tries.ts'
import { TranscriptRows } from '../transcript/transcript-rows.ts'
import { alignSteps, type TranscriptStep, transcriptSteps } from './aligned-steps.ts'

const call = (name: string, label: string, outcome = ''): TranscriptStep => ({
  ...{ kind: 'call', key: `${name} ${label}`, name, label, outcome, failed: false },
})
const text = (label: string): TranscriptStep => ({
  ...{ kind: 'text', key: label, name: '', label, outcome: '', failed: false },
})
const align = (left: readonly TranscriptStep[], right: readonly TranscriptStep[]) =>
  alignSteps(left, right, diffArrays)
const shown = (step: TranscriptStep | null) => (step === null ? '' : `${step.name} ${step.label}`.trim())
const lines = (aligned: ReturnType<typeof align>) =>
  aligned.pairs.map(({ left, right, same }) => `${shown(left)} ${same ? '=' : '|'} ${shown(right)}`)

test('steps are the calls and texts of a transcript', () => {
  const event = (seq: number, more: object): AgentEvent =>
    ({ v: 2, agentId: 'a-1', seq, order: seq, at: seq, ...more }) as AgentEvent
  const rows = TranscriptRows.from([
    event(1, {
      type: 'user-message',
      messageId: 'm-1',
      from: 'parent',
      sender: null,
      content: [{ type: 'text', text: 'Review it.' }],
    }),
    event(2, {
      type: 'assistant-message',
      content: [
        { type: 'text', text: 'I read the file.' },
        { type: 'tool_use', id: 'one', name: 'Read', input: { file_path: 'a.ts' } },
      ],
    }),
    event(3, {
      type: 'tool-started',
      toolUseId: 'one',
      name: 'Read',
      row: { kind: 'read', icon: 'file', label: 'Read' },
      summary: 'a.ts',
    }),
    event(4, {
      ...{ type: 'tool-ended', toolUseId: 'one', toolName: 'Read', isError: true, note: 'not found' },
      ...{ content: '', display: null, outputFile: null, durationMs: 1 },
    }),
    event(5, {
      type: 'agent-ended',
      status: 'failed',
      failure: { type: 'auth', message: 'The key was refused.' },
      reachedLimit: null,
      limitOf: null,
    }),
  ]).rows
  expect(transcriptSteps(rows)).toMatchObject([
    { kind: 'text', label: 'I read the file.', failed: false },
    { kind: 'call', name: 'Read', label: 'a.ts', outcome: 'not found', failed: true },
    { kind: 'note', label: 'The key was refused.', failed: true },
  ])
})

describe('two transcripts', () => {
  const start = [call('Glob', 'src/cart/*.ts', '3 files'), call('Read', 'total.ts', '64 lines')]

  test('are equal up to their first difference, and meet again later', () => {
    const aligned = align(
      [...start, call('Read', 'discount.ts'), call('Read', 'price.ts'), text('Nothing to report.')],
      [...start, call('Grep', 'parseFloat'), call('Read', 'discount.ts'), text('Possible issue.')],
    )
    expect(lines(aligned)).toEqual(
      [
        'Glob src/cart/*.ts = Glob src/cart/*.ts',
        'Read total.ts = Read total.ts',
        ' | Grep parseFloat',
        'Read discount.ts = Read discount.ts',
        'Read price.ts | Possible issue.',
        'Nothing to report. |',
      ].map((line) => (line.endsWith('|') ? `${line} ` : line)),
    )
    expect(aligned.firstDifference).toBe(2)
  })

  test('differ where a call comes to something else', () => {
    const other = [call('Glob', 'src/cart/*.ts', '3 files'), call('Read', 'total.ts', '65 lines')]
    expect(align(start, other).firstDifference).toBe(1)
  })

  test('do not differ by the spaces of a text', () => {
    expect(align([text('One\n\ntwo ')], [text('One two')]).firstDifference).toBeNull()
  })

  test('of which one is longer differ at the end of the other', () => {
    const aligned = align(start, [...start, text('More.')])
    expect(aligned.firstDifference).toBe(2)
    expect(align(start, start)).toMatchObject({ firstDifference: null })
    expect(align([], [])).toEqual({ pairs: [], firstDifference: null })
  })

  test('that are too long to search are still shown whole', () => {
    const many = (name: string) => Array.from({ length: 5000 }, (_, at) => call(name, `${at}`))
    const { pairs, firstDifference } = align([...start, ...many('Read')], [...start, ...many('Grep')])
    expect(pairs).toHaveLength(5002)
    expect(firstDifference).toBe(2)
  })

  test('have each step once, in its order, and no pair says “same” of different steps', () => {
    const steps = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 })
      .map((names) => names.map((name) => call('Read', name)))
    fc.assert(
      fc.property(steps, steps, (left, right) => {
        const { pairs, firstDifference } = align(left, right)
        expect(pairs.flatMap((pair) => pair.left ?? [])).toEqual(left)
        expect(pairs.flatMap((pair) => pair.right ?? [])).toEqual(right)
        for (const pair of pairs) if (pair.same) expect(shown(pair.left)).toBe(shown(pair.right))
        const equal = left.findIndex((step, at) => shown(step) !== shown(right[at] ?? null))
        const expected = equal === -1 ? (left.length < right.length ? left.length : null) : equal
        expect(firstDifference).toBe(expected)
      }),
      { numRuns: triesOf(1000) },
    )
  })
})
