import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { type AgentInsight, addToInsight, startInsight } from '../../../shared/insight/agent-insight.ts'
import type { InsightAnswer } from '../../../shared/insight/contract.ts'
import { type ConversationInsight, insightOf } from '../../../shared/insight/insight.ts'
import { dayOf } from '../../../shared/kernel/times.ts'
import { sampleDefinition } from '../../../shared/testing/sample-events.ts'
import { SampleLog, snapshotOf } from '../../../shared/testing/sample-log.ts'
import { useSession } from '../../stores/session-store.ts'
import { useStage } from '../../stores/stage-store.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { timeNow } from '../../ui/machine.ts'
import { InsightPage } from './insight-page.tsx'
import { useInsight } from './insight-store.ts'

const user = userEvent.setup()
const unchanged = useInsight.getState()

afterEach(() => {
  cleanup()
  useInsight.setState(unchanged, true)
})

/** An agent that made one request and then `calls` calls. */
function agent(id: string, name: string, cost: number | null, calls = 0): AgentInsight {
  const log = new SampleLog({ now: timeNow() - 60_000, step: 0 })
  const insight = startInsight(
    log.spawn(id, { definition: sampleDefinition({ name }), task: `Task of ${id}` }),
  )
  log.status(id, 'running')
  log.add(id, 'request-started', { model: 'sonnet' })
  log.add(id, 'assistant-message', { content: [], costUsd: cost })
  for (let call = 0; call < calls; call++) log.add(id, 'tool-ended', { isError: true })
  for (const event of log.events.slice(1)) addToInsight(insight, event)
  return insight
}

const conversation = (
  id: string,
  agents: readonly AgentInsight[],
  rehearsal = false,
): ConversationInsight => ({
  ...{ id, title: `Title ${id}`, folder: '/work/shop', rehearsal, agents },
})

const TWO = [
  conversation('c-1', [agent('a-1', 'main', 1, 9), agent('a-2', 'fixer', 4)]),
  conversation('c-2', [agent('a-3', 'main', 2), agent('a-4', 'gemini', null)]),
]

async function page(all: readonly ConversationInsight[], more: Partial<InsightAnswer> = {}) {
  const bridge = await startWindow({ conversations: [summaryOf('c-1'), summaryOf('c-2')] })
  bridge.answer({
    'insight.read': ({ query }) => ({
      ...{ report: insightOf(all, query), reading: null, trashed: 0, damaged: 0, newer: 0 },
      ...more,
    }),
    'conversation.subscribe': ({ conversationId }) => snapshotOf(conversationId),
  })
  render(<InsightPage />)
  await act(async () => {})
  return bridge
}

/** The rows of the table, each with its name and cost. */
const rows = () =>
  screen.getAllByRole('row').flatMap((row) => {
    const name = row.querySelector('th[scope=row] button span')?.textContent
    return name === undefined ? [] : [`${name} ${within(row).getAllByRole('cell')[1]?.textContent}`]
  })
const table = () => screen.getByRole('table', { name: 'Work' })

test('lists definitions, the most expensive first, and sorts them by any column', async () => {
  await page(TWO)
  expect(rows()).toEqual(['fixer $4.00', 'main $3.00', 'gemini unknown'])
  expect(screen.getByText('at least $7.00')).toBeDefined()
  expect(within(table()).getAllByRole('cell', { name: 'Answers 100%' })).toHaveLength(2)
  const failed = within(table()).getByRole('button', { name: 'Failed' })
  await user.click(failed)
  expect(rows()[0]).toBe('main $3.00')
  expect(failed.closest('th')?.getAttribute('aria-sort')).toBe('descending')
  await user.click(failed)
  expect(rows().at(-1)).toBe('main $3.00')
  await user.click(within(table()).getByRole('button', { name: 'Definition' }))
  expect(rows()).toEqual(['fixer $4.00', 'gemini unknown', 'main $3.00'])
})

