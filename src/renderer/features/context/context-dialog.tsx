/** What fills the context window of an agent, by part. */

import { ChevronRight } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import {
  type ContextGroup,
  type ContextItem,
  type ContextKind,
  type ContextReport,
  compactionStart,
  contextAdvice,
  contextText,
  deferredNote,
  itemLabel,
  percentOf,
} from '../../../shared/state/context-report.ts'
import { command } from '../../bridge.ts'
import { agentTitle, useAgent, useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { copyText } from '../../ui/text/copy-text.ts'
import { formatTokens } from '../../ui/text/format.ts'

export function ContextDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Context window" width={680}>
      {open && <Shown />}
    </Dialog>
  )
}

function Shown() {
  const mainAgentId = useMainAgentId()
  const shown = useOverlay((state) => state.about)
  const agents = useConversation((state) => state.agents)
  const agent = useAgent(shown ?? mainAgentId)
  if (agent === undefined)
    return <p className="text-fg-1 text-sm">The shown conversation does not have this agent.</p>
  return <AgentContext key={agent.id} agent={agent} agents={agents} />
}

type Loaded =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'report'; readonly report: ContextReport }

interface AgentContextProps {
  readonly agent: AgentState
  readonly agents: ReadonlyMap<string, AgentState>
}

function AgentContext({ agent, agents }: AgentContextProps) {
  const { loaded, reload } = useReport(agent)
  const title = agentTitle(agent, agents)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        {agents.size > 1 ? (
          <SelectMenu
            label="Agent"
            value={agent.id}
            options={[...agents.values()].map((one) => ({ value: one.id, label: agentTitle(one, agents) }))}
            onChange={(agentId) => useOverlay.setState({ about: agentId })}
          />
        ) : (
          <p className="font-medium text-fg-1 text-sm">{title}</p>
        )}
        {loaded.kind === 'report' && <CopyReport report={loaded.report} name={title} />}
      </div>
      {loaded.kind === 'loading' && (
        <p className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> Counting…
        </p>
      )}
      {loaded.kind === 'failed' && (
        <div role="alert" className="flex items-center gap-3 text-fg-1 text-sm">
          <span>{loaded.message}</span>
          <Button onClick={reload}>Try again</Button>
        </div>
      )}
      {loaded.kind === 'report' && <ContextReportView report={loaded.report} />}
    </div>
  )
}

/** The report of an agent, again after each of its answers. */
function useReport({ id: agentId, conversationId, context, status }: AgentState) {
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' })
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the context, the status and a new attempt change the report.
  useEffect(() => {
    let isCurrent = true
    void command('agent.context', { conversationId, agentId }).then((answer) => {
      if (!isCurrent) return
      setLoaded(
        answer.ok
          ? { kind: 'report', report: answer.value }
          : { kind: 'failed', message: answer.failure.message },
      )
    })
    return () => {
      isCurrent = false
    }
  }, [conversationId, agentId, context, status, attempt])
  const reload = useCallback(() => {
    setLoaded({ kind: 'loading' })
    setAttempt((now) => now + 1)
  }, [])
  return { loaded, reload }
}

function CopyReport({ report, name }: { readonly report: ContextReport; readonly name: string }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no')
  const copy = async () => setCopied((await copyText(contextText(report, name))) ? 'yes' : 'failed')
  return (
    <span className="ml-auto flex items-center gap-2">
      <span role="status" className="text-fg-2 text-sm">
        {copied === 'yes' ? 'Copied' : copied === 'failed' ? 'Could not copy' : ''}
      </span>
      <Button onClick={() => void copy()}>Copy as text</Button>
    </span>
  )
}

