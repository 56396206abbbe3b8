/** The effects of a simple command that are known before it runs. */
import type { ShellWord } from './shell-syntax.ts'

export interface ReadEffect {
  readonly kind: 'reads'
  /** Files whose content the command shows. */
  readonly contents: readonly string[]
  /** Paths of which the command shows only the existence, size or names. */
  readonly names: readonly string[]
  /** Set if the command reads more than is known before it runs. A predicate for the command: "reads files …". */
  readonly unclear: string | null
  /** For git: the folder whose settings apply, as written. */
  readonly repository: string | null
}

export interface ChangeEffect {
  readonly kind: 'changes'
  /** A clause: "npm can change files or run code". */
  readonly because: string
}

export type CommandEffect = ReadEffect | ChangeEffect

export function changes(because: string): ChangeEffect {
  return { kind: 'changes', because }
}

/** Reads only its arguments and its input. */
export const readsNothing: ReadEffect = {
  kind: 'reads',
  contents: [],
  names: [],
  unclear: null,
  repository: null,
}

/** Reads files. Patterns and variables make the effect unclear, since they can name any file. */
export function readsContents(words: readonly ShellWord[], unclear = false): ReadEffect {
  const unknown = words.find((word) => word.value === null)
  return {
    ...readsNothing,
    contents: words.flatMap((word) => (word.value === null || word.value === '-' ? [] : [word.value])),
    unclear: unknown || unclear ? 'reads files that are unknown until it runs' : null,
  }
}

/** Reads names and sizes, by default of the current folder. A pattern counts as the folder it starts in. */
export function readsNames(words: readonly ShellWord[], unclear = false): ReadEffect {
  const unknown = words.find((word) => word.value === null && !word.glob)
  return {
    ...readsNothing,
    names: words.length === 0 ? ['.'] : words.flatMap(nameOf),
    unclear: unknown || unclear ? 'reads paths that are unknown until it runs' : null,
  }
}

/** A path, or the folder in which a pattern is expanded. */
function nameOf(word: ShellWord): readonly string[] {
  if (word.value !== null) return [word.value]
  if (!word.glob) return []
  const end = word.start.lastIndexOf('/')
  if (end < 0) return ['.']
  return [end === 0 ? '/' : word.start.slice(0, end)]
}

/** Both effects together. */
export function both(a: CommandEffect, b: CommandEffect): CommandEffect {
  if (a.kind === 'changes') return a
  if (b.kind === 'changes') return b
  return {
    kind: 'reads',
    contents: [...a.contents, ...b.contents],
    names: [...a.names, ...b.names],
    unclear: a.unclear ?? b.unclear,
    repository: a.repository ?? b.repository,
  }
}
