/** The parts of a tool call's input that its details show. */
import type { ToolRow } from '../../../../shared/events/transcript-row.ts'

interface InputParts {
  readonly path: string | null
  readonly command: string | null
  /** The other fields as text; empty if there are none, or if the details show something else for them. */
  readonly fields: string
}

const PATH = /^(?:file_path|notebook_path)$/
/** Fields whose content a diff shows. */
const IN_DIFF = /^(?:old_string|new_string|content|new_source)$/

export function inputParts({ input, display }: Pick<ToolRow, 'input' | 'display'>): InputParts {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : []
  const path: unknown = fields.find(([name]) => PATH.test(name))?.[1]
  const command: unknown = fields.find(([name]) => name === 'command')?.[1]
  const shown = fields.filter(
    ([name]) => !(display?.kind === 'diff' && IN_DIFF.test(name)) && name !== 'todos',
  )
  return {
    path: typeof path === 'string' ? path : null,
    command: typeof command === 'string' ? command : null,
    fields: shown.some(([name]) => !PATH.test(name))
      ? shown.map(([name, value]) => `${name}: ${inputText(value)}`).join('\n')
      : '',
  }
}

function inputText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

// A one-line summary of a call's input, for calls without a summary from the runtime.

/** Fields that identify a call, the most specific first. */
const TELLING = [
  'command',
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'url',
  'query',
  'subject',
  'prompt',
]

/** One line for a call that has not started yet. The runtime's summary comes with its start. */
export function summaryOfInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  const fields = input as Readonly<Record<string, unknown>>
  const telling = TELLING.map((name) => fields[name]).find((value) => typeof value === 'string')
  const any = telling ?? Object.values(fields).find((value) => typeof value === 'string')
  return typeof any === 'string' ? (any.split('\n')[0] ?? '') : ''
}

/** The same for streaming input, which is incomplete JSON. */
export function summaryOfPartialInput(json: string): string {
  for (const name of TELLING) {
    const match = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`).exec(json.slice(0, 2000))
    if (match) return unescaped(match[1] ?? '').split('\n')[0] ?? ''
  }
  return ''
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}
