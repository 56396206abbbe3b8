/**
 * The text of a command file: its shell commands run and its files are read under the permission rules of the receiving
 * agent. First all are decided; if one may not run, nothing runs.
 */

import type { PermissionMode } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { plainMode } from '../../../shared/permissions/permission-modes.ts'
import type { WrittenRule } from '../../../shared/rules/written-rule.ts'
import { type BodyPart, expandBody } from '../../../shared/slash/expand-body.ts'
import type { ExpandedCommand, ExpandRequest, SlashFailure } from '../../../shared/slash/slash-command.ts'
import type { SlashLine } from '../../../shared/slash/slash-line.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { resolvePath } from '../paths/paths.ts'
import { decideCall, type JudgedCall, type PermitDeps } from '../permissions/decide-call.ts'
import type { PermissionDecision } from '../permissions/permission-concern.ts'
import type { FoundCommand } from '../ports/definitions.ts'
import type { Shell } from '../ports/shell.ts'
import { commandFrame, inTag } from './expand-text.ts'

export interface ExpandDeps extends PermitDeps {
  readonly shell: Shell
  /** The receiver's state; null: a new conversation, or it is unknown. */
  agentState(agent: NonNullable<ExpandRequest['agent']>): Promise<AgentState | null>
  /** The mode of a new conversation. */
  newMode(folder: string): PermissionMode
}

/** What is written around the text of a skill. */
interface SkillFrame {
  readonly text: string
  readonly after: string
}

/** ms for each shell command. */
const COMMAND_LIMIT = 120_000
/** Characters of each output and of each file. */
const LONGEST_OUTPUT = 30_000
const LONGEST_FILE = 100_000

type Judged = Omit<JudgedCall, 'tool' | 'target'>
type Judge = (
  tool: 'Bash' | 'Read',
  target: JudgedCall['target'],
  rules?: PermitDeps['rules'],
) => Promise<PermissionDecision>

export async function expandFile(
  found: FoundCommand,
  { request, line }: { readonly request: ExpandRequest; readonly line: SlashLine },
  {
    deps,
    signal,
    skill,
  }: { readonly deps: ExpandDeps; readonly signal: AbortSignal; readonly skill?: SkillFrame },
): Promise<Result<ExpandedCommand, SlashFailure>> {
  const { info, command } = found
  if (command === null)
    return fail({ type: 'wrong', message: info.problem ?? 'The command’s file is wrong.' })
  const state = request.agent === null ? null : await deps.agentState(request.agent)
  const judged = judgedAgent(state, request, deps)
  const judge: Judge = (tool, target, rules = deps.rules) =>
    decideCall({ ...deps, rules }, { ...judged, tool, target }, signal)
  const parts = expandBody(command.body, line.rest, { isSkill: skill !== undefined })
  const rules = info.source === 'user' ? withAllowed(deps.rules, found) : deps.rules
  const refused = await refusedCommands(parts, { request, judge, rules, line })
  if (refused !== null) return fail(refused)
  const files = await readFiles(parts, judged.session.cwd, { deps, judge })
  if (!files.ok) return files
  const pieces: string[] = []
  for (const part of parts) {
    if (part.kind !== 'command') {
      pieces.push(part.text)
      continue
    }
    const ran = await runCommand(part.command, { deps, judged, signal })
    if (!ran.ok) return ran
    pieces.push(ran.value)
  }
  const frame = commandFrame(line, skill?.text ?? `the text of the command, from ${info.file}:`)
  const text = [
    `${frame}${pieces.join('').trim()}`,
    ...(skill === undefined ? [] : [skill.after]),
    ...files.value,
  ].join('\n\n')
  return ok({ name: info.name, text })
}

/** The receiver as a permission decision sees it. */
function judgedAgent(
  state: AgentState | null,
  { folder, mode }: ExpandRequest,
  { policy, newMode }: ExpandDeps,
): Judged {
  const wanted = mode ?? newMode(folder)
  // A conversation in this mode would be refused.
  const isRefused = wanted === 'bypassPermissions' && !policy.bypassAllowed(folder)
  const root = state?.worktree?.path ?? folder
  return {
    mode: state ?? plainMode(isRefused ? 'default' : wanted),
    session: { root, project: folder, cwd: root, worktree: null, readFolders: new Set() },
    definition: state?.definition ?? {
      name: 'main',
      source: 'built-in',
      writeFolders: [],
      rules: { denied: [], only: [] },
    },
    readOnly: state?.definition.readOnly ?? false,
  }
}

