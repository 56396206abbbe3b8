/** Other programs' lists of MCP servers, which can be imported. */
import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { messageOf, sentence } from '../../../shared/kernel/result.ts'
import { nameProblem } from '../../../shared/mcp/mcp-entry-text.ts'
import { isRecord, parseJson } from '../../platform/json/json-text.ts'

interface OtherServers {
  /** `Cursor, MCP` */
  readonly what: string
  /** Absolute. */
  readonly file: string
  /** Whether it is in the home folder, for every project. */
  readonly isOwn: boolean
  readonly content:
    | { readonly kind: 'servers'; readonly servers: readonly OtherServer[] }
    | { readonly kind: 'broken'; readonly because: string }
}

export interface OtherServer {
  readonly name: string
  /** In the form of `.mcp.json`. */
  readonly definition: Readonly<Record<string, unknown>>
  /** Why it can't be imported, as a sentence; null: it can. */
  readonly problem: string | null
}

type Raw = Readonly<Record<string, unknown>>

/** `key`: where the servers are. */
const LISTS = [
  { what: 'Cursor, MCP', path: '.cursor/mcp.json', key: 'mcpServers', at: ['home', 'folder'] },
  { what: 'VS Code, MCP', path: '.vscode/mcp.json', key: 'servers', at: ['folder'] },
  { what: 'Codex, MCP', path: '.codex/config.toml', key: 'mcp_servers', at: ['home', 'folder'] },
  { what: 'Gemini CLI, MCP', path: '.gemini/settings.json', key: 'mcpServers', at: ['home', 'folder'] },
  { what: 'Windsurf, MCP', path: '.codeium/windsurf/mcp_config.json', key: 'mcpServers', at: ['home'] },
] as const

/** Nothing of an untrusted folder is read. */
export async function findOtherServers(places: {
  readonly home: string
  readonly folder: string
  readonly trusted: boolean
}): Promise<readonly OtherServers[]> {
  const { home, folder, trusted } = places
  const bases = (at: readonly string[]) => [
    ...(at.includes('home') ? [{ base: home, isOwn: true }] : []),
    ...(at.includes('folder') && trusted && folder !== home ? [{ base: folder, isOwn: false }] : []),
  ]
  const lists = LISTS.flatMap(({ what, path, key, at }) =>
    bases(at).map(async ({ base, isOwn }) => {
      const file = join(base, path)
      const content = await readList(file, { key, folder, home })
      return content === null ? [] : [{ what, file, isOwn, content }]
    }),
  )
  return (await Promise.all(lists)).flat()
}

interface ListPlace {
  readonly key: string
  readonly folder: string
  readonly home: string
}

/** Null: there is no such file, or it has no list. */
async function readList(
  file: string,
  { key, folder, home }: ListPlace,
): Promise<OtherServers['content'] | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return null
  const read = file.endsWith('.toml') ? tomlIn(text) : jsonIn(text)
  if (typeof read === 'string') return { kind: 'broken', because: read }
  const list = read[key]
  if (!isRecord(list)) return null
  const servers = Object.entries(list).map(([name, value]) =>
    serverOf(name, isRecord(value) ? value : {}, { folder, home }),
  )
  return servers.length === 0 ? null : { kind: 'servers', servers }
}

function jsonIn(text: string): Raw | string {
  const read = parseJson(text.trim() === '' ? '{}' : text)
  if (!read.ok) return `It is not valid JSON: ${sentence(read.failure.message)}`
  return isRecord(read.value) ? read.value : 'It is not a JSON object.'
}

function tomlIn(text: string): Raw | string {
  try {
    return parseToml(text)
  } catch (thrown) {
    return `It is not valid TOML: ${messageOf(thrown).split('\n')[0]}.`
  }
}

function serverOf(
  name: string,
  given: Raw,
  places: { readonly folder: string; readonly home: string },
): OtherServer {
  const text = (key: string) => (typeof given[key] === 'string' ? given[key] : null)
  const url = text('httpUrl') ?? text('url') ?? text('serverUrl')
  const isSse =
    text('type') === 'sse' ||
    (text('httpUrl') === null &&
      text('url') !== null &&
      text('type') === null &&
      /\/sse\/?$/.test(text('url') ?? ''))
  const bearer = text('bearer_token_env_var')
  const headers = {
    ...objectIn(given['headers'] ?? given['http_headers']),
    ...Object.fromEntries(
      Object.entries(objectIn(given['env_http_headers'])).map(([header, variable]) => [
        header,
        `\${${variable}}`,
      ]),
    ),
    ...(bearer !== null && { Authorization: `Bearer \${${bearer}}` }),
  }
  const env = {
    ...objectIn(given['env']),
    ...Object.fromEntries(namesIn(given['env_vars']).map((variable) => [variable, `\${${variable}}`])),
  }
  const args = Array.isArray(given['args']) ? given['args'] : []
  const definition: Raw =
    url !== null
      ? { type: isSse ? 'sse' : 'http', url, ...(Object.keys(headers).length > 0 && { headers }) }
      : { command: text('command') ?? '', args, ...(Object.keys(env).length > 0 && { env }) }
  const written = JSON.stringify(definition)
    .replaceAll(/\$\{env:(\w+)\}/g, (_, variable: string) => `\${${variable}}`)
    .replaceAll(/\$\{workspaceFolder\}/g, () => JSON.stringify(places.folder).slice(1, -1))
    .replaceAll(/\$\{userHome\}/g, () => JSON.stringify(places.home).slice(1, -1))
  const input = /\$\{input:([^}]*)\}/.exec(written)?.[1]
  const isOff = given['disabled'] === true || given['enabled'] === false
  const problem =
    nameProblem(name) !== null
      ? `${name} can't be imported. ${nameProblem(name)}`
      : input !== undefined
        ? `${name} asks for the input ${input}. Add it with "troupe mcp add", with the value or a variable.`
        : url === null && text('command') === null
          ? `${name} has neither a command nor an address.`
          : isOff
            ? `${name} is turned off there.`
            : text('cwd') !== null && url === null && !isAbsolute(text('cwd') ?? '')
              ? `${name} starts in the folder ${text('cwd')}, which Troupe can't do.`
              : null
  return { name, definition: JSON.parse(written) as Raw, problem }
}

const objectIn = (value: unknown): Raw => (isRecord(value) ? value : {})
const namesIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
