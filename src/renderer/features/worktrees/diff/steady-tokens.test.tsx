/** Colors that arrive while text is marked. */
import { act, cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import { DiffLine } from './diff-line.tsx'
import type { LineRow } from './diff-rows.ts'

afterEach(() => {
  document.getSelection()?.removeAllRanges()
  cleanup()
})

const ROW: LineRow = { kind: 'line', key: '=0:0', before: 0, after: 0, changed: false, partner: null }
const TOKENS: HighlightedLine = [
  ['const', 1],
  [' a', 0],
]

const line = (text: string, tokens: HighlightedLine | undefined) => (
  <DiffLine
    row={ROW}
    diff={{ before: [text], after: [text], blocks: [], notes: [] }}
    oldTokens={tokens}
    newTokens={tokens}
    layout="unified"
    sought=""
    cursor={null}
    selected={null}
  />
)

const code = (container: HTMLElement) => {
  const found = container.querySelector<HTMLElement>('[data-code] [dir="ltr"]')
  if (found === null) throw new Error('no line')
  return found
}

const pieces = (container: HTMLElement) => code(container).querySelectorAll('[class*="_"], [class]').length

test('marked text stays marked when colors arrive; the colors follow afterwards', async () => {
  const { container, rerender } = render(line('const a', undefined))
  const plain = pieces(container)
  document.getSelection()?.selectAllChildren(code(container))
  const node = code(container).firstChild?.firstChild
  rerender(line('const a', TOKENS))
  expect(document.getSelection()?.toString()).toBe('const a')
  expect(code(container).firstChild?.firstChild).toBe(node)
  expect(pieces(container)).toBe(plain)
  await act(async () => document.getSelection()?.removeAllRanges())
  expect(pieces(container)).toBeGreaterThan(plain)
})

test('a changed line shows its new text and colors, marked or not', () => {
  const { container, rerender } = render(line('const b', undefined))
  document.getSelection()?.selectAllChildren(code(container))
  rerender(line('const a', TOKENS))
  expect(code(container).textContent).toBe('const a')
  expect(code(container).querySelector(':scope > span > span')?.textContent).toBe('const')
})
