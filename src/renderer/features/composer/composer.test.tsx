import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import type { SlashCommand } from '../../../shared/slash/slash-command.ts'
import { SampleLog, snapshotOf, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useMcp } from '../../stores/mcp-store.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useSettingsPart } from '../../stores/settings-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { deferred } from '../../testing/deferred.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { Composer } from './composer.tsx'
import { forgetSent } from './use-composer-keys.ts'

afterEach(() => {
  cleanup()
  forgetSent()
})

const user = userEvent.setup()
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
const options = () => screen.queryAllByRole('option').map((option) => option.textContent)

/** A conversation in which the main agent and a subagent work. */
async function openWorking(status: 'running' | 'waiting' = 'running'): Promise<FakeBridge> {
  const bridge = await startWindow({ conversations: [summaryOf('c1'), summaryOf('c2')] })
  const script = new SampleLog()
  const main: AgentEvent[] = [script.spawn('main')]
  main.push(
    status === 'running'
      ? script.status('main', 'running')
      : script.next('main', { type: 'status-changed', status: 'waiting', waitingFor: 'message' }),
  )
  const helper = [
    script.spawn('helper-1', {
      parentId: 'main',
      task: 'Explore',
      definition: {
        name: 'Explore',
        source: 'built-in',
        file: null,
        color: 'blue',
        readOnly: true,
        oneShot: false,
        reminder: null,
        agentTypes: null,
        deniedAgentTypes: [],
        readFolders: [],
        writeFolders: [],
        memory: null,
        omitProjectInstructions: false,
        rules: { denied: [], only: [] },
        refused: [],
        digest: '',
      },
    }),
    script.status('helper-1', 'running'),
  ]
  bridge.answer({
    'conversation.subscribe': ({ conversationId }) =>
      snapshotOf(conversationId, [stateAfter(main), stateAfter(helper)]),
    'conversation.send': () => ({ messageId: 'm1', queued: false }),
  })
  await act(() => openConversation('c1'))
  return bridge
}

test('Enter sends the text to the main agent and clears the field', async () => {
  const bridge = await openWorking('waiting')
  render(<Composer />)
  await user.type(field(), 'Fix the cart{Enter}')
  expect(bridge.inputsOf('conversation.send')).toEqual([
    { conversationId: 'c1', agentId: null, content: 'Fix the cart' },
  ])
  expect(field().value).toBe('')
})

test('Shift Enter adds a line; Enter during composition and an empty text send nothing', async () => {
  const bridge = await openWorking('waiting')
  render(<Composer />)
  await user.type(field(), '{Enter}   {Enter}')
  await user.clear(field())
  await user.type(field(), 'one{Shift>}{Enter}{/Shift}two')
  fireEvent.keyDown(field(), { key: 'Enter', isComposing: true })
  expect(bridge.inputsOf('conversation.send')).toEqual([])
  expect(field().value).toBe('one\ntwo')
})

