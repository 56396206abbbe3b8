/** The SetPhase tool: a coordinator begins a phase of its work. */
import { z } from 'zod'
import { phases } from '../../../shared/teams/team.ts'
import { phase } from '../../../shared/teams/team-schema.ts'
import type { Tool, ToolOutcome } from '../ports/tool.ts'

const LONGEST_NOTE = 300

const schema = z
  .object({
    phase: phase.describe('The phase that begins now. It ends the current one.'),
    note: z
      .string()
      .trim()
      .max(LONGEST_NOTE)
      .optional()
      .describe('Your plan for the phase in one sentence, for the user.'),
  })
  .strict()

export type SetPhaseCall = z.infer<typeof schema>

export interface SetPhaseDeps {
  /** Begins a phase. The outcome says what the phase is for, and what is still open. */
  setPhase(call: SetPhaseCall): Promise<ToolOutcome>
}

export function createSetPhaseTool(deps: SetPhaseDeps): Tool<SetPhaseCall> {
  return {
    name: 'SetPhase',
    aliases: [],
    description: `Begins a phase of your work: ${phases.join(', ')}, in this order. The user sees the phase above the conversation.
A phase can begin once the one before it has begun. You can always go back to an earlier phase, for example to implementation when verification finds a failure.
The result says what the phase is for, and what is still open: agents that work, tasks, branches that are not merged.`,
    schema,
    kind: 'other',
    icon: 'tool',
    label: 'Phase',
    concurrent: false,
    startsPhase: true,
    sideEffects: () => true,
    summary: ({ phase: begun, note = '' }) => (note === '' ? begun : `${begun}: ${note}`),
    target: async () => ({ kind: 'none' }),
    run: (call) => deps.setPhase(call),
  }
}
