/** The head of the test bench: the agent, its draft, the next run, the exports. */
import { Ellipsis } from 'lucide-react'
import type { AgentVersion } from '../../../shared/agent-tests/agent-tests.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { useRoom, useSession } from '../../stores/session-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { timeNow } from '../../ui/machine.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Tooltip } from '../../ui/popover.tsx'
import { formatClock } from '../../ui/text/format.ts'
import { addVersion, refOf, useBench } from './bench-store.ts'
import { RunBar } from './run-bar.tsx'
import type { BenchView } from './use-bench.ts'

interface BenchHeaderProps {
  readonly bench: BenchView
  readonly draft: string | null
  readonly path: string | null
  readonly onEdit: () => void
  readonly onAskToUse: (version: AgentVersion) => void
}

/** Whether the text of a version can become the definition as it is. */
export function canBeUsed({ id, text, ref }: AgentVersion, { grid }: BenchView): boolean {
  const isPlain = ref.model === null && ref.effort === null && ref.skill === null
  return text !== null && isPlain && ref.base.type !== 'agent' && id !== grid.inUse?.id
}

export function BenchHeader(props: BenchHeaderProps) {
  const { bench, draft, path, onAskToUse, onEdit } = props
  const { versions } = bench
  const isNarrow = useRoom() !== 'wide'
  const place = useBench((state) => state.place)
  const chosen = versions.find(({ id }) => id === place?.versionId)
  const usable = [...(chosen === undefined ? [] : [chosen]), ...versions].filter(
    (version) => path !== null && version.ref.base.type === 'draft' && canBeUsed(version, bench),
  )
  const [toUse] = usable
  return (
    <header className="flex min-h-[52px] shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1.5 border-line border-b px-4 py-1.5">
      <div className="min-w-0 flex-1 basis-40">
        <h2 className="font-semibold text-[15px] text-fg-0 leading-5">Test bench</h2>
        <p className="flex min-w-0 gap-1 text-fg-2 text-sm leading-4">
          <span className="shrink-0">{path === null ? bench.agent : `${bench.agent},`}</span>
          {path !== null && (
            <button
              type="button"
              title="Edit the definition"
              onClick={onEdit}
              className="min-w-0 truncate rounded-sm font-mono text-[11.5px] hover:text-fg-0 hover:underline"
            >
              {path}
            </button>
          )}
        </p>
      </div>
      <Tooltip
        text={
          draft === null
            ? 'The editor has no unsaved change of this agent. Edit it first.'
            : 'Keeps the text of the editor as a version of its own, while you go on writing'
        }
      >
        <Button
          className="h-[26px]"
          disabled={draft === null}
          focusableWhenDisabled
          onClick={() => draft !== null && void keepDraft(draft)}
        >
          {isNarrow ? 'New version' : 'New version from draft'}
        </Button>
      </Tooltip>
      <Tooltip
        text={
          toUse === undefined
            ? 'There is no draft to use.'
            : `Saves “${toUse.title}” as the definition in use`
        }
      >
        <Button
          className="h-[26px]"
          disabled={toUse === undefined}
          focusableWhenDisabled
          onClick={() => toUse !== undefined && onAskToUse(toUse)}
        >
          {isNarrow ? 'Use draft…' : 'Use this draft…'}
        </Button>
      </Tooltip>
      <RunBar bench={bench} />
      <Menu align="end" trigger={<IconButton label="Export" icon={Ellipsis} size={26} />}>
        <MenuItem onSelect={() => void exportResults(bench, 'html')}>Export as a page (HTML)…</MenuItem>
        <MenuItem onSelect={() => void exportResults(bench, 'csv')}>Export as a table (CSV)…</MenuItem>
        <MenuItem onSelect={() => void exportResults(bench, 'jsonl')}>
          Export all results (JSON Lines)…
        </MenuItem>
      </Menu>
    </header>
  )
}

async function keepDraft(text: string): Promise<void> {
  const added = await addVersion(refOf({ type: 'draft', text, name: `Draft of ${formatClock(timeNow())}` }))
  if (!added.ok) return showFailure(added.failure)
  showNotice({ level: 'info', text: `Kept the draft as “${added.value.title}”.` })
}

async function exportResults({ agent }: BenchView, form: 'csv' | 'html' | 'jsonl'): Promise<void> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return
  const answer = await command('agentTests.export', { folder, agent, form })
  if (!answer.ok) return showFailure(answer.failure)
  if (answer.value !== null) showNotice({ level: 'info', text: `Saved ${answer.value.path}.` })
}
