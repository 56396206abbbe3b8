import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type {
  AgentCase,
  AgentTestsSnapshot,
  AgentVersion,
  CaseAttempt,
  TestRun,
  VersionRef,
} from '../../../shared/agent-tests/agent-tests.ts'
import { caseText } from '../../../shared/agent-tests/case-file.ts'
import { sampleAttempts, sampleCase } from '../../../shared/agent-tests/testing/sample-results.ts'
import { SampleLog } from '../../../shared/testing/sample-log.ts'
import {
  addVersion,
  loadBench,
  resolveVersions,
  showBench,
  useBench,
} from '../../features/agent-tests/bench-store.ts'
import { openedOf, useEditor } from '../../features/definitions/editor-store.ts'
import {
  agentText,
  type EditorBridge,
  FOLDER_PATH,
  projectId,
  startEditor,
} from '../../features/definitions/testing/editor-bridge.ts'
import { saveAsCase } from '../../stores/agent-actions.ts'
import { useSession } from '../../stores/session-store.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { TooltipProvider } from '../../ui/popover.tsx'
import { paletteCommands } from '../palette-commands.ts'
import { Toasts } from '../toasts.tsx'
import { AgentsView } from './agents-view.tsx'
import { CaseDialog } from './case-dialog.tsx'

let world: EditorBridge

const ID = projectId('reviewer.md')
const IN_USE_TEXT = agentText('reviewer', '', 'Report what you can show.\nRead each file.\nBe brief.\n')
const DRAFT_TEXT = agentText('reviewer', '', 'Report what may happen.\nRead each file.\nBe very brief.\n')

const fileOf = (name: string) => `.claude/agent-tests/reviewer/${name}.yaml`
const CLEAN = sampleCase('clean', { name: 'No false alarm', file: fileOf('clean') })
const TOKEN = sampleCase('token', { name: 'Token compared', file: fileOf('token') })

const ref = (base: VersionRef['base'], model: string | null = null): VersionRef => ({
  ...{ base, model, effort: null, skill: null },
})

/** The versions of this program: equal texts with equal models have equal ids. */
function versionOf(wanted: VersionRef): AgentVersion {
  const { base, model } = wanted
  if (base.type === 'commit') throw new Refusal(`The commit ${base.commit} is gone.`, 'not-found')
  const text = base.type === 'draft' ? base.text : IN_USE_TEXT
  return {
    id: `${text} ${model}`,
    ref: wanted,
    title: [
      base.type === 'draft' ? (base.name ?? 'Draft') : 'In use',
      ...(model === null ? [] : [model]),
    ].join(', '),
    model: `claude-${model ?? 'sonnet'}-4-5`,
    note: '',
    text,
    savedAt: null,
  }
}

const IN_USE = versionOf(ref({ type: 'in-use' }))
const DRAFT = versionOf(ref({ type: 'draft', text: DRAFT_TEXT }))

function snapshotOf(more: Partial<AgentTestsSnapshot> = {}): AgentTestsSnapshot {
  const cases: readonly AgentCase[] = [CLEAN, TOKEN]
  return {
    folder: FOLDER_PATH,
    agents: [
      { name: 'other', cases: 0 },
      { name: 'reviewer', cases: cases.length },
    ],
    cases,
    problems: [],
    runs: [],
    attempts: [
      ...sampleAttempts(CLEAN, IN_USE, 'pppppp'),
      ...sampleAttempts(CLEAN, DRAFT, 'pfffff'),
      ...sampleAttempts(TOKEN, IN_USE, 'pppppf'),
      ...sampleAttempts(TOKEN, DRAFT, 'pppppp'),
    ],
    refusal: null,
    ...more,
  }
}

const RUN: TestRun = {
  ...{ id: 'run-1', agent: 'reviewer', title: 'Draft, 6', versions: [IN_USE, DRAFT] },
  ...{ caseFiles: [CLEAN.file, TOKEN.file], attempts: 6, maxUsd: 5, stopsWhenClear: false },
  ...{ state: 'running', because: null, startedAt: 1000, endedAt: null, reused: 12, usd: 0.4 },
}

beforeEach(() => {
  for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(1000)
})
afterEach(() => {
  cleanup()
  useBench.setState(useBench.getInitialState(), true)
})

