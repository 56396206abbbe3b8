/**
 * Compaction: when the context window is nearly full, older tool results are cleared. If that would free too little, the
 * same model writes a summary that replaces the history. It reads the whole context, because that is cached; a context with
 * cleared results is not. Before the first request of a run the size of the context is an estimate, so that a history that
 * can't fit is never sent.
 */
import type { Usage } from '../../../shared/events/agent-event.ts'
import { COMPACTION_SHARE } from '../../../shared/events/context.ts'
import { totalTokens } from '../../../shared/events/model-requests.ts'
import { withCommas } from '../../../shared/kernel/amounts.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { ModelCatalog, ModelMessage } from '../ports/model.ts'
import type { RunContext } from './agent-run.ts'
import { answerWithoutTools, NO_TOOLS } from './answer-without-tools.ts'
import { type InterceptDeps, intercept } from './intercept.ts'
import { charactersIn } from './message-blocks.ts'
import { recordCost } from './record-reply.ts'
import type { RequestDeps } from './request-model.ts'
import { asReminder } from './system-reminder.ts'

/** The share that clearing must reach; otherwise the history is summarized. */
const ROOMY = 0.6
const CHARACTERS_PER_TOKEN = 4
/** The share of the window that a summary reads of a history that does not fit: its newest part. */
const READABLE = 0.5
/** Of the context window: where an estimate is larger than this, the history does not fit for certain. */
const CERTAINLY_FULL = 2
/** Characters. Shorter results are not worth clearing. */
const WORTH_CLEARING = 2000

const CONTENT = `Write a summary from which you can continue without anything above.
State, in this order: what the user asked for, verbatim where the wording matters; the decisions and their reasons; what has been done, with file paths and line numbers; what was found, errors included; what is left to do, the next step first. Include everything you would otherwise have to look up again. Write only the summary. ${NO_TOOLS}`
const SUMMARY_REQUEST = `The conversation no longer fits into the context window. ${CONTENT}`
const SUMMARY_WANTED = `The user wants to continue with less context. ${CONTENT}`

export type CompactionDeps = RequestDeps & InterceptDeps & { readonly models: ModelCatalog }

interface CompactionOptions {
  readonly turn: number
  /** Of the last request; null if it is unknown. */
  readonly lastUsage: Usage | null
  /** The number of requests in a row that did not fit. */
  readonly tooLong: number
}

/** Null: the request can be made. Otherwise says why the history can't be sent. */
export async function compactContext(
  run: RunContext<CompactionDeps>,
  { turn, lastUsage, tooLong }: CompactionOptions,
): Promise<string | null> {
  const { agent, deps } = run
  const { model } = agent.state()
  const { contextTokens } = deps.models.facts(model)
  const estimate = () => Math.round(agent.history.characters / CHARACTERS_PER_TOKEN)
  if (tooLong > 1) {
    clearAll(run)
    return null
  }
  const unknown = tooLong > 0 || lastUsage === null ? estimate() : 0
  const doesNotFit = tooLong > 0 || unknown > contextTokens
  const used = doesNotFit ? Math.max(unknown, contextTokens) : lastUsage ? totalTokens(lastUsage) : 0
  if (used < contextTokens * COMPACTION_SHARE) return null

  const clearable = agent.history.clearable()
  const freed = clearable.reduce((sum, result) => sum + result.characters, 0) / CHARACTERS_PER_TOKEN
  const suffices = used - freed <= contextTokens * ROOMY
  if (!suffices && !doesNotFit && (await summarizeOrWarn(run, turn))) return null
  if (clearable.length > 0)
    agent.emit({ type: 'context-cleared', toolUseIds: clearable.map((result) => result.toolUseId) })
  if (suffices || !doesNotFit) return null
  // A prompt that does not fit does not fit with the request for a summary either.
  const readable = contextTokens * CHARACTERS_PER_TOKEN * READABLE
  if (await summarizeOrWarn(run, turn, { readable })) return null
  clearAll(run)
  if (estimate() <= contextTokens * CERTAINLY_FULL) return null
  return `This conversation is too long for ${model}: even without its tool results it has about ${withCommas(estimate())} tokens, and the context window has ${withCommas(contextTokens)}. Start a new conversation, or a branch of this one from an earlier message.`
}

