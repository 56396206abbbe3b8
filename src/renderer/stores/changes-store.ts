/** What agents changed in the shown conversation, and the undo or redo that the user looks at. */
import { useEffect } from 'react'
import { create } from 'zustand'
import type {
  ChangesList,
  ConflictChoice,
  UndoOutcome,
  UndoPreview,
  UndoScope,
} from '../../shared/changes.ts'
import type { WindowDelta } from '../../shared/window-delta.ts'
import { command } from '../bridge.ts'
import { useConversation } from './conversation-store.ts'
import { showNotice } from './notice-store.ts'

/** An undo of these changes, or a redo of the last undo. */
export type UndoQuestion =
  | { readonly kind: 'undo'; readonly scope: UndoScope; readonly title: string }
  | { readonly kind: 'redo'; readonly title: string }

interface AskedUndo {
  readonly question: UndoQuestion
  /** Null until the first answer. */
  readonly preview: UndoPreview | null
  /** Whether the preview is that of these choices. */
  readonly isCurrent: boolean
  /** By path. */
  readonly choices: Readonly<Record<string, ConflictChoice>>
  /** Why there is no preview, or why nothing was undone. */
  readonly failure: string | null
  readonly busy: boolean
}

interface ChangesStore {
  readonly conversationId: string | null
  /** Whether the stage shows the changes instead of the panels. */
  readonly isShown: boolean
  /** Null until the first answer. */
  readonly list: ChangesList | null
  /** Why the changes can't be listed. */
  readonly failure: string | null
  readonly asked: AskedUndo | null
}

export const useChanges = create<ChangesStore>()(() => ({
  conversationId: null,
  isShown: false,
  list: null,
  failure: null,
  asked: null,
}))

const { getState: get, setState: set } = useChanges

/** Several calls end together; the list is read once for all of them. */
const RELOAD_MS = 250
let timer: ReturnType<typeof setTimeout> | null = null

/** Shows the changes on the stage, or its panels. */
export function showChanges(isShown: boolean): void {
  set({ isShown, asked: null })
}

/** Loads the changes of a conversation. */
export function useChangesOf(conversationId: string | null): void {
  useEffect(() => {
    // A return to the stage keeps what it showed.
    if (get().conversationId !== conversationId)
      set({ conversationId, isShown: false, list: null, failure: null, asked: null })
    if (conversationId !== null) void load(conversationId)
    return () => {
      if (timer !== null) clearTimeout(timer)
      timer = null
    }
  }, [conversationId])
}

/** Reads the list again after a recorded change or an undo. */
export function receiveChanges(deltas: readonly WindowDelta[]): void {
  const { conversationId } = useConversation.getState()
  if (conversationId === null || timer !== null) return
  const isChange = (delta: WindowDelta) =>
    (delta.type === 'event' && delta.event.type === 'files-changed') ||
    (delta.type === 'conversation-event' && delta.event.type === 'changes-undone')
  if (
    !deltas.some(
      (delta) => isChange(delta) && 'conversationId' in delta && delta.conversationId === conversationId,
    )
  )
    return
  timer = setTimeout(() => {
    timer = null
    void load(conversationId)
  }, RELOAD_MS)
}

async function load(conversationId: string): Promise<void> {
  const answer = await command('changes.list', { conversationId })
  if (useConversation.getState().conversationId !== conversationId) return
  if (!answer.ok) set({ failure: answer.failure.message })
  else if (answer.value !== undefined) set({ list: answer.value, failure: null })
}

/** Shows what an undo or a redo would do. */
export function askUndo(question: UndoQuestion): void {
  void preview({ question, preview: null, isCurrent: false, choices: {}, failure: null, busy: false })
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
  const conversationId = get().list?.conversationId
  if (conversationId === undefined) return
  const asked = { ...wanted, isCurrent: false }
  set({ asked })
  const { question, choices } = asked
  const answer =
    question.kind === 'redo'
      ? await command('changes.previewRedo', { conversationId, choices })
      : await command('changes.preview', { conversationId, scope: question.scope, choices })
  // The user asked something else meanwhile, or chose again.
  if (get().asked !== asked) return
  if (answer.ok) set({ asked: { ...asked, preview: answer.value, isCurrent: true } })
  else set({ asked: { ...asked, failure: answer.failure.message } })
}

/** Does what the preview says. If a file changed since, nothing is written and there is a new preview. */
export async function applyUndo(): Promise<void> {
  const { asked, list } = get()
  if (asked === null || asked.preview === null || !asked.isCurrent || asked.busy || list === null) return
  const busy = { ...asked, busy: true, failure: null }
  set({ asked: busy })
  const { question, choices } = asked
  const { conversationId } = list
  const { version } = asked.preview
  const answer =
    question.kind === 'redo'
      ? await command('changes.redo', { conversationId, version, choices })
      : await command('changes.undo', {
          conversationId,
          scope: question.scope,
          version,
          choices,
          continues: false,
        })
  if (answer.ok) {
    showNotice({ level: 'info', text: outcomeText(question, answer.value) })
    if (get().asked === busy) set({ asked: null })
    await load(conversationId)
  } else if (get().asked === busy) {
    const failed = { ...busy, busy: false, failure: answer.failure.message }
    if (answer.failure.type === 'moved') await preview(failed)
    else set({ asked: failed })
  }
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
