/** A call that a program of another maker asks about, as the permission rules of Troupe see it. */
import { isAbsolute, resolve } from 'node:path'
import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import type { ToolDisplay } from '../../../shared/agent-event.ts'
import { type OutsideCall, UNKNOWN_CALL } from '../../runtime/agent-backing.ts'
import { quotedWord } from './quoted-word.ts'

/** What the rules judge of a call: each file of it by itself. */
export type Judged = Pick<OutsideCall, 'tool' | 'target'>

/** In ms, for the shortest diff. */
const PATIENCE = 250
/** Characters of a patch that a request or a row shows. */
const LONGEST_PATCH = 100_000

/**
 * Everything that a call carries is judged, each part by itself: a command, each changed file, an address. What is not
 * clearly one of these is a call of an unknown kind, which the user decides each time.
 */
export function judgedOf(call: Omit<ToolCallUpdate, 'toolCallId'>, cwd: string): readonly Judged[] {
  const input = isRecord(call.rawInput) ? call.rawInput : {}
  const command = commandIn(input)
  if (command === UNCLEAR || (command !== null && isElsewhere(input, cwd))) return [undeclared(call)]
  const diffs = (call.content ?? []).flatMap((part) => (part.type === 'diff' ? [part] : []))
  const changes = diffs.map(
    ({ path, oldText, newText }): Judged => ({
      tool: 'Edit',
      target: { kind: 'write', path: resolve(cwd, path), preview: patchOf(oldText ?? '', newText) },
    }),
  )
  const shown = new Set(diffs.map(({ path }) => resolve(cwd, path)))
  const paths = pathsOf(call, input)
    .map((path) => resolve(cwd, path))
    .filter((path) => !shown.has(path))
  const url = textIn(input, ['url'])
  const runIt = command === null ? [] : [runs(command)]
  const fetchIt: readonly Judged[] =
    url === null ? [] : [{ tool: 'WebFetch', target: { kind: 'fetch', url } }]
  const isEdit = call.kind === 'edit' || (call.kind == null && diffs.length > 0)
  if (isEdit || diffs.length > 0) {
    const others = paths.map(
      (path): Judged => ({ tool: 'Edit', target: { kind: 'write', path, preview: shownInput(call) } }),
    )
    const all = [...changes, ...others, ...runIt, ...fetchIt]
    return isEdit && all.length > 0 ? all : [...all, undeclared(call)]
  }
  if (runIt.length > 0) return [...runIt, ...fetchIt]
  if (call.kind === 'read' && paths.length > 0)
    return [...paths.map((path): Judged => ({ tool: 'Read', target: { kind: 'read', path } })), ...fetchIt]
  if (call.kind === 'fetch' && fetchIt.length > 0) return fetchIt
  return [undeclared(call)]
}

/** The input of a call with the names that the tools of Troupe have, so that hooks and scripts find them. */
export function inputFor({ target }: Judged, rawInput: unknown): unknown {
  const given = isRecord(rawInput) ? rawInput : {}
  switch (target.kind) {
    case 'command':
      return { ...given, command: target.command }
    case 'read':
    case 'write':
      return { ...given, file_path: target.path }
    case 'fetch':
      return { ...given, url: target.url }
    default:
      return rawInput ?? {}
  }
}

/** The change as a row shows it; null: the call has none. */
export function diffOf(call: Pick<ToolCallUpdate, 'content'>): Extract<ToolDisplay, { kind: 'diff' }> | null {
  const [diff] = (call.content ?? []).flatMap((part) => (part.type === 'diff' ? [part] : []))
  if (diff === undefined) return null
  const patch = patchOf(diff.oldText ?? '', diff.newText)
  const count = (sign: string) => patch.split('\n').filter((line) => line.startsWith(sign)).length
  const created = diff.oldText == null
  return { kind: 'diff', path: diff.path, patch, added: count('+'), removed: count('-'), created }
}

