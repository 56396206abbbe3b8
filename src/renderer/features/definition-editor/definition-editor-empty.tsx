/** What stands in place of the editor where there is nothing to edit: no agents, a file that is gone or unreadable. */
import { FilePlus2, FileX2, ShieldQuestion, SquarePen } from 'lucide-react'
import { useSession } from '../../stores/session-store.ts'
import { revealPath } from '../../stores/system-actions.ts'
import { askAboutTrust } from '../../stores/trust-store.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { entryOf, showDialog, useEditor } from './editor-store.ts'
import { loadLibrary } from './load-library.ts'
import { selectDefinition } from './open-definition.ts'

export function NothingToEdit() {
  const phase = useEditor((state) => state.phase)
  const failure = useEditor((state) => state.failure)
  const trouble = useEditor((state) => state.trouble)
  const amount = useEditor((state) => state.library.entries.length)
  const folder = useSession((state) => state.folder)
  return (
    <div className="flex h-full min-h-0 bg-bg-0">
      {phase === 'failed' ? (
        <EmptyState
          icon={FileX2}
          title="The agents of this folder could not be read"
          actions={<Button onClick={() => void loadLibrary()}>Try again</Button>}
        >
          <span data-selectable="">{failure}</span>
        </EmptyState>
      ) : trouble !== null ? (
        <Trouble {...trouble} />
      ) : phase === 'loading' ? null : amount > 0 ? (
        <EmptyState icon={SquarePen} title="No agent is selected">
          Choose one at the left, or make a new one.
        </EmptyState>
      ) : folder !== null && !folder.trusted ? (
        <EmptyState
          icon={ShieldQuestion}
          title="This folder is not trusted"
          actions={<Button onClick={() => askAboutTrust(folder.path)}>Trust this folder…</Button>}
        >
          The agents of the project are not read before you say that you trust it.
        </EmptyState>
      ) : (
        <EmptyState
          icon={FilePlus2}
          title="There are no agents yet"
          actions={
            <Button variant="primary" onClick={() => showDialog({ kind: 'new', source: 'project' })}>
              New agent…
            </Button>
          }
        >
          An agent is a file in .claude/agents: what it is for, which tools it has, and how it works. Begin
          with a template, or describe what you need.
        </EmptyState>
      )}
    </div>
  )
}

interface TroubleProps {
  readonly id: string
  readonly kind: 'gone' | 'unreadable'
  readonly message: string
}

function Trouble({ id, kind, message }: TroubleProps) {
  const file = entryOf(id)?.file ?? null
  return (
    <EmptyState
      icon={FileX2}
      title={kind === 'gone' ? 'This file is no longer there' : 'This file can’t be read'}
      actions={
        kind === 'gone' ? (
          <Button onClick={() => void selectDefinition(null).then(loadLibrary)}>Go to another agent</Button>
        ) : (
          <>
            <Button onClick={() => void selectDefinition(id)}>Try again</Button>
            {file !== null && (
              <Button variant="quiet" onClick={() => void revealPath(file)}>
                Show in the file manager
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
