import { describe, expect, it } from 'vitest'
import { countOf, durationOf, linesAt, sizeOf } from './amounts.ts'

describe('amounts', () => {
  it('are formatted with units, plurals and separators', () => {
    expect([countOf(1, 'line'), countOf(0, 'line'), countOf(1_234_567, 'match', 'matches')]).toEqual([
      '1 line',
      '0 lines',
      '1,234,567 matches',
    ])
    expect([countOf(1204.5, 'minute'), countOf(0.1, 'second')]).toEqual(['1,204.5 minutes', '0.1 seconds'])
    expect([1, 1023, 1024, 24_900, 3_250_000, 5 * 1024 ** 3].map(sizeOf)).toEqual([
      '1 byte',
      '1,023 bytes',
      '1 KB',
      '24 KB',
      '3.1 MB',
      '5 GB',
    ])
    expect([85, 3240, 12_000, 60_000, 125_400].map(durationOf)).toEqual([
      '85 ms',
      '3.2 s',
      '12 s',
      '1 min',
      '2 min 5 s',
    ])
    expect([linesAt([3]), linesAt([3, 9])]).toEqual(['line 3', 'lines 3 and 9'])
  })
})
