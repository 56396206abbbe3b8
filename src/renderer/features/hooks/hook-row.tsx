/** One hook in the table, and, opened, its definition, its last runs and a test. */
import { ChevronRight } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import {
  type HookEntry,
  type HookRun,
  type HookTest,
  hookTitle,
  isRunOf,
} from '../../../shared/hooks/hooks.ts'
import { useAgentTitle } from '../../stores/conversation-store.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { FileLink } from '../../ui/setting-row.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count, timeText } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import {
  durationText,
  HOOK_SOURCE_TEXT,
  hookDefinitionText,
  hookPlace,
  isFailure,
  resultText,
  STATE_TEXT,
} from './hook-text.ts'
import { decideHook, testHook, useHooks } from './hooks-store.ts'

/** Runs in the opened row. */
const SHOWN_RUNS = 20

export function HookRow({ entry }: { readonly entry: HookEntry }) {
  const [isOpen, setOpen] = useState(false)
  const detailsId = useId()
  const all = useHooks((store) => store.state?.runs)
  const runs = useMemo(
    () => (all ?? []).filter((run) => isRunOf(entry, run)).slice(-SHOWN_RUNS),
    [all, entry],
  )
  const last = runs.at(-1)
  const { definition, source, state } = entry
  const isOn = state === 'on'
  const cell = 'max-w-64 truncate px-2 py-1.5'
  return (
    <tbody className={classNames('border-line border-b last:border-b-0', isOpen && 'bg-bg-2')}>
      <tr className={isOn ? 'text-fg-0' : 'text-fg-2'}>
        <td className="pl-2">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={detailsId}
            aria-label={`Details of ${definition.event} ${hookTitle(definition)}`}
            onClick={() => setOpen(!isOpen)}
            className="grid size-6 place-items-center rounded-sm text-fg-2 hover:bg-bg-3 hover:text-fg-0"
          >
            <ChevronRight
              size={14}
              strokeWidth={1.75}
              aria-hidden="true"
              className={classNames(isOpen && 'rotate-90')}
            />
          </button>
        </td>
        <td className={cell}>{definition.event}</td>
        <td className={classNames(cell, 'font-mono text-xs')}>
          {definition.matcher === '' ? 'all' : definition.matcher}
        </td>
        <td className={classNames(cell, 'font-mono text-xs')} title={definition.run}>
          <VisibleText>{hookTitle(definition)}</VisibleText>
        </td>
        <td className={cell}>
          <span className="flex min-w-0 items-center gap-1.5">
            <Chip>{HOOK_SOURCE_TEXT[source]}</Chip>
            <span className="truncate font-mono text-fg-2 text-xs">
              {entry.file === null ? (
                hookPlace(entry)
              ) : (
                <FileLink file={entry.file} line={entry.line ?? null} />
              )}
            </span>
          </span>
        </td>
        <td className={classNames(cell, 'text-fg-1')}>
          {last === undefined ? 'not yet' : <RunTime run={last} />}
        </td>
        <td className={classNames(cell, 'font-mono text-xs')}>
          {last === undefined ? '–' : durationText(last.durationMs)}
        </td>
        <td className={classNames(cell, isOn && last !== undefined && isFailure(last) && 'text-bad')}>
          {isOn ? (last === undefined ? '–' : resultText(last)) : STATE_TEXT[state]}
        </td>
      </tr>
      {isOpen && (
        <tr id={detailsId}>
          <td />
          <td colSpan={7} className="px-2 pb-3">
            <Details entry={entry} runs={runs} />
          </td>
        </tr>
      )}
    </tbody>
  )
}

function RunTime({ run }: { readonly run: HookRun }) {
  const title = useAgentTitle(run.agentId)
  return (
    <>
      <span className="font-mono text-xs">{timeText(run.at)}</span>
      {title !== null && ` ${title}`}
    </>
  )
}

function Details({ entry, runs }: { readonly entry: HookEntry; readonly runs: readonly HookRun[] }) {
  const busy = useHooks((state) => state.busy.has(entry.id))
  const test = useHooks((state) => state.tests.get(entry.id))
  const { definition, state } = entry
  const said = runs.findLast(({ output }) => output !== '')
  const blocked = runs.filter(({ effect }) => effect === 'denied').length
  const canRun = state === 'on'
  return (
    <div className="grid gap-3 @container">
      <div className="grid gap-3 @[40rem]:grid-cols-2">
        <Lines title="Definition">{hookDefinitionText(definition)}</Lines>
        <Lines title={said === undefined ? 'It has said nothing yet' : `It said at ${timeText(said.at)}`}>
          {said?.output ?? ''}
        </Lines>
      </div>
      {runs.length > 0 && (
        <div className="grid gap-1">
          <h3 className="text-fg-2 text-xs">
            Last {count(runs.length, 'run')}
            {blocked > 0 && `, ${blocked} blocked`}
          </h3>
          <RunBars runs={runs} />
        </div>
      )}
      {test !== undefined && <TestResult test={test} />}
      <div className="flex flex-wrap items-center gap-1.5">
        {canRun && (
          <Button disabled={busy} focusableWhenDisabled onClick={() => void testHook(entry)}>
            Test with a sample
          </Button>
        )}
        {canRun && (
          <Button disabled={busy} focusableWhenDisabled onClick={() => void decideHook(entry, 'refused')}>
            Turn off
          </Button>
        )}
        {state === 'off' && (
          <Button disabled={busy} focusableWhenDisabled onClick={() => void decideHook(entry, 'approved')}>
            Turn on
          </Button>
        )}
        {state !== 'on' && state !== 'off' && <span className="text-fg-2 text-xs">{STATE_TEXT[state]}</span>}
      </div>
    </div>
  )
}

function Lines({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <section aria-label={title} className="grid min-w-0 content-start gap-1">
      <h3 className="text-fg-2 text-xs">{title}</h3>
      {children !== '' && (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          data-selectable=""
          className="max-h-48 overflow-auto whitespace-pre-wrap rounded-[6px] bg-bg-0 px-2.5 py-2 font-mono text-[0.71875rem] text-fg-1 leading-[1.55] wrap-anywhere"
        >
          <VisibleText>{children}</VisibleText>
        </pre>
      )}
    </section>
  )
}

/** One bar for each run, as high as it took, the highest is the longest. */
function RunBars({ runs }: { readonly runs: readonly HookRun[] }) {
  const longest = Math.max(1, ...runs.map(({ durationMs }) => durationMs))
  const text = runs.map((run) => `${timeText(run.at)}: ${durationText(run.durationMs)}, ${resultText(run)}`)
  return (
    <div role="img" aria-label={text.join('; ')} className="flex h-8 items-end gap-0.5">
      {runs.map((run, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: runs have no identity
          key={index}
          title={text[index]}
          style={{ height: `${Math.max(12, (run.durationMs / longest) * 100)}%` }}
          className={classNames(
            'w-2 rounded-[1px]',
            isFailure(run) ? 'bg-bad' : run.effect === 'denied' ? 'bg-fg-0' : 'bg-fg-3',
          )}
        />
      ))}
    </div>
  )
}

function TestResult({ test }: { readonly test: HookTest }) {
  const code = test.exitCode === null ? '' : `exit code ${test.exitCode}, `
  const answer = test.answer === '' ? 'no objection' : test.answer
  return (
    <div role="status" className="grid gap-1 text-sm">
      <p className={test.failure === null ? 'text-fg-1' : 'text-bad'}>
        Test: {code}
        {durationText(test.durationMs)}. {test.failure ?? answer}
      </p>
      {test.output !== '' && <Lines title="Its output">{test.output}</Lines>}
    </div>
  )
}
