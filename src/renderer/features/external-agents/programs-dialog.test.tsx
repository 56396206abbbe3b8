/** What an impatient user tries in the dialog of programs: double clicks, Escape, Enter twice, closing it while npm works. */
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ProgramOffer, ProgramState } from '../../../shared/external-agents/known-program.ts'
import { onNotice, showOverlay } from '../../stores/overlay-store.ts'
import { deferred } from '../../testing/deferred.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { programState } from '../../testing/program-state.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { ProgramsDialog } from './programs-dialog.tsx'
import { usePrograms } from './programs-store.ts'

let bridge: FakeBridge
let notices: string[] = []
let stopNotices = () => {}
const user = userEvent.setup()
const onClose = vi.fn()

beforeEach(() => {
  usePrograms.setState(usePrograms.getInitialState(), true)
  onClose.mockClear()
  notices = []
  stopNotices = onNotice(({ text }) => notices.push(text))
})
afterEach(() => {
  stopNotices()
  cleanup()
})

/** Opens the dialog with one program in full. */
async function open(program: ProgramState) {
  bridge = await startWindow()
  bridge.answer({ 'programs.list': () => [program], 'programs.offer': () => offer })
  act(() => showOverlay('programs'))
  render(
    <TooltipProvider>
      <ProgramsDialog open onClose={onClose} onCustom={vi.fn()} />
    </TooltipProvider>,
  )
  await screen.findByRole('list', { name: 'Known external agents' })
  await user.click(screen.getByRole('button', { name: /^codex/ }))
}

const offer: ProgramOffer = {
  ...{ id: 'codex', package: '@makers/codex-acp', version: '2.6.0', former: null },
  ...{ publisher: 'ada', bytes: 210_000_000, folder: '/data/agents/codex', problem: null },
}
const button = (name: string | RegExp) => screen.getByRole('button', { name })
const working = () =>
  act(() =>
    bridge.push({
      type: 'programs',
      programs: [programState('codex', { work: { kind: 'install', line: 'Fetching' } })],
    }),
  )

test('a double click on “Use as an agent” uses it once, and does not take it out again', async () => {
  await open(programState('codex', { place: 'path' }))
  bridge.answer({ 'programs.use': () => [programState('codex', { place: 'path', isUsed: true })] })
  const use = button('Use as an agent')
  await user.click(use)
  fireEvent.click(button('Don’t use'), { detail: 2 })
  expect(bridge.inputsOf('programs.use')).toEqual([{ id: 'codex', used: true }])
  // A click of its own takes it out.
  await user.click(button('Don’t use'))
  expect(bridge.inputsOf('programs.use').at(-1)).toEqual({ id: 'codex', used: false })
})

test('the second click of a double click on “Install” does not cancel the installation', async () => {
  await open(programState('codex'))
  bridge.answer({ 'programs.install': () => deferred<never>().promise })
  await user.click(button('Install…'))
  await user.click(await screen.findByRole('button', { name: 'Install' }))
  working()
  fireEvent.click(button('Cancel'), { detail: 2 })
  expect(bridge.inputsOf('programs.cancel')).toEqual([])
  await user.click(button('Cancel'))
  expect(bridge.inputsOf('programs.cancel')).toEqual([{ id: 'codex' }])
})

test('Escape cancels the question and leaves the dialog open; the next Escape closes it', async () => {
  await open(programState('codex', { place: 'own', isUsed: true }))
  await user.click(button('Remove…'))
  expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Remove codex' }))
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('group')).toBeNull()
  expect(onClose).not.toHaveBeenCalled()
  await user.keyboard('{Escape}')
  expect(onClose).toHaveBeenCalledOnce()
  expect(bridge.inputsOf('programs.remove')).toEqual([])
})

test('Enter twice on “Install…” and then on nothing installs nothing', async () => {
  await open(programState('codex'))
  button('Install…').focus()
  await user.keyboard('{Enter}{Enter}')
  expect(await screen.findByRole('group', { name: 'Install codex' })).toBeTruthy()
  await user.keyboard('{Enter}{Enter}')
  expect(bridge.inputsOf('programs.offer')).toHaveLength(1)
  expect(bridge.inputsOf('programs.install')).toEqual([])
})

test('a dialog that is closed while npm works tells the end in a notice', async () => {
  await open(programState('codex'))
  const ends = [deferred<void>(), deferred<void>()]
  let count = 0
  bridge.answer({
    'programs.install': async () => {
      const number = count++
      await ends[number]?.promise
      if (number === 0) throw new Refusal('The network is gone. Install it again.', 'no-network')
      return [programState('codex', { place: 'own', isUsed: true })]
    },
  })
  const install = async () => {
    act(() => showOverlay('programs', 'codex'))
    await user.click(button('Install…'))
    await user.click(await screen.findByRole('button', { name: 'Install' }))
    act(() => showOverlay(null))
  }
  await install()
  await act(async () => ends[0]?.resolve())
  expect(notices).toEqual(['codex was not installed. The network is gone. Install it again.'])
  expect(screen.getByRole('alert').textContent).toContain('The network is gone.')
  await user.click(button('Dismiss'))
  await install()
  await act(async () => ends[1]?.resolve())
  expect(notices.at(-1)).toBe('codex 2.6.0 is installed.')
})

test('an open dialog shows the failure itself, without a notice', async () => {
  await open(programState('codex'))
  bridge.answer({
    'programs.install': () => {
      throw new Refusal('npm was not found.', 'no-npm')
    },
  })
  await user.click(button('Install…'))
  await user.click(await screen.findByRole('button', { name: 'Install' }))
  expect((await screen.findByRole('alert')).textContent).toContain('npm was not found.')
  expect(notices).toEqual([])
})

test('“Look again” is busy until the answer, and looks once', async () => {
  await open(programState('codex'))
  const found = deferred<readonly ProgramState[]>()
  bridge.answer({ 'programs.list': () => found.promise })
  const before = bridge.inputsOf('programs.list').length
  const again = button('Look again')
  await user.dblClick(again)
  expect(again.getAttribute('aria-busy')).toBe('true')
  expect(bridge.inputsOf('programs.list')).toHaveLength(before + 1)
  await act(async () => found.resolve([programState('codex', { place: 'path' })]))
  expect(again.getAttribute('aria-busy')).toBe('false')
  expect(
    within(screen.getByRole('list', { name: 'Known external agents' })).getByText('not in use'),
  ).toBeTruthy()
})
