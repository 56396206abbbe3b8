/** `troupe permissions explain 'Bash(npm test)'`: whether a call is allowed, asked or denied, and by which rule. */
import { resolveTools } from '../../shared/agent-definition/resolve-tools.ts'
import { canonicalToolName } from '../../shared/agent-definition/tool-names.ts'
import { modeBelow, type PermissionMode, plainMode } from '../../shared/permission-modes.ts'
import { makeVisible } from '../../shared/visible-text.ts'
import { type CallExplanation, type ExplainedCall, explainCall } from '../runtime/loop/explain-call.ts'
import type { PermitDeps } from '../runtime/permissions/decide-call.ts'
import type { DefinitionSource } from '../runtime/ports.ts'
import type { AnyTool } from '../runtime/tool.ts'
import { similarNames } from '../runtime/tools/similar-names.ts'
import type { ExplainPermission } from './parse-permissions.ts'
import { EXIT } from './usage.ts'

export interface ExplainPermissionContext extends PermitDeps {
  readonly definitions: Pick<DefinitionSource, 'load'>
  readonly tools: { names(): readonly string[]; find(name: string): AnyTool | null }
  readonly folder: string
  /** The mode of new conversations here. */
  readonly userMode: PermissionMode
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/** @returns the exit code: `failed` if the agent or the tool does not exist */
export async function permissionsExplain(
  { call, agent, mode, json }: ExplainPermission,
  context: ExplainPermissionContext,
): Promise<number> {
  const { definitions, folder, tools, output, errors } = context
  const complain = (message: string): number => {
    errors.write(`troupe: ${makeVisible(message)}\n`)
    return EXIT.failed
  }
  const trusted = context.policy.trusted(folder)
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
    return complain(`Agent "${agent}" not found.${near === undefined ? '' : ` Did you mean ${near}?`}`)
  }
  const depth = definition.name === 'main' ? 0 : 1
  const resolved = resolveTools(definition, { tools: tools.names(), depth })
  const explanation = await explainCall(
    {
      call,
      folder,
      mode: modeBelow(plainMode(mode ?? context.userMode), definition.permissionMode),
      readOnly: definition.readOnly,
      definition: {
        name: definition.name,
        source: definition.source,
        writeFolders: [],
        rules: { denied: [...resolved.rules.denied], only: [...resolved.rules.only] },
      },
    },
    { ...context, find: (name) => tools.find(name) },
  )
  if (!explanation.ok) return complain(explanation.failure.message)
  const found = explanation.value
  const blocked = resolved.blocked.find(({ tool }) => tool === canonicalToolName(found.tool))
  const shown: CallExplanation =
    blocked === undefined
      ? found
      : {
          ...found,
          decision: 'deny',
          because: `${definition.name} has no ${blocked.tool}: ${blocked.because}.`,
          remedy: null,
          rules: [],
        }
  output.write(
    json
      ? `${JSON.stringify({ type: 'permission', agent: definition.name, trusted, ...shown })}\n`
      : textOf(shown, definition.name),
  )
  return EXIT.done
}

const WORDS: Readonly<Record<ExplainedCall['decision'], string>> = {
  allow: 'allowed',
  ask: 'asked',
  deny: 'denied',
}

function textOf({ tool, text, mode, parts, ...whole }: CallExplanation, agent: string): string {
  const line = (call: ExplainedCall, name: string, indent: string) => {
    const remedy = call.remedy === null ? '' : ` ${call.remedy}`
    return `${indent}${WORDS[call.decision].padEnd(7)}  ${makeVisible(name)}\n${indent}         ${makeVisible(`${call.because}${remedy}`)}\n`
  }
  return [
    line(whole, text === '' ? tool : `${tool}(${text})`, ''),
    ...parts.map((part) => line(part, part.text, '  ')),
    `agent: ${agent}, mode: ${mode}\n`,
  ].join('')
}
