/** Requests to the model, and the model's settings: how they change an agent's state, and how the transcript shows them. */
import type { AssistantBlock } from '../messages/content.ts'
import { textOf } from '../messages/text-of.ts'
import { noUsage } from '../models/no-usage.ts'
import { rowForName } from '../tools/row-for-name.ts'
import { startsAgents } from '../tools/tool-names.ts'
import type { AgentState, EventOf, Usage } from './agent-event.ts'
import { programAfterMessage } from './backings.ts'
import { contextAfter } from './context.ts'
import { type EventParts, newRow, noticeRow } from './event-parts.ts'
import { withReplies } from './messages.ts'
import { type RowChange, toolKey } from './transcript-row.ts'

const LAST_LINE_LENGTH = 200

export const modelRequestStart = {
  modelAfterTurn: null,
  turn: 0,
  turns: 0,
  usage: noUsage,
  countedTokens: 0,
  costUsd: 0,
  priced: true,
  lastLine: '',
  retry: null,
  limitedUntil: null,
} satisfies Partial<AgentState>

export const modelRequestParts: EventParts<
  | 'request-started'
  | 'request-failed'
  | 'assistant-message'
  | 'model-asked'
  | 'model-changed'
  | 'effort-changed'
  | 'thinking-changed'
  | 'part-refused'
> = {
  'request-started': {
    fold: (state, { turn, attempt }) => ({
      turn,
      turns: state.turns + (attempt === 1 ? 1 : 0),
      retry: null,
      limitedUntil: null,
    }),
  },
  'request-failed': {
    fold: (state, { attempt, failure, retryAt, order }) => ({
      retry: retryAt === null ? null : { at: retryAt, attempt, failure, since: state.retry?.since ?? order },
      limitedUntil: state.waitingFor === 'limit' ? retryAt : null,
    }),
    rows(event) {
      const { attempt, failure, retryAt } = event
      // After the last attempt the end of the run has the failure.
      return retryAt === null ? [] : [newRow(event, 'retry', { kind: 'retry', attempt, failure, retryAt })]
    },
  },
  'assistant-message': {
    fold(state, event) {
      const lastLine = lastLineOf(textOf(event.content))
      return {
        ...withCost(state, event),
        context: contextAfter(state.context, event),
        retry: null,
        unread: [],
        received: withReplies(state.received, event),
        program: programAfterMessage(state.program, event),
        ...(lastLine !== '' && { lastLine }),
      }
    },
    rows: messageRows,
  },
  'model-asked': { fold: withCost },
  'model-changed': {
    fold: (state, { model, forTurn }) => ({
      model,
      modelAfterTurn: forTurn === true ? (state.modelAfterTurn ?? state.model) : null,
    }),
    rows: (event) =>
      noticeRow(
        event,
        `Model: ${event.model}${event.forTurn === true ? ', until the end of this turn' : ''}`,
      ),
  },
  'effort-changed': {
    fold: (_, { effort }) => ({ effort }),
    rows: (event) => noticeRow(event, `Effort: ${event.effort ?? 'the model’s default'}`),
  },
  'thinking-changed': {
    fold: (_, { thinking }) => ({ thinking }),
    rows: (event) => noticeRow(event, `Thinking: ${event.thinking ?? 'the model’s default'}`),
  },
  'part-refused': {
    rows(event) {
      const text =
        event.part.kind === 'tool'
          ? `The API refuses the schema of the tool ${event.part.name}, so this agent continues without the tool. ${event.reason}`
          : `The API refuses an image of this conversation, so the conversation continues without the image. ${event.reason}`
      return noticeRow(event, text, 'warning')
    },
  },
}

/** The model that counts after a turn. */
export const turnEnded = ({
  model,
  modelAfterTurn,
}: AgentState): Pick<AgentState, 'model' | 'modelAfterTurn'> => ({
  model: modelAfterTurn ?? model,
  modelAfterTurn: null,
})

