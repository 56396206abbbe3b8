import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import type { ProgramState } from '../../shared/external-agents/known-program.ts'
import type { AccessInfo } from '../../shared/models/model-access.ts'
import { defaultSettings } from '../../shared/settings/settings.ts'
import { snapshotOf } from '../../shared/testing/sample-log.ts'
import { usePrograms } from '../features/external-agents/programs-store.ts'
import { onNotice, showOverlay } from '../stores/overlay-store.ts'
import { useTrust } from '../stores/session-feed.ts'
import { useSession } from '../stores/session-store.ts'
import { deferred } from '../testing/deferred.ts'
import { programState } from '../testing/program-state.ts'
import { API, FOLDER, startWindow, summaryOf } from '../testing/start-window.tsx'
import { Window } from './window.tsx'

afterEach(() => {
  cleanup()
  useTrust.setState({ asking: null, answered: new Set() })
  showOverlay(null)
})

const user = userEvent.setup()
const NO_ACCESS: AccessInfo = { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' }

async function open() {
  render(<Window />)
  await screen.findByRole('main')
}

test('the first run leads to a composer: folder, trust, rehearsal', async () => {
  const bridge = await startWindow({ folder: null, access: NO_ACCESS })
  bridge.answer({
    'folder.pick': () => ({ ...FOLDER, trusted: false }),
    'folder.trust': () => ({ ...FOLDER, trusted: true }),
    'access.set': () => ({ ...NO_ACCESS, kind: 'rehearsal' }),
  })
  await open()
  await user.click(await screen.findByRole('button', { name: /Open a folder/ }))
  await user.click(await screen.findByRole('button', { name: /I trust this folder/ }))
  expect(bridge.inputsOf('folder.trust')).toEqual([{ path: '/work/shop', trusted: true }])
  await user.click(await screen.findByRole('button', { name: /Rehearse without a key/ }))
  expect(await screen.findByRole('textbox', { name: 'Message' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Rehearsal' })).toBeTruthy()
  expect(screen.getByText('rehearsal: a script, not a model')).toBeTruthy()
})

test('a canceled folder dialog changes nothing', async () => {
  const bridge = await startWindow({ folder: null })
  bridge.answer({ 'folder.pick': () => null })
  await open()
  await user.click(await screen.findByRole('button', { name: /Open a folder/ }))
  expect(screen.getByText('Where should agents work?')).toBeTruthy()
})

test('"Read only" is an answer: the question is not repeated, a chip shows the state, and the user can change it', async () => {
  const bridge = await startWindow({ folder: { ...FOLDER, trusted: false } })
  bridge.answer({
    'folder.trust': ({ trusted }) => ({ ...FOLDER, trusted }),
    'folder.open': () => ({ ...FOLDER, trusted: false }),
  })
  await open()
  await user.click(await screen.findByRole('button', { name: /Read only.*Agents can read/ }))
  expect(await screen.findByRole('textbox', { name: 'Message' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Read only' }))
  await user.click(await screen.findByRole('button', { name: /I trust this folder/ }))
  expect(bridge.inputsOf('folder.trust').map((input) => input.trusted)).toEqual([false, true])
  expect(screen.queryByRole('button', { name: 'Read only' })).toBeNull()
})

test('a key: an invalid URL shows a message beside the field, a refused key the message of the API, and a valid key is used', async () => {
  const bridge = await startWindow({ access: NO_ACCESS })
  bridge.answer({
    'access.test': ({ key }) => {
      if (key !== 'sk-ant-good') throw new Error('The API refused this key (401).')
      return { model: 'claude-haiku-4-5', ms: 400 }
    },
    'access.set': () => API,
  })
  await open()
  await user.click(await screen.findByRole('button', { name: /Use an API key/ }))
  const key = await screen.findByLabelText('API key')
  const address = screen.getByLabelText('Address')
  await user.type(address, 'api.example.com')
  expect(screen.getByText(/Not a valid URL/)).toBeTruthy()
  await user.clear(address)
  await user.type(key, 'sk-ant-bad')
  await user.click(screen.getByRole('button', { name: 'Test' }))
  expect(await screen.findByText('The API refused this key (401).')).toBeTruthy()
  await user.clear(key)
  await user.type(key, '  sk-ant-good ')
  await user.click(screen.getByRole('button', { name: 'Test' }))
  expect(await screen.findByText(/Connected: haiku 4\.5 answered in 400 ms/)).toBeTruthy()
  await user.type(key, '{Enter}')
  expect(bridge.inputsOf('access.set')).toEqual([{ kind: 'api', key: 'sk-ant-good', baseUrl: '' }])
  expect(await screen.findByRole('textbox', { name: 'Message' })).toBeTruthy()
})

test('an external agent as the main agent needs no access, so nothing is asked', async () => {
  await startWindow({ access: NO_ACCESS, settings: { mainAgent: 'claude-code' } })
  await open()
  expect(await screen.findByRole('textbox', { name: 'Message' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Use an API key/ })).toBeNull()
})

test('after looking around first, the composer says that model access is missing', async () => {
  await startWindow({ access: NO_ACCESS })
  await open()
  await user.click(await screen.findByRole('button', { name: 'Look around first' }))
  expect(await screen.findByText(/Troupe has no model access yet/)).toBeTruthy()
  await act(async () => {})
  await user.click(screen.getByRole('button', { name: 'Add key' }))
  expect(await screen.findByLabelText('API key', { selector: 'input' })).toBeTruthy()
})

test('from the keyboard: each question, back from the key with Escape, and on to the composer', async () => {
  const bridge = await startWindow({ folder: null, access: NO_ACCESS })
  bridge.answer({
    'folder.pick': () => ({ ...FOLDER, trusted: false }),
    'folder.trust': () => ({ ...FOLDER, trusted: true }),
    'access.set': () => ({ ...NO_ACCESS, kind: 'rehearsal' }),
  })
  await open()
  const focused = () => document.activeElement?.textContent ?? ''
  const tabTo = async (name: RegExp) => {
    for (let presses = 0; !name.test(focused()) && presses < 8; presses++) await user.tab()
    expect(focused()).toMatch(name)
  }
  expect(await screen.findByRole('heading', { name: 'Where should agents work?' })).toBe(
    document.activeElement,
  )
  await tabTo(/^Open a folder/)
  await user.keyboard('{Enter}')
  const trust = await screen.findByRole('heading', { name: 'Do you trust this folder?' })
  expect(document.activeElement).toBe(trust)
  // An Enter too many answers nothing.
  await user.keyboard('{Enter}')
  expect(bridge.inputsOf('folder.trust')).toEqual([])
  await tabTo(/^I trust this folder/)
  await user.keyboard('{Enter}')
  await screen.findByRole('heading', { name: 'Choose a model source' })
  await tabTo(/^Use an API key/)
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(await screen.findByLabelText('API key'))
  await user.keyboard('sk-ant-x{Escape}')
  expect(screen.queryByLabelText('API key')).toBeNull()
  expect(focused()).toMatch(/^Use an API key/)
  expect(screen.getByRole('heading', { name: 'Choose a model source' })).toBeTruthy()
  await user.tab({ shift: true })
  expect(focused()).toMatch(/^Rehearse without a key/)
  await user.keyboard('{Enter}')
  expect(document.activeElement).toBe(await screen.findByRole('textbox', { name: 'Message' }))
})

test('Escape leaves the question about the model source, and the question about trust that was asked again', async () => {
  const bridge = await startWindow({ folder: { ...FOLDER, trusted: false }, access: NO_ACCESS })
  bridge.answer({ 'folder.trust': ({ trusted }) => ({ ...FOLDER, trusted }) })
  await open()
  await screen.findByRole('heading', { name: 'Do you trust this folder?' })
  await user.keyboard('{Escape}')
  await user.click(screen.getByRole('button', { name: /Read only.*Agents can read/ }))
  await screen.findByRole('heading', { name: 'Choose a model source' })
  await user.keyboard('{Escape}')
  expect(document.activeElement).toBe(await screen.findByRole('textbox', { name: 'Message' }))
  const before = bridge.inputsOf('folder.trust').length
  await user.click(screen.getByRole('button', { name: 'Read only' }))
  await screen.findByRole('heading', { name: 'Do you trust this folder?' })
  await user.keyboard('{Escape}')
  expect(await screen.findByRole('textbox', { name: 'Message' })).toBeTruthy()
  expect(bridge.inputsOf('folder.trust')).toHaveLength(before)
})

test('the page for keys opens in the browser, and its link can be copied', async () => {
  const bridge = await startWindow({ access: NO_ACCESS })
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  await open()
  const link = await screen.findByRole('link', { name: 'console.anthropic.com/settings/keys' })
  link.focus()
  await user.keyboard('{Enter}')
  expect(bridge.inputsOf('system.openLink')).toEqual([{ url: 'https://console.anthropic.com/settings/keys' }])
  await user.click(screen.getByRole('button', { name: 'Copy link' }))
  expect(copied).toHaveBeenCalledWith('https://console.anthropic.com/settings/keys')
  expect(await screen.findByRole('button', { name: 'Copied' })).toBeTruthy()
})

test('the question about trust lists what the folder brings, and what the answer means for it', async () => {
  const bridge = await startWindow({ folder: { ...FOLDER, trusted: false } })
  bridge.answer({
    'folder.contents': () => ({
      agents: 1,
      skills: 0,
      commands: 2,
      hooks: 0,
      mcpServers: 3,
      instructions: ['AGENTS.md'],
    }),
  })
  await open()
  const listed = await screen.findByRole('list', { name: 'What the folder brings' })
  expect([...listed.children].map((line) => line.textContent)).toEqual([
    '1 agent can be used once you trust it. Later ones, and more rights, ask you first.',
    '3 MCP servers can start programs. Each asks you before it is first used.',
    '2 commands, AGENTS.md tell agents what to do.',
  ])
})

test('a program that is here leads without a key, with one click', async () => {
  usePrograms.setState(usePrograms.getInitialState(), true)
  const bridge = await startWindow({ access: NO_ACCESS })
  const found = programState('claude-code', { place: 'path', title: 'Claude Code' })
  const programs = [found, programState('codex')]
  bridge.answer({
    'programs.list': () => programs,
    'programs.use': () => [{ ...found, isUsed: true }],
    'settings.change': () => ({ ...defaultSettings, mainAgent: 'claude-code' }),
    'conversation.create': () => summaryOf('new'),
    'conversation.send': () => ({ messageId: 'm', queued: false }),
    'conversation.subscribe': () => snapshotOf('new'),
    'agent.transcript': () => ({ events: [], older: false, live: [] }),
  })
  await open()
  await user.click(await screen.findByRole('button', { name: /Use the Claude Code you have/ }))
  expect(bridge.inputsOf('programs.use')).toEqual([{ id: 'claude-code', used: true }])
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { mainAgent: 'claude-code' } }])
  const composer = await screen.findByRole('textbox', { name: 'Message' })
  // The program is an agent of the catalog now.
  const agent = { name: 'claude-code', description: '', source: 'built-in', color: 'orange' }
  const definition = { ...agent, model: 'inherit', tools: null, hidden: false, isProgram: true as const }
  act(() => useSession.setState({ definitions: [definition] }))
  expect(screen.queryByText(/no model access yet/)).toBeNull()
  expect(screen.getByRole('button', { name: 'Main agent: claude-code' })).toBeTruthy()
  await user.type(composer, 'Begin{Enter}')
  expect(bridge.inputsOf('conversation.create')).toHaveLength(1)
})

test('a program that can’t be used is told, and the question stays', async () => {
  usePrograms.setState(usePrograms.getInitialState(), true)
  const bridge = await startWindow({ access: NO_ACCESS })
  bridge.answer({
    'programs.list': () => [programState('codex', { place: 'path', title: 'Codex' })],
    'programs.use': () => {
      throw new Error('The settings can’t be written.')
    },
  })
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  await open()
  await user.click(await screen.findByRole('button', { name: /Use the Codex you have/ }))
  await expect.poll(() => notices).toEqual(['The settings can’t be written.'])
  stop()
  expect(bridge.inputsOf('settings.change')).toEqual([])
  expect(screen.getByRole('heading', { name: 'Choose a model source' })).toBeTruthy()
})

test('a program that is an agent already only becomes the main agent, whatever its last check brought', async () => {
  const answers = new Map([['codex', { kind: 'failure', message: 'It did not answer in time.' }]] as const)
  usePrograms.setState({ ...usePrograms.getInitialState(), answers }, true)
  const bridge = await startWindow({ access: NO_ACCESS })
  bridge.answer({
    'programs.list': () => [programState('codex', { place: 'own', title: 'Codex', isUsed: true })],
    'settings.change': () => {
      throw new Error('The settings can’t be written.')
    },
  })
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  await open()
  const choice = await screen.findByRole('button', { name: /Use the Codex you have/ })
  expect(choice.textContent).toContain('By Makers,')
  await user.click(choice)
  await expect.poll(() => notices).toEqual(['The settings can’t be written.'])
  stop()
  expect(bridge.inputsOf('programs.use')).toEqual([])
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { mainAgent: 'codex' } }])
})

test('without any program the first run offers to install one', async () => {
  usePrograms.setState(usePrograms.getInitialState(), true)
  const bridge = await startWindow({ access: NO_ACCESS })
  bridge.answer({ 'programs.list': () => [programState('codex', { title: 'Codex' })] })
  await open()
  await user.click(await screen.findByRole('button', { name: /Install an external agent/ }))
  expect(await screen.findByRole('dialog', { name: 'External agents' })).toBeTruthy()
  expect(await screen.findByRole('button', { name: 'Install…' })).toBeTruthy()
})

test('the first run says what a program that is here needs before it can start', async () => {
  usePrograms.setState(usePrograms.getInitialState(), true)
  const bridge = await startWindow({ access: NO_ACCESS })
  const note =
    'Claude Code is here (/usr/bin/claude), but it does not speak the Agent Client Protocol by itself.'
  bridge.answer({ 'programs.list': () => [programState('claude-code', { title: 'Claude Code', note })] })
  await open()
  expect(screen.queryByRole('button', { name: /Install an external agent/ })).toBeNull()
  const choice = await screen.findByRole('button', { name: /Use the Claude Code you have…/ })
  expect(choice.textContent).toContain(note)
  await user.click(choice)
  expect(await screen.findByRole('dialog', { name: 'External agents' })).toBeTruthy()
})

test('programs that can’t be listed are still offered, with the reason', async () => {
  usePrograms.setState(usePrograms.getInitialState(), true)
  const bridge = await startWindow({ access: NO_ACCESS })
  bridge.answer({
    'programs.list': () => {
      throw new Error('The folder of programs can’t be read.')
    },
  })
  await open()
  const choice = await screen.findByRole('button', { name: /Use an external agent…/ })
  expect(choice.textContent).toContain('The folder of programs can’t be read.')
  await user.dblClick(choice)
  expect(await screen.findByRole('dialog', { name: 'External agents' })).toBeTruthy()
})

test('a double click on a program that is here chooses it once', async () => {
  usePrograms.setState(usePrograms.getInitialState(), true)
  const bridge = await startWindow({ access: NO_ACCESS })
  const found = programState('codex', { place: 'path', title: 'Codex' })
  const used = deferred<readonly ProgramState[]>()
  bridge.answer({
    'programs.list': () => [found],
    'programs.use': () => used.promise,
    'settings.change': () => ({ ...defaultSettings, mainAgent: 'codex' }),
  })
  await open()
  await user.dblClick(await screen.findByRole('button', { name: /Use the Codex you have/ }))
  expect(bridge.inputsOf('settings.change')).toEqual([])
  await act(async () => used.resolve([{ ...found, isUsed: true }]))
  expect(bridge.inputsOf('programs.use')).toEqual([{ id: 'codex', used: true }])
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { mainAgent: 'codex' } }])
})
