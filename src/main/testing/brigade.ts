/** A director for many agents: the main agent starts all at once, and each appends a line to a file in every turn. */
import type { Director, ScriptedReply, ScriptedRequest } from '../features/rehearsal/director.ts'

interface Brigade {
  readonly agents: number
  /** The turns of each agent, including its report. */
  readonly turns: number
  /** The command of a turn. `name` is the agent's; `turn` counts from 1. */
  command(name: string, turn: number): string
}

/** `a7-3`: the line that agent 7 appends in its third turn. */
export const effectOf = (name: string, turn: number): string => `${name}-${turn}`

export function createBrigade({ agents, turns, command }: Brigade): Director {
  return {
    reply: async (request): Promise<ScriptedReply> => {
      const name = /You are agent (\w+)\./.exec(firstText(request))?.[1]
      const said = request.messages.filter((message) => message.role === 'assistant').length
      if (name === undefined) return main(request)
      if (said >= turns - 1 || request.toolChoice === 'none')
        return { blocks: [{ type: 'text', text: `Agent ${name} is done.` }] }
      return {
        blocks: [
          { type: 'text', text: `Turn ${said + 1}.` },
          { type: 'tool_use', name: 'Bash', input: { command: command(name, said + 1) } },
        ],
      }
    },
  }

  function main(request: ScriptedRequest): ScriptedReply {
    const started = request.messages.some(
      (message) => message.role === 'assistant' && message.content.some((block) => block.type === 'tool_use'),
    )
    if (started) return { blocks: [{ type: 'text', text: 'All have reported.' }] }
    return {
      blocks: Array.from({ length: agents }, (_, index) => ({
        type: 'tool_use' as const,
        name: 'Agent',
        input: { description: `brigade ${index}`, prompt: `You are agent a${index}. Append, turn by turn.` },
      })),
    }
  }
}

function firstText(request: ScriptedRequest): string {
  const [first] = request.messages
  return (first?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}
