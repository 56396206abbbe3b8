/** The SendMessage tool: a message to another agent. It becomes part of the agent's next turn, or resumes the agent. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts'

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
        'The agent’s name or id. "leader" or "main": the main agent; "parent": the agent that started you; "*": all members of your team and its leader.',
      ),
    message: z
      .string()
      .trim()
      .min(1)
      .max(LARGEST_SENT_MESSAGE)
      .describe('What the agent must know or do. It does not see your conversation.'),
    summary: z.string().optional().describe('The message in a few words, for the user.'),
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
    description: `Sends a message to another agent of this conversation.
A running agent receives your message with its next turn. An agent that has ended is resumed in the background with your message as its prompt; its report goes to the agent that started it. In a conversation with a team, an unknown name is an error with the names there are; elsewhere the message is kept in the mailbox of that name until such an agent starts.
The result says what happened. It contains no reply: a subagent that you started reports to you; any other agent answers only if it can send messages.
A message to "*" also resumes every idle member, which costs each of them a request: send it only for what all must know now.
Use it to correct an agent, to pass on what you found, or to ask an agent that already knows the subject for more.`,
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
