/** The buttons of a panel, in its header. Drawn again only if one of them changes, not with every event. */
import { Copy, Maximize2, Minimize2, Pin, PinOff, Search, X } from 'lucide-react'
import { memo } from 'react'
import { useBusyAction } from '../../stores/agent-actions.ts'
import { ACTION_WORDS, type AgentAction, useOfferedActions } from '../../stores/offered-actions.ts'
import { ACTION_ICONS } from '../../ui/agent-icons.ts'
import { IconButton } from '../../ui/icon-button.tsx'

export interface PanelControlsProps {
  readonly agentId: string
  readonly onAct: (action: AgentAction) => void
  readonly onFind: () => void
  readonly onCopy: () => void
  /** These are left out where there is nothing to do. */
  readonly onPin: (() => void) | undefined
  readonly isPinned: boolean
  readonly onFocus: (() => void) | undefined
  readonly isFocused: boolean
  readonly onClose: (() => void) | undefined
}

export const PanelControls = memo(function PanelControls(props: PanelControlsProps) {
  const { agentId, onAct, onFind, onCopy, onPin, isPinned, onFocus, isFocused, onClose } = props
  const offered = useOfferedActions(agentId)
  const busy = useBusyAction(agentId)
  return (
    <>
      {offered.map((action) => (
        <IconButton
          // Pause and continue are one button: it keeps the focus.
          key={ACTION_WORDS[action].key}
          icon={ACTION_ICONS[action]}
          label={ACTION_WORDS[action].label}
          keys={ACTION_WORDS[action].key}
          busy={busy !== null && ACTION_WORDS[busy].key === ACTION_WORDS[action].key}
          // The second click of a double one would take the first back.
          onClick={(event) => event.detail < 2 && onAct(action)}
        />
      ))}
      <span aria-hidden="true" className="mx-1 h-3.5 w-px bg-line first:hidden" />
      <IconButton icon={Search} label="Find in it" keys="/" onClick={onFind} />
      <IconButton icon={Copy} label="Copy the transcript" onClick={onCopy} />
      {onPin && (
        <IconButton
          icon={isPinned ? PinOff : Pin}
          label={isPinned ? 'Let its place go to others' : 'Keep it in its place'}
          keys="P"
          pressed={isPinned}
          onClick={onPin}
        />
      )}
      {onFocus && (
        <IconButton
          icon={isFocused ? Minimize2 : Maximize2}
          label={isFocused ? 'Back to all panels' : 'Show it alone'}
          keys="F"
          onClick={onFocus}
        />
      )}
      {onClose && <IconButton icon={X} label="Close the panel" onClick={onClose} />}
    </>
  )
})
