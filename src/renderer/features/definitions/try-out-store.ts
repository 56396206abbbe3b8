/** The tried-out definition: a scratch conversation whose main agent is the editor's text. */
import { create } from 'zustand'
import { command } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { leaveScratch } from '../../stores/shown-conversation.ts'

export interface TryOut {
  /** The definition's id in the editor. */
  readonly id: string
  /** Whether the id is an entry of the agent catalog; false: never saved. */
  readonly hasFile: boolean
  readonly name: string
  /** The text at the start. */
  readonly text: string
  /** Whether the agent works in a git worktree of its own, not in the folder. */
  readonly worktree: boolean
  /** Null while the conversation starts, or if the start failed. */
  readonly conversationId: string | null
  readonly failure: string | null
}

export const useTryOut = create<{ readonly tryOut: TryOut | null }>()(() => ({ tryOut: null }))

const { getState: get, setState: set } = useTryOut

/** Starts a try-out and replaces a running one. A failure is stored in its state. */
export async function startTryOut(what: Omit<TryOut, 'conversationId' | 'failure'>): Promise<void> {
  const { folder } = useSession.getState()
  if (folder === null) return
  await closeTryOut()
  const mine: TryOut = { ...what, conversationId: null, failure: null }
  set({ tryOut: mine })
  const answer = await command('definition.tryOut', {
    folder: folder.path,
    id: what.hasFile ? what.id : null,
    text: what.text,
    worktree: what.worktree,
  })
  if (get().tryOut !== mine) {
    if (answer.ok) void command('conversation.trash', { conversationId: answer.value.id })
    return
  }
  set({
    tryOut: answer.ok
      ? { ...mine, conversationId: answer.value.id }
      : { ...mine, failure: answer.failure.message },
  })
}

/** Ends the try-out; its conversation goes to the trash. */
export async function closeTryOut(): Promise<void> {
  const { tryOut } = get()
  if (tryOut === null) return
  set({ tryOut: null })
  const { conversationId } = tryOut
  if (conversationId === null) return
  if (useSession.getState().scratch?.conversationId === conversationId) await leaveScratch()
  await command('conversation.trash', { conversationId })
}
