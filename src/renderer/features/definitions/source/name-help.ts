/** One-sentence help for names in a definition: tools, models, skills. */

import { toolFacts } from '../../../../shared/tools/tool-facts.ts'
import { canonicalToolName } from '../../../../shared/tools/tool-names.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

const MODELS: Readonly<Record<string, string>> = {
  inherit: 'The parent’s model.',
  haiku: 'The fastest, for reading and searching.',
  sonnet: 'For most work.',
  opus: 'For hard work.',
  fable: 'For the hardest work.',
}

/** `entry`: a tool with or without a rule, a server such as `mcp__github`, or a server's tool. */
export function toolHelp(entry: string, { catalog }: DefinitionSurroundings): string | null {
  const bare = entry.replace(/\(.*$/s, '').trim()
  if (bare === '*') return 'All tools.'
  const name = canonicalToolName(bare)
  const known = toolFacts(name)?.help ?? null
  if (known !== null) return name === bare ? known : `${name}: ${known}`
  const [, server, tool] = /^mcp__((?:(?!__).)+)(?:__(.+))?$/s.exec(bare) ?? []
  if (server === undefined) return null
  const state = catalog.servers.includes(server) ? '' : ' (not connected)'
  return tool === undefined
    ? `All tools of the MCP server ${server}${state}.`
    : `The tool ${tool} of the MCP server ${server}${state}.`
}

export function modelHelp(model: string, { models }: DefinitionSurroundings): string | null {
  return MODELS[model.toLowerCase()] ?? models.find(({ id }) => id === model)?.name ?? null
}

export function skillHelp(name: string, { catalog }: DefinitionSurroundings): string | null {
  return catalog.skills.find((skill) => skill.name === name)?.description ?? null
}
