/** The selected attempt: what it reports, the output of its check, and what can be done with it. */
import type { Comparison } from '../../../shared/comparison/comparison.ts'
import type { AttemptRow } from '../../../shared/state/comparison-rows.ts'
import { mergeCheckText } from '../../../shared/worktrees/format-work.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { formatDuration } from '../../ui/text/format.ts'
import { attemptActions } from './attempt-actions.ts'
import { CheckResult } from './attempt-table.tsx'

interface AttemptDetailsProps {
  readonly comparison: Comparison
  readonly row: AttemptRow
  readonly onShowAgent: (agentId: string) => void
}

export function AttemptDetails({ comparison, row, onShowAgent }: AttemptDetailsProps) {
  const { command } = comparison
  return (
    <section aria-label={row.label} className="flex min-h-0 flex-1 flex-col">
      <Actions row={row} command={command} onShowAgent={onShowAgent} />
      <div
        className={classNames(
          'grid min-h-0 flex-1',
          command !== null && 'grid-cols-2 @max-[600px]:grid-cols-1 @max-[600px]:grid-rows-2',
        )}
      >
        <Part title="Report">
          <Report row={row} />
        </Part>
        {command !== null && (
          <Part title="Check" code={command} divided>
            <Check row={row} />
          </Part>
        )}
      </div>
    </section>
  )
}

function Actions({
  row,
  command,
  onShowAgent,
}: Omit<AttemptDetailsProps, 'comparison'> & { readonly command: string | null }) {
  const { agentId, label, check, isMerged } = row
  const agent = useAgent(agentId)
  const readOnly = useConversation((state) => state.readOnly)
  const can = attemptActions({ row, agent, command, readOnly })
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-b bg-bg-1 px-3 py-1.5 text-sm">
      <h2 className="font-semibold text-fg-0">{label}</h2>
      {can.review !== null && agent?.work && !isMerged && (
        <span className="text-fg-2">{mergeCheckText(agent.work.check)}</span>
      )}
      <span className="ml-auto flex flex-wrap gap-1.5">
        <Button variant="quiet" onClick={() => onShowAgent(agentId)}>
          Show panel
        </Button>
        {can.check !== null && (
          <Button variant="quiet" onClick={can.check}>
            {check === null ? 'Run the check' : 'Check again'}
          </Button>
        )}
        {can.review !== null && <Button onClick={can.review}>Review changes</Button>}
        {can.merge !== null && (
          <Button variant="primary" onClick={can.merge}>
            Merge…
          </Button>
        )}
      </span>
    </div>
  )
}

function Part({
  title,
  code,
  divided = false,
  children,
}: {
  readonly title: string
  readonly code?: string
  readonly divided?: boolean
  readonly children: React.ReactNode
}) {
  return (
    <section
      aria-label={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable from the keyboard
      tabIndex={0}
      className={classNames(
        'min-h-0 min-w-0 overflow-y-auto px-3 py-2 text-sm outline-offset-[-2px]',
        divided && 'border-line border-l @max-[600px]:border-t @max-[600px]:border-l-0',
      )}
    >
      <h3 className="pb-1 font-medium text-fg-2 text-xs">
        {title} {code !== undefined && <code className="font-mono">{code}</code>}
      </h3>
      {children}
    </section>
  )
}

function Report({ row: { failure, report, isLive } }: { readonly row: AttemptRow }) {
  if (failure !== null)
    return (
      <p className="text-bad wrap-anywhere" data-selectable="">
        {failure}
      </p>
    )
  if (report === '')
    return <p className="text-fg-2">{isLive ? 'The report comes at the end.' : 'There is no report.'}</p>
  return (
    <p className="whitespace-pre-wrap text-fg-1 wrap-anywhere" data-selectable="">
      {report}
    </p>
  )
}

function Check({ row }: { readonly row: AttemptRow }) {
  const { check, isLive, work } = row
  if (check === null)
    return (
      <p className="text-fg-2">
        {isLive
          ? 'It runs when the agent has ended.'
          : work?.files === 0
            ? 'The agent changed nothing to check.'
            : 'It was not run.'}
      </p>
    )
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 pb-1">
        <CheckResult row={row} />
        {check.ms > 0 && <span className="text-fg-2">{formatDuration(check.ms)}</span>}
      </p>
      {check.because !== null && <p className="pb-1 text-fg-1 wrap-anywhere">{check.because}</p>}
      {check.changedFiles && (
        <p className="pb-1 text-needs-you">
          The check changed files in the worktree. A merge takes them along.
        </p>
      )}
      {check.output !== '' && (
        <pre className="whitespace-pre-wrap font-mono text-fg-1 text-xs wrap-anywhere" data-selectable="">
          {check.isCut ? '…\n' : ''}
          {check.output}
        </pre>
      )}
    </>
  )
}
