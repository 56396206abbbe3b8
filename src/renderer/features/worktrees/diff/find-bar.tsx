/** The search field above the lines of a diff. */
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { FindBar } from '../../../ui/find-bar.tsx'
import { closeReviewFind, useReviewFind } from '../diff-options.ts'
import type { DiffFind } from './use-find.ts'

interface DiffFindBarProps {
  readonly find: DiffFind
  readonly path: string
  /** Moves the focus back to the lines. */
  readonly onLeave: () => void
}

export function DiffFindBar({
  find: { text, total, number, setText, move },
  path,
  onLeave,
}: DiffFindBarProps) {
  const field = useRef<HTMLInputElement>(null)
  const wantsFocus = useReviewFind((state) => state.wantsFocus)
  useEffect(() => {
    if (!wantsFocus) return
    field.current?.focus()
    field.current?.select()
    useReviewFind.setState({ wantsFocus: false })
  }, [wantsFocus])
  const close = () => {
    closeReviewFind()
    onLeave()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return
    close()
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <FindBar
      label={`Find in ${path}`}
      fieldLabel="Find in this file"
      placeholder="Find in this file"
      className="flex shrink-0 items-center gap-1 border-line border-b bg-bg-1 px-3 py-1"
      fieldClassName="w-56"
      statusClassName="min-w-20"
      text={text ?? ''}
      onText={setText}
      onMove={move}
      onClose={close}
      {...{ field, total, number, onKeyDown }}
    />
  )
}
