import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import type { Phase } from '../../../shared/teams/team.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import { SampleLog, sampleRecord, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { PhaseBar } from './phase-bar.tsx'

const user = userEvent.setup()
const START = 1_700_000_000_000

const record = (more: Partial<ConversationRecord>): ConversationRecord =>
  sampleRecord('c1', ['main'], { coordinator: true, createdAt: START, updatedAt: START, ...more })

const begun = (...entries: readonly (readonly [Phase, string])[]) =>
  entries.map(([phase, note], index) => ({ phase, note, at: START + index * 60_000 }))

const task = (id: string, status: TeamTask['status']): TeamTask => ({
  id,
  teamId: null,
  subject: `Task ${id}`,
  description: '',
  status,
  owner: null,
  dependsOn: [],
  createdBy: 'main',
  createdAt: START,
  claimedAt: null,
  endedAt: null,
  version: 1,
})

function show(
  more: Partial<ConversationRecord>,
  agents: ReadonlyMap<string, ReturnType<typeof stateAfter>> = new Map(),
) {
  act(() => useConversation.setState({ conversationId: 'c1', phase: 'ready', record: record(more), agents }))
  return render(<PhaseBar />)
}

beforeEach(() => vi.useRealTimers())
afterEach(() => {
  cleanup()
  useConversation.setState(useConversation.getInitialState(), true)
})

const steps = () =>
  within(within(screen.getByRole('region', { name: 'Phases' })).getAllByRole('list')[0]!).getAllByRole(
    'listitem',
  )

test('an ordinary conversation has no phases', () => {
  show({ coordinator: false })
  expect(screen.queryByRole('region', { name: 'Phases' })).toBeNull()
})

test('before the first phase the bar says so, and the list of phases can’t be opened', () => {
  show({})
  expect(steps().map((step) => step.textContent)).toEqual([
    'Research, not begun,not begun',
    'Synthesis, not begun,not begun',
    'Implementation, not begun,not begun',
    'Verification, not begun,not begun',
  ])
  expect(screen.getByText('The coordinator has begun no phase yet.')).toBeTruthy()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Plan' }).disabled).toBe(true)
})

test('each phase has its state, time and counts; one is the current step', () => {
  const script = new SampleLog()
  const child = (id: string, ...more: Parameters<typeof stateAfter>[0]) =>
    [
      id,
      { ...stateAfter([script.spawn(id, { parentId: 'main' }), ...more]), spawnedAt: START + 130_000 },
    ] as const
  show(
    {
      phases: begun(['research', 'Look.'], ['synthesis', ''], ['implementation', 'Three pieces.']),
      tasks: [task('1', 'completed'), task('2', 'in_progress'), task('3', 'canceled'), task('4', 'pending')],
      outcome: { kind: 'done', at: START + 300_000 },
    },
    new Map([child('a'), child('b')]),
  )
  expect(steps()[0]!.textContent).toBe('Research, done,1:00')
  expect(steps()[2]!.textContent).toContain('Implementation, current phase,')
  expect(steps()[2]!.textContent).toContain('1 of 3 tasks · 2 working')
  expect(steps().map((step) => step.getAttribute('aria-current'))).toEqual([null, null, 'step', null])
  expect(screen.getByText('Three pieces.')).toBeTruthy()
})

test('the time stands still when nobody works', () => {
  show({
    phases: begun(['research', ''], ['synthesis', '']),
    outcome: { kind: 'done', at: START + 90_000 },
  })
  expect(steps()[1]!.textContent).toBe('Synthesis, current phase,0:30')
})

test('a phase that was left by going back says that it follows again', () => {
  show({ phases: begun(['research', ''], ['synthesis', ''], ['research', 'Once more.']) })
  expect(steps()[0]!.textContent).toContain('current phase')
  expect(steps()[1]!.textContent).toContain('begun before, follows again')
})

test('the plan opens from the keyboard and lists every phase with its note, as visible text', async () => {
  show({ phases: begun(['research', 'Look\u202e.'], ['synthesis', ''], ['research', 'Once more.']) })
  await user.tab()
  await user.keyboard('{Enter}')
  const list = screen.getByRole('list', { name: 'The phases so far' })
  const rows = within(list)
    .getAllByRole('listitem')
    .map((row) => row.textContent)
  expect(rows).toHaveLength(3)
  expect(rows[0]).toMatch(/Research.*Look⟨.*⟩\./)
  expect(rows[1]).toContain('Synthesis—')
  await user.keyboard('{Enter}')
  expect(screen.queryByRole('list', { name: 'The phases so far' })).toBeNull()
})

test('the verification shows its last verdict', () => {
  const phases = begun(['research', ''], ['synthesis', ''], ['implementation', ''], ['verification', ''])
  const verdict = (at: number, said: 'passed' | 'failed') => ({
    id: `v-${at}`,
    owner: null,
    digest: '',
    base: '',
    state: 'done' as const,
    startedBy: 'agent' as const,
    agentId: 'v',
    verdict: said,
    summary: '',
    evidence: [],
    at,
  })
  show({ phases, verifications: [verdict(START, 'failed')] })
  expect(steps()[3]!.textContent).not.toContain('failed')
  const later = [verdict(START, 'passed'), verdict(START + 200_000, 'failed')]
  act(() => useConversation.setState({ record: record({ phases, verifications: later }) }))
  expect(steps()[3]!.textContent).toContain('failed')
})

test('a phase that begins is announced', () => {
  show({ phases: begun(['research', 'Look.']) })
  const live = document.querySelector('[aria-live="polite"]')
  expect(live?.textContent).toBe('Research has begun. Look.')
  act(() =>
    useConversation.setState({ record: record({ phases: begun(['research', 'Look.'], ['synthesis', '']) }) }),
  )
  expect(live?.textContent).toBe('Synthesis has begun.')
})

test('text that streams does not render the phases anew', () => {
  const script = new SampleLog()
  const child = stateAfter([script.spawn('a', { parentId: 'main' })])
  show({ phases: begun(['research', '']) }, new Map([['a', child]]))
  const [step] = steps()
  const before = step!.outerHTML
  let changes = 0
  const observer = new MutationObserver(() => changes++)
  observer.observe(step!, { subtree: true, childList: true, characterData: true })
  act(() => useConversation.setState({ agents: new Map([['a', { ...child, lastLine: 'more' }]]) }))
  expect(observer.takeRecords()).toEqual([])
  expect(steps()[0]!.outerHTML).toBe(before)
  expect(changes).toBe(0)
})
