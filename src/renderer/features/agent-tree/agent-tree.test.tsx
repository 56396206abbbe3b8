import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useRef } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useCaseToSave } from '../../stores/agent-actions.ts'
import { useConversation, useWriteFailure } from '../../stores/conversation-store.ts'
import { recall, useStage } from '../../stores/stage-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { REST_MS } from '../../ui/pointer-at-work.ts'
import { TooltipProvider } from '../../ui/popover.tsx'
import { AgentTree } from './agent-tree.tsx'

let bridge: FakeBridge
let script: SampleLog
const user = userEvent.setup()
const onWrite = vi.fn()
const onOpen = vi.fn()

beforeEach(() => {
  script = new SampleLog()
  bridge = installFakeBridge({ 'agent.definitionChange': () => ({ kind: 'same', what: [] }) })
  onWrite.mockClear()
  onOpen.mockClear()
  localStorage.clear()
  recall(null)
  useStage.setState({ selectedAgentId: null })
})
afterEach(cleanup)

function open(...histories: (readonly AgentEvent[])[]) {
  const main = [script.spawn('main'), script.status('main', 'running')]
  const states = [main, ...histories].map(stateAfter)
  useConversation.setState({
    conversationId: 'c1',
    readOnly: false,
    agents: new Map(states.map((state) => [state.id, state])),
  })
  render(<Side />)
}

function Side({ compact = false }) {
  const around = useRef<HTMLElement>(null)
  return (
    <TooltipProvider>
      <aside ref={around} aria-label="Side bar">
        <AgentTree compact={compact} around={around} onOpen={onOpen} onWrite={onWrite} />
      </aside>
    </TooltipProvider>
  )
}
const working = (id: string) => [script.spawn(id, { parentId: 'main' }), script.status(id, 'running')]
const paused = (id: string) => script.next(id, { type: 'pause-changed', paused: true })
const stopped = (id: string, stopId?: string) =>
  script.next(id, {
    type: 'agent-ended',
    status: 'stopped',
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
    ...(stopId === undefined ? {} : { stopId }),
  })
const row = (name: RegExp) => screen.getByRole('treeitem', { name })
async function menuOf(name: RegExp): Promise<readonly (string | null)[]> {
  fireEvent.contextMenu(row(name))
  const items = await screen.findAllByRole('menuitem')
  const labels = items.map((item) => item.textContent)
  await user.keyboard('{Escape}')
  return labels
}

test('the menu of a row has exactly the actions that its state allows', async () => {
  open(working('a'), [...working('b'), paused('b')], [...working('c'), stopped('c')])
  expect(await menuOf(/^a/)).toEqual([
    'Open panelEnter',
    'MessageCtrl Shift M',
    'PauseCtrl Shift R',
    'Move to backgroundCtrl Shift B',
    'StopCtrl Shift S',
    'Save as a case…',
    'Copy ID',
  ])
  expect(await menuOf(/^b/)).toContain('ContinueCtrl Shift R')
  expect(await menuOf(/^c/)).toEqual([
    'Open panelEnter',
    'MessageCtrl Shift M',
    'ResumeCtrl Shift R',
    'Save as a case…',
    'Copy ID',
  ])
})

test('the main agent’s menu continues all agents', async () => {
  open(working('a'))
  fireEvent.contextMenu(row(/^Main/))
  expect(await screen.findAllByRole('menuitem')).not.toHaveLength(0)
  expect(screen.queryByRole('menuitem', { name: /Continue all/ })).toBeNull()
  await user.keyboard('{Escape}')
  cleanup()
  open([...working('a'), stopped('a', 's1')])
  fireEvent.contextMenu(row(/^Main/))
  await user.click(await screen.findByRole('menuitem', { name: /Continue all agents/ }))
  expect(bridge.inputsOf('conversation.continue')).toEqual([{ conversationId: 'c1' }])
})

const chord = (keys: string) => user.keyboard(`{Control>}{Shift>}${keys}{/Shift}{/Control}`)

test('with Ctrl and Shift: R pauses and continues, B moves, S stops, M starts a message; alone they do nothing', async () => {
  open(working('a'), [...working('b'), paused('b')], [...working('c'), stopped('c')])
  row(/^a/).focus()
  await user.keyboard('rbsm{Delete}')
  expect(bridge.calls).toEqual([])
  expect(onWrite).not.toHaveBeenCalled()
  await chord('R')
  row(/^b/).focus()
  await chord('R')
  row(/^c/).focus()
  await chord('RSB')
  row(/^a/).focus()
  await chord('BSM')
  const agents = (inputs: readonly { readonly agentId: string }[]) => inputs.map(({ agentId }) => agentId)
  expect(agents(bridge.inputsOf('agent.pause'))).toEqual(['a'])
  expect(agents(bridge.inputsOf('agent.continue'))).toEqual(['b', 'c'])
  expect(agents(bridge.inputsOf('agent.toBackground'))).toEqual(['a'])
  expect(agents(bridge.inputsOf('agent.stop'))).toEqual(['a'])
  expect(onWrite).toHaveBeenCalledWith('a')
})

