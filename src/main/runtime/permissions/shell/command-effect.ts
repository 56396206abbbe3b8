/** The effects of a simple command that are known before it runs. */
import type { ShellWord } from './shell-syntax.ts'

export interface ReadEffect {
  readonly kind: 'reads'
  /** Files whose content the command shows. */
  readonly contents: readonly string[]
  /** Paths of which the command shows only the existence, size or names. */
  readonly names: readonly string[]
  /** Folders whose files the command shows. */
  readonly trees: readonly SearchedTree[]
  /** Whether the command shows all files of a folder among `contents`, also through links. */
  readonly openFolders: boolean
  /** Set if the command reads more than is known before it runs. A predicate for the command: "reads files …". */
  readonly unclear: string | null
  /** For git: the folder whose settings apply, as written. */
  readonly repository: string | null
}

/** The files that a recursive search reads, if its path is a folder. */
export interface SearchedTree {
  readonly path: string
  /** Whether hidden files are searched. */
  readonly hidden: boolean
  /** Whether ignored files are searched. */
  readonly ignored: boolean
  /** Further limits, as options of ripgrep. */
  readonly filters: readonly string[]
  /** Whether the command may show a file, by its path below `path`. Left out: all files. */
  readonly shows?: (path: string) => boolean
  /** Whether a name with blanks or quotes stands for other files: `xargs` splits it. */
  readonly splits?: boolean
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
  trees: [],
  openFolders: false,
  unclear: null,
  repository: null,
}

/** Reads files. Words that are unknown make the effect unclear, since they can name any file. */
export function readsContents(words: readonly ShellWord[], unclear = false): ReadEffect {
  const unknown = words.find((word) => word.value === null)
  return {
    ...readsNothing,
    contents: words.flatMap((word) => (word.value === null || word.value === '-' ? [] : [word.value])),
    unclear: unknown || unclear ? 'reads files that are unknown until it runs' : null,
  }
}

/** Reads names and sizes, by default of the current folder. */
export function readsNames(words: readonly ShellWord[], unclear = false): ReadEffect {
  const unknown = words.find((word) => word.value === null)
  return {
    ...readsNothing,
    names: words.length === 0 ? ['.'] : words.flatMap(({ value }) => value ?? []),
    unclear: unknown || unclear ? 'reads paths that are unknown until it runs' : null,
  }
}

/** Both effects together. */
export function both(a: CommandEffect, b: CommandEffect): CommandEffect {
  if (a.kind === 'changes') return a
  if (b.kind === 'changes') return b
  return {
    kind: 'reads',
    contents: [...a.contents, ...b.contents],
    names: [...a.names, ...b.names],
    trees: [...a.trees, ...b.trees],
    openFolders: a.openFolders || b.openFolders,
    unclear: a.unclear ?? b.unclear,
    repository: a.repository ?? b.repository,
  }
}
