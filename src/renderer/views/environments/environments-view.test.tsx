import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newEnvironment } from '../../../shared/environments/environment.ts'
import type { EnvironmentsSnapshot, WorktreeEnvironment } from '../../../shared/environments/environments.ts'
import type { ReviewFileText } from '../../../shared/worktrees/review.ts'
import { receiveEnvironments, useEnvironments } from '../../stores/environments-store.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { EnvironmentsView } from './environments-view.tsx'

const user = userEvent.setup()
let bridge: FakeBridge
let snapshot: EnvironmentsSnapshot

const row = (
  id: string,
  task: string,
  state: Partial<WorktreeEnvironment['state']>,
): WorktreeEnvironment => ({
  ...{ id, task, branch: `troupe/${id}`, path: `/data/${id}`, agentId: `a-${id}`, conversationId: 'c' },
  ...{ color: 'blue', isThere: true, logSize: 10 },
  state: { ...newEnvironment, base: 20_010, ...state },
  ports: [{ name: 'web', port: 20_010, address: 'http://localhost:20010' }],
})

const commands: EnvironmentsSnapshot['commands'] = {
  commands: {
    setup: ['npm ci'],
    run: [{ name: 'web', command: 'npm run dev', portVariable: null, listens: null }],
    teardown: [],
    hosts: ['packages.example.com'],
  },
  ...{ sources: ['.troupe/environment.yaml'], isProposed: false, problems: [], folder: '/work/shop' },
  ...{ digest: 'seen', scripts: [], approval: { state: 'approved' } },
}

beforeEach(async () => {
  snapshot = {
    ...{ folder: '/work/shop', problem: null, commands, overlaps: [] },
    worktrees: [
      row('one', 'One key', {
        setup: { kind: 'ready', at: 1, tookMs: 38_000, last: 'npm ci' },
        runs: { web: { kind: 'running', since: 1, isUp: true } },
      }),
      row('two', 'Two refunds', {
        setup: { kind: 'failed', at: 1, command: 'npm ci', exitCode: 1, error: 'ERESOLVE' },
      }),
    ],
  }
})
afterEach(() => {
  cleanup()
  useEnvironments.setState({ ...useEnvironments.getInitialState() })
})

async function show(): Promise<void> {
  bridge = await startWindow()
  bridge.answer({
    'environment.state': () => snapshot,
    'environment.log': ({ id, source }) => ({
      lines: [{ at: 1, source: source ?? 'setup', text: `line of ${id}` }],
      isCut: false,
    }),
  })
  snapshot = { ...snapshot, folder: useSession.getState().folder?.path ?? '' }
  render(
    <TooltipProvider>
      <EnvironmentsView />
    </TooltipProvider>,
  )
  await screen.findByRole('heading', { name: 'Environments' })
}

test('each worktree says how its set-up and servers are, and what can be done', async () => {
  await show()
  const first = await screen.findByRole('listitem', { name: 'One key' })
  expect(first.textContent).toContain('Ready')
  expect(first.textContent).toContain('web20010up')
  const second = screen.getByRole('listitem', { name: 'Two refunds' })
  expect(second.textContent).toContain('Set-up failedexit 1ERESOLVE')
  expect(within(second).getByRole('button', { name: 'Open' }).getAttribute('aria-disabled')).toBe('true')
  await user.click(within(second).getByRole('button', { name: 'Try again' }))
  expect(bridge.inputsOf('environment.setUp')).toMatchObject([{ id: 'two' }])
  await user.click(within(first).getByRole('button', { name: 'Open' }))
  expect(bridge.inputsOf('environment.open')).toMatchObject([{ id: 'one', name: 'web' }])
})

test('of several servers the one that listens is opened', async () => {
  const [first, ...others] = snapshot.worktrees as [WorktreeEnvironment, ...WorktreeEnvironment[]]
  const docs = { name: 'docs', port: 20_009, address: 'http://localhost:20009' }
  snapshot = { ...snapshot, worktrees: [{ ...first, ports: [docs, ...first.ports] }, ...others] }
  await show()
  await screen.findByRole('listitem', { name: 'One key' })
  await user.keyboard('o')
  expect(bridge.inputsOf('environment.open')).toMatchObject([{ id: 'one', name: 'web' }])
})

