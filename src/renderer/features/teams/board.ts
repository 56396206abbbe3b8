/** The columns of the task board. */

import { type AgentState, isLive, needsUser } from '../../../shared/state/agent-state.ts'
import { isReady } from '../../../shared/teams/team.ts'
import type { Team, TeamTask } from '../../../shared/teams/team-schema.ts'

export type ColumnId = 'free' | 'waiting' | 'claimed' | 'done'

export const BOARD_COLUMNS: readonly {
  readonly id: ColumnId
  readonly title: string
  readonly empty: string
}[] = [
  { id: 'free', title: 'Free', empty: 'Tasks that a worker can claim now.' },
  { id: 'waiting', title: 'Waiting for others', empty: 'Tasks that depend on open tasks.' },
  { id: 'claimed', title: 'Claimed', empty: 'Tasks that an agent works on.' },
  { id: 'done', title: 'Done', empty: 'Completed tasks, with who did them.' },
]

export type Board = Readonly<Record<ColumnId, readonly TeamTask[]>> & {
  readonly canceled: readonly TeamTask[]
}

/** The tasks of a team and those of no team; all tasks for null. Done tasks: the last one first. */
export function boardOf(tasks: readonly TeamTask[], team: Team | null): Board {
  const board = {
    free: [] as TeamTask[],
    waiting: [] as TeamTask[],
    claimed: [] as TeamTask[],
    done: [] as TeamTask[],
    canceled: [] as TeamTask[],
  }
  for (const task of tasks) {
    if (team !== null && task.teamId !== null && task.teamId !== team.id) continue
    if (task.status === 'canceled') board.canceled.push(task)
    else if (task.status === 'completed') board.done.push(task)
    else if (task.status === 'in_progress') board.claimed.push(task)
    else (isReady(task, tasks) ? board.free : board.waiting).push(task)
  }
  board.done.sort((one, other) => (other.endedAt ?? 0) - (one.endedAt ?? 0))
  return board
}

/** The task that an arrow key goes to from another one; null: there is none. */
export function neighborTask(board: Board, from: string | null, key: string): string | null {
  const columns = BOARD_COLUMNS.map(({ id }) => board[id])
  const column = columns.findIndex((tasks) => tasks.some(({ id }) => id === from))
  const row = columns[column]?.findIndex(({ id }) => id === from) ?? -1
  const filled = (by: 1 | -1) => {
    for (let at = column + by; at >= 0 && at < columns.length; at += by) {
      const tasks = columns[at]
      if (tasks !== undefined && tasks.length > 0) return tasks[Math.min(row, tasks.length - 1)]?.id ?? null
    }
    return null
  }
  if (column === -1) return columns.find((tasks) => tasks.length > 0)?.[0]?.id ?? null
  const own = columns[column] ?? []
  switch (key) {
    case 'ArrowDown':
      return own[row + 1]?.id ?? null
    case 'ArrowUp':
      return own[row - 1]?.id ?? null
    case 'ArrowRight':
      return filled(1)
    case 'ArrowLeft':
      return filled(-1)
    case 'Home':
      return own[0]?.id ?? null
    case 'End':
      return own.at(-1)?.id ?? null
    default:
      return null
  }
}

/** What will happen to a message, for each receiver, before it is sent. */
export type Fate =
  | 'next-turn'
  | 'after-answer'
  | 'when-continued'
  | 'starts'
  | 'resumes'
  | 'kept'
  | 'one-report'

/** What an agent does with a message, by its state. */
export function fateOf(agent: AgentState): Fate {
  const isUnreachable =
    agent.backing === 'remote' && (agent.workerState === 'silent' || agent.workerState === 'gone')
  if (isLive(agent)) {
    if (isUnreachable) return 'kept'
    if (agent.status === 'paused' || agent.pauseWanted) return 'when-continued'
    return needsUser(agent) ? 'after-answer' : 'next-turn'
  }
  if (agent.parentId === null) return 'starts'
  return agent.definition.oneShot ? 'one-report' : 'resumes'
}

interface Receiver {
  readonly name: string
  readonly fate: Fate
}

const ORDER: readonly Fate[] = [
  'next-turn',
  'starts',
  'after-answer',
  'when-continued',
  'resumes',
  'kept',
  'one-report',
]

/** One sentence, or a few joined with semicolons. */
export function forecast(receivers: readonly Receiver[]): string {
  if (receivers.length === 0) return 'Nobody would receive it.'
  const parts = ORDER.flatMap((fate) => {
    const names = receivers.filter((receiver) => receiver.fate === fate).map(({ name }) => name)
    return names.length === 0 ? [] : [partOf(fate, names)]
  })
  return `${parts.join('; ')}.`
}

function partOf(fate: Fate, names: readonly string[]): string {
  const one = names.length === 1
  const who = names.length <= 3 ? inWords(names) : `${names.length}`
  switch (fate) {
    case 'next-turn':
      return one ? `${who} reads it in its next turn` : `${who} read it in their next turn`
    case 'starts':
      return `${who} ${one ? 'starts' : 'start'} on it now`
    case 'after-answer':
      return one
        ? `${who} reads it after you answer its permission request`
        : `${who} read it after you answer their permission requests`
    case 'when-continued':
      return one
        ? `${who} is paused and reads it when continued`
        : `${who} are paused and read it when continued`
    case 'resumes':
      return one ? `${who} has ended and resumes` : `${who} have ended and resume`
    case 'kept':
      return one
        ? `${who} can’t be reached: kept in its mailbox`
        : `${who} can’t be reached: kept in their mailboxes`
    case 'one-report':
      return `${who} ${one ? 'has' : 'have'} given ${one ? 'its' : 'their'} one report and can’t be written to`
  }
}

function inWords(names: readonly string[]): string {
  if (names.length <= 1) return names[0] ?? ''
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
