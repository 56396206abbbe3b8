/** Finds the MCP servers of a folder in all places where people configure them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, sentence } from '../../../shared/kernel/result.ts'
import type { McpSource, McpState } from '../../../shared/mcp/mcp.ts'
import { isUsersOwn, type SettingsSource } from '../../../shared/settings/settings-layers.ts'
import { parseJson } from '../../platform/json/json-text.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import type { ReadPluginParts } from '../plugins/plugin-parts.ts'
import type { SettingsLayerReader } from '../settings/settings-layers.ts'
import type { McpEntry } from './server-entry.ts'

export interface ServerSources {
  readonly home: string
  readonly layers: Pick<SettingsLayerReader, 'read'>
  readonly pluginParts: ReadPluginParts
  /** Files of the command line: `--mcp-config`. Absolute. */
  readonly configFiles: readonly string[]
  /** Servers by name that the user's editor gave for a folder. */
  readonly given?: (folder: string) => Readonly<Record<string, object>>
}

export interface ReadServers {
  /** One for each name; the strongest source wins. */
  readonly entries: readonly McpEntry[]
  readonly problems: McpState['problems']
}

const LAYER_SOURCES: Readonly<Record<SettingsSource, McpSource>> = {
  managed: 'managed',
  'command-line': 'command-line',
  local: 'local',
  project: 'project',
  user: 'user',
  own: 'user',
}

/** From the strongest to the weakest. */
const ORDER: readonly McpSource[] = ['managed', 'command-line', 'local', 'project', 'user', 'plugin', 'agent']

/** Nothing of the folder is read while it is not trusted. */
export async function readServers(
  folder: string,
  { trusted }: { readonly trusted: boolean },
  { home, layers, pluginParts, configFiles, given }: ServerSources,
): Promise<ReadServers> {
  const problems: McpState['problems'][number][] = []
  const found: (Omit<McpEntry, 'decided'> & { decided?: McpEntry['decided'] })[] = []
  const take = (servers: unknown, from: Pick<McpEntry, 'source' | 'file'>, text: string | null) => {
    if (servers === undefined) return
    if (!isObject(servers)) {
      problems.push({ file: from.file ?? '', line: null, message: '"mcpServers" is not an object.' })
      return
    }
    for (const [name, definition] of Object.entries(servers)) {
      const line = text === null ? null : lineOf(text, name)
      if (isObject(definition)) found.push({ name, ...from, line, definition })
      else
        problems.push({ file: from.file ?? '', line, message: `The MCP server "${name}" is not an object.` })
    }
  }
  const takeFile = async (file: string, source: McpSource, pick: (raw: Raw) => unknown) => {
    const read = await readJson(file)
    if (read === null) return
    if (read.kind === 'broken') problems.push({ file, line: null, message: read.message })
    else take(pick(read.raw), { source, file }, read.text)
  }

  take(given?.(folder), { source: 'command-line', file: null }, null)
  for (const file of configFiles) await takeFile(file, 'command-line', serversIn)
  if (trusted) await takeFile(join(folder, '.mcp.json'), 'project', serversIn)
  const read = await layers.read(folder, { trusted })
  for (const { source, file, raw } of read.layers) {
    const text = file === null ? null : await readFile(file, 'utf8').catch(() => null)
    take(raw['mcpServers'], { source: LAYER_SOURCES[source], file }, text)
  }
  const claudeFile = join(home, '.claude.json')
  await takeFile(claudeFile, 'user', (raw) => raw['mcpServers'])
  await takeFile(claudeFile, 'user', (raw) => {
    const projects = raw['projects']
    const project = isObject(projects) ? projects[folder] : undefined
    return isObject(project) ? project['mcpServers'] : undefined
  })
  const claude = await readJson(claudeFile)
  const ofFolder =
    claude?.kind === 'read' && isObject(claude.raw['projects']) ? claude.raw['projects'][folder] : null
  const ofClaude = isObject(ofFolder) ? [{ isOwn: true, raw: ofFolder }] : []
  for (const { root, mcpServers } of await pluginParts(folder))
    for (const { file, value } of mcpServers) take(withRoot(value, root), { source: 'plugin', file }, null)

  const lists = [...read.layers.map(({ source, raw }) => ({ isOwn: isUsersOwn(source), raw })), ...ofClaude]
  for (const entry of found)
    if (entry.file === join(folder, '.mcp.json')) entry.decided = decisionOn(entry.name, lists)
  found.sort((a, b) => ORDER.indexOf(a.source) - ORDER.indexOf(b.source))
  const entries = new Map<string, McpEntry>()
  for (const entry of found) if (!entries.has(entry.name)) entries.set(entry.name, entry)
  return { entries: [...entries.values()], problems }
}

type Raw = Readonly<Record<string, unknown>>

/**
 * What lists of settings say about a server of `.mcp.json`. Every file may turn one off; only the user's own files let one
 * start without a question, in a trusted folder.
 */
function decisionOn(
  name: string,
  lists: readonly { readonly isOwn: boolean; readonly raw: Raw }[],
): McpEntry['decided'] {
  const names = (raw: Raw, key: string) => {
    const list = raw[key]
    return Array.isArray(list) && list.includes(name)
  }
  if (lists.some(({ raw }) => names(raw, 'disabledMcpjsonServers'))) return 'off'
  const isOn = lists.some(
    ({ isOwn, raw }) =>
      isOwn && (raw['enableAllProjectMcpServers'] === true || names(raw, 'enabledMcpjsonServers')),
  )
  return isOn ? 'on' : undefined
}

/** `.mcp.json` has its servers under `mcpServers`; some files are the object of servers itself. */
const serversIn = (raw: Raw): unknown =>
  raw['mcpServers'] ?? (Object.values(raw).every((value) => isObject(value)) ? raw : {})

async function readJson(
  file: string,
): Promise<
  | { readonly kind: 'read'; readonly raw: Raw; readonly text: string }
  | { readonly kind: 'broken'; readonly message: string }
  | null
> {
  try {
    const text = await readFile(file, 'utf8')
    const read = parseJson(text)
    if (!read.ok)
      return {
        kind: 'broken',
        message: `${file} can't be read, so its MCP servers are not used: ${sentence(read.failure.message)}`,
      }
    return isObject(read.value)
      ? { kind: 'read', raw: read.value, text }
      : { kind: 'broken', message: `${file} is not a JSON object, so its MCP servers are not used.` }
  } catch (thrown) {
    // ENXIO: the sandbox's placeholder for a missing file.
    if (['ENOENT', 'ENXIO'].includes(codeOf(thrown))) return null
    const message = `${file} can't be read, so its MCP servers are not used: ${messageOf(thrown)}`
    return { kind: 'broken', message }
  }
}

/** The line of the entry's key; a rough search is enough for display. */
function lineOf(text: string, name: string): number | null {
  const after = Math.max(0, text.indexOf('"mcpServers"'))
  const at = text.indexOf(`${JSON.stringify(name)}`, after)
  return at === -1 ? null : text.slice(0, at).split('\n').length
}

/** A plugin's entries name its own folder as `${CLAUDE_PLUGIN_ROOT}`. */
function withRoot(value: unknown, root: string): unknown {
  const path = JSON.stringify(root).slice(1, -1)
  return JSON.parse(JSON.stringify(value).replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}/g, () => path))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
