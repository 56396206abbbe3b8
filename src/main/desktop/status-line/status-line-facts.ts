/** Gathers the input of the status line's command from a snapshot of a conversation. */

import { noUsage } from '../../../shared/models/no-usage.ts'
import { type AgentState, needsUser } from '../../../shared/state/agent-state.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import type { StatusLineExtras } from '../../../shared/status-line/contract.ts'

interface Location {
  readonly folder: string
  readonly branch: string | null
  /** Of the next conversation. */
  readonly model: string
  /** Of Troupe. */
  readonly version: string
  /** ms since the epoch. */
  readonly now: number
}

/**
 * The keys of Claude Code, so that people's scripts run as they are, and those of Troupe, see docs/using/status-line.md.
 * Users write their commands for these keys: keys are only ever added.
 *
 * @param snapshot null before the first message
 */
export function statusLineFacts(
  { folder, branch, model, version, now }: Location,
  snapshot: Pick<ConversationSnapshot, 'record' | 'agents'> | null,
  { transcriptPath, outputStyle, addedFolders, lines }: StatusLineExtras,
) {
  const agents = snapshot?.agents ?? []
  const main = mainAgentOf(snapshot)
  const costUsd = agents.every((agent) => agent.priced)
    ? agents.reduce((sum, agent) => sum + agent.costUsd, 0)
    : null
  const id = main?.model ?? model
  const cwd = main?.cwd ?? folder
  return {
    hook_event_name: 'Status',
    session_id: snapshot?.record.id ?? '',
    transcript_path: transcriptPath,
    cwd,
    version,
    model: { id, display_name: displayName(id) },
    workspace: { current_dir: cwd, project_dir: folder, added_dirs: addedFolders },
    output_style: { name: outputStyle },
    cost: {
      total_cost_usd: costUsd,
      total_duration_ms: main === null ? 0 : Math.max(0, now - main.spawnedAt),
      total_lines_added: lines.added,
      total_lines_removed: lines.removed,
    },
    ...contextOf(main),
    effort: main?.effort ? { level: main.effort } : null,
    permission_mode: main?.permissionMode ?? null,
    folder,
    branch,
    conversation: snapshot === null ? null : { id: snapshot.record.id, title: snapshot.record.title },
    agents: {
      running: agents.filter((agent) => agent.status === 'running').length,
      waiting: agents.filter(needsUser).length,
    },
    costUsd,
    tokens: agents.reduce((sum, agent) => sum + agent.countedTokens, 0),
  }
}

/** Null before the first message. */
export const mainAgentOf = (
  snapshot: Pick<ConversationSnapshot, 'record' | 'agents'> | null,
): AgentState | null => snapshot?.agents.find(({ id }) => id === snapshot.record.mainAgentId) ?? null

function contextOf(main: AgentState | null) {
  const { input, output, cacheRead, cacheWrite } = main?.usage ?? noUsage
  const { used = null, window = null } = main?.context ?? {}
  const percentage =
    used === null || window === null ? null : Math.min(100, Math.round((used / window) * 100))
  return {
    context_window: {
      total_input_tokens: input + cacheRead + cacheWrite,
      total_output_tokens: output,
      context_window_size: window,
      used_percentage: percentage,
      remaining_percentage: percentage === null ? null : 100 - percentage,
      current_usage:
        used === null
          ? null
          : {
              input_tokens: used,
              output_tokens: 0,
              cache_creation_input_tokens: 0,
              cache_read_input_tokens: 0,
            },
    },
    exceeds_200k_tokens: (used ?? 0) > 200_000,
  }
}

/** `claude-opus-4-5-20251101` → `Opus 4.5`; other names stay as they are. */
function displayName(id: string): string {
  const [, family = '', major = '', minor] =
    /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(id) ?? []
  if (family === '') return id
  const name = `${family[0]?.toUpperCase()}${family.slice(1)}`
  return `${name} ${major}${minor === undefined ? '' : `.${minor}`}`
}
