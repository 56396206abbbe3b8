/** What can stand as the value of a key: offered as it is typed. */
import type { Completion } from '@codemirror/autocomplete'
import { agentColors } from '../../../../shared/agent-definition/agent-color.ts'
import {
  type DefinitionField,
  fieldOf,
  modelAliases,
} from '../../../../shared/agent-definition/definition-fields.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'
import { modelHelp, toolHelp } from './name-help.ts'

/** The options for one value, or for one name of a list. */
export function valueOptions(
  field: DefinitionField,
  surroundings: DefinitionSurroundings,
): readonly Completion[] {
  switch (field.key) {
    case 'model':
      return modelOptions(surroundings)
    case 'color':
      return agentColors.map((label, index) => ({ label, type: `color-${label}`, boost: -index }))
    case 'tools':
      return [...toolOptions(surroundings), { label: '*', detail: 'all tools', apply: '"*"', boost: -20 }]
    case 'disallowedTools':
      return toolOptions(surroundings)
    case 'skills':
      return surroundings.library.skills.map(({ name, description }) => described(name, description))
    case 'mcpServers':
      return surroundings.library.servers.map((label) => ({ label }))
    default:
      return field.values.map((label, index) => ({ label, boost: -index }))
  }
}

/** The agents that `Agent(…)` can name. */
export function agentOptions({ entry, library }: DefinitionSurroundings): readonly Completion[] {
  return library.entries
    .filter(({ id, state }) => id !== entry.id && state === 'offered')
    .map(({ name, description }) => described(name, description))
}

/** The keys that are not there yet under any of their names, in the order in which files have them. */
export function keyOptions(
  fields: readonly DefinitionField[],
  present: readonly string[],
): readonly Completion[] {
  const taken = new Set(present.map((key) => fieldOf(key)?.key ?? key))
  return fields
    .filter(({ key }) => !taken.has(key))
    .map(({ key, help }, index) => ({ label: key, info: help, boost: -index }))
}

function modelOptions(surroundings: DefinitionSurroundings): readonly Completion[] {
  return [
    ...modelAliases.map((label, index) => ({
      label,
      detail: modelHelp(label, surroundings)?.replace(/\.$/, '') ?? '',
      boost: 20 - index,
    })),
    ...surroundings.models.map(({ id, name }) => ({ label: id, detail: name })),
  ]
}

function toolOptions(surroundings: DefinitionSurroundings): readonly Completion[] {
  const { tools, servers } = surroundings.library
  const plain = tools.map((name) => described(name, toolHelp(name, surroundings) ?? ''))
  const whole = servers.map((server) =>
    described(`mcp__${server}`, toolHelp(`mcp__${server}`, surroundings) ?? ''),
  )
  const typed: Completion = {
    label: 'Agent(…)',
    info: 'Only agents of the types in the brackets.',
    apply: (view, _completion, from, to) =>
      view.dispatch({
        changes: { from, to, insert: 'Agent()' },
        selection: { anchor: from + 'Agent('.length },
        userEvent: 'input.complete',
      }),
  }
  return [...plain, ...(tools.includes('Agent') ? [typed] : []), ...whole]
}

function described(label: string, info: string): Completion {
  return info === '' ? { label } : { label, info }
}
