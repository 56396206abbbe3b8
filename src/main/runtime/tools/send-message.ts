/** The SendMessage tool: a message to another agent. It becomes part of the agent's next turn, or resumes the agent. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../ports/tool.ts'

/** In characters. */
export const LARGEST_SENT_MESSAGE = 100_000

const schema = z
  .object({
    to: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .describe(
        'Its name or id. "leader" or "main": the main agent; "parent": the agent that started you; "*": all members of your team and its leader.',
      ),
    message: z
      .string()
      .trim()
      .min(1)
      .max(LARGEST_SENT_MESSAGE)
      .describe('What it must know or do: it does not see your conversation.'),
    summary: z.string().optional().describe('In a few words, for the user.'),
  })
  .strict()

export type SendMessageCall = z.infer<typeof schema>

export interface SendMessageDeps {
  /** Resolves when the message is stored durably. */
  sendMessage(call: SendMessageCall, context: ToolContext): Promise<ToolOutcome>
}

export function createSendMessageTool(deps: SendMessageDeps): Tool<SendMessageCall> {
  return {
    name: 'SendMessage',
    aliases: [],
    description: `Sends a message to another agent of this conversation: to correct it, to pass on a finding, or to ask one that knows the subject for more. A running agent reads it with its next turn; one that has ended is resumed in the background with it, and reports to the agent that started it. The result says what happened, and is no reply: an agent that you started answers with its report, another only if it can send messages. "*" also resumes every idle member, at the cost of a request each.`,
    schema,
    kind: 'message',
    icon: 'mail',
    fieldAliases: { recipient: 'to', content: 'message' },
    ignoredFields: ['type'],
    concurrent: false,
    sideEffects: () => true,
    summary: ({ to, message, summary }) => `${to}: ${firstLine(summary ?? message)}`,
    target: async ({ to }) => ({ kind: 'none', subject: to }),
    run: (call, context) => deps.sendMessage(call, context),
  }
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`
}
