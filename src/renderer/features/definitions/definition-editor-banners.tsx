/** Banners above a definition: changed or deleted on disk, recovered, locked. */
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { lockReason } from './definition-files.ts'
import { changeOpened, type OpenDefinition, showDialog, useEditor } from './editor-store.ts'
import { closeWithUndo, keepWithoutFile, revertDefinition } from './save-definition.ts'

export function EditorBanners({ opened }: { readonly opened: OpenDefinition }) {
  const { id, entry, onDisk, recovered, base } = opened
  if (onDisk.kind === 'changed')
    return (
      <Banner
        needsYou
        message="The file changed on disk while you edited it. Nothing was overwritten."
        actions={
          <Button
            variant="primary"
            onClick={() => useEditor.setState({ comparing: { id, thenSave: false } })}
          >
            Compare
          </Button>
        }
      />
    )
  if (onDisk.kind === 'gone')
    return (
      <Banner
        needsYou
        message="The file was deleted on disk. Save to create it again."
        actions={
          <>
            <Button onClick={() => void keepWithoutFile(id)}>Keep as unsaved</Button>
            <Button variant="quiet" onClick={() => void closeWithUndo(opened)}>
              Close
            </Button>
          </>
        }
      />
    )
  if (recovered)
    return (
      <Banner
        message={
          base === null
            ? 'Recovered an unsaved agent from your last session.'
            : 'Recovered unsaved changes from your last session.'
        }
        actions={
          <>
            <Button onClick={() => changeOpened(id, { recovered: false })}>Keep</Button>
            <Button variant="quiet" onClick={() => void revertDefinition(id)}>
              {base === null ? 'Discard' : 'Revert'}
            </Button>
          </>
        }
      />
    )
  if (entry.locked)
    return (
      <Banner
        message={`Locked: ${lockReason(entry)}`}
        actions={
          <Button onClick={() => showDialog({ kind: 'duplicate', id, source: 'project' })}>Duplicate</Button>
        }
      />
    )
  return null
}

interface BannerProps {
  readonly message: string
  readonly needsYou?: boolean
  readonly actions: ReactNode
}

function Banner({ message, needsYou = false, actions }: BannerProps) {
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b bg-bg-2 py-1.5 pr-2 pl-3 text-fg-1 text-sm"
    >
      {needsYou && (
        <span aria-hidden="true" className="size-2 shrink-0 rotate-45 rounded-[2px] bg-needs-you" />
      )}
      <p className="min-w-0 flex-1">{message}</p>
      {actions}
    </div>
  )
}
