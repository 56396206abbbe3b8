/** What a plugin brings, for the decision to enable it. */
import { readdir } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { InstalledPlugin, PluginContent } from '../../../shared/plugins/installed-plugin.ts'
import { exists } from '../../platform/system/exists.ts'
import { readPlugin } from '../definitions/plugin-folders.ts'
import { readPluginParts } from './plugin-parts.ts'

type PluginDescription = Pick<InstalledPlugin, 'name' | 'description' | 'parts' | 'problems' | 'notUsed'>

export async function describePlugin(path: string): Promise<PluginDescription> {
  const { plugin, manifest, problems, notUsed } = await readPlugin(path)
  if (plugin === null) return { name: basename(path), description: '', parts: [], problems, notUsed }
  const { description } = manifest
  const read = await readPluginParts(path)
  const files = async (
    kind: PluginContent['kind'],
    folder: string,
    end: string,
  ): Promise<readonly PluginContent[]> => {
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    return names
      .filter((name) => name.endsWith(end))
      .toSorted()
      .map((name) => ({ kind, name: name.slice(0, -end.length), runs: null }))
  }
  const agents = await Promise.all(
    plugin.agents.map(async (agent) =>
      agent.path.endsWith('.md')
        ? [{ kind: 'agent' as const, name: basename(agent.path, '.md'), runs: null }]
        : files('agent', agent.path, '.md'),
    ),
  )
  const skills = await Promise.all(
    plugin.skills.map(async (folder) =>
      (await exists(join(folder, 'SKILL.md')))
        ? [{ kind: 'skill' as const, name: basename(folder), runs: null }]
        : files('skill', folder, '/SKILL.md'),
    ),
  )
  const commands = await Promise.all(
    plugin.commands.map(async ({ path: each, name }) =>
      each.endsWith('.md')
        ? (await exists(each))
          ? [{ kind: 'command' as const, name: name ?? basename(each, '.md'), runs: null }]
          : []
        : files('command', each, '.md'),
    ),
  )
  return {
    name: plugin.name,
    description: typeof description === 'string' ? description : '',
    parts: [
      ...agents.flat(),
      ...skills.flat(),
      ...commands.flat(),
      ...(read?.hooks ?? []).flatMap(({ file, value }) =>
        commandsIn(value).map((runs) => ({ kind: 'hook' as const, name: relative(plugin.root, file), runs })),
      ),
      ...(read?.mcpServers ?? []).flatMap(({ value }) =>
        Object.entries(value).map(([name, server]) => ({
          kind: 'mcp-server' as const,
          name,
          runs: JSON.stringify(server),
        })),
      ),
    ],
    problems: [...problems, ...(read?.problems ?? [])],
    notUsed,
  }
}

/** The commands and addresses of hooks, wherever they stand in the object. */
function commandsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === 'command' || key === 'url') && typeof inner === 'string' ? inner : commandsIn(inner),
  )
}
