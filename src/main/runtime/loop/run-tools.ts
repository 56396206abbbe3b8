/** All calls of one message: those that are safe to together, writes and commands in their order. */
import type { ToolUseBlock } from '../../../shared/content.ts'
import type { AgentRun } from './agent-run.ts'
import { runToolCall, type ToolDeps, toolNamed } from './run-tool-call.ts'

/** Resolves when every call has its result in the log. */
export async function runTools(
  agent: AgentRun,
  calls: readonly ToolUseBlock[],
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const group of groupsOf(calls, (name) => toolNamed(agent.tools, name)?.concurrent ?? true)) {
    for (const _ of group) agent.callStarted()
    await Promise.all(
      group.map(async (call) => {
        try {
          await runToolCall(agent, call, deps, signal)
        } finally {
          agent.callEnded()
        }
      }),
    )
  }
}

/** Neighbours that may run at the same time form a group; any other call is a group of its own. */
export function groupsOf(
  calls: readonly ToolUseBlock[],
  isConcurrent: (name: string) => boolean,
): readonly (readonly ToolUseBlock[])[] {
  const groups: ToolUseBlock[][] = []
  let open: ToolUseBlock[] | null = null
  for (const call of calls) {
    const concurrent = isConcurrent(call.name)
    if (concurrent && open) open.push(call)
    else {
      const group = [call]
      groups.push(group)
      open = concurrent ? group : null
    }
  }
  return groups
}
