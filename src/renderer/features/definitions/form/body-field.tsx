/** The body of a definition, which is the system prompt, as text or preview. */
import { memo, useId, useRef, useState } from 'react'
import { applyEdits } from '../../../../shared/agent-definition/agent-definition.ts'
import { bodyOf, oneEdit, setBody } from '../../../../shared/agent-definition/write-definition.ts'
import { Segmented } from '../../../ui/segmented.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { INPUT_CLASS } from '../../../ui/text-field.tsx'
import type { DefinitionDocument } from '../definition-document.ts'
import { useSettledText } from '../use-head.ts'
import { BodyPreview } from './body-preview.tsx'
import { useFieldDraft } from './form-context.ts'
import { typingProps } from './text-fields.tsx'

/** Characters of a long body. */
const LONG = 20_000

const VIEWS = [
  { value: 'text', label: 'Text' },
  { value: 'preview', label: 'Preview' },
] as const

interface BodyFieldProps {
  readonly document: DefinitionDocument
  readonly readOnly: boolean
}

/** Not of the form's context: a change of another field must not render a long text again. */
export const BodyField = memo(function BodyField({ document, readOnly }: BodyFieldProps) {
  const id = useId()
  const [isFocused, setFocused] = useState(false)
  const text = useSettledText(document, isFocused)
  const [view, setView] = useState<'text' | 'preview'>('text')
  const body = bodyOf(text) ?? ''
  const { lead, shown, trail } = splitBody(body)
  /** The blank lines around a body that was emptied; new text goes between them again. */
  const emptied = useRef<{ readonly lead: string; readonly trail: string; readonly text: string } | null>(
    null,
  )
  const write = (typed: string, focus: number) => {
    const content = splitBody(typed).shown
    const known = emptied.current?.text === document.text ? emptied.current : null
    const around = shown === '' ? (known ?? { lead: '\n', trail: '\n' }) : { lead, trail }
    const next = applyEdits(shown, oneEdit(withLineFeeds(shown), content))
    document.edit(setBody(document.text, around.lead + next + around.trail), { group: `body ${focus}` })
    emptied.current = content === '' ? { ...around, text: document.text } : null
  }
  const draft = useFieldDraft({
    value: withLineFeeds(shown),
    normalize: (typed) => splitBody(typed).shown,
    write,
  })
  const typing = typingProps(draft)
  return (
    <section className="flex flex-col gap-[5px] border-line border-t pt-3">
      <div className="flex items-center justify-between gap-3">
        <label htmlFor={id} className="text-fg-2 text-sm">
          Body
          <span className="pl-2 font-mono text-fg-2 text-xs">system prompt</span>
        </label>
        <Segmented label="Body view" value={view} options={VIEWS} onChange={setView} />
      </div>
      {view === 'text' ? (
        <textarea
          id={id}
          rows={8}
          readOnly={readOnly}
          placeholder="The agent’s role, how it works, and what it reports."
          {...typing}
          onFocus={() => {
            setFocused(true)
            typing.onFocus()
          }}
          onBlur={() => {
            setFocused(false)
            typing.onBlur()
          }}
          className={classNames(
            INPUT_CLASS,
            'resize-none whitespace-pre-wrap py-2 font-mono text-sm! leading-[1.6]',
            // A layer of its own, and no size that depends on the text: a key lays out and paints less.
            shown.length < LONG
              ? 'field-sizing-content max-h-[40rem] min-h-40'
              : 'h-[40rem] contain-content will-change-transform',
          )}
        />
      ) : (
        <BodyPreview text={shown} />
      )}
    </section>
  )
})

/** Separates the blank lines around the body from its content. */
function splitBody(body: string) {
  const lead = /^(?:[^\S\n]*\n)*/.exec(body)?.[0] ?? ''
  const rest = body.slice(lead.length)
  const shown = rest.trimEnd()
  return { lead: shown === '' ? '' : lead, shown, trail: shown === '' ? body : rest.slice(shown.length) }
}

/** A text area turns a lone carriage return into a line feed. */
const withLineFeeds = (text: string) => text.replaceAll('\r', '\n')
