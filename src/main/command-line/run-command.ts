/** `troupe run`: one task for a main agent, from start to report. */
import {
  type AgentEvent,
  type EventOf,
  noLimits,
  type PermissionMode,
  type SpendLimits,
} from '../../shared/agent-event.ts'
import type { AgentState } from '../../shared/agent-state.ts'
import { textOf } from '../../shared/content.ts'
import type { ConversationRecord } from '../../shared/conversation.ts'
import { type Failure, fail, ok, type Result } from '../../shared/result.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { RunOptions } from './parse-arguments.ts'
import { createProgress, type ProgressOutput } from './progress.ts'
import { refusalFor } from './refusal.ts'
import { resultLine } from './result-line.ts'
import { stoppedAt, stoppedWords } from './run-limits.ts'
import { EXIT } from './usage.ts'

export interface RunSurroundings {
  readonly runtime: Runtime
  /** The folder of a new conversation, absolute, its links resolved. */
  readonly folder: string
  /** What the settings say, where the options say nothing. */
  readonly model: string
  readonly permissionMode: PermissionMode
  readonly isTrusted: (folder: string) => boolean
  /** For this run. */
  readonly trust: (folder: string) => void
  readonly rehearsal: boolean
  /** Aborts at the first Ctrl+C. */
  readonly interrupted: AbortSignal
  readonly output: { write(text: string): void }
  readonly errors: ProgressOutput
}

/** The exit code. */
export async function runCommand(options: RunOptions, around: RunSurroundings): Promise<number> {
  const { runtime, output, errors, interrupted, rehearsal } = around
  const progress = options.json ? null : createProgress(errors)
  const complain = (message: string) => {
    progress?.end()
    errors.write(`troupe: ${message}\n`)
  }
  const report = new Report()
  let unsaved = false
  const unsubscribe = runtime.subscribe((delta) => {
    if (delta.type === 'log-trouble' && delta.agentIds.length > 0 && !unsaved) {
      unsaved = true
      complain(delta.message)
      void runtime.stopConversation(delta.conversationId)
    }
    if (delta.type !== 'event') return
    const { event, conversationId } = delta
    if (options.json) output.write(`${JSON.stringify(event)}\n`)
    else progress?.show(event)
    report.take(event)
    // The agent waits for the answer only once everybody has heard of the question.
    if (event.type === 'permission-asked') queueMicrotask(() => void refuse(runtime, conversationId, event))
  })

  try {
    const begun = await begin(options, around)
    if (!begun.ok) {
      complain(begun.failure.message)
      return isMistake(begun.failure) ? EXIT.usage : EXIT.failed
    }
    const { conversationId, agentId, folder } = begun.value
    if (!around.isTrusted(folder))
      complain(
        `${folder} is not trusted: agents only read files in it and run no commands. Add --trust to trust it for this run.`,
      )
    const limited = await limit(begun.value, options, runtime)
    if (!limited.ok) {
      complain(limited.failure.message)
      return EXIT.failed
    }
    if (interrupted.aborted) return EXIT.interrupted
    const content = [{ type: 'text' as const, text: options.task }]
    const sent = await runtime.send({ conversationId, agentId, content })
    if (!sent.ok) {
      complain(sent.failure.message)
      return EXIT.failed
    }
    const stop = () => void runtime.stopConversation(conversationId)
    interrupted.addEventListener('abort', stop, { once: true })
    if (interrupted.aborted) stop()
    const main = await runtime.settled(conversationId)
    return await finish(runtime.state(conversationId, agentId) ?? main, report.of(agentId))
  } finally {
    unsubscribe()
  }

  async function finish(state: AgentState, text: string): Promise<number> {
    // A main agent that has answered waits for more; a subagent has completed.
    const hasAnswered = state.parentId === null ? 'waiting' : 'completed'
    const done = state.status === hasAnswered && state.reachedLimit === null
    const stopped =
      state.reachedLimit === null ? null : stoppedAt(state, await limitsOf(state.conversationId, runtime))
    progress?.end()
    if (options.json) {
      const snapshot = await runtime.snapshot(state.conversationId)
      const states = snapshot.ok ? snapshot.value.agents : [state]
      output.write(
        `${JSON.stringify(resultLine(state.conversationId, states, { ok: done, report: text, stoppedAt: stopped, free: rehearsal && (!snapshot.ok || snapshot.value.record.rehearsal) }))}\n`,
      )
    } else if (text !== '') output.write(`${text}\n`)
    if (interrupted.aborted) {
      complain(`Interrupted. To go on: troupe run "…" --resume ${state.id}`)
      return EXIT.interrupted
    }
    if (done) return EXIT.done
    const words = stopped === null ? `The agent is ${state.status}.` : stoppedWords(stopped, state.id)
    complain(state.failure?.message ?? words)
    if (state.failure?.type !== 'auth') return EXIT.failed
    complain('Set ANTHROPIC_API_KEY to a key that is valid, or add --rehearsal, which needs none.')
    return EXIT.noAccess
  }
}

