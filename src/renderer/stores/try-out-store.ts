/** A definition that is tried out: a scratch conversation whose main agent is what the editor's text says. */
import { create } from 'zustand'
import { command } from '../bridge.ts'
import { useSession } from './session-store.ts'
import { leaveScratch } from './shown-conversation.ts'

export interface TryOut {
  /** What is tried, as the editor calls it. */
  readonly id: string
  /** Whether that is an entry of the library; if not, it was never saved. */
  readonly hasFile: boolean
  readonly name: string
  /** The text as it was when it started. */
  readonly text: string
  /** Null while it starts, and where it could not. */
  readonly conversationId: string | null
  readonly failure: string | null
}

export const useTryOut = create<{ readonly tryOut: TryOut | null }>()(() => ({ tryOut: null }))

const { getState: get, setState: set } = useTryOut

/** Starts anew, in place of one that runs. What goes wrong is kept with it, in words. */
export async function startTryOut(what: Pick<TryOut, 'id' | 'hasFile' | 'name' | 'text'>): Promise<void> {
  const { folder } = useSession.getState()
  if (folder === null) return
  await closeTryOut()
  const mine: TryOut = { ...what, conversationId: null, failure: null }
  set({ tryOut: mine })
  const answer = await command('definition.tryOut', {
    folder: folder.path,
    id: what.hasFile ? what.id : null,
    text: what.text,
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

/** Ends it; what was said in it goes to the trash. */
export async function closeTryOut(): Promise<void> {
  const { tryOut } = get()
  if (tryOut === null) return
  set({ tryOut: null })
  const { conversationId } = tryOut
  if (conversationId === null) return
  if (useSession.getState().scratch?.conversationId === conversationId) await leaveScratch()
  await command('conversation.trash', { conversationId })
}
