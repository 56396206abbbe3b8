/** The rollouts of Codex as a search reads them: each line alone, without the events that they become. */
import {
  type LoggedLine,
  type LoggedText,
  loggedTexts,
  type SearchedLog,
} from '../../../shared/search/logged-texts.ts'
import { CODEX_SILENT, codexCall, codexLine, codexOutput, isCodexPrompt } from './codex-lines.ts'
import type { FoundHistory } from './history-format.ts'
import { type JsonObject, objectIn, stringIn, textOfBlocks, timeIn } from './history-lines.ts'
import { historyAgentId, historyColor, safeName } from './history-parts.ts'

/** The logs of a conversation: a rollout for each agent. */
export function codexLogs({ files }: FoundHistory, conversationId: string): readonly SearchedLog[] {
  return files.map(({ path, key, name }) => {
    const agentId = historyAgentId(conversationId, key)
    return {
      ...{ agentId, file: path, outputs: null, toolOf, mayHaveText },
      read: (line, offset) => read(line, offset, key === ''),
      agent: () => ({ id: agentId, name, task: '', color: historyColor }),
    }
  })
}

const HEAD = /^\{"timestamp":"([^"]{10,40})","type":"(\w+)","payload":\{"type":"(\w+)"/

/** A line whose head is in another order may have text. */
function mayHaveText(start: string, since: number | null, until: number | null): boolean {
  const [, time, type = '', kind = ''] = HEAD.exec(start) ?? []
  const at = timeIn(time)
  if (at === null) return true
  const isTold = !CODEX_SILENT.has(type) && !CODEX_SILENT.has(kind) && type !== 'event_msg'
  return isTold && (since === null || at >= since) && (until === null || at <= until)
}

function read(line: unknown, sequence: number, isMain: boolean): LoggedLine | null {
  const { kind, payload, at } = codexLine(objectIn(line))
  const texts =
    kind === 'compacted'
      ? loggedTexts({ type: 'context-compacted', summary: payload['message'] })
      : kind === 'response_item'
        ? textsOf(payload, isMain)
        : []
  return { sequence, at: at ?? 0, texts, outputOf: null }
}

function textsOf(item: JsonObject, isMain: boolean): readonly LoggedText[] {
  const says = (block: object) => loggedTexts({ type: 'assistant-message', content: [block] })
  const text = textOfBlocks(item['content'])
  const type = stringIn(item['type'])
  if (type === 'message' && item['role'] === 'assistant') return says({ type: 'text', text })
  if (type === 'message')
    return item['role'] === 'user' && isCodexPrompt(text)
      ? loggedTexts({ type: 'user-message', from: isMain ? 'user' : 'parent', content: text })
      : []
  if (type === 'reasoning') return says({ type: 'thinking', thinking: textOfBlocks(item['summary']) || text })
  const called = codexCall(item)
  if (called !== null) return says({ type: 'tool_use', name: safeName(called.name), input: called.input })
  if (!/_call_output$/.test(type)) return []
  const call = stringIn(item['call_id']) || stringIn(item['id'])
  const { text: output } = codexOutput(item['output'])
  return loggedTexts({ type: 'tool-ended', name: '', content: output }).map((one) => ({
    ...one,
    tool: null,
    call,
  }))
}

function toolOf(line: unknown, call: string): string | null {
  const { payload } = codexLine(objectIn(line))
  const called = [payload['call_id'], payload['id']].includes(call) ? codexCall(payload) : null
  return called === null ? null : safeName(called.name)
}
