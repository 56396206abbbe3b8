/** The row below the text: prefixes, model, permission mode, and the button to send or stop. */
import { AtSign, Columns4, Hash, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import { isLive } from '../../../shared/state/agent-state.ts'
import { stopAll, useNeedsNoModel } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { MainAgentPicker } from './main-agent-picker.tsx'
import { ModePicker } from './mode-picker.tsx'
import { ModelPicker } from './model-picker.tsx'

interface ComposerActionsProps {
  /** Whether the draft has neither text nor images. */
  readonly empty: boolean
  readonly disabled: boolean
  readonly canSend: boolean
  readonly onPrefix: (prefix: '@' | '#') => void
  readonly onSend: () => void
  /** The choices of an external agent as the main agent, in place of the model. */
  readonly programOptions?: ReactNode
  /** Offers to give the draft to several agents as their task. */
  readonly onCompare: () => void
}

export function ComposerActions(props: ComposerActionsProps) {
  const { empty, disabled, canSend, onPrefix, onSend, onCompare, programOptions } = props
  const isTrusted = useSession((state) => state.folder?.trusted === true)
  const running = useMainRuns()
  const isOutside = useNeedsNoModel()
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
      {programOptions ?? (!isOutside && <ModelPicker disabled={disabled} />)}
      <ModePicker disabled={disabled} compact />
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
            {running ? 'Queue' : 'Send'}
          </Button>
        </>
      )}
    </div>
  )
}

function StopButton() {
  return (
    <Button onClick={() => void stopAll()}>
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
