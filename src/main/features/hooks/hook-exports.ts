/**
 * Variables that a hook sets for later commands: it writes `export NAME=value` to the file that CLAUDE_ENV_FILE names.
 * The lines are read, never run: a hook may have copied them from a file that an agent can write.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HookEvent } from '../../../shared/hooks/hooks.ts'
import { altersCommands } from '../../platform/shell/command-environment.ts'
import type { HookOutput } from './hook-answer.ts'

/** The events whose hooks may set variables. */
export const EXPORTING: readonly HookEvent[] = ['SessionStart', 'CwdChanged', 'FileChanged']

type Variables = Readonly<Record<string, string>>

interface Exports {
  readonly variables: Variables
  /** Lines that are no plain assignment, and names that commands don't get from hooks; each shortened. */
  readonly leftOut: readonly string[]
}

/** Characters of the file. */
const LONGEST_FILE = 256 * 1024

/** Runs a hook with such a file. `take` gets what it set, if it succeeded. */
export async function withExports(
  run: (environment: Variables) => Promise<HookOutput>,
  environment: Variables,
  take: (exports: Exports) => void,
): Promise<HookOutput> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-exports-'))
  try {
    const file = join(folder, 'env.sh')
    await writeFile(file, '', { mode: 0o600 })
    const output = await run({ CLAUDE_ENV_FILE: file })
    const text = await readFile(file, 'utf8').catch(() => '')
    if (output.exitCode === 0) take(readExports(text.slice(0, LONGEST_FILE), environment))
    return output
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Programs that are allowed unasked would run what these name. */
const RUNS_PROGRAMS =
  /^(?:GIT_(?!AUTHOR_|COMMITTER_).*|RIPGREP_CONFIG_PATH|LESS(?:OPEN|CLOSE)|(?:LD|DYLD)_.*)$/

/** @param environment the variables that values may refer to */
export function readExports(text: string, environment: Variables): Exports {
  const variables: Record<string, string> = {}
  const leftOut: string[] = []
  const lookUp = (name: string) => variables[name] ?? environment[name] ?? ''
  for (const statement of statementsOf(text)) {
    const removed = /^unset\s+(?:-v\s+)?([\w\s]+)$/.exec(statement)?.[1]
    const assigned = removed === undefined ? assignmentsIn(statement, lookUp) : []
    if (removed !== undefined) for (const name of removed.split(/\s+/)) delete variables[name]
    if (assigned === null) leftOut.push(statement.slice(0, 60))
    for (const [name, value] of assigned ?? [])
      if (altersCommands(name) || RUNS_PROGRAMS.test(name)) leftOut.push(name)
      else variables[name] = value
  }
  return { variables, leftOut }
}

/** Split at line ends and semicolons outside of quotes; comments are left out. */
function statementsOf(text: string): readonly string[] {
  const pieces = text.match(PIECES) ?? []
  const statements: string[] = []
  let current = ''
  for (const piece of [...pieces, '\n']) {
    if (piece !== '\n' && piece !== ';') {
      current += piece.startsWith('#') && /(^|\s)$/.test(current) ? '' : piece
      continue
    }
    if (current.trim() !== '') statements.push(current.trim())
    current = ''
  }
  return statements
}
const PIECES = /\$?'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|#[^\n]*|[\s\S]/g

const START = /^(?:export|declare\s+-[a-z]*x[a-z]*|typeset\s+-x)?\s*/

/** Null: the statement is something else than assignments of plain values. */
function assignmentsIn(
  statement: string,
  lookUp: (name: string) => string,
): readonly (readonly [string, string])[] | null {
  const found: (readonly [string, string])[] = []
  let rest = statement.slice(START.exec(statement)?.[0].length ?? 0)
  while (rest !== '') {
    const name = /^([A-Za-z_]\w*)=/.exec(rest)?.[1]
    if (name === undefined) return null
    const word = WORD.exec(rest.slice(name.length + 1))?.[0] ?? ''
    const value = valueIn(word, lookUp)
    const after = rest.slice(name.length + 1 + word.length)
    if (value === null || !/^(?:\s|$)/.test(after)) return null
    found.push([name, value])
    rest = after.trim()
  }
  return found
}
const WORD = /^(?:\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s'"\\;&|<>()])*/

/** The word without its quotes, and with the values of variables. Null: a shell would run something. */
function valueIn(word: string, lookUp: (name: string) => string): string | null {
  let value = ''
  for (const part of word.match(PARTS) ?? []) {
    if (part.startsWith("$'")) value += unescaped(part.slice(2, -1))
    else if (part.startsWith("'")) value += part.slice(1, -1)
    else {
      const isQuoted = part.startsWith('"')
      const text = isQuoted ? part.slice(1, -1) : part
      if (/`|\$\(|\$\{(?!\w+\})/.test(text.replace(/\\[\s\S]/g, ''))) return null
      value += text.replace(REFERENCES, (all, escaped?: string, braced?: string, bare?: string) => {
        if (escaped === undefined) return lookUp(braced ?? bare ?? '')
        return !isQuoted || /["\\$`]/.test(escaped) ? escaped : escaped === '\n' ? '' : all
      })
    }
  }
  return value
}
const PARTS = /\$'(?:[^'\\]|\\[\s\S])*'|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|(?:\\[\s\S]|\$(?!')|[^'"\\$])+/g
const REFERENCES = /\\([\s\S])|\$\{(\w+)\}|\$([A-Za-z_]\w*)/g

/** Of `$'…'`, which `export -p` writes. */
function unescaped(text: string): string {
  const plain: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', e: '\x1b', E: '\x1b' }
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))/g,
    (_all, hex?: string, octal?: string, one = '') =>
      hex !== undefined || octal !== undefined
        ? String.fromCharCode(Number.parseInt(hex ?? octal ?? '', hex === undefined ? 8 : 16))
        : (plain[one] ?? one),
  )
}
