import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { KeyBindings } from '../../../shared/commands/key-bindings.ts'
import { useKeyBindings } from '../../stores/keys-store.ts'
import { type Notice, onNotice } from '../../stores/overlay-store.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { SettingsPage } from './settings-page.tsx'

const user = userEvent.setup()
const FILE = '/data/troupe/keybindings.json'
let bridge: FakeBridge
let now: KeyBindings
let notices: Notice[]
let stopNotices: () => void

beforeEach(async () => {
  now = { file: FILE, bindings: {}, problems: [] }
  bridge = await startWindow()
  bridge.answer({
    'keys.set': ({ keys: chosen }) => {
      const added = Object.entries(chosen).map(([id, keys]) => [id, { keys, line: 2 }])
      now = { ...now, bindings: { ...now.bindings, ...Object.fromEntries(added) } }
      return now
    },
    'keys.reset': ({ ids }) => {
      const kept = Object.entries(now.bindings).filter(([id]) => ids !== null && !ids.includes(id))
      now = { ...now, bindings: Object.fromEntries(kept) }
      return now
    },
  })
  notices = []
  stopNotices = onNotice((notice) => notices.push(notice))
  act(() => showSettingsPart('keys'))
  render(<SettingsPage />)
})
afterEach(() => {
  stopNotices()
  cleanup()
  useKeyBindings.setState({ file: '', bindings: {}, problems: [] }, true)
  showSettingsPart('general')
})

const row = (id: string) => document.querySelector<HTMLElement>(`[data-key-action="${id}"]`)
const shown = () =>
  [...document.querySelectorAll('[data-key-action]')].map((one) => one.getAttribute('data-key-action'))
const search = () => screen.getByRole('textbox', { name: 'Search keys' })

test('pressed keys find their command, also fixed ones; Backspace returns to text', async () => {
  await user.keyboard('/')
  expect(document.activeElement).toBe(search())
  await user.keyboard('{Control>}k{/Control}')
  expect(shown()).toEqual(['palette'])
  await user.keyboard('{Control>}s{/Control}')
  expect(screen.getByText('Save')).toBeTruthy()
  await user.keyboard('{Control>}{Shift>}9{/Shift}{/Control}')
  expect(screen.getByText('Nothing uses Ctrl Shift 9.')).toBeTruthy()
  await user.keyboard('{Backspace}stop all')
  expect(shown()).toEqual(['stop-all'])
})

test('new keys are recorded in the row, and Reset brings the default back', async () => {
  await user.click(screen.getByRole('button', { name: 'Keys of Stop all agents: none' }))
  const recorder = screen.getByRole('button', { name: /^Press the new keys of Stop all agents/ })
  expect(document.activeElement).toBe(recorder)
  await user.keyboard('{Control>}{Shift>}x{/Shift}{/Control}')
  expect(bridge.inputsOf('keys.set')).toEqual([{ keys: { 'stop-all': 'Mod Shift X' } }])
  expect(await screen.findByRole('button', { name: 'Keys of Stop all agents: Ctrl Shift X' })).toBeTruthy()
  await user.click(within(row('stop-all')!).getByRole('button', { name: 'keybindings.json:2' }))
  expect(bridge.inputsOf('settings.open')).toMatchObject([{ file: FILE, line: 2 }])
  await user.click(screen.getByRole('button', { name: 'Reset Stop all agents' }))
  expect(bridge.inputsOf('keys.reset')).toEqual([{ ids: ['stop-all'] }])
  expect(screen.getByRole('button', { name: 'Keys of Stop all agents: none' })).toBeTruthy()
})

test('keys that type text are refused in the row; Escape cancels, Backspace removes', async () => {
  await user.click(screen.getByRole('button', { name: 'Keys of Settings: Ctrl ,' }))
  await user.keyboard('k')
  expect(row('settings')?.textContent).toContain('K: Use Ctrl, Cmd, Alt or a function key')
  await user.keyboard('{Control>}c{/Control}')
  expect(row('settings')?.textContent).toContain('Ctrl C: These keys edit text in every field.')
  await user.keyboard('{Escape}')
  expect(bridge.inputsOf('keys.set')).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Keys of Settings: Ctrl ,' }))
  await user.keyboard('{Backspace}')
  expect(bridge.inputsOf('keys.set')).toEqual([{ keys: { settings: null } }])
})

