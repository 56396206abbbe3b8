/** One configured MCP server: its entry as written, checked and with variables filled in. */
import { z } from 'zod'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { McpServerState, McpSource } from '../../../shared/mcp/mcp.ts'
import type { OAuthClient } from './oauth-session.ts'

export interface McpEntry {
  /** The name in its tools. */
  readonly name: string
  readonly source: McpSource
  /** Absolute; null: the command line. */
  readonly file: string | null
  readonly line: number | null
  /** As written. */
  readonly definition: Readonly<Record<string, unknown>>
  /** What the settings say about a server of `.mcp.json`: it is off, or needs no approval. */
  readonly decided?: 'on' | 'off' | undefined
}

export type ServerConfig = { readonly timeoutMs: number } & (
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'http'
      /** `http`: streamable HTTP, or SSE if the server answers only that. */
      readonly wire: 'http' | 'sse'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** A client that the user registered at the server's sign-in; null: Troupe registers itself. */
      readonly client: OAuthClient | null
      /** Hosts on private networks that the server may name. */
      readonly privateHosts?: readonly string[] | undefined
    }
)

const DEFAULT_TIMEOUT = 120_000
const LONGEST_TIMEOUT = 3_600_000

const text = z.string()
const common = { timeout: z.number().positive().max(LONGEST_TIMEOUT).optional() }
const stdio = z.looseObject({
  type: z.literal('stdio').optional(),
  command: text.min(1),
  args: z.array(text).default([]),
  env: z.record(text, text).default({}),
  ...common,
})
const http = z.looseObject({
  type: z.enum(['http', 'streamable-http', 'streamableHttp', 'sse']).optional(),
  url: text.min(1),
  headers: z.record(text, text).default({}),
  oauth: z
    .looseObject({
      clientId: text.min(1).optional(),
      clientSecret: text.optional(),
      /** The client signs in by itself, with its secret or its key. */
      grantType: z.literal('client_credentials').optional(),
      /** In PEM. */
      privateKey: text.optional(),
      signingAlgorithm: text.default('ES256'),
      privateHosts: z.array(text).optional(),
    })
    .optional(),
  ...common,
})

/** The wire of an entry, for display; null: neither a command nor an address. */
export function transportOf(
  definition: Readonly<Record<string, unknown>>,
): McpServerState['transport'] | null {
  if (typeof definition['command'] === 'string') return 'stdio'
  if (typeof definition['url'] !== 'string') return null
  return definition['type'] === 'sse' ? 'sse' : 'http'
}

/** The command line or the address as written. */
export function targetOf(definition: Readonly<Record<string, unknown>>): string {
  const { command, args, url } = definition
  if (typeof command !== 'string') return typeof url === 'string' ? url : ''
  return [command, ...(Array.isArray(args) ? args.map(String) : [])].join(' ')
}

/**
 * Fills in `${VAR}` and `${VAR:-default}`. The failure names what is wrong with the entry, as the end of a sentence.
 *
 * @param variables the user's environment, without the program's keys
 */
export function readConfig(
  { definition }: Pick<McpEntry, 'definition'>,
  variables: Readonly<Record<string, string | undefined>>,
): Result<ServerConfig> {
  const expanded = expand(definition, variables)
  if (!expanded.ok) return expanded
  const kind = transportOf(definition)
  if (kind === null) return fail({ type: 'bad-entry', message: 'it has neither "command" nor "url".' })
  const parsed = (kind === 'stdio' ? stdio : http).safeParse(expanded.value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return fail({
      type: 'bad-entry',
      message: `"${issue?.path.join('.')}": ${sentence(issue?.message ?? 'it is not valid')}`,
    })
  }
  const timeoutMs = parsed.data.timeout ?? DEFAULT_TIMEOUT
  if ('command' in parsed.data && typeof parsed.data.command === 'string') {
    const { command, args, env } = stdio.parse(parsed.data)
    return ok({ kind: 'stdio', command, args, env, timeoutMs })
  }
  const { url, headers, type, oauth } = http.parse(parsed.data)
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    return fail({ type: 'bad-entry', message: `"url" is not an http address: ${url}.` })
  const client = clientOf(oauth)
  if (client?.alone && client.secret === null && client.alone.key === null)
    return fail({
      type: 'bad-entry',
      message: '"oauth" with "grantType": "client_credentials" needs "clientSecret" or "privateKey".',
    })
  if (oauth?.grantType !== undefined && client === null)
    return fail({ type: 'bad-entry', message: '"oauth" with "grantType" needs "clientId".' })
  const wire = type === 'sse' ? 'sse' : 'http'
  return ok({ kind: 'http', wire, url, headers, client, privateHosts: oauth?.privateHosts, timeoutMs })
}

function clientOf(oauth: z.infer<typeof http>['oauth']): OAuthClient | null {
  if (oauth?.clientId === undefined) return null
  const { clientId: id, clientSecret, grantType, privateKey, signingAlgorithm } = oauth
  const key = privateKey === undefined ? null : { pem: privateKey, algorithm: signingAlgorithm }
  return { id, secret: clientSecret ?? null, ...(grantType === undefined ? {} : { alone: { key } }) }
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

function expand(value: unknown, variables: Readonly<Record<string, string | undefined>>): Result<unknown> {
  const missing = new Set<string>()
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string')
      return part.replaceAll(VARIABLE, (_, name: string, fallback: string | undefined) => {
        const found = variables[name] ?? fallback
        if (found === undefined) missing.add(name)
        return found ?? ''
      })
    if (Array.isArray(part)) return part.map(fill)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, fill(inner)]))
  }
  const filled = fill(value)
  if (missing.size === 0) return ok(filled)
  const names = [...missing].join(', ')
  return fail({
    type: 'missing-variable',
    message: `${missing.size === 1 ? 'the variable' : 'the variables'} ${names} ${missing.size === 1 ? 'is' : 'are'} not set. Set ${missing.size === 1 ? 'it' : 'them'} in your environment, or write \${NAME:-default}.`,
  })
}
