import fc from 'fast-check'
import { expect, it } from 'vitest'
import { agentLogKind } from './log-kind.ts'
import { decodeEvent, encodeLine, headOf, isIntact } from './log-line.ts'
import { notice } from './testing/sample-events.ts'

const anyEvent = fc
  .tuple(fc.stringMatching(/^[a-z0-9-]{1,40}$/), fc.nat(), fc.string({ unit: 'binary' }))
  .map(([agentId, seq, text]) => notice(agentId, seq, text))

const bytesOf = (line: string) => Buffer.from(line).subarray(0, -1)

it('decodes the written event with any text', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const line = bytesOf(encodeLine(event))
      expect(isIntact(line)).toBe(true)
      expect(headOf(line)).toEqual({ version: 2, seq: event.seq, order: event.order, type: 'notice' })
      // JSON escapes lone surrogates, so the text survives unchanged.
      expect(decodeEvent(line, agentLogKind)).toEqual({ ok: true, value: event })
    }),
  )
})

it('is one line of JSON whose last key is the checksum', () => {
  const line = encodeLine(notice('a-1', 7, 'two\nlines'))
  expect(line.indexOf('\n')).toBe(line.length - 1)
  expect(Object.keys(JSON.parse(line)).at(-1)).toBe('sum')
})

it('detects any changed and any missing byte', () => {
  fc.assert(
    fc.property(anyEvent, fc.nat(), fc.integer({ min: 1, max: 255 }), (event, position, change) => {
      const line = bytesOf(encodeLine(event))
      const altered = Buffer.from(line)
      const index = position % line.length
      altered[index] = (altered[index] ?? 0) ^ change
      expect(isIntact(altered)).toBe(false)
      expect(isIntact(line.subarray(0, index))).toBe(false)
    }),
  )
})

it('finds the head of a line with another order of keys', () => {
  const { v, seq, type, ...rest } = notice('a-1', 12, 'x')
  expect(headOf(bytesOf(encodeLine({ ...rest, type, seq, v })))).toEqual({
    version: 2,
    seq: 12,
    order: 12,
    type: 'notice',
  })
})
