/** The tutorial that was started last, and the user's actions on it. */
import { create } from 'zustand'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { TUTORIAL_TASK, type TutorialState, type TutorialStep } from '../../../shared/tutorial/tutorial.ts'
import { command } from '../../bridge.ts'
import { draftOf, focusComposer, isEmptyDraft, setDraft } from '../../stores/draft-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { openFolderAt } from '../../stores/session-feed.ts'
import { useSession } from '../../stores/session-store.ts'

interface TutorialStore {
  /** Null: none was started, or its conversation is gone. */
  readonly state: TutorialState | null
  /** The tutorial's conversation, also before the state has loaded: the first frame asks for no access to models. */
  readonly conversationId: string | null
}

const STORAGE = 'tutorial-conversation'

export const useTutorial = create<TutorialStore>()(() => ({
  state: null,
  conversationId: localStorage.getItem(STORAGE),
}))

function show(state: TutorialState | null): void {
  useTutorial.setState({ state, conversationId: state?.conversationId ?? null })
  if (state === null) localStorage.removeItem(STORAGE)
  else localStorage.setItem(STORAGE, state.conversationId)
}

export function receiveTutorial(deltas: readonly WindowDelta[]): void {
  const last = deltas.findLast((delta) => delta.type === 'tutorial')
  if (last?.type === 'tutorial') show(last.state)
}

export async function loadTutorial(): Promise<void> {
  take(await command('tutorial.state', {}))
}

/** Whether the window shows the conversation of a tutorial. It needs no access to models: a script plays it. */
export function useShowsTutorial(): boolean {
  const conversationId = useTutorial((tutorial) => tutorial.conversationId)
  return useSession((state) => conversationId !== null && state.conversationId === conversationId)
}

/**
 * Shows the tutorial, with the focus on its guide if it is shown already. A new one is started on a new copy of the sample
 * project: the first time, and `again`.
 */
export async function openTutorial({ again = false } = {}): Promise<void> {
  const answer = await command('tutorial.start', { again })
  if (!answer.ok) return showFailure(answer.failure)
  const { conversationId, folder, done } = answer.value
  show(answer.value)
  if (useSession.getState().conversationId === conversationId && !again) return focusGuide()
  if (!(await openFolderAt(folder, conversationId))) return
  if (!done.includes('send') && isEmptyDraft(draftOf(conversationId))) putMessage(TUTORIAL_TASK)
  else focusComposer()
}

/** Puts a message for the main agent in place of the unsent one. */
export function putMessage(text: string): void {
  const { state } = useTutorial.getState()
  if (state === null) return
  setDraft(state.conversationId, { ...draftOf(state.conversationId), text, recipientId: null })
  focusComposer()
}

export async function skipStep(step: TutorialStep): Promise<void> {
  take(await command('tutorial.skip', { step }))
}

/** Hides the guide. */
export async function leaveTutorial(): Promise<void> {
  take(await command('tutorial.leave', {}))
  focusComposer()
}

/** Ends the program at once. @returns why it did not end */
export async function endProgram(): Promise<string | null> {
  const answer = await command('tutorial.endProgram', {})
  return answer.ok ? null : answer.failure.message
}

function take(answer: Answer<TutorialState | null>): void {
  if (answer.ok) show(answer.value)
  else showFailure(answer.failure)
}

function focusGuide(): void {
  document.querySelector<HTMLElement>('[data-tutorial] button')?.focus()
}
