/** The tutorial's way through the window: from the first run to the guide, away from it, and back. */
import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { AgentState } from '../../shared/state/agent-state.ts'
import { sampleAgent, snapshotOf } from '../../shared/testing/sample-log.ts'
import type { TutorialState } from '../../shared/tutorial/tutorial.ts'
import { useTutorial } from '../features/tutorial/tutorial-store.ts'
import { showOverlay } from '../stores/overlay-store.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import { deferred } from '../testing/deferred.ts'
import { Refusal } from '../testing/fake-handlers.ts'
import { FOLDER, startWindow } from '../testing/start-window.tsx'
import { runCommand } from './command-actions.ts'
import { Window } from './window.tsx'

afterEach(() => {
  cleanup()
  useTutorial.setState({ state: null, conversationId: null })
  showOverlay(null)
})

const user = userEvent.setup()
const SAMPLE = { ...FOLDER, path: '/home/Troupe sample 1', name: 'Troupe sample 1' }
const BEGUN: TutorialState = {
  ...{
    conversationId: 'c-tutorial',
    folder: SAMPLE.path,
    done: [],
    skipped: [],
    isLeft: false,
    hasGit: true,
  },
}
const NO_ACCESS = { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' } as const

async function open(state: TutorialState = BEGUN, agents: readonly AgentState[] = []) {
  let now = state
  const bridge = await startWindow({ folder: null, access: NO_ACCESS })
  bridge.answer({
    'tutorial.start': () => {
      now = { ...now, isLeft: false }
      return now
    },
    'tutorial.skip': ({ step }) => {
      now = { ...now, skipped: [...now.skipped, step] }
      return now
    },
    'tutorial.leave': () => {
      now = { ...now, isLeft: true }
      return now
    },
    'folder.open': () => SAMPLE,
    'conversation.subscribe': () =>
      snapshotOf('c-tutorial', [...snapshotOf('c-tutorial').agents, ...agents], {
        folder: SAMPLE.path,
        rehearsal: true,
      }),
  })
  render(<Window />)
  await user.click(await screen.findByRole('button', { name: /Try the tutorial/ }))
  return { bridge, guide: await screen.findByRole('complementary', { name: 'Tutorial' }) }
}

test('the first run leads to the task in the composer, without a question about access', async () => {
  const { guide } = await open()
  const composer = await screen.findByRole('textbox', { name: 'Message' })
  expect((composer as HTMLTextAreaElement).value).toContain('only 9.99 came back')
  expect(within(guide).getByText('Send the task')).toBeTruthy()
  expect(within(guide).getByText('0 of 7 done')).toBeTruthy()
})

test('a state from the main process ticks steps; a skipped one is not done', async () => {
  const { bridge, guide } = await open()
  act(() => bridge.push({ type: 'tutorial', state: { ...BEGUN, done: ['send', 'stop'] } }))
  expect(await within(guide).findByText('2 of 7 done')).toBeTruthy()
  expect(within(guide).getByText('Send the task: done')).toBeTruthy()
  expect(within(guide).getByText('Answer a request: now')).toBeTruthy()
  await user.click(within(guide).getByRole('button', { name: 'Skip this step' }))
  expect(bridge.inputsOf('tutorial.skip')).toEqual([{ step: 'answer' }])
})

test('left, the guide is gone, and the palette’s command brings it back', async () => {
  const { guide } = await open()
  await user.click(within(guide).getByRole('button', { name: 'Leave the tutorial' }))
  expect(screen.queryByRole('complementary', { name: 'Tutorial' })).toBe(null)
  act(() => runCommand('tutorial'))
  expect(await screen.findByRole('complementary', { name: 'Tutorial' })).toBeTruthy()
})

test('the end is asked about first, and a refusal is shown', async () => {
  const done = ['send', 'answer', 'stop', 'message', 'undo', 'merge'] as const
  const check = sampleAgent({ agentId: 'a-check', parentId: 'main', task: 'Check the README' })
  const { bridge, guide } = await open({ ...BEGUN, done }, [check])
  bridge.answer({
    'tutorial.endProgram': () => {
      throw new Refusal('No tutorial is open, so nothing was ended.')
    },
  })
  await user.click(await within(guide).findByRole('button', { name: 'End the program now…' }))
  expect(bridge.inputsOf('tutorial.endProgram')).toEqual([])
  const dialog = await screen.findByRole('dialog')
  await user.click(within(dialog).getByRole('button', { name: 'End the program' }))
  expect(await within(dialog).findByText('No tutorial is open, so nothing was ended.')).toBeTruthy()
})

test('after a restart the first frame asks for no access, before the state has loaded', async () => {
  useTutorial.setState({ state: null, conversationId: 'c-tutorial' })
  const bridge = await startWindow({ folder: SAMPLE, access: NO_ACCESS })
  const state = deferred<TutorialState>()
  bridge.answer({
    'tutorial.state': () => state.promise,
    'conversation.subscribe': () => snapshotOf('c-tutorial', undefined, { folder: SAMPLE.path }),
  })
  await act(() => openConversation('c-tutorial'))
  render(<Window />)
  expect(await screen.findByRole('textbox', { name: 'Message' })).toBeTruthy()
  expect(screen.queryByText('Choose a model source')).toBe(null)
  await act(async () => state.resolve(BEGUN))
  expect(await screen.findByRole('complementary', { name: 'Tutorial' })).toBeTruthy()
})

test('a copy that fails says why, and the question stays', async () => {
  const bridge = await startWindow({ folder: null, access: NO_ACCESS })
  bridge.answer({
    'tutorial.start': () => {
      throw new Refusal('The sample project could not be copied: the disk is read-only.')
    },
  })
  render(<Window />)
  await user.click(await screen.findByRole('button', { name: /Try the tutorial/ }))
  expect(screen.getByText('Where should agents work?')).toBeTruthy()
  expect(bridge.inputsOf('tutorial.start')).toEqual([{ again: false }])
})
