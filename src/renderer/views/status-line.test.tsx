import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useSession } from '../stores/session-store.ts'
import type { FakeBridge } from '../testing/fake-bridge.ts'
import { startWindow } from '../testing/start-window.tsx'
import { StatusBar } from './status-bar.tsx'

afterEach(cleanup)
const user = userEvent.setup()
let bridge: FakeBridge

beforeEach(async () => {
  bridge = await startWindow()
  render(<StatusBar onShowRequests={() => {}} />)
})

const line = () => document.querySelector('[data-status-line]')
const tell = (text: string | null, problem: string | null = null) =>
  act(() => bridge.push({ type: 'status-line', text, problem }))

test('renders nothing without a command', () => {
  expect(line()).toBeNull()
  tell('x')
  tell(null)
  expect(line()).toBeNull()
})

test('shows the first visible line of the newest output, in color', () => {
  tell('old')
  tell('\n\x1b[31mmain\x1b[0m ± 3\nsecond line')
  expect(line()?.textContent).toBe('main ± 3')
  expect(line()?.querySelector('span')?.className).toContain('red')
  expect(line()?.querySelector('[style]')).toBeNull()
})

test('markup is plain text, and invisible characters are shown by name', () => {
  tell('<b>safe\u202eevil\x07')
  expect(line()?.querySelector('b')).toBeNull()
  expect(line()?.textContent).toBe('<b>safeRLOevilBEL')
})

test('an overlong line is cut; the tooltip has the whole line', async () => {
  tell(`${'x'.repeat(2000)}\nand a second line`)
  expect(line()?.textContent).toHaveLength(500)
  await user.tab()
  await user.tab()
  expect(document.activeElement).toBe(line())
  expect(await screen.findByText(/^x{2000}\s+and a second line$/)).toBeTruthy()
})

test('a failure is a small warning with the reason, and a click opens the settings', async () => {
  tell(null, 'The status line’s command was not found: gti.')
  const mark = screen.getByRole('button', { name: 'The status line’s command was not found: gti.' })
  expect(mark.textContent).toBe('status line')
  await user.hover(mark)
  expect(await screen.findByText('The status line’s command was not found: gti.')).toBeTruthy()
  await user.click(mark)
  expect(useSession.getState().view).toBe('settings')
})
