/** The button in the first line of a change that takes the change back. The keyboard has B instead. */
import { Undo2 } from 'lucide-react'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'

interface TakeBackButtonProps {
  /** Whether the cursor is on the change. Otherwise the button appears under the pointer. */
  readonly isShown: boolean
  readonly onClick: () => void
}

export function TakeBackButton({ isShown, onClick }: TakeBackButtonProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows are rendered as needed, which <td> does not allow
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus and names the active row
    <span
      role="gridcell"
      className={classNames(
        'absolute top-0 right-1 flex h-full max-h-6 items-center font-sans opacity-0 group-hover/row:opacity-100',
        isShown && 'group-focus/grid:opacity-100',
      )}
    >
      <IconButton
        icon={Undo2}
        label="Take back this change"
        keys="B"
        tabIndex={-1}
        className="bg-bg-2"
        onClick={(event) => {
          event.stopPropagation()
          onClick()
        }}
      />
    </span>
  )
}
