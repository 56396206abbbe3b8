/**
 * One tool call as a pipeline: prepare, intercept, permit, run, intercept the result. Every path ends with
 * `tool-ended`, so that the history stays valid for the API.
 */

import type { FormAnswer, FormContent } from '../../../shared/forms/form.ts'
import { fail, messageOf, ok } from '../../../shared/kernel/result.ts'
import type { ToolContent, ToolUseBlock } from '../../../shared/messages/content.ts'
import type { PermitDeps } from '../permissions/decide-call.ts'
import { notBegun, stopOf, whoStopped } from '../ports/agent-stop.ts'
import type { DocumentReader } from '../ports/documents.ts'
import type { FileSystem } from '../ports/files.ts'
import type { ElicitationFacts } from '../ports/interceptors.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import { fitOutcome } from '../tools/files/fit-images.ts'
import { withTranslationNote } from '../tools/translate-input.ts'
import type { AgentRun, RunContext } from './agent-run.ts'
import { type AskModelDeps, askModel } from './ask-model.ts'
import { type InterceptDeps, intercept } from './intercept.ts'
import { callCovered, callTarget, type Permit, permitToolCall, reachesUser } from './permit-tool-call.ts'
import { notRun, type PreparedCall, parseCall, prepareToolCall, type Stage } from './prepare-tool-call.ts'
import { type RecordChangesDeps, recordChanges } from './record-changes.ts'
import { shortenOutput } from './shorten-output.ts'

export type ToolDeps = InterceptDeps &
  PermitDeps &
  AskModelDeps &
  RecordChangesDeps & {
    /** Missing: images are judged by their first bytes alone. */
    readonly documents?: DocumentReader
  }

type ToolRun = RunContext<ToolDeps>

/** The outcome of the pipeline, the context that interceptors added, and whether one of them stopped the agent. */
interface Passed {
  readonly outcome: ToolOutcome
  readonly context: readonly string[]
  readonly stops: boolean
}

export interface RanCall {
  readonly isError: boolean
  /** Whether an interceptor stopped the agent. */
  readonly stops: boolean
}

export async function runToolCall(run: ToolRun, block: ToolUseBlock): Promise<RanCall> {
  const { agent, deps } = run
  const startedAt = deps.clock.now()
  const { outcome, context, stops } = await passStages(run, block).catch((thrown: unknown) => ({
    outcome: toolError(`${block.name} failed: ${messageOf(thrown)}`),
    context: [],
    stops: false,
  }))
  const { content, outputFile } = await shortenOutput(agent, block, outcome.content)
  agent.emit({
    type: 'tool-ended',
    toolUseId: block.id,
    name: block.name,
    isError: outcome.isError,
    content: withContext(content, context),
    note: outcome.note,
    durationMs: deps.clock.now() - startedAt,
    display: outcome.display ?? null,
    outputFile,
    ...(outcome.seen && { seen: outcome.seen }),
    ...(outcome.found && { found: [...outcome.found] }),
  })
  return { isError: outcome.isError, stops }
}

async function passStages(run: ToolRun, block: ToolUseBlock): Promise<Passed> {
  const { agent, signal } = run
  const ended = (outcome: ToolOutcome): Passed => ({ outcome, context: [], stops: false })
  if (signal.aborted) return ended(stoppedOutcome(signal))
  const prepared = prepareToolCall(agent, block)
  if (!prepared.ok) return ended(prepared.failure)
  // A paused agent waits here, so the permission mode at its resumption applies.
  await agent.acquireSlot(signal)
  if (signal.aborted) return ended(stoppedOutcome(signal))
  const before = await beforeCall(run, prepared.value)
  const context = before.context === null ? [] : [before.context]
  if (!before.call.ok) return { outcome: before.call.failure, context, stops: before.stops }
  const call = before.call.value
  const toolContext = contextOf(run, call)
  const { ask, allow } = before
  const permit = await permitToolCall(run, call, { context: toolContext, ask, allow })
  if (signal.aborted) return ended(stoppedOutcome(signal))
  if (!permit.ok) return { ...permit.failure, context }
  const outcome = await perform(run, call, {
    context: { ...toolContext, ...limitsOf(permit.value) },
    permit: permit.value,
  })
  if (signal.aborted) return { outcome: withStopper(outcome, signal), context, stops: false }
  if (!before.awaitsResult) return { outcome, context, stops: false }
  const after = await intercept(run, 'tool-result', {
    ...factsOf(run, call),
    isError: outcome.isError,
    content: outcome.content,
  })
  return {
    outcome,
    context: after.context === null ? context : [...context, after.context],
    stops: after.stop !== null,
  }
}

