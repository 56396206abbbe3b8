/** The commands of a folder from all sources, and their texts. */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { similarNames } from '../../../shared/kernel/similar-names.ts'
import type { McpServers } from '../../../shared/mcp/contract.ts'
import type { McpPrompt } from '../../../shared/mcp/mcp.ts'
import { builtInCommands, builtInText } from '../../../shared/slash/built-in-commands.ts'
import { withSkillFolder } from '../../../shared/slash/skill-fields.ts'
import type {
  ExpandedCommand,
  ExpandRequest,
  SlashCommand,
  SlashCommands,
  SlashFailure,
} from '../../../shared/slash/slash-command.ts'
import { readSlashLine } from '../../../shared/slash/slash-line.ts'
import type { CommandSource, FoundCommand, LoadedSkill, SkillSource } from '../ports/definitions.ts'
import type { ServerTools } from '../ports/ports.ts'
import { type ExpandDeps, expandFile } from './expand-file.ts'
import { commandFrame, expandCall, expandPrompt, skillFrame } from './expand-text.ts'

interface SlashDeps extends ExpandDeps {
  readonly commands: CommandSource
  readonly skills: SkillSource
  readonly mcp: Pick<McpServers, 'prompts' | 'prompt'>
  readonly serverTools: ServerTools
}

export function createSlashCommands(deps: SlashDeps): SlashCommands {
  const { commands, skills, mcp, policy } = deps

  async function all(folder: string) {
    const trusted = policy.trusted(folder)
    const [files, ofSkills, prompts] = await Promise.all([
      commands.list(folder, { trusted }),
      skills.list(folder, { trusted }),
      mcp.prompts(folder).catch(() => []),
    ])
    return { files, skills: ofSkills, prompts }
  }

  async function list(folder: string): Promise<readonly SlashCommand[]> {
    const found = await all(folder)
    const listed: readonly SlashCommand[] = [
      ...found.files.map(({ info }) => info),
      ...found.skills
        .filter(({ isOnlyForAgents }) => !isOnlyForAgents)
        .map(({ name, description, file, argumentHint = '' }) => {
          return { name, description, file, argumentHint, source: 'skill' as const, problem: null }
        }),
      ...found.prompts.map(promptInfo),
      ...builtInCommands,
    ]
    const byName = new Map<string, SlashCommand>()
    for (const one of listed) if (!byName.has(one.name)) byName.set(one.name, one)
    return [...byName.values()].toSorted((one, two) => (one.name < two.name ? -1 : 1))
  }

  async function expand(
    request: ExpandRequest,
    signal: AbortSignal,
  ): Promise<Result<ExpandedCommand, SlashFailure>> {
    const line = readSlashLine(request.line)
    if (line === null) return fail({ type: 'unknown', message: 'This is not a command.' })
    const { folder } = request
    if (line.name.startsWith('mcp__')) await deps.serverTools.ready(folder, null)
    const found = await all(folder)
    const isWanted = ({ name }: { readonly name: string }) => name === line.name
    const file = found.files.find(({ info }) => isWanted(info))
    if (file !== undefined) return expandFile(file, { request, line }, { deps, signal })
    if (found.skills.some(isWanted)) {
      const skill = await skills.load(folder, line.name, { trusted: policy.trusted(folder) })
      if (skill?.isOnlyForAgents)
        return fail({
          type: 'unknown',
          message: `The skill ${line.name} is for agents only (user-invocable: false).`,
        })
      const call = skill === null ? null : expandCall(skill, line)
      if (call !== null) return ok(call)
      if (skill !== null)
        return expandFile(commandOf(skill), { request, line }, { deps, signal, skill: skillFrame(skill) })
    }
    const prompt = found.prompts.find((one) => isWanted(promptInfo(one)))
    if (prompt !== undefined)
      return expandPrompt(prompt, line, (args) =>
        mcp.prompt(folder, { server: prompt.server, name: prompt.name, arguments: args }),
      )
    const own = builtInText(line.name)
    if (own !== null)
      return ok({ name: own.name, text: `${commandFrame(line, 'this:')}${own.text(line.rest)}` })
    const names = (await list(folder)).map(({ name }) => name)
    return fail({ type: 'unknown', message: unknownCommand(line.name, names) })
  }

  return { list, expand }
}

/** A skill as the command that the user runs. */
const commandOf = ({
  name,
  description,
  source,
  file,
  folder: at,
  body,
  allowedTools = [],
}: LoadedSkill): FoundCommand => ({
  info: { name, description, source, file, argumentHint: '', problem: null },
  command: {
    description,
    argumentHint: '',
    allowedTools,
    body: withSkillFolder(body, at),
  },
})

/** The sentence about an unknown command, with similar names. */
export function unknownCommand(name: string, names: readonly string[]): string {
  const near = similarNames(name, names).map((one) => `/${one}`)
  return `Unknown command /${name}.${near.length === 0 ? '' : ` Similar: ${near.join(', ')}.`}`
}

/** `mcp__server__prompt`, with the characters that a command's name can have. */
function promptInfo({ server, name, description, arguments: args }: McpPrompt): SlashCommand {
  const plain = (text: string) => text.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  return {
    name: `mcp__${plain(server)}__${plain(name)}`,
    description,
    argumentHint: args.map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`)).join(' '),
    source: 'mcp',
    file: null,
    problem: null,
  }
}
