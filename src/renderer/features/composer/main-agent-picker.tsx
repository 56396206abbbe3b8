/** Who leads the next new conversation: Troupe's own main agent, or an external agent that is ready here. */
import { ChevronDown, Plug } from 'lucide-react'
import { chooseMainAgent, mainAgentNext, useOutsideDefinitions } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { changeSettings } from '../../stores/settings-store.ts'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuCheck, MenuChoice, MenuHeading, MenuItem, MenuSeparator } from '../../ui/menu.tsx'

/** Renders nothing in a conversation that has begun, and where Troupe's own main agent is the only one. */
export function MainAgentPicker({ disabled }: { readonly disabled: boolean }) {
  const hasBegun = useConversation((state) => state.record !== null)
  const chosen = useSession(mainAgentNext) ?? ''
  const usual = useSession((state) => state.settings.mainAgent) ?? ''
  const offered = useOutsideDefinitions()
  if (hasBegun || (offered.length === 0 && chosen === '')) return null
  const isGone = chosen !== '' && !offered.some(({ name }) => name === chosen)
  return (
    <Menu
      side="top"
      trigger={
        <ChipButton
          disabled={disabled}
          {...(chosen !== '' && { icon: Plug })}
          aria-label={`Main agent: ${chosen === '' ? 'Troupe' : chosen}`}
        >
          <span className="truncate">{chosen === '' ? 'Troupe' : chosen}</span>
          <ChevronDown size={11} aria-hidden="true" className="shrink-0 @max-[24rem]:hidden" />
        </ChipButton>
      }
    >
      <MenuHeading>Main agent of this conversation</MenuHeading>
      <MenuChoice
        value={chosen}
        options={[
          { value: '', label: 'Troupe', hint: 'splits the work among agents, with your model access' },
          ...offered.map(({ name }) => ({
            value: name,
            label: name,
            hint: 'leads with its own models, tools and login',
          })),
          ...(isGone ? [{ value: chosen, label: chosen, hint: 'not found in this folder' }] : []),
        ]}
        onChange={(name) => chooseMainAgent(name === '' ? null : name)}
      />
      <MenuSeparator />
      <MenuCheck
        checked={usual === chosen}
        onChange={() => void changeSettings({ mainAgent: usual === chosen || chosen === '' ? null : chosen })}
      >
        Use for all new conversations
      </MenuCheck>
      <MenuItem icon={Plug} onSelect={() => showOverlay('programs')}>
        External agents…
      </MenuItem>
    </Menu>
  )
}