interface Intercepted {
  readonly call: Stage<PreparedCall>
  readonly ask: string | null
  readonly allow: string | null
  readonly context: string | null
  readonly stops: boolean
  /** Whether an interceptor waits for the result. What the call itself adds does not count for it. */
  readonly awaitsResult: boolean
}

/** A changed input is parsed again, and the permission stage judges the new one. */
async function beforeCall(run: ToolRun, call: PreparedCall): Promise<Intercepted> {
  const intercepted = await intercept(run, 'tool-call', factsOf(run, call))
  const { denial, ask, allow, input, context, stop, awaitsResult } = intercepted
  const next = (result: Stage<PreparedCall>): Intercepted => ({
    call: result,
    ask,
    allow,
    context,
    ...{ stops: stop !== null, awaitsResult },
  })
  if (run.signal.aborted) return next(fail(stoppedOutcome(run.signal)))
  if (stop !== null) return next(fail(notRun(stop)))
  if (denial !== null) return next(fail(toolError(denial, 'denied')))
  if (input === null) return next(ok(call))
  const parsed = parseCall(run.agent, { ...call, input: input.value })
  if (!parsed.ok)
    return next(
      fail({
        ...parsed.failure,
        content: `An interceptor replaced the input of this call, and the new input is invalid. ${parsed.failure.content}`,
      }),
    )
  return next(ok({ ...parsed.value, isTranslated: parsed.value.isTranslated || call.isTranslated }))
}

/** Logs the intent, and flushes it before side effects. */
async function perform(
  { agent, deps, signal }: ToolRun,
  call: PreparedCall,
  { context, permit }: { readonly context: ToolContext; readonly permit: Permit },
): Promise<ToolOutcome> {
  const { tool, input } = call
  await agent.acquireSlot(signal)
  if (signal.aborted) return stoppedOutcome(signal)
  const sideEffects = tool.sideEffects(input)
  agent.emit({
    type: 'tool-started',
    toolUseId: call.id,
    name: tool.name,
    input,
    summary: tool.summary(input, agent.session),
    row: { kind: tool.kind, icon: tool.icon, label: tool.label ?? tool.name },
    sideEffects,
    ...(permit.confinement && { confinement: permit.confinement }),
  })
  if (sideEffects) await agent.flush(signal)
  if (signal.aborted) return stoppedOutcome(signal)
  const from = agent.session.cwd
  const outcome = await recordChanges({ agent, deps }, { call, permit }, (more) =>
    tool.run(input, { ...context, ...more }).then((made) => fitOutcome(made, deps.documents, signal)),
  )
  if (context.approvedRealPath !== undefined) agent.touched(context.approvedRealPath)
  if (tool.changesFolder) await touchShellFolder(agent, deps)
  const to = agent.session.cwd
  if (to !== from) await intercept({ agent, deps, signal }, 'folder-changed', { from, to })
  const noted = withIgnoredNote(outcome, call)
  return call.isTranslated ? withTranslationNote(noted, agent.session) : noted
}

