import { describe, expect, it } from 'vitest'
import { OutputBuffer } from './output-buffer.ts'

const kept = (pieces: readonly string[], limits = { head: 10, tail: 10 }) => {
  const buffer = new OutputBuffer(limits)
  for (const piece of pieces) buffer.append(piece)
  return buffer.text()
}

describe('OutputBuffer', () => {
  it('returns short output unchanged', () => {
    expect(kept([])).toBe('')
    expect(kept(['abc', 'def'])).toBe('abcdef')
    expect(kept(['0123456789', 'abcdefghij'])).toBe('0123456789abcdefghij')
    expect(kept(['0123456789abcdefghij'])).toBe('0123456789abcdefghij')
  })

  it('keeps the beginning and the end, and marks the omission', () => {
    const text = kept(['0123456789', '-'.repeat(5000), 'abcdefghij'])
    expect(text.startsWith('0123456789\n')).toBe(true)
    expect(text.endsWith('\nabcdefghij')).toBe(true)
    expect(text).toContain('left out')
    expect(kept(Array.from('0123456789abcdefghijk'))).toMatch(/^0123456789\n.*\nbcdefghijk$/s)
  })

  it('reports the length of the omission', () => {
    expect(kept(['x'.repeat(3 * 1024 * 1024 + 20)])).toContain('3.0 million characters')
  })

  it('stays within its limits for pieces of any size', () => {
    const buffer = new OutputBuffer({ head: 1000, tail: 1000 })
    for (let index = 0; index < 200_000; index++) buffer.append('y\n')
    expect(buffer.text().length).toBeLessThan(2200)
  })

  it('never splits a surrogate pair', () => {
    for (const head of [9, 10]) {
      const text = kept(['🙂'.repeat(50)], { head, tail: head })
      expect(text).not.toMatch(/\p{Surrogate}/u)
    }
  })
})