test('a row shows a coming pause, and marks background agents and forks', () => {
  open(
    [...working('a'), paused('a')],
    [...working('b'), script.next('b', { type: 'moved-to-background', by: 'user', bubbles: true })],
    [script.spawn('f', { parentId: 'main', inherits: { agentId: 'main', seq: 1 } })],
  )
  expect(row(/^a/).textContent).toContain('pausing after this step')
  expect(row(/^a/).querySelector('[data-status="pausing"]')).not.toBeNull()
  expect(row(/^b/).querySelector('[aria-label="background"]')?.parentElement?.title).toMatch(/^Moved to/)
  expect(row(/^f/).querySelector('[aria-label="fork"]')).not.toBeNull()
})

test('the menu explains that another program runs the conversation', async () => {
  open(working('a'))
  useConversation.setState({ readOnly: true })
  fireEvent.contextMenu(row(/^a/))
  expect(await screen.findByText(/Another program runs this conversation/)).toBeTruthy()
  expect(screen.queryByRole('menuitem', { name: /Stop/ })).toBeNull()
})

test('an agent whose log can’t be written shows as paused', () => {
  open(working('a'), working('b'))
  act(() =>
    useWriteFailure.setState({
      failures: [{ conversationId: 'c1', agentIds: ['a'], message: 'The disk is full.' }],
    }),
  )
  expect(row(/^a/).textContent).toContain('paused: its log can’t be written')
  expect(row(/^b/).textContent).not.toContain('paused')
  act(() => useWriteFailure.setState({ failures: [] }))
  expect(row(/^a/).textContent).not.toContain('paused')
})

test('a focused row that folds passes the focus to the next row', async () => {
  const ids = Array.from({ length: 11 }, (_, index) => `w${index}`)
  open(...ids.map((id) => (id < 'w3' && id !== 'w10' ? [...working(id), stopped(id)] : working(id))))
  row(/^w4/).focus()
  const state = useConversation.getState().agents.get('w4')
  if (state === undefined) throw new Error('no w4')
  act(() =>
    useConversation.setState(({ agents }) => ({
      agents: new Map([...agents, ['w4', { ...state, status: 'stopped', endedAt: 1 }]]),
    })),
  )
  expect(screen.queryByRole('treeitem', { name: /^w4/ })).toBeNull()
  expect(document.activeElement).toBe(row(/^w5/))
  expect(screen.getByRole('button', { name: '4 ended: show them' })).toBeTruthy()
})

describe('a branch', () => {
  const nested = () =>
    open(
      working('a'),
      [script.spawn('a1', { parentId: 'a' }), script.status('a1', 'running'), script.asks('a1', 'r')],
      [script.spawn('a2', { parentId: 'a' }), script.status('a2', 'running')],
      working('b'),
    )
  const names = () => screen.getAllByRole('treeitem').map((one) => one.dataset['agentId'])
  const twisty = (of: HTMLElement) => {
    const found = of.querySelector('[data-twisty]')
    if (found === null) throw new Error('no twisty')
    return found
  }

  test('collapses with Left and opens with Right; further presses go to the parent and to the first child', async () => {
    nested()
    expect(row(/^a1/).getAttribute('aria-expanded')).toBeNull()
    row(/^a2/).focus()
    await user.keyboard('{ArrowLeft}')
    expect(document.activeElement).toBe(row(/^a(?!\d)/))
    expect(row(/^a(?!\d)/).getAttribute('aria-expanded')).toBe('true')
    await user.keyboard('{ArrowLeft}')
    expect(names()).toEqual(['main', 'a', 'b'])
    const collapsed = row(/^a(?!\d)/)
    expect(collapsed.getAttribute('aria-expanded')).toBe('false')
    expect(collapsed.textContent).toContain('1 needs you · 1 working · 2 agents hidden')
    expect(document.activeElement).toBe(collapsed)
    await user.keyboard('{ArrowLeft}')
    expect(document.activeElement).toBe(row(/^Main/))
    await user.keyboard('{ArrowDown}{ArrowRight}')
    expect(names()).toEqual(['main', 'a', 'a1', 'a2', 'b'])
    await user.keyboard('{ArrowRight}')
    expect(document.activeElement).toBe(row(/^a1/))
    await user.keyboard('{ArrowRight}')
    expect(document.activeElement).toBe(row(/^a1/))
  })

  test('collapses by its twisty and by its menu, without opening a panel, and keeps a tab stop', async () => {
    nested()
    act(() => useStage.setState({ selectedAgentId: 'a2' }))
    fireEvent.click(twisty(row(/^a(?!\d)/)))
    expect(names()).toEqual(['main', 'a', 'b'])
    expect(onOpen).not.toHaveBeenCalled()
    expect(row(/^a(?!\d)/).tabIndex).toBe(0)
    fireEvent.contextMenu(row(/^a(?!\d)/))
    await user.click(await screen.findByRole('menuitem', { name: /^Expand/ }))
    expect(names()).toContain('a1')
    expect(row(/^b/).querySelector('[data-twisty]')).toBeNull()
  })

  test('stays collapsed when the conversation is shown again, and only there', () => {
    nested()
    fireEvent.click(twisty(row(/^a(?!\d)/)))
    act(() => useConversation.setState({ conversationId: 'c2' }))
    expect(names()).toContain('a1')
    act(() => useConversation.setState({ conversationId: 'c1' }))
    expect(names()).not.toContain('a1')
  })

  test('of a narrow window marks what it hides', () => {
    nested()
    fireEvent.click(twisty(row(/^a(?!\d)/)))
    cleanup()
    render(<Side compact />)
    const compact = row(/^a: .*1 needs you · 1 working · 2 agents hidden$/)
    expect(compact.querySelector('[data-status="needs-you"]')).not.toBeNull()
  })
})

