/**
 * The stage: the agents of a conversation side by side. The layouts Focus, Columns and Grid arrange
 * themselves by need. Dragging a panel switches to the layout Free, in which the user arranges the panels.
 */
import { ArrowDownToLine, LayoutTemplate, Pencil, Save, Trash2, UsersRound } from 'lucide-react'
import {
  type HTMLAttributes,
  lazy,
  memo,
  type ReactNode,
  Suspense,
  type UIEvent,
  useCallback,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useConversation } from '../../stores/conversation-store.ts'
import { applyLayout, deleteLayout, showLayoutDialog, useNamedLayouts } from '../../stores/named-layouts.ts'
import { type Layout, remember, selectAgent, useStageMemory } from '../../stores/stage-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Menu, MenuHeading, MenuItem, MenuNote, MenuSeparator, MenuSideItem } from '../../ui/menu.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { spanOf, tileCapacityOf, tileColumnsOf } from './geometry.ts'
import { moveFocus, panelOf } from './stage-focus.ts'
import { type StageLayout, useStageLayout } from './use-stage-layout.ts'

/** The controls that the stage gives to a panel. */
export interface StageControls {
  readonly onFocus: () => void
  readonly isFocused: boolean
  /** Absent in the free layout, in which every panel stays. */
  readonly onPin?: () => void
  readonly isPinned?: boolean
  /** Only in the free layout; the other layouts choose the panels themselves. */
  readonly onClose?: () => void
  readonly handle: HTMLAttributes<HTMLElement>
}

/** Agents that have neither a panel nor a tile, as counts. */
export interface FoldedAgents {
  /** Agents at work for which there is no tile. */
  readonly more: readonly string[]
  readonly queued: readonly string[]
  readonly finished: readonly string[]
  /** The group whose tiles are shown below. */
  readonly open: FoldedGroup | null
  readonly onToggle: (group: FoldedGroup) => void
  /** Whether the counts are a cell of the tiles, or a line below the panels. */
  readonly isCell: boolean
}
export type FoldedGroup = 'more' | 'queued' | 'finished'

interface StagePanelsProps {
  /** The subagents, in the order of their start. */
  readonly agentIds: readonly string[]
  /** The three render functions must be stable between renders. */
  readonly renderPanel: (agentId: string, controls: StageControls) => ReactNode
  readonly renderTile: (agentId: string, onOpen: () => void) => ReactNode
  readonly renderFolded: (folded: FoldedAgents) => ReactNode
  /** Scrolls every transcript to its end, where it follows new output. */
  readonly onFollow: () => void
  /** Shown first in the bar, instead of its title. */
  readonly lead?: ReactNode
}

const FreeDocking = lazy(async () => ({ default: (await import('./free-docking.tsx')).FreeDocking }))

const LAYOUTS = [
  { value: 'focus', label: 'Focus' },
  { value: 'columns', label: 'Columns' },
  { value: 'grid', label: 'Grid' },
  { value: 'free', label: 'Free' },
] as const

export function StagePanels(props: StagePanelsProps) {
  const { agentIds, renderTile, onFollow } = props
  const stageRef = useRef<HTMLDivElement>(null)
  const panelArea = useRef<HTMLDivElement>(null)
  const stage = useStageLayout({ agentIds, stage: stageRef, panelArea })
  const { drag } = stage
  const renderPanel = useControlledPanel(stage, props.renderPanel)
  return (
    <section aria-label="Stage" className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg-0">
      <Header stage={stage} canFollow={agentIds.length > 0} onFollow={onFollow} lead={props.lead} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the panels, which are focusable */}
      <div
        ref={stageRef}
        {...drag.area}
        onKeyDown={moveFocus}
        onFocus={(event) => selectAgent(panelOf(event.target))}
        className="relative flex min-h-0 min-w-0 flex-1 flex-col"
      >
        {agentIds.length === 0 ? (
          <EmptyState icon={UsersRound} title="No agents yet">
            When the main agent splits its work, each of its agents gets a live panel here.
          </EmptyState>
        ) : (
          <>
            <div ref={panelArea} className="flex min-h-0 min-w-0 flex-1 flex-col">
              {stage.layout === 'free' ? (
                <FreePanels stage={stage} agentIds={agentIds} renderPanel={renderPanel} />
              ) : (
                <PanelGrid stage={stage} renderPanel={renderPanel} />
              )}
            </div>
            <Others stage={stage} renderTile={renderTile} renderFolded={props.renderFolded} />
          </>
        )}
        {drag.mark !== null && (
          <div
            aria-hidden="true"
            style={drag.mark}
            className="pointer-events-none absolute z-20 border-2 border-accent bg-accent/12 transition-all duration-75"
          />
        )}
      </div>
    </section>
  )
}