interface Shown {
  readonly snapshot?: AgentTestsSnapshot
  /** Whether the editor has an unsaved text. */
  readonly hasDraft?: boolean
  readonly isTrusted?: boolean
}

async function show({
  snapshot = snapshotOf(),
  hasDraft = true,
  isTrusted = true,
}: Shown = {}): Promise<UserEvent> {
  const files = [
    { source: 'project', path: 'reviewer.md', text: IN_USE_TEXT },
    { source: 'project', path: 'other.md', text: agentText('other') },
  ] as const
  world = await startEditor(files, { isTrusted })
  world.bridge.answer({
    'agentTests.state': () => snapshot,
    'agentTests.resolve': ({ versions }) => versions.map(versionOf),
    'agentTests.versions': () => [],
    'agentTests.estimate': ({ versions }) => ({
      attempts: 12 * versions.length - 4,
      reused: 4,
      usd: 3.1,
      ms: null,
    }),
    'agentTests.run': () => ({ runId: 'run-2' }),
    'agentTests.readCase': ({ file }) => ({ text: caseText(file === TOKEN.file ? TOKEN : CLEAN) }),
  })
  render(
    <TooltipProvider>
      <AgentsView />
      <CaseDialog />
      <Toasts />
    </TooltipProvider>,
  )
  if (isTrusted) await waitFor(() => expect(openedOf(useEditor.getState().selected ?? '')).toBeDefined())
  if (hasDraft) {
    const { selectDefinition } = await import('../../features/definitions/open-definition.ts')
    await act(() => selectDefinition(ID))
    act(() => openedOf(ID)?.document.replaceWith(DRAFT_TEXT))
  }
  act(() => showBench(true, 'reviewer'))
  await screen.findByRole('heading', { name: 'Test bench' })
  return userEvent.setup()
}

const cell = (name: RegExp) => screen.getByRole('gridcell', { name })
const findCell = (name: RegExp) => screen.findByRole('gridcell', { name })

test('the command shows the test bench in the place of the editor, and the editor again', async () => {
  await show()
  const command = paletteCommands().find(({ id }) => id === 'test-agent')
  act(() => useSession.setState({ view: 'agents' }))
  act(() => command?.run())
  await screen.findByRole('region', { name: 'Source' })
  act(() => command?.run())
  await screen.findByRole('grid', { name: 'Results of reviewer' })
})

test('a cell says how many attempts passed, and calls it worse only where chance is unlikely', async () => {
  await show()
  const worse = await findCell(/^No false alarm, Draft: 1 of 6, worse/)
  expect(within(worse).getByText('worse')).toBeTruthy()
  // 6 of 6 against 5 of 6 is no clear difference.
  expect(cell(/^Token compared, Draft: 6 of 6/).textContent).not.toContain('better')
  expect(cell(/^Token compared, In use: 5 of 6/).textContent).toContain('$0.05 · 0:43 · 24k')
  const row = screen.getByText('All cases').closest('[role="row"]')
  expect(row?.textContent).toContain('11 of 12')
  expect(row?.textContent).toContain('1 worse')
})

test('arrows go from cell to cell, Enter shows the attempts, digits and brackets change them, Escape closes', async () => {
  const user = await show()
  await findCell(/^No false alarm, Draft: 1 of 6/)
  act(() => cell(/^No false alarm, In use/).focus())
  await user.keyboard('{ArrowDown}{ArrowRight}')
  expect(document.activeElement).toBe(cell(/^Token compared, Draft/))
  await user.keyboard('{ArrowUp}{Enter}')
  const attempts = await screen.findByRole('region', { name: 'Attempts at No false alarm' })
  // The first that failed says most.
  expect(within(attempts).getByText('Draft, attempt 2')).toBeTruthy()
  expect(within(attempts).getByRole('radio', { name: '2, failed' })).toBeTruthy()
  await user.keyboard('1')
  expect(within(attempts).getByText('Draft, attempt 1')).toBeTruthy()
  await user.keyboard('{[}')
  expect(useBench.getState().place?.versionId).toBe(IN_USE.id)
  await user.keyboard('{]}')
  expect(useBench.getState().place?.versionId).toBe(DRAFT.id)
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('region', { name: 'Attempts at No false alarm' })).toBeNull()
})

