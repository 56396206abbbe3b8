import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { useSession } from '../../stores/session-store.ts'
import { useSettingsPart } from '../../stores/settings-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { FOLDER, startWindow } from '../../testing/start-window.tsx'
import { SettingsPage } from './settings-page.tsx'

afterEach(() => {
  cleanup()
  useSettingsPart.setState({ part: null })
})
const user = userEvent.setup()

async function open(): Promise<FakeBridge> {
  const bridge = await startWindow()
  bridge.answer({
    'settings.change': ({ patch }) => ({ ...defaultSettings, ...patch }) as typeof defaultSettings,
  })
  render(<SettingsPage />)
  return bridge
}

const patches = (bridge: FakeBridge) => bridge.inputsOf('settings.change').map((input) => input.patch)

test('a number applies on Enter and on blur; an invalid one shows a message and changes nothing', async () => {
  const bridge = await open()
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Subagents at once' })
  await user.clear(field)
  await user.type(field, '500')
  await user.tab()
  expect(screen.getByText('A whole number from 1 to 100.')).toBeTruthy()
  expect(patches(bridge)).toEqual([])
  await user.clear(field)
  await user.type(field, '24{Enter}')
  expect(patches(bridge)).toEqual([{ maxParallelAgents: 24 }])
  expect(field.value).toBe('24')
  await user.type(field, '{ArrowUp}')
  await user.tab()
  expect(patches(bridge).at(-1)).toEqual({ maxParallelAgents: 25 })
})

test('Escape discards the typed text', async () => {
  const bridge = await open()
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Total agents' })
  await user.type(field, '9{Escape}')
  expect(field.value).toBe('100')
  await user.tab()
  expect(patches(bridge)).toEqual([])
})

test('a failed write shows the reason beside the setting', async () => {
  const bridge = await open()
  bridge.answer({
    'settings.change': () => {
      throw new Error('settings.json cannot be written: the disk is full.')
    },
  })
  await user.click(screen.getByRole('radio', { name: 'Light' }))
  expect(await screen.findByText('settings.json cannot be written: the disk is full.')).toBeTruthy()
})

test('an alias can be set, and cleared to use the default', async () => {
  const bridge = await open()
  const field = screen.getByRole('textbox', { name: 'Model of the alias opus' })
  await user.type(field, 'claude-opus-9{Enter}')
  await user.clear(field)
  await user.tab()
  expect(patches(bridge)).toEqual([{ modelAliases: { opus: 'claude-opus-9' } }, { modelAliases: {} }])
})

test('a switch allows bypass for this folder only', async () => {
  const bridge = await open()
  bridge.answer({ 'folder.bypass': ({ allowed }) => ({ ...FOLDER, bypassAllowed: allowed }) })
  await user.click(screen.getByRole('button', { name: 'Permissions' }))
  const toggle = screen.getByRole('switch', { name: 'Allow bypass in shop' })
  await user.click(toggle)
  expect(bridge.inputsOf('folder.bypass')).toEqual([{ path: '/work/shop', allowed: true }])
  expect(toggle.getAttribute('aria-checked')).toBe('true')
})

test('every section names its file; a click shows the file', async () => {
  const bridge = await open()
  const files = screen.getAllByRole('button', { name: '/data/troupe/settings.json' })
  expect(files.length).toBe(11)
  await user.click(files[0]!)
  expect(bridge.inputsOf('system.reveal')).toEqual([{ path: '/data/troupe/settings.json' }])
})

test('a switch sets whether new worktrees carry over changes', async () => {
  const bridge = await open()
  await user.click(screen.getByRole('switch', { name: 'Carry over uncommitted changes' }))
  expect(patches(bridge)).toEqual([{ worktreeCarryOver: true }])
})

test('coordinator mode is switched here, unless the environment does', async () => {
  const bridge = await open()
  await user.click(screen.getByRole('switch', { name: 'Coordinator mode' }))
  expect(patches(bridge)).toEqual([{ coordinatorMode: true }])
  const { info } = useSession.getState()
  act(() => useSession.setState({ info: { ...info, coordinatorMode: false } }))
  const fixed = screen.getByRole('switch', { name: 'Coordinator mode' })
  expect([fixed.getAttribute('aria-checked'), fixed.getAttribute('aria-disabled')]).toEqual(['false', 'true'])
  expect(screen.getByText(/turns it off \(TROUPE_COORDINATOR_MODE\)/)).toBeTruthy()
})
