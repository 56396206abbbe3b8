/** What the next run is: attempts, budget, start. While one runs: how far it is, what it has cost, Stop. */
import { ChevronsUpDown, Play, RotateCcw, SlidersHorizontal, Square } from 'lucide-react'
import { useState } from 'react'
import { MOST_ATTEMPTS_A_CASE, type TestRun } from '../../../shared/agent-tests/agent-tests.ts'
import { useRoom } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { useNow } from '../../ui/machine.ts'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { Popover, Tooltip } from '../../ui/popover.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Switch } from '../../ui/switch.tsx'
import { count, formatDuration, formatMoney } from '../../ui/text/format.ts'
import { TextField } from '../../ui/text-field.tsx'
import { changeOptions, MOST_VERSIONS, resumeRun, startRun, stopRun, useBench } from './bench-store.ts'
import { runProgress } from './bench-text.ts'
import type { BenchView } from './use-bench.ts'

export function RunBar({ bench }: { readonly bench: BenchView }) {
  const { running, run } = bench
  if (running !== null) return <RunningBar run={running} isOwn={running.agent === bench.agent} />
  return (
    <>
      {run?.state === 'interrupted' && (
        <Tooltip text={run.because ?? 'The end of Troupe interrupted this run. What has ended is kept.'}>
          <Button onClick={() => void resumeRun(run.id)}>
            <RotateCcw size={12} aria-hidden="true" /> Resume run
          </Button>
        </Tooltip>
      )}
      <AttemptsMenu />
      <OptionsPopover />
      <RunButton bench={bench} />
    </>
  )
}

const CHOICES = [1, 2, 3, 4, 6, 8, 10, 20, 30, MOST_ATTEMPTS_A_CASE]

function AttemptsMenu() {
  const attempts = useBench((state) => state.options.attempts)
  const room = useRoom()
  const choices = CHOICES.includes(attempts) ? CHOICES : [...CHOICES, attempts].sort((a, b) => a - b)
  const text = room === 'wide' ? `${count(attempts, 'attempt')} per case` : `${attempts} per case`
  return (
    <Menu
      align="end"
      trigger={
        <ChipButton className="h-[26px]" aria-label={`Attempts: ${text}`}>
          {text}
          <ChevronsUpDown size={11} aria-hidden="true" />
        </ChipButton>
      }
    >
      <MenuChoice
        value={String(attempts)}
        options={choices.map((each) => ({ value: String(each), label: String(each) }))}
        onChange={(value) => changeOptions({ attempts: Number(value) })}
      />
    </Menu>
  )
}

function OptionsPopover() {
  const { maxUsd, stopsWhenClear } = useBench((state) => state.options)
  const set = [
    maxUsd === null ? null : `at most ${formatMoney(maxUsd)}`,
    stopsWhenClear ? 'stops when clear' : null,
  ]
  const text = set.filter((each) => each !== null).join(', ')
  return (
    <Popover
      label="Limits of the run"
      side="bottom"
      trigger={
        <ChipButton
          className="h-[26px]"
          icon={SlidersHorizontal}
          aria-label={`Limits of the run: ${text === '' ? 'none' : text}`}
          title={text === '' ? 'Budget and early end' : text}
        >
          {text !== '' && <span className="max-[1279px]:hidden">{text}</span>}
        </ChipButton>
      }
    >
      <div className="grid w-72 gap-3 p-3">
        <Budget />
        <div className="flex items-start gap-2.5 text-fg-1 text-sm">
          <span className="flex-1">
            Stop when clear
            <span className="block text-fg-2 text-xs">
              Ends a case early once more attempts can’t change whether it is better or worse.
            </span>
          </span>
          <Switch
            label="Stop when clear"
            checked={stopsWhenClear}
            onChange={(checked) => changeOptions({ stopsWhenClear: checked })}
          />
        </div>
      </div>
    </Popover>
  )
}

/** An amount that is none is said, and not taken. */
function Budget() {
  const maxUsd = useBench((state) => state.options.maxUsd)
  const [text, setText] = useState(maxUsd === null ? '' : String(maxUsd))
  const amount = Number(text.replace('$', '').replace(',', '.').trim())
  const isWrong = text.trim() !== '' && !(amount > 0 && amount < 1e6)
  const change = (next: string) => {
    setText(next)
    const wanted = Number(next.replace('$', '').replace(',', '.').trim())
    if (next.trim() === '') changeOptions({ maxUsd: null })
    else if (wanted > 0 && wanted < 1e6) changeOptions({ maxUsd: wanted })
  }
  return (
    <TextField
      label="Budget in dollars"
      value={text}
      inputMode="decimal"
      placeholder="No budget"
      hint="No attempt starts once the run has cost this much."
      error={isWrong ? 'Write an amount above 0, such as 5, or leave it empty.' : null}
      onChange={(event) => change(event.target.value)}
    />
  )
}

