import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type {
  RequestRow,
  ToolRow as ToolRowData,
  TranscriptRow,
} from '../../../../shared/events/transcript-row.ts'
import { SampleLog, stateAfter } from '../../../../shared/testing/sample-log.ts'
import { rowForName } from '../../../../shared/tools/row-for-name.ts'
import { useChanges } from '../../../stores/changes-store.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { stagePartNow } from '../../../stores/stage-store.ts'
import { installFakeBridge } from '../../../testing/fake-bridge.ts'
import { childOf } from '../../../testing/outside-agent.ts'
import { inTranscript } from '../testing/in-transcript.tsx'
import { AgentsCard } from './agents-card.tsx'
import { RowView } from './row-view.tsx'

afterEach(cleanup)
beforeEach(() => {
  installFakeBridge()
  useConversation.setState({ agents: new Map(), childrenByToolUse: new Map(), needs: [] })
})

const base = { key: 'k', at: 1000, seq: 1 }
const tool = (more: Partial<ToolRowData> = {}): ToolRowData => ({
  ...base,
  kind: 'tool',
  toolUseId: 't1',
  name: 'Read',
  call: rowForName(more.name ?? 'Read'),
  input: { file_path: 'src/a.ts' },
  summary: 'src/a.ts',
  status: 'done',
  note: '412 lines',
  content: 'line one\nline two',
  display: null,
  outputFile: null,
  startedAt: 1000,
  durationMs: 12,
  ...more,
})
const draw = (row: TranscriptRow, past = false) => inTranscript(<RowView row={row} past={past} />)

test('a command that changed files says so, shows them and offers to undo them', () => {
  const changed = { files: 2, added: 4, removed: 1, path: '/work/a.ts' }
  useChanges.setState({ conversationId: 'c-1', asked: null })
  draw(tool({ name: 'Bash', summary: 'sed -i s/a/b/ a.ts b.ts', note: '', changed }))
  expect(screen.getByText(/Changed 2 files/).textContent).toBe('Changed 2 files+4−1')
  fireEvent.click(screen.getByRole('button', { name: 'Undo…' }))
  expect(useChanges.getState().asked?.question).toMatchObject({
    kind: 'undo',
    scope: { kind: 'call', toolUseId: 't1' },
  })
  fireEvent.click(screen.getByRole('button', { name: 'Show changes' }))
  expect(useChanges.getState()).toMatchObject({ wantedPath: '/work/a.ts' })
  expect(stagePartNow()).toBe('changes')
})

test('a broken row shows its text and the reason, the rows around it stay, and the row can be rendered again', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const fault = { now: true }
  const broken = tool({ content: 'the output' })
  Object.defineProperty(broken, 'status', {
    get: () => {
      if (fault.now) throw new Error('no such status')
      return 'done'
    },
  })
  const { container } = inTranscript(
    <>
      <RowView row={tool({ key: 'before', summary: 'before' })} past={false} />
      <RowView row={broken} past={false} />
      <RowView row={tool({ key: 'after', summary: 'after' })} past={false} />
    </>,
  )
  expect(screen.getByRole('alert').textContent).toContain("Can't show this entry: no such status")
  expect(screen.getByRole('alert').textContent).toContain('the output')
  expect(container.textContent).toMatch(/before[\s\S]*after/)
  fault.now = false
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a cursor far to the right in a command’s output breaks nothing', () => {
  const { container } = draw(
    tool({
      name: 'Bash',
      content: 'a\x1b[999999999Gb',
      display: { kind: 'terminal', exitCode: 0, timedOut: false },
    }),
  )
  fireEvent.click(screen.getByRole('button', { name: /Bash/ }))
  expect(screen.queryByRole('alert')).toBeNull()
  expect(container.textContent).toMatch(/a +b/)
})

