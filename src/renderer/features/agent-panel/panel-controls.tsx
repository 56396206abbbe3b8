/** The buttons of a panel, in its header. Drawn again only if one of them changes, not with every event. */
import { Copy, Maximize2, MessageSquare, Minimize2, Pin, PinOff, Search, Square, X } from 'lucide-react'
import { memo } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'

export interface PanelControlsProps {
  readonly onFind: () => void
  readonly onCopy: () => void
  /** These are left out where there is nothing to do. */
  readonly onWrite: (() => void) | undefined
  readonly onStop: (() => void) | undefined
  readonly onPin: (() => void) | undefined
  readonly isPinned: boolean
  readonly onFocus: (() => void) | undefined
  readonly isFocused: boolean
  readonly onClose: (() => void) | undefined
}

export const PanelControls = memo(function PanelControls(props: PanelControlsProps) {
  const { onFind, onCopy, onWrite, onStop, onPin, isPinned, onFocus, isFocused, onClose } = props
  return (
    <>
      {onPin && (
        <IconButton
          icon={isPinned ? PinOff : Pin}
          label={isPinned ? 'Let its place go to others' : 'Keep it in its place'}
          keys="P"
          pressed={isPinned}
          onClick={onPin}
        />
      )}
      {onWrite && <IconButton icon={MessageSquare} label="Write to it" keys="M" onClick={onWrite} />}
      <IconButton icon={Search} label="Find in it" keys="/" onClick={onFind} />
      <IconButton icon={Copy} label="Copy the transcript" onClick={onCopy} />
      {onFocus && (
        <IconButton
          icon={isFocused ? Minimize2 : Maximize2}
          label={isFocused ? 'Back to all panels' : 'Show it alone'}
          keys="F"
          onClick={onFocus}
        />
      )}
      {onStop && <IconButton icon={Square} label="Stop it" keys="S" onClick={onStop} />}
      {onClose && <IconButton icon={X} label="Close the panel" onClick={onClose} />}
    </>
  )
})
