/** A dialog with a form: the fields, Cancel and the button that submits them, one submission at a time. */
import {
  type ComponentProps,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Spinner } from './spinner.tsx'

interface SubmitButtonProps {
  /** The text of the button that submits. */
  readonly label: ReactNode
  /** False disables the button; the form shows the reason. */
  readonly isReady: boolean
  /** Whether a submission is running. */
  readonly busy: boolean
  readonly variant?: 'primary' | 'danger'
}

interface FormDialogProps
  extends SubmitButtonProps,
    Omit<ComponentProps<typeof Dialog>, 'open' | 'actions' | 'children'> {
  readonly open?: boolean
  /** Called when the form is ready and no submission is running. */
  readonly onSubmit: () => void
  /** Another way out, between Cancel and the button that submits. */
  readonly otherAction?: ReactNode
  readonly children: ReactNode
}

/** Enter submits; in a text of several lines Ctrl or Cmd with Enter. Escape and Cancel close it. */
export function FormDialog({
  open = true,
  label,
  isReady,
  busy,
  variant = 'primary',
  onSubmit,
  otherAction,
  children,
  ...dialog
}: FormDialogProps) {
  const form = useId()
  return (
    <Dialog
      open={open}
      {...dialog}
      actions={
        <>
          <Button size="md" onClick={dialog.onClose}>
            Cancel
          </Button>
          {otherAction}
          <SubmitButton {...{ label, isReady, busy, variant, form }} />
        </>
      }
    >
      <Form id={form} canSubmit={isReady && !busy} onSubmit={onSubmit}>
        {children}
      </Form>
    </Dialog>
  )
}

interface FormProps {
  readonly id?: string
  readonly canSubmit: boolean
  readonly onSubmit: () => void
  readonly children: ReactNode
}

/** The form of a dialog. Its button may stand outside, with the id of the form. */
export function Form({ id, canSubmit, onSubmit, children }: FormProps) {
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (canSubmit) onSubmit()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.defaultPrevented || event.nativeEvent.isComposing) return
    const { target } = event
    const isLine = target instanceof HTMLInputElement && !['checkbox', 'radio'].includes(target.type)
    if (isLine || (target instanceof HTMLTextAreaElement && (event.ctrlKey || event.metaKey))) submit(event)
  }
  return (
    <form id={id} onSubmit={submit} onKeyDown={onKeyDown} className="grid gap-3">
      {children}
    </form>
  )
}

/** Submits the form around it, or the one with this id. */
export function SubmitButton({
  label,
  isReady,
  busy,
  variant = 'primary',
  form,
}: SubmitButtonProps & { readonly form?: string }) {
  return (
    <Button
      size="md"
      variant={variant}
      type="submit"
      form={form}
      disabled={!isReady || busy}
      focusableWhenDisabled
    >
      {busy && <Spinner size={11} />}
      {label}
    </Button>
  )
}

/** Why the command of a dialog failed, as the main process worded it. Announced when it appears. */
export function DialogError({ message }: { readonly message: string | null }) {
  const box = useRef<HTMLDivElement>(null)
  // In a dialog taller than the window the message would be out of view.
  useEffect(() => {
    if (message !== null) box.current?.scrollIntoView?.({ block: 'nearest' })
  }, [message])
  return (
    <div ref={box} aria-live="polite" className="grid justify-items-start gap-3 empty:hidden">
      {message !== null && (
        <p
          data-selectable=""
          className="max-h-48 w-full overflow-y-auto whitespace-pre-wrap rounded-md border border-bad/50 bg-bad/8 px-3 py-2 text-fg-0 text-sm wrap-anywhere"
        >
          {message}
        </p>
      )}
    </div>
  )
}

/** Why the command of a dialog failed, as one line of its form. */
export function FormFailure({ message }: { readonly message: string | null }) {
  return (
    <p
      role="alert"
      data-selectable=""
      className="whitespace-pre-wrap text-bad text-sm wrap-anywhere empty:hidden"
    >
      {message}
    </p>
  )
}
