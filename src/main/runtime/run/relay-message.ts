/** Carries out a SendMessage call of an agent that runs here for another program, which delivers the message. */

import type { Conversation } from '../conversation/conversation.ts'
import type { MessageRelay } from '../runtime.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import type { SendMessageCall } from '../tools/send-message.ts'
import { framed } from './send-message.ts'

export async function relayMessage(
  conversation: Conversation,
  relay: MessageRelay,
  { call, context }: { readonly call: SendMessageCall; readonly context: ToolContext },
): Promise<ToolOutcome> {
  const sender = context.agentId
  const others = relay.roster.filter(({ agentId }) => agentId !== sender)
  const given = call.to.trim().toLowerCase()
  const wanted = given === 'leader' ? 'main' : given === 'all' ? '*' : given
  const receivers =
    wanted === '*'
      ? [...new Set(others.map(({ agentId }) => agentId))]
      : others
          .filter(({ name, agentId }) => [name.toLowerCase(), agentId.toLowerCase()].includes(wanted))
          .slice(0, 1)
          .map(({ agentId }) => agentId)
  const [first] = receivers
  if (first === undefined) {
    const known = others.map(({ name }) => name).join(', ')
    return toolError(
      `There is no agent ${call.to} to write to. ${known === '' ? 'You can write to nobody.' : `You can write to: ${known}.`}`,
      'unknown agent',
    )
  }
  const { ids, clock } = conversation.ports
  const content = [{ type: 'text' as const, text: framed(conversation, sender, call.message) }]
  const messageId = ids.next('m')
  for (const to of receivers) {
    // A message to several agents is one message for each.
    const id = to === first ? messageId : ids.next('m')
    const sent = await relay.send({ messageId: id, to, sender, content, at: clock.now() })
    if (!sent.ok) return toolError(sent.failure.message, 'not sent')
  }
  const named = receivers.map((id) => others.find(({ agentId }) => agentId === id)?.name ?? id)
  return {
    isError: false,
    note: 'queued',
    display: { kind: 'message', messageId, to: wanted === '*' ? '*' : first, how: 'queued' },
    content: `Your message was sent to ${named.join(', ')}. It becomes part of the receiver’s next turn; the result contains no reply.`,
  }
}
