/** Completions for keys and their values. */
import type { Completion } from '@codemirror/autocomplete'
import { agentColors } from '../../../../shared/agent-definition/agent-color.ts'
import {
  type DefinitionField,
  fieldOf,
  modelAliases,
} from '../../../../shared/agent-definition/definition-fields.ts'
import { startsAgents } from '../../../../shared/tools/tool-names.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'
import { modelHelp, toolHelp } from './name-help.ts'

/** Completions for a value, or for one name of a list. */
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
      return surroundings.catalog.skills.map(({ name, description }) => withInfo(name, description))
    case 'mcpServers':
      return surroundings.catalog.servers.map((label) => ({ label }))
    default:
      return field.values.map((label, index) => ({ label, boost: -index }))
  }
}

/** The agents that `Agent(…)` can name. */
export function agentOptions({ entry, catalog }: DefinitionSurroundings): readonly Completion[] {
  return catalog.entries
    .filter(({ id, state }) => id !== entry.id && state === 'offered')
    .map(({ name, description }) => withInfo(name, description))
}

/** Keys that are not present under any of their names, in the usual order of files. */
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
  const { tools, servers } = surroundings.catalog
  const plain = tools.map((name) => withInfo(name, toolHelp(name, surroundings) ?? ''))
  const whole = servers.map((server) =>
    withInfo(`mcp__${server}`, toolHelp(`mcp__${server}`, surroundings) ?? ''),
  )
  const typed: Completion = {
    label: 'Agent(…)',
    info: 'Only the agent types in parentheses.',
    apply: (view, _completion, from, to) =>
      view.dispatch({
        changes: { from, to, insert: 'Agent()' },
        selection: { anchor: from + 'Agent('.length },
        userEvent: 'input.complete',
      }),
  }
  return [...plain, ...(tools.some(startsAgents) ? [typed] : []), ...whole]
}

function withInfo(label: string, info: string): Completion {
  return info === '' ? { label } : { label, info }
}
