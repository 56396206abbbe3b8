/** The Agent tool: starts a subagent, waits for its end, and returns its report. */
import { z } from 'zod'
import { efforts } from '../../../shared/models/effort.ts'
import { thinkings } from '../../../shared/models/thinking.ts'
import { agentNameRule } from '../../../shared/teams/team.ts'
import { agentEntries, describeAgentTool } from '../definitions/agent-tool-description.ts'
import type { Policy } from '../ports/ports.ts'
import { type Tool, type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'

const schema = z
  .object({
    description: z.string().trim().min(1).optional().describe('Three to five words, for the user.'),
    prompt: z.string().min(1).describe('The whole task, and what to return.'),
    subagent_type: z.string().optional().describe('From the list above.'),
    model: z
      .string()
      .optional()
      .describe('haiku, sonnet, opus, inherit, or a full id; by default its definition decides.'),
    effort: z
      .enum(efforts)
      .optional()
      .describe('How much it thinks; by default as its definition says, else as you.'),
    thinking: z.enum(thinkings).optional().describe('By default as effort.'),
    max_turns: z.number().int().min(1).optional().describe('Where lower than its definition’s.'),
    resume: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe('The id of an agent that has ended: it continues with all it knows and this prompt.'),
    run_in_background: z.boolean().optional().describe('You continue at once; a notice brings the report.'),
    isolation: z
      .literal('worktree')
      .optional()
      .describe('It works in its own git worktree, on a branch that can be merged later.'),
    name: z
      .string()
      .regex(agentNameRule.pattern, agentNameRule.rule)
      .optional()
      .describe('For messages and resume, beside the id.'),
    team_name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe('It becomes a member of this team. Needs a name.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export type AgentCall = Input & {
  readonly description: string
  /** Set if the agent carries out a skill: the rules that allow it something, and the folder that it may read. */
  readonly skill?: { readonly allowed: readonly string[]; readonly folder: string }
}

/** Fields that are of use to a main agent only: to a leader, and to whom the user says which models to use. */
const FOR_MAIN = ['model', 'effort', 'thinking', 'max_turns', 'name', 'team_name']

export interface AgentToolDeps {
  /** Runs the agent to its end. A failed agent is an outcome that says how far it got. */
  startAgent(call: AgentCall, context: ToolContext): Promise<ToolOutcome>
  /** The type of the agent that the call starts or resumes; empty if there is none. */
  agentType(call: Pick<AgentCall, 'subagent_type' | 'resume'>, context: ToolContext): Promise<string>
  readonly policy: Pick<Policy, 'forkSubagents'>
}

export function createAgentTool(deps: AgentToolDeps): Tool<Input> {
  return {
    name: 'Agent',
    aliases: ['Task'],
    description: describeAgentTool({}),
    offers: {
      noun: 'agent',
      use: 'start them with Agent',
      describe: ({ isMain, definitions, toolNamesOf }) => {
        const entries = agentEntries(definitions, toolNamesOf, { isMain })
        const description = describeAgentTool(entries, { forks: deps.policy.forkSubagents, isMain })
        return { description, entries, ...(!isMain && { hidden: FOR_MAIN }) }
      },
    },
    schema,
    kind: 'agent',
    icon: 'tool',
    keepsOutputWhole: true,
    fieldAliases: { agentType: 'subagent_type', background: 'run_in_background' },
    concurrent: true,
    // The call must be on disk before the agent starts.
    sideEffects: () => true,
    summary: (call) => `${call.resume ?? call.subagent_type ?? defaultType(deps)}: ${describedBy(call)}`,
    target: async (call, context) => ({ kind: 'none', subject: await deps.agentType(call, context) }),
    run: async (call, context) => {
      const wrong = wrongForResume(call)
      if (wrong !== null) return toolError(wrong, 'bad input')
      return await deps.startAgent({ ...call, description: describedBy(call) }, context)
    },
  }
}

/** The description, by default the first words of the prompt. */
export function describedBy({ description, prompt }: Pick<Input, 'description' | 'prompt'>): string {
  if (description !== undefined) return description
  const words = prompt.trim().split(/\s+/)
  return words.length <= 6 ? words.join(' ') : `${words.slice(0, 6).join(' ')} …`
}

/** A resumed agent keeps its original settings. */
function wrongForResume({
  resume,
  model,
  effort,
  thinking,
  max_turns,
  isolation,
  name,
  team_name,
}: Input): string | null {
  if (resume === undefined) return null
  const given = Object.entries({ model, effort, thinking, max_turns, isolation, name, team_name }).filter(
    ([, value]) => value !== undefined,
  )
  if (given.length === 0) return null
  const names = given.map(([field]) => field).join(', ')
  return `The agent was not resumed: a resumed agent keeps what it was started with, so resume can't be combined with ${names}. Call again without, or start a new agent.`
}

const defaultType = ({ policy }: AgentToolDeps): string => (policy.forkSubagents ? 'fork' : 'general-purpose')
