/** What agents changed in the shown conversation, and the undo or redo that the user looks at. */
import { useEffect } from 'react'
import { create } from 'zustand'
import type {
  ChangesList,
  ConflictChoice,
  UndoOutcome,
  UndoPreview,
  UndoScope,
} from '../../shared/changes/changes.ts'
import { changesAt } from '../../shared/changes/changes-amounts.ts'
import type { WindowDelta } from '../../shared/ipc/window-delta.ts'
import { command } from '../bridge.ts'
import { DelayedCall } from '../ui/machine.ts'
import { useConversation } from './conversation-store.ts'
import { changeDraft, draftKeyNow, draftOf, focusComposer, isEmptyDraft } from './draft-store.ts'
import { showNotice } from './overlay-store.ts'
import { openConversation } from './shown-conversation.ts'
import { leaveChanges, showStagePart } from './stage-store.ts'

/** An undo of these changes, or a redo of the last undo. */
type UndoQuestion =
  | { readonly kind: 'undo'; readonly scope: UndoScope; readonly title: string }
  | { readonly kind: 'redo'; readonly title: string }

interface AskedUndo {
  readonly conversationId: string
  readonly question: UndoQuestion
  /** Null until the first answer. */
  readonly preview: UndoPreview | null
  /** Whether the preview is that of these choices. */
  readonly isCurrent: boolean
  /** By path. */
  readonly choices: Readonly<Record<string, ConflictChoice>>
  /** For a message: whether a new conversation goes on from before it. */
  readonly continues: boolean
  /** Why there is no preview, or why nothing was undone. */
  readonly failure: string | null
  readonly busy: boolean
}

interface ChangesStore {
  readonly conversationId: string | null
  /** Null until the first answer. Of a past moment only what had changed by then. */
  readonly list: ChangesList | null
  /** What has changed by now. */
  readonly whole: ChangesList | null
  /** Why the changes can't be listed. */
  readonly failure: string | null
  readonly asked: AskedUndo | null
  /** Whether the list is to get the focus as soon as it is on the screen. */
  readonly wantsFocus: boolean
  /** The file to select, by path. */
  readonly wantedPath: string | null
}

export const useChanges = create<ChangesStore>()(() => ({
  conversationId: null,
  list: null,
  whole: null,
  failure: null,
  asked: null,
  wantsFocus: false,
  wantedPath: null,
}))

const { getState: get, setState: set } = useChanges

/** Several calls end together; the list is read once for all of them. */
const RELOAD_MS = 250
const reload = new DelayedCall(() => {
  const { conversationId } = useConversation.getState()
  if (conversationId !== null) void load(conversationId)
}, RELOAD_MS)

/** Shows the changes on the stage, or again what was there before. */
export function showChanges(isShown: boolean): void {
  set({ asked: null, wantsFocus: false })
  if (isShown) showStagePart('changes')
  else leaveChanges()
}

/** Shows the changes with the focus in their list. `path`: selects this file. */
export function openChanges(path: string | null = null): void {
  set({ asked: null, wantsFocus: true, wantedPath: path })
  showStagePart('changes')
}

/** Moves the focus to the list. */
export function focusChanges(): void {
  set({ wantsFocus: true })
}

/** The list has the focus that was asked for. */
export function changesFocused(): void {
  set({ wantsFocus: false })
}

/** The user selected another file than the wanted one. */
export function forgetWantedPath(): void {
  if (get().wantedPath !== null) set({ wantedPath: null })
}

/** Shows what going back to before a message of the user would do. */
export function backTo({ seq, title }: { readonly seq: number; readonly title: string }): void {
  showChanges(true)
  askUndo({ kind: 'undo', scope: { kind: 'message', seq }, title })
}

/** Shows what an undo of one call's changes would do. */
export function undoCall(scope: Extract<UndoScope, { kind: 'call' }>): void {
  showChanges(true)
  askUndo({ kind: 'undo', scope, title: 'Undo what this command changed' })
}

/** The number of the message that the shown preview goes back to; null: none. */
export function messageGoneBackTo({ asked }: Pick<ChangesStore, 'asked'>): number | null {
  if (asked === null || asked.question.kind !== 'undo' || !asked.continues) return null
  const { scope } = asked.question
  return scope.kind === 'message' ? scope.seq : null
}

function showNone(conversationId: string | null): void {
  set({ conversationId, list: null, whole: null, failure: null, asked: null, wantedPath: null })
}

/** Loads the changes of a conversation. */
export function useChangesOf(conversationId: string | null): void {
  useEffect(() => {
    // A return to the stage keeps what it showed.
    if (get().conversationId !== conversationId) showNone(conversationId)
    if (conversationId !== null) void load(conversationId)
    return () => reload.cancel()
  }, [conversationId])
  const pastAt = useConversation((state) => state.pastAt)
  useEffect(() => {
    const { whole, list } = get()
    if (whole === null) return
    const next = shownOf(whole, pastAt)
    // While a replay plays, most moments change nothing here.
    const size = ({ calls, messages, undos, user }: ChangesList) =>
      [calls, messages, undos, user].map(({ length }) => length).join()
    if (next === whole || list === whole || list === null || size(next) !== size(list)) set({ list: next })
  }, [pastAt])
}

