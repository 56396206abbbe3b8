/**
 * Plays the turns of a scenario's step. For every request they are played from the first one, with the results that
 * the messages contain, so that no state is kept between requests and each reply follows from the tools' real results.
 */
import type { ScriptedBlock } from './director.ts'
import { type Scope, withNames } from './expression.ts'
import { NO_ANSWER, type ScenarioCallResult, type Scene } from './scenario-scene.ts'
import type { ScenarioTurn } from './scenario-schema.ts'
import type { Templates } from './scenario-templates.ts'

interface PlayOptions {
  readonly scene: Scene
  readonly scope: Scope
  readonly templates: Templates
  /** The reply if calls are no longer allowed before the turns are through. */
  readonly unfinished: string | undefined
}

/** The blocks of the next reply; none after the last turn. */
export function playTurns(turns: readonly ScenarioTurn[], options: PlayOptions): readonly ScriptedBlock[] {
  const { scene, templates } = options
  const names: Record<string, unknown> = { heard: [] }
  const scope = withNames(names, options.scope)
  const replies = [...(scene.tasks.at(-1)?.replies ?? [])]
  const said = (text: string | undefined) => (text === undefined ? '' : templates.text(text, scope))
  for (const turn of turns) {
    const { calls: wanted = {}, thinking, text } = turn
    for (const name of [...Object.keys(turn.let ?? {}), ...Object.keys(wanted)]) names[name] = undefined
    if (turn.if !== undefined && !templates.value(turn.if, scope)) continue
    for (const [name, source] of Object.entries(turn.let ?? {})) names[name] = templates.value(source, scope)
    if (turn.reply !== undefined) return [{ type: 'text', text: said(turn.reply) }]

    const calls = Object.entries(wanted).flatMap(([name, call]) => callsOf(name, call, { ...options, scope }))
    const possible = calls.filter(({ tool }) => scene.tools.includes(tool))
    // A turn without calls is not a message of its own.
    const reply = possible.length === 0 ? { answers: [], heard: [] } : replies.shift()
    if (reply === undefined) {
      if (!scene.mayCallTools && options.unfinished !== undefined)
        return [{ type: 'text', text: said(options.unfinished) }]
      return [
        ...(thinking === undefined ? [] : [{ type: 'thinking' as const, text: said(thinking) }]),
        ...(text === undefined ? [] : [{ type: 'text' as const, text: said(text) }]),
        ...possible.map(({ tool, input }) => ({ type: 'tool_use' as const, name: tool, input })),
      ]
    }
    const answered = calls.map((call): AnsweredCall => {
      const at = possible.indexOf(call)
      const missing = { ok: false, text: `This agent does not have the tool ${call.tool}.` }
      return { ...call, ...(at < 0 ? missing : (reply.answers[at] ?? NO_ANSWER)) }
    })
    for (const [name, { each }] of Object.entries(wanted)) {
      const own = answered.filter((call) => call.name === name)
      names[name] = each === undefined ? own[0] : own
    }
    names['heard'] = [...(names['heard'] as readonly string[]), ...reply.heard]
  }
  return []
}

interface PlannedCall {
  /** The call's name among the calls of its turn. */
  readonly name: string
  /** What the call is made for, one of the list of `each`. */
  readonly it: unknown
  readonly tool: string
  readonly input: unknown
}
type AnsweredCall = PlannedCall & ScenarioCallResult

function callsOf(
  name: string,
  call: NonNullable<ScenarioTurn['calls']>[string],
  { scope, templates }: PlayOptions,
): readonly PlannedCall[] {
  if (call.if !== undefined && !templates.value(call.if, scope)) return []
  const items = call.each === undefined ? [null] : (templates.value(call.each, scope) as readonly unknown[])
  return items.map((it) => ({
    name,
    it,
    tool: call.tool,
    input: templates.filled(call.input ?? {}, withNames({ it }, scope)),
  }))
}
