import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ComponentProps } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { sampleDefinition } from '../../../shared/testing/sample-events.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { rowForName } from '../../../shared/tools/row-for-name.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { draftKeyNow, draftOf, lineDraftKey, useDrafts } from '../../stores/draft-store.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useStage } from '../../stores/stage-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { TooltipProvider } from '../../ui/popover.tsx'
import { AgentPanel, type AgentPanelProps } from './agent-panel.tsx'
import { AgentTile } from './agent-tile.tsx'
import { FoldedAgentsView } from './folded-agents.tsx'

let bridge: FakeBridge
let script: SampleLog

/** A subagent, named after its id. */
const spawn = (id: string, more: Parameters<SampleLog['spawn']>[1] = {}) =>
  script.spawn(id, { parentId: 'main', ...more })

beforeEach(() => {
  script = new SampleLog()
  bridge = installFakeBridge()
  useDrafts.setState({ drafts: {} })
})
afterEach(cleanup)

function know(...histories: (readonly AgentEvent[])[]) {
  const states = histories.map(stateAfter)
  useConversation.setState({
    conversationId: 'c1',
    readOnly: false,
    queued: [],
    agents: new Map(states.map((state) => [state.id, state])),
  })
}
const ended = (agentId: string, status: 'completed' | 'failed' | 'stopped' = 'completed') =>
  script.next(agentId, {
    type: 'agent-ended',
    status,
    report: 'done',
    failure: status === 'failed' ? { type: 'api', message: 'The API said no.' } : null,
    reachedLimit: null,
    limitOf: null,
  })

function panel(more: Partial<AgentPanelProps> = {}) {
  const calls = { onFind: vi.fn(), onCopy: vi.fn(async () => true), onFocus: vi.fn(), onPin: vi.fn() }
  render(
    <TooltipProvider>
      <AgentPanel agentId="a" {...calls} {...more}>
        <p>transcript</p>
      </AgentPanel>
    </TooltipProvider>,
  )
  return { ...calls, root: screen.getByRole('article') }
}

describe('the header of a panel', () => {
  test('shows the task and the time, below it the type, the model and the place', () => {
    know([
      spawn('a', {
        task: 'look at routes',
        definition: sampleDefinition({ name: 'Explore', readOnly: true }),
        model: 'claude-sonnet-4-5',
      }),
    ])
    const { root } = panel()
    expect(screen.getByRole('heading').textContent).toBe('look at routes')
    expect(root.getAttribute('aria-label')).toBe('look at routes, Explore, queued')
    expect(root.querySelector('header')?.textContent).toContain('Explore · sonnet 4.5 · read-only')
  })

  test('has a letter where another agent has the same task', () => {
    know([spawn('a', { task: 'fix it' })], [spawn('b', { task: 'fix it' })])
    panel()
    expect(screen.getByRole('heading').textContent).toBe('fix itA')
    expect(screen.getByRole('textbox', { name: 'Message fix it A' })).toBeTruthy()
  })

  test('shows the progress in place of the second line', () => {
    know([
      spawn('a'),
      script.status('a', 'running'),
      script.next('a', { type: 'request-started', turn: 9, attempt: 1, model: 'sonnet' }),
      script.says('a', 'x'),
    ])
    expect(panel().root.querySelector('header')?.textContent).toContain('Turn 9 of 20 · 18 tokens · $0.01')
    expect(screen.getByRole('button', { name: /^Turn 9 of 20/ })).toBeTruthy()
  })

  test('calls the cost of a model without a price unknown', () => {
    know([spawn('a'), { ...script.says('a', 'x'), costUsd: null } as AgentEvent])
    const header = panel().root.querySelector('header')?.textContent
    expect(header).not.toContain('$')
    expect(header).toContain('cost unknown')
  })

  test('marks an agent that nothing asks', () => {
    know([spawn('a', { permissionMode: 'bypassPermissions' })])
    panel()
    expect(screen.getByRole('img', { name: /^Permission mode: / })).toBeTruthy()
  })

  test('all other actions are in a menu', async () => {
    know([spawn('a'), script.status('a', 'running')])
    const { onFind, onPin } = panel()
    const choose = async (name: RegExp) => {
      await userEvent.click(screen.getByRole('button', { name: 'More actions' }))
      await userEvent.click(await screen.findByRole('menuitem', { name }))
    }
    await choose(/^Find/)
    await choose(/^Pin/)
    expect([onFind, onPin].map((call) => call.mock.calls.length)).toEqual([1, 1])
  })
})

