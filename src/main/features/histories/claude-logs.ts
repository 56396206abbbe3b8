/** The files of a session of Claude Code as a search reads them: each line alone, without the events that they become. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { type LoggedLine, loggedTexts, type SearchedLog } from '../../../shared/search/logged-texts.ts'
import { ADDED, SILENT, typedWords } from './claude-words.ts'
import type { FoundHistory } from './history-format.ts'
import { listIn, objectIn, stringIn, textOfBlocks, timeIn } from './history-lines.ts'
import { historyAgentId, historyColor, resultContent, safeName, userBlocks } from './history-parts.ts'

/** The logs of a session and its subagents. */
export function claudeLogs(
  { files, source, session }: FoundHistory,
  conversationId: string,
): readonly SearchedLog[] {
  const folder = join(dirname(source), session, 'tool-results')
  return files.map(({ path, key, name }) => {
    const agentId = historyAgentId(conversationId, key)
    return {
      ...{ agentId, file: path, toolOf, mayHaveText },
      outputs: { folder, pattern: '<persisted-output>' },
      read: (line, offset) => read(line, offset, key === ''),
      agent: () => {
        const meta = key === '' ? {} : objectIn(jsonFile(path.replace(/\.jsonl$/, '.meta.json')))
        return {
          id: agentId,
          name: stringIn(meta['agentType']) || name,
          task: stringIn(meta['description']),
          color: historyColor,
        }
      },
    }
  })
}

function jsonFile(path: string): unknown {
  try {
    return jsonOrUndefined(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

const TYPE = /^\{"type":"([\w-]+)"/

/** Lines that begin with their type are seldom messages. */
function mayHaveText(start: string): boolean {
  return !SILENT.has(TYPE.exec(start)?.[1] ?? '')
}

function read(line: unknown, sequence: number, isMain: boolean): LoggedLine | null {
  const value = objectIn(line)
  const at = timeIn(value['timestamp'])
  if (at === null) return null
  const { content } = objectIn(value['message'])
  if (value['type'] === 'assistant') {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
    const named = blocks.map((block) => ({
      ...objectIn(block),
      name: safeName(stringIn(objectIn(block)['name'])),
    }))
    const texts =
      value['isApiErrorMessage'] === true ? [] : loggedTexts({ type: 'assistant-message', content: named })
    return { sequence, at, texts, outputOf: null }
  }
  if (value['type'] === 'attachment') {
    const { type, prompt } = objectIn(value['attachment'])
    const from = ADDED.test(textOfBlocks(prompt)) ? 'runtime' : 'user'
    const texts = type === 'queued_command' ? told(prompt, isMain ? from : 'parent') : []
    return { sequence, at, texts, outputOf: null }
  }
  if (value['type'] !== 'user') return null
  const blocks = listIn(content).map(objectIn)
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const said = results.length === 0 ? content : blocks.filter((block) => !results.includes(block))
  const text = textOfBlocks(said)
  const isNote =
    results.length > 0 || value['isMeta'] === true || (ADDED.test(text) && typedWords(text) === '')
  const others =
    value['isCompactSummary'] === true
      ? loggedTexts({ type: 'context-compacted', summary: text })
      : told(said, isNote ? 'runtime' : isMain ? 'user' : 'parent')
  const outputs = results.flatMap(({ content: output, tool_use_id: call }) =>
    loggedTexts({ type: 'tool-ended', name: '', content: resultContent(output) }).map((one) => ({
      ...{ ...one, tool: null, call: stringIn(call) },
    })),
  )
  const kept = outputs.map(({ text: output }) => /^<persisted-output>[\s\S]*saved to: (.+)/.exec(output)?.[1])
  const outputOf =
    kept
      .find(Boolean)
      ?.trim()
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.txt$/, '') ?? null
  return { sequence, at, texts: [...outputs, ...others], outputOf }
}

const told = (content: unknown, from: 'user' | 'parent' | 'runtime') =>
  loggedTexts({ type: 'user-message', from, content: userBlocks(content) })

function toolOf(line: unknown, call: string): string | null {
  const blocks = listIn(objectIn(objectIn(line)['message'])['content']).map(objectIn)
  const block = blocks.find(({ type, id }) => type === 'tool_use' && id === call)
  return block === undefined ? null : safeName(stringIn(block['name']))
}
