/**
 * Compaction: when the context window is nearly full, older tool results are cleared. If that would free too little, the
 * same model writes a summary that replaces the history. It reads the whole context, because that is cached; a context with
 * cleared results is not.
 */
import type { Usage } from '../../../shared/events/agent-event.ts'
import { COMPACTION_SHARE } from '../../../shared/events/context.ts'
import { totalTokens } from '../../../shared/events/model-requests.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { ModelCatalog, ModelMessage } from '../ports/model.ts'
import type { RunContext } from './agent-run.ts'
import { answerWithoutTools, NO_TOOLS } from './answer-without-tools.ts'
import { type InterceptDeps, intercept } from './intercept.ts'
import { recordCost } from './record-reply.ts'
import type { RequestDeps } from './request-model.ts'

/** The share that clearing must reach; otherwise the history is summarized. */
const ROOMY = 0.6
const CHARACTERS_PER_TOKEN = 4
/** The results of the last user messages are cleared only if the conversation does not fit with them. */
const KEPT_TURNS = 3
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

export async function compactContext(
  run: RunContext<CompactionDeps>,
  { turn, lastUsage, tooLong }: CompactionOptions,
): Promise<void> {
  const { agent, deps } = run
  const { contextTokens } = deps.models.facts(agent.state().model)
  if (tooLong > 1) return clearAll(run)
  const used = tooLong > 0 ? contextTokens : lastUsage ? totalTokens(lastUsage) : 0
  if (used < contextTokens * COMPACTION_SHARE) return

  const clearable = agent.history.clearable(KEPT_TURNS)
  const freed = clearable.reduce((sum, result) => sum + result.characters, 0) / CHARACTERS_PER_TOKEN
  const suffices = used - freed <= contextTokens * ROOMY
  // A prompt that did not fit does not fit with the request for a summary either.
  if (!suffices && tooLong === 0 && (await summarizeOrWarn(run, turn))) return
  if (clearable.length > 0)
    agent.emit({ type: 'context-cleared', toolUseIds: clearable.map((result) => result.toolUseId) })
  if (!suffices && tooLong > 0 && !(await summarizeOrWarn(run, turn))) clearAll(run)
}

/** The newest results alone can be too long. */
function clearAll({ agent, signal }: RunContext<CompactionDeps>): void {
  const long = agent.history.clearable(0).filter(({ characters }) => characters > WORTH_CLEARING)
  if (long.length === 0 || signal.aborted) return
  agent.emit({ type: 'context-cleared', toolUseIds: long.map(({ toolUseId }) => toolUseId) })
}

/** @returns whether the summary replaced the history, or the agent was stopped */
async function summarizeOrWarn(
  run: RunContext<CompactionDeps>,
  turn: number,
  instructions: string | null = null,
): Promise<boolean> {
  const limit = instructions === null ? null : run.agent.limitReached()
  const failure =
    limit === null ? await summarize(run, turn, instructions) : `the agent has reached ${limit.description}.`
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
  await summarizeOrWarn(run, turn, instructions)
}

/** `asked`: what the user wants the summary to keep; null: nobody asked for it. @returns why there is no summary, or null */
async function summarize(
  run: RunContext<CompactionDeps>,
  turn: number,
  asked: string | null = null,
): Promise<string | null> {
  const { agent, deps, signal } = run
  const facts = { messages: agent.history.length, instructions: asked }
  const { context } = await intercept(run, 'compaction', facts)
  if (signal.aborted) return null
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
      messages: withText(agent.history.messages(), instructions),
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
