/** A call that an external agent asks about, as the permission rules of Troupe see it. */
import { resolve } from 'node:path'
import type { ToolCallUpdate } from '@agentclientprotocol/sdk'
import { LONGEST_PATCH, patchOf } from '../../../platform/acp/tool-calls.ts'
import { isRecord } from '../../../platform/json/json-text.ts'
import { quotedWord } from '../../../platform/shell/quoted-word.ts'
import { type ExternalCall, UNKNOWN_CALL } from '../../../runtime/ports/agent-backing.ts'
import { commandLine, readCallInput } from './call-input.ts'

/** What the rules judge of a call: each file of it by itself. */
type Judged = Pick<ExternalCall, 'tool' | 'target'>

/** Of each kind. */
const MOST_POSSIBLE = 50
const LONGEST_COMMAND = 10_000

/**
 * Everything that a call carries is judged, each part by itself: a command, each changed file, an address. What is not
 * clearly one of these is a call of an unknown kind, which the user decides each time.
 */
export function judgedOf(call: Omit<ToolCallUpdate, 'toolCallId'>, cwd: string): readonly Judged[] {
  const { command, urls, ...input } = readCallInput(call.rawInput, cwd)
  const diffs = (call.content ?? []).flatMap((part) => (part.type === 'diff' ? [part] : []))
  const changes = diffs.map(
    ({ path, oldText, newText }): Judged => ({
      tool: 'Edit',
      target: { kind: 'write', path: resolve(cwd, path), preview: patchOf(oldText ?? '', newText) },
    }),
  )
  const shown = new Set(diffs.map(({ path }) => resolve(cwd, path)))
  const named = [...(call.locations ?? []).map(({ path }) => path), ...input.paths]
  const paths = [...new Set(named.map((path) => resolve(cwd, path)))].filter((path) => !shown.has(path))
  const runIt = command === null ? [] : [runs(command)]
  const fetchIt = urls.map((url): Judged => ({ tool: 'WebFetch', target: { kind: 'fetch', url } }))
  const unknown = undeclared(call, cwd)
  const isEdit = call.kind === 'edit' || (call.kind == null && diffs.length > 0)
  if (isEdit || diffs.length > 0) {
    const others = paths.map(
      (path): Judged => ({ tool: 'Edit', target: { kind: 'write', path, preview: shownInput(call) } }),
    )
    const all = [...changes, ...others, ...runIt, ...fetchIt]
    return isEdit && all.length > 0 && !input.isUnclear ? all : [...all, unknown]
  }
  if (input.isUnclear || input.hasEdits) return [unknown]
  if (runIt.length > 0) return [...runIt, ...fetchIt]
  if (call.kind === 'read' && paths.length > 0)
    return [...paths.map((path): Judged => ({ tool: 'Read', target: { kind: 'read', path } })), ...fetchIt]
  // An address with a path may be a download to a file.
  return call.kind === 'fetch' && fetchIt.length > 0 && paths.length === 0 ? fetchIt : [unknown]
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

/** The sandbox does not hold an external agent. */
const runs = (command: string): Judged => ({
  tool: 'Bash',
  target: { kind: 'command', command, outside: true },
})

const undeclared = (call: Omit<ToolCallUpdate, 'toolCallId'>, cwd: string): Judged => {
  const onlyLooks = call.kind === 'read' || call.kind === 'search'
  const paths = [
    ...(call.locations ?? []).map(({ path }) => path),
    ...readCallInput(call.rawInput, cwd).paths,
  ]
  return {
    tool: UNKNOWN_CALL,
    target: {
      kind: 'undeclared',
      action: ACTIONS[call.kind ?? 'other'] ?? 'use a tool of its own',
      text: [call.title, shownInput(call)].filter((text) => text != null && text !== '').join('\n'),
      onlyReads: false,
      mayBe: [
        ...possibleCommands(call).map((command) => ({ kind: 'command', command }) as const),
        ...[...new Set(paths)]
          .slice(0, MOST_POSSIBLE)
          .map((path) => ({ kind: onlyLooks ? 'read' : 'write', path: resolve(cwd, path) }) as const),
      ],
    },
  }
}

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

/** Texts of a call that may be command lines: its title, and what its input says. */
function possibleCommands({ title, rawInput }: Omit<ToolCallUpdate, 'toolCallId'>): readonly string[] {
  const quoted = [...(title ?? '').matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '')
  const texts = [title ?? '', ...quoted, ...textsOf(rawInput)].map((text) => text.trim())
  return [...new Set(texts)]
    .filter((text) => text !== '' && text.length <= LONGEST_COMMAND)
    .slice(0, MOST_POSSIBLE)
}

/** All texts of a value, with a list of texts as one line. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  const parts = Object.values(value)
  const isLine = Array.isArray(value) && parts.every((part) => typeof part === 'string')
  return isLine
    ? [commandLine(value) ?? '', value.map(quotedWord).join(' '), ...value]
    : parts.flatMap(textsOf)
}

function shownInput({ rawInput }: Pick<ToolCallUpdate, 'rawInput'>): string {
  return rawInput == null ? '' : JSON.stringify(rawInput, null, 2).slice(0, LONGEST_PATCH)
}
