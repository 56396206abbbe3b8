/** Words for agents: from the user, and from one agent to another. They wait on the disk until they are read. */
import { isLive } from '../../../shared/agent-state.ts'
import { textOf, type UserBlock } from '../../../shared/content.ts'
import type { QueuedWords } from '../../../shared/conversation.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import type { SendMessageCall } from '../tools/send-message.ts'
import { type Conversation, noSuchAgent } from './conversation.ts'
import type { LiveAgent } from './live-agent.ts'
import { startMain, startSubagent } from './run-agents.ts'
import { narrowMode } from './start-agent.ts'
import { titleFrom } from './title-from.ts'

export type Said = Pick<QueuedWords, 'agentId' | 'from' | 'sender'> & {
  readonly content: readonly UserBlock[]
}

/**
 * A busy agent hears it in its next turn; one that rests, has ended or is about to, starts on it. `signal`: of the
 * agent that says it, which brings nobody back once it is stopped.
 */
export async function say(
  conversation: Conversation,
  said: Said,
  signal?: AbortSignal,
): Promise<Result<{ messageId: string; queued: boolean }>> {
  const { record, queue } = conversation
  if (conversation.state(said.agentId) === null) return fail(noSuchAgent)
  const agent = conversation.agents.get(said.agentId)
  const busy = agent?.run != null && !agent.isGoing
  const words = { ...said, content: [...said.content], messageId: conversation.ids.next('m') }
  queue.add(words)
  const isTitled = record.named || record.title !== '' || said.from !== 'user'
  const title = isTitled ? {} : { title: titleFrom(said.content) }
  const saved = await conversation.save({ ...title, updatedAt: conversation.clock.now() })
  const heard = saved.ok ? await startOn(conversation, words, signal) : saved
  if (!heard.ok) {
    if (queue.remove(words.messageId) && saved.ok) void conversation.save({})
    return heard
  }
  await resumeThoseWithWords(conversation)
  return ok({ messageId: words.messageId, queued: busy })
}

/** Whom they are for starts on these words, unless it works and comes to them by itself. */
async function startOn(
  conversation: Conversation,
  words: QueuedWords,
  signal?: AbortSignal,
): Promise<Result<void>> {
  if (!conversation.queue.has(words.messageId) || conversation.isClosing) return ok(undefined)
  const found = await conversation.withAgent(words.agentId, (agent) => {
    if (agent.isGoing) {
      const again = () => startOn(conversation, words, signal)
      void agent.run?.then(again, again)
    } else if (agent.run === null && conversation.queue.has(words.messageId)) {
      if (signal?.aborted) return fail({ type: 'stopped', message: 'Stopped before the message was sent.' })
      startSpokenTo(conversation, agent, { inBackground: words.from === 'agent' })
    }
    return ok(undefined)
  })
  return found.ok ? found.value : found
}

/** `inBackground`: its end is told. Else it goes on for a person, and whoever started it had its report. */
function startSpokenTo(
  conversation: Conversation,
  agent: LiveAgent,
  { inBackground }: { readonly inBackground: boolean },
): void {
  const { main } = conversation
  if (agent === main) {
    startMain(conversation, agent)
    return
  }
  if (main) narrowMode(agent, main.permissionMode())
  if (inBackground) agent.emit({ type: 'moved-to-background', by: 'call', bubbles: true })
  void startSubagent(conversation, agent)
}

/** Words that were on their way when the program died: whom they are for goes on with them. */
async function resumeThoseWithWords(conversation: Conversation): Promise<void> {
  const { leftWords, queue } = conversation
  const ids = [...leftWords]
  leftWords.clear()
  for (const id of ids) {
    const state = conversation.ended.get(id)
    if (!queue.hasFor(id) || (state?.status !== 'completed' && state?.status !== 'interrupted')) continue
    await conversation.withAgent(id, (agent) => {
      if (agent.run === null && !conversation.isClosing)
        startSpokenTo(conversation, agent, { inBackground: state.background === 'no' })
    })
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
  { agentId: sender, signal }: ToolContext,
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
  const content = [{ type: 'text' as const, text: framed(conversation, sender, message) }]
  const words = { agentId: receiver.id, from: 'agent' as const, sender, content }
  const said = await say(conversation, words, signal)
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
