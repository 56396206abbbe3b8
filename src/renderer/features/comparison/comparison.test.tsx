import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { useEffect } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AttemptCheck, Comparison } from '../../../shared/comparison/comparison.ts'
import { SampleLog, snapshotOf, stateAfter } from '../../../shared/testing/sample-log.ts'
import { emptyReview, type ReviewFile, type ReviewWorktree } from '../../../shared/worktrees/review.ts'
import {
  type AttemptDiffProps,
  askForComparison,
  type SideBySideProps,
  useComparisonStore,
  useSideBySide,
} from '../../stores/comparison-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { changeDraft, clearDraft, draftKeyNow, draftOf } from '../../stores/draft-store.ts'
import { onNotice, useOverlay } from '../../stores/overlay-store.ts'
import { useReview } from '../../stores/review-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { FOLDER } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
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
  useSideBySide.setState({ isShown: false, choices: {} })
  useComparisonStore.setState({
    wanted: null,
    selected: null,
    dismissed: new Set(),
    hadFocus: false,
  })
  useReview.setState(useReview.getInitialState(), true)
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

test('the dialog names the files that the agents begin without', async () => {
  bridge.answer({ 'comparison.uncommitted': () => ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts'] })
  await ask('Fix it')
  const note = await screen.findByRole('note')
  expect(note.textContent).toContain('6 files are not committed')
  expect(note.textContent).toContain('a.ts, b.ts, c.ts, d.ts, e.ts and 1 more')
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

test('nothing starts without a task; two to eight agents get one', async () => {
  await ask(' ')
  const start = (count: number) => screen.getByRole('button', { name: `Start ${count} agents` })
  const isDisabled = (button: HTMLElement) => button.getAttribute('aria-disabled') === 'true'
  expect(isDisabled(start(2))).toBe(true)
  await user.type(screen.getByRole('textbox', { name: 'Task' }), '{Control>}{Enter}{/Control}')
  expect(bridge.inputsOf('comparison.start')).toEqual([])
  await user.type(screen.getByRole('textbox', { name: 'Task' }), 'Fix it')
  expect(isDisabled(start(2))).toBe(false)
  const add = screen.getByRole<HTMLButtonElement>('button', { name: 'Add agent' })
  for (let count = 3; count <= 8; count++) await user.click(add)
  expect(isDisabled(start(8))).toBe(false)
  expect(add.disabled).toBe(true)
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

function know(
  more: Partial<Comparison> = {},
  checks: readonly (AttemptCheck | null)[] = [],
  of: { readonly target?: null } = {},
) {
  const script = new SampleLog()
  const ids = ['one', 'two', 'three']
  const agents = ids.map((id, index) =>
    stateAfter([
      script.spawn(id, { parentId: 'main', worktree: { ...worktree(id), ...of } }),
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

const Diffs = ({ attempts }: SideBySideProps) => (
  <p data-testid="diffs">
    {attempts.map(({ label, worktreeId, isLive }) => `${label} ${worktreeId} ${isLive}`).join(', ')}
  </p>
)

function Diff({ agentId, onFiles }: AttemptDiffProps) {
  useEffect(() => {
    const files = Array.from({ length: 6 }, (_, at) => ({
      path: `src/${at}.ts`,
      insertions: at,
      deletions: 1,
    }))
    if (agentId === 'two') onFiles(agentId, files as unknown as readonly ReviewFile[])
  }, [agentId, onFiles])
  return <p>The changes of {agentId}.</p>
}

const view = () =>
  render(<ComparisonView onShowAgent={onShowAgent} diff={Diff} diffs={Diffs} />, { wrapper: TooltipProvider })
const INDEXES = { A: 0, B: 1, C: 2 }
type Letter = keyof typeof INDEXES
/** The cell of an attempt in a row. */
const cell = (head: string, letter: Letter) =>
  within(
    screen.getByRole('rowheader', { name: new RegExp(`^${head}`) }).closest('tr') as HTMLElement,
  ).getAllByRole('cell')[INDEXES[letter]] as HTMLElement
const head = (letter: Letter) => screen.getByRole('button', { name: new RegExp(`^${letter} `) })
const action = (name: RegExp, letter: Letter) =>
  screen.getAllByRole('button', { name })[INDEXES[letter]] as HTMLElement
const isOff = (button: HTMLElement) => button.getAttribute('aria-disabled') === 'true'
const focusOn = (letter: Letter) => act(() => head(letter).focus())
const isFocused = (letter: Letter) => document.activeElement === head(letter)
const menuOf = async (letter: Letter, item: string) => {
  await user.click(screen.getByRole('button', { name: `More for ${letter}` }))
  return screen.findByRole('menuitem', { name: new RegExp(`^${item}`) })
}

test('the attempts are columns with letters and aligned rows; the keys select, review, merge and check', async () => {
  know({}, [
    check('failed', { output: 'Tests  1 failed | 13 passed (14)' }),
    check('passed', { changedFiles: true }),
  ])
  view()
  expect(screen.getByRole('heading', { name: 'Fix the parser' })).toBeTruthy()
  expect(screen.getByText(/The same task for A, B, and C/)).toBeTruthy()
  expect(screen.getAllByRole('rowheader').map(({ firstChild }) => firstChild?.textContent)).toEqual([
    'Checks',
    'Size',
    'Cost and time',
    'Approach',
    'Diff',
  ])
  expect(cell('Checks', 'A').textContent).toContain('failed · 1 of 14 tests')
  // The output of a failed check is open, that of a passed one is not.
  expect(within(cell('Checks', 'A')).getByText(/13 passed/)).toBeTruthy()
  expect(within(cell('Checks', 'B')).getByRole('button', { name: /^Show output/ })).toBeTruthy()
  expect(cell('Checks', 'B').textContent).toContain('The check changed files')
  expect(cell('Size', 'B').textContent).toContain('2 files+20−2')
  expect(cell('Size', 'C').textContent).not.toContain('+30')
  expect(cell('Approach', 'A').textContent).toContain('The report of one.')
  expect(cell('Checks', 'C').textContent).toContain('It runs when the agent has ended.')
  expect(cell('Diff', 'B').textContent).toBe('The changes of two.')
  focusOn('A')
  await user.keyboard('{ArrowRight}')
  await waitFor(() => expect(isFocused('B')).toBe(true))
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
  expect(isOff(action(/^Review/, 'C'))).toBe(true)
  expect(isOff(action(/^Pick/, 'C'))).toBe(true)
  await user.click(await menuOf('C', 'Show panel'))
  expect(onShowAgent).toHaveBeenCalledWith('three')
})

test('a number picks its attempt, also a failed one; a number without an attempt does nothing', async () => {
  know({}, [check('failed'), check('passed')])
  view()
  focusOn('B')
  await user.keyboard('8')
  await user.keyboard('3')
  expect(useReview.getState().dialog).toBe(null)
  await user.keyboard('1')
  expect(useReview.getState()).toMatchObject({ selectedId: 'w-one', dialog: { kind: 'merge', id: 'w-one' } })
})

test('the files of an attempt stand under its size, and each opens in Review', async () => {
  know({}, [check('failed'), check('passed')])
  view()
  const files = within(within(cell('Size', 'B')).getByRole('list', { name: 'Changed files' }))
  expect(files.getAllByRole('listitem').map(({ textContent }) => textContent?.trim())).toEqual([
    'src/0.ts −1',
    ...[1, 2, 3, 4].map((at) => `src/${at}.ts+${at} −1`),
    '1 more file',
  ])
  expect(within(cell('Size', 'A')).queryByRole('list')).toBe(null)
  await user.click(files.getByRole('button', { name: /3\.ts/ }))
  expect(useReview.getState()).toMatchObject({ selectedId: 'w-two', paths: { 'w-two': 'src/3.ts' } })
})

test('a pair opens the diffs of its two attempts', async () => {
  know({}, [check('failed'), check('passed')])
  view()
  const pairs = () => screen.getAllByRole('button', { name: / with / }).map(({ textContent }) => textContent)
  expect(pairs()).toEqual(['Compare A with B', 'Compare A with C', 'Compare B with C'])
  await user.click(screen.getByRole('button', { name: 'Compare B with C' }))
  expect(screen.getByTestId('diffs')).toBeTruthy()
  expect(useSideBySide.getState().choices['c1 b-1']?.columns).toEqual(['two', 'three'])
})

test('Message writes to the agent of the attempt', async () => {
  know({}, [check('failed'), check('passed')])
  view()
  await user.click(action(/^Message/, 'B'))
  expect(draftOf(draftKeyNow()).recipientId).toBe('two')
})

test('the smallest and the cheapest attempt are marked once all have ended', () => {
  know({}, [check('failed'), check('passed')])
  view()
  expect(screen.queryByText('smallest')).toBe(null)
  knowEnded(null, [])
  expect(within(cell('Size', 'A')).getByText('smallest')).toBeTruthy()
})

test('the keys do only what the buttons offer: nothing twice, nothing in a read-only conversation', async () => {
  const merged = { agentId: 'two', into: 'main', commit: 'abc' }
  know({ merged }, [check('running'), check('passed')])
  view()
  // The first is being checked: it can be merged, but not checked again.
  focusOn('A')
  expect(isOff(action(/^Pick/, 'A'))).toBe(false)
  expect((await menuOf('A', 'Check again')).hasAttribute('data-disabled')).toBe(true)
  await user.keyboard('{Escape}')
  focusOn('A')
  await user.keyboard('c')
  // The second is merged: it can be checked again, but not merged.
  focusOn('B')
  expect(screen.getByText('merged')).toBeTruthy()
  expect(isOff(action(/^Review/, 'B'))).toBe(false)
  expect(isOff(action(/^Pick/, 'B'))).toBe(true)
  await user.keyboard('m2')
  act(() => useConversation.setState({ readOnly: true }))
  for (const letter of ['A', 'B'] as const) expect(isOff(action(/^Pick/, letter))).toBe(true)
  expect(screen.queryByRole('button', { name: 'Stop all' })).toBe(null)
  await user.keyboard('cm')
  focusOn('A')
  await user.keyboard('m1')
  expect(bridge.inputsOf('comparison.check')).toEqual([])
  expect(useReview.getState().dialog).toBe(null)
})

test('Enter opens the review, the arrow left goes back, and keys with Control are left alone', async () => {
  know({}, [check('failed'), check('passed')])
  view()
  focusOn('B')
  await user.keyboard('{Control>}cm{/Control}{ArrowLeft}')
  expect(bridge.inputsOf('comparison.check')).toEqual([])
  await waitFor(() => expect(isFocused('A')).toBe(true))
  await user.keyboard('{ArrowLeft}{Enter}')
  expect(useReview.getState()).toMatchObject({ selectedId: 'w-one', dialog: null })
  expect(useSession.getState().view).toBe('review')
  // On a button, Enter presses the button.
  useReview.setState({ dialog: null })
  act(() => action(/^Message/, 'A').focus())
  await user.keyboard('{Enter}')
  expect(draftOf(draftKeyNow()).recipientId).toBe('one')
})

test('back from another view the keys work at once, unless the focus was elsewhere before', async () => {
  know({}, [check('failed'), check('passed')])
  const shown = view()
  focusOn('B')
  act(() => useComparisonStore.setState({ selected: 'two' }))
  shown.unmount()
  expect(document.activeElement).toBe(document.body)
  // The focus may have passed to what is around the comparison, as long as that loads.
  const around = render(<main tabIndex={-1} />).container.firstChild as HTMLElement
  around.focus()
  const again = render(<ComparisonView onShowAgent={onShowAgent} diff={Diff} diffs={Diffs} />, {
    wrapper: TooltipProvider,
    container: around,
  })
  expect(isFocused('B')).toBe(true)
  act(() => (document.activeElement as HTMLElement).blur())
  again.unmount()
  view()
  expect(document.activeElement).toBe(document.body)
})

test('a worktree that began without a branch is merged elsewhere, by its button and its key', async () => {
  know({}, [check('passed')], { target: null })
  view()
  const elsewhere = { dialog: { kind: 'merge', id: 'w-one', method: 'merge', elsewhere: true } }
  focusOn('A')
  await user.keyboard('m')
  expect(useReview.getState()).toMatchObject(elsewhere)
  useReview.setState({ dialog: null })
  await user.click(action(/^Pick/, 'A'))
  expect(useReview.getState()).toMatchObject(elsewhere)
})

test('an attempt tells its failure, and why there is no result of its check', async () => {
  know({}, [check('not-run', { because: 'The worktree is gone.', ms: 0, output: '' })])
  const agents = new Map(useConversation.getState().agents)
  const one = agents.get('one')!
  view()
  expect(cell('Checks', 'A').textContent).toContain('not checked')
  expect(cell('Checks', 'A').textContent).toContain('The worktree is gone.')
  agents.set('one', { ...one, report: '' })
  act(() => useConversation.setState({ agents: new Map(agents) }))
  expect(cell('Approach', 'A').textContent).toContain('There is no report.')
  const failure = { type: 'failed', message: 'The program ended.' }
  agents.set('one', { ...one, status: 'failed', failure, work: { ...one.work!, files: 0 } })
  know({}, [null])
  act(() => useConversation.setState({ agents: new Map(agents) }))
  expect(cell('Approach', 'A').textContent).toContain('The program ended.')
  expect(cell('Checks', 'A').textContent).toContain('The agent changed nothing to check.')
  expect(cell('Size', 'A').textContent).toBe('No changes')
  expect(head('A').closest('th')?.textContent).toContain('failed')
  expect((await menuOf('A', 'Run the check')).hasAttribute('data-disabled')).toBe(true)
  await user.keyboard('{Escape}')
  agents.set('one', one)
  act(() => useConversation.setState({ agents: new Map(agents) }))
  expect(cell('Checks', 'A').textContent).toContain('It was not run.')
  expect((await menuOf('A', 'Run the check')).hasAttribute('data-disabled')).toBe(false)
})

test('a long report is cut until the user asks for all of it', async () => {
  know({}, [check('passed')])
  const agents = new Map(useConversation.getState().agents)
  agents.set('one', { ...agents.get('one')!, report: `${'word '.repeat(200)}the end` })
  act(() => useConversation.setState({ agents }))
  view()
  expect(cell('Approach', 'A').textContent).not.toContain('the end')
  await user.click(within(cell('Approach', 'A')).getByRole('button', { name: 'Show all' }))
  expect(cell('Approach', 'A').textContent).toContain('the end')
})

test('what an attempt does not report is a dash, never zero', () => {
  know({}, [check('passed')])
  const agents = new Map(useConversation.getState().agents)
  agents.set('one', { ...agents.get('one')!, priced: false })
  act(() => useConversation.setState({ agents }))
  view()
  expect(within(cell('Cost', 'A')).getByTitle('Cost: not reported').textContent).toBe('–')
  expect(within(cell('Cost', 'B')).getByTitle('Cost').textContent).toMatch(/^\$/)
})

const left = (agentId: string): ReviewWorktree => ({
  ...worktree(agentId),
  ...{ agentId, conversationId: 'c1', agentName: agentId, color: 'blue', task: '', createdAt: 0 },
  ...{ state: 'ready', ended: 'completed', folderGone: false, version: `v-${agentId}`, commits: 1 },
  ...{ files: 1, insertions: 10, deletions: 2, uncommitted: 0, check: null, conflictsWith: [], merged: null },
  ...{ takenBack: null, resolving: null, asked: null, bytes: null, notes: [], problem: null },
})

/** A comparison whose agents have ended, with these worktrees left. */
function knowEnded(merged: Comparison['merged'], worktrees: readonly ReviewWorktree[]) {
  know({ merged }, [check('failed'), check('passed')])
  const { record } = useConversation.getState()
  const comparisons = record!.comparisons.map((one) => ({ ...one, attempts: one.attempts.slice(0, 2) }))
  act(() => useConversation.setState({ record: { ...record!, comparisons } }))
  bridge.answer({
    'review.watch': () => ({ ...emptyReview(FOLDER.path, null), worktrees }),
    'review.discard': () => undefined,
  })
}

test('the others are discarded after a question, at the versions that were shown; the winner stays', async () => {
  knowEnded({ agentId: 'two', into: 'main', commit: 'abc' }, [left('one'), left('two'), left('elsewhere')])
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  view()
  await user.click(screen.getByRole('button', { name: 'Discard the others…' }))
  const question = await screen.findByRole('dialog', { name: 'Discard 1 worktree?' })
  expect(within(question).getByRole('listitem').textContent).toContain('troupe/one')
  expect(bridge.inputsOf('review.discard')).toEqual([])
  await user.click(within(question).getByRole('button', { name: 'Discard' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null))
  expect(bridge.inputsOf('review.discard')).toEqual([
    { folder: FOLDER.path, id: 'w-one', confirm: 'troupe/one', seen: 'v-one' },
  ])
  expect(notices).toEqual(['Discarded 1 worktree. Review can restore it until Troupe restarts.'])
  stop()
})

test('without a winner all can be discarded; Cancel discards none, and a refused one is told', async () => {
  knowEnded(null, [left('one'), left('two')])
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  bridge.answer({
    'review.discard': ({ id }) => {
      if (id === 'w-one') throw new Refusal('The worktree has changed.')
    },
  })
  view()
  const ask = async () => {
    await user.click(screen.getByRole('button', { name: 'Discard all…' }))
    return await screen.findByRole('dialog', { name: 'Discard 2 worktrees?' })
  }
  await user.click(within(await ask()).getByRole('button', { name: 'Cancel' }))
  expect(bridge.inputsOf('review.discard')).toEqual([])
  await user.click(within(await ask()).getByRole('button', { name: 'Discard' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null))
  expect(notices).toEqual([
    'one: The worktree has changed.',
    'Discarded 1 worktree. Review can restore it until Troupe restarts.',
  ])
  stop()
  bridge.answer({ 'review.watch': () => emptyReview(FOLDER.path, null) })
  await user.click(screen.getByRole('button', { name: 'Discard all…' }))
  expect(await screen.findByRole('dialog', { name: 'Nothing to discard' })).toBeTruthy()
})

test('the bar stops a comparison that runs, and shows an earlier one', async () => {
  know()
  const { record } = useConversation.getState()
  const earlier = { ...record!.comparisons[0]!, id: 'b-0', task: 'An earlier task' }
  act(() =>
    useConversation.setState({ record: { ...record!, comparisons: [earlier, ...record!.comparisons] } }),
  )
  view()
  await user.click(screen.getByRole('button', { name: 'Stop all' }))
  expect(bridge.inputsOf('comparison.stop')).toEqual([{ conversationId: 'c1', comparisonId: 'b-1' }])
  expect(screen.queryByRole('button', { name: /^Discard/ })).toBe(null)
  await choose('Comparison', /^1 of 2/)
  expect(screen.getByRole('region', { name: 'Comparison' }).textContent).toContain('An earlier task')
})

test('D and the switch show the diffs of the attempts instead of the results', async () => {
  know()
  view()
  focusOn('A')
  await user.keyboard('d')
  expect(screen.getByTestId('diffs').textContent).toMatch(
    /^A · \S+.* w-one false, B · .* w-two false, C · .* w-three true$/,
  )
  expect(screen.queryByRole('table')).toBe(null)
  // The row with the focus is gone: the keys still work, and return to the row.
  await user.keyboard('{Escape}')
  expect(isFocused('A')).toBe(true)
  await user.click(screen.getByRole('radio', { name: 'Diffs' }))
  expect(screen.queryByRole('table')).toBe(null)
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
    'All 2 agents have ended: 1 passed the check. B was merged into main.',
  )
  await user.click(screen.getByRole('button', { name: 'Put away' }))
  expect(card()).toBe(null)
})
