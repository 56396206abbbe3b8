/** What the editor shows above or instead of a definition. */

import { FilePlus2, FileX2, ShieldQuestion, SquarePen } from 'lucide-react'
import type { ReactNode } from 'react'
import { revealPath } from '../../stores/overlay-store.ts'
import { askAboutTrust } from '../../stores/session-feed.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { lockReason } from './definition-files.ts'
import { catalogEntryOf, changeOpened, type OpenDefinition, showDialog, useEditor } from './editor-store.ts'
import { loadCatalog } from './load-catalog.ts'
import { selectDefinition } from './open-definition.ts'
import { closeWithUndo, keepWithoutFile, revertDefinition } from './save-definition.ts'

interface EditorBannersProps {
  readonly opened: OpenDefinition
  /** Shows a range of the text in the source. */
  readonly onReveal: (range: { readonly from: number; readonly to: number }) => void
}

export function EditorBanners({ opened, onReveal }: EditorBannersProps) {
  return (
    <>
      <FileBanner opened={opened} />
      <EncodingBanner opened={opened} onReveal={onReveal} />
      <FromDiskNote opened={opened} />
    </>
  )
}

function EncodingBanner({ opened: { id, entry, document, notUtf8 }, onReveal }: EditorBannersProps) {
  if (notUtf8 === null) return null
  const { encoding, line } = notUtf8
  const reveal = () => {
    const lines = document.text.split('\n').slice(0, line)
    const to = lines.join('\n').length
    onReveal({ from: to - (lines.at(-1)?.length ?? 0), to })
  }
  return (
    <Banner
      needsYou
      message={`The file is ${encoding}, not UTF-8, so its agent is not in use.`}
      actions={
        <>
          <Button onClick={reveal}>Show line {line}</Button>
          {!entry.locked && (
            <Button variant="primary" onClick={() => showDialog({ kind: 'convert', id })}>
              Fix…
            </Button>
          )}
        </>
      }
    />
  )
}

/** What was taken over from the file without a question. */
function FromDiskNote({ opened: { id, fromDisk } }: { readonly opened: OpenDefinition }) {
  if (fromDisk === null) return null
  const { taken, renamed } = fromDisk
  const sentences = [
    ...(renamed === null ? [] : [renamed]),
    ...(taken.length === 0 ? [] : [`Taken from disk: ${taken.join(', ')}. Your changes are kept.`]),
  ]
  return (
    <Banner
      message={sentences.join(' ')}
      actions={
        <Button variant="quiet" onClick={() => changeOpened(id, { fromDisk: null })}>
          OK
        </Button>
      }
    />
  )
}

function FileBanner({ opened }: { readonly opened: OpenDefinition }) {
  const { id, entry, onDisk, recovered, base } = opened
  if (onDisk.kind === 'changed')
    return (
      <Banner
        needsYou
        message="You and another program changed the same part of the file. Nothing was overwritten."
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

/** The editor without a definition: no agents, none selected, or a file that is missing or unreadable. */
export function NothingToEdit() {
  const phase = useEditor((state) => state.phase)
  const failure = useEditor((state) => state.failure)
  const problem = useEditor((state) => state.selectionProblem)
  const amount = useEditor((state) => state.catalog.entries.length)
  const folder = useSession((state) => state.folder)
  return (
    <div className="flex h-full min-h-0 bg-bg-0">
      {phase === 'failed' ? (
        <EmptyState
          icon={FileX2}
          title="Can’t load the agents"
          actions={<Button onClick={() => void loadCatalog()}>Retry</Button>}
        >
          <span data-selectable="">{failure}</span>
        </EmptyState>
      ) : problem !== null ? (
        <SelectionProblem {...problem} />
      ) : phase === 'loading' ? null : amount > 0 ? (
        <EmptyState icon={SquarePen} title="No agent selected">
          Select an agent or create a new one.
        </EmptyState>
      ) : folder !== null && !folder.trusted ? (
        <EmptyState
          icon={ShieldQuestion}
          title="Folder not trusted"
          actions={<Button onClick={() => askAboutTrust(folder.path)}>Trust this folder…</Button>}
        >
          The project’s agents are loaded once you trust the folder.
        </EmptyState>
      ) : (
        <EmptyState
          icon={FilePlus2}
          title="No agents yet"
          actions={
            <Button variant="primary" onClick={() => showDialog({ kind: 'new', source: 'project' })}>
              New agent…
            </Button>
          }
        >
          An agent is a file in .claude/agents with its purpose, its tools and its system prompt. Start from a
          template or describe what you need.
        </EmptyState>
      )}
    </div>
  )
}

interface SelectionProblemProps {
  readonly id: string
  readonly kind: 'gone' | 'unreadable'
  readonly message: string
}

function SelectionProblem({ id, kind, message }: SelectionProblemProps) {
  const file = catalogEntryOf(id)?.file ?? null
  return (
    <EmptyState
      icon={FileX2}
      title={kind === 'gone' ? 'File not found' : 'Can’t read the file'}
      actions={
        kind === 'gone' ? (
          <Button onClick={() => void selectDefinition(null).then(loadCatalog)}>Select another agent</Button>
        ) : (
          <>
            <Button onClick={() => void selectDefinition(id)}>Retry</Button>
            {file !== null && (
              <Button variant="quiet" onClick={() => void revealPath(file)}>
                Show in file manager
              </Button>
            )}
          </>
        )
      }
    >
      <span data-selectable="">{message}</span>
    </EmptyState>
  )
}
