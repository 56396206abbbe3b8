/** Asks before a version becomes the definition in use, with what the results say about it. */
import type { AgentVersion } from '../../../shared/agent-tests/agent-tests.ts'
import type { Grid } from '../../../shared/agent-tests/grid.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { count } from '../../ui/text/format.ts'

interface UseVersionDialogProps {
  readonly version: AgentVersion
  readonly grid: Grid
  /** The file of the definition, as shown. */
  readonly path: string
  readonly busy: boolean
  readonly onClose: () => void
  readonly onUse: () => void
}

export function UseVersionDialog({ version, grid, path, busy, onClose, onUse }: UseVersionDialogProps) {
  const { worse, better, text } = resultsText(version, grid)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Use “${version.title}”?`}
      description={
        <>
          Its text is saved as <span className="font-mono text-sm">{path}</span>. Agents that start from then
          on use it; the editor can undo it.
        </>
      }
      actions={
        <>
          <Button size="md" onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" variant="primary" disabled={busy} focusableWhenDisabled onClick={onUse}>
            {busy && <Spinner size={11} />}
            Use it
          </Button>
        </>
      }
    >
      <div className="grid gap-1.5 text-fg-1 text-sm">
        <p>{text}</p>
        {worse.length > 0 && (
          <p>
            Worse at {count(worse.length, 'case')}: <span className="text-bad">{worse.join(', ')}</span>.
          </p>
        )}
        {better.length > 0 && (
          <p>
            Better at {count(better.length, 'case')}: <span className="text-ok">{better.join(', ')}</span>.
          </p>
        )}
      </div>
    </Dialog>
  )
}

function resultsText({ id }: AgentVersion, { rows, totals, inUse }: Grid) {
  const named = (judgment: 'better' | 'worse') =>
    rows.flatMap(({ case: one, cells }) =>
      cells.some((cell) => cell.version.id === id && cell.judgment === judgment) ? [one.name] : [],
    )
  const own = totals.find(({ version }) => version.id === id)
  const other = totals.find(({ version }) => version.id === inUse?.id)
  const now =
    other === undefined || other.counted === 0
      ? ''
      : `; the version in use passed ${other.passed} of ${other.counted}`
  return {
    worse: named('worse'),
    better: named('better'),
    text:
      own === undefined || own.counted === 0
        ? 'It has not been run at any case.'
        : `It passed ${own.passed} of ${own.counted} attempts${now}.`,
  }
}
