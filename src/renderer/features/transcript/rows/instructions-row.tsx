/** The instruction files that an agent received: one line that opens to a list of paths. */
import { BookOpenText, ChevronRight } from 'lucide-react'
import { memo } from 'react'
import type { LoadedInstructions } from '../../../../shared/events/agent-event.ts'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { useAgent } from '../../../stores/conversation-store.ts'
import { classNames } from '../../../ui/text/class-names.ts'
import { count } from '../../../ui/text/format.ts'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { useFold, useSurroundings } from '../surroundings.ts'

export const InstructionsRow = memo(function InstructionsRow({
  row,
}: {
  readonly row: Extract<TranscriptRow, { kind: 'instructions' }>
}) {
  const { agentId } = useSurroundings()
  const folder = useAgent(agentId)?.cwd ?? null
  const [open, toggle] = useFold(row.key)
  return (
    <div className="px-2 text-fg-2 text-sm">
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className="grid w-full grid-cols-[13px_minmax(0,1fr)] items-baseline gap-2 text-left hover:text-fg-1"
      >
        <BookOpenText size={12} strokeWidth={1.75} aria-hidden="true" className="translate-y-px" />
        <span className="flex min-w-0 items-center gap-1">
          <span className="truncate">{titleOf(row.files)}</span>
          <ChevronRight
            size={12}
            aria-hidden="true"
            className={classNames('shrink-0 transition-transform duration-100', open && 'rotate-90')}
          />
        </span>
      </button>
      {open && (
        <ul aria-label={titleOf(row.files)} data-selectable="" className="space-y-1 pt-1 pb-0.5 pl-[21px]">
          {row.files.map((file) => (
            <FileLine key={file.path} file={file} folder={folder} />
          ))}
        </ul>
      )}
    </div>
  )
})

function FileLine({ file, folder }: { readonly file: LoadedInstructions; readonly folder: string | null }) {
  const { path, importedBy, bytes, scope } = file
  return (
    <li className="text-xs wrap-anywhere">
      <code className={classNames('font-mono', bytes === 0 ? 'line-through' : 'text-fg-1')}>
        <VisibleText>{shortPath(path, folder)}</VisibleText>
      </code>{' '}
      <span className="block tabular-nums">
        {SCOPES[scope]} · {bytes === 0 ? 'deleted' : sizeOf(bytes)}
        {importedBy !== null && (
          <>
            {' · imported by '}
            <code className="font-mono">
              <VisibleText>{shortPath(importedBy, folder)}</VisibleText>
            </code>
          </>
        )}
      </span>
    </li>
  )
}

const SCOPES = {
  user: 'yours, for all projects',
  project: 'project',
  'project-user': 'yours, for this project',
  local: 'yours, for this project here',
  agent: 'its own memory',
} as const satisfies Record<LoadedInstructions['scope'], string>

function titleOf(files: readonly LoadedInstructions[]): string {
  const gone = files.filter(({ bytes }) => bytes === 0).length
  const loaded = files.length - gone
  if (loaded === 0) return `${count(gone, 'instruction file')} deleted`
  return `Loaded ${count(loaded, 'instruction file')}${gone === 0 ? '' : `, ${gone} deleted`}`
}

/** The path relative to the agent's folder, if the file is below the folder. */
function shortPath(path: string, folder: string | null): string {
  const start =
    folder === null ? null : `${folder.replace(/[\\/]$/, '')}${folder.includes('\\') ? '\\' : '/'}`
  return start !== null && path.startsWith(start) ? path.slice(start.length) : path
}

function sizeOf(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`
}
