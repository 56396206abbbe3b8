import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../shared/settings/settings.ts'
import { useSession } from '../stores/session-store.ts'
import { API, startWindow } from '../testing/start-window.tsx'
import { StatusBar } from './status-bar.tsx'

afterEach(cleanup)
const user = userEvent.setup()
const PACED = { ...API, kind: 'rehearsal', isPaced: true } as const

async function open(access: Parameters<typeof startWindow>[0] = {}) {
  const bridge = await startWindow(access)
  bridge.answer({ 'settings.change': ({ patch }) => ({ ...defaultSettings, ...patch }) as never })
  render(<StatusBar onShowRequests={() => {}} />)
  return bridge
}
const chosen = () => screen.getByRole('radio', { checked: true }).textContent

test('the pace of the rehearsal is changed from the keyboard, at once', async () => {
  const bridge = await open({ access: PACED })
  expect(screen.getByRole('radiogroup', { name: 'Pace of the rehearsal' })).toBeTruthy()
  expect(chosen()).toBe('1×')
  screen.getByRole('radio', { name: '1×' }).focus()
  await user.keyboard('{ArrowRight}')
  await user.keyboard('{ArrowRight}')
  expect(bridge.inputsOf('settings.change')).toEqual([
    { patch: { rehearsalPace: 'faster' } },
    { patch: { rehearsalPace: 'instant' } },
  ])
  expect(chosen()).toBe('instant')
  act(() => useSession.setState({ settings: { ...defaultSettings, rehearsalPace: 'faster' } }))
  expect(chosen()).toBe('4×')
})

test.each([
  ['the API answers', API],
  ['the pace is fixed', { ...API, kind: 'rehearsal' } as const],
])('there is no pace to choose while %s', async (_, access) => {
  await open({ access })
  expect(screen.queryByRole('radiogroup')).toBeNull()
})
