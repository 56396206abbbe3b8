/** A one-line summary of a call's input, for calls without a summary from the runtime. */

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
