/** What the reader of a program's history tells an agent of it, in words that all programs share. */
import type { EventOf, ToolDisplay, Usage } from '../../../shared/events/agent-event.ts'
import type { AssistantBlock, ToolContent } from '../../../shared/messages/content.ts'
import type { JsonObject } from './history-lines.ts'

/** Which agent it is, as its program says it. */
export interface SpawnFacts {
  /** The name of its definition: `Explore`; of the main agent `main`. */
  readonly type: string
  readonly task: string
  /** The call that started it, as the transcript of its parent names it; null: unknown. */
  readonly parentToolUseId: string | null
  readonly cwd: string
  readonly model: string
  readonly background: boolean
  /** ms since the epoch. */
  readonly at: number
}

/** The file of one agent. */
export interface AgentFile {
  /** Absolute. */
  readonly path: string
  /** What the program calls the agent whose file it is; of the main agent ''. */
  readonly key: string
  /** Its type, as far as a glance tells: `main`, `Explore`, or `agent`. */
  readonly name: string
}

/** The call that started a subagent. */
export interface StartedBy {
  /** The program's key of the agent that called; of the main agent ''. */
  readonly parentKey: string
  /** As the transcript of that agent names the call. */
  readonly toolUseId: string
}

/** What a reader knows of an agent. Of the main agent its type, task and start are known anyway. */
export interface AgentFacts
  extends Pick<SpawnFacts, 'at' | 'cwd'>,
    Partial<Pick<SpawnFacts, 'type' | 'task' | 'model' | 'background'>> {
  readonly startedBy?: StartedBy | undefined
}

/** Of a message of the model, what came with its blocks. */
export interface Said {
  readonly at: number | null
  /** Blocks with the same id are one message. Null: they belong to the message before, if it is still open. */
  readonly messageId: string | null
  readonly model?: string
  readonly stopReason?: string
  /** Of the message so far. */
  readonly usage?: Usage
  readonly costUsd?: number | null
}

/** The result of a call. */
export interface CallResult {
  readonly at: number | null
  readonly content: ToolContent
  readonly isError: boolean
  readonly display?: ToolDisplay | null
  readonly note?: string
  /** The whole output, where the program keeps it in a file of its own. */
  readonly outputFile?: EventOf<'tool-ended'>['outputFile']
}

/** A message of the model whose end is not known yet. */
export interface OpenMessage {
  readonly id: string | null
  blocks: AssistantBlock[]
  model: string
  stopReason: string
  usage: Usage
  costUsd: number | null
  at: number
}

/** A call of a tool. `at`: when it started, ms since the epoch. */
export interface HistoryCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  at: number
  isEnded: boolean
}
