/**
 * A director that plays a scenario: the first matching step answers a request. Everything about an agent is in
 * the request; only the counts of played steps and faults are kept here.
 * The format is described in docs/scenarios.md.
 */
import { hash } from 'node:crypto'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { Director, ScriptedBlock, ScriptedFault, ScriptedReply, ScriptedRequest } from './director.ts'
import {
  readScenario,
  regexSource,
  type ScenarioBlock,
  type ScenarioFault,
  type ScenarioStep,
} from './scenario-schema.ts'

/** Reads a scenario's YAML. Failures name the line. */
export function loadScenario(text: string): Result<Director> {
  const scenario = readScenario(text)
  return scenario.ok ? ok(new ScenarioDirector(scenario.value.steps)) : scenario
}

class ScenarioDirector implements Director {
  private readonly steps: readonly ScenarioStep[]
  /** Times each step was played, by its index. */
  private readonly played = new Map<number, number>()
  /** Times each fault was acted out, by step, agent and turn. */
  private readonly faults = new Map<string, number>()

  constructor(steps: readonly ScenarioStep[]) {
    this.steps = steps
  }

  async reply(request: ScriptedRequest): Promise<ScriptedReply> {
    const scene = sceneOf(request)
    for (const [index, step] of this.steps.entries()) {
      const captured = this.fits(step, index, scene)
      if (captured === null) continue
      const fault = step.fault === undefined ? null : this.faultOf(step.fault, index, scene)
      // A step counts as played once it has answered: a failed attempt is retried.
      if (fault === null || fault.kind === 'unknown-events')
        this.played.set(index, (this.played.get(index) ?? 0) + 1)
      return replyOf(step, new Words(scene, captured), fault)
    }
    return { blocks: [], fault: noStep(scene) }
  }

  /** The groups that the step's patterns captured, or null if the step does not match. */
  private fits(step: ScenarioStep, index: number, scene: Scene): readonly string[] | null {
    const most = step.once ? 1 : step.times
    if (most !== undefined && (this.played.get(index) ?? 0) >= most) return null
    if (step.turn !== undefined && !isTurn(step.turn, scene.turn)) return null
    if (step.tools !== undefined && step.tools !== scene.mayCallTools) return null
    if (step.model !== undefined && match(step.model, scene.model) === null) return null
    const byAgent =
      step.agent === undefined ? [] : (match(step.agent, scene.system) ?? match(step.agent, scene.task))
    const byNews = step.when === undefined ? [] : match(step.when, scene.news)
    return byAgent === null || byNews === null ? null : [...byAgent, ...byNews]
  }

  private faultOf(fault: ScenarioFault, index: number, scene: Scene): ScriptedFault | null {
    const key = `${index} ${scene.agent} ${scene.turn}`
    const before = this.faults.get(key) ?? 0
    const { times = 1 } = fault
    if (times !== 'always' && before >= times) return null
    this.faults.set(key, before + 1)
    return scriptedFault(fault)
  }
}

/** The facts about an agent in its request. */
interface Scene {
  /** Identifies the agent across requests until its context is compacted. */
  readonly agent: string
  readonly model: string
  readonly system: string
  /** The agent's first user message; for a fork, the one at its boundary. */
  readonly task: string
  /** The last user message with its tool results. */
  readonly news: string
  /** The last tool results alone. */
  readonly results: string
  /** 1 for the model's first message. */
  readonly turn: number
  readonly mayCallTools: boolean
}

function sceneOf({ model, tools, toolChoice, ...request }: ScriptedRequest): Scene {
  const { system, messages } = ownPart(request)
  const users = messages.filter((message) => message.role === 'user')
  const words = (message: (typeof users)[number] | undefined, kinds: readonly string[]) =>
    (message?.content ?? []).flatMap((block) =>
      'text' in block && kinds.includes(block.type) ? [block.text] : [],
    )
  const task = words(users[0], ['text']).join('\n')
  return {
    agent: hash('sha1', `${system}\n${task}`),
    model,
    system,
    task,
    news: words(users.at(-1), ['text', 'tool_result']).join('\n'),
    results: words(users.at(-1), ['tool_result']).join('\n'),
    turn: messages.filter((message) => message.role === 'assistant').length + 1,
    mayCallTools: tools.length > 0 && toolChoice !== 'none',
  }
}

