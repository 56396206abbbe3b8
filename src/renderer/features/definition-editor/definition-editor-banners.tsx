/** What must be known about a definition before it is edited: that it is locked, changed elsewhere, not what counts. */
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { whyLocked } from './definition-files.ts'
import { changeOpened, type OpenDefinition, showDialog, useEditor } from './editor-store.ts'
import { closeWithUndo, keepWithoutFile, revertDefinition } from './save-definition.ts'

export function EditorBanners({ opened }: { readonly opened: OpenDefinition }) {
  const { id, entry, onDisk, recovered, base } = opened
  if (onDisk.kind === 'changed')
    return (
      <Banner
        needsYou
        words="The file was changed on disk while you edited it here. Nothing was written over."
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
        words="The file was deleted on disk. What you see is only here; saving writes it anew."
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
        words={
          base === null
            ? 'This was never saved. It was kept from last time.'
            : 'These unsaved changes were kept from last time.'
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
        words={`Locked: ${whyLocked(entry)}`}
        actions={
          <Button onClick={() => showDialog({ kind: 'duplicate', id, source: 'project' })}>
            Duplicate to change
          </Button>
        }
      />
    )
  return null
}

interface BannerProps {
  readonly words: string
  readonly needsYou?: boolean
  readonly actions: ReactNode
}

function Banner({ words, needsYou = false, actions }: BannerProps) {
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b bg-bg-2 py-1.5 pr-2 pl-3 text-fg-1 text-sm"
    >
      {needsYou && (
        <span aria-hidden="true" className="size-2 shrink-0 rotate-45 rounded-[2px] bg-needs-you" />
      )}
      <p className="min-w-0 flex-1">{words}</p>
      {actions}
    </div>
  )
}
