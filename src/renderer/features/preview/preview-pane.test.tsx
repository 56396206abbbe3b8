import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { newEnvironment } from '../../../shared/environments/environment.ts'
import type { WorktreeEnvironment } from '../../../shared/environments/environments.ts'
import { addProblem, noProblems, type PreviewState } from '../../../shared/preview/preview.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { PreviewPane } from './preview-pane.tsx'
import { receivePreview, togglePreview, usePreview } from './preview-store.ts'

const user = userEvent.setup()

const worktree: WorktreeEnvironment = {
  ...{
    id: 'one',
    task: 'One key',
    branch: 'troupe/one',
    path: '/data/one',
    agentId: 'a',
    conversationId: 'c',
  },
  ...{ color: 'blue', isThere: true, logSize: 10 },
  state: { ...newEnvironment, runs: { web: { kind: 'running', since: 1, isUp: false } } },
  ports: [{ name: 'web', port: 20_010, address: 'http://localhost:20010' }],
}

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  usePreview.setState(usePreview.getInitialState())
})

async function show() {
  const bridge = await startWindow()
  bridge.answer({ 'conversation.send': () => ({ messageId: 'm', queued: false }) })
  togglePreview(worktree)
  const onRun = vi.fn()
  const pane = (shown: WorktreeEnvironment) => (
    <TooltipProvider>
      <PreviewPane folder="/work/shop" worktree={shown} name="web" onRun={onRun} />
    </TooltipProvider>
  )
  const view = render(pane(worktree))
  await expect.poll(() => usePreview.getState().page).not.toBeNull()
  const push = (state: Partial<PreviewState>) =>
    act(async () => {
      const { page } = usePreview.getState()
      if (page !== null) receivePreview([{ type: 'preview', state: { ...page, ...state } }])
    })
  return {
    bridge,
    push,
    onRun,
    unmount: view.unmount,
    change: (to: WorktreeEnvironment) => view.rerender(pane(to)),
  }
}

test('the page is opened, goes where a path was typed, and ends with the pane', async () => {
  const { bridge, unmount } = await show()
  expect(bridge.inputsOf('preview.open')).toEqual([
    { folder: '/work/shop', id: 'one', name: 'web', path: '/' },
  ])
  const field = screen.getByRole('textbox', { name: 'Path of the page' })
  await user.clear(field)
  await user.type(field, 'cart{Enter}')
  expect(bridge.inputsOf('preview.go')).toEqual([{ path: '/cart' }])
  await user.keyboard('{F6}')
  expect(bridge.inputsOf('preview.act')).toEqual([{ action: 'focus' }])
  unmount()
  expect(bridge.inputsOf('preview.close')).toHaveLength(1)
})

test('a server that starts is asked again and again, and one that does not run can be started', async () => {
  const { bridge, push, change, onRun } = await show()
  vi.useFakeTimers()
  for (let tries = 1; tries <= 3; tries++) {
    await push({ failure: 'The server does not answer yet.' })
    await act(() => vi.advanceTimersByTimeAsync(1000))
    expect(bridge.inputsOf('preview.act')).toHaveLength(tries)
  }
  vi.useRealTimers()
  change({ ...worktree, state: newEnvironment })
  expect(screen.getByRole('status').textContent).toContain('“web” does not run')
  await user.click(screen.getByRole('button', { name: 'Run' }))
  expect(onRun).toHaveBeenCalledOnce()
})

test('the chosen problems go to the agent of the worktree, and are forgotten', async () => {
  const { bridge, push } = await show()
  const error = (text: string) => ({ kind: 'error' as const, text, where: null })
  await push({ problems: addProblem(addProblem(noProblems, error('first')), error('second')) })
  await user.click(screen.getByRole('checkbox', { name: /first/ }))
  await user.click(screen.getByRole('button', { name: 'Send 1 to agent' }))
  const [sent] = bridge.inputsOf('conversation.send')
  expect(sent).toMatchObject({ conversationId: 'c', agentId: 'a' })
  expect(JSON.stringify(sent)).toContain('| second')
  expect(JSON.stringify(sent)).not.toContain('| first')
  expect(bridge.inputsOf('preview.act')).toEqual([{ action: 'forget' }])
})

function WantedPreview({ worktree: shown }: { readonly worktree: WorktreeEnvironment }) {
  const wanted = usePreview((state) => state.wanted)
  return wanted && <PreviewPane folder="/work" worktree={shown} name={wanted.name} onRun={() => {}} />
}

test('of several servers the first that listens is shown, another one is chosen and shown the next time', async () => {
  const bridge = await startWindow()
  const lastOpened = () => bridge.inputsOf('preview.open').at(-1)
  const both: WorktreeEnvironment = {
    ...worktree,
    state: {
      ...worktree.state,
      runs: { api: { kind: 'running', since: 1, isUp: true } },
    },
    ports: [...worktree.ports, { name: 'api', port: 20_011, address: 'http://localhost:20011' }],
  }
  togglePreview(both)
  render(
    <TooltipProvider>
      <WantedPreview worktree={both} />
    </TooltipProvider>,
  )
  expect(await screen.findByText('localhost:20011')).toBeTruthy()
  expect(lastOpened()).toMatchObject({ id: 'one', name: 'api', path: '/' })
  await expect.poll(() => usePreview.getState().page).not.toBeNull()
  const { page } = usePreview.getState()
  if (page === null) throw new Error('no page')
  await act(async () => receivePreview([{ type: 'preview', state: { ...page, path: '/health' } }]))
  screen.getByRole('button', { name: 'Server of the page: api' }).focus()
  await user.keyboard('{Enter}')
  await user.click(await screen.findByRole('menuitemradio', { name: /web/ }))
  expect(await screen.findByText('localhost:20010')).toBeTruthy()
  expect(lastOpened()).toMatchObject({ name: 'web', path: '/' })
  await act(async () => {
    togglePreview(both)
    togglePreview(both)
  })
  expect(lastOpened()).toMatchObject({ name: 'web' })
  await user.click(screen.getByRole('button', { name: 'Server of the page: web' }))
  await user.click(await screen.findByRole('menuitemradio', { name: /api/ }))
  expect(lastOpened()).toMatchObject({ name: 'api', path: '/health' })
})
