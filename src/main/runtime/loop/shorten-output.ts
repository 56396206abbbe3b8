/** Long outputs go to a file; the model receives the head and the tail. */
import type { EventOf } from '../../../shared/agent-event.ts'
import type { ToolContent, ToolUseBlock } from '../../../shared/content.ts'
import type { AgentRun } from './agent-run.ts'
import { toolNamed } from './prepare-tool-call.ts'

/** In characters. */
export const LONGEST_OUTPUT = 16 * 1024
const HEAD = 10 * 1024
const TAIL = 4 * 1024

export async function shortenOutput(
  agent: Pick<AgentRun, 'keepOutput' | 'outputFolder' | 'tools'>,
  call: Pick<ToolUseBlock, 'id' | 'name'>,
  content: ToolContent,
): Promise<Pick<EventOf<'tool-ended'>, 'content' | 'outputFile'>> {
  if (typeof content !== 'string' || content.length <= LONGEST_OUTPUT) return { content, outputFile: null }
  if (toolNamed(agent.tools, call.name)?.keepsOutputWhole) return { content, outputFile: null }
  const kept = await agent.keepOutput(call.id, content)
  const omitted = content.length - HEAD - TAIL
  const note = kept.ok
    ? `The whole output is in ${agent.outputFolder}/${call.id}.txt: read parts of it with Read (offset, limit), or search it with Grep.`
    : `The whole output could not be saved: ${kept.failure.message}. Narrow the command to see more.`
  return {
    content: `${content.slice(0, HEAD)}\n\n[… ${omitted} characters omitted. ${note}]\n\n${content.slice(-TAIL)}`,
    outputFile: kept.ok ? { path: kept.value, bytes: content.length } : null,
  }
}
