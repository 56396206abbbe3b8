/**
 * Merges the changes of two sides field by field. What only one side changed is taken; a field that both changed
 * differently is a conflict, and the user decides. Comments, order and unknown fields are kept from both sides.
 */
import { applyEdits } from '../../../../shared/agent-definition/agent-definition.ts'
import { fieldOf } from '../../../../shared/agent-definition/definition-fields.ts'
import { type FieldValue, setField } from '../../../../shared/agent-definition/write-definition.ts'
import { type DefinitionParts, inStyleOf, joinParts, partsOf, valueIn } from './definition-parts.ts'
import { forgetMerge, mergeTexts, repeatedKeys } from './merge-texts.ts'

export interface Versions {
  /** The text that both began with. */
  readonly base: string
  readonly mine: string
  /** The text on disk. */
  readonly theirs: string
}

export interface FieldConflict {
  /** The field's key, `BODY` or `WHOLE`. */
  readonly key: string
  /** The part of each text, with its comments; null: the text has no such field. */
  readonly base: string | null
  readonly mine: string | null
  readonly theirs: string | null
}

/** Keys of conflicts that are no fields. */
export const BODY = 'the body'
/** A frontmatter is not valid YAML, so the texts are compared as a whole. */
export const WHOLE = 'the whole text'

export interface MergedFields {
  /** My text with what changed only on disk; of a conflict what was chosen, or mine. */
  readonly text: string
  /** The keys taken from disk. */
  readonly taken: readonly string[]
  readonly conflicts: readonly FieldConflict[]
}

/** @param chosen the part of each conflict, by its key; null: without the field */
export function mergeFields(
  versions: Versions,
  chosen: ReadonlyMap<string, string | null> = new Map(),
): MergedFields {
  const { base, mine, theirs } = inStyleOf(versions)
  const [ofBase, ofMine, ofTheirs] = [base, mine, theirs].map(partsOf)
  if (!ofBase || !ofMine || !ofTheirs) return mergeWhole({ base, mine, theirs }, chosen)
  const merged = mergeParts({ base: ofBase, mine: ofMine, theirs: ofTheirs }, chosen)
  // What the user typed in place of a part need not be valid.
  return partsOf(merged.text) === null && chosen.size === 0
    ? mergeWhole({ base, mine, theirs }, chosen)
    : merged
}

/** Where the text is kept that the user types as the merge of a conflict. */
export const mergePlace = (id: string, key: string): string => `${id} ${key}`

/** The user chose. */
export function forgetMerges(id: string): void {
  for (const key of [BODY, WHOLE]) forgetMerge(mergePlace(id, key))
}

/** The base of what is still in conflict: the text on disk with the conflicts as they were. */
export function baseOfConflicts({ theirs }: Versions, conflicts: readonly FieldConflict[]): string {
  const whole = conflicts.find(({ key }) => key === WHOLE)
  if (whole !== undefined) return whole.base ?? ''
  const parts = partsOf(theirs)
  if (parts === null) return theirs
  const former = new Map(conflicts.map(({ key, base }) => [key, base]))
  const there = new Set(parts.fields.map(({ key }) => key))
  const added = conflicts.flatMap(({ key, base }) =>
    key === BODY || base === null || there.has(key) ? [] : [{ key, text: base }],
  )
  const kept = parts.fields.flatMap(({ key, text }) => {
    const before = former.has(key) ? (former.get(key) ?? null) : text
    return before === null ? [] : [{ key, text: before }]
  })
  const body = former.get(BODY) ?? parts.body
  return joinParts({ ...parts, fields: [...kept, ...added], body })
}

type PartVersions = Readonly<Record<keyof Versions, DefinitionParts>>

function mergeParts(
  { base, mine, theirs }: PartVersions,
  chosen: ReadonlyMap<string, string | null>,
): MergedFields {
  const taken: string[] = []
  const conflicts: FieldConflict[] = []
  const settle = (conflict: FieldConflict, merged: Merge): string | null => {
    if (merged.kind === 'conflict') {
      conflicts.push(conflict)
      return chosen.has(conflict.key) ? (chosen.get(conflict.key) ?? null) : conflict.mine
    }
    if (merged.isTaken) taken.push(conflict.key)
    return merged.text
  }
  const texts = [base, mine, theirs].map(({ fields }) => new Map(fields.map(({ key, text }) => [key, text])))
  const fields = keysInOrder({ base, mine, theirs }).flatMap((key) => {
    const [b = null, m = null, t = null] = texts.map((each) => each.get(key) ?? null)
    const text = settle(
      { key, base: b, mine: m, theirs: t },
      mergeField(key, { base: b, mine: m, theirs: t }),
    )
    return text === null ? [] : [{ key, text: ended(text, base.fence) }]
  })
  const body = { base: base.body, mine: mine.body, theirs: theirs.body }
  return {
    text: joinParts({
      head: eitherChange(base.head, mine.head, theirs.head),
      fields,
      fence: eitherChange(base.fence, mine.fence, theirs.fence),
      body: settle({ key: BODY, ...body }, mergeBody(body)) ?? '',
    }),
    taken,
    conflicts,
  }
}

