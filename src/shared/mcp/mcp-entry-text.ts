/** Reads what people copy from a server's README: JSON, a `claude mcp add` line, a command or an address. Pure. */
import { jsonOrUndefined } from '../kernel/json.ts'
import { fail, ok, type Result } from '../kernel/result.ts'
import { shellWords } from '../kernel/shell-words.ts'

export type McpDefinition = Readonly<Record<string, unknown>>

export interface NamedDefinition {
  /** Null: the text has no name. */
  readonly name: string | null
  readonly definition: McpDefinition
}

/** Why a name can't be used, as a sentence; null: it can. The name becomes part of the names of tools. */
export function nameProblem(name: string): string | null {
  if (name === '') return 'Give the server a name.'
  return /^[A-Za-z0-9_-]{1,60}$/.test(name) ? null : 'Use letters, digits, - and _ only, at most 60.'
}

/** Fails with a sentence that says what is wrong. */
export function readEntryText(text: string): Result<readonly NamedDefinition[]> {
  const given = text.trim()
  if (given === '') return wrong('Give a command, an address or JSON.')
  if (/^[{"]/.test(given)) return fromJson(given)
  const words = shellWords(given.replaceAll(/\\\r?\n/g, ' '))
    .filter((word) => word.trim() !== '')
    .map(unquoted)
  if (words[1] === 'mcp' && (words[2] === 'add' || words[2] === 'add-json'))
    return words[2] === 'add' ? fromAddLine(words.slice(3)) : fromAddJson(words.slice(3))
  const definition = definitionOf(words)
  return definition.ok ? ok([{ name: null, definition: definition.value }]) : definition
}

function definitionOf(words: readonly string[]): Result<McpDefinition> {
  const [command = '', ...args] = words
  if (/^[a-z]+:\/\//i.test(command) || /^localhost[:/]/.test(command)) {
    if (args.length > 0) return wrong('An address takes no arguments.')
    if (!/^https?:\/\//i.test(command) || !URL.canParse(command))
      return wrong('An address starts with https:// or http://.')
    return ok({ type: 'http', url: command })
  }
  return command === '' ? wrong('Give a command or an address.') : ok({ command, args })
}

function fromJson(text: string): Result<readonly NamedDefinition[]> {
  const found = jsonOrUndefined(text) ?? jsonOrUndefined(`{${text.replace(/,$/, '')}}`)
  if (!isObject(found)) return wrong('This is not valid JSON.')
  const servers = found['mcpServers'] ?? found['servers'] ?? found
  if (!isObject(servers)) return wrong('"mcpServers" is not an object.')
  if (isDefinition(servers)) return ok([{ name: null, definition: servers }])
  const entries: NamedDefinition[] = []
  for (const [name, definition] of Object.entries(servers)) {
    if (!isDefinition(definition)) return wrong(`"${name}" has neither "command" nor "url".`)
    entries.push({ name, definition })
  }
  return entries.length > 0 ? ok(entries) : wrong('The JSON has no servers.')
}

function fromAddJson(words: readonly string[]): Result<readonly NamedDefinition[]> {
  const [name, json] = words.filter((word, index) => !word.startsWith('-') && !isScope(words[index - 1]))
  const definition = json === undefined ? undefined : jsonOrUndefined(json)
  if (name === undefined || !isDefinition(definition)) return wrong('Expected: claude mcp add-json NAME JSON')
  return ok([{ name, definition }])
}

const isScope = (word: string | undefined): boolean => word === '-s' || word === '--scope'

/** `claude mcp add [options] NAME [--] COMMAND [ARG…]`: the options of the server come after its command. */
function fromAddLine(words: readonly string[]): Result<readonly NamedDefinition[]> {
  const env: Record<string, string> = {}
  const headers: Record<string, string> = {}
  const rest: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const value = words[at + 1] ?? ''
    // Options after a command are the command's own; an address has none.
    const isOwn = rest.length >= 2 && !/^https?:/i.test(rest[1] ?? '')
    if (isOwn) {
      rest.push(...words.slice(at))
      break
    }
    if (!word.startsWith('-')) {
      rest.push(word)
      continue
    }
    if (word === '--') {
      rest.push(...words.slice(at + 1))
      break
    }
    at += 1
    if (word === '-e' || word === '--env') assign(env, value, '=')
    else if (word === '-H' || word === '--header') assign(headers, value, ':')
    else if (!isScope(word) && word !== '-t' && word !== '--transport')
      return wrong(`The option ${word} is not known.`)
  }
  const [name, ...command] = rest
  const definition = definitionOf(command)
  if (name === undefined || !definition.ok)
    return definition.ok ? wrong('The line names no server.') : definition
  const more = { ...(isFilled(env) && { env }), ...(isFilled(headers) && { headers }) }
  return ok([{ name, definition: { ...definition.value, ...more } }])
}

/** Lines of `NAME=value` or `Name: value`. */
export function readPairs(text: string, separator: '=' | ':'): Result<Readonly<Record<string, string>>> {
  const pairs: Record<string, string> = {}
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    if (!assign(pairs, line.trim(), separator))
      return wrong(`"${line.trim()}" is not ${separator === '=' ? 'NAME=value' : 'Name: value'}.`)
  }
  return ok(pairs)
}

function assign(pairs: Record<string, string>, text: string, separator: '=' | ':'): boolean {
  const at = text.indexOf(separator)
  if (at < 1) return false
  pairs[text.slice(0, at).trim()] = separator === '=' ? text.slice(at + 1) : text.slice(at + 1).trim()
  return true
}

const unquoted = (word: string): string =>
  word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs, (_, single, double, escaped) =>
    String(single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? ''),
  )

const isFilled = (pairs: object): boolean => Object.keys(pairs).length > 0

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isDefinition = (value: unknown): value is McpDefinition =>
  isObject(value) && (typeof value['command'] === 'string' || typeof value['url'] === 'string')

const wrong = <T>(message: string): Result<T> => fail({ type: 'bad-entry', message })
