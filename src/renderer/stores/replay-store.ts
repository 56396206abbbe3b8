/**
 * The replay of the shown conversation: what the window shows of it is the fold of its events up to a moment. The main process
 * answers with a state or with the events since the last one; the shared folds do the rest. Nothing that acts on the
 * conversation can be done meanwhile.
 */
import { create } from 'zustand'
import type { CommandName } from '../../shared/ipc/ipc-contract.ts'
import { indexAt, type Timeline } from '../../shared/timeline/timeline.ts'
import { command, guardCommands } from '../bridge.ts'
import { DelayedCall, elapsedMs, holdClock } from '../ui/machine.ts'
import { showPast, showPresent, useConversation } from './conversation-store.ts'
import { showFailure } from './overlay-store.ts'
import { playTranscripts, showPastTranscripts } from './transcript-store.ts'

/** How many ms of the past pass in one. */
export const SPEEDS = [1, 4, 16] as const
export type Speed = (typeof SPEEDS)[number]

interface ReplayState {
  /** The moment, ms since the epoch; null: the present is shown. */
  readonly at: number | null
  readonly isPlaying: boolean
  readonly speed: Speed
}

export const useReplay = create<ReplayState>()(() => ({ at: null, isPlaying: false, speed: 4 }))

/** From one step of a playing replay to the next, in ms. */
const STEP = 100
/** A longer time in which nothing happens is skipped, in ms of the past. */
const LONGEST_REST = 60_000

class Replay {
  private timeline: Timeline
  private readonly conversationId: string
  private readonly stops: (() => void)[]
  private readonly tick = new DelayedCall(() => this.step(), STEP)
  /** The order of the state on the screen; null: none yet. */
  private shown: number | null = null
  private isSeeking = false
  private lastStep = 0
  private isOver = false

  constructor(conversationId: string, timeline: Timeline) {
    this.conversationId = conversationId
    this.timeline = timeline
    this.stops = [
      guardCommands((name, input) => this.refusal(name, input)),
      // Another conversation, or the present one again.
      useConversation.subscribe((now) => {
        if (now.conversationId !== conversationId || (this.shown !== null && now.pastAt === null)) this.end()
      }),
    ]
  }

  isOf(conversationId: string | null): boolean {
    return !this.isOver && this.conversationId === conversationId
  }

  /** Shows a moment. Moments that come while one is loading are skipped, except the last. */
  async seek(at: number): Promise<void> {
    const { from, to } = this.timeline
    useReplay.setState({ at: Math.max(from, Math.min(at, to)) })
    if (this.isSeeking) return
    this.isSeeking = true
    try {
      for (;;) {
        const { at: wanted } = useReplay.getState()
        if (wanted === null || this.isOver) return
        const order = this.timeline.orders[Math.max(0, indexAt(this.timeline, wanted))] ?? 0
        if (order !== this.shown && !(await this.show(order, wanted))) return
        if (this.isOver || useReplay.getState().at === wanted) return this.takeTime(wanted)
      }
    } finally {
      this.isSeeking = false
    }
  }

  play(): void {
    const { at } = useReplay.getState()
    // At the end it begins again.
    if (at === null || at >= this.timeline.to) void this.seek(this.timeline.from)
    this.lastStep = elapsedMs()
    useReplay.setState({ isPlaying: true })
    this.tick.schedule()
  }

