/** Hooks as interceptors: each hook of a folder is an interceptor at the point of its event. */

import type { InterceptionPoint } from '../../../shared/events/agent-event.ts'
import { type HookDefinition, type HookEvent, hookTitle } from '../../../shared/hooks/hooks.ts'
import type {
  HandlerContext,
  Interceptor,
  InterceptorHandlers,
  Interceptors,
  PointFacts,
  RecordedDraft,
} from '../../runtime/ports/interceptors.ts'
import type { ConfiguredFolder, ConfiguredHook } from './configured-hooks.ts'
import type { HookAnswer, HookOutput } from './hook-answer.ts'
import { describePoint, type EventInput } from './hook-input.ts'
import { createHookWatches, type HookWatches } from './hook-watches.ts'
import { matchesFile, readMatcher } from './matcher.ts'
import { TimedOut } from './run-command-hook.ts'
import { type HooksOptions, type TestedHook, testRun } from './run-hook.ts'

/** ms after a hook's own limit, before the runtime gives up. */
const SLACK = 5000

const POINTS: Readonly<Record<HookEvent, readonly InterceptionPoint[]>> = {
  PreToolUse: ['tool-call'],
  PostToolUse: ['tool-result'],
  PostToolUseFailure: ['tool-result'],
  UserPromptSubmit: ['user-message'],
  SubagentStart: ['subagent-start'],
  SubagentStop: ['subagent-stop'],
  Stop: ['turn-end'],
  SessionStart: ['session-start'],
  SessionEnd: ['session-end'],
  PreCompact: ['compaction'],
  Notification: ['notification'],
  PermissionRequest: ['permission-request'],
  PermissionDenied: ['permission-denied'],
  WorktreeCreate: ['worktree-create'],
  WorktreeRemove: ['worktree-remove'],
  StopFailure: ['turn-failed'],
  PostCompact: ['compacted'],
  TaskCreated: ['task-created'],
  TaskCompleted: ['task-completed'],
  TeammateIdle: ['member-idle'],
  InstructionsLoaded: ['instructions-loaded'],
  Elicitation: ['elicitation'],
  ElicitationResult: ['elicitation-answered'],
  CwdChanged: ['folder-changed'],
  FileChanged: ['file-changed'],
  ConfigChange: ['settings-changed'],
}

export function createHooks(options: HooksOptions): Interceptors {
  /** Hooks that wait for approval and that the user was told about, by folder. */
  const told = new Map<string, Set<string>>()
  const state: RunState = { ...options, spent: new Set(), watches: createHookWatches(options) }
  return {
    async list(agent) {
      const { ownHooks, project, type } = agent
      const own = ownHooks && { agent: type, ...ownHooks }
      const folder = await options.configured.read(project, own)
      if (folder.entries.length === 0 && folder.problems.length === 0) return NONE
      const known = told.get(project) ?? new Set()
      told.set(project, known)
      const running = withoutRepetitions(folder.entries.filter(({ state }) => state === 'on')).filter(
        // A judge would be judged by another one, and so on.
        ({ definition }) => !agent.isJudge || definition.kind === 'command' || definition.kind === 'http',
      )
      const waiting = folder.entries.filter(({ state }) => state === 'changed')
      return [
        ...tellingUser(folder, known),
        ...waiting.filter(({ definition }) => definition.event === 'PreToolUse').map(missingGuard),
        ...running.map((hook) => interceptorOf(hook, state)),
        ...state.watches.interceptors(running),
      ]
    },
  }
}

const NONE: readonly Interceptor[] = []

/** The same hook in two files runs once, as people expect. */
function withoutRepetitions(hooks: readonly ConfiguredHook[]): readonly ConfiguredHook[] {
  const found = new Map<string, ConfiguredHook>()
  for (const hook of hooks) {
    const { definition, variables } = hook
    const key = JSON.stringify([{ ...definition, matcher: definition.matcher || '*' }, variables])
    if (!found.has(key)) found.set(key, hook)
  }
  return [...found.values()]
}

