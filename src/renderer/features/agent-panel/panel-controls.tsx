/** The buttons in the header of a panel: message, pause, stop and focus, and a menu with all others. */
import {
  AppWindow,
  Copy,
  Ellipsis,
  FlaskConical,
  type LucideIcon,
  Maximize2,
  Minimize2,
  Pin,
  PinOff,
  Search,
  X,
} from 'lucide-react'
import { memo } from 'react'
import {
  ACTION_LABELS,
  type AgentAction,
  SAVE_AS_CASE,
  saveAsCase,
  useBusyAction,
  useOfferedActions,
  useRefusedStop,
} from '../../stores/agent-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { ACTION_ICONS } from '../../ui/agent-style.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { isExternal, pauseMeaning } from '../../ui/text/external-agent-text.ts'

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

/** Stands in the menu, not in the line. */
const IN_MENU: ReadonlySet<AgentAction> = new Set(['background', 'review'])

/** Renders only if a button changes, not with every event. */
export const PanelControls = memo(function PanelControls(props: PanelControlsProps) {
  const { agentId, onAct, onFocus, isFocused } = props
  const offered = useOfferedActions(agentId)
  const busy = useBusyAction(agentId)
  const refused = useRefusedStop(agentId)
  const keysOf = useKeysOf()
  const pauseHint = useConversation(({ agents }) => {
    const agent = agents.get(agentId)
    return agent === undefined || !isExternal(agent) ? null : pauseMeaning(agent)
  })
  return (
    <>
      {offered
        .filter((action) => !IN_MENU.has(action))
        .map((action) => (
          <IconButton
            // Pause and continue share a shortcut, and so one button that keeps the focus.
            key={ACTION_LABELS[action].keyAction}
            icon={ACTION_ICONS[action]}
            label={ACTION_LABELS[action].label}
            hint={action === 'pause' && pauseHint !== null ? pauseHint : undefined}
            keys={keysOf(ACTION_LABELS[action].keyAction)}
            busy={busy !== null && ACTION_LABELS[busy].keyAction === ACTION_LABELS[action].keyAction}
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
      {onFocus && (
        <IconButton
          icon={isFocused ? Minimize2 : Maximize2}
          label={isFocused ? 'Show all panels' : 'Focus'}
          keys={keysOf('panel.focus')}
          onClick={onFocus}
        />
      )}
      <Menu align="end" trigger={<IconButton icon={Ellipsis} label="More actions" />}>
        <MoreItems {...props} offered={offered.filter((action) => IN_MENU.has(action))} />
      </Menu>
    </>
  )
})

/** Everything that can be done with a panel, for a click with the other button on its header. */
export function PanelMenuItems(props: PanelControlsProps) {
  const { agentId, onAct, onFocus, isFocused } = props
  const offered = useOfferedActions(agentId)
  const keysOf = useKeysOf()
  return (
    <>
      {offered
        .filter((action) => !IN_MENU.has(action))
        .map((action) => (
          <MenuItem
            key={action}
            icon={ACTION_ICONS[action]}
            keys={keysOf(ACTION_LABELS[action].keyAction)}
            danger={action === 'stop'}
            onSelect={() => onAct(action)}
          >
            {ACTION_LABELS[action].label}
          </MenuItem>
        ))}
      {onFocus && (
        <MenuItem icon={isFocused ? Minimize2 : Maximize2} keys={keysOf('panel.focus')} onSelect={onFocus}>
          {isFocused ? 'Show all panels' : 'Focus'}
        </MenuItem>
      )}
      {(onFocus || offered.length > 0) && <MenuSeparator />}
      <MoreItems {...props} offered={offered.filter((action) => IN_MENU.has(action))} />
    </>
  )
}

function MoreItems(props: PanelControlsProps & { readonly offered: readonly AgentAction[] }) {
  const { agentId, offered, onAct, onFind, onCopy, onOwnWindow, onPin, isPinned, onClose } = props
  const keysOf = useKeysOf()
  const own: readonly (Item | null)[] = [
    { icon: Search, label: 'Find', keys: 'Mod F', run: onFind },
    { icon: Copy, label: 'Copy transcript', run: onCopy },
    { icon: FlaskConical, label: SAVE_AS_CASE, run: () => saveAsCase(agentId) },
    onOwnWindow ? { icon: AppWindow, label: 'Open in own window', run: onOwnWindow } : null,
    onPin
      ? {
          icon: isPinned ? PinOff : Pin,
          label: isPinned ? 'Unpin' : 'Pin',
          keys: keysOf('panel.pin'),
          run: onPin,
        }
      : null,
    onClose ? { icon: X, label: 'Close panel', run: onClose } : null,
  ]
  return (
    <>
      {offered.map((action) => (
        <MenuItem
          key={action}
          icon={ACTION_ICONS[action]}
          keys={keysOf(ACTION_LABELS[action].keyAction)}
          onSelect={() => onAct(action)}
        >
          {ACTION_LABELS[action].label}
        </MenuItem>
      ))}
      {offered.length > 0 && <MenuSeparator />}
      {own
        .filter((item) => item !== null)
        .map(({ icon, label, keys, run }) => (
          <MenuItem key={label} icon={icon} keys={keys} onSelect={run}>
            {label}
          </MenuItem>
        ))}
    </>
  )
}

interface Item {
  readonly icon: LucideIcon
  readonly label: string
  readonly keys?: string | undefined
  readonly run: () => void
}
