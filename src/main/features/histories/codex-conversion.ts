/** Turns the rollouts of Codex, one for each agent of a conversation, into events. */
import { readFile } from 'node:fs/promises'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import {
  CODEX_SILENT,
  codexCall,
  codexLine,
  codexOutput,
  codexPatch,
  codexUsage,
  displayOfCall,
  imagesIn,
  isCodexPrompt,
} from './codex-lines.ts'
import type { HistoryAgent } from './history-agent.ts'
import type { HistoryBook } from './history-book.ts'
import type { FoundHistory } from './history-format.ts'
import {
  type JsonObject,
  listIn,
  objectIn,
  promptTitle,
  stringIn,
  textOfBlocks,
  timeIn,
} from './history-lines.ts'
import { userBlocks } from './history-parts.ts'
import type { StartedBy } from './history-said.ts'

/** A subagent as the rollout of its parent tells of it. */
interface Told extends StartedBy {
  readonly prompt: string
  readonly role: string
}

/** Of the rollout that is being read. */
interface Reading {
  /** Of the agent: the id of its session; of the main agent ''. */
  readonly key: string
  meta: JsonObject
  agent: HistoryAgent | null
  /** The last prompt: newer rollouts have each twice. */
  prompt: string
  /** The last count of all tokens. */
  total: string
  /** How the last turn ended. */
  end: { readonly at: number | null; readonly report: string } | null
  readonly exitCodes: Map<string, number>
}

export class CodexConversion {
  private readonly found: FoundHistory
  private readonly book: HistoryBook
  private readonly told = new Map<string, Told>()

  constructor(found: FoundHistory, book: HistoryBook) {
    this.found = found
    this.book = book
  }

  async run(): Promise<void> {
    await this.book.each(this.found.files, async ({ path, key }) => {
      const reading: Reading = {
        ...{ key, meta: {}, agent: null, prompt: '', total: '', end: null },
        exitCodes: new Map(),
      }
      await this.read(path, reading)
      const { agent, end } = reading
      if (agent !== null && key !== '' && end !== null)
        agent.ended(end.at, { status: 'completed', ...(end.report !== '' && { report: end.report }) })
      agent?.finish()
    })
  }

  private async read(path: string, reading: Reading): Promise<void> {
    if (path.endsWith('.json')) {
      const whole = objectIn(jsonOrUndefined(await readFile(path, 'utf8')))
      this.value(objectIn(whole['session']), reading)
      for (const item of listIn(whole['items'])) this.value(objectIn(item), reading)
      return
    }
    await this.book.read(path, (value) => this.value(value, reading))
  }

  private value(value: JsonObject, reading: Reading): void {
    const { kind, payload, at } = codexLine(value)
    if (kind === 'session_meta') {
      // Those of a fork's original follow its own.
      if (Object.keys(reading.meta).length > 0) return
      reading.meta = payload
      return
    }
    if (CODEX_SILENT.has(kind)) return
    const agent = this.agentFor(reading, at)
    if (agent === null) return
    if (kind === 'turn_context') agent.takeModel(stringIn(payload['model']))
    else if (kind === 'compacted') this.compacted(agent, stringIn(payload['message']), at)
    else if (kind === 'event_msg') this.event(agent, payload, { reading, at })
    else if (kind === 'response_item') this.item(agent, payload, { reading, at })
    else this.book.skip(`Lines of the unknown kind “${kind.slice(0, 40)}”`)
  }

  private agentFor(reading: Reading, at: number | null): HistoryAgent | null {
    const { key, meta } = reading
    reading.agent ??= this.book.agent(key, () => {
      const cwd = stringIn(meta['cwd']) || this.found.folder
      const begun = at ?? timeIn(meta['timestamp']) ?? this.found.createdAt
      const told = this.told.get(key)
      const spawn = objectIn(objectIn(objectIn(meta['source'])['subagent'])['thread_spawn'])
      const name = stringIn(spawn['agent_nickname']) || stringIn(meta['agent_nickname'])
      const role = told?.role || stringIn(spawn['agent_role']) || stringIn(meta['agent_role'])
      const task = promptTitle(told?.prompt ?? '') || name
      return { ...{ type: role, task, startedBy: told }, background: true, cwd, at: begun }
    })
    return reading.agent
  }

  private compacted(agent: HistoryAgent, summary: string, at: number | null): void {
    if (summary.trim() === '') agent.notice(at, 'Codex compacted the conversation here.')
    else agent.compacted(at, summary)
  }

  private prompt(agent: HistoryAgent, content: unknown, { reading, at }: Place): void {
    const blocks = userBlocks(content)
    const text = textOfBlocks([...blocks]).trim()
    if (text === reading.prompt && text !== '') return
    reading.prompt = text
    agent.told(at, blocks)
  }

