/** The search of the settings finds what other files than settings.json bring: servers, hooks, rules and the setup. */
import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { HookEntry } from '../../../shared/hooks/hooks.ts'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { useHooks } from '../../features/hooks/hooks-store.ts'
import { useMcp } from '../../stores/mcp-store.ts'
import { showSettingsPart, useSettingsPart } from '../../stores/settings-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { SettingsPage } from './settings-page.tsx'

const user = userEvent.setup()
let bridge: FakeBridge

const SERVER: McpServerState = {
  ...{ name: 'postgres', source: 'project', file: '/work/shop/.mcp.json', line: 9, transport: 'stdio' },
  ...{ target: 'npx postgres-mcp@2.0.0', definition: {}, status: { kind: 'idle' }, pid: null },
  ...{ version: null, protocol: null, prompts: [], resources: [], log: [] },
  tools: [{ name: 'run_query', description: 'Runs a query', onlyReads: true }],
}
const HOOK = {
  ...{ id: 'h1', source: 'user', sourceText: 'user settings', file: '/home/ana/.claude/settings.json' },
  ...{ line: 40, state: 'on', former: null },
  definition: {
    ...{ event: 'PreToolUse', matcher: 'Bash', kind: 'command', run: '~/bin/guard.sh', timeout: 60 },
    ...{ failClosed: false, async: false, headers: {} },
  },
} as unknown as HookEntry

beforeEach(async () => {
  bridge = await startWindow()
  bridge.answer({
    'settings.change': ({ patch }) => ({ ...defaultSettings, ...patch }) as typeof defaultSettings,
    'setup.report': ({ folder }) => ({
      folder,
      trusted: true,
      items: [
        {
          ...{ group: 'user', what: 'Memory', shown: '~/.claude/CLAUDE.md', files: 1, notes: [] },
          ...{ file: '/home/ana/.claude/CLAUDE.md', state: 'used', details: '48 lines' },
        } as never,
      ],
    }),
    'rules.list': () => ({
      held: { deny: [], ask: [], allow: [], additionalDirectories: [] },
      entries: [
        {
          ...{ text: 'Bash(git push:*)', list: 'deny', source: 'project', locked: null, unused: null },
          ...{ file: '/work/shop/.claude/settings.json', line: 12, where: '.claude/settings.json:12' },
        },
      ],
      ...{ files: [], problems: [] },
    }),
  })
  act(() => {
    useMcp.setState({ state: { folder: '/work/shop', servers: [SERVER], problems: [] } })
    useHooks.setState({ state: { entries: [HOOK], runs: [], problems: [] } as never })
    showSettingsPart('general')
  })
  render(
    <TooltipProvider>
      <SettingsPage />
    </TooltipProvider>,
  )
})
afterEach(cleanup)

const search = (text: string) => user.type(screen.getByRole('textbox', { name: 'Search settings' }), text)
const row = (name: string) => screen.findByRole('group', { name })

test('a server is found by the name of a tool, with its file and line, and shown on its page', async () => {
  await search('run_query')
  const found = within(await row('postgres'))
  await user.click(found.getByRole('button', { name: '.mcp.json:9' }))
  expect(bridge.inputsOf('settings.open')).toEqual([
    { folder: '/work/shop', file: '/work/shop/.mcp.json', line: 9 },
  ])
  await user.click(found.getByRole('button', { name: 'Show postgres' }))
  expect(useSettingsPart.getState().part).toBe('mcp')
  expect(useMcp.getState().selected).toBe('postgres')
  expect(screen.getByRole('heading', { level: 1, name: 'MCP servers' })).toBeTruthy()
})

test.each([
  ['guard.sh', 'PreToolUse, Bash', 'settings.json:40', 'hooks'],
  ['git push', 'Bash(git push:*)', '.claude/settings.json:12', 'permissions'],
  ['claude.md', 'Memory', '~/.claude/CLAUDE.md', 'setup'],
])('%s finds the row %s with its place %s, and shows its page', async (text, name, place, part) => {
  await search(text)
  const found = within(await row(name))
  expect(found.getByRole('button', { name: place })).toBeTruthy()
  await user.click(found.getByRole('button', { name: /^Show/ }))
  expect(useSettingsPart.getState().part).toBe(part)
})

test('whether hooks may allow calls is a setting with a row, on its page and in the search', async () => {
  await search('hooksMayAllow')
  await user.click(await screen.findByRole('switch', { name: 'Hooks may allow calls' }))
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { hooksMayAllow: true } }])
  act(() => showSettingsPart('hooks'))
  await user.clear(screen.getByRole('textbox', { name: 'Search settings' }))
  expect(await screen.findByRole('switch', { name: 'Hooks may allow calls' })).toBeTruthy()
})
