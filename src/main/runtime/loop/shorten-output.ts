/** Long outputs go to a file; the model receives the head, the tail, and the call that reads on. */

import type { EventOf } from '../../../shared/events/agent-event.ts'
import { countOf, sizeOf, withCommas } from '../../../shared/kernel/amounts.ts'
import { sentence } from '../../../shared/kernel/result.ts'
import type { ToolContent, ToolUseBlock } from '../../../shared/messages/content.ts'
import { LONGEST_LINE } from '../tools/files/numbered-lines.ts'
import type { AgentRun } from './agent-run.ts'
import { toolNamed } from './prepare-tool-call.ts'

/** In characters. */
export const LONGEST_OUTPUT = 16 * 1024
const HEAD = 10 * 1024
const TAIL = 4 * 1024
/** For one further part, in characters and lines. */
const PART = 12_000
const MOST_PART_LINES = 500

export async function shortenOutput(
  agent: Pick<AgentRun, 'keepOutput' | 'outputFolder' | 'tools'>,
  call: Pick<ToolUseBlock, 'id' | 'name'>,
  content: ToolContent,
): Promise<Pick<EventOf<'tool-ended'>, 'content' | 'outputFile'>> {
  if (typeof content !== 'string' || content.length <= LONGEST_OUTPUT) return { content, outputFile: null }
  if (toolNamed(agent.tools, call.name)?.keepsOutputWhole) return { content, outputFile: null }
  const kept = await agent.keepOutput(call.id, content)
  const parts = partsOf(content)
  const next = kept.ok
    ? nextCall(content, parts, `${agent.outputFolder}/${call.id}.txt`)
    : `The whole output could not be saved: ${sentence(kept.failure.message)} Narrow the call to see more.`
  const omitted = withCommas(parts.tail - parts.head)
  return {
    content: `${content.slice(0, parts.head).trimEnd()}\n\n[… ${omitted} characters omitted. ${next}]\n\n${content.slice(parts.tail)}`,
    outputFile: kept.ok ? { path: kept.value, bytes: content.length } : null,
  }
}

interface Parts {
  /** Where the head ends and the tail starts: between lines, unless these are very long. */
  readonly head: number
  readonly tail: number
}

function partsOf(text: string): Parts {
  const headEnd = text.lastIndexOf('\n', HEAD - 1) + 1
  const tailStart = text.indexOf('\n', text.length - TAIL) + 1
  return {
    head: headEnd > HEAD / 2 ? headEnd : HEAD,
    tail: tailStart > 0 && tailStart < text.length - TAIL / 2 ? tailStart : text.length - TAIL,
  }
}

/** The next call, with its values: small models copy them. */
function nextCall(text: string, { head, tail }: Parts, path: string): string {
  const lines = linesIn(text)
  const first = linesIn(text.slice(0, head)) + (text[head - 1] === '\n' ? 1 : 0)
  const perLine = (tail - head) / Math.max(1, linesIn(text.slice(head, tail)))
  const limit = Math.max(1, Math.min(MOST_PART_LINES, Math.floor(PART / perLine)))
  const size = `The whole output has ${countOf(lines, 'line')} (${sizeOf(new TextEncoder().encode(text).length)})`
  if (perLine > LONGEST_LINE)
    return `${size}, and its lines are longer than Read shows. Search its file with Grep, or read on with a command: head -c ${head + PART} '${path}' | tail -c ${PART}`
  return `${size}. Read on with Read (file_path "${path}", offset ${first}, limit ${limit}), or search that file with Grep.`
}

/** A line end at the end begins no further line. */
function linesIn(text: string): number {
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