/** A transcript that reads these files and reports. */
function logOf(conversationId: string, files: readonly string[], report: string): SampleLog {
  const log = new SampleLog({ conversationId })
  log.starts({ id: `agent of ${conversationId}`, name: 'reviewer', color: 'red', task: 'Review.' })
  for (const path of files)
    log.answers(`agent of ${conversationId}`, { tools: [{ tool: 'Read', summary: path, note: '9 lines' }] })
  log.answers(`agent of ${conversationId}`, { text: report })
  return log
}

const withTranscripts = (attempts: readonly CaseAttempt[]): readonly CaseAttempt[] =>
  attempts.map((attempt) => {
    const conversationId = attempt.versionId === DRAFT.id ? 'drafted' : 'used'
    const check = CLEAN.checks[0]
    return {
      ...attempt,
      ...{ conversationId, agentId: `agent of ${conversationId}` },
      checks: check === undefined ? [] : [{ check, passed: attempt.state === 'passed', found: 'reported 1' }],
    }
  })

test('both transcripts stand beside each other, with the first difference, the checks and the changed lines', async () => {
  const user = await show({ snapshot: snapshotOf({ attempts: withTranscripts(snapshotOf().attempts) }) })
  const logs = [logOf('used', ['a.ts', 'b.ts'], 'Nothing.'), logOf('drafted', ['a.ts', 'c.ts'], 'A problem.')]
  world.bridge.answer({
    'agent.transcript': ({ conversationId }) => ({
      events: logs.find((log) => log.conversationId === conversationId)?.events ?? [],
      ...{ older: false, live: [] },
    }),
  })
  await user.click(await findCell(/^No false alarm, Draft/))
  const steps = await screen.findByRole('region', { name: 'Steps of both attempts' })
  await waitFor(() => expect(within(steps).getAllByText('a.ts')).toHaveLength(2))
  expect(within(steps).getAllByText('first difference')).toHaveLength(2)
  expect(within(steps).getAllByText('a.ts')[0]?.closest('[data-same]')).not.toBeNull()
  expect(within(steps).getByText('c.ts').closest('[data-same]')).toBeNull()
  await user.keyboard('d')
  expect(within(steps).queryByText('a.ts')).toBeNull()
  expect(within(steps).getByText('1 equal step is hidden.')).toBeTruthy()
  const [, right] = screen.getAllByRole('list', { name: 'Checks' })
  expect(right?.textContent).toContain('Failed: reports charge.ts:38')
  expect(right?.textContent).toContain('reported 1')
  const changes = screen.getByRole('region', { name: 'Changed lines' })
  expect(changes.textContent).toContain('−Report what you can show.')
  expect(changes.textContent).toContain('+Report what may happen.')
  expect(screen.getByText('In use and Draft, 1 of 2 changes')).toBeTruthy()
})

test('“Try without this change” adds a version without these lines, and offers to run only that', async () => {
  const user = await show()
  await user.click(await findCell(/^No false alarm, Draft/))
  await user.click(screen.getByRole('button', { name: 'Next change' }))
  await user.click(screen.getByRole('button', { name: 'Try without this change' }))
  await screen.findByText(/^Draft without line/)
  const without = DRAFT_TEXT.replace('Be very brief.', 'Be brief.')
  await user.click(await screen.findByRole('button', { name: 'Run it' }))
  await waitFor(() => expect(world.bridge.inputsOf('agentTests.run')).toHaveLength(1))
  expect(world.bridge.inputsOf('agentTests.run')[0]?.versions).toEqual([
    ref({ type: 'draft', text: without, name: 'Draft without line 7' }),
  ])
})

test('a run is for the checked versions, and its button says what it will cost and what is known', async () => {
  const user = await show()
  await findCell(/^No false alarm, Draft: 1 of 6/)
  // All have their six attempts.
  expect(screen.getByRole('checkbox', { name: 'Run Draft' }).getAttribute('aria-checked')).toBe('false')
  await user.click(screen.getByRole('checkbox', { name: 'Run Draft' }))
  const run = await screen.findByRole('button', { name: 'Run 8 attempts, about $3.10' })
  expect(screen.getByText('4 of 12 are known')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: /^Limits of the run/ }))
  await user.type(await screen.findByLabelText('Budget in dollars'), '2.50')
  await user.click(screen.getByRole('switch', { name: 'Stop when clear' }))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(run.textContent).toContain('about $3.10'))
  act(() => cell(/^No false alarm, Draft/).focus())
  await user.keyboard('r')
  await waitFor(() => expect(world.bridge.inputsOf('agentTests.run')).toHaveLength(1))
  expect(world.bridge.inputsOf('agentTests.run')[0]).toEqual({
    ...{ folder: FOLDER_PATH, agent: 'reviewer', caseFiles: [], attempts: 6 },
    ...{ versions: [DRAFT.ref], maxUsd: 2.5, stopsWhenClear: true },
  })
})

