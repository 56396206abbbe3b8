import { type KeyboardEvent, useEffect, useRef } from 'react'
import { classNames } from '../../ui/text/class-names.ts'

interface TitleFieldProps {
  readonly title: string
  /** The new title, or null if the user canceled. */
  readonly onDone: (title: string | null) => void
  readonly className?: string
}

/** Renames a title in place: Enter and losing the focus keep the new title, Escape cancels. */
export function TitleField({ title, onDone, className }: TitleFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const done = useRef(false)
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  const finish = (next: string | null) => {
    if (done.current) return
    done.current = true
    onDone(next === null || next.trim() === '' ? null : next.trim())
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') finish(event.currentTarget.value)
    else if (event.key === 'Escape') finish(null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <input
      aria-label="Title"
      dir="auto"
      defaultValue={title}
      maxLength={200}
      ref={field}
      onKeyDown={onKeyDown}
      onBlur={(event) => finish(event.currentTarget.value)}
      className={classNames(
        'h-6 w-full rounded-sm border border-accent bg-bg-0 px-1.5 text-fg-0 text-sm outline-none',
        className,
      )}
    />
  )
}
