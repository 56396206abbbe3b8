/** What an external agent gets to read: instructions, messages, and a former dialogue as text. */
import type { ContentBlock } from '@agentclientprotocol/sdk'
import type { UserBlock } from '../../../../shared/messages/content.ts'
import { promptOf, textBlock } from '../../../platform/acp/content.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import type { ModelMessage } from '../../../runtime/ports/model.ts'

/** Characters of the former dialogue. Its end counts most. */
const LONGEST_RECAP = 60_000

type Reader = Pick<BackedAgent, 'messages' | 'system'>

/** For a session that knows the agent's dialogue: what the agent was told since its last answer. */
export function nextPrompt(agent: Reader, takesImages: boolean): readonly ContentBlock[] {
  const last = agent.messages().at(-1)
  const blocks = last?.role === 'user' ? promptOf(toldIn(last), takesImages) : []
  return blocks.length > 0 ? blocks : [textBlock('Continue.')]
}

/** For a new session: the agent's instructions, its former dialogue as text, and what it was told since. */
export function firstPrompt(agent: Reader, takesImages: boolean): readonly ContentBlock[] {
  const instructions = agent.system.trim()
  const recap = recapOf(agent.messages())
  return [
    ...(instructions === '' ? [] : [textBlock(instructions)]),
    ...(recap === null ? [] : [textBlock(recap)]),
    ...(recap === null
      ? promptOf(agent.messages().flatMap(toldIn), takesImages)
      : nextPrompt(agent, takesImages)),
  ]
}

/** Whether the agent has answered before, so that a new session lacks something. */
export const hasHistory = (agent: Reader): boolean => recapOf(agent.messages()) !== null

/** The dialogue before the last message to the agent; null: it never answered. */
function recapOf(messages: readonly ModelMessage[]): string | null {
  const before = messages.at(-1)?.role === 'user' ? messages.slice(0, -1) : messages
  if (!before.some(({ role }) => role === 'assistant')) return null
  const said = before.flatMap((message) => {
    const text = textsOf(message)
    if (text === '') return []
    return [`${message.role === 'user' ? 'They wrote' : 'You wrote'}:\n${text}`]
  })
  const whole = said.join('\n\n')
  const shown =
    whole.length > LONGEST_RECAP ? `[The beginning was left out.]\n…${whole.slice(-LONGEST_RECAP)}` : whole
  return `You worked on this before, in a session that can’t be continued. Your dialogue so far follows, without the results of your tool calls. The state of the files may differ from it, so check what you rely on. Then do what the last message asks.\n\n<former_dialogue>\n${shown}\n</former_dialogue>`
}

function textsOf({ content }: ModelMessage): string {
  return content
    .flatMap((block): readonly string[] => {
      if (block.type === 'text') return [block.text]
      if (block.type === 'image') return ['[An image.]']
      return block.type === 'tool_use' ? [`[You called ${block.name}.]`] : []
    })
    .join('\n')
    .trim()
}

const toldIn = ({ role, content }: ModelMessage): readonly UserBlock[] =>
  role === 'user'
    ? content.filter((block): block is UserBlock => block.type === 'text' || block.type === 'image')
    : []
