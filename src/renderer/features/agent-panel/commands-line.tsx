/** The commands that an agent runs in the background: a line with their number, which opens to a list with Stop. */
import { ChevronRight, Square } from 'lucide-react'
import { useId, useState } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { RunningCommand } from '../../../shared/state/agent-state.ts'
import { command as send } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { useLiveOutput } from '../../stores/transcript-store.ts'
import { stripTerminal } from '../../ui/ansi.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/machine.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatDuration } from '../../ui/text/format.ts'

const NONE: readonly RunningCommand[] = []

/** Lines and characters of output of each command. */
const SHOWN_LINES = 5
const SHOWN_CHARACTERS = 2000

/** Renders nothing for an agent without commands. */
export function CommandsLine({ agentId }: { readonly agentId: string }) {
  const commands = useConversation(({ agents }) => agents.get(agentId)?.commands ?? NONE)
  const readOnly = useConversation((state) => state.readOnly)
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  if (commands.length === 0) return null
  return (
    <div className="flex max-h-[45%] shrink-0 flex-col border-line border-b bg-bg-1">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        className="flex min-h-6 shrink-0 items-center gap-1.5 px-2.5 py-0.5 text-left text-fg-1 text-sm hover:bg-bg-2 focus-visible:-outline-offset-2"
      >
        <ChevronRight
          size={12}
          strokeWidth={1.75}
          aria-hidden="true"
          className={classNames('shrink-0 text-fg-2', isOpen && 'rotate-90')}
        />
        <span className="shrink-0">{count(commands.length, 'command')} running</span>
        {!isOpen && (
          <>
            <span aria-hidden="true" className="text-fg-2">
              ·
            </span>
            <span className="min-w-0 truncate font-mono text-fg-2 text-xs">
              {commands.map(({ command }) => oneLine(command)).join(' · ')}
            </span>
          </>
        )}
      </button>
      {isOpen && (
        <ul
          id={id}
          aria-label="Commands in the background"
          className="flex min-h-0 flex-col gap-2 overflow-y-auto px-2.5 pt-0.5 pb-2"
        >
          {commands.map((each) => (
            <CommandItem key={each.commandId} agentId={agentId} running={each} canStop={!readOnly} />
          ))}
        </ul>
      )}
    </div>
  )
}

interface CommandItemProps {
  readonly agentId: string
  readonly running: RunningCommand
  readonly canStop: boolean
}

function CommandItem({ agentId, running, canStop }: CommandItemProps) {
  const { commandId, command, description, startedAt } = running
  const now = useNow(true)
  const [stopping, setStopping] = useState(false)
  const stop = () => {
    const { conversationId } = useConversation.getState()
    if (conversationId === null || stopping) return
    setStopping(true)
    void send('agent.stopCommand', { conversationId, agentId, commandId }).then((answer) => {
      if (answer.ok || answer.failure.type === 'ended') return
      setStopping(false)
      showFailure(answer.failure)
    })
  }
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <div className="flex min-w-0 items-center gap-2">
        <span
          title={makeVisible(command)}
          className="min-w-0 flex-1 truncate font-mono text-fg-0 text-xs"
          data-selectable=""
        >
          {oneLine(command)}
        </span>
        <span className="shrink-0 text-fg-2 text-xs tabular-nums">
          {formatDuration(Math.max(0, now - startedAt))}
        </span>
        {canStop && (
          <Button onClick={stop} disabled={stopping} aria-label={`Stop ${oneLine(description || command)}`}>
            <Square size={10} aria-hidden="true" /> {stopping ? 'Stopping' : 'Stop'}
          </Button>
        )}
      </div>
      <CommandOutput agentId={agentId} commandId={commandId} />
    </li>
  )
}

function CommandOutput({ agentId, commandId }: { readonly agentId: string; readonly commandId: string }) {
  const output = useLiveOutput(agentId, commandId)
  const lines = stripTerminal(output.slice(-SHOWN_CHARACTERS)).trimEnd().split('\n').slice(-SHOWN_LINES)
  const text = lines.join('\n')
  if (text === '') return null
  return (
    <pre
      data-selectable=""
      dir="auto"
      className="overflow-x-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-1 font-mono text-[0.6875rem] text-fg-1 leading-[1.5] wrap-anywhere"
    >
      {makeVisible(text)}
    </pre>
  )
}

const oneLine = (text: string): string => makeVisible(text.trim().replace(/\s+/g, ' '))
