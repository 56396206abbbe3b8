/** The model of this conversation, or of the next one. */
import { ChevronDown } from 'lucide-react'
import { chooseModel } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { loadModels, modelChoices, modelLabel, useModels } from '../../stores/model-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuChoice, MenuHeading, MenuNote } from '../../ui/menu.tsx'

/** The model of the conversation on the screen, or of the next new conversation. */
export function useCurrentModel(): string {
  const running = useConversation((state) =>
    state.record === null ? undefined : state.agents.get(state.record.mainAgentId)?.model,
  )
  const chosen = useSession((state) => state.draft.model ?? state.settings.model)
  return running ?? chosen
}

export function ModelPicker({ disabled = false }: { readonly disabled?: boolean }) {
  const current = useCurrentModel()
  const aliases = useSession((state) => state.settings.modelAliases)
  const { models, phase, failure } = useModels()
  return (
    <Menu
      side="top"
      onOpenChange={(open) => open && void loadModels()}
      trigger={
        <ChipButton mono disabled={disabled} aria-label={`Model: ${modelLabel(current)}`}>
          {modelLabel(current)}{' '}
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
    </Menu>
  )
}
