/** Completion in the frontmatter: keys, values, and names within lists. */
import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete'
import { type Extension, Prec } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { agentColors } from '../../../../shared/agent-definition/agent-color.ts'
import {
  type DefinitionField,
  definitionFields,
  fieldOf,
  modelAliases,
} from '../../../../shared/agent-definition/definition-fields.ts'
import {
  LONGEST_FRONTMATTER,
  type ScannedField,
  type ScannedFrontmatter,
  scanFrontmatter,
  scanNames,
} from '../../../../shared/agent-definition/scan-frontmatter.ts'
import { startsAgents } from '../../../../shared/tools/tool-names.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'
import { modelHelp, toolHelp } from './hover-help.ts'
import { surroundingsOf } from './surroundings-facet.ts'

export function definitionCompletion(): Extension {
  return [
    autocompletion({
      override: [completeDefinition],
      icons: false,
      maxRenderedOptions: 60,
      addToOptions: [{ render: colorDot, position: 20 }],
    }),
    Prec.highest(keymap.of([{ key: 'Tab', run: acceptCompletion }])),
  ]
}

function colorDot({ type }: Completion): Node | null {
  if (!type?.startsWith('color-')) return null
  const dot = document.createElement('span')
  dot.className = `cm-color-dot cm-${type}`
  return dot
}

export function completeDefinition(context: CompletionContext): CompletionResult | null {
  const { state, pos } = context
  const surroundings = surroundingsOf(state)
  const head = state.doc.sliceString(0, LONGEST_FRONTMATTER)
  const scanned = scanFrontmatter(head)
  if (surroundings === null || state.readOnly || scanned === null) return null
  if (pos < scanned.from || pos > scanned.to || (pos === scanned.to && head.startsWith('-', pos))) return null
  const position = { context, scanned, surroundings, text: head }
  return completeKey(position) ?? completeValue(position)
}

interface CompletionPosition {
  readonly context: CompletionContext
  readonly scanned: ScannedFrontmatter
  readonly surroundings: DefinitionSurroundings
  readonly text: string
}

function completeKey({ context, scanned }: CompletionPosition): CompletionResult | null {
  const { state, pos } = context
  const line = state.doc.lineAt(pos)
  const typed = state.sliceDoc(line.from, pos)
  const word = /^[ \t]*([\w.-]*)$/.exec(typed)?.[1]
  if (word === undefined || typed.length - word.length !== Math.min(scanned.indent, typed.length)) return null
  if (word === '' && !context.explicit) return null
  const here = scanned.fields.find(({ keyFrom, keyTo }) => keyFrom <= pos && pos <= keyTo)
  const present = scanned.fields.filter((field) => field !== here).map(({ key }) => key)
  const options = keyOptions(definitionFields, present)
  return {
    from: pos - word.length,
    ...(here === undefined ? {} : { to: here.keyTo }),
    options: options.map((option) => ({ ...option, apply: here === undefined ? insertKey : option.label })),
    validFor: /^[\w.-]*$/,
  }
}

/** Inserts a key with its colon and offers its values. The parameters are CodeMirror's. */
const insertKey: Exclude<Completion['apply'], string | undefined> = (view, { label }, from, to) => {
  const insert = `${label}: `
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.complete',
  })
  startCompletion(view)
}

function completeValue(position: CompletionPosition): CompletionResult | null {
  const { context, scanned } = position
  const { pos } = context
  const field = scanned.fields.findLast(({ from }) => from <= pos)
  const definition = field === undefined ? undefined : fieldOf(field.key)
  if (field === undefined || definition === undefined || isInComment(position, field)) return null
  if (pos === field.from) return null
  const target = { ...position, field, definition }
  return definition.kind === 'names' || definition.key === 'mcpServers'
    ? completeName(target)
    : completeWhole(target)
}

function isInComment({ context, text }: CompletionPosition, { from }: ScannedField): boolean {
  const lineFrom = Math.max(from, context.state.doc.lineAt(context.pos).from)
  return /(?:^|\s)#/.test(text.slice(lineFrom, context.pos))
}

interface CompletionTarget extends CompletionPosition {
  readonly field: ScannedField
  readonly definition: DefinitionField
}

/** Completes the value of a key with one value. */
function completeWhole({ context, surroundings, text, field, definition }: CompletionTarget) {
  const { pos } = context
  const typed = /^[ \t]+["']?([^\s"']*)$/.exec(text.slice(field.from, pos))?.[1]
  if (typed === undefined) return null
  const options = valueOptions(definition, surroundings)
  const rest = /^[^\s"'#]*/.exec(text.slice(pos, field.to))?.[0].length ?? 0
  return options.length === 0
    ? null
    : { from: pos - typed.length, to: pos + rest, options, validFor: /^[\w.-]*$/ }
}

/** Completes one name of a list, or an agent type within `Agent(…)`. */
function completeName(target: CompletionTarget): CompletionResult | null {
  const { context, surroundings, text, field, definition } = target
  const { pos } = context
  const before = text.slice(field.from, pos)
  const type = /\bAgent\(([^()]*,)?\s*([^(),]*)$/.exec(before)
  if (type) return { from: pos - (type[2] ?? '').length, options: agentOptions(surroundings) }
  if (before.split('(').length > before.split(')').length) return null

  const name = /(?:^[ \t]+["']?|[[,\s]["']?|\n[ \t]*-[ \t]+["']?)([^\s,[\]"'()]*)$/.exec(before)?.[1]
  if (name === undefined || name === '-') return null
  const from = pos - name.length
  const others = new Set(
    scanNames(text, field)
      .filter((other) => other.to < from || other.from > pos)
      .map((other) => other.name),
  )
  const options = valueOptions(definition, surroundings).filter(({ label }) => !others.has(label))
  return options.length === 0 ? null : { from, options, validFor: /^[\w*-]*$/ }
}

/** Completions for a value, or for one name of a list. */
function valueOptions(field: DefinitionField, surroundings: DefinitionSurroundings): readonly Completion[] {
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
function agentOptions({ entry, catalog }: DefinitionSurroundings): readonly Completion[] {
  return catalog.entries
    .filter(({ id, state }) => id !== entry.id && state === 'offered')
    .map(({ name, description }) => withInfo(name, description))
}

/** Keys that are not present under any of their names, in the usual order of files. */
function keyOptions(fields: readonly DefinitionField[], present: readonly string[]): readonly Completion[] {
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
