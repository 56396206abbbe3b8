/**
 * The script of the soak: a main agent starts more agents than may run at once, and is told of more to do.
 * They read, search, write, run commands, fail, are refused, are overloaded, are stopped, and end.
 */
import type {
  Director,
  ScriptedBlock,
  ScriptedReply,
  ScriptedRequest,
} from '../../src/main/adapters/rehearsal/director.ts'

/** A main agent starts so many agents at once. */
const AGENTS = 16
/** One request in so many is refused, to be made again at once. */
const FAULT_EVERY = 23

export interface BusyDirector extends Director {
  /** Requests answered, refused ones included. */
  readonly requests: number
}

export function createBusyDirector(): BusyDirector {
  let requests = 0
  return {
    get requests() {
      return requests
    },
    reply: async (request): Promise<ScriptedReply> => {
      const number = /You are agent (\d+)\./.exec(firstText(request))?.[1]
      const blocks = number === undefined ? mainTurn(request) : memberTurn(request, Number(number))
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
  if (last?.content.some((block) => block.type === 'tool_result'))
    return [{ type: 'text', text: 'All of them have reported.' }]
  return Array.from({ length: AGENTS }, (_, index) =>
    call('Agent', {
      description: `busy ${index}`,
      prompt: `You are agent ${index}. ${'Work through the folder and say what you found. '.repeat(10)}`,
    }),
  )
}

/** Between 4 and 8 turns; what it does in each depends on both numbers. */
function memberTurn(request: ScriptedRequest, number: number): readonly ScriptedBlock[] {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length
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

function firstText({ messages: [first] }: ScriptedRequest): string {
  return (first?.content ?? []).map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}

const call = (name: string, input: object): ScriptedBlock => ({ type: 'tool_use', name, input })
