import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { inTranscript } from '../testing/in-transcript.tsx'
import { RowView } from './row-view.tsx'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const base = { key: 'k', at: 0, seq: 1 }
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, at) => `Paragraph ${at} has some words.`).join('\n\n')
const said = (text: string): TranscriptRow => ({ ...base, kind: 'text', text })
const asked = (text: string): TranscriptRow => ({
  ...base,
  kind: 'user',
  from: 'user',
  messageId: 'm',
  sender: null,
  text,
  images: [],
})
const report = (text: string): TranscriptRow => ({
  ...base,
  kind: 'user',
  from: 'parent',
  messageId: 'm',
  sender: null,
  text,
  images: [],
})
const draw = (row: TranscriptRow) => inTranscript(<RowView row={row} past={false} />)

/** Lets the window be idle until nothing more is drawn. */
function drawAll() {
  while (vi.getTimerCount() > 0) act(() => vi.runOnlyPendingTimers())
}

test.each([
  ['the agent', said],
  ['the user', asked],
])('a long message of %s shows its start, and everything on demand', (_, row) => {
  vi.useFakeTimers()
  const { container } = draw(row(paragraphs(100)))
  expect(container.textContent).toContain('Paragraph 0 ')
  expect(container.textContent).not.toContain('Paragraph 30 ')
  const button = screen.getByRole('button', { name: 'Show all 199 lines' })
  expect(button.getAttribute('aria-expanded')).toBe('false')
  fireEvent.click(button)
  drawAll()
  expect(container.textContent).toContain('Paragraph 99 ')
  fireEvent.click(screen.getByRole('button', { name: 'Show less' }))
  expect(container.textContent).not.toContain('Paragraph 30 ')
})

test('one endless line says its size', () => {
  draw(asked('x'.repeat(250_000)))
  expect(screen.getByRole('button', { name: 'Show all 250 KB' })).toBeTruthy()
})

test('the text of the user takes its direction from its letters', () => {
  draw(asked('שלום'))
  expect(screen.getByText('שלום').dir).toBe('auto')
})

test('a message of 40 lines is shown whole', () => {
  draw(said(Array.from({ length: 40 }, (_, at) => `- ${at}`).join('\n')))
  expect(screen.queryByRole('button', { name: /Show/ })).toBeNull()
})

test('an opened message of 250 KB is drawn piece by piece', () => {
  vi.useFakeTimers()
  const text = paragraphs(8000)
  const { container } = draw(said(text))
  expect(container.textContent?.length).toBeLessThan(4000)
  fireEvent.click(screen.getByRole('button', { name: /Show all/ }))
  const first = container.textContent?.length ?? 0
  expect(first).toBeLessThan(20_000)
  act(() => vi.advanceTimersToNextTimer())
  const second = container.textContent?.length ?? 0
  expect(second).toBeGreaterThan(first)
  expect(second - first).toBeLessThan(15_000)
  drawAll()
  expect(container.textContent).toContain('Paragraph 7999 ')
})

test('a message of several MB stops after some pieces and offers the rest', () => {
  vi.useFakeTimers()
  const { container } = draw(asked(`${'some words\n'.repeat(60_000)}the end`))
  fireEvent.click(screen.getByRole('button', { name: /Show all 60,001 lines/ }))
  drawAll()
  expect(container.textContent).not.toContain('the end')
  expect(container.textContent?.length).toBeLessThan(400_000)
  fireEvent.click(screen.getByRole('button', { name: /Show the rest \(\d+ KB\)/ }))
  drawAll()
  expect(container.textContent).toContain('the end')
})

test('a folded task draws its start only', () => {
  const { container } = draw(report(paragraphs(8000)))
  expect(container.textContent?.length).toBeLessThan(4000)
})
