/** Words for agents: from the user, and from one agent to another. They wait on the disk until they are read. */
import { isLive } from '../../../shared/agent-state.ts'
import { textOf, type UserBlock } from '../../../shared/content.ts'
import type { QueuedWords } from '../../../shared/conversation.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import type { SendMessageCall } from '../tools/send-message.ts'
import type { Conversation } from './conversation.ts'
import type { LiveAgent } from './live-agent.ts'
import { startMain, startSubagent } from './run-agents.ts'
import { titleFrom } from './title-from.ts'

/** A busy agent hears it in its next turn; one that rests, or has ended, starts on it. */
export async function say(
  conversation: Conversation,
  words: Pick<QueuedWords, 'agentId' | 'from' | 'sender'> & { readonly content: readonly UserBlock[] },
): Promise<Result<{ messageId: string; queued: boolean }>> {
  const { record, queue } = conversation
  const revived = await reviveToHear(conversation, words.agentId)
  if (!revived.ok) return revived
  const agent = revived.value
  const messageId = conversation.ids.next('m')
  const busy = agent.run !== null
  queue.add({ ...words, content: [...words.content], messageId })
  const isTitled = record.named || record.title !== '' || words.from !== 'user'
  const title = isTitled ? {} : { title: titleFrom(words.content) }
  const saved = await conversation.save({ ...title, updatedAt: conversation.clock.now() })
  if (!saved.ok) {
    queue.remove(messageId)
    if (agent.run === null && !conversation.isMain(agent.id)) await conversation.putAway(agent)
    return saved
  }
  if (agent.run === null) {
    if (conversation.isMain(agent.id)) startMain(conversation, agent)
    // It goes on because somebody spoke to it; whoever started it had its report.
    else void startSubagent(conversation, agent)
  }
  await resumeThoseWithWords(conversation)
  return ok({ messageId, queued: busy })
}

/** The agent, with nothing to wait for between here and the words: it may be ending. */
async function reviveToHear(conversation: Conversation, agentId: string): Promise<Result<LiveAgent>> {
  for (;;) {
    const revived = await conversation.revive(agentId)
    if (!revived.ok || conversation.agents.get(agentId) === revived.value) return revived
  }
}

/** Words that were on their way when the program died: whom they are for goes on with them. */
async function resumeThoseWithWords(conversation: Conversation): Promise<void> {
  const { ended, queue } = conversation
  const waiting = [...ended.values()].filter(
    ({ id, status }) => queue.hasFor(id) && (status === 'completed' || status === 'interrupted'),
  )
  for (const { id, background } of waiting) {
    const revived = await conversation.revive(id)
    if (!revived.ok || revived.value.run !== null) continue
    if (background === 'no') revived.value.emit({ type: 'moved-to-background', by: 'call', bubbles: true })
    void startSubagent(conversation, revived.value)
  }
}

/** Takes back what no agent has read yet. */
export function unqueue(conversation: Conversation, messageId: string): Result<{ text: string }> {
  const words = conversation.queue.remove(messageId)
  if (!words) return fail({ type: 'not-found', message: 'This message was already read.' })
  void conversation.save({})
  return ok({ text: textOf(words.content) })
}

/** What a SendMessage call does: one of three things, and it says which. */
export async function sendMessage(
  conversation: Conversation,
  { to, message }: SendMessageCall,
  { agentId: sender }: ToolContext,
): Promise<ToolOutcome> {
  if (to === '*')
    return toolError('There is no team here to write to. Name one agent, by its id or its name.', 'no team')
  const receiver = conversation.find(to)
  if (receiver === null) return keepLetter(conversation, { to, message, sender })
  if (receiver.id === sender) return toolError('You wrote to yourself. Nothing was sent.', 'to itself')
  const rests = !isLive(receiver) && !conversation.isMain(receiver.id)
  if (rests && receiver.definition.oneShot)
    return toolError(
      `${receiver.definition.name} (${receiver.id}) has given its one report and cannot be written to. Start a new one, with what it reported in its prompt.`,
      'one report only',
    )
  if (rests) {
    const revived = await conversation.revive(receiver.id)
    if (!revived.ok) return toolError(revived.failure.message, 'not resumed')
    // Nobody waits for it: its end is told like that of any agent in the background.
    if (revived.value.run === null)
      revived.value.emit({ type: 'moved-to-background', by: 'call', bubbles: true })
  }
  const said = await say(conversation, {
    agentId: receiver.id,
    from: 'agent',
    sender,
    content: [{ type: 'text', text: framed(conversation, sender, message) }],
  })
  if (!said.ok) return toolError(said.failure.message, 'not sent')
  const { messageId } = said.value
  const how = rests && !said.value.queued ? 'resumed' : 'queued'
  return {
    isError: false,
    note: how,
    display: { kind: 'message', messageId, to: receiver.id, how },
    content:
      how === 'resumed'
        ? `${receiver.definition.name} (${receiver.id}) had ended and was resumed with your message. It works in the background; you are told of its end.`
        : `Your message becomes part of the next turn of ${receiver.definition.name} (${receiver.id}), which is ${receiver.status}.`,
  }
}

/** Nobody of that name is here: it lies in a mailbox until somebody of that name starts. */
async function keepLetter(
  conversation: Conversation,
  { to, message, sender }: { readonly to: string; readonly message: string; readonly sender: string },
): Promise<ToolOutcome> {
  const messageId = conversation.ids.next('m')
  const kept = await conversation.deps.ports.mailbox.put({
    messageId,
    to,
    sender,
    content: [{ type: 'text', text: framed(conversation, sender, message) }],
    at: conversation.clock.now(),
  })
  if (!kept.ok) return toolError(kept.failure.message, 'not sent')
  const here = conversation
    .states()
    .filter(({ id }) => id !== sender)
    .map(({ id, name, definition }) => `${name ?? id} (${definition.name})`)
  const others = here.length === 0 ? '' : ` In this conversation there are: ${here.join(', ')}.`
  return {
    isError: false,
    note: 'kept in the mailbox',
    display: { kind: 'message', messageId, to, how: 'mailbox' },
    content: `No agent ${to} is known here. Your message is kept in the mailbox of that name, and read when such an agent starts or is resumed.${others}`,
  }
}

function framed(conversation: Conversation, sender: string, message: string): string {
  const state = conversation.state(sender)
  const who = state === null ? sender : `${state.definition.name} (${state.name ?? sender})`
  return `A message from the agent ${who}. An agent wrote this, not the user.\n\n${message}`
}
