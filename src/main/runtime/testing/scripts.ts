/** Scripts that several tests share: a main agent that delegates, and which agent sent a request. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { NO_TOOLS } from '../loop/answer-without-tools.ts'
import type { ModelRequest } from '../ports/model.ts'
import { lastWords, type Script, type Scripted } from './scripted-model.ts'
import type { TestRuntime } from './test-runtime.ts'

export type Call = readonly [name: string, input: unknown]

export const agentCall = (task: string, more: object = {}): Call => [
  'Agent',
  { description: task, prompt: `Do ${task}.`, ...more },
]

/** Recognizes a fork's request by its boundary message. */
export function isFork(request: ModelRequest): boolean {
  return JSON.stringify(request.messages).includes('You are a subagent now')
}

export function isMain(request: ModelRequest): boolean {
  return request.system.includes('You are the main agent.') && !isFork(request)
}

/** Whether the request asks for a report or a summary instead of calls. */
export function wantsText(request: ModelRequest): boolean {
  return lastWords(request).includes(NO_TOOLS)
}

/** The turn of a request, counting from 1. */
export function turnOf(request: ModelRequest): number {
  return 1 + request.messages.filter(({ role }) => role === 'assistant').length
}

/** The main agent's answers by turn (the last one repeats), and the script of all other agents. */
export function script(main: readonly (Scripted | Script)[], child: Script): Script {
  return (request, signal) => {
    if (!isMain(request)) return child(request, signal)
    const said = main[Math.min(turnOf(request), main.length) - 1] ?? { text: `Got: ${lastWords(request)}` }
    return typeof said === 'function' ? said(request, signal) : said
  }
}

export const echo: Script = (request) => ({ text: `Got: ${lastWords(request)}` })

type Spawned = Extract<AgentEvent, { type: 'agent-spawned' }>

export function childrenOf(troupe: Pick<TestRuntime, 'events'>): readonly Spawned[] {
  return troupe.events.filter(
    (event): event is Spawned => event.type === 'agent-spawned' && event.parentId !== null,
  )
}

export function eventsOf(
  troupe: Pick<TestRuntime, 'events'>,
  agentId: string | undefined,
): readonly AgentEvent[] {
  return troupe.events.filter((event) => event.agentId === agentId)
}

/** A promise that a test resolves. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Resolves after every pending promise callback has run. */
export const allIsDone = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
