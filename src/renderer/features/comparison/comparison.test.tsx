import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AttemptCheck, Comparison } from '../../../shared/comparison.ts'
import { askForComparison, useComparisonStore } from '../../stores/comparison-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { changeDraft, clearDraft, draftKeyNow, draftOf } from '../../stores/draft-store.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { useReview } from '../../stores/review-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { EventScript, stateAfter } from '../../testing/event-script.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/refusal.ts'
import { FOLDER, snapshotOf } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/tooltip.tsx'
import { BestDialog } from './best-dialog.tsx'
import { ComparisonCard } from './comparison-card.tsx'
import { ComparisonView } from './comparison-view.tsx'

let bridge: FakeBridge
const user = userEvent.setup()
const onShowAgent = vi.fn()
const start = vi.fn((): unknown => ({ comparisonId: 'b-1' }))

const definition = (name: string, more: object = {}) => ({
  name,
  description: `Works as ${name}.`,
  source: 'user',
  color: 'blue',
  model: 'inherit',
  tools: null,
  hidden: false,
  ...more,
})

beforeEach(() => {
  start.mockReset().mockImplementation(() => ({ comparisonId: 'b-1' }))
  bridge = installFakeBridge({
    'comparison.start': () => start() as { comparisonId: string },
    'comparison.suggestCheck': () => ({ command: 'npm test', from: 'package.json' }),
    'comparison.check': () => undefined,
    'comparison.stop': () => undefined,
    'access.models': () => [],
  })
  useSession.setState({
    folder: FOLDER,
    conversationId: 'c1',
    definitions: [
      definition('general-purpose'),
      definition('quick'),
      definition('Explore', { readOnly: true }),
      definition('main', { hidden: true }),
    ],
  })
  useConversation.setState({ conversationId: 'c1', readOnly: false, record: snapshotOf('c1').record })
})
afterEach(() => {
  cleanup()
  clearDraft(draftKeyNow())
  useOverlay.setState({ overlay: null })
  useComparisonStore.setState({ shownIn: null, selected: null, dismissed: new Set() })
})

function Overlay() {
  const overlay = useOverlay((state) => state.overlay)
  return <BestDialog open={overlay === 'best'} onClose={() => useOverlay.setState({ overlay: null })} />
}

async function ask(task: string) {
  render(<Overlay />, { wrapper: TooltipProvider })
  act(() => askForComparison(task))
  await waitFor(() =>
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Check' }).value).toBe('npm test'),
  )
}

async function choose(label: string, option: RegExp) {
  await user.click(screen.getByRole('button', { name: new RegExp(`^${label}: `) }))
  await user.click(await screen.findByRole('menuitemradio', { name: option }))
}

test('the dialog starts the chosen agents with their models and the check', async () => {
  await ask('Fix the parser')
  await user.click(screen.getByRole('button', { name: /^Agent 1: / }))
  // Agents that only read, and hidden ones, have no work to compare.
  expect((await screen.findAllByRole('menuitemradio')).map(({ textContent }) => textContent)).toEqual([
    'general-purposeWorks as general-purpose.',
    'quickWorks as quick.',
  ])
  await user.click(screen.getByRole('menuitemradio', { name: /^quick/ }))
  await user.click(screen.getByRole('button', { name: 'Add agent' }))
  await choose('Model of agent 3', /^opus/)
  await user.click(screen.getByRole('button', { name: 'Remove agent 2' }))
  expect(screen.getByRole('button', { name: 'Remove agent 1' }).getAttribute('data-disabled')).not.toBe(null)
  await user.type(screen.getByRole('textbox', { name: 'Task' }), '{Control>}{Enter}{/Control}')
  await waitFor(() => expect(useOverlay.getState().overlay).toBe(null))
  expect(bridge.inputsOf('comparison.start')).toEqual([
    {
      conversationId: 'c1',
      task: 'Fix the parser',
      attempts: [
        { agent: 'quick', model: null },
        { agent: 'general-purpose', model: 'opus' },
      ],
      command: 'npm test',
    },
  ])
})

test('an empty check is none; the draft that was the task is sent', async () => {
  changeDraft(draftKeyNow(), { text: 'Fix it' })
  await ask('Fix it')
  await user.clear(screen.getByRole('textbox', { name: 'Check' }))
  await user.click(screen.getByRole('button', { name: 'Start 2 agents' }))
  await waitFor(() => expect(bridge.inputsOf('comparison.start')).toHaveLength(1))
  expect(bridge.inputsOf('comparison.start')[0]).toMatchObject({ command: null })
  await waitFor(() => expect(draftOf(draftKeyNow()).text).toBe(''))
})

test('a failure stays in the dialog with everything that was written', async () => {
  start.mockImplementation(() => {
    throw new Refusal('No agent was started. Choose another mode.')
  })
  await ask('Fix it')
  await user.click(screen.getByRole('button', { name: 'Start 2 agents' }))
  expect((await screen.findByRole('alert')).textContent).toContain('Choose another mode')
  expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Task' }).value).toBe('Fix it')
})

test('a canceled task returns to the composer, and does not replace another draft', async () => {
  await ask('From a command')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(draftOf(draftKeyNow()).text).toBe('From a command')
  act(() => askForComparison('Another'))
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(draftOf(draftKeyNow()).text).toBe('From a command')
})

