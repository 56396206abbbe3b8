import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SearchHit, SearchPart } from '../../../shared/search/search.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { SampleLog, snapshotOf } from '../../../shared/testing/sample-log.ts'
import {
  beginSearch,
  choosePlace,
  NO_FILTERS,
  openPlace,
  searchAgain,
  useSearch,
} from '../../features/search/search-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { runCommand } from '../command-actions.ts'
import { SearchView } from './search-view.tsx'

beforeEach(() => {
  // happy-dom has no layout: every element gets the same size.
  for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(600)
})
afterEach(() => {
  isHeld = false
  cleanup()
  vi.restoreAllMocks()
  useSearch.setState({ ...useSearch.getInitialState() })
})
const user = userEvent.setup()

const hit = (agentId: string, sequence: number, line = `the key ${sequence}`): SearchHit => ({
  ...{ conversationId: agentId.slice(0, 2), agentId, sequence, at: sequence, kind: 'said', tool: null, line },
  marks: [[line.indexOf('key'), line.indexOf('key') + 3]],
})

/** A part with the hits of agents `c1a`, `c2a` …, each the only one of its conversation. */
function part(hits: readonly SearchHit[], more: Partial<SearchPart> = {}): SearchPart {
  const ids = [...new Set(hits.map(({ agentId }) => agentId))]
  const amount = (id: string) => hits.filter(({ agentId }) => agentId === id).length
  return {
    conversations: ids.map((id) => ({
      ...{ id: id.slice(0, 2), title: `Conversation ${id.slice(0, 2)}`, folder: '/work/shop' },
      ...{ archived: false, updatedAt: 0, program: 'troupe' as const },
    })),
    agents: ids.map((id) => ({
      ...{ id, conversationId: id.slice(0, 2), name: 'main', task: '', color: 'blue', places: amount(id) },
    })),
    hits,
    counts: {
      ...{ total: hits.length, byAgent: { main: hits.length }, byKind: { said: hits.length } },
      ...{
        byFolder: { '/work/shop': hits.length },
        byProgram: { troupe: hits.length },
        byDay: { 0: hits.length },
      },
    },
    searched: { conversations: ids.length, of: ids.length, bytes: 1000 },
    ...{ damaged: 0, end: 'all', ...more },
  }
}

async function open(): Promise<FakeBridge> {
  const bridge = await startWindow({ conversations: [summaryOf('c1'), summaryOf('c2')] })
  const log = new SampleLog({ conversationId: 'c1' })
  const events = [log.spawn('c1a', { task: '' }), log.says('c1a', 'the key 1')]
  bridge.answer({
    'agent.transcript': () => ({ events, older: false, live: [] }),
    'conversation.subscribe': () => snapshotOf('c1', [log.stateOf('c1a')]),
  })
  useSession.setState({ view: 'teams' })
  runCommand('search')
  render(
    <TooltipProvider>
      <SearchView />
    </TooltipProvider>,
  )
  return bridge
}

const answered = () => act(async () => {})
/** Types a text at once, and waits until it is searched: to the end, or until a part is missing. */
async function type(text: string): Promise<void> {
  const before = useSearch.getState()
  fireEvent.change(field(), { target: { value: text } })
  await act(() =>
    waitFor(() => {
      const { startedAt, searchId, status } = useSearch.getState()
      const isBegun = searchId !== before.searchId || startedAt !== before.startedAt
      if (!isBegun || (status === 'searching' && !isHeld)) throw new Error('not yet')
    }),
  )
  await answered()
}
/** Whether the program withholds the next part. */
let isHeld = false
const field = () => screen.getByRole('textbox', { name: 'Search in conversations' })
const places = () => screen.queryAllByRole('option').map((row) => row.textContent)

