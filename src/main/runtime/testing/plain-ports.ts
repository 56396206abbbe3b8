/** Default ports for tests: no memory, no limits, no git, a mailbox in memory. */
import { noLimits } from '../../../shared/events/agent-event.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { mailboxNameFailure, messageSizeFailure } from '../../../shared/messages/message-limits.ts'
import { emptyReview } from '../../../shared/worktrees/review.ts'
import type { MemorySource } from '../ports/definitions.ts'
import type { Mailbox, MailboxMessage, Policy } from '../ports/ports.ts'
import type { Review, WorktreeFailure, Worktrees } from '../ports/worktrees.ts'

export const noMemory: MemorySource = {
  load: async () => ({ files: [], folder: null, problems: [] }),
  below: async () => [],
}

export const freePolicy: Policy = {
  defaults: () => ({
    ...{ model: 'sonnet', effort: null, thinking: null, permissionMode: 'default' },
    ...{ coordinator: false, mainAgent: null, rehearsal: false },
  }),
  trusted: () => true,
  bypassAllowed: () => false,
  attended: true,
  ownPaths: { dataFolder: null, settingsFile: null, home: null },
  maxParallelAgents: 10,
  maxAgents: 100,
  maxDepth: 1,
  forkSubagents: false,
  carryOver: false,
  verification: 'off',
  mcpToolsForSubagents: 'all',
  limits: { agent: noLimits, background: noLimits, conversation: noLimits },
}

export interface MemoryMailbox extends Mailbox {
  readonly messages: MailboxMessage[]
}

/** As strict as the mailbox on disk. */
export function createMemoryMailbox(): MemoryMailbox {
  const messages: MailboxMessage[] = []
  const watchers = new Map<string, Set<() => void>>()
  return {
    messages,
    put: async (message) => {
      const bytes = new TextEncoder().encode(JSON.stringify(message)).length
      const refused = mailboxNameFailure(message.to) ?? messageSizeFailure(bytes)
      if (refused) return fail(refused)
      const known = messages.findIndex(
        ({ to, messageId }) => to === message.to && messageId === message.messageId,
      )
      messages.splice(known === -1 ? messages.length : known, 1, structuredClone(message))
      for (const tell of watchers.get(message.to) ?? []) queueMicrotask(tell)
      return ok(undefined)
    },
    watch: (name, tell) => {
      const known = watchers.get(name) ?? new Set()
      watchers.set(name, known.add(tell))
      return () => known.delete(tell)
    },
    take: async (name) => {
      const refused = mailboxNameFailure(name)
      if (refused) return fail(refused)
      const mine = messages.filter(({ to }) => to === name)
      mine.sort((one, other) => one.at - other.at || (one.messageId < other.messageId ? -1 : 1))
      return ok(structuredClone(mine))
    },
    done: async (name, messageIds) => {
      const left = messages.filter(({ to, messageId }) => to !== name || !messageIds.includes(messageId))
      messages.splice(0, messages.length, ...left)
    },
  }
}

/** A folder without git: creating a worktree fails. */
export const noWorktrees: Worktrees = {
  create: async () => fail(noRepository),
  stateOf: async () => fail(noRepository),
  restore: async () => fail(noRepository),
  save: async () => fail(noRepository),
  release: async () => false,
  environment: () => ({}),
}

const noRepository: WorktreeFailure = {
  type: 'not-a-repository',
  message: 'This folder is in no git repository.',
}

export const noReview: Pick<Review, 'list' | 'merge'> = {
  list: async (folder) => emptyReview(folder, noRepository.message),
  merge: async () => fail(noRepository),
}
