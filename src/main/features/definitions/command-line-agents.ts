/** Definitions from the command line, as JSON or as files. */
import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { messageOf } from '../../../shared/kernel/result.ts'
import { beyondYamlBounds } from '../../../shared/kernel/yaml-bounds.ts'
import { isRecord } from '../../platform/json/json-text.ts'
import { readPlainFile } from '../../platform/system/plain-text.ts'
import { agentOf, type FoundAgent, type FoundAgents, unreadAgent } from './read-agent-folder.ts'

export interface CommandLineAgents {
  /** `{ "name": { "description": …, "prompt": …, "tools": […] } }` */
  readonly json: string | null
  /** Absolute paths. */
  readonly files: readonly string[]
}

export async function readCommandLineAgents({ json, files }: CommandLineAgents): Promise<FoundAgents> {
  const fromJson = json === null ? { agents: [], problems: [] } : agentsOfJson(json)
  const fromFiles = await Promise.all(files.map(agentOfFile))
  return { agents: [...fromJson.agents, ...fromFiles], problems: fromJson.problems }
}

function agentsOfJson(json: string): FoundAgents {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (thrown) {
    return { agents: [], problems: [`--agents is not valid JSON: ${messageOf(thrown)}`] }
  }
  if (!isRecord(value))
    return { agents: [], problems: ['--agents must be an object that maps each agent’s name to its fields.'] }
  const agents: FoundAgent[] = []
  const problems: string[] = []
  for (const [name, fields] of Object.entries(value)) {
    const agent = isRecord(fields) ? agentOfFields(name, fields) : null
    if (agent !== null) agents.push(agent)
    else if (isRecord(fields)) problems.push(`--agents: ${name} is nested too deep or too large.`)
    else problems.push(`--agents: ${name} must be an object of its fields, such as description and prompt.`)
  }
  return { agents, problems }
}

/** The fields as YAML. JSON values are valid YAML. Null: they are nested too deep or too large. */
function agentOfFields(
  name: string,
  { prompt, ...fields }: Readonly<Record<string, unknown>>,
): FoundAgent | null {
  const lines = linesOf({ name, ...fields })
  if (lines === null || beyondYamlBounds(lines.join('\n')) !== null) return null
  const body = typeof prompt === 'string' ? prompt : ''
  return agentOf(`---\n${lines.join('\n')}\n---\n${body}`, {
    id: `command-line:${name}`,
    source: 'command-line',
    plugin: null,
    file: null,
    path: `${name}.md`,
  })
}

/** Null: too deep for JSON's stack. */
function linesOf(fields: Readonly<Record<string, unknown>>): readonly string[] | null {
  try {
    return Object.entries(fields).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  } catch {
    return null
  }
}

async function agentOfFile(path: string): Promise<FoundAgent> {
  const origin = {
    id: `command-line:${path}`,
    source: 'command-line' as const,
    plugin: null,
    file: path,
    path: basename(path),
  }
  // A file named on the command line may be a link to anywhere.
  const real = await realpath(path).catch(() => path)
  const file = await readPlainFile(real, dirname(real))
  return file.kind === 'text' ? agentOf(file.text, origin) : unreadAgent(file, origin)
}