test('typing searches once the user pauses, a newer query ends the older one, and parts are added', async () => {
  const bridge = await open()
  const parts = [part([hit('c1a', 2), hit('c1a', 1)], { end: null }), part([hit('c2a', 1)])]
  bridge.answer({ 'search.start': () => parts[0] as SearchPart, 'search.next': () => parts[1] as SearchPart })
  expect(document.activeElement).toBe(field())
  fireEvent.change(field(), { target: { value: 'ke' } })
  await type('key')
  await answered()
  expect(bridge.inputsOf('search.start').map(({ query }) => query.text)).toEqual(['key'])
  expect(places()).toHaveLength(3)
  expect(screen.getByText('Conversation c2')).toBeTruthy()
  bridge.answer({ 'search.next': () => new Promise<SearchPart>(() => {}) })
  isHeld = true
  bridge.answer({ 'search.start': () => parts[0] as SearchPart })
  await type('keys')
  await type('keys!')
  const started = bridge.inputsOf('search.start')
  expect(bridge.inputsOf('search.end')).toEqual([{ searchId: started[1]?.searchId }])
})

test('the keys move, open and leave: arrows and Enter in the field, J and K in the list', async () => {
  const bridge = await open()
  bridge.answer({ 'search.start': () => part([hit('c1a', 3), hit('c1a', 2), hit('c1a', 1)]) })
  await type('key')
  const chosen = () => screen.getByRole('option', { selected: true }).textContent
  expect(chosen()).toContain('the key 3')
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}')
  expect(chosen()).toContain('the key 2')
  screen.getByRole('listbox').focus()
  await user.keyboard('j')
  expect(chosen()).toContain('the key 1')
  expect(within(screen.getByRole('region', { name: 'Preview' })).getByText('3 of 3')).toBeTruthy()
  await user.keyboard('/')
  expect(document.activeElement).toBe(field())
  await user.keyboard('{Escape}')
  expect(useSession.getState().view).toBe('teams')
  act(() => useSession.setState({ view: 'search' }))
  await user.keyboard('{Enter}')
  await answered()
  expect(useSession.getState()).toMatchObject({ view: 'stage', conversationId: 'c1' })
})

test('a bad expression says what is wrong and keeps what was found; without places the filters can be removed', async () => {
  const bridge = await open()
  bridge.answer({ 'search.start': () => part([hit('c1a', 1)]) })
  await type('key')
  bridge.answer({
    'search.start': () => {
      throw new Refusal('The regular expression is not valid: Unterminated group.', 'bad-pattern')
    },
  })
  fireEvent.keyDown(field(), { key: 'r', altKey: true })
  await answered()
  expect(screen.getByRole('button', { name: 'Regular expression' }).getAttribute('aria-pressed')).toBe('true')
  expect(screen.getByRole('status').textContent).toContain('Unterminated group')
  expect(places()).toHaveLength(1)
  bridge.answer({ 'search.start': () => part([], { searched: { conversations: 7, of: 7, bytes: 1 } }) })
  fireEvent.keyDown(field(), { key: 'r', altKey: true })
  await user.clear(field())
  await type('agent:Explore since:7d keys')
  expect(screen.getByText('No place has this text')).toBeTruthy()
  expect(screen.getByText('7 conversations searched.')).toBeTruthy()
  const { query } = bridge.inputsOf('search.start').at(-1) ?? {}
  expect(query).toMatchObject({ text: 'keys', agents: ['Explore'], since: expect.any(Number) })
  await user.click(screen.getByRole('button', { name: 'Remove filters' }))
  expect(bridge.inputsOf('search.start').at(-1)?.query).toMatchObject({ text: 'keys', ...NO_FILTERS })
})

test('a number at the left narrows the search, and a second press widens it again', async () => {
  const bridge = await open()
  bridge.answer({ 'search.start': () => part([hit('c1a', 1)]) })
  await type('key')
  const facet = () => screen.getByRole('button', { name: /^Main agent/ })
  await user.click(facet())
  expect(bridge.inputsOf('search.start').at(-1)?.query.agents).toEqual(['main'])
  expect(facet().getAttribute('aria-pressed')).toBe('true')
  await user.click(facet())
  expect(bridge.inputsOf('search.start').at(-1)?.query.agents).toEqual([])
})

