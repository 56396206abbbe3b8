/** The changes between two texts of a definition, each of which can be taken out again. */

/** A change of lines that belong together. Lines have their ends. */
export interface DefinitionPassage {
  /** 1-based: where the removed lines were, or would be. */
  readonly beforeLine: number
  readonly afterLine: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/** `diffArrays` of the package `diff`, which the folders above may use and this one may not. */
export type DiffArrays = (
  before: string[],
  after: string[],
) => readonly { readonly value: readonly string[]; readonly added: boolean; readonly removed: boolean }[]

/**
 * From the top. Lines that were replaced one for one are a change each, and so is each new or deleted paragraph, so that
 * the effect of each can be measured alone.
 */
export function definitionChanges(
  before: string,
  after: string,
  diffArrays: DiffArrays,
): readonly DefinitionPassage[] {
  const changes: DefinitionPassage[] = []
  let [beforeLine, afterLine] = [1, 1]
  let [removed, added]: [readonly string[], readonly string[]] = [[], []]
  const finish = () => {
    for (const part of smallerParts(removed, added)) {
      changes.push({ beforeLine, afterLine, ...part })
      beforeLine += part.removed.length
      afterLine += part.added.length
    }
    removed = []
    added = []
  }
  for (const part of diffArrays(linesOf(before), linesOf(after))) {
    if (part.removed) removed = part.value
    else if (part.added) added = part.value
    else {
      finish()
      beforeLine += part.value.length
      afterLine += part.value.length
    }
  }
  finish()
  return changes
}

/** The later text without some of its changes, in any order. Without all of them it is the earlier text. */
export function withoutChanges(after: string, changes: readonly DefinitionPassage[]): string {
  const lines = linesOf(after)
  const fromBelow = [...changes].sort((a, b) => b.afterLine - a.afterLine || b.beforeLine - a.beforeLine)
  for (const { afterLine, removed, added } of fromBelow) lines.splice(afterLine - 1, added.length, ...removed)
  return lines.join('')
}

/** With their ends, so that the lines together are the text. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

type Part = Pick<DefinitionPassage, 'removed' | 'added'>

function smallerParts(removed: readonly string[], added: readonly string[]): readonly Part[] {
  if (removed.length === added.length)
    return removed.map((line, at) => ({ removed: [line], added: added.slice(at, at + 1) }))
  if (removed.length === 0) return paragraphsOf(added).map((part) => ({ removed, added: part }))
  if (added.length === 0) return paragraphsOf(removed).map((part) => ({ removed: part, added }))
  return [{ removed, added }]
}

/** Empty lines belong to the paragraph above them. */
function paragraphsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const paragraphs: string[][] = []
  for (const [at, line] of lines.entries()) {
    const isAfterEmpty = at > 0 && lines[at - 1]?.trim() === '' && line.trim() !== ''
    const open = paragraphs.at(-1)
    if (open === undefined || isAfterEmpty) paragraphs.push([line])
    else open.push(line)
  }
  return paragraphs
}
