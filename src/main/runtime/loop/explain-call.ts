/** Explains what would happen to a call, with the runtime's own decision. */
import { z } from 'zod'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { EffectiveMode } from '../../../shared/permissions/permission-modes.ts'
import type { CallExplanation, ExplainedCall } from '../../../shared/rules/call-explanation.ts'
import type { WrittenRule } from '../../../shared/rules/written-rule.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import { canonicalToolName, startsAgents } from '../../../shared/tools/tool-names.ts'
import { resolvePath } from '../paths/paths.ts'
import { decideCall, type JudgedCall, type PermitDeps } from '../permissions/decide-call.ts'
import type { PermissionDecision } from '../permissions/permission-concern.ts'
import { parseShell } from '../permissions/shell/parse-shell.ts'
import { commandParts } from '../permissions/shell/walk-commands.ts'
import type { AnyTool, PermissionTarget, ToolContext, ToolSession } from '../ports/tool.ts'
import { parseInput } from '../tools/parse-input.ts'
import { toolSchemaOf } from '../tools/tool-schema.ts'
import { expandHome } from '../tools/translate-input.ts'

interface ExplainQuestion {
  /** `Bash(npm test && rm -rf x)`, `Read(/etc/passwd)`, `mcp__server__tool({"id": 1})`. */
  readonly call: string
  /** Absolute. */
  readonly folder: string
  readonly mode: EffectiveMode
  readonly definition: JudgedCall['definition']
  readonly readOnly: boolean
}

/** Fails with `bad-call` or `unknown-tool`. Nothing runs. */
export async function explainCall(
  { call, folder, mode, definition, readOnly }: ExplainQuestion,
  deps: PermitDeps & { readonly find: (name: string) => AnyTool | null },
): Promise<Result<CallExplanation>> {
  const parts = /^\s*([A-Za-z_][\w-]*)\s*(?:\(([\s\S]*)\))?\s*$/.exec(call)
  if (!parts?.[1])
    return fail({ type: 'bad-call', message: `${JSON.stringify(call)} is not a call. ${EXAMPLES}` })
  const tool = deps.find(canonicalToolName(parts[1]))
  if (tool === null)
    return fail({ type: 'unknown-tool', message: `There is no tool ${parts[1]}. ${EXAMPLES}` })
  const text = (parts[2] ?? '').trim()
  const session: ToolSession = {
    root: folder,
    project: folder,
    worktree: null,
    home: deps.policy.ownPaths.home,
    cwd: folder,
    readFolders: new Set(),
    seen: new Map(),
  }
  const target = await targetOf(tool, text, session)
  if (!target.ok) return target
  const written = await deps.rules.of(folder)
  const all = [...written.deny, ...written.ask, ...written.allow]
  const judge = async (one: PermissionTarget, cwd = folder): Promise<ExplainedCall> => {
    const judged = { tool: tool.name, target: one, mode, session: { ...session, cwd }, definition, readOnly }
    return explained(await decideCall(deps, judged, AbortSignal.timeout(TIMEOUT)), all)
  }
  const whole = await judge(target.value)
  const single = []
  for (const part of partsOf(target.value, folder))
    single.push({ text: part.text, ...(await judge({ kind: 'command', command: part.text }, part.folder)) })
  return ok({
    ...whole,
    tool: tool.name,
    text,
    mode: mode.permissionMode,
    parts: single.length > 1 ? single : [],
  })
}

const EXAMPLES = "Examples: 'Bash(npm test)', 'Read(/etc/passwd)', 'WebFetch(https://example.com)'."
/** ms for the search of files that a recursive command reads. */
const TIMEOUT = 10_000

/** The tool's own target. A tool that writes has one only for a file it has read, so it is built from the path. */
async function targetOf(
  tool: AnyTool,
  text: string,
  session: ToolSession,
): Promise<Result<PermissionTarget>> {
  const input = expandHome(inputOf(tool, text), tool, session) as ReturnType<typeof inputOf>
  if (toolFacts(tool.name)?.covers.includes('write')) {
    const path = Object.entries(input).find(([key]) => key.endsWith('path'))?.[1]
    if (typeof path !== 'string' || path === '')
      return fail({ type: 'bad-call', message: `${tool.name} needs a path: '${tool.name}(src/main.ts)'.` })
    return ok({ kind: 'write', path: resolvePath(session.cwd, path), preview: '' })
  }
  if (startsAgents(tool.name))
    return ok({ kind: 'none', subject: String(text.startsWith('{') ? (input['subagent_type'] ?? '') : text) })
  const parsed = parseInput(tool, input)
  if (!parsed.ok) return fail({ type: 'bad-call', message: parsed.failure.message })
  const context: ToolContext = {
    agentId: '',
    toolUseId: '',
    session,
    signal: AbortSignal.timeout(TIMEOUT),
    onOutput: () => {},
    askForm: async () => ({ action: 'cancel', reason: 'unattended' }),
    askModel: async () => fail({ type: 'auth', message: 'Nothing runs.', status: null, retryAfterMs: null }),
  }
  const target = await tool.target?.(parsed.value.input, context)
  return ok(
    target ?? {
      kind: 'undeclared',
      action: `use ${tool.label ?? tool.name}`,
      text,
      onlyReads: !tool.sideEffects(parsed.value.input),
    },
  )
}

/** JSON as given; other text is the first required field, and the others are empty. */
function inputOf(tool: AnyTool, text: string): Readonly<Record<string, unknown>> {
  if (text.startsWith('{')) {
    try {
      return { ...JSON.parse(text) }
    } catch {
      // A command or a path may begin with a brace.
    }
  }
  const { required, properties } = inputSchema.parse(toolSchemaOf(tool).input_schema)
  const values = required.map((field) => [field, EMPTY[properties[field]?.type ?? 'string'] ?? ''] as const)
  const [first] = required
  return { ...Object.fromEntries(values), ...(first !== undefined && text !== '' && { [first]: text }) }
}

const EMPTY: Readonly<Record<string, unknown>> = {
  array: [],
  object: {},
  number: 0,
  integer: 0,
  boolean: false,
}
const inputSchema = z.object({
  required: z.array(z.string()).catch([]),
  properties: z.record(z.string(), z.object({ type: z.string().optional() }).catch({})).catch({}),
})

function partsOf(
  target: PermissionTarget,
  cwd: string,
): readonly { readonly text: string; readonly folder: string }[] {
  if (target.kind !== 'command') return []
  const parsed = parseShell(target.command)
  if (!parsed.ok) return []
  return commandParts(parsed.list, cwd).map(({ command, folders }) => ({
    text: command.text,
    folder: folders?.[0] ?? cwd,
  }))
}

function explained(decision: PermissionDecision, rules: readonly WrittenRule[]): ExplainedCall {
  const { kind, because } = decision
  return {
    decision: kind,
    because,
    remedy: kind === 'ask' ? decision.remedy : null,
    rules: rules.filter(({ text, where }) => because.includes(`${text} in ${where}`)),
  }
}
