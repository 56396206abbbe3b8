/** One session of an editor: a conversation, with the prompt that runs in it. */
import type { ContentBlock, StopReason } from '@agentclientprotocol/sdk'
import type { AgentEvent, EventOf } from '../../../shared/agent-event.ts'
import type { UserBlock } from '../../../shared/content.ts'
import type { FormAnswer } from '../../../shared/form.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { readSlashLine } from '../../../shared/slash/slash-line.ts'
import type { PermissionAnswer, RuntimeDelta } from '../../runtime/runtime.ts'
import { refusalFor } from '../refusal.ts'
import type { AcpContext, Editor } from './acp-context.ts'
import {
  askedCall,
  PLAN_OPTIONS,
  permissionAnswer,
  permissionOptions,
  planAnswer,
} from './permission-request.ts'
import { promptContent } from './prompt-content.ts'
import { SessionUpdates } from './session-updates.ts'
import { textContent } from './tool-call-update.ts'
import { turnOutcome } from './turn-outcome.ts'

export interface AcpSessionOptions {
  readonly id: string
  readonly mainAgentId: string
  readonly folder: string
}

/** A prompt that runs. */
interface Turn {
  isCancelled: boolean
  readonly abort: AbortController
  readonly done: Promise<unknown>
}

export class AcpSession {
  readonly updates: SessionUpdates
  private turn: Turn | null = null
  private lastStop: string | null = null
  /** The questions that the editor has open, by request or form. */
  private readonly asking = new Map<string, AbortController>()
  private isTrustTold = false
  private title = ''

  readonly options: AcpSessionOptions
  private readonly context: AcpContext
  private readonly editor: Editor

  constructor(options: AcpSessionOptions, context: AcpContext, editor: Editor) {
    this.options = options
    this.context = context
    this.editor = editor
    const { mainAgentId, folder } = options
    this.updates = new SessionUpdates({ mainAgentId, folder, now: context.now })
  }

  /** Follows a change of the conversation. */
  take(delta: Extract<RuntimeDelta, { type: 'event' | 'live' | 'write-failure' | 'conversation' }>): void {
    switch (delta.type) {
      case 'live':
        this.show(this.updates.live(delta.event))
        return
      case 'conversation':
        this.tellTitle(delta.summary.title)
        return
      case 'write-failure':
        this.show([this.updates.note(delta.message)])
        return
      case 'event':
        this.takeEvent(delta.event)
    }
  }

  private takeEvent(event: AgentEvent): void {
    if (event.type === 'assistant-message' && event.agentId === this.options.mainAgentId)
      this.lastStop = event.stopReason
    this.show(this.updates.take(event))
    // The agent waits for the answer only after all subscribers have the request.
    if (event.type === 'permission-asked') queueMicrotask(() => void this.ask(event))
    else if (event.type === 'form-opened') queueMicrotask(() => void this.askForm(event))
    else if (event.type === 'permission-answered') this.asking.get(event.requestId)?.abort()
    else if (event.type === 'form-closed') this.asking.get(event.formId)?.abort()
  }

  /** Carries out a prompt. Fails with `busy`, `unsupported`, or with what failed. */
  async prompt(blocks: readonly ContentBlock[], gone: AbortSignal): Promise<Result<StopReason>> {
    // A prompt after a cancel waits until everything has stopped.
    while (this.turn?.isCancelled) await this.turn.done
    if (this.turn !== null)
      return fail({
        type: 'busy',
        message: 'A prompt is already running in this session. Cancel it, or wait for its end.',
      })
    const content = promptContent(blocks)
    if (!content.ok) return content
    const abort = new AbortController()
    const cancelWith = () => this.cancel()
    gone.addEventListener('abort', cancelWith, { once: true })
    const run = this.run(content.value, abort.signal)
    const turn: Turn = { isCancelled: false, abort, done: run.catch(() => undefined) }
    this.turn = turn
    if (gone.aborted) this.cancel()
    try {
      return await run
    } finally {
      gone.removeEventListener('abort', cancelWith)
      this.turn = null
    }
  }

  /** Stops all agents of the conversation; the prompt that runs ends as cancelled. */
  cancel(): void {
    if (this.turn === null) return
    this.turn.isCancelled = true
    this.turn.abort.abort()
    void this.context.runtime.stopConversation(this.options.id)
  }

  private async run(content: readonly UserBlock[], signal: AbortSignal): Promise<Result<StopReason>> {
    const { runtime } = this.context
    const { id, mainAgentId } = this.options
    this.tellTrust()
    const message = await this.expanded(content, signal)
    if (signal.aborted) return ok('cancelled')
    if (!message.ok) {
      this.show([this.updates.note(message.failure.message)])
      return ok('end_turn')
    }
    this.lastStop = null
    const sent = await runtime.send({ conversationId: id, agentId: null, ...message.value })
    if (!sent.ok) return sent
    if (signal.aborted) await runtime.stopConversation(id)
    const settled = await runtime.settled(id)
    const state = runtime.state(id, mainAgentId) ?? settled
    return turnOutcome({ state, lastStop: this.lastStop, isCancelled: signal.aborted })
  }

