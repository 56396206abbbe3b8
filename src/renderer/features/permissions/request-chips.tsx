/** Facts about a request: where it acts, how much it changes. */
import { Folder, GitBranch } from 'lucide-react'
import { useMemo } from 'react'
import type { PermissionSubject } from '../../../shared/events/agent-event.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { Chip } from '../../ui/chip.tsx'
import { ConfinementChip } from '../../ui/confinement-mark.tsx'
import { parseUnifiedDiff } from '../../ui/unified-diff.ts'

interface RequestChipsProps {
  readonly subject: PermissionSubject
  /** The branch of the agent's worktree; null: it works in the folder itself. */
  readonly worktree: string | null
}

export function RequestChips({ subject, worktree }: RequestChipsProps) {
  return (
    <div className="mt-1.5 flex shrink-0 flex-wrap gap-1.5">
      {subject.confinement !== undefined && <ConfinementChip confinement={subject.confinement} />}
      {worktree === null ? (
        <Chip icon={Folder} title={makeVisible(subject.folder)}>
          In the folder itself, no worktree
        </Chip>
      ) : (
        <Chip icon={GitBranch} title={makeVisible(subject.folder)}>
          Worktree {makeVisible(worktree)}
        </Chip>
      )}
      {subject.kind === 'diff' && <Amount patch={subject.text} />}
    </div>
  )
}

function Amount({ patch }: { readonly patch: string }) {
  const lines = useMemo(() => parseUnifiedDiff(patch), [patch])
  const of = (kind: 'added' | 'removed') => lines.filter((line) => line.kind === kind).length
  return (
    <Chip mono>
      <span className="text-ok">+{of('added')}</span> <span className="text-bad">−{of('removed')}</span>
    </Chip>
  )
}
