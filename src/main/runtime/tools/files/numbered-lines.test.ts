import { describe, expect, it } from 'vitest'
import { linesNoteOf, MOST_CHARACTERS, numberedLines, restOf } from './numbered-lines.ts'

const show = (text: string, offset = 1, limit = 2000) => numberedLines(text, { offset, limit })

describe('numberedLines', () => {
  it('numbers lines with any line endings', () => {
    expect(show('a\nb\r\n\nc').text).toBe('     1\ta\n     2\tb\n     3\t\n     4\tc')
    expect(show('a\n').total).toBe(1)
    expect(show('\n').text).toBe('     1\t')
  })

  it('shows the requested range, and reports the remaining lines', () => {
    const lines = show('a\nb\nc\nd\n', 2, 2)
    expect(lines.text).toBe('     2\tb\n     3\tc')
    expect(linesNoteOf(lines)).toBe('lines 2 to 3 of 4')
    expect(restOf(lines)).toBe('[Lines 2 to 3 of 4. Continue with offset 4.]')
    expect(restOf(show('a\nb\n', 2))).toBe('')
    expect(linesNoteOf(show('a\nb\n'))).toBe('2 lines')
    expect(show('a\nb\n', 3).shown).toBeNull()
  })

  it('truncates a long line, and reports the omitted length', () => {
    expect(show('x'.repeat(5000)).text).toMatch(/^ {5}1\tx{2000} \[… 3,000 more characters in this line\]$/)
  })

  it('ends at a whole line if the output is too long', () => {
    const lines = show(`${'x'.repeat(999)}\n`.repeat(1000))
    expect(lines.text.length).toBeLessThanOrEqual(MOST_CHARACTERS + 200)
    expect(lines.shown?.[1]).toBeGreaterThan(90)
    expect(restOf(lines)).toContain(`Continue with offset ${(lines.shown?.[1] ?? 0) + 1}.`)
    const rest = show(`${'x'.repeat(999)}\n`.repeat(1000), 950)
    expect(rest.shown).toEqual([950, 1000])
  })
})
