/** The left column of the test bench: agents, runs of the chosen one, and its cases. */
import { FileWarning, Plus } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { AgentTestsSnapshot, TestRun } from '../../../shared/agent-tests/agent-tests.ts'
import { createGrid } from '../../../shared/agent-tests/grid.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useNow } from '../../ui/machine.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { formatClock, formatMoment } from '../../ui/text/format.ts'
import { chooseAgent, showRun, useBench } from './bench-store.ts'
import { casesText } from './bench-text.ts'
import type { BenchView } from './use-bench.ts'

interface BenchSideProps {
  readonly bench: BenchView
  readonly onNewAgent: () => void
  readonly onNewCase: () => void
  /** Opens a case file at a line. */
  readonly onOpenCase: (file: string, line: number | null) => void
}

export function BenchSide({ bench, onNewAgent, onNewCase, onOpenCase }: BenchSideProps) {
  const snapshot = useBench((state) => state.snapshot)
  const refusal = snapshot?.refusal ?? null
  const standings = useStandings(snapshot)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto pb-3">
      <Heading
        id="bench-agents"
        text="Agents"
        action={<IconButton label="New agent" icon={Plus} onClick={onNewAgent} />}
      />
      <ul aria-labelledby="bench-agents">
        {snapshot?.agents.map(({ name, cases }) => (
          <li key={name}>
            <SideRow
              isCurrent={name === bench.agent}
              mark={<StandingMark standing={standings.get(name) ?? null} />}
              text={name}
              note={casesText(cases)}
              onClick={() => chooseAgent(name)}
            />
          </li>
        ))}
      </ul>
      <Heading id="bench-runs" text="Runs" />
      {bench.runs.length === 0 ? (
        <p className="px-3.5 text-fg-2 text-sm">No run yet.</p>
      ) : (
        <ul aria-labelledby="bench-runs">
          {bench.runs.map((run) => (
            <li key={run.id}>
              <RunRow run={run} isCurrent={run.id === bench.run?.id} />
            </li>
          ))}
        </ul>
      )}
      <Heading id="bench-cases" text="Cases" />
      <div className="grid justify-items-start gap-2.5 px-3.5">
        {bench.problems.length > 0 && (
          <ul aria-label="Cases that can’t be read" className="grid w-full gap-1.5">
            {bench.problems.map(({ file, line, message }) => (
              <li key={`${file} ${line} ${message}`}>
                <button
                  type="button"
                  onClick={() => onOpenCase(file, line)}
                  className="flex w-full items-start gap-2 rounded-sm text-left text-fg-1 text-sm hover:text-fg-0"
                >
                  <FileWarning size={13} aria-hidden="true" className="mt-[3px] shrink-0 text-bad" />
                  <span className="min-w-0">
                    <span className="block truncate font-mono text-xs">
                      {file.split('/').at(-1)}
                      {line !== null && `:${line}`}
                    </span>
                    <span className="block text-fg-2 text-xs wrap-anywhere">{message}</span>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <p className="text-fg-2 text-sm">
          A case is a saved task with checks: text in the report, files changed, a command that must pass, or
          a limit on cost.
        </p>
        <Button disabled={refusal !== null && snapshot?.cases.length === 0} onClick={onNewCase}>
          <Plus size={13} aria-hidden="true" /> New case
        </Button>
      </div>
    </div>
  )
}

function Heading({
  id,
  text,
  action,
}: {
  readonly id: string
  readonly text: string
  readonly action?: ReactNode
}) {
  return (
    <div className="flex h-9 items-end justify-between px-3.5 pb-1">
      <h2 id={id} className="side-heading">
        {text}
      </h2>
      {action}
    </div>
  )
}

interface SideRowProps {
  readonly isCurrent: boolean
  readonly mark: ReactNode
  readonly text: string
  readonly note: ReactNode
  readonly title?: string
  readonly onClick: () => void
}

function SideRow({ isCurrent, mark, text, note, title, onClick }: SideRowProps) {
  return (
    <button
      type="button"
      title={title}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={onClick}
      className={classNames(
        'grid min-h-[27px] w-full grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-2 px-3.5 text-left text-sm focus-visible:-outline-offset-2',
        isCurrent ? 'bg-bg-3 text-fg-0' : 'text-fg-1 hover:bg-bg-2',
      )}
    >
      <span className="grid place-items-center">{mark}</span>
      <span className="truncate">{text}</span>
      <span className="whitespace-nowrap font-mono text-fg-2 text-xs">{note}</span>
    </button>
  )
}

function RunRow({ run, isCurrent }: { readonly run: TestRun; readonly isCurrent: boolean }) {
  const now = useNow(false)
  const { id, title, state, because, startedAt } = run
  const isToday = new Date(startedAt).toDateString() === new Date(now).toDateString()
  const when = isToday ? formatClock(startedAt) : formatMoment(startedAt, now).split(',')[0]
  return (
    <SideRow
      isCurrent={isCurrent}
      mark={
        state === 'running' ? (
          <Spinner size={10} />
        ) : state === 'ended' ? null : (
          <span aria-hidden="true" className="size-2 rounded-[2px] border-[1.5px] border-fg-3" />
        )
      }
      text={title}
      title={because ?? title}
      note={state === 'running' ? 'running' : state === 'interrupted' ? 'interrupted' : when}
      onClick={() => showRun(id)}
    />
  )
}

/** How an agent stands in its newest run: every attempt passed, some cases are worse than in use, or neither. */
type Standing = 'passes' | 'worse' | 'mixed'

const STANDING_TEXTS: Readonly<Record<Standing, string>> = {
  passes: 'all pass',
  worse: 'some are worse',
  mixed: 'some fail',
}

function StandingMark({ standing }: { readonly standing: Standing | null }) {
  if (standing === null) return null
  return (
    <span title={STANDING_TEXTS[standing]}>
      <span
        aria-hidden="true"
        className={classNames(
          'block size-2',
          standing === 'passes' && 'rounded-full bg-ok',
          standing === 'worse' && 'rounded-[2px] bg-bad',
          standing === 'mixed' && 'rounded-full border-[1.5px] border-fg-3',
        )}
      />
      <span className="sr-only">{STANDING_TEXTS[standing]}</span>
    </span>
  )
}

function useStandings(snapshot: AgentTestsSnapshot | null): ReadonlyMap<string, Standing> {
  return useMemo(() => {
    const standings = new Map<string, Standing>()
    for (const { name } of snapshot?.agents ?? []) {
      const standing = snapshot === null ? null : standingOf(snapshot, name)
      if (standing !== null) standings.set(name, standing)
    }
    return standings
  }, [snapshot])
}

function standingOf({ cases, runs, attempts }: AgentTestsSnapshot, agent: string): Standing | null {
  const run = runs.find((each) => each.agent === agent)
  if (run === undefined) return null
  const { totals } = createGrid({
    cases: cases.filter((each) => each.agent === agent),
    versions: run.versions,
    attempts,
  })
  if (totals.every(({ counted }) => counted === 0)) return null
  if (totals.some(({ worse }) => worse > 0)) return 'worse'
  return totals.every(({ passed, counted }) => passed === counted) ? 'passes' : 'mixed'
}
