import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { StatusBar } from './status-bar.tsx'

afterEach(cleanup)
const user = userEvent.setup()
let bridge: FakeBridge

beforeEach(async () => {
  bridge = await startWindow()
  render(<StatusBar onShowPrompts={() => {}} />)
})

const line = () => document.querySelector('[data-status-line]')
const tell = (text: string | null, problem: string | null = null) =>
  act(() => bridge.push({ type: 'status-line', text, problem }))

test('without a command there is nothing', () => {
  expect(line()).toBeNull()
  tell('x')
  tell(null)
  expect(line()).toBeNull()
})

test('the first line that can be seen is shown, in its colours, and the newest wins', () => {
  tell('old')
  tell('\n\x1b[31mmain\x1b[0m ± 3\nsecond line')
  expect(line()?.textContent).toBe('main ± 3')
  expect(line()?.querySelector('span')?.className).toContain('red')
  expect(line()?.querySelector('[style]')).toBeNull()
})

test('markup is text, and characters that would not be seen are spelt out', () => {
  tell('<b>safe\u202eevil\x07')
  expect(line()?.querySelector('b')).toBeNull()
  expect(line()?.textContent).toBe('<b>safeRLOevilBEL')
})

test('a line without end is cut; the tooltip has everything', async () => {
  tell(`${'x'.repeat(2000)}\nand a second line`)
  expect(line()?.textContent).toHaveLength(500)
  await user.tab()
  await user.tab()
  expect(document.activeElement).toBe(line())
  expect(await screen.findByText(/^x{2000}\s+and a second line$/)).toBeTruthy()
})

test('a failure is a quiet mark that has the reason, and leads to the setting', async () => {
  tell(null, 'The status line’s command was not found: gti.')
  const mark = screen.getByRole('button', { name: 'The status line’s command was not found: gti.' })
  expect(mark.textContent).toBe('status line')
  await user.hover(mark)
  expect(await screen.findByText('The status line’s command was not found: gti.')).toBeTruthy()
  await user.click(mark)
  expect(useSession.getState().place).toBe('settings')
})
