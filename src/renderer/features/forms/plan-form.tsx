/** A plan, as markdown or as editable text, with the approval and the modes to continue in. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { FormContent } from '../../../shared/forms/form.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import type { FormPartProps } from './form-part.ts'

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