/** The hunks of a unified diff. */
export function patchOf(before: string, after: string): string {
  const found = structuredPatch('', '', before, after, '', '', { context: 3, timeout: PATIENCE })
  const patch = found === undefined ? after : formatPatch(found, OMIT_HEADERS)
  return patch.length > LONGEST_PATCH ? `${patch.slice(0, LONGEST_PATCH)}\n…` : patch
}

/** The sandbox does not hold a program of another maker. */
const runs = (command: string): Judged => ({
  tool: 'Bash',
  target: { kind: 'command', command, outside: true },
})

const undeclared = (call: Omit<ToolCallUpdate, 'toolCallId'>): Judged => ({
  tool: UNKNOWN_CALL,
  target: {
    kind: 'undeclared',
    action: ACTIONS[call.kind ?? 'other'] ?? 'use a tool of its own',
    text: [call.title, shownInput(call)].filter((text) => text != null && text !== '').join('\n'),
    onlyReads: false,
  },
})

const ACTIONS: Readonly<Record<string, string>> = {
  delete: 'delete files',
  move: 'move files',
  execute: 'run a command',
  edit: 'change files',
  fetch: 'read something from the network',
  search: 'search',
  read: 'read files',
  switch_mode: 'change its own mode',
}

function shownInput({ rawInput }: Pick<ToolCallUpdate, 'rawInput'>): string {
  return rawInput == null ? '' : JSON.stringify(rawInput, null, 2).slice(0, LONGEST_PATCH)
}

/** The input names a command that can't be read. */
const UNCLEAR = Symbol('unclear')

/** The names under which programs pass a command line. */
const COMMANDS = ['command', 'cmd', 'script', 'shell_command', 'commandLine']
/** With a command, its further words; alone, something that Troupe does not know how to run. */
const WORDS = ['args', 'argv', 'arguments', 'commands', 'code', 'shell', 'exec', 'program', 'executable']

/** A command line, or the words of one: `["bash", "-lc", "npm test"]`. Null: the call runs no command. */
export function commandIn(input: Readonly<Record<string, unknown>>): string | typeof UNCLEAR | null {
  const given = COMMANDS.filter((key) => isGiven(input[key]))
  const words = WORDS.filter((key) => isGiven(input[key]))
  const [name, other] = given
  if (name === undefined) return words.length === 0 ? null : UNCLEAR
  if (other !== undefined || words.some((key) => key !== 'args')) return UNCLEAR
  const more = input['args'] ?? []
  const first = input[name]
  const line = typeof first === 'string' ? [first] : first
  if (!isTexts(line) || !isTexts(more)) return UNCLEAR
  // Whether a shell reads the words again is not known.
  if (more.length > 0 && typeof first === 'string' && /\s/.test(first.trim())) return UNCLEAR
  const all = [...line, ...more]
  if (all.length === 1) return all[0] ?? UNCLEAR
  const [shell = '', option = '', text = ''] = all
  if (all.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option)) return text
  return all.map(quotedWord).join(' ')
}

const isGiven = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  !(typeof value === 'string' && value.trim() === '') &&
  !(Array.isArray(value) && value.length === 0)

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')

/** A command in another folder can't be judged by the paths in it. */
function isElsewhere(input: Readonly<Record<string, unknown>>, cwd: string): boolean {
  const folder = textIn(input, ['cwd', 'workdir', 'directory', 'dir_path'])
  return folder !== null && (isAbsolute(folder) ? folder : resolve(cwd, folder)) !== cwd
}

function pathsOf(
  { locations }: Pick<ToolCallUpdate, 'locations'>,
  input: Readonly<Record<string, unknown>>,
): readonly string[] {
  const named = textIn(input, ['file_path', 'path', 'abs_path', 'absolute_path', 'filePath'])
  const listed = (locations ?? []).map(({ path }) => path)
  return [...new Set([...listed, ...(named === null ? [] : [named])])]
}

function textIn(input: Readonly<Record<string, unknown>>, keys: readonly string[]): string | null {
  const found = keys.map((key) => input[key]).find((value) => typeof value === 'string' && value !== '')
  return typeof found === 'string' ? found : null
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
