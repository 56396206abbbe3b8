/** What leaves the program when a conversation is shared: the formats, and what a file would have in it. */
import { fail, ok, type Result } from '../kernel/result.ts'

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

/**
 * The address of a receiver of OpenTelemetry spans (OTLP over HTTP). A receiver's own address gets the path that the protocol
 * names. Fails with `bad-address`.
 */
export function receiverAddress(text: string): Result<URL> {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return badAddress(`"${text}" is not the address of a receiver. Example: http://localhost:4318`)
  if (url.username !== '' || url.password !== '')
    return badAddress('Remove the user name and password from the address: spans are sent without a login.')
  return ok(url.pathname === '/' ? new URL(`/v1/traces${url.search}`, url) : url)
}

const badAddress = (message: string) => fail({ type: 'bad-address', message })

/** A conversation that came from a file. */
export interface Imported {
  readonly conversationId: string
  readonly title: string
  readonly agents: number
  readonly events: number
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
