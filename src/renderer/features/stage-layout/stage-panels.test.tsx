import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import {
  arrangeAnew,
  revealAgent,
  revealLine,
  revealRequest,
  useStage,
  useStageMemory,
} from '../../stores/stage-store.ts'
import { installFakeBridge } from '../../testing/fake-bridge.ts'
import { REST_MS } from '../../ui/pointer-at-work.ts'
import { type FoldedAgents, type FoldedGroup, type StageControls, StagePanels } from './stage-panels.tsx'

let script: SampleLog
let states: Map<string, AgentState>
let conversations = 0

beforeEach(() => {
  installFakeBridge()
  localStorage.clear()
  script = new SampleLog()
  states = new Map()
  conversations += 1
  useStageMemory.setState({
    conversationId: null,
    memory: { layout: null, pinned: [], focused: null, dock: null, collapsed: [] },
  })
  useConversation.setState({ conversationId: `c${conversations}`, agents: new Map() })
  useStage.setState({ selectedAgentId: null, reveal: null })
  size(813, 700)
})
afterEach(cleanup)

/** happy-dom lays nothing out. */
function size(width: number, height: number) {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(width)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(height)
}

function set(agentId: string, then?: (agentId: string) => AgentEvent) {
  const events = [script.spawn(agentId), script.status(agentId, 'running')]
  if (then) events.push(then(agentId))
  script = new SampleLog()
  states.set(agentId, stateAfter(events))
  useConversation.setState({ agents: new Map(states) })
}
const asks = (agentId: string) => script.asks(agentId, 'p')
const ends = (agentId: string) =>
  script.next(agentId, {
    type: 'agent-ended',
    status: 'completed',
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
  })

const renderPanel = (agentId: string, controls: StageControls) => (
  <section data-agent-panel={agentId} tabIndex={-1} aria-label={`panel ${agentId}`}>
    <header {...controls.handle}>{agentId}</header>
    <button type="button" onClick={controls.onFocus}>
      focus {agentId}
    </button>
    {controls.onPin && (
      <button type="button" aria-pressed={controls.isPinned} onClick={controls.onPin}>
        pin {agentId}
      </button>
    )}
    <i data-request={`p-${agentId}`} tabIndex={-1} />
    <input data-message-line="" aria-label={`message ${agentId}`} />
  </section>
)
const renderTile = (agentId: string, onOpen: () => void) => (
  <button type="button" onClick={onOpen}>
    tile {agentId}
  </button>
)
const renderFolded = ({ more, queued, finished, open, onToggle, isCell }: FoldedAgents) => (
  <span data-fold={isCell ? 'cell' : 'line'}>
    {Object.entries({ more, queued, finished }).map(([group, ids]) => (
      <button
        key={group}
        type="button"
        aria-expanded={open === group}
        onClick={() => onToggle(group as FoldedGroup)}
      >
        {group} {ids.join()}
      </button>
    ))}
  </span>
)

function stage(agentIds: readonly string[]) {
  const element = (ids: readonly string[]) => (
    <StagePanels
      agentIds={ids}
      renderPanel={renderPanel}
      renderTile={renderTile}
      renderFolded={renderFolded}
      onFollow={() => {}}
    />
  )
  const view = render(element(agentIds))
  return { ...view, show: (ids: readonly string[]) => view.rerender(element(ids)) }
}
const panels = () =>
  [...document.querySelectorAll<HTMLElement>('[data-agent-panel]')].map(
    (panel) => panel.dataset['agentPanel'],
  )
const tiles = () => screen.queryAllByRole('button', { name: /^tile/ }).map((tile) => tile.textContent)

test('an empty stage says what will appear', () => {
  stage([])
  expect(screen.getByText('No agents yet')).toBeTruthy()
  expect(screen.getByText(/each of its agents gets a live panel here/)).toBeTruthy()
})

