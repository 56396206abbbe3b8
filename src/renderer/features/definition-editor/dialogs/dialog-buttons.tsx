/** The two ways out of a dialog with a form: leave it, or send it. */
import { Button } from '../../../ui/button.tsx'

interface DialogButtonsProps {
  /** The words on the button that sends. */
  readonly label: string
  readonly canSend: boolean
  /** The id of the form, where they stand outside of it. */
  readonly form?: string
  readonly onCancel: () => void
}

export function DialogButtons({ label, canSend, form, onCancel }: DialogButtonsProps) {
  return (
    <>
      <Button size="md" onClick={onCancel}>
        Cancel
      </Button>
      <Button size="md" variant="primary" type="submit" form={form} disabled={!canSend} focusableWhenDisabled>
        {label}
      </Button>
    </>
  )
}