test('says which conversation is deleted, how many lines are damaged, and what was written since', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const bridge = await open()
  bridge.answer({ 'search.start': () => part([hit('c1a', 1), hit('c3a', 1)], { damaged: 2 }) })
  await type('key')
  expect(screen.getByText('deleted').parentElement?.textContent).toContain('Conversation c3')
  expect(screen.getByText(/2 damaged lines/)).toBeTruthy()
  const notices: string[] = []
  const silence = onNotice(({ text }) => notices.push(text))
  act(() => choosePlace(hit('c3a', 1)))
  await act(async () => openPlace(false))
  expect(notices).toEqual(['This conversation was deleted. It can be restored.'])
  expect(useSession.getState().view).toBe('search')
  silence()
  act(() => bridge.push({ type: 'conversation', summary: summaryOf('c1', { running: 1 }) }))
  bridge.answer({ 'search.start': () => part([hit('c1a', 9), hit('c1a', 8)]) })
  await act(async () => {
    vi.advanceTimersByTime(3000)
  })
  await answered()
  expect(bridge.inputsOf('search.start').at(-1)?.query).toMatchObject({ conversations: ['c1'] })
  expect(screen.getByRole('button', { name: '2 new' })).toBeTruthy()
  vi.useRealTimers()
  await act(async () => searchAgain())
  expect(screen.queryByRole('button', { name: '2 new' })).toBeNull()
})

test('a place in a history is read where its program keeps it, shown, and opened at its event', async () => {
  const id = `from-claude-${'0'.repeat(20)}`
  const bridge = await open()
  const log = new SampleLog({ conversationId: id })
  const events = [log.spawn(`${id}-main`, { task: '' }), log.says(`${id}-main`, 'the key 1')]
  const found = { ...hit('c1a', 4096), conversationId: id, agentId: `${id}-main` }
  const other = part([hit('c1a', 1)])
  const agents = other.agents.map((agent) => ({ ...agent, id: `${id}-main`, conversationId: id }))
  const conversations = other.conversations.map((one) => ({ ...one, id, program: 'claude' as const }))
  let isThere = false
  bridge.answer({
    'search.start': () => ({
      ...{ ...other, agents, conversations, hits: [{ ...found }] },
      counts: { ...other.counts, byProgram: { claude: 1, troupe: 2 } },
    }),
    'search.place': () => {
      if (!isThere) throw new Refusal('Its files can’t be read.', 'io')
      return { ...found, sequence: 1 }
    },
    'agent.transcript': () => ({ events, older: false, live: [] }),
    'conversation.subscribe': () => snapshotOf(id, [log.stateOf(`${id}-main`)]),
  })
  await type('key')
  expect(screen.queryByText('deleted')).toBeNull()
  expect(within(screen.getByRole('listbox')).getByText('Claude Code')).toBeTruthy()
  await act(() => expect.poll(() => useSearch.getState().located?.answer.ok).toBe(false))
  expect(screen.getByText('Its files can’t be read.')).toBeTruthy()
  isThere = true
  await type('the key')
  const preview = screen.getByRole('region', { name: 'Preview' })
  await act(() => expect.poll(() => useSearch.getState().located?.answer.ok).toBe(true))
  await answered()
  expect(within(preview).getByText(/key 1/)).toBeTruthy()
  expect(bridge.inputsOf('agent.transcript').at(-1)).toMatchObject({ conversationId: id, before: 17 })
  await user.click(screen.getByRole('button', { name: /^Claude Code/ }))
  expect(bridge.inputsOf('search.start').at(-1)?.query.programs).toEqual(['claude'])
  fireEvent.keyDown(field(), { key: 'Enter' })
  await answered()
  expect(useSession.getState()).toMatchObject({ view: 'stage', conversationId: id })
  expect(bridge.inputsOf('search.place').at(-1)?.place).toMatchObject({
    conversationId: id,
    line: 'the key 4096',
  })
})