  private event(agent: HistoryAgent, payload: JsonObject, place: Place): void {
    const { reading, at } = place
    const type = stringIn(payload['type'])
    const message = stringIn(payload['message'])
    switch (type) {
      case 'user_message':
        if (isCodexPrompt(message)) this.prompt(agent, message, place)
        return
      case 'token_count':
        this.tokens(agent, objectIn(payload['info']), place)
        return
      case 'turn_aborted':
        agent.notice(at, 'The user interrupted the agent.')
        return
      case 'task_complete':
      case 'turn_complete':
        reading.end = { at, report: stringIn(payload['last_agent_message']) }
        return
      case 'context_compacted':
        return
      case 'exec_command_end':
        if (typeof payload['exit_code'] === 'number')
          reading.exitCodes.set(stringIn(payload['call_id']), Math.trunc(payload['exit_code']))
        return
      case 'error':
      case 'stream_error':
      case 'warning':
        if (message !== '') agent.notice(at, message, type === 'error' ? 'error' : 'warning')
        return
      case 'thread_rolled_back':
        agent.notice(
          at,
          'The user went back to an earlier message here. What came after it in between is above.',
        )
        return
      case 'entered_review_mode':
        agent.notice(at, 'Codex reviewed changes here.')
        return
      case 'collab_agent_spawn_end':
        this.spawned(agent, stringIn(payload['new_thread_id']), payload, reading.key)
        return
      default:
        if (!CODEX_SILENT.has(type)) this.book.skip(`Events of the unknown kind “${type.slice(0, 40)}”`)
    }
  }

  /** The call by which an agent started another one. */
  private spawned(agent: HistoryAgent, id: string, facts: JsonObject, parentKey: string): void {
    const call = agent.callNamed(stringIn(facts['call_id']))
    if (id === '' || call === null) return
    const before = this.told.get(id)
    this.told.set(id, {
      parentKey,
      toolUseId: call.id,
      prompt: stringIn(facts['prompt']) || stringIn(call.input['prompt']) || (before?.prompt ?? ''),
      role:
        stringIn(facts['new_agent_role']) || stringIn(call.input['subagent_type']) || (before?.role ?? ''),
    })
  }

  /** A count ends an answer of the model. The same count again tells nothing new. */
  private tokens(agent: HistoryAgent, info: JsonObject, { reading, at }: Place): void {
    if (info['last_token_usage'] === undefined) return
    const total = JSON.stringify(info['total_token_usage'] ?? null)
    if (total === reading.total && total !== 'null') return
    reading.total = total
    agent.spent(at, codexUsage(info['last_token_usage']), null)
  }

  private item(agent: HistoryAgent, item: JsonObject, place: Place): void {
    const { reading, at } = place
    const said = { at, messageId: null }
    const type = stringIn(item['type'])
    const id = stringIn(item['call_id']) || stringIn(item['id'])
    switch (type) {
      case 'message': {
        const role = item['role']
        const text = textOfBlocks(item['content'])
        if (role === 'assistant') {
          reading.prompt = ''
          if (text !== '') agent.block({ type: 'text', text }, said)
        } else if (role === 'user' && (isCodexPrompt(text) || text === ''))
          this.prompt(agent, imagesIn(item['content']), place)
        return
      }
      case 'reasoning': {
        const thinking = textOfBlocks(item['summary']) || textOfBlocks(item['content'])
        if (thinking !== '') agent.block({ type: 'thinking', thinking, signature: '' }, said)
        return
      }
      case 'web_search_call':
        agent.call(id === '' ? `search-${String(at)}` : id, 'web_search', objectIn(item['action']), said)
        agent.result(id === '' ? `search-${String(at)}` : id, { at, content: '', isError: false })
        return
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'local_shell_call_output':
        this.output(agent, id, item['output'], place)
        return
      default: {
        const called = codexCall(item)
        if (called !== null) agent.call(called.id, called.name, called.input, said)
        else if (!CODEX_SILENT.has(type)) this.book.skip(`Parts of the unknown kind “${type.slice(0, 40)}”`)
      }
    }
  }

  private output(agent: HistoryAgent, id: string, value: unknown, { reading, at }: Place): void {
    const call = agent.callNamed(id)
    if (call === null) {
      this.book.skip('Results without their calls')
      return
    }
    const { text, exitCode: written, isError } = codexOutput(value)
    const exitCode = reading.exitCodes.get(id) ?? written
    const patch = call.name === 'apply_patch' ? codexPatch(stringIn(call.input['patch'])) : null
    agent.result(id, {
      ...{ at, content: text, isError: isError || (exitCode !== null && exitCode !== 0) },
      display: displayOfCall(call, exitCode),
      note: patch === null ? '' : `+${patch.added} −${patch.removed}`,
    })
    const started = stringIn(objectIn(jsonOrUndefined(text))['agent_id'])
    if (call.name === 'Agent' && started !== '') this.spawned(agent, started, { call_id: id }, reading.key)
  }
}

interface Place {
  readonly reading: Reading
  readonly at: number | null
}
