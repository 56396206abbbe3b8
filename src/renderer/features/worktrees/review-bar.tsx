/** The toolbar above the diff: the file, the diff options, and the actions on the worktree. */
import {
  ArrowDown,
  ArrowUp,
  Check,
  ChevronDown,
  Columns2,
  Copy,
  Ellipsis,
  FileCode,
  FolderInput,
  FolderOpen,
  PanelRight,
  Pilcrow,
  SquareTerminal,
  Trash2,
  Undo2,
  UnfoldVertical,
  WrapText,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { openFile, openTerminal, revealPath, showNotice } from '../../stores/overlay-store.ts'
import { showReviewDialog, useReview } from '../../stores/review-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Tooltip } from '../../ui/popover.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import { count } from '../../ui/text/format.ts'
import { PathText } from '../../ui/text/visible-text.tsx'
import type { DiffOptions } from './diff-options.ts'
import { MergeButton } from './merge-button.tsx'
import { carryOver } from './review-actions.ts'
import { draftKeyOf, useReviewDraft } from './review-comments.ts'

interface ReviewBarProps {
  readonly folder: string
  readonly worktree: ReviewWorktree
  /** The file in the diff; null when no file is shown. */
  readonly path: string | null
  readonly options: DiffOptions
  readonly onOptionsChange: (change: Partial<DiffOptions>) => void
  readonly onGoToChange: (direction: 1 | -1) => void
  /** Shows the agent's conversation. */
  readonly onShowAgent: () => void
  /** Takes the file back; null: not possible now. */
  readonly onTakeBack: (() => void) | null
  /** Whether the file is marked as viewed. */
  readonly viewed: boolean
  readonly onToggleViewed: () => void
  /** The button of the pull request. */
  readonly pullRequest: ReactNode
}

export function ReviewBar(props: ReviewBarProps) {
  const { folder, worktree, path, options } = props
  const { comments, editing } = useReviewDraft(draftKeyOf(folder, worktree.id))
  const busy = useReview((state) => state.busy.has(worktree.id))
  const toSend = comments.length + (editing !== null && editing.text.trim() !== '' ? 1 : 0)
  return (
    <div role="toolbar" aria-label="Review" className="@container h-9 shrink-0 border-line border-b bg-bg-1">
      <div className="flex h-full items-center gap-2 px-3 @max-[24rem]:gap-1 @max-[24rem]:px-2">
        <div className="flex min-w-0 flex-1 items-center gap-2 @max-[24rem]:flex-none @max-[24rem]:gap-1">
          {path !== null && (
            <>
              <h2
                className="min-w-0 truncate @max-[24rem]:sr-only font-mono font-semibold text-fg-0 text-sm"
                title={path}
              >
                <PathText path={path} />
              </h2>
              <OptionsMenu {...props} />
              <IconButton
                icon={Check}
                label="Viewed"
                keys="V"
                pressed={props.viewed}
                onClick={props.onToggleViewed}
              />
              {options.ignoreWhitespace && (
                <span className="min-w-0 truncate text-fg-2 text-sm">ignoring whitespace</span>
              )}
            </>
          )}
        </div>
        <div className="flex shrink-0 items-center gap-2 @max-[24rem]:min-w-0 @max-[24rem]:shrink @max-[24rem]:gap-1">
          <span className={ROOMY}>
            <IconButton
              icon={FolderOpen}
              label="Open folder"
              keys="O"
              size={26}
              disabled={worktree.folderGone}
              focusableWhenDisabled
              onClick={() => void revealPath(worktree.path)}
            />
          </span>
          <Tooltip text="Send your comments to the agent" keys="A">
            <Button onClick={() => showReviewDialog({ kind: 'ask', id: worktree.id })}>
              <span>
                Ask<span className="@max-[24rem]:sr-only"> agent</span>…
              </span>
              {toSend > 0 && (
                <span className="rounded-full bg-bg-1 px-1.5 font-mono text-xs">
                  {toSend}
                  <span className="sr-only"> {toSend === 1 ? 'comment' : 'comments'}</span>
                </span>
              )}
            </Button>
          </Tooltip>
          {props.pullRequest}
          <MergeButton folder={folder} worktree={worktree} />
          <span className={ROOMY}>
            <Tooltip text="Remove the folder and the branch" keys="D">
              <Button
                variant="danger"
                className="ml-1"
                disabled={busy}
                focusableWhenDisabled
                onClick={() => showReviewDialog({ kind: 'discard', id: worktree.id })}
              >
                Discard…
              </Button>
            </Tooltip>
          </span>
          <MoreMenu {...props} />
        </div>
      </div>
    </div>
  )
}

/** Where the bar is narrow, these controls are only in the menu: the bar is always one row. */
const ROOMY = 'flex @max-[44rem]:hidden'

const LAYOUTS = [
  { value: 'split', label: 'Side by side' },
  { value: 'unified', label: 'Unified' },
] as const

function OptionsMenu({ options, onOptionsChange, onGoToChange }: ReviewBarProps) {
  const { layout, ignoreWhitespace, whole, wrap } = options
  const label = LAYOUTS.find(({ value }) => value === layout)?.label ?? ''
  return (
    <Menu
      trigger={
        <ChipButton aria-label={`Diff options: ${label}`}>
          <Columns2 size={13} aria-hidden="true" className="hidden @max-[44rem]:block" />
          <span className="@max-[44rem]:hidden">{label}</span>
          <ChevronDown size={11} aria-hidden="true" className="@max-[24rem]:hidden" />
        </ChipButton>
      }
    >
      <MenuChoice value={layout} options={LAYOUTS} onChange={(next) => onOptionsChange({ layout: next })} />
      <MenuSeparator />
      <MenuItem icon={ArrowDown} keys="N" onSelect={() => onGoToChange(1)}>
        Next change
      </MenuItem>
      <MenuItem icon={ArrowUp} keys="P" onSelect={() => onGoToChange(-1)}>
        Previous change
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        icon={Pilcrow}
        keys="W"
        onSelect={() => onOptionsChange({ ignoreWhitespace: !ignoreWhitespace })}
      >
        {ignoreWhitespace ? 'Show whitespace' : 'Ignore whitespace'}
      </MenuItem>
      <MenuItem icon={UnfoldVertical} keys="X" onSelect={() => onOptionsChange({ whole: !whole })}>
        {whole ? 'Show changes only' : 'Show whole file'}
      </MenuItem>
      <MenuItem icon={WrapText} keys="L" onSelect={() => onOptionsChange({ wrap: !wrap })}>
        {wrap ? 'Don’t wrap lines' : 'Wrap lines'}
      </MenuItem>
    </Menu>
  )
}

function MoreMenu({ folder, worktree, path, onShowAgent, onTakeBack }: ReviewBarProps) {
  const dirty = useSession((state) => state.folder?.dirtyFiles ?? 0)
  const busy = useReview((state) => state.busy.has(worktree.id))
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label="More" size={26} />}>
      <MenuItem icon={PanelRight} onSelect={onShowAgent}>
        Show agent
      </MenuItem>
      <MenuItem
        icon={FolderOpen}
        keys="O"
        disabled={worktree.folderGone}
        onSelect={() => void revealPath(worktree.path)}
      >
        Open folder
      </MenuItem>
      <MenuItem
        icon={SquareTerminal}
        disabled={worktree.folderGone}
        onSelect={() => void openTerminal(worktree.path)}
      >
        Open terminal
      </MenuItem>
      {path !== null && (
        <MenuItem
          icon={FileCode}
          disabled={worktree.folderGone}
          onSelect={() => void openFile(worktree.path, path)}
        >
          Open in editor
        </MenuItem>
      )}
      {path !== null && (
        <MenuItem icon={Undo2} keys="B" disabled={onTakeBack === null} onSelect={() => onTakeBack?.()}>
          Take back this file
        </MenuItem>
      )}
      <MenuSeparator />
      <MenuItem
        icon={FolderInput}
        disabled={dirty === 0 || worktree.folderGone}
        onSelect={() => void carryOver(folder, worktree.id)}
      >
        {dirty === 0
          ? 'Carry over (no uncommitted changes)'
          : `Carry over ${count(dirty, 'uncommitted file')}`}
      </MenuItem>
      <MenuItem icon={Copy} onSelect={() => void copyBranch(worktree.branch)}>
        Copy branch name
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        icon={Trash2}
        keys="D"
        disabled={busy}
        onSelect={() => showReviewDialog({ kind: 'discard', id: worktree.id })}
      >
        Discard…
      </MenuItem>
    </Menu>
  )
}

async function copyBranch(branch: string): Promise<void> {
  const copied = await copyText(branch)
  showNotice(
    copied
      ? { level: 'info', text: 'Copied.' }
      : { level: 'error', text: 'Could not copy to the clipboard.' },
  )
}
