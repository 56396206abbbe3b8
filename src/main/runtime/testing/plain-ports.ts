/** Ports for tests that are not about them: nothing is remembered, nothing is limited, mail stays in memory. */
import { noLimits } from '../../../shared/agent-event.ts'
import { letterSizeFailure, mailboxNameFailure } from '../../../shared/letter-limits.ts'
import { fail, ok } from '../../../shared/result.ts'
import { emptyReview } from '../../../shared/review.ts'
import type { Letter, Mailbox, MemorySource, Policy } from '../ports.ts'
import type { Review, Worktrees } from '../worktrees.ts'

export const noMemory: MemorySource = {
  load: async () => ({ files: [], folder: null, problems: [] }),
  below: async () => [],
}

export const freePolicy: Policy = {
  trusted: () => true,
  bypassAllowed: () => false,
  maxParallelAgents: 10,
  maxAgents: 100,
  maxDepth: 1,
  forkSubagents: false,
  carryOver: false,
  limits: { agent: noLimits, background: noLimits, conversation: noLimits },
}

export interface MemoryMailbox extends Mailbox {
  readonly letters: Letter[]
}

/** As strict as one that lies on a disk. */
export function createMemoryMailbox(): MemoryMailbox {
  const letters: Letter[] = []
  return {
    letters,
    put: async (letter) => {
      const bytes = new TextEncoder().encode(JSON.stringify(letter)).length
      const refused = mailboxNameFailure(letter.to) ?? letterSizeFailure(bytes)
      if (refused) return fail(refused)
      const known = letters.findIndex(
        ({ to, messageId }) => to === letter.to && messageId === letter.messageId,
      )
      letters.splice(known === -1 ? letters.length : known, 1, structuredClone(letter))
      return ok(undefined)
    },
    take: async (name) => {
      const refused = mailboxNameFailure(name)
      if (refused) return fail(refused)
      const mine = letters.filter((letter) => letter.to === name)
      mine.sort((one, other) => one.at - other.at || (one.messageId < other.messageId ? -1 : 1))
      return ok(structuredClone(mine))
    },
    done: async (name, messageIds) => {
      const left = letters.filter((letter) => letter.to !== name || !messageIds.includes(letter.messageId))
      letters.splice(0, letters.length, ...left)
    },
  }
}

/** A folder without git: whoever wants a worktree is told so. */
export const noWorktrees: Worktrees = {
  create: async () => fail(noRepository),
  restore: async () => fail(noRepository),
  save: async () => fail(noRepository),
  release: async () => {},
  environment: () => ({}),
}

const noRepository = { type: 'not-a-repository', message: 'This folder is in no git repository.' }

export const noReview: Pick<Review, 'list' | 'merge'> = {
  list: async (folder) => emptyReview(folder, noRepository.message),
  merge: async () => fail(noRepository),
}