describe('when all agents are done', () => {
  const side = () => screen.getByRole('complementary')
  const names = () => screen.getAllByRole('treeitem').map((item) => item.textContent)
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    open(working('a'), working('b'))
    expect(names()).toHaveLength(3)
  })
  afterEach(() => vi.useRealTimers())

  /** All agents end, and the main agent has answered. */
  function end() {
    for (const id of ['a', 'b']) script.ends(id, '')
    script.answers('main', { text: 'Done.' })
    script.status('main', 'waiting', 'message')
    const agents = new Map(['main', 'a', 'b'].map((id) => [id, script.stateOf(id)]))
    act(() => useConversation.setState({ agents }))
  }

  test('they fold to one line, which a press or Enter opens and collapses', () => {
    end()
    const line = () => row(/^2 agents/)
    expect(line().textContent).toBe('2 agents2 done')
    expect(names()).toHaveLength(2)
    fireEvent.click(line())
    expect(names()).toHaveLength(4)
    expect(line().getAttribute('aria-expanded')).toBe('true')
    fireEvent.keyDown(line(), { key: 'Enter' })
    expect(names()).toHaveLength(2)
    fireEvent.keyDown(line(), { key: 'ArrowRight' })
    expect(names()).toHaveLength(4)
  })

  test('nothing folds below a pointer at work, until it leaves or rests', () => {
    fireEvent.pointerMove(side())
    end()
    expect(names()).toHaveLength(3)
    act(() => vi.advanceTimersByTime(REST_MS))
    expect(names()).toHaveLength(2)
  })

  test('no row folds that has the focus, until the focus leaves the tree', () => {
    act(() => row(/^a/).focus())
    end()
    expect(names()).toHaveLength(3)
    act(() => (document.activeElement as HTMLElement).blur())
    expect(names()).toHaveLength(2)
  })

  test('another conversation shows at once, also below a pointer at work', () => {
    end()
    fireEvent.pointerMove(side())
    const agents = new Map(['main', 'a'].map((id) => [id, script.stateOf(id)]))
    act(() => useConversation.setState({ conversationId: 'c2', agents }))
    expect(names()).toHaveLength(2)
    expect(screen.queryByRole('treeitem', { name: /agents/ })).toBeNull()
  })
})

test('with 300 agents a selection renders only the two rows that it changes', () => {
  let reads = 0
  const ids = Array.from({ length: 300 }, (_, index) => `w${index}`)
  open(...ids.map(working))
  const counted = [...useConversation.getState().agents].map(([id, state]) => {
    const { definition } = state
    const counts = {
      get: () => {
        reads += 1
        return definition
      },
    }
    return [id, Object.defineProperty({ ...state }, 'definition', counts)] as const
  })
  act(() => useConversation.setState({ agents: new Map(counted) }))
  const inAll = reads
  expect(inAll).toBeGreaterThanOrEqual(300)
  reads = 0
  act(() => useStage.setState({ selectedAgentId: 'w7' }))
  expect(row(/^w7\D/).getAttribute('aria-selected')).toBe('true')
  expect(reads).toBeLessThan((inAll / 300) * 4)
})

test('the work of an agent can be saved as a case, also of one that failed', async () => {
  const failure = { type: 'api', message: 'Overloaded.' } as const
  open([...working('a'), { ...stopped('a'), status: 'failed', failure } as AgentEvent])
  fireEvent.contextMenu(row(/^a/))
  await user.click(await screen.findByRole('menuitem', { name: 'Save as a case…' }))
  expect(useCaseToSave.getState().agent).toEqual({ conversationId: 'c1', agentId: 'a' })
})
