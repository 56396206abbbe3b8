/** A command that the user ran in the folder: its output, and whether it goes to the agent with the next message. */
import { Square } from 'lucide-react'
import { memo } from 'react'
import type { ToolRow } from '../../../../shared/events/transcript-row.ts'
import { textOf } from '../../../../shared/messages/text-of.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { shareUserCommand, stopUserCommand } from '../../../stores/user-commands.ts'
import { Button } from '../../../ui/button.tsx'
import { useSurroundings } from '../surroundings.ts'
import { OutputText } from './output-text.tsx'
import { ToolLine } from './tool-line.tsx'
import { LiveOutput, ToolNote } from './tool-row.tsx'

/** The number of output lines shown while the command runs. */
const LIVE_LINES = 16

export const UserCommandRow = memo(function UserCommandRow({ row: logged }: { readonly row: ToolRow }) {
  const row = useKnownEnd(logged)
  const output = row.content === null ? '' : textOf(row.content)
  const isStopped = row.note === 'stopped' || row.note === 'interrupted'
  return (
    <section aria-label={`Your command ${row.summary}`}>
      <ToolLine
        call={row.call}
        summary={row.summary}
        status={isStopped ? 'decided' : row.status}
        note={<ToolNote row={row} />}
      />
      {row.status === 'running' && <LiveOutput toolUseId={row.toolUseId} lines={LIVE_LINES} />}
      {row.status !== 'running' && output !== '' && (
        <div data-selectable="" className="mt-1">
          <OutputText text={output} toolUseId={row.toolUseId} outputFile={row.outputFile} />
        </div>
      )}
      <Sharing row={row} />
    </section>
  )
})

/** A command whose program died has no end in the log until the conversation is opened again. */
function useKnownEnd(row: ToolRow): ToolRow {
  const { agentId } = useSurroundings()
  const isLost = useConversation(
    (state) =>
      row.status === 'running' &&
      state.agents.get(agentId)?.userCommands.some(({ commandId }) => commandId === row.toolUseId) === false,
  )
  return isLost ? { ...row, status: 'failed', note: 'interrupted', sharing: 'sent' } : row
}

/** The line below the output. */
function Sharing({ row: { toolUseId, status, sharing } }: { readonly row: ToolRow }) {
  const readOnly = useConversation((state) => state.readOnly)
  if (sharing === 'sent')
    return status === 'running' || status === 'waiting' ? null : (
      <p data-unsearched="" className="px-2 pt-0.5 text-fg-2 text-xs">
        {readOnly ? '' : 'Sent to the agent.'}
      </p>
    )
  const shares = sharing === 'next'
  return (
    <div data-unsearched="" className="flex items-center gap-2 px-2 pt-0.5 text-fg-2 text-xs">
      <label className="flex min-w-0 items-center gap-1.5">
        <input
          type="checkbox"
          checked={shares}
          disabled={readOnly}
          onChange={() => void shareUserCommand(toolUseId, !shares)}
        />
        Send output with your next message
      </label>
      <span className="flex-1" />
      {status === 'running' && !readOnly && (
        <Button onClick={() => void stopUserCommand(toolUseId)}>
          <Square size={10} fill="currentColor" aria-hidden="true" /> Stop
        </Button>
      )}
    </div>
  )
}
