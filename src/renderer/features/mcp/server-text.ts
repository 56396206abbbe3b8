/** The state of an MCP server in words, and its mark. */

import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import type { McpServerState, McpSource } from '../../../shared/mcp/mcp.ts'
import type { DotStatus } from '../../ui/dot.tsx'
import { timeText } from '../../ui/text/format.ts'

export const SOURCES: readonly { readonly source: McpSource; readonly title: string }[] = [
  { source: 'managed', title: 'Managed' },
  { source: 'command-line', title: 'Command line' },
  { source: 'project', title: 'Project' },
  { source: 'local', title: 'Local' },
  { source: 'user', title: 'User' },
  { source: 'plugin', title: 'Plugins' },
  { source: 'agent', title: 'Agents' },
]

/** Where a server is from, as a word before its file. */
export const SERVER_SOURCE_TEXT: Readonly<Record<McpSource, string>> = {
  managed: 'managed',
  'command-line': 'command line',
  project: 'project',
  local: 'local',
  user: 'user',
  plugin: 'plugin',
  agent: 'agent',
}

export const MARKS: Readonly<Record<McpServerState['status']['kind'], DotStatus>> = {
  off: 'completed',
  waits: 'needs-you',
  idle: 'completed',
  'sign-in': 'needs-you',
  starting: 'queued',
  connected: 'running',
  failed: 'failed',
}

/** One line for the list. `now` in ms since the epoch. */
export function serverStatusText({ status, transport, target }: McpServerState, now: number): string {
  switch (status.kind) {
    case 'off':
      return 'off'
    case 'waits':
      return status.former === null ? 'new, off until you decide' : 'changed, off until you decide'
    case 'idle':
      return 'starts when an agent needs it'
    case 'sign-in':
      return 'sign-in needed'
    case 'starting':
      return `starting, ${seconds(now - status.since)} s`
    case 'connected':
      return `connected · ${transport === 'stdio' ? 'stdio' : hostOf(target)} · ${timeText(status.since)}`
    case 'failed':
      return status.retryAt === null
        ? status.message
        : `${status.message}; again in ${seconds(status.retryAt - now)} s`
  }
}

/** Whether the text changes with each second. */
export function isTicking({ status }: McpServerState): boolean {
  return status.kind === 'starting' || (status.kind === 'failed' && status.retryAt !== null)
}

/** `.mcp.json`, or `.mcp.json:9`. */
export function serverPlace({ file, line }: Pick<McpServerState, 'file' | 'line'>): string {
  if (file === null) return 'command line'
  const name = file.split(/[\\/]/).at(-1) ?? file
  return line === null ? name : `${name}:${line}`
}

function seconds(ms: number): number {
  return Math.max(0, Math.round(ms / 1000))
}

function hostOf(target: string): string {
  return URL.canParse(target) ? new URL(target).host : target
}

// What a server's definition means for the user who is asked to approve it. Pure.

/** The definition as JSON, as in `.mcp.json`. */
export function serverDefinitionText(name: string, definition: unknown): string {
  return `${JSON.stringify({ [name]: definition }, null, 2)}\n`
}

/** The difference of two definitions as hunks of a unified diff. */
export function definitionPatch(name: string, former: unknown, now: unknown): string {
  const found = structuredPatch(
    '',
    '',
    serverDefinitionText(name, former),
    serverDefinitionText(name, now),
    '',
    '',
    {
      context: 20,
    },
  )
  return formatPatch(found, OMIT_HEADERS)
}

export interface DefinitionFact {
  readonly kind: 'version' | 'variable' | 'program' | 'address'
  readonly title: string
  readonly text: string
}

/** The programs that run a package from a registry, with the words before the package. */
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npx: [],
  bunx: [],
  uvx: [],
  pnpx: [],
  pnpm: ['dlx'],
  yarn: ['dlx'],
  bun: ['x'],
  pipx: ['run'],
}

export function definitionFacts(definition: unknown): readonly DefinitionFact[] {
  const { command, args, url } = partsOf(definition)
  const runs = command === null ? null : packageOf(command, args)
  const facts: DefinitionFact[] = []
  if (runs !== null && !hasVersion(runs))
    facts.push({
      kind: 'version',
      title: 'No fixed version.',
      text: `Each start runs the version of ${runs} that is the newest then.`,
    })
  if (command !== null && runs === null)
    facts.push({ kind: 'program', title: `It runs ${command}`, text: 'on this machine, with your rights.' })
  if (url !== null)
    facts.push({
      kind: 'address',
      title: `It sends requests to ${hostOfDefinitionFacts(url)}.`,
      text: 'Nothing runs here.',
    })
  for (const name of variablesIn(definition))
    facts.push({ kind: 'variable', title: `It would get ${name}`, text: 'from your environment.' })
  return facts
}

function partsOf(definition: unknown) {
  const entry = typeof definition === 'object' && definition !== null ? definition : {}
  const text = (key: string) => {
    const value: unknown = Reflect.get(entry, key)
    return typeof value === 'string' ? value : null
  }
  const args: unknown = Reflect.get(entry, 'args')
  return {
    command: text('command'),
    args: Array.isArray(args) ? args.filter((one) => typeof one === 'string') : [],
    url: text('url'),
  }
}

/** The package that a runner such as npx starts; null: the command is no runner. */
function packageOf(command: string, args: readonly string[]): string | null {
  const program = (command.split(/[\\/]/).at(-1) ?? command).replace(/\.(?:cmd|exe)$/i, '')
  const words = Object.hasOwn(RUNNERS, program) ? RUNNERS[program] : undefined
  if (words === undefined || !words.every((word) => args.includes(word))) return null
  return args.find((one) => !one.startsWith('-') && !words.includes(one)) ?? null
}

function hasVersion(name: string): boolean {
  const version = /.(?:@|==)([^@=]+)$/.exec(name)?.[1]
  return version !== undefined && /^\d/.test(version)
}

/** The names in `${NAME}` and `${NAME:-default}`, each once. */
function variablesIn(definition: unknown): readonly string[] {
  const text = JSON.stringify(definition) ?? ''
  return [...new Set([...text.matchAll(/\$\{([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []))]
}

function hostOfDefinitionFacts(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
