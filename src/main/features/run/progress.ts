/** Progress on standard error: one live line per agent on a terminal, plain lines elsewhere. */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import {
  type ConversationEventOf,
  isConversationEvent,
  type LoggedEvent,
} from '../../../shared/events/conversation-event.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { emptyConversation, foldConversation } from '../../../shared/state/conversation-state.ts'
import { untilText } from '../../../shared/state/limit-wait.ts'
import { phases } from '../../../shared/teams/team.ts'

export interface ProgressOutput {
  readonly isTTY: boolean
  /** The current size of the terminal. */
  size(): { readonly columns: number; readonly rows: number }
  write(text: string): void
  /** Moves the cursor up and erases everything below it. */
  moveUp(lines: number): void
}

export interface Progress {
  show(event: LoggedEvent): void
  /** Keeps the last lines; later output starts below them. */
  end(): void
}

export function createProgress(output: ProgressOutput): Progress {
  return output.isTTY ? liveLines(output) : plainLines(output)
}

// ---- Terminal ----

function liveLines(output: ProgressOutput): Progress {
  let conversation = emptyConversation
  /** The line of the current phase. */
  let phase: string | null = null
  let drawn = 0
  const draw = () => {
    const { columns, rows } = output.size()
    const head = phase === null ? [] : [phase]
    const agents = shownOf([...conversation.agents.values()], Math.max(3, rows - 2 - head.length))
    const lines = [...head, ...agents].map((line) => clipped(line, columns - 1))
    if (drawn > 0) output.moveUp(drawn)
    output.write(lines.map((line) => `${line}\n`).join(''))
    drawn = lines.length
  }
  return {
    show: (event) => {
      if (event.type === 'phase-changed') phase = phaseText(event)
      else if (!isConversationEvent(event)) conversation = foldConversation(conversation, [event])
      else return
      draw()
    },
    end: () => {
      drawn = 0
    },
  }
}

/** One line per agent. If there are too many, live agents come first, and the last line counts the others. */
function shownOf(states: readonly AgentState[], rows: number): readonly string[] {
  if (states.length <= rows) return states.map(lineOf)
  const byNeed = new Set([...states.slice(0, 1), ...states.filter(isLive), ...states])
  const chosen = new Set([...byNeed].slice(0, rows - 1))
  const shown = states.filter((state) => chosen.has(state))
  return [...shown.map(lineOf), `  … and ${states.length - shown.length} more`]
}

const MARKS: Readonly<Record<AgentState['status'], string>> = {
  queued: '·',
  running: '●',
  waiting: '○',
  paused: '○',
  completed: '✓',
  failed: '✗',
  stopped: '■',
  interrupted: '■',
}

function lineOf(state: AgentState): string {
  const indent = '  '.repeat(state.depth)
  const name = state.parentId === null ? 'main' : state.definition.name
  const mark = state.parentId === null && state.waitingFor === 'message' ? '✓' : MARKS[state.status]
  const doing =
    state.failure?.message ??
    (state.action?.running ? `${state.action.tool} ${state.action.summary}` : state.lastLine)
  const figures = `${state.turns} ${state.turns === 1 ? 'turn' : 'turns'}, ${state.countedTokens} tokens`
  return `${indent}${mark} ${oneLine(`${name} ${state.task}  ${figures}  ${doing}`)}`
}

/** Characters two columns wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u

/** Cuts a line to the width of the terminal: a wrapped line could not be redrawn. */
function clipped(line: string, columns: number): string {
  let used = 0
  let shown = ''
  for (const character of line) {
    used += WIDE.test(character) ? 2 : 1
    if (used > columns) return shown
    shown += character
  }
  return shown
}

// ---- Plain output ----

function plainLines(output: ProgressOutput): Progress {
  const names = new Map<string, string>()
  return {
    show: (event) => {
      if (event.type === 'phase-changed') output.write(`${phaseText(event)}\n`)
      if (event.type === 'work-verified') output.write(`${verdictText(event)}\n`)
      if (isConversationEvent(event)) return
      if (event.type === 'agent-spawned')
        names.set(
          event.agentId,
          event.parentId === null ? 'main' : `${event.definition.name} (${event.task})`,
        )
      const text = eventText(event)
      if (text !== null) output.write(`${oneLine(`${names.get(event.agentId) ?? event.agentId}: ${text}`)}\n`)
    },
    end: () => {},
  }
}

/** A longer wait is a usage limit, in ms. */
const LONGEST_RETRY_MS = 61_000

/** The line for an event; null for an event without one. */
function eventText(event: AgentEvent): string | null {
  switch (event.type) {
    case 'agent-spawned':
      return event.parentId === null ? null : 'started'
    case 'tool-started':
      return `${event.name} ${event.summary}`
    case 'request-failed':
      if (event.retryAt === null) return event.failure.message
      return event.retryAt - event.at > LONGEST_RETRY_MS
        ? `${event.failure.message} Rate limited until ${untilText(event.retryAt, event.at)}.`
        : `${event.failure.message}; retrying`
    case 'notice':
      return event.text
    case 'permission-answered':
      return event.decision === 'deny' ? `denied: ${event.feedback ?? ''}` : null
    case 'agent-ended':
      return event.failure ? `${event.status}: ${event.failure.message}` : event.status
    default:
      return null
  }
}

/** "Phase 2 of 4, synthesis: Divide the work." */
function verdictText({
  verdict,
  summary,
}: Pick<ConversationEventOf<'work-verified'>, 'verdict' | 'summary'>): string {
  return oneLine(`Verification ${verdict}${summary === '' ? '' : `: ${summary}`}`)
}

function phaseText({ phase, note }: Pick<ConversationEventOf<'phase-changed'>, 'phase' | 'note'>): string {
  const text = `Phase ${phases.indexOf(phase) + 1} of ${phases.length}, ${phase}`
  return oneLine(note === '' ? text : `${text}: ${note}`)
}

const oneLine = (text: string): string => makeVisible(text.replace(/\s+/g, ' ').trim())
