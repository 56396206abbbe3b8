import { cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { InstalledPlugin } from '../../../shared/plugins/installed-plugin.ts'
import type { SetupImport, SetupItem, SetupReport } from '../../../shared/setup/setup.ts'
import { useSetup } from '../../features/setup/setup-store.ts'
import { useSettingsPart } from '../../stores/settings-store.ts'
import { FOLDER, startWindow } from '../../testing/start-window.tsx'
import { SettingsPage } from './settings-page.tsx'

const user = userEvent.setup()

afterEach(() => {
  cleanup()
  useSettingsPart.setState({ part: 'general' })
  useSetup.setState({ report: null, isScanning: false, problem: null, preview: null })
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
    details: '2 of 3 keys',
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
      imports: { servers: 1, rules: 0, done: 0 },
      ...more,
    },
  ],
})

const PREVIEW: SetupImport = {
  servers: [{ name: 'hub', place: 'user', definition: '{ "command": "hub" }' }],
  rules: [
    {
      ...{
        from: '.cursor/rules/a.mdc',
        file: '/w/.claude/rules/cursor/a.md',
        shown: '.claude/rules/cursor/a.md',
      },
      ...{ paths: ['src/**'], text: 'Be exact.\n' },
    },
  ],
  notes: ['b.mdc is left out: it is empty.'],
  digest: 'd1',
}

async function openPage() {
  render(<SettingsPage />)
  await user.click(screen.getByRole('button', { name: 'Your setup' }))
  await screen.findByText(/3 files found/)
}

test('the setup shows what counts and why the rest does not, and each file can be opened', async () => {
  const bridge = await startWindow()
  bridge.answer({
    'setup.report': () => report({}),
    'system.openSetup': () => {
      throw new Error('It is gone.')
    },
  })
  await openPage()
  expect(screen.queryByText(/"spinner" has no effect/)).toBeNull()
  await user.click(screen.getByRole('button', { name: /Show the reasons for Settings/ }))
  expect(screen.getByText(/"spinner" has no effect/)).toBeTruthy()

  await user.click(screen.getByRole('button', { name: 'Open ~/.claude/settings.json' }))
  expect(bridge.inputsOf('system.openSetup')).toEqual([
    { folder: FOLDER.path, path: '/home/ana/.claude/settings.json' },
  ])
  expect((await screen.findByRole('alert')).textContent).toBe('It is gone.')

  await user.click(screen.getByRole('radio', { name: 'Needs you 1' }))
  const rows = within(screen.getByRole('main')).getAllByRole('listitem')
  expect(rows).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Review MCP servers of .mcp.json' }))
  expect(useSettingsPart.getState().part).toBe('mcp')
})

test('an import is shown before it is written, can be canceled, and can be undone', async () => {
  const bridge = await startWindow()
  const imported = {
    state: 'used',
    details: '1 server: 1 imported',
    imports: { servers: 0, rules: 0, done: 1 },
  } as const
  bridge.answer({
    'setup.report': () => report({}),
    'setup.preview': () => PREVIEW,
    'setup.import': () => report(imported),
    'setup.undoImport': () => report({}),
  })
  await openPage()
  const row = () => screen.getByRole('button', { name: 'Import 1 server of ~/.cursor/mcp.json' })
  row().focus()
  await user.keyboard('{Enter}')
  const dialog = await screen.findByRole('dialog', { name: 'Import 1 server and 1 rule' })
  expect(dialog.textContent).toContain('from .cursor/rules/a.mdc, for src/**')
  expect(dialog.textContent).toContain('Be exact.')
  expect(dialog.textContent).toContain('b.mdc is left out: it is empty.')
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(bridge.inputsOf('setup.import')).toEqual([])

  await user.click(screen.getByRole('button', { name: 'Import 1 server…' }))
  await user.click(await screen.findByRole('button', { name: 'Import' }))
  expect(await screen.findByText('1 server: 1 imported')).toBeTruthy()
  expect(bridge.inputsOf('setup.preview').map(({ file }) => file)).toEqual([
    '/home/ana/.cursor/mcp.json',
    null,
  ])
  expect(bridge.inputsOf('setup.import')).toEqual([{ folder: FOLDER.path, file: null, digest: 'd1' }])
  await user.click(screen.getByRole('button', { name: 'Undo the import of ~/.cursor/mcp.json' }))
  expect(await screen.findByText('1 server: 1 new')).toBeTruthy()
  expect(bridge.inputsOf('setup.undoImport')).toEqual([
    { folder: FOLDER.path, file: '/home/ana/.cursor/mcp.json' },
  ])
})

test('an import that is refused says why, and writes nothing', async () => {
  const bridge = await startWindow()
  bridge.answer({
    'setup.report': () => report({}),
    'setup.preview': () => {
      throw new Error('There is nothing new to import.')
    },
  })
  await openPage()
  await user.click(screen.getByRole('button', { name: 'Import 1 server…' }))
  expect((await screen.findByRole('alert')).textContent).toBe('There is nothing new to import.')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a plugin that is off is turned on after the user saw what it runs', async () => {
  const bridge = await startWindow()
  const tidy: InstalledPlugin = {
    ...{ name: 'tidy', description: '', path: '/p/tidy', source: null, state: 'disabled', digest: 'abc' },
    ...{ parts: [{ kind: 'hook', name: 'PreToolUse', runs: './guard.py' }], problems: [], notUsed: [] },
  }
  bridge.answer({
    'setup.report': () =>
      report({ group: 'plugins', what: 'tidy', state: 'not-used', details: 'tidy is off.', plugin: 'tidy' }),
    'plugins.list': () => [tidy],
    'plugins.enable': () => [{ ...tidy, state: 'enabled' }],
  })
  await openPage()
  await user.click(screen.getByRole('button', { name: 'Turn on tidy' }))
  const dialog = await screen.findByRole('dialog', { name: 'Turn on tidy' })
  expect(dialog.textContent).toContain('./guard.py')
  await user.click(within(dialog).getByRole('button', { name: 'Enable tidy' }))
  expect(bridge.inputsOf('plugins.enable')).toEqual([{ name: 'tidy', digest: 'abc' }])
})

test('without any file the page says what it is for, and has no states to choose', async () => {
  const bridge = await startWindow()
  bridge.answer({ 'setup.report': () => ({ folder: FOLDER.path, trusted: true, items: [] }) })
  useSettingsPart.setState({ part: 'setup' })
  render(<SettingsPage />)
  expect(await screen.findByText('No setup found')).toBeTruthy()
  expect(screen.queryByRole('radiogroup', { name: 'States' })).toBeNull()
})
