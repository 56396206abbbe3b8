import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ProgramOffer, ProgramState } from '../../../shared/external-agents/known-program.ts'
import { showOverlay, useOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { deferred } from '../../testing/deferred.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { programState } from '../../testing/program-state.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { ExternalAgentList } from './external-agent-list.tsx'
import { ProgramsDialog } from './programs-dialog.tsx'
import { usePrograms } from './programs-store.ts'

let bridge: FakeBridge
const user = userEvent.setup()

beforeEach(() => usePrograms.setState(usePrograms.getInitialState(), true))
afterEach(cleanup)

async function start(programs: readonly ProgramState[], isOpen = true) {
  bridge = await startWindow()
  if (isOpen) localStorage.setItem('external-agents-open', 'yes')
  bridge.answer({ 'programs.list': () => programs })
}

async function dialog(programs: readonly ProgramState[], onCustom = vi.fn()) {
  showOverlay('programs')
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
      <ExternalAgentList />
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
  expect(useOverlay.getState().about).toBe('opencode')
})

const section = () =>
  render(
    <TooltipProvider>
      <ExternalAgentList />
    </TooltipProvider>,
  )

test('own definitions of programs are listed once and open the editor; the plus opens the dialog', async () => {
  await start([programState('codex')])
  const definition = (name: string) => ({
    ...{ name, description: 'Works.', source: 'user', color: 'blue', model: 'inherit', tools: null },
    ...{ hidden: false, isProgram: true as const },
  })
  useSession.setState({ definitions: [definition('goose'), definition('codex')] })
  section()
  await screen.findByText('codex')
  const rows = screen.getAllByRole('listitem').map(({ textContent }) => textContent)
  expect(rows).toEqual(['codexnot installed', 'goosedefined'])
  await user.click(screen.getByRole('button', { name: /^goose/ }))
  expect(useSession.getState().view).toBe('agents')
  showOverlay(null)
  await user.click(screen.getByRole('button', { name: 'Add an external agent…' }))
  expect(useOverlay.getState().overlay).toBe('programs')
  expect(useOverlay.getState().about).toBe(null)
})

test('programs that can’t be listed are told in the side bar and in the dialog', async () => {
  await start([])
  bridge.answer({
    'programs.list': () => {
      throw new Refusal('The data folder can’t be read.')
    },
  })
  section()
  expect(await screen.findByText('The data folder can’t be read.')).toBeTruthy()
  cleanup()
  render(
    <TooltipProvider>
      <ProgramsDialog open onClose={vi.fn()} onCustom={vi.fn()} />
    </TooltipProvider>,
  )
  expect((await screen.findByRole('alert')).textContent).toBe('The data folder can’t be read.')
})

test('a program is shown with its place, its problem and what Troupe can’t do with it; a second click folds it', async () => {
  const more = { version: '1.2', problem: 'It needs Node 22.', lacks: ['It reports no cost.'] }
  await dialog([
    programState('codex', { place: 'path', file: '/usr/bin/codex', ...more }),
    programState('gemini', { place: 'own', file: '/data/agents/gemini' }),
  ])
  await open('codex')
  const card = () => screen.getAllByRole('listitem')[0]!
  expect(card().textContent).toContain('Version 1.2. Found on your PATH: /usr/bin/codex')
  expect(within(card()).getByRole('alert').textContent).toBe('It needs Node 22.')
  expect(card().textContent).toContain('can’t start')
  expect(
    within(card()).getByRole('region', { name: 'What Troupe can’t do with codex' }).textContent,
  ).toContain('It reports no cost.')
  // A program of the user's own is never removed; Troupe's copy can be installed beside it.
  expect(within(card()).getByRole('button', { name: 'Install…' })).toBeTruthy()
  expect(within(card()).queryByRole('button', { name: 'Remove…' })).toBeNull()
  await open('codex')
  expect(screen.queryByText('It needs Node 22.')).toBeNull()
  await open('gemini')
  expect(screen.getByText(/Installed by Troupe/).textContent).toContain('/data/agents/gemini')
  expect(screen.queryByRole('button', { name: 'Install…' })).toBeNull()
})

test('an update names both versions, and nothing else can be pressed until it is answered', async () => {
  await dialog([programState('codex', { place: 'own', isUsed: true, update: '2.7.0' })])
  bridge.answer({ 'programs.offer': () => ({ ...offer, version: '2.7.0', former: '2.6.0' }) })
  await open('codex')
  await user.click(screen.getByRole('button', { name: 'Update to 2.7.0…' }))
  const question = await screen.findByRole('group', { name: 'Update codex' })
  expect(question.textContent).toContain('Update codex from 2.6.0 with npm?')
  for (const name of ['Don’t use', 'Check', 'Remove…'])
    expect(screen.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true')
  await user.click(within(question).getByRole('button', { name: 'Update' }))
  expect(bridge.inputsOf('programs.install')).toEqual([{ id: 'codex', version: '2.7.0' }])
  const work = { kind: 'update', line: 'Fetching' } as const
  act(() => bridge.push({ type: 'programs', programs: [programState('codex', { place: 'own', work })] }))
  expect(screen.getByRole('button', { name: /^codex/ }).textContent).toContain('updating…')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(bridge.inputsOf('programs.cancel')).toEqual([{ id: 'codex' }])
})

test('an installation that can’t work says why and can’t be confirmed', async () => {
  await dialog([programState('codex')])
  bridge.answer({ 'programs.offer': () => ({ ...offer, problem: 'It needs Node 22; here is Node 20.' }) })
  await open('codex')
  await user.click(screen.getByRole('button', { name: 'Install…' }))
  const question = await screen.findByRole('group', { name: 'Install codex' })
  expect(within(question).getByRole('alert').textContent).toBe('It needs Node 22; here is Node 20.')
  expect(
    within(question)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual(['Cancel'])
})

test('a check without a login says so', async () => {
  await dialog([programState('codex', { place: 'path', isUsed: true })])
  const can = { resume: true, images: false, mcp: [] }
  bridge.answer({
    'programs.check': () => ({ id: 'codex', name: null, version: null, ms: 1240, can, login: null }),
  })
  await open('codex')
  await user.click(screen.getByRole('button', { name: 'Check' }))
  expect((await screen.findByRole('status')).textContent).toBe(
    'It answers as codex, after 1.2 s. It can resume its sessions, and takes no images.No login is needed now.',
  )
})

test('the foot of the side bar is one line with the number of ready programs; it opens and stays open', async () => {
  const ready = { place: 'own', isUsed: true } as const
  await start([programState('codex', ready), programState('gemini'), programState('opencode')], false)
  section()
  const line = await screen.findByRole('button', { name: 'External agents 1 of 3 ready' })
  expect(screen.queryByRole('listitem')).toBeNull()
  await user.click(line)
  expect(screen.getAllByRole('listitem')).toHaveLength(3)
  cleanup()
  section()
  expect(await screen.findAllByRole('listitem')).toHaveLength(3)
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
