/** The images and the long pasted texts of the draft. */
import { FileText, X } from 'lucide-react'
import { useState } from 'react'
import { LONGEST_MESSAGE, lineCount } from '../../../shared/messages/pasted-text.ts'
import { changeDraft, type Draft, type PastedText, useDraft } from '../../stores/draft-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { classNames } from '../../ui/text/class-names.ts'

interface AttachmentsProps {
  readonly draftKey: string
  /** Puts a pasted text into the text field. */
  readonly onInsert: (pasted: PastedText) => void
  /** Returns the focus to the text field after an attachment is gone. */
  readonly onRemoved: () => void
}

const CLOSE =
  'grid size-[18px] place-items-center rounded-full border border-line-strong bg-bg-3 text-fg-1 hover:text-fg-0'

export function Attachments({ draftKey, onInsert, onRemoved }: AttachmentsProps) {
  const draft = useDraft(draftKey)
  const [openKey, setOpenKey] = useState<string | null>(null)
  const { images, pasted } = draft
  const opened = pasted.find(({ key }) => key === openKey)
  if (images.length + pasted.length === 0) return null
  const remove = (key: string) => {
    changeDraft(draftKey, withoutAttachment(draft, key))
    onRemoved()
  }
  return (
    <>
      <ul aria-label="Attachments" className="flex max-h-40 flex-wrap gap-2 overflow-y-auto pt-1.5 pb-2">
        {images.map(({ key, name, block }) => (
          <li key={key} className="relative">
            <img
              src={`data:${block.source.media_type};base64,${block.source.data}`}
              alt={name}
              className="size-14 rounded-md border border-line object-cover"
            />
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={() => remove(key)}
              className={`${CLOSE} -top-1.5 -right-1.5 absolute`}
            >
              <X size={11} aria-hidden="true" />
            </button>
          </li>
        ))}
        {pasted.map((text) => (
          <li
            key={text.key}
            className="flex h-[26px] items-center rounded-md border border-line bg-bg-2 pr-1 text-sm"
          >
            <button
              type="button"
              aria-haspopup="dialog"
              onClick={() => setOpenKey(text.key)}
              className={classNames(
                'flex h-full items-center gap-1.5 rounded-md px-2 hover:bg-bg-3 hover:text-fg-0',
                text.text.length > LONGEST_MESSAGE ? 'text-bad' : 'text-fg-1',
              )}
            >
              <FileText size={13} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
              {pastedTitle(text)}
            </button>
            <button
              type="button"
              aria-label="Remove pasted text"
              onClick={() => remove(text.key)}
              className="grid size-[18px] place-items-center rounded-sm text-fg-2 hover:bg-bg-3 hover:text-fg-0"
            >
              <X size={11} aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
      <PastedDialog
        pasted={opened ?? null}
        onClose={() => setOpenKey(null)}
        onInsert={onInsert}
        onRemove={remove}
      />
    </>
  )
}

export function withoutAttachment({ images, pasted }: Draft, key: string): Pick<Draft, 'images' | 'pasted'> {
  return {
    images: images.filter((image) => image.key !== key),
    pasted: pasted.filter((text) => text.key !== key),
  }
}

/** Characters shown at first, and with each press of "Show more". */
const PART = 50_000
/** A text field with more characters makes typing slow. */
const LONGEST_INSERT = 100_000

interface PastedDialogProps {
  /** Null: closed. */
  readonly pasted: PastedText | null
  readonly onClose: () => void
  readonly onInsert: (pasted: PastedText) => void
  readonly onRemove: (key: string) => void
}

function PastedDialog({ pasted, onClose, onInsert, onRemove }: PastedDialogProps) {
  const tooLong = pasted !== null && pasted.text.length > LONGEST_INSERT
  const then = (act: (pasted: PastedText) => void) => () => {
    onClose()
    if (pasted !== null) act(pasted)
  }
  return (
    <Dialog
      open={pasted !== null}
      onClose={onClose}
      title={pasted === null ? 'Pasted text' : pastedTitle(pasted)}
      description={tooLong ? 'Too long for the text field. It is sent as it is.' : undefined}
      width={720}
      actions={
        <>
          <Button onClick={then(({ key }) => onRemove(key))}>Remove</Button>
          <Button disabled={tooLong} onClick={then(onInsert)}>
            Insert as text
          </Button>
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {pasted !== null && <Preview key={pasted.key} text={pasted.text} />}
    </Dialog>
  )
}

function Preview({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(PART)
  return (
    <>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable with the keyboard
        tabIndex={0}
        data-selectable=""
        className="max-h-[44vh] overflow-y-auto whitespace-pre-wrap rounded-md border border-line bg-bg-0 p-2.5 font-mono text-fg-1 text-xs [overflow-wrap:anywhere] focus-visible:-outline-offset-2"
      >
        {text.slice(0, shown)}
      </pre>
      {shown < text.length && (
        <Button variant="quiet" className="mt-2" onClick={() => setShown(shown + PART)}>
          Show more
        </Button>
      )}
    </>
  )
}

/** "Pasted text · 1,204 lines"; without line breaks the number of characters. */
function pastedTitle({ text }: PastedText): string {
  const lines = lineCount(text)
  const [amount, unit] = lines === 1 ? [text.length, 'character'] : [lines, 'line']
  return `Pasted text · ${amount.toLocaleString('en')} ${unit}${amount === 1 ? '' : 's'}`
}
