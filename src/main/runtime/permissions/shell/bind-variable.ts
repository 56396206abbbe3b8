/** Replaces the variable of a `for` loop in the body by the words that it stands for. */
import type { Pipeline, ShellGroup, ShellList, ShellLoop, ShellWord, SimpleCommand } from './shell-syntax.ts'

/** The body with each `"$NAME"` replaced. Unchanged where another value is possible. */
export function bindVariable(body: ShellList, { variable, values }: ShellLoop): ShellList {
  if (variable === null || mayAssign(body, variable)) return body
  return mapWords(body, (word) => boundWord(word, variable, values) ?? word)
}

/** Null if the word is not only this variable, or if the shell could split the value into several words. */
function boundWord(word: ShellWord, variable: string, values: readonly ShellWord[]): ShellWord | null {
  if (word.variable?.name !== variable) return null
  const { quoted } = word.variable
  const [only] = values
  if (values.length === 1 && only?.pattern !== undefined)
    return { ...only, text: word.text, ...(quoted ? {} : { splits: true }) }
  const known = values.flatMap(({ value, glob }) => (value === null || glob ? [] : [value]))
  if (known.length !== values.length || (!quoted && !known.every((value) => /^[\w./:@%+,=-]+$/.test(value))))
    return null
  if (only && known.length === 1) return { ...only, text: word.text }
  const escaped = known.map((value) => value.replace(/[^\w/]/g, '\\$&'))
  return { text: word.text, value: null, start: '', glob: true, pattern: `{${escaped.join(',')}}` }
}

// ---- other assignments --------------------------------------------------------------------------

/** Commands that can change a variable, or that run code of which nothing is known. */
const ASSIGNERS: ReadonlySet<string> = new Set(
  'read printf eval source . let declare typeset local export readonly mapfile readarray getopts unset wait'.split(
    ' ',
  ),
)

function mayAssign(list: ShellList, variable: string): boolean {
  return commandsIn(list).some((command) => {
    if (command.kind === 'group') return command.loop?.variable === variable
    const [name] = command.words
    return (
      command.assignments.some(({ text }) => text.startsWith(variable)) ||
      (name !== undefined && (name.value === null || ASSIGNERS.has(name.value))) ||
      // `command read x`, `builtin read x`
      (/^(command|builtin)$/.test(name?.value ?? '') && command.words.length > 1)
    )
  })
}

/** All commands and groups, nested ones included. */
function commandsIn(list: ShellList): readonly (SimpleCommand | ShellGroup)[] {
  return list.flatMap(({ commands }) =>
    commands.flatMap((command) => [
      command,
      ...command.inner.flatMap(commandsIn),
      ...(command.kind === 'group' ? commandsIn(command.body) : []),
    ]),
  )
}

function mapWords(list: ShellList, change: (word: ShellWord) => ShellWord): ShellList {
  const each = (words: readonly ShellWord[]) => words.map(change)
  const redirects = (command: SimpleCommand | ShellGroup) =>
    command.redirects.map((redirect) => ({ ...redirect, target: redirect.target && change(redirect.target) }))
  const inside = (command: SimpleCommand | ShellGroup): SimpleCommand | ShellGroup => {
    const inner = command.inner.map((lists) => mapWords(lists, change))
    const common = { redirects: redirects(command), inner }
    if (command.kind === 'simple') return { ...command, ...common, words: each(command.words) }
    const loop = command.loop && { ...command.loop, values: each(command.loop.values) }
    return { ...command, ...common, loop, body: mapWords(command.body, change) }
  }
  return list.map((pipeline: Pipeline) => ({ ...pipeline, commands: pipeline.commands.map(inside) }))
}
