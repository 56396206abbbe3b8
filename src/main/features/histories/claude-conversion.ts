/**
 * Turns the lines of a session of Claude Code and of its subagents into events. Earlier versions wrote the lines of
 * subagents into the session itself, marked as a side chain. Long outputs are in `<session>/tool-results`.
 */
import { copyFile, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { inParallel } from '../../platform/system/in-parallel.ts'
import {
  ADDED,
  ANSI,
  blockOf,
  displayOf,
  noteFor,
  QUIET,
  SHOWN,
  SILENT,
  typedWords,
  usageIn,
} from './claude-words.ts'
import type { HistoryAgent } from './history-agent.ts'
import type { HistoryBook } from './history-book.ts'
import { type FoundHistory, stateOf } from './history-format.ts'
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
import { resultContent, userBlocks } from './history-parts.ts'
import type { AgentFile, Said, StartedBy } from './history-said.ts'

/** A subagent as the transcript of its parent tells of it. */
interface Told extends StartedBy {
  readonly input: JsonObject
  /** Whether its parent did not wait. */
  readonly isAsync: boolean
  readonly end: { readonly at: number | null; readonly isError: boolean; readonly report: string } | null
}

export class ClaudeConversion {
  private readonly found: FoundHistory
  private readonly book: HistoryBook
  /** By the program's id of the agent. */
  private readonly told = new Map<string, Told>()
  /** Calls of the Agent tool, by their prompt, for agents whose id the parent does not say. */
  private readonly asked = new Map<string, { parentKey: string; toolUseId: string; input: JsonObject }[]>()
  private readonly uuids = new Set<string>()
  /** The side chain of each line that belongs to one, by the id of the line. */
  private readonly chains = new Map<string, string>()
  private chain: string | null = null
  private outputs: ReadonlyMap<string, number> = new Map()
  private readonly folderOfOutputs: string
  private lastPrompt: string | null = null

  constructor(found: FoundHistory, book: HistoryBook) {
    this.found = found
    this.book = book
    this.folderOfOutputs = join(dirname(found.source), found.session, 'tool-results')
  }

  async run(): Promise<void> {
    this.outputs = await sizesIn(this.folderOfOutputs)
    await this.book.each(this.inOrder(), (file) => this.read(file))
    for (const [key, agent] of this.book.agents()) this.end(key, agent)
  }

  /** An agent comes after the one that started it, which says which call it was. */
  private *inOrder(): Generator<AgentFile> {
    const waiting = [...this.found.files]
    while (waiting.length > 0) {
      const next = waiting.findIndex(({ key }) => key === '' || this.told.has(key))
      yield* waiting.splice(Math.max(0, next), 1)
    }
  }

  private async read({ path, key }: AgentFile): Promise<void> {
    const meta = key === '' ? {} : objectIn(await jsonFile(path.replace(/\.jsonl$/, '.meta.json')))
    await this.book.read(path, (value) => this.line(value, key, meta))
  }

  private line(value: JsonObject, key: string, meta: JsonObject): void {
    const type = stringIn(value['type'])
    if (SILENT.has(type)) {
      if (type === 'progress') this.progress(value, key)
      return
    }
    if (!SHOWN.has(type)) {
      this.book.skip(`Lines of the unknown kind “${type.slice(0, 40)}”`)
      return
    }
    const uuid = stringIn(value['uuid'])
    if (uuid !== '' && this.uuids.has(uuid)) return
    if (uuid !== '') this.uuids.add(uuid)
    const agentKey = key === '' && value['isSidechain'] === true ? this.chainOf(value, uuid) : key
    const agent = this.agentFor(agentKey, value, meta)
    if (agent === null) return
    if (type === 'user') this.user(agent, agentKey, value)
    else if (type === 'assistant') this.assistant(agent, agentKey, value)
    else if (type === 'attachment') this.attachment(agent, value)
    else this.system(agent, value)
  }

  /** The side chain of a line: that of its parent, or a new one. Lines are read once, so a loop of parents is harmless. */
  private chainOf(value: JsonObject, uuid: string): string {
    const known = stringIn(value['agentId']) || this.chains.get(stringIn(value['parentUuid']))
    const isStart = value['parentUuid'] === null && value['type'] === 'user'
    const chain = known ?? (isStart || this.chain === null ? `chain-${uuid}` : this.chain)
    this.chain = chain
    if (uuid !== '') this.chains.set(uuid, chain)
    return chain
  }

  private agentFor(key: string, value: JsonObject, meta: JsonObject): HistoryAgent | null {
    return this.book.agent(key, () => {
      const at = timeIn(value['timestamp']) ?? this.found.createdAt
      const cwd = stringIn(value['cwd']) || this.found.folder
      const model = stringIn(objectIn(value['message'])['model'])
      if (key === '') return { at, cwd, model }
      const told = this.told.get(key) ?? this.byPrompt(key, value)
      const input = told?.input ?? {}
      const prompt = textOfBlocks(objectIn(value['message'])['content'])
      return {
        type: stringIn(meta['agentType']) || stringIn(input['subagent_type']),
        task:
          stringIn(input['description']) || stringIn(meta['description']) || promptTitle(typedWords(prompt)),
        ...{ background: told?.isAsync ?? false, startedBy: told, at, cwd, model },
      }
    })
  }

  /** The call with the prompt with which the agent begins. */
  private byPrompt(key: string, value: JsonObject): Told | undefined {
    const call = this.asked.get(textOfBlocks(objectIn(value['message'])['content']))?.shift()
    if (call === undefined) return undefined
    const told = { ...call, isAsync: false, end: null }
    this.told.set(key, told)
    this.keyOfCall.set(call.toolUseId, key)
    return told
  }

  private readonly keyOfCall = new Map<string, string>()

  private user(agent: HistoryAgent, key: string, value: JsonObject): void {
    const at = timeIn(value['timestamp'])
    const { content } = objectIn(value['message'])
    const results = listIn(content).filter((block) => objectIn(block)['type'] === 'tool_result')
    for (const result of results) this.result(agent, key, objectIn(result), value)
    const said = results.length === 0 ? content : listIn(content).filter((block) => !results.includes(block))
    const text = textOfBlocks(said)
    const id = stringIn(value['uuid'])
    if (value['isCompactSummary'] === true) {
      if (text.trim() !== '') agent.compacted(at, text)
      return
    }
    const blocks = userBlocks(said)
    if (results.length > 0 || value['isMeta'] === true || (ADDED.test(text) && typedWords(text) === '')) {
      agent.told(at, blocks, { id, note: noteFor(text) })
      return
    }
    const shell = /^<bash-input>([\s\S]*)<\/bash-input>/.exec(text)?.[1]
    const typed =
      shell === undefined ? (text.includes('<command-name>') ? typedWords(text) : undefined) : `! ${shell}`
    this.branch(agent, value, at)
    agent.told(at, blocks, { id, ...(typed !== undefined && { typed }) })
  }

  /** Says where the user went back to an earlier message: what came after it stays in the file. */
  private branch(agent: HistoryAgent, value: JsonObject, at: number | null): void {
    if (value['isSidechain'] === true) return
    const parent = stringIn(value['parentUuid'])
    if (this.lastPrompt !== null && parent === this.lastPrompt)
      agent.notice(
        at,
        'The user went back to an earlier message here. What came after it in between is above.',
      )
    this.lastPrompt = parent === '' ? null : parent
  }

  private result(agent: HistoryAgent, key: string, result: JsonObject, value: JsonObject): void {
    const id = stringIn(result['tool_use_id'])
    const call = agent.callNamed(id)
    if (call === null) {
      this.book.skip('Results without their calls')
      return
    }
    const at = timeIn(value['timestamp'])
    const isError = result['is_error'] === true
    const details = objectIn(value['toolUseResult'])
    const content = resultContent(result['content'])
    const display = displayOf(call, details, { content, isError })
    const kept = typeof content === 'string' ? this.keptOutput(agent, call.id, content) : null
    const note = display?.kind === 'diff' ? `+${display.added} −${display.removed}` : ''
    agent.result(id, { at, content, isError, note, display, ...(kept && { outputFile: kept }) })
    const agentId = stringIn(details['agentId']) || this.keyOfCall.get(call.id) || ''
    if (agentId === '') return
    const isAsync = details['status'] === 'async_launched' || details['isAsync'] === true
    const end = isAsync ? null : { at, isError, report: textOfBlocks(content) }
    this.told.set(agentId, { parentKey: key, toolUseId: call.id, input: call.input, isAsync, end })
  }

  /** The file beside the session that has the whole of a long output. */
  private keptOutput(agent: HistoryAgent, toolUseId: string, content: string) {
    if (!content.startsWith('<persisted-output>')) return null
    const name = basename(/saved to: (.+)/.exec(content)?.[1]?.trim() ?? '')
    const bytes = this.outputs.get(name)
    if (bytes === undefined) return null
    const from = join(this.folderOfOutputs, name)
    return { path: this.book.copyOutput(agent.id, toolUseId, (to) => copyFile(from, to)), bytes }
  }

  private assistant(agent: HistoryAgent, key: string, value: JsonObject): void {
    const message = objectIn(value['message'])
    const at = timeIn(value['timestamp'])
    const model = stringIn(message['model'])
    const { content } = message
    if (value['isApiErrorMessage'] === true) {
      agent.notice(at, textOfBlocks(content), 'error')
      return
    }
    const usage = usageIn(message['usage'])
    const { costUSD: cost, durationMs: _ } = value
    const said: Said = {
      at,
      messageId: stringIn(message['id']) || stringIn(value['uuid']) || null,
      ...(model !== '' && model !== '<synthetic>' && { model }),
      ...(typeof message['stop_reason'] === 'string' && { stopReason: message['stop_reason'] }),
      ...(usage && { usage }),
      ...(typeof cost === 'number' && cost >= 0 && { costUsd: cost }),
    }
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
    for (const each of blocks) {
      const block = objectIn(each)
      if (block['type'] !== 'tool_use') {
        const shown = blockOf(block)
        if (shown === null)
          this.book.skip(`Parts of the unknown kind “${stringIn(block['type']).slice(0, 40)}”`)
        else agent.block(shown, said)
        continue
      }
      const id = stringIn(block['id'])
      const { input } = block
      agent.call(id, stringIn(block['name']), input, said)
      const prompt = stringIn(objectIn(input)['prompt'])
      const called = agent.callNamed(id)
      if (prompt === '' || called === null || !/^(Task|Agent)$/.test(called.name)) continue
      const call = { parentKey: key, toolUseId: called.id, input: objectIn(input) }
      this.asked.set(prompt, [...(this.asked.get(prompt) ?? []), call])
    }
  }

  /** What the user wrote while the agent worked. */
  private attachment(agent: HistoryAgent, value: JsonObject): void {
    const attachment = objectIn(value['attachment'])
    if (attachment['type'] !== 'queued_command') return
    const text = textOfBlocks(attachment['prompt'])
    const isUsers = (attachment['commandMode'] ?? 'prompt') === 'prompt' && !ADDED.test(text)
    const blocks = userBlocks(attachment['prompt'])
    agent.told(timeIn(value['timestamp']), blocks, {
      id: stringIn(value['uuid']),
      ...(isUsers ? { isPrompt: false } : { note: noteFor(text) }),
    })
  }

  private system(agent: HistoryAgent, value: JsonObject): void {
    const at = timeIn(value['timestamp'])
    const text = textOfBlocks(value['content'])
      .replaceAll(/<\/?local-command-std(out|err)>/g, '')
      .trim()
    const subtype = value['subtype']
    if (subtype === 'compact_boundary') {
      const tokens = numberIn(objectIn(value['compactMetadata'])['preTokens'])
      const size = tokens === 0 ? '' : ` at ${tokens.toLocaleString('en')} tokens`
      agent.notice(at, `Claude Code compacted the conversation here${size}.`)
    } else if (typeof subtype === 'string' && QUIET.has(subtype)) return
    else if (text !== '')
      agent.notice(at, text.replaceAll(ANSI, ''), value['level'] === 'error' ? 'error' : 'info')
  }

  /** A subagent that works tells its parent so, which says which call started it. */
  private progress(value: JsonObject, key: string): void {
    const data = objectIn(value['data'])
    const agentId = stringIn(data['agentId'])
    const parent = this.book.agents().find(([one]) => one === key)?.[1]
    const call = parent?.callNamed(stringIn(value['parentToolUseID']))
    if (agentId === '' || call == null || this.told.has(agentId)) return
    this.told.set(agentId, {
      parentKey: key,
      toolUseId: call.id,
      input: call.input,
      isAsync: false,
      end: null,
    })
  }

  private end(key: string, agent: HistoryAgent): void {
    const told = this.told.get(key)
    if (key !== '' && told?.end) {
      const { at, isError, report } = told.end
      agent.ended(at, { status: isError ? 'failed' : 'completed', ...(report !== '' && { report }) })
    } else if (key !== '' && ['end_turn', 'stop_sequence'].includes(agent.stopReasonNow()))
      agent.ended(null, { status: 'completed' })
    agent.finish()
  }
}

async function sizesIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const names = await readdir(folder).catch(() => [])
  const files = await inParallel(names, 16, (name) => stateOf(join(folder, name)))
  return new Map(files.flatMap((file) => (file ? [[basename(file.path), file.size] as const] : [])))
}

async function jsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return undefined
  }
}
