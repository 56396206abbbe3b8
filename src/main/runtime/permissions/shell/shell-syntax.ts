/** The syntax of a shell command, as far as permission checks need it. */

export interface ShellWord {
  /** As it was written. */
  readonly text: string
  /** The argument that the program receives; null if it is unknown before the command runs. */
  readonly value: string | null
  /** The known beginning: all of a known word, or the text before the unknown part. */
  readonly start: string
  /** Contains an unquoted pattern or braces. An expanded word keeps this mark, and `start` of the pattern. */
  readonly glob: boolean
  /** A pattern without variables, with a backslash before quoted special characters. */
  readonly pattern?: string
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
  /** The operator before the pipeline. `;` also stands for a line break, `&` and the start. */
  readonly joint: ';' | '&&' | '||'
  readonly commands: readonly (SimpleCommand | CommandGroup)[]
  /** Ends in `&`. */
  readonly background: boolean
}

export type ShellList = readonly Pipeline[]

export type ParsedShell =
  | { readonly ok: true; readonly list: ShellList }
  /** `because` is a noun phrase: `"for" loop`. */
  | { readonly ok: false; readonly because: string }
