/** Carries out a subagent of a scene: plays the prepared events, then streams or waits until it is stopped. */
import type { AgentBacking, BackedAgent } from '../../src/main/runtime/ports/agent-backing.ts'
import type { RunEnd } from '../../src/main/runtime/ports/run-end.ts'
import type { PermissionAnswer } from '../../src/shared/agents/contract.ts'
import type { AgentEvent, AgentEventDraft, EventOf } from '../../src/shared/events/agent-event.ts'
import { EVENT_VERSION } from '../../src/shared/events/agent-event.ts'
import { SampleLog } from '../../src/shared/testing/sample-log.ts'
import { PROSE, type Speech } from './speech.ts'

const NAME = 'scene'

/** The part of a scene that an agent plays. */
export interface SceneCues {
  /** The events to play. They are played once. */
  takeHistory(agentId: string): readonly AgentEvent[]
  /** The text that the agent streams after its history, or null. */
  speechOf(agentId: string): Speech | null
  /** Gives the next events this time. */
  setTime(at: number): void
  /** The agent has played its history, or waits for a message in the middle of it. */
  ready(agentId: string): void
  /** How long a step continues before a pause takes effect, in ms. */
  readonly stepMs: number
}

export class SceneAgent implements AgentBacking {
  readonly name = NAME
  readonly attempts = null
  readonly program = null
  readonly job = null
  private readonly agent: BackedAgent
  private readonly cues: SceneCues
  private origin = { epoch: 0, seq: 0 }
  private said = ''
  private timer: ReturnType<typeof setInterval> | undefined
  private messageCame: () => void = () => {}

  constructor(agent: BackedAgent, cues: SceneCues) {
    this.agent = agent
    this.cues = cues
  }

  async start(signal: AbortSignal): Promise<RunEnd> {
    this.origin = this.agent.takeOver()
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const history = this.cues.takeHistory(this.agent.id)
    for (const event of history) {
      if (event.type === 'user-message') await Promise.race([this.takeNextMessage(event), stopped])
      else {
        this.cues.setTime(event.at)
        if (event.type === 'agent-ended') return endOf(event)
        this.add(event)
      }
      if (signal.aborted) return { kind: 'stopped' }
    }
    if (history.length === 0) this.resume()
    this.speak()
    this.cues.ready(this.agent.id)
    await stopped
    clearInterval(this.timer)
    return { kind: 'stopped' }
  }

  async reserve(): Promise<void> {
    // A scene has a slot for everyone.
  }

  changed(): void {
    // What was prepared is played as it is.
  }

  answerForm(): boolean {
    return false
  }

  send(): void {
    this.messageCame()
  }

  pause(paused: boolean): void {
    this.add({ type: 'pause-changed', paused })
    if (paused) setTimeout(() => this.finishStep(), this.cues.stepMs)
    else if (this.agent.state().status === 'paused') {
      this.resume()
      this.speak()
    }
  }

  answer(requestId: string, answer: PermissionAnswer): boolean {
    const request = this.agent.state().requests.find((prompt) => prompt.requestId === requestId)
    if (request === undefined) return false
    this.add({
      type: 'permission-answered',
      requestId,
      toolUseId: request.toolUseId,
      decision: answer.decision,
      feedback: answer.decision === 'deny' ? answer.feedback : null,
      ...(answer.decision === 'allow-always' && { rule: answer.rule ?? request.alwaysRule ?? undefined }),
    })
    if (this.agent.state().requests.length === 0) this.setStatus('running')
    return true
  }

  private resume(): void {
    this.setStatus('running')
    this.agent.takeMessages()
  }

  private async takeNextMessage({ at }: AgentEvent): Promise<void> {
    const came = new Promise<void>((resolve) => {
      this.messageCame = resolve
    })
    this.cues.ready(this.agent.id)
    await came
    this.cues.setTime(at)
    this.agent.takeMessages()
  }

  /** A pause takes effect at the end of a step: the text so far becomes a message. */
  private finishStep(): void {
    const { pauseWanted, status } = this.agent.state()
    if (!pauseWanted || status !== 'running') return
    clearInterval(this.timer)
    this.finishMessage()
    this.setStatus('paused')
  }

  private finishMessage(more: Pick<Parameters<SampleLog['answers']>[1], 'tools'> = {}): void {
    const { id } = this.agent
    if (this.said !== '') {
      const log = new SampleLog()
      log.spawn(id)
      log.reachTurn(id, this.agent.state().turn + 1)
      log.answers(id, { text: this.said, ...more })
      for (const event of log.events.slice(1)) this.add(event)
    }
    this.said = ''
    this.agent.live({ type: 'live-clear', agentId: id, reason: 'finished' })
  }

  /** Streams at a steady pace while the agent runs. */
  private speak(): void {
    const speech = this.cues.speechOf(this.agent.id)
    if (speech === null || this.agent.state().status !== 'running') return
    if (speech.once !== undefined) {
      this.say(speech.once)
      return
    }
    let before = performance.now()
    let position = -speech.delay
    this.timer = setInterval(() => {
      const now = performance.now()
      position += ((now - before) / 1000) * speech.charactersPerSecond
      before = now
      this.say(PROSE.slice(this.said.length, Math.max(0, Math.floor(position))))
      if (position < PROSE.length) return
      if (!speech.endless) clearInterval(this.timer)
      else {
        this.finishMessage({ tools: [{ tool: 'Read', summary: 'src/payments/charge.ts', note: '88 lines' }] })
        position = 0
      }
    }, 16)
  }

  private say(append: string): void {
    if (append === '') return
    this.said += append
    this.agent.live({ type: 'live-block', agentId: this.agent.id, index: 0, kind: 'text', name: '', append })
  }

  private setStatus(status: EventOf<'status-changed'>['status']): void {
    this.add({ type: 'status-changed', status, waitingFor: null })
  }

  private add(draft: AgentEventDraft): void {
    const { id } = this.agent
    const event = { ...draft, v: EVENT_VERSION, agentId: id, seq: this.origin.seq, order: 0, at: 0 }
    const added = this.agent.ingest({ agentId: id, backing: NAME, epoch: this.origin.epoch }, event)
    if (!added.ok) throw new Error(added.failure.message)
    this.origin = { ...this.origin, seq: this.origin.seq + 1 }
  }
}

function endOf({ status, report, failure, reachedLimit, limitOf }: EventOf<'agent-ended'>): RunEnd {
  if (status === 'failed') return { kind: 'failed', type: 'overloaded', message: failure?.message ?? '' }
  if (status === 'stopped') return { kind: 'stopped' }
  const limit =
    reachedLimit === null || limitOf === null
      ? null
      : { kind: reachedLimit, of: limitOf, description: '', isRefusal: false }
  return { kind: 'answered', text: report, reachedLimit: limit }
}
