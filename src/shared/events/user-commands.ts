/** Commands that the user runs in the folder: how they change the state of the main agent, and their rows. */
import type { AgentState, EventOf } from './agent-event.ts'
import { type EventParts, newRow } from './event-parts.ts'
import { type RowChange, toolKey } from './transcript-row.ts'

export const userCommandStart = { userCommands: [] } satisfies Partial<AgentState>

/** Older ones are forgotten: they are not sent any more. */
const MOST = 8

export const userCommandParts: EventParts<
  'user-command-started' | 'user-command-ended' | 'user-command-shared'
> = {
  'user-command-started': {
    fold: ({ userCommands }, { commandId, command, cwd }) => ({
      userCommands: [
        ...userCommands,
        { commandId, command, cwd, sharing: 'next' as const, ended: null },
      ].slice(-MOST),
    }),
    rows: commandRow,
  },
  'user-command-ended': {
    fold: ({ userCommands }, { commandId, exitCode, by, output }) => ({
      userCommands: userCommands.map((one) =>
        one.commandId === commandId ? { ...one, ended: { exitCode, by, output } } : one,
      ),
    }),
    rows: endedRow,
  },
  'user-command-shared': {
    fold: ({ userCommands }, { commandId, sharing }) => ({
      userCommands: userCommands.map((one) => (one.commandId === commandId ? { ...one, sharing } : one)),
    }),
    rows: ({ commandId, sharing }) => [{ op: 'change', key: toolKey(commandId), with: { sharing } }],
  },
}

function commandRow(event: EventOf<'user-command-started'>): readonly RowChange[] {
  const { commandId, command, at } = event
  const { op, row } = newRow(event, 'command', {
    kind: 'tool',
    toolUseId: commandId,
    name: 'Bash',
    call: { kind: 'command', icon: 'terminal', label: 'You ran' },
    input: { command },
    summary: command.trim().replace(/\s+/g, ' '),
    status: 'running',
    note: '',
    content: null,
    display: null,
    outputFile: null,
    startedAt: at,
    durationMs: null,
    sharing: 'next',
  }) as Extract<RowChange, { op: 'add' }>
  return [{ op, row: { ...row, key: toolKey(commandId) } }]
}

function endedRow(event: EventOf<'user-command-ended'>): readonly RowChange[] {
  const { commandId, exitCode, by, output, durationMs, outputFile } = event
  const isStopped = by !== 'exit'
  return [
    {
      op: 'change',
      key: toolKey(commandId),
      with: {
        status: exitCode === 0 && !isStopped ? 'done' : 'failed',
        note: isStopped ? (by === 'lost' ? 'interrupted' : 'stopped') : noteOf(exitCode),
        content: output,
        display: { kind: 'terminal', exitCode, timedOut: false },
        ...{ outputFile, durationMs },
      },
    },
  ]
}

const noteOf = (exitCode: number | null): string =>
  exitCode === null ? 'ended by a signal' : exitCode === 0 ? '' : `exit ${exitCode}`
