/** The notices for a running agent about added and removed tools, agents and skills. */
import type { AgentEventDraft, ToolSchema } from '../../../shared/events/agent-event.ts'
import { sentence } from '../../../shared/kernel/result.ts'

type ToolsChanged = Extract<AgentEventDraft, { type: 'tools-changed' }>

/** The tools and lists that the agent knows. */
export interface KnownTools {
  /** All schemas of its requests, including those of removed tools. */
  readonly schemas: readonly ToolSchema[]
  /** The tools whose removal was announced to the agent. */
  readonly removed: ReadonlySet<string>
  /** By the tool's name: the entries of the list in its description. */
  readonly entries: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Whether a request was answered. The first one has the added tools from the start, so no text names them. */
  readonly answered: boolean
}

/** The tools and lists that the agent can use now. */
export interface CurrentTools {
  /** Its tools that are not built in, and its tools with a list that is not empty. */
  readonly added: readonly ToolSchema[]
  /** Whether a tool of its requests that is not among these can still be used. */
  isThere(name: string): boolean
  /** Whether a source was available since the start of the program. Any other source may still be added. */
  hasKnown(source: string): boolean
  readonly lists: readonly ListingTool[]
  /** Tools that are there and that no agent can have, with the reasons. */
  readonly unusable: readonly { readonly name: string; readonly because: string }[]
}

/** A tool whose description has a list that changes. */
export interface ListingTool {
  readonly name: string
  readonly noun: string
  readonly use: string
  readonly description: string
  readonly entries: Readonly<Record<string, string>>
}

/** Null if nothing changed. */
export function toolChanges(known: KnownTools, now: CurrentTools): ToolsChanged | null {
  const lists = now.lists.flatMap((list) => listChange(known.entries[list.name], list))
  const added = now.added.filter((schema) => isNew(schema, known))
  const removed = known.schemas.filter(
    ({ name, source }) =>
      source !== undefined &&
      now.hasKnown(source) &&
      !known.removed.has(name) &&
      !now.added.some((tool) => tool.name === name) &&
      !now.isThere(name),
  )
  const unusable = now.unusable.filter(({ name }) => !known.removed.has(name))
  if (lists.length + added.length + removed.length + unusable.length === 0) return null
  return {
    type: 'tools-changed',
    text: [
      ...lists.map(textFor),
      ...toolTexts(
        // The search that found a tool has said so.
        added.filter(({ name, found }) => !found && (known.answered || known.removed.has(name))),
        removed,
      ),
      ...unusableTexts(unusable),
    ].join('\n\n'),
    note: [...lists.map(noteFor), ...toolNotes(added, removed), ...unusableNotes(unusable)].join(' '),
    descriptions: Object.fromEntries(lists.map(({ list }) => [list.name, list.description])),
    entries: Object.fromEntries(lists.map(({ list }) => [list.name, { ...list.entries }])),
    added: [...added],
    removed: [...removed, ...unusable].map(({ name }) => name),
  }
}

// ---- lists in descriptions -----------------------------------------------------------------------

interface ListChange {
  readonly list: ListingTool
  readonly added: readonly (readonly [name: string, entry: string])[]
  readonly gone: readonly string[]
}

/** `known` is undefined for a tool that the agent does not have. */
function listChange(
  known: Readonly<Record<string, string>> | undefined,
  list: ListingTool,
): readonly ListChange[] {
  if (known === undefined) return []
  const added = Object.entries(list.entries).filter(([name, entry]) => known[name] !== entry)
  const gone = Object.keys(known).filter((name) => !Object.hasOwn(list.entries, name))
  return added.length + gone.length === 0 ? [] : [{ list, added, gone }]
}

function textFor({ list: { noun, use }, added, gone }: ListChange): string {
  return [
    `The available ${pluralOf(noun)} have changed.`,
    ...(added.length === 0
      ? []
      : [`New or changed (${use}):\n${added.map(([, entry]) => entry).join('\n')}`]),
    ...(gone.length === 0 ? [] : [`No longer available: ${gone.join(', ')}.`]),
  ].join('\n')
}

/** "agents", "tools to find". */
const pluralOf = (noun: string): string => noun.replace(/^\w+/, '$&s')

function noteFor({ list: { noun }, added, gone }: ListChange): string {
  const names = added.map(([name]) => name).join(', ')
  return [
    ...(added.length === 0 ? [] : [`New or changed ${added.length > 1 ? pluralOf(noun) : noun}: ${names}.`]),
    ...(gone.length === 0 ? [] : [`No longer available: ${gone.join(', ')}.`]),
  ].join(' ')
}

// ---- tools -----------------------------------------------------------------------------------------

/**
 * A removed tool that is available again, and a tool with a changed schema, are new too. Changes of a list are
 * announced separately.
 */
function isNew(schema: ToolSchema, { schemas, removed }: KnownTools): boolean {
  const before = schemas.find(({ name }) => name === schema.name)
  if (before === undefined) return true
  // Entries of a list in a description are announced as changes of that list.
  const isListed = schema.entries !== undefined && before.entries !== undefined
  return schema.source !== undefined && (removed.has(schema.name) || (!isListed && !isSame(before, schema)))
}

function isSame(one: ToolSchema, other: ToolSchema): boolean {
  const { found: _, ...before } = one
  const { found: __, ...now } = other
  return JSON.stringify(before) === JSON.stringify(now)
}

function toolTexts(added: readonly ToolSchema[], removed: readonly ToolSchema[]): readonly string[] {
  return [
    ...(added.length === 0 ? [] : [`New or changed tools that you can call now: ${namesIn(added)}.`]),
    ...(removed.length === 0
      ? []
      : [`These tools were removed, so calls of them fail: ${namesIn(removed)}. Continue without them.`]),
  ]
}

function toolNotes(added: readonly ToolSchema[], removed: readonly ToolSchema[]): readonly string[] {
  const noun = (tools: readonly ToolSchema[]) => (tools.length > 1 ? 'tools' : 'tool')
  return [
    ...(added.length === 0 ? [] : [`New or changed ${noun(added)}: ${namesIn(added)}.`]),
    ...(removed.length === 0 ? [] : [`Removed ${noun(removed)}: ${namesIn(removed)}.`]),
  ]
}

type Unusable = CurrentTools['unusable']

function unusableTexts(unusable: Unusable): readonly string[] {
  if (unusable.length === 0) return []
  const lines = unusable.map(({ name, because }) => `- ${name}: ${sentence(because)}`)
  return [
    `These tools of MCP servers can't be used, so you do not have them:\n${lines.join('\n')}\nContinue without them, and tell the user where one was needed.`,
  ]
}

const unusableNotes = (unusable: Unusable): readonly string[] =>
  unusable.map(({ name, because }) => `${name} is not used: ${sentence(because)}`)

const namesIn = (tools: readonly ToolSchema[]): string => tools.map(({ name }) => name).join(', ')