test('while a run goes on, cells fill as attempts end, the header counts them, and S stops the run', async () => {
  const waiting = sampleAttempts(CLEAN, DRAFT, 'wwwwww')
  const attempts = [...sampleAttempts(CLEAN, IN_USE, 'pppppp'), ...waiting].map((attempt) => ({
    ...attempt,
    runId: attempt.versionId === DRAFT.id ? 'run-1' : 'run-0',
  }))
  const user = await show({ snapshot: snapshotOf({ runs: [RUN], attempts }) })
  await findCell(/^No false alarm, Draft: waiting/)
  expect(screen.getByText('0 of 12 attempts')).toBeTruthy()
  const [first, second] = attempts.filter(({ versionId }) => versionId === DRAFT.id)
  if (first === undefined || second === undefined) throw new Error('no attempts')
  act(() =>
    world.bridge.push({
      type: 'agent-tests-progress',
      progress: {
        ...{ folder: FOLDER_PATH, runs: [{ ...RUN, usd: 0.5 }] },
        attempts: [
          { ...first, state: 'passed' },
          { ...second, state: 'running' },
        ],
      },
    }),
  )
  await findCell(/^No false alarm, Draft: 1 of 1/)
  expect(screen.getByText('1 of 12 attempts')).toBeTruthy()
  expect(screen.getByText(/^\$0.50 of \$5.00/)).toBeTruthy()
  act(() => cell(/^No false alarm, Draft/).focus())
  await user.keyboard('s')
  expect(world.bridge.inputsOf('agentTests.stop')).toEqual([{ folder: FOLDER_PATH, runId: 'run-1' }])
})

test('what ends while the bench loads is not taken back by an answer from before', async () => {
  const before = snapshotOf({ runs: [RUN] })
  await show({ snapshot: before })
  await screen.findByRole('button', { name: /^Stop/ })
  let answer = (_: AgentTestsSnapshot) => {}
  world.bridge.answer({ 'agentTests.state': () => new Promise((resolve) => (answer = resolve)) })
  act(() => void loadBench(FOLDER_PATH))
  const ended: TestRun = { ...RUN, state: 'ended', endedAt: 2000 }
  const progress = { folder: FOLDER_PATH, runs: [ended], attempts: [] }
  await act(async () => {
    world.bridge.push({ type: 'agent-tests-progress', progress })
    answer(before)
  })
  await waitFor(() => expect(useBench.getState().snapshot).not.toBe(before))
  expect(useBench.getState().snapshot?.runs).toEqual([ended])
  expect(screen.queryByRole('button', { name: /^Stop/ })).toBeNull()
})

test('an agent that is newer than what the bench knows is shown once it is known', async () => {
  await show()
  const more = snapshotOf()
  world.bridge.answer({
    'agentTests.state': () => ({ ...more, agents: [...more.agents, { name: 'new', cases: 0 }] }),
  })
  act(() => showBench(true, 'new'))
  await screen.findByText('new has no cases')
})

test('what is answered about another folder than the open one changes nothing', async () => {
  await show({ hasDraft: false })
  await findCell(/^No false alarm, In use: 6 of 6/)
  let answer = (_: readonly AgentVersion[]) => {}
  world.bridge.answer({ 'agentTests.resolve': () => new Promise((resolve) => (answer = resolve)) })
  const before = useBench.getState().resolved
  const resolved = resolveVersions(FOLDER_PATH, 'reviewer', null)
  const { folder } = useSession.getState()
  if (folder === null) throw new Error('no folder')
  await act(async () => {
    useSession.setState({ folder: { ...folder, path: '/other' } })
    answer([{ ...DRAFT, title: 'Of the other folder' }])
    await resolved
  })
  expect(useBench.getState().resolved?.versions ?? []).not.toContainEqual(
    expect.objectContaining({ title: 'Of the other folder' }),
  )
  expect(before?.versions).toHaveLength(1)
})

