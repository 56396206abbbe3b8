/** One question of an agent: what exactly it wants, why it is asked, and the three answers, equal in weight. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { PermissionSubject } from '../../../shared/agent-event.ts'
import type { PendingPrompt } from '../../../shared/agent-state.ts'
import type { Answer } from '../../../shared/ipc-contract.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { VisibleText } from '../../ui/visible-text.tsx'
import { usePromptFocus } from './use-prompt-focus.ts'
import { usePromptKeys } from './use-prompt-keys.ts'

export type Decision = 'allow-once' | 'allow-always' | 'deny'

export interface PermissionPromptProps {
  readonly agentName: string
  readonly prompt: PendingPrompt
  /** "2 more" beside the question, where others wait behind it. */
  readonly more?: ReactNode
  /** False where another program holds the conversation: then it is only shown. */
  readonly answerable?: boolean
  readonly onAnswer: (decision: Decision, words: string | null) => Promise<Answer<void>>
}

/** Give it the prompt's id as `key`: each question starts with its own state. */
export function PermissionPrompt(props: PermissionPromptProps) {
  const { agentName, prompt, more, answerable = true, onAnswer } = props
  const { subject, because, alwaysRule } = prompt
  const card = useRef<HTMLFieldSetElement>(null)
  const [denying, setDenying] = useState(false)
  const [state, setState] = useState<'asking' | 'sending' | { readonly failure: string }>('asking')
  /** At once, before anything is drawn again: a second click must not answer twice. */
  const sending = useRef(false)
  const title = useId()

  const answer = (decision: Decision, words: string | null = null) => {
    if (sending.current || !answerable) return
    sending.current = true
    setState('sending')
    void onAnswer(decision, words).then((answered) => {
      if (answered.ok) return
      sending.current = false
      setState({ failure: answered.failure.message })
    })
  }
  const keysWork = answerable && !denying && state !== 'sending'
  usePromptKeys(card, keysWork, {
    once: () => answer('allow-once'),
    always: alwaysRule === null ? null : () => answer('allow-always'),
    deny: () => setDenying(true),
  })
  usePromptFocus(card, prompt)

  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      aria-labelledby={title}
      data-prompt={prompt.promptId}
      className="@container min-w-0 rounded-md border border-[color-mix(in_oklab,var(--needs-you)_50%,var(--line))] bg-[color-mix(in_oklab,var(--needs-you)_7%,var(--bg-1))] px-2.5 py-2 text-sm outline-none focus-visible:border-needs-you"
    >
      <div className="flex items-baseline justify-between gap-3">
        <p id={title} className="min-w-0 text-fg-0 wrap-anywhere">
          <b className="font-semibold">{agentName}</b> wants to <VisibleText>{subject.action}</VisibleText> in{' '}
          <span className="font-mono" title={makeVisible(subject.folder)}>
            <VisibleText>{folderName(subject.folder)}</VisibleText>
          </span>
        </p>
        {more !== undefined && <span className="shrink-0 text-fg-2 text-xs">{more}</span>}
      </div>
      <Subject subject={subject} />
      <p className="text-fg-2">
        <VisibleText>{because}</VisibleText>
        {alwaysRule !== null && (
          <>
            {' '}
            “Always” allows{' '}
            <code className="font-mono text-fg-1 text-xs wrap-anywhere">
              <VisibleText>{alwaysRule}</VisibleText>
            </code>{' '}
            from now on.
          </>
        )}
      </p>
      {!answerable ? (
        <p className="mt-1.5 text-fg-1">Another program holds this conversation: answer it there.</p>
      ) : denying ? (
        <DenyForm
          agentName={agentName}
          sending={state === 'sending'}
          onDeny={(words) => answer('deny', words)}
          onBack={() => {
            setDenying(false)
            card.current?.focus()
          }}
        />
      ) : (
        // In a low panel the rest scrolls beneath them.
        <div className="-mx-2.5 -mb-2 sticky bottom-0 flex flex-wrap gap-1.5 rounded-b-md bg-[color-mix(in_oklab,var(--needs-you)_7%,var(--bg-1))] px-2.5 pt-[7px] pb-2">
          <Button disabled={state === 'sending'} onClick={() => answer('allow-once')}>
            Allow once <Kbd keys="A" />
          </Button>
          {alwaysRule !== null && (
            <Button disabled={state === 'sending'} onClick={() => answer('allow-always')}>
              <span>
                Always<span className="sr-only @min-[400px]:not-sr-only">, {ALWAYS[subject.kind]}</span>
              </span>{' '}
              <Kbd keys="Shift A" />
            </Button>
          )}
          <Button disabled={state === 'sending'} onClick={() => setDenying(true)}>
            Deny… <Kbd keys="D" />
          </Button>
        </div>
      )}
      {typeof state === 'object' && (
        <p role="alert" className="mt-1.5 text-bad">
          {state.failure}
        </p>
      )}
    </fieldset>
  )
}

const ALWAYS: Readonly<Record<PermissionSubject['kind'], string>> = {
  command: 'this command',
  file: 'this file',
  diff: 'this file',
  url: 'this address',
  other: 'this',
}

/** The last part of a path. The whole of it is in the tooltip. */
function folderName(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder
}

/** The whole of what is asked for: nothing is cut, longer ones scroll. */
function Subject({ subject }: { readonly subject: PermissionSubject }) {
  if (subject.kind === 'diff')
    return (
      <div className="my-1.5 max-h-[38vh] overflow-auto rounded-[6px]">
        <DiffView patch={subject.text} label="What would change" shownLines={400} />
      </div>
    )
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      data-selectable=""
      className="my-1.5 max-h-[38vh] overflow-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-[5px] font-medium font-mono text-[0.71875rem] text-fg-0 leading-[1.5] wrap-anywhere"
    >
      <VisibleText>{subject.text}</VisibleText>
    </pre>
  )
}

interface DenyFormProps {
  readonly agentName: string
  readonly sending: boolean
  readonly onDeny: (words: string | null) => void
  readonly onBack: () => void
}

function DenyForm({ agentName, sending, onDeny, onBack }: DenyFormProps) {
  const [words, setWords] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const send = () => onDeny(words.trim() === '' ? null : words.trim())
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onBack()
    else if (event.key === 'Enter' && !event.shiftKey) send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="mt-[7px] flex flex-col gap-1.5">
      <textarea
        ref={field}
        rows={2}
        aria-label={`What ${agentName} should do instead`}
        placeholder={`What should ${agentName} do instead? It may stay empty.`}
        value={words}
        maxLength={10_000}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
        className={`${INPUT_CLASS} resize-none py-1.5 text-sm`}
      />
      <div className="flex gap-1.5">
        <Button disabled={sending} onClick={send}>
          Deny <Kbd keys="Enter" />
        </Button>
        <Button disabled={sending} onClick={onBack}>
          Back <Kbd keys="Esc" />
        </Button>
      </div>
    </div>
  )
}
