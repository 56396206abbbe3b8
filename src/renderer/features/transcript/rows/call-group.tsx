/** Consecutive read-only calls as one line that opens to the calls. Calls that failed or wait are always visible. */
import { memo } from 'react'
import type { ToolRow } from '../../../../shared/events/transcript-row.ts'
import type { ToolKind } from '../../../../shared/tools/tool-call-row.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { count } from '../../../ui/text/format.ts'
import { useFold, useSurroundings } from '../surroundings.ts'
import type { CallGroupRow } from './row-groups.ts'
import { ToolLine } from './tool-line.tsx'
import { ToolRowView } from './tool-row.tsx'

/** The key of a group's open or closed state. */
export const groupKey = (rowKey: string): string => `group:${rowKey}`

export const CallGroup = memo(function CallGroup({ row }: { readonly row: CallGroupRow }) {
  const { agentId } = useSurroundings()
  const [open, toggle] = useFold(groupKey(row.key))
  // A call interrupted by the end of the program counts as failed.
  const isCutOff = useConversation((state) => state.agents.get(agentId)?.status === 'interrupted')
  const isQuiet = ({ status }: ToolRow) => status === 'done' || (status === 'running' && !isCutOff)
  const quiet = row.calls.filter(isQuiet)
  const isFolded = quiet.length > 1
  const shown = open || !isFolded ? row.calls : row.calls.filter((call) => !isQuiet(call))
  const files = new Set(quiet.filter(isRead).map(fileOf)).size
  const [title, ...more] = titlesOf(quiet, files)
  const running = quiet.some((call) => call.status === 'running')
  return (
    <div>
      {isFolded && (
        <div data-unsearched="">
          <ToolLine
            call={{
              icon: quiet.some(isRead) ? 'file' : 'search',
              label: title ?? '',
            }}
            summary={[...more, namesOf(quiet)].join(' · ')}
            status={running ? 'running' : 'done'}
            note={
              running ? 'running' : files < quiet.filter(isRead).length ? count(quiet.length, 'call') : ''
            }
            open={open}
            onToggle={toggle}
          />
        </div>
      )}
      {shown.length > 0 && (
        <div className={isFolded ? 'ml-[13px] border-line border-l pl-2' : ''}>
          {shown.map((call, index) => (
            <div
              key={call.key}
              data-call={call.key}
              className={index > 0 || isFolded ? 'not-empty:pt-1.5' : ''}
            >
              <ToolRowView row={call} />
            </div>
          ))}
        </div>
      )}
    </div>
  )
})

const isRead = ({ call }: ToolRow): boolean => call.kind === 'read'
const fileOf = ({ summary, key }: ToolRow): string => summary || key

/** "Read 8 files", "searched 3 times". */
function titlesOf(calls: readonly ToolRow[], files: number): readonly string[] {
  const of = (kind: ToolKind) => calls.filter(({ call }) => call.kind === kind)
  const parts = [
    files === 0 ? '' : `read ${count(files, 'file')}`,
    of('search').length === 0 ? '' : `searched ${count(of('search').length, 'time')}`,
    of('web').length === 0 ? '' : `looked up ${count(of('web').length, 'page')}`,
  ].filter((part) => part !== '')
  return parts.map((part, index) => (index === 0 ? part.charAt(0).toUpperCase() + part.slice(1) : part))
}

const MOST_NAMES = 12

/** The names of the files and the patterns, each once. */
function namesOf(calls: readonly ToolRow[]): string {
  const names = calls.map(({ call, summary }) =>
    call.kind === 'read' ? (summary.split(/[\\/]/).at(-1) ?? '') : summary,
  )
  return [...new Set(names.filter((name) => name !== ''))].slice(0, MOST_NAMES).join(', ')
}