  pause(): void {
    this.tick.cancel()
    useReplay.setState({ isPlaying: false })
  }

  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.tick.cancel()
    for (const stop of this.stops) stop()
    holdClock(null)
    useReplay.setState({ at: null, isPlaying: false })
  }

  private takeTime(at: number): void {
    if (this.isOver) return
    holdClock(at)
    useConversation.setState({ pastAt: at })
  }

  /** False: it can't be shown, and the replay rests where it is. */
  private async show(order: number, at: number): Promise<boolean> {
    const { conversationId } = this
    const after = this.shown !== null && order > this.shown ? this.shown : null
    const answer = await command('conversation.past', { conversationId, order, after })
    if (this.isOver || useConversation.getState().conversationId !== conversationId) return false
    if (!answer.ok) {
      this.pause()
      showFailure(answer.failure)
      return false
    }
    const past = answer.value
    this.shown = order
    holdClock(at)
    showPast(at, past)
    if (past.snapshot === null) playTranscripts(past.events)
    const { agents } = useConversation.getState()
    if (past.snapshot !== null) showPastTranscripts((agentId) => agents.get(agentId)?.lastSeq ?? null)
    return true
  }

  private step(): void {
    const { at, isPlaying, speed } = useReplay.getState()
    if (!isPlaying || at === null || this.isOver) return
    const now = elapsedMs()
    const passed = now - this.lastStep
    this.lastStep = now
    const next = at + passed * speed
    const { to } = this.timeline
    void this.seek(this.skipRest(at, next))
    if (next >= to) this.pause()
    else this.tick.schedule()
  }

  private skipRest(at: number, next: number): number {
    const following = this.timeline.times[indexAt(this.timeline, at) + 1]
    return following !== undefined && following - at > LONGEST_REST ? following - 1000 : next
  }

  /** Why a command may not run: it would act on the conversation, whose present is not on the screen. */
  private refusal(name: CommandName, input: unknown): string | null {
    const of =
      typeof input === 'object' && input !== null && 'conversationId' in input ? input.conversationId : null
    if (of !== this.conversationId || READING.has(name)) return null
    return 'You see a past moment of this conversation. Go back to now first.'
  }
}

/** The commands that only read a conversation, name it, or make another one of it. */
const READING: ReadonlySet<CommandName> = new Set<CommandName>([
  'agent.context',
  'agent.toolOutput',
  'agent.transcript',
  'agent.watch',
  'changes.file',
  'changes.history',
  'changes.list',
  'conversation.branch',
  'conversation.mark',
  'conversation.past',
  'conversation.rename',
  'conversation.subscribe',
  'conversation.timeline',
  'conversation.unsubscribe',
  'sharing.cancel',
  'sharing.preview',
  'sharing.progress',
  'system.saveShared',
])

const useRunning = create<{ readonly replay: Replay | null }>()(() => ({ replay: null }))

/** Shows a moment of the shown conversation, ms since the epoch. */
export function replayAt(at: number, timeline: Timeline): void {
  const { conversationId } = useConversation.getState()
  if (conversationId === null) return
  const { replay: known } = useRunning.getState()
  const replay = known?.isOf(conversationId) ? known : new Replay(conversationId, timeline)
  useRunning.setState({ replay })
  void replay.seek(at)
}

/** Plays from the moment on, or pauses. */
export function togglePlay(timeline: Timeline): void {
  const { at, isPlaying } = useReplay.getState()
  if (at === null) replayAt(timeline.from, timeline)
  const { replay } = useRunning.getState()
  if (isPlaying) replay?.pause()
  else replay?.play()
}

export function pauseReplay(): void {
  useRunning.getState().replay?.pause()
}

export function setSpeed(speed: Speed): void {
  useReplay.setState({ speed })
}

/** Shows the present again. */
export async function leaveReplay(): Promise<void> {
  useRunning.getState().replay?.end()
  showPastTranscripts(null)
  await showPresent()
}

/** Why nothing can be done with the shown conversation, for the user. Only for one that is read-only. */
export function useReadOnlyReason(): string {
  const isPast = useConversation((state) => state.pastAt !== null)
  return isPast
    ? 'You see a past moment of this conversation. Go back to now to continue it.'
    : 'Another program runs this conversation. It can be read here, not continued.'
}

/** Why a question of an agent can't be answered here, for the user. Only in a conversation that is read-only. */
export function useNoAnswerReason(): string {
  const isPast = useConversation((state) => state.pastAt !== null)
  return isPast
    ? 'You see a past moment of this conversation. Go back to now to answer.'
    : 'This conversation is open in another program. Answer there.'
}
