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
  /** Set if the word is only `$NAME`, `${NAME}` or one of these in double quotes. */
  readonly variable?: { readonly name: string; readonly quoted: boolean }
  /** The shell splits what the pattern matches at blanks. */
  readonly splits?: boolean
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

/** A loop around commands. */
export interface ShellLoop {
  /** The variable of a `for` loop. */
  readonly variable: string | null
  /** The words that the variable stands for in turn. */
  readonly values: readonly ShellWord[]
  /** The head of a `for` loop, as it was written. */
  readonly text: string
}

/** `( … )`, `{ …; }`, `if`, `case`, `while`, `until` and `for`. */
export interface ShellGroup {
  readonly kind: 'group'
  /** All commands in the order of the text. Some may not run, and those of a loop may run several times. */
  readonly body: ShellList
  readonly loop: ShellLoop | null
  /** `( … )`: its changes of the folder end with it. */
  readonly subshell: boolean
  readonly redirects: readonly ShellRedirect[]
  readonly inner: readonly ShellList[]
}

export interface Pipeline {
  /** The operator before the pipeline. `;` also stands for a line break, `&` and the start. */
  readonly joint: ';' | '&&' | '||'
  readonly commands: readonly (SimpleCommand | ShellGroup)[]
  /** Ends in `&`. */
  readonly background: boolean
}

export type ShellList = readonly Pipeline[]

export type ParsedShell =
  | { readonly ok: true; readonly list: ShellList }
  /** `because` is a noun phrase: `"for" loop`. */
  | { readonly ok: false; readonly because: string }
