import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ProgramOffer, ProgramState } from '../../../shared/outside-program.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { usePrograms } from '../../stores/programs-store.ts'
import { deferred } from '../../testing/deferred.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { programState } from '../../testing/program-state.ts'
import { Refusal } from '../../testing/refusal.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/tooltip.tsx'
import { OutsideAgents } from './outside-agents.tsx'
import { ProgramsDialog } from './programs-dialog.tsx'

let bridge: FakeBridge
const user = userEvent.setup()

beforeEach(() => usePrograms.setState(usePrograms.getInitialState(), true))
afterEach(cleanup)

async function start(programs: readonly ProgramState[]) {
  bridge = await startWindow()
  bridge.answer({ 'programs.list': () => programs })
}

async function dialog(programs: readonly ProgramState[], onCustom = vi.fn()) {
  await start(programs)
  render(
    <TooltipProvider>
      <ProgramsDialog open onClose={vi.fn()} onCustom={onCustom} />
    </TooltipProvider>,
  )
  await screen.findByRole('list', { name: 'Programs' })
}

const open = (name: string) => user.click(screen.getByRole('button', { name: new RegExp(`^${name}`) }))

const offer: ProgramOffer = {
  ...{ id: 'codex', package: '@makers/codex-acp', version: '2.6.0', former: null },
  ...{ publisher: 'ada', bytes: 210_000_000, folder: '/data/agents/codex', problem: null },
}

test('the side bar tells the state of each program, and changes with its deltas', async () => {
  await start([
    programState('claude-code', { place: 'own', isUsed: true }),
    programState('codex', { place: 'own', isUsed: true, update: '2.6.0' }),
    programState('gemini', { place: 'path' }),
    programState('opencode'),
  ])
  render(
    <TooltipProvider>
      <OutsideAgents />
    </TooltipProvider>,
  )
  const rows = async () => (await screen.findAllByRole('listitem')).map(({ textContent }) => textContent)
  expect(await rows()).toEqual([
    'claude-codeready',
    'codexupdate available',
    'gemininot in use',
    'opencodenot installed',
  ])
  const working = programState('opencode', { work: { kind: 'install', line: 'Fetching' } })
  act(() => bridge.push({ type: 'programs', programs: [working] }))
  expect(await rows()).toEqual(['opencodeinstalling…'])
  await user.click(screen.getByRole('button', { name: /^opencode/ }))
  expect(useOverlay.getState().overlay).toBe('programs')
  expect(usePrograms.getState().selected).toBe('opencode')
})

test('the section folds, and stays folded', async () => {
  await start([programState('codex')])
  const section = () => (
    <TooltipProvider>
      <OutsideAgents />
    </TooltipProvider>
  )
  render(section())
  await screen.findByRole('listitem')
  await user.click(screen.getByRole('button', { name: 'Agents of others' }))
  expect(screen.queryByRole('listitem')).toBeNull()
  cleanup()
  render(section())
  expect(screen.queryByRole('listitem')).toBeNull()
})

test('an installation shows what it brings first, and nothing happens on Cancel', async () => {
  await dialog([programState('codex')])
  bridge.answer({ 'programs.offer': () => offer })
  await open('codex')
  await user.click(screen.getByRole('button', { name: 'Install…' }))
  const question = await screen.findByRole('group', { name: 'Install codex' })
  expect(document.activeElement).toBe(question)
  expect(question.textContent).toContain('@makers/codex-acp 2.6.0')
  expect(question.textContent).toContain('Published byada')
  expect(question.textContent).toContain('about 210 MB')
  expect(question.textContent).toContain('/data/agents/codex')
  await user.click(within(question).getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByRole('group')).toBeNull()
  expect(bridge.inputsOf('programs.install')).toEqual([])
})

test('an installation shows its progress and can be canceled; then nothing is told as a failure', async () => {
  await dialog([programState('codex')])
  const ended = deferred<void>()
  bridge.answer({
    'programs.offer': () => offer,
    'programs.install': () =>
      ended.promise.then(() => {
        throw new Refusal('It was canceled.', 'canceled')
      }),
  })
  await open('codex')
  await user.click(screen.getByRole('button', { name: 'Install…' }))
  await user.click(await screen.findByRole('button', { name: 'Install' }))
  expect(bridge.inputsOf('programs.install')).toEqual([{ id: 'codex', version: '2.6.0' }])
  const work = { kind: 'install', line: 'Fetching 34 packages' } as const
  act(() => bridge.push({ type: 'programs', programs: [programState('codex', { work })] }))
  expect(screen.getByRole('status').textContent).toBe('Fetching 34 packages')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(bridge.inputsOf('programs.cancel')).toEqual([{ id: 'codex' }])
  await act(async () => ended.resolve())
  act(() => bridge.push({ type: 'programs', programs: [programState('codex')] }))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a failed installation says why and what to do', async () => {
  await dialog([programState('codex')])
  bridge.answer({
    'programs.offer': () => {
      throw new Refusal('npm was not found. Install Node.js, which has it.', 'no-npm')
    },
  })
  await open('codex')
  await user.click(screen.getByRole('button', { name: 'Install…' }))
  expect((await screen.findByRole('alert')).textContent).toContain('Install Node.js')
  await user.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.queryByRole('alert')).toBeNull()
})

test('removing asks first', async () => {
  await dialog([programState('codex', { place: 'own', isUsed: true, file: '/data/agents/codex/x' })])
  await open('codex')
  await user.click(screen.getByRole('button', { name: 'Remove…' }))
  expect(bridge.inputsOf('programs.remove')).toEqual([])
  const question = screen.getByRole('group', { name: 'Remove codex' })
  await user.click(within(question).getByRole('button', { name: 'Remove' }))
  expect(bridge.inputsOf('programs.remove')).toEqual([{ id: 'codex' }])
})

test('a check tells the answer, and a needed login stays in the side bar’s state', async () => {
  await dialog([programState('codex', { place: 'path', isUsed: true })])
  bridge.answer({
    'programs.check': () => ({
      ...{ id: 'codex', name: 'codex-acp', version: '2.6.0', ms: 1200 },
      can: { resume: false, images: true, mcp: [] },
      login: { message: 'Not logged in.', methods: [{ id: 'a', name: 'ChatGPT', description: '' }] },
    }),
  })
  await open('codex')
  await user.click(screen.getByRole('button', { name: 'Check' }))
  const answer = await screen.findByRole('status')
  expect(answer.textContent).toContain('codex-acp 2.6.0')
  expect(answer.textContent).toContain('can’t resume')
  expect(answer.textContent).toContain('ChatGPT')
  expect(screen.getByRole('button', { name: /^codex/ }).textContent).toContain('needs a login')
})

test('a program that was only found is used once the user says so', async () => {
  await dialog([programState('gemini', { place: 'path' })])
  bridge.answer({ 'programs.use': () => [programState('gemini', { place: 'path', isUsed: true })] })
  await open('gemini')
  await user.click(screen.getByRole('button', { name: 'Use as an agent' }))
  expect(bridge.inputsOf('programs.use')).toEqual([{ id: 'gemini', used: true }])
  expect(await screen.findByRole('button', { name: 'Don’t use' })).toBeTruthy()
})

test('Custom opens the editor, and Look again looks at the disk', async () => {
  const onCustom = vi.fn()
  await dialog([programState('codex')], onCustom)
  await user.click(screen.getByRole('button', { name: /Look again/ }))
  expect(bridge.inputsOf('programs.list').at(-1)).toEqual({ again: true })
  await user.click(screen.getByRole('button', { name: /Custom/ }))
  expect(onCustom).toHaveBeenCalledOnce()
})
