/**
 * The transcript of one agent: the rows and the streaming message. It follows the end, loads older pages, finds text
 * and copies the conversation.
 */
import { ArrowDown } from 'lucide-react'
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { TranscriptRow } from '../../../shared/events/transcript-row.ts'
import { maskSecrets } from '../../../shared/kernel/mask-secrets.ts'
import { type AgentState, needsUser } from '../../../shared/state/agent-state.ts'
import { rowText } from '../../../shared/transcript/transcript-rows.ts'
import { agentTitleNow, useAgent } from '../../stores/conversation-store.ts'
import type { TranscriptView } from '../../stores/loaded-transcript.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { transcriptOf, useTranscriptPart } from '../../stores/transcript-store.ts'
import { stripTerminal } from '../../ui/ansi.ts'
import { Button } from '../../ui/button.tsx'
import { isFind } from '../../ui/platform.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { copyText } from '../../ui/text/copy-text.ts'
import { TranscriptFindBar, useTranscriptFinder } from './find/use-finder.tsx'
import { RowList, type RowListHandle } from './row-list.tsx'
import { RowGroups } from './rows/row-groups.ts'
import { useKeptSelection } from './selection/keep-selection.tsx'
import { frameBudget } from './stream/frame-budget.ts'
import { DiscardedMessage, StreamedPortals } from './stream/live-message.tsx'
import { SurroundingsContext, useAgentSurroundings } from './surroundings.ts'
import { TailRows, useTail } from './tail-rows.tsx'
import { useFollowEnd } from './use-follow-end.ts'
import { usePlace } from './use-place.ts'
import { useScrollKeys } from './use-scroll-keys.ts'

/** The commands of a transcript. */
export interface TranscriptHandle {
  /** Opens the search. */
  find(): void
  /** Copies the whole conversation, older pages too. False if the system refused. */
  copyAll(): Promise<boolean>
  /** Scrolls to the end and follows it again. */
  followEnd(): void
}

export interface TranscriptProps {
  readonly agentId: string
  /** `conversation` has the margins of a page and fills from the top; a panel fills from the bottom. */
  readonly density?: 'panel' | 'conversation'
  /** Shows the panel of another agent. */
  readonly onOpenAgent?: (agentId: string) => void
  /** Shown while the transcript has no rows. */
  readonly empty?: ReactNode
  readonly ref?: Ref<TranscriptHandle>
}

/** The distance from the top, in px, at which the previous page is loaded. */
const NEAR_TOP = 800

