/** The Skill tool: puts a skill's instructions before the agent, and lets it read what lies beside them. */
import { z } from 'zod'
import { listEntry } from '../../../shared/agent-definition/announce-agent.ts'
import type { SkillInfo } from '../../../shared/agent-library.ts'
import type { FileSystem, LoadedSkill, Policy, SkillSource } from '../ports.ts'
import { type Tool, type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import { countOf } from './amounts.ts'
import { similarNames } from './similar-names.ts'

/** More would fill the context of every agent with what most of them never need. */
const MOST_SKILLS = 100
const LONGEST_USE = 500

const schema = z
  .object({
    skill: z.string().trim().min(1).describe('Its name, as it is listed.'),
    args: z.string().optional().describe('What it is to be used on, where the skill asks for something.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export interface SkillToolDeps {
  readonly skills: SkillSource
  readonly files: Pick<FileSystem, 'realPath'>
  readonly policy: Pick<Policy, 'trusted'>
}

export function createSkillTool(deps: SkillToolDeps): Tool<Input> {
  return {
    name: 'Skill',
    aliases: [],
    description: describeSkillTool([]),
    schema,
    fieldAliases: { command: 'skill' },
    concurrent: true,
    sideEffects: () => false,
    summary: ({ skill }) => skill,
    target: async ({ skill }) => ({ kind: 'none', subject: skill }),
    run: (input, context) => loadSkill(input, context, deps),
  }
}

/** What an agent reads about the tool where there are these skills. */
export function describeSkillTool(skills: readonly SkillInfo[]): string {
  if (skills.length === 0) return 'Loads a skill: instructions for one kind of work. There are none here.'
  const shown = skills.slice(0, MOST_SKILLS)
  const rest = skills.length - shown.length
  const lines = shown.map(({ name, description }) => listEntry(name, clip(description)))
  const more = rest === 0 ? '' : `\nAnd ${rest} more, which are loaded by their name.`
  return `Loads a skill: instructions for one kind of work, and a folder with what they need. Load one before you begin work that it is for; then follow it.

Skills there are:
${lines.join('\n')}${more}`
}

/** What goes before an agent of a skill. */
export function skillText({ name, body, folder }: Pick<LoadedSkill, 'name' | 'body' | 'folder'>): string {
  return `# Skill ${name}\nIts files are in ${folder}; you may read them. Paths in it count from there.\n\n${body.trim()}`
}

async function loadSkill(
  { skill: name, args }: Input,
  context: ToolContext,
  deps: SkillToolDeps,
): Promise<ToolOutcome> {
  const { session } = context
  const options = { trusted: deps.policy.trusted(session.project) }
  const skill = await deps.skills.load(session.project, name, options)
  if (skill === null) return toolError(await whatThereIs(name, session.project, deps), 'no such skill')
  const folder = await deps.files.realPath(skill.folder)
  if (folder.ok) session.readFolders.add(folder.value)
  const text = skillText(skill)
  const given = args?.trim() ?? ''
  const content = text.includes('$ARGUMENTS')
    ? text.replaceAll('$ARGUMENTS', () => given)
    : `${text}${given === '' ? '' : `\n\nIt is to be used on: ${given}`}`
  return { isError: false, content, note: countOf(skill.body.trim().split('\n').length, 'line') }
}

async function whatThereIs(name: string, folder: string, { skills, policy }: SkillToolDeps): Promise<string> {
  const names = (await skills.list(folder, { trusted: policy.trusted(folder) })).map((skill) => skill.name)
  if (names.length === 0) return `There is no skill ${name}, and none at all here. Go on without it.`
  const [nearest] = similarNames(name, names, 1)
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  return `There is no skill ${name}.${meant} There are: ${names.slice(0, MOST_SKILLS).join(', ')}.`
}

function clip(text: string): string {
  return text.length <= LONGEST_USE ? text : `${text.slice(0, LONGEST_USE).trimEnd()} …`
}
