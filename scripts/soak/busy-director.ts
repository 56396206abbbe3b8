/**
 * The soak's script: a main agent starts more agents than there are slots and receives further tasks. The agents
 * read, search, write, run commands, fail, are denied, overloaded and stopped, and end.
 */
import type {
  Director,
  ScriptedBlock,
  ScriptedReply,
  ScriptedRequest,
} from '../../src/main/features/rehearsal/director.ts'

/** Number of agents that a main agent starts at once. */
const AGENTS = 16
/** One request in this many is rejected and retried immediately. */
const FAULT_EVERY = 23

export interface BusyDirector extends Director {
  /** Answered requests, including rejected ones. */
  readonly requests: number
}

export function createBusyDirector(): BusyDirector {
  let requests = 0
  return {
    get requests() {
      return requests
    },
    reply: async (request): Promise<ScriptedReply> => {
      const member = memberOf(request)
      const blocks = member === null ? mainTurn(request) : memberTurn(request, member)
      if (++requests % FAULT_EVERY > 0) return { blocks }
      return {
        blocks,
        fault: {
          kind: 'status',
          status: 529,
          type: 'overloaded_error',
          message: 'Overloaded',
          retryAfterSeconds: 0,
        },
      }
    },
  }
}

function mainTurn({ messages }: ScriptedRequest): readonly ScriptedBlock[] {
  const last = messages.at(-1)
  // Results, or a notice from a background agent: nothing to do.
  if (!last?.content.some((block) => block.type === 'text' && /^Task \d+ of/m.test(block.text)))
    return [{ type: 'text', text: 'All agents have reported.' }]
  return Array.from({ length: AGENTS }, (_, index) =>
    call('Agent', {
      description: `busy ${index}`,
      // Every fourth in the background, and one is a fork.
      ...(index % 4 === 3 ? { run_in_background: true } : {}),
      ...(index === 5 ? { subagent_type: 'forker' } : {}),
      prompt: `You are agent ${index}. ${'Work through the folder and report your findings. '.repeat(10)}`,
    }),
  )
}

/** Between 4 and 8 turns; each turn's calls depend on both numbers. */
function memberTurn(
  request: ScriptedRequest,
  { number, turn }: { readonly number: number; readonly turn: number },
): readonly ScriptedBlock[] {
  if (turn >= 4 + (number % 5) || request.toolChoice === 'none')
    return [{ type: 'text', text: `Agent ${number} found ${'a thing and '.repeat(40)}nothing else.` }]
  const file = `notes-${number}.txt`
  const deeds: readonly (readonly ScriptedBlock[])[] = [
    [call('Bash', { command: 'echo one; echo two' }), call('Glob', { pattern: '**/*.txt' })],
    [call('Read', { file_path: 'file.txt' }), call('Grep', { pattern: 'line', path: '.' })],
    [call('Write', { file_path: file, content: `${turn}\n`.repeat(50) }), call('Read', { file_path: file })],
    [call('Bash', { command: 'echo broken >&2; exit 3' }), call('Read', { file_path: 'not-there.txt' })],
    [call('Edit', { file_path: file, old_string: 'never there', new_string: 'x' })],
    [call('Bash', { command: 'seq 1 6000' })],
    [call('TodoWrite', { todos: [{ content: 'Look', status: 'in_progress', activeForm: 'Looking' }] })],
    [call('Bash', { nonsense: true }), call('NoSuchTool', {})],
    // Long enough to be stopped in the middle.
    [call('Bash', { command: 'sleep 0.3' })],
  ]
  return [{ type: 'text', text: `Turn ${turn}.` }, ...(deeds[(number + turn) % deeds.length] ?? [])]
}

/** Parses the agent's number from its prompt, also for a fork; null for the main agent. */
function memberOf({ messages }: ScriptedRequest): { readonly number: number; readonly turn: number } | null {
  for (let at = messages.length - 1; at >= 0; at--)
    for (const block of messages[at]?.content ?? []) {
      const number = block.type === 'text' ? /^You are agent (\d+)\./m.exec(block.text)?.[1] : undefined
      if (number === undefined) continue
      const turn = messages.slice(at).filter(({ role }) => role === 'assistant').length
      return { number: Number(number), turn }
    }
  return null
}

const call = (name: string, input: object): ScriptedBlock => ({ type: 'tool_use', name, input })