  /** The text of a command that the prompt begins with; another prompt as it is. */
  private async expanded(
    content: readonly UserBlock[],
    signal: AbortSignal,
  ): Promise<Result<{ readonly content: readonly UserBlock[]; readonly typed?: string }>> {
    const [first, ...others] = content
    if (first?.type !== 'text' || readSlashLine(first.text) === null) return ok({ content })
    const line = first.text
    const { id, mainAgentId, folder } = this.options
    const agent = { conversationId: id, agentId: mainAgentId }
    const expand = (approved: readonly string[]) =>
      this.context.slash.expand({ folder, line, agent, approved }, signal)
    let expanded = await expand([])
    if (!expanded.ok && expanded.failure.type === 'needs-permission') {
      const commands = expanded.failure.commands ?? []
      const outcome = await this.editor
        .askPermission(
          {
            sessionId: id,
            toolCall: {
              toolCallId: `command-${this.context.now()}`,
              title: `${line} runs commands`,
              kind: 'execute',
              status: 'pending',
              content: [textContent(commands.map((command) => `    ${command}`).join('\n'))],
            },
            options: [
              { optionId: 'allow', name: 'Run them', kind: 'allow_once' },
              { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
            ],
          },
          signal,
        )
        .catch(() => ({ outcome: 'cancelled' as const }))
      if (outcome.outcome === 'selected' && outcome.optionId === 'allow') expanded = await expand(commands)
    }
    if (!expanded.ok) return expanded
    return ok({ content: [{ type: 'text', text: expanded.value.text }, ...others], typed: line })
  }

  private async ask(event: EventOf<'permission-asked'>): Promise<void> {
    const { runtime } = this.context
    const { id, mainAgentId } = this.options
    const { agentId, requestId } = event
    const callId = this.updates.callId(agentId, event.toolUseId)
    this.updates.showCall(callId)
    const who = agentId === mainAgentId ? null : (runtime.state(id, agentId)?.definition.name ?? agentId)
    const answer = await this.question<PermissionAnswer>(requestId, async (until) => {
      const outcome = await this.editor.askPermission(
        { sessionId: id, toolCall: askedCall(callId, event, who), options: permissionOptions(event) },
        until,
      )
      return permissionAnswer(outcome, event)
    })
    const given = answer ?? { decision: 'deny', unattended: true, feedback: refusalFor(event) }
    // The request may have been answered meanwhile: by a rule, or by the end of its agent.
    await runtime.answer({ conversationId: id, agentId, requestId }, given)
  }

  /** A plan is shown as a question of permission; editors have no place for other forms. */
  private async askForm({ agentId, formId, toolUseId, form }: EventOf<'form-opened'>): Promise<void> {
    const { id } = this.options
    const callId = this.updates.callId(agentId, toolUseId)
    const answer =
      form.kind === 'plan'
        ? await this.question<FormAnswer>(formId, async (until) => {
            const toolCall = {
              toolCallId: callId,
              title: 'A plan for you to approve',
              kind: 'switch_mode' as const,
              status: 'pending' as const,
              content: [textContent(form.plan)],
            }
            const outcome = await this.editor.askPermission(
              { sessionId: id, toolCall, options: PLAN_OPTIONS },
              until,
            )
            return planAnswer(outcome, form.plan)
          })
        : null
    if (answer === null && form.kind !== 'plan')
      this.show([
        this.updates.note(
          'The agent wanted to ask you with a form, which this editor can’t show. It goes on without the answer; write to it what it should know.',
        ),
      ])
    await this.context.runtime.answerForm(
      { conversationId: id, agentId, formId },
      answer ?? { action: 'cancel', reason: 'unattended' },
    )
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

  private tellTitle(title: string): void {
    if (title === '' || title === this.title) return
    this.title = title
    this.show([{ sessionUpdate: 'session_info_update', title }])
  }

  private tellTrust(): void {
    const { folder } = this.options
    if (this.isTrustTold || this.context.isTrusted(folder)) return
    this.isTrustTold = true
    this.show([
      this.updates.note(
        `${folder} is not trusted, so agents can only read files in it and cannot run commands. To trust it, run: troupe trust add ${JSON.stringify(folder)}, and start the agent again; or add --trust to the arguments of troupe acp.`,
      ),
    ])
  }

  show(updates: readonly Parameters<Editor['notify']>[1][]): void {
    for (const update of updates) this.editor.notify(this.options.id, update)
  }
}