function withIgnoredNote(outcome: ToolOutcome, { tool, ignored }: PreparedCall): ToolOutcome {
  if (ignored.length === 0) return outcome
  const note = `[${tool.name} has no ${ignored.length === 1 ? 'field' : 'fields'} ${ignored.join(', ')}: ignored.]`
  return { ...outcome, content: withContext(outcome.content, [note]) }
}

/** A command may have changed the shell's folder. */
async function touchShellFolder(agent: AgentRun, { files }: { readonly files: FileSystem }): Promise<void> {
  if (agent.session.cwd === agent.session.root) return
  const real = await files.realPath(agent.session.cwd)
  if (real.ok) agent.touched(real.value)
}

function contextOf(run: ToolRun, { id, tool }: PreparedCall): ToolContext {
  const { agent, signal } = run
  return {
    agentId: agent.id,
    toolUseId: id,
    session: agent.session,
    signal,
    reachesUser: reachesUser(agent, run.deps.policy),
    askForm: (form) =>
      askElicited(run, form, () => agent.askForm({ toolUseId: id, toolName: tool.name, form }, signal)),
    askModel: (request) => askModel(run, id, request),
    loadTools: (names) => agent.loadTools(names),
    toBackground: (work) => agent.toBackground(id, work),
    onOutput: (append) => agent.live({ type: 'live-output', agentId: agent.id, toolUseId: id, append }),
  }
}

const limitsOf = ({
  realPath,
  hides,
  limits,
}: Permit): Pick<ToolContext, 'approvedRealPath' | 'hides' | 'limits'> => ({
  ...(realPath === undefined ? {} : { approvedRealPath: realPath }),
  ...(hides === undefined ? {} : { hides }),
  ...(limits && { limits }),
})

const factsOf = (run: ToolRun, call: PreparedCall) => ({
  toolUseId: call.id,
  tool: call.tool.name,
  input: call.input,
  async covers(rule: string, input: unknown): Promise<boolean> {
    const parsed = input === call.input ? ok(call) : parseCall(run.agent, { ...call, input })
    // An input that can't be parsed must not switch a guard off.
    if (!parsed.ok) return true
    return callCovered(
      run,
      { tool: call.tool.name, target: await callTarget(parsed.value, contextOf(run, call)) },
      rule,
    )
  },
})

function withContext(content: ToolContent, context: readonly string[]): ToolContent {
  if (context.length === 0) return content
  const text = context.join('\n\n')
  return typeof content === 'string' ? `${content}\n\n${text}` : [...content, { type: 'text', text }]
}

/** The outcome of a tool that only says that it was stopped, with who stopped it. */
function withStopper(outcome: ToolOutcome, signal: AbortSignal): ToolOutcome {
  const stopped = whoStopped(stopOf(signal).by)
  if (outcome.note !== 'stopped' || JSON.stringify(outcome.content).includes(stopped)) return outcome
  return { ...outcome, content: withContext(outcome.content, [`${stopped} this call.`]) }
}

const stoppedOutcome = (signal: AbortSignal): ToolOutcome => toolError(notBegun(stopOf(signal).by), 'stopped')

/** What an MCP server asks for may be declined by interceptors, before the user is asked and after. Other forms are only asked. */
async function askElicited(
  run: ToolRun,
  form: FormContent,
  ask: () => Promise<FormAnswer>,
): Promise<FormAnswer> {
  if (form.kind !== 'elicitation' && form.kind !== 'elicitation-url') return ask()
  const { server, message } = form
  const facts: ElicitationFacts =
    form.kind === 'elicitation'
      ? { server, message, url: null, schema: form.schema }
      : { server, message, url: form.url, schema: null }
  const before = await intercept(run, 'elicitation', facts)
  if (before.denial !== null) return { action: 'decline', feedback: before.denial }
  const answer = await ask()
  const values = answer.action === 'accept' ? answer.values : {}
  const after = await intercept(run, 'elicitation-answered', { ...facts, action: answer.action, values })
  return after.denial === null ? answer : { action: 'decline', feedback: after.denial }
}
