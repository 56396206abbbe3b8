/** What agents of a session ask the user, asked in the editor: permissions, plans and other forms. */

import type { PermissionOption, RequestPermissionOutcome, ToolCall } from '@agentclientprotocol/sdk'
import type { PermissionAnswer } from '../../../shared/agents/contract.ts'
import type { EventOf } from '../../../shared/events/agent-event.ts'
import type { LoginMethod } from '../../../shared/external-agents/external-agent.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import { editorForm, editorFormAnswer } from '../../platform/acp/forms.ts'
import {
  askedCall,
  PLAN_OPTIONS,
  permissionAnswer,
  permissionOptions,
  planAnswer,
} from '../../platform/acp/permissions.ts'
import { textContent } from '../../platform/acp/tool-calls.ts'
import { refusalFor } from '../run/answer-unattended.ts'
import type { AnyUpdate } from './child-sessions.ts'
import type { Editor, EditorContext } from './editor-context.ts'
import type { SessionUpdates } from './session-updates.ts'

/** The session in which an agent is shown. */
export interface EditorPlace {
  readonly sessionId: string
  readonly updates: SessionUpdates
  /** The agent's name, if the session is another agent's. */
  readonly who: string | null
}

interface EditorQuestionsOptions {
  readonly conversationId: string
  readonly runtime: EditorContext['runtime']
  readonly editor: Editor
  readonly placeOf: (agentId: string) => EditorPlace
}

/** The id of an agent's open question for a login. */
export const loginQuestionId = (agentId: string): string => `login ${agentId}`

export class EditorQuestions {
  /** The questions that the editor has open, by request or form. */
  private readonly asking = new Map<string, AbortController>()
  private readonly options: EditorQuestionsOptions

  constructor(options: EditorQuestionsOptions) {
    this.options = options
  }

  /** Takes all questions back. */
  withdrawAll(): void {
    for (const asked of this.asking.values()) asked.abort()
  }

  /** The request or form was answered elsewhere, or its agent ended. */
  withdraw(id: string): void {
    this.asking.get(id)?.abort()
  }

  async ask(event: EventOf<'permission-asked'>): Promise<void> {
    const { conversationId, runtime, editor } = this.options
    const { agentId, requestId } = event
    const { sessionId, updates, who } = this.options.placeOf(agentId)
    const toolCall = askedCall(updates.callId(agentId, event.toolUseId), event, who)
    this.show(sessionId, updates.begin(toolCall))
    const answer = await this.question<PermissionAnswer>(requestId, async (until) => {
      const outcome = await editor.askPermission(
        { sessionId, toolCall, options: permissionOptions(event) },
        until,
      )
      return permissionAnswer(outcome, event)
    })
    const given = answer ?? { decision: 'deny', unattended: true, feedback: refusalFor(event) }
    // The request may have been answered meanwhile: by a rule, or by the end of its agent.
    await runtime.dispatch({ type: 'agent.answer', conversationId, agentId, requestId, answer: given })
  }

  /** A form that the editor can't show is canceled, and the user reads that there was one. */
  async askForm(event: EventOf<'form-opened'>): Promise<void> {
    const { conversationId, runtime, editor } = this.options
    const { agentId, formId } = event
    const { sessionId, updates } = this.options.placeOf(agentId)
    const answer = event.form.kind === 'plan' ? await this.askPlan(event) : await this.askFields(event)
    if (answer === null && event.form.kind !== 'plan')
      editor.notify(
        sessionId,
        updates.note(
          'The agent wanted to ask you with a form, which this editor can’t show. It continues without the answer; write to it what it should know.',
        ),
      )
    await runtime.dispatch({
      type: 'agent.answerForm',
      conversationId,
      agentId,
      formId,
      answer: answer ?? { action: 'cancel', reason: 'unattended' },
    })
  }