test('24 agents: four panels, tiles, and one cell for finished agents', () => {
  const ids = Array.from({ length: 24 }, (_, index) => `a${index}`)
  for (const [index, id] of ids.entries()) set(id, index >= 17 ? ends : undefined)
  stage(ids)
  expect(panels()).toEqual(['a0', 'a1', 'a2', 'a3'])
  expect(tiles()).toHaveLength(13)
  const row = screen.getByRole('button', { name: 'finished a17,a18,a19,a20,a21,a22,a23' })
  expect(row.closest('[data-fold]')?.getAttribute('data-fold')).toBe('cell')
  fireEvent.click(row)
  expect(tiles()).toHaveLength(20)
  fireEvent.click(row)
  expect(tiles()).toHaveLength(13)
})

test('more agents than four rows of tiles are counted in the last cell', () => {
  const ids = Array.from({ length: 40 }, (_, index) => `a${index}`)
  for (const id of ids) set(id)
  stage(ids)
  expect(tiles()).toHaveLength(15)
  expect(screen.getByRole('button', { name: /^more a19,/ }).textContent).toBe(`more ${ids.slice(19).join()}`)
})

test('without tiles the finished agents are a line', () => {
  set('a')
  for (const id of ['b', 'c', 'd', 'e', 'f']) set(id, ends)
  stage(['a', 'b', 'c', 'd', 'e', 'f'])
  const row = screen.getByRole('button', { name: /^finished/ })
  expect(row.closest('[data-fold]')?.getAttribute('data-fold')).toBe('line')
})

test('new agents fill free slots; no panel moves, and the focus stays', () => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) set(id)
  const { show } = stage(['a', 'b'])
  screen.getByLabelText('panel b').focus()
  show(['a', 'b', 'c', 'd', 'e'])
  expect(panels()).toEqual(['a', 'b', 'c', 'd'])
  expect(tiles()).toEqual(['tile e'])
  expect(document.activeElement).toBe(screen.getByLabelText('panel b'))
})

test('an agent that needs the user gets a panel, but never the focused one', () => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) set(id)
  stage(['a', 'b', 'c', 'd', 'e'])
  screen.getByLabelText('panel d').focus()
  act(() => set('e', asks))
  expect(panels()).toEqual(['a', 'b', 'e', 'd'])
})

test('a click on a tile gives its agent a panel and the focus', () => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) set(id)
  stage(['a', 'b', 'c', 'd', 'e'])
  fireEvent.click(screen.getByRole('button', { name: 'tile e' }))
  expect(panels()).toEqual(['a', 'b', 'c', 'e'])
  expect(document.activeElement).toBe(screen.getByLabelText('panel e'))
})

test('pinned panels stay, and pins are saved with the conversation', () => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) set(id)
  const { unmount } = stage(['a', 'b', 'c', 'd', 'e'])
  fireEvent.click(screen.getByRole('button', { name: 'pin d' }))
  act(() => set('e', asks))
  expect(panels()).toEqual(['a', 'b', 'e', 'd'])
  unmount()
  useStageMemory.setState({ conversationId: null })
  stage(['a', 'b', 'c', 'd', 'e'])
  expect(screen.getByRole('button', { name: 'pin d' }).getAttribute('aria-pressed')).toBe('true')
})

test('Focus shows one panel; a second press restores the others', () => {
  for (const id of ['a', 'b', 'c']) set(id)
  stage(['a', 'b', 'c'])
  fireEvent.click(screen.getByRole('button', { name: 'focus b' }))
  expect(panels()).toEqual(['b'])
  expect(tiles()).toEqual(['tile a', 'tile c'])
  fireEvent.click(screen.getByRole('button', { name: 'tile c' }))
  expect(panels()).toEqual(['c'])
  fireEvent.click(screen.getByRole('button', { name: 'focus c' }))
  expect(panels()).toHaveLength(3)
})

test('the columns layout shows as many panels as fit, and is saved', () => {
  size(1100, 700)
  for (const id of ['a', 'b', 'c', 'd']) set(id)
  stage(['a', 'b', 'c', 'd'])
  fireEvent.click(screen.getByRole('radio', { name: 'Columns' }))
  expect(panels()).toEqual(['a', 'b', 'c'])
  expect(JSON.parse(localStorage.getItem(`troupe.stage.c${conversations}`) ?? '{}')).toMatchObject({
    layout: 'columns',
  })
})