test('a program that the user was not asked about is searched once they say so', async () => {
  const bridge = await open()
  const source = { program: 'claude' as const, place: '/h/.claude/projects', entries: [], problems: [] }
  bridge.answer({
    'history.list': () => [
      { ...source, isFound: true, reading: 'ask' as const },
      { ...source, program: 'codex', isFound: false, reading: 'ask' as const },
      { ...source, program: 'gemini', isFound: true, reading: 'off' as const },
    ],
    'settings.change': ({ patch }) => ({ ...useSession.getState().settings, ...patch }) as Settings,
    'search.start': () => part([]),
  })
  await act(async () => beginSearch())
  await type('key')
  expect(screen.getAllByRole('button', { name: /^Search .* too$/ }).map((one) => one.textContent)).toEqual([
    'Search Claude Code too',
    'Search archived too',
    'Search Claude Code too',
  ])
  await user.click(screen.getAllByRole('button', { name: 'Search Claude Code too' })[0] as HTMLElement)
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { histories: { claude: true } } }])
  expect(bridge.inputsOf('search.start')).toHaveLength(2)
  expect(screen.queryByRole('button', { name: 'Search Claude Code too' })).toBeNull()
})

test('of thousands of places only the visible rows are in the page; an agent shows four until asked for more', async () => {
  const bridge = await open()
  const many = Array.from({ length: 50 }, (_, agent) =>
    Array.from({ length: 100 }, (_, at) => hit(`${agent + 10}a`, at)),
  ).flat()
  bridge.answer({ 'search.start': () => part(many) })
  await type('key')
  expect(places().length).toBeLessThan(60)
  expect(screen.getAllByText('96 more of Main agent').length).toBeGreaterThan(1)
  await user.click(screen.getAllByText('96 more of Main agent')[0] as HTMLElement)
  expect(useSearch.getState().opened.size).toBe(1)
  expect(useConversation.getState().conversationId).not.toBe('10')
})

test('the state narrows the search to conversations that have it now, also as a typed filter', async () => {
  const bridge = await open()
  act(() =>
    bridge.push({
      type: 'conversation',
      summary: summaryOf('c2', { outcome: { kind: 'failed', at: 1 } }),
    }),
  )
  bridge.answer({ 'search.start': () => part([hit('c2a', 1)]) })
  await type('key')
  const asked = () => bridge.inputsOf('search.start').at(-1)?.query.conversations
  expect(asked()).toEqual([])
  await type('key state:failed ')
  expect(asked()).toEqual(['c2'])
  expect(field().getAttribute('value')).toBe('key ')
  const amount = bridge.inputsOf('search.start').length
  await user.click(screen.getByRole('button', { name: 'State: Failed' }))
  await user.click(await screen.findByRole('menuitemradio', { name: 'Running' }))
  expect(await screen.findByText('No conversation is in this state.')).toBeTruthy()
  // No id at all would ask for every conversation.
  expect(bridge.inputsOf('search.start')).toHaveLength(amount)
  await user.click(screen.getByRole('button', { name: 'Remove filters' }))
  await answered()
  expect(asked()).toEqual([])
  expect(places()).toHaveLength(1)
})

test('places come newest first, oldest first, or the best match first', async () => {
  const bridge = await open()
  const found = part([
    hit('c1a', 9, 'a_key_and keys'),
    hit('c1a', 8, 'the key'),
    hit('c2a', 5, 'monkeys'),
    hit('c2a', 4, 'keyed'),
  ])
  const updated = { c1: 9, c2: 7 } as Record<string, number>
  const conversations = found.conversations.map((one) => ({ ...one, updatedAt: updated[one.id] ?? 0 }))
  bridge.answer({ 'search.start': () => ({ ...found, conversations }) })
  await type('key')
  const lines = () => places().map((text) => text?.replace(/^Said: |\d\d:\d\d.*|Jan.*/g, ''))
  expect(lines()).toEqual(['a_key_and keys', 'the key', 'monkeys', 'keyed'])
  screen.getByRole('listbox').focus()
  await user.keyboard('o')
  expect(screen.getByRole('button', { name: 'Order: Oldest first' })).toBeTruthy()
  expect(lines()).toEqual(['keyed', 'monkeys', 'the key', 'a_key_and keys'])
  expect(screen.getByRole('option', { selected: true }).textContent).toContain('keyed')
  await user.keyboard('o')
  expect(lines()).toEqual(['the key', 'a_key_and keys', 'monkeys', 'keyed'])
  await user.keyboard('o')
  expect(lines()[0]).toBe('a_key_and keys')
})
