/** The SendMessage tool: words for another agent. They become part of its next turn, or bring it back to work. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts'

const schema = z
  .object({
    to: z.string().trim().min(1).max(100).describe('The agent: its id, or the name it was given.'),
    message: z
      .string()
      .trim()
      .min(1)
      .max(100_000)
      .describe('What it is to know or to do. It sees nothing else of what you know.'),
    summary: z.string().optional().describe('The same in a few words, for the user.'),
  })
  .strict()

export type SendMessageCall = z.infer<typeof schema>

export interface SendMessageDeps {
  /** Resolves when the message can no longer be lost. */
  send(call: SendMessageCall, context: ToolContext): Promise<ToolOutcome>
}

export function createSendMessageTool(deps: SendMessageDeps): Tool<SendMessageCall> {
  return {
    name: 'SendMessage',
    aliases: [],
    description: `Writes to another agent of this conversation.
An agent that works gets your message with its next turn. One that has ended is resumed, with your message as its prompt, and works in the background: you are told of its end. For a name that is not known here the message is kept in that agent's mailbox until it starts.
The answer says which of the three happened. It does not bring a reply: whoever has something to say to you writes to you, or reports.
Use it to correct an agent's course, to hand it what you found meanwhile, or to ask one that already knows the matter for more.`,
    schema,
    fieldAliases: { recipient: 'to', content: 'message' },
    concurrent: false,
    sideEffects: () => true,
    summary: ({ to, message, summary }) => `${to}: ${firstLine(summary ?? message)}`,
    target: async ({ to }) => ({ kind: 'none', subject: to }),
    run: (call, context) => deps.send(call, context),
  }
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`
}
