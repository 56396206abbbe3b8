/** Cancel and submit for a dialog with a form. */
import { Button } from '../../../ui/button.tsx'

interface DialogButtonsProps {
  /** Label of the submit button. */
  readonly label: string
  readonly canSend: boolean
  /** The id of the form, if the buttons are outside the form. */
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