/** A fork begins with its parent's messages; its own messages start at the boundary. */
function ownPart({
  system,
  messages,
}: Pick<ScriptedRequest, 'system' | 'messages'>): Pick<ScriptedRequest, 'system' | 'messages'> {
  const boundary = messages.findLastIndex((message) =>
    message.content.some((block) => block.type === 'text' && block.text.startsWith(FORK_BOUNDARY)),
  )
  return boundary === -1 ? { system, messages } : { system: '', messages: messages.slice(boundary) }
}

const FORK_BOUNDARY = '<system-reminder>\n# You are a subagent now'

function isTurn(turns: number | string, turn: number): boolean {
  return String(turns)
    .split(',')
    .some((part) => {
      const [, from, to] = /^\s*(\d+)(?:-(\d+)|\+)?\s*$/.exec(part) ?? []
      const last = part.trim().endsWith('+') ? Number.POSITIVE_INFINITY : Number(to ?? from)
      return turn >= Number(from) && turn <= last
    })
}

/** The captured groups, or null without a match. */
function match(pattern: string, text: string): readonly string[] | null {
  const source = regexSource(pattern)
  if (source === null) return text.toLowerCase().includes(pattern.toLowerCase()) ? [] : null
  const found = new RegExp(source, 'is').exec(text)
  return found === null ? null : found.slice(1).map((group) => group ?? '')
}

function replyOf(step: ScenarioStep, words: Words, fault: ScriptedFault | null): ScriptedReply {
  const blocks: readonly ScenarioBlock[] =
    typeof step.reply === 'string' ? [{ text: step.reply }] : step.reply
  return {
    blocks: blocks.flatMap((block) => scriptedBlocks(block, words)),
    ...(step.stop === undefined ? {} : { stopReason: step.stop }),
    ...(step.delay === undefined ? {} : { delayMs: step.delay }),
    ...(step.silence === undefined ? {} : { silenceMs: step.silence }),
    ...(step.cutInput === undefined ? {} : { truncateToolInput: step.cutInput }),
    ...(fault === null ? {} : { fault }),
  }
}

function scriptedBlocks(block: ScenarioBlock, words: Words): ScriptedBlock[] {
  if ('text' in block) return [{ type: 'text', text: words.filled(block.text) }]
  if ('thinking' in block) return [{ type: 'thinking', text: words.filled(block.thinking) }]
  const { tool, input = {}, id, repeat = 1 } = block
  return Array.from({ length: repeat }, (_, index) => ({
    type: 'tool_use' as const,
    name: tool,
    input: words.filledIn(input, index + 1),
    ...(id === undefined ? {} : { id: words.filled(id, index + 1) }),
  }))
}

/** Fills `{{…}}` with turn, task, results, n and the captured groups 1, 2, … */
class Words {
  private readonly scene: Scene
  private readonly captured: readonly string[]

  constructor(scene: Scene, captured: readonly string[]) {
    this.scene = scene
    this.captured = captured
  }

  filled(text: string, n = 1): string {
    return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => this.value(name, n) ?? whole)
  }

  filledIn(value: unknown, n: number): unknown {
    if (typeof value === 'string') return this.filled(value, n)
    if (Array.isArray(value)) return value.map((item) => this.filledIn(item, n))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.filledIn(item, n)]))
  }

  private value(name: string, n: number): string | undefined {
    if (name === 'turn') return String(this.scene.turn)
    if (name === 'task') return this.scene.task
    if (name === 'results') return this.scene.results
    if (name === 'n') return String(n)
    return this.captured[Number(name) - 1]
  }
}

function scriptedFault(fault: ScenarioFault): ScriptedFault {
  if ('status' in fault) {
    const {
      status,
      type = errorTypes[status] ?? 'api_error',
      message = `The scenario wants a ${status}.`,
    } = fault
    return {
      kind: 'status',
      status,
      type,
      message,
      ...(fault.retryAfter === undefined ? {} : { retryAfterSeconds: fault.retryAfter }),
    }
  }
  if ('overloaded' in fault)
    return { kind: 'stream-error', type: 'overloaded_error', message: fault.message ?? 'Overloaded' }
  if ('cutAfter' in fault) return { kind: 'cut', afterCharacters: fault.cutAfter }
  if ('stallAfter' in fault) return { kind: 'stall', afterCharacters: fault.stallAfter }
  return { kind: fault.kind }
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** A gap in a scenario is its author's mistake: the agent fails with a description of the missing step. */
function noStep({ turn, task, news }: Scene): ScriptedFault {
  const clip = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text)
  return {
    kind: 'status',
    status: 400,
    type: 'invalid_request_error',
    message: `The scenario has no step for turn ${turn} of the agent with the task ${clip(task)}; the last message to it was ${clip(news)}`,
  }
}
