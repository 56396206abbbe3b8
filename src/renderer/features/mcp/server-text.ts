/** The state of an MCP server in words, and its mark. */
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
export function statusText({ status, transport, target }: McpServerState, now: number): string {
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
export function placeOf({ file, line }: Pick<McpServerState, 'file' | 'line'>): string {
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
