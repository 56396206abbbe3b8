/** A worker's terminal: the transcript of its agent as text, and a line to write to the agent or to answer it. */
import { createInterface } from 'node:readline'
import type { PermissionAnswer } from '../../../../shared/agents/contract.ts'
import type { AgentEvent, EventOf } from '../../../../shared/events/agent-event.ts'
import { type FormAnswer, formAction } from '../../../../shared/forms/form.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import { textOf } from '../../../../shared/messages/text-of.ts'
import type { TextOutput } from '../../../platform/command-line/terminal.ts'
import { formInTerminal, typedFormAnswer } from '../../run/form-in-terminal.ts'

/** The agent that the terminal reaches. */
interface TerminalAgent {
  message(text: string): void
  /** False: the request is no longer open. */
  answer(requestId: string, answer: PermissionAnswer): boolean
  /** False: the form is no longer open. */
  answerForm(formId: string, answer: FormAnswer): boolean
}

export interface WorkerTerminal {
  show(event: AgentEvent): void
  /** Null: the agent has no run. */
  reach(agent: TerminalAgent | null): void
  close(): void
}

export function createWorkerTerminal({
  input,
  output,
  whenIdle,
}: {
  /** Null: nobody can type here, so nothing is asked. */
  readonly input: NodeJS.ReadableStream | null
  readonly output: TextOutput
  /** Sends a message to the agent while it has no run. */
  readonly whenIdle: (text: string) => void
}): WorkerTerminal {
  const requests: (EventOf<'permission-asked'> | EventOf<'form-opened'>)[] = []
  let reached: TerminalAgent | null = null
  const lines = input && createInterface({ input, terminal: false })
  lines?.on('line', (line) => {
    const text = line.trim()
    if (text === '') return
    if (reached === null) return whenIdle(text)
    const [request] = requests
    if (request === undefined) return reached.message(text)
    if (request.type === 'form-opened') {
      const answer = typedFormAnswer(request.form, text)
      if (typeof answer === 'string') output.write(`${answer}\n`)
      else reached.answerForm(request.formId, answer)
      return
    }
    const answer = answerOf(text)
    if (answer === null) output.write(`${QUESTION}\n`)
    else reached.answer(request.requestId, answer)
  })
  return {
    show(event) {
      if (event.type === 'permission-asked' || event.type === 'form-opened') requests.push(event)
      if (event.type === 'permission-answered' || event.type === 'form-closed') {
        const at = requests.findIndex((request) => idOf(request) === idOf(event))
        if (at >= 0) requests.splice(at, 1)
      }
      const text = lines === null ? waitingText(event) : textFor(event)
      if (text !== null && text.trim() !== '') output.write(`${text}\n`)
    },
    reach(agent) {
      reached = agent
      requests.length = 0
    },
    close: () => lines?.close(),
  }
}

const idOf = (event: EventOf<'permission-asked' | 'permission-answered' | 'form-opened' | 'form-closed'>) =>
  'formId' in event ? event.formId : event.requestId

const QUESTION = 'Type y to allow it once, a to always allow it, or n with an optional reason to deny it.'

/** Null: the text is no answer. */
export function answerOf(text: string): PermissionAnswer | null {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(text.trim()) ?? []
  if (/^(?:y|yes)$/i.test(word) && rest === '') return { decision: 'allow-once' }
  if (/^(?:a|always)$/i.test(word) && rest === '') return { decision: 'allow-always' }
  if (/^(?:n|no)$/i.test(word)) return { decision: 'deny', feedback: rest === '' ? null : rest }
  return null
}

/** The same without a question where nobody can answer: what waits is answered in the window. */
function waitingText(event: AgentEvent): string | null {
  if (event.type === 'permission-asked')
    return `? It waits for an answer in Troupe’s window, because it wants to ${event.subject.action}:\n${indented(event.subject.text)}`
  return event.type === 'form-opened'
    ? `? It waits for an answer in Troupe’s window, because it ${formAction(event.form)}.`
    : textFor(event)
}

/** The text for an event; null for an event without one. */
function textFor(event: AgentEvent): string | null {
  switch (event.type) {
    case 'user-message':
      return event.from === 'runtime' && event.note !== undefined
        ? `- ${event.note}`
        : `> ${indented(textOf(event.content))}`
    case 'assistant-message':
      return textOf(event.content)
    case 'tool-started':
      return `● ${oneLine(`${event.name} ${event.summary}`)}`
    case 'tool-ended':
      return event.isError || event.note !== ''
        ? `  ${event.isError ? '✗ ' : ''}${oneLine(event.note)}`
        : null
    case 'permission-asked':
      return `? It wants to ${event.subject.action}:\n${indented(event.subject.text)}\n${event.because}\n${QUESTION}`
    case 'permission-answered':
      return `  ${event.decision}`
    case 'form-opened':
      return indented(formInTerminal(event.form))
    case 'form-closed':
      return `  ${event.answer.action}`
    case 'request-failed':
      return `- ${oneLine(event.failure.message)}${event.retryAt === null ? '' : ' Retrying.'}`
    case 'notice':
      return `- ${oneLine(event.text)}`
    case 'agent-ended':
      return `■ ${event.failure ? `${event.status}: ${oneLine(event.failure.message)}` : event.status}`
    default:
      return null
  }
}

const indented = (text: string): string => text.trimEnd().replaceAll('\n', '\n  ')

const oneLine = (text: string): string => makeVisible(text.replace(/\s+/g, ' ').trim())
