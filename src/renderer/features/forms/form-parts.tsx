/** What the kinds of forms share: their drafts, the text of a server, and the props of a part. */
import { type KeyboardEvent, useCallback } from 'react'
import { create } from 'zustand'
import { VisibleText } from '../../ui/text/visible-text.tsx'

// The contract between a form's card and the part for its kind.

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

/** What the user has entered in open forms. Kept here, so that it survives when a panel is closed or moved. */
export type DraftValue = string | boolean | readonly string[]
type Draft = ReadonlyMap<string, DraftValue>

const NONE: Draft = new Map()

const useDrafts = create<{ readonly drafts: ReadonlyMap<string, Draft> }>()(() => ({ drafts: new Map() }))

export interface FormDraft {
  readonly get: (name: string) => DraftValue | undefined
  /** An empty string where there is no text. */
  readonly text: (name: string) => string
  readonly set: (name: string, value: DraftValue) => void
}

/** The same draft wherever the form is shown. */
export function useFormDraft(formId: string): FormDraft {
  const draft = useDrafts((state) => state.drafts.get(formId) ?? NONE)
  const set = useCallback(
    (name: string, value: DraftValue) =>
      useDrafts.setState(({ drafts }) => ({
        drafts: new Map(drafts).set(formId, new Map(drafts.get(formId)).set(name, value)),
      })),
    [formId],
  )
  return {
    get: (name) => draft.get(name),
    text: (name) => {
      const value = draft.get(name)
      return typeof value === 'string' ? value : ''
    },
    set,
  }
}

/** Forgets the draft of a form that was answered. */
export function dropFormDraft(formId: string): void {
  useDrafts.setState(({ drafts }) => ({ drafts: new Map([...drafts].filter(([id]) => id !== formId)) }))
}

/** The text of an MCP server that asks for something, marked as the server's. */
export function ServerText({ server, message }: { readonly server: string; readonly message: string }) {
  return (
    <p className="max-h-[20vh] shrink-0 overflow-y-auto text-fg-1 wrap-anywhere" data-selectable="">
      The MCP server{' '}
      <b className="font-medium text-fg-0">
        <VisibleText>{server}</VisibleText>
      </b>{' '}
      asks:{' '}
      <span className="whitespace-pre-wrap text-fg-0">
        <VisibleText>{message}</VisibleText>
      </span>
    </p>
  )
}