test('the keys move, run, stop, set up and open, and lead to the log', async () => {
  await show()
  await screen.findByRole('listitem', { name: 'One key' })
  await user.keyboard('r')
  expect(bridge.inputsOf('environment.stop')).toMatchObject([{ id: 'one', name: null }])
  await user.keyboard('j')
  expect(document.activeElement?.textContent).toContain('Two refunds')
  await user.keyboard('s')
  expect(bridge.inputsOf('environment.setUp')).toMatchObject([{ id: 'two' }])
  await user.keyboard('r')
  expect(bridge.inputsOf('environment.run')).toMatchObject([{ id: 'two', name: null }])
  await user.keyboard('ko')
  expect(bridge.inputsOf('environment.open')).toHaveLength(1)
  await user.keyboard('l')
  expect(document.activeElement?.getAttribute('role')).toBe('log')
})

test('the log follows the selected worktree and the chosen output, and is read again when it grows', async () => {
  await show()
  expect(await screen.findByText('line of one')).toBeTruthy()
  await user.click(screen.getByRole('radio', { name: 'web' }))
  expect(bridge.inputsOf('environment.log').at(-1)).toMatchObject({ id: 'one', source: 'web' })
  const asked = bridge.inputsOf('environment.log').length
  const [first, second] = snapshot.worktrees
  if (first === undefined || second === undefined) throw new Error('no worktrees')
  const grown = { ...snapshot, worktrees: [{ ...first, logSize: 99 }, second] }
  await act(async () => receiveEnvironments([{ type: 'environments', snapshot: grown }]))
  expect(bridge.inputsOf('environment.log').length).toBe(asked + 1)
  await user.click(screen.getByRole('button', { name: /Two refunds/ }))
  expect(await screen.findByText('line of two')).toBeTruthy()
})

test('commands that wait are shown whole, with what is new, and are decided as they were shown', async () => {
  snapshot = {
    ...snapshot,
    commands: { ...commands, approval: { state: 'changed', former: { setup: ['npm install'] } } },
  } as EnvironmentsSnapshot
  await show()
  const waiting = await screen.findByRole('region', { name: 'Commands that wait for you' })
  expect(waiting.textContent).toContain('The commands for worktrees have changed')
  expect(waiting.textContent).toContain('set-upnpm ci new')
  expect(waiting.textContent).toContain('hostpackages.example.com')
  await user.click(within(waiting).getByRole('button', { name: 'Approve' }))
  expect(bridge.inputsOf('environment.decide')).toMatchObject([{ digest: 'seen', decision: 'approved' }])
})

