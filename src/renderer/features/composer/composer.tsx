/**
 * Where the person writes. Enter sends, or queues while the agent works; what cannot be sent stays, with
 * the reason beside it.
 */
import { AtSign, Hash, Square } from 'lucide-react'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { isLive } from '../../../shared/agent-state.ts'
import { stopAgent } from '../../stores/conversation-actions.ts'
import { useAgent, useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { changeDraft, useDraft, useDraftKey, useDrafts } from '../../stores/draft-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Kbd } from '../../ui/kbd.tsx'
import { Attachments } from './attachments.tsx'
import { BlockedNotice, useBlock } from './blocked.tsx'
import { CompletionList } from './completion-list.tsx'
import { complete } from './completions.ts'
import { CostDialog } from './cost-dialog.tsx'
import { HelpDialog } from './help-dialog.tsx'
import { ModePicker } from './mode-picker.tsx'
import { ModelPicker } from './model-picker.tsx'
import { QueuedMessages } from './queued-messages.tsx'
import { RecipientChip } from './recipient-chip.tsx'
import { type CompletionOption, useCompletion } from './use-completion.ts'
import { useRecall } from './use-recall.ts'
import { takeFiles, useSend } from './use-send.ts'

interface ComposerProps {
  /** `start`: alone in the middle of the window, larger. */
  readonly look?: 'docked' | 'start'
}

export function Composer({ look = 'docked' }: ComposerProps) {
  const key = useDraftKey()
  const draft = useDraft(key)
  const field = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(draft.text.length)
  const [dialog, setDialog] = useState<'help' | 'cost' | null>(null)
  const completion = useCompletion(draft.text, caret)
  const recall = useRecall(key)
  const { problem, setProblem, send, run } = useSend(key, setDialog)
  const block = useBlock()
  const working = useMainWorks()
  const listId = useId()
  const placeholder = usePlaceholder(look)
  const restoreCaret = useRef<number | null>(null)
  useFocusWish(field)

  useLayoutEffect(() => {
    if (restoreCaret.current === null) return
    field.current?.setSelectionRange(restoreCaret.current, restoreCaret.current)
    restoreCaret.current = null
  })

  const setText = (text: string, at = text.length) => {
    changeDraft(key, { text })
    setCaret(at)
    restoreCaret.current = at
  }

  const pick = (option: CompletionOption) => {
    if (completion.query === null) return
    const { effect } = option
    if (effect.kind === 'run') {
      setText('')
      run(effect.name, effect.argument)
      return
    }
    if (effect.kind === 'recipient') changeDraft(key, { recipientId: effect.agentId })
    const next = complete(draft.text, completion.query, effect.kind === 'insert' ? effect.text : '')
    setText(next.text, next.caret)
    field.current?.focus()
  }

  const sign = (mark: '@' | '#') => {
    const at = field.current?.selectionStart ?? draft.text.length
    const before = draft.text.slice(0, at)
    const inserted = before === '' || /\s$/.test(before) ? mark : ` ${mark}`
    setText(before + inserted + draft.text.slice(at), at + inserted.length)
    field.current?.focus()
  }

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return
    if (completionKey(event) || recallKey(event) || editKey(event)) event.preventDefault()
  }

  const completionKey = (event: KeyboardEvent): boolean => {
    const { options, active, query } = completion
    if (query === null || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false
    if (event.key === 'Escape') {
      completion.dismiss()
      return true
    }
    const option = options[active]
    if (option === undefined) return false
    if (event.key === 'ArrowDown') completion.move(1)
    else if (event.key === 'ArrowUp') completion.move(-1)
    else if (event.key === 'Enter' || event.key === 'Tab') pick(option)
    else return false
    return true
  }

  const recallKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (
      (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') ||
      event.shiftKey ||
      event.ctrlKey ||
      event.metaKey
    )
      return false
    const text = recall(
      event.key === 'ArrowUp' ? 'older' : 'newer',
      draft.text,
      event.currentTarget.selectionStart,
    )
    if (text === null) return false
    setText(text)
    return true
  }

  const editKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      if (block === null) void send()
      return true
    }
    if (event.key === 'Backspace' && draft.recipientId !== null && event.currentTarget.selectionEnd === 0) {
      changeDraft(key, { recipientId: null })
      return true
    }
    return false
  }

  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    void takeFiles(key, files).then(setProblem)
  }

  const empty = draft.text.trim() === '' && draft.images.length === 0
  const disabled = block === 'read-only' || block === 'unreadable'
  return (
    <div className={classNames(look === 'docked' && 'border-line border-t bg-bg-1 py-2.5')}>
      <div className={classNames('relative', look === 'docked' && 'conversation-width mx-2.5')}>
        <QueuedMessages
          onEdit={(message) => {
            changeDraft(key, { recipientId: message.agentId === mainOf() ? null : message.agentId })
            setText(draft.text.trim() === '' ? message.text : `${message.text}\n${draft.text}`)
            field.current?.focus()
          }}
        />
        {block !== null && <BlockedNotice block={block} />}
        {problem !== null && (
          <p role="alert" className="mb-2 whitespace-pre-line px-1 text-bad text-sm" data-selectable="">
            {problem}
          </p>
        )}
        <div
          className={classNames(
            '@container relative rounded-lg border bg-bg-0 transition-colors focus-within:border-fg-3',
            'border-line-strong',
          )}
        >
          <CompletionList id={listId} completion={completion} onPick={pick} />
          <div className="px-3 pt-2.5">
            <Attachments
              images={draft.images}
              onRemove={(image) =>
                changeDraft(key, { images: draft.images.filter((other) => other.key !== image) })
              }
            />
            <div className="flex items-start gap-2">
              {draft.recipientId !== null && (
                <RecipientChip
                  agentId={draft.recipientId}
                  onRemove={() => changeDraft(key, { recipientId: null })}
                />
              )}
              <textarea
                ref={field}
                data-focus-home=""
                value={draft.text}
                disabled={disabled}
                rows={look === 'start' ? 2 : 1}
                aria-label="Message"
                aria-haspopup="listbox"
                aria-controls={completion.options.length > 0 ? listId : undefined}
                aria-autocomplete="list"
                aria-activedescendant={
                  completion.options.length > 0 ? `${listId}-${completion.active}` : undefined
                }
                placeholder={placeholder}
                onChange={(event) => {
                  changeDraft(key, { text: event.target.value })
                  setCaret(event.target.selectionStart)
                  setProblem(null)
                }}
                onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
                onKeyDown={onKeyDown}
                onPaste={onPaste}
                className="field-sizing-content max-h-[38vh] min-h-6 w-full resize-none bg-transparent text-fg-0 text-md leading-normal outline-none"
              />
            </div>
          </div>
          <div className="flex items-center gap-1.5 px-2.5 pt-2 pb-2.5">
            <ChipButton
              icon={AtSign}
              textClass="@max-[30rem]:hidden"
              disabled={disabled}
              aria-label="Name an agent"
              onClick={() => sign('@')}
            >
              agent
            </ChipButton>
            <ChipButton
              icon={Hash}
              textClass="@max-[30rem]:hidden"
              disabled={disabled}
              aria-label="Name a file"
              onClick={() => sign('#')}
            >
              file
            </ChipButton>
            <ModelPicker disabled={disabled} />
            <ModePicker disabled={disabled} compact />
            <span className="flex-1" />
            {working && empty && !disabled ? (
              <StopButton />
            ) : (
              <>
                <span className="@max-[24rem]:hidden">
                  <Kbd keys="Enter" />
                </span>
                <Button variant="primary" disabled={empty || block !== null} onClick={() => void send()}>
                  {working ? 'Queue' : 'Send'}
                </Button>
              </>
            )}
          </div>
        </div>
      </div>
      <HelpDialog open={dialog === 'help'} onClose={() => setDialog(null)} />
      <CostDialog open={dialog === 'cost'} onClose={() => setDialog(null)} />
    </div>
  )
}

