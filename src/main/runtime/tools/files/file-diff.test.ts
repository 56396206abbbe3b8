import { applyPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffNote, fileDiff } from './file-diff.ts'

const MUCH = 10_000_000

describe('fileDiff', () => {
  it('returns the hunks of a change, and its size', () => {
    const diff = fileDiff('a\nb\nc\n', 'a\nB\nc\nd\n', MUCH)
    expect(diff.patch).toBe('@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n')
    expect(diffNote(diff)).toBe('+2 −1')
  })

  it('handles new, emptied and unchanged files', () => {
    expect(fileDiff(null, 'a\nb\n', MUCH)).toMatchObject({
      patch: '@@ -0,0 +1,2 @@\n+a\n+b\n',
      added: 2,
      removed: 0,
    })
    expect(fileDiff('a\n', '', MUCH)).toMatchObject({ added: 0, removed: 1 })
    expect(fileDiff('a\n', 'a\n', MUCH)).toEqual({ patch: '', added: 0, removed: 0 })
    expect(fileDiff('a\r\nb\r\n', 'a\nc\n', MUCH)).toMatchObject({ added: 1, removed: 1 })
  })

  it('can be applied (any text)', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 20 }).map((all) => all.join('\n'))
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const { patch } = fileDiff(before, after, MUCH)
        if (before === after) expect(patch).toBe('')
        else expect(applyPatch(before, `--- a\n+++ b\n${patch}`)).toBe(after)
      }),
    )
  })

  it('is fast for texts that have nothing in common', () => {
    const text = (seed: number) =>
      Array.from({ length: 30_000 }, (_, index) => String(((index + 1) * 7919 * seed) % 100_003)).join('\n')
    const [before, after] = [`same\n${text(3)}\nend\n`, `same\n${text(7)}\nend\n`]
    const diff = fileDiff(before, after, MUCH)
    expect(diff).toMatchObject({ added: 30_000, removed: 30_000 })
    expect(applyPatch(before, `--- a\n+++ b\n${diff.patch}`)).toBe(after)
  })

  it('truncates a long diff, and counts only the remaining lines', () => {
    const before = Array.from({ length: 100 }, (_, index) => `line ${index}`)
    const after = before.map((line, index) => (index % 20 === 0 ? `${line} changed` : line))
    const whole = fileDiff(before.join('\n'), after.join('\n'), MUCH)
    const cut = fileDiff(before.join('\n'), after.join('\n'), 160)
    expect(cut).toMatchObject({ added: whole.added, removed: whole.removed })
    expect(cut.patch.length).toBeLessThan(260)
    for (const hunk of cut.patch.split(/^(?=@@)/m)) {
      const [, old, now] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(hunk) ?? []
      const lines = hunk.split('\n').slice(1, -1)
      expect(lines.filter((line) => /^[ -]/.test(line))).toHaveLength(Number(old ?? 1))
      expect(lines.filter((line) => /^[ +]/.test(line))).toHaveLength(Number(now ?? 1))
    }
  })
})