interface HeaderProps {
  readonly stage: StageLayout
  readonly canFollow: boolean
  readonly onFollow: () => void
  readonly lead: ReactNode
}

function Header({ stage, canFollow, onFollow, lead }: HeaderProps) {
  return (
    <header className="@container flex h-9 shrink-0 items-center gap-2 border-line border-b bg-bg-1 px-2.5 text-sm">
      <h2 className={lead ? 'sr-only' : 'font-semibold text-fg-0'}>Stage</h2>
      {lead}
      <Segmented<Layout>
        label="Panel layout"
        value={stage.layout}
        options={LAYOUTS}
        onChange={stage.setLayout}
      />
      <LayoutsMenu />
      <span className="flex-1" />
      <Button
        variant="quiet"
        className="-mr-1.5"
        disabled={!canFollow}
        title={canFollow ? undefined : 'No agents yet'}
        aria-label="Scroll all to end"
        onClick={onFollow}
      >
        <ArrowDownToLine size={13} aria-hidden="true" className="@min-[520px]:hidden" />
        <span className="@max-[520px]:hidden">Scroll all to end</span>
      </Button>
    </header>
  )
}

/** The layouts that the user named. */
function LayoutsMenu() {
  const all = useNamedLayouts((state) => state.all)
  return (
    <Menu trigger={<IconButton label="Saved layouts" icon={LayoutTemplate} />}>
      <MenuHeading>Saved layouts</MenuHeading>
      {all.length === 0 && <MenuNote>A saved layout has its panels, sizes and windows.</MenuNote>}
      {all.map(({ name }) => (
        <div key={name} className="flex items-center">
          <MenuItem grow icon={LayoutTemplate} onSelect={() => applyLayout(name)}>
            {name}
          </MenuItem>
          <MenuSideItem
            icon={Pencil}
            label={`Rename ${name}`}
            onSelect={() => showLayoutDialog({ kind: 'rename', name })}
          />
          <MenuSideItem icon={Trash2} label={`Delete ${name}`} onSelect={() => deleteLayout(name)} />
        </div>
      ))}
      <MenuSeparator />
      <MenuItem icon={Save} onSelect={() => showLayoutDialog({ kind: 'save' })}>
        Save layout…
      </MenuItem>
    </Menu>
  )
}

type RenderPanel = (agentId: string) => ReactNode

interface PanelsProps {
  readonly stage: StageLayout
  readonly renderPanel: RenderPanel
}

function PanelGrid({ stage: { panels, columns }, renderPanel }: PanelsProps) {
  return (
    <div
      className="grid min-h-0 flex-1 auto-rows-[minmax(0,1fr)] gap-px bg-line"
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {panels.map((agentId, index) => (
        <PanelFrame
          key={agentId}
          agentId={agentId}
          span={spanOf(index, panels.length, columns)}
          render={renderPanel}
        />
      ))}
    </div>
  )
}

function FreePanels({
  stage,
  agentIds,
  renderPanel,
}: PanelsProps & { readonly agentIds: readonly string[] }) {
  const { dock, panels, columns } = stage
  const conversationId = useConversation((state) => state.conversationId)
  const saved = useStageMemory((state) => state.memory.dock)
  const revision = useStageMemory((state) => state.revision)
  const known = useMemo(() => new Set(agentIds), [agentIds])
  return (
    <Suspense fallback={null}>
      <FreeDocking
        key={`${conversationId} ${revision}`}
        ref={dock.handle}
        saved={saved}
        panels={panels}
        columns={columns}
        firstMove={dock.firstMove}
        knownAgents={known}
        renderPanel={renderPanel}
        onChange={dock.onChange}
        onMaximize={dock.onMaximize}
      />
    </Suspense>
  )
}

/** Renders a panel with its controls. The function stays the same until a control changes. */
function useControlledPanel(stage: StageLayout, render: StagePanelsProps['renderPanel']): RenderPanel {
  const { layout, pinned, toggleFocus } = stage
  const { handle, maximized } = stage.dock
  const { handleOf } = stage.drag
  return useCallback(
    (agentId: string) =>
      render(agentId, {
        onFocus: () => toggleFocus(agentId),
        isFocused: layout === 'free' ? maximized === agentId : layout === 'focus',
        handle: handleOf(agentId),
        ...(layout === 'free'
          ? { onClose: () => handle.current?.close(agentId) }
          : { onPin: () => togglePin(agentId), isPinned: pinned.includes(agentId) }),
      }),
    [render, toggleFocus, layout, maximized, handle, handleOf, pinned],
  )
}

