import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { InstalledPlugin } from '../../../shared/plugins/installed-plugin.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { SettingsPage } from './settings-page.tsx'

afterEach(() => {
  cleanup()
  act(() => showSettingsPart('general'))
})
const user = userEvent.setup()

const tidy: InstalledPlugin = {
  name: 'tidy',
  description: 'Tidies up',
  path: '/data/plugins/tidy',
  source: { url: 'https://example.org/tidy.git', plugin: null, commit: '0123456789abcdef' },
  state: 'disabled',
  digest: 'abc123',
  parts: [
    { kind: 'agent', name: 'sweeper', runs: null },
    { kind: 'hook', name: 'hooks/hooks.json', runs: './sweep.sh' },
  ],
  problems: [],
  notUsed: [],
}

test('a setting says which other file decides it', async () => {
  const bridge = await startWindow()
  bridge.answer({
    'settings.origins': () => ({
      permissionMode: { file: '/etc/troupe/settings.json', line: 3, kind: 'overrides' },
      maxAgents: { file: '/home/ana/.claude/settings.json', line: 9, kind: 'default' },
    }),
  })
  render(<SettingsPage />)
  await user.click(screen.getByRole('button', { name: 'Permissions' }))
  expect(await screen.findByText('Your administrator set this. A change here has no effect.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'settings.json:3' }).title).toBe(
    'Open /etc/troupe/settings.json:3',
  )
  await user.click(screen.getByRole('button', { name: 'Limits' }))
  expect(screen.getByRole('button', { name: 'settings.json:9' }).title).toBe(
    'Open /home/ana/.claude/settings.json:9',
  )
})

test('a plugin shows what it brings and is enabled with the digest that is shown', async () => {
  const bridge = await startWindow()
  bridge.answer({
    'plugins.list': () => [tidy],
    'plugins.enable': () => [{ ...tidy, state: 'enabled' }],
    'plugins.remove': () => [],
    'plugins.add': () => {
      throw new Error('x is not a plugin.')
    },
  })
  act(() => showSettingsPart('plugins'))
  render(<SettingsPage />)
  const parts = await screen.findByRole('list', { name: 'Parts of tidy' })
  expect(parts.textContent).toContain('Hook hooks/hooks.json ./sweep.sh')
  await user.click(screen.getByRole('button', { name: 'Enable tidy' }))
  expect(bridge.inputsOf('plugins.enable')).toEqual([{ name: 'tidy', digest: 'abc123' }])
  expect(await screen.findByRole('button', { name: 'Disable tidy' })).toBeTruthy()
  await user.type(screen.getByRole('textbox', { name: 'Add a plugin' }), 'x{Enter}')
  expect(await screen.findByText('x is not a plugin.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Remove tidy' }))
  await waitFor(() => expect(screen.queryByText('Tidies up')).toBeNull())
})