/** What had changed at the moment that is shown; null: now. */
function shownOf(whole: ChangesList, at: number | null): ChangesList {
  const { lastOrder: order } = useConversation.getState()
  return at === null ? whole : changesAt(whole, { order, at }, PAST)
}

const PAST = 'You see a past moment. Go back to now to undo changes.'

/** Reads the list again after a recorded change or an undo. */
export function receiveChanges(deltas: readonly WindowDelta[]): void {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  const isChange = (delta: WindowDelta) =>
    (delta.type === 'event' && delta.event.type === 'files-changed') ||
    (delta.type === 'conversation-event' && delta.event.type === 'changes-undone')
  const isShown = (delta: WindowDelta) => 'conversationId' in delta && delta.conversationId === conversationId
  if (deltas.some((delta) => isChange(delta) && isShown(delta))) reload.schedule()
}

async function load(conversationId: string): Promise<void> {
  const answer = await command('changes.list', { conversationId })
  if (useConversation.getState().conversationId !== conversationId) return
  if (!answer.ok) set({ failure: answer.failure.message })
  else if (answer.value !== undefined) {
    const whole = answer.value
    set({ whole, list: shownOf(whole, useConversation.getState().pastAt), failure: null })
  }
}

/** Shows what an undo or a redo would do. */
export function askUndo(question: UndoQuestion): void {
  const { conversationId } = get()
  if (conversationId === null) return
  void preview({
    ...{ conversationId, question },
    ...{ preview: null, isCurrent: false, choices: {}, continues: true, failure: null, busy: false },
  })
}

/** For a message: whether a new conversation goes on from before it, or only the files go back. */
export function setContinues(continues: boolean): void {
  const { asked } = get()
  if (asked !== null && !asked.busy) set({ asked: { ...asked, continues } })
}

/** Decides about a file whose later changes overlap. */
export function chooseFor(path: string, choice: ConflictChoice): void {
  const { asked } = get()
  if (asked === null || asked.busy) return
  void preview({ ...asked, choices: { ...asked.choices, [path]: choice }, failure: null })
}

export function cancelUndo(): void {
  set({ asked: null })
}

async function preview(wanted: AskedUndo): Promise<void> {
  const asked = { ...wanted, isCurrent: false }
  set({ asked })
  const { conversationId, question, choices } = asked
  const answer =
    question.kind === 'redo'
      ? await command('changes.previewRedo', { conversationId, choices })
      : await command('changes.preview', { conversationId, scope: question.scope, choices })
  // The user asked something else meanwhile, or chose again.
  const now = get().asked
  if (now === null || now.question !== question || now.choices !== choices) return
  if (answer.ok) set({ asked: { ...now, preview: answer.value, isCurrent: true } })
  else set({ asked: { ...now, failure: answer.failure.message } })
}

/** Does what the preview says. If a file changed since, nothing is written and there is a new preview. */
export async function applyUndo(): Promise<void> {
  const { asked } = get()
  if (asked === null || asked.preview === null || !asked.isCurrent || asked.busy) return
  const busy = { ...asked, busy: true, failure: null }
  set({ asked: busy })
  const { conversationId, question, choices } = asked
  const { version } = asked.preview
  const answer =
    question.kind === 'redo'
      ? await command('changes.redo', { conversationId, version, choices })
      : await command('changes.undo', {
          conversationId,
          scope: question.scope,
          version,
          choices,
          continues: messageGoneBackTo({ asked }) !== null,
        })
  if (answer.ok) {
    const isStillShown = get().asked === busy
    if (isStillShown) set({ asked: null })
    const next = answer.value.conversationId
    if (next !== null)
      return continueFrom({ from: conversationId, to: next, text: asked.preview.messageText }, isStillShown)
    showNotice({ level: 'info', text: outcomeText(question, answer.value) })
    await load(conversationId)
  } else if (get().asked === busy) {
    const failed = { ...busy, busy: false, failure: answer.failure.message }
    if (answer.failure.type === 'moved') await preview(failed)
    else set({ asked: failed })
  }
}

interface WayBack {
  readonly from: string
  readonly to: string
  /** The message, for the composer. */
  readonly text: string
}

/** Shows the conversation that goes on from before a message, with the message in its composer. */
async function continueFrom({ from, to, text }: WayBack, isShown: boolean): Promise<void> {
  const undo = async () => {
    await openConversation(from)
    if (get().conversationId !== from) showNone(from)
    showChanges(true)
    askUndo({ kind: 'redo', title: 'Redo what going back undid' })
  }
  showNotice({
    level: 'info',
    text: 'Went back. The earlier conversation stays in the list.',
    action: { label: 'Undo this…', run: () => void undo() },
  })
  if (!isShown) return
  await openConversation(to)
  const key = draftKeyNow()
  if (text !== '' && isEmptyDraft(draftOf(key))) changeDraft(key, { text })
  focusComposer()
}

function outcomeText(question: UndoQuestion, { restored, merged, deleted, left }: UndoOutcome): string {
  const done = question.kind === 'redo' ? 'Redone' : 'Undone'
  const parts = [
    `${restored} put back`,
    `${merged} merged`,
    `${deleted} deleted`,
    `${left.length} left as they are`,
  ]
  return `${done}: ${parts.filter((part) => !part.startsWith('0 ')).join(', ') || 'no file changed'}.`
}
