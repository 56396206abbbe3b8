import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { usePrograms } from '../../features/external-agents/programs-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { type SettingsPart, showSettingsPart, useSettingsFiles } from '../../stores/settings-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import type { FakeHandlers } from '../../testing/fake-handlers.ts'
import { FOLDER, startWindow } from '../../testing/start-window.tsx'
import { SettingsPage } from './settings-page.tsx'
import { SETTINGS_PAGES } from './settings-pages.tsx'

afterEach(() => {
  cleanup()
  useSettingsFiles.setState({ origins: {} })
  act(() => showSettingsPart('general'))
})
const user = userEvent.setup()

async function open(part: SettingsPart = 'general', answers: FakeHandlers = {}): Promise<FakeBridge> {
  const bridge = await startWindow()
  bridge.answer(answers)
  bridge.answer({
    'settings.change': ({ patch }) => ({ ...defaultSettings, ...patch }) as typeof defaultSettings,
  })
  act(() => showSettingsPart(part))
  render(<SettingsPage />)
  return bridge
}

const patches = (bridge: FakeBridge) => bridge.inputsOf('settings.change').map((input) => input.patch)

test('a number applies on Enter and on blur; an invalid one shows a message and changes nothing', async () => {
  const bridge = await open('limits')
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
  const bridge = await open('limits')
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
  const bridge = await open('access')
  const field = screen.getByRole('textbox', { name: 'Model of the alias opus' })
  await user.type(field, 'claude-opus-9{Enter}')
  await user.clear(field)
  await user.tab()
  expect(patches(bridge)).toEqual([{ modelAliases: { opus: 'claude-opus-9' } }, { modelAliases: {} }])
})

test('a switch allows bypass for this folder only', async () => {
  const bridge = await open('permissions')
  bridge.answer({ 'folder.bypass': ({ allowed }) => ({ ...FOLDER, bypassAllowed: allowed }) })
  const toggle = screen.getByRole('switch', { name: 'Allow bypass in shop' })
  await user.click(toggle)
  expect(bridge.inputsOf('folder.bypass')).toEqual([{ path: '/work/shop', allowed: true }])
  expect(toggle.getAttribute('aria-checked')).toBe('true')
})

const ORIGINS = {
  maxAgents: { file: '/data/troupe/settings.json', line: 4, kind: 'own' },
  maxDepth: { file: '/etc/troupe/settings.json', line: 2, kind: 'overrides' },
} as const

test('a row says where its setting is set: the link opens the file at the line, Reset removes the setting', async () => {
  const bridge = await open('limits', {
    'settings.origins': () => ORIGINS,
    'settings.reset': () => defaultSettings,
  })
  const row = await screen.findByRole('group', { name: 'Total agents' })
  await user.click(await within(row).findByRole('button', { name: 'settings.json:4' }))
  expect(bridge.inputsOf('settings.open')).toEqual([
    { folder: '/work/shop', file: '/data/troupe/settings.json', line: 4 },
  ])
  await user.click(screen.getByRole('button', { name: 'Reset Total agents' }))
  expect(bridge.inputsOf('settings.reset')).toEqual([{ names: ['maxAgents'] }])
  expect(screen.queryByRole('button', { name: 'Reset Depth' })).toBeNull()
  expect(within(screen.getByRole('group', { name: 'Subagents at once' })).getByText('default')).toBeTruthy()
})

test('only the changed rows can be shown', async () => {
  await open('limits', { 'settings.origins': () => ORIGINS })
  await user.click(await screen.findByRole('radio', { name: 'Changed 1' }))
  expect(screen.getAllByRole('group').map((row) => row.getAttribute('data-setting'))).toEqual(['maxAgents'])
})

const search = () => screen.getByRole('textbox', { name: 'Search settings' })
const found = () =>
  [...document.querySelectorAll('[data-setting]')].map((row) => row.getAttribute('data-setting'))

test('a search finds settings by name, key and hint on all pages, and shows the rows in place', async () => {
  const bridge = await open()
  await user.keyboard('/')
  expect(document.activeElement).toBe(search())
  await user.keyboard('conversationusd')
  expect(found()).toEqual(['conversationUsd'])
  await user.clear(search())
  await user.type(search(), 'own files stay unchanged')
  expect(found()).toEqual(['worktreeCarryOver'])
  await user.click(screen.getByRole('switch', { name: 'Carry over uncommitted changes' }))
  expect(patches(bridge)).toEqual([{ worktreeCarryOver: true }])
  await user.clear(search())
  await user.type(search(), 'no such thing')
  expect(screen.getByText('Nothing found for “no such thing”.')).toBeTruthy()
})

test('the field tells how many settings the pages have together', async () => {
  await open()
  const names = []
  for (const { part } of SETTINGS_PAGES) {
    act(() => showSettingsPart(part))
    // The name of a setting stands behind its title; other rows have none.
    for (const row of document.querySelectorAll('fieldset[data-setting]'))
      if (row.querySelector('code')?.textContent === row.getAttribute('data-setting')) names.push(row)
  }
  expect(search().getAttribute('placeholder')).toBe(`Search ${names.length} settings`)
})

test('the list counts the external agents that can be started', async () => {
  await open()
  act(() => {
    const found = { ...{ place: 'path', problem: null, isUsed: true, update: null, work: null } }
    const programs = [
      { id: 'claude', ...found },
      { id: 'codex', ...found, place: 'none' },
    ]
    usePrograms.setState({ programs: programs as never })
  })
  expect(screen.getByRole('button', { name: /^External agents/ }).textContent).toBe('External agents1 of 2')
  act(() => usePrograms.setState({ programs: null }))
})

test('the keys go down to a row, into its control, and back to the search', async () => {
  await open()
  await user.type(search(), 'agents at once{ArrowDown}')
  const row = screen.getByRole('group', { name: 'Subagents at once' })
  expect(document.activeElement).toBe(row)
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Subagents at once' }))
  await user.keyboard('{Escape}')
  expect(document.activeElement).toBe(search())
  await user.keyboard('{ArrowDown}{ArrowUp}{Escape}')
  expect(search()).toHaveProperty('value', '')
  expect(screen.getByRole('main', { name: 'General' })).toBeTruthy()
})

test('Enter in the search opens a page that is found', async () => {
  await open()
  await user.type(search(), 'mcp servers{Enter}')
  expect(screen.getByRole('main', { name: 'MCP servers' })).toBeTruthy()
})

test('a title among the results leads to the page', async () => {
  await open()
  await user.type(search(), 'textsize')
  await user.click(screen.getByRole('button', { name: 'General › Window' }))
  expect(screen.getByRole('main', { name: 'General' })).toBeTruthy()
})

test('a switch sets whether new worktrees carry over changes', async () => {
  const bridge = await open('coordination')
  await user.click(screen.getByRole('switch', { name: 'Carry over uncommitted changes' }))
  expect(patches(bridge)).toEqual([{ worktreeCarryOver: true }])
})

test('coordinator mode is switched here, unless the environment does', async () => {
  const bridge = await open('coordination')
  await user.click(screen.getByRole('switch', { name: 'Coordinator mode' }))
  expect(patches(bridge)).toEqual([{ coordinatorMode: true }])
  const { info } = useSession.getState()
  act(() => useSession.setState({ info: { ...info, coordinatorMode: false } }))
  const fixed = screen.getByRole('switch', { name: 'Coordinator mode' })
  expect([fixed.getAttribute('aria-checked'), fixed.getAttribute('aria-disabled')]).toEqual(['false', 'true'])
  expect(screen.getByText(/turns it off \(TROUPE_COORDINATOR_MODE\)/)).toBeTruthy()
})