test('messages sent in quick succession go to the conversation that the first one creates', async () => {
  const bridge = await startWindow()
  await act(() => openConversation(null))
  const created = deferred<ReturnType<typeof summaryOf>>()
  bridge.answer({
    'conversation.create': () => created.promise,
    'conversation.send': () => ({ messageId: 'm', queued: false }),
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  render(<Composer variant="start" />)
  await user.type(field(), 'one{Enter}{Enter}')
  await user.type(field(), 'two{Enter}')
  await user.type(field(), 'and thr')
  await act(async () => created.resolve(summaryOf('new')))
  expect(bridge.inputsOf('conversation.create')).toHaveLength(1)
  expect(bridge.inputsOf('conversation.create')).toMatchObject([{ message: { content: 'one' } }])
  expect(
    bridge.inputsOf('conversation.send').map(({ conversationId, content }) => [conversationId, content]),
  ).toEqual([['new', 'two']])
  expect(field().value).toBe('and thr')
})

test('a message that was not sent returns to the field, with the reason', async () => {
  const bridge = await openWorking('waiting')
  bridge.answer({
    'conversation.send': () => {
      throw new Error('The disk is full.')
    },
  })
  render(<Composer />)
  await user.type(field(), 'Keep me{Enter}')
  expect(screen.getByRole('alert').textContent).toBe('The disk is full.')
  expect(field().value).toBe('Keep me')
})

test('the first message creates the conversation with the chosen mode and opens it', async () => {
  const bridge = await startWindow()
  await act(() => openConversation(null))
  const { answer } = bridge
  answer({
    'conversation.create': () => summaryOf('new'),
    'conversation.send': () => ({ messageId: 'm', queued: false }),
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  render(<Composer variant="start" />)
  await user.click(screen.getByRole('button', { name: /^Permission mode/ }))
  await user.click(await screen.findByRole('menuitemradio', { name: /Plan only/ }))
  await user.type(field(), 'Begin{Enter}')
  expect(bridge.inputsOf('conversation.create')).toEqual([
    {
      folder: '/work/shop',
      coordinator: false,
      permissionMode: 'plan',
      message: { content: 'Begin' },
    },
  ])
  expect(bridge.inputsOf('conversation.send')).toEqual([])
})

test('a first message that was refused is in the field of the new conversation, with the reason', async () => {
  const bridge = await startWindow()
  await act(() => openConversation(null))
  const notSent = { type: 'denied', message: 'A hook refused the message.' }
  bridge.answer({
    'conversation.create': () => ({ ...summaryOf('new'), notSent }),
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  render(<Composer />)
  await user.type(field(), 'Keep me{Enter}')
  expect(screen.getByRole('alert').textContent).toBe('A hook refused the message.')
  expect(field().value).toBe('Keep me')
  expect(useSession.getState().conversationId).toBe('new')
  expect(useSession.getState().conversations.find(({ id }) => id === 'new')).toEqual(summaryOf('new'))
})

test('Up brings back sent messages, Down moves forward, and other text is never replaced', async () => {
  await openWorking('waiting')
  render(<Composer />)
  await user.type(field(), 'first{Enter}')
  await user.type(field(), 'second{Enter}')
  await user.type(field(), '{ArrowUp}')
  expect(field().value).toBe('second')
  await user.type(field(), '{ArrowUp}{ArrowUp}')
  expect(field().value).toBe('first')
  await user.type(field(), '{ArrowDown}{ArrowDown}')
  expect(field().value).toBe('')
  await user.type(field(), 'mine{ArrowUp}')
  expect(field().value).toBe('mine')
})

test('@ completes the resources of MCP servers, by address and by name', async () => {
  const bridge = await openWorking()
  render(<Composer />)
  const server: McpServerState = {
    name: 'docs',
    source: 'user',
    file: null,
    line: null,
    transport: 'stdio',
    target: 'docs',
    definition: {},
    status: { kind: 'connected', since: 0 },
    pid: null,
    version: null,
    protocol: null,
    tools: [],
    prompts: [],
    resources: [{ uri: 'file:///guide.md', name: 'The guide' }],
    log: [],
  }
  act(() => useMcp.setState({ state: { folder: '/work/shop', servers: [server], problems: [] } }))
  await user.type(field(), 'read @docs')
  expect(screen.getByRole('option', { name: /docs:file:\/\/\/guide\.md/ })).toBeTruthy()
  await user.keyboard('{Enter}and @guide{Enter}{Enter}')
  expect(bridge.inputsOf('conversation.send').map(({ content }) => content)).toEqual([
    'read @docs:file:///guide.md and @docs:file:///guide.md',
  ])
  act(() => useMcp.setState(useMcp.getInitialState(), true))
})

test('@ at the start sets the recipient; Backspace at the start removes the recipient', async () => {
  const bridge = await openWorking()
  render(<Composer />)
  await user.type(field(), '@Exp')
  expect(options()[0]).toContain('Explore')
  await user.type(field(), '{Enter}')
  expect(screen.getByText('to Explore')).toBeTruthy()
  await user.type(field(), '{Backspace}')
  expect(screen.queryByText('to Explore')).toBeNull()
  await user.type(field(), '@Exp{Enter}look at the tests too{Enter}')
  expect(bridge.inputsOf('conversation.send')).toEqual([
    { conversationId: 'c1', agentId: 'helper-1', content: 'look at the tests too' },
  ])
})

test('a typed @name sets the recipient; an unknown name stays in the text', async () => {
  const bridge = await openWorking()
  render(<Composer />)
  await user.type(field(), '@Explore hurry up{Enter}')
  await user.type(field(), '@nobody hello{Enter}')
  expect(bridge.inputsOf('conversation.send').map(({ agentId, content }) => [agentId, content])).toEqual([
    ['helper-1', 'hurry up'],
    [null, '@nobody hello'],
  ])
})

test('# finds files and inserts the path', async () => {
  const bridge = await openWorking()
  bridge.answer({ 'folder.files': ({ query }) => [`src/${query}.ts`, 'src/my cart.ts'] })
  render(<Composer />)
  await user.type(field(), 'look at #cart')
  await screen.findByText('src/cart.ts')
  await user.type(field(), '{ArrowDown}{Enter}')
  expect(field().value).toBe('look at "src/my cart.ts" ')
})

test('@ finds files besides agents and inserts them as mentions', async () => {
  const bridge = await openWorking()
  bridge.answer({ 'folder.files': () => ['src/cart.ts', 'src/my cart.ts'] })
  render(<Composer />)
  await user.type(field(), 'look at @cart')
  await screen.findByText('src/cart.ts')
  await user.type(field(), '{Enter}')
  expect(field().value).toBe('look at @src/cart.ts ')
  await user.type(field(), 'and @"my c')
  await screen.findByText('src/my cart.ts')
  expect(options()).toEqual(['src/my cart.tsfile'])
  await user.type(field(), '{Enter}now{Enter}')
  expect(bridge.inputsOf('conversation.send').map(({ content }) => content)).toEqual([
    'look at @src/cart.ts and @"src/my cart.ts" now',
  ])
})

test('a text with ! at its start is a command of the user; a failure keeps it in the composer', async () => {
  const bridge = await openWorking()
  render(<Composer />)
  await user.type(field(), '!git log #1')
  expect(options()).toEqual([])
  expect(screen.getByRole('status').textContent).toContain('Runs in the folder as you')
  await user.click(screen.getByRole('button', { name: 'Run' }))
  expect(bridge.inputsOf('conversation.runCommand')).toEqual([
    { conversationId: 'c1', command: 'git log #1' },
  ])
  expect(field().value).toBe('')
  bridge.answer({
    'conversation.runCommand': () => {
      throw new Refusal('A command of yours still runs here.')
    },
  })
  await user.type(field(), '!ls{Enter}')
  expect((await screen.findByRole('alert')).textContent).toContain('still runs here')
  expect(field().value).toBe('!ls')
  expect(bridge.inputsOf('conversation.send')).toEqual([])
})

test('/resume, /export and /memory lead to the earlier conversations, the export and the memory files', async () => {
  await openWorking('waiting')
  render(<Composer />)
  await user.type(field(), '/resume cart{Enter}')
  expect(useOverlay.getState()).toMatchObject({ overlay: 'palette', query: 'cart', onlyConversations: true })
  await user.type(field(), '/export {Enter}')
  expect(useOverlay.getState()).toMatchObject({ overlay: 'export', about: 'c1' })
  await user.type(field(), '/memory{Enter}')
  expect(useOverlay.getState().overlay).toBe('memory')
})

test('Escape closes the list only; without a list the window handles Escape', async () => {
  await openWorking()
  let escapes = 0
  const count = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) escapes += 1
  }
  window.addEventListener('keydown', count)
  render(<Composer />)
  await user.type(field(), '/')
  expect(options().length).toBeGreaterThan(3)
  await user.type(field(), '{Escape}')
  expect(options()).toEqual([])
  expect(escapes).toBe(0)
  await user.type(field(), '{Escape}')
  expect(escapes).toBe(1)
  window.removeEventListener('keydown', count)
})

test('an unknown command shows a message and is not sent; a path at the start is text', async () => {
  const bridge = await openWorking('waiting')
  render(<Composer />)
  await user.type(field(), '/frobnicate{Enter}')
  expect(screen.getByRole('alert').textContent).toContain('Unknown command /frobnicate')
  await user.click(screen.getByRole('button', { name: 'Send as text' }))
  await user.type(field(), '/usr/bin is full{Enter}')
  expect(bridge.inputsOf('conversation.send').map(({ content }) => content)).toEqual([
    '/frobnicate',
    '/usr/bin is full',
  ])
})

const DEPLOY: SlashCommand = {
  name: 'ops:deploy',
  description: 'Deploys the service',
  argumentHint: '[stage]',
  source: 'project',
  file: '/work/.claude/commands/ops/deploy.md',
  problem: null,
}

test('a command of a file is completed, explains its arguments, and sends its text', async () => {
  const bridge = await openWorking('waiting')
  bridge.answer({
    'slash.list': () => [DEPLOY],
    'slash.expand': ({ line }) => ({
      kind: 'expanded',
      command: { name: 'ops:deploy', text: `Expanded ${line}`, model: null },
    }),
  })
  render(<Composer />)
  await user.type(field(), '/opde')
  await screen.findByText('/ops:deploy')
  expect(options()).toEqual(['/ops:deployDeploys the serviceproject'])
  await user.type(field(), '{Enter}')
  expect(field().value).toBe('/ops:deploy ')
  await screen.findByText('/ops:deploy [stage]')
  await user.type(field(), 'live{Enter}')
  expect(bridge.inputsOf('slash.expand')).toMatchObject([
    { line: '/ops:deploy live', agent: { conversationId: 'c1', agentId: null }, approved: [] },
  ])
  expect(bridge.inputsOf('conversation.send')).toMatchObject([
    { content: 'Expanded /ops:deploy live', typed: '/ops:deploy live', agentId: null },
  ])
  expect(field().value).toBe('')
})

test('a whole name comes first, then files, built-in commands, and last what can’t be used', async () => {
  const bridge = await openWorking('waiting')
  const named = (name: string, more: Partial<SlashCommand> = {}) => ({ ...DEPLOY, name, ...more })
  bridge.answer({
    'slash.list': () => [
      named('modelling'),
      named('moist', { problem: 'moist.md:2: broken' }),
      named('clear'),
    ],
  })
  render(<Composer />)
  await user.type(field(), '/mo')
  await screen.findByText('/modelling')
  const names = () => options().map((text) => /^\/[a-z]+?(?=[A-Z])/.exec(text ?? '')?.[0])
  expect(names().slice(0, 4)).toEqual(['/modelling', '/model', '/mode', '/moist'])
  await user.type(field(), 'de')
  expect(names()[0]).toBe('/mode')
  await user.clear(field())
  await user.type(field(), '/clear')
  expect(names()).toEqual(['/clear'])
})

test('shell commands of a command run after the user allows them once', async () => {
  const bridge = await openWorking('waiting')
  bridge.answer({
    'slash.expand': ({ approved }) =>
      approved.length === 0
        ? { kind: 'needs-permission', commands: ['npm test'] }
        : { kind: 'expanded', command: { name: 'check', text: 'Tests pass.', model: null } },
  })
  render(<Composer />)
  bridge.answer({ 'slash.list': () => [{ ...DEPLOY, name: 'check' }] })
  await user.type(field(), '/check now')
  await screen.findByText('/check [stage]')
  await user.type(field(), '{Enter}')
  // The hint about arguments would cover the message.
  expect(screen.queryByText('/check [stage]')).toBeNull()
  expect(screen.getByRole('alert').textContent).toContain('npm test')
  expect(bridge.inputsOf('conversation.send')).toEqual([])
  expect(field().value).toBe('/check now')
  await user.click(screen.getByRole('button', { name: 'Allow once and send' }))
  expect(bridge.inputsOf('slash.expand').map(({ approved }) => approved)).toEqual([[], ['npm test']])
  expect(bridge.inputsOf('conversation.send')).toMatchObject([
    { content: 'Tests pass.', typed: '/check now' },
  ])
})

test('/effort changes the conversation, and a wrong level names the levels', async () => {
  const bridge = await openWorking('waiting')
  render(<Composer />)
  await user.type(field(), '/effort xh{Enter}')
  expect(bridge.inputsOf('conversation.setModel')).toEqual([{ conversationId: 'c1', effort: 'xhigh' }])
  await user.type(field(), '/effort huge{Enter}')
  expect(screen.getByRole('alert').textContent).toContain('/effort default, /effort low')
})

test('/compact summarizes the conversation', async () => {
  const bridge = await openWorking('waiting')
  render(<Composer />)
  await user.type(field(), '/compact keep the names{Enter}')
  expect(bridge.inputsOf('conversation.compact')).toEqual([
    { conversationId: 'c1', instructions: 'keep the names' },
  ])
})

test('/compact says why it can not', async () => {
  await startWindow()
  render(<Composer />)
  await user.type(field(), '/compact now{Enter}')
  expect(screen.getByRole('alert').textContent).toContain('nothing to summarize')
})

test('/coordinator switches the mode of the next conversation', async () => {
  await startWindow()
  render(<Composer />)
  await user.type(field(), '/coordinator{Enter}')
  expect(useSession.getState().draft).toEqual({ coordinatorMode: true })
  expect(field().value).toBe('')
})

test('/model and /mode change the conversation; bypass needs a folder that allows it', async () => {
  const bridge = await openWorking('waiting')
  bridge.answer({ 'access.models': () => [{ id: 'claude-opus-4-1', name: 'Claude Opus 4.1' }] })
  render(<Composer />)
  await user.type(field(), '/model opus-4{Enter}')
  await user.type(field(), '/mode acceptEdits{Enter}')
  await user.type(field(), '/mode bypassPermissions{Enter}')
  expect(bridge.inputsOf('conversation.setModel')).toEqual([
    { conversationId: 'c1', model: 'claude-opus-4-1' },
  ])
  expect(bridge.inputsOf('conversation.setMode')).toEqual([
    { conversationId: 'c1', permissionMode: 'acceptEdits' },
  ])
  expect(screen.getByRole('alert').textContent).toContain('not allowed in this folder')
})

test('while the agent works, an empty field offers Stop, a message is queued, and a queued message can be edited', async () => {
  const bridge = await openWorking()
  bridge.answer({ 'conversation.unqueue': () => ({ text: 'later please' }) })
  render(<Composer />)
  await user.click(screen.getByRole('button', { name: /^Stop/ }))
  expect(bridge.inputsOf('conversation.stop')).toEqual([{ conversationId: 'c1' }])
  await user.type(field(), 'more')
  expect(screen.getByRole('button', { name: 'Queue' })).toBeTruthy()
  await user.clear(field())
  act(() =>
    bridge.push(
      queues(100, { messageId: 'q1', agentId: 'main', from: 'user', sender: null }, 'later please'),
    ),
  )
  const queued = screen.getByRole('list', { name: 'Queued messages' })
  await user.click(within(queued).getByRole('button', { name: 'Send now' }))
  expect(bridge.inputsOf('conversation.sendNow')).toEqual([{ conversationId: 'c1', messageId: 'q1' }])
  await user.click(within(queued).getByRole('button', { name: 'Edit message' }))
  expect(bridge.inputsOf('conversation.unqueue')).toEqual([{ conversationId: 'c1', messageId: 'q1' }])
  expect(field().value).toBe('later please')
})

test('a queued message names the agent that sent it, and the user can’t remove it', async () => {
  const bridge = await openWorking()
  render(<Composer />)
  const text =
    'A message from the agent Explore (helper-1). An agent wrote this, not the user.\n\nLook at b, too.'
  act(() =>
    bridge.push(
      queues(100, { messageId: 'q1', agentId: 'main', from: 'agent', sender: 'helper-1' }, text),
      queues(101, { messageId: 'q2', agentId: 'helper-1', from: 'runtime', sender: null }, 'Go on.'),
      queues(102, { messageId: 'q3', agentId: 'helper-1', from: 'user', sender: null }, 'mine'),
    ),
  )
  const [fromAgent, fromProgram, own] = within(screen.getByRole('list', { name: 'Queued messages' }))
    .getAllByRole('listitem')
    .map((item) => ({ text: item.textContent, buttons: within(item).queryAllByRole('button').length }))
  expect(fromAgent).toEqual({ text: 'queuedfromExploreLook at b, too.', buttons: 0 })
  expect(fromProgram).toEqual({ text: 'queuedfor Explorefrom TroupeGo on.', buttons: 0 })
  expect(own).toEqual({ text: 'queuedfor Exploremine', buttons: 2 })
})

test('each conversation keeps its draft', async () => {
  await openWorking('waiting')
  render(<Composer />)
  await user.type(field(), 'half a thou')
  await act(() => openConversation('c2'))
  expect(field().value).toBe('')
  await act(() => openConversation('c1'))
  expect(field().value).toBe('half a thou')
})

test('pasted images are shown, sent and removable; an unsupported type shows a message', async () => {
  const bridge = await openWorking('waiting')
  render(<Composer />)
  const image = new File([new Uint8Array([1, 2, 3])], 'shot.png', { type: 'image/png' })
  const drawing = new File(['<svg/>'], 'plan.svg', { type: 'image/svg+xml' })
  await act(async () => {
    fireEvent.paste(field(), { clipboardData: { files: [image, drawing] } })
  })
  expect(await screen.findByAltText('shot.png')).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toContain('plan.svg has the type image/svg+xml')
  await user.click(screen.getByRole('button', { name: 'Remove shot.png' }))
  expect(screen.queryByAltText('shot.png')).toBeNull()
  await act(async () => {
    fireEvent.paste(field(), { clipboardData: { files: [image] } })
  })
  await screen.findByAltText('shot.png')
  await user.type(field(), '{Enter}')
  expect(bridge.inputsOf('conversation.send')).toEqual([
    {
      conversationId: 'c1',
      agentId: null,
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } }],
    },
  ])
})

test('without access the composer shows the reason and two ways out, and Enter sends nothing', async () => {
  const bridge = await startWindow({
    access: { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' },
  })
  bridge.answer({
    'access.set': () => ({ kind: 'rehearsal', keySource: null, keyStoreSafe: true, baseUrl: '' }),
  })
  await act(() => openConversation(null))
  render(<Composer />)
  await user.type(field(), 'hello{Enter}')
  expect(bridge.calls.some((call) => call.name === 'conversation.create')).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Rehearse without a key' }))
  expect(bridge.inputsOf('access.set')).toEqual([{ kind: 'rehearsal' }])
  expect(screen.queryByRole('button', { name: 'Add key' })).toBeNull()
  expect(field().placeholder).toContain('a script answers')
  expect(field().value).toBe('hello')
})

test('without access an external agent can be the main agent of the next conversation', async () => {
  const bridge = await startWindow({
    access: { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' },
    settings: { mainAgent: 'claude-code' },
  })
  bridge.answer({
    'conversation.create': () => summaryOf('new'),
    'conversation.send': () => ({ messageId: 'm', queued: false }),
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  await act(() => openConversation(null))
  render(<Composer />)
  // An agent of this name that needs a model does not help.
  const agent = { name: 'claude-code', description: '', source: 'built-in', color: 'orange' }
  const definition = { ...agent, model: 'inherit', tools: null, hidden: false }
  act(() => useSession.setState({ definitions: [definition] }))
  expect(screen.getByRole('button', { name: 'Add key' })).toBeTruthy()
  act(() => useSession.setState({ definitions: [{ ...definition, isProgram: true }] }))
  expect(screen.queryByRole('button', { name: 'Add key' })).toBeNull()
  await user.type(field(), 'hello{Enter}')
  expect(bridge.inputsOf('conversation.create')).toHaveLength(1)
})

function queues(order: number, message: Omit<QueuedMessage, 'content'>, text: string): WindowDelta {
  return {
    type: 'conversation-event',
    conversationId: 'c1',
    event: {
      v: 1,
      conversationId: 'c1',
      seq: order,
      order,
      at: 0,
      type: 'message-queued',
      message: { ...message, content: [{ type: 'text', text }] },
    },
  }
}

test('effort and thinking are chosen beside the model, for the conversation on the screen', async () => {
  const bridge = await openWorking()
  bridge.answer({ 'access.models': () => [] })
  render(<Composer />)
  for (const choice of [/^High/, /^Off/]) {
    await user.click(screen.getByRole('button', { name: /^Model: / }))
    await user.click(await screen.findByRole('menuitemradio', { name: choice }))
  }
  expect(bridge.inputsOf('conversation.setModel')).toEqual([
    { conversationId: 'c1', effort: 'high' },
    { conversationId: 'c1', thinking: 'off' },
  ])
})

test('/hooks and /mcp open their part of the settings', async () => {
  await openWorking('waiting')
  render(<Composer />)
  for (const part of ['hooks', 'mcp']) {
    await user.type(field(), `/${part}{Enter}`)
    expect(useSettingsPart.getState().part).toBe(part)
    expect(useSession.getState().view).toBe('settings')
  }
})