function togglePin(agentId: string): void {
  const { pinned } = useStageMemory.getState().memory
  remember({
    pinned: pinned.includes(agentId) ? pinned.filter((id) => id !== agentId) : [...pinned, agentId],
  })
}

interface PanelFrameProps {
  readonly agentId: string
  /** The number of columns. */
  readonly span: number
  readonly render: (agentId: string) => ReactNode
}

/** Renders a panel again only if its own controls change, not when another panel comes or goes. */
const PanelFrame = memo(function PanelFrame({ agentId, span, render }: PanelFrameProps) {
  return (
    <div className="min-h-0 min-w-0" style={span > 1 ? { gridColumn: `span ${span}` } : undefined}>
      {render(agentId)}
    </div>
  )
})

type OthersProps = Pick<StagePanelsProps, 'renderTile' | 'renderFolded'> & { readonly stage: StageLayout }

/** The agents without a panel: tiles, of which the last cell counts queued and finished agents. */
function Others({ stage, renderTile, renderFolded }: OthersProps) {
  const { queued, finished, size, open: openAgent } = stage
  const { width } = size
  const [open, setOpen] = useState<FoldedGroup | null>(null)
  const onToggle = useCallback(
    (group: FoldedGroup) => setOpen((before) => (before === group ? null : group)),
    [],
  )
  const capacity = tileCapacityOf(size, queued.length + finished.length > 0)
  const isFull = stage.tiles.length > tileCapacityOf(size, false)
  const tiles = stage.tiles.slice(0, isFull ? tileCapacityOf(size, true) : capacity)
  const more = stage.tiles.slice(tiles.length)
  const folded = { more, queued, finished }
  const hasFold = more.length + queued.length + finished.length > 0
  // Alone in its row, a cell would be much too large.
  const isCell = tiles.length % tileColumnsOf(width) !== 0
  const fold = hasFold && renderFolded({ ...folded, open, onToggle, isCell })
  const opened = open === null ? [] : folded[open]
  return (
    <>
      {tiles.length > 0 && (
        <Tiles
          ids={tiles}
          width={width}
          open={openAgent}
          renderTile={renderTile}
          label="More agents"
          last={isCell && fold}
        />
      )}
      {!isCell && fold}
      {open !== null && opened.length > 0 && (
        <Tiles
          ids={opened}
          width={width}
          open={openAgent}
          renderTile={renderTile}
          label={FOLDED_LABELS[open]}
        />
      )}
    </>
  )
}

const FOLDED_LABELS: Readonly<Record<FoldedGroup, string>> = {
  more: 'Other agents',
  queued: 'Queued agents',
  finished: 'Finished agents',
}

interface TilesProps {
  readonly ids: readonly string[]
  readonly width: number
  readonly label: string
  readonly open: (agentId: string) => void
  readonly renderTile: (agentId: string, onOpen: () => void) => ReactNode
  /** The last cell. */
  readonly last?: ReactNode
}

/** Of hundreds of tiles, those near the view are rendered, and more as the user scrolls. */
const TILES_AT_FIRST = 24

function Tiles({ ids, width, label, open, renderTile, last }: TilesProps) {
  const columns = tileColumnsOf(width)
  const [rendered, setRendered] = useState(TILES_AT_FIRST)
  const isPart = ids.length > rendered
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent) => {
    if (isPart && scrollTop + 2 * clientHeight > scrollHeight) setRendered(rendered + TILES_AT_FIRST)
  }
  const cells = ids.length + (last ? 1 : 0)
  return (
    <ul
      aria-label={label}
      data-tiles=""
      onScroll={onScroll}
      className="grid max-h-[45%] shrink-0 gap-px overflow-y-auto overflow-x-hidden border-line border-t bg-bg-1"
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
    >
      {ids.slice(0, rendered).map((id) => (
        <TileFrame key={id} agentId={id} open={open} render={renderTile} />
      ))}
      {last && (
        <li
          className="grid min-w-0 shadow-[0_0_0_1px_var(--line)]"
          style={{ gridColumn: `span ${columns - ((cells - 1) % columns)}` }}
        >
          {last}
        </li>
      )}
    </ul>
  )
}

interface TileFrameProps {
  readonly agentId: string
  readonly open: (agentId: string) => void
  readonly render: (agentId: string, onOpen: () => void) => ReactNode
}

/** Renders a tile again only if the tile itself changes, not when another one comes or goes. */
const TileFrame = memo(function TileFrame({ agentId, open, render }: TileFrameProps) {
  return (
    <li className="grid min-w-0 shadow-[0_0_0_1px_var(--line)]">{render(agentId, () => open(agentId))}</li>
  )
})
