import { Waypoints } from 'lucide-react'
import { commandOf } from '../../../shared/commands/commands.ts'
import { toggleCoordinator, useCoordinates } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { ChipButton } from '../../ui/chip.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'

/** Switches coordinator mode, and shows whether it is on. `compact`: only the icon. */
export function CoordinatorButton({ compact }: { readonly compact: boolean }) {
  const isOn = useCoordinates()
  const hasBegun = useConversation(({ conversationId }) => conversationId !== null)
  const isScratch = useConversation(({ record }) => record?.scratch === true)
  return (
    <Tooltip
      text={`Coordinator mode is ${isOn ? 'on' : 'off'}${hasBegun ? '' : ' for this new conversation'}. A coordinator only plans, gives the work to agents and merges it.`}
      keys={commandOf('coordinator-mode').keys}
    >
      <ChipButton
        icon={Waypoints}
        aria-label="Coordinator mode"
        aria-pressed={isOn}
        disabled={isScratch}
        onClick={toggleCoordinator}
        className="aria-pressed:border-accent aria-pressed:bg-bg-3 aria-pressed:text-fg-0 aria-pressed:[&>svg]:text-accent"
      >
        {!compact && 'Coordinator'}
      </ChipButton>
    </Tooltip>
  )
}
