/** The event of an undo. The agents whose files were changed back are told in their next turn. */
import { type AgentState, isLive } from '../../../shared/agent-state.ts'
import type { ChangesUndone } from '../../../shared/changes.ts'
import { ok, type Result } from '../../../shared/result.ts'
import type { Conversation } from './conversation.ts'

export async function recordUndo(conversation: Conversation, undo: ChangesUndone): Promise<Result<void>> {
  const { file, agents } = conversation
  file.emit({ type: 'changes-undone', ...undo })
  const authors = new Set(undo.changes.map(({ agentId }) => agentId))
  const paths = undo.files.map(({ path }) => path)
  for (const { id, agent } of agents.all()) {
    const isTold = agents.isMain(id) || (agent !== null && authors.has(id) && isAtWork(agent.state()))
    if (agent !== null && isTold && paths.length > 0) agent.transcript.tell(textFor(undo, paths))
  }
  return saveAll(conversation)
}

const isAtWork = (state: AgentState): boolean => isLive(state)

function textFor({ redoOf }: ChangesUndone, paths: readonly string[]): string {
  const shown = paths.slice(0, MOST_NAMED).map((path) => `- ${path}`)
  const more = paths.length > MOST_NAMED ? [`- and ${paths.length - MOST_NAMED} more`] : []
  const what = redoOf === null ? 'undid changes that agents made' : 'restored changes that were undone before'
  return [
    `The user ${what}. These files changed:`,
    ...shown,
    ...more,
    'Read a file again before you rely on it or change it. Do not repeat an undone change unless the user asks for it.',
  ].join('\n')
}

const MOST_NAMED = 20

/** Writes every event of the conversation and its agents to the disk. */
export async function saveAll({ file, agents }: Conversation): Promise<Result<void>> {
  for (const { id, agent } of agents.all()) {
    const flushed = agent === null ? ok(undefined) : await file.tryFlush(id)
    if (!flushed.ok) return flushed
  }
  return file.save()
}
