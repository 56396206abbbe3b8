/** One permission request: the exact action, the reason for asking, and three answers of equal weight. */
import { type ReactNode, useId, useRef, useState } from 'react'
import type { PermissionSubject } from '../../../shared/agent-event.ts'
import type { PendingRequest } from '../../../shared/agent-state.ts'
import type { Answer } from '../../../shared/ipc-contract.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import { Button } from '../../ui/button.tsx'
import { CommandText } from '../../ui/command-text.tsx'
import { ConfinementChip } from '../../ui/confinement-mark.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { FeedbackForm } from '../../ui/feedback-form.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useRequestFocus } from '../../ui/use-request-focus.ts'
import { VisibleText } from '../../ui/visible-text.tsx'
import { useRequestKeys } from './use-request-keys.ts'

export type Decision = 'allow-once' | 'allow-always' | 'deny'

export interface PermissionRequestCardProps {
  readonly agentName: string
  /** Where the agent runs, unless in this program: "on build-7", "in process 4711". */
  readonly place?: string | null
  readonly request: PendingRequest
  /** Position among the pending requests, such as "1 of 3". */
  readonly position?: ReactNode
  /** False while another program has the conversation open. */
  readonly answerable?: boolean
  readonly onAnswer: (decision: Decision, feedback: string | null) => Promise<Answer<void>>
}

/** Pass the request's id as `key`: each request needs its own state. */
export function PermissionRequestCard(props: PermissionRequestCardProps) {
  const { agentName, place = null, request, position, answerable = true, onAnswer } = props
  const { subject, because, alwaysRule } = request
  const card = useRef<HTMLFieldSetElement>(null)
  const [denying, setDenying] = useState(false)
  const [state, setState] = useState<'asking' | 'sending' | { readonly failure: string }>('asking')
  /** A ref changes before the next render, so a second click can't answer twice. */
  const sending = useRef(false)
  const title = useId()

  const answer = (decision: Decision, feedback: string | null = null) => {
    if (sending.current || !answerable) return
    sending.current = true
    setState('sending')
    void onAnswer(decision, feedback).then((answered) => {
      if (answered.ok) return
      sending.current = false
      setState({ failure: answered.failure.message })
    })
  }
  const keysWork = answerable && !denying && state !== 'sending'
  useRequestKeys(card, keysWork, {
    once: () => answer('allow-once'),
    always: alwaysRule === null ? null : () => answer('allow-always'),
    deny: () => setDenying(true),
  })
  useRequestFocus(card)

  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      aria-labelledby={title}
      data-request={request.requestId}
      className="@container flex min-h-0 min-w-0 flex-col rounded-md border border-[color-mix(in_oklab,var(--needs-you)_50%,var(--line))] bg-[color-mix(in_oklab,var(--needs-you)_7%,var(--bg-1))] px-2.5 py-2 text-sm outline-none focus-visible:border-needs-you"
    >
      <div className="flex shrink-0 items-baseline justify-between gap-3">
        <p id={title} className="min-w-0 text-fg-0 wrap-anywhere">
          <b className="font-semibold">{agentName}</b> wants to <VisibleText>{subject.action}</VisibleText> in{' '}
          <span className="font-mono" title={makeVisible(subject.folder)}>
            <VisibleText>{folderName(subject.folder)}</VisibleText>
          </span>
          {place !== null && <span className="text-fg-2"> {place}</span>}
        </p>
        {subject.confinement !== undefined && <ConfinementChip confinement={subject.confinement} />}
        {position !== undefined && <span className="shrink-0 text-fg-2 text-xs">{position}</span>}
      </div>
      <Subject subject={subject} />
      <p className="shrink-0 text-fg-2">
        <VisibleText>{because}</VisibleText>
        {alwaysRule !== null && (
          <>
            {' '}
            “Always allow” permits{' '}
            <code className="font-mono text-fg-1 text-xs wrap-anywhere">
              <CommandText>{alwaysRule}</CommandText>
            </code>{' '}
            from now on.
          </>
        )}
      </p>
      {!answerable ? (
        <p className="mt-1.5 text-fg-1">This conversation is open in another program. Answer there.</p>
      ) : denying ? (
        <FeedbackForm
          action="Deny"
          label={`Feedback for ${agentName}`}
          placeholder={`What should ${agentName} do instead? (optional)`}
          sending={state === 'sending'}
          onSend={(feedback) => answer('deny', feedback)}
          onBack={() => {
            setDenying(false)
            card.current?.focus()
          }}
        />
      ) : (
        <div className="flex shrink-0 flex-wrap gap-1.5 pt-[7px]">
          <Button disabled={state === 'sending'} onClick={() => answer('allow-once')}>
            Allow once <Kbd keys="A" />
          </Button>
          {alwaysRule !== null && (
            <Button disabled={state === 'sending'} onClick={() => answer('allow-always')}>
              Always allow <Kbd keys="Shift A" />
            </Button>
          )}
          <Button disabled={state === 'sending'} onClick={() => setDenying(true)}>
            Deny… <Kbd keys="D" />
          </Button>
        </div>
      )}
      {typeof state === 'object' && (
        <p role="alert" className="mt-1.5 shrink-0 text-bad">
          {state.failure}
        </p>
      )}
    </fieldset>
  )
}

/** The last part of a path; the tooltip has the whole path. */
function folderName(folder: string): string {
  return folder.split(/[\\/]/).findLast((part) => part !== '') ?? folder
}

/** The requested action in full, never cut. It is the only part that scrolls: reason and buttons stay in view. */
function Subject({ subject }: { readonly subject: PermissionSubject }) {
  if (subject.kind === 'diff')
    return (
      <div data-subject="" className="my-1.5 flex max-h-[38vh] min-h-0 flex-col rounded-[6px]">
        <DiffView patch={subject.text} label="Proposed change" shownLines={400} />
      </div>
    )
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      data-subject=""
      data-selectable=""
      className="my-1.5 max-h-[38vh] min-h-0 overflow-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-[5px] font-medium font-mono text-[0.71875rem] text-fg-0 leading-[1.5] wrap-anywhere"
    >
      <CommandText>{subject.text}</CommandText>
    </pre>
  )
}
