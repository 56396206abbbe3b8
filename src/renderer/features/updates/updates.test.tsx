/** Updates in the window: the rows of the settings, the notice in the status bar, and the command of the palette. */
import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import type { UpdateFound, UpdateState } from '../../../shared/updates/contract.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { type FakeHandlers, Refusal } from '../../testing/fake-handlers.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { UpdateNotice } from './update-notice.tsx'
import { UpdateSettings } from './update-settings.tsx'
import { checkForUpdates, showUpdates, useUpdate } from './updates-store.ts'

const user = userEvent.setup()
const ON = { updateUrl: 'https://example.com/troupe/', updateKey: 'MCowBQYDK2VwAyEA' }
const NEWER = {
  kind: 'newer',
  version: '1.10.0',
  notes: '- **Faster** with `npm` ([more](install.md)).',
  way: { kind: 'self' },
} as const

let told: string[] = []
let stopListening = () => {}

afterEach(() => {
  stopListening()
  cleanup()
  useUpdate.setState(useUpdate.getInitialState(), true)
})

const stateOf = (found: UpdateFound | null, more: Partial<UpdateState> = {}): UpdateState => ({
  ...{ found, checkedAt: 0, work: null, isLater: false },
  ...more,
})

async function open(
  part: 'settings' | 'notice',
  { settings = ON, ...answers }: FakeHandlers & { readonly settings?: typeof ON } = {},
) {
  const bridge = await startWindow({ settings })
  bridge.answer(answers)
  told = []
  stopListening = onNotice(({ text }) => told.push(text))
  render(part === 'settings' ? <UpdateSettings /> : <UpdateNotice />)
  return bridge
}

const send = (bridge: Awaited<ReturnType<typeof open>>, state: UpdateState) =>
  act(() => bridge.push({ type: 'update', state }))
const notice = () => screen.queryByRole('status', { name: 'Update' })

test('Check now says what was found: nothing newer, a version with its notes, or an error', async () => {
  const bridge = await open('settings')
  const check = screen.getByRole('button', { name: 'Check now' })
  await user.click(check)
  expect(screen.getByText('This is the newest version.')).toBeTruthy()
  bridge.answer({ 'update.check': () => stateOf(NEWER) })
  await user.click(check)
  expect(screen.getByRole('region', { name: 'What is new in Troupe 1.10.0' }).textContent).toBe(
    '• Faster with npm (more).',
  )
  expect(screen.getByRole('button', { name: 'Install and restart' })).toBeTruthy()
  bridge.answer({ 'update.check': () => stateOf({ kind: 'failed', message: 'The server answers 404.' }) })
  await user.click(check)
  expect(screen.getByText('The server answers 404.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Install and restart' })).toBeNull()
})

test('the settings show their rows about updates when they are sought', async () => {
  await open('settings')
  act(() => showUpdates())
  expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Newer versions' }))
  expect(useUpdate.getState().isSought).toBe(false)
})

test('an address and a key turn updates on: the first look follows at once', async () => {
  const kept = { ...defaultSettings }
  const bridge = await open('settings', {
    settings: { updateUrl: '', updateKey: '' },
    'update.source': ({ url, key }) => Object.assign(kept, { updateUrl: url, updateKey: key }),
  })
  const check = screen.getByRole('button', { name: 'Check now' })
  expect(check.getAttribute('aria-disabled')).toBe('true')
  await user.type(screen.getByRole('textbox', { name: 'Address of updates' }), `${ON.updateUrl}{Enter}`)
  expect(bridge.inputsOf('update.check')).toEqual([])
  await user.type(screen.getByRole('textbox', { name: 'Key of updates' }), ` ${ON.updateKey} `)
  await user.tab()
  expect(bridge.inputsOf('update.source')).toEqual([
    { url: ON.updateUrl, key: '' },
    { url: ON.updateUrl, key: ON.updateKey },
  ])
  expect(bridge.inputsOf('update.check')).toHaveLength(1)
  expect(check.getAttribute('aria-disabled')).not.toBe('true')
})