test('a conflict is told in both rows and can be listed', async () => {
  await user.click(screen.getByRole('button', { name: 'Change the keys of Stop all agents' }))
  await user.keyboard('{Control>}k{/Control}')
  await user.click(await screen.findByRole('radio', { name: 'Conflicts 2' }))
  expect(shown()).toEqual(['palette', 'stop-all'])
  expect(row('palette')?.textContent).toContain('Also: Stop all agents')
  expect(row('stop-all')?.textContent).toContain('Also: Command palette')
  await user.click(screen.getByRole('button', { name: 'Reset all' }))
  await user.click(screen.getByRole('button', { name: 'Really reset all' }))
  expect(bridge.inputsOf('keys.reset')).toEqual([{ ids: null }])
  expect(screen.getByRole('radio', { name: 'Conflicts 0' })).toBeTruthy()
})

test('a refused write shows the reason in the row, and a bad file its line on the page', async () => {
  bridge.answer({
    'keys.set': () => {
      throw new Refusal('Not saved. The disk is full.')
    },
  })
  await user.click(screen.getByRole('button', { name: 'Change the keys of Keys and commands' }))
  await user.keyboard('{F1}')
  expect((await screen.findByText('Not saved. The disk is full.')).closest('li')).toBe(row('help'))
  act(() => bridge.push({ type: 'keys', keys: { ...now, problems: [`${FILE}:3: This is wrong.`] } }))
  expect(screen.getByRole('alert').textContent).toBe(`${FILE}:3: This is wrong.`)
})

test('fixed keys say why', () => {
  const section = screen.getByRole('region', { name: 'Permission requests' })
  expect(within(section).getByText('Deny with feedback').closest('li')?.textContent).toContain(
    'Fixed: works only',
  )
})

test('a preset shows what it changes, any line can be left out, and its notice takes it back', async () => {
  await user.click(screen.getByRole('button', { name: 'Presets' }))
  await user.click(await screen.findByRole('menuitem', { name: 'JetBrains…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Keys of JetBrains' }))
  await user.click(dialog.getByRole('checkbox', { name: /New agent/ }))
  expect(dialog.getByText('Also: New agent…')).toBeTruthy()
  await user.click(dialog.getByRole('checkbox', { name: /Command palette/ }))
  expect(dialog.queryByText(/^Also/)).toBeNull()
  await user.click(dialog.getByRole('button', { name: 'Use 5 keys' }))
  expect(bridge.inputsOf('keys.set').at(-1)?.keys).toEqual({
    ...{ settings: 'Mod Alt S', changes: 'Alt 0', 'open-terminal': 'Alt F12' },
    ...{ 'stop-all': 'Mod F2', 'continue-all': 'F9' },
  })
  expect(screen.queryByRole('dialog')).toBeNull()
  const undo = notices.at(-1)?.action
  await act(async () => undo?.run())
  expect(Object.keys(now.bindings)).toEqual([])
})

test('the file of Claude Code is offered as import, with what can’t be used', async () => {
  bridge.answer({
    'keys.claude': () => ({
      ...{ file: '/home/ana/.claude/keybindings.json', problem: null },
      bindings: [
        { context: 'Chat', keys: 'meta+p', action: 'chat:modelPicker', line: 4 },
        { context: 'Chat', keys: 'ctrl+e', action: 'chat:externalEditor', line: 5 },
      ],
    }),
  })
  await user.click(screen.getByRole('button', { name: 'Presets' }))
  const item = await screen.findByRole('menuitem', { name: 'Import from Claude Code…' })
  await waitFor(() => expect(item.getAttribute('aria-disabled')).not.toBe('true'))
  await user.click(item)
  const dialog = within(await screen.findByRole('dialog', { name: 'Keys of Claude Code' }))
  expect(dialog.getByText('Line 5: Troupe has no action like “chat:externalEditor”.')).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Use 1 key' }))
  expect(bridge.inputsOf('keys.set').at(-1)?.keys).toEqual({ 'choose-model': 'Mod P' })
})

test('without a file of Claude Code the import is off and says why', async () => {
  await user.click(screen.getByRole('button', { name: 'Presets' }))
  expect(await screen.findByText('There is no /home/ana/.claude/keybindings.json.')).toBeTruthy()
  const item = screen.getByRole('menuitem', { name: 'Import from Claude Code…' })
  expect(item.getAttribute('aria-disabled')).toBe('true')
})