export function Transcript({ agentId, density = 'panel', onOpenAgent, empty, ref }: TranscriptProps) {
  const view = useSteadyView(agentId)
  const agent = useAgent(agentId)
  const scroller = useRef<HTMLDivElement>(null)
  // The list of rows needs the element itself, which does not exist during the first render.
  const [scrollElement, setScrollElement] = useState<HTMLDivElement | null>(null)
  const takeScroller = useCallback((element: HTMLDivElement | null) => {
    scroller.current = element
    setScrollElement(element)
  }, [])
  const content = useRef<HTMLDivElement>(null)
  const list = useRef<RowListHandle>(null)
  const follow = useFollowEnd(scroller, content, view.rows.at(-1)?.seq ?? -1)
  useOwnInSight(view.rows, follow.toEnd)
  const surroundings = useAgentSurroundings({
    agentId,
    folder: agent?.cwd ?? '',
    openAgent: onOpenAgent ?? null,
    onToggle: follow.hold,
  })
  const { streamed } = surroundings
  // During render, so that a new row finds its element. Settling twice changes nothing.
  useMemo(() => streamed.settle(view.rows, view.kinds !== ''), [streamed, view])
  const groups = useRowGroups(view)
  const tail = useTail(groups.items, scroller)
  const name = agent === undefined ? 'agent' : agentTitleNow(agent)

  const finder = useTranscriptFinder({
    agentId,
    rows: view.rows,
    version: view.version,
    groups,
    scroller,
    list,
    folds: surroundings.folds,
    hold: follow.hold,
  })

  usePlace({
    ...{ agentId, groups, scroller, list },
    isReady: view.phase === 'ready',
    folds: surroundings.folds,
    hold: follow.hold,
  })

  const whole = useCallback(async () => {
    await transcriptOf(agentId).loadAll()
    return maskSecrets(transcriptText(transcriptOf(agentId).getView().rows, name))
  }, [agentId, name])
  const copyAll = useCallback(async () => {
    const { text, count } = await whole()
    const copied = await copyText(text)
    if (copied && count > 0)
      showNotice({
        level: 'info',
        text: count === 1 ? 'A secret is masked in the copy.' : `${count} secrets are masked in the copy.`,
      })
    return copied
  }, [whole])
  useImperativeHandle(ref, () => ({ find: finder.open, copyAll, followEnd: follow.toEnd }), [
    finder.open,
    copyAll,
    follow.toEnd,
  ])

  const onScroll = () => {
    follow.onScroll()
    const top = scroller.current?.scrollTop ?? 0
    if (top < NEAR_TOP && view.older && !view.loadingOlder) void transcriptOf(agentId).loadOlder()
  }
  const selection = useKeptSelection({ scroller, content, onChange: follow.holdSelection, copyAll })
  const scrollKeys = useScrollKeys({
    scroller,
    loadAll: useCallback(() => transcriptOf(agentId).loadAll(), [agentId]),
    hold: follow.hold,
    toEnd: follow.toEnd,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    if (scrollKeys(event) || selection.onKeyDown(event) || !isFind(event)) return
    event.preventDefault()
    event.stopPropagation()
    finder.open()
  }

  return (
    <SurroundingsContext value={surroundings}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the shortcut works wherever the focus is inside */}
      <div
        className="relative min-h-0 min-w-0 flex-1 [contain:layout_paint]"
        onKeyDown={onKeyDown}
        onCopy={selection.onCopy}
      >
        {finder.isOpen && <TranscriptFindBar finder={finder} agentName={name} />}
        <div
          ref={takeScroller}
          role="log"
          aria-live="off"
          aria-label={`Transcript of ${name}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          onScroll={onScroll}
          onPointerDown={selection.onPointerDown}
          // Out of the flow: in the flow, each streamed word would lay out all rows again.
          className="absolute inset-0 overflow-x-hidden overflow-y-auto [overflow-anchor:none] focus-visible:-outline-offset-2"
        >
          <div
            ref={content}
            className={classNames(
              'flex min-h-full flex-col',
              density === 'panel' ? 'justify-end p-2.5 [--row-gap:8px]' : 'px-[18px] py-4 [--row-gap:14px]',
            )}
          >
            {view.loadingOlder && (
              <p className="flex justify-center gap-2 pb-2 text-fg-2 text-sm">
                <Spinner /> Loading earlier messages
              </p>
            )}
            {view.phase === 'failed' && <Failed agentId={agentId} message={view.failure ?? ''} />}
            {view.phase === 'ready' && view.rows.length === 0 && view.kinds === '' && empty}
            {tail.start > 0 && scrollElement !== null && (
              <RowList
                key={agentId}
                rows={groups.items}
                version={view.version}
                count={tail.start}
                heights={tail.heights}
                scroller={scrollElement}
                density={density}
                handle={list}
                holdHeight={follow.holdHeight}
              />
            )}
            <TailRows
              agentId={agentId}
              rows={groups.items}
              version={view.version}
              start={tail.start}
              kinds={view.kinds}
              streamed={streamed}
            />
            {view.discarded.length > 0 && view.kinds === '' && <Discarded blocks={view.discarded} />}
            {view.kinds === '' && isSilent(agent) && <Silence />}
          </div>
        </div>
        <StreamedPortals agentId={agentId} streamed={streamed} />
        {!follow.following && <ToEnd unseen={rowsAfter(view.rows, follow.leftAt)} onClick={follow.toEnd} />}
      </div>
    </SurroundingsContext>
  )
}

/** The rows in groups. Grouping an unchanged view again changes nothing. */
function useRowGroups({ rows, version }: Pick<SteadyView, 'rows' | 'version'>): RowGroups {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows have other groups
  const groups = useMemo(() => new RowGroups(), [rows])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows grow in place
  useMemo(() => groups.update(rows), [groups, rows, version])
  return groups
}

function Discarded({ blocks }: ComponentProps<typeof DiscardedMessage>) {
  return (
    <div className="pt-(--row-gap) opacity-60">
      <DiscardedMessage blocks={blocks} />
      <p className="pt-1 text-fg-2 text-sm">The connection was lost here. Retrying this part.</p>
    </div>
  )
}

function Silence() {
  return (
    <span aria-hidden="true" className="pt-(--row-gap)">
      <span className="pulse-soft block h-[13px] w-[7px] rounded-[1px] bg-agent" />
    </span>
  )
}

/** Whether the agent waits for the first output of its model. */
function isSilent(agent: AgentState | undefined): boolean {
  if (agent?.status !== 'running' || needsUser(agent)) return false
  return agent.action?.running !== true && agent.retry === null
}

function ToEnd({ unseen, onClick }: { readonly unseen: number; readonly onClick: () => void }) {
  return (
    <Button
      className="absolute bottom-2 left-1/2 -translate-x-1/2 border border-line-strong shadow-popup"
      onClick={onClick}
    >
      <ArrowDown size={12} aria-hidden="true" />
      {unseen > 0 ? `${unseen.toLocaleString('en')} new` : 'To the end'}
    </Button>
  )
}

/** The number of rows after the event. Older rows that were loaded meanwhile do not count. */
function rowsAfter(rows: readonly TranscriptRow[], seq: number): number {
  return rows.length - 1 - rows.findLastIndex((row) => row.seq <= seq)
}

function Failed({ agentId, message }: { readonly agentId: string; readonly message: string }) {
  return (
    <div className="m-auto flex max-w-80 flex-col items-center gap-2 text-center">
      <p className="text-fg-1 text-sm">Can't open this transcript. {message}</p>
      <Button onClick={() => void transcriptOf(agentId).open()}>Try again</Button>
    </div>
  )
}

/**
 * A transcript without its streaming text, which changes at every frame and renders separately. New rows go through the
 * frame budget, so that panels whose messages finish at the same time share frames. Rows that the user requested (on
 * opening, older pages) render immediately.
 */
interface SteadyView extends Omit<TranscriptView, 'live'> {
  /** The streaming blocks as `index kind`, separated by commas; empty if nothing streams. */
  readonly kinds: string
}

function useSteadyView(agentId: string): SteadyView {
  // Keeps the transcript open while the component is mounted.
  useTranscriptPart(agentId, nothing)
  const [held, setHeld] = useState(() => ({ agentId, view: steady(transcriptOf(agentId).getView()) }))
  useEffect(() => {
    const { subscribe, getView } = transcriptOf(agentId)
    let takeBack: (() => void) | null = null
    const update = () => {
      takeBack?.()
      takeBack = null
      setHeld((before) => {
        const view = steady(getView())
        return before.agentId === agentId && same(before.view, view) ? before : { agentId, view }
      })
    }
    let last = steady(getView())
    update()
    const unsubscribe = subscribe(() => {
      const now = steady(getView())
      if (same(last, now)) return
      const waits =
        now.rows === last.rows && now.phase === last.phase && now.loadingOlder === last.loadingOlder
      last = now
      if (waits) takeBack ??= frameBudget.request(update, 'heavy')
      else update()
    })
    return () => {
      unsubscribe()
      takeBack?.()
    }
  }, [agentId])
  return held.agentId === agentId ? held.view : steady(transcriptOf(agentId).getView())
}

const nothing = () => null

function steady({ live, ...rest }: TranscriptView): SteadyView {
  return { ...rest, kinds: live.map(({ index, kind }) => `${index} ${kind}`).join() }
}

function same(a: SteadyView, b: SteadyView): boolean {
  return (Object.keys(a) as (keyof SteadyView)[]).every((key) => a[key] === b[key])
}

/** What the user has just sent is always in sight: the transcript goes to its end with it. */
function useOwnInSight(rows: readonly TranscriptRow[], toEnd: () => void): void {
  const last = rows.slice(-NEWEST).findLast(isOfUser)?.seq ?? -1
  const seen = useRef(last)
  useEffect(() => {
    const isNew = seen.current !== -1 && last > seen.current
    seen.current = Math.max(seen.current, last)
    if (isNew) toEnd()
  }, [last, toEnd])
}

/** Rows among which a new one of the user is. */
const NEWEST = 20

const isOfUser = (row: TranscriptRow): boolean =>
  (row.kind === 'user' && row.from === 'user') || (row.kind === 'tool' && row.sharing !== undefined)

const SPEAKERS = { user: 'You', parent: 'Task', agent: 'Another agent', runtime: 'Troupe' } as const

/** A transcript as text, for the clipboard. Markdown: messages unchanged, each tool call as a line with its output in a code block. */
export function transcriptText(rows: readonly TranscriptRow[], agentName: string): string {
  return rows
    .map((row) => textOfRow(row, agentName))
    .filter((text) => text !== '')
    .join('\n\n')
}

function textOfRow(row: TranscriptRow, agentName: string): string {
  switch (row.kind) {
    case 'user':
      return `**${SPEAKERS[row.from]}:** ${row.text}`
    case 'text':
      return `**${agentName}:** ${row.text}`
    case 'thinking':
      return row.text.replace(/^/gm, '> ')
    case 'tool': {
      const output = stripTerminal(rowText({ ...row, name: '', summary: '' }))
      const line = `- ${row.name} \`${row.summary}\`${row.note === '' ? '' : ` (${row.note})`}`
      return output === '' ? line : `${line}\n${fenced(output)}`
    }
    case 'request':
      return `_${rowText(row)}${row.decision === null ? '' : ` (${row.decision})`}_`
    case 'retry':
    case 'notice':
    case 'ended':
    case 'work':
      return `_${rowText(row)}_`
    case 'instructions':
      return `_Loaded: ${rowText(row).replaceAll('\n', ', ')}_`
    case 'agents':
      return ''
  }
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
