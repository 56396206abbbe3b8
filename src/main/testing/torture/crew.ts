/**
 * The script of the torture: a main agent starts its agents in one message, each of them writes files and
 * appends to `effects.txt`, one line a command that no other command appends. Told to go on, the main agent
 * resumes the agents it is told of. Like a good model, nobody here does again what was cut off.
 */
import type {
  Director,
  ScriptedBlock,
  ScriptedReply,
  ScriptedRequest,
} from '../../adapters/rehearsal/director.ts'

/** The task of a run that goes on, and of whose agents. */
export const goOn = (agentIds: readonly string[]): string => `Go on. Resume: ${agentIds.join(' ')}`

/** One request in so many is refused as overloaded, to be made again at once. */
const FAULT_EVERY = 19

export interface Crew extends Director {
  /** What the API was sent: ids of calls and of results. */
  readonly told: { readonly calls: Set<string>; readonly results: Map<string, string> }
}

export function createCrew({ agents, turns }: { readonly agents: number; readonly turns: number }): Crew {
  const told = { calls: new Set<string>(), results: new Map<string, string>() }
  let requests = 0
  return {
    told,
    reply: async (request): Promise<ScriptedReply> => {
      for (const { content } of request.messages)
        for (const block of content) {
          if (block.type === 'tool_use') told.calls.add(block.id)
          if (block.type === 'tool_result') told.results.set(block.toolUseId, block.text)
        }
      const blocks = memberTurn(request, turns) ?? mainTurn(request, agents)
      if (++requests % FAULT_EVERY > 0) return { blocks }
      const fault = { kind: 'status', status: 529, type: 'overloaded_error', message: 'Overloaded' } as const
      return { blocks, fault: { ...fault, retryAfterSeconds: 0 } }
    },
  }
}

function mainTurn(request: ScriptedRequest, agents: number): readonly ScriptedBlock[] {
  const { messages } = request
  const task = messages.findLastIndex((message) => message.role === 'user' && taskIn(message) !== null)
  const resumed = taskIn(messages[task])?.split(' ').filter(Boolean) ?? []
  const isFirst = messages.slice(0, task).every((message) => taskIn(message) === null)
  const before = saidIn(messages)
  switch (saidIn(messages.slice(task))) {
    case 0:
      return [
        append(`main-${before}`),
        ...(isFirst
          ? Array.from({ length: agents }, (_, index) => ({
              description: `member ${index}`,
              prompt: `You are agent a${index}. Append, turn by turn.`,
            }))
          : resumed.map((resume) => ({ description: 'go on', prompt: 'Go on with it.', resume }))
        ).map((input) => call('Agent', input)),
      ]
    case 1:
      return [append(`main-${before}`)]
    default:
      return [{ type: 'text', text: 'All have reported.' }]
  }
}

function memberTurn(request: ScriptedRequest, turns: number): readonly ScriptedBlock[] | null {
  const [first] = request.messages
  const text = (first?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  const name = /You are agent (\w+)\./.exec(text)?.[1]
  if (name === undefined) return null
  const said = saidIn(request.messages)
  if (said >= turns - 1) return [{ type: 'text', text: `Agent ${name} is done.` }]
  const effect = `${name}-${said}`
  if (said % 2 === 0) return [{ type: 'text', text: `Turn ${said}.` }, append(effect)]
  return [
    call('Write', { file_path: `${effect}.txt`, content: `${effect}\n` }),
    append(effect),
    call('Read', { file_path: `${effect}.txt` }),
  ]
}

/** What is said after `Resume:`, empty in a first task; null in a message that is no task. */
function taskIn(message: ScriptedRequest['messages'][0] | undefined): string | null {
  for (const block of message?.content ?? []) {
    const match = block.type === 'text' ? /^Go( on\. Resume: ?(.*))?$/m.exec(block.text) : null
    if (match) return match[2] ?? ''
  }
  return null
}

const saidIn = (messages: ScriptedRequest['messages']): number =>
  messages.filter(({ role }) => role === 'assistant').length

const append = (effect: string): ScriptedBlock => call('Bash', { command: `echo ${effect} >> effects.txt` })

const call = (name: string, input: object): ScriptedBlock => ({ type: 'tool_use', name, input })
