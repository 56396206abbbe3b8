/** The files that agents read as memory in the open folder, each to be opened in the user's editor. */
import { FileText } from 'lucide-react'
import { useEffect } from 'react'
import { setupGroupNames, setupStateNames } from '../../../shared/setup/setup.ts'
import { command } from '../../bridge.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { scanSetup, useSetup } from './setup-store.ts'

interface MemoryDialogProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function MemoryDialog({ open, onClose }: MemoryDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Memory"
      description="Agents read these files at the start of a conversation in this folder."
      width={640}
      actions={
        <Button variant="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      {open && <MemoryFiles />}
    </Dialog>
  )
}

function MemoryFiles() {
  const { report, isScanning, problem } = useSetup()
  const folder = useSession((state) => state.folder?.path ?? '')
  useEffect(() => {
    void scanSetup()
  }, [])
  if (problem !== null) return <p className="text-bad text-sm">{problem}</p>
  if (report === null || report.folder !== folder)
    return isScanning ? (
      <p role="status" className="flex items-center gap-2 text-fg-2 text-sm">
        <Spinner /> Looking for files…
      </p>
    ) : null
  const files = report.items.filter(({ what }) => what === 'Memory' || what === 'Rules')
  if (files.length === 0)
    return (
      <p className="text-fg-1 text-sm">
        There is no CLAUDE.md here yet. Send /init, and an agent writes one for this folder.
      </p>
    )
  return (
    <ul className="flex flex-col">
      {files.map(({ shown, file, group, state, details, notes }) => (
        <li
          key={`${shown} ${details}`}
          className="flex items-center gap-3 border-line border-b py-2 last:border-0"
        >
          <FileText size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-mono text-fg-0 text-sm">{shown}</span>
            <span className="block text-fg-2 text-xs">
              {setupGroupNames[group]} · {state === 'used' ? details : (notes[0] ?? setupStateNames[state])}
            </span>
          </span>
          {file !== null && (
            <Button aria-label={`Open ${shown}`} onClick={() => void openInEditor(folder, file)}>
              Open
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

async function openInEditor(folder: string, path: string): Promise<void> {
  const answer = await command('system.openSetup', { folder, path })
  if (!answer.ok) showFailure(answer.failure)
}
