/** The Skill tool: gives the agent a skill's instructions, and access to the skill's folder. */
import { z } from 'zod'
import type { SkillInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import { listEntry } from '../../../shared/agent-definition/definition-messages.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import { similarNames } from '../../../shared/kernel/similar-names.ts'
import { expandBody } from '../../../shared/slash/expand-body.ts'
import { withSkillFolder } from '../../../shared/slash/skill-fields.ts'
import { skillText } from '../definitions/skill-text.ts'
import type { LoadedSkill, SkillSource } from '../ports/definitions.ts'
import type { FileSystem } from '../ports/files.ts'
import type { Policy } from '../ports/ports.ts'
import {
  type ListedDescription,
  type Tool,
  type ToolContext,
  type ToolOutcome,
  toolError,
} from '../ports/tool.ts'

/** Limits what every agent's context holds about skills. */
const MOST_SKILLS = 100
const LONGEST_USE = 500

const schema = z
  .object({
    skill: z.string().trim().min(1).describe('The skill’s name, as listed.'),
    args: z.string().optional().describe('Arguments for the skill, where it takes some.'),
  })
  .strict()

type Input = z.infer<typeof schema>

interface SkillToolDeps extends SkillActions {
  readonly skills: SkillSource
  readonly files: Pick<FileSystem, 'realPath'>
  readonly policy: Pick<Policy, 'trusted'>
}

export interface SkillActions {
  /** Starts an agent that carries out the text, and waits for its report. A failure is an outcome that says why. */
  runSkill(
    skill: Pick<LoadedSkill, 'name' | 'source' | 'folder' | 'allowedTools'>,
    task: { readonly text: string; readonly agent: string; readonly model: string | null },
    context: ToolContext,
  ): Promise<ToolOutcome>
  /** Whether the user's last message to the agent runs this skill. */
  ranByUser(skill: string, agentId: string): boolean
  /** Lets the rest of the agent's turn use another model. */
  switchModel(model: string, agentId: string): void
}

export function createSkillTool(deps: SkillToolDeps): Tool<Input> {
  return {
    name: 'Skill',
    aliases: [],
    description: describeSkillTool([]).description,
    offers: {
      noun: 'skill',
      use: 'load them with Skill',
      needsEntries: true,
      describe: ({ skills }) => describeSkillTool(skills.filter(isListed)),
    },
    schema,
    kind: 'other',
    icon: 'skill',
    fieldAliases: { command: 'skill', name: 'skill' },
    ignoredFields: 'all',
    concurrent: true,
    // A skill may start an agent, and the call must be on disk before.
    sideEffects: () => true,
    summary: ({ skill }) => skill,
    target: async ({ skill }) => ({ kind: 'none', subject: skill }),
    run: (input, context) => loadSkill(input, context, deps),
  }
}

/** A skill that only the user runs is listed by its name, if an agent of its own carries it out: the call starts it. */
const isListed = ({ isOnlyForUser, fork }: SkillInfo): boolean => !isOnlyForUser || fork !== undefined

const aboutSkill = ({ name, description, isOnlyForUser }: SkillInfo): string =>
  isOnlyForUser ? `only when the user runs /${name}` : description

/** The tool's description, with the list of these skills. */
export function describeSkillTool(skills: readonly SkillInfo[]): ListedDescription {
  if (skills.length === 0)
    return {
      description: 'Loads a skill: instructions for one kind of work. No skills are available.',
      entries: {},
    }
  const shown = skills.slice(0, MOST_SKILLS)
  const rest = skills.length - shown.length
  const entries = Object.fromEntries(
    shown.map((skill) => [skill.name, listEntry(skill.name, clip(aboutSkill(skill)))]),
  )
  const more = rest === 0 ? '' : `\nAnd ${rest} more, which can be loaded by name.`
  const description = `Loads a skill: instructions for one kind of work, with a folder of files. Load a skill before work that it covers, then follow it. Some skills are carried out by an agent of their own: the result is then its report.

Available skills:
${Object.values(entries).join('\n')}${more}`
  return { description, entries }
}

async function loadSkill(
  { skill: name, args }: Input,
  context: ToolContext,
  deps: SkillToolDeps,
): Promise<ToolOutcome> {
  const { session } = context
  const options = { trusted: deps.policy.trusted(session.project) }
  const skill = await deps.skills.load(session.project, name, options)
  if (skill === null) return toolError(await unknownSkillText(name, session.project, deps), 'no such skill')
  if (skill.isOnlyForUser && !deps.ranByUser(skill.name, context.agentId))
    return toolError(
      `Only the user runs the skill ${skill.name}, by typing "/${skill.name}" (disable-model-invocation). Work without it, or say that it would help.`,
      'only for the user',
    )
  const text = skillText({ ...skill, body: bodyOf(skill, args) })
  if (skill.fork !== undefined) return deps.runSkill(skill, { text, ...skill.fork }, context)
  const folder = await deps.files.realPath(skill.folder)
  if (folder.ok) session.readFolders.add(folder.value)
  if (skill.model !== undefined) deps.switchModel(skill.model, context.agentId)
  return { isError: false, content: text, note: countOf(skill.body.trim().split('\n').length, 'line') }
}

/** The text with its arguments. */
function bodyOf({ body, folder }: LoadedSkill, args = ''): string {
  return expandBody(withSkillFolder(body, folder), args.trim(), { isSkill: true })
    .map((part) =>
      // Its own calls are decided by the rules that hold for the agent.
      part.kind === 'command' ? `[Run this with Bash, and read its output here: ${part.command}]` : part.text,
    )
    .join('')
}

async function unknownSkillText(
  name: string,
  folder: string,
  { skills, policy }: SkillToolDeps,
): Promise<string> {
  const names = (await skills.list(folder, { trusted: policy.trusted(folder) }))
    .filter(({ isOnlyForUser }) => !isOnlyForUser)
    .map((skill) => skill.name)
  if (names.length === 0)
    return `There is no skill ${name}, and no other skill is available. Continue without one.`
  const [nearest] = similarNames(name, names, 1)
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  return `There is no skill ${name}.${meant} Available: ${names.slice(0, MOST_SKILLS).join(', ')}.`
}

function clip(text: string): string {
  return text.length <= LONGEST_USE ? text : `${text.slice(0, LONGEST_USE).trimEnd()} …`
}
