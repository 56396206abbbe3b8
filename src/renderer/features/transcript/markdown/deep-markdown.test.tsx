import { cleanup } from '@testing-library/react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { StreamedText } from '../stream/streamed-text.tsx'
import { inTranscript } from '../testing/in-transcript.tsx'
import { Markdown } from './markdown.tsx'

afterEach(cleanup)

const indented = (depth: number, line: (level: number) => string) =>
  Array.from({ length: depth }, (_, level) => `${'  '.repeat(level)}${line(level)}`).join('\n')

const DEEP: readonly (readonly [string, string])[] = [
  ['quotes 3,000 deep', `${'> '.repeat(3000)}the end`],
  ['quotes without spaces', `${'>'.repeat(3000)}the end`],
  ['lists 800 deep', `${indented(800, (level) => `- item ${level}`)} the end`],
  ['numbered lists 800 deep', `${indented(800, (level) => `   1. item ${level}`)} the end`],
  ['lists on one line', `${'- '.repeat(3000)}the end`],
  ['quotes in lists', `${'> - '.repeat(1500)}the end`],
  ['emphasis', `${'*a **b '.repeat(200)}the end${' b** a*'.repeat(200)}`],
  ['brackets', `${'['.repeat(3000)}the end${']'.repeat(3000)}`],
]

function depthOf(element: Element): number {
  let deepest = 0
  for (const leaf of element.querySelectorAll('*')) {
    if (leaf.childElementCount > 0) continue
    let depth = 0
    for (let at: Element | null = leaf; at !== null && at !== element; at = at.parentElement) depth += 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

describe.each(DEEP)('%s', (_, text) => {
  test('show their text, no deeper than the page can take', () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { container } = inTranscript(<Markdown text={text} />)
    expect(container.textContent).toContain('the end')
    expect(depthOf(container)).toBeLessThan(100)
  })

  test('the same while they stream', () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { container, redraw } = inTranscript(<StreamedText text={text.slice(0, -3)} growing />)
    redraw(<StreamedText text={text} growing={false} />)
    expect(container.textContent).toContain('the end')
    expect(depthOf(container)).toBeLessThan(100)
  })
})
