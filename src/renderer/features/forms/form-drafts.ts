/** What the user has entered in open forms. Kept here, so that it survives when a panel is closed or moved. */
import { useCallback } from 'react'
import { create } from 'zustand'

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
