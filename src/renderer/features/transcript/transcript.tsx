/**
 * The transcript of one agent: its rows, what streams below them, and what is needed to read it: following
 * the end, older pages, finding, copying.
 */
import { ArrowDown } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { AgentState } from '../../../shared/agent-state.ts'
import type { TranscriptRow } from '../../../shared/transcript-rows.ts'
import { command } from '../../bridge.ts'
import { agentName } from '../../stores/agent-words.ts'
import { useAgent } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/notice-store.ts'
import { loadAll, loadOlder, reopen, transcriptOf } from '../../stores/transcript-store.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { copyText } from '../../ui/copy-text.ts'
import { isFind } from '../../ui/platform.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { FindBar } from './find/find-bar.tsx'
import type { Match } from './find/find-matches.ts'
import { useFinder } from './find/use-finder.ts'
import { useMatchMarks } from './find/use-match-marks.ts'
import { FoldStates } from './fold-states.ts'
import { RowList, type RowListHandle } from './row-list.tsx'
import { DiscardedMessage, StreamedPortals } from './stream/live-message.tsx'
import { StreamedTexts } from './stream/streamed-texts.ts'
import { type Surroundings, SurroundingsContext } from './surroundings.ts'
import { TailRows, useTail } from './tail-rows.tsx'
import { transcriptText } from './transcript-text.ts'
import { useFollowEnd } from './use-follow-end.ts'
import { useSteadyView } from './use-steady-view.ts'

/** What the world around may ask of a transcript. */
export interface TranscriptHandle {
  /** Opens the search in it. */
  find(): void
  /** Copies all of it, older pages too. False where the system refused. */
  copyAll(): Promise<boolean>
  /** Goes to the end and follows it again. */
  followEnd(): void
}

export interface TranscriptProps {
  readonly agentId: string
  /** `conversation` has the margins of a page and begins at the top; a panel is filled from below. */
  readonly density?: 'panel' | 'conversation'
  /** Shows the panel of another agent. */
  readonly onOpenAgent?: (agentId: string) => void
  /** What stands there before anything was said. */
  readonly empty?: ReactNode
  readonly ref?: Ref<TranscriptHandle>
}

/** Px from the top at which the page before is fetched. */
const NEAR_TOP = 800