test('a transcript that is no longer kept is no error; a draft that changed closes its attempts', async () => {
  const user = await show({ snapshot: snapshotOf({ attempts: withTranscripts(snapshotOf().attempts) }) })
  world.bridge.answer({
    'agent.transcript': () => ({ events: [], older: false, live: [] }),
  })
  await user.click(await findCell(/^No false alarm, Draft/))
  const attempts = await screen.findByRole('region', { name: 'Attempts at No false alarm' })
  await waitFor(() => expect(within(attempts).getAllByText('Transcript no longer kept.')).toHaveLength(2))
  expect(within(attempts).queryByRole('button', { name: 'Open the transcript' })).toBeNull()
  act(() => openedOf(ID)?.document.replaceWith(`${DRAFT_TEXT}More.\n`))
  await findCell(/^No false alarm, Draft: not run/)
  expect(screen.queryByRole('separator', { name: 'Height of the attempts' })).toBeNull()
})

test('a draft of the editor is a version; one that was kept stays while the editor goes on', async () => {
  const user = await show()
  await findCell(/^No false alarm, Draft: 1 of 6/)
  await user.click(screen.getByRole('button', { name: /^New version/ }))
  act(() => openedOf(ID)?.document.replaceWith(`${DRAFT_TEXT}More.\n`))
  await findCell(/^No false alarm, Draft of \d\d:\d\d: 1 of 6/)
  await findCell(/^No false alarm, Draft: not run/)
})

test('“Use this draft” saves its text as the definition with the results in sight', async () => {
  const user = await show()
  await findCell(/^No false alarm, Draft: 1 of 6/)
  await user.click(screen.getByRole('button', { name: /^Use (this )?draft…/ }))
  const dialog = await screen.findByRole('dialog', { name: 'Use “Draft”?' })
  expect(dialog.textContent).toContain('It passed 7 of 12 attempts; the version in use passed 11 of 12.')
  expect(dialog.textContent).toContain('Worse at 1 case: No false alarm.')
  await user.click(within(dialog).getByRole('button', { name: 'Use it' }))
  await waitFor(() => expect(world.disk.open(ID).text).toBe(DRAFT_TEXT))
  await waitFor(() => expect(dialog.isConnected).toBe(false))
})

test('an added version that can’t be used is left out and named; the others stay', async () => {
  localStorage.clear()
  const user = await show()
  await findCell(/^No false alarm, Draft: 1 of 6/)
  const gone = ref({ type: 'commit', commit: 'abcd' })
  act(() => useBench.setState({ columns: { reviewer: { added: [gone], removed: [] } } }))
  act(() => openedOf(ID)?.document.replaceWith(`${DRAFT_TEXT}More.\n`))
  expect((await screen.findByRole('alert')).textContent).toBe('The commit abcd is gone.')
  expect(cell(/^No false alarm, In use: 6 of 6/)).toBeTruthy()
  await user.keyboard('v')
  expect(await screen.findByRole('dialog', { name: 'Add version' })).toBeTruthy()
})

test('a version that is added while the draft is read again stays', async () => {
  localStorage.clear()
  await show()
  await findCell(/^No false alarm, Draft: 1 of 6/)
  let answer = () => {}
  const isAsked = new Promise<void>((resolve) => {
    world.bridge.answer({
      'agentTests.resolve': ({ versions }) => {
        if (versions.length === 1) return versions.map(versionOf)
        resolve()
        return new Promise((done) => {
          answer = () => done(versions.map(versionOf))
        })
      },
    })
  })
  act(() => openedOf(ID)?.document.replaceWith(`${DRAFT_TEXT}More.\n`))
  await isAsked
  await act(() => addVersion(ref({ type: 'in-use' }, 'haiku')))
  act(() => answer())
  await findCell(/^No false alarm, In use, haiku: not run/)
  await findCell(/^No false alarm, Draft: not run/)
  expect(cell(/^No false alarm, In use, haiku: not run/)).toBeTruthy()
})

