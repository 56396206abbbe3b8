/** The bar above a definition: the file, the view, and the actions. */
import { CopyPlus, Ellipsis, FileSearch, Lock, Pencil, Trash2 } from 'lucide-react'
import { useKeysOf } from '../../stores/keys-store.ts'
import { revealPath } from '../../stores/overlay-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx'
import { Tooltip } from '../../ui/popover.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { lockReason, startRename, trashDefinition } from './definition-files.ts'
import { type OpenDefinition, showDialog, useEditor } from './editor-store.ts'
import { revertDefinition, saveDefinition } from './save-definition.ts'
import { shownDefinitionPath } from './shown-path.ts'

export type EditorView = 'form' | 'both' | 'source'

interface EditorBarProps {
  readonly opened: OpenDefinition
  readonly view: EditorView
  /** Whether the editor is too narrow for form and source side by side. */
  readonly isNarrow: boolean
  readonly onView: (view: EditorView) => void
  readonly onTryOut: () => void
  readonly onTest: () => void
}

export function EditorBar({ opened, view, isNarrow, onView, onTryOut, onTest }: EditorBarProps) {
  const { id, entry, base } = opened
  const folder = useEditor((state) => state.folder ?? '')
  const isUnsaved = useEditor((state) => state.unsaved.has(id))
  const path = shownDefinitionPath(entry, folder)
  const keysOf = useKeysOf()
  return (
    <div className="flex h-9 shrink-0 items-center gap-2 border-line border-b bg-bg-1 pr-2 pl-3">
      <h2
        title={entry.file ?? path}
        className="flex min-w-0 flex-1 items-center gap-1.5 font-medium font-mono text-fg-0 text-sm"
      >
        {/* Truncates the start of the path. */}
        <bdi className="min-w-0 truncate">{path}</bdi>
        {isUnsaved && (
          <span title="Not saved" className="size-1.5 shrink-0 rounded-full bg-fg-2">
            <span className="sr-only">not saved</span>
          </span>
        )}
        {entry.locked && (
          <Lock
            size={12}
            role="img"
            aria-label={`Locked: ${lockReason(entry)}`}
            className="shrink-0 text-fg-2"
          />
        )}
      </h2>
      <Segmented
        label="View"
        value={view}
        onChange={onView}
        options={[
          { value: 'form', label: 'Form' },
          { value: 'both', label: 'Both' },
          { value: 'source', label: 'Source' },
        ]}
      />
      <span aria-hidden="true" className={classNames('h-4 w-px bg-line', isNarrow && 'hidden')} />
      <Tooltip text="Runs the current text in a scratch conversation beside the editor">
        <Button onClick={onTryOut}>Try it…</Button>
      </Tooltip>
      <Tooltip
        text="Runs the current text at saved tasks, beside the version in use"
        keys={keysOf('test-agent')}
      >
        <Button onClick={onTest}>Test</Button>
      </Tooltip>
      {!entry.locked && (
        <>
          {isUnsaved && (
            <Button variant="quiet" onClick={() => void revertDefinition(id)}>
              {base === null ? 'Discard' : 'Revert'}
            </Button>
          )}
          <Tooltip text={isUnsaved ? 'Save to the file' : 'Nothing to save'} keys="Mod S">
            <Button
              variant="primary"
              disabled={!isUnsaved}
              focusableWhenDisabled
              onClick={() => void saveDefinition(id)}
            >
              Save
            </Button>
          </Tooltip>
        </>
      )}
      <MoreMenu opened={opened} />
    </div>
  )
}

function MoreMenu({ opened }: { readonly opened: OpenDefinition }) {
  const { id, entry } = opened
  const { file } = entry
  return (
    <Menu align="end" trigger={<IconButton label="More" icon={Ellipsis} size={26} />}>
      <MenuItem icon={CopyPlus} onSelect={() => showDialog({ kind: 'duplicate', id, source: 'project' })}>
        Duplicate to project…
      </MenuItem>
      <MenuItem icon={CopyPlus} onSelect={() => showDialog({ kind: 'duplicate', id, source: 'user' })}>
        Duplicate to user…
      </MenuItem>
      {!entry.locked && (
        <MenuItem icon={Pencil} onSelect={() => startRename(id)}>
          Rename…
        </MenuItem>
      )}
      {file !== null && (
        <MenuItem icon={FileSearch} onSelect={() => void revealPath(file)}>
          Show in file manager
        </MenuItem>
      )}
      {!entry.locked && (
        <>
          <MenuSeparator />
          <MenuItem icon={Trash2} danger onSelect={() => void trashDefinition(id)}>
            Move to trash
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
