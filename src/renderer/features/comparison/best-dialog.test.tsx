/** What an impatient user tries in the dialog for several agents: Enter twice, no task, another try, a program as an agent. */
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DefinitionInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import { snapshotOf } from '../../../shared/testing/sample-log.ts'
import { askForComparison } from '../../stores/comparison-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { changeDraft, clearDraft, draftKeyNow, draftOf } from '../../stores/draft-store.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { deferred } from '../../testing/deferred.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { FOLDER } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { BestDialog } from './best-dialog.tsx'

let bridge: FakeBridge
const user = userEvent.setup()
const started = { comparisonId: 'b-1' }

const agent = (name: string, more: Partial<DefinitionInfo> = {}): DefinitionInfo => ({
  ...{ name, description: `Works as ${name}.`, source: 'user', color: 'blue', model: 'inherit' },
  ...{ tools: null, hidden: false, ...more },
})

beforeEach(() => {
  bridge = installFakeBridge({
    'comparison.start': () => started,
    'comparison.suggestCheck': () => null,
    'access.models': () => [],
  })
  useSession.setState({
    folder: FOLDER,
    conversationId: 'c1',
    definitions: [agent('general-purpose'), agent('codex', { isProgram: true })],
  })
  useConversation.setState({ conversationId: 'c1', readOnly: false, record: snapshotOf('c1').record })
})
afterEach(() => {
  cleanup()
  clearDraft(draftKeyNow())
  useOverlay.setState({ overlay: null })
})

function Overlay() {
  const overlay = useOverlay((state) => state.overlay)
  return <BestDialog open={overlay === 'best'} onClose={() => useOverlay.setState({ overlay: null })} />
}

function ask(task: string) {
  render(<Overlay />, { wrapper: TooltipProvider })
  act(() => askForComparison(task))
}

const task = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Task' })

test('Enter twice in the field of the check starts the agents once', async () => {
  const answer = deferred<typeof started>()
  bridge.answer({ 'comparison.start': () => answer.promise })
  ask('Fix it')
  await user.type(screen.getByRole('textbox', { name: 'Check' }), 'npm test{Enter}{Enter}')
  expect(bridge.inputsOf('comparison.start')).toHaveLength(1)
  // The dialog closes and gives its focus back within this step: outside of one, React would be at work when it moves.
  await act(async () => {
    answer.resolve(started)
    await new Promise<void>((resolve) => setTimeout(resolve))
  })
  expect(useOverlay.getState().overlay).toBeNull()
})

test('without a task nothing starts, and the empty field says what to write', async () => {
  ask('')
  expect(task().placeholder).toBe('What should each agent do?')
  await user.type(task(), '   {Control>}{Enter}{/Control}')
  expect(bridge.inputsOf('comparison.start')).toEqual([])
  expect(screen.getByRole('button', { name: 'Start 2 agents' }).getAttribute('aria-disabled')).toBe('true')
})

test('in a folder without git nothing can start, and the dialog says what is missing', async () => {
  useSession.setState({ folder: { ...FOLDER, gitBranch: null, dirtyFiles: null } })
  ask('Fix it')
  expect(screen.getByRole('note').textContent).toContain('Run git init and make a first commit')
  // The reason is no error above a button that could be pressed.
  expect(screen.getByRole('alert').textContent).toBe('')
  const start = screen.getByRole('button', { name: 'Start 2 agents' })
  expect(start.getAttribute('aria-disabled')).toBe('true')
  await user.type(task(), '{Control>}{Enter}{/Control}')
  expect(bridge.inputsOf('comparison.start')).toEqual([])
  // A git init in a terminal is enough.
  act(() => useSession.setState({ folder: FOLDER }))
  expect(screen.queryByRole('note')).toBe(null)
  expect(start.getAttribute('aria-disabled')).not.toBe('true')
})

test('a former failure is gone while the agents start again', async () => {
  bridge.answer({
    'comparison.start': () => {
      throw new Refusal('This folder is not a git repository. Run git init first.')
    },
  })
  ask('Fix it')
  await user.click(screen.getByRole('button', { name: 'Start 2 agents' }))
  expect((await screen.findByRole('alert')).textContent).toContain('git init')
  const answer = deferred<typeof started>()
  bridge.answer({ 'comparison.start': () => answer.promise })
  await user.click(screen.getByRole('button', { name: 'Start 2 agents' }))
  expect(screen.getByRole('alert').textContent).toBe('')
  await act(async () => answer.resolve(started))
})

test('Escape clears the task first, Ctrl+Z brings it back, and a second Escape closes', async () => {
  ask('Fix it')
  await user.click(task())
  await user.keyboard('{Escape}')
  expect(useOverlay.getState().overlay).toBe('best')
  expect(task().value).toBe('')
  expect(screen.getByText('Cleared. Ctrl Z undoes this, Esc closes.')).toBeTruthy()
  await user.keyboard('{Control>}z{/Control}')
  expect(task().value).toBe('Fix it')
  await user.keyboard('{Escape}{Escape}')
  expect(useOverlay.getState().overlay).toBeNull()
  // What was cleared is not lost.
  expect(draftOf(draftKeyNow()).text).toBe('Fix it')
})

test('Escape at once keeps a pasted task with line breaks, emoji and right-to-left text in the composer', async () => {
  ask('')
  await user.click(task())
  await user.paste('Fix 🪿\nשלום \u202E abc')
  await user.keyboard('{Escape}{Escape}')
  expect(useOverlay.getState().overlay).toBeNull()
  expect(draftOf(draftKeyNow()).text).toBe('Fix 🪿\nשלום \u202E abc')
  expect(bridge.inputsOf('comparison.start')).toEqual([])
})

test('a task that could not start returns to the composer of the conversation that was made for it', async () => {
  changeDraft(draftKeyNow(), { text: 'Fix it' })
  const before = draftKeyNow()
  bridge.answer({
    'comparison.start': () => {
      throw new Refusal('This folder is not a git repository. Run git init first.')
    },
  })
  ask('Fix it')
  await user.click(screen.getByRole('button', { name: 'Start 2 agents' }))
  await screen.findByText(/git init/)
  act(() => useSession.setState({ conversationId: 'made' }))
  await user.keyboard('{Escape}')
  expect(draftOf(draftKeyNow()).text).toBe('Fix it')
  expect(draftOf(before).text).toBe('')
})

test('an external agent has a plug, and its models are its own', async () => {
  ask('Fix it')
  const chosen = screen.getByRole('button', { name: 'Agent 1: general-purpose' })
  expect(chosen.querySelector('.lucide-plug')).toBeNull()
  await user.click(chosen)
  await user.click(await screen.findByRole('menuitemradio', { name: /^codex/ }))
  expect(screen.getByRole('button', { name: 'Agent 1: codex' }).querySelector('.lucide-plug')).not.toBeNull()
  await user.click(screen.getByRole('button', { name: 'Model of agent 1: Its own model' }))
  expect(await screen.findByText('Counts if the program offers a model of this name.')).toBeTruthy()
})