test('a case is written with its problems in sight, and a text that was not saved comes back', async () => {
  const user = await show({ snapshot: snapshotOf({ cases: [], attempts: [] }) })
  world.bridge.answer({ 'agentTests.readCase': () => ({ text: 'name: New\ntask: Review.\nchekcs: []\n' }) })
  await screen.findByText('reviewer has no cases')
  const [first] = screen.getAllByRole('button', { name: 'New case' })
  if (first !== undefined) await user.click(first)
  const dialog = await screen.findByRole('dialog', { name: 'New case' })
  const problems = within(dialog).getByRole('list', { name: 'Problems' })
  await waitFor(() => expect(problems.textContent).toContain('3A case has no “chekcs”'))
  const add = within(dialog).getByRole('button', { name: 'Add case' })
  expect(add.getAttribute('aria-disabled')).toBe('true')
  await user.click(within(dialog).getByRole('button', { name: 'Add check' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Command passes…' }))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(dialog.isConnected).toBe(false))
  await user.keyboard('n')
  const again = await screen.findByRole('dialog', { name: 'New case' })
  await waitFor(() => expect(again.textContent).toContain('npm test'))
})

test('“Save as a case” fills in what the agent did, and saves it for the agent', async () => {
  const user = await show()
  const saved: unknown[] = []
  world.bridge.answer({
    'agentTests.draftCase': () => ({ agent: 'reviewer', name: 'clean', text: caseText(CLEAN) }),
    'agentTests.saveCase': (input) => {
      saved.push(input)
      return { file: fileOf('clean-2'), problems: [] }
    },
  })
  act(() => saveAsCase('a-1', 'c-1'))
  const dialog = await screen.findByRole('dialog', { name: 'Save as a case' })
  await waitFor(() => expect(dialog.textContent).toContain('No false alarm'))
  await user.click(within(dialog).getByRole('button', { name: 'Add case' }))
  await waitFor(() => expect(dialog.isConnected).toBe(false))
  expect(world.bridge.inputsOf('agentTests.draftCase')).toEqual([{ conversationId: 'c-1', agentId: 'a-1' }])
  expect(saved).toEqual([{ folder: FOLDER_PATH, agent: 'reviewer', file: null, text: caseText(CLEAN) }])
  await user.click(await screen.findByRole('button', { name: 'Open test bench' }))
  expect(useBench.getState()).toMatchObject({ isShown: true, agent: 'reviewer' })
})

test('a case that is deleted can be brought back', async () => {
  const user = await show()
  await user.click(await screen.findByRole('button', { name: 'More for Token compared' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Delete case' }))
  await waitFor(() => expect(world.bridge.inputsOf('agentTests.deleteCase')).toHaveLength(1))
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() =>
    expect(world.bridge.inputsOf('agentTests.saveCase')).toEqual([
      { folder: FOLDER_PATH, agent: 'reviewer', file: TOKEN.file, text: caseText(TOKEN) },
    ]),
  )
})

test('a folder without trust says so with the step that changes it; nothing can be run', async () => {
  const refusal = 'Cases run agents and commands, so they need a folder that you trust.'
  await show({ snapshot: snapshotOf({ refusal, attempts: [] }), hasDraft: false, isTrusted: false })
  expect(await screen.findByText(refusal)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Trust folder…' })).toBeTruthy()
  expect(screen.getByRole('button', { name: /^Run/ }).getAttribute('aria-disabled')).toBe('true')
})

test('a case that can’t be read is listed with its line, and opens there', async () => {
  const problem = { file: fileOf('broken'), line: 3, message: 'A case has no “chekcs”.' }
  const user = await show({ snapshot: snapshotOf({ problems: [problem] }) })
  await user.click(await screen.findByRole('button', { name: /broken\.yaml:3/ }))
  await screen.findByRole('dialog', { name: 'Edit case' })
  expect(world.bridge.inputsOf('agentTests.readCase')).toEqual([
    { folder: FOLDER_PATH, agent: 'reviewer', file: fileOf('broken') },
  ])
})

test('with one version the next step is named: edit the definition', async () => {
  const user = await show({ hasDraft: false, snapshot: snapshotOf({ attempts: [] }) })
  await user.click(await screen.findByRole('button', { name: 'Edit definition' }))
  expect(useBench.getState().isShown).toBe(false)
  await screen.findByRole('region', { name: 'Source' })
})
