import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { inTranscript } from '../testing/in-transcript.tsx'
import { TerminalText } from './terminal-text.tsx'

afterEach(cleanup)

const draw = (text: string) => inTranscript(<TerminalText text={text} />)

test('colors become classes, never inline styles', () => {
  const { container } = draw('\x1b[31mred\x1b[0m plain')
  expect(container.textContent).toBe('red plain')
  expect(container.querySelector('span')?.className).toContain('red')
  expect(container.querySelector('[style]')).toBeNull()
})

test('control and direction characters are shown by name', () => {
  const { container } = draw('safe\u202eevil\x07')
  expect(container.textContent).toBe('safeRLOevilBEL')
  expect(screen.getByTitle('Invisible character: RLO')).toBeTruthy()
})

test('markup in output is text', () => {
  const { container } = draw('<img src=x onerror=alert(1)>')
  expect(container.querySelector('img')).toBeNull()
  expect(container.textContent).toBe('<img src=x onerror=alert(1)>')
})

test('path:line is a button', () => {
  const { surroundings } = draw('src/a.ts:12:5 - error TS2322')
  fireEvent.click(screen.getByRole('button', { name: 'src/a.ts:12:5' }))
  expect(surroundings.openFile).toHaveBeenCalledWith(expect.objectContaining({ path: 'src/a.ts', line: 12 }))
})

test('an overlong line is cut and says so', () => {
  const { container } = draw('x'.repeat(10_000))
  expect(container.textContent).toMatch(/^x{4000} … 6,000 more characters$/)
})
