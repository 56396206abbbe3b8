/** Ports for tests that are not about them: nothing is remembered, nothing is limited, mail stays in memory. */
import { noLimits } from '../../../shared/agent-event.ts'
import { ok } from '../../../shared/result.ts'
import type { Letter, Mailbox, MemorySource, Policy } from '../ports.ts'

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
  limits: { agent: noLimits, background: noLimits, conversation: noLimits },
}

export interface MemoryMailbox extends Mailbox {
  readonly letters: Letter[]
}

export function createMemoryMailbox(): MemoryMailbox {
  const letters: Letter[] = []
  return {
    letters,
    put: async (letter) => {
      letters.push(letter)
      return ok(undefined)
    },
    take: async (name) => ok(letters.filter((letter) => letter.to === name)),
    done: async (name, messageIds) => {
      const left = letters.filter((letter) => letter.to !== name || !messageIds.includes(letter.messageId))
      letters.splice(0, letters.length, ...left)
    },
  }
}
