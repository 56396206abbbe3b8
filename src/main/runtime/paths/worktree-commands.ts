/**
 * Paths in a command line, translated into an agent's worktree: wherever the top of a checkout that means it stands
 * as a path of its own, also in quotes and in texts that are handed to another program. What is put there is quoted
 * as the place needs.
 */
import { parentOf, pathBelow } from './paths.ts'
import { type Quoting, quotingOf } from './shell-quoting.ts'
import { type TranslationPlace, translatableTops } from './worktree-paths.ts'

/** The command with those paths translated, the same text where there are none. */
export function translateCommand(command: string, location: TranslationPlace): string {
  const tops = translatableTops(location)
  if (!tops.some((top) => command.includes(partOf(top)))) return command
  // What is in a worktree already stays as it is, also where that lies in one of the checkouts.
  const kept = [location.path, parentOf(location.path)].filter((path) =>
    tops.some((top) => pathBelow(top, path) !== null),
  )
  const pattern = new RegExp(BEFORE + anyOf([...tops, ...kept]) + AFTER + REST, 'g')
  let quoting: readonly Quoting[] | null = null
  return command.replace(pattern, (found: string, top: string, rest: string | undefined, index: number) => {
    if (kept.includes(withoutEscapes(top)) || leaves(rest ?? '')) return found
    quoting ??= quotingOf(command)
    return quoted(location.path, quoting[index] ?? 'bare')
  })
}

/** What may stand before a path: also the letter of an option (`-I/repo/include`). A host's path is not one of ours. */
const BEFORE = String.raw`(?<=^|[\s'"\x60=:(<>|;&,{@!]|\s-[A-Za-z])(?<!\w@[\w.-]{0,255}:)`
const AFTER = String.raw`(?=$|[/\s'"\x60)<>|;&,:}]|\\\n)`
/** The rest of the path, as far as it is written in one piece. */
const REST = String.raw`(?=(/(?:\\.|[^\s'"\x60()<>|;&,:\\])*)?)`

/** Any of the paths, the longest first, with or without backslashes before what a shell would take for itself. */
function anyOf(paths: readonly string[]): string {
  const sources = [...paths]
    .sort((one, other) => other.length - one.length)
    .map((path) =>
      path.replace(SPECIAL, (sign) => String.raw`\\?${escapeSign(sign)}`).replace(/[.+]/g, '[$&]'),
    )
  return `(${sources.join('|')})`
}

/** What means something to a shell, or might. */
const SPECIAL = /[^\w./+:@%,\-\u0080-\uffff]/g

function escapeSign(sign: string): string {
  return `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** A part of a path that is written the same in every quoting, for a quick test. */
function partOf(path: string): string {
  return /[\w.-]+/.exec(path)?.[0] ?? ''
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}

/** Whether `..` leads out of the top, if only on the way. */
function leaves(rest: string): boolean {
  let depth = 0
  for (const name of rest.split('/')) {
    if (name === '..') depth--
    else if (name !== '' && name !== '.') depth++
    if (depth < 0) return true
  }
  return false
}

/** The path as it must be written at a place that is read like that. */
function quoted(path: string, quoting: Quoting): string {
  switch (quoting) {
    case 'bare':
      return path.replace(SPECIAL, '\\$&')
    case 'single':
      return path.replaceAll("'", String.raw`'\''`)
    case 'double':
      return path.replace(/[$`"\\]/g, '\\$&')
    case 'plain':
      return path
  }
}