export function Transcript({ agentId, density = 'panel', onOpenAgent, empty, ref }: TranscriptProps) {
  const view = useSteadyView(agentId)
  const agent = useAgent(agentId)
  const scroller = useRef<HTMLDivElement>(null)
  // The list of rows needs the element itself, which is not there yet when its children are first drawn.
  const [scrollElement, setScrollElement] = useState<HTMLDivElement | null>(null)
  const takeScroller = useCallback((element: HTMLDivElement | null) => {
    scroller.current = element
    setScrollElement(element)
  }, [])
  const content = useRef<HTMLDivElement>(null)
  const list = useRef<RowListHandle>(null)
  const follow = useFollowEnd(scroller, content, view.rows.at(-1)?.seq ?? -1)
  const surroundings = useSurroundingsOf(agentId, agent?.cwd ?? '', onOpenAgent ?? null, follow.hold)
  const { streamed } = surroundings
  // While drawing, so that a row that is new knows its element; doing it twice changes nothing.
  useMemo(() => streamed.settle(view.rows, view.kinds !== ''), [streamed, view])
  const tail = useTail(view.rows, scroller)
  const name = agent === undefined ? 'agent' : agentName(agent)

  const openedToShow = useRef<string | null>(null)
  const finder = useFinder({
    rows: view.rows,
    version: view.version,
    loadAll: useCallback(() => loadAll(agentId), [agentId]),
    show: useCallback(
      (match: Match) => {
        follow.hold()
        openFound(view.rows[match.index], surroundings.folds, openedToShow)
        const shown = scroller.current?.querySelector(`[data-row="${CSS.escape(match.key)}"]`)
        if (shown) shown.scrollIntoView({ block: 'center' })
        else list.current?.showRow(match.index)
      },
      [view.rows, follow.hold, surroundings.folds],
    ),
    onClose: useCallback(() => scroller.current?.focus({ preventScroll: true }), []),
  })
  useMatchMarks(scroller, finder.isOpen ? finder.words : '', finder.matches[finder.current] ?? null)

  const copyAll = useCallback(async () => {
    await loadAll(agentId)
    return copyText(transcriptText(transcriptOf(agentId).getView().rows, name))
  }, [agentId, name])
  useImperativeHandle(ref, () => ({ find: finder.open, copyAll, followEnd: follow.toEnd }), [
    finder.open,
    copyAll,
    follow.toEnd,
  ])

  const onScroll = () => {
    follow.onScroll()
    const top = scroller.current?.scrollTop ?? 0
    if (top < NEAR_TOP && view.older && !view.loadingOlder) void loadOlder(agentId)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isFind(event)) return
    event.preventDefault()
    event.stopPropagation()
    finder.open()
  }

  return (
    <SurroundingsContext value={surroundings}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the shortcut works wherever the focus is inside */}
      <div className="relative min-h-0 min-w-0 flex-1 [contain:layout_paint]" onKeyDown={onKeyDown}>
        {finder.isOpen && <FindBar finder={finder} agentName={name} />}
        <div
          ref={takeScroller}
          role="log"
          aria-live="off"
          aria-label={`Transcript of ${name}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          onScroll={onScroll}
          // Out of the flow: inside of it each word that streams lays out all rows anew, several times over.
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
                <Spinner /> Loading what was before
              </p>
            )}
            {view.phase === 'failed' && <Failed agentId={agentId} message={view.failure ?? ''} />}
            {view.phase === 'ready' && view.rows.length === 0 && view.kinds === '' && empty}
            {tail.start > 0 && scrollElement !== null && (
              <RowList
                key={agentId}
                rows={view.rows}
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
              rows={view.rows}
              version={view.version}
              start={tail.start}
              kinds={view.kinds}
              streamed={streamed}
            />
            {view.discarded.length > 0 && view.kinds === '' && (
              <div className="pt-(--row-gap) opacity-60">
                <DiscardedMessage blocks={view.discarded} />
                <p className="pt-1 text-fg-2 text-sm">The connection broke here. This part is made again.</p>
              </div>
            )}
            {view.kinds === '' && isSilent(agent) && <Silence />}
          </div>
        </div>
        <StreamedPortals agentId={agentId} streamed={streamed} />
        {!follow.following && <ToEnd unseen={rowsAfter(view.rows, follow.leftAt)} onClick={follow.toEnd} />}
      </div>
    </SurroundingsContext>
  )
}

function Silence() {
  return (
    <span aria-hidden="true" className="pt-(--row-gap)">
      <span className="pulse-soft block h-[13px] w-[7px] rounded-[1px] bg-agent" />
    </span>
  )
}

/** The model has been asked and has not said anything yet. */
function isSilent(agent: AgentState | undefined): boolean {
  return agent?.status === 'running' && agent.action?.running !== true && agent.retry === null
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

/** Rows that came since: older ones that were loaded meanwhile are not new. */
function rowsAfter(rows: readonly TranscriptRow[], seq: number): number {
  return rows.length - 1 - rows.findLastIndex((row) => row.seq <= seq)
}

function Failed({ agentId, message }: { readonly agentId: string; readonly message: string }) {
  return (
    <div className="m-auto flex max-w-80 flex-col items-center gap-2 text-center">
      <p className="text-fg-1 text-sm">This transcript could not be opened. {message}</p>
      <Button onClick={() => void reopen(agentId)}>Try again</Button>
    </div>
  )
}

/** Opens the row that hides what was found, and closes the one that was opened for the match before. */
function openFound(
  row: TranscriptRow | undefined,
  folds: FoldStates,
  openedToShow: { current: string | null },
): void {
  if (openedToShow.current !== null && openedToShow.current !== row?.key)
    folds.set(openedToShow.current, false)
  if (openedToShow.current !== row?.key) openedToShow.current = null
  const folded =
    row?.kind === 'tool' || row?.kind === 'thinking' || row?.kind === 'notice' || row?.kind === 'user'
  if (!folded || folds.get(row.key) === true) return
  folds.set(row.key, true)
  openedToShow.current = row.key
}

function useSurroundingsOf(
  agentId: string,
  folder: string,
  openAgent: ((agentId: string) => void) | null,
  onToggle: () => void,
): Surroundings {
  const folds = useMemo(() => new FoldStates(onToggle), [onToggle])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another agent has other texts
  const streamed = useMemo(() => new StreamedTexts(), [agentId])
  return useMemo(
    () => ({
      agentId,
      folds,
      streamed,
      openAgent,
      openFile({ path, line }) {
        void command('system.openFile', { folder, path, line }).then((answer) => {
          if (!answer.ok) showFailure(answer.failure)
        })
      },
      openLink(url) {
        void command('system.openLink', { url }).then((answer) => {
          if (!answer.ok) showFailure(answer.failure)
        })
      },
    }),
    [agentId, folder, folds, streamed, openAgent],
  )
}
