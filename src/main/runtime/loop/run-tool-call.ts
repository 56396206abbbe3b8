/** One call of the model: checked, permitted, logged, run, and answered, whatever happens on the way. */
import type { ToolContent, ToolUseBlock } from '../../../shared/content.ts'
import { messageOf } from '../../../shared/result.ts'
import { decidePermission } from '../permissions/decide-permission.ts'
import type { Clock, FileSystem, PermissionRules, Policy } from '../ports.ts'
import type { PermissionAnswer } from '../runtime.ts'
import type { AnyTool, ToolContext, ToolOutcome } from '../tool.ts'
import { toolError } from '../tool.ts'
import { parseInput } from '../tools/tool-schema.ts'
import { translateInput, withTranslationNote } from '../tools/translate-input.ts'
import type { AgentRun } from './agent-run.ts'

/** Longer outputs are kept in a file; the model gets the head, the tail, and where the rest is. */
export const LONGEST_OUTPUT = 16 * 1024
const HEAD = 10 * 1024
const TAIL = 4 * 1024

export interface ToolDeps {
  readonly clock: Clock
  readonly files: FileSystem
  readonly rules: PermissionRules
  readonly policy: Policy
}

/** Runs one call. Every way through ends with `tool-ended`, so that the history stays valid. */
export async function runToolCall(
  agent: AgentRun,
  call: ToolUseBlock,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = deps.clock.now()
  const outcome = await attempt(agent, call, deps, signal).catch((thrown: unknown) =>
    toolError(`${call.name} failed: ${messageOf(thrown)}`),
  )
  const { content, outputFile } = await shorten(agent, call, outcome.content)
  agent.emit({
    type: 'tool-ended',
    toolUseId: call.id,
    name: call.name,
    isError: outcome.isError,
    content,
    note: outcome.note,
    durationMs: deps.clock.now() - startedAt,
    display: outcome.display ?? null,
    outputFile,
  })
}

async function attempt(
  agent: AgentRun,
  call: ToolUseBlock,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (signal.aborted) return stopped
  const tool = toolNamed(agent.tools, call.name)
  if (!tool) return toolError(unavailable(agent, call.name), 'not available')
  const parsed = parseInput(tool, withUsualFields(tool, call.input))
  if (!parsed.ok) return toolError(parsed.failure.message, 'bad input')
  const input = translateInput(parsed.value, tool, agent.session)
  const context: ToolContext = {
    agentId: agent.id,
    toolUseId: call.id,
    session: agent.session,
    signal,
    onOutput: (append) => agent.live({ type: 'live-output', agentId: agent.id, toolUseId: call.id, append }),
  }

  // Where it rests first, the mode of the moment at which it goes on is what counts.
  await agent.ensurePlace(signal)
  if (signal.aborted) return stopped
  const permission = await permit(agent, tool, call, input, context, deps, signal)
  if (signal.aborted) return stopped
  if (permission.kind === 'refused') return toolError(permission.message, 'denied')

  await agent.ensurePlace(signal)
  if (signal.aborted) return stopped
  const sideEffects = tool.sideEffects(input)
  agent.emit({
    type: 'tool-started',
    toolUseId: call.id,
    name: tool.name,
    input,
    summary: tool.summary(input, agent.session),
    sideEffects,
  })
  if (sideEffects) await agent.flush(signal)
  if (signal.aborted) return stopped
  const outcome = await tool.run(input, {
    ...context,
    ...(permission.realPath === undefined ? {} : { approvedRealPath: permission.realPath }),
  })
  await noteTouched(agent, tool, permission.realPath, deps)
  return input === parsed.value ? outcome : withTranslationNote(outcome, agent.session)
}

/** Of a command the folder that it ended in. */
async function noteTouched(
  agent: AgentRun,
  tool: AnyTool,
  realPath: string | undefined,
  deps: ToolDeps,
): Promise<void> {
  if (realPath !== undefined) agent.touched(realPath)
  if (tool.name !== 'Bash' || agent.session.cwd === agent.session.root) return
  const real = await deps.files.realPath(agent.session.cwd)
  if (real.ok) agent.touched(real.value)
}

type Permit = { kind: 'granted'; realPath?: string } | { kind: 'refused'; message: string }

