/** The text field of the composer, with the attachments and the recipient. */
import { X } from 'lucide-react'
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useAgent, useAgentTitle, useConversation } from '../../stores/conversation-store.ts'
import {
  changeDraft,
  type Draft,
  type PastedText,
  stepDraft,
  typedEdit,
  useDraft,
  useDrafts,
} from '../../stores/draft-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'
import { displayName } from '../../ui/text/agent-text.ts'
import { Attachments, withoutAttachment } from './attachments.tsx'
import type { Completion } from './use-completion.ts'

/** `start`: alone in the middle of the window, larger. */
export type ComposerVariant = 'docked' | 'start'

interface ComposerFieldProps {
  readonly draftKey: string
  readonly variant: ComposerVariant
  readonly disabled: boolean
  readonly text: ComposerText
  readonly completion: Completion
  readonly listId: string
  readonly onChange: () => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  readonly onFiles: (files: readonly File[]) => void
  /** Takes a text that would be too long for the field; false: the field takes it. */
  readonly onText: (text: string) => boolean
}

export function ComposerField(props: ComposerFieldProps) {
  const { draftKey, variant, disabled, text, completion, listId } = props
  const draft = useDraft(draftKey)
  const placeholder = usePlaceholder(draftKey, variant)
  useFocusRequest(text.field)
  useUndoOfMenu(text)
  const hasOptions = completion.options.length > 0
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files]
    if (files.length === 0) {
      if (props.onText(event.clipboardData.getData('text/plain'))) event.preventDefault()
      return
    }
    event.preventDefault()
    props.onFiles(files)
  }
  const onDrop = (event: DragEvent) => {
    // The column takes files.
    if (event.dataTransfer.files.length === 0 && props.onText(event.dataTransfer.getData('text/plain')))
      event.preventDefault()
  }
  const insert = ({ key, text: inserted }: PastedText) => {
    const before = draft.text.slice(0, text.caret)
    const { pasted } = withoutAttachment(draft, key)
    text.setText(before + inserted + draft.text.slice(text.caret), before.length + inserted.length, {
      pasted,
    })
    text.focus()
  }
  return (
    <div className="px-3 pt-2.5">
      <Attachments draftKey={draftKey} onInsert={insert} onRemoved={text.focus} />
      <div className="flex items-start gap-2">
        {draft.recipientId !== null && (
          <RecipientChip
            agentId={draft.recipientId}
            onRemove={() => {
              changeDraft(draftKey, { recipientId: null })
              text.focus()
            }}
          />
        )}
        <textarea
          ref={text.field}
          data-focus-home=""
          value={draft.text}
          disabled={disabled}
          rows={variant === 'start' ? 2 : 1}
          aria-label="Message"
          dir="auto"
          aria-haspopup="listbox"
          aria-controls={hasOptions ? listId : undefined}
          aria-autocomplete="list"
          aria-activedescendant={hasOptions ? `${listId}-${completion.active}` : undefined}
          placeholder={placeholder}
          onChange={(event) => {
            text.read(event.target, event.nativeEvent instanceof InputEvent && event.nativeEvent.isComposing)
            props.onChange()
          }}
          onSelect={(event) => text.readCaret(event.currentTarget)}
          onKeyDown={props.onKeyDown}
          onPaste={onPaste}
          onDrop={onDrop}
          className="field-sizing-content max-h-[38vh] min-h-6 w-full resize-none bg-transparent text-fg-0 text-md leading-normal outline-none"
        />
      </div>
    </div>
  )
}

function usePlaceholder(draftKey: string, variant: ComposerVariant): string {
  const recipient = useAgent(useDraft(draftKey).recipientId)
  const recordedRehearsal = useConversation((state) => state.record?.rehearsal)
  const rehearsal = useSession((state) => state.access.kind === 'rehearsal')
  if (recipient !== undefined) return `Message ${displayName(recipient)}; delivered with its next turn…`
  if (recordedRehearsal ?? rehearsal) return 'Rehearsal: a script answers, not a model…'
  return variant === 'start'
    ? 'Describe the task. @ mentions an agent or a file, / runs a command.'
    : 'Reply, or @ for an agent or a file…'
}