/** The newest results alone can be too long. */
function clearAll({ agent, signal }: RunContext<CompactionDeps>): void {
  const long = agent.history.clearable(0).filter(({ characters }) => characters > WORTH_CLEARING)
  if (long.length === 0 || signal.aborted) return
  agent.emit({ type: 'context-cleared', toolUseIds: long.map(({ toolUseId }) => toolUseId) })
}

interface SummaryOptions {
  /** What the user wants the summary to keep; null: nobody asked for it. */
  readonly instructions?: string | null
  /** Characters of the history that the model can read: its newest part. */
  readonly readable?: number
}

/** @returns whether the summary replaced the history, or the agent was stopped */
async function summarizeOrWarn(
  run: RunContext<CompactionDeps>,
  turn: number,
  options: SummaryOptions = {},
): Promise<boolean> {
  const limit = options.instructions === undefined ? null : run.agent.limitReached()
  const failure =
    limit === null ? await summarize(run, turn, options) : `the agent has reached ${limit.description}.`
  if (failure === null || run.signal.aborted) return true
  run.agent.emit({
    type: 'notice',
    level: 'warning',
    text: `The conversation was not summarized: ${failure}`,
  })
  return false
}

/** The user wants a summary now. A failure is a notice, and the history stays. */
export async function summarizeNow(
  run: RunContext<CompactionDeps>,
  { turn, instructions }: { readonly turn: number; readonly instructions: string },
): Promise<void> {
  await summarizeOrWarn(run, turn, { instructions })
}

/** @returns why there is no summary, or null */
async function summarize(
  run: RunContext<CompactionDeps>,
  turn: number,
  { instructions: asked = null, readable = Infinity }: SummaryOptions,
): Promise<string | null> {
  const { agent, deps, signal } = run
  const facts = { messages: agent.history.length, instructions: asked }
  const { context } = await intercept(run, 'compaction', facts)
  if (signal.aborted) return null
  const messages = newestPart(agent.history.messages(), readable)
  if (messages === null) return 'the last message alone does not fit.'
  const startedAt = deps.clock.now()
  const { model, effort, thinking } = agent.state()
  const wish = asked?.trim() ? `The user wants of this summary: ${asked.trim()}` : null
  const instructions = [asked === null ? SUMMARY_REQUEST : SUMMARY_WANTED, wish, context]
    .filter((part) => part !== null)
    .join('\n\n')
  const reply = await answerWithoutTools(
    run,
    () => ({
      model,
      effort,
      thinking,
      system: agent.system,
      tools: agent.toolSchemas,
      cacheFor: agent.cacheFor(),
      messages: withText(messages, instructions),
    }),
    turn,
  )
  agent.live({ type: 'live-clear', agentId: agent.id, reason: 'finished' })
  if (!reply.ok) return reply.failure.message
  const summary = textOf(reply.value.content)
  // The summary follows as an event of its own.
  recordCost(run, reply.value, { turn, startedAt })
  if (summary.trim() === '') return 'the model wrote no summary.'
  agent.emit({ type: 'context-compacted', summary })
  await intercept(run, 'compacted', { instructions: asked, summary })
  return null
}

/** The messages with a last text from the user. Two user messages in a row are invalid. */
function withText(messages: readonly ModelMessage[], text: string): readonly ModelMessage[] {
  const block = { type: 'text' as const, text }
  const last = messages.at(-1)
  return last?.role === 'user'
    ? [...messages.slice(0, -1), { role: 'user', content: [...last.content, block] }]
    : [...messages, { role: 'user', content: [block] }]
}

/** The newest messages of so many characters, after the first one, which has the task; null: not even the last one fits. */
function newestPart(messages: readonly ModelMessage[], characters: number): readonly ModelMessage[] | null {
  let length = 0
  const tooOld = messages.findLastIndex((message) => {
    length += charactersIn(message)
    return length > characters
  })
  const from = messages.findIndex(({ role }, index) => index > tooOld && role === 'user')
  if (tooOld < 0) return messages
  if (from < 0) return null
  const texts = [messages[0], messages[from]].flatMap((message) =>
    message?.role === 'user' ? message.content.filter(({ type }) => type !== 'tool_result') : [],
  )
  return [{ role: 'user', content: [...texts, LEFT_OUT] }, ...messages.slice(from + 1)]
}

const LEFT_OUT = {
  type: 'text' as const,
  text: asReminder('The messages between the task and what follows were left out, because they do not fit.'),
}