describe('the keys of a panel', () => {
  const chord = (target: Element, key: string) =>
    fireEvent.keyDown(target, { key, ctrlKey: true, shiftKey: true })

  test('with Ctrl and Shift: S stops, Enter focuses, K pins, M starts a message', () => {
    know([spawn('a'), script.status('a', 'running')])
    const { root, onFocus, onPin } = panel()
    for (const key of ['S', 'Enter', 'K']) chord(root, key)
    expect([onFocus, onPin].map((call) => call.mock.calls.length)).toEqual([1, 1])
    expect(bridge.inputsOf('agent.stop')).toEqual([{ agentId: 'a', conversationId: 'c1' }])
    chord(root, 'M')
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Message a' }))
  })

  test('work while the user types a message, and stop nothing after the end', () => {
    know([spawn('a'), script.status('a', 'running')])
    const { onPin } = panel()
    chord(screen.getByRole('textbox'), 'K')
    expect(onPin).toHaveBeenCalledTimes(1)
    act(() => know([spawn('a'), script.status('a', 'running'), ended('a')]))
    chord(screen.getByRole('article'), 'S')
    expect(bridge.inputsOf('agent.stop')).toEqual([])
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
  })

  test.each([
    ['panel', () => screen.getByRole('article')],
    ['button', () => screen.getByRole('button', { name: 'Pause' })],
  ])('text typed on the %s goes whole to the message field and does nothing else', async (_, target) => {
    know([spawn('a'), script.status('a', 'running')])
    const { onFind, onFocus, onPin } = panel()
    target().focus()
    await userEvent.keyboard('smrbvfp/ also do the docs')
    const field = screen.getByRole('textbox', { name: 'Message a' }) as HTMLInputElement
    expect(field.value).toBe('smrbvfp/ also do the docs')
    expect(document.activeElement).toBe(field)
    expect(bridge.calls).toEqual([])
    for (const call of [onFind, onFocus, onPin]) expect(call).not.toHaveBeenCalled()
  })

  test('typed text is ignored in a conversation that another program runs', () => {
    know([spawn('a'), script.status('a', 'running')])
    useConversation.setState({ readOnly: true })
    const { root } = panel()
    for (const key of ['s', 'r', 'S']) fireEvent.keyDown(root, { key })
    chord(root, 'S')
    expect(bridge.calls).toEqual([])
  })
})

describe('the message field', () => {
  test('sends to the agent and clears the text', async () => {
    know([spawn('a'), script.status('a', 'running')])
    panel()
    const line = screen.getByRole('textbox', { name: 'Message a' }) as HTMLInputElement
    expect(screen.getByText('queued for its next turn')).toBeTruthy()
    fireEvent.change(line, { target: { value: ' look at refund.ts too ' } })
    await act(async () => {
      fireEvent.keyDown(line, { key: 'Enter' })
    })
    expect(bridge.inputsOf('conversation.send')).toEqual([
      { conversationId: 'c1', agentId: 'a', content: 'look at refund.ts too' },
    ])
    expect(line.value).toBe('')
  })

  test('sends what a command stands for; a text that begins with a space is sent as it is', async () => {
    know([spawn('a'), script.status('a', 'running')])
    useSession.setState({
      folder: {
        ...{ path: '/shop', name: 'shop', trusted: true, bypassAllowed: false },
        ...{ gitBranch: null, dirtyFiles: 0 },
      },
    })
    bridge.answer({
      'slash.expand': () => ({
        kind: 'expanded',
        command: { name: 'fix', text: 'Fix issue 12.', model: null },
      }),
    })
    panel()
    const line = screen.getByRole('textbox', { name: 'Message a' }) as HTMLInputElement
    const send = async (value: string) => {
      fireEvent.change(line, { target: { value } })
      await act(async () => {
        fireEvent.keyDown(line, { key: 'Enter' })
      })
    }
    const to = { conversationId: 'c1', agentId: 'a' }
    await send('/fix 12')
    expect(bridge.inputsOf('slash.expand')).toEqual([
      { folder: '/shop', line: '/fix 12', agent: to, approved: [] },
    ])
    expect(bridge.inputsOf('conversation.send')).toEqual([
      { ...to, content: 'Fix issue 12.', typed: '/fix 12' },
    ])
    await send(' /fix 12')
    expect(bridge.inputsOf('conversation.send')).toHaveLength(2)
    expect(bridge.inputsOf('conversation.send')[1]).toEqual({ ...to, content: '/fix 12' })
    bridge.answer({ 'slash.expand': () => ({ kind: 'needs-permission', commands: ['rm -rf build'] }) })
    const notices: string[] = []
    const off = onNotice(({ text }) => notices.push(text))
    await send('/clean')
    off()
    expect(notices).toEqual([expect.stringContaining('rm -rf build')])
    expect(bridge.inputsOf('conversation.send')).toHaveLength(2)
    expect(line.value).toBe('/clean')
  })

  test('keeps text that was not sent', async () => {
    know([spawn('a'), script.status('a', 'running')])
    bridge.answer({
      'conversation.send': () => {
        throw new Error('no')
      },
    })
    panel()
    const line = screen.getByRole('textbox') as HTMLInputElement
    fireEvent.change(line, { target: { value: 'hello' } })
    await act(async () => {
      fireEvent.keyDown(line, { key: 'Enter' })
    })
    expect(line.value).toBe('hello')
  })

  test('shows queued messages and removes them', async () => {
    know([spawn('a'), script.status('a', 'running')])
    useConversation.setState({
      queued: [
        { messageId: 'm1', agentId: 'a', text: 'for a', from: 'user' as const, sender: null },
        { messageId: 'm2', agentId: 'b', text: 'for b', from: 'user' as const, sender: null },
      ],
    })
    const { root } = panel()
    expect(root.textContent).toContain('for a')
    expect(root.textContent).not.toContain('for b')
    fireEvent.click(screen.getByRole('button', { name: 'Remove message' }))
    expect(bridge.inputsOf('conversation.unqueue')).toEqual([{ conversationId: 'c1', messageId: 'm1' }])
  })

  test('shows the sender of a queued message, and removes only the user’s own', () => {
    know([spawn('a'), script.status('a', 'running')])
    const text = 'A message from the agent a (a). An agent wrote this, not the user.\n\nLook at b.'
    useConversation.setState({
      queued: [{ messageId: 'm1', agentId: 'a', text, from: 'agent', sender: 'a' }],
    })
    const { root } = panel()
    expect(root.textContent).toMatch(/Queued from .+Look at b\./)
    expect(root.textContent).not.toContain('An agent wrote this')
    expect(screen.queryByRole('button', { name: 'Remove message' })).toBeNull()
  })

  test('Escape returns the focus to the panel', () => {
    know([spawn('a'), script.status('a', 'running')])
    const { root } = panel()
    const line = screen.getByRole('textbox')
    line.focus()
    fireEvent.keyDown(line, { key: 'Escape' })
    expect(document.activeElement).toBe(root)
  })

  test('is missing in a read-only conversation', () => {
    know([spawn('a'), script.status('a', 'running')])
    useConversation.setState({ readOnly: true })
    panel()
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
  })
})

