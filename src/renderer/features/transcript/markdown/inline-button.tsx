/**
 * A link or button inside text. Real buttons are boxes: a long path in one would not wrap with its line. Real links could
 * be dragged, opened with the middle button or followed by the browser.
 */
import type { KeyboardEvent, ReactNode } from 'react'

interface InlineButtonProps {
  readonly role: 'button' | 'link'
  readonly title: string
  readonly className: string | undefined
  readonly onPress: () => void
  readonly children: ReactNode
}

export function InlineButton({ role, title, className, onPress, children }: InlineButtonProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && !(event.key === ' ' && role === 'button')) return
    event.preventDefault()
    onPress()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the role is one of two
    <span
      role={role}
      tabIndex={0}
      title={title}
      className={className}
      // The end of a selection is no press.
      onClick={() => getSelection()?.isCollapsed !== false && onPress()}
      onKeyDown={onKeyDown}
    >
      {children}
    </span>
  )
}
