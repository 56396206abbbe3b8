/**
 * The header of a panel. Line 1: the agent's whole task and its working time. Line 2: type, model and place; while the
 * pointer or the focus is in the header, turns, tokens and cost with the controls instead. On top: the closest limit.
 */
import { Eye, ShieldOff } from 'lucide-react'
import type { HTMLAttributes, ReactNode } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import {
  UNSAVED,
  useAgentName,
  useAgentWriteFailure,
  useConversation,
} from '../../stores/conversation-store.ts'
import { modelLabel } from '../../stores/settings-store.ts'
import { BADGE_ICONS } from '../../ui/agent-style.ts'
import { Badge } from '../../ui/badge.tsx'
import { Dot } from '../../ui/dot.tsx'
import { AgentNameLine } from '../../ui/text/agent-name.tsx'
import { agentText, badgesOf, displayName, markOf } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { isExternal, reportedBy } from '../../ui/text/external-agent-text.ts'
import { folderName, formatTokens, moneyText, tokensText } from '../../ui/text/format.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { Worked } from '../../ui/text/times.tsx'
import { ContextRing } from './agent-context.tsx'
import { LimitMeter, LimitsButton } from './agent-limits.tsx'

interface PanelHeaderProps {
  readonly agent: AgentState
  readonly handle?: HTMLAttributes<HTMLElement>
  /** The controls. */
  readonly children: ReactNode
}

/**
 * Classes that swap the two contents of line 2. The controls keep their place, so that nothing moves. What is invisible takes
 * no clicks: an element with an opacity lies above the other one.
 */
const AT_REST =
  'group-hover/head:pointer-events-none group-hover/head:opacity-0 group-focus-within/head:pointer-events-none group-focus-within/head:opacity-0 group-focus-visible/panel:pointer-events-none group-focus-visible/panel:opacity-0'
const IN_USE =
  'pointer-events-none opacity-0 group-hover/head:pointer-events-auto group-hover/head:opacity-100 group-focus-within/head:pointer-events-auto group-focus-within/head:opacity-100 group-focus-visible/panel:pointer-events-auto group-focus-visible/panel:opacity-100'

export function PanelHeader({ agent, handle, children }: PanelHeaderProps) {
  const { className, ...rest } = handle ?? {}
  const unsaved = useAgentWriteFailure(agent.id) !== null
  const name = useAgentName(agent.id)
  return (
    <header
      {...rest}
      className={classNames(
        'group/head @container relative flex min-h-11 shrink-0 flex-col justify-center border-b border-b-line px-2.5 pt-[5px]',
        className,
      )}
    >
      <LimitMeter agent={agent} />
      <div className="grid grid-cols-[10px_minmax(0,1fr)_auto] items-baseline gap-x-2">
        <span className="grid place-items-center self-center" title={unsaved ? UNSAVED : agentText(agent)}>
          <Dot status={unsaved ? 'paused' : markOf(agent)} />
        </span>
        <h3 className="min-w-0 font-semibold text-fg-0 text-md leading-[1.35]">
          <AgentNameLine name={name} wraps />
        </h3>
        <span className="text-fg-2 text-xs">
          <span className="sr-only">Worked for </span>
          <Worked agent={agent} />
        </span>
      </div>
      <div className="grid min-h-5 items-center pl-[18px] text-fg-2 text-xs *:[grid-area:1/1]">
        <Quiet agent={agent} />
        <div
          data-panel-controls=""
          className={classNames('flex h-5 min-w-0 items-center justify-between gap-2', IN_USE)}
        >
          {agent.child === null ? (
            <LimitsButton agent={agent}>
              <Figures agent={agent} />
            </LimitsButton>
          ) : (
            <Figures agent={agent} />
          )}
          <span className="flex shrink-0 items-center gap-px">{children}</span>
        </div>
      </div>
    </header>
  )
}