describe('a tile', () => {
  test('has the name, the action and the last text without markup; a click opens the panel', () => {
    know([
      spawn('a'),
      script.status('a', 'running'),
      script.says('a', 'first\n- Two **palettes** are in `use`'),
      script.next('a', {
        type: 'tool-started',
        toolUseId: 't',
        name: 'Read',
        input: {},
        summary: 'src/theme.css',
        row: rowForName('Read'),
        sideEffects: false,
      }),
    ])
    const onOpen = vi.fn()
    render(<AgentTile agentId="a" onOpen={onOpen} />)
    const tile = screen.getByRole('button', { name: /^a ?, running: ? ?Read src\/theme\.css/ })
    expect([...tile.children].map((line) => line.textContent)).toEqual([
      '',
      expect.stringMatching(/^a, running: [\d:]+$/),
      'Read src/theme.css',
      'Two palettes are in use',
    ])
    fireEvent.click(tile)
    expect(onOpen).toHaveBeenCalledTimes(1)
  })

  test('of an agent that needs the user shows the request', () => {
    know([spawn('a'), script.status('a', 'waiting'), script.asks('a', 'p')])
    render(<AgentTile agentId="a" onOpen={() => {}} />)
    expect(screen.getByRole('button', { name: /^a ?, waiting/ }).textContent).toMatch(
      /^a, waiting: [\d:]+npm testneeds your permission$/,
    )
  })
})

test('a tile offers the actions of its agent by keys and by menu', async () => {
  const history = [spawn('a'), script.status('a', 'running')]
  know(history)
  render(
    <TooltipProvider>
      <AgentTile agentId="a" onOpen={() => {}} />
    </TooltipProvider>,
  )
  const tile = screen.getByRole('button', { name: /^a ?, running/ })
  fireEvent.keyDown(tile, { key: 'R', ctrlKey: true, shiftKey: true })
  fireEvent.keyDown(tile, { key: 'S', ctrlKey: true, shiftKey: true })
  expect(bridge.inputsOf('agent.pause')).toHaveLength(1)
  expect(bridge.inputsOf('agent.stop')).toHaveLength(1)
  for (const key of 'so') fireEvent.keyDown(tile, { key })
  expect(bridge.inputsOf('agent.stop')).toHaveLength(1)
  expect(draftOf(lineDraftKey('a')).text).toBe('so')
  expect(useStage.getState().reveal).toEqual({ kind: 'line', agentId: 'a' })
  act(() => know([...history, script.next('a', { type: 'pause-changed', paused: true })]))
  expect(tile.textContent).toContain('pausing after this step')
  fireEvent.contextMenu(tile)
  const items = await screen.findAllByRole('menuitem')
  expect(items.map((item) => item.textContent)).toEqual([
    'Open panelEnter',
    'Open in own window',
    'MessageCtrl Shift M',
    'ContinueCtrl Shift R',
    'StopCtrl Shift S',
    'Save as a case…',
  ])
})

