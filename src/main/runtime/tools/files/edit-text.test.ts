import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { triesOf } from '../../../../shared/testing/tries.ts'
import { editText } from './edit-text.ts'

const edit = (text: string, old: string, now: string, all = false) => {
  const edited = editText(text, { old, new: now, all })
  return edited.ok ? edited.value.text : `${edited.failure.type}: ${edited.failure.message}`
}

describe('editText', () => {
  it('replaces a single match', () => {
    expect(edit('a\nb\nc\n', 'b', 'B')).toBe('a\nB\nc\n')
    expect(edit('a\nb', 'b', '')).toBe('a\n')
    expect(edit('cost: 1', '1', '$& $1 $$')).toBe('cost: $& $1 $$')
  })

  it('refuses several matches with their count and lines, unless `all` is set', () => {
    const text = 'x = 1\ny = 2\nx = 1\nz\nx = 1'
    expect(edit(text, 'x = 1', 'x = 2')).toMatch(/^several: .*3 times, at lines 1, 3 and 5/)
    expect(edit(text, 'x = 1', 'x = 2', true)).toBe('x = 2\ny = 2\nx = 2\nz\nx = 2')
    expect(edit('aaa', 'a', 'aa', true)).toBe('aaaaaa')
    expect(edit('e\n'.repeat(30), 'e', 'f')).toContain('lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more')
  })

  it('refuses an edit without a change', () => {
    expect(edit('a', 'a', 'a')).toMatch(/^same/)
    expect(edit('a\r\nb', 'a\nb', 'a\r\nb')).toMatch(/^same/)
  })

  it('matches LF in a CRLF file, and keeps CRLF', () => {
    expect(edit('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toBe('x\r\ny\r\nz\r\nc\r\n')
    expect(edit('a\r\nb\r\n', 'b', 'b\nc')).toBe('a\r\nb\r\nc\r\n')
    expect(edit('a\r\nb\r\n', '\nb\n', '\n')).toBe('a\r\n')
    expect(edit('a\r\nb\r\nb\r\n', 'b\n', 'c\n', true)).toBe('a\r\nc\r\nc\r\n')
    expect(edit('a\nb\n', 'a\r\nb', 'x')).toBe('x\n')
  })

  it('keeps the text around the match in a file with mixed line endings', () => {
    expect(edit('a\r\nb\nc\r\nd\n', 'b\nc', 'x\ny')).toBe('a\r\nx\ny\r\nd\n')
    expect(edit('a\r\nb\r\nc\nd', 'a\nb', 'x\ny')).toBe('x\r\ny\r\nc\nd')
  })

  it('changes only the match, with any line endings (any text)', () => {
    const message = fc
      .array(fc.constantFrom('a', 'b', ' ', '\n', '\r\n'), { maxLength: 12 })
      .map((all) => all.join(''))
    fc.assert(
      fc.property(message, message, message, message, (before, old, after, now) => {
        const plain = old.replaceAll('\r\n', '\n')
        fc.pre(plain.trim() !== '')
        const text = `${before}<${old}>${after}`
        const edited = editText(text, { old: `<${plain}>`, new: `[${now}]`, all: false })
        if (!edited.ok) throw new Error(edited.failure.message)
        expect(edited.value.text.startsWith(`${before}[`)).toBe(true)
        expect(edited.value.text.endsWith(`]${after}`)).toBe(true)
        expect(edited.value.text.replaceAll('\r\n', '\n')).toBe(
          `${before}[${now}]${after}`.replaceAll('\r\n', '\n'),
        )
      }),
      { numRuns: triesOf(2000) },
    )
  })

  describe('without a match', () => {
    const file =
      'import a from "a"\n\nfunction run() {\n\treturn a(1,  2)\n}\n\nfunction stop() {\n  return “b”\n}\n'

    it('shows the text that differs only in white space', () => {
      const message = edit(file, 'function run() {\n    return a(1, 2)\n}', 'x')
      expect(message).toContain('from line 3')
      expect(message).toContain('only in white space')
      expect(message).toContain('function run() {\n\treturn a(1,  2)\n}')
      expect(edit(file, 'return a(1, 2)', 'x')).toContain('from line 4')
    })

    it('reports differences in quotation marks and case', () => {
      expect(edit(file, '  return "b"\n', 'x')).toContain('line 8 differs only in quotation')
      expect(edit(file, 'Function stop() {', 'x')).toContain('upper and lower case')
    })

    it('reports copied line numbers', () => {
      expect(edit(file, '     3\tfunction run() {', 'x')).toContain('line numbers of Read’s output')
    })

    it('reports the position of the first line', () => {
      const message = edit(file, 'function stop() {\n  return 7\n}', 'x')
      expect(message).toContain('first line is at line 7, but the lines after it differ')
    })

    it('makes no guess if nothing is similar', () => {
      expect(edit(file, 'class Nothing {}', 'x')).toMatch(
        /^not-found: old_string is not in the file\. Read the file again/,
      )
      expect(edit('', 'a', 'b')).toMatch(/^not-found/)
    })
  })
})
