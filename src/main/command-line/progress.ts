/** Progress on standard error: one live line per agent on a terminal, plain lines elsewhere. */
import type { AgentEvent } from '../../shared/agent-event.ts'
import { type AgentState, foldAgent, totalTokens } from '../../shared/agent-state.ts'
import { makeVisible } from '../../shared/visible-text.ts'

export interface ProgressOutput {
  readonly isTTY: boolean
  readonly columns: number
  write(text: string): void
}

export interface Progress {
  show(event: AgentEvent): void
  /** Leaves the last lines standing. */
  end(): void
}

export function createProgress(output: ProgressOutput): Progress {
  return output.isTTY ? liveLines(output) : plainLines(output)
}

function liveLines(output: ProgressOutput): Progress {
  const agents = new Map<string, AgentState>()
  let drawn = 0
  const draw = () => {
    const lines = [...agents.values()].map((state) =>
      lineOf(state).slice(0, Math.max(20, output.columns - 1)),
    )
    const up = drawn > 0 ? `\u001b[${drawn}A` : ''
    output.write(`${up}${lines.map((line) => `\u001b[2K${line}\n`).join('')}`)
    drawn = lines.length
  }
  return {
    show: (event) => {
      const state = foldAgent(agents.get(event.agentId) ?? null, event)
      if (state) agents.set(event.agentId, state)
      draw()
    },
    end: draw,
  }
}

function plainLines(output: ProgressOutput): Progress {
  const names = new Map<string, string>()
  const say = (event: AgentEvent, text: string) =>
    output.write(`${names.get(event.agentId) ?? event.agentId}: ${oneLine(text)}\n`)
  return {
    show: (event) => {
      switch (event.type) {
        case 'agent-spawned':
          names.set(
            event.agentId,
            event.parentId === null ? 'main' : `${event.definition.name} (${event.task})`,
          )
          if (event.parentId !== null) say(event, 'started')
          return
        case 'tool-started':
          say(event, `${event.name} ${event.summary}`)
          return
        case 'request-failed':
          say(
            event,
            event.retryAt === null ? event.failure.message : `${event.failure.message}; trying again`,
          )
          return
        case 'notice':
          say(event, event.text)
          return
        case 'permission-answered':
          if (event.decision === 'deny') say(event, `not allowed: ${event.words ?? ''}`)
          return
        case 'agent-ended':
          say(event, event.failure ? `${event.status}: ${event.failure.message}` : event.status)
          return
        default:
          return
      }
    },
    end: () => {},
  }
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
  const doing =
    state.failure?.message ??
    (state.action?.running ? `${state.action.tool} ${state.action.summary}` : state.lastLine)
  return oneLine(
    `${indent}${MARKS[state.status]} ${name} ${state.task}  ${state.turn} turns ${totalTokens(state.usage)} tokens  ${doing}`,
  )
}

const oneLine = (text: string): string => makeVisible(text.replace(/\s+/g, ' ').trim())
