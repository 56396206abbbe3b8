/** The ExitPlanMode tool: shows the plan to the user, whose approval ends plan mode. */
import { z } from 'zod'
import type { PermissionMode } from '../../../shared/permissions/permission-modes.ts'
import { type Tool, type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'

const schema = z
  .object({
    plan: z
      .string()
      .trim()
      .min(1)
      .max(50_000)
      .describe('The whole plan as markdown: steps, files, how the result is checked.'),
  })
  .strict()

type Input = z.infer<typeof schema>

/** The modes in which the user can let the agent continue. */
type ModeAfterPlan = 'default' | 'acceptEdits'

export interface ExitPlanModeDeps {
  permissionModeOf(agentId: string): PermissionMode
  /** Changes the mode of the conversation. */
  leavePlanMode(mode: ModeAfterPlan): void
}

export function createExitPlanModeTool(deps: ExitPlanModeDeps): Tool<Input> {
  return {
    name: 'ExitPlanMode',
    aliases: ['exit_plan_mode'],
    description:
      'In plan mode: shows your finished plan to the user, whose approval ends plan mode. Ask open questions first.',
    schema,
    kind: 'plan',
    icon: 'book',
    label: 'Plan',
    concurrent: false,
    sideEffects: () => false,
    summary: ({ plan }) => firstLine(plan),
    target: async () => ({ kind: 'none' }),
    run: (input, context) => present(input, context, deps),
  }
}

async function present({ plan }: Input, context: ToolContext, deps: ExitPlanModeDeps): Promise<ToolOutcome> {
  const { agentId, askForm } = context
  const current = deps.permissionModeOf(agentId)
  if (current !== 'plan')
    return toolError(
      `You are not in plan mode (mode: ${current}), so no approval is needed. Continue with the work.`,
      'not in plan mode',
    )
  const answer = await askForm({ kind: 'plan', plan })
  if (answer.action === 'decline')
    return {
      isError: false,
      note: 'keep planning',
      content: `The user wants you to keep planning: the plan is not approved, and you are still in plan mode. ${answer.feedback === null ? 'No reason was given: ask what should change.' : `The user wrote: ${answer.feedback}`}`,
    }
  if (answer.action === 'cancel')
    return answer.reason === 'unattended'
      ? toolError(
          'The plan was not shown: no user can approve it here, so you stay in plan mode. Make the plan your report.',
          'no user',
        )
      : toolError('The plan was closed without a decision. You are still in plan mode.', 'no decision')
  const { mode, plan: returned } = answer.values
  const next: ModeAfterPlan = mode === 'acceptEdits' ? 'acceptEdits' : 'default'
  // The user may have left plan mode in the window meanwhile, for a wider mode.
  if (deps.permissionModeOf(agentId) === 'plan') deps.leavePlanMode(next)
  const edited = typeof returned === 'string' && returned.trim() !== '' ? returned.trim() : plan
  return {
    isError: false,
    note: edited === plan ? 'approved' : 'approved, edited',
    content: `${edited === plan ? 'The user approved the plan.' : 'The user edited the plan and approved it.'} Plan mode has ended; your mode is ${deps.permissionModeOf(agentId)} now. Carry out the plan.${edited === plan ? '' : ` It now reads:\n\n${edited}`}`,
  }
}

function firstLine(plan: string): string {
  const [line = ''] = plan.split('\n').filter((each) => each.trim() !== '')
  return line.replace(/^[#>*\-\s]+/, '').trim()
}