  /** Asks for the login that an external agent waits for, until it works. Without one the agent is stopped. */
  async askLogin(event: EventOf<'program-login'>): Promise<void> {
    const { conversationId, runtime, editor } = this.options
    const { agentId } = event
    const options = loginOptions(event)
    // The run fails by itself, and says why.
    if (options.length === 0) return
    const { sessionId, updates } = this.options.placeOf(agentId)
    let failed: string | null = null
    for (;;) {
      const toolCall = loginCall(`login-${agentId}-${event.seq}`, event, failed)
      this.show(sessionId, updates.begin(toolCall))
      const asked = await this.question(loginQuestionId(agentId), async (until) => {
        const outcome = await editor.askPermission({ sessionId, toolCall, options }, until)
        return { methodId: chosenLogin(outcome) }
      })
      const ended = (status: 'completed' | 'failed') =>
        this.show(sessionId, updates.end(toolCall.toolCallId, status))
      const now = runtime.state(conversationId, agentId)
      // The user logged in elsewhere, or stopped the agent.
      if (now === null || now.endedAt !== null || now.program?.login === null)
        return ended(now?.program?.login === null ? 'completed' : 'failed')
      const methodId = asked?.methodId ?? null
      if (methodId === null) {
        ended('failed')
        break
      }
      const done = await runtime.dispatch({ type: 'agent.login', conversationId, agentId, methodId })
      if (done.ok) return ended('completed')
      failed = done.failure.message
    }
    editor.notify(sessionId, updates.note(event.message))
    await runtime.dispatch({ type: 'agent.stop', conversationId, agentId })
  }

  private async askPlan({
    agentId,
    formId,
    toolUseId,
    form,
  }: EventOf<'form-opened'>): Promise<FormAnswer | null> {
    if (form.kind !== 'plan') return null
    const { sessionId, updates } = this.options.placeOf(agentId)
    const toolCall = {
      toolCallId: updates.callId(agentId, toolUseId),
      title: 'A plan for you to approve',
      kind: 'switch_mode' as const,
      status: 'pending' as const,
      content: [textContent(form.plan)],
    }
    this.show(sessionId, updates.begin(toolCall))
    return this.question<FormAnswer>(formId, async (until) => {
      const request = { sessionId, toolCall, options: PLAN_OPTIONS }
      return planAnswer(await this.options.editor.askPermission(request, until), form.plan)
    })
  }

  private async askFields({
    agentId,
    formId,
    toolUseId,
    form,
  }: EventOf<'form-opened'>): Promise<FormAnswer | null> {
    const { editor } = this.options
    const { sessionId, updates } = this.options.placeOf(agentId)
    const toolCallId = updates.callId(agentId, toolUseId)
    const call = updates.isOpen(toolCallId) ? { toolCallId } : {}
    const request = editorForm(form, editor.can().forms, { sessionId, ...call, formId })
    if (request === null) return null
    return this.question<FormAnswer>(formId, async (until) =>
      editorFormAnswer(await editor.askForm(request, until), form),
    )
  }

  private show(sessionId: string, updates: readonly AnyUpdate[]): void {
    for (const update of updates) this.options.editor.notify(sessionId, update)
  }

  /** Null: the editor could not ask, or the question is void. */
  private async question<T>(key: string, ask: (until: AbortSignal) => Promise<T>): Promise<T | null> {
    const until = new AbortController()
    this.asking.set(key, until)
    try {
      return await ask(until.signal)
    } catch {
      return null
    } finally {
      this.asking.delete(key)
    }
  }
}

type LoginWanted = EventOf<'program-login'>

const METHOD = 'login:'

/** The ways to log in while the program runs, as options. Empty: there is none, and nothing to ask. */
function loginOptions({ methods }: LoginWanted): PermissionOption[] {
  const ways = methods.filter(({ kind }) => kind !== 'environment')
  if (ways.length === 0) return []
  return [
    ...ways.map((method) => ({
      optionId: `${METHOD}${method.id}`,
      name: method.kind === 'terminal' ? `I have logged in: ${method.name}` : method.name,
      kind: 'allow_once' as const,
    })),
    { optionId: 'not-now', name: 'Not now', kind: 'reject_once' },
  ]
}

/** @param failed why the last attempt failed; null: it is the first one */
function loginCall(id: string, { program, methods }: LoginWanted, failed: string | null): ToolCall {
  const lines = methods.flatMap(lineOf)
  return {
    toolCallId: id,
    title: `${program.title} needs a login`,
    kind: 'other',
    status: 'pending',
    content: [...(failed === null ? [] : [textContent(failed)]), ...lines.map(textContent)],
  }
}

/** The id of the chosen method; null: the user does not want to log in. */
function chosenLogin(outcome: RequestPermissionOutcome): string | null {
  return outcome.outcome === 'selected' && outcome.optionId.startsWith(METHOD)
    ? outcome.optionId.slice(METHOD.length)
    : null
}

function lineOf({ name, description, kind, command, variables }: LoginMethod): readonly string[] {
  const about = description === '' ? name : `${name} (${description})`
  if (kind === 'terminal')
    return [`${about}: run this in a terminal, then say that you have logged in.\n\n    ${command ?? ''}`]
  if (kind === 'environment') return [`${about}: set ${variables.join(', ')} in the environment of Troupe.`]
  return [about]
}
