/** Explains what would happen to a call of one of a folder's agents. Nothing runs. */
import { resolveTools } from '../../../shared/agent-definition/resolve-tools.ts'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { similarNames } from '../../../shared/kernel/similar-names.ts'
import { modeBelow, plainMode } from '../../../shared/permissions/permission-modes.ts'
import type { AgentCallExplanation, CallQuestion } from '../../../shared/rules/call-explanation.ts'
import { canonicalToolName } from '../../../shared/tools/tool-names.ts'
import type { PermitDeps } from '../permissions/decide-call.ts'
import type { DefinitionSource } from '../ports/definitions.ts'
import type { AnyTool } from '../ports/tool.ts'
import { explainCall } from './explain-call.ts'

export interface ExplainDeps extends PermitDeps {
  readonly definitions: Pick<DefinitionSource, 'load'>
  readonly tools: { names(): readonly string[]; find(name: string): AnyTool | null }
}

/** Fails with `not-found` if the agent does not exist, with `bad-call` or `unknown-tool`. */
export async function explainAgentCall(
  { call, folder, agent, mode }: CallQuestion,
  deps: ExplainDeps,
): Promise<Result<AgentCallExplanation>> {
  const { definitions, tools } = deps
  const trusted = deps.policy.trusted(folder)
  const { definitions: loaded } = await definitions.load(folder, { trusted })
  const wanted = agent.toLowerCase()
  const definition = loaded.find(
    ({ name, aliases }) =>
      name.toLowerCase() === wanted || aliases.some((one) => one.toLowerCase() === wanted),
  )
  if (definition === undefined) {
    const [near] = similarNames(
      agent,
      loaded.map(({ name }) => name),
    )
    const hint = near === undefined ? '' : ` Did you mean ${near}?`
    return fail({ type: 'not-found', message: `Agent "${agent}" not found.${hint}` })
  }
  const depth = definition.name === 'main' ? 0 : 1
  const resolved = resolveTools(definition, { tools: tools.names(), depth })
  const found = await explainCall(
    {
      call,
      folder,
      mode: modeBelow(plainMode(mode), definition.permissionMode),
      readOnly: definition.readOnly,
      definition: {
        name: definition.name,
        source: definition.source,
        writeFolders: [],
        rules: { denied: [...resolved.rules.denied], only: [...resolved.rules.only] },
      },
    },
    { ...deps, find: (name) => tools.find(name) },
  )
  if (!found.ok) return found
  const whole = { ...found.value, agent: definition.name, trusted }
  const blocked = resolved.blocked.find(({ tool }) => tool === canonicalToolName(whole.tool))
  if (blocked === undefined) return ok(whole)
  const because = `${definition.name} has no ${blocked.tool}: ${sentence(blocked.because)}`
  return ok({ ...whole, decision: 'deny', because, remedy: null, rules: [], parts: [] })
}
