/**
 * The hooks and MCP servers of enabled plugins, as their files state them. They were approved together with the plugin.
 */
import { join, resolve } from 'node:path'
import { messageOf } from '../../../shared/kernel/result.ts'
import { isRecord } from '../../platform/json/json-text.ts'
import { exists } from '../../platform/system/exists.ts'
import { isBelow, readPlainFile } from '../../platform/system/plain-text.ts'
import { readPlugin } from '../definitions/plugin-folders.ts'

export interface PluginParts {
  /** The plugin's name. */
  readonly plugin: string
  /** The plugin's folder, links resolved: the value of `${CLAUDE_PLUGIN_ROOT}`. */
  readonly root: string
  /** The contents of `hooks/hooks.json` and of the manifest's `hooks`, not validated: objects with `hooks`. */
  readonly hooks: readonly PluginPart[]
  /** Objects of MCP servers by name, not validated: `.mcp.json` and the manifest's `mcpServers`. */
  readonly mcpServers: readonly PluginPart[]
  /** Sentences for the user. */
  readonly problems: readonly string[]
}

interface PluginPart {
  /** Absolute. */
  readonly file: string
  readonly value: Readonly<Record<string, unknown>>
}

/** The parts of the plugins that are enabled in a folder. */
export type ReadPluginParts = (folder: string) => Promise<readonly PluginParts[]>

/** @param plugins the folders of the approved plugins, the same in every folder */
export function createPluginParts(plugins: () => readonly string[]): ReadPluginParts {
  return async () => {
    const read = await Promise.all(plugins().map(readPluginParts))
    return read.filter((parts) => parts !== null)
  }
}

/** Null if the folder is not a plugin. Files that lead out of the folder are not read. */
export async function readPluginParts(path: string): Promise<PluginParts | null> {
  const { plugin, manifest } = await readPlugin(path)
  if (plugin === null) return null
  const problems: string[] = []
  const manifestFile = join(plugin.root, '.claude-plugin', 'plugin.json')
  const read = async (file: string): Promise<readonly PluginPart[]> => {
    const value = await readObject(file, plugin.root)
    if (typeof value !== 'string') return value === null ? [] : [{ file, value }]
    problems.push(`The plugin ${plugin.name}: ${value}`)
    return []
  }
  /** The manifest gives a part itself, or paths of files with it. */
  const given = async (key: string, standard: string): Promise<readonly PluginPart[]> => {
    const value = manifest[key]
    const values = value === undefined ? [] : Array.isArray(value) ? value : [value]
    const files = [
      ...(manifest['strict'] === false ? [] : [standard]),
      ...values.filter((one) => typeof one === 'string'),
    ]
    const paths = [...new Set(files.map((one) => resolve(plugin.root, one)))]
    const outside = paths.find((one) => !isBelow(plugin.root, one))
    if (outside !== undefined)
      problems.push(
        `The plugin ${plugin.name} names ${outside}, which is outside its folder. It was not read.`,
      )
    const fromFiles = await Promise.all(paths.filter((one) => isBelow(plugin.root, one)).map(read))
    return [
      ...fromFiles.flat(),
      ...values.filter(isRecord).map((one) => ({ file: manifestFile, value: one })),
    ]
  }
  const hooks = (await given('hooks', join('hooks', 'hooks.json'))).map(({ file, value }) => ({
    file,
    value: isRecord(value['hooks']) ? value : { hooks: value },
  }))
  const mcpServers = (await given('mcpServers', '.mcp.json')).map(({ file, value }) => ({
    file,
    value: isRecord(value['mcpServers']) ? value['mcpServers'] : value,
  }))
  return { plugin: plugin.name, root: plugin.root, hooks, mcpServers, problems }
}

/** Null: the file does not exist. A text: why it can't be used. */
async function readObject(
  file: string,
  root: string,
): Promise<Readonly<Record<string, unknown>> | string | null> {
  const read = await readPlainFile(file, root)
  if (read.kind === 'unread') return (await exists(file)) ? `${file}: ${read.message}` : null
  try {
    const value: unknown = JSON.parse(read.text)
    return isRecord(value) ? value : `${file} is not an object.`
  } catch (thrown) {
    return `${file} is not valid JSON: ${messageOf(thrown)}`
  }
}
