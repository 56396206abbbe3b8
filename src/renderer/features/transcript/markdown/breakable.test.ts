import { expect, test } from 'vitest'
import { allText, breakable, breakableCode } from './tree.ts'

const drawn = (nodes: ReturnType<typeof breakable>) =>
  nodes.map((node) =>
    node.type === 'element'
      ? node.tagName === 'wbr'
        ? '·'
        : `[${allText(node.children)}]`
      : allText([node]),
  )

test('long paths break after slashes, short paths and words not', () => {
  expect(drawn(breakable('in src/renderer/features/a.ts now, and a/b')).join('')).toBe(
    'in src/·renderer/·features/·a.ts now, and a/b',
  )
  expect(drawn(breakable('src/very-long-name/tool-row.tsx:12')).join('')).toBe(
    'src/·[very-long-name/]·[tool-row.tsx:12]',
  )
  expect(drawn(breakable('C:\\users\\ada\\work\\a.ts')).join('')).toBe('C:\\·users\\·ada\\·work\\·a.ts')
})

test('a short argument of a command stays whole', () => {
  expect(drawn(breakableCode('git commit --no-verify')).join('')).toBe('git commit [--no-verify]')
  expect(drawn(breakableCode(`run --${'x'.repeat(40)}`)).join('')).toBe(`run --${'x'.repeat(40)}`)
})

test('hostile text keeps its text and gets few elements', () => {
  for (const text of [
    'a/'.repeat(50_000),
    `x/ ${'a'.repeat(200_000)}`,
    '-'.repeat(200_000),
    ' '.repeat(200_000),
  ]) {
    const nodes = breakableCode(text)
    expect(allText(nodes)).toBe(text)
    expect(nodes.length).toBeLessThan(10)
  }
})
