import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { openConditions } from '../../../shared/agent-definition/effective-tools.ts'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import { useMcp } from '../../stores/mcp-store.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useSettingsPart } from '../../stores/settings-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { FOLDER, startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { StatusBar } from '../status-bar.tsx'
import { SettingsPage } from './settings-page.tsx'

const user = userEvent.setup()
let bridge: FakeBridge

const POSTGRES: McpServerState = {
  name: 'postgres',
  source: 'project',
  file: '/work/shop/.mcp.json',
  line: 9,
  transport: 'stdio',
  target: 'npx postgres-mcp@2.0.0',
  definition: { command: 'npx', args: ['postgres-mcp@2.0.0'] },
  status: { kind: 'connected', since: 0 },
  pid: 4711,
  version: 'postgres 2.0.0',
  protocol: '2025-11-25',
  tools: [
    { name: 'query', description: 'Runs a query', onlyReads: true },
    { name: 'insert', description: 'Adds a row', onlyReads: false },
  ],
  prompts: [],
  resources: [],
  log: [
    { at: 1, kind: 'start', text: 'npx postgres-mcp' },
    { at: 2, kind: 'stderr', text: 'listening' },
  ],
}
const LINEAR: McpServerState = {
  ...POSTGRES,
  name: 'linear',
  target: 'npx -y @linear/mcp@latest',
  definition: { command: 'npx', args: ['-y', '@linear/mcp@latest'] },
  status: { kind: 'waits', former: { command: 'npx', args: ['-y', '@linear/mcp@1.4.0'] } },
  tools: [],
  log: [],
}
const SEMGREP: McpServerState = {
  ...POSTGRES,
  name: 'semgrep',
  source: 'user',
  file: '/home/ana/.claude/settings.json',
  status: { kind: 'failed', message: 'ended with exit code 1', retryAt: null },
  tools: [],
}
const EXPLORE: CatalogEntry = {
  id: 'built-in:Explore.md',
  name: 'Explore',
  source: 'built-in',
  plugin: null,
  file: null,
  path: 'Explore.md',
  color: 'blue',
  description: '',
  state: 'offered',
  locked: true,
  shadowedBy: null,
  overrides: [],
  diagnostics: [],
  content: {
    model: 'inherit',
    tools: null,
    disallowedTools: [],
    background: false,
    readOnly: true,
    mcpServers: null,
    forkContext: false,
    memory: null,
    body: '',
  },
}

const CATALOG = {
  folder: FOLDER.path,
  entries: [
    EXPLORE,
    { ...EXPLORE, name: 'main', state: 'hidden', content: { ...EXPLORE.content, readOnly: false } },
  ],
  tools: ['Read'],
  conditions: openConditions,
}

async function open(...servers: readonly McpServerState[]) {
  const state = { folder: FOLDER.path, servers, problems: [] }
  bridge.answer({ 'mcp.state': () => state })
  useSettingsPart.setState({ part: 'mcp' })
  render(
    <TooltipProvider>
      <SettingsPage />
      <StatusBar onShowRequests={() => {}} />
    </TooltipProvider>,
  )
  await act(async () => {})
}

beforeEach(async () => {
  bridge = await startWindow()
  useMcp.setState(useMcp.getInitialState(), true)
  bridge.answer({ 'definition.catalog': () => CATALOG as never })
})
afterEach(() => {
  cleanup()
  useSettingsPart.setState({ part: 'general' })
})

test('servers are listed by source with their state; arrow keys move between them', async () => {
  await open(POSTGRES, SEMGREP, LINEAR)
  const rows = () => within(screen.getByRole('complementary', { name: 'Servers' })).getAllByRole('button')
  expect(rows().map((row) => row.getAttribute('data-server'))).toEqual(['linear', 'postgres', 'semgrep'])
  // The server that needs the user is selected.
  expect(screen.getByRole('heading', { level: 2, name: 'linear' })).toBeTruthy()
  expect(rows()[0]?.textContent).toContain('changed, off until you decide')
  expect(rows()[2]?.textContent).toContain('ended with exit code 1')
  act(() => rows()[1]?.focus())
  await user.keyboard('{ArrowDown}')
  expect(screen.getByRole('heading', { level: 2, name: 'semgrep' })).toBeTruthy()
  await user.keyboard('{ArrowDown}{ArrowUp}{ArrowUp}')
  expect(screen.getByRole('heading', { level: 2, name: 'linear' })).toBeTruthy()
})

test('a changed server shows the difference and what it means, and starts only after an approval', async () => {
  await open(LINEAR)
  const card = within(screen.getByRole('region', { name: 'Approval of linear' }))
  expect(card.getByText('Its definition is not the one you approved')).toBeTruthy()
  const diff = card.getByRole('region', { name: 'Changes of the definition of linear' })
  expect(diff.textContent).toContain('@linear/mcp@1.4.0')
  expect(diff.textContent).toContain('@linear/mcp@latest')
  expect(card.getByText('No fixed version.')).toBeTruthy()
  expect(bridge.inputsOf('mcp.approve')).toEqual([])
  await user.click(card.getByRole('button', { name: 'Approve and start' }))
  expect(bridge.inputsOf('mcp.approve')).toEqual([{ folder: FOLDER.path, name: 'linear' }])
  act(() =>
    bridge.push({
      type: 'mcp',
      state: {
        folder: FOLDER.path,
        problems: [],
        servers: [{ ...LINEAR, status: { kind: 'starting', since: 0 } }],
      },
    }),
  )
  expect(screen.queryByRole('region', { name: 'Approval of linear' })).toBeNull()
  expect(document.activeElement?.tagName).toBe('MAIN')
})

test('a new server is kept off, and a refused action says why', async () => {
  await open({ ...LINEAR, status: { kind: 'waits', former: null } })
  expect(screen.getByText('This server is new')).toBeTruthy()
  expect(screen.getByLabelText('Definition of linear').textContent).toContain('"@linear/mcp@latest"')
  bridge.answer({
    'mcp.refuse': () => {
      throw new Error('The disk is full.')
    },
  })
  const said: string[] = []
  const stop = onNotice(({ text }) => said.push(text))
  await user.click(screen.getByRole('button', { name: 'Keep off' }))
  expect(bridge.inputsOf('mcp.refuse')).toEqual([{ folder: FOLDER.path, name: 'linear' }])
  expect(said).toEqual(['The disk is full.'])
  stop()
})

test('the table counts the conditions of the folder, as agents that start there do', async () => {
  const conditions = { ...openConditions, mcpToolsForSubagents: 'listed' }
  bridge.answer({ 'definition.catalog': () => ({ ...CATALOG, conditions }) as never })
  await open(POSTGRES)
  expect(screen.getByRole('button', { name: 'Main agent has query' })).toBeTruthy()
  expect(screen.getByRole('button', { name: /^Explore does not have query: / })).toBeTruthy()
})

test('the table says which agents have a tool, and why another lacks it, by keyboard too', async () => {
  await open(POSTGRES)
  const cell = (name: RegExp | string) => screen.getByRole('button', { name })
  expect(cell('Main agent has insert')).toBeTruthy()
  expect(cell('Explore has query')).toBeTruthy()
  const missing = cell(/^Explore does not have insert: the agent only reads/)
  act(() => cell('Main agent has query').focus())
  await user.keyboard('{ArrowRight}{ArrowDown}')
  expect(document.activeElement).toBe(missing)
  await user.keyboard('{ArrowDown}{ArrowRight}')
  expect(document.activeElement).toBe(missing)
  expect((await screen.findAllByText(/^Explore does not have insert/)).length).toBeGreaterThan(0)
})

test('the table says of a tool that no agent can have why it is not used', async () => {
  const unusable = 'its schema has "text" where a schema belongs'
  await open({
    ...POSTGRES,
    tools: [{ name: 'odd', description: 'Asks', onlyReads: false, unusable }],
  })
  expect(screen.getByText(`Not used: ${unusable}`)).toBeTruthy()
  expect(screen.getByRole('button', { name: `Main agent does not have odd: ${unusable}` })).toBeTruthy()
})

test('a connected server reconnects and is turned off; its log is newest last', async () => {
  await open(POSTGRES)
  await user.click(screen.getByRole('button', { name: 'Reconnect' }))
  await user.click(screen.getByRole('button', { name: 'Turn off' }))
  expect(bridge.inputsOf('mcp.reconnect')).toEqual([{ folder: FOLDER.path, name: 'postgres' }])
  expect(bridge.inputsOf('mcp.refuse')).toEqual([{ folder: FOLDER.path, name: 'postgres' }])
  expect(screen.getByRole('log', { name: 'Log of postgres' }).textContent).toMatch(
    /npx postgres-mcp.*listening/,
  )
})

test('the status bar names a failed server and those that wait, and leads to them', async () => {
  await open(POSTGRES, SEMGREP, LINEAR)
  act(() => useSession.setState({ view: 'stage' }))
  await user.click(screen.getByRole('button', { name: 'semgrep failed' }))
  expect(useSession.getState().view).toBe('settings')
  expect(screen.getByRole('heading', { level: 2, name: 'semgrep' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: '1 server waits for you' }))
  expect(screen.getByRole('heading', { level: 2, name: 'linear' })).toBeTruthy()
})

test('the other settings are one click away, and a folder without servers says so', async () => {
  await open()
  expect(screen.getByText('No MCP servers here')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Permissions' }))
  expect(screen.queryByText('No MCP servers here')).toBeNull()
  expect(screen.getByRole('heading', { name: 'Permissions' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'MCP servers' }))
  expect(screen.getByText('No MCP servers here')).toBeTruthy()
})

test('a server is added from what a README shows; what runs is shown before', async () => {
  await open()
  await user.click(screen.getByRole('button', { name: 'Add a server…' }))
  const dialog = within(screen.getByRole('dialog', { name: 'Add a server' }))
  const field = dialog.getByLabelText('Command, address or JSON')
  const submit = () => user.click(dialog.getByRole('button', { name: 'Add and start' }))
  await user.click(field)
  await user.paste('npx -y @x/mcp')
  expect(dialog.getByText('No fixed version.')).toBeTruthy()
  await user.type(dialog.getByLabelText('Name'), 'my server')
  await submit()
  expect(dialog.getByRole('alert').textContent).toContain('Use letters, digits')
  await user.clear(dialog.getByLabelText('Name'))
  await user.type(dialog.getByLabelText('Name'), 'x')
  await user.type(dialog.getByLabelText('More variables'), 'KEY')
  await submit()
  expect(dialog.getByRole('alert').textContent).toContain('"KEY" is not NAME=value.')
  await user.type(dialog.getByLabelText('More variables'), '=1')
  await user.click(dialog.getByRole('radio', { name: 'All my folders' }))
  bridge.answer({
    'mcp.add': () => {
      throw new Error('There is already an MCP server "x".')
    },
  })
  await submit()
  expect(dialog.getByRole('alert').textContent).toContain('There is already')
  bridge.answer({ 'mcp.add': () => undefined })
  await submit()
  expect(bridge.inputsOf('mcp.add').at(-1)).toEqual({
    folder: FOLDER.path,
    name: 'x',
    place: 'user',
    definition: { command: 'npx', args: ['-y', '@x/mcp'], env: { KEY: '1' } },
    replace: false,
    before: null,
  })
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('JSON with several servers adds each under its name; a wrong address says so', async () => {
  await open()
  await user.click(screen.getByRole('button', { name: 'Add a server…' }))
  const dialog = within(screen.getByRole('dialog'))
  await user.click(dialog.getByLabelText('Command, address or JSON'))
  await user.paste('htps://x.example')
  expect(dialog.getByText('An address starts with https:// or http://.')).toBeTruthy()
  await user.clear(dialog.getByLabelText('Command, address or JSON'))
  await user.paste('{"mcpServers": {"a": {"command": "a"}, "b": {"url": "https://b.example"}}}')
  expect(dialog.queryByLabelText('Name')).toBeNull()
  bridge.answer({ 'mcp.add': () => undefined })
  await user.click(dialog.getByRole('button', { name: 'Add and start' }))
  expect(bridge.inputsOf('mcp.add')).toMatchObject([{ name: 'a' }, { name: 'b' }])
})

test('a server is edited in its file, and removed with undo', async () => {
  await open(POSTGRES)
  await user.click(screen.getByRole('button', { name: 'Edit…' }))
  bridge.answer({ 'mcp.add': () => undefined })
  await user.click(screen.getByRole('button', { name: 'Save and start' }))
  expect(bridge.inputsOf('mcp.add')).toMatchObject([
    { name: 'postgres', place: 'project', replace: true, definition: POSTGRES.definition },
  ])
  const removed = {
    name: 'postgres',
    place: 'project' as const,
    definition: { command: 'npx' },
    replace: false,
    before: 'z',
  }
  bridge.answer({ 'mcp.remove': () => removed })
  let undo = () => {}
  const stop = onNotice(({ action }) => {
    undo = action?.run ?? undo
  })
  await user.click(screen.getByRole('button', { name: 'Remove' }))
  stop()
  await act(async () => undo())
  expect(bridge.inputsOf('mcp.add').at(-1)).toEqual({ folder: FOLDER.path, ...removed })
})
