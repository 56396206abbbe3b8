/** The side bar: the agents of this conversation, and the conversations and unmerged worktrees of this folder. */
import { History, Plug, Plus } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import type { ReviewSnapshot, ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { AgentTree } from '../../features/agent-tree/agent-tree.tsx'
import { ConversationList } from '../../features/conversations/conversation-list.tsx'
import { ExternalAgentList } from '../../features/external-agents/external-agent-list.tsx'
import { mergeStates, worktreeName, worktreeTitle } from '../../features/worktrees/worktree-text.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { readyIds } from '../../stores/review-groups.ts'
import { goToReview, useSnapshot } from '../../stores/review-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { IconButton } from '../../ui/button.tsx'
import { Dot, type DotStatus } from '../../ui/dot.tsx'
import { Popover } from '../../ui/popover.tsx'
import { count } from '../../ui/text/format.ts'
import { moveFocusInList } from '../../ui/use-focus.ts'

interface SideBarProps {
  /** Shows only icons, for a narrow window. */
  readonly compact: boolean
  readonly onOpenAgent: (agentId: string) => void
  readonly onWriteTo: (agentId: string) => void
  /** The splitter at the edge. */
  readonly splitter?: ReactNode
}

export function SideBar({ compact, splitter, ...actions }: SideBarProps) {
  const around = useRef<HTMLElement>(null)
  return (
    <aside
      ref={around}
      aria-label="Agents and conversations"
      className="relative flex h-full min-h-0 flex-col border-line border-r bg-bg-1"
    >
      {compact ? <CompactBar around={around} {...actions} /> : <FullBar around={around} {...actions} />}
      {splitter}
    </aside>
  )
}

interface BarProps extends Omit<SideBarProps, 'compact' | 'splitter'> {
  readonly around: RefObject<HTMLElement | null>
}

function FullBar({ around, onOpenAgent, onWriteTo }: BarProps) {
  const amount = useConversation((state) => state.agents.size)
  return (
    <>
      {amount > 0 && (
        <section aria-labelledby="agents-heading" className="flex max-h-[62%] shrink-0 flex-col pt-1.5">
          <div className="flex h-7 shrink-0 items-center justify-between px-3.5">
            <h2 id="agents-heading" className="side-heading">
              This conversation
            </h2>
            <span className="font-mono text-fg-2 text-xs">{amount}</span>
          </div>
          <div className="min-h-0 overflow-y-auto">
            <AgentTree around={around} onOpen={onOpenAgent} onWrite={onWriteTo} />
          </div>
        </section>
      )}
      <div className="flex min-h-24 flex-col pt-2.5">
        <ConversationList />
      </div>
      <Worktrees />
      <span className="flex-1" />
      <ExternalAgentList />
    </>
  )
}

/** Worktrees with work that is not merged; each opens Review. Nothing without such worktrees. */
function Worktrees() {
  const snapshot = useSnapshot()
  const unmerged = snapshot?.worktrees.filter(({ state }) => state !== 'merged') ?? []
  if (snapshot === null || unmerged.length === 0) return null
  const ready = readyIds(snapshot)
  return (
    <section aria-labelledby="worktrees-heading" className="flex max-h-[26%] min-h-16 flex-col pt-2.5">
      <div className="flex h-7 shrink-0 items-center justify-between px-3.5">
        <h2 id="worktrees-heading" className="side-heading">
          Worktrees
        </h2>
        <span className="font-mono text-fg-2 text-xs">{unmerged.length}</span>
      </div>
      <ul className="min-h-0 overflow-y-auto pb-1" onKeyDown={(event) => moveFocusInList(event, 'button')}>
        {unmerged.map((worktree) => (
          <li key={worktree.id} style={agentStyle(worktree.color)}>
            <WorktreeRow worktree={worktree} snapshot={snapshot} isFirst={ready.has(worktree.id)} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface WorktreeRowProps {
  readonly worktree: ReviewWorktree
  readonly snapshot: ReviewSnapshot
  /** Whether it is merged before the worktrees that it conflicts with. */
  readonly isFirst: boolean
}

function WorktreeRow({ worktree, snapshot, isFirst }: WorktreeRowProps) {
  const { id, branch, state, ended, files, insertions, deletions } = worktree
  const all = snapshot.worktrees
  const states = mergeStates(worktree, { nameOf: (other) => worktreeName(all, other), isFirst })
  const hasConflict = states.some(({ tone }) => tone === 'needs-you')
  const mark: DotStatus = hasConflict ? 'needs-you' : ended === 'failed' ? 'failed' : MARKS[state]
  const { letter } = worktreeTitle(all, worktree)
  const texts = states.length === 0 ? [state === 'ready' ? 'ready' : state] : states.map(({ text }) => text)
  const about = [`${worktreeName(all, id)}: ${count(files, 'file')}`, ...texts].join(', ')
  return (
    <button
      type="button"
      title={`${branch}\n${about}`}
      onClick={() => goToReview(id)}
      className="relative grid h-6 w-full grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-2 px-3.5 text-left font-mono text-xs hover:bg-bg-2 focus-visible:-outline-offset-2"
    >
      {letter === null ? (
        <Dot status={mark} className="justify-self-center" />
      ) : (
        <span className="grid size-4 place-items-center rounded-[4px] border border-agent bg-agent/18 font-sans font-semibold text-2xs text-fg-0">
          {letter}
        </span>
      )}
      <bdi className="truncate text-fg-1">{id}</bdi>
      <span className="text-fg-2">
        {insertions > 0 && <span className="text-ok">+{insertions.toLocaleString('en')}</span>}{' '}
        {deletions > 0 && <span className="text-bad">−{deletions.toLocaleString('en')}</span>}
        {insertions + deletions === 0 && (files === 0 ? 'no changes' : count(files, 'file'))}
        <span className="sr-only">, {about}</span>
      </span>
    </button>
  )
}

const MARKS: Readonly<Record<ReviewWorktree['state'], DotStatus>> = {
  ...{ working: 'running', ready: 'waiting', merged: 'completed', orphaned: 'stopped' },
}

function CompactBar({ around, onOpenAgent, onWriteTo }: BarProps) {
  const keysOf = useKeysOf()
  return (
    <>
      <div className="flex shrink-0 flex-col items-center gap-1 py-2">
        <Popover
          label="Conversations"
          trigger={<IconButton label="Conversations" icon={History} size={26} tooltipSide="right" />}
        >
          <div className="flex max-h-[60vh] w-64 flex-col pt-1">
            <ConversationList />
          </div>
        </Popover>
        <IconButton
          label="New conversation"
          keys={keysOf('new-conversation')}
          icon={Plus}
          size={26}
          tooltipSide="right"
          onClick={() => void openConversation(null)}
        />
        <IconButton
          label="External agents"
          icon={Plug}
          size={26}
          tooltipSide="right"
          onClick={() => showOverlay('programs')}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden border-line border-t py-1.5 [scrollbar-width:none]">
        <AgentTree compact around={around} onOpen={onOpenAgent} onWrite={onWriteTo} />
      </div>
    </>
  )
}
