/**
 * Translates paths in a command line into an agent's worktree. A path is translated if it starts with the top folder of
 * a checkout whose paths mean the worktree, also inside quotes and inside texts for another program. The new path is
 * quoted as its position requires.
 */
import { parentOf, pathBelow } from './paths.ts'
import { type Quoting, quotingOf } from './shell-quoting.ts'
import { type TranslationPlace, translatableTops } from './worktree-paths.ts'

/** The command with its paths translated; the same text if there are none. */
export function translateCommand(command: string, location: TranslationPlace): string {
  const tops = translatableTops(location)
  if (!tops.some((top) => command.includes(partOf(top)))) return command
  // Paths into a worktree stay unchanged, also if the worktree is inside one of the checkouts.
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

/**
 * The characters allowed before a path, including the letter of an option (`-I/repo/include`). Paths on another host
 * (`host:/path`) are excluded.
 */
const BEFORE = String.raw`(?<=^|[\s'"\x60=:(<>|;&,{@!]|\s-[A-Za-z])(?<!\w@[\w.-]{0,255}:)`
const AFTER = String.raw`(?=$|[/\s'"\x60)<>|;&,:}]|\\\n)`
/** The rest of the path, up to the next separator or quote. */
const REST = String.raw`(?=(/(?:\\.|[^\s'"\x60()<>|;&,:\\])*)?)`

/** Matches any of the paths, the longest first, with or without backslashes before special characters. */
function anyOf(paths: readonly string[]): string {
  const sources = [...paths]
    .sort((one, other) => other.length - one.length)
    .map((path) =>
      path.replace(SPECIAL, (sign) => String.raw`\\?${escapeSign(sign)}`).replace(/[.+]/g, '[$&]'),
    )
  return `(${sources.join('|')})`
}

/** Characters that can be special to a shell. */
const SPECIAL = /[^\w./+:@%,\-\u0080-\uffff]/g

function escapeSign(sign: string): string {
  return `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** A part of a path that is the same in every quoting, for a quick test. */
function partOf(path: string): string {
  return /[\w.-]+/.exec(path)?.[0] ?? ''
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}

/** Whether `..` leads out of the top folder at any step. */
function leaves(rest: string): boolean {
  let depth = 0
  for (const name of rest.split('/')) {
    if (name === '..') depth--
    else if (name !== '' && name !== '.') depth++
    if (depth < 0) return true
  }
  return false
}

/** The path, quoted for a position with this quoting. */
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
