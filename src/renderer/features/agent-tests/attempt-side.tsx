/** One side of the comparison: a version's attempt with its transcript, and its head. */
import { FlaskConical, SquareArrowOutUpRight } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { CaseAttempt } from '../../../shared/agent-tests/agent-tests.ts'
import type { GridCell } from '../../../shared/agent-tests/grid.ts'
import type { TranscriptRow } from '../../../shared/events/transcript-row.ts'
import { TranscriptRows } from '../../../shared/transcript/transcript-rows.ts'
import { command } from '../../bridge.ts'
import { saveAsCase } from '../../stores/agent-actions.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { figuresText, HAS_ENDED, STATE_TEXTS } from './bench-text.ts'

export const NO_ROWS: readonly TranscriptRow[] = []

export interface ShownSide {
  readonly cell: GridCell
  /** Null: the version has not been run. */
  readonly attempt: CaseAttempt | null
  /** Null while they load. */
  readonly rows: readonly TranscriptRow[] | null
  readonly failure: string | null
}

/** The attempt of this number, or the last one where there are fewer. */
export function useSide(cell: GridCell | null, number: number): ShownSide | null {
  const attempt = cell?.attempts.find((each) => each.number === number) ?? cell?.attempts.at(-1) ?? null
  const { rows, failure } = useAttemptRows(attempt)
  return useMemo(
    () => (cell === null ? null : { cell, attempt, rows, failure }),
    [cell, attempt, rows, failure],
  )
}

/** Events of a transcript that are compared. */
const MOST_EVENTS = 2000

const NOT_KEPT = 'Transcript no longer kept.'

interface LoadedRows {
  readonly rows: readonly TranscriptRow[] | null
  readonly failure: string | null
}

const LOADING: LoadedRows = { rows: null, failure: null }
const NOTHING: LoadedRows = { rows: NO_ROWS, failure: null }

/** The rows of an attempt's transcript, read again with each change of its state. */
function useAttemptRows(attempt: CaseAttempt | null): LoadedRows {
  const [loaded, setLoaded] = useState<LoadedRows & { readonly id: string }>({ ...NOTHING, id: '' })
  const { id = '', conversationId = null, agentId = null, at = 0 } = attempt ?? {}
  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt that goes on is read again
  useEffect(() => {
    if (conversationId === null || agentId === null) return
    let isStale = false
    const page = { conversationId, agentId, before: null, limit: MOST_EVENTS }
    void command('agent.transcript', page).then((answer) => {
      if (isStale) return
      setLoaded(
        // An agent has events from its start: without any, its transcript was deleted.
        answer.ok && answer.value.events.length > 0
          ? { id, rows: TranscriptRows.from(answer.value.events).rows, failure: null }
          : {
              ...{ id, rows: NO_ROWS },
              failure: answer.ok ? NOT_KEPT : answer.failure.message,
            },
      )
    })
    return () => {
      isStale = true
    }
  }, [id, conversationId, agentId, at])
  if (conversationId === null || agentId === null) return NOTHING
  return loaded.id === id ? loaded : LOADING
}

interface SideHeadProps {
  readonly side: ShownSide
  readonly color: string
  readonly onShowTranscript: (conversationId: string) => void
}

export function SideHead({ side, color, onShowTranscript }: SideHeadProps) {
  const { cell, attempt } = side
  const { title } = cell.version
  const { conversationId = null, agentId = null } = attempt ?? {}
  return (
    <div
      style={agentStyle(color)}
      className="flex h-[34px] min-w-0 items-center gap-2 border-line border-b px-3.5 text-sm not-first:border-l"
    >
      <span aria-hidden="true" className="size-2 shrink-0 rounded-full border-[1.5px] border-agent" />
      <span className="min-w-0 truncate font-semibold text-fg-0">
        {attempt === null ? title : `${title}, attempt ${attempt.number}`}
      </span>
      <StateText attempt={attempt} />
      <span className="flex-1" />
      {attempt !== null && HAS_ENDED.has(attempt.state) && (
        <span className="shrink-0 font-mono text-fg-2 text-xs">{figuresText(attempt)}</span>
      )}
      {conversationId !== null && agentId !== null && side.failure !== NOT_KEPT && (
        <span className="-mr-1.5 flex shrink-0">
          <IconButton
            label="Save as a case…"
            icon={FlaskConical}
            onClick={() => saveAsCase(agentId, conversationId)}
          />
          <IconButton
            label="Open the transcript"
            icon={SquareArrowOutUpRight}
            onClick={() => onShowTranscript(conversationId)}
          />
        </span>
      )}
    </div>
  )
}

function StateText({ attempt }: { readonly attempt: CaseAttempt | null }) {
  if (attempt === null) return <span className="shrink-0 text-fg-2">not run</span>
  const { state } = attempt
  return (
    <span
      className={classNames(
        'shrink-0',
        state === 'passed' ? 'text-ok' : state === 'failed' || state === 'broken' ? 'text-bad' : 'text-fg-2',
      )}
    >
      {STATE_TEXTS[state]}
    </span>
  )
}
