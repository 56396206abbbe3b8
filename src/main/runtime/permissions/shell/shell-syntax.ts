/** What a shell command is made of, as far as permissions need to know. */

export interface ShellWord {
  /** As it was written. */
  readonly text: string
  /** What the program gets; null where that is known only when it runs. */
  readonly value: string | null
  /** The characters that it surely starts with: all of a known word, or what stands before the unknown part. */
  readonly start: string
  /** Holds an unquoted pattern: it becomes file names. */
  readonly glob: boolean
}

export interface ShellRedirect {
  /** `<`, `>`, `>>`, `>|`, `<>`, `&>`, `&>>`, `>&`, `<&`, `<<<`; heredocs are `<<`. */
  readonly operator: string
  /** Null for a heredoc. */
  readonly target: ShellWord | null
}

export interface SimpleCommand {
  readonly kind: 'simple'
  /** As it was written, without the operators around it. */
  readonly text: string
  /** `NAME=value` before the command's name. */
  readonly assignments: readonly ShellWord[]
  readonly words: readonly ShellWord[]
  readonly redirects: readonly ShellRedirect[]
  /** The commands of its `$(…)`, backticks and process substitutions: they run before it. */
  readonly inner: readonly ShellList[]
}

/** `( … )` or `{ …; }`. */
export interface CommandGroup {
  readonly kind: 'group'
  readonly body: ShellList
  readonly redirects: readonly ShellRedirect[]
  readonly inner: readonly ShellList[]
}

export interface Pipeline {
  /** What stands before it: `;` is also a line break, `&`, and the start. */
  readonly joint: ';' | '&&' | '||'
  readonly commands: readonly (SimpleCommand | CommandGroup)[]
  /** Ends in `&`. */
  readonly background: boolean
}

export type ShellList = readonly Pipeline[]

export type ParsedShell =
  | { readonly ok: true; readonly list: ShellList }
  /** `because` reads on from "it cannot be parsed:". */
  | { readonly ok: false; readonly because: string }