test('an overlap names file, lines and both tasks, and both agents can be messaged or one paused', async () => {
  const ids = ['one', 'two'] as const
  snapshot = { ...snapshot, overlaps: [{ path: 'src/money.ts', first: 40, last: 58, ids, since: 1 }] }
  await show()
  const line = within(await screen.findByRole('list', { name: 'Overlapping edits' })).getByRole('listitem')
  expect(line.textContent).toContain('Both change src/money.ts:40-58: “One key” and “Two refunds”')
  await user.click(within(line).getByRole('button', { name: 'Message both' }))
  await user.keyboard('Let the first do it{Enter}')
  expect(bridge.inputsOf('conversation.send')).toMatchObject([
    { agentId: 'a-one', content: 'Let the first do it' },
    { agentId: 'a-two', content: 'Let the first do it' },
  ])
  await user.click(within(line).getByRole('button', { name: 'Let one first' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Pause “Two refunds”' }))
  expect(bridge.inputsOf('agent.pause')).toMatchObject([{ agentId: 'a-two' }])
})

test('a worktree with a pull request has its mark, and G opens and closes it', async () => {
  await show()
  bridge.answer({
    'pullRequest.list': () => [{ id: 'one', number: 482, passed: 3, checks: 5 } as never],
  })
  cleanup()
  render(
    <TooltipProvider>
      <EnvironmentsView />
    </TooltipProvider>,
  )
  expect(await screen.findByText('#482 3/5')).toBeTruthy()
  const panel = () => screen.queryByRole('complementary', { name: 'Pull request' })
  expect(panel()).toBeNull()
  await user.keyboard('g')
  expect(panel()).not.toBeNull()
  await user.keyboard('g')
  expect(panel()).toBeNull()
})

test('without overlaps the line says so', async () => {
  await show()
  expect(await screen.findByText('No overlapping edits.')).toBeTruthy()
})

test('an empty view says what it is for, and a mistake of the file is named', async () => {
  snapshot = {
    ...snapshot,
    worktrees: [],
    commands: {
      ...commands,
      approval: { state: 'invalid' },
      problems: ['.troupe/environment.yaml:2: "runn" is not known here.'],
    } as EnvironmentsSnapshot['commands'],
  }
  await show()
  expect((await screen.findByRole('alert')).textContent).toContain('environment.yaml:2')
  expect(screen.getByText('No worktrees yet')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Ask an agent' })).toBeTruthy()
})

test('an overlap is compared side by side as the worktrees are now, and is read again when opened again', async () => {
  for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(1000)
  const lines = (change: (line: string, at: number) => string) =>
    Array.from({ length: 60 }, (_, at) => `${change(`line ${at + 1}`, at + 1)}\n`).join('')
  const texts: Record<string, ReviewFileText> = {
    one: {
      kind: 'text',
      before: lines((line) => line),
      after: lines((line, at) => (at > 39 && at < 59 ? `${line} mine` : line)),
    },
    two: {
      kind: 'text',
      before: lines((line) => line),
      after: lines((line, at) => (at === 3 || at === 41 ? `${line} theirs` : line)),
    },
  }
  const asked: string[] = []
  snapshot = {
    ...snapshot,
    overlaps: [{ path: 'src/money.ts', first: 40, last: 58, ids: ['one', 'two'], since: 1 }],
  }
  await show()
  bridge.answer({
    'review.changes': ({ id }) => {
      asked.push(`changes ${id}`)
      return { ...{ id, from: 'b', version: '1', files: [], commits: [], moreFiles: 0, asked: [] } }
    },
    'review.file': ({ id, path }) => {
      asked.push(`${path} ${id}`)
      return texts[id] ?? { kind: 'binary', bytesBefore: null, bytesAfter: null }
    },
  })
  const origin = await screen.findByRole('button', { name: /One key/ })
  await user.click(origin)
  await user.keyboard('c')
  const dialog = await screen.findByRole('dialog', { name: 'Compare src/money.ts:40-58' })
  expect(asked.filter((each) => each.startsWith('changes'))).toHaveLength(2)
  const grid = await within(dialog).findByRole('grid')
  expect(document.activeElement).toBe(grid)
  expect(dialog.textContent).toContain('One key')
  expect(dialog.textContent).toContain('Two refunds')
  const current = () =>
    within(grid)
      .getAllByRole('row')
      .find((each) => each.querySelector('.border-l-accent') !== null)
  await waitFor(() => expect(current()?.textContent).toContain('line 40'))
  await user.keyboard('p')
  await waitFor(() => expect(current()?.textContent).toContain('line 3'))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(document.activeElement).toBe(origin)

  texts['one'] = { kind: 'text', before: 'old\n', after: null }
  texts['two'] = { kind: 'too-large', bytesBefore: 1, bytesAfter: 9_000_000 }
  await user.click(screen.getByRole('button', { name: 'Compare' }))
  expect(await screen.findByText('This agent has deleted the file.')).toBeTruthy()
  expect(screen.getByText(/too large to compare/)).toBeTruthy()
  expect(asked).toHaveLength(8)
})
