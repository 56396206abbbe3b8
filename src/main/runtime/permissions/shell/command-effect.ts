/** What a simple command does, as far as it is known before it runs. */
import type { ShellWord } from './shell-syntax.ts'

export interface ReadEffect {
  readonly kind: 'reads'
  /** Files whose content it shows. */
  readonly contents: readonly string[]
  /** Paths of which it shows only that they are there, their size or their names. */
  readonly names: readonly string[]
  /** Set where it reads more than can be known before it runs; reads on from "it …". */
  readonly unclear: string | null
  /** For git: the folder whose settings it follows, as written. */
  readonly repository: string | null
}

export interface ChangeEffect {
  readonly kind: 'changes'
  /** Reads on from "not known to be read-only:". */
  readonly because: string
}

export type CommandEffect = ReadEffect | ChangeEffect

export function changes(because: string): ChangeEffect {
  return { kind: 'changes', because }
}

/** Reads nothing but its own arguments and its input. */
export const readsNothing: ReadEffect = {
  kind: 'reads',
  contents: [],
  names: [],
  unclear: null,
  repository: null,
}

/** Reads files; patterns and variables among them make it unclear, for they may lead anywhere. */
export function readsContents(words: readonly ShellWord[], unclear = false): ReadEffect {
  const unknown = words.find((word) => word.value === null)
  return {
    ...readsNothing,
    contents: words.flatMap((word) => (word.value === null || word.value === '-' ? [] : [word.value])),
    unclear: unknown || unclear ? 'reads files that are known only when it runs' : null,
  }
}

/** Reads names and sizes, of the current folder where none is given; a pattern is judged by the folder it starts in. */
export function readsNames(words: readonly ShellWord[], unclear = false): ReadEffect {
  const unknown = words.find((word) => word.value === null && !word.glob)
  return {
    ...readsNothing,
    names: words.length === 0 ? ['.'] : words.flatMap(nameOf),
    unclear: unknown || unclear ? 'reads paths that are known only when it runs' : null,
  }
}

/** A path, or the folder that a pattern is looked up in: what stands before it, up to the last slash. */
function nameOf(word: ShellWord): readonly string[] {
  if (word.value !== null) return [word.value]
  if (!word.glob) return []
  const end = word.start.lastIndexOf('/')
  if (end < 0) return ['.']
  return [end === 0 ? '/' : word.start.slice(0, end)]
}

/** All that two effects do together. */
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