function RunButton({ bench }: { readonly bench: BenchView }) {
  const { wanted, cases } = bench
  const estimate = useBench((state) => state.estimate)
  const isStarting = useBench((state) => state.isStarting)
  const refusal = useBench((state) => state.snapshot?.refusal ?? null)
  const why = whyNot({
    refusal,
    hasCases: cases.length > 0,
    versions: wanted?.versions.length ?? 0,
    estimate,
  })
  return (
    <>
      {estimate !== null && estimate.reused > 0 && estimate.attempts > 0 && (
        <Tooltip text="Attempts with the same case, definition and model are not run again.">
          <span className="whitespace-nowrap text-fg-2 text-sm tabular-nums" tabIndex={-1}>
            {estimate.reused} of {estimate.reused + estimate.attempts} are known
          </span>
        </Tooltip>
      )}
      <Tooltip text={why ?? 'Start the run'} keys={why === null ? 'R' : undefined}>
        <Button
          variant="primary"
          className="h-[26px]"
          disabled={why !== null || isStarting}
          focusableWhenDisabled
          aria-description={why ?? undefined}
          onClick={() => wanted !== null && void startRun(wanted)}
        >
          {isStarting ? <Spinner size={11} /> : <Play size={12} aria-hidden="true" />}
          {runText(estimate)}
        </Button>
      </Tooltip>
    </>
  )
}

/** "Run 24 attempts, about $3.10" */
function runText(estimate: ReturnType<typeof useBench.getState>['estimate']): string {
  if (estimate === null) return 'Run'
  const { attempts } = estimate
  if (attempts === 0) return 'All attempts are known'
  const cost = estimate.usd === null ? '' : `, about ${formatMoney(estimate.usd)}`
  return `Run ${count(attempts, 'attempt')}${cost}`
}

/** Why nothing can be run; null: it can. */
export function whyNot({
  refusal,
  hasCases,
  versions,
  estimate,
}: {
  readonly refusal: string | null
  readonly hasCases: boolean
  /** Chosen ones. */
  readonly versions: number
  readonly estimate: ReturnType<typeof useBench.getState>['estimate']
}): string | null {
  if (refusal !== null) return refusal
  if (!hasCases) return 'This agent has no case. Make one first.'
  if (versions === 0) return 'No version is chosen. Check the box of a version.'
  if (versions > MOST_VERSIONS) return `A run has at most ${MOST_VERSIONS} versions. Uncheck some.`
  if (estimate?.attempts === 0)
    return 'These attempts are known. Choose another version or more attempts per case.'
  return null
}

function RunningBar({ run, isOwn }: { readonly run: TestRun; readonly isOwn: boolean }) {
  const attempts = useBench((state) => state.snapshot?.attempts)
  const now = useNow(true)
  const { done, all } = runProgress(run, attempts ?? [])
  const spent =
    run.maxUsd === null ? formatMoney(run.usd) : `${formatMoney(run.usd)} of ${formatMoney(run.maxUsd)}`
  return (
    <>
      <span className="flex min-w-0 items-center gap-2.5 text-fg-1 text-sm">
        {!isOwn && <span className="truncate">{run.agent}</span>}
        <span
          role="progressbar"
          aria-label="Attempts that have ended"
          aria-valuemin={0}
          aria-valuemax={all}
          aria-valuenow={done}
          className="relative h-1 w-28 shrink-0 overflow-hidden rounded-full bg-bg-3"
        >
          <span
            className="absolute inset-0 origin-left bg-accent transition-transform duration-200"
            style={{ transform: `scaleX(${all === 0 ? 0 : done / all})` }}
          />
        </span>
        <span className="shrink-0 tabular-nums">
          {done} of {count(all, 'attempt')}
        </span>
        <span className="shrink-0 font-mono text-fg-2 text-xs tabular-nums">
          {spent} · {formatDuration(now - run.startedAt)}
        </span>
      </span>
      <Tooltip text="Stop the run; what has ended is kept" keys="S">
        <Button className="h-[26px]" onClick={() => void stopRun(run.id)}>
          <Square size={11} aria-hidden="true" /> Stop
        </Button>
      </Tooltip>
    </>
  )
}
