/** The permission mode of this conversation, or of the next one. */
import { ChevronDown, ShieldCheck, ShieldOff } from 'lucide-react'
import type { PermissionMode } from '../../../shared/events/agent-event.ts'
import { chooseMode } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { setView, useSession } from '../../stores/session-store.ts'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { modeLabel, PERMISSION_MODES } from '../../ui/text/permission-modes.ts'

/** The mode of the conversation on the screen, or of the next new conversation. */
export function useCurrentMode(): PermissionMode {
  const running = useConversation((state) =>
    state.record === null ? undefined : state.agents.get(state.record.mainAgentId)?.permissionMode,
  )
  const chosen = useSession((state) => state.draft.permissionMode ?? state.settings.permissionMode)
  return running ?? chosen
}

interface ModePickerProps {
  readonly disabled?: boolean
  readonly side?: 'top' | 'bottom'
  /** Only the icon, for a narrow row. */
  readonly compact?: boolean
}

export function ModePicker({ disabled = false, side = 'top', compact = false }: ModePickerProps) {
  const mode = useCurrentMode()
  const bypassAllowed = useSession((state) => state.folder?.bypassAllowed === true)
  const bypass = mode === 'bypassPermissions'
  const label = modeLabel(mode)
  return (
    <Menu
      side={side}
      align={side === 'bottom' ? 'end' : 'start'}
      trigger={
        <ChipButton
          disabled={disabled}
          tone={bypass ? 'bad' : 'plain'}
          icon={bypass ? ShieldOff : compact ? ShieldCheck : undefined}
          textClass={compact ? '@max-[24rem]:hidden' : undefined}
          aria-label={`Permission mode: ${label}`}
        >
          {!compact && label}
          <ChevronDown size={11} aria-hidden="true" className="shrink-0 @max-[24rem]:hidden" />
        </ChipButton>
      }
    >
      <MenuHeading>Permission mode</MenuHeading>
      <MenuChoice
        value={mode}
        options={PERMISSION_MODES.filter(
          ({ value }) => value !== 'bypassPermissions' || bypassAllowed || bypass,
        ).map((option) => ({ ...option, danger: option.value === 'bypassPermissions' }))}
        onChange={(next) => void chooseMode(next)}
      />
      {!bypassAllowed && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => setView('settings')}>Allow bypass…</MenuItem>
        </>
      )}
    </Menu>
  )
}