describe('a tool call', () => {
  test('is one line until opened, and folds again', () => {
    const { container } = draw(tool())
    const line = screen.getByRole('button', { name: /Read.*src\/a\.ts.*412 lines/ })
    expect(line.getAttribute('aria-expanded')).toBe('false')
    expect(container.textContent).not.toContain('line two')
    fireEvent.click(line)
    expect(line.getAttribute('aria-expanded')).toBe('true')
    expect(container.textContent).toContain('line two')
    fireEvent.click(line)
    expect(container.textContent).not.toContain('line two')
  })

  test('stays open after scrolling away and back', () => {
    const first = draw(tool())
    fireEvent.click(screen.getByRole('button', { name: /Read/ }))
    const { folds } = first.surroundings
    first.unmount()
    const second = inTranscript(<RowView row={tool()} past={false} />, { folds })
    expect(second.container.textContent).toContain('line two')
  })

  test('shows a diff with numbers and signs', () => {
    draw(
      tool({
        name: 'Edit',
        note: '+1 −1',
        display: {
          kind: 'diff',
          path: 'src/a.ts',
          patch: '@@ -4 +4 @@\n-const a = 1\n+const a = 2',
          added: 1,
          removed: 1,
          created: false,
        },
      }),
    )
    fireEvent.click(screen.getByRole('button', { name: /Edit/ }))
    const diff = screen.getByRole('region', { name: 'Changes in src/a.ts' })
    expect(diff.textContent).toBe('4−const a = 14+const a = 2')
  })

  test('that failed says so, also without color', () => {
    draw(tool({ status: 'failed', note: 'no such file' }))
    expect(screen.getByRole('button', { name: /Failed: no such file/ })).toBeTruthy()
    expect(document.querySelectorAll('.text-bad').length).toBeGreaterThan(0)
  })

  test.each(['denied', 'stopped'])('that was %s is no failure, and not red', (note) => {
    const { container } = draw(
      tool({
        name: 'Bash',
        status: 'failed',
        note,
        content: 'The user decided.',
        display: { kind: 'terminal', exitCode: 143, timedOut: false },
      }),
    )
    const line = screen.getByRole('button', { name: new RegExp(`^Bash.*${note}`) })
    expect(line.textContent).not.toContain('Failed')
    fireEvent.click(line)
    expect(container.textContent).toContain('The user decided.')
    expect(container.querySelector('.text-bad')).toBeNull()
    expect(screen.queryByText('Error')).toBeNull()
  })

  test('its input and output take their direction from their text; a command runs from left to right', () => {
    const { container } = draw(tool({ name: 'Grep', input: { pattern: 'שלום' }, content: 'שלום' }))
    fireEvent.click(screen.getByRole('button', { name: /Grep/ }))
    expect(container.querySelector('pre')?.dir).toBe('auto')
    expect(screen.getByRole('region', { name: 'Output' }).dir).toBe('auto')
    cleanup()
    const { container: other } = draw(tool({ name: 'Bash', input: { command: 'echo שלום' } }))
    fireEvent.click(screen.getByRole('button', { name: /Bash/ }))
    expect(other.querySelector('pre')?.dir).toBe('ltr')
  })

  test('interrupted by the end of the program is not shown as running', () => {
    const script = new SampleLog()
    const ended = { type: 'agent-ended', status: 'interrupted', report: '', failure: null } as const
    const state = stateAfter([
      script.spawn('a'),
      script.next('a', { ...ended, reachedLimit: null, limitOf: null }),
    ])
    useConversation.setState({ agents: new Map([['a', state]]) })
    draw(tool({ status: 'running', note: '', content: null }))
    expect(screen.getByRole('button', { name: /Failed: interrupted/ })).toBeTruthy()
  })

  test('shows head and tail of a long output, and the whole output on demand', () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line-${index}.`)
    const { container } = draw(tool({ content: lines.join('\n') }))
    fireEvent.click(screen.getByRole('button', { name: /Read/ }))
    expect(container.textContent).toContain('line-299.')
    expect(container.textContent).not.toContain('line-150.')
    fireEvent.click(screen.getByRole('button', { name: 'Show all' }))
    expect(container.textContent).toContain('line-150.')
  })

  test('loads output from disk, and shows why loading failed', async () => {
    const bridge = installFakeBridge({
      'agent.toolOutput': () => {
        throw new Error('The file is gone.')
      },
    })
    const { container } = draw(tool({ content: 'head … tail', outputFile: { path: 'x', bytes: 2_500_000 } }))
    fireEvent.click(screen.getByRole('button', { name: /Read/ }))
    await act(async () => {
      fireEvent.click(screen.getByRole('button', { name: 'Show all (2.4 MB)' }))
    })
    expect(container.textContent).toContain('The file is gone.')
    bridge.answer({ 'agent.toolOutput': () => 'the whole of it' })
    await act(async () => {
      fireEvent.click(screen.getByRole('button', { name: 'Show all (2.4 MB)' }))
    })
    expect(container.textContent).toContain('the whole of it')
    expect(bridge.inputsOf('agent.toolOutput')[0]).toEqual({ agentId: 'a', toolUseId: 't1' })
  })

  test('shows the elapsed time while it runs', () => {
    vi.useFakeTimers({ now: 8000 })
    try {
      draw(tool({ status: 'running', startedAt: 2000, note: '' }))
      act(() => vi.advanceTimersByTime(1000))
      expect(screen.getByRole('button', { name: /running 7s/ })).toBeTruthy()
    } finally {
      vi.useRealTimers()
    }
  })

  test('with a pending permission request is shown only by its card', () => {
    const script = new SampleLog()
    const state = stateAfter([script.spawn('a'), script.asks('a', 'p1')])
    useConversation.setState({ agents: new Map([['a', state]]) })
    const { container } = draw(tool({ toolUseId: 't-p1', status: 'waiting' }))
    expect(container.textContent).toBe('')
  })
})

describe('other rows', () => {
  const request: RequestRow = {
    ...base,
    kind: 'request',
    requestId: 'p',
    toolUseId: 't',
    toolName: 'Bash',
    subject: { kind: 'command', action: 'run a command', text: 'npm i\nnpm test', folder: '/w' },
    because: '',
    alwaysRule: null,
    decision: 'deny',
    feedback: 'use pnpm',
  }

  test('an answered permission request is one line with the feedback to the agent', () => {
    expect(draw(request).container.textContent).toBe('Denied: run a command npm i …“use pnpm”')
  })

  test('a request that a new rule answered names the rule', () => {
    const row = draw({
      ...request,
      decision: 'allow-always',
      feedback: null,
      answeredBy: 'rules',
      rule: 'Bash(npm i)',
    })
    expect(row.container.textContent).toBe(
      'Allowed without an answer: run a command npm i … by the rule Bash(npm i)',
    )
  })

  test('a pending permission request has only its card', () => {
    expect(draw({ ...request, decision: null }).container.textContent).toBe('')
  })

  test('thinking is one line until opened', () => {
    const { container } = draw({ ...base, kind: 'thinking', text: 'first thought\nsecond thought' })
    const line = screen.getByRole('button', { name: /^Thinking: first thought second thought/ })
    expect(container.querySelector('.whitespace-pre-wrap')).toBeNull()
    fireEvent.click(line)
    expect(container.querySelector('.whitespace-pre-wrap')?.textContent).toBe('first thought\nsecond thought')
  })

  test('text that the user did not write is labeled, and folded if long', () => {
    const { container } = draw({
      ...base,
      kind: 'user',
      from: 'agent',
      messageId: 'm',
      sender: null,
      text: 'word '.repeat(200),
      images: [],
    })
    expect(container.textContent).toContain('From another agent')
    const more = screen.getByRole('button', { name: 'Show all' })
    fireEvent.click(more)
    expect(screen.getByRole('button', { name: 'Show less' }).getAttribute('aria-expanded')).toBe('true')
  })

  test('the user’s message is plain text, never markdown', () => {
    const { container } = draw({
      ...base,
      kind: 'user',
      from: 'user',
      messageId: 'm',
      sender: null,
      text: '**not bold** <b>',
      images: [],
    })
    expect(container.textContent).toContain('**not bold** <b>')
    expect(container.querySelector('strong, b')).toBeNull()
  })

  test('an image is embedded, never fetched', () => {
    draw({
      ...base,
      kind: 'user',
      from: 'user',
      messageId: 'm',
      sender: null,
      text: '',
      images: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
    })
    expect(screen.getByRole('img').getAttribute('src')).toBe('data:image/png;base64,AAAA')
  })

  test('a failed request counts down to the next attempt', () => {
    vi.useFakeTimers({ now: 10_000 })
    try {
      const failure = { type: 'overloaded', message: 'The API is overloaded (529).' }
      const script = new SampleLog()
      const state = stateAfter([
        script.spawn('a'),
        script.next('a', { type: 'request-failed', turn: 1, attempt: 1, failure, retryAt: 22_000 }),
      ])
      useConversation.setState({ agents: new Map([['a', state]]) })
      const { container } = draw({ ...base, kind: 'retry', attempt: 1, failure, retryAt: 22_000 })
      act(() => vi.advanceTimersByTime(2000))
      expect(container.textContent).toBe('The API is overloaded (529). Retrying in 10 s.Try now')
      useConversation.setState({ agents: new Map([['a', { ...state, retry: null }]]) })
      cleanup()
      expect(
        draw({ ...base, kind: 'retry', attempt: 1, failure, retryAt: 22_000 }).container.textContent,
      ).toBe('The API is overloaded (529). Retried (2).')
    } finally {
      vi.useRealTimers()
    }
  })

  test('an end other than success says what happened and what to do', () => {
    const ended = { ...base, kind: 'ended', reachedLimit: null, limitOf: null } as const
    const failure = { type: 'model', message: 'The API does not know this model.' }
    expect(draw({ ...ended, status: 'failed', failure }).container.textContent).toMatch(
      /^Agent failed\. ?The API does not know this model\. Its work so far is kept\.$/,
    )
    cleanup()
    expect(draw({ ...ended, status: 'interrupted', failure: null }).container.textContent).toMatch(
      /Interrupted.*Message it to resume/,
    )
    cleanup()
    expect(draw({ ...ended, status: 'completed', failure: null }).container.textContent).toBe('Done')
  })

  test('the end of a subagent of a program does not ask for a message, which it can’t get', () => {
    const ended = { ...base, kind: 'ended', reachedLimit: null, limitOf: null, failure: null } as const
    const events = childOf(new SampleLog(), 'a', { parentId: 'codex', canStop: true })
    useConversation.setState({ agents: new Map([['a', stateAfter(events)]]) })
    for (const status of ['stopped', 'interrupted'] as const) {
      expect(draw({ ...ended, status }).container.textContent).not.toContain('Message it')
      cleanup()
    }
    useConversation.setState({ agents: new Map() })
    expect(draw({ ...ended, status: 'stopped' }).container.textContent).toBe('Stopped. Message it to resume.')
  })

  test('the last end of a run that completed is left to the foot of the panel', () => {
    const script = new SampleLog()
    const done = () =>
      script.next('a', {
        type: 'agent-ended',
        status: 'completed',
        report: '',
        failure: null,
        reachedLimit: null,
        limitOf: null,
      })
    const turn = (number: number) =>
      script.next('a', { type: 'request-started', turn: number, attempt: 1, model: 'sonnet' })
    const first = [script.spawn('a'), script.status('a', 'running'), turn(1), turn(2), done()]
    // Each event takes a second, and the pause between the runs an hour.
    script.pass(3_600_000)
    const second = [script.status('a', 'running'), turn(1), done()]
    useConversation.setState({ agents: new Map([['a', stateAfter([...first, ...second])]]) })
    const at = (events: readonly { readonly at: number }[]) => events.at(-1)?.at ?? 0
    const ended = { ...base, kind: 'ended', status: 'completed', failure: null } as const
    const draws = (time: number) =>
      draw({ ...ended, reachedLimit: null, limitOf: null, at: time }).container.textContent
    expect(draws(at(first))).toBe('Done')
    cleanup()
    expect(draws(at(second))).toBe('')
  })
})

describe('the card of started agents', () => {
  /** Four agents of the calls c1 … c4, and a call c5 that started none. */
  function show(
    past = false,
    openAgent: ((id: string) => void) | null = null,
    failures = {},
    notStarted = {},
  ) {
    const script = new SampleLog()
    const spawn = (id: string, call: string) => script.spawn(id, { parentId: 'main', parentToolUseId: call })
    const agents = [
      stateAfter([
        spawn('plan', 'c1'),
        script.status('plan', 'running'),
        script.next('plan', {
          type: 'agent-ended',
          status: 'completed',
          report: 'The order is **a, b**.',
          failure: null,
          reachedLimit: null,
          limitOf: null,
        }),
      ]),
      stateAfter([spawn('explore', 'c2'), script.status('explore', 'running'), script.says('explore', 'x')]),
      stateAfter([
        spawn('refactor', 'c3'),
        script.status('refactor', 'waiting'),
        script.asks('refactor', 'p'),
      ]),
      stateAfter([spawn('tests', 'c4')]),
    ]
    useConversation.setState({
      agents: new Map(agents.map((state) => [state.id, state])),
      childrenByToolUse: new Map(agents.map((state) => [state.parentToolUseId ?? '', state.id])),
    })
    const lost = Object.keys({ c5: null, ...notStarted, ...failures }).sort()
    return inTranscript(
      <AgentsCard
        rowKey="k"
        toolUseIds={['c1', 'c2', 'c3', 'c4', ...lost]}
        failures={failures}
        notStarted={notStarted}
        past={past}
      />,
      {
        openAgent,
      },
    )
  }

  test('counts agents by state', () => {
    show()
    expect(screen.getByRole('button', { expanded: false }).textContent).toBe(
      '4 agents1 working · 1 queued · 1 done · 1 needs you',
    )
  })

  const openList = () => fireEvent.click(screen.getByRole('button', { name: /^4 agents/ }))

  test('opens to a line for each agent: name, time, tokens; a click shows the panel', () => {
    const opened = vi.fn()
    show(false, opened)
    expect(screen.queryByRole('button', { name: /^explore/ })).toBeNull()
    openList()
    const line = screen.getByRole('button', { name: /^explore ?, working, .* · 18$/ })
    fireEvent.click(line)
    expect(opened).toHaveBeenCalledWith('explore')
  })

  test('counts calls without an agent by the reason', () => {
    const limit = { of: 'conversation', most: 4 } as const
    const { container } = show(true, null, { c7: 'name taken' }, { c5: limit, c6: limit, c8: null })
    expect([...container.querySelectorAll('li')].map((item) => item.textContent)).toEqual([
      '2 not started: limit of 3',
      'Not started: name taken',
      'Not started: you declined',
    ])
  })

  test('the report is folded until opened', () => {
    const { container } = show()
    openList()
    expect(container.textContent).not.toContain('The order is')
    fireEvent.click(screen.getByRole('button', { name: 'Show the report of plan' }))
    expect(container.querySelector('strong')?.textContent).toBe('a, b')
    expect(screen.queryByRole('button', { name: /report of explore/ })).toBeNull()
  })

  test('a background agent says so, and keeps showing its state', () => {
    show()
    openList()
    const { agents } = useConversation.getState()
    const explore = agents.get('explore')
    if (explore === undefined) throw new Error('there is no explore')
    act(() =>
      useConversation.setState({
        agents: new Map([...agents, ['explore', { ...explore, background: 'moved' }]]),
      }),
    )
    const line = () => screen.getByRole('button', { name: /^explore/ }).textContent
    expect(line()).toContain('in the background · starting')
    act(() =>
      useConversation.setState({
        agents: new Map([...agents, ['explore', { ...explore, background: 'moved', status: 'paused' }]]),
      }),
    )
    expect(line()).toContain('in the background · paused')
  })

  test('a call without an agent is starting, until the conversation continues', () => {
    expect(show().container.textContent).toContain('Starting…')
    cleanup()
    expect(show(true).container.textContent).toContain('Not started')
  })

  test('a call that failed says why', () => {
    const { container } = show(true, null, { c5: 'There is no agent "reviewr".' })
    expect(container.textContent).toContain('There is no agent "reviewr".')
    expect(container.textContent).toContain('Not started: There is no')
  })
})

test('a notice about a file that two agents use opens the changes at that file', () => {
  draw({ ...base, kind: 'notice', level: 'warning', text: 'Ada has changed a.ts too.', path: '/w/a.ts' })
  fireEvent.click(screen.getByRole('button', { name: 'Show changes' }))
  expect(useChanges.getState()).toMatchObject({ wantedPath: '/w/a.ts', wantsFocus: true })
  expect(stagePartNow()).toBe('changes')
  cleanup()
  draw({ ...base, kind: 'notice', level: 'info', text: 'Ada has ended.' })
  expect(screen.queryByRole('button', { name: 'Show changes' })).toBeNull()
})
