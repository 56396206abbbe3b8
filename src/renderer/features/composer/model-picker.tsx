/** The model of this conversation, or of the next one, and its effort. */
import { ChevronDown } from 'lucide-react'
import { type Effort, efforts } from '../../../shared/models/effort.ts'
import { type Thinking, thinkings } from '../../../shared/models/thinking.ts'
import { chooseEffort, chooseModel, chooseThinking } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { loadModels, modelChoices, modelLabel, useModels } from '../../stores/settings-store.ts'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuChoice, MenuHeading, MenuNote, MenuSeparator } from '../../ui/menu.tsx'

/** The model of the conversation on the screen, or of the next new conversation. */
export function useCurrentModel(): string {
  const running = useConversation((state) =>
    state.record === null ? undefined : state.agents.get(state.record.mainAgentId)?.model,
  )
  const chosen = useSession((state) => state.draft.model ?? state.settings.model)
  return running ?? chosen
}

const EFFORT_LABELS: Readonly<Record<Effort, string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  xhigh: 'Extra high',
  max: 'Max',
}

/** The effort of the conversation on the screen, or of the next new conversation. Null: the model's default. */
function useCurrentEffort(): Effort | null {
  const running = useConversation((state) =>
    state.record === null ? undefined : state.agents.get(state.record.mainAgentId)?.effort,
  )
  const chosen = useSession((state) =>
    state.draft.effort === undefined ? state.settings.effort : state.draft.effort,
  )
  return running === undefined ? chosen : running
}

/** The same for whether it thinks. */
function useCurrentThinking(): Thinking | null {
  const running = useConversation((state) =>
    state.record === null ? undefined : state.agents.get(state.record.mainAgentId)?.thinking,
  )
  const chosen = useSession((state) =>
    state.draft.thinking === undefined ? state.settings.thinking : state.draft.thinking,
  )
  return running === undefined ? chosen : running
}

const THINKINGS = [
  { value: 'default', label: 'Default', hint: 'as the model sets it' },
  { value: 'on', label: 'On', hint: '' },
  { value: 'off', label: 'Off', hint: 'where the model can' },
]

const EFFORTS = [
  { value: 'default', label: 'Default', hint: 'as the model sets it' },
  ...efforts.map((value) => ({ value: value as string, label: EFFORT_LABELS[value], hint: '' })),
]

export function ModelPicker({ disabled = false }: { readonly disabled?: boolean }) {
  const current = useCurrentModel()
  const effort = useCurrentEffort()
  const thinking = useCurrentThinking()
  const aliases = useSession((state) => state.settings.modelAliases)
  const { models, phase, failure } = useModels()
  return (
    <Menu
      side="top"
      onOpenChange={(open) => open && void loadModels()}
      trigger={
        <ChipButton
          mono
          disabled={disabled}
          aria-label={`Model: ${modelLabel(current)}${effort === null ? '' : `, effort ${effort}`}${thinking === null ? '' : `, thinking ${thinking}`}`}
        >
          {modelLabel(current)}
          {effort !== null && <span className="text-fg-2"> {EFFORT_LABELS[effort].toLowerCase()}</span>}{' '}
          <ChevronDown size={11} aria-hidden="true" className="shrink-0 @max-[24rem]:hidden" />
        </ChipButton>
      }
    >
      <MenuHeading>Model for the next request</MenuHeading>
      <MenuChoice
        value={current}
        options={modelChoices(models, aliases, current)}
        onChange={(model) => void chooseModel(model)}
      />
      {phase === 'loading' && <MenuNote>Loading models…</MenuNote>}
      {phase === 'failed' && <MenuNote>{failure}</MenuNote>}
      <MenuSeparator />
      <MenuHeading>Effort</MenuHeading>
      <MenuChoice
        value={effort ?? 'default'}
        options={EFFORTS}
        onChange={(value) => void chooseEffort(efforts.find((one) => one === value) ?? null)}
      />
      <MenuSeparator />
      <MenuHeading>Thinking</MenuHeading>
      <MenuChoice
        value={thinking ?? 'default'}
        options={THINKINGS}
        onChange={(value) => void chooseThinking(thinkings.find((one) => one === value) ?? null)}
      />
    </Menu>
  )
}
