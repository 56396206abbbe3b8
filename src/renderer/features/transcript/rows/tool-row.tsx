/** A tool call: one line that opens to the input and the output. */
import { memo } from 'react'
import { type ChangedAmounts, isDecided, type ToolRow } from '../../../../shared/events/transcript-row.ts'
import { openChanges, undoCall } from '../../../stores/changes-store.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { useLiveOutput } from '../../../stores/transcript-store.ts'
import { LinkButton } from '../../../ui/button.tsx'
import { ConfinementMark } from '../../../ui/confinement-mark.tsx'
import { useNow } from '../../../ui/machine.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { count, formatDuration } from '../../../ui/text/format.ts'
import { useFold, useSurroundings } from '../surroundings.ts'
import { TerminalText } from '../terminal/terminal-text.tsx'
import { lastLines } from './output-text.tsx'
import { ToolDetails } from './tool-details.tsx'
import { summaryOfInput } from './tool-input.ts'
import { ToolLine } from './tool-line.tsx'

/** The number of output lines shown while a command runs. */
const LIVE_LINES = 8

export const ToolRowView = memo(function ToolRow({ row: logged }: { readonly row: ToolRow }) {
  const row = useEndedRow(logged)
  const [open, toggle] = useFold(row.key)
  const isPending = useIsPending(row)
  const commandId = useCommand(row)
  const summary = row.summary === '' ? summaryOfInput(row.input) : row.summary
  if (isPending) return null
  return (
    <div>
      <ToolLine
        call={row.call}
        summary={summary}
        status={isDecided(row) ? 'decided' : row.status}
        open={open}
        onToggle={toggle}
        note={
          row.confinement === undefined ? (
            <ToolNote row={row} />
          ) : (
            <span className="inline-flex items-center gap-1.5">
              <ConfinementMark confinement={row.confinement} />
              <ToolNote row={row} />
            </span>
          )
        }
      />
      {row.status === 'running' && <LiveOutput toolUseId={row.toolUseId} />}
      {commandId !== null && <LiveOutput toolUseId={commandId} />}
      {row.changed !== undefined && <ChangedFiles toolUseId={row.toolUseId} changed={row.changed} />}
      {open && <ToolDetails row={row} />}
    </div>
  )
})

/** What a command changed, to look at and to undo. */
function ChangedFiles({
  toolUseId,
  changed: { files, added, removed, path },
}: {
  readonly toolUseId: string
  readonly changed: ChangedAmounts
}) {
  const { agentId } = useSurroundings()
  const isPast = useConversation((state) => state.pastAt !== null)
  return (
    <div
      data-unsearched=""
      className="flex flex-wrap items-baseline gap-x-2 px-2 py-0.5 text-fg-2 text-xs tabular-nums"
    >
      <span>
        Changed {count(files, 'file')}
        <span className="ml-1.5 text-ok">+{added}</span>
        <span className="ml-1 text-bad">−{removed}</span>
      </span>
      <LinkButton onClick={() => openChanges(path)}>Show changes</LinkButton>
      {!isPast && (
        <LinkButton onClick={() => undoCall({ kind: 'call', agentId, toolUseId })}>Undo…</LinkButton>
      )}
    </div>
  )
}

/** A call interrupted by the end of the program has no result in the log until the agent is resumed. */
function useEndedRow(row: ToolRow): ToolRow {
  const { agentId } = useSurroundings()
  const isOpen = row.status === 'running' || row.status === 'waiting'
  const isCutOff = useConversation((state) => isOpen && state.agents.get(agentId)?.status === 'interrupted')
  return isCutOff ? { ...row, status: 'failed', note: 'interrupted' } : row
}

/** A call with a pending permission request is shown only by the request's card. */
function useIsPending(row: ToolRow): boolean {
  const { agentId } = useSurroundings()
  return useConversation(
    (state) =>
      row.status === 'waiting' &&
      (state.agents.get(agentId)?.requests.some((request) => request.toolUseId === row.toolUseId) ?? false),
  )
}

/** The command that the call started and that still runs in the background; null: none. */
function useCommand({ toolUseId, call }: ToolRow): string | null {
  const { agentId } = useSurroundings()
  return useConversation((state) => {
    if (call.kind !== 'command') return null
    const commands = state.agents.get(agentId)?.commands
    return commands?.find((command) => command.toolUseId === toolUseId)?.commandId ?? null
  })
}

/** Whether the call waits for the user's answer to its form. */
function useAsksUser(row: ToolRow): boolean {
  const { agentId } = useSurroundings()
  return useConversation(
    (state) =>
      row.status === 'running' &&
      (state.agents.get(agentId)?.forms.some((form) => form.toolUseId === row.toolUseId) ?? false),
  )
}

/** What stands at the end of a call’s line: how long it runs, or how it ended. */
export function ToolNote({ row }: { readonly row: ToolRow }) {
  const running = row.status === 'running'
  const now = useNow(running)
  const asks = useAsksUser(row)
  if (row.status === 'waiting') return 'waiting'
  if (asks) return 'waiting for you'
  if (running) {
    const ms = row.startedAt === null ? 0 : now - row.startedAt
    return ms < 1000 ? 'running' : `running ${ms < 60_000 ? `${Math.floor(ms / 1000)}s` : formatDuration(ms)}`
  }
  const failed = row.status === 'failed' && !isDecided(row)
  return (
    <span className={classNames(failed && 'text-bad')}>
      {failed && <span className="sr-only">Failed: </span>}
      {row.note === '' ? (failed ? 'failed' : '') : row.note}
    </span>
  )
}

interface LiveOutputProps {
  readonly toolUseId: string
  /** The number of lines from the end. */
  readonly lines?: number
}

/** The output of a call while it runs; nothing before its first line. */
export function LiveOutput({ toolUseId, lines = LIVE_LINES }: LiveOutputProps) {
  const { agentId } = useSurroundings()
  const output = useLiveOutput(agentId, toolUseId)
  const text = lastLines(output, lines)
  if (text.trim() === '') return null
  return (
    <div
      data-selectable=""
      data-unsearched=""
      dir="auto"
      className="mt-1.5 rounded-[6px] bg-bg-0 px-2.5 py-2 font-mono text-[0.71875rem] text-fg-1 leading-[1.55]"
    >
      <TerminalText text={text} />
    </div>
  )
}
