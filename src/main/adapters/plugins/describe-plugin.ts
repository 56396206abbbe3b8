/** What a plugin brings, for the decision to enable it. */
import { readdir } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import type { InstalledPlugin, PluginContent } from '../../../shared/installed-plugin.ts'
import { readPlugin } from '../definitions/plugin-folders.ts'
import { readPluginParts } from './plugin-parts.ts'

export type PluginDescription = Pick<InstalledPlugin, 'name' | 'description' | 'parts' | 'problems'>

export async function describePlugin(path: string): Promise<PluginDescription> {
  const { plugin, manifest, problems } = await readPlugin(path)
  if (plugin === null) return { name: basename(path), description: '', parts: [], problems }
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
  const skills = await Promise.all(plugin.skills.map((folder) => files('skill', folder, '/SKILL.md')))
  return {
    name: plugin.name,
    description: typeof description === 'string' ? description : '',
    parts: [
      ...agents.flat(),
      ...skills.flat(),
      ...(await files('command', join(plugin.root, 'commands'), '.md')),
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
