/**
 * The script of the torture: a main agent starts its agents in one message; each writes files and appends unique lines
 * to `effects.txt`, one for each command. When resumed, the main agent resumes the agents it is told about. No agent
 * repeats an interrupted call.
 */
import type {
  Director,
  ScriptedBlock,
  ScriptedReply,
  ScriptedRequest,
} from '../../features/rehearsal/director.ts'

/** The actions of a crew agent in one turn. */
export type Turn = readonly ScriptedBlock[]

export interface CrewScript {
  /** The files of the project folder: path and content. */
  readonly files: Readonly<Record<string, string>>
  /** Whether the folder is a git repository, with those files committed. */
  readonly isRepository: boolean
  /** Inputs of the Agent calls in the main agent's first message. */
  readonly starts: readonly object[]
  /** Whether every second resumed agent continues in the background. */
  readonly resumesBehind: boolean
  /** The main agent's calls after the reports. `said`: the number of its earlier messages. */
  after(said: number): Turn
  /** A turn of an agent, counted from 0; null: the agent reports. */
  turn(name: string, turn: number): Turn | null
}

export interface Crew extends Director {
  readonly files: CrewScript['files']
  readonly isRepository: boolean
  /** The data that the API received: call ids, and the results by call. */
  readonly told: { readonly calls: Set<string>; readonly results: Map<string, Set<string>> }
  /** The number of requests. */
  readonly requests: number
  /** Called at each request, before the answer. */
  onRequest: (() => void) | null
}

/** The task of a resumed run, with the agents to resume. */
export const toBackground = (agentIds: readonly string[]): string => `Go on. Resume: ${agentIds.join(' ')}`

/** One in this many requests is refused as overloaded, for an immediate retry. */
const FAULT_EVERY = 19

export function createCrew(script: CrewScript): Crew {
  const told: Crew['told'] = { calls: new Set(), results: new Map() }
  let requests = 0
  const crew: Crew = {
    files: script.files,
    isRepository: script.isRepository,
    told,
    get requests() {
      return requests
    },
    onRequest: null,
    reply: async (request): Promise<ScriptedReply> => {
      note(request, told)
      crew.onRequest?.()
      const blocks = memberTurn(request, script) ?? mainTurn(request, script)
      if (++requests % FAULT_EVERY > 0) return { blocks }
      const fault = { kind: 'status', status: 529, type: 'overloaded_error', message: 'Overloaded' } as const
      return { blocks, fault: { ...fault, retryAfterSeconds: 0 } }
    },
  }
  return crew
}

export const append = (effect: string): ScriptedBlock =>
  call('Bash', { command: `echo ${effect} >> effects.txt` })

export const call = (name: string, input: object): ScriptedBlock => ({ type: 'tool_use', name, input })

function mainTurn({ messages }: ScriptedRequest, script: CrewScript): Turn {
  const task = messages.findLastIndex((message) => taskIn(message) !== null)
  const resumed = taskIn(messages[task])?.split(' ').filter(Boolean) ?? []
  const isFirst = messages.slice(0, task).every((message) => taskIn(message) === null)
  const said = saidIn(messages)
  switch (saidIn(messages.slice(task))) {
    case 0: {
      const calls = isFirst
        ? script.starts
        : resumed.map((id, index) => resumeCall(id, script.resumesBehind && index % 2 === 1))
      return [append(`main-${said}`), ...calls.map((input) => call('Agent', input))]
    }
    case 1:
      return [append(`main-${said}`), ...script.after(said)]
    default:
      return [{ type: 'text', text: 'All have reported.' }]
  }
}

const resumeCall = (resume: string, behind: boolean): object => ({
  description: 'go on',
  prompt: 'Go on with it.',
  resume,
  ...(behind ? { run_in_background: true } : {}),
})

/** Null for the main agent. */
function memberTurn({ messages }: ScriptedRequest, script: CrewScript): Turn | null {
  const begun = messages.findLastIndex((message) => nameIn(message) !== null)
  const name = nameIn(messages[begun])
  if (name === null) return null
  const turn = saidIn(messages.slice(begun))
  return script.turn(name, turn) ?? [{ type: 'text', text: `Agent ${name} is done.` }]
}

/** The text after `Resume:`; empty in a first task, null in other messages. */
const taskIn = (message: Message | undefined): string | null =>
  matchIn(message, /^Go(?: on\. Resume: ?(.*))?$/m)

const nameIn = (message: Message | undefined): string | null => matchIn(message, /^You are agent (\w+)\./m)

type Message = ScriptedRequest['messages'][0]

function matchIn(message: Message | undefined, pattern: RegExp): string | null {
  if (message?.role !== 'user') return null
  for (const block of message.content) {
    const match = block.type === 'text' ? pattern.exec(block.text) : null
    if (match) return match[1] ?? ''
  }
  return null
}

const saidIn = (messages: ScriptedRequest['messages']): number =>
  messages.filter(({ role }) => role === 'assistant').length

function note({ messages }: ScriptedRequest, told: Crew['told']): void {
  for (const { content } of messages)
    for (const block of content) {
      if (block.type === 'tool_use') told.calls.add(block.id)
      if (block.type !== 'tool_result') continue
      const results = told.results.get(block.toolUseId) ?? new Set()
      told.results.set(block.toolUseId, results.add(block.text))
    }
}