test('asks for the chosen time and grouping, and says when the dates make none', async () => {
  const bridge = await page(TWO)
  const last = () => bridge.inputsOf('insight.read').at(-1)?.query
  expect(last()).toMatchObject({ by: 'definition', until: null, within: [] })
  await user.click(screen.getByRole('radio', { name: 'Model' }))
  expect(rows()).toEqual(['sonnet at least $7.00'.replace('at least', '≥')])
  await user.click(screen.getByRole('radio', { name: 'This month' }))
  expect(last()).toMatchObject({ by: 'model', since: `${dayOf(timeNow()).slice(0, 8)}01` })
  await user.click(screen.getByRole('radio', { name: 'From–to' }))
  expect(last()).toMatchObject({ since: null, until: null })
  await user.type(screen.getByLabelText('From'), '2026-11-20')
  await user.type(screen.getByLabelText('To'), '2026-11-02')
  expect(screen.getByText('The first day is after the last one.')).toBeDefined()
  const asked = bridge.inputsOf('insight.read').length
  await user.clear(screen.getByLabelText('To'))
  expect(bridge.inputsOf('insight.read').length).toBe(asked + 1)
  expect(last()).toMatchObject({ since: '2026-11-20', until: null })
})

test('opens a definition, then the agent in its conversation, and goes back, with the keyboard', async () => {
  await page(TWO)
  screen.getByRole('button', { name: /^fixer/ }).focus()
  await user.keyboard('{ArrowDown}{Enter}')
  expect(screen.getByRole('heading', { name: 'main' })).toBeDefined()
  expect(rows()).toEqual(['Task of a-3 $2.00', 'Task of a-1 $1.00'])
  expect(document.activeElement?.textContent).toContain('Task of a-3')
  await user.keyboard('{Escape}')
  expect(rows()).toEqual(['fixer $4.00', 'main $3.00', 'gemini unknown'])
  expect(document.activeElement?.textContent).toContain('main')
  await user.keyboard('{Enter}')
  await waitFor(() => expect(document.activeElement?.textContent).toContain('Task of a-3'))
  await user.keyboard('{ArrowDown}{Enter}')
  await waitFor(() => expect(useStage.getState().selectedAgentId).toBe('a-1'))
  expect(useSession.getState()).toMatchObject({ conversationId: 'c-1', view: 'stage' })
})

test('opens a folder, then a conversation, which can be opened', async () => {
  const bridge = await page(TWO)
  await user.click(screen.getByRole('radio', { name: 'Folder' }))
  await user.click(screen.getByRole('button', { name: /^shop/ }))
  expect(rows()).toEqual(['Title c-1 $5.00', 'Title c-2 ≥ $2.00'])
  await user.click(screen.getByRole('button', { name: /^Title c-2/ }))
  expect(bridge.inputsOf('insight.read').at(-1)?.query).toMatchObject({
    by: 'agent',
    within: [
      { by: 'folder', key: '/work/shop' },
      { by: 'conversation', key: 'c-2' },
    ],
  })
  await user.click(screen.getByRole('button', { name: 'Open conversation' }))
  expect(useSession.getState().conversationId).toBe('c-2')
})

test('a row that is pressed twice before its rows came is opened once', async () => {
  await page(TWO)
  await user.click(screen.getByRole('radio', { name: 'Folder' }))
  const row = screen.getByRole('button', { name: /^shop/ })
  act(() => {
    row.click()
    row.click()
  })
  expect(useInsight.getState().opened.map(({ key }) => key)).toEqual(['/work/shop'])
})

