/** What other agent programs keep, as the side bar lists it. Asked for only when the user looks. */
import { useEffect, useState } from 'react'
import { create } from 'zustand'
import {
  type HistoryEntry,
  type HistoryProgram,
  type HistorySource,
  historyProgramOf,
} from '../../../shared/histories/history.ts'
import { command, LatestAnswer } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { changeSettings } from '../../stores/settings-store.ts'
import { openConversation, switchConversation, takeConversation } from '../../stores/shown-conversation.ts'

interface HistoriesState {
  /** Null: not loaded yet. */
  readonly sources: readonly HistorySource[] | null
  readonly loading: boolean
  /** Whether the list of programs is open, and which programs are. */
  readonly isOpen: boolean
  readonly open: ReadonlySet<HistoryProgram>
  /** The history that is being copied; null: none. */
  readonly copying: string | null
}

export const useHistories = create<HistoriesState>()(() => ({
  ...{ sources: null, loading: false, isOpen: false, open: new Set(), copying: null },
}))

const lists = new LatestAnswer()

/** Asks again what there is: files that have not changed are not read. */
async function loadHistories(): Promise<void> {
  const isLatest = lists.begin()
  useHistories.setState({ loading: true })
  const answer = await command('history.list', {})
  if (!isLatest()) return
  useHistories.setState({ loading: false, ...(answer.ok && { sources: answer.value }) })
  if (!answer.ok) showFailure(answer.failure)
}

export function toggleHistories(): void {
  const isOpen = !useHistories.getState().isOpen
  useHistories.setState({ isOpen })
  if (isOpen) void loadHistories()
}

export function toggleProgram(program: HistoryProgram): void {
  useHistories.setState(({ open }) => {
    const next = new Set(open)
    if (!next.delete(program)) next.add(program)
    return { open: next }
  })
}

/** Whether Troupe may read what a program keeps: the user's answer, which the settings keep. */
export async function letRead(program: HistoryProgram, isLet: boolean): Promise<void> {
  const { histories } = useSession.getState().settings
  const answer = await changeSettings({ histories: { ...histories, [program]: isLet } })
  if (!answer.ok) return showFailure(answer.failure)
  if (isLet) useHistories.setState(({ open }) => ({ open: new Set([...open, program]) }))
  await loadHistories()
}

/** Shows a history in this window, whatever folder it is of. */
export async function openHistory({ id }: Pick<HistoryEntry, 'id'>): Promise<void> {
  await openConversation(id)
}

/** Ends the reading of the history that is being opened. @returns false: none is */
export function stopReadingHistory(): boolean {
  const { conversationId, phase } = useConversation.getState()
  if (phase !== 'loading' || conversationId === null || historyProgramOf(conversationId) === null)
    return false
  void command('history.cancel', { conversationId })
  return true
}

/** How far a history is read, from 0 to 1; null: unknown. */
export function useReadingProgress(conversationId: string): number | null {
  const [part, setPart] = useState<number | null>(null)
  useEffect(() => {
    const ask = async () => {
      const answer = await command('history.progress', { conversationId })
      if (answer.ok) setPart(answer.value)
    }
    const timer = setInterval(() => void ask(), ASK_AFTER)
    return () => clearInterval(timer)
  }, [conversationId])
  return part
}

/** ms */
const ASK_AFTER = 300

/** Goes on with a history as a conversation of its folder, or of the one given. */
export async function continueHistory(conversationId: string, folder?: string): Promise<void> {
  if (useHistories.getState().copying !== null) return
  useHistories.setState({ copying: conversationId })
  const answer = await command('history.continue', {
    conversationId,
    ...(folder !== undefined && { folder }),
  })
  useHistories.setState({ copying: null })
  if (!answer.ok) {
    const here = useSession.getState().folder
    // The folder of the original may be gone: the one that is open takes its place if the user wants that.
    if (answer.failure.type !== 'folder-gone' || here === null) return showFailure(answer.failure)
    showNotice({
      level: 'error',
      text: answer.failure.message,
      action: {
        label: `Continue in ${here.name}`,
        run: () => void continueHistory(conversationId, here.path),
      },
    })
    return
  }
  takeConversation(answer.value)
  // The user may have opened another conversation meanwhile.
  if (useConversation.getState().conversationId !== conversationId) return
  if (answer.value.folder === useSession.getState().folder?.path) await switchConversation(answer.value.id)
  else await openConversation(answer.value.id)
  focusComposer()
}
