/** Carries out SendMessage calls in a conversation with teams: names, `leader`, and `*`. */
import type { Conversation } from '../conversation/conversation.ts'
import type { MessageRelay } from '../ports/runtime.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import { framed, ONE_REPORT, sendMessage } from '../run/send-message.ts'
import type { SendMessageCall } from '../tools/send-message.ts'
import { workingTeams } from './end-team.ts'

export async function sendToTeam(
  conversation: Conversation,
  call: SendMessageCall,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { agents, file } = conversation
  const to = call.to.trim()
  const teams = workingTeams(conversation)
  const { agentId: sender } = context
  if (to === '*' || /^all$/i.test(to)) return sendToAll(conversation, call, context)
  if (/^leader$/i.test(to))
    return sendMessage(conversation, { ...call, to: file.record.mainAgentId }, context)
  const isKnown = agents.find(to) !== null || /^(?:main|parent)$/i.test(to)
  const isMember = agents.state(sender)?.teamId !== null
  if (!isKnown && (teams.length > 0 || isMember))
    return toolError(
      /^user$/i.test(to)
        ? `You can't write to the user. ${agents.isMain(sender) ? 'Say it in your answer.' : 'Write to "leader", which talks to the user.'}`
        : `Not sent: there is no agent "${to}". ${namesText(conversation, sender)}`,
      'unknown name',
    )
  return sendMessage(conversation, call, context)
}

/** The members of the sender's teams and their leader, without the sender. */
function receiversOf(conversation: Conversation, sender: string): readonly string[] {
  const teams = workingTeams(conversation).filter(
    ({ leaderId, members }) => leaderId === sender || members.some(({ agentId }) => agentId === sender),
  )
  const ids = teams.flatMap(({ leaderId, members }) => [leaderId, ...members.map(({ agentId }) => agentId)])
  return [...new Set(ids)].filter((id) => id !== sender)
}

async function sendToAll(
  conversation: Conversation,
  call: SendMessageCall,
  context: ToolContext,
): Promise<ToolOutcome> {
  const receivers = receiversOf(conversation, context.agentId)
  if (receivers.length === 0)
    return toolError(
      `Nothing was sent. ${workingTeams(conversation).length === 0 ? 'There is no team here to write to.' : 'You are in no team that works, or it has no other members.'} Name one agent, by its id or its name.`,
      'no team',
    )
  const { file, ports } = conversation
  const broadcast = ports.ids.next('m')
  const lines: string[] = []
  let sent = 0
  for (const to of receivers) {
    const one = await sendMessage(conversation, { ...call, to, broadcast }, context)
    if (!one.isError) sent++
    else file.emit({ type: 'message-refused', broadcast, agentId: to, reason: reasonOf(one) })
    lines.push(`- ${nameOf(conversation, to)}: ${one.isError ? `not sent. ${one.content}` : one.note}`)
  }
  if (sent < receivers.length) await file.save()
  return {
    isError: sent === 0,
    note: `to ${sent} of ${receivers.length}`,
    content: `Sent to ${sent} of ${receivers.length}. "queued": it comes with the receiver's next turn. "resumed": the receiver was idle and works on it now.\n${lines.join('\n')}`,
  }
}

/** Why an agent did not get its copy, for the user. */
const reasonOf = ({ note, content }: ToolOutcome): string =>
  note === ONE_REPORT ? ONE_REPORT_REASON : String(content)

/** Why the user and other agents can't write to an agent that gives one report and has given it. */
export const ONE_REPORT_REASON = 'It has given its one report and takes no more messages.'

const nameOf = ({ agents }: Conversation, id: string): string =>
  agents.isMain(id) ? 'leader' : (agents.state(id)?.name ?? id)

function namesText(conversation: Conversation, sender: string): string {
  const names = conversation.agents
    .states()
    .filter(({ id, definition, endedAt }) => id !== sender && !(definition.oneShot && endedAt !== null))
    .map(({ id }) => nameOf(conversation, id))
  return `Names: ${[...names, '* (all)'].join(', ')}.`
}

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
  const broadcast = wanted === '*' ? ids.next('m') : undefined
  for (const to of receivers) {
    // A message to several agents is one message for each.
    const id = to === first ? messageId : ids.next('m')
    const sent = await relay.send({ messageId: id, to, sender, content, broadcast, at: clock.now() })
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
