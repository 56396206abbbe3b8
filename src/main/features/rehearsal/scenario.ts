/**
 * A director that plays a scenario: the first matching step answers a request. Everything about an agent is in
 * the request; only the counts of played steps and faults are kept here.
 * The format is described in docs/scenarios.md.
 */
import { messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { Director, ScriptedBlock, ScriptedFault, ScriptedReply, ScriptedRequest } from './director.ts'
import { type Scope, UnknownName, withNames } from './expression.ts'
import { scenarioFunctions } from './scenario-functions.ts'
import { type Scene, sceneOf } from './scenario-scene.ts'
import {
  readScenario,
  regexSource,
  type Scenario,
  type ScenarioBlock,
  type ScenarioFault,
  type ScenarioStep,
} from './scenario-schema.ts'
import { Templates } from './scenario-templates.ts'
import { playTurns } from './scenario-turns.ts'

/** Reads a scenario's YAML. Failures name the line. */
export function loadScenario(text: string): Result<Director> {
  const scenario = readScenario(text)
  return scenario.ok ? ok(new ScenarioDirector(scenario.value)) : scenario
}

class ScenarioDirector implements Director {
  private readonly scenario: Scenario
  private readonly templates = new Templates()
  /** Times each step was played, by its index. */
  private readonly played = new Map<number, number>()
  /** Times each fault was acted out, by step, agent and turn. */
  private readonly faults = new Map<string, number>()

  constructor(scenario: Scenario) {
    this.scenario = scenario
  }

  async reply(request: ScriptedRequest): Promise<ScriptedReply> {
    const scene = sceneOf(request)
    const scope = this.lazily(this.scenario.define ?? {}, withNames(namesOf(scene), knownScope))
    let played = 0
    try {
      for (const [index, step] of this.scenario.steps.entries()) {
        played = index
        const captured = this.fits(step, index, scene)
        if (captured === null) continue
        const own = this.lazily(step.let ?? {}, withNames(groupsOf(captured), scope))
        if (step.if !== undefined && !this.templates.value(step.if, own)) continue
        const fault = step.fault === undefined ? null : this.faultOf(step.fault, index, scene)
        // A step counts as played once it has answered: a failed attempt is retried.
        if (fault === null || fault.kind === 'unknown-events')
          this.played.set(index, (this.played.get(index) ?? 0) + 1)
        return this.replyOf(step, { scene, scope: own, fault })
      }
    } catch (thrown) {
      return { blocks: [], fault: mistake(`Step ${played + 1} of the scenario fails: ${messageOf(thrown)}`) }
    }
    return { blocks: [], fault: noStep(scene) }
  }

  /** A scope with these expressions, each evaluated when it is first used; they may use each other. */
  private lazily(definitions: Readonly<Record<string, unknown>>, below: Scope): Scope {
    const values = new Map<string, unknown>()
    const scope: Scope = (name) => {
      if (!Object.hasOwn(definitions, name)) return below(name)
      if (!values.has(name)) {
        const definition = definitions[name]
        values.set(
          name,
          typeof definition === 'string' ? this.templates.value(definition, scope) : definition,
        )
      }
      return values.get(name)
    }
    return scope
  }

  private replyOf(
    step: ScenarioStep,
    {
      scene,
      scope,
      fault,
    }: { readonly scene: Scene; readonly scope: Scope; readonly fault: ScriptedFault | null },
  ): ScriptedReply {
    const { templates } = this
    const { turns, unfinished, heard } = step
    const blocks =
      turns === undefined
        ? this.blocksOf(step.reply ?? [], scope)
        : playTurns(turns, { scene, scope, templates, unfinished })
    const isHeard = heard !== undefined && scene.mayCallTools && newsOf(scene).length > 0
    return {
      blocks: isHeard ? [{ type: 'text', text: templates.text(heard, scope) }, ...blocks] : blocks,
      ...(step.stop === undefined ? {} : { stopReason: step.stop }),
      ...(step.delay === undefined ? {} : { delayMs: step.delay }),
      ...(step.silence === undefined ? {} : { silenceMs: step.silence }),
      ...(step.pace === undefined ? {} : { pace: step.pace }),
      ...(step.cutInput === undefined ? {} : { truncateToolInput: step.cutInput }),
      ...(fault === null ? {} : { fault }),
    }
  }

  private blocksOf(reply: string | readonly ScenarioBlock[], scope: Scope): readonly ScriptedBlock[] {
    const { templates } = this
    const blocks = typeof reply === 'string' ? [{ text: reply }] : reply
    return blocks.flatMap((block): readonly ScriptedBlock[] => {
      const text = (source: string) => templates.text(source, withNames({ n: '1' }, scope))
      if ('text' in block) return [{ type: 'text', text: text(block.text) }]
      if ('thinking' in block) return [{ type: 'thinking', text: text(block.thinking) }]
      const { tool, input = {}, id, repeat = 1 } = block
      return Array.from({ length: repeat }, (_, index) => {
        const numbered = withNames({ n: String(index + 1) }, scope)
        return {
          type: 'tool_use' as const,
          name: tool,
          input: templates.filled(input, numbered),
          ...(id === undefined ? {} : { id: templates.text(id, numbered) }),
        }
      })
    })
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

/** What an expression may call. */
const knownScope: Scope = withNames(scenarioFunctions, (name) => {
  throw new UnknownName(`${name} is not known`)
})

/** What an expression may know of its agent; docs/scenarios.md describes each. */
function namesOf(scene: Scene): Readonly<Record<string, unknown>> {
  const { task, results, tasks, tools, agents, folder, date, model, system } = scene
  return {
    ...{ task, results, tasks, tools, agents, folder, date, model, system },
    turn: String(scene.turn),
    prompt: tasks[0]?.messages[0] ?? '',
    asked: tasks.at(-1)?.text ?? '',
    said: tasks.flatMap(({ replies }) => replies.map(({ said }) => said)),
    news: newsOf(scene),
  }
}

/** The user's messages since the last reply, without the task itself. */
function newsOf({ tasks }: Scene): readonly string[] {
  const now = tasks.at(-1)
  return now?.replies.at(-1)?.heard ?? now?.messages.slice(tasks.length === 1 ? 1 : 0) ?? []
}

const groupsOf = (captured: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(captured.map((group, index) => [String(index + 1), group]))

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
  return mistake(
    `The scenario has no step for turn ${turn} of the agent with the task ${clip(task)}; the last message to it was ${clip(news)}`,
  )
}

const mistake = (message: string): ScriptedFault => ({
  kind: 'status',
  status: 400,
  type: 'invalid_request_error',
  message,
})