function StopButton() {
  const mainAgentId = useMainAgentId()
  return (
    <Button onClick={() => mainAgentId !== null && void stopAgent(mainAgentId)}>
      <Square size={11} fill="currentColor" aria-hidden="true" /> Stop
      <span className="@max-[24rem]:hidden">
        <Kbd keys="Esc" />
      </span>
    </Button>
  )
}

function useMainWorks(): boolean {
  return useConversation((state) => {
    const main = state.record === null ? undefined : state.agents.get(state.record.mainAgentId)
    return main !== undefined && isLive(main)
  })
}

function usePlaceholder(look: 'docked' | 'start'): string {
  const key = useDraftKey()
  const recipient = useAgent(useDraft(key).recipientId)
  const rehearsed = useConversation((state) => state.record?.rehearsal)
  const rehearsal = useSession((state) => state.access.kind === 'rehearsal')
  if (recipient !== undefined) return `Message ${recipient.definition.name}: it reads this in its next turn…`
  if (rehearsed ?? rehearsal) return 'Rehearsal: a script answers, not a model…'
  return look === 'start'
    ? 'Describe the task. @ names an agent, # a file, / a command.'
    : 'Reply, or @name to speak to one agent…'
}

/** Takes the focus when something asks for it, and at first where nothing else has it. */
function useFocusWish(field: RefObject<HTMLTextAreaElement | null>): void {
  const wish = useDrafts((state) => state.focusWish)
  const seen = useRef(wish)
  useEffect(() => {
    const isNew = wish !== seen.current
    seen.current = wish
    if (isNew || document.activeElement === document.body) field.current?.focus()
  }, [wish, field])
}

function mainOf(): string | undefined {
  return useConversation.getState().record?.mainAgentId
}
