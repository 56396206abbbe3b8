/** Parts of events that the readers of several programs make: blocks of messages, the rows of calls, differences of files. */
import { createHash } from 'node:crypto'
import type { EventOf, ToolDisplay, Usage } from '../../../shared/events/agent-event.ts'
import { type HistoryProgram, historyNames } from '../../../shared/histories/history.ts'
import { imageBlock, type ToolContent, type UserBlock } from '../../../shared/messages/content.ts'
import { programCallRow, rowForName } from '../../../shared/tools/row-for-name.ts'
import type { ToolCallRow } from '../../../shared/tools/tool-call-row.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { type JsonObject, listIn, numberIn, objectIn, stringIn, textOfBlocks } from './history-lines.ts'

/** Blocks of a user's message: texts, images, and what else came in words. */
export function userBlocks(content: unknown): readonly UserBlock[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }]
  return listIn(content).flatMap((block): readonly UserBlock[] => {
    const image = imageBlock.safeParse(block)
    if (image.success) return [image.data]
    const { type } = objectIn(block)
    const text = textOfBlocks([block])
    if (text.trim() !== '') return [{ type: 'text', text }]
    return type === 'image' || type === 'document' ? [{ type: 'text', text: `[${type}]` }] : []
  })
}

/** The content of a result: a text where it has no image. */
export function resultContent(content: unknown): ToolContent {
  if (typeof content === 'string') return content
  const blocks = userBlocks(content)
  return blocks.some(({ type }) => type === 'image') ? [...blocks] : textOfBlocks([...blocks])
}

/** The id of an agent by what its program calls it. */
export const historyAgentId = (conversationId: string, key: string): string =>
  `${conversationId}-${key === '' ? 'main' : createHash('sha256').update(key).digest('hex').slice(0, 16)}`

/** An id of a call that can be the name of a file, and that an API takes. */
export const safeId = (id: string): string =>
  /^[A-Za-z0-9_-]{1,95}$/.test(id) ? id : `call-${createHash('sha256').update(id).digest('hex').slice(0, 24)}`

/** The name of a tool as an API takes it. */
export const safeName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'tool'

/** The row of a call by its tool, also of tools that only other programs have. */
export function callRowOf(name: string): ToolCallRow {
  const kind = KINDS.find(([words]) => words.test(name))?.[1]
  const own = rowForName(name)
  return own.kind !== 'other' || kind === undefined ? own : { ...programCallRow(kind), label: name }
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [
    /^(shell|shell_command|exec_command|write_stdin|local_shell|run_shell_command|unified_exec|PowerShell)$/i,
    'execute',
  ],
  [/^(apply_patch|patch|write_file|replace|edit_file|multiedit|notebookedit)$/i, 'edit'],
  [/^(read_file|read_many_files|list_directory|list|ls|list_dir|view_image|lsp)$/i, 'read'],
  [/^(search_file_content|grep_search|grep_files|codesearch|tool_search|find)$/i, 'search'],
  [/^(web_fetch|webfetch|google_web_search|websearch|web_search)$/i, 'fetch'],
]

/** The text beside the name of the tool: a path, a pattern, a command. */
export function callSummary(input: JsonObject, cwd: string): string {
  for (const key of SUMMARIES) {
    const value = input[key]
    const text = Array.isArray(value)
      ? value.filter((one) => typeof one === 'string').join(' ')
      : stringIn(value)
    if (text.trim() === '') continue
    const below = cwd !== '' && text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text
    const line = below
      .trim()
      .slice(0, 4 * LONGEST_SUMMARY)
      .replaceAll(/\s+/g, ' ')
    return line.length > LONGEST_SUMMARY ? `${line.slice(0, LONGEST_SUMMARY - 1)}…` : line
  }
  return ''
}

const SUMMARIES = [
  ...[
    'file_path',
    'filePath',
    'notebook_path',
    'absolute_path',
    'path',
    'command',
    'cmd',
    'pattern',
    'query',
    'url',
  ],
  ...['description', 'skill', 'subject', 'dir_path', 'prompt', 'title'],
]
const LONGEST_SUMMARY = 200

/** The sentence for a file or folder that can't be read. */
export const unreadable = (path: string, error: unknown): string =>
  diskFailure(error, 'A history can’t be read', path).message

/**
 * The difference of one file, from hunks `{ oldStart, oldLines, newStart, newLines, lines }`; null: none is known.
 * @param whole the content of a new file
 */
export function diffDisplay(
  path: string,
  hunks: readonly unknown[],
  whole: string | null,
): ToolDisplay | null {
  const lines = whole === null ? hunks.flatMap(linesOfHunk) : created(whole)
  if (lines.length === 0) return null
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  const patch = `${lines.join('\n')}\n`
  return { kind: 'diff', path, patch, added: count('+'), removed: count('-'), created: whole !== null }
}

function linesOfHunk(value: unknown): readonly string[] {
  const hunk = objectIn(value)
  const range = (side: string) => `${numberIn(hunk[`${side}Start`])},${numberIn(hunk[`${side}Lines`])}`
  return [`@@ -${range('old')} +${range('new')} @@`, ...listIn(hunk['lines']).map(stringIn)]
}

function created(content: string): readonly string[] {
  const lines = content.replace(/\n$/, '').split('\n')
  return content === '' ? [] : [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)]
}

/** The difference of one file, from a text with its hunks; null: it has none. */
export function patchDisplay(path: string, text: string): ToolDisplay | null {
  const patch = /^@@[\s\S]*/m.exec(text)?.[0]
  if (patch === undefined) return null
  const lines = patch.split('\n')
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  const created = /^@@ -0,0 /.test(patch)
  return { kind: 'diff', path, patch, added: count('+'), removed: count('-'), created }
}

/** A list of tasks. @param words the key of the words of a task */
export function todosDisplay(tasks: unknown, words = 'content'): ToolDisplay {
  const todos = listIn(tasks).flatMap((task) => {
    const { [words]: content, status, activeForm } = objectIn(task)
    const isKnown = status === 'pending' || status === 'in_progress' || status === 'completed'
    if (typeof content !== 'string' || !isKnown) return []
    return [{ content, status, ...(typeof activeForm === 'string' && { activeForm }) } as const]
  })
  return { kind: 'todos', todos }
}

/** Tokens, where none are counted twice. */
export function usageBeyond(usage: Usage, before: Usage): Usage {
  return {
    input: Math.max(0, usage.input - before.input),
    output: Math.max(0, usage.output - before.output),
    cacheRead: Math.max(0, usage.cacheRead - before.cacheRead),
    cacheWrite: Math.max(0, usage.cacheWrite - before.cacheWrite),
  }
}

/** No program says the color of an agent. */
export const historyColor = 'blue'

/** The definition of an agent, of which only its name is known. */
export function historyDefinition(
  name: string,
  program: HistoryProgram,
): EventOf<'agent-spawned'>['definition'] {
  return {
    name: name === '' ? 'agent' : name,
    source: historyNames[program],
    file: null,
    color: historyColor,
    ...{ readOnly: false, oneShot: false, reminder: null, agentTypes: null, deniedAgentTypes: [] },
    ...{ readFolders: [], writeFolders: [], memory: null, omitProjectInstructions: false },
    ...{ rules: { denied: [], only: [] }, refused: [], digest: '' },
  }
}