/** "refactorer · sonnet 4.5 · order-key-a91e", with badges for what is unusual. */
function Quiet({ agent }: { readonly agent: AgentState }) {
  const place = usePlace(agent)
  const { name: title } = agent.definition
  const name = displayName(agent)
  const isMember = name !== title
  return (
    <span
      className={classNames('flex min-w-0 items-center gap-1.5 overflow-hidden whitespace-nowrap', AT_REST)}
      title={[
        modelText(agent),
        place?.meaning ?? 'Works in the folder of the conversation',
        `Permission mode: ${modeText(agent)}`,
      ].join('\n')}
    >
      {badgesOf(agent).map(({ kind, text, meaning }) => (
        <Badge
          key={kind}
          compact={kind === 'acp' || kind === 'acp-child' ? false : 'narrow'}
          icon={BADGE_ICONS[kind]}
          text={text}
          meaning={meaning}
        />
      ))}
      {agent.permissionMode === 'bypassPermissions' && (
        <ShieldOff
          size={12}
          strokeWidth={1.75}
          role="img"
          aria-label={`Permission mode: ${modeText(agent)}`}
          className="shrink-0"
        />
      )}
      <span className="min-w-0 truncate">
        {isMember && agent.task !== '' && `${makeVisible(agent.task)} · `}
        {title}
        {agent.model !== '' && ` · ${modelLabel(agent.model)}`}
        {place !== null && (
          <>
            {' · '}
            <bdi className={place.isBranch ? 'font-mono' : undefined}>{place.text}</bdi>
          </>
        )}
      </span>
      {agent.definition.readOnly && (
        <Eye
          size={12}
          strokeWidth={1.75}
          role="img"
          aria-label="Read-only: can't change anything"
          className="sr-only"
        />
      )}
    </span>
  )
}

interface Place {
  readonly text: string
  readonly meaning: string
  readonly isBranch: boolean
}

/** Where the agent's changes go; null: to the conversation's folder. */
function usePlace(agent: AgentState): Place | null {
  const folder = useConversation((state) => state.record?.folder)
  const { worktree, definition, cwd } = agent
  if (worktree !== null)
    return {
      text: folderName(worktree.branch),
      meaning: worktree.own
        ? `Has its own worktree, on the branch ${worktree.branch}`
        : `Works in the worktree of ${worktree.branch}`,
      isBranch: true,
    }
  if (definition.readOnly) return { text: 'read-only', meaning: "Can't change anything", isBranch: false }
  if (folder === undefined || cwd === folder) return null
  return { text: folderName(cwd), meaning: `Works in its own folder: ${cwd}`, isBranch: true }
}

/** "Turn 9 of 40 · 38k tokens · $0.03", with a dash for what an external agent does not report. */
function Figures({ agent }: { readonly agent: AgentState }) {
  // The extra turn for the report at the limit does not count.
  const turn = Math.min(agent.turn, agent.maxTurns)
  const isOfProgram = isExternal(agent)
  const reported = isOfProgram ? reportedBy(agent) : { tokens: true, cost: true }
  const cost = isOfProgram
    ? moneyText(agent.costUsd, true)
    : agent.priced || agent.costUsd > 0
      ? moneyText(agent.costUsd, agent.priced)
      : 'cost unknown'
  return (
    <span
      className="flex min-w-0 items-center gap-1.5 whitespace-nowrap tabular-nums"
      title={`${modelText(agent)} · ${reported.tokens ? tokensText(agent) : 'tokens not reported'}${reported.cost ? '' : ' · cost not reported'}`}
    >
      <span className="truncate">
        {!isOfProgram && `Turn ${turn} of ${agent.maxTurns} · `}
        {reported.tokens ? `${formatTokens(agent.countedTokens)} tokens` : <Missing what="tokens" />}
        {' · '}
        {reported.cost ? cost : <Missing what="cost" />}
      </span>
      <ContextRing agent={agent} />
    </span>
  )
}

function Missing({ what }: { readonly what: 'tokens' | 'cost' }) {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span className="sr-only">{what} not reported</span>
    </>
  )
}

/** The model, with the effort and the thinking that were chosen for it. */
function modelText({ model, effort, thinking }: Pick<AgentState, 'model' | 'effort' | 'thinking'>): string {
  const choices = [effort && `effort ${effort}`, thinking && `thinking ${thinking}`].filter(Boolean)
  return [model, ...choices].join(', ')
}
