/** The commands about one agent. */
import { z } from 'zod'
import type { DefinitionChange } from '../agent-definition/agent-definition.ts'
import { spendLimits } from '../events/agent-event.ts'
import { formAnswer } from '../forms/form-schema.ts'
import { agent, command, id } from '../kernel/command.ts'
import type { ContextReport } from '../state/context-report.ts'
import type { TranscriptPage } from '../transcript/transcript-rows.ts'

/** The answer to a permission request. `choice`: the id of one of the choices that an external agent offers. */
export const requestAnswer = z.discriminatedUnion('decision', [
  z.object({ decision: z.literal('allow-once'), choice: z.string().max(1000).optional() }),
  /** `rule`: one of the offered rules; missing: the narrowest. */
  z.object({ decision: z.literal('allow-always'), rule: z.string().optional() }),
  z.object({
    decision: z.literal('deny'),
    feedback: z.string().max(10_000).nullable(),
    /** There was no user to ask; the feedback says so itself. */
    unattended: z.literal(true).optional(),
    choice: z.string().max(1000).optional(),
  }),
])
export type PermissionAnswer = z.infer<typeof requestAnswer>

export const agentContract = {
  'agent.stop': command<void>()(() => agent),
  /** Pauses the agent before its next request or tool call. A running call finishes. */
  'agent.pause': command<void>()(() => agent),
  /** Continues a paused agent, or resumes one that has ended. */
  'agent.continue': command<void>()(() => agent),
  /** Makes the next attempt of a failed request at once. */
  'agent.retry': command<void>()(() => agent),
  /** The parent continues at once and gets a notice when the agent ends. */
  'agent.toBackground': command<void>()(() => agent),
  /** Limits a subagent together with its own subagents. */
  'agent.setLimits': command<void>()(() => agent.extend({ limits: spendLimits })),
  /** Compares the agent's definition with the file it came from. */
  'agent.definitionChange': command<DefinitionChange>()(() => agent),
  /** Gives an agent that has ended the current definition, for its next run. */
  'agent.renew': command<void>()(() => agent),
  /** Answers a permission request. Fails with `not-found` if it is no longer open. */
  'agent.answer': command<void>()(() => agent.extend({ requestId: id, answer: requestAnswer })),
  /** Answers a form: questions, a plan, the input that an MCP server asks for. */
  'agent.answerForm': command<void>()(() => agent.extend({ formId: id, answer: formAnswer })),
  /** Stops a command in the background. Fails with `ended` if it does not run. */
  'agent.stopCommand': command<void>()(() => agent.extend({ commandId: id })),
  /** Sets a choice that an external agent offers. Fails if it does not offer it. */
  'agent.setProgramOption': command<void>()(() =>
    agent.extend({ optionId: id, value: z.string().min(1).max(1000) }),
  ),
  /** Logs in to an external agent, by one of the methods that it offers. */
  'agent.login': command<void>()(() => agent.extend({ methodId: id })),
  /** A page of a transcript. Also starts the agent's live events for an open panel. */
  'agent.transcript': command<TranscriptPage>()(() =>
    agent.extend({
      before: z.number().int().nonnegative().nullable(),
      limit: z.number().int().min(1).max(2000),
    }),
  ),
  /** Sets the agents whose live events the window draws: open panels and the main agent's conversation. */
  'agent.watch': command<void>()(() => z.object({ conversationId: id, agentIds: z.array(id).max(500) })),
  'agent.toolOutput': command<string>()(() => z.object({ agentId: id, toolUseId: id })),
  /** What fills the next request of an agent. Ask again after an answer: no delta announces changes. */
  'agent.context': command<ContextReport>()(() => agent),
} as const
