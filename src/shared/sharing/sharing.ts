/** What leaves the program when a conversation is shared: the formats, and what a file would have in it. */

/** `trace`: of Chrome and Perfetto. `otel`: OpenTelemetry spans as OTLP/JSON. */
export const shareFormats = ['html', 'markdown', 'jsonl', 'trace', 'otel', 'scenario'] as const
export type ShareFormat = (typeof shareFormats)[number]

/** An agent of a conversation that is shared. */
interface SharedAgent {
  readonly id: string
  readonly parentId: string | null
  /** Unique in the conversation, on one line. */
  readonly name: string
  /** The name of its definition. */
  readonly type: string
  readonly status: string
  readonly depth: number
  /** Whether its transcript is left out. */
  readonly left: boolean
  /** Events that go into the file. */
  readonly events: number
}

/** A place where secrets were masked. */
export interface MaskedPlace {
  /** Null: an event of the conversation itself. */
  readonly agentId: string | null
  /** The number of the event in its log. */
  readonly seq: number
  /** "output of Bash", "message". */
  readonly what: string
  /** The text around the first secret, which reads `[secret]`. One line. */
  readonly excerpt: string
  readonly count: number
}

/** What a file has in it, before it is written. */
export interface SharePreview {
  readonly title: string
  readonly format: ShareFormat
  /** The parents before their subagents. */
  readonly agents: readonly SharedAgent[]
  readonly events: number
  /** The files that calls name, by first mention; the first ones only. */
  readonly files: readonly string[]
  readonly fileCount: number
  /** Of the file. */
  readonly bytes: number
  readonly secrets: number
  /** The first ones only. */
  readonly places: readonly MaskedPlace[]
  /** What is not in the file, or not as it was: sentences for the user. */
  readonly notes: readonly string[]
}

const EXTENSIONS: Readonly<Record<ShareFormat, string>> = {
  html: '.html',
  markdown: '.md',
  jsonl: '.jsonl',
  trace: '.trace.json',
  otel: '.otlp.json',
  scenario: '.scenario.yaml',
}

/** The name of a file for a conversation: "make-the-retries-honest.html". */
export function sharedFileName(title: string, format: ShareFormat): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['conversation']
  return `${words.join('-').slice(0, 80)}${EXTENSIONS[format]}`
}
