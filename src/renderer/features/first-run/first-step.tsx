import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'

interface FirstStepProps {
  readonly title: string
  readonly text: string
  /** Above the title. */
  readonly picture?: ReactNode
  /** Goes back. Absent: Escape does nothing here. */
  readonly onEscape?: (() => void) | undefined
  readonly children: ReactNode
}

/**
 * The frame of each question before the first conversation. The title gets the focus, so that the next Tab reaches the
 * first answer, and no Enter that was meant for the last question answers this one.
 */
export function FirstStep({ title, text, picture, onEscape, children }: FirstStepProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing || event.defaultPrevented) return
    event.preventDefault()
    onEscape?.()
  }
  return (
    <main className="grid min-h-0 overflow-y-auto" onKeyDown={onKeyDown}>
      <div className="mx-auto mt-[max(24px,12vh)] mb-auto w-[540px] max-w-full px-6 pb-10">
        {picture}
        <h1
          ref={heading}
          tabIndex={-1}
          className="font-semibold text-fg-0 text-xl tracking-[-0.01em] outline-none"
        >
          {title}
        </h1>
        <p className="pt-1.5 pb-5 text-fg-1 text-md">{text}</p>
        {children}
      </div>
    </main>
  )
}