type Merge =
  | { readonly kind: 'merged'; readonly text: string | null; readonly isTaken: boolean }
  | { readonly kind: 'conflict' }

type Part<T> = { readonly base: T; readonly mine: T; readonly theirs: T }

const merged = (text: string | null, isTaken: boolean): Merge => ({ kind: 'merged', text, isTaken })

function mergeField(key: string, { base, mine, theirs }: Part<string | null>): Merge {
  if (mine === theirs || theirs === base) return merged(mine, false)
  if (mine === base) return merged(theirs, true)
  const [b, m, t] = [base, mine, theirs].map((text) => JSON.stringify(valueIn(text)))
  const isOfMine = t === b || t === m
  if (!isOfMine && m !== b) return { kind: 'conflict' }
  // One side changed the value, the other one only comments or the notation.
  if (mine === null || theirs === null) return merged(isOfMine ? mine : theirs, !isOfMine)
  const wanted = isOfMine ? m : t
  const lines = mergeTexts({ base: base ?? '', mine, theirs })
  const isRight = (text: string) => JSON.stringify(valueIn(text)) === wanted
  if (lines.conflicts === 0 && isRight(lines.text)) return merged(lines.text, !isOfMine)
  const spliced = withValue(key, { notation: isOfMine ? theirs : mine, value: isOfMine ? mine : theirs })
  return spliced !== null && isRight(spliced) ? merged(spliced, !isOfMine) : { kind: 'conflict' }
}

/** The value of one field's text in the notation and with the comments of another. */
function withValue(
  key: string,
  { notation, value }: { readonly notation: string; readonly value: string },
): string | null {
  const field = fieldOf(key)?.key
  const wanted = valueIn(value)
  if (field === undefined || !isFieldValue(wanted)) return null
  const text = `---\n${notation}---\n`
  return applyEdits(text, setField(text, field, wanted)).slice(4, -4)
}

const isFieldValue = (value: unknown): value is NonNullable<FieldValue> =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((entry) => typeof entry === 'string'))

function mergeBody({ base, mine, theirs }: Part<string>): Merge {
  if (mine === theirs || theirs === base) return merged(mine, false)
  if (mine === base) return merged(theirs, true)
  const lines = mergeTexts({ base, mine, theirs })
  return lines.conflicts === 0 ? merged(lines.text, true) : { kind: 'conflict' }
}

function mergeWhole(
  { base, mine, theirs }: Versions,
  chosen: ReadonlyMap<string, string | null>,
): MergedFields {
  if (mine === theirs || theirs === base) return { text: mine, taken: [], conflicts: [] }
  if (mine === base) return { text: theirs, taken: [WHOLE], conflicts: [] }
  const lines = mergeTexts({ base, mine, theirs })
  if (lines.conflicts === 0 && repeatedKeys(lines.text).size === 0)
    return { text: lines.text, taken: [WHOLE], conflicts: [] }
  return {
    text: chosen.get(WHOLE) ?? mine,
    taken: [],
    conflicts: [{ key: WHOLE, base, mine, theirs }],
  }
}

/** The order of the side that changed it; new fields of the other side follow the field that they followed there. */
function keysInOrder({ base, mine, theirs }: PartVersions): readonly string[] {
  const keysOf = ({ fields }: DefinitionParts) => fields.map(({ key }) => key)
  const [b, m, t] = [keysOf(base), keysOf(mine), keysOf(theirs)]
  const isSameOrder =
    m.filter((key) => b.includes(key)).join('\n') === b.filter((key) => m.includes(key)).join('\n')
  const [first, second] = isSameOrder ? [t, m] : [m, t]
  const keys = [...first]
  for (const [at, key] of second.entries()) {
    if (keys.includes(key)) continue
    const before = second[at - 1]
    keys.splice(before === undefined ? 0 : keys.indexOf(before) + 1, 0, key)
  }
  return keys
}

const eitherChange = (base: string, mine: string, theirs: string): string => (mine === base ? theirs : mine)

/** A field in the last line of a choice may lack its line ending. */
function ended(text: string, fence: string): string {
  if (text.endsWith('\n')) return text
  return text + (fence.endsWith('\r\n') ? '\r\n' : '\n')
}