/** Says once what doesn't run, at the first event of an agent. */
function tellingUser({ entries, problems }: ConfiguredFolder, told: Set<string>): readonly Interceptor[] {
  const waiting = entries.filter(
    ({ state, id, source }) =>
      // A plugin is approved as a whole: its problem says so.
      source !== 'plugin' && (state === 'new' || state === 'changed') && !told.has(`${state} ${id}`),
  )
  const unsaid = problems.filter((problem) => !told.has(problem))
  if (waiting.length === 0 && unsaid.length === 0) return NONE
  const tell = async (_facts: unknown, { record }: HandlerContext): Promise<null> => {
    for (const { state, id } of waiting) told.add(`${state} ${id}`)
    for (const problem of unsaid) told.add(problem)
    const lines = [
      ...(waiting.length === 0
        ? []
        : [
            `${waiting.length === 1 ? '1 hook of this project does' : `${waiting.length} hooks of this project do`} not run until you approve ${waiting.length === 1 ? 'it' : 'them'} in Settings › Hooks, or with "troupe hooks approve":`,
            ...waiting.map(({ definition }) => `- ${definition.event}: ${hookTitle(definition)}`),
          ]),
      ...unsaid,
    ]
    record({ type: 'notice', level: 'warning', text: lines.join('\n') })
    return null
  }
  const handlers = { 'session-start': tell, 'user-message': tell, 'subagent-start': tell, 'tool-call': tell }
  return [{ source: 'hooks', timeLimitMs: SLACK, handlers }]
}

/** A guard that the user relies on must not go away by a change of its file: its calls are denied until the user decides. */
function missingGuard(hook: ConfiguredHook): Interceptor {
  const title = hookTitle(hook.definition)
  const deny =
    hook.source === 'plugin'
      ? `The hook ${title} of a plugin checks this call. The plugin has changed since the user enabled it, so it does not run, and the call was not made. Only the user can enable the plugin again or remove it, in Settings › Plugins or with "troupe plugins". Do other work, or end and say so.`
      : `The hook ${title} checks this call. It or its script has changed since the user approved it, so it does not run, and the call was not made. Only the user can approve it or turn it off, in Settings › Hooks or with "troupe hooks approve". Do other work, or end and say so.`
  return {
    source: `hook ${title}`,
    timeLimitMs: SLACK,
    handlers: {
      'tool-call': async (facts, { agent }) => {
        const input = describePoint['tool-call'](facts, agent)
        return input !== null && hookApplies(hook, input) && (await meets(hook.definition, facts))
          ? { deny }
          : null
      },
    },
  }
}

/** What hooks need that lasts longer than one of their runs. */
interface RunState extends HooksOptions {
  /** The hooks that run once and have run, with the conversation. */
  readonly spent: Set<string>
  readonly watches: HookWatches
}

function interceptorOf(hook: ConfiguredHook, state: RunState): Interceptor {
  const { definition } = hook
  const handle =
    <P extends InterceptionPoint>(point: P) =>
    async (facts: PointFacts[P], context: HandlerContext): Promise<HookAnswer | null> => {
      const { agent, reach } = context
      const input = describePoint[point](facts, agent)
      if (input === null || !hookApplies(hook, input) || !(await meets(definition, facts))) return null
      if (definition.once) {
        const name = [agent.conversationId, definition.agent === undefined ? '' : agent.id, hook.id].join(' ')
        if (state.spent.has(name)) return null
        state.spent.add(name)
      }
      const toolUseId = 'toolUseId' in facts ? facts.toolUseId : null
      const waits = !definition.async || reach === null || reach.lifetime.aborted
      if (waits) return runHook(hook, { input, toolUseId, context }, state)
      const later = { ...context, signal: reach.lifetime }
      runHook(hook, { input, toolUseId, context: later }, state).then(
        (answer) => {
          const said = answer && saidBy(answer)
          if (said) reach.tell(`hook ${hookTitle(definition)}`, said)
        },
        // Its run is an event that says so.
        () => {},
      )
      return null
    }
  return {
    source: `hook ${hookTitle(definition)}`,
    timeLimitMs: definition.timeout * 1000 + SLACK,
    failClosed: definition.failClosed,
    handlers: Object.fromEntries(
      pointsOf(hook).map((point) => [point, handle(point)]),
    ) as InterceptorHandlers,
  }
}

/** Whether the call is one that the hook's rule covers. A call that can't be judged counts as one. */
async function meets(
  { if: rule }: HookDefinition,
  facts: object & Partial<Pick<PointFacts['tool-call'], 'covers' | 'input'>>,
): Promise<boolean> {
  return rule === undefined || facts.covers === undefined || facts.covers(rule, facts.input)
}

/** What a hook that nobody waited for has to say, whatever its answer would have done. */
function saidBy({ context, deny, ask, stop, continue: reason }: HookAnswer): string | undefined {
  return context ?? deny ?? stop ?? reason ?? ask
}

/** In an agent's definition Stop means the end of that agent, also of a subagent. */
function pointsOf({ definition }: ConfiguredHook): readonly InterceptionPoint[] {
  const points = POINTS[definition.event]
  return definition.agent !== undefined && definition.event === 'Stop' ? [...points, 'subagent-stop'] : points
}

