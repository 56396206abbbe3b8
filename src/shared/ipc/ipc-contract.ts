/**
 * The commands from the window to the main process, joined from the contracts of all nouns. Each command is one entry: the
 * main process checks input and sender against the entry, and the preload derives its functions from the entries. Events
 * flow the other way; see window-delta.ts.
 */
import type { z } from 'zod'
import { definitionContract } from '../agent-definition/contract.ts'
import { agentTestContract } from '../agent-tests/contract.ts'
import { agentContract } from '../agents/contract.ts'
import { changesContract } from '../changes/contract.ts'
import { comparisonContract } from '../comparison/contract.ts'
import { conversationContract, historyContract } from '../conversations/contract.ts'
import { environmentContract } from '../environments/contract.ts'
import { programContract } from '../external-agents/contract.ts'
import { hooksContract } from '../hooks/contract.ts'
import { insightContract } from '../insight/contract.ts'
import type { OutputOf } from '../kernel/command.ts'
import type { Result } from '../kernel/result.ts'
import { mcpContract } from '../mcp/contract.ts'
import { pluginContract } from '../plugins/contract.ts'
import { previewContract } from '../preview/contract.ts'
import { pullRequestContract } from '../pull-requests/contract.ts'
import { ruleContract } from '../rules/contract.ts'
import { searchContract } from '../search/contract.ts'
import { settingsContract } from '../settings/contract.ts'
import { sharingContract } from '../sharing/contract.ts'
import { slashContract } from '../slash/contract.ts'
import { statusLineContract } from '../status-line/contract.ts'
import { teamContract } from '../teams/contract.ts'
import { tutorialContract } from '../tutorial/contract.ts'
import { updateContract } from '../updates/contract.ts'
import { verificationContract } from '../verification/contract.ts'
import { windowContract } from '../window/contract.ts'
import { workerContract } from '../workers/contract.ts'
import { reviewContract } from '../worktrees/contract.ts'
import type { WindowDelta } from './window-delta.ts'

/** The answer to a command. Its failure crosses to the window, so it has no `cause`; `message` is for display. */
export type Answer<T> = Result<T, { readonly type: string; readonly message: string }>

export const commands = {
  ...agentContract,
  ...conversationContract,
  ...historyContract,
  ...teamContract,
  ...verificationContract,
  ...comparisonContract,
  ...definitionContract,
  ...agentTestContract,
  ...reviewContract,
  ...environmentContract,
  ...previewContract,
  ...changesContract,
  ...hooksContract,
  ...insightContract,
  ...mcpContract,
  ...slashContract,
  ...programContract,
  ...searchContract,
  ...settingsContract,
  ...ruleContract,
  ...pluginContract,
  ...pullRequestContract,
  ...workerContract,
  ...statusLineContract,
  ...sharingContract,
  ...tutorialContract,
  ...updateContract,
  ...windowContract,
} as const

export type Commands = typeof commands
export type CommandName = keyof Commands
export type CommandInput<N extends CommandName> = z.input<Commands[N]['input']>
export type CommandOutput<N extends CommandName> = OutputOf<Commands[N]>

/**
 * An answer on its way to the preload. With `hold`, deltas continue from the answer: main sends none until
 * the preload, which has the answer by then, posts `{ release: hold }`.
 */
export interface CommandReply {
  readonly answer: Answer<unknown> | string
  readonly hold?: number
}

/**
 * The commands whose answers travel as JSON, because they are many small objects: on the way to the page, objects are copied
 * field by field, which takes half a second for 50,000 spans.
 */
export const answeredAsText = ['conversation.timeline'] as const satisfies readonly CommandName[]
type AnswerText<N> = N extends (typeof answeredAsText)[number] ? string : never

/** `window.troupe`, as the preload exposes it. */
export interface TroupeBridge {
  command<N extends CommandName>(
    name: N,
    input: CommandInput<N>,
  ): Promise<Answer<CommandOutput<N>> | AnswerText<N>>
  /** Calls back with each batch. The batch is acknowledged once the callback returns. */
  onDeltas(listener: (deltas: readonly WindowDelta[]) => void): () => void
  /** The absolute path of a file dropped on the window. */
  pathOf(file: File): string
}