test('asks again until all transcripts are read, or the user stops it, or leaves', async () => {
  const bridge = await page(TWO)
  let asked = 0
  bridge.answer({
    'insight.read': ({ query }) => ({
      ...{ report: insightOf(TWO, query), trashed: 0, damaged: 1, newer: 2 },
      reading: ++asked < 5 ? { done: asked * 1_000_000, all: 4_000_000 } : null,
    }),
  })
  await user.click(screen.getByRole('radio', { name: 'Month' }))
  await waitFor(() => expect(asked).toBe(5))
  expect(screen.getByText(/^1 transcript could be read only in part/)).toBeDefined()
  expect(screen.getByText(/^2 transcripts have events of a newer version/)).toBeDefined()

  const waiting: (() => void)[] = []
  bridge.answer({
    'insight.read': async ({ query }) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      const reading = { done: 1_000_000, all: 4_000_000 }
      return { report: insightOf(TWO, query), reading, trashed: 0, damaged: 0, newer: 0 }
    },
  })
  await user.click(screen.getByRole('radio', { name: 'Agent' }))
  await act(async () => waiting.shift()?.())
  await screen.findByText(/Reading transcripts: 1 MB of 4 MB/)
  expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25')
  await user.click(screen.getByRole('button', { name: 'Stop' }))
  await act(async () => waiting.shift()?.())
  expect(screen.getByText(/Stopped at 1 MB of 4 MB/)).toBeDefined()
  expect(waiting).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Continue' }))
  expect(waiting.length).toBe(1)
  cleanup()
  await act(async () => waiting.shift()?.())
  expect(waiting).toEqual([])
})

test('follows runs that end while it is open, once for many, and not those that only go on', async () => {
  const bridge = await page(TWO)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = () => bridge.inputsOf('insight.read').length
  const before = asked()
  const later = () => act(async () => void (await vi.advanceTimersByTimeAsync(60_000)))
  const push = (more: Parameters<typeof summaryOf>[1]) =>
    act(async () => bridge.push({ type: 'conversation', summary: summaryOf('c-1', more) }))
  await push({ updatedAt: 7 })
  await later()
  expect(asked()).toBe(before)
  for (let running = 3; running > 0; running--) await push({ running })
  await push({ running: 0, outcome: { kind: 'done', at: 8 } })
  expect(asked()).toBe(before)
  await later()
  expect(asked()).toBe(before + 1)
  await later()
  expect(asked()).toBe(before + 1)
  await act(async () => bridge.push({ type: 'conversation-gone', conversationId: 'c-2' }))
  await later()
  expect(asked()).toBe(before + 2)
  await push({ running: 1 })
  cleanup()
  await later()
  expect(asked()).toBe(before + 2)
})

test('says how many conversations in the trash are not counted', async () => {
  await page(TWO, { trashed: 2 })
  expect(screen.getByText('2 conversations in the trash are not counted.')).toBeDefined()
})

test('saves the rows as CSV', async () => {
  const bridge = await page(TWO)
  await user.click(screen.getByRole('button', { name: 'Export CSV…' }))
  const [saved] = bridge.inputsOf('system.saveText')
  expect(saved?.name).toMatch(/^troupe-insight-definition-\d{4}-\d\d-\d\d\.csv$/)
  expect(saved?.text.split('\r\n').map((line) => line.split(',', 1)[0])).toEqual([
    ...['definition', 'fixer', 'main', 'gemini', ''],
  ])
})

test('says what it is for where nothing is counted, and counts rehearsals on request', async () => {
  await page([conversation('c-1', [agent('a-1', 'main', 1)], true)])
  expect(screen.getByText('No work in this time')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Show all time' }))
  expect(screen.getByText('No work yet')).toBeDefined()
  expect(screen.getByText(/1 agent of rehearsals is not counted/)).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Count rehearsals' }))
  expect(rows()).toEqual(['main $0.00'])
  await user.click(screen.getByRole('button', { name: 'Leave rehearsals out' }))
  expect(screen.getByText('No work yet')).toBeDefined()
})

test('draws a hundred rows at a time', async () => {
  const many = Array.from({ length: 250 }, (_, at) => agent(`a-${at}`, 'main', at))
  await page([conversation('c-1', many)])
  await user.click(screen.getByRole('radio', { name: 'Agent' }))
  expect(rows().length).toBe(100)
  await user.click(screen.getByRole('button', { name: 'Show 100 more' }))
  expect(rows().length).toBe(200)
  expect(screen.getByText('200 of 250 rows')).toBeDefined()
})

test('shows why the figures can’t be read', async () => {
  const bridge = await page(TWO)
  bridge.answer({
    'insight.read': () => {
      throw new Refusal('The disk is gone.')
    },
  })
  await user.click(screen.getByRole('radio', { name: 'Month' }))
  expect(screen.getByRole('alert').textContent).toBe('The disk is gone.')
})