async function permit(
  agent: AgentRun,
  tool: AnyTool,
  call: ToolUseBlock,
  input: unknown,
  context: ToolContext,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<Permit> {
  const target = await tool.target(input, context)
  if (target.kind === 'none' && target.subject === undefined) return { kind: 'granted' }
  const { root, project, worktree } = agent.session
  const decision = await decidePermission({
    tool: tool.name,
    target,
    mode: agent.permissionMode(),
    agent: {
      readOnly: agent.readOnly,
      root,
      cwd: agent.session.cwd,
      worktree: worktree && { root: worktree.path, branch: worktree.branch, aliases: worktree.aliases },
      readFolders: [...agent.session.readFolders],
      writeFolders: agent.state().definition.writeFolders,
      ...agent.state().definition.rules,
    },
    rules: await deps.rules.list(project),
    trusted: deps.policy.trusted(project),
    bypassAllowed: deps.policy.bypassAllowed(project),
    realPath: (path) => deps.files.realPath(path),
  })
  const realPath =
    'realPath' in decision && decision.realPath !== undefined ? { realPath: decision.realPath } : {}
  if (decision.kind === 'allow') return { kind: 'granted', ...realPath }
  if (decision.kind === 'deny') return { kind: 'refused', message: decision.because }

  const { subject, because, alwaysRule } = decision
  const answer = await agent.ask(
    { toolUseId: call.id, toolName: tool.name, subject, because, alwaysRule },
    signal,
  )
  if (answer.decision === 'deny') return { kind: 'refused', message: denialFor(answer) }
  if (answer.decision === 'allow-always' && alwaysRule !== null) {
    const kept = await deps.rules.allow(project, alwaysRule)
    if (!kept.ok)
      agent.emit({
        type: 'notice',
        level: 'warning',
        text: `The rule ${alwaysRule} could not be kept, so this will be asked again: ${kept.failure.message}`,
      })
  }
  return { kind: 'granted', ...realPath }
}

function denialFor({ words, unattended }: Extract<PermissionAnswer, { decision: 'deny' }>): string {
  if (words === null)
    return 'The user said no to this. Do not try it again another way; go on without it, or say what you would need it for.'
  return unattended ? words : `The user said no to this: ${words}`
}

/** The input with the fields' own names; a name that is there already is never replaced. */
function withUsualFields({ fieldAliases }: AnyTool, input: unknown): unknown {
  if (!fieldAliases || typeof input !== 'object' || input === null) return input
  const fields = { ...input } as Record<string, unknown>
  for (const [alias, name] of Object.entries(fieldAliases)) {
    if (!(alias in fields) || name in fields) continue
    fields[name] = fields[alias]
    delete fields[alias]
  }
  return fields
}

export function toolNamed(tools: readonly AnyTool[], name: string): AnyTool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases.includes(name))
}

function unavailable(agent: AgentRun, name: string): string {
  const blocked = agent.blockedTools.find((entry) => entry.tool === name)
  const names = agent.tools.map((tool) => tool.name).join(', ')
  const have = names === '' ? 'You have no tools.' : `You have: ${names}.`
  return blocked
    ? `${name} is not available to you: ${blocked.because}. ${have}`
    : `There is no tool ${name}. ${have}`
}

/** What a file holds is on the disk already; Read bounds its own output. */
const KEEPS_WHOLE: ReadonlySet<string> = new Set(['Read', 'Agent', 'Task'])

async function shorten(agent: AgentRun, call: ToolUseBlock, content: ToolContent) {
  if (typeof content !== 'string' || content.length <= LONGEST_OUTPUT || KEEPS_WHOLE.has(call.name))
    return { content, outputFile: null }
  const kept = await agent.keepOutput(call.id, content)
  const left = content.length - HEAD - TAIL
  const where = kept.ok
    ? `the whole output was kept for the user`
    : `it could not be kept: ${kept.failure.message}`
  return {
    content: `${content.slice(0, HEAD)}\n\n[… ${left} characters left out here; ${where}. Narrow the command to see more.]\n\n${content.slice(-TAIL)}`,
    outputFile: kept.ok ? { path: kept.value, bytes: content.length } : null,
  }
}

const stopped: ToolOutcome = {
  isError: true,
  content: 'This was stopped by the user before it finished.',
  note: 'stopped',
}