/** The parts of a context window: a bar, a table whose groups open, and what the user can do. */
export function ContextReportView({ report }: { readonly report: ContextReport }) {
  const { window, used, basis, model, groups } = report
  const start = compactionStart(report)
  const advice = contextAdvice(report)
  return (
    <>
      <p className="text-fg-1 text-sm">
        <span className="font-semibold text-fg-0">
          About {formatTokens(used)}
          {window === null ? ' tokens' : ` of ${formatTokens(window)} tokens · ${percentOf(used, window)}%`}
        </span>
        {window === null
          ? ` in the next request. The context window of ${model} is unknown.`
          : ' in the next request.'}
        {basis === 'length' && ' Estimated from the length: no answer has counted these tokens yet.'}
      </p>
      {window !== null && <Bar groups={groups} window={window} start={start ?? window} />}
      {advice.length > 0 && (
        <section aria-label="Free room" className="rounded-md border border-line bg-bg-2 px-3 py-2">
          <ul className="flex list-disc flex-col gap-1 pl-4 text-fg-1 text-sm" data-selectable="">
            {advice.map((text) => (
              <li key={text} className="wrap-anywhere">
                {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      <table className="w-full table-fixed text-sm" data-selectable="">
        <thead className="text-left text-fg-2 text-xs">
          <tr>
            <th scope="col" className="py-1 font-medium">
              Part
            </th>
            <th scope="col" className="w-20 text-right font-medium">
              Tokens
            </th>
            <th scope="col" className="w-16 text-right font-medium">
              Share
            </th>
          </tr>
        </thead>
        {groups.map((group) => (
          <Group key={`${group.kind} ${group.server ?? ''}`} group={group} window={window ?? used} />
        ))}
        {window !== null && (
          <tfoot className="border-line border-t">
            <tr className="h-7 text-fg-1">
              <th scope="row" className="pl-[42px] text-left font-medium">
                Free
              </th>
              <Figures tokens={Math.max(0, window - used)} window={window} />
            </tr>
          </tfoot>
        )}
      </table>
      {start !== null && (
        <p className="text-fg-2 text-sm">
          Compaction begins at {formatTokens(start)} tokens: older tool results are left out, then the model
          continues from a summary.
        </p>
      )}
    </>
  )
}

function Bar({
  groups,
  window,
  start,
}: {
  readonly groups: readonly ContextGroup[]
  readonly window: number
  readonly start: number
}) {
  const width = (tokens: number) => `${Math.min(100, (tokens * 100) / window)}%`
  return (
    <div aria-hidden="true" className="relative">
      <div className="flex h-2.5 gap-px overflow-hidden rounded-[4px] bg-bg-3">
        {groups.map(({ kind, server, tokens, label }) => (
          <span
            key={`${kind} ${server ?? ''}`}
            title={`${label}: about ${formatTokens(tokens)}`}
            style={{ width: width(tokens), background: COLORS[kind] }}
          />
        ))}
      </div>
      <span className="absolute -inset-y-0.5 w-px bg-fg-1" style={{ left: width(start) }} />
    </div>
  )
}

function Group({ group, window }: { readonly group: ContextGroup; readonly window: number }) {
  const [open, setOpen] = useState(false)
  const { kind, label, tokens, items } = group
  const note = deferredNote(group)
  return (
    <tbody className="text-fg-1">
      <tr className="h-7">
        <th scope="row" className="min-w-0 text-left font-medium">
          {items.length === 0 ? (
            <span className="flex items-center gap-2 pl-[20px]">
              <Name kind={kind} label={label} note={note} />
            </span>
          ) : (
            <button
              type="button"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
              className="flex h-7 w-full items-center gap-2 rounded-sm text-left hover:text-fg-0"
            >
              <ChevronRight
                size={12}
                aria-hidden="true"
                className={classNames('shrink-0 text-fg-2', open && 'rotate-90')}
              />
              <Name kind={kind} label={label} note={note} />
            </button>
          )}
        </th>
        <Figures tokens={tokens} window={window} />
      </tr>
      {open && items.map((item) => <Item key={item.label} item={item} window={window} />)}
    </tbody>
  )
}

function Name({
  kind,
  label,
  note,
}: {
  readonly kind: ContextKind
  readonly label: string
  readonly note: string
}) {
  return (
    <>
      <span
        aria-hidden="true"
        className="size-2.5 shrink-0 rounded-[3px]"
        style={{ background: COLORS[kind] }}
      />
      <span className="truncate">{label}</span>
      {note !== '' && <span className="truncate font-normal text-fg-2">{note}</span>}
    </>
  )
}

function Item({ item, window }: { readonly item: ContextItem; readonly window: number }) {
  const { label, tokens } = item
  return (
    <tr className="h-6 text-fg-2">
      <th scope="row" title={label} className="truncate pl-[42px] text-left font-normal">
        {itemLabel(item)}
      </th>
      <Figures tokens={tokens} window={window} />
    </tr>
  )
}

function Figures({ tokens, window }: { readonly tokens: number; readonly window: number }) {
  return (
    <>
      <td className="text-right font-mono text-xs tabular-nums">{formatTokens(tokens)}</td>
      <td className="text-right font-mono text-xs tabular-nums">{shareText(tokens, window)}</td>
    </>
  )
}

function shareText(tokens: number, window: number): string {
  if (tokens === 0 || window === 0) return '0%'
  const share = (tokens * 100) / window
  return share < 0.1 ? '<0.1%' : `${share.toFixed(1)}%`
}

/** Marks, not text: a part has the same color in the bar and in the table. */
const COLORS: Readonly<Record<ContextKind, string>> = {
  system: 'var(--fg-3)',
  instructions: 'var(--agent-purple)',
  memory: 'var(--agent-pink)',
  skills: 'var(--agent-indigo)',
  agents: 'var(--agent-lime)',
  tools: 'var(--agent-teal)',
  user: 'var(--fg-1)',
  agent: 'var(--agent-blue)',
  results: 'var(--agent-green)',
  notices: 'var(--line-strong)',
}