test('the second click of a double click does not undo the first', () => {
  know([spawn('a'), script.status('a', 'running')])
  panel()
  const pause = screen.getByRole('button', { name: 'Pause' })
  fireEvent.click(pause, { detail: 2 })
  expect(bridge.inputsOf('agent.pause')).toEqual([])
  fireEvent.click(pause, { detail: 1 })
  expect(bridge.inputsOf('agent.pause')).toHaveLength(1)
})

test('agents without a panel or a tile are counted with their names', () => {
  know([spawn('a'), ended('a')], [spawn('b'), ended('b')], [spawn('c'), ended('c', 'stopped')], [spawn('d')])
  const onToggle = vi.fn()
  folded({ queued: ['d'], finished: ['a', 'b', 'c'], onToggle })
  const [queued, finished] = screen.getAllByRole('button')
  expect(queued?.textContent).toBe('1 queuedd')
  expect(finished?.textContent).toBe('2 done · 1 stoppeda · b · c')
  expect(finished?.getAttribute('aria-expanded')).toBe('false')
  fireEvent.click(finished as Element)
  expect(onToggle).toHaveBeenCalledWith('finished')
})

function folded(more: Partial<ComponentProps<typeof FoldedAgentsView>>) {
  const none = { more: [], queued: [], finished: [], open: null, onToggle: () => {}, isCell: true }
  render(<FoldedAgentsView {...none} {...more} />)
}

test('tiles and the finished line name agents by task, with a letter for namesakes', () => {
  know(
    [spawn('a', { task: 'fix it' })],
    [spawn('b', { task: 'fix it' }), ended('b')],
    [spawn('c'), ended('c')],
  )
  render(<AgentTile agentId="a" onOpen={() => {}} />)
  folded({ finished: ['b', 'c'] })
  expect(screen.getByRole('button', { name: /^fix it ?A/ })).toBeTruthy()
  expect(screen.getByRole('button', { name: /done/ }).textContent).toBe('2 donefix it B · c')
})

test('Ctrl F finds in the focused panel, also while the user types a message', () => {
  know([spawn('a'), script.status('a', 'running')])
  const { root, onFind } = panel()
  expect(fireEvent.keyDown(root, { key: 'f', ctrlKey: true })).toBe(false)
  fireEvent.keyDown(screen.getByRole('textbox', { name: 'Message a' }), { key: 'f', ctrlKey: true })
  expect(onFind).toHaveBeenCalledTimes(2)
})

test('the extra turn for the report at the limit does not count', () => {
  know([
    spawn('a'),
    script.status('a', 'running'),
    script.next('a', { type: 'request-started', turn: 21, attempt: 1, model: 'sonnet' }),
  ])
  expect(panel().root.querySelector('header')?.textContent).toContain('Turn 20 of 20')
})

test('a long paste into the message field goes to the composer, which then writes to this agent', () => {
  know([spawn('a'), script.status('a', 'running')])
  panel()
  const field = screen.getByRole('textbox', { name: /^Message a/ })
  const before = useDrafts.getState().focusRequests
  fireEvent.paste(field, { clipboardData: { getData: () => 'short' } })
  expect(draftOf(draftKeyNow()).pasted).toEqual([])
  fireEvent.paste(field, { clipboardData: { getData: () => 'x\n'.repeat(500) } })
  expect(draftOf(draftKeyNow())).toMatchObject({ recipientId: 'a', pasted: [{ text: 'x\n'.repeat(500) }] })
  expect(useDrafts.getState().focusRequests).toBe(before + 1)
})

test('a click with the other button on the header opens a menu with every action; elsewhere it opens none', async () => {
  know([spawn('a'), script.status('a', 'running')])
  const onOwnWindow = vi.fn()
  const { root } = panel({ onOwnWindow })
  fireEvent.contextMenu(screen.getByText('transcript'))
  expect(screen.queryByRole('menu')).toBeNull()
  fireEvent.contextMenu(screen.getByRole('heading', { level: 3 }))
  const items = (await screen.findAllByRole('menuitem')).map((item) => item.textContent ?? '')
  for (const label of ['Message', 'Pause', 'Stop', 'Focus', 'Find', 'Copy transcript', 'Pin'])
    expect(items.some((item) => item.startsWith(label))).toBe(true)
  fireEvent.click(screen.getByRole('menuitem', { name: 'Open in own window' }))
  expect(onOwnWindow).toHaveBeenCalledOnce()
  // The key for menus, while the panel has the focus.
  fireEvent.contextMenu(root)
  expect(await screen.findByRole('menuitem', { name: 'Open in own window' })).toBeTruthy()
})