/** The file's `allowed-tools` as rules of the user: only for the shell commands of the file itself. */
function withAllowed(rules: PermitDeps['rules'], { info, command }: FoundCommand): PermitDeps['rules'] {
  const own: readonly WrittenRule[] = (command?.allowedTools ?? [])
    .filter((text) => /^Bash\b/.test(text))
    .map((text) => ({ text, source: 'user', file: info.file, line: null, where: info.file }))
  return {
    ...rules,
    of: async (folder) => {
      const written = await rules.of(folder)
      return { ...written, allow: [...written.allow, ...own] }
    },
  }
}

interface Deciding {
  readonly request: ExpandRequest
  readonly line: SlashLine
  readonly judge: Judge
  readonly rules: PermitDeps['rules']
}

/** Why a shell command of the body may not run; null: all may. */
async function refusedCommands(
  parts: readonly BodyPart[],
  { request, line, judge, rules }: Deciding,
): Promise<SlashFailure | null> {
  const asking: string[] = []
  for (const part of parts) {
    if (part.kind !== 'command') continue
    const { command } = part
    const decision = await judge('Bash', { kind: 'command', command }, rules)
    if (decision.kind === 'deny')
      return {
        type: 'denied',
        message: `/${line.name} was not sent: its command ${command} is denied. ${decision.because}`,
      }
    if (decision.kind === 'ask' && !request.approved.includes(command)) asking.push(command)
  }
  if (asking.length === 0) return null
  const commands = [...new Set(asking)]
  return {
    type: 'needs-permission',
    commands,
    message: `/${line.name} was not sent: it runs ${commands.join(' and ')}, which needs your permission. Allow it with a rule such as Bash(${commands[0] ?? ''}) in your settings.`,
  }
}

/** The contents of the files that exist. A word with @ that names no file stays text. */
async function readFiles(
  parts: readonly BodyPart[],
  cwd: string,
  { deps, judge }: { readonly deps: ExpandDeps; readonly judge: Judge },
): Promise<Result<readonly string[], SlashFailure>> {
  const texts = new Map<string, string>()
  for (const part of parts) {
    if (part.kind !== 'file') continue
    const path = resolvePath(cwd, part.path)
    if (texts.has(path)) continue
    // Decided before anything about the file is looked at.
    const decision = await judge('Read', { kind: 'read', path })
    const stat = await deps.files.stat(path)
    if (!stat.ok || stat.value.kind === 'other') continue
    if (decision.kind !== 'allow')
      return fail({
        type: 'denied',
        message: `Nothing was sent: the command includes ${path}, which may not be read. ${decision.because}`,
      })
    const read = await contentOf(path, stat.value.kind === 'folder', deps)
    if (!read.ok) return read
    texts.set(path, inTag('file', `path=${JSON.stringify(part.path)}`, read.value))
  }
  return ok([...texts.values()])
}

async function contentOf(
  path: string,
  isFolder: boolean,
  { files }: ExpandDeps,
): Promise<Result<string, SlashFailure>> {
  if (isFolder) {
    const names = await files.list?.(path)
    return ok(names?.ok ? names.value.toSorted().join('\n') : '')
  }
  const read = await files.read(path)
  if (!read.ok) return fail({ type: 'failed', message: `Nothing was sent: ${read.failure.message}` })
  if (read.value.includes(0)) return ok('[Not a text file. Use Read to see it.]')
  return ok(clip(new TextDecoder().decode(read.value), LONGEST_FILE, 'Use Read for the rest.'))
}

interface Running {
  readonly deps: ExpandDeps
  readonly judged: Judged
  readonly signal: AbortSignal
}

async function runCommand(
  command: string,
  { deps, judged, signal }: Running,
): Promise<Result<string, SlashFailure>> {
  const ran = await deps.shell.run({
    command,
    cwd: judged.session.cwd,
    timeoutMs: COMMAND_LIMIT,
    signal,
    onOutput: () => {},
  })
  const failed = (why: string) =>
    fail({ type: 'failed' as const, message: `Nothing was sent: the command ${command} ${why}` })
  if (!ran.ok) return failed(`did not start. ${ran.failure.message}`)
  const { ended, exitCode, output } = ran.value
  if (ended === 'timeout') return failed(`did not end within ${COMMAND_LIMIT / 1000} s.`)
  if (ended === 'aborted') return failed('was stopped.')
  if (exitCode !== 0)
    return failed(
      `failed (${exitCode === null ? 'a signal' : `exit code ${exitCode}`}).\n${output.trim().slice(-1000)}`,
    )
  const text = clip(output.trim(), LONGEST_OUTPUT, 'Run the command to see the rest.')
  return ok(
    inTag('command-output', `command=${JSON.stringify(command)}`, text === '' ? '[No output.]' : text),
  )
}

function clip(text: string, most: number, rest: string): string {
  if (text.length <= most) return text
  return `${text.slice(0, most)}\n[${text.length - most} more characters. ${rest}]`
}
