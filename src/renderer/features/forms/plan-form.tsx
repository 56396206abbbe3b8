/** A plan to approve, and a page to open. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { FormContent } from '../../../shared/forms/form.ts'
import { command } from '../../bridge.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { type FormPartProps, ServerText } from './form-parts.tsx'

interface PlanFormProps extends FormPartProps<Extract<FormContent, { kind: 'plan' }>> {
  readonly renderMarkdown: (text: string) => ReactNode
}

export function PlanForm({
  form,
  draft,
  sending,
  send,
  decline,
  keys,
  leaveField,
  renderMarkdown,
}: PlanFormProps) {
  const [editing, setEditing] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (editing) field.current?.focus()
  }, [editing])
  const edited = draft.get('plan')
  const plan = typeof edited === 'string' ? edited : form.plan
  const isEmpty = plan.trim() === ''
  const approve = (mode: 'acceptEdits' | 'default') => {
    if (!isEmpty) send({ plan, mode })
  }
  const toggle = () => {
    setEditing(!editing)
    if (editing) leaveField()
  }
  keys.current = (event) => {
    const key = event.key.toLowerCase()
    if (key === 'a') approve(event.shiftKey ? 'default' : 'acceptEdits')
    else if (key === 'e') toggle()
    else return false
    return true
  }
  return (
    <>
      {editing ? (
        <textarea
          ref={field}
          dir="auto"
          aria-label="Plan"
          value={plan}
          maxLength={50_000}
          onChange={({ target }) => draft.set('plan', target.value)}
          className={`${INPUT_CLASS} h-[38vh] resize-none py-1.5 font-mono text-xs leading-[1.5]`}
        />
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
          tabIndex={0}
          aria-label="Plan"
          data-selectable=""
          className="max-h-[44vh] min-h-0 overflow-y-auto rounded-sm bg-bg-0 px-2.5 py-2"
        >
          {renderMarkdown(plan)}
        </section>
      )}
      {isEmpty && <p className="shrink-0 text-bad">The plan is empty.</p>}
      <div className="flex shrink-0 flex-wrap gap-1.5 pt-0.5">
        <Button disabled={sending || isEmpty} onClick={() => approve('acceptEdits')}>
          Approve, accept edits <Kbd keys="A" />
        </Button>
        <Button disabled={sending || isEmpty} onClick={() => approve('default')}>
          Approve, ask for each <Kbd keys="Shift A" />
        </Button>
        <Button disabled={sending} onClick={decline}>
          Keep planning… <Kbd keys="D" />
        </Button>
        <Button disabled={sending} variant="quiet" onClick={toggle}>
          {editing ? 'Preview' : 'Edit'} <Kbd keys="E" />
        </Button>
        {plan !== form.plan && !isEmpty && <span className="self-center text-fg-2 text-xs">Edited</span>}
      </div>
    </>
  )
}

/** A page that an MCP server asks the user to open. It opens only when the user agrees; then the user confirms. */
export function PageForm(props: FormPartProps<Extract<FormContent, { kind: 'elicitation-url' }>>) {
  const { form, sending, send, decline, keys } = props
  const [state, setState] = useState<'unopened' | 'opened' | { readonly failure: string }>('unopened')
  const isOpened = state === 'opened'
  const host = URL.canParse(form.url) ? new URL(form.url).host : null
  const open = () => {
    void command('system.openLink', { url: form.url }).then((answer) =>
      setState(answer.ok ? 'opened' : { failure: answer.failure.message }),
    )
  }
  keys.current = (event) => {
    if (event.key.toLowerCase() === 'o') open()
    else if (event.key === 'Enter' && isOpened) send({})
    else return false
    return true
  }
  return (
    <>
      <ServerText server={form.server} message={form.message} />
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        data-selectable=""
        className="max-h-[20vh] shrink-0 overflow-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-[5px] font-mono text-fg-0 text-xs wrap-anywhere"
      >
        <VisibleText>{form.url}</VisibleText>
      </pre>
      <p className="shrink-0 text-fg-2">
        {isOpened
          ? 'The page was opened in your browser. Confirm when you are done there.'
          : `Opens in your browser${host === null ? '' : `, at ${host}`}. What you enter there goes to that site, not to Troupe or the model.`}
      </p>
      {typeof state === 'object' && (
        <p role="alert" className="shrink-0 text-bad">
          {state.failure}
        </p>
      )}
      <div className="flex shrink-0 flex-wrap gap-1.5 pt-0.5">
        {isOpened && (
          <Button disabled={sending} onClick={() => send({})}>
            Done <Kbd keys="Enter" />
          </Button>
        )}
        <Button disabled={sending} onClick={open}>
          {isOpened ? 'Open again' : 'Open page'} <Kbd keys="O" />
        </Button>
        <Button disabled={sending} onClick={decline}>
          Decline <Kbd keys="D" />
        </Button>
      </div>
    </>
  )
}