// ---- the view ----

const check = (state: AttemptCheck['state'], more: Partial<AttemptCheck> = {}): AttemptCheck => ({
  state,
  exitCode: state === 'passed' ? 0 : 1,
  ms: 1200,
  output: 'the output',
  isCut: false,
  because: null,
  changedFiles: false,
  at: 1,
  ...more,
})

const worktree = (id: string) => ({
  id: `w-${id}`,
  path: `/w/${id}`,
  branch: `troupe/${id}`,
  base: 'c0ffee',
  from: '/work/shop',
  target: 'main',
  own: true,
  aliases: [],
})

function know(more: Partial<Comparison> = {}, checks: readonly (AttemptCheck | null)[] = []) {
  const script = new EventScript()
  const ids = ['one', 'two', 'three']
  const agents = ids.map((id, index) =>
    stateAfter([
      script.spawn(id, { parentId: 'main', worktree: worktree(id) }),
      script.says(id, 'Working.'),
      script.next(id, {
        type: 'work-saved',
        work: {
          head: 'abc',
          commits: 1,
          files: index + 1,
          insertions: 10 * (index + 1),
          deletions: 2,
          check: { kind: 'clean' },
          unchanged: false,
          committedAs: 'user',
          problems: [],
        },
      }),
      ...(index === 2
        ? []
        : [
            script.next(id, {
              type: 'agent-ended' as const,
              status: 'completed' as const,
              report: `The report of ${id}.`,
              failure: null,
              reachedLimit: null,
              limitOf: null,
            }),
          ]),
    ]),
  )
  const comparison: Comparison = {
    id: 'b-1',
    task: 'Fix the parser',
    command: 'npm test',
    base: 'c0ffee',
    attempts: ids.map((agentId, index) => ({
      agentId,
      agent: agentId,
      model: null,
      check: checks[index] ?? null,
    })),
    startedAt: 0,
    merged: null,
    ...more,
  }
  act(() =>
    useConversation.setState({
      record: { ...snapshotOf('c1').record, comparisons: [comparison] },
      agents: new Map(agents.map((agent) => [agent.id, agent])),
    }),
  )
}

const row = (name: string) =>
  screen
    .getAllByRole('row')
    .find((one) => within(one).queryByRole('button', { name }) !== null) as HTMLElement

test('the attempts are side by side; the keys select, review, merge and check', async () => {
  know({}, [
    check('failed', { output: 'Tests  1 failed | 13 passed (14)' }),
    check('passed', { changedFiles: true }),
  ])
  render(<ComparisonView onShowAgent={onShowAgent} />, { wrapper: TooltipProvider })
  expect(row('one').textContent).toContain('failed · 1 of 14 tests')
  expect(row('two').textContent).toContain('passed')
  expect(row('two').textContent).toContain('2 +20 −2')
  expect(row('three').textContent).not.toContain('+30')
  screen.getByRole('button', { name: 'one' }).focus()
  expect(screen.getByRole('region', { name: 'one' }).textContent).toContain('The report of one.')
  await user.keyboard('{ArrowDown}')
  expect(screen.getByRole('region', { name: 'two' }).textContent).toContain('The check changed files')
  await waitFor(() => expect(document.activeElement?.textContent).toBe('two'))
  await user.keyboard('c')
  await waitFor(() =>
    expect(bridge.inputsOf('comparison.check')).toEqual([{ conversationId: 'c1', agentId: 'two' }]),
  )
  await user.keyboard('m')
  expect(useReview.getState()).toMatchObject({
    selectedId: 'w-two',
    dialog: { kind: 'merge', id: 'w-two', method: 'merge' },
  })
  expect(useSession.getState().view).toBe('review')
  // An attempt that works has nothing to review yet.
  await user.keyboard('j')
  expect(screen.getByRole('region', { name: 'three' }).textContent).toContain(
    'It runs when the agent has ended.',
  )
  expect(screen.queryByRole('button', { name: 'Review changes' })).toBe(null)
  await user.click(screen.getByRole('button', { name: 'Show panel' }))
  expect(onShowAgent).toHaveBeenCalledWith('three')
})

test('the card tells how far the comparison is, stops it, and can be put away when it has ended', async () => {
  know({}, [check('failed'), check('passed')])
  const { rerender } = render(<ComparisonCard />, { wrapper: TooltipProvider })
  const card = () => screen.queryByRole('region', { name: 'Task for several agents' })
  expect(card()?.textContent).toContain('3 agents got one task. 1 still works.')
  await user.click(screen.getByRole('button', { name: 'Stop all' }))
  expect(bridge.inputsOf('comparison.stop')).toEqual([{ conversationId: 'c1', comparisonId: 'b-1' }])
  const { comparisons } = useConversation.getState().record!
  const attempts = comparisons[0]!.attempts.slice(0, 2)
  const merged = { agentId: 'two', into: 'main', commit: 'abc' }
  act(() =>
    useConversation.setState(({ record }) => ({
      record: { ...record!, comparisons: [{ ...comparisons[0]!, attempts, merged }] },
    })),
  )
  rerender(<ComparisonCard />)
  expect(card()?.textContent).toContain(
    'All 2 agents have ended: 1 passed the check. two was merged into main.',
  )
  await user.click(screen.getByRole('button', { name: 'Put away' }))
  expect(card()).toBe(null)
})
