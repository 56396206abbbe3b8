/** The contract between a form's card and the part for its kind. */
import type { KeyboardEvent } from 'react'
import type { FormDraft } from './form-drafts.ts'

export interface FormPartProps<Form> {
  readonly form: Form
  readonly draft: FormDraft
  readonly sending: boolean
  readonly send: (values: Readonly<Record<string, unknown>>) => void
  /** Opens the field for feedback, or declines at once where the kind has no feedback. */
  readonly decline: () => void
  /** Sets the keys of the part. They work while the card has the focus, outside text fields. */
  readonly keys: { current: (event: KeyboardEvent) => boolean }
  /** Gives the focus back to the card. */
  readonly leaveField: () => void
}

/** Whether the target takes text, so that keys belong to it. */
export function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'radio' && target.type !== 'checkbox'
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

/** Whether a key press activates the button or link that has the focus. */
export function activates(event: KeyboardEvent): boolean {
  const { target, key } = event
  return key === 'Enter' && target instanceof Element && target.closest('button, a') !== null
}
