/**
 * Converts lines of a transcript to this version's events. Older versions are upgraded step by step; newer versions
 * are refused.
 */
import { z } from 'zod'
import { type Failure, fail, ok, type Result } from '../kernel/result.ts'
import { rowForName } from '../tools/row-for-name.ts'
import { type AgentEvent, agentEvent, EVENT_VERSION, isKnownEventType } from './agent-event.ts'

export interface EventFailure extends Failure {
  /** `newer-event`: an unknown version or type; `invalid-event`: a known type with an invalid shape. */
  readonly type: 'newer-event' | 'invalid-event'
}

type RawEvent = Readonly<Record<string, unknown>>

/** From version n (the key) to n + 1. */
const upcasters: ReadonlyMap<number, (raw: RawEvent) => RawEvent> = new Map([[1, fromVersion1]])

/** Version 2 renamed fields of permission requests and the event of a compaction. */
function fromVersion1(raw: RawEvent): RawEvent {
  switch (raw['type']) {
    case 'permission-asked': {
      const { promptId, ...rest } = raw
      return { ...rest, v: 2, requestId: promptId }
    }
    case 'permission-answered': {
      const { promptId, words, ...rest } = raw
      return { ...rest, v: 2, requestId: promptId, feedback: words }
    }
    case 'agent-spawned':
    case 'definition-renewed':
      return { ...raw, v: 2, tools: withEntries(raw['tools']) }
    case 'tools-changed':
      return { ...raw, v: 2, entries: entriesByTool(raw['descriptions']) }
    case 'tool-started':
      return { ...raw, v: 2, row: rowForName(String(raw['name'])) }
    case 'context-summarised':
      return { ...raw, v: 2, type: 'context-compacted' }
    default:
      return { ...raw, v: 2 }
  }
}

// ---- version 1 kept the lists of agents and skills only as text in descriptions --------------------

/** How version 1 began the list in the description of a tool. */
const LIST_OPENINGS: Readonly<Record<string, RegExp>> = {
  Agent: /^Agents you can start .*:\n/m,
  Skill: /^Skills there are:\n/m,
}

function withEntries(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools
  return tools.map((tool: unknown) => {
    if (typeof tool !== 'object' || tool === null) return tool
    const { name, description } = tool as RawEvent
    const entries = entriesIn(name, description)
    return entries === null ? tool : { ...tool, entries }
  })
}

function entriesByTool(descriptions: unknown): unknown {
  if (typeof descriptions !== 'object' || descriptions === null) return {}
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, entriesIn(name, description) ?? {}]),
  )
}

/** The entries `- name: …` of the list, each with its indented lines; null for a tool without a list. */
function entriesIn(name: unknown, description: unknown): Readonly<Record<string, string>> | null {
  const opening = LIST_OPENINGS[String(name)]
  if (opening === undefined || typeof description !== 'string') return null
  const found = opening.exec(description)
  if (!found) return {}
  const [list = ''] = description.slice(found.index + found[0].length).split('\n\n')
  const entries = list.split(/\n(?! )/).filter((entry) => entry.startsWith('- '))
  return Object.fromEntries(entries.map((entry) => [/^- (.+?): /.exec(entry)?.[1] ?? entry, entry]))
}

// ---- reading a line ----------------------------------------------------------------------------------

/** Checks a parsed line and upgrades it to the current version. Drops unknown keys. */
export function upcastEvent(raw: unknown): Result<AgentEvent, EventFailure> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return fail({ type: 'invalid-event', message: 'It is not an event.' })
  const lifted = lift(raw as RawEvent)
  if (lifted === null) return fail({ type: 'newer-event', message: newerMessage(raw as RawEvent) })
  const parsed = agentEvent.safeParse(lifted)
  if (parsed.success) return ok(parsed.data)
  return fail({ type: 'invalid-event', message: z.prettifyError(parsed.error), cause: parsed.error })
}

/**
 * The event of a line whose checksum is right. This program wrote it, so one of this version is not checked again, which
 * would take a third of the time of reading; unless its schema fills in what older programs left out.
 * @param raw the parsed line without its checksum, which becomes the event
 */
export function intactEvent(raw: unknown): Result<AgentEvent, EventFailure> {
  if (typeof raw !== 'object' || raw === null) return upcastEvent(raw)
  const { v, type } = raw as RawEvent
  return v === EVENT_VERSION && isUnchanged(type) ? ok(raw as AgentEvent) : upcastEvent(raw)
}

/** By type: whether its schema changes nothing in a value. Found out when the first one is read. */
const unchangedTypes = new Map<unknown, boolean>()

function isUnchanged(type: unknown): boolean {
  const known = unchangedTypes.get(type)
  if (known !== undefined) return known
  const option = agentEvent.options.find(({ shape }) => shape.type.value === type)
  const isIt = option !== undefined && changesNothing(option)
  if (option !== undefined) unchangedTypes.set(type, isIt)
  return isIt
}

/** Whether the schema has no part that makes another value: a default, a fallback, a conversion. */
function changesNothing(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(changesNothing)
  if (schema instanceof z.core.$ZodType) {
    const { def } = schema._zod
    if (!CHECKING.has(def.type) || ('coerce' in def && def.coerce === true)) return false
    return Object.values(schema instanceof z.ZodObject ? schema.shape : def).every(changesNothing)
  }
  return true
}

const CHECKING: ReadonlySet<string> = new Set([
  ...['object', 'string', 'number', 'int', 'boolean', 'null', 'literal', 'enum', 'unknown', 'any'],
  ...['array', 'record', 'tuple', 'union', 'nullable', 'optional', 'readonly'],
])

/** Whether this version can read an event with this version and type. */
export function isKnownEvent(version: unknown, type: unknown): boolean {
  return lift({ v: version, type }) !== null
}

function lift(raw: RawEvent): RawEvent | null {
  let event = raw
  while (event['v'] !== EVENT_VERSION) {
    const upcaster = upcasters.get(Number(event['v']))
    if (!upcaster) return null
    event = upcaster(event)
  }
  return isKnownEventType(String(event['type'])) ? event : null
}

function newerMessage(raw: RawEvent): string {
  return `It was written by a newer version of Troupe (event ${String(raw['type'])}, version ${String(raw['v'])}).`
}
