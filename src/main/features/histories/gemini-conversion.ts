/** Turns a session of Gemini CLI and those of its subagents into events. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { ToolDisplay, Usage } from '../../../shared/events/agent-event.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { geminiSession } from './gemini-session.ts'
import type { HistoryAgent } from './history-agent.ts'
import type { HistoryBook } from './history-book.ts'
import type { FoundHistory } from './history-format.ts'
import {
  type JsonObject,
  listIn,
  numberIn,
  objectIn,
  promptTitle,
  stringIn,
  textOfBlocks,
  timeIn,
} from './history-lines.ts'
import { patchDisplay, userBlocks } from './history-parts.ts'
import type { StartedBy } from './history-said.ts'

/** The call that started a subagent. */
interface Started extends StartedBy {
  readonly task: string
  readonly type: string
}

export class GeminiConversion {
  private readonly found: FoundHistory
  private readonly book: HistoryBook
  private readonly started = new Map<string, Started>()

  constructor(found: FoundHistory, book: HistoryBook) {
    this.found = found
    this.book = book
  }

  async run(): Promise<void> {
    await this.book.each(this.found.files, ({ path, key }) =>
      basename(path) === 'logs.json' ? this.readLog(path) : this.read(path, key),
    )
  }

  /** The user's messages, without any answer. */
  private async readLog(path: string): Promise<void> {
    const entries = listIn(jsonOrUndefined(await readFile(path, 'utf8'))).map(objectIn)
    let asked = 0
    for (const { sessionId, message, timestamp } of entries) {
      if (sessionId !== this.found.session) continue
      asked++
      this.agentFor('', {}, timeIn(timestamp))?.told(timeIn(timestamp), userBlocks(message))
    }
    this.book.skip('Answers that Gemini CLI did not keep', Math.max(1, asked))
  }

  private async read(path: string, key: string): Promise<void> {
    const { about, messages, unread } = await geminiSession(path, this.book.breathe)
    if (unread > 0) this.book.skip('Lines that are no JSON', unread)
    const at = timeIn(about['startTime'])
    const agent = this.agentFor(key, about, at ?? timeIn(messages[0]?.['timestamp']))
    if (agent === null) return
    for (const message of messages) {
      this.message(agent, message)
      await this.book.settle()
    }
    if (key !== '') agent.ended(null, { status: 'completed' })
  }

  private agentFor(key: string, about: JsonObject, at: number | null): HistoryAgent | null {
    return this.book.agent(key, () => {
      const startedBy = this.started.get(key) ?? this.started.get(stringIn(about['sessionId']))
      const { type = '', task = stringIn(about['summary']) } = startedBy ?? {}
      return { ...{ type, task, startedBy }, cwd: this.found.folder, at: at ?? this.found.createdAt }
    })
  }

  private message(agent: HistoryAgent, message: JsonObject): void {
    const at = timeIn(message['timestamp'])
    const type = stringIn(message['type'])
    const text = textOfBlocks(message['content'])
    if (type === 'user')
      agent.told(at, userBlocks(geminiPartsOf(message['content'])), { id: stringIn(message['id']) })
    else if (type === 'gemini') this.answer(agent, message, at)
    else if (type === 'info' || type === 'warning' || type === 'error') {
      if (text.trim() !== '') agent.notice(at, text, type)
    } else this.book.skip(`Messages of the unknown kind “${type.slice(0, 40)}”`)
  }

  private answer(agent: HistoryAgent, message: JsonObject, at: number | null): void {
    const model = stringIn(message['model'])
    const tokens = geminiUsageOf(message['tokens'])
    const said = {
      ...{ at, messageId: stringIn(message['id']) || null },
      ...(model !== '' && { model }),
      ...(tokens && { usage: tokens }),
    }
    for (const thought of listIn(message['thoughts']).map(objectIn)) {
      const thinking = [stringIn(thought['subject']), stringIn(thought['description'])]
        .filter(Boolean)
        .join('\n')
      if (thinking !== '') agent.block({ type: 'thinking', thinking, signature: '' }, said)
    }
    const text = textOfBlocks(message['content'])
    if (text.trim() !== '') agent.block({ type: 'text', text }, said)
    const calls = listIn(message['toolCalls']).map(objectIn)
    for (const call of calls) {
      const agentId = stringIn(call['agentId'])
      const args = objectIn(call['args'])
      const name = stringIn(call['name'])
      if (agentId === '') agent.call(stringIn(call['id']), name, args, said)
      else {
        const task =
          stringIn(args['description']) ||
          promptTitle(stringIn(args['objective']) || stringIn(args['prompt'])) ||
          name
        agent.call(stringIn(call['id']), 'Agent', { description: task, subagent_type: name, ...args }, said)
        const started = agent.callNamed(stringIn(call['id']))
        if (started) this.started.set(agentId, { parentKey: '', toolUseId: started.id, task, type: name })
      }
    }
    for (const call of calls) {
      const { status } = call
      const content = geminiResultOf(call)
      if (status !== 'success' && status !== 'error' && status !== 'cancelled' && content === '') continue
      agent.result(stringIn(call['id']), {
        ...{ at: timeIn(call['timestamp']), content, isError: status !== 'success' },
        display: geminiDisplayOf(call),
        ...(status === 'cancelled' && { note: 'canceled' }),
      })
    }
  }
}

/** Parts of a message: images are data beside their type. */
function geminiPartsOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((part: unknown) => {
    const data = objectIn(objectIn(part)['inlineData'])
    if (stringIn(data['data']) === '') return part
    return { type: 'image', source: { type: 'base64', media_type: data['mimeType'], data: data['data'] } }
  })
}

/** The text of the result of a call; empty: it has none. */
function geminiResultOf(call: JsonObject): string {
  const { result, resultDisplay } = call
  const texts = (Array.isArray(result) ? result : [result]).map((part: unknown) => {
    if (typeof part === 'string') return part
    const response = objectIn(objectIn(objectIn(part)['functionResponse'])['response'])
    return stringIn(response['output']) || stringIn(response['error']) || stringIn(objectIn(part)['text'])
  })
  const text = texts.filter((one) => one !== '').join('\n')
  return text || (typeof resultDisplay === 'string' ? resultDisplay : '')
}

/** What the row shows of a result; null: its text is all. */
function geminiDisplayOf({ name, args, resultDisplay, status }: JsonObject): ToolDisplay | null {
  const { fileDiff, fileName, filePath } = objectIn(resultDisplay)
  const path = stringIn(filePath) || stringIn(objectIn(args)['file_path']) || stringIn(fileName)
  const diff = patchDisplay(path, stringIn(fileDiff))
  if (diff !== null) return diff
  if (name !== 'run_shell_command') return null
  return { kind: 'terminal', exitCode: status === 'success' ? 0 : null, timedOut: false }
}

/** The input of Gemini includes what was read from the cache. */
function geminiUsageOf(value: unknown): Usage | null {
  const tokens = objectIn(value)
  if (Object.keys(tokens).length === 0) return null
  const [input, cached] = [numberIn(tokens['input']), numberIn(tokens['cached'])]
  return {
    input: Math.max(0, input - cached) + numberIn(tokens['tool']),
    output: numberIn(tokens['output']) + numberIn(tokens['thoughts']),
    cacheRead: Math.min(input, cached),
    cacheWrite: 0,
  }
}