test('a refused key stays with the reason, and a declined one leaves', async () => {
  const bridge = await open('settings', {
    'update.source': () => {
      throw new Refusal('The setting updateKey is not a public key.', 'settings')
    },
  })
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Key of updates' })
  await user.type(field, 'x{Enter}')
  expect(screen.getByText('The setting updateKey is not a public key.')).toBeTruthy()
  expect(field.value).toBe(`${ON.updateKey}x`)
  bridge.answer({ 'update.source': () => null })
  await user.type(field, '{Enter}')
  expect(screen.getByText('Not changed.')).toBeTruthy()
  expect(field.value).toBe(ON.updateKey)
})

test('the notice installs with the keyboard, shows the work, and tells why nothing was installed', async () => {
  const bridge = await open('notice', {
    'update.install': () => {
      throw new Refusal('troupe.deb is not the file that was signed. Nothing was changed.', 'not-signed')
    },
  })
  expect(notice()).toBeNull()
  send(bridge, stateOf(NEWER))
  await user.click(screen.getByRole('button', { name: 'Troupe 1.10.0 is available' }))
  expect([useSession.getState().view, useUpdate.getState().isSought]).toEqual(['settings', true])
  await user.tab()
  expect(document.activeElement?.textContent).toBe('Install and restart')
  await user.keyboard('{Enter}')
  expect(told).toEqual(['troupe.deb is not the file that was signed. Nothing was changed.'])
  send(bridge, stateOf(NEWER, { work: 'fetching' }))
  expect(notice()?.textContent).toBe('Fetching Troupe 1.10.0…')
  send(bridge, stateOf(NEWER, { work: 'installing' }))
  expect(notice()?.textContent).toBe('Installing Troupe 1.10.0…')
  send(bridge, stateOf({ kind: 'installed', version: '1.10.0' }))
  expect(notice()?.textContent).toBe('Troupe 1.10.0 is installed and runs after a restart')
})

test('Later hides the notice, and so does an address that is gone', async () => {
  const bridge = await open('notice', { 'update.later': () => stateOf(NEWER, { isLater: true }) })
  send(bridge, stateOf(NEWER))
  await user.click(screen.getByRole('button', { name: 'Later' }))
  expect(notice()).toBeNull()
  send(bridge, stateOf(NEWER))
  expect(notice()).not.toBeNull()
  act(() => useSession.setState({ settings: { ...defaultSettings, updateUrl: '' } }))
  expect(notice()).toBeNull()
})

test('where the program installs nothing itself, the notice has the command or the address', async () => {
  const bridge = await open('notice')
  const command = "cd '/work/troupe' && git pull && npm start"
  send(bridge, stateOf({ ...NEWER, way: { kind: 'command', command } }))
  expect(within(notice() as HTMLElement).getByText(command)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Copy command' }))
  expect(await navigator.clipboard.readText()).toBe(command)
  send(bridge, stateOf({ ...NEWER, way: { kind: 'fetch', url: ON.updateUrl } }))
  await user.click(screen.getByRole('button', { name: 'Get the package' }))
  expect(bridge.inputsOf('system.openLink')).toEqual([{ url: ON.updateUrl }])
  expect(screen.queryByRole('button', { name: 'Install and restart' })).toBeNull()
})

test('the command of the palette answers in the status bar, and shows the settings while updates are off', async () => {
  const bridge = await open('notice')
  await act(() => checkForUpdates())
  expect(told).toEqual(['Troupe 0.1.0 is the newest version.'])
  bridge.answer({ 'update.check': () => stateOf({ kind: 'failed', message: 'The server answers 404.' }) })
  await act(() => checkForUpdates())
  expect(told.at(-1)).toBe('The server answers 404.')
  bridge.answer({ 'update.check': () => stateOf(NEWER) })
  await act(() => checkForUpdates())
  expect(told).toHaveLength(2)
  expect(notice()).not.toBeNull()
  act(() => useSession.setState({ settings: defaultSettings }))
  await act(() => checkForUpdates())
  expect(told.at(-1)).toBe('Updates are off: they need an address and a key.')
  expect(useSession.getState().view).toBe('settings')
})