/** Events without a subject ignore the matcher, as people expect; so does a definition's Stop, also of a subagent. */
export function hookApplies({ definition }: ConfiguredHook, { event, subject }: EventInput): boolean {
  // One point has several events: a call succeeds or fails.
  if (event !== definition.event) return definition.event === 'Stop' && event === 'SubagentStop'
  if (subject === '' || event === 'Stop') return true
  if (event === 'FileChanged') return matchesFile(definition.matcher, subject)
  return readMatcher(definition.matcher)?.(subject) ?? false
}

interface OneRun {
  readonly input: EventInput
  readonly toolUseId: string | null
  readonly context: HandlerContext
}

/** Rejects if the hook failed. */
async function runHook(
  hook: ConfiguredHook,
  { input, toolUseId, context }: OneRun,
  state: RunState,
): Promise<HookAnswer | null> {
  const { agent, signal, record, reach } = context
  const startedAt = state.elapsed()
  const done = (facts: Pick<RanDraft, 'exitCode' | 'effect' | 'output'>) => {
    if (signal.aborted) return
    record({
      type: 'hook-ran',
      event: input.event,
      matcher: hook.definition.matcher,
      source: hook.sourceText,
      command: hookTitle(hook.definition),
      toolUseId,
      durationMs: Math.round(state.elapsed() - startedAt),
      ...facts,
    })
  }
  const ran = await testRun(hook, { input, agent, signal, reach }, state)
  const output = ran.output === null ? '' : headOf(ran.output)
  const exitCode = hook.definition.kind === 'command' ? (ran.output?.exitCode ?? null) : null
  if (ran.failure !== null) {
    const effect = ran.failure instanceof TimedOut ? 'timed-out' : 'failed'
    done({ exitCode, effect, output: output || ran.failure.message })
    if (signal.aborted || !isLostGuard(hook, ran)) throw ran.failure
    return { deny: lostGuard(ran.failure) }
  }
  const { answer, message, watch } = ran.read
  if (watch !== undefined) state.watches.follow(context, watch)
  done({ exitCode, effect: effectOf(answer), output })
  if (message !== null)
    record({ type: 'notice', level: 'info', text: `Hook ${hookTitle(hook.definition)}: ${message}` })
  return answer
}

/**
 * Whether a hook that decides about calls did not do so: it could not run, did not answer in time, or its answer can't be
 * read. A hook that ended with another exit code has run, and lets the call pass.
 */
function isLostGuard({ definition }: ConfiguredHook, { output, failure }: FailedRun): boolean {
  const { event, failsOpen, failClosed } = definition
  // The runtime blocks the calls of a hook that fails closed.
  if (failsOpen || failClosed || (event !== 'PreToolUse' && event !== 'PermissionRequest')) return false
  if (output === null || failure instanceof TimedOut || output.exitCode === 0) return true
  const { exitCode, stderr } = output
  return exitCode === 126 || exitCode === 127 || exitCode > 128 || CANT_RUN.test(stderr)
}

/** What shells and interpreters print about a script that is missing or ended by a mistake of its own. */
const CANT_RUN =
  /No such file or directory|not found|Permission denied|Cannot find module|can't open|cannot open|Could not open|^Traceback \(most recent call last\)|^\s+at .+:\d+:\d+\)?$/im

type FailedRun = Pick<Extract<TestedHook, { readonly failure: Error }>, 'output' | 'failure'>

function lostGuard({ message }: Error): string {
  return `it checks this call and could not: ${message.replace(/\.$/, '')}. The call was not made. Only the user can repair the hook or turn it off, in Settings › Hooks. Do other work, or end and say so.`
}

type RanDraft = Extract<RecordedDraft, { type: 'hook-ran' }>

function effectOf(answer: HookAnswer | null): RanDraft['effect'] {
  if (answer === null) return 'none'
  if (answer.stop !== undefined) return 'stopped'
  if (answer.deny !== undefined) return 'denied'
  if (answer.ask !== undefined) return 'asked'
  if (answer.continue !== undefined) return 'continued'
  if (answer.allow !== undefined) return 'allowed'
  if (answer.input !== undefined) return 'input-changed'
  return answer.context === undefined ? 'none' : 'context-added'
}

/** Characters of output in a transcript. */
const HEAD = 1000

const headOf = ({ stdout, stderr }: HookOutput): string =>
  [stdout.trim(), stderr.trim()]
    .filter((text) => text !== '')
    .join('\n')
    .slice(0, HEAD)
