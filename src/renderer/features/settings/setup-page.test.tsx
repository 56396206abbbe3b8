import { cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { SetupItem, SetupReport } from '../../../shared/setup.ts'
import { useSettingsPart } from '../../stores/mcp-store.ts'
import { useSetup } from '../../stores/setup-store.ts'
import { FOLDER, startWindow } from '../../testing/start-window.tsx'
import { SettingsPage } from './settings-page.tsx'

const user = userEvent.setup()

afterEach(() => {
  cleanup()
  useSettingsPart.setState({ part: null })
  useSetup.setState({ report: null, isScanning: false, problem: null })
})

const SETTINGS: SetupItem = {
  ...{
    group: 'user',
    what: 'Settings',
    shown: '~/.claude/settings.json',
    file: '/home/ana/.claude/settings.json',
  },
  ...{
    files: 1,
    state: 'partly',
    details: '2 of 3 keys.',
    notes: ['"spinner" has no effect: Troupe does not know it.'],
  },
}
const report = (more: Partial<SetupItem>): SetupReport => ({
  folder: FOLDER.path,
  trusted: true,
  items: [
    SETTINGS,
    {
      ...SETTINGS,
      group: 'project',
      what: 'MCP servers',
      shown: '.mcp.json',
      state: 'needs-you',
      details: '1 server',
      notes: ['one waits.'],
    },
    {
      ...SETTINGS,
      group: 'others',
      what: 'Cursor, MCP',
      shown: '~/.cursor/mcp.json',
      file: '/home/ana/.cursor/mcp.json',
      state: 'not-imported',
      details: '1 server: 1 new',
      notes: [],
      ...more,
    },
  ],
})

test('the setup shows what counts and why the rest does not, and imports servers of other programs', async () => {
  const bridge = await startWindow()
  bridge.answer({
    'setup.report': () => report({}),
    'setup.import': () => report({ state: 'used', details: '1 server: 1 the same as yours' }),
  })
  render(<SettingsPage />)
  await user.click(screen.getByRole('button', { name: 'Your setup' }))
  expect(await screen.findByText(/3 files found/)).toBeTruthy()
  expect(screen.queryByText(/"spinner" has no effect/)).toBeNull()
  await user.click(screen.getByRole('button', { name: /Show the reasons for Settings/ }))
  expect(screen.getByText(/"spinner" has no effect/)).toBeTruthy()

  await user.click(screen.getByRole('button', { name: 'Import the servers of ~/.cursor/mcp.json' }))
  expect(await screen.findByText('1 server: 1 the same as yours')).toBeTruthy()
  expect(bridge.inputsOf('setup.import')).toEqual([
    { folder: FOLDER.path, file: '/home/ana/.cursor/mcp.json' },
  ])

  await user.click(screen.getByRole('radio', { name: 'Needs you 1' }))
  const rows = within(screen.getByRole('main')).getAllByRole('listitem')
  expect(rows).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Review MCP servers of .mcp.json' }))
  expect(useSettingsPart.getState().part).toBe('mcp')
})
