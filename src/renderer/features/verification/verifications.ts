/** The verifications of the shown conversation, and the user's actions on them. */
import { useEffect } from 'react'
import { create } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { isLive } from '../../../shared/state/agent-state.ts'
import { type Verification, verificationFixRequest } from '../../../shared/verification/verification.ts'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'

interface VerificationStore {
  /** By the id of a verification of the shown conversation: whether the files changed since. Missing: unknown. */
  readonly since: Readonly<Record<string, 'same' | 'changed'>>
  /** Verdicts that the user has put away: conversation and verification. */
  readonly dismissed: ReadonlySet<string>
  /** Actions that wait for their answer. */
  readonly busy: boolean
}

export const useVerificationStore = create<VerificationStore>()(() => ({
  since: {},
  dismissed: new Set(),
  busy: false,
}))

const { getState: get, setState: set } = useVerificationStore

const NONE: readonly Verification[] = []

/** All verifications of the shown conversation. */
export function useVerifications(): readonly Verification[] {
  return useConversation((state) => state.record?.verifications ?? NONE)
}

/** The newest verification of an agent's worktree, or of the folder (null); declined ones are left out. */
export function useLatestVerification(owner: string | null): Verification | null {
  return useConversation(
    ({ record }) =>
      record?.verifications.findLast((one) => one.owner === owner && one.state !== 'declined') ?? null,
  )
}

/** Asks again whether the files changed since the verdicts: after each run, and when the window gets the focus. */
export function useChangedSince(): void {
  const conversationId = useConversation((state) => state.conversationId)
  const settled = useConversation(
    useShallow(({ record, agents }) => {
      const known = record?.verifications ?? NONE
      return [known, known.length === 0 ? 0 : [...agents.values()].filter(isLive).length]
    }),
  )
  const has = useVerifications().length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: `settled` only says when to ask again
  useEffect(() => {
    set({ since: {} })
    if (conversationId === null || !has) return
    const load = async () => {
      const answer = await command('verification.states', { conversationId })
      if (answer.ok && useConversation.getState().conversationId === conversationId)
        set({ since: answer.value ?? {} })
    }
    void load()
    const onFocus = () => void load()
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [conversationId, has, settled])
}

/** Answers the questions whether to verify. */
export async function answerVerifications(ids: readonly string[], verify: boolean): Promise<void> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  await busyWhile(async () => {
    for (const id of ids) {
      const answer = await command('verification.answer', { conversationId, id, verify })
      if (!answer.ok) {
        showFailure(answer.failure)
        return
      }
    }
  })
}

/** Verifies the current changes of an agent's worktree, or of the folder (null). */
export async function verifyNow(owner: string | null): Promise<void> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  await busyWhile(async () => {
    const answer = await command('verification.start', { conversationId, owner })
    if (!answer.ok) showFailure(answer.failure)
  })
}

/** Sends what a verification found to the agent that made the changes. */
export async function sendToFix(verification: Verification): Promise<boolean> {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return false
  const answer = await command('conversation.send', {
    conversationId,
    agentId: verification.owner,
    content: verificationFixRequest(verification),
  })
  if (!answer.ok) showFailure(answer.failure)
  else dismissVerdict(verification.id)
  return answer.ok
}

/** Puts a verdict away in the conversation. Review keeps it. */
export function dismissVerdict(id: string): void {
  const { conversationId } = useConversation.getState()
  set({ dismissed: new Set([...get().dismissed, `${conversationId} ${id}`]) })
}

/** Whether the user has put a verdict away. */
export function useIsDismissed(): (id: string) => boolean {
  const conversationId = useConversation((state) => state.conversationId)
  const dismissed = useVerificationStore((state) => state.dismissed)
  return (id) => dismissed.has(`${conversationId} ${id}`)
}

async function busyWhile(act: () => Promise<void>): Promise<void> {
  if (get().busy) return
  set({ busy: true })
  try {
    await act()
  } finally {
    set({ busy: false })
  }
}