/** What an answer of a model adds to the spending. */
function withCost(
  state: AgentState,
  event: EventOf<'assistant-message' | 'model-asked'>,
): Pick<AgentState, 'usage' | 'countedTokens' | 'costUsd' | 'priced'> {
  return {
    usage: addUsage(state.usage, countedUsage(event.usage)),
    countedTokens: state.countedTokens + countedIn(event),
    costUsd: state.costUsd + Math.max(0, event.costUsd ?? 0),
    priced: state.priced && event.costUsd !== null,
  }
}

/** The tokens of one answer as limits and all sums of tokens count them: see `countTokens`. */
export function countedIn(event: Pick<EventOf<'model-asked'>, 'usage' | 'countedTokens'>): number {
  return Math.max(0, event.countedTokens ?? countTokens(countedUsage(event.usage)))
}

/** The tokens of one answer. Other programs write events too: negative numbers count as 0. */
export function countedUsage({ input, output, cacheRead, cacheWrite, cacheWriteHour = 0 }: Usage): Usage {
  return {
    input: Math.max(0, input),
    output: Math.max(0, output),
    cacheRead: Math.max(0, cacheRead),
    cacheWrite: Math.max(0, cacheWrite),
    ...(cacheWriteHour > 0 && { cacheWriteHour }),
  }
}

/** Both counts together. */
export function addUsage(a: Usage, b: Usage): Usage {
  const forAnHour = (a.cacheWriteHour ?? 0) + (b.cacheWriteHour ?? 0)
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(forAnHour > 0 && { cacheWriteHour: forAnHour }),
  }
}

/** The usual prices of cached tokens, as shares of the price of an input token. */
const USUAL_SHARES = { read: 0.1, write: 1.25, writeHour: 2 }

/**
 * The tokens as limits count them, a whole number. Each token of input and output counts as one; a token that was read
 * from or written to the cache counts as much as it costs, compared to an input token.
 * @param shares of the model; missing: the usual ones
 */
export function countTokens(usage: Usage, shares = USUAL_SHARES): number {
  const { input, output, cacheRead, cacheWrite, cacheWriteHour = 0 } = usage
  const written = (cacheWrite - cacheWriteHour) * shares.write + cacheWriteHour * shares.writeHour
  return Math.round(input + output + cacheRead * shares.read + written)
}

/** The share of the input that was read from the cache, 0 to 1; null: there was no input. */
export function cachedShare({ input, cacheRead, cacheWrite }: Omit<Usage, 'output'>): number | null {
  const all = input + cacheRead + cacheWrite
  return all === 0 ? null : cacheRead / all
}

/** All input and output tokens, including cached ones. */
export function totalTokens(usage: Usage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite
}

function lastLineOf(text: string): string {
  const trimmed = text.trimEnd()
  return trimmed
    .slice(trimmed.lastIndexOf('\n') + 1)
    .trim()
    .slice(0, LAST_LINE_LENGTH)
}

/** A row for each block that shows something; the calls that start agents share a card. */
function messageRows(event: EventOf<'assistant-message'>): readonly RowChange[] {
  const rows = event.content.flatMap((block, index) => blockRow(event, block, index))
  const toolUseIds = event.content.flatMap((block) =>
    block.type === 'tool_use' && startsAgents(block.name) ? [block.id] : [],
  )
  if (toolUseIds.length === 0) return rows
  return [...rows, newRow(event, 'agents', { kind: 'agents', toolUseIds, failures: {}, notStarted: {} })]
}

function blockRow(
  event: EventOf<'assistant-message'>,
  block: AssistantBlock,
  index: number,
): readonly RowChange[] {
  if (block.type === 'text' && block.text.trim() !== '')
    return [newRow(event, index, { kind: 'text', text: block.text })]
  if (block.type === 'thinking' && block.thinking !== '')
    return [newRow(event, index, { kind: 'thinking', text: block.thinking })]
  if (block.type !== 'tool_use' || startsAgents(block.name)) return []
  const row = {
    kind: 'tool',
    key: toolKey(block.id),
    at: event.at,
    seq: event.seq,
    toolUseId: block.id,
    name: block.name,
    call: rowForName(block.name),
    input: block.input,
    summary: '',
    status: 'waiting',
    note: '',
    content: null,
    display: null,
    outputFile: null,
    startedAt: null,
    durationMs: null,
  } as const
  return [{ op: 'add', row }]
}
