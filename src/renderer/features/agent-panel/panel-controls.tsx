/** The buttons in the header of a panel. They render only if a button changes, not with every event. */
import { AppWindow, Copy, Maximize2, Minimize2, Pin, PinOff, Search, X } from 'lucide-react'
import { memo } from 'react'
import { PANEL_KEYS } from '../../../shared/commands/key-map.ts'
import {
  ACTION_LABELS,
  type AgentAction,
  useBusyAction,
  useOfferedActions,
  useRefusedStop,
} from '../../stores/agent-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { ACTION_ICONS } from '../../ui/agent-icons.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { isOutside, pauseMeaning } from '../../ui/text/program-text.ts'

interface PanelControlsProps {
  readonly agentId: string
  readonly onAct: (action: AgentAction) => void
  readonly onFind: () => void
  readonly onCopy: () => void
  /** Undefined if the layout has no such action. */
  readonly onPin: (() => void) | undefined
  readonly isPinned: boolean
  readonly onFocus: (() => void) | undefined
  readonly isFocused: boolean
  readonly onClose: (() => void) | undefined
  /** Undefined in the agent's own window. */
  readonly onOwnWindow: (() => void) | undefined
}

/** Not in a narrow header. The message field, the keys and the menu in the tree do the same. */
const WIDE_ONLY = '@max-[34rem]:hidden'

export const PanelControls = memo(function PanelControls(props: PanelControlsProps) {
  const { agentId, onAct, onFind, onCopy, onPin, isPinned, onFocus, isFocused, onClose, onOwnWindow } = props
  const offered = useOfferedActions(agentId)
  const busy = useBusyAction(agentId)
  const refused = useRefusedStop(agentId)
  const pauseHint = useConversation(({ agents }) => {
    const agent = agents.get(agentId)
    return agent === undefined || !isOutside(agent) ? null : pauseMeaning(agent)
  })
  return (
    <>
      {offered.map((action) => (
        <IconButton
          // Pause and continue share a shortcut, and so one button that keeps the focus.
          key={ACTION_LABELS[action].keys}
          icon={ACTION_ICONS[action]}
          className={action === 'write' || action === 'background' ? WIDE_ONLY : undefined}
          label={ACTION_LABELS[action].label}
          hint={action === 'pause' && pauseHint !== null ? pauseHint : undefined}
          keys={ACTION_LABELS[action].keys}
          busy={busy !== null && ACTION_LABELS[busy].keys === ACTION_LABELS[action].keys}
          // The second click of a double click would undo the first.
          onClick={(event) => event.detail < 2 && onAct(action)}
        />
      ))}
      {refused !== null && (
        <IconButton
          icon={ACTION_ICONS.stop}
          label={ACTION_LABELS.stop.label}
          hint={refused}
          disabled
          focusableWhenDisabled
        />
      )}
      <span aria-hidden="true" className="mx-1 h-3.5 w-px bg-line first:hidden" />
      <IconButton icon={Search} label="Find" keys="Mod F" className={WIDE_ONLY} onClick={onFind} />
      <IconButton icon={Copy} label="Copy transcript" onClick={onCopy} />
      {onOwnWindow && (
        <IconButton icon={AppWindow} label="Open in own window" className={WIDE_ONLY} onClick={onOwnWindow} />
      )}
      {onPin && (
        <IconButton
          icon={isPinned ? PinOff : Pin}
          label={isPinned ? 'Unpin' : 'Pin'}
          keys={PANEL_KEYS.pin}
          pressed={isPinned}
          onClick={onPin}
        />
      )}
      {onFocus && (
        <IconButton
          icon={isFocused ? Minimize2 : Maximize2}
          label={isFocused ? 'Show all panels' : 'Focus'}
          keys={PANEL_KEYS.focus}
          onClick={onFocus}
        />
      )}
      {onClose && <IconButton icon={X} label="Close panel" onClick={onClose} />}
    </>
  )
})