/** The Edit menu, which knows only the history of the browser, undoes in the history of the draft. */
function useUndoOfMenu({ field, step }: ComposerText): void {
  const latest = useRef(step)
  useEffect(() => {
    latest.current = step
  })
  useEffect(() => {
    const element = field.current
    const onBeforeInput = (event: InputEvent) => {
      const direction = HISTORY_INPUTS[event.inputType]
      if (direction === undefined) return
      event.preventDefault()
      latest.current(direction)
    }
    element?.addEventListener('beforeinput', onBeforeInput)
    return () => element?.removeEventListener('beforeinput', onBeforeInput)
  }, [field])
}

const HISTORY_INPUTS: Readonly<Record<string, 'undo' | 'redo'>> = { historyUndo: 'undo', historyRedo: 'redo' }

/** Takes the focus on request, and on the first render unless another element has the focus. */
function useFocusRequest(field: RefObject<HTMLTextAreaElement | null>): void {
  const request = useDrafts((state) => state.focusRequests)
  const seen = useRef(request)
  useEffect(() => {
    const isNew = request !== seen.current
    seen.current = request
    if (isNew || document.activeElement === document.body) field.current?.focus()
  }, [request, field])
}

interface RecipientChipProps {
  readonly agentId: string
  readonly onRemove: () => void
}

/** The recipient of the message, unless the main agent gets it. */
function RecipientChip({ agentId, onRemove }: RecipientChipProps) {
  const agent = useAgent(agentId)
  const title = useAgentTitle(agentId)
  if (agent === undefined) return null
  return (
    <span
      style={agentStyle(agent.definition.color)}
      className="flex h-5 max-w-[50%] shrink-0 items-center gap-1.5 rounded-sm border border-line bg-bg-2 pr-0.5 pl-1.5 text-fg-0 text-sm"
    >
      <Dot status={agent.endedAt === null ? 'waiting' : 'completed'} />
      <span className="truncate" title={title ?? undefined}>
        to {title}
      </span>
      <button
        type="button"
        aria-label="Message main agent instead"
        onClick={onRemove}
        className="grid size-4 place-items-center rounded-[3px] text-fg-2 hover:bg-bg-3 hover:text-fg-0"
      >
        <X size={11} aria-hidden="true" />
      </button>
    </span>
  )
}

/** The text of the composer and its caret. */
export interface ComposerText {
  /** For the text field. */
  readonly field: React.RefObject<HTMLTextAreaElement | null>
  readonly caret: number
  /** Takes over a change that the user made in the field. */
  readonly read: (field: HTMLTextAreaElement, isComposing: boolean) => void
  readonly readCaret: (field: HTMLTextAreaElement) => void
  /** Replaces the text, together with other parts of the draft; the caret goes to `caret`, or to the end. */
  readonly setText: (text: string, caret?: number, also?: Omit<Partial<Draft>, 'text'>) => void
  /** Takes back the last change, or repeats it. */
  readonly step: (direction: 'undo' | 'redo') => void
  /** Inserts a prefix at the caret, which opens the completions. */
  readonly insertPrefix: (prefix: '@' | '#') => void
  readonly focus: () => void
}

export function useComposerText(draftKey: string): ComposerText {
  const { text } = useDraft(draftKey)
  const field = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(text.length)
  const pendingCaret = useRef<number | null>(null)

  // A new value moves the caret of the field to its end.
  useLayoutEffect(() => {
    if (pendingCaret.current === null) return
    field.current?.setSelectionRange(pendingCaret.current, pendingCaret.current)
    pendingCaret.current = null
  })

  const moveCaret = (at: number) => {
    setCaret(at)
    pendingCaret.current = at
  }
  const setText: ComposerText['setText'] = (next, at = next.length, also = {}) => {
    changeDraft(draftKey, { ...also, text: next })
    moveCaret(at)
  }
  const focus = () => field.current?.focus()
  return {
    field,
    caret,
    read: ({ value, selectionStart }, isComposing) => {
      changeDraft(draftKey, { text: value }, typedEdit(text, value, isComposing))
      setCaret(selectionStart)
    },
    readCaret: ({ selectionStart }) => setCaret(selectionStart),
    setText,
    step: (direction) => {
      const at = stepDraft(draftKey, direction)
      if (at !== null) moveCaret(at)
    },
    insertPrefix: (prefix) => {
      const at = field.current?.selectionStart ?? text.length
      const before = text.slice(0, at)
      const inserted = before === '' || /\s$/.test(before) ? prefix : ` ${prefix}`
      setText(before + inserted + text.slice(at), at + inserted.length)
      focus()
    },
    focus,
  }
}
