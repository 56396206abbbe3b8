/** The row below the text: prefixes, model, permission mode, and the button to send or stop. */
import { AtSign, ChevronDown, Columns4, Hash, Plug, ShieldCheck, ShieldOff, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import type { PermissionMode } from '../../../shared/events/agent-event.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import {
  chooseMainAgent,
  chooseMode,
  mainAgentNext,
  stopAll,
  useExternalAgentDefinitions,
  useNeedsNoModel,
} from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { changeSettings, showSettingsPart } from '../../stores/settings-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Menu, MenuCheck, MenuChoice, MenuHeading, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { modeLabel, PERMISSION_MODES } from '../../ui/text/permission-modes.ts'
import { ModelPicker } from './model-picker.tsx'

interface ComposerActionsProps {
  /** Whether the draft has neither text nor images. */
  readonly empty: boolean
  readonly disabled: boolean
  readonly canSend: boolean
  /** Whether the draft is a command that the user runs. */
  readonly isCommand: boolean
  readonly onPrefix: (prefix: '@' | '#') => void
  readonly onSend: () => void
  /** The choices of an external agent as the main agent, in place of the model. */
  readonly programOptions?: ReactNode
  /** Offers to give the draft to several agents as their task. */
  readonly onCompare: () => void
}

export function ComposerActions(props: ComposerActionsProps) {
  const { empty, disabled, canSend, isCommand, onPrefix, onSend, onCompare, programOptions } = props
  const isTrusted = useSession((state) => state.folder?.trusted === true)
  const running = useMainRuns()
  const needsNoModel = useNeedsNoModel()
  return (
    <div className="flex items-center gap-1.5 px-2.5 pt-2 pb-2.5">
      <ChipButton
        icon={AtSign}
        textClass="@max-[30rem]:hidden"
        disabled={disabled}
        aria-label="Mention agent"
        onClick={() => onPrefix('@')}
      >
        agent
      </ChipButton>
      <ChipButton
        icon={Hash}
        textClass="@max-[30rem]:hidden"
        disabled={disabled}
        aria-label="Mention file"
        onClick={() => onPrefix('#')}
      >
        file
      </ChipButton>
      <MainAgentPicker disabled={disabled} />
      {programOptions ?? (!needsNoModel && <ModelPicker disabled={disabled} />)}
      {/* The title bar has it too, at all widths at which the composer is as narrow. */}
      <span className="@max-[17.5rem]:hidden">
        <ModePicker disabled={disabled} compact />
      </span>
      <span className="flex-1" />
      {running && empty && !disabled ? (
        <StopButton />
      ) : (
        <>
          <span className="@max-[24rem]:hidden">
            <Kbd keys="Enter" />
          </span>
          {isTrusted && (
            <IconButton
              label="Send to several agents…"
              icon={Columns4}
              size={26}
              disabled={disabled}
              onClick={onCompare}
            />
          )}
          <Button
            variant="primary"
            disabled={empty || !canSend}
            title={empty ? 'Write a message first' : undefined}
            onClick={onSend}
          >
            {isCommand ? 'Run' : running ? 'Queue' : 'Send'}
          </Button>
        </>
      )}
    </div>
  )
}

function StopButton() {
  const readOnly = useConversation((state) => state.readOnly)
  return (
    <Button disabled={readOnly} onClick={() => void stopAll()}>
      <Square size={11} fill="currentColor" aria-hidden="true" /> Stop
      <span className="@max-[24rem]:hidden">
        <Kbd keys="Esc" /> <Kbd keys="Esc" />
      </span>
    </Button>
  )
}

function useMainRuns(): boolean {
  return useConversation((state) => {
    const main = state.record === null ? undefined : state.agents.get(state.record.mainAgentId)
    return main !== undefined && isLive(main)
  })
}

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
          <MenuItem onSelect={() => showSettingsPart('permissions')}>Allow bypass…</MenuItem>
        </>
      )}
    </Menu>
  )
}

// Who leads the next new conversation: Troupe's own main agent, or an external agent that is ready here.

/** Renders nothing in a conversation that has begun, and where Troupe's own main agent is the only one. */
function MainAgentPicker({ disabled }: { readonly disabled: boolean }) {
  const hasBegun = useConversation((state) => state.record !== null)
  const chosen = useSession(mainAgentNext) ?? ''
  const usual = useSession((state) => state.settings.mainAgent) ?? ''
  const offered = useExternalAgentDefinitions()
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
