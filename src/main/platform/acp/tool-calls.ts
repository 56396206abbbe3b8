/** Tool calls: Troupe's as editors show them, and those of external agents as Troupe's rows show them. */

import { isAbsolute, resolve } from 'node:path'
import type { Diff, ToolCall, ToolCallContent, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk'
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import type { EventOf, ToolDisplay } from '../../../shared/events/agent-event.ts'
import type { ToolContent, ToolUseBlock } from '../../../shared/messages/content.ts'
import { PROGRAM_CALL, programCallRow } from '../../../shared/tools/row-for-name.ts'
import type { ToolKind as OurKind } from '../../../shared/tools/tool-call-row.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import { acpImage, acpTextOf, textBlock } from './content.ts'

const KINDS: Readonly<Record<OurKind, ToolKind>> = {
  read: 'read',
  search: 'search',
  edit: 'edit',
  command: 'execute',
  agent: 'other',
  message: 'other',
  plan: 'think',
  web: 'fetch',
  other: 'other',
}

/** An external agent names the kinds of its calls in the words of the protocol. */
const PROGRAM_KINDS: ReadonlySet<string> = new Set<ToolKind>([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
])

export const isProgramCall = (name: string): boolean => name.startsWith(PROGRAM_CALL)

export function kindOf(name: string): ToolKind {
  if (!isProgramCall(name)) return KINDS[toolFacts(name)?.kind ?? 'other']
  const kind = name.slice(PROGRAM_CALL.length)
  return PROGRAM_KINDS.has(kind) ? (kind as ToolKind) : 'other'
}

/** A call that the model wrote; it has not started. */
export function pendingCall(
  id: string,
  { name, input }: Pick<ToolUseBlock, 'name' | 'input'>,
  folder: string,
) {
  return {
    toolCallId: id,
    title: isProgramCall(name) ? programCallRow(name.slice(PROGRAM_CALL.length)).label : name,
    name,
    kind: kindOf(name),
    status: 'pending',
    rawInput: input,
    locations: locationsOf(input, folder),
  } satisfies ToolCall
}

export function startedCall(id: string, event: EventOf<'tool-started'>, folder: string): ToolCallUpdate {
  return {
    toolCallId: id,
    title: callTitleOf(event),
    name: event.name,
    kind: isProgramCall(event.name) ? kindOf(event.name) : KINDS[event.row.kind],
    status: 'in_progress',
    rawInput: event.input,
    locations: locationsOf(event.input, folder),
  }
}

/** @param file the absolute path of the file that the call changed, if it is known */
export function endedCall(
  id: string,
  event: EventOf<'tool-ended'>,
  file: string | undefined,
): ToolCallUpdate {
  return {
    toolCallId: id,
    status: event.isError ? 'failed' : 'completed',
    content: [...contentOf(event, file)],
  }
}

/** An external agent names its calls as it likes, often with the label first. */
export const callTitleOf = ({ row, summary }: Pick<EventOf<'tool-started'>, 'row' | 'summary'>): string =>
  (summary === '' || summary.startsWith(`${row.label} `)
    ? summary || row.label
    : `${row.label} ${summary}`
  ).replace(/\s+/g, ' ')

/** Output of a command, as a block that markdown leaves alone. */
export function outputBlock(text: string): ToolCallContent {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return textContent(`${fence}\n${text}\n${fence}`)
}

export const textContent = (text: string): ToolCallContent => ({
  type: 'content',
  content: textBlock(text),
})

function contentOf(
  { content, display }: EventOf<'tool-ended'>,
  file: string | undefined,
): readonly ToolCallContent[] {
  if (display?.kind === 'diff') {
    const diffs = diffsOf({ ...display, path: file ?? display.path })
    if (diffs.length > 0) return diffs.map((diff) => ({ type: 'diff' as const, ...diff }))
    // The difference was too much to compute: this is the new text.
    if (display.patch !== '' && content === '') return [outputBlock(display.patch)]
  }
  return blocksOf(content)
}

function blocksOf(content: ToolContent): readonly ToolCallContent[] {
  if (typeof content === 'string') return content === '' ? [] : [outputBlock(content)]
  return content.map((block) =>
    block.type === 'text' ? outputBlock(block.text) : { type: 'content', content: acpImage(block) },
  )
}

/** Each hunk of a patch as the text before and after it. */
export function diffsOf({
  path,
  patch,
  created,
}: Pick<Extract<ToolDisplay, { kind: 'diff' }>, 'path' | 'patch' | 'created'>): readonly Diff[] {
  return patch
    .split(/^@@[^\n]*\n/m)
    .slice(1)
    .map((hunk) => {
      const lines = hunk.replace(/\n$/, '').split('\n')
      const side = (leftOut: string) =>
        lines
          .filter((line) => !line.startsWith(leftOut) && !line.startsWith('\\'))
          .map((line) => line.slice(1))
          .join('\n')
      return { path, oldText: created ? null : side('+'), newText: side('-') }
    })
}

/** The files that a call names, by the fields that tools use for paths. */
export function locationsOf(input: unknown, folder: string): { path: string }[] {
  if (typeof input !== 'object' || input === null) return []
  const paths = ['file_path', 'notebook_path', 'path', 'paths'].flatMap((field) => {
    const value: unknown = Object.hasOwn(input, field) ? input[field as keyof typeof input] : undefined
    return [value].flat().filter((path): path is string => typeof path === 'string' && path !== '')
  })
  return paths.map((path) => ({ path: isAbsolute(path) ? path : resolve(folder, path) }))
}

// ---- calls of external agents --------------------------------------------------------------------

/** In ms, for the shortest diff. */
const PATIENCE = 250
/** Characters of a patch that a request or a row shows. */
export const LONGEST_PATCH = 100_000
/** Characters of the input of a call, and of one result. What follows is left out. */
const LONGEST_INPUT = 1_000_000
export const LONGEST_RESULT = 50_000
/** Parts of a call's result that its row shows. */
const MOST_PARTS = 100

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

/** The input of a call as the transcript keeps it. */
export function inputOf({
  rawInput,
  locations = [],
  title,
}: Pick<ToolCall, 'rawInput' | 'locations' | 'title'>): unknown {
  if (rawInput == null) return locations.length > 0 ? { paths: locations.map(({ path }) => path) } : { title }
  const { length } = JSON.stringify(rawInput) ?? ''
  return length <= LONGEST_INPUT ? rawInput : { title, input: `[${length} characters were left out.]` }
}

/** @param terminalText what a terminal of the call has shown, by its id */
export function resultOf(
  { content, rawOutput }: Pick<ToolCallUpdate, 'content' | 'rawOutput'>,
  terminalText: (id: string) => string,
): string {
  const texts = (content ?? []).slice(0, MOST_PARTS).flatMap((part, index) => {
    if (part.type === 'terminal') return [terminalText(part.terminalId)]
    if (part.type === 'content') return [acpTextOf(part.content)]
    // The row shows the first change as a difference.
    if (part.type === 'diff' && index > 0)
      return [`${part.path}\n${patchOf(part.oldText ?? '', part.newText)}`]
    return []
  })
  const text = texts.filter((one) => one !== '').join('\n\n')
  const shown = text !== '' || rawOutput == null ? text : textOfOutput(rawOutput)
  return shown.length > LONGEST_RESULT ? `${shown.slice(0, LONGEST_RESULT)}\n[The rest was left out.]` : shown
}

const textOfOutput = (output: unknown): string =>
  typeof output === 'string' ? output : (JSON.stringify(output, null, 2) ?? '')
