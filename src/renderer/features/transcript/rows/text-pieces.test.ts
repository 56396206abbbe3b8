import { expect, test } from 'vitest'
import { isLong, lineCountOf, markdownPieces, plainPieces, startOfText } from './long-text.tsx'

const lines = (count: number, text = 'line') => Array.from({ length: count }, (_, at) => `${text} ${at}`)

test('a text is long above 40 lines or 8,000 characters', () => {
  expect(isLong(lines(40).join('\n'))).toBe(false)
  expect(isLong(`${lines(40).join('\n')}\n\n`)).toBe(false)
  expect(isLong(lines(41).join('\n'))).toBe(true)
  expect(isLong('x'.repeat(8000))).toBe(false)
  expect(isLong('x'.repeat(8001))).toBe(true)
  expect(lineCountOf(`${lines(120).join('\n')}\n`)).toBe(120)
})

test('the start is a few lines, also of one long line', () => {
  expect(startOfText(lines(100).join('\n')).split('\n')).toEqual(lines(14))
  expect(startOfText('x'.repeat(250_000))).toHaveLength(2000)
})

test('plain pieces are bounded, end at lines, and are the whole text', () => {
  for (const text of [lines(20_000).join('\n'), 'x'.repeat(250_000), '\n'.repeat(30_000)]) {
    const pieces = plainPieces(text)
    expect(pieces.join('')).toBe(text)
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(6000)
  }
  expect(plainPieces(lines(2000).join('\n'))[0]?.endsWith('\n')).toBe(true)
})

test('markdown pieces are bounded and end between paragraphs', () => {
  const text = lines(3000, 'A paragraph of some words, number').join('\n\n')
  const pieces = markdownPieces(text)
  expect(pieces.join('')).toBe(text)
  expect(pieces.length).toBeGreaterThan(10)
  for (const piece of pieces) {
    expect(piece.length).toBeLessThanOrEqual(12_100)
    expect(piece).toMatch(/^A paragraph/)
  }
})

test('code is divided into whole blocks of code, and empty lines in code divide nothing', () => {
  const code = lines(3000, 'const value =').join('\n\n')
  const pieces = markdownPieces(`Before.\n\n\`\`\`ts\n${code}\n\`\`\`\n\nAfter.`)
  expect(pieces.length).toBeGreaterThan(4)
  for (const piece of pieces) expect((piece.match(/^```/gm) ?? []).length % 2).toBe(0)
  expect(pieces.slice(1, -1).every((piece) => piece.startsWith('```ts\n'))).toBe(true)
  expect(pieces.join('').replaceAll('```\n```ts\n', '')).toContain(code)
  expect(pieces.at(-1)).toContain('After.')
})

test('one endless line is divided, too', () => {
  const pieces = markdownPieces('word '.repeat(50_000))
  expect(pieces.join('')).toBe('word '.repeat(50_000))
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(20_000)
})
