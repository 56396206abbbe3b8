/** The composer. Enter sends a message, or queues it while the agent works; an unsent draft stays with the reason. */
import { type ReactNode, useId } from 'react'
import type { QueuedMessagePreview } from '../../../shared/state/conversation-snapshot.ts'
import { askForComparison } from '../../stores/comparison-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { attachText, draftOf, isEmptyDraft, useDraft, useDraftKey } from '../../stores/draft-store.ts'
import { commandIn } from '../../stores/user-commands.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { BlockedNotice, useBlock } from './blocked.tsx'
import { CompletionList } from './completion-list.tsx'
import { type CompletionOption, complete } from './completion-options.ts'
import { ComposerActions } from './composer-actions.tsx'
import { ComposerField, type ComposerVariant, useComposerText } from './composer-field.tsx'
import { QueuedMessages } from './queued-messages.tsx'
import { useCompletion } from './use-completion.ts'
import { messagePartsOf, useComposerKeys } from './use-composer-keys.ts'
import { isPlainDraft, takeFiles, tooLong, useSend } from './use-send.ts'

interface ComposerProps {
  readonly variant?: ComposerVariant
  /** The choices of an external agent as the main agent, in place of the model. */
  readonly programOptions?: ReactNode
}

export function Composer({ variant = 'docked', programOptions }: ComposerProps) {
  const draftKey = useDraftKey()
  const draft = useDraft(draftKey)
  const text = useComposerText(draftKey)
  const completion = useCompletion(draft.text, text.caret, draft.recipientId)
  const { problem, setProblem, offer, busy, send, run } = useSend(draftKey)
  const block = useBlock()
  const listId = useId()

  const pick = (option: CompletionOption) => {
    if (completion.query === null) return
    const { effect } = option
    if (effect.kind === 'run') {
      text.setText('')
      run(effect.name, effect.argument)
      return
    }
    const next = complete(draft.text, completion.query, effect.kind === 'insert' ? effect.text : '')
    text.setText(next.text, next.caret, effect.kind === 'recipient' ? { recipientId: effect.agentId } : {})
    text.focus()
  }
  const edit = (message: QueuedMessagePreview) => {
    const parts = messagePartsOf(message.text)
    const next = draft.text.trim() === '' ? parts.text : `${parts.text}\n${draft.text}`
    const recipientId = message.agentId === mainAgentIdNow() ? null : message.agentId
    text.setText(next, next.length, { recipientId, pasted: [...parts.pasted, ...draft.pasted] })
    text.focus()
  }
  const line = isPlainDraft(draft) ? commandIn(draft.text) : null
  // The user’s own command needs no model.
  const canSend = block === null || (block === 'no-access' && line !== null)
  const sendUnlessBlocked = () => {
    if (canSend) void send()
  }
  const onKeyDown = useComposerKeys({
    draftKey,
    completion,
    onPick: pick,
    onRecall: ({ text: recalled, pasted }) => text.setText(recalled, recalled.length, { pasted }),
    onStep: text.step,
    onSend: sendUnlessBlocked,
  })

  const disabled = block === 'read-only' || block === 'unreadable'
  return (
    <div className={classNames(variant === 'docked' && 'border-line border-t bg-bg-1 py-2.5')}>
      <div className={classNames('relative', variant === 'docked' && 'conversation-width mx-2.5')}>
        <QueuedMessages onEdit={edit} />
        {block !== null && <BlockedNotice block={block} />}
        {problem !== null && (
          <div className="mb-2 flex items-end gap-2 px-1">
            <p
              role="alert"
              className="min-w-0 flex-1 whitespace-pre-line break-words text-bad text-sm"
              data-selectable=""
            >
              {problem}
            </p>
            {offer !== null && (
              <Button
                onClick={() => {
                  text.focus()
                  offer.run()
                }}
              >
                {offer.label}
              </Button>
            )}
          </div>
        )}
        {line !== null && problem === null && (
          <p role="status" className="mb-2 px-1 text-fg-2 text-sm">
            Runs in the folder as you, not through an agent and outside the sandbox.
          </p>
        )}
        {busy && (
          <p role="status" className="mb-2 px-1 text-fg-2 text-sm">
            Preparing the command…
          </p>
        )}
        <div className="@container relative rounded-lg border border-line-strong bg-bg-0 transition-colors focus-within:border-fg-3">
          <CompletionList id={listId} completion={completion} hidesNote={problem !== null} onPick={pick} />
          <ComposerField
            draftKey={draftKey}
            variant={variant}
            disabled={disabled}
            text={text}
            completion={completion}
            listId={listId}
            onChange={() => setProblem(null)}
            onKeyDown={onKeyDown}
            onText={(pasted) => {
              const taken = attachText(draftKey, pasted)
              if (taken === 'short') return false
              setProblem(taken === 'attached' ? tooLong(draftOf(draftKey)) : taken.problem)
              return true
            }}
            onFiles={(files) => void takeFiles(draftKey, files).then(setProblem)}
          />
          <ComposerActions
            empty={isEmptyDraft(draft)}
            disabled={disabled}
            canSend={canSend}
            isCommand={line !== null}
            onPrefix={text.insertPrefix}
            onSend={sendUnlessBlocked}
            programOptions={programOptions}
            onCompare={() => askForComparison(draft.text.trim())}
          />
        </div>
      </div>
    </div>
  )
}

function mainAgentIdNow(): string | undefined {
  return useConversation.getState().record?.mainAgentId
}
