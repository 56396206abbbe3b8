/**
 * Tool calls, and the commands that continue in the background: how they change an agent's state, and how the
 * transcript shows them.
 */
import type { AgentState, EventOf } from './agent-event.ts'
import { type EventParts, newRow } from './event-parts.ts'
import { withKept } from './messages.ts'
import { type RowChange, type ToolRow, toolKey } from './transcript-row.ts'

export const toolCallStart = {
  action: null,
  commands: [],
  todos: [],
  changed: { added: 0, removed: 0 },
  work: null,
} satisfies Partial<AgentState>

export const toolCallParts: EventParts<
  'tool-started' | 'tool-ended' | 'files-changed' | 'command-started' | 'command-ended' | 'work-saved'
> = {
  'tool-started': {
    fold: (_, { name, summary }) => ({ action: { tool: name, summary, running: true } }),
    rows: ({ toolUseId, row, summary, at, confinement }) =>
      changed(toolUseId, {
        ...{ call: row, summary, status: 'running', startedAt: at },
        ...(confinement && { confinement }),
      }),
  },
  'tool-ended': {
    fold: (state, event) => ({
      ...actionEnded(state),
      ...(event.display?.kind === 'todos' && { todos: event.display.todos }),
      kept: withKept(state.kept, event),
    }),
    rows({ toolUseId, isError, note, content, display, outputFile, durationMs }) {
      const status = isError ? 'failed' : 'done'
      return changed(toolUseId, { status, note, content, display, outputFile, durationMs })
    },
  },
  'files-changed': { fold: withChanged, rows: changedFiles },
  // The panel lists the commands that run.
  'command-started': {
    fold(state, { commandId, toolUseId, command, description, at }) {
      const started = { commandId, toolUseId, command, description, startedAt: at }
      return { commands: [...state.commands, started] }
    },
  },
  'command-ended': {
    fold: (state, event) => ({
      commands: state.commands.filter(({ commandId }) => commandId !== event.commandId),
    }),
  },
  'work-saved': {
    fold: (_, { work }) => ({ work }),
    rows: (event) => [newRow(event, 'work', { kind: 'work', work: event.work })],
  },
}

/** What the user changed between the calls is not the agent's. */
function withChanged(
  { changed: before }: AgentState,
  { cause, files }: EventOf<'files-changed'>,
): Pick<AgentState, 'changed'> {
  const own = cause === 'user' ? [] : files
  const sum = (side: 'added' | 'removed') =>
    own.reduce((total, file) => total + (file[side] ?? 0), before[side])
  return { changed: { added: sum('added'), removed: sum('removed') } }
}

/** The tool no longer runs. */
export function actionEnded({ action }: AgentState): Partial<AgentState> {
  return action === null ? {} : { action: { ...action, running: false } }
}

function changed(toolUseId: string, change: Partial<ToolRow>): readonly RowChange[] {
  return [{ op: 'change', key: toolKey(toolUseId), with: change }]
}

/** The row of Write or Edit shows its change anyway. */
function changedFiles({ toolUseId, cause, files }: EventOf<'files-changed'>): readonly RowChange[] {
  const told = cause === 'command' ? files.filter(({ kept }) => kept !== 'ignored') : []
  const [first] = told
  if (first === undefined) return []
  const sum = (side: 'added' | 'removed') => told.reduce((total, file) => total + (file[side] ?? 0), 0)
  const amounts = { files: told.length, added: sum('added'), removed: sum('removed'), path: first.path }
  return changed(toolUseId, { changed: amounts })
}
