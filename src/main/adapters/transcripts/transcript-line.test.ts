import fc from 'fast-check'
import { expect, it } from 'vitest'
import { notice } from './testing/sample-events.ts'
import { decodeEvent, encodeLine, headOf, isWhole } from './transcript-line.ts'

const anyEvent = fc
  .tuple(fc.stringMatching(/^[a-z0-9-]{1,40}$/), fc.nat(), fc.string({ unit: 'binary' }))
  .map(([agentId, seq, text]) => notice(agentId, seq, text))

const bytesOf = (line: string) => Buffer.from(line).subarray(0, -1)

it('gives back the event that was written, whatever its text', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      const line = bytesOf(encodeLine(event))
      expect(isWhole(line)).toBe(true)
      expect(headOf(line)).toEqual({ version: 1, seq: event.seq, type: 'notice' })
      // JSON has no lone surrogates but by escapes, so the text survives as it was.
      expect(decodeEvent(line)).toEqual({ ok: true, value: event })
    }),
  )
})

it('is one line of JSON whose last key is the checksum', () => {
  const line = encodeLine(notice('a-1', 7, 'two\nlines'))
  expect(line.indexOf('\n')).toBe(line.length - 1)
  expect(Object.keys(JSON.parse(line)).at(-1)).toBe('sum')
})

it('notices any byte that changed and any byte that is missing', () => {
  fc.assert(
    fc.property(anyEvent, fc.nat(), fc.integer({ min: 1, max: 255 }), (event, place, change) => {
      const line = bytesOf(encodeLine(event))
      const altered = Buffer.from(line)
      const index = place % line.length
      altered[index] = (altered[index] ?? 0) ^ change
      expect(isWhole(altered)).toBe(false)
      expect(isWhole(line.subarray(0, index))).toBe(false)
    }),
  )
})

it('finds the head of a line whose keys are in another order', () => {
  const { v, seq, type, ...rest } = notice('a-1', 12, 'x')
  expect(headOf(bytesOf(encodeLine({ ...rest, type, seq, v })))).toEqual({
    version: 1,
    seq: 12,
    type: 'notice',
  })
})