/** The last words of each agent. */
class Report {
  private readonly texts = new Map<string, string>()

  take(event: AgentEvent): void {
    if (event.type !== 'assistant-message') return
    const said = textOf(event.content)
    if (said.trim() !== '') this.texts.set(event.agentId, said)
  }

  of(agentId: string): string {
    return this.texts.get(agentId) ?? ''
  }
}

interface Begun {
  readonly conversationId: string
  /** Whom the task is for: the main agent, or a subagent that goes on. */
  readonly agentId: string
  readonly folder: string
  /** What it may spend; null where it was there before. */
  readonly limits: SpendLimits | null
}

async function begin(options: RunOptions, around: RunSurroundings): Promise<Result<Begun>> {
  const { runtime, folder, rehearsal } = around
  if (options.resume !== null) return goOn(options.resume, options, around)
  const created = await runtime.create({
    folder,
    model: options.model ?? around.model,
    permissionMode: options.permissionMode ?? around.permissionMode,
    rehearsal,
    ...(options.agent === null ? {} : { agent: options.agent }),
    ...(options.maxTurns === null ? {} : { maxTurns: options.maxTurns }),
  })
  if (!created.ok) return created
  const snapshot = await runtime.snapshot(created.value.id)
  return snapshot.ok ? ok({ ...begunFrom(snapshot.value.record), limits: created.value.limits }) : snapshot
}

function begunFrom({ id, mainAgentId, folder }: ConversationRecord, agentId = mainAgentId): Begun {
  return { conversationId: id, agentId, folder, limits: null }
}

/** A conversation that was there before, with the mode and the model that are asked for now. */
async function goOn(id: string, options: RunOptions, around: RunSurroundings): Promise<Result<Begun>> {
  const { runtime } = around
  const begun = await find(runtime, id)
  if (!begun.ok) return begun
  const { conversationId, folder } = begun.value
  if (options.trust && !around.isTrusted(folder)) around.trust(folder)
  const changes = [
    options.permissionMode === null
      ? null
      : () => runtime.setMode(conversationId, options.permissionMode ?? 'default'),
    options.model === null ? null : () => runtime.setModel(conversationId, options.model ?? ''),
  ]
  for (const change of changes) {
    const changed = await change?.()
    if (changed && !changed.ok) return changed
  }
  return begun
}

/** The limits that were given take the place of those that hold; the others stay. */
async function limit(
  { conversationId, limits }: Begun,
  { limits: wanted }: RunOptions,
  runtime: Runtime,
): Promise<Result<unknown>> {
  if (Object.keys(wanted).length === 0) return ok(undefined)
  const holding = limits ?? (await limitsOf(conversationId, runtime))
  return runtime.setLimits(conversationId, { ...holding, ...wanted })
}

async function limitsOf(id: string, runtime: Runtime): Promise<SpendLimits> {
  const summary = (await runtime.conversations()).find((conversation) => conversation.id === id)
  return summary?.limits ?? noLimits
}

/** The conversation of that id, or that of the agent with that id. */
async function find(runtime: Runtime, id: string): Promise<Result<Begun>> {
  const direct = await runtime.snapshot(id)
  if (direct.ok) return ok(begunFrom(direct.value.record))
  for (const conversation of await runtime.conversations()) {
    const snapshot = await runtime.snapshot(conversation.id)
    if (!snapshot.ok) continue
    const { record } = snapshot.value
    if (record.agentIds.includes(id)) return ok(begunFrom(record, id))
  }
  return fail({
    type: 'usage',
    message: `There is no conversation and no agent ${id}. What there is: troupe conversations list`,
  })
}

/** Failures that another command line would mend. */
const isMistake = ({ type }: Failure): boolean =>
  ['usage', 'folder-gone', 'unknown-agent', 'not-allowed', 'not-found'].includes(type)

async function refuse(
  runtime: Runtime,
  conversationId: string,
  event: EventOf<'permission-asked'>,
): Promise<void> {
  const { agentId, promptId } = event
  await runtime.answer(
    { conversationId, agentId, promptId },
    { decision: 'deny', unattended: true, words: refusalFor(event) },
  )
}
