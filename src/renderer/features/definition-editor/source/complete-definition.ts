/** Completion in the frontmatter: keys at the margin, values behind their colon, names within lists. */
import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete'
import { type Extension, Prec } from '@codemirror/state'
import { type EditorView, keymap } from '@codemirror/view'
import {
  type DefinitionField,
  definitionFields,
  fieldOf,
} from '../../../../shared/agent-definition/definition-fields.ts'
import {
  LONGEST_FRONTMATTER,
  type ScannedField,
  type ScannedFrontmatter,
  scanFrontmatter,
  scanNames,
} from '../../../../shared/agent-definition/scan-frontmatter.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'
import { surroundingsOf } from './surroundings-facet.ts'
import { agentOptions, keyOptions, valueOptions } from './value-options.ts'

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
  const at = { context, scanned, surroundings, text: head }
  return completeKey(at) ?? completeValue(at)
}

interface Place {
  readonly context: CompletionContext
  readonly scanned: ScannedFrontmatter
  readonly surroundings: DefinitionSurroundings
  readonly text: string
}

function completeKey({ context, scanned }: Place): CompletionResult | null {
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
    options: options.map((option) => ({ ...option, apply: here === undefined ? writeKey : option.label })),
    validFor: /^[\w.-]*$/,
  }
}

/** With its colon; what can follow is offered at once. */
function writeKey(view: EditorView, { label }: Completion, from: number, to: number): void {
  const insert = `${label}: `
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.complete',
  })
  startCompletion(view)
}

function completeValue(place: Place): CompletionResult | null {
  const { context, scanned } = place
  const { pos } = context
  const field = scanned.fields.findLast(({ from }) => from <= pos)
  const meant = field === undefined ? undefined : fieldOf(field.key)
  if (field === undefined || meant === undefined || isInComment(place, field)) return null
  if (pos === field.from) return null
  return meant.kind === 'names' || meant.key === 'mcpServers'
    ? completeName(place, field, meant)
    : completeWhole(place, field, meant)
}

function isInComment({ context, text }: Place, { from }: ScannedField): boolean {
  const lineFrom = Math.max(from, context.state.doc.lineAt(context.pos).from)
  return /(?:^|\s)#/.test(text.slice(lineFrom, context.pos))
}

/** The one value of a key. */
function completeWhole({ context, surroundings, text }: Place, field: ScannedField, meant: DefinitionField) {
  const { pos } = context
  const typed = /^[ \t]+["']?([^\s"']*)$/.exec(text.slice(field.from, pos))?.[1]
  if (typed === undefined) return null
  const options = valueOptions(meant, surroundings)
  const rest = /^[^\s"'#]*/.exec(text.slice(pos, field.to))?.[0].length ?? 0
  return options.length === 0
    ? null
    : { from: pos - typed.length, to: pos + rest, options, validFor: /^[\w.-]*$/ }
}

/** One name of a list, between commas, brackets, dashes or blanks; within `Agent(…)` a type of agent. */
function completeName(
  { context, surroundings, text }: Place,
  field: ScannedField,
  meant: DefinitionField,
): CompletionResult | null {
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
  const options = valueOptions(meant, surroundings).filter(({ label }) => !others.has(label))
  return options.length === 0 ? null : { from, options, validFor: /^[\w*-]*$/ }
}
