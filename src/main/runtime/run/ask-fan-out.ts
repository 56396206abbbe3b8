/** One question to the user before many agents start whose estimated spending passes a limit of the conversation. */
import { countOf } from '../../../shared/kernel/amounts.ts'
import { estimateStarts, FAN_OUT, type FanOut } from '../../../shared/state/fan-out.ts'
import { formatAmount, spentIn } from '../../../shared/state/spending.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import type { ToolContext } from '../ports/tool.ts'
import { type RoomForAgents, roomFor } from './start-checks.ts'

/**
 * For an Agent call. Null: there is nothing to ask. Otherwise the call waits for the answer, like the other calls of
 * its message, and is refused with a text.
 */
export function askForCalls(
  conversation: Conversation,
  parent: LiveAgent,
  context: ToolContext,
): Promise<string | null> | null {
  const { fanOuts } = conversation
  const seq = parent.transcript.history.lastAnswerSeq
  const known = fanOuts.get(parent.id)
  if (known?.seq === seq) return known.refusal
  const types = calledTypes(parent)
  if (types.length <= FAN_OUT) return null
  const refusal = askForStarts(conversation, types, { parent, context })
  fanOuts.set(parent.id, { seq, refusal })
  return refusal
}

/** For agents of these types. Null: there is nothing to ask. */
export function askForStarts(
  conversation: Conversation,
  types: readonly string[],
  { parent, context }: { readonly parent: LiveAgent; readonly context: ToolContext },
): Promise<string | null> | null {
  const room = roomFor(conversation, parent)
  const starting = types.slice(0, room.left)
  if (starting.length <= FAN_OUT || conversation.file.record.rehearsal) return null
  const estimate = estimateStarts(starting, conversation.agents.states())
  const passed = passedLimit(conversation, estimate)
  if (passed === null) return null
  const { neverAsks, permissionMode } = parent.state()
  if (conversation.ports.policy.attended && !neverAsks && permissionMode !== 'dontAsk')
    return ask(parent, context, { estimate, passed, wanted: types.length, room })
  // The limit itself still ends the agents in time.
  parent.emit({
    type: 'notice',
    level: 'warning',
    text: `${reasonOf(estimate, passed)} They start, because no user can be asked; at the limit they report.`,
  })
  return null
}

/**
 * "$20", "5,000,000 tokens": the limit that the estimate passes; null: none. Usual figures are too rough for a question
 * about a limit that nobody has set.
 */
function passedLimit(
  { file, agents, ports }: Conversation,
  { tokens, usd, isMeasured }: FanOut,
): string | null {
  const limits = file.record.limits ?? ports.policy.limits.conversation
  const spent = spentIn(agents.states())
  const isRough = limits.usdByDefault === true && !isMeasured
  if (limits.usd !== null && usd !== null && !isRough && spent.usd + usd > limits.usd)
    return formatAmount('money', limits.usd)
  if (limits.tokens !== null && spent.tokens + tokens > limits.tokens)
    return formatAmount('tokens', limits.tokens)
  return null
}

interface FanOutQuestion {
  /** Of the agents that can start. */
  readonly estimate: FanOut
  /** The limit of spending that the estimate passes. */
  readonly passed: string
  /** The number of agents that the calls would start. */
  readonly wanted: number
  readonly room: RoomForAgents
}

/** Why not all start, for the user. */
function restOf({ left, of, most }: RoomForAgents, wanted: number): string {
  const whose =
    of === 'conversation'
      ? `a conversation has at most ${countOf(most, 'agent')}`
      : `this agent starts at most ${countOf(most, 'agent')}`
  return `${countOf(wanted - left, 'agent')} will not start: ${whose}.`
}

async function ask(
  parent: LiveAgent,
  { toolUseId, signal }: ToolContext,
  { estimate, passed, wanted, room }: FanOutQuestion,
): Promise<string | null> {
  const { agents } = estimate
  const because = reasonOf(estimate, passed)
  const answer = await parent.requests.ask(
    {
      toolUseId,
      toolName: 'Agent',
      subject: {
        kind: 'other',
        action: wanted > agents ? `start ${agents} of ${wanted} agents` : `start ${agents} agents`,
        text: `Estimate: ${amountOf(estimate)}. Limit of the conversation: ${passed}.${wanted > agents ? ` ${restOf(room, wanted)}` : ''}`,
        folder: parent.session.root,
      },
      because,
      alwaysRule: null,
      remedy: 'A higher limit of the conversation allows it (--max-usd, --max-tokens).',
    },
    signal,
  )
  if (answer.decision !== 'deny') return null
  const said = answer.feedback === null ? '' : ` ${answer.feedback}`
  return `Not started: ${because}${said} None of the ${wanted} agents was started. Start at most ${FAN_OUT} at a time, the most important ones first.`
}

function reasonOf(estimate: FanOut, passed: string): string {
  return `${estimate.agents} agents are estimated to spend ${amountOf(estimate)}, which passes the conversation's limit of ${passed}.`
}

function amountOf({ tokens, usd }: FanOut): string {
  const cost = usd === null ? '' : ` and ${formatAmount('money', Math.ceil(usd * 100) / 100)}`
  return `about ${formatAmount('tokens', Math.round(tokens / 1000) * 1000)}${cost}`
}

/** The types of the agents that the last message starts. */
function calledTypes({ transcript }: LiveAgent): readonly string[] {
  const last = transcript.history.messages().findLast(({ role }) => role === 'assistant')
  if (last?.role !== 'assistant') return []
  return last.content.flatMap((block) => {
    if (block.type !== 'tool_use' || (block.name !== 'Agent' && block.name !== 'Task')) return []
    const { subagent_type: type = 'general-purpose', resume } = inputOf(block.input)
    return typeof type === 'string' && resume === undefined ? [type] : []
  })
}

const inputOf = (input: unknown): { readonly subagent_type?: unknown; readonly resume?: unknown } =>
  typeof input === 'object' && input !== null ? input : {}
