/** The calls of one message: concurrent tools run together, all others one at a time, in order. */

import type { ToolUseBlock } from '../../../shared/messages/content.ts'
import { startsAgents } from '../../../shared/tools/tool-names.ts'
import type { RunContext } from './agent-run.ts'
import { toolNamed } from './prepare-tool-call.ts'
import { refuseCalls } from './record-reply.ts'
import { type RanCall, runToolCall, type ToolDeps } from './run-tool-call.ts'

/**
 * Resolves when every call has its result in the log.
 * @returns whether an interceptor stopped the agent. The calls after that group are not run and have no result.
 */
export async function runTools(run: RunContext<ToolDeps>, calls: readonly ToolUseBlock[]): Promise<boolean> {
  const { agent } = run
  let phaseFailed = false
  for (const all of groupsOf(calls, (name) => toolNamed(agent.tools, name)?.concurrent ?? true)) {
    const group: readonly ToolUseBlock[] = phaseFailed ? all.filter(({ name }) => !startsAgents(name)) : all
    refuseCalls(
      agent,
      all.filter((call) => !group.includes(call)),
      'phase not begun',
    )
    for (const _ of group) agent.callStarted()
    const ran: readonly RanCall[] = await Promise.all(
      group.map(async (call) => {
        try {
          // A signal of its own: Node warns of a leak above ten listeners on one signal.
          return await runToolCall({ ...run, signal: AbortSignal.any([run.signal]) }, call)
        } finally {
          agent.callEnded()
        }
      }),
    )
    if (ran.some(({ stops }) => stops)) return true
    phaseFailed ||= ran.some(
      ({ isError }, at) => isError && toolNamed(agent.tools, group[at]?.name ?? '')?.startsPhase,
    )
  }
  return false
}

/** Adjacent concurrent calls form one group; every other call is a group of its own. */
function groupsOf(
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
