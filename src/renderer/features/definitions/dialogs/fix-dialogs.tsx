/** Shows what a fix changes before it is made: edits of the text, or another encoding of the file. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import { useMemo } from 'react'
import { applyEdits } from '../../../../shared/agent-definition/agent-definition.ts'
import { showNotice } from '../../../stores/overlay-store.ts'
import { DiffView } from '../../../ui/diff-view.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { count } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { type EditorDialog, openedOf, showDialog, useEditor } from '../editor-store.ts'
import { saveDefinition } from '../save-definition.ts'

type FixDialogProps = Omit<Extract<EditorDialog, { readonly kind: 'fix' }>, 'kind'>

export function FixDialog({ id, text, problem, fix }: FixDialogProps) {
  const patch = useMemo(() => {
    const fixed = applyEdits(text, fix.edits)
    return formatPatch(structuredPatch('', '', text, fixed, '', '', { context: 3 }), OMIT_HEADERS)
  }, [text, fix])
  const close = () => showDialog(null)
  const apply = () => {
    close()
    const document = openedOf(id)?.document
    if (document === undefined) return
    // The file may have changed on disk under the dialog.
    if (document.text === text) document.edit(fix.edits)
    else showNotice({ level: 'info', text: 'The text changed meanwhile, so nothing was fixed. Try again.' })
  }
  return (
    <FormDialog
      onClose={close}
      title={fix.label}
      description={problem.message}
      label="Fix"
      width={640}
      isReady
      busy={false}
      onSubmit={apply}
    >
      <div className="grid max-h-80">
        <DiffView patch={patch} label={`Changes: ${fix.label}`} />
      </div>
      <p className="text-fg-2 text-sm">Undo takes it back. The file changes when you save.</p>
    </FormDialog>
  )
}

/** Lines that are shown for a check. */
const MOST_LINES = 8

export function ConvertDialog({ id }: { readonly id: string }) {
  const opened = useEditor((state) => state.opened.get(id))
  const text = opened?.document.text ?? ''
  const lines = useMemo(
    () =>
      text
        .split('\n')
        .flatMap((line, at) => (/[^\u0000-\u007f]/u.test(line) ? [{ line, number: at + 1 }] : [])),
    [text],
  )
  if (opened === undefined || opened.notUtf8 === null) return null
  const { encoding } = opened.notUtf8
  const close = () => showDialog(null)
  const convert = () => {
    close()
    void saveDefinition(id, { converts: true })
  }
  return (
    <FormDialog
      onClose={close}
      title="Save as UTF-8"
      description={`The file is ${encoding}. It is written as UTF-8, and its text stays as it is here${text === opened.base ? '' : ', with your unsaved changes'}.`}
      label="Save as UTF-8"
      width={640}
      isReady
      busy={false}
      onSubmit={convert}
    >
      {lines.length === 0 ? (
        <p className="text-fg-1 text-sm">It has plain ASCII characters only.</p>
      ) : (
        <section aria-label="Lines to check" className="grid gap-1 text-sm">
          <p className="text-fg-1">
            {`${count(lines.length, 'line')} with other characters${lines.length > MOST_LINES ? `, the first ${MOST_LINES} of them` : ''}. Are they right?`}
          </p>
          <ul className="grid max-h-60 gap-0.5 overflow-y-auto rounded-[6px] bg-bg-0 px-2.5 py-1.5 font-mono text-xs">
            {lines.slice(0, MOST_LINES).map(({ line, number }) => (
              <li key={number} className="grid grid-cols-[3ch_minmax(0,1fr)] gap-2">
                <span className="text-right text-fg-2">{number}</span>
                <span className="break-words text-fg-0">
                  <VisibleText>{line.trimEnd()}</VisibleText>
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p className="text-fg-2 text-sm">Undo in the notice brings the former bytes back.</p>
    </FormDialog>
  )
}