test('a small window has fewer panels, never narrower ones', () => {
  size(640, 380)
  for (const id of ['a', 'b', 'c']) set(id)
  stage(['a', 'b', 'c'])
  expect(panels()).toEqual(['a', 'b'])
  cleanup()
  useStageMemory.setState({ conversationId: null })
  size(640, 200)
  stage(['a', 'b', 'c'])
  expect(panels()).toEqual(['a'])
})

test('a revealed agent or request comes into view with the focus', async () => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) set(id)
  stage(['a', 'b', 'c', 'd', 'e'])
  act(() => revealAgent('e'))
  expect(document.activeElement).toBe(screen.getByLabelText('panel e'))
  expect(useStage.getState().reveal).toBeNull()
  await act(async () => {
    revealRequest('a', 'p-a')
    await new Promise((resolve) => requestAnimationFrame(resolve))
  })
  expect(document.activeElement?.getAttribute('data-request')).toBe('p-a')
})

test('the focused panel is the selected one', () => {
  for (const id of ['a', 'b']) set(id)
  stage(['a', 'b'])
  act(() => screen.getByLabelText('panel b').focus())
  expect(useStage.getState().selectedAgentId).toBe('b')
})

test('a damaged saved layout is ignored', () => {
  localStorage.setItem(`troupe.stage.c${conversations}`, '{"layout":"sideways","pinned":[7],"dock":')
  set('a')
  stage(['a'])
  expect(panels()).toEqual(['a'])
})

test('revealing the message field of an agent without a panel opens a panel and focuses the field', () => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) set(id)
  stage(['a', 'b', 'c', 'd', 'e'])
  expect(screen.queryByRole('textbox', { name: 'message e' })).toBeNull()
  act(() => revealLine('e'))
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'message e' }))
})

describe('an agent that asks while the pointer is over the stage', () => {
  const area = () => document.querySelector('[data-agent-panel]')?.closest('section > div') as HTMLElement
  const ids = ['a', 'b', 'c', 'd', 'e']
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
    for (const id of ids) set(id)
    stage(ids)
    fireEvent.pointerMove(area())
    act(() => set('e', asks))
  })
  afterEach(() => vi.useRealTimers())
  const rest = () => act(() => vi.advanceTimersByTime(REST_MS))

  test('gets a panel as soon as the pointer rests', () => {
    expect(panels()).toEqual(['a', 'b', 'c', 'd'])
    rest()
    expect(panels()).toEqual(['a', 'b', 'c', 'e'])
  })

  test('stays a tile while the pointer rests over the tiles, where it is answered', () => {
    const tiled = document.querySelector('[data-tiles]') as HTMLElement
    vi.spyOn(HTMLElement.prototype, 'querySelector').mockImplementation(function (
      this: HTMLElement,
      selector: string,
    ) {
      return selector === '[data-tiles]:hover' ? tiled : (this.querySelectorAll(selector)[0] ?? null)
    })
    rest()
    expect(panels()).toEqual(['a', 'b', 'c', 'd'])
    expect(tiles()).toEqual(['tile e'])
    vi.restoreAllMocks()
  })
})

test('a layout that is applied brings its panels, in their order, and its pins', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const id of ids) set(id)
  stage(ids)
  expect(panels()).toEqual(['a', 'b', 'c', 'd'])
  act(() => arrangeAnew({ layout: 'grid', pinned: ['a'], focused: null, dock: null }, ['f', 'e', 'gone']))
  expect(panels()).toEqual(['f', 'e', 'a', 'b'])
  expect(useStageMemory.getState()).toMatchObject({ wanted: null, shown: ['f', 'e', 'a', 'b'] })
})

test('of hundreds of tiles those near the view are rendered, and more as the user scrolls', () => {
  const ids = Array.from({ length: 300 }, (_, index) => `w${index}`)
  for (const id of ids) set(id)
  stage(ids)
  const before = tiles().length
  fireEvent.click(screen.getByRole('button', { name: /^more/ }))
  expect(tiles().length - before).toBe(24)
  const list = screen.getByRole('list', { name: 'Other agents' })
  fireEvent.scroll(list)
  expect(tiles().length - before).toBe(48)
})
