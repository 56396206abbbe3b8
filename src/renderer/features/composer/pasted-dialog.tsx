/** A look at a long pasted text. */
import { useState } from 'react'
import type { PastedText } from '../../stores/draft-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { pastedTitle } from './pasted-title.ts'

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

export function PastedDialog({ pasted, onClose, onInsert, onRemove }: PastedDialogProps) {
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
